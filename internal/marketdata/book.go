package marketdata

import (
	"slices"

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

// book is the public book of a market. Both sides are sorted with the best price last: most
// changes happen near it, and then little has to be moved.
type book struct {
	bids    []Level // prices ascend
	asks    []Level // prices descend
	version uint64  // how many batches changed the book
	changed schema.Time
	undo    []former // what the batch being applied changed
}

// former is what a level held before it was set.
type former struct {
	side schema.Side
	Level
}

// set says what a level holds now; zero: the level is gone.
func (b *book) set(side schema.Side, price, amount fixed.Decimal) {
	levels := b.side(side)
	i, there := find(*levels, side, price)
	old := former{side: side, Level: Level{Price: price}}
	if there {
		old.Amount = (*levels)[i].Amount
	}
	switch {
	case old.Amount == amount:
		return
	case !there:
		*levels = slices.Insert(*levels, i, Level{price, amount})
	case amount.IsZero():
		*levels = slices.Delete(*levels, i, i+1)
	default:
		(*levels)[i].Amount = amount
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
	levels := *b.side(f.side)
	if i, there := find(levels, f.side, f.Price); there {
		return levels[i].Amount
	}
	return fixed.Zero
}

func (b *book) side(s schema.Side) *[]Level {
	if s == schema.Buy {
		return &b.bids
	}
	return &b.asks
}

// find is where a price stands or would stand. It looks in ever larger steps from the best price,
// because that is near.
func find(levels []Level, side schema.Side, price fixed.Decimal) (int, bool) {
	sign := 1
	if side == schema.Sell {
		sign = -1
	}
	low, high := 0, len(levels) // the place is in low…high
	for step := 1; step <= high; step *= 2 {
		if at := high - step; levels[at].Price.Cmp(price)*sign < 0 {
			low = at + 1
			break
		} else {
			high = at
		}
	}
	for low < high {
		if at := int(uint(low+high) / 2); levels[at].Price.Cmp(price)*sign < 0 {
			low = at + 1
		} else {
			high = at
		}
	}
	return low, low < len(levels) && levels[low].Price == price
}

// best is the level in front, zero when there is none.
func best(levels []Level) (l Level) {
	if n := len(levels); n > 0 {
		l = levels[n-1]
	}
	return l
}

// top copies the best levels, best first.
func top(levels []Level, limit int) []Level {
	n := min(len(levels), max(limit, 0))
	list := make([]Level, n)
	for i := range list {
		list[i] = levels[len(levels)-1-i]
	}
	return list
}

// Depth is the public book of a market, best price first, at most limit levels a side, and its
// version.
func (d *Data) Depth(id schema.MarketID, limit int) (asks, bids []Level, version uint64) {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	return top(m.book.asks, limit), top(m.book.bids, limit), m.book.version
}

// Best are the best levels of a book; a side without orders has a zero level.
func (d *Data) Best(id schema.MarketID) (bid, ask Level) {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	return best(m.book.bids), best(m.book.asks)
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
