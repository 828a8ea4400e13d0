package market

import (
	"bytes"
	"slices"
	"sync"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// books are the texts of books, by their keys. There are at most a dozen of a market, whatever
// is asked for.
type books struct {
	mu    sync.RWMutex
	texts map[bookKey]*cache[bookStamp, *bookText]
}

// bookKey names one of the forms in which a book is kept. How many levels somebody wants and the
// time at which he asks are no part of it: answers are cut from one text.
type bookKey struct {
	market schema.MarketID
	kind   bookKind
	level  uint8
}

type bookKind uint8

const (
	fromBest bookKind = iota
	aroundLast
)

// bookStamp is what a book was made from.
type bookStamp struct {
	version uint64
	last    fixed.Decimal
	tick    fixed.Decimal
}

// bookText is a book as JSON that can be cut behind every level.
type bookText struct{ asks, bids sideText }

type sideText struct {
	text []byte // the levels, commas between them
	ends []int  // where each level ends
}

// get is a text, made again when the book has changed.
func (b *books) get(key bookKey, stamp bookStamp, renew func(*bookText) *bookText) *bookText {
	b.mu.RLock()
	found := b.texts[key]
	b.mu.RUnlock()
	if found == nil {
		found = b.add(key)
	}
	return found.get(stamp, renew)
}

func (b *books) add(key bookKey) *cache[bookStamp, *bookText] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.texts == nil {
		b.texts = map[bookKey]*cache[bookStamp, *bookText]{}
	}
	if b.texts[key] == nil {
		b.texts[key] = &cache[bookStamp, *bookText]{}
	}
	return b.texts[key]
}

// publicMarket is the market that a public question is about, once everything that was answered so far
// is in the market data.
func publicMarket(c *api.Call, name string) (*schema.MarketInfo, error) {
	if err := c.API.Data().Fresh(c.Context); err != nil {
		return nil, api.Unavailable()
	}
	m := c.Offered(name)
	if m == nil {
		return nil, noMarket()
	}
	return m, nil
}

// maxLevels is the most levels of a side in an answer; maxAggregation the coarsest book.
const (
	maxLevels      = 100
	maxAggregation = 10
)

// bookOf asks for a book.
type bookOf struct {
	marketPath
	limit, level int
}

// integers is the wording of the order book.
var integers = api.Paging{Status: 422, Integer: "The %f must be an integer.", AtLeast: "The %f must be at least %n."}

func (q *bookOf) Read(f *api.Form) {
	q.marketPath.Read(f)
	// Limits beyond the greatest, and levels beyond those there are, mean the most there is.
	f.Schema().AtLeast("limit", 0)
	q.limit = int(clamped(f, "limit", -1, maxLevels))
	switch {
	case q.limit < 0:
		f.Fail(422, 0, "limit", "The limit must be at least 0.")
	case q.limit == 0:
		q.limit = maxLevels
	}
	q.level = int(clamped(f, "level", 0, maxAggregation))
}

// clamped reads a whole number, however long, and puts it between bounds; 0 when there is none.
func clamped(f *api.Form, name string, low, high int64) int64 {
	f.Schema().DefaultTo(name, 0)
	value, _ := f.Word(name)
	digits := bytes.TrimPrefix(value, []byte("-"))
	const all = 18 // that Int reads
	if len(digits) > all && len(bytes.Trim(digits, "0123456789")) == 0 {
		if len(digits) < len(value) {
			return low
		}
		return high
	}
	const beyond = 1 << 60
	return min(max(f.Worded(name, 0, -beyond, beyond, integers), low), high)
}

// levelSchema is a price and how much stands there.
var levelSchema = api.Described("A price in quote and the amount in base that stands there.", api.TupleOf(api.Decimal, api.Decimal))

var bookSchema = api.Object("OrderBook", "Order book of a market. RPI orders are not included.",
	api.Required("ticker_id", api.String, "Market name."),
	api.Required("timestamp", api.Seconds, "Server time."),
	api.Required("asks", api.ArrayOf(levelSchema), "Asks as [price, amount], lowest price first."),
	api.Required("bids", api.ArrayOf(levelSchema), "Bids as [price, amount], highest price first."))

var aboutOrderBook = &api.About{
	Summary: "Get the order book",
	Parameters: map[string]string{
		"limit": "Maximum number of levels per side. 0 and values above 100 mean 100.",
		"level": "Aggregation level: 0 for single prices, n for multiples of 10^n ticks, over the best 10,000 levels of a side. Values above 10 mean 10, below 0 mean 0.",
	},
	Response: bookSchema,
	Faults:   []*api.Error{noMarket()},
}

func (g *group) orderBook(c *api.Call, q *bookOf) (api.Answer, error) {
	m, err := publicMarket(c, q.market)
	if err != nil {
		return nil, err
	}
	return &bookAnswer{m.Name, c.API.Now(), q.limit, g.book(c, m, q.level)}, nil
}

// book is the text of a book from the best price on.
func (g *group) book(c *api.Call, m *schema.MarketInfo, level int) *bookText {
	key := bookKey{market: m.ID, kind: fromBest, level: uint8(level)}
	stamp := bookStamp{version: c.API.Data().Version(m.ID)}
	if level > 0 {
		stamp.tick = m.TickSize
	}
	return g.caches.books.get(key, stamp, func(last *bookText) *bookText {
		if level == 0 {
			asks, bids, _ := c.API.Data().Depth(m.ID, maxLevels)
			return last.renew(asks, bids)
		}
		width := levelWidth(m, level)
		return last.renew(deep(levels(c, m.ID), func(asks, bids []marketdata.Level) (a, b []marketdata.Level, enough bool) {
			asks, enoughAsks := marketdata.Gather(slices.Values(asks), width, fixed.Up, maxLevels)
			bids, enoughBids := marketdata.Gather(slices.Values(bids), width, fixed.Down, maxLevels)
			return asks, bids, enoughAsks && enoughBids
		}))
	})
}

// deep takes a part of a book whose depth is not known before: it reads ever more levels until that is
// enough, because most of a deep book is not asked for, and never more than marketdata.Deepest.
func deep(read func(limit int) (asks, bids []marketdata.Level), part func(asks, bids []marketdata.Level) (a, b []marketdata.Level, enough bool)) (asks, bids []marketdata.Level) {
	for depth := 4 * maxLevels; ; depth = min(8*depth, marketdata.Deepest) {
		asks, bids := read(depth)
		whole := len(asks) < depth && len(bids) < depth
		if asks, bids, enough := part(asks, bids); enough || whole || depth == marketdata.Deepest {
			return asks, bids
		}
	}
}

// levels reads the best levels of a market.
func levels(c *api.Call, id schema.MarketID) func(limit int) (asks, bids []marketdata.Level) {
	return func(limit int) (asks, bids []marketdata.Level) {
		asks, bids, _ = c.API.Data().Depth(id, limit)
		return asks, bids
	}
}

// levelWidth is how far apart the prices of an aggregated book are: level 1 is ten ticks, and
// every further level ten times as much.
func levelWidth(m *schema.MarketInfo, level int) fixed.Decimal {
	width := m.TickSize
	if width.IsZero() {
		width = fixed.FromUnits(1, int(m.MoneyPrec))
	}
	for range level {
		wider, fits := fixed.Mul(width, fixed.FromInt(10), fixed.Places, fixed.Down)
		if !fits {
			break
		}
		width = wider
	}
	return width
}

// renew writes a book, which will be about as long as the last one.
func (t *bookText) renew(asks, bids []marketdata.Level) *bookText {
	if t == nil {
		t = &bookText{}
	}
	return &bookText{t.asks.renew(asks), t.bids.renew(bids)}
}

func (s *sideText) renew(levels []marketdata.Level) sideText {
	next := sideText{make([]byte, 0, len(s.text)+64), make([]int, 0, len(levels))}
	for i := range levels {
		next.text = append(api.AppendComma(next.text, i), '[')
		next.text = api.AppendDecimal(next.text, levels[i].Price)
		next.text = append(next.text, ',')
		next.text = api.AppendDecimal(next.text, levels[i].Amount)
		next.text = append(next.text, ']')
		next.ends = append(next.ends, len(next.text))
	}
	return next
}

// appendTo writes the sides of a book, at most limit levels each.
func (t *bookText) appendTo(dst []byte, limit int) []byte {
	dst = t.asks.appendTo(append(dst, `"asks":`...), limit)
	return t.bids.appendTo(append(dst, `,"bids":`...), limit)
}

func (s *sideText) appendTo(dst []byte, limit int) []byte {
	dst = append(dst, '[')
	if n := min(limit, len(s.ends)); n > 0 {
		dst = append(dst, s.text[:s.ends[n-1]]...)
	}
	return append(dst, ']')
}

// bookAnswer is a book of version 4, as of now.
type bookAnswer struct {
	name  string
	now   schema.Time
	limit int
	text  *bookText
}

// AppendTo implements Answer.
func (a *bookAnswer) AppendTo(dst []byte) []byte {
	dst = append(dst, `{"ticker_id":`...)
	dst = api.AppendText(dst, a.name)
	dst = append(dst, `,"timestamp":`...)
	dst = api.AppendInt(dst, int64(a.now/schema.Second))
	return append(a.text.appendTo(append(dst, ','), a.limit), '}')
}

var aboutDepthAround = &api.About{
	Summary:  "Get the order book within 2% of the last price",
	Text:     "Before the first trade, levels within 2% of the best price of each side are returned. At most the best 10,000 levels of a side are considered.",
	Response: bookSchema,
	Faults:   []*api.Error{noMarket()},
}

// depthAround answers with the levels within two percent of the last price; while there was no trade,
// of the best price of each side.
func (g *group) depthAround(c *api.Call, q *marketPath) (api.Answer, error) {
	m, err := publicMarket(c, q.market)
	if err != nil {
		return nil, err
	}
	last := c.API.Data().Last(m.ID)
	key, stamp := bookKey{market: m.ID, kind: aroundLast}, bookStamp{version: c.API.Data().Version(m.ID), last: last}
	text := g.caches.books.get(key, stamp, func(old *bookText) *bookText {
		return old.renew(deep(levels(c, m.ID), func(asks, bids []marketdata.Level) (a, b []marketdata.Level, enough bool) {
			return near(asks, bids, last)
		}))
	})
	return &bookAnswer{m.Name, c.API.Now(), len(text.asks.ends) + len(text.bids.ends), text}, nil
}

// near is the levels within two percent of a price. It reports whether levels of both sides were
// left.
func near(asks, bids []marketdata.Level, last fixed.Decimal) (a, b []marketdata.Level, left bool) {
	high, low := last, last
	if last.IsZero() && len(asks) > 0 {
		high = asks[0].Price
	}
	if last.IsZero() && len(bids) > 0 {
		low = bids[0].Price
	}
	a, b = asks, bids
	// Prices within the bounds stay; a bound too large for a number binds nothing.
	if top, fits := fixed.Mul(high, fixed.FromUnits(102, 2), fixed.Places, fixed.Down); fits {
		a = upTo(asks, func(l *marketdata.Level) bool { return l.Price.Cmp(top) <= 0 })
	}
	if bottom, fits := fixed.Mul(low, fixed.FromUnits(98, 2), fixed.Places, fixed.Up); fits {
		b = upTo(bids, func(l *marketdata.Level) bool { return l.Price.Cmp(bottom) >= 0 })
	}
	return a, b, len(a) < len(asks) && len(b) < len(bids)
}

// upTo is the levels before the first that is not within bounds.
func upTo(levels []marketdata.Level, inside func(*marketdata.Level) bool) []marketdata.Level {
	for i := range levels {
		if !inside(&levels[i]) {
			return levels[:i]
		}
	}
	return levels
}

// firstBookOf asks for a book in version 1.
type firstBookOf struct {
	market string
	limit  int
}

func (q *firstBookOf) Read(f *api.Form) {
	q.market = queryMarket(f)
	q.limit = int(f.Bounded("limit", maxLevels, 1, maxLevels, mustBePublic))
}

// mustBePublic is the wording of version 1.
var mustBePublic = api.MustBe.With(422, 0)

// queryMarket reads the market of a question of version 1.
func queryMarket(f *api.Form) string {
	name, s := f.Text("market")
	if s == api.Missing || name == "" {
		f.Lack(422, 0, "market", "Market field is required.")
	}
	return name
}

var aboutFirstDepth = &api.About{
	Summary:    "Get the order book (v1)",
	Parameters: map[string]string{"limit": "Maximum number of levels per side."},
	Response: api.Object("FirstOrderBook", "Order book of a market.",
		api.Required("asks", api.ArrayOf(levelSchema), "Asks as [price, amount], lowest price first."),
		api.Required("bids", api.ArrayOf(levelSchema), "Bids as [price, amount], highest price first.")),
	Faults: []*api.Error{noMarket()},
}

func (g *group) firstDepth(c *api.Call, q *firstBookOf) (api.Answer, error) {
	m, err := publicMarket(c, q.market)
	if err != nil {
		return nil, err
	}
	return &firstBook{g.book(c, m, 0), q.limit}, nil
}

// firstBook is a book of version 1.
type firstBook struct {
	text  *bookText
	limit int
}

// AppendTo implements Answer.
func (b *firstBook) AppendTo(dst []byte) []byte {
	return append(b.text.appendTo(append(dst, '{'), b.limit), '}')
}
