package fixed

import (
	"math/bits"
	"strconv"
)

// Rounding names the direction in which an inexact result is rounded. Every
// operation that can lose digits takes one, so that the choice is written where
// the money is computed.
type Rounding uint8

const (
	Down  Rounding = iota // toward zero
	Up                    // away from zero
	Floor                 // toward minus infinity
	Ceil                  // toward plus infinity
)

// String returns the name of the direction in lower case.
func (r Rounding) String() string {
	switch r {
	case Down:
		return "down"
	case Up:
		return "up"
	case Floor:
		return "floor"
	case Ceil:
		return "ceil"
	default:
		return "Rounding(" + strconv.Itoa(int(r)) + ")"
	}
}

// grows reports whether r makes the magnitude of an inexact number larger.
func (r Rounding) grows(neg bool) bool {
	switch r {
	case Down:
		return false
	case Up:
		return true
	case Floor:
		return neg
	case Ceil:
		return !neg
	default:
		panic("fixed: the rounding direction must be Down, Up, Floor or Ceil")
	}
}

// Round returns d rounded to places decimals in direction r, or false when the
// result does not fit, which only happens near Max and Min. It panics when
// places is not 0 to 18.
func (d Decimal) Round(places int, r Rounding) (Decimal, bool) {
	neg, m := d.magnitude()
	return settle(neg, m, false, stored(places), r)
}

// settle is the only place where a result is rounded. The exact magnitude lies
// in [m, m+1), inexact tells that it is not m itself, and t is the stored
// value of the last decimal to keep. Rounding down to 18 decimals and then to
// fewer gives the same as rounding down at once, and the exact magnitude has a
// remainder when either division left one. So the direction is applied here,
// once, to the exact number.
func settle(neg bool, m u128, inexact bool, t *ten, r Rounding) (Decimal, bool) {
	rem := uint64(0)
	if t.step != 1 {
		_, rem = t.quo(u192{0, m.hi, m.lo})
	}
	lo, borrow := bits.Sub64(m.lo, rem, 0)
	m = u128{m.hi - borrow, lo}
	if r.grows(neg) && (inexact || rem != 0) {
		lo, carry := bits.Add64(m.lo, t.step, 0)
		hi, over := bits.Add64(m.hi, 0, carry)
		if over != 0 {
			return Decimal{}, false
		}
		m = u128{hi, lo}
	}
	return m.signed(neg)
}
