package position

import "bourse/internal/fixed"

// Entry is the average price of what is open, cut off at the decimals of a price. It is false when nothing is.
func (p Position) Entry(s Scale) (fixed.Decimal, bool) { return s.Average(p.Cost, p.Lots) }

// Notional is the value of a position at a price in USDT, rounded up: requirements are made of it.
func (p Position) Notional(x fixed.Decimal, s Scale) (fixed.Decimal, bool) {
	return fixed.Mul(s.amount(abs(p.Lots)), x, fixed.Places, fixed.Ceil)
}

// Unrealized is what closing a position at a price would bring, in USDT, rounded down. The price is in
// USDT; rate is what a unit of the money of its cost is worth in USDT: 1 for a future, the index of the
// quote asset for a pair.
func (p Position) Unrealized(x, rate fixed.Decimal, s Scale) (fixed.Decimal, bool) {
	value, fits := fixed.Mul(s.amount(p.Lots), x, fixed.Places, fixed.Floor)
	cost, too := convert(p.Cost, rate, fixed.Ceil)
	if !fits || !too {
		return fixed.Zero, false
	}
	return value.SubChecked(cost)
}

// convert is an amount of money in USDT. Most money is USDT, and a product that need not be made is the cheapest.
func convert(money, rate fixed.Decimal, round fixed.Rounding) (fixed.Decimal, bool) {
	if rate == fixed.One {
		return money, true
	}
	return fixed.Mul(money, rate, fixed.Places, round)
}

// PnlPercent is unrealized PnL in percent of the margin that the cost of the position ties up at a
// leverage, cut off at two decimals. It is false for a position without cost. Rate is that of Unrealized.
func (p Position) PnlPercent(unrealized, rate fixed.Decimal, l Leverage) (fixed.Decimal, bool) {
	cost, fits := fixed.Mul(p.Cost.Abs(), rate, fixed.Places, fixed.Up)
	if !fits {
		return fixed.Zero, false
	}
	return fixed.MulDiv(unrealized, fixed.FromInt(100*int64(l)), cost, 2, fixed.Down)
}
