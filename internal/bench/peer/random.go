package peer

import "math/bits"

// javaRandom is java.util.Random. The stream is defined by the numbers this
// generator draws, so its algorithm is part of the workload: a 48-bit linear
// congruential generator whose high bits are handed out.
type javaRandom struct {
	state uint64
}

const (
	lcgMultiplier = 0x5DEECE66D
	lcgIncrement  = 0xB
	lcgMask       = 1<<48 - 1
)

func newJavaRandom(seed int64) *javaRandom {
	return &javaRandom{state: (uint64(seed) ^ lcgMultiplier) & lcgMask}
}

// next returns the top n bits of the next state as Java's signed int does.
func (r *javaRandom) next(n uint) int32 {
	r.state = (r.state*lcgMultiplier + lcgIncrement) & lcgMask
	return int32(r.state >> (48 - n))
}

// nextInt returns a number in [0, bound). Bounds that do not divide 2^31 draw
// again when the number falls into the incomplete last run of the range, so
// how many states are consumed depends on the bound.
func (r *javaRandom) nextInt(bound int32) int32 {
	if bound <= 0 {
		panic("peer: bound must be positive")
	}
	drawn := r.next(31)
	if bits.OnesCount32(uint32(bound)) == 1 {
		return int32(int64(bound) * int64(drawn) >> 31)
	}
	for {
		value := drawn % bound
		if drawn-value+(bound-1) >= 0 {
			return value
		}
		drawn = r.next(31)
	}
}

// nextDouble returns a number in [0, 1) made of 53 random bits.
func (r *javaRandom) nextDouble() float64 {
	high := int64(r.next(26)) << 27
	return float64(high+int64(r.next(27))) / (1 << 53)
}

// javaHash is java.util.Objects.hash of two ints, wrapping as Java's int does.
func javaHash(a, b int32) int32 {
	return 31*(31+a) + b
}
