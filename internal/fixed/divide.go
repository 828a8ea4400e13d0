package fixed

// Div returns a / b rounded once, from the exact quotient, to places decimals
// in direction r. It is false when b is zero or the result does not fit. It
// panics when places is not 0 to 18.
func Div(a, b Decimal, places int, r Rounding) (Decimal, bool) {
	step := stored(places)
	if b.IsZero() {
		return Decimal{}, false
	}
	an, am := a.magnitude()
	bn, bm := b.magnitude()
	q, inexact := am.times(unit).quo(bm)
	// A quotient of 2^128 or more exceeds Max by so much that no rounding to 0
	// or more decimals brings it back.
	if q.hi != 0 {
		return Decimal{}, false
	}
	return settle(an != bn, u128{q.mid, q.lo}, inexact, step, r)
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
	_, inexact := u192{0, m.hi, m.lo}.quo(u128{uint64(step.hi), step.lo})
	return !inexact
}
