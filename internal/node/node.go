// Package node joins the journal and the core: a command goes in, becomes durable in the one
// order of the log, is applied, and its result comes out. Several nodes may share a log; each
// applies every batch, and any of them takes commands.
//
// What it promises: a result is released only after its command is durable and applied. A
// command that was acknowledged is never lost and never applied twice. Time never goes
// backwards. When the node cannot keep up callers get ErrBusy; memory is bounded. When
// the log turns out damaged, or cannot be written, the node stops taking commands and says why.
package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

var (
	// ErrBusy means that too many commands wait already. Nothing was done.
	ErrBusy = errors.New("the exchange is busy; try again later")
	// ErrStopped means that the node takes no commands any more. Nothing was done.
	ErrStopped = errors.New("the exchange is stopping")
	// ErrUnknown means that it is not known whether the command was done.
	ErrUnknown = errors.New("it is not known whether the command was done")
	// ErrTooLarge means that a command is larger than the log can store. Nothing was done.
	ErrTooLarge = errors.New("the command is too large")
)

// Options of a node.
type Options struct {
	Journal journal.Options
	// MasterKey is the file that has the master key; "": the data directory has it.
	MasterKey string
	// Name of the node, for people; empty: that of the machine.
	Name string
	// Queue is how many commands may wait; one more gets ErrBusy.
	Queue int
	// SnapshotCommands and SnapshotInterval say after how many commands, or how much time with
	// at least one command, a snapshot is written.
	SnapshotCommands int
	SnapshotInterval time.Duration
	// TickInterval is how often it is looked whether a timer is due; 0: never.
	TickInterval time.Duration
	// CompareBatches is after how many batches nodes that share a log compare their states.
	CompareBatches int
	// Clock is the time of day in microseconds; nil: the machine's clock.
	Clock func() schema.Time
	// Elapsed is a clock that only counts, in microseconds, which the time of day is held against;
	// nil: the machine's, or, with a Clock that is not the machine's, none: that one is believed.
	Elapsed func() schema.Time
	// ClockBound is how far the time of day may be from what was counted, and from the log; beyond it
	// nothing is written; 0: a minute.
	ClockBound time.Duration
	// AcceptClock lets a node start whose time of day is further behind the log than that.
	AcceptClock bool
	// Metrics, if it is set, is where the figures of the node are registered.
	Metrics prometheus.Registerer
	Log     *slog.Logger

	before func(schema.Command) // for tests, see sequencer
}

func (o *Options) setDefaults() {
	if o.Name == "" {
		o.Name, _ = os.Hostname()
	}
	if o.Queue == 0 {
		o.Queue = 1 << 16
	}
	if o.SnapshotCommands == 0 {
		o.SnapshotCommands = 1_000_000
	}
	if o.SnapshotInterval == 0 {
		o.SnapshotInterval = 10 * time.Minute
	}
	if o.CompareBatches == 0 {
		o.CompareBatches = 10_000
	}
	if o.ClockBound == 0 {
		o.ClockBound = time.Minute
	}
	if o.Clock == nil {
		if o.Elapsed == nil {
			o.Elapsed = Elapsed
		}
		o.Clock = func() schema.Time { return schema.Time(time.Now().UnixMicro()) }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Journal.Log = o.Log
}

// maxBatch is the most commands that are stored at once: it bounds how long readers wait.
const maxBatch = 8192

// Node is a running exchange.
type Node struct {
	options   Options
	dir       *journal.Dir
	log       *journal.Journal
	watermark *journal.Watermark
	key       *seal.Key
	passes    journal.Passes

	queue struct {
		sync.Mutex
		tickets []*ticket
		closed  error // why nothing is taken any more
	}
	wake    chan struct{} // holds one: there is something to do
	foreign chan *journal.Batch

	state sync.RWMutex // guards what follows
	seq   *sequencer
	feed  *feed

	watchers []func(schema.Setting)

	applied  atomic.Uint64 // the last batch that readers can see
	heard    atomic.Int64  // when a batch was last applied, by Elapsed
	heldBack atomic.Int64  // commands that wait for a market that is busy

	meters meters
	times  timekeeper

	marking  error // why the watermark could not be written
	since    int   // commands since the last snapshot
	last     time.Time
	replayed uint64 // batches read from the log to come back to life

	builder *builder
	turns   turns

	shared  *journal.Shared // nil when the node is alone
	peers   *peers
	helpers sync.WaitGroup

	life     context.Context         // of those who read the past
	stop     context.CancelFunc      // no new work: drain and end
	abort    context.CancelCauseFunc // end at once
	finished chan struct{}
	failure  error // why the node stopped by itself; set before finished is closed
}

// Submit lets a command become durable and happen, and fills in its result. The command must not
// be changed any more, not even after the context ended: it may still be on its way then, and
// the error is ErrUnknown.
func (n *Node) Submit(ctx context.Context, command schema.Command, result *schema.Result) error {
	return n.SubmitFrom(ctx, schema.Origin{}, command, result)
}

// SubmitFrom is Submit for a command that came by a door of the exchange.
func (n *Node) SubmitFrom(ctx context.Context, from schema.Origin, command schema.Command, result *schema.Result) error {
	p, err := n.Begin(from, command)
	if err != nil {
		return err
	}
	return p.Wait(ctx, result)
}

// Pending is a command on its way.
type Pending struct{ ticket *ticket }

// Begin puts a command on its way and does not wait for it. Commands that somebody begins one
// after the other happen in that order.
func (n *Node) Begin(from schema.Origin, command schema.Command) (Pending, error) {
	t := tickets.Get().(*ticket)
	t.command, t.origin = command, from
	if err := n.enqueue(t); err != nil {
		t.free()
		return Pending{}, err
	}
	return Pending{t}, nil
}

// Wait waits until the command is durable and has happened, and fills in its result. It is called
// once. If the context ends before, the error is ErrUnknown.
func (p Pending) Wait(ctx context.Context, result *schema.Result) (err error) {
	t := p.ticket
	if ctx.Done() == nil {
		err = <-t.done
	} else {
		select {
		case err = <-t.done:
		case <-ctx.Done():
			// The ticket is not given back: it will still be settled.
			return fmt.Errorf("%w: %w", ErrUnknown, ctx.Err())
		}
	}
	if err == nil {
		*result = t.result
	}
	t.free()
	return err
}

func (n *Node) enqueue(t *ticket) error {
	n.queue.Lock()
	defer n.queue.Unlock()
	switch {
	case n.queue.closed != nil:
		return n.queue.closed
	case len(n.queue.tickets)+int(n.heldBack.Load()) >= n.options.Queue:
		return ErrBusy
	}
	n.queue.tickets = append(n.queue.tickets, t)
	if len(n.queue.tickets) == 1 {
		n.poke()
	}
	return nil
}

func (n *Node) poke() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// Read looks at the state between two batches. It must not keep anything, and it should be short: the
// exchange stands still meanwhile.
func (n *Node) Read(look func(core.View)) {
	n.state.RLock()
	defer n.state.RUnlock()
	look(n.seq.machine)
}

// Watch looks at the state once and then hears every change of settings (accounts, keys, assets,
// markets, features) before anyone else: what a caller was answered, watchers know. It is called while
// the batch is committed, so both must be short and must not ask the node for anything; what products
// do never comes this way (see Reader).
func (n *Node) Watch(look func(core.View), changed func(schema.Setting)) {
	n.state.Lock()
	defer n.state.Unlock()
	look(n.seq.machine)
	n.watchers = append(n.watchers, changed)
}

// Key seals secrets before they go into a command, and opens what is in the state. All nodes on
// one log must have the same one: copy it to where each of them looks for it.
func (n *Node) Key() *seal.Key { return n.key }

// Mark is the place of the log that the state stands for.
func (n *Node) Mark() journal.Mark {
	n.state.RLock()
	defer n.state.RUnlock()
	return n.seq.mark
}

// Applied is the place of the last batch that readers can see. It never lags behind an answer:
// what a caller was answered is in that batch or an earlier one.
func (n *Node) Applied() uint64 { return n.applied.Load() }

// run is the one goroutine that writes to the log and changes the state. It drains what waits
// when running ends, and breaks off when working ends.
func (n *Node) run(working, running context.Context) {
	defer close(n.finished)
	err := n.loop(working, running)
	why := ErrStopped
	if err != nil {
		n.logEnd(err)
		why = fmt.Errorf("%w: %w", ErrStopped, err)
	}
	n.failure = err
	n.refuse(why)
	n.seq.dismiss(why)
	n.stop()
}

// logEnd says why the node stops, and where in the program if the core panicked.
func (n *Node) logEnd(err error) {
	if s := (*stuck)(nil); errors.As(err, &s) {
		n.options.Log.Error("the node stops", "reason", err, "stack", string(s.stack))
		return
	}
	n.options.Log.Error("the node stops", "reason", err)
}

func (n *Node) loop(working, running context.Context) error {
	for {
		select {
		case b := <-n.foreign:
			if err := n.arrive(b); err != nil {
				return err
			}
		case <-n.wake:
			n.gather()
			if err := n.flush(working); err != nil {
				return err
			}
		case <-running.Done():
			if working.Err() != nil {
				return context.Cause(working)
			}
			return n.drain(working)
		}
		n.snapshotWhenDue()
	}
}

// gather lets callers that are about to submit do so now and travel in the same batch, as long
// as more keep coming: a batch costs the same for one and for many.
func (n *Node) gather() {
	for waiting := 0; ; {
		runtime.Gosched()
		n.queue.Lock()
		now := len(n.queue.tickets)
		n.queue.Unlock()
		if now == waiting || now >= maxBatch {
			return
		}
		waiting = now
	}
}

// drain sends all that waits, and goes on with unfinished work until it is answered.
func (n *Node) drain(ctx context.Context) error {
	for {
		if err := n.flush(ctx); err != nil || n.seq.waiting() == 0 {
			return err
		}
	}
}

// fail makes the node stop at once.
func (n *Node) fail(why error) { n.abort(why) }

// flush stores and applies what is waiting. What comes meanwhile has to wait for the next time,
// so that under any load snapshots are written and batches of other nodes are applied.
func (n *Node) flush(ctx context.Context) error {
	n.queue.Lock()
	tickets := n.queue.tickets
	n.queue.tickets = nil
	n.queue.Unlock()
	tickets = n.seq.turn(tickets, n.options.Queue/2)
	defer n.goOn()
	for len(tickets) > 0 {
		if err := n.giveWay(ctx); err != nil {
			n.refuseAll(tickets, err)
			return err
		}
		taken, err := n.commit(ctx, tickets[:min(len(tickets), maxBatch)])
		tickets = tickets[taken:]
		if err != nil {
			n.refuseAll(tickets, err)
			return err
		}
	}
	return nil
}

// goOn sees to it that unfinished work gets its next slice. In a cluster the node that somebody
// waits at does that; the others do it with their ticks, in case that one is gone.
func (n *Node) goOn() {
	n.heldBack.Store(int64(n.seq.waiting()))
	if n.seq.waiting() > 0 || n.shared == nil && n.seq.machine.Busy() {
		n.poke()
	}
}

// refuseAll answers tickets that nothing was done for, because the node stops.
func (*Node) refuseAll(tickets []*ticket, why error) {
	for _, t := range tickets {
		t.done <- fmt.Errorf("%w: %w", ErrStopped, why)
	}
}

// commit stores one batch and applies it, whatever stands in between. It returns how many
// tickets it took.
func (n *Node) commit(ctx context.Context, tickets []*ticket) (int, error) {
	now, err := n.now()
	if err != nil {
		for _, t := range tickets {
			t.done <- err
		}
		return len(tickets), nil
	}
	var id journal.ID
	if _, err := rand.Read(id[:]); err != nil {
		return 0, err
	}
	taken := n.seq.depart(tickets, id, now, n.log.Limit())
	if n.seq.flight == nil {
		return taken, nil
	}
	for next := send; next != landed; {
		var err error
		if next, err = n.perform(ctx, next); err != nil {
			n.seq.abandon(fmt.Errorf("%w: %w", ErrUnknown, err))
			return taken, err
		}
	}
	return taken, n.marking
}

// perform makes a move and tells the sequencer how it went.
func (n *Node) perform(ctx context.Context, m move) (move, error) {
	b, err := n.rest(ctx, n.seq.flight)
	if err != nil {
		return landed, err
	}
	if b != nil {
		return n.change(func() (move, error) { return n.seq.looked(b, true, nil) })
	}
	place := n.seq.mark.Seq + 1
	switch m {
	case send:
		began, batch := time.Now(), n.seq.bytes()
		answer := n.log.Store(ctx, batch, place-1)
		switch {
		case answer == nil:
			n.meters.stored(len(n.seq.flight.tickets), len(batch), began)
		case errors.Is(answer, journal.ErrConflict):
			n.askTurn(n.seq.flight.id)
		case n.seq.flight.fruitless == 0:
			n.options.Log.Warn("storing a batch; trying again", "place", place, "answer", answer)
		}
		return n.change(func() (move, error) { return n.seq.answered(answer) })
	case look:
		b, there, err := n.log.Get(ctx, place)
		return n.change(func() (move, error) { return n.seq.looked(&b, there, err) })
	default:
		return n.seq.measured(n.log.Last(ctx))
	}
}

// rest waits before something is asked again, the longer the more often nothing was learned. Who
// shares the log hears of batches meanwhile, of which the next one is returned.
func (n *Node) rest(ctx context.Context, f *flight) (*journal.Batch, error) {
	if n.shared == nil {
		return nil, pause(ctx, f.fruitless)
	}
	return n.hearBatch(ctx, f)
}

// pause waits a little longer the more often nothing was learned.
func pause(ctx context.Context, fruitless int) error {
	if fruitless == 0 && ctx.Err() == nil {
		return nil
	}
	select {
	case <-time.After(pauseTime(fruitless, time.Second)):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func pauseTime(fruitless int, most time.Duration) time.Duration {
	return min(most, 5*time.Millisecond<<min(fruitless, 8))
}

// change lets the sequencer apply a batch, and compares the state
// with that of other nodes when it is time.
func (n *Node) change(apply func() (move, error)) (move, error) {
	n.state.Lock()
	before := n.seq.mark.Seq
	next, err := apply()
	moved := n.seq.mark.Seq != before
	n.state.Unlock()
	if moved {
		n.checkpoint()
	}
	return next, err
}

// arrive applies a batch from the log.
func (n *Node) arrive(b *journal.Batch) error {
	_, err := n.change(func() (move, error) { return landed, n.seq.arrived(b) })
	return err
}

// refuse answers everyone who waits and all who come later.
func (n *Node) refuse(why error) {
	n.queue.Lock()
	defer n.queue.Unlock()
	n.queue.closed = why
	for _, t := range n.queue.tickets {
		t.done <- why
	}
	n.queue.tickets = nil
}
