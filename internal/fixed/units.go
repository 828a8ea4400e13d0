package fixed

import (
	"math"
	"math/bits"
)

// FromInt returns the whole number n.
func FromInt(n int64) Decimal { return FromUnits(n, 0) }

// Unit is a number 10^-places, looked up once for those who count in it often.
type Unit uint64

// UnitOf returns 10^-places. It panics when places is not 0 to 18.
func UnitOf(places int) Unit { return Unit(stored(places).step) }

// Of returns n units. It is exact and cannot overflow.
func (u Unit) Of(n int64) Decimal {
	// A negative n is 2^64 too large as an unsigned number, which the high word takes back.
	// 2^63 × 10^18 is below 2^123, so the sign always fits.
	hi, lo := bits.Mul64(uint64(n), uint64(u))
	return Decimal{int64(hi) - n>>63&int64(u), lo}
}

// FromUnits returns n × 10^-places. It panics when places is not 0 to 18.
func FromUnits(n int64, places int) Decimal { return UnitOf(places).Of(n) }

// Units returns d as a whole number of 10^-places. It is false when d is not an
// exact multiple of that or the number does not fit an int64; it never rounds.
// It panics when places is not 0 to 18.
func (d Decimal) Units(places int) (n int64, ok bool) {
	neg, m := d.magnitude()
	q, rem := stored(places).quo(u192{0, m.hi, m.lo})
	limit := uint64(math.MaxInt64)
	if neg {
		limit++ // -2^63 fits although 2^63 does not
	}
	if rem != 0 || q.hi != 0 || q.lo > limit {
		return 0, false
	}
	if neg {
		return -int64(q.lo), true
	}
	return int64(q.lo), true
}

// Decimals returns how many decimals the printed form of d has: 0 to 18.
func (d Decimal) Decimals() int {
	_, m := d.magnitude()
	_, frac := tens[Places].quo(u192{0, m.hi, m.lo})
	if frac == 0 {
		return 0
	}
	n := Places
	if frac%1_000_000_000 == 0 {
		frac /= 1_000_000_000
		n -= 9
	}
	for frac%10 == 0 {
		frac /= 10
		n--
	}
	return n
}
