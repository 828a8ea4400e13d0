package ws

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// How often markets are pushed.
const (
	candlePause  = 500 * time.Millisecond
	pricePause   = time.Second
	statsPause   = time.Second
	premiumPause = 500 * time.Millisecond
)

// openTicks makes the channels that push markets at a steady pace.
func (s *Server) openTicks(ctx context.Context) {
	v := outlook{data: s.options.Data, now: s.now}
	pushes := func(channel string) prometheus.Counter { return s.meters.pushes.WithLabelValues(channel) }

	candles := newCandles(v, pushes("candles"))
	s.answers("candles_request", method{do: s.fresh(candles.request)})
	s.answers("candles_subscribe", method{do: s.fresh(candles.subscribe)})
	s.answers("candles_unsubscribe", method{do: candles.unsubscribe})
	s.every(ctx, candlePause, candles.tick)

	prices := newPrices(v, pushes("lastprice"))
	s.answers("lastprice_request", method{do: s.fresh(prices.request)})
	s.answers("lastprice_subscribe", method{do: s.fresh(prices.subscribe)})
	s.answers("lastprice_unsubscribe", method{do: prices.unsubscribe})
	s.every(ctx, pricePause, prices.tick)

	day := newStats("market_update", v.day, pushes("market"))
	s.answers("market_request", method{do: s.fresh(v.overRequest)})
	s.answers("market_subscribe", method{do: s.fresh(day.subscribe)})
	s.answers("market_unsubscribe", method{do: day.unsubscribe})
	s.every(ctx, statsPause, day.tick)

	today := newStats("marketToday_update", v.today, pushes("marketToday"))
	for _, name := range []string{"marketToday_query", "marketToday_request"} {
		s.answers(name, method{do: s.fresh(v.todayRequest)})
	}
	s.answers("marketToday_subscribe", method{do: s.fresh(today.subscribe)})
	s.answers("marketToday_unsubscribe", method{do: today.unsubscribe})
	s.every(ctx, statsPause, today.tick)

	premium := newPremium(pushes("premiumIndex"))
	s.answers("premiumIndex_subscribe", method{do: premium.subscribe})
	s.answers("premiumIndex_unsubscribe", method{do: premium.unsubscribe})
	s.every(ctx, premiumPause, premium.tick)

	s.channels = append(s.channels, candles, prices, day, today, premium)
}

// fresh answers when the market data know all that the exchange has answered: a client that traded
// and asks sees its trade.
func (s *Server) fresh(do func(*call) ([]byte, func(), *Error)) func(*call) ([]byte, func(), *Error) {
	return func(q *call) ([]byte, func(), *Error) {
		ctx := context.Background()
		if t := s.options.Timeout; t > 0 {
			limited, cancel := context.WithTimeout(ctx, t)
			defer cancel()
			ctx = limited
		}
		if err := s.options.Data.Wait(ctx); err != nil {
			return nil, nil, errUnavailable
		}
		return do(q)
	}
}

// outlook is what ticks see of the exchange.
type outlook struct {
	data *marketdata.Data
	now  func() schema.Time
}

// listed is a market as channels keep it: what is known of it otherwise may change.
type listed struct {
	id   schema.MarketID
	name string
}

// listed is a parameter that must be a market.
func (c *call) listed(i int) (listed, *Error) {
	name, err := c.text(i)
	if err != nil {
		return listed{}, err
	}
	m, err := c.conn.market(name)
	if err != nil {
		return listed{}, err
	}
	return listed{m.ID, m.Name}, nil
}

// allListed are parameters that must be markets, at least one, each of them once.
func (c *call) allListed() ([]listed, *Error) {
	if _, err := c.texts(); err != nil || len(c.params) == 0 {
		return nil, errArgument
	}
	all := make([]listed, 0, len(c.params))
	seen := make(map[listed]bool, len(c.params))
	for i := range c.params {
		m, err := c.listed(i)
		if err != nil {
			return nil, err
		}
		if !seen[m] {
			seen[m] = true
			all = append(all, m)
		}
	}
	return all, nil
}

// groups are those who get the same, by key, and what each of them got last. A connection has
// one subscription, of one key or more.
//
// Everything is pushed under the lock, so that nobody gets anything after it was taken out.
type groups[K comparable, V any] struct {
	pushes prometheus.Counter

	mu    sync.Mutex
	of    map[*conn][]K
	conns map[K]map[*conn]V
}

func newGroups[K comparable, V any](pushes prometheus.Counter) groups[K, V] {
	return groups[K, V]{pushes: pushes, of: map[*conn][]K{}, conns: map[K]map[*conn]V{}}
}

// replace begins a subscription in place of the one there was. That one ends before the reply, as
// nothing of it may come behind; the new one begins after, with what first pushes.
func (g *groups[K, V]) replace(c *conn, keys []K, first func(K, *conn) V) func() {
	g.leave(c)
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.of[c] = keys
		for _, k := range keys {
			if g.conns[k] == nil {
				g.conns[k] = map[*conn]V{}
			}
			g.conns[k][c] = first(k, c)
		}
	}
}

// leave takes a connection out.
func (g *groups[K, V]) leave(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, k := range g.of[c] {
		if delete(g.conns[k], c); len(g.conns[k]) == 0 {
			delete(g.conns, k)
		}
	}
	delete(g.of, c)
}

// unsubscribe ends a subscription, whatever the parameters say.
func (g *groups[K, V]) unsubscribe(q *call) ([]byte, func(), *Error) {
	g.leave(q.conn)
	return success, nil, nil
}

// each does something with every group. The lock is free between two of them.
func (g *groups[K, V]) each(do func(K, map[*conn]V)) {
	g.mu.Lock()
	keys := make([]K, 0, len(g.conns))
	for k := range g.conns {
		keys = append(keys, k)
	}
	g.mu.Unlock()
	for _, k := range keys {
		g.mu.Lock()
		if conns := g.conns[k]; conns != nil {
			do(k, conns)
		}
		g.mu.Unlock()
	}
}

// push sends a frame.
func (g *groups[K, V]) push(c *conn, f []byte) {
	c.push(f)
	g.pushes.Inc()
}

// behind reports whether a client has so much to read that it is left out.
func behind(c *conn) bool { return c.backlog() > fallsBehind }
