package ws

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-faster/jx"
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// Times of depth: how often books are looked at, and how long a subscription may be silent.
const (
	depthPause = 100 * time.Millisecond
	depthQuiet = 10 * time.Second
)

// depth pushes order books. Those who look at a market in the same way get the same frames, which
// are encoded once: what changed in the window since the last frame.
//
// What must hold: every frame after a snapshot names the update id of the frame before it, for
// everyone who gets it. So a new viewer gets the window that the others were sent last, not the
// newest one, and one who had to be left out gets that window whole before he gets a change again.
type depth struct {
	books  books
	now    func() schema.Time
	pushes prometheus.Counter

	mu     sync.Mutex
	groups map[view]*viewers
	conns  map[*conn]map[schema.MarketID]*viewers
}

// books is what channels about books need of the market data.
type books interface {
	Version(schema.MarketID) uint64
	Window(market schema.MarketID, limit int, width fixed.Decimal) marketdata.Window
}

// view is a way to look at a market.
type view struct {
	market schema.MarketID
	limit  int
	width  fixed.Decimal // that prices are gathered by; zero: not at all
}

// viewers are those who have the same view.
type viewers struct {
	view
	name   string
	sent   marketdata.Window // what the last frame left them with
	seen   uint64            // version of the book that was compared with it
	at     time.Time         // when the last frame went out
	conns  map[*conn]struct{}
	behind map[*conn]struct{} // those who were left out and wait for a snapshot
}

// openDepth makes the channel.
func (s *Server) openDepth(ctx context.Context) {
	d := newDepth(s.options.Data, s.now, s.meters.pushes.WithLabelValues("depth"))
	s.channels = append(s.channels, d)
	s.answers("depth_request", method{do: s.fresh(d.request)})
	s.answers("depth_subscribe", method{do: s.fresh(d.subscribe)})
	s.answers("depth_unsubscribe", method{do: func(q *call) ([]byte, func(), *Error) { return q.unsubscribe(&d.mu, d.dropAll, d.drop) }})
	s.every(ctx, depthPause, func() { d.look(time.Now()) })
}

func newDepth(b books, now func() schema.Time, pushes prometheus.Counter) *depth {
	return &depth{books: b, now: now, pushes: pushes, groups: map[view]*viewers{}, conns: map[*conn]map[schema.MarketID]*viewers{}}
}

// depthLimits are how many levels a side can be subscribed to.
var depthLimits = []int64{1, 5, 10, 20, 30, 50, 100}

// maxDepth is how many levels a side can be asked for.
const maxDepth = 100

// view reads the parameters that say what to look at.
func (q *call) view() (m *schema.MarketInfo, v view, err *Error) {
	name, err := q.text(0)
	if err != nil {
		return nil, v, err
	}
	limit, err := q.whole(1)
	if err != nil {
		return nil, v, err
	}
	if limit < 1 || limit > maxDepth || len(q.params) < 3 {
		return nil, v, errArgument
	}
	if v.width, err = width(q.params[2]); err != nil {
		return nil, v, err
	}
	if m, err = q.conn.market(name); err != nil {
		return nil, v, err
	}
	v.market, v.limit = m.ID, int(limit)
	return m, v, nil
}

// finest is how many decimals the narrowest width has.
const finest = 8

// width reads how far apart prices should be: 0 or a power of ten from 0.1 down.
func width(p param) (fixed.Decimal, *Error) {
	if p.kind != jx.String && p.kind != jx.Number {
		return fixed.Zero, errArgument
	}
	// Programs print small numbers with an exponent.
	if exponent, found := strings.CutPrefix(string(p.value), "1e-"); found && p.kind == jx.Number {
		if places, err := strconv.Atoi(exponent); err == nil && places >= 1 && places <= finest {
			return fixed.FromUnits(1, places), nil
		}
	}
	asked, err := fixed.ParseBytes(p.value)
	if err != nil {
		return fixed.Zero, errArgument
	}
	if asked.IsZero() {
		return asked, nil
	}
	for places := 1; places <= finest; places++ {
		if asked == fixed.FromUnits(1, places) {
			return asked, nil
		}
	}
	return fixed.Zero, errArgument
}

// request answers with a book as it is now.
func (d *depth) request(q *call) ([]byte, func(), *Error) {
	if len(q.params) != 3 {
		return nil, nil, errArgument
	}
	_, v, err := q.view()
	if err != nil {
		return nil, nil, err
	}
	w := d.books.Window(v.market, v.limit, v.width)
	b := api.AppendMoment([]byte(`{"timestamp":`), w.Changed)
	return append(appendSides(b, w.Asks, w.Bids), '}'), nil, nil
}

// subscribe adds a market, or takes the place of everything that was subscribed to before.
func (d *depth) subscribe(q *call) ([]byte, func(), *Error) {
	if len(q.params) > 4 {
		return nil, nil, errArgument
	}
	m, v, err := q.view()
	if err != nil {
		return nil, nil, err
	}
	if !slices.Contains(depthLimits, int64(v.limit)) {
		return nil, nil, errArgument
	}
	multi := false
	if len(q.params) == 4 {
		if q.params[3].kind != jx.Bool {
			return nil, nil, errArgument
		}
		multi = string(q.params[3].value) == "true"
	}
	c := q.conn
	return success, func() { d.join(c, m.Name, v, multi) }, nil
}

// join makes a connection a viewer and shows it the book.
func (d *depth) join(c *conn, name string, v view, multi bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if multi {
		d.drop(c, v.market)
	} else {
		d.dropAll(c)
	}
	g := d.groups[v]
	if g == nil {
		w := d.books.Window(v.market, v.limit, v.width)
		g = &viewers{view: v, name: name, sent: w, seen: w.Version, at: time.Now(), conns: map[*conn]struct{}{}, behind: map[*conn]struct{}{}}
		d.groups[v] = g
	}
	if d.conns[c] == nil {
		d.conns[c] = map[schema.MarketID]*viewers{}
	}
	d.conns[c][v.market] = g
	g.behind[c] = struct{}{}
	d.show(g)
}

func (d *depth) leave(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropAll(c)
}

func (d *depth) dropAll(c *conn) {
	for market := range d.conns[c] {
		d.drop(c, market)
	}
}

func (d *depth) drop(c *conn, market schema.MarketID) {
	g := d.conns[c][market]
	if g == nil {
		return
	}
	delete(g.conns, c)
	delete(g.behind, c)
	if len(g.conns)+len(g.behind) == 0 {
		delete(d.groups, g.view)
	}
	if delete(d.conns[c], market); len(d.conns[c]) == 0 {
		delete(d.conns, c)
	}
}

// look looks at all books that somebody views, and pushes what is new.
func (d *depth) look(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := map[view]marketdata.Window{}
	for _, g := range d.groups {
		if quiet := now.Sub(g.at) >= depthQuiet; quiet || d.books.Version(g.market) != g.seen {
			d.renew(g, d.window(g.view, seen), now, quiet)
		}
		d.show(g)
	}
}

// window is the front of a window as deep as any, which was looked at once for all views of it: to
// gather a deep book costs more than everything else here.
func (d *depth) window(v view, seen map[view]marketdata.Window) marketdata.Window {
	limit := v.limit
	v.limit = maxDepth
	w, found := seen[v]
	if !found {
		w = d.books.Window(v.market, v.limit, v.width)
		seen[v] = w
	}
	w.Asks, w.Bids = w.Asks[:min(limit, len(w.Asks))], w.Bids[:min(limit, len(w.Bids))]
	return w
}

// renew pushes what changed in a window, or all of it when nothing did for long.
func (d *depth) renew(g *viewers, w marketdata.Window, now time.Time, quiet bool) {
	g.seen = w.Version
	changed := w
	changed.Asks, changed.Bids = difference(g.sent.Asks, w.Asks, 1), difference(g.sent.Bids, w.Bids, -1)
	var f []byte
	switch {
	case len(changed.Asks)+len(changed.Bids) > 0:
		f = d.delta(g.name, &changed, g.sent.Version)
	case quiet:
		f = d.snapshot(g.name, &w)
	default:
		return
	}
	g.sent, g.at = w, now
	for c := range g.conns {
		if c.backlog() > fallsBehind {
			delete(g.conns, c)
			g.behind[c] = struct{}{}
			continue
		}
		c.push(f)
		d.pushes.Inc()
	}
}

// show gives those who wait for it the whole window, unless too much waits for them already.
func (d *depth) show(g *viewers) {
	var f []byte
	for c := range g.behind {
		if c.backlog() > catchesUp {
			continue
		}
		if f == nil {
			f = d.snapshot(g.name, &g.sent)
		}
		c.push(f)
		d.pushes.Inc()
		delete(g.behind, c)
		g.conns[c] = struct{}{}
	}
}

// difference is what makes one side of a window another, in the order of the side: new amounts, and
// zero for what is not in it any more. Prices rise with sign 1 and fall with -1.
func difference(old, now []marketdata.Level, sign int) (list []marketdata.Level) {
	for len(old)+len(now) > 0 {
		order := 0
		switch {
		case len(old) == 0:
			order = 1
		case len(now) == 0:
			order = -1
		default:
			order = old[0].Price.Cmp(now[0].Price) * sign
		}
		switch {
		case order < 0:
			list = append(list, marketdata.Level{Price: old[0].Price})
			old = old[1:]
		case order > 0:
			list = append(list, now[0])
			now = now[1:]
		default:
			if old[0].Amount != now[0].Amount {
				list = append(list, now[0])
			}
			old, now = old[1:], now[1:]
		}
	}
	return list
}

// snapshot is the frame of a whole window.
func (d *depth) snapshot(market string, w *marketdata.Window) []byte {
	b := append(push("depth_update"), `[true,{"timestamp":`...)
	b = api.AppendMoment(b, w.Changed)
	b = append(b, `,"update_id":`...)
	b = api.AppendInt(b, int64(w.Version))
	return d.end(b, market, w)
}

// delta is the frame of what changed since an update id.
func (d *depth) delta(market string, changed *marketdata.Window, past uint64) []byte {
	b := append(push("depth_update"), `[false,{"timestamp":`...)
	b = api.AppendMoment(b, changed.Changed)
	b = append(b, `,"update_id":`...)
	b = api.AppendInt(b, int64(changed.Version))
	b = append(b, `,"past_update_id":`...)
	b = api.AppendInt(b, int64(past))
	return d.end(b, market, changed)
}

// end is what snapshots and deltas have in common.
func (d *depth) end(b []byte, market string, w *marketdata.Window) []byte {
	b = appendSides(b, w.Asks, w.Bids)
	b = append(b, `,"event_time":`...)
	b = api.AppendMoment(b, d.now())
	b = api.AppendText(append(b, `},`...), market)
	return pushed(append(b, ']'))
}

// appendSides writes the levels of both sides as members of an object that has others before.
func appendSides(b []byte, asks, bids []marketdata.Level) []byte {
	b = appendLevels(append(b, `,"asks":`...), asks)
	return appendLevels(append(b, `,"bids":`...), bids)
}

func appendLevels(b []byte, levels []marketdata.Level) []byte {
	b = append(b, '[')
	for i := range levels {
		if i > 0 {
			b = append(b, ',')
		}
		b = api.AppendDecimal(append(b, '['), levels[i].Price)
		b = api.AppendDecimal(append(b, ','), levels[i].Amount)
		b = append(b, ']')
	}
	return append(b, ']')
}
