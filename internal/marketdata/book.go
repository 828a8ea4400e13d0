package marketdata

import (
	"iter"
	"slices"

	"bourse/internal/core/slab"
	"bourse/internal/core/tree"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Level is a price of a book and what stands there.
type Level struct {
	Price  fixed.Decimal
	Amount fixed.Decimal
}

// Fields of a level in the file.
func (l *Level) Fields(c *wire.Coder) {
	c.Decimal(1, "price", &l.Price)
	c.Decimal(2, "amount", &l.Amount)
}

// book is the public book of a market. Orders may rest at prices far apart and in any order, so the
// levels stand in trees: a change is O(log n) wherever it is, and the best levels are in front.
type book struct {
	bids    ladder
	asks    ladder
	nodes   tree.Store[fixed.Decimal]
	amounts slab.Slab[fixed.Decimal]
	version uint64 // how many batches changed the book
	changed schema.Time
	undo    []former // what the batch being applied changed
}

// ladder is one side of a book: the places of the amounts by price, the best price greatest.
type ladder struct {
	prices tree.Tree[fixed.Decimal]
	count  int
}

// rank turns a price into what it is sorted by, and back.
func rank(side schema.Side, price fixed.Decimal) fixed.Decimal {
	if side == schema.Sell {
		return price.Neg()
	}
	return price
}

// former is what a level held before it was set.
type former struct {
	side schema.Side
	Level
}

// set says what a level holds now; zero: the level is gone.
func (b *book) set(side schema.Side, price, amount fixed.Decimal) {
	l, key := b.side(side), rank(side, price)
	at := l.prices.Find(&b.nodes, key)
	old := former{side: side, Level: Level{Price: price}}
	if at.Found() {
		old.Amount = *b.amounts.At(at.Item())
	}
	switch {
	case old.Amount == amount:
		return
	case !at.Found():
		i, a := b.amounts.Take()
		*a = amount
		l.prices.Put(&b.nodes, key, i)
		l.count++
	case amount.IsZero():
		b.amounts.Give(at.Item())
		l.prices.Remove(&b.nodes, key)
		l.count--
	default:
		*b.amounts.At(at.Item()) = amount
	}
	b.undo = append(b.undo, old)
}

// commit ends a batch: the book has a new version if it is another one than before. Orders that
// came and went within the batch left no trace.
func (b *book) commit(at schema.Time) {
	if b.differs() {
		b.version++
		b.changed = at
	}
	b.undo = b.undo[:0]
}

// differs reports whether a level holds something else than before the batch.
func (b *book) differs() bool {
	if len(b.undo) == 0 {
		return false
	}
	// What was set first is as it was before the batch, and it is almost always the answer.
	if b.now(&b.undo[0]) != b.undo[0].Amount {
		return true
	}
	order := func(x, y former) int {
		if x.side != y.side {
			return int(x.side) - int(y.side)
		}
		return x.Price.Cmp(y.Price)
	}
	slices.SortStableFunc(b.undo, order)
	first := slices.CompactFunc(b.undo, func(x, y former) bool { return order(x, y) == 0 })
	return slices.ContainsFunc(first, func(f former) bool { return b.now(&f) != f.Amount })
}

// now is what a level holds.
func (b *book) now(f *former) fixed.Decimal {
	if at := b.side(f.side).prices.Find(&b.nodes, rank(f.side, f.Price)); at.Found() {
		return *b.amounts.At(at.Item())
	}
	return fixed.Zero
}

func (b *book) side(s schema.Side) *ladder {
	if s == schema.Buy {
		return &b.bids
	}
	return &b.asks
}

// levels goes through the levels of a side, best price first.
func (b *book) levels(side schema.Side) iter.Seq[Level] {
	return func(yield func(Level) bool) {
		for key, i := range b.side(side).prices.Down(&b.nodes) {
			if !yield(Level{rank(side, key), *b.amounts.At(i)}) {
				return
			}
		}
	}
}

// best is the level in front, zero when there is none.
func (b *book) best(side schema.Side) Level {
	for l := range b.levels(side) {
		return l
	}
	return Level{}
}

// top copies the best levels, best first.
func (b *book) top(side schema.Side, limit int) []Level {
	return b.appendTop(nil, side, limit)
}

// appendTop appends the best levels, best first.
func (b *book) appendTop(list []Level, side schema.Side, limit int) []Level {
	n := min(b.side(side).count, max(limit, 0))
	if list = slices.Grow(list, n); n == 0 {
		return list
	}
	for l := range b.levels(side) {
		list = append(list, l)
		if n--; n == 0 {
			break
		}
	}
	return list
}

// Depth is the public book of a market, best price first, at most limit levels a side, and its
// version.
func (d *Data) Depth(id schema.MarketID, limit int) (asks, bids []Level, version uint64) {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.book.top(schema.Sell, limit), m.book.top(schema.Buy, limit), m.book.version
}

// Best are the best levels of a book; a side without orders has a zero level.
func (d *Data) Best(id schema.MarketID) (bid, ask Level) {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.book.best(schema.Buy), m.book.best(schema.Sell)
}

// Version of a book: 0 before anything was ever in it, and one more after every batch that left
// it another one than it was, on whatever level. It goes on after a restart where it was.
func (d *Data) Version(id schema.MarketID) uint64 {
	version, _ := d.Changed(id)
	return version
}

// Changed is the version of a book and the moment at which it became that one.
func (d *Data) Changed(id schema.MarketID) (version uint64, at schema.Time) {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.book.version, m.book.changed
}
