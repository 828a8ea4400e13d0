package convert

import (
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// mostSteps is how many orders a quote looks at.
const mostSteps = 2000

// walk goes over the books of the routes of a quote, forward from an amount that is given or backward from one that is received.
type walk struct {
	c      *Conversions
	family schema.AccountID // whose orders do not count
	inTo   bool             // backward
	steps  int              // that are left
}

// route walks all hops of a route for an amount.
func (w *walk) route(r *route, amount fixed.Decimal) fault {
	for i := range r.hops {
		at := i
		if w.inTo {
			at = r.hops - 1 - i
		}
		l := &r.legs[at]
		result, f := w.hop(l, amount)
		if f != sound {
			return f
		}
		if l.took, l.gave = amount, result; w.inTo {
			l.took, l.gave = result, amount
		}
		amount = result
	}
	return sound
}

// counts reports whether the amount of a hop counts its base: what is sold forward, or bought backward.
func (w *walk) counts(l *leg) bool { return l.sells != w.inTo }

// ends is how the result of a hop is rounded: what is received down, what is given up, to the precision of the asset.
func (w *walk) ends(l *leg) (places int, r fixed.Rounding) {
	if w.inTo {
		return int(l.from.Precision), fixed.Ceil
	}
	return int(l.to.Precision), fixed.Floor
}

// hop is what an amount gives, or costs, in the book of a market. A price times an amount is exact but for the last order, whose product
// may be finer than 18 decimals: rounded there as the sum will be, it changes nothing of it.
func (w *walk) hop(l *leg, rest fixed.Decimal) (result fixed.Decimal, f fault) {
	places, rounding := w.ends(l)
	book := w.queue(l)
	for rest.Sign() > 0 {
		o, found := w.next(l, &book)
		if !found {
			return fixed.Zero, short
		}
		var more, used fixed.Decimal
		fits := true
		if w.counts(l) {
			used = fixed.MinOf(rest, o.Amount)
			more, fits = fixed.Mul(o.Price, used, fixed.Places, rounding)
		} else if worth, is := fixed.Mul(o.Price, o.Amount, fixed.Places, rounding); is && worth.Cmp(rest) <= 0 {
			more, used = o.Amount, worth
		} else {
			more, fits = fixed.Div(rest, o.Price, int(w.base(l).Precision), rounding)
			used = rest
		}
		if fits {
			result, fits = result.AddChecked(more)
		}
		if !fits {
			return fixed.Zero, short
		}
		rest = rest.Sub(used)
	}
	result, fits := result.Round(places, rounding)
	switch {
	case !fits:
		return fixed.Zero, short
	case result.IsZero():
		return fixed.Zero, small
	}
	return result, sound
}

// base is the base of the market of a leg.
func (w *walk) base(l *leg) *schema.Asset {
	if l.sells {
		return l.from
	}
	return l.to
}

// queue is the side of the book that a leg meets.
func (w *walk) queue(l *leg) trading.Queue {
	side := schema.Sell
	if l.sells {
		side = schema.Buy
	}
	return w.c.trading.Queue(l.market, side)
}

// next is the next order that counts, while there are steps. The first one of a leg is noted.
func (w *walk) next(l *leg, book *trading.Queue) (trading.Resting, bool) {
	for w.steps > 0 {
		o, found := book.Next()
		if !found {
			return o, false
		}
		w.steps--
		if w.c.accounts.Root(o.Owner).ID == w.family {
			continue
		}
		if l.first.IsZero() {
			l.first = o.Price
		}
		return o, true
	}
	return trading.Resting{}, false
}

// priced reports whether each market of a route has an order that counts. Where the steps do not suffice to find one there is taken to be
// one: the book is long.
func (w *walk) priced(r *route) bool {
	for i := range r.hops {
		l := &r.legs[i]
		if !l.first.IsZero() {
			continue
		}
		book := w.queue(l)
		if _, found := w.next(l, &book); !found && w.steps > 0 {
			return false
		}
	}
	return true
}

// ideal is what an amount would give, or cost, on a route whose first orders had no end. It is false where that is no number.
func (w *walk) ideal(r *route, amount fixed.Decimal) (result fixed.Decimal, fits bool) {
	for i := range r.hops {
		at := i
		if w.inTo {
			at = r.hops - 1 - i
		}
		l := &r.legs[at]
		places, rounding := w.ends(l)
		if w.counts(l) {
			amount, fits = fixed.Mul(l.first, amount, places, rounding)
		} else {
			amount, fits = fixed.Div(amount, l.first, places, rounding)
		}
		if !fits {
			return fixed.Zero, false
		}
	}
	return amount, true
}
