package node

import (
	"context"
	"errors"
	"iter"
	"sync"

	"bourse/internal/schema"
)

// Step is what one batch did, command by command. It is shared and must not be changed.
type Step struct {
	Seq      uint64
	Commands []CommandEvents
	events   schema.Events
}

// CommandEvents is what one command did.
type CommandEvents struct {
	Time     schema.Time
	Kind     schema.Kind
	Refused  bool
	Operated bool   // an operator gave it
	Signed   bool   // it came by a key or a session
	index    uint32 // of the command in the batch
	first    int
	end      int
}

// Events goes through what a command of the step made happen, each event with its id.
func (s *Step) Events(h *CommandEvents) iter.Seq2[schema.EventID, schema.Event] {
	return func(yield func(schema.EventID, schema.Event) bool) {
		id := schema.EventID{Batch: s.Seq, Command: h.index}
		for e := range s.events.Between(h.first, h.end) {
			if !yield(id, e) {
				return
			}
			id.Index++
		}
	}
}

// errBehind means that a step is not in memory: it must be read from the log.
var errBehind = errors.New("not in memory")

// Readers may be behind by so many steps, and by so many events: a step of a busy exchange is
// large.
const (
	stepsKept  = 4096
	eventsKept = 1 << 18
)

// feed keeps the latest steps in memory for readers, once there are any. A slow reader never
// slows the exchange: it falls behind and has to read the log.
type feed struct {
	mu      sync.Mutex
	enabled bool
	forgets bool    // what is too old
	latest  uint64  // the place of the last batch, in memory or not
	steps   []*Step // the last ones, oldest first, without gaps up to latest
	events  int     // in steps
	changed chan struct{}

	next *Step // being filled by the node
}

func newFeed(latest uint64) *feed {
	return &feed{forgets: true, latest: latest, next: &Step{}, changed: make(chan struct{})}
}

// enable makes the feed keep what happens from now on.
func (f *feed) enable() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.enabled = true
}

// add takes a copy of an outcome; publish makes the copies of a batch visible.
func (f *feed) add(out *schema.Outcome) {
	if !f.enabled {
		return
	}
	first := f.next.events.Len()
	f.next.events.Append(&out.Events)
	f.next.Commands = append(f.next.Commands, CommandEvents{
		Time: out.Time, Kind: out.Kind, Refused: out.Result.Rejection.Refused(), Operated: out.Operator != "", Signed: out.Signed, index: uint32(len(f.next.Commands)),
		first: first, end: f.next.events.Len(),
	})
}

func (f *feed) publish(seq uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.latest = seq
	if !f.enabled {
		return
	}
	f.next.Seq = seq
	f.steps = append(f.steps, f.next)
	f.events += f.next.events.Len()
	for f.forgets && (len(f.steps) > stepsKept || f.events > eventsKept && len(f.steps) > 1) {
		f.events -= f.steps[0].events.Len()
		f.steps = f.steps[1:]
	}
	// The next batch is probably about as large: growing step by step costs more than it does.
	f.next = &Step{
		Commands: make([]CommandEvents, 0, len(f.next.Commands)),
		events:   schema.RoomLike(&f.next.events),
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// after is the step behind a place of the log; it waits until there is one.
func (f *feed) after(ctx context.Context, seq uint64) (*Step, error) {
	for {
		step, changed, err := f.look(seq)
		if step != nil || err != nil {
			return step, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// wait waits until something happened after a place of the log.
func (f *feed) wait(ctx context.Context, seq uint64) error {
	for {
		_, changed, _ := f.look(seq)
		if changed == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look is the step behind a place, or what to wait for.
func (f *feed) look(seq uint64) (*Step, <-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if seq >= f.latest {
		return nil, f.changed, nil
	}
	if len(f.steps) == 0 || f.steps[0].Seq > seq+1 {
		return nil, nil, errBehind
	}
	return f.steps[seq+1-f.steps[0].Seq], nil, nil
}

// has reports whether what comes after a place is in memory, or has yet to happen.
func (f *feed) has(seq uint64) bool {
	_, _, err := f.look(seq)
	return err == nil
}
