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

// Window is at most limit levels a side of a market's book. With a width, levels are gathered first;
// zero leaves them as they are.
func (d *Data) Window(id schema.MarketID, limit int, width fixed.Decimal) Window {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	w := Window{Version: m.book.version, Changed: m.book.changed}
	if width.IsZero() {
		w.Asks, w.Bids = top(m.book.asks, limit), top(m.book.bids, limit)
		return w
	}
	w.Asks, _ = Gather(fromBest(m.book.asks), width, fixed.Up, limit)
	w.Bids, _ = Gather(fromBest(m.book.bids), width, fixed.Down, limit)
	return w
}

// fromBest goes through the levels of a side, best price first.
func fromBest(levels []Level) iter.Seq[Level] {
	return func(yield func(Level) bool) {
		for i := len(levels) - 1; i >= 0 && yield(levels[i]); i-- {
		}
	}
}

// Gather puts levels together whose prices round to the same multiple of a width, away from the
// other side, so that nothing looks better than it is. It reports whether levels were left: then
// those that it gathered are whole.
func Gather(levels iter.Seq[Level], width fixed.Decimal, r fixed.Rounding, limit int) (out []Level, left bool) {
	for l := range levels {
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
			return out, true
		}
		out = append(out, Level{Price: price, Amount: l.Amount})
	}
	return out, false
}

// multiple rounds a price to a multiple of a width.
func multiple(price, width fixed.Decimal, r fixed.Rounding) (fixed.Decimal, bool) {
	times, fits := fixed.Div(price, width, 0, r)
	if !fits {
		return price, false
	}
	return fixed.Mul(times, width, fixed.Places, fixed.Down)
}
