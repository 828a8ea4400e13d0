// Package work is what miners do: jobs made of templates, the shares that they bring, and the targets that these are held against. It
// knows no connections and no accounts.
package work

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Difficulties are powers of two, given by their exponents. The least makes every second hash a share of the largest target.
const (
	LeastExponent = -32
	mostExponent  = 208
)

// Target is what a hash must not be above. The first word is the least.
type Target [4]uint64

// OfBits is a target as headers have it. False if the bits are none.
func OfBits(b uint32) (t Target, ok bool) {
	size, mantissa := int(b>>24), uint64(b&0xffffff)
	if mantissa > 0x7fffff {
		return t, false
	}
	if size < 3 {
		mantissa >>= 8 * (3 - size)
		size = 3
	}
	shift := 8 * (size - 3)
	if mantissa == 0 || bits.Len64(mantissa)+shift > 256 {
		return t, false
	}
	return shifted(mantissa, shift), true
}

// OfExponent is the target of the difficulty 2^e: that of difficulty 1, which is 0xffff x 2^208, divided by it.
func OfExponent(e int) Target { return shifted(0xffff, mostExponent-e) }

// shifted is a number times 2^n. What it loses above 256 bits the callers rule out.
func shifted(number uint64, n int) (t Target) {
	word, rest := n/64, n%64
	t[word] = number << rest
	if rest > 0 && word < 3 {
		t[word+1] = number >> (64 - rest)
	}
	return t
}

// Met reports whether a hash is not above the target.
func (t *Target) Met(hash *[32]byte) bool {
	for i := 3; i >= 0; i-- {
		if word := binary.LittleEndian.Uint64(hash[8*i:]); word != t[i] {
			return word < t[i]
		}
	}
	return true
}

// Exponent is the highest difficulty whose target is not below this one. False if even the least is harder.
func (t *Target) Exponent() (e int, ok bool) {
	if !t.within(OfExponent(LeastExponent)) {
		return 0, false
	}
	for e = LeastExponent; e < mostExponent && t.within(OfExponent(e+1)); e++ {
	}
	return e, true
}

func (t *Target) within(other Target) bool {
	for i := 3; i >= 0; i-- {
		if t[i] != other[i] {
			return t[i] < other[i]
		}
	}
	return true
}

// Exponent is the highest power of two that is not above a difficulty as miners write it. False if it is no difficulty.
func Exponent(difficulty float64) (e int, ok bool) {
	if !(difficulty > 0) || math.IsInf(difficulty, 0) {
		return 0, false
	}
	_, e = math.Frexp(difficulty) // a fraction from 0.5 to below 1
	return e - 1, true
}
