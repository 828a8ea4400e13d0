package demo

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// markets draws markets of any tick, step and limits.
func anyMarket(t *rapid.T) *market {
	money, stock := rapid.IntRange(0, 10).Draw(t, "money prec"), rapid.IntRange(0, 8).Draw(t, "stock prec")
	r := &rules{
		MoneyPrec: money, StockPrec: stock,
		TickSize: decimal{fixed.FromUnits(rapid.Int64Range(0, 50).Draw(t, "tick"), money)},
		StepSize: decimal{fixed.FromUnits(rapid.Int64Range(0, 5000).Draw(t, "step"), stock)},
	}
	r.MinAmount.Decimal = fixed.FromUnits(rapid.Int64Range(0, 100_000).Draw(t, "min amount"), stock)
	r.MinTotal.Decimal = fixed.FromUnits(rapid.Int64Range(0, 1000).Draw(t, "min total"), 2)
	m := newMarket(scene{
		name: "ANY", future: rapid.Bool().Draw(t, "future"), unit: fixed.FromUnits(rapid.Int64Range(1, 1_000_000).Draw(t, "unit"), stock),
	}, r)
	m.gap, m.grid = rapid.Int64Range(spreadMin/2, 40).Draw(t, "gap"), rapid.Int64Range(1, 40).Draw(t, "grid")
	m.mid.Store(rapid.Int64Range(1, 1_000_000).Draw(t, "mid"))
	return m
}

// takes fails unless the market takes such an order.
func (m *market) takes(t *rapid.T, price, amount fixed.Decimal) {
	switch {
	case price.Sign() <= 0 || !price.MultipleOf(m.tick):
		t.Fatalf("a price of %s with ticks of %s", price, m.tick)
	case amount.Sign() <= 0 || !amount.MultipleOf(m.step):
		t.Fatalf("an amount of %s with steps of %s", amount, m.step)
	case amount.Cmp(m.minAmount) < 0:
		t.Fatalf("an amount of %s, and the least is %s", amount, m.minAmount)
	case multiply(price, amount).Cmp(m.minTotal) < 0:
		t.Fatalf("%s × %s, and the least is %s", price, amount, m.minTotal)
	}
}

// TestQuotesNeverCross: whatever the price and the market, quotes keep their distance and their
// order, and the market takes them.
func TestQuotesNeverCross(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, chance := anyMarket(t), seeded(rapid.Uint64().Draw(t, "seed"))
		mid := m.mid.Load()
		last := map[string]int64{buy: mid - m.gap + 1, sell: mid + m.gap - 1}
		var bids, asks int
		for _, l := range ladder(mid, m.gap, m.grid) {
			switch l.side {
			case buy:
				bids++
				if l.ticks >= last[buy] {
					t.Fatalf("a bid at %d after %d around %d", l.ticks, last[buy], mid)
				}
			case sell:
				asks++
				if l.ticks <= last[sell] {
					t.Fatalf("an ask at %d after %d around %d", l.ticks, last[sell], mid)
				}
			}
			last[l.side] = l.ticks
			m.takes(t, m.price(l.ticks), m.amount(m.size(l, chance)))
		}
		if asks != sideLevels || bids > sideLevels || last[buy] > m.grid*100 && bids != sideLevels {
			t.Fatalf("%d bids and %d asks around %d", bids, asks, mid)
		}
	})
}

func TestFloor(t *testing.T) {
	for _, c := range [][3]int64{{7, 4, 4}, {8, 4, 8}, {0, 4, 0}, {-1, 4, -4}, {-4, 4, -4}, {-5, 4, -8}} {
		if got := floor(c[0], c[1]); got != c[2] {
			t.Errorf("floor(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// TestMovesChangeLittle: a price that moves by less than a grid changes a level of each kind and side at most.
func TestMovesChangeLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMarket(t)
		from := m.mid.Load() + 100*m.grid*sideLevels
		to := from + rapid.Int64Range(-m.grid, m.grid).Draw(t, "move")
		before := map[place]bool{}
		for _, l := range ladder(from, m.gap, m.grid) {
			before[place{l.side, m.price(l.ticks)}] = true
		}
		changed := 0
		for _, l := range ladder(to, m.gap, m.grid) {
			if !before[place{l.side, m.price(l.ticks)}] {
				changed++
			}
		}
		if changed > 2*tiers {
			t.Fatalf("from %d to %d %d quotes are new", from, to, changed)
		}
	})
}
