package node

import (
	"context"
	"errors"

	"bourse/internal/schema"
)

// Reader goes through what happened, step by step, at its own speed. What is not in memory any
// more is made again from a snapshot and the log (past.go): the past of a deterministic machine
// needs no other record.
type Reader struct {
	node     *Node
	at       uint64 // the last step that was read
	past     *past  // while it is behind
	itemized bool   // every movement of a balance is an event: only the past can be made again so
}

// Reader reads what happened after a place of the log. It must be closed.
func (n *Node) Reader(after uint64) *Reader {
	n.state.Lock()
	defer n.state.Unlock()
	n.feed.enable()
	return &Reader{node: n, at: after}
}

// Itemized reads what happened after a place of the log with every movement of a balance, as a
// statement needs it (core.Machine.Itemize). It must be closed.
func (n *Node) Itemized(after uint64) *Reader {
	r := n.Reader(after)
	r.itemized = true
	return r
}

// Next is the next step; it waits until there is one.
func (r *Reader) Next(ctx context.Context) (*Step, error) {
	if r.past == nil && !r.itemized {
		step, err := r.node.feed.after(ctx, r.at)
		if err == nil {
			r.at = step.Seq
			return step, nil
		}
		if !errors.Is(err, errBehind) {
			return nil, err
		}
	}
	if r.past == nil {
		r.past = r.node.replayFrom(r.at, r.itemized)
	}
	step, err := r.past.next(ctx)
	if err != nil {
		if ctx.Err() == nil {
			r.Close() // another try begins again
		}
		return nil, err
	}
	r.at = step.Seq
	if len(r.past.steps) == 0 && !r.itemized && r.node.feed.has(r.at) {
		r.Close()
	}
	return step, nil
}

// Close ends reading the past. The reader may be used after it: the past is opened again if that is
// needed.
func (r *Reader) Close() {
	if r.past != nil {
		r.past.end()
		r.past = nil
	}
}

// More is closed when there is another step to be read.
func (r *Reader) More() <-chan struct{} {
	if r.past == nil {
		if _, changed, _ := r.node.feed.look(r.at); changed != nil {
			return changed
		}
	}
	return ready
}

// ready is closed.
var ready = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// nobody hears what a command did.
func nobody(*schema.Outcome) {}
