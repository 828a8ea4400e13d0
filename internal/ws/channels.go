package ws

import (
	"context"
	"sync"
	"time"

	"bourse/internal/node"
	"bourse/internal/schema"
)

// openChannels makes all channels and lets them live until the context ends.
func (s *Server) openChannels(ctx context.Context) {
	s.openTicks(ctx)
	listeners := []listener{s.openPersonal(ctx)}
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
			err = s.options.Data.Wait(ctx)
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

// market is a market that a connection may see, or the error that there is none. Those who did not
// authorize see what the deployment offers.
func (c *conn) market(name string) (*schema.MarketInfo, *Error) {
	a := c.server.options.API
	region := a.Region()
	if account := c.account(); account != nil {
		region = schema.Stricter(account.Region, region)
	}
	m := a.Directory().Market(name)
	if m == nil || !m.Offered(region) {
		return nil, noMarket(name)
	}
	return m, nil
}

// audience is who subscribed to something, by key: a market, an account, or whatever a channel
// tells apart. A connection is in it once for each key.
type audience[K comparable] struct {
	mu    sync.Mutex
	conns map[K]map[*conn]struct{}
}

func newAudience[K comparable]() *audience[K] { return &audience[K]{conns: map[K]map[*conn]struct{}{}} }

// set replaces all that a connection subscribed to.
func (a *audience[K]) set(c *conn, keys ...K) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(c)
	for _, k := range keys {
		if a.conns[k] == nil {
			a.conns[k] = map[*conn]struct{}{}
		}
		a.conns[k][c] = struct{}{}
	}
}

// leave takes a connection out.
func (a *audience[K]) leave(c *conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(c)
}

func (a *audience[K]) remove(c *conn) {
	for k, conns := range a.conns {
		delete(conns, c)
		if len(conns) == 0 {
			delete(a.conns, k)
		}
	}
}

// of are those who subscribed to a key.
func (a *audience[K]) of(k K) []*conn {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]*conn, 0, len(a.conns[k]))
	for c := range a.conns[k] {
		list = append(list, c)
	}
	return list
}

// keys are all that somebody subscribed to.
func (a *audience[K]) keys() []K {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]K, 0, len(a.conns))
	for k := range a.conns {
		list = append(list, k)
	}
	return list
}
