package fixed

import (
	"math/bits"
	"strconv"
)

// maxPrinted is the length of the longest printed number: a sign, 21 digits, a
// point and 18 digits.
const maxPrinted = 1 + 21 + 1 + Places

// String returns the printed form of d, such as "-12.5". Parse reads it back.
func (d Decimal) String() string {
	var buf [maxPrinted]byte
	return string(d.Append(buf[:0]))
}

// Append appends the printed form of d to dst and returns the longer slice. It
// allocates only when dst has too little room.
func (d Decimal) Append(dst []byte) []byte {
	neg, m := d.magnitude()
	if neg {
		dst = append(dst, '-')
	}
	whole, frac := tens[Places].quo(u192{0, m.hi, m.lo})
	if whole.hi == 0 {
		dst = strconv.AppendUint(dst, whole.lo, 10)
	} else {
		// The whole part is 2^64 or more, so head has two or three digits.
		head, tail := bits.Div64(whole.hi, whole.lo, unit)
		dst = strconv.AppendUint(dst, head/10, 10)
		dst = appendPadded(dst, '0'+byte(head%10), tail, unit)
	}
	if frac == 0 {
		return dst
	}
	const half = 1_000_000_000
	if frac%half == 0 {
		dst = appendPadded(dst, '.', frac/half, half)
	} else {
		dst = appendPadded(dst, '.', frac, unit)
	}
	// frac is not zero, so this stops at a digit after the point.
	n := len(dst)
	for dst[n-1] == '0' {
		n--
	}
	return dst[:n]
}

// appendPadded appends lead and then v with as many digits as size, a power of
// ten above v, has zeros. It prints size + v and puts lead over the 1 in front,
// which spares a loop for the zeros that v itself would not print.
func appendPadded(dst []byte, lead byte, v, size uint64) []byte {
	at := len(dst)
	dst = strconv.AppendUint(dst, size+v, 10)
	dst[at] = lead
	return dst
}
