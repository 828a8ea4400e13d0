package fixed

import "math/bits"

// u128 is an unsigned number, used for magnitudes. Min has the magnitude
// 2^127, which is why magnitudes are not kept as Decimal.
type u128 struct{ hi, lo uint64 }

// u192 is an unsigned number of three words.
type u192 struct{ hi, mid, lo uint64 }

// u256 is an unsigned number of four words, the product of two magnitudes.
type u256 struct{ hi, lo u128 }

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

// product returns m × e exactly.
func (m u128) product(e u128) u256 {
	low, high := m.times(e.lo), m.times(e.hi)
	w1, c := bits.Add64(low.mid, high.lo, 0)
	w2, c := bits.Add64(low.hi, high.mid, c)
	return u256{u128{high.hi + c, w2}, u128{w1, low.lo}}
}

// less reports whether m < e.
func (m u128) less(e u128) bool { return m.hi < e.hi || m.hi == e.hi && m.lo < e.lo }

// cmp returns -1 when n < e, 0 when n == e and 1 when n > e.
func (n u256) cmp(e u256) int {
	switch {
	case n == e:
		return 0
	case n.hi.less(e.hi) || n.hi == e.hi && n.lo.less(e.lo):
		return -1
	default:
		return 1
	}
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

// rem64 returns the remainder of m / f.
func (m u128) rem64(f uint64) uint64 {
	_, rem := bits.Div64(m.hi%f, m.lo, f)
	return rem
}

// quo returns n / d rounded down, and whether a remainder was left. It is false
// when the quotient needs more than 128 bits, and when d is zero.
func (n u256) quo(d u128) (q u128, inexact, fits bool) {
	if !n.hi.less(d) {
		return u128{}, false, false
	}
	if d.hi == 0 {
		var rem uint64
		q.hi, rem = bits.Div64(n.hi.lo, n.lo.hi, d.lo)
		q.lo, rem = bits.Div64(rem, n.lo.lo, d.lo)
		return q, rem != 0, true
	}
	// Scaling both numbers by the same power of two changes neither the
	// quotient nor whether there is a remainder. It sets the top bit of d, which
	// quoDigit needs. Nothing is shifted out of n, because its upper half is
	// less than d.
	s := uint(bits.LeadingZeros64(d.hi))
	d = u128{d.hi<<s | d.lo>>(64-s), d.lo << s}
	rem := u128{n.hi.hi<<s | n.hi.lo>>(64-s), n.hi.lo<<s | n.lo.hi>>(64-s)}
	q.hi, rem = quoDigit(rem, n.lo.hi<<s|n.lo.lo>>(64-s), d)
	q.lo, rem = quoDigit(rem, n.lo.lo<<s, d)
	return q, rem != u128{}, true
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
