package ws

import (
	"slices"
	"sync"
	"time"

	"github.com/go-faster/jx"
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/schema"
)

// Bytes that wait for a connection: with more it is left out where a newer state makes good for it,
// and with fewer it is caught up.
const (
	fallsBehind = 256 << 10
	catchesUp   = fallsBehind / 4
)

// owedPause is how often those who are owed something are looked after.
const owedPause = 20 * time.Millisecond

// followers are those who subscribed to markets of a channel, each to some by name or to all, also to
// those that are listed later. One who subscribes is owed the state of his markets as it is then,
// and it is sent as fast as he reads: the states of all markets together may be more than may wait
// for a connection.
type followers struct {
	pushes prometheus.Counter
	// state is the frame with which a follower begins with a market; nil: there is nothing to push.
	state func(*follower, *schema.MarketInfo) []byte

	mu      sync.Mutex // also of the channel
	byConn  map[*conn]*follower
	named   map[schema.MarketID]map[*follower]struct{}
	all     map[*follower]struct{}
	pending map[*follower]struct{} // those who are owed something
}

// follower is a connection that subscribed.
type follower struct {
	conn    *conn
	region  schema.Region
	all     bool
	markets map[schema.MarketID]struct{} // followed by name; of one who follows all: those that he does not
	owed    []*schema.MarketInfo

	// ahead is, for trades, the last one of a market that was sent before its step was pushed.
	ahead map[schema.MarketID]schema.DealID
}

func newFollowers(pushes prometheus.Counter, state func(*follower, *schema.MarketInfo) []byte) *followers {
	return &followers{
		pushes: pushes, state: state,
		byConn: map[*conn]*follower{}, named: map[schema.MarketID]map[*follower]struct{}{},
		all: map[*follower]struct{}{}, pending: map[*follower]struct{}{},
	}
}

// followSubscription is a subscription to some markets, or to all when none is named.
type followSubscription struct {
	markets []*schema.MarketInfo
	all     bool
}

func (p *followSubscription) read(a *arguments) {
	names := a.texts("market", 0)
	if a.schema != nil {
		a.visible("")
	}
	for _, name := range names {
		if m := a.visible(name); !slices.Contains(p.markets, m) {
			p.markets = append(p.markets, m)
		}
	}
	if p.all = len(names) == 0; p.all && a.good() {
		_, listed, _ := a.conn.server.options.API.Directory().Listing()
		region := a.conn.region()
		p.markets = slices.DeleteFunc(listed, func(m *schema.MarketInfo) bool { return !m.Offered(region) })
	}
}

// subscribe replaces what a connection follows.
func (s *followers) subscribe(q *call, p *followSubscription) ([]byte, func(), *Error) {
	c, region := q.conn, q.conn.region()
	return success, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sendPending(s.set(c, region, p.markets, p.all))
	}, nil
}

// leave ends all that a connection follows.
func (s *followers) leave(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(c)
}

// payAll sends everybody what he is owed.
func (s *followers) payAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.pending {
		s.sendPending(f)
	}
}

// push sends a follower a frame.
func (s *followers) push(f *follower, frame []byte) {
	f.conn.push(frame)
	s.pushes.Inc()
}

// unsubscription ends the subscription to the markets that are named, or all when there is no text.
// Clients repeat whatever they subscribed with, so what is no market means nothing.
type unsubscription struct {
	markets []schema.MarketID
	named   bool
}

func (p *unsubscription) read(a *arguments) {
	a.ignored()
	if a.schema != nil {
		a.noted(0, "market", AnyParam)
		return
	}
	for _, sent := range a.params {
		if sent.kind != jx.String {
			continue
		}
		p.named = true
		if m := a.conn.server.options.API.Directory().Market(string(sent.value)); m != nil {
			p.markets = append(p.markets, m.ID)
		}
	}
}

// end ends it, under a lock.
func (p *unsubscription) end(c *conn, mu *sync.Mutex, all func(*conn), one func(*conn, schema.MarketID)) ([]byte, func(), *Error) {
	mu.Lock()
	defer mu.Unlock()
	for _, m := range p.markets {
		one(c, m)
	}
	if !p.named {
		all(c)
	}
	return success, nil, nil
}

// unsubscribingMarkets is the row of a method that ends the subscription to single markets.
func unsubscribingMarkets(h handling) Method {
	m := unsubscribing(h)
	m.Text = "Ends the subscription to the markets that are named, or to all if none is. It is no error if there is none."
	m.Meanings = map[string]string{"market": "Market names, as BASE_QUOTE. What is no market is ignored."}
	m.Example.Params = `["BTC_USDT"]`
	return m
}

// set replaces what a connection follows, under the lock as all that comes below. It is owed the state of the markets that there are now.
func (s *followers) set(c *conn, region schema.Region, markets []*schema.MarketInfo, all bool) *follower {
	s.remove(c)
	f := &follower{conn: c, region: region, all: all, markets: map[schema.MarketID]struct{}{}, owed: markets}
	s.byConn[c], s.pending[f] = f, struct{}{}
	if all {
		s.all[f] = struct{}{}
		return f
	}
	for _, m := range markets {
		f.markets[m.ID] = struct{}{}
		if s.named[m.ID] == nil {
			s.named[m.ID] = map[*follower]struct{}{}
		}
		s.named[m.ID][f] = struct{}{}
	}
	return f
}

// remove ends all that a connection follows.
func (s *followers) remove(c *conn) {
	f := s.byConn[c]
	if f == nil {
		return
	}
	if !f.all {
		for m := range f.markets {
			s.forget(f, m)
		}
	}
	delete(s.byConn, c)
	delete(s.all, f)
	delete(s.pending, f)
}

// forget takes a follower out of those who named a market.
func (s *followers) forget(f *follower, m schema.MarketID) {
	if delete(s.named[m], f); len(s.named[m]) == 0 {
		delete(s.named, m)
	}
}

// drop ends following one market.
func (s *followers) drop(c *conn, m schema.MarketID) {
	f := s.byConn[c]
	if f == nil {
		return
	}
	f.owed = slices.DeleteFunc(f.owed, func(o *schema.MarketInfo) bool { return o.ID == m })
	if f.all {
		f.markets[m] = struct{}{}
		return
	}
	delete(f.markets, m)
	s.forget(f, m)
	if len(f.markets) == 0 {
		s.remove(c)
	}
}

// of are those who follow a market and have its state: what happens on it is for them. Those who
// follow it and are still owed its state are counted too.
func (s *followers) of(m *schema.MarketInfo) (list []*follower, owed int) {
	add := func(f *follower) {
		if f.owes(m) {
			owed++
			return
		}
		list = append(list, f)
	}
	for f := range s.named[m.ID] {
		add(f)
	}
	for f := range s.all {
		if _, not := f.markets[m.ID]; !not && m.Offered(f.region) {
			add(f)
		}
	}
	return list, owed
}

// owes reports whether a follower is still owed the state of a market.
func (f *follower) owes(m *schema.MarketInfo) bool {
	return slices.ContainsFunc(f.owed, func(o *schema.MarketInfo) bool { return o.ID == m.ID })
}

// owe notes that a follower was left out and is to get the state of a market later.
func (s *followers) owe(f *follower, m *schema.MarketInfo) {
	f.owed = append(f.owed, m)
	s.pending[f] = struct{}{}
}

// sendPending sends a follower what he is owed, as long as not too much waits for him.
func (s *followers) sendPending(f *follower) {
	for len(f.owed) > 0 && f.conn.backlog() <= fallsBehind {
		if frame := s.state(f, f.owed[0]); frame != nil {
			s.push(f, frame)
		}
		f.owed = f.owed[1:]
	}
	if len(f.owed) == 0 {
		f.owed = nil
		delete(s.pending, f)
	}
}
