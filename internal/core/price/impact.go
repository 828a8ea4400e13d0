package price

import "bourse/internal/fixed"

// Impact is the average price at which so much money's worth can be bought from one side of a book, or sold
// to it.
type Impact struct {
	notional fixed.Decimal
	amount   fixed.Decimal // of the levels so far
	money    fixed.Decimal // that they are worth, less than the notional
	price    fixed.Decimal // once there is one
}

// NewImpact starts at the best price.
func NewImpact(notional fixed.Decimal) Impact { return Impact{notional: notional} }

// Level takes the next level of the book, the better ones first. It reports whether more are needed.
func (i *Impact) Level(price, amount fixed.Decimal) (more bool) {
	// A price times an amount of a book is exact. One that does not fit is more than any notional.
	worth, fits := fixed.Mul(price, amount, fixed.Places, fixed.Down)
	missing := i.notional.Sub(i.money)
	if fits && worth.Less(missing) {
		i.money = i.money.Add(worth)
		i.amount, fits = i.amount.AddChecked(amount)
		return fits
	}
	// Of this level missing / price is taken: notional / (amount + missing / price), rounded once. Where the
	// earlier levels at this price do not fit, prices are too far apart for an average.
	earlier, fits := fixed.Mul(i.amount, price, fixed.Places, fixed.Down)
	all, too := earlier.AddChecked(missing)
	if fits && too {
		i.price, _ = fixed.MulDiv(i.notional, price, all, fixed.Places, fixed.Down)
	}
	return false
}

// Price is the average, cut off at the last decimal, or zero if the levels were worth less than the notional.
func (i *Impact) Price() fixed.Decimal { return i.price }
