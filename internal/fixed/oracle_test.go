package fixed_test

import (
	"math"
	"math/big"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
)

// The tests in this package compare every operation with math/big, which
// shares no code with it.

var (
	bigOne = big.NewInt(1)
	bigMax = new(big.Int).Sub(new(big.Int).Lsh(bigOne, 127), bigOne)
	bigMin = new(big.Int).Neg(new(big.Int).Lsh(bigOne, 127))

	roundings = []fixed.Rounding{fixed.Down, fixed.Up, fixed.Floor, fixed.Ceil}
)

func tenTo(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// toBig returns the stored value, d × 10^18.
func toBig(d fixed.Decimal) *big.Int {
	hi, lo := d.Bits()
	n := new(big.Int).Lsh(big.NewInt(hi), 64)
	return n.Add(n, new(big.Int).SetUint64(lo))
}

func fits(n *big.Int) bool { return n.Cmp(bigMin) >= 0 && n.Cmp(bigMax) <= 0 }

// fromBig is the inverse of toBig; false when n does not fit.
func fromBig(n *big.Int) (fixed.Decimal, bool) {
	if !fits(n) {
		return fixed.Zero, false
	}
	lo := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	hi := new(big.Int).Rsh(n, 64)
	return fixed.FromBits(hi.Int64(), lo.Uint64()), true
}

// roundedQuo returns num / den rounded in direction r.
func roundedQuo(num, den *big.Int, r fixed.Rounding) *big.Int {
	q, rem := new(big.Int).QuoRem(num, den, new(big.Int))
	if rem.Sign() == 0 {
		return q
	}
	sign := int64(num.Sign() * den.Sign())
	switch {
	case r == fixed.Up,
		r == fixed.Floor && sign < 0,
		r == fixed.Ceil && sign > 0:
		q.Add(q, big.NewInt(sign))
	}
	return q
}

// wantMul, wantDiv, wantMulDiv and wantRound are the specification of Mul, Div, MulDiv and Round.

func wantMul(a, b fixed.Decimal, places int, r fixed.Rounding) (fixed.Decimal, bool) {
	q := roundedQuo(new(big.Int).Mul(toBig(a), toBig(b)), tenTo(36-places), r)
	return fromBig(q.Mul(q, tenTo(18-places)))
}

func wantDiv(a, b fixed.Decimal, places int, r fixed.Rounding) (fixed.Decimal, bool) {
	if b.IsZero() {
		return fixed.Zero, false
	}
	q := roundedQuo(new(big.Int).Mul(toBig(a), tenTo(places)), toBig(b), r)
	return fromBig(q.Mul(q, tenTo(18-places)))
}

func wantMulDiv(a, b, c fixed.Decimal, places int, r fixed.Rounding) (fixed.Decimal, bool) {
	if c.IsZero() {
		return fixed.Zero, false
	}
	n := new(big.Int).Mul(toBig(a), toBig(b))
	q := roundedQuo(n, new(big.Int).Mul(toBig(c), tenTo(18-places)), r)
	return fromBig(q.Mul(q, tenTo(18-places)))
}

func wantRound(d fixed.Decimal, places int, r fixed.Rounding) (fixed.Decimal, bool) {
	q := roundedQuo(toBig(d), tenTo(18-places), r)
	return fromBig(q.Mul(q, tenTo(18-places)))
}

// edges are the stored values around which carries, signs and digits change.
func edges() []*big.Int {
	out := []*big.Int{new(big.Int), bigMax, bigMin}
	for n := 0; n <= 38; n++ {
		out = append(out, tenTo(n))
	}
	for _, n := range []uint{31, 32, 59, 60, 62, 63, 64, 65, 95, 96, 123, 126} {
		out = append(out, new(big.Int).Lsh(bigOne, n))
	}
	return out
}

// decimals generates numbers that are often at or one unit beside an edge, and
// otherwise have a random length, so that small and huge ones both occur.
func decimals() *rapid.Generator[fixed.Decimal] {
	near := edges()
	return rapid.Custom(func(t *rapid.T) fixed.Decimal {
		n := new(big.Int)
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			n.Set(rapid.SampledFrom(near).Draw(t, "edge"))
			n.Add(n, big.NewInt(rapid.Int64Range(-1, 1).Draw(t, "beside")))
		case 1:
			n.SetInt64(ints().Draw(t, "units"))
			n.Mul(n, tenTo(rapid.IntRange(0, 18).Draw(t, "zeros")))
		default:
			n.SetUint64(rapid.Uint64().Draw(t, "hi"))
			n.Lsh(n, 64)
			n.Add(n, new(big.Int).SetUint64(rapid.Uint64().Draw(t, "lo")))
			n.Rsh(n, rapid.UintRange(1, 127).Draw(t, "shift"))
		}
		if rapid.Bool().Draw(t, "negative") {
			n.Neg(n)
		}
		// An edge plus or minus one can lie just outside the range.
		if d, ok := fromBig(n); ok {
			return d
		}
		return fixed.Max
	})
}

// ints generates integers biased like decimals.
func ints() *rapid.Generator[int64] {
	return rapid.Custom(func(t *rapid.T) int64 {
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]int64{
				0, 1, -1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1,
				math.MaxInt32, math.MaxUint32, math.MaxUint32 + 1,
			}).Draw(t, "edge")
		case 1:
			n := tenTo(rapid.IntRange(0, 18).Draw(t, "zeros")).Int64()
			return n + rapid.Int64Range(-1, 1).Draw(t, "beside")
		default:
			return rapid.Int64().Draw(t, "any") >> rapid.IntRange(0, 62).Draw(t, "shift")
		}
	})
}

func places() *rapid.Generator[int] { return rapid.IntRange(0, fixed.Places) }
