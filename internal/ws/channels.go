package ws

import (
	"context"
	"time"

	"bourse/internal/node"
	"bourse/internal/schema"
)

// openChannels makes all channels and lets them live until the context ends.
func (s *Server) openChannels(ctx context.Context) {
	s.openTicks(ctx)
	s.openDepth(ctx)
	listeners := []listener{s.openTops(ctx), s.openTrades(ctx), s.openPersonal(ctx)}
	reader := s.options.Node.Reader(s.options.Node.Applied())
	s.running.Go(func() { s.follow(ctx, reader, listeners) })
}

// listener is a channel that pushes what happened, batch by batch. It is told of every batch by one
// goroutine, in order, after the market data know of it.
type listener interface{ happened(*node.Step) }

// follow tells the listeners what happens.
func (s *Server) follow(ctx context.Context, reader *node.Reader, listeners []listener) {
	for {
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
		for _, l := range listeners {
			l.happened(step)
		}
	}
}

// every does something again and again until the context ends.
func (s *Server) every(ctx context.Context, pause time.Duration, do func()) {
	s.running.Go(func() {
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				do()
			case <-ctx.Done():
				return
			}
		}
	})
}

// region is where a connection is. Those who did not authorize see what the deployment offers.
func (c *conn) region() schema.Region {
	region := c.server.options.API.Region()
	if account := c.account(); account != nil {
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
