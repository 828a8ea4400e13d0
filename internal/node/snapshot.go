package node

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/replay"
)

// builder makes snapshots, and in a cluster the hashes that nodes compare, beside the work: it
// lives through the log again with a machine of its own and never looks at the one that serves,
// which therefore never stands still. It begins with the newest snapshot of this node. A second
// state is in memory while it works, and always in a cluster, where it has something to do every
// CompareBatches.
type builder struct {
	node    *Node
	machine *core.Machine // nil: the newest snapshot has yet to be restored
	mark    journal.Mark

	wake   chan struct{} // holds one: there is something to do
	wanted atomic.Uint64 // the place to write a snapshot of
	saved  atomic.Uint64 // the place of the newest good one
	done   sync.WaitGroup

	restore func([]byte) (*core.Machine, error)
	written prometheus.Counter
	failed  prometheus.Counter
	problem atomic.Pointer[error] // why the last snapshot is not there
}

func newBuilder(n *Node) *builder {
	b := &builder{
		node: n, wake: make(chan struct{}, 1), restore: core.Restore,
		written: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bourse_snapshots_total", Help: "Snapshots that were written, read back and restored.",
		}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bourse_snapshot_failures_total", Help: "Snapshots that could not be written or not be restored.",
		}),
	}
	if r := n.options.Metrics; r != nil {
		r.MustRegister(b.written, b.failed)
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bourse_snapshot_batch", Help: "The place in the log of the newest snapshot.",
		}, func() float64 { return float64(b.saved.Load()) }))
	}
	return b
}

// SnapshotProblem is why the last snapshot that was due is not there; nil when it is.
func (n *Node) SnapshotProblem() error {
	if p := n.builder.problem.Load(); p != nil {
		return *p
	}
	return nil
}

// snapshotWhenDue has a snapshot written after enough commands or enough time.
func (n *Node) snapshotWhenDue() {
	late := n.since > 0 && time.Since(n.last) >= n.options.SnapshotInterval
	if n.since < n.options.SnapshotCommands && !late {
		return
	}
	n.since, n.last = 0, time.Now()
	n.builder.wanted.Store(n.seq.mark.Seq)
	n.builder.poke()
}

func (b *builder) poke() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// run builds until the context ends.
func (b *builder) run(ctx context.Context) {
	for {
		select {
		case <-b.wake:
		case <-ctx.Done():
			return
		}
		if err := b.work(ctx); err != nil && ctx.Err() == nil {
			b.fail(err)
		}
		if b.node.peers == nil {
			b.machine = nil
		}
	}
}

// work does what is due: hashes of all places that nodes compare, in order, then a snapshot.
func (b *builder) work(ctx context.Context) error {
	if err := b.compare(ctx); err != nil {
		return fmt.Errorf("making the hash of a state: %w", err)
	}
	place := b.wanted.Load()
	if place <= b.saved.Load() {
		return nil
	}
	began := time.Now()
	if err := b.advance(ctx, place); err != nil {
		return fmt.Errorf("building the state of batch %d: %w", place, err)
	}
	s := &journal.Snapshot{Mark: b.mark, State: b.machine.Snapshot()}
	b.machine = nil // what was written is restored, and taken from there
	return b.save(s, began)
}

// compare reports the hashes of the places behind the builder that nodes compare.
func (b *builder) compare(ctx context.Context) error {
	if b.node.peers == nil {
		return nil
	}
	if err := b.begin(); err != nil {
		return err
	}
	every := uint64(b.node.options.CompareBatches)
	for next := (b.mark.Seq/every + 1) * every; next <= b.node.Applied(); next += every {
		if err := b.advance(ctx, next); err != nil {
			return err
		}
		b.node.report(b.mark.Seq, b.machine.Hash())
	}
	return nil
}

// begin takes up the newest snapshot of this node. One of another node is not taken: what is built
// is compared with what they have.
func (b *builder) begin() (err error) {
	if b.machine == nil {
		b.machine, b.mark, err = b.node.ownNewest(b.node.Applied())
	}
	return err
}

// advance brings the machine to a place of the log that was applied. A machine that is beyond it,
// as one of an earlier snapshot that was asked for late, stays where it is.
func (b *builder) advance(ctx context.Context, place uint64) error {
	if err := b.begin(); err != nil {
		return err
	}
	s := &sequencer{
		machine: b.machine, mark: b.mark, applied: nobody, stepped: func(uint64) {}, pace: replay.Beside,
		passes: b.node.passes, before: b.node.options.before,
	}
	err := replay.Run(ctx, b.node.log, b.mark, place, replay.Beside, s.repeat)
	b.mark = s.mark
	return err
}

// save writes a snapshot, restores what is on the disk then, and goes on from there.
func (b *builder) save(s *journal.Snapshot, began time.Time) error {
	n, size := b.node, len(s.State)
	err := n.dir.SaveSnapshot(s, func(read *journal.Snapshot) (err error) {
		b.machine, err = b.restore(read.State)
		s = read
		return err
	})
	if err != nil {
		return err
	}
	b.mark = s.Mark
	b.saved.Store(s.Mark.Seq)
	b.written.Inc()
	b.problem.Store(nil)
	n.share(s)
	n.options.Log.Info("a snapshot was written", "batch", s.Mark.Seq, "bytes", size, "took", time.Since(began))
	return nil
}

// fail makes a failure known. The exchange goes on: the log has everything, and older snapshots are
// still there.
func (b *builder) fail(err error) {
	b.machine = nil
	b.failed.Inc()
	b.problem.Store(&err)
	b.node.options.Log.Error("there is no new snapshot; starting takes longer until there is", "reason", err)
}

// finish writes the last snapshot of a node that has stopped, of the machine itself: nobody waits
// for it any more.
func (b *builder) finish() error {
	n := b.node
	if n.seq.mark.Seq <= b.saved.Load() {
		return nil
	}
	b.machine = nil
	err := b.save(&journal.Snapshot{Mark: n.seq.mark, State: n.seq.machine.Snapshot()}, time.Now())
	if err != nil {
		b.fail(err)
	}
	return err
}
