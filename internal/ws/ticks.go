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
	s.outlook = outlook{data: s.options.Data, now: s.now}
	s.candles = newCandles(s.outlook, s.pushes(candlesChannel))
	s.every(ctx, candlePause, s.candles.tick)
	s.prices = newPrices(s.outlook, s.pushes(pricesChannel))
	s.every(ctx, pricePause, s.prices.tick)
	s.day = newStats(dayChannel, s.outlook.day, s.pushes(dayChannel))
	s.every(ctx, statsPause, s.day.tick)
	s.today = newStats(todayChannel, s.outlook.today, s.pushes(todayChannel))
	s.every(ctx, statsPause, s.today.tick)
	s.premium = newPremium(s.appendFutures, s.pushes(premiumChannel))
	s.every(ctx, premiumPause, s.premium.tick)
	s.channels = append(s.channels, s.candles, s.prices, s.day, s.today, s.premium)
}

// fresh lets a method answer when the market data know all that the exchange has answered: a client
// that traded and asks sees its trade.
func fresh(h handling) handling {
	do := h.do
	h.do = func(q *call) ([]byte, func(), *Error) {
		if err := q.conn.server.options.Data.Fresh(context.Background()); err != nil {
			return nil, nil, errUnavailable
		}
		return do(q)
	}
	return h
}

// leaves ends the subscription to a channel, whatever the parameters say.
func leaves(find func(*Server) leaver) handling {
	return answers(func(q *call, _ *anything) ([]byte, *Error) {
		find(q.conn.server).leave(q.conn)
		return success, nil
	})
}

// marketRequest is a request about one market.
type marketRequest struct{ market listed }

func (p *marketRequest) read(a *arguments) {
	a.count(1, 1)
	p.market = a.listed(0)
}

// marketsSubscription is a subscription to markets, at least one.
type marketsSubscription struct{ markets []listed }

func (p *marketsSubscription) read(a *arguments) { p.markets = a.allListed() }

// outlook is what ticks see of the exchange.
type outlook struct {
	data *marketdata.Data
	now  func() schema.Time
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
