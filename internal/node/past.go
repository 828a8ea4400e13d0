package node

import (
	"context"
	"fmt"

	"bourse/internal/replay"
)

// past is a machine that lives through the log again for a reader. It works in a goroutine of its
// own, a little ahead of the reader, until it is ended.
type past struct {
	node     *Node
	at       uint64 // where the reader stands
	itemized bool
	seq      *sequencer
	feed     *feed
	steps    []*Step // taken and not yet read

	made  chan []*Step
	stop  context.CancelFunc
	ended chan struct{}
	err   error // why it ended; set before made is closed
}

// What is made at once, and kept waiting at most twice more.
const (
	stepsAtOnce  = 256
	eventsAtOnce = 1 << 14
)

// replayFrom begins to make the steps behind a place of the log.
func (n *Node) replayFrom(at uint64, itemized bool) *past {
	ctx, stop := context.WithCancel(n.life)
	p := &past{
		node: n, at: at, itemized: itemized, feed: newFeed(at),
		made: make(chan []*Step, 1), stop: stop, ended: make(chan struct{}),
	}
	p.feed.enabled, p.feed.forgets = true, false
	go p.run(ctx)
	return p
}

// end ends making steps and waits until it is over.
func (p *past) end() {
	p.stop()
	<-p.ended
}

// next is the next step.
func (p *past) next(ctx context.Context) (*Step, error) {
	for len(p.steps) == 0 {
		select {
		case steps, open := <-p.made:
			if !open {
				return nil, p.err
			}
			p.steps = steps
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	step := p.steps[0]
	p.steps = p.steps[1:]
	return step, nil
}

func (p *past) run(ctx context.Context) {
	defer close(p.ended)
	defer close(p.made)
	defer p.stop()
	p.err = p.live(ctx)
}

// live goes through the log from the nearest snapshot on. What comes before the reader's place is
// left out.
func (p *past) live(ctx context.Context) error {
	machine, mark, err := p.node.ownNewest(p.at)
	if err != nil {
		return err
	}
	if p.itemized {
		machine.Itemize()
	}
	p.seq = &sequencer{
		machine: machine, mark: mark, applied: nobody, stepped: func(uint64) {}, pace: replay.Beside,
		passes: p.node.passes, before: p.node.options.before,
	}
	if err := p.read(ctx, p.at); err != nil {
		return err
	}
	p.seq.applied, p.seq.stepped = p.feed.add, p.feed.publish
	for {
		// More may have happened meanwhile. The reader ends this when the rest is in memory.
		if err := p.read(ctx, p.node.Applied()); err != nil {
			return err
		}
		if err := p.hand(ctx); err != nil {
			return err
		}
		if err := p.node.feed.wait(ctx, p.seq.mark.Seq); err != nil {
			return err
		}
	}
}

// read goes through the log up to a place and hands over steps when there are many.
func (p *past) read(ctx context.Context, upTo uint64) error {
	err := replay.Run(ctx, p.node.log, p.seq.mark, upTo, replay.Beside, func(b *replay.Batch) error {
		if err := p.seq.repeat(b); err != nil {
			return err
		}
		if len(p.feed.steps) >= stepsAtOnce || p.feed.events >= eventsAtOnce {
			return p.hand(ctx)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the past after batch %d: %w", p.seq.mark.Seq, err)
	}
	return nil
}

// hand gives the steps that were made to the reader when it takes them.
func (p *past) hand(ctx context.Context) error {
	if len(p.feed.steps) == 0 {
		return nil
	}
	select {
	case p.made <- p.feed.steps:
		p.feed.steps, p.feed.events = nil, 0
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
