package node

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/replay"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// ticket is a command and somebody who waits for what becomes of it.
type ticket struct {
	command schema.Command
	origin  schema.Origin
	result  schema.Result // valid once it is settled without an error
	done    chan error    // holds one
}

// tickets are used again: one of them is needed for every command.
var tickets = sync.Pool{New: func() any { return &ticket{done: make(chan error, 1)} }}

// free gives a ticket back that nobody waits for and nobody will settle any more.
func (t *ticket) free() {
	t.command, t.result.Items = nil, nil
	tickets.Put(t)
}

// sequencer is what a node knows of the log, and the machine that follows it. It does no I/O and
// knows no clock: its calls and their order decide what it does. One batch of our own
// is in flight at most.
//
// What must hold: batches are applied in the order of the log, each once, none left out; the
// tickets of a batch are settled when it is applied, wherever in the log it came to stand.
type sequencer struct {
	machine *core.Machine
	mark    journal.Mark // the last batch that was applied
	flight  *flight
	// unfinished are tickets whose commands go on in slices, by the number of their work; blocked
	// are those that found their market busy and have to be sent again, in this order.
	unfinished map[schema.WorkID]*ticket
	blocked    []*ticket
	ready      []*ticket // have their results; they are settled when readers can see what happened
	// applied is called with what every command did; the outcome is valid during the call.
	applied func(*schema.Outcome)
	// stepped is called with the place of a batch after it was applied and before it is acknowledged.
	stepped func(seq uint64)
	// landing, if it is set, is called with the mark of a batch of our own after it was applied and
	// before it is acknowledged.
	landing func(journal.Mark)
	// pace is how batches from the log are applied.
	pace replay.Pace
	// met, if it is set, is called with every batch that is read from the log.
	met func(journal.ID)
	// passes are the commands of the log that do not happen.
	passes journal.Passes
	// before, if it is set, is called with every command before it happens, so that tests can make the
	// core panic.
	before func(schema.Command)
	// command and current are the one that happens now, and its place in the batch from 0.
	command int
	current schema.Command
	// What follows is kept for its memory.
	coder    wire.Coder
	envelope schema.Envelope
	body     []byte // of the flight
	memory   []byte // of the batch being sent
	// maxShorter is how often in a row the log may seem shorter than what was applied. In a
	// cluster a new leader that has not caught up with itself answers so for a moment.
	maxShorter int
	// maxUnanswered is how often in a row the log may fail to answer before the node gives up; 0: for
	// ever. An embedded server that does not answer has a disk that is full or broken.
	maxUnanswered int
}

// stuck is a panic of the core at a command that is durable. The state may be half changed: nothing
// may be done with this machine any more.
type stuck struct {
	error
	stack []byte
}

func (s *stuck) Unwrap() error { return s.error }

// contain turns a panic of the core at the current command into an error.
func (s *sequencer) contain(err *error) {
	if problem := recover(); problem != nil {
		*err = &stuck{journal.Stuck(s.mark.Seq, s.command+1, s.current, problem), debug.Stack()}
	}
}

// apply lets a command of the batch at the mark happen. Who calls it contains panics.
func (s *sequencer) apply(i int, at schema.Time, from schema.Origin, c schema.Command) *schema.Outcome {
	s.command, s.current = i, c
	if s.before != nil {
		s.before(c)
	}
	return s.machine.ApplyFrom(at, from, c)
}

// arrived takes what stands in the log behind the mark: a batch of another node, or our own
// when the answer to storing it was lost.
func (s *sequencer) arrived(b *journal.Batch) error {
	if b.Seq <= s.mark.Seq {
		return nil
	}
	if err := b.Follows(s.mark.Seq, s.mark.Hash); err != nil {
		return err
	}
	if s.met != nil {
		s.met(b.ID)
	}
	if s.flight != nil && s.flight.id == b.ID {
		s.mark = journal.Mark{Seq: b.Seq, Hash: b.Hash()}
		return s.land()
	}
	return s.replay(b)
}

// land applies the batch in flight from memory and settles its tickets. If the core panics none of
// them is settled, and the batch stays in flight: it is durable, and what it did is not known.
func (s *sequencer) land() (err error) {
	f := s.flight
	defer func(blocked int) {
		if err != nil {
			s.forget(f, blocked)
		}
	}(len(s.blocked))
	defer s.contain(&err)
	for i := range s.machine.InTurn(len(f.tickets), func(i int) schema.Command { return f.tickets[i].command }) {
		t := f.tickets[i]
		out := s.apply(i, f.at, t.origin, t.command)
		s.sort(t, out)
		s.applied(out)
	}
	s.flight = nil
	s.stepped(s.mark.Seq)
	if s.landing != nil {
		s.landing(s.mark)
	}
	s.settle()
	return nil
}

// forget takes back what was noted about the tickets of a batch, of which so many were blocked before:
// they stay in flight, and those who wait for earlier ones learn that it is not known what happened.
func (s *sequencer) forget(f *flight, blocked int) {
	s.blocked = s.blocked[:blocked]
	for id, t := range s.unfinished {
		if slices.Contains(f.tickets, t) {
			delete(s.unfinished, id)
		}
	}
	for _, t := range s.ready {
		if !slices.Contains(f.tickets, t) {
			t.done <- ErrUnknown
		}
	}
	s.ready = nil
}

// sort finds out what a ticket has to wait for after its command was applied.
func (s *sequencer) sort(t *ticket, out *schema.Outcome) {
	switch {
	case out.Result.Rejection.Reason == schema.MarketBusy:
		s.blocked = append(s.blocked, t)
	case out.Work != 0:
		if s.unfinished == nil {
			s.unfinished = map[schema.WorkID]*ticket{}
		}
		s.unfinished[out.Work] = t
	case out.Finished != 0:
		s.finish(out)
		s.ready = append(s.ready, t)
	default:
		s.answer(t, out)
	}
}

// finish answers the command, if it was ours, whose work came to its end.
func (s *sequencer) finish(out *schema.Outcome) {
	if t := s.unfinished[out.Finished]; t != nil {
		delete(s.unfinished, out.Finished)
		s.answer(t, out)
	}
}

func (s *sequencer) answer(t *ticket, out *schema.Outcome) {
	t.result = out.Result
	t.result.Time = out.Time
	t.result.Items = slices.Clone(out.Result.Items)
	s.ready = append(s.ready, t)
}

// settle lets everyone go on whose result is there.
func (s *sequencer) settle() {
	for i, t := range s.ready {
		t.done <- nil
		s.ready[i] = nil
	}
	s.ready = s.ready[:0]
}

// waiting is how many tickets wait for a market.
func (s *sequencer) waiting() int { return len(s.blocked) + len(s.unfinished) }

// turn picks what can be sent now from what waits: first a slice of unfinished work, then, in the
// order in which they came, the commands whose markets are free. The others are kept, up to a
// limit; beyond it they get ErrBusy. The usual case, in which nothing is busy, costs nothing.
func (s *sequencer) turn(tickets []*ticket, limit int) []*ticket {
	busy := s.machine.Busy()
	if !busy && len(s.blocked) == 0 {
		return tickets
	}
	all := append(s.blocked, tickets...)
	s.blocked = nil
	var sent []*ticket
	if busy {
		sent = append(sent, &ticket{command: &schema.Continue{}, done: make(chan error, 1)})
	}
	for _, t := range all {
		switch {
		case !s.machine.Blocks(t.command):
			sent = append(sent, t)
		case len(s.blocked) >= limit:
			t.done <- ErrBusy
		default:
			s.blocked = append(s.blocked, t)
		}
	}
	return sent
}

// dismiss answers all who wait for a market, because the node stops.
func (s *sequencer) dismiss(why error) {
	for _, t := range s.blocked {
		t.done <- why
	}
	s.blocked = nil
	for _, t := range s.unfinished {
		t.done <- fmt.Errorf("%w: %w", ErrUnknown, why)
	}
	s.unfinished = nil
}

// replay applies a batch from its bytes. A batch that cannot be read wholly changes nothing.
func (s *sequencer) replay(b *journal.Batch) error {
	commands, err := replay.Decode(b)
	if err != nil {
		return err
	}
	return s.repeat(&replay.Batch{Mark: journal.Mark{Seq: b.Seq, Hash: b.Hash()}, Commands: commands})
}

// repeat applies a batch that was read from the log, checked and decoded, without the commands that
// are passed over.
func (s *sequencer) repeat(b *replay.Batch) (err error) {
	passed, err := s.passes.Of(b.Mark)
	if err != nil {
		return err
	}
	s.mark = b.Mark
	defer s.contain(&err)
	for i := range s.machine.InTurn(len(b.Commands), func(i int) schema.Command { return b.Commands[i].Command }) {
		if slices.Contains(passed, i+1) {
			continue
		}
		c := &b.Commands[i]
		out := s.apply(i, c.Time, c.Origin, c.Command)
		if out.Finished != 0 {
			s.finish(out)
		}
		s.applied(out)
		s.pace.Yield(i)
	}
	s.stepped(b.Mark.Seq)
	s.settle()
	return nil
}
