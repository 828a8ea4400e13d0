package collateral

import (
	"bourse/internal/core/position"
	"bourse/internal/fixed"
)

// Most accounts that trade use a small part of the leverage that they have. For them it is enough to know that an
// initial margin is below an eighth of the notional, which no tier is from 10 times on: a shift instead of the products and quotients of every tier.
// What the bound does not allow is asked exactly, so that it decides nothing.

// initialBound is at least the initial margin of a notional; it is false where an eighth may be too little.
func (f *market) initialBound(notional fixed.Decimal, l position.Leverage) (fixed.Decimal, bool) {
	if f.tiers.Leverage(l) < 10 {
		return fixed.Zero, false
	}
	return eighth(notional).Add(roundings), true
}

// eighth is that of a number that is not negative, cut off.
func eighth(d fixed.Decimal) fixed.Decimal {
	hi, lo := d.Bits()
	return fixed.FromBits(hi>>3, lo>>3|uint64(hi)<<61)
}

// roundings is more than what the margins of all tiers of a notional are rounded up.
var roundings = fixed.FromUnits(8, fixed.Places)

// marginBound is at least what positions and orders on a market bind; it is false where that is not known.
func (f *market) marginBound(o *position.Orders, long, short int64, hedge bool, r rates, l position.Leverage) (fixed.Decimal, bool) {
	lots, fits := exposure(o, long, short, hedge)
	notional, too := position.Position{Lots: lots}.Notional(r.base, f.scale)
	loss, all := o.Loss(r.base, r.money, f.scale)
	if !fits || !too || !all {
		return fixed.Zero, false
	}
	bound, known := f.initialBound(notional, l)
	return plus(bound, loss), known
}

// roomy reports whether an account surely keeps the initial margin of its positions: with what is worth so much in the asset
// that deals are paid in, so much on one market, and the rest as it is. It may, when it is false.
func (f *market) roomy(rest *standing, worth fixed.Decimal, long, short position.Position, r rates, l position.Leverage) bool {
	if worth.Sign() < 0 {
		return false
	}
	notional, fits := position.Position{Lots: max(abs(long.Lots), abs(short.Lots))}.Notional(r.base, f.scale)
	if !fits {
		return false
	}
	bound, known := f.initialBound(notional, l)
	if !known {
		return false
	}
	total := plus(plus(rest.total(), worth), plus(f.unrealized(long, r), f.unrealized(short, r)))
	return total.Cmp(plus(rest.initial, bound)) >= 0
}
