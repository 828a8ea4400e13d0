package node

import (
	"context"
	"errors"
	"time"

	"bourse/internal/journal"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Open brings the exchange of a data directory back to life: the newest snapshot that is good,
// then the log after it.
func Open(ctx context.Context, o Options) (*Node, error) {
	o.setDefaults()
	n := &Node{
		options: o, wake: make(chan struct{}, 1), foreign: make(chan *journal.Batch, 64),
		finished: make(chan struct{}), last: time.Now(),
	}
	if err := n.open(ctx); err != nil {
		n.close()
		return nil, err
	}
	working, abort := context.WithCancelCause(context.Background())
	running, stop := context.WithCancel(working)
	n.abort, n.stop = abort, stop
	n.life = working
	go n.run(working, running)
	n.builder.done.Go(func() { n.builder.run(running) })
	if o.TickInterval > 0 {
		n.helpers.Go(func() { n.tick(running) })
	}
	if n.shared != nil {
		n.helpers.Go(func() { n.follow(running) })
		n.helpers.Go(func() { n.hearTurns(running) })
		n.helpers.Go(func() { n.tellPeers(running) })
		n.helpers.Go(func() { n.hearPeers(running) })
	}
	return n, nil
}

// attach opens what a state is made from: the data directory, the log, the snapshots.
func (n *Node) attach(ctx context.Context) (acknowledged journal.Mark, err error) {
	n.builder = newBuilder(n)
	if n.dir, err = journal.OpenDir(n.options.Journal.Dir); err != nil {
		return acknowledged, err
	}
	if n.key, err = seal.Load(n.dir.Path(), n.options.MasterKey); err != nil {
		return acknowledged, err
	}
	if n.log, err = journal.Open(ctx, n.options.Journal); err != nil {
		return acknowledged, err
	}
	if !n.options.Journal.Embedded() {
		if n.shared, err = n.log.Shared(ctx); err != nil {
			return acknowledged, err
		}
		if n.peers, err = newPeers(); err != nil {
			return acknowledged, err
		}
	}
	if n.watermark, acknowledged, err = n.dir.OpenWatermark(); err != nil {
		return acknowledged, err
	}
	n.passes, err = n.dir.Passes()
	return acknowledged, err
}

func (n *Node) open(ctx context.Context) error {
	acknowledged, err := n.attach(ctx)
	if err != nil {
		return err
	}
	for _, p := range n.passes {
		n.options.Log.Warn("a command is passed over", "batch", p.Batch, "command", p.Command, "kind", p.Kind, "reason", p.Reason, "decided", p.Time)
	}
	began := time.Now()
	if err := n.recoverState(ctx, acknowledged); err != nil {
		return n.remedy(err)
	}
	if err := n.checkHoles(ctx); err != nil {
		return err
	}
	if err := n.startClock(ctx); err != nil {
		return err
	}
	n.feed = newFeed(n.seq.mark.Seq)
	n.measure(n.options.Metrics)
	n.seq.applied = func(out *schema.Outcome) {
		n.since++
		n.meters.applied(out)
		n.feed.add(out)
		for _, event := range out.Events.Settings() {
			for _, changed := range n.watchers {
				changed(event)
			}
		}
	}
	n.seq.met = n.turns.over
	n.seq.stepped = func(seq uint64) {
		n.feed.publish(seq)
		n.applied.Store(seq)
		n.hear()
	}
	n.applied.Store(n.seq.mark.Seq)
	n.hear()
	n.options.Log.Info("the exchange is back", "batch", n.seq.mark.Seq, "replayed", n.replayed, "took", time.Since(began))
	return n.watermark.Set(n.seq.mark)
}

// follow hands batches of other nodes to the loop.
func (n *Node) follow(ctx context.Context) {
	for ctx.Err() == nil {
		err := n.log.Follow(ctx, n.Mark().Seq, func(b *journal.Batch) error {
			mine := *b
			mine.Commands = append([]byte(nil), b.Commands...)
			select {
			case n.foreign <- &mine:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if errors.Is(err, journal.ErrDamaged) {
			n.fail(err)
			return
		}
		if ctx.Err() == nil {
			n.options.Log.Warn("following the log", "problem", err)
			_ = pause(ctx, 6)
		}
	}
}

// drainTime is how long Close waits for a journal that does not answer.
const drainTime = 10 * time.Second

var errDrain = errors.New("the journal does not answer; what was being stored then may be in it or not")

// Close drains the node: what was accepted is answered, a snapshot is written. It returns why
// the node had stopped by itself before, if it had.
func (n *Node) Close() error {
	n.queue.Lock()
	if n.queue.closed == nil {
		n.queue.closed = ErrStopped
	}
	n.queue.Unlock()
	n.stop()
	late := time.AfterFunc(drainTime, func() { n.abort(errDrain) })
	<-n.finished
	late.Stop()
	err := n.failure
	n.builder.done.Wait()
	if err == nil {
		err = n.builder.finish()
	}
	n.abort(nil)
	n.helpers.Wait()
	n.shareLast()
	return errors.Join(err, n.close())
}

// Done is closed when the node has stopped, by Close or because it could not go on.
func (n *Node) Done() <-chan struct{} { return n.finished }

func (n *Node) close() error {
	var err error
	if n.log != nil {
		n.log.Close()
	}
	if n.watermark != nil {
		err = n.watermark.Close()
	}
	if n.dir != nil {
		err = errors.Join(err, n.dir.Close())
	}
	return err
}
