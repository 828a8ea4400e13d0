package node

import (
	"context"
	"slices"
	"sync"
	"time"

	"bourse/internal/journal"
)

// turnTime is how long a node that may write waits for a batch of another that lost its place.
const turnTime = 50 * time.Millisecond

// turnsKept is how many batches are remembered, so that late news of them are known to be late.
const turnsKept = 64

// turns lets nodes that write at once do so in turn. The node that stored the last batch is the first to
// know where the next one goes, and would win for ever. So a batch that loses its place says so, and
// a node lets the batches of others that said so go first, for a moment.
type turns struct {
	mu      sync.Mutex
	waiting []journal.ID // batches of others that lost their place
	past    []journal.ID // batches of ours, and those that were met in the log
}

// ask notes a batch that lost its place.
func (t *turns) ask(id journal.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.past, id) && !slices.Contains(t.waiting, id) && len(t.waiting) < turnsKept {
		t.waiting = append(t.waiting, id)
	}
}

// over notes that a batch needs no turn from us.
func (t *turns) over(id journal.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = slices.DeleteFunc(t.waiting, func(w journal.ID) bool { return w == id })
	if len(t.past) == turnsKept {
		t.past = append(t.past[:0], t.past[1:]...)
	}
	t.past = append(t.past, id)
}

// any reports whether a batch of another waits.
func (t *turns) any() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting) > 0
}

// giveUp forgets batches that did not come in time; their nodes may be dead.
func (t *turns) giveUp() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = t.waiting[:0]
}

// askTurn tells the other nodes that a batch of ours lost its place. If that fails it has to win by
// chance.
func (n *Node) askTurn(id journal.ID) {
	if n.shared == nil {
		return
	}
	n.turns.over(id)
	if err := n.log.AskTurn(id); err != nil {
		n.options.Log.Debug("asking for a turn", "problem", err)
	}
}

// hearTurns listens for batches of other nodes that lost their place.
func (n *Node) hearTurns(ctx context.Context) {
	if err := n.log.HearTurns(ctx, n.turns.ask); err != nil {
		n.options.Log.Warn("this node does not give way to others", "problem", err)
	}
}

// Times that a batch in flight waits for others: for the one that took its place, which is on its
// way to everybody, and at most between two attempts. A cluster that elects a leader is asked often:
// callers wait.
const (
	conflictTime = 10 * time.Millisecond
	attemptTime  = 50 * time.Millisecond
)

// hearBatch is the next batch of the log that is delivered before it is time to go on; nil: none is.
func (n *Node) hearBatch(ctx context.Context, f *flight) (*journal.Batch, error) {
	var wait time.Duration
	switch {
	case f.fruitless > 0:
		wait = pauseTime(f.fruitless, attemptTime)
	case f.conflict:
		wait = conflictTime
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	for {
		select {
		case b := <-n.foreign:
			if b.Seq > n.seq.mark.Seq {
				return b, nil
			}
			continue
		default:
		}
		if wait == 0 {
			return nil, ctx.Err()
		}
		select {
		case b := <-n.foreign:
			if b.Seq > n.seq.mark.Seq {
				return b, nil
			}
		case <-late.C:
			return nil, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// giveWay lets batches of other nodes go first that lost their place, for a moment.
func (n *Node) giveWay(ctx context.Context) error {
	if !n.turns.any() {
		return nil
	}
	late := time.NewTimer(turnTime)
	defer late.Stop()
	for n.turns.any() {
		select {
		case b := <-n.foreign:
			if err := n.arrive(b); err != nil {
				return err
			}
		case <-late.C:
			n.turns.giveUp()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
