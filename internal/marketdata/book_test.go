package marketdata

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// checkSides compares a book with what it should hold, all of it and its front.
func checkSides(t interface{ Fatalf(string, ...any) }, b *book, want map[schema.Side]map[fixed.Decimal]fixed.Decimal) {
	for side, levels := range want {
		prices := slices.SortedFunc(maps.Keys(levels), fixed.Decimal.Cmp)
		if side == schema.Buy {
			slices.Reverse(prices)
		}
		list := make([]Level, len(prices))
		for i, p := range prices {
			list[i] = Level{p, levels[p]}
			if now := b.now(&former{side, Level{Price: p}}); now != levels[p] {
				t.Fatalf("%v holds %v, want %v", p, now, levels[p])
			}
		}
		if got := b.top(side, 1<<30); !slices.Equal(got, list) {
			t.Fatalf("side %v: %d levels are not the %d that should be", side, len(got), len(list))
		}
		for _, limit := range []int{-1, 0, 1, 100} {
			if got := b.top(side, limit); !slices.Equal(got, list[:max(0, min(limit, len(list)))]) {
				t.Fatalf("side %v: the best %d are %v", side, limit, got)
			}
		}
		if best := append(list, Level{})[0]; b.best(side) != best {
			t.Fatalf("side %v: best %v, want %v", side, b.best(side), best)
		}
	}
}

// TestLargeBooksAgainstAMap sets runs of levels on both sides at random, near and far apart.
func TestLargeBooksAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b book
		want := map[schema.Side]map[fixed.Decimal]fixed.Decimal{schema.Buy: {}, schema.Sell: {}}
		unit := rapid.SampledFrom([]fixed.Decimal{fixed.FromBits(0, 1), fixed.FromUnits(1, 2), fixed.FromInt(1 << 50)}).Draw(t, "unit")
		for range rapid.IntRange(1, 10).Draw(t, "runs") {
			side := schema.Side(rapid.IntRange(1, 2).Draw(t, "side"))
			at, by := rapid.IntRange(1, 2000).Draw(t, "from"), rapid.IntRange(-7, 7).Draw(t, "by")
			amount := fixed.FromInt(int64(rapid.IntRange(0, 2).Draw(t, "amount")))
			for range rapid.IntRange(1, 300).Draw(t, "length") {
				if at < 1 {
					break
				}
				price, _ := fixed.Mul(unit, fixed.FromInt(int64(at)), fixed.Places, fixed.Down)
				b.set(side, price, amount)
				if want[side][price] = amount; amount.IsZero() {
					delete(want[side], price)
				}
				at += by
			}
			checkSides(t, &b, want)
		}
	})
}

// TestSparseBookIsBuiltAndEmptied places levels worst to best and best to worst, takes them away in
// the same order, and looks at the book on the way.
func TestSparseBookIsBuiltAndEmptied(t *testing.T) {
	const n = 5000
	for name, place := range map[string]func(i int) int{
		"rising": func(i int) int { return i + 1 }, "falling": func(i int) int { return n - i }, "scattered": func(i int) int { return 1 + i*1009%n },
	} {
		t.Run(name, func(t *testing.T) {
			var b book
			want := map[schema.Side]map[fixed.Decimal]fixed.Decimal{schema.Buy: {}, schema.Sell: {}}
			for _, amount := range []fixed.Decimal{fixed.One, fixed.Zero} {
				for i := range n {
					for side, levels := range want {
						price := fixed.FromUnits(int64(place(i))*100_003, 2)
						b.set(side, price, amount)
						if levels[price] = amount; amount.IsZero() {
							delete(levels, price)
						}
					}
					if i%1000 == 0 {
						checkSides(t, &b, want)
					}
				}
				checkSides(t, &b, want)
			}
			if b.bids.count != 0 || b.asks.count != 0 {
				t.Errorf("%d bids and %d asks are left", b.bids.count, b.asks.count)
			}
		})
	}
}

// TestGatherAgainstRoundingEveryLevel: the levels of a window are what rounding each of them gives.
func TestGatherAgainstRoundingEveryLevel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfNDistinct(rapid.Int64Range(1, 5000), 0, 300, rapid.ID[int64]).Draw(t, "prices")
		width := fixed.FromUnits(rapid.Int64Range(1, 700).Draw(t, "width"), 3)
		slices.Sort(units)
		for _, r := range []fixed.Rounding{fixed.Up, fixed.Down} {
			if r == fixed.Down { // bids
				slices.Reverse(units)
			}
			var levels, want []Level
			for _, u := range units {
				l := Level{fixed.FromUnits(u, 3), fixed.FromInt(u)}
				levels = append(levels, l)
				price, _ := multiple(l.Price, width, r)
				if n := len(want); n > 0 && want[n-1].Price == price {
					want[n-1].Amount = want[n-1].Amount.Add(l.Amount)
				} else {
					want = append(want, Level{price, l.Amount})
				}
			}
			for _, limit := range []int{1, 7, 1000} {
				got, left := Gather(slices.Values(levels), width, r, limit)
				if !slices.Equal(got, want[:min(limit, len(want))]) || left != (len(want) > limit) {
					t.Fatalf("rounded %v to %v, %d levels: %v (%v), want %v", r, width, limit, got, left, want)
				}
			}
		}
	})
}

// TestFileWithABookOutOfOrderIsPassedOver: the tree must not be filled with what is not sorted.
func TestFileWithABookOutOfOrderIsPassedOver(t *testing.T) {
	good := []Level{{number("1"), number("5")}, {number("2"), number("6")}}
	for name, r := range map[string]*record{
		"bids that fall":    {ID: 1, Bids: []Level{good[1], good[0]}},
		"asks that rise":    {ID: 1, Asks: good},
		"a price twice":     {ID: 1, Bids: []Level{good[0], good[0]}},
		"an empty level":    {ID: 1, Bids: []Level{{number("1"), fixed.Zero}}},
		"no price":          {ID: 1, Asks: []Level{{fixed.Zero, number("1")}}},
		"a price below all": {ID: 1, Asks: []Level{{fixed.Min, number("1")}}},
	} {
		if err := new(market).restore(r); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if err := new(market).restore(&record{ID: 1, Bids: good, Asks: []Level{good[1], good[0]}}); err != nil {
		t.Error(err)
	}
}
