package fixed

import (
	"math"
	"math/bits"
)

// Product returns x × y × 10^-places exactly, or false when it does not fit.
// With a price in ticks and an amount in lots, places is the number of decimals
// of the tick plus that of the lot. It panics when places is not 0 to 18.
func Product(x, y int64, places int) (Decimal, bool) { return UnitOf(places).Product(x, y) }

// Product returns x × y units exactly, or false when it does not fit.
func (u Unit) Product(x, y int64) (Decimal, bool) {
	step := uint64(u)
	if x|y >= 0 {
		// Prices and amounts nearly always take this path. step is below 2^60, so
		// the result is below 2^124 and needs no check.
		if hi, lo := bits.Mul64(uint64(x), uint64(y)); hi == 0 {
			hi, lo = bits.Mul64(lo, step)
			return Decimal{int64(hi), lo}, true
		}
	}
	hi, lo := bits.Mul64(magnitude64(x), magnitude64(y))
	m := u128{hi, lo}.times(step)
	if m.hi != 0 {
		return Decimal{}, false
	}
	return u128{m.mid, m.lo}.signed(x^y < 0)
}

// Quotient returns the largest n with n × price × 10^-places ≤ budget, or
// math.MaxInt64 when n would be larger than that. It rounds down, so the lots
// it returns never cost more than the budget. It panics when budget is
// negative, price is not positive, or places is not 0 to 18.
func Quotient(budget Decimal, price int64, places int) int64 {
	if budget.hi < 0 || price <= 0 {
		panic("fixed: Quotient needs a budget of at least 0 and a price above 0; orders are checked for both when they enter")
	}
	// Dividing twice, each time rounding down, gives the same whole number as
	// dividing once by price × 10^-places, and needs no divisor above 64 bits.
	q, _ := stored(places).quo(u192{0, uint64(budget.hi), budget.lo})
	if q.hi >= uint64(price) {
		return math.MaxInt64
	}
	n, _ := bits.Div64(q.hi, q.lo, uint64(price))
	return int64(min(n, math.MaxInt64))
}

// Mul returns a × b rounded once, from the exact 256-bit product, to places
// decimals in direction r. It is false when the result does not fit. It panics
// when places is not 0 to 18.
func Mul(a, b Decimal, places int, r Rounding) (Decimal, bool) {
	step := stored(places)
	an, am := a.magnitude()
	bn, bm := b.magnitude()
	// The product has 36 decimals. A quotient by 10^18 of 2^128 or more exceeds
	// Max by so much that no rounding to 0 or more decimals brings it back.
	p := am.product(bm)
	if p.hi.hi != 0 || p.hi.lo >= unit {
		return Decimal{}, false
	}
	q, rem := tens[Places].quo(u192{p.hi.lo, p.lo.hi, p.lo.lo})
	return settle(an != bn, q, rem != 0, step, r)
}

// Percent returns a hundredth of d, cut off toward zero: what so many percent of 1 are. Fees ask for it with every deal, so
// that it is a division of its own and no product.
func (d Decimal) Percent() Decimal {
	neg, m := d.magnitude()
	lo, _ := bits.Div64(m.hi%100, m.lo, 100)
	q, _ := u128{m.hi / 100, lo}.signed(neg) // it is smaller than d
	return q
}

// CmpProducts returns -1 when a × b < c × d, 0 when they are equal and 1 when
// a × b > c × d. It compares the exact 256-bit products.
func CmpProducts(a, b, c, d Decimal) int {
	an, am := a.magnitude()
	bn, bm := b.magnitude()
	cn, cm := c.magnitude()
	dn, dm := d.magnitude()
	left, right := am.product(bm), cm.product(dm)
	// A product of zero is not negative, whatever the sign of the other factor.
	leftNeg := an != bn && left != u256{}
	rightNeg := cn != dn && right != u256{}
	switch {
	case leftNeg != rightNeg && leftNeg:
		return -1
	case leftNeg != rightNeg:
		return 1
	case leftNeg:
		return right.cmp(left)
	default:
		return left.cmp(right)
	}
}
