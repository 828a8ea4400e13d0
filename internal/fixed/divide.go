package fixed

import "math/bits"

// Div returns a / b rounded once, from the exact quotient, to places decimals
// in direction r. It is false when b is zero or the result does not fit. It
// panics when places is not 0 to 18.
func Div(a, b Decimal, places int, r Rounding) (Decimal, bool) {
	step := stored(places)
	an, am := a.magnitude()
	bn, bm := b.magnitude()
	n := am.times(unit)
	q, inexact, fits := u256{u128{0, n.hi}, u128{n.mid, n.lo}}.quo(bm)
	// A quotient of 2^128 or more exceeds Max by so much that no rounding to 0
	// or more decimals brings it back.
	if !fits {
		return Decimal{}, false
	}
	return settle(an != bn, q, inexact, step, r)
}

// MulDiv returns a × b / c rounded once, from the exact 256-bit product, to
// places decimals in direction r. It is false when c is zero or the result does
// not fit, whatever the size of a × b. It panics when places is not 0 to 18.
func MulDiv(a, b, c Decimal, places int, r Rounding) (Decimal, bool) {
	step := stored(places)
	an, am := a.magnitude()
	bn, bm := b.magnitude()
	cn, cm := c.magnitude()
	q, inexact, fits := am.product(bm).quo(cm)
	if !fits {
		return Decimal{}, false // as in Div, which no rounding brings back
	}
	return settle((an != bn) != cn, q, inexact, step, r)
}

// Share returns d × part / of rounded once, from the exact quotient, to places
// decimals in direction r. It is MulDiv for whole numbers, which take a shorter
// division. It is false when rounding makes it too large to fit. It panics when
// part is not 0 to of, when of is not above 0, or when places is not 0 to 18.
func (d Decimal) Share(part, of int64, places int, r Rounding) (Decimal, bool) {
	if part < 0 || part > of || of == 0 {
		panic("fixed: a share needs a part of 0 to all of a number above 0")
	}
	neg, m := d.magnitude()
	n := m.times(uint64(part))
	// The product is at most of × m, so that its top word is below of.
	hi, rem := bits.Div64(n.hi, n.mid, uint64(of))
	lo, rem := bits.Div64(rem, n.lo, uint64(of))
	return settle(neg, u128{hi, lo}, rem != 0, stored(places), r)
}

// Carry adds rest to d × times and divides by of, all in units of 10^-Places: it
// returns how many whole units of came to, and what is left over for the next
// time. Nothing is rounded: done again and again with what is left over, the
// wholes are those of all products together. It is false when the whole does not
// fit. It panics when d is negative or of is not above 0.
func (d Decimal) Carry(times, of, rest uint64) (whole Decimal, left uint64, fits bool) {
	if d.hi < 0 || of == 0 {
		panic("fixed: Carry needs a number of at least 0 and a divisor above 0")
	}
	n := u128{uint64(d.hi), d.lo}.times(times)
	var c uint64
	n.lo, c = bits.Add64(n.lo, rest, 0)
	n.mid, c = bits.Add64(n.mid, 0, c)
	if n.hi += c; n.hi >= of {
		return Decimal{}, 0, false
	}
	var q u128
	q.hi, left = bits.Div64(n.hi, n.mid, of)
	q.lo, left = bits.Div64(left, n.lo, of)
	if whole, fits = q.signed(false); !fits {
		return Decimal{}, 0, false
	}
	return whole, left, true
}

// MultipleOf reports whether d is a whole number of steps. Zero is a multiple
// of every step, and a negative number is one when its opposite is. It panics
// when step is not above 0.
func (d Decimal) MultipleOf(step Decimal) bool {
	if step.Sign() <= 0 {
		panic("fixed: MultipleOf needs a step above 0; the steps of a market are checked when it is configured")
	}
	_, m := d.magnitude()
	if step.hi == 0 {
		return m.rem64(step.lo) == 0
	}
	_, inexact, _ := u256{lo: m}.quo(u128{uint64(step.hi), step.lo})
	return !inexact
}
