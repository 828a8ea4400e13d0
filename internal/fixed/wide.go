package fixed

import "math/bits"

// pow10 holds the powers of ten up to 10^Places. All of them are below 2^60.
var pow10 = [Places + 1]uint64{
	1,
	10,
	100,
	1_000,
	10_000,
	100_000,
	1_000_000,
	10_000_000,
	100_000_000,
	1_000_000_000,
	10_000_000_000,
	100_000_000_000,
	1_000_000_000_000,
	10_000_000_000_000,
	100_000_000_000_000,
	1_000_000_000_000_000,
	10_000_000_000_000_000,
	100_000_000_000_000_000,
	1_000_000_000_000_000_000,
}

// stored returns the stored value of 10^-places. It panics when places is not
// 0 to 18: that number comes from the configuration of a market, which is
// validated before anything is computed with it.
func stored(places int) uint64 {
	if uint(places) > Places {
		panic("fixed: the number of decimals must be 0 to 18")
	}
	return pow10[Places-places]
}

// u128 is an unsigned number, used for magnitudes. Min has the magnitude
// 2^127, which is why magnitudes are not kept as Decimal.
type u128 struct{ hi, lo uint64 }

// u192 is an unsigned number of three words.
type u192 struct{ hi, mid, lo uint64 }

// magnitude splits d into its sign and its stored value without the sign.
func (d Decimal) magnitude() (neg bool, m u128) {
	s := uint64(d.hi >> 63)
	lo, borrow := bits.Sub64(d.lo^s, s, 0)
	hi, _ := bits.Sub64(uint64(d.hi)^s, s, borrow)
	return s != 0, u128{hi, lo}
}

// signed puts the sign back on m. It is false when the number lies outside Min
// to Max.
func (m u128) signed(neg bool) (Decimal, bool) {
	if m.hi>>63 != 0 {
		// Of the magnitudes from 2^127 up, only that of Min is a number.
		if neg && m.hi == 1<<63 && m.lo == 0 {
			return Min, true
		}
		return Decimal{}, false
	}
	var s uint64
	if neg {
		s = ^s
	}
	lo, borrow := bits.Sub64(m.lo^s, s, 0)
	hi, _ := bits.Sub64(m.hi^s, s, borrow)
	return Decimal{int64(hi), lo}, true
}

// magnitude64 returns |n|, which for the smallest int64 needs all 64 bits.
func magnitude64(n int64) uint64 {
	s := uint64(n >> 63)
	return (uint64(n) ^ s) - s
}

// times returns m × f exactly.
func (m u128) times(f uint64) u192 {
	carry, lo := bits.Mul64(m.lo, f)
	hi, mid := bits.Mul64(m.hi, f)
	mid, c := bits.Add64(mid, carry, 0)
	return u192{hi + c, mid, lo}
}

// minus returns n - e, which must not be negative.
func (n u192) minus(e u192) u192 {
	lo, b := bits.Sub64(n.lo, e.lo, 0)
	mid, b := bits.Sub64(n.mid, e.mid, b)
	return u192{n.hi - e.hi - b, mid, lo}
}

// less reports whether n < e.
func (n u192) less(e u192) bool {
	_, b := bits.Sub64(n.lo, e.lo, 0)
	_, b = bits.Sub64(n.mid, e.mid, b)
	_, b = bits.Sub64(n.hi, e.hi, b)
	return b != 0
}

// quo64 returns m / f rounded down, and the remainder.
func (m u128) quo64(f uint64) (q u128, rem uint64) {
	q.hi, rem = m.hi/f, m.hi%f
	q.lo, rem = bits.Div64(rem, m.lo, f)
	return q, rem
}

// rem64 returns the remainder of m / f.
func (m u128) rem64(f uint64) uint64 {
	_, rem := bits.Div64(m.hi%f, m.lo, f)
	return rem
}

// quo returns n / d rounded down, and whether a remainder was left. d must not
// be zero.
func (n u192) quo(d u128) (q u192, inexact bool) {
	if d.hi == 0 {
		var rem uint64
		q.hi, rem = n.hi/d.lo, n.hi%d.lo
		q.mid, rem = bits.Div64(rem, n.mid, d.lo)
		q.lo, rem = bits.Div64(rem, n.lo, d.lo)
		return q, rem != 0
	}
	// Scaling both numbers by the same power of two changes neither the
	// quotient nor whether there is a remainder. It sets the top bit of d, which
	// quoDigit needs. What is shifted out of n is less than 2^63, hence less
	// than d, so the quotient has two digits and q.hi stays 0.
	s := uint(bits.LeadingZeros64(d.hi))
	d = u128{d.hi<<s | d.lo>>(64-s), d.lo << s}
	top := u128{n.hi >> (64 - s), n.hi<<s | n.mid>>(64-s)}
	mid, low := n.mid<<s|n.lo>>(64-s), n.lo<<s
	var rem u128
	q.mid, rem = quoDigit(top, mid, d)
	q.lo, rem = quoDigit(rem, low, d)
	return q, rem != u128{}
}

// quoDigit divides n × 2^64 + low by d, giving one word of a long division.
// It needs n < d, so that the quotient is one word, and the top bit of d set,
// so that the first estimate is at most 2 too large (Knuth, The Art of Computer
// Programming, volume 2, section 4.3.1, theorem B).
func quoDigit(n u128, low uint64, d u128) (q uint64, rem u128) {
	q = ^uint64(0)
	if n.hi < d.hi {
		q, _ = bits.Div64(n.hi, n.lo, d.hi)
	}
	whole, taken := u192{n.hi, n.lo, low}, d.times(q)
	for whole.less(taken) {
		q--
		taken = taken.minus(u192{0, d.hi, d.lo})
	}
	left := whole.minus(taken)
	return q, u128{left.mid, left.lo}
}
