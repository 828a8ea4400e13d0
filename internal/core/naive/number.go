package naive

import (
	"fmt"
	"math"
	"math/big"

	"bourse/internal/fixed"
)

// num is an exact number of any size, and nums never change. The zero value is zero. Only the
// edges of the package speak fixed.Decimal, so that its arithmetic is checked too.
type num struct{ value *big.Rat }

var (
	zeroRat  = new(big.Rat)
	tenTo18  = new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
	twoTo64  = new(big.Int).Lsh(big.NewInt(1), 64)
	maxInt64 = whole(1<<63 - 1)
	hundred  = whole(100)
	one      = whole(1)
	// smallest is the last decimal of products and quotients that have more.
	smallest = unit(18)
	largest  = of(fixed.FromBits(math.MaxInt64, math.MaxUint64))
	lowest   = of(fixed.FromBits(math.MinInt64, 0))
	// owedMost is what the outside world together with the chains may owe, so the fee account, and what may be in the blocks of a chain.
	owedMost = of(fixed.FromBits(math.MaxInt64>>1, math.MaxUint64))
)

// of takes a number in from outside.
func of(d fixed.Decimal) num {
	hi, lo := d.Bits()
	n := new(big.Int).Mul(big.NewInt(hi), twoTo64)
	n.Add(n, new(big.Int).SetUint64(lo))
	return num{new(big.Rat).SetFrac(n, tenTo18)}
}

// decimal hands a number to the outside. All numbers that get there fit, or a rule is broken.
func (a num) decimal() fixed.Decimal {
	scaled := new(big.Rat).Mul(a.rat(), new(big.Rat).SetInt(tenTo18))
	hi, lo := new(big.Int).DivMod(scaled.Num(), twoTo64, new(big.Int))
	if !scaled.IsInt() || !hi.IsInt64() {
		panic(fmt.Sprintf("naive: %v does not fit a decimal", a.rat()))
	}
	return fixed.FromBits(hi.Int64(), lo.Uint64())
}

// whole is a whole number.
func whole(n int64) num { return num{new(big.Rat).SetInt64(n)} }

// wholeUint64 is a whole number that may be beyond int64.
func wholeUint64(n uint64) num { return num{new(big.Rat).SetInt(new(big.Int).SetUint64(n))} }

// unit is 10^-places.
func unit(places uint8) num {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	return num{new(big.Rat).SetFrac(big.NewInt(1), power)}
}

func (a num) rat() *big.Rat {
	if a.value == nil {
		return zeroRat
	}
	return a.value
}

func (a num) plus(b num) num  { return num{new(big.Rat).Add(a.rat(), b.rat())} }
func (a num) minus(b num) num { return num{new(big.Rat).Sub(a.rat(), b.rat())} }
func (a num) times(b num) num { return num{new(big.Rat).Mul(a.rat(), b.rat())} }
func (a num) over(b num) num  { return num{new(big.Rat).Quo(a.rat(), b.rat())} }
func (a num) cmp(b num) int   { return a.rat().Cmp(b.rat()) }
func (a num) sign() int       { return a.rat().Sign() }

func (a num) less(b num) bool { return a.cmp(b) < 0 }
func (a num) more(b num) bool { return a.cmp(b) > 0 }

func (a num) neg() num { return num{}.minus(a) }

func (a num) abs() num {
	if a.sign() < 0 {
		return a.neg()
	}
	return a
}

func least(a, b num) num {
	if a.less(b) {
		return a
	}
	return b
}

func greatest(a, b num) num {
	if a.more(b) {
		return a
	}
	return b
}

// within is a, or the nearer end of what lies between two bounds.
func (a num) within(low, high num) num { return greatest(low, least(a, high)) }

// multipleOf reports whether a is a whole number of steps.
func (a num) multipleOf(step num) bool { return a.over(step).rat().IsInt() }

// ceil is the smallest multiple of step that is not below a.
func (a num) ceil(step num) num {
	cut := a.truncate(step)
	if cut.less(a) {
		return cut.plus(step)
	}
	return cut
}

// floor is the largest multiple of step that is not above a.
func (a num) floor(step num) num {
	cut := a.truncate(step)
	if cut.more(a) {
		return cut.minus(step)
	}
	return cut
}

// truncate cuts a to a multiple of step, toward zero.
func (a num) truncate(step num) num {
	q := a.over(step).rat()
	n := new(big.Int).Quo(q.Num(), q.Denom())
	return num{new(big.Rat).SetInt(n)}.times(step)
}
