package position

import (
	"math"

	"bourse/internal/fixed"
)

// Orders are the open orders of an account on a market, as far as they count for its margin. Lots and
// values have no sign. Worse are those that were placed worse than the mark: to buy above it, to sell below it.
type Orders struct {
	Buys, Sells int64 // lots that may open a position
	Reducing    int64 // lots that may only reduce one, at most as many as it has
	Whole       int64 // orders that close all of one, whatever its size

	WorseBuys, WorseSells         int64         // lots
	WorseBuyValue, WorseSellValue fixed.Decimal // lots × price
}

// Exposure is the largest position in lots that orders can make of one. Orders on the other side first
// close what is open, but for what reducing orders may have closed before them. It is false when there are
// more lots than can be counted.
func (o *Orders) Exposure(lots int64) (int64, bool) {
	same, other := o.Buys, o.Sells
	if lots < 0 {
		same, other = other, same
	}
	held := abs(lots)
	grown, fits := sum(held, same)
	if o.Whole > 0 {
		return max(grown, other), fits
	}
	return max(grown, other-max(0, held-o.Reducing)), fits
}

// Hedged is the exposure in hedge mode: that of the larger side. All buys that may open belong to the
// long side and all sells to the short one. Sizes have no sign.
func (o *Orders) Hedged(long, short int64) (int64, bool) {
	long, fits := sum(long, o.Buys)
	short, too := sum(short, o.Sells)
	return max(long, short), fits && too
}

// sum is that of two numbers that are not negative.
func sum(a, b int64) (int64, bool) {
	if a > math.MaxInt64-b {
		return 0, false
	}
	return a + b, true
}

// Loss is what the orders placed worse than the mark would lose at a price if they were filled, in USDT and
// rounded up. The price is in USDT; rate is what a unit of the money of order prices is worth in USDT.
func (o *Orders) Loss(x, rate fixed.Decimal, s Scale) (fixed.Decimal, bool) {
	if o.WorseBuys == 0 && o.WorseSells == 0 && o.WorseBuyValue.IsZero() && o.WorseSellValue.IsZero() {
		return fixed.Zero, true
	}
	buys, ok1 := convert(o.WorseBuyValue, rate, fixed.Ceil)
	bought, ok2 := fixed.Mul(s.amount(o.WorseBuys), x, fixed.Places, fixed.Floor)
	sold, ok3 := fixed.Mul(s.amount(o.WorseSells), x, fixed.Places, fixed.Ceil)
	sells, ok4 := convert(o.WorseSellValue, rate, fixed.Floor)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return fixed.Zero, false
	}
	// Differences of numbers that are not negative fit.
	return fixed.MaxOf(fixed.Zero, buys.Sub(bought)).AddChecked(fixed.MaxOf(fixed.Zero, sold.Sub(sells)))
}
