package ws

import (
	"context"
	"runtime/debug"
	"time"

	"bourse/internal/node"
	"bourse/internal/schema"
)

// openChannels makes all channels and lets them live until the context ends.
func (s *Server) openChannels(ctx context.Context) {
	s.openTicks(ctx)
	s.openDepth(ctx)
	s.every(ctx, deafLook, s.closeDeaf)
	for _, l := range []listener{s.openTops(ctx), s.openTrades(ctx), s.openPersonal(ctx)} {
		reader := s.options.Node.Reader(s.options.Node.Applied())
		s.running.Go(func() { s.follow(ctx, reader, l) })
	}
}

// listener is a channel that pushes what happened. A goroutine of its own brings it every batch, in
// order, after the market data know of it.
type listener interface {
	happened(*node.Step)
	// tell is called when there is nothing more to hear for the moment, or much was heard: whatever
	// waited until now to be pushed is pushed.
	tell()
}

// heardAtMost is how many batches a listener hears of before it pushes.
const heardAtMost = 256

// follow lets a listener hear what happens.
func (s *Server) follow(ctx context.Context, reader *node.Reader, l listener) {
	defer reader.Close()
	for heard := 1; ; heard++ {
		step, err := reader.Next(ctx)
		if err == nil {
			err = s.options.Data.WaitFor(ctx, step.Seq)
		}
		if err != nil {
			if ctx.Err() == nil {
				s.options.Log.Error("the streams stop; restart the node", "reason", err)
			}
			return
		}
		s.guard(func() { l.happened(step) })
		select {
		case <-reader.More():
			if heard < heardAtMost {
				continue
			}
		default:
		}
		s.guard(l.tell)
		heard = 0
	}
}

// guard does something for a channel. If that panics, nobody can be sure to have heard everything:
// all connections are closed, and clients begin again.
func (s *Server) guard(do func()) {
	defer func() {
		if reason := recover(); reason != nil {
			s.options.Log.Error("a stream panicked; all WebSockets are closed", "panic", reason, "stack", string(debug.Stack()))
			s.each(func(c *conn) { c.close(broken, "internal error") })
		}
	}()
	do()
}

// every does something again and again until the context ends.
func (s *Server) every(ctx context.Context, pause time.Duration, do func()) {
	s.running.Go(func() {
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				s.guard(do)
			case <-ctx.Done():
				return
			}
		}
	})
}

// region is where a connection is. Those who did not authorize see what the deployment offers.
func (c *conn) region() schema.Region {
	region := c.server.options.API.Region()
	if account := c.may(""); account != nil {
		region = schema.Stricter(account.Region, region)
	}
	return region
}

// market is a market that a connection may see, or the error that there is none.
func (c *conn) market(name string) (*schema.MarketInfo, *Error) {
	m := c.server.options.API.Directory().Market(name)
	if m == nil || !m.Offered(c.region()) {
		return nil, noMarket(name)
	}
	return m, nil
}
