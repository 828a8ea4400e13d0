// Package price has the prices that margin is reckoned with: the index of an asset from several sources, the mark
// of a future, the premium of its book over the index, and the funding that follows from it. The Board keeps them for
// all assets and futures; the rest is the arithmetic. No position and no account is known here, and of books only
// what Board.Impact says.
//
// What must hold: the same samples give the same numbers, whatever was restored in between; sums are exact,
// and each result is rounded once. A moment costs the same however long the past is. Prices change only by SetIndex
// and Tick.
package price

import (
	"bourse/internal/core/listing"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Sources is how many sources an index can have.
const Sources = 9

// Limit is the highest price that is counted: sums of such prices over all slots fit.
var Limit = listing.HighestPrice

// Valid reports whether something can be the price of an asset.
func Valid(price fixed.Decimal) bool { return price.Sign() > 0 && price.Cmp(Limit) <= 0 }

// Quote is what a source last said. Its zero value says that it said nothing.
type Quote struct {
	Price fixed.Decimal
	At    schema.Time
}

// Index is the price of an asset in the world outside: the median of what its sources say. When all of them
// are too old the last price stays, and the index is stale.
type Index struct {
	quotes   [Sources]Quote
	counting uint16 // sources that were not too old when time last passed, a bit for each
	value    fixed.Decimal
}

// Price is the last price, zero if there never was one, and whether it is fresh.
func (x *Index) Price() (price fixed.Decimal, fresh bool) { return x.value, x.counting != 0 }

// Counts reports whether the price is made of what a source says, among others.
func (x *Index) Counts(source int) bool { return x.counting&(1<<source) != 0 }

// Quote is what a source last said.
func (x *Index) Quote(source int) Quote { return x.quotes[source] }

// Set takes the price that a source says at a moment, or takes it back if it is zero. It is false when there
// is no such source or it cannot be a price, and then nothing changes.
func (x *Index) Set(source int, price fixed.Decimal, now, maxAge schema.Time) bool {
	if source < 0 || source >= Sources || !price.IsZero() && !Valid(price) {
		return false
	}
	x.quotes[source] = Quote{}
	if !price.IsZero() {
		x.quotes[source] = Quote{price, now}
	}
	x.Refresh(now, maxAge)
	return true
}

// Refresh is what time does to an index: sources that have reached their maximum age no longer count.
func (x *Index) Refresh(now, maxAge schema.Time) {
	x.counting = 0
	for i, q := range x.quotes {
		if !q.Price.IsZero() && now-q.At < maxAge {
			x.counting |= 1 << i
		}
	}
	if x.counting != 0 {
		x.value = x.median()
	}
}

// Expires is when the first of the sources that count reaches its maximum age; it is false when none counts.
func (x *Index) Expires(maxAge schema.Time) (first schema.Time, counts bool) {
	for i, q := range x.quotes {
		if x.Counts(i) && (!counts || q.At+maxAge < first) {
			first, counts = q.At+maxAge, true
		}
	}
	return first, counts
}

// Newest is when a source last said something that it did not take back, zero if there is none.
func (x *Index) Newest() (at schema.Time) {
	for _, q := range x.quotes {
		at = max(at, q.At)
	}
	return at
}

// median is that of the sources that count; there must be one.
func (x *Index) median() fixed.Decimal {
	var list [Sources]fixed.Decimal
	n := 0
	for i, q := range x.quotes {
		if !x.Counts(i) {
			continue
		}
		at := n
		for at > 0 && q.Price.Less(list[at-1]) {
			list[at] = list[at-1]
			at--
		}
		list[at] = q.Price
		n++
	}
	return mean(list[(n-1)/2], list[n/2])
}

// mean is that of two prices, of which the first is not the higher one, cut off at the last decimal.
func mean(low, high fixed.Decimal) fixed.Decimal {
	half, _ := fixed.Div(high.Sub(low), fixed.FromInt(2), fixed.Places, fixed.Down)
	return low.Add(half)
}
