// Package fixed holds exact decimal numbers for prices, amounts and balances.
//
// A Decimal has exactly 18 decimals. It is stored as value × 10^18 in 128-bit
// two's complement, so it reaches from
// -170141183460469231731.687303715884105728 to
// 170141183460469231731.687303715884105727. There is no floating point, no
// clock and no randomness in this package: the same inputs give the same bits
// on every machine. Arithmetic does not allocate.
//
// # What is exact and what rounds
//
// Add, Sub, Neg, Abs, FromUnits, Units, Product, Carry and all comparisons are exact:
// they give the true result or say that it does not fit. Only Mul, Div, MulDiv
// and Round can lose digits. They take the number of decimals to keep and a named
// direction, and they round once, from the exact result:
//
//   - Down: toward zero
//   - Up: away from zero
//   - Floor: toward minus infinity
//   - Ceil: toward plus infinity
//
// Quotient counts whole lots and always rounds down.
//
// # Text
//
// Parse accepts an optional '-', one or more digits and, optionally, a '.'
// followed by 1 to 18 digits. String prints the shortest such text: never an
// exponent, no zeros at the end of the decimals, no point when the number is
// whole, and "0" for zero. Parsing a printed number gives back the same number.
//
// # Overflow
//
// Operations on numbers from outside return false or an error when the result
// does not fit. Add, Sub, Neg and Abs work on amounts that were checked when
// they entered, so for them an overflow is a broken invariant and they panic.
package fixed

import (
	"math"
	"math/bits"
)

// Places is the number of decimals every Decimal has.
const Places = 18

// unit is the stored value of the number 1: 10^Places.
const unit = 1_000_000_000_000_000_000

// Decimal is a signed number with 18 decimals. The zero value is zero. Every
// number has one representation only, so == compares values.
type Decimal struct {
	hi int64
	lo uint64
}

// These are variables because Go has no struct constants. Nothing may assign
// to them.
var (
	Zero = Decimal{}
	One  = Decimal{lo: unit}
	Max  = Decimal{hi: math.MaxInt64, lo: math.MaxUint64}
	Min  = Decimal{hi: math.MinInt64}
)

// The panics take constant strings, and stand inside the functions, because
// that is what keeps Add and Sub cheap enough for the compiler to inline.
const (
	sumOverflow = "fixed: a sum does not fit 128 bits; amounts are checked when they enter, so sums of them must fit (use AddChecked for unchecked ones)"
	subOverflow = "fixed: a difference does not fit 128 bits; amounts are checked when they enter, so differences of them must fit (use SubChecked for unchecked ones)"
	negOverflow = "fixed: Min has no opposite in 128 bits; amounts are checked when they enter, so none of them may be Min"
)

// FromBits makes the Decimal whose value × 10^18 is the 128-bit two's
// complement number hi × 2^64 + lo. Every pair of words is a valid Decimal.
func FromBits(hi int64, lo uint64) Decimal { return Decimal{hi, lo} }

// Bits returns the two words that FromBits turns back into d.
func (d Decimal) Bits() (hi int64, lo uint64) { return d.hi, d.lo }

// Add returns d + e. It panics when the sum does not fit.
func (d Decimal) Add(e Decimal) Decimal {
	lo, carry := bits.Add64(d.lo, e.lo, 0)
	hi := d.hi + e.hi + int64(carry)
	if (d.hi^hi)&(e.hi^hi) < 0 {
		panic(sumOverflow)
	}
	return Decimal{hi, lo}
}

// Sub returns d - e. It panics when the difference does not fit.
func (d Decimal) Sub(e Decimal) Decimal {
	lo, borrow := bits.Sub64(d.lo, e.lo, 0)
	hi := d.hi - e.hi - int64(borrow)
	if (d.hi^e.hi)&(d.hi^hi) < 0 {
		panic(subOverflow)
	}
	return Decimal{hi, lo}
}

// AddChecked returns d + e, or false when the sum does not fit.
func (d Decimal) AddChecked(e Decimal) (Decimal, bool) {
	lo, carry := bits.Add64(d.lo, e.lo, 0)
	hi := d.hi + e.hi + int64(carry)
	if (d.hi^hi)&(e.hi^hi) < 0 {
		return Decimal{}, false
	}
	return Decimal{hi, lo}, true
}

// SubChecked returns d - e, or false when the difference does not fit.
func (d Decimal) SubChecked(e Decimal) (Decimal, bool) {
	lo, borrow := bits.Sub64(d.lo, e.lo, 0)
	hi := d.hi - e.hi - int64(borrow)
	if (d.hi^e.hi)&(d.hi^hi) < 0 {
		return Decimal{}, false
	}
	return Decimal{hi, lo}, true
}

// Neg returns -d. It panics for Min, whose opposite does not fit.
func (d Decimal) Neg() Decimal {
	if d == Min {
		panic(negOverflow)
	}
	lo, borrow := bits.Sub64(0, d.lo, 0)
	return Decimal{-d.hi - int64(borrow), lo}
}

// Abs returns d without its sign. It panics for Min, whose opposite does not
// fit.
func (d Decimal) Abs() Decimal {
	if d.hi < 0 {
		return d.Neg()
	}
	return d
}

// Cmp returns -1 when d < e, 0 when d == e and 1 when d > e.
func (d Decimal) Cmp(e Decimal) int {
	switch {
	case d.Less(e):
		return -1
	case d == e:
		return 0
	default:
		return 1
	}
}

// Less reports whether d < e.
func (d Decimal) Less(e Decimal) bool {
	return d.hi < e.hi || d.hi == e.hi && d.lo < e.lo
}

// Sign returns -1 for a negative number, 0 for zero and 1 for a positive one.
func (d Decimal) Sign() int {
	switch {
	case d.hi < 0:
		return -1
	case d.IsZero():
		return 0
	default:
		return 1
	}
}

// IsZero reports whether d is zero.
func (d Decimal) IsZero() bool { return d.hi == 0 && d.lo == 0 }

// MaxOf returns the larger of a and b.
func MaxOf(a, b Decimal) Decimal {
	if a.Less(b) {
		return b
	}
	return a
}

// MinOf returns the smaller of a and b.
func MinOf(a, b Decimal) Decimal {
	if b.Less(a) {
		return b
	}
	return a
}
