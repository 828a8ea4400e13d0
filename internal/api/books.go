package api

import (
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// bookKey names one of the forms in which a book is asked for.
type bookKey struct {
	market schema.MarketID
	limit  int
	level  int
	kind   bookKind
}

type bookKind uint8

const (
	wholeBook bookKind = iota
	aroundLast
	firstBook
)

// bookStamp is what a book was made from.
type bookStamp struct {
	version uint64
	last    fixed.Decimal
	second  schema.Time // that the answer tells
	tick    fixed.Decimal
}

// cached is a form of a book, made anew when the book has changed.
func (a *API) cached(key bookKey, stamp bookStamp, write func(dst []byte) []byte) Answer {
	found, known := a.caches.books.Load(key)
	if !known {
		found, _ = a.caches.books.LoadOrStore(key, &cache[bookStamp]{})
	}
	return found.(*cache[bookStamp]).get(stamp, write)
}

// public is the market that a public question is about, once everything that was answered so far
// is in the market data.
func (c *Call) public(name string) (*schema.MarketInfo, error) {
	if err := c.API.data.Wait(c.Context); err != nil {
		return nil, Unavailable()
	}
	m := c.offered(name)
	if m == nil {
		return nil, noMarket()
	}
	return m, nil
}

// maxLevels is the most levels of a side that are told.
const maxLevels = 100

// bookOf asks for a book.
type bookOf struct {
	marketPath
	limit, level int
}

// integers is the wording of the order book.
var integers = paging{422, 0, "The %f must be an integer.", "The %f must be at least %n.", ""}

func (q *bookOf) read(f *Form) {
	q.marketPath.read(f)
	// Limits beyond what is told, and levels beyond those there are, mean the most there is.
	const beyond = 1 << 60
	q.limit = int(min(f.bounded("limit", 0, 0, beyond, integers), maxLevels))
	if q.limit == 0 {
		q.limit = maxLevels
	}
	q.level = int(min(max(f.bounded("level", 0, -beyond, beyond, integers), 0), 10))
}

func orderBook(c *Call, q *bookOf) (Answer, error) {
	m, err := c.public(q.market)
	if err != nil {
		return nil, err
	}
	now := c.API.options.Now() / schema.Second
	key := bookKey{m.ID, q.limit, q.level, wholeBook}
	return c.API.cached(key, bookStamp{version: c.API.data.Version(m.ID), second: now, tick: m.TickSize}, func(dst []byte) []byte {
		depth := q.limit
		if q.level > 0 {
			depth = 1 << 30
		}
		asks, bids, _ := c.API.data.Depth(m.ID, depth)
		if q.level > 0 {
			width := levelWidth(m, q.level)
			asks, bids = gather(asks, width, fixed.Up, q.limit), gather(bids, width, fixed.Down, q.limit)
		}
		return appendBook(dst, m.Name, now, asks, bids)
	}), nil
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

// gather puts levels together whose prices round to the same multiple of a width, away from the
// other side, so that nothing looks better than it is.
func gather(levels []marketdata.Level, width fixed.Decimal, r fixed.Rounding, limit int) []marketdata.Level {
	var out []marketdata.Level
	for _, l := range levels {
		price, fits := multiple(l.Price, width, r)
		if !fits {
			price = l.Price
		}
		if n := len(out); n > 0 && out[n-1].Price == price {
			if sum, fits := out[n-1].Amount.AddChecked(l.Amount); fits {
				out[n-1].Amount = sum
			}
			continue
		}
		if len(out) == limit {
			break
		}
		out = append(out, marketdata.Level{Price: price, Amount: l.Amount})
	}
	return out
}

// multiple rounds a price to a multiple of a width.
func multiple(price, width fixed.Decimal, r fixed.Rounding) (fixed.Decimal, bool) {
	times, fits := fixed.Div(price, width, 0, r)
	if !fits {
		return price, false
	}
	return fixed.Mul(times, width, fixed.Places, fixed.Down)
}

func appendBook(dst []byte, name string, now schema.Time, asks, bids []marketdata.Level) []byte {
	dst = append(dst, `{"ticker_id":`...)
	dst = appendText(dst, name)
	dst = append(dst, `,"timestamp":`...)
	dst = appendInt(dst, int64(now))
	dst = append(dst, ',')
	return append(appendSides(dst, asks, bids), '}')
}

func appendSides(dst []byte, asks, bids []marketdata.Level) []byte {
	dst = append(dst, `"asks":`...)
	dst = appendLevels(dst, asks)
	dst = append(dst, `,"bids":`...)
	return appendLevels(dst, bids)
}

func appendLevels(dst []byte, levels []marketdata.Level) []byte {
	dst = append(dst, '[')
	for i := range levels {
		dst = append(appendComma(dst, i), '[')
		dst = appendDecimal(dst, levels[i].Price)
		dst = append(dst, ',')
		dst = appendDecimal(dst, levels[i].Amount)
		dst = append(dst, ']')
	}
	return append(dst, ']')
}

// depthAround tells the levels within two percent of the last price; while there was no trade,
// of the best price of each side.
func depthAround(c *Call, q *marketPath) (Answer, error) {
	m, err := c.public(q.market)
	if err != nil {
		return nil, err
	}
	now, last := c.API.options.Now()/schema.Second, c.API.data.Last(m.ID)
	key := bookKey{market: m.ID, kind: aroundLast}
	return c.API.cached(key, bookStamp{version: c.API.data.Version(m.ID), last: last, second: now}, func(dst []byte) []byte {
		asks, bids, _ := c.API.data.Depth(m.ID, 1<<30)
		high, low := last, last
		if last.IsZero() && len(asks) > 0 {
			high = asks[0].Price
		}
		if last.IsZero() && len(bids) > 0 {
			low = bids[0].Price
		}
		// Prices within the bounds stay; a bound that cannot be told binds nothing.
		if top, fits := fixed.Mul(high, fixed.FromUnits(102, 2), fixed.Places, fixed.Down); fits {
			asks = upTo(asks, func(l *marketdata.Level) bool { return l.Price.Cmp(top) <= 0 })
		}
		if bottom, fits := fixed.Mul(low, fixed.FromUnits(98, 2), fixed.Places, fixed.Up); fits {
			bids = upTo(bids, func(l *marketdata.Level) bool { return l.Price.Cmp(bottom) >= 0 })
		}
		return appendBook(dst, m.Name, now, asks, bids)
	}), nil
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

func (q *firstBookOf) read(f *Form) {
	q.market = f.queryMarket()
	q.limit = int(f.bounded("limit", maxLevels, 1, maxLevels, laravelPublic))
}

// laravelPublic is the wording of version 1.
var laravelPublic = paging{422, 0, laravel.integer, laravel.atLeast, laravel.notAbove}

// queryMarket reads the market of a question of version 1.
func (f *Form) queryMarket() string {
	name, s := f.Text("market")
	if s == missing || name == "" {
		f.lack(422, 0, "market", "Market field is required.")
	}
	return name
}

func firstDepth(c *Call, q *firstBookOf) (Answer, error) {
	m, err := c.public(q.market)
	if err != nil {
		return nil, err
	}
	key := bookKey{market: m.ID, limit: q.limit, kind: firstBook}
	return c.API.cached(key, bookStamp{version: c.API.data.Version(m.ID)}, func(dst []byte) []byte {
		asks, bids, _ := c.API.data.Depth(m.ID, q.limit)
		return append(appendSides(append(dst, '{'), asks, bids), '}')
	}), nil
}
