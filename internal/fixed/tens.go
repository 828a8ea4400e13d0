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

// ten is a power of ten, with what it takes to divide by it. Nearly all
// divisions are by one of them, and knowing the divisor beforehand makes them
// multiplications, which cost a fraction.
type ten struct {
	step    uint64 // the power
	norm    uint64 // step, shifted so that its top bit is set
	inverse uint64 // (2^128 - 1) / norm - 2^64, rounded down
	shift   uint
}

var tens = func() (list [Places + 1]ten) {
	for i, step := range pow10 {
		shift := uint(bits.LeadingZeros64(step))
		norm := step << shift
		inverse, _ := bits.Div64(^norm, ^uint64(0), norm)
		list[i] = ten{step, norm, inverse, shift}
	}
	return list
}()

// stored returns the stored value of 10^-places. It panics when places is not
// 0 to 18: that number comes from the configuration of a market, which is
// validated before anything is computed with it.
func stored(places int) *ten {
	if uint(places) > Places {
		panic("fixed: the number of decimals must be 0 to 18")
	}
	return &tens[Places-places]
}

// quo returns n / t rounded down, and the remainder. It needs n.hi < t, so that
// the quotient has two words.
func (t *ten) quo(n u192) (q u128, rem uint64) {
	// The shift is 4 to 63. The masks say so to the compiler, which then leaves
	// out what it does for larger ones.
	s, back := t.shift&63, (64-t.shift)&63
	rem = n.hi<<s | n.mid>>back
	q.hi, rem = t.digit(rem, n.mid<<s|n.lo>>back)
	q.lo, rem = t.digit(rem, n.lo<<s)
	return q, rem >> s
}

// digit divides hi × 2^64 + lo by the shifted power, giving one word of a long
// division. It needs hi < norm. The product with the inverse is the quotient, or
// off by one in either direction (Möller and Granlund, Improved Division by
// Invariant Integers, algorithm 4).
func (t *ten) digit(hi, lo uint64) (q, rem uint64) {
	q, low := bits.Mul64(t.inverse, hi)
	low, carry := bits.Add64(low, lo, 0)
	q += hi + carry + 1
	rem = lo - q*t.norm
	if rem > low {
		q--
		rem += t.norm
	}
	if rem >= t.norm {
		q++
		rem -= t.norm
	}
	return q, rem
}
