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

const depthChannel = "depth"

// The schemas of books.
var (
	levelsShape = named("Levels", "Price levels, best first: price and amount.", api.ArrayOf(api.TupleOf(api.Described("Price.", api.Decimal), api.Described("Amount in the base asset.", api.Decimal))))
	bookSides   = []api.Property{
		api.Required("asks", levelsShape, "Asks, lowest price first."),
		api.Required("bids", levelsShape, "Bids, highest price first."),
	}
	bookShape = api.Object("Book", "An order book.", append([]api.Property{api.Required("timestamp", api.Timestamp, "Time of the last change of the book.")}, bookSides...)...)
	sentAt    = api.Required("event_time", api.Timestamp, "Time of sending.")

	snapshotShape = api.Object("BookSnapshot", "All levels of the subscribed window.", slices.Concat([]api.Property{
		api.Required("timestamp", api.Timestamp, "Time of the last change of the book."),
		api.Required("update_id", api.Integer, "Version of the book. It rises with every change, also outside of the window."),
	}, bookSides, []api.Property{sentAt})...)
	changeShape = api.Object("BookChange", "The levels that changed since the previous frame. Amount 0 removes a level.", slices.Concat([]api.Property{
		api.Required("timestamp", api.Timestamp, "Time of the last change of the book."),
		api.Required("update_id", api.Integer, "Version of the book. It rises with every change, also outside of the window."),
		api.Required("past_update_id", api.Integer, "The update_id of the previous frame of this subscription. If it is another one, a frame was lost: subscribe again."),
	}, bookSides, []api.Property{sentAt})...)
)

var depthMethods = channel(
	&Group{depthChannel, "Order book", "Order books: a snapshot, then changes at most every 100 milliseconds. After ten quiet seconds the snapshot comes again."}, "",
	Method{
		Kind: Request, Summary: "Query an order book", Text: "Returns the best levels of the order book of a market.",
		Meanings: depthMeanings,
		Result:   bookShape,
		Example:  Example{`["BTC_USDT",1,"0"]`, `{"timestamp":1790000001.250000,"asks":[["51231","1.1"]],"bids":[["51230","0.4"]]}`},
		handling: fresh(answers(func(q *call, p *depthRequest) ([]byte, *Error) { return q.conn.server.depth.request(p.view), nil })),
	},
	subscribing(`["BTC_USDT",100,"0",true]`, Method{
		Summary:  "Subscribe to an order book",
		Text:     "Pushes a snapshot of the window at once, then its changes. A connection has one limit and interval for each market.",
		Meanings: depthMeanings,
		handling: fresh(asks(func(q *call, p *depthSubscription) ([]byte, func(), *Error) {
			c := q.conn
			return success, func() { c.server.depth.join(c, p.name, p.view, p.multi) }, nil
		})),
	}),
	unsubscribingMarkets(asks(func(q *call, p *unsubscription) ([]byte, func(), *Error) {
		d := q.conn.server.depth
		return p.end(q.conn, &d.mu, d.dropAll, d.drop)
	})),
	Method{
		Kind: Push, Summary: "Order book",
		Text: "Whether it is a snapshot; the snapshot, or the levels that changed; the market. A client that applies every change holds the window exactly.",
		Result: api.OneOf(
			api.TupleOf(api.Described("A snapshot.", api.True), snapshotShape, api.Described("Market name.", api.String)),
			api.TupleOf(api.Described("A change.", api.False), changeShape, api.Described("Market name.", api.String)),
		),
		Example: Example{Params: `[false,{"timestamp":1790000001.400000,"update_id":9004,"past_update_id":9001,"asks":[["51231","0"],["51233","2"]],"bids":[],` +
			`"event_time":1790000001.460000},"BTC_USDT"]`},
	},
)

var depthMeanings = map[string]string{
	"limit":    "Number of levels on each side.",
	"interval": "Width that prices are grouped by: \"0\" for none, or a power of ten from 0.00000001 to 0.1.",
	"multi":    "If true, subscriptions to other markets stay; otherwise this one replaces them.",
}

// openDepth makes the channel.
func (s *Server) openDepth(ctx context.Context) {
	s.depth = newDepth(s.options.Data, s.now, s.pushes(depthChannel))
	s.channels = append(s.channels, s.depth)
	s.every(ctx, depthPause, func() { s.depth.look(time.Now()) })
}

func newDepth(b books, now func() schema.Time, pushes prometheus.Counter) *depth {
	return &depth{books: b, now: now, pushes: pushes, groups: map[view]*viewers{}, conns: map[*conn]map[schema.MarketID]*viewers{}}
}

// depthLimits are how many levels a side can be subscribed to.
var depthLimits = []int64{1, 5, 10, 20, 30, 50, 100}

// maxDepth is how many levels a side can be asked for.
const maxDepth = 100

type depthRequest struct {
	view
	name string
}

func (p *depthRequest) read(a *arguments) {
	a.count(3, 3)
	a.view(p)
}

// view reads the parameters that say what to look at.
func (a *arguments) view(p *depthRequest) {
	p.limit = int(a.between(1, "limit", 1, maxDepth))
	p.width = a.width(2)
	m := a.listed(0)
	p.market, p.name = m.id, m.name
}

type depthSubscription struct {
	depthRequest
	multi bool
}

func (p *depthSubscription) read(a *arguments) {
	a.count(3, 4)
	a.view(&p.depthRequest)
	if a.schema != nil {
		limit := a.schema.at(1)
		limit.Numbers, limit.Least, limit.Most = depthLimits, nil, nil
	}
	a.check(slices.Contains(depthLimits, int64(p.limit)), errArgument)
	p.multi = a.flag(3, "multi")
}

// finest is how many decimals the narrowest width has.
const finest = 8

// width reads how far apart prices should be: 0 or a power of ten from 0.1 down.
func (a *arguments) width(i int) fixed.Decimal {
	if a.schema != nil {
		a.noted(i, "interval", DecimalParam)
	}
	if !a.good() {
		return fixed.Zero
	}
	width, err := width(a.at(i))
	if err != nil {
		a.wrong(err)
	}
	return width
}

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
func (d *depth) request(v view) []byte {
	w := d.books.Window(v.market, v.limit, v.width)
	b := api.AppendMoment([]byte(`{"timestamp":`), w.Changed)
	return append(appendSides(b, w.Asks, w.Bids), '}')
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
	b := append(push(depthChannel), `[true,{"timestamp":`...)
	b = api.AppendMoment(b, w.Changed)
	b = append(b, `,"update_id":`...)
	b = api.AppendInt(b, int64(w.Version))
	return d.end(b, market, w)
}

// delta is the frame of what changed since an update id.
func (d *depth) delta(market string, changed *marketdata.Window, past uint64) []byte {
	b := append(push(depthChannel), `[false,{"timestamp":`...)
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
