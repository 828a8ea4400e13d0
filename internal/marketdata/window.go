package marketdata

import (
	"iter"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Window is the front of a public book at one moment, best price first: the levels, the version of
// the whole book and when it became that one belong together.
type Window struct {
	Asks, Bids []Level
	Version    uint64
	Changed    schema.Time
}

// Deepest is how many levels of a side are looked at for a view that says no number of levels, such as
// those within a range of prices or a number of gathered ones. A customer who fills a book with
// levels must not choose what everybody's next look at it costs.
const Deepest = 10_000

// Window is at most limit levels a side of a market's book. With a width, levels are gathered first,
// the best Deepest of a side; zero leaves them as they are.
func (d *Data) Window(id schema.MarketID, limit int, width fixed.Decimal) Window {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	w := Window{Version: m.book.version, Changed: m.book.changed}
	if width.IsZero() {
		w.Asks, w.Bids = m.book.top(schema.Sell, limit), m.book.top(schema.Buy, limit)
		return w
	}
	w.Asks, _ = Gather(best(m.book.levels(schema.Sell)), width, fixed.Up, limit)
	w.Bids, _ = Gather(best(m.book.levels(schema.Buy)), width, fixed.Down, limit)
	return w
}

// best ends behind the Deepest best levels.
func best(levels iter.Seq[Level]) iter.Seq[Level] {
	return func(yield func(Level) bool) {
		n := 0
		for l := range levels {
			if n++; !yield(l) || n == Deepest {
				return
			}
		}
	}
}

// Gather puts levels together whose prices round to the same multiple of a width, away from the
// other side, so that nothing looks better than it is: asks up, bids down, best price first. It
// reports whether levels were left: then those that it gathered are whole.
func Gather(levels iter.Seq[Level], width fixed.Decimal, r fixed.Rounding, limit int) (out []Level, left bool) {
	for l := range levels {
		if n := len(out); n > 0 && reaches(out[n-1].Price, l.Price, r) {
			if sum, fits := out[n-1].Amount.AddChecked(l.Amount); fits {
				out[n-1].Amount = sum
			}
			continue
		}
		if len(out) == limit {
			return out, true
		}
		price, fits := multiple(l.Price, width, r)
		if !fits {
			price = l.Price
		}
		out = append(out, Level{Price: price, Amount: l.Amount})
	}
	return out, false
}

// reaches reports whether a multiple of the width is where a price that is not better than those
// gathered there rounds to. A comparison is all that most levels of a deep book cost.
func reaches(multiple, price fixed.Decimal, r fixed.Rounding) bool {
	if r == fixed.Up {
		return !multiple.Less(price)
	}
	return !price.Less(multiple)
}

// multiple rounds a price to a multiple of a width.
func multiple(price, width fixed.Decimal, r fixed.Rounding) (fixed.Decimal, bool) {
	times, fits := fixed.Div(price, width, 0, r)
	if !fits {
		return price, false
	}
	return fixed.Mul(times, width, fixed.Places, fixed.Down)
}
