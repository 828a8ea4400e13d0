package node

import (
	"context"
	"errors"
	"fmt"

	"bourse/internal/schema"
)

// Reader goes through what happened, step by step, at its own speed. What is not in memory any
// more it makes anew from a snapshot and the log: the past of a deterministic machine needs no
// other record.
type Reader struct {
	node *Node
	at   uint64 // the last step that was read
	past *past  // while it is behind
}

// Reader reads what happened after a place of the log.
func (n *Node) Reader(after uint64) *Reader {
	n.state.Lock()
	defer n.state.Unlock()
	n.feed.enable()
	return &Reader{node: n, at: after}
}

// Next is the next step; it waits until there is one.
func (r *Reader) Next(ctx context.Context) (*Step, error) {
	if r.past == nil {
		step, err := r.node.feed.after(ctx, r.at)
		if err == nil {
			r.at = step.Seq
			return step, nil
		}
		if !errors.Is(err, errBehind) {
			return nil, err
		}
		if r.past, err = r.node.relive(ctx, r.at); err != nil {
			return nil, err
		}
	}
	if err := r.past.read(ctx, r.node); err != nil {
		return nil, err
	}
	step := r.past.steps[0]
	r.at, r.past.steps = step.Seq, r.past.steps[1:]
	if len(r.past.steps) == 0 && r.node.feed.has(r.at) {
		r.past = nil
	}
	return step, nil
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

// past is a machine that lives through the log again for a reader.
type past struct {
	seq   *sequencer
	feed  *feed
	steps []*Step // made and not yet read
}

// chunk is how many batches of the past are made at once.
const chunk = 64

// relive makes the machine of a place of the log.
func (n *Node) relive(ctx context.Context, at uint64) (*past, error) {
	machine, mark, err := n.newest(ctx, at)
	if err != nil {
		return nil, err
	}
	p := &past{seq: &sequencer{machine: machine, mark: mark, applied: func(*schema.Outcome) {}, stepped: func(uint64) {}, passes: n.passes, before: n.options.before}, feed: newFeed(at)}
	if err := n.log.Read(ctx, mark.Seq, at, p.seq.arrived); err != nil {
		return nil, fmt.Errorf("reading the past up to batch %d: %w", at, err)
	}
	p.feed.enabled, p.feed.forgets = true, false
	p.seq.applied, p.seq.stepped = p.feed.add, p.feed.publish
	return p, nil
}

// read makes the next steps if there are none.
func (p *past) read(ctx context.Context, n *Node) error {
	if len(p.steps) > 0 {
		return nil
	}
	last := n.Mark().Seq
	err := n.log.Read(ctx, p.seq.mark.Seq, min(last, p.seq.mark.Seq+chunk), p.seq.arrived)
	p.steps = p.feed.take()
	if err != nil {
		return fmt.Errorf("reading the past after batch %d: %w", p.seq.mark.Seq, err)
	}
	return nil
}
