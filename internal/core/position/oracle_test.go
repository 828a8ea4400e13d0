package position_test

import (
	"math/big"

	"pgregory.net/rapid"

	"bourse/internal/core/position"
	"bourse/internal/fixed"
)

// The formulas of the package once more, in fractions.

func tenTo(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// rat is a number as a fraction.
func rat(d fixed.Decimal) *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}

func ratio(a, b int64) *big.Rat { return big.NewRat(a, b) }

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

func smaller(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// rounded is a fraction with so many decimals.
func rounded(r *big.Rat, places int, how fixed.Rounding) *big.Rat {
	n := mul(r, new(big.Rat).SetInt(tenTo(places)))
	floor := new(big.Int).Div(n.Num(), n.Denom()) // the denominator is positive, so this is toward minus infinity
	whole := new(big.Rat).SetInt(floor).Cmp(n) == 0
	up := how == fixed.Ceil || how == fixed.Up && r.Sign() > 0 || how == fixed.Down && r.Sign() < 0
	if up && !whole {
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(floor, tenTo(places))
}

// size is a number of lots as an amount.
func size(n int64, s position.Scale) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(n), tenTo(int(s.Stock)))
}

var leverages = []position.Leverage{1, 2, 3, 5, 10, 20, 50, 100}

// margins are the initial and the maintenance margin of a notional, slice by slice.
func margins(t *position.Tiers, notional *big.Rat, account position.Leverage) (initial, maintenance *big.Rat) {
	l := int64(min(account, t.Max))
	initial, maintenance = new(big.Rat), new(big.Rat)
	costs := func(slice *big.Rat, l int64) {
		initial = add(initial, rounded(mul(slice, ratio(1, l)), 18, fixed.Up))
		rate := ratio(1, 2*l)
		if l <= 10 {
			rate = ratio(3, 100)
		}
		maintenance = add(maintenance, rounded(mul(slice, rate), 18, fixed.Up))
	}
	// What each leverage gets, from the highest down.
	from := new(big.Rat)
	below := map[int64]*big.Rat{}
	put := func(to *big.Rat, l int64) {
		if to = smaller(to, notional); to.Cmp(from) > 0 {
			if below[l] == nil {
				below[l] = new(big.Rat)
			}
			below[l] = add(below[l], sub(to, from))
			from = to
		}
	}
	last := l
	for i, step := range []int64{100, 50, 20} {
		if b := t.Brackets[i]; !b.IsZero() {
			put(rat(b), min(l, step))
			last = min(l, 10)
		}
	}
	put(notional, last)
	for _, l := range leverages {
		if slice := below[int64(l)]; slice != nil {
			costs(slice, int64(l))
		}
	}
	return initial, maintenance
}

// tierings generates brackets of which some are missing.
func tierings() *rapid.Generator[position.Tiers] {
	return rapid.Custom(func(t *rapid.T) position.Tiers {
		tiers := position.Tiers{Max: rapid.SampledFrom(leverages).Draw(t, "max")}
		top := int64(0)
		for i := range tiers.Brackets {
			if rapid.Bool().Draw(t, "bracket") {
				top += rapid.Int64Range(1, 10_000_000).Draw(t, "width")
				tiers.Brackets[i] = fixed.FromUnits(top, rapid.SampledFrom([]int{0, 2}).Draw(t, "decimals"))
				if !tiers.Valid() { // two decimals after none can be lower
					tiers.Brackets[i] = fixed.FromInt(top)
				}
			}
		}
		return tiers
	})
}

// scales generates the decimals of markets.
func scales() *rapid.Generator[position.Scale] {
	return rapid.Custom(func(t *rapid.T) position.Scale {
		quote := rapid.IntRange(0, 18).Draw(t, "quote")
		stock := rapid.IntRange(0, quote).Draw(t, "stock")
		return position.Scale{
			Quote: uint8(quote), Stock: uint8(stock),
			Money: uint8(rapid.IntRange(0, quote-stock).Draw(t, "money")),
			Fee:   uint8(rapid.IntRange(0, quote).Draw(t, "fee")),
		}
	})
}

// decimals generates numbers of every length.
func decimals() *rapid.Generator[fixed.Decimal] {
	return rapid.Custom(func(t *rapid.T) fixed.Decimal {
		shift := rapid.IntRange(0, 126).Draw(t, "shift")
		hi, lo := rapid.Uint64().Draw(t, "hi")>>1, rapid.Uint64().Draw(t, "lo")
		n := new(big.Int).SetUint64(hi)
		n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(lo)).Rsh(n, uint(shift))
		return fixed.FromBits(new(big.Int).Rsh(n, 64).Int64(), new(big.Int).And(n, new(big.Int).SetUint64(1<<64-1)).Uint64())
	})
}

// counts generates numbers of lots and of price units of every length, and never none.
func counts() *rapid.Generator[int64] {
	return rapid.Custom(func(t *rapid.T) int64 {
		return rapid.Int64Range(1, 1<<rapid.IntRange(0, 62).Draw(t, "bits")).Draw(t, "count")
	})
}
