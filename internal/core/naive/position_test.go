package naive

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPartOfTheCostIsRoundedUp(t *testing.T) {
	v := newVenue()
	s := &seat{market: v.perp}
	s.fill(n("0.3"), v.perp.value(n("0.3"), n("50000")), num{})
	s.fill(n("0.1"), v.perp.value(n("0.1"), n("50100.01")), num{})
	same(t, "cost", s.long.cost, "20010.001")
	same(t, "base price", s.long.basePrice(2), "50025")
	sold := s.fill(n("-0.1"), v.perp.value(n("0.1"), n("50200")), num{})
	same(t, "realized", sold[0].realized, "17.49975")
	same(t, "cost of the rest", s.long.cost, "15007.50075")

	long := position{size: n("3"), cost: n("100")}
	same(t, "realized by one lot of three", long.reduce(n("1"), n("50"), 8), "16.66666666")
	same(t, "cost of two lots", long.cost, "66.66666666")
	short := position{size: n("-3"), cost: n("-100")}
	same(t, "realized by one lot of three short", short.reduce(n("-1"), n("-20"), 8), "13.33333333")
	same(t, "realized by the rest", short.reduce(n("-2"), n("-40"), 8), "26.66666667")
	same(t, "cost of nothing", short.cost, "0")
}

func TestFlipIsTwoChanges(t *testing.T) {
	v := newVenue()
	s := &seat{market: v.perp}
	s.fill(n("1"), n("50000"), n("25"))
	changes := s.fill(n("-3"), n("153000"), n("10"))
	if len(changes) != 2 || !changes[0].closes || !changes[0].long || changes[1].closes || changes[1].long {
		t.Fatalf("changes: %+v", changes)
	}
	same(t, "realized", changes[0].realized, "1000")
	same(t, "fee of the closing part", changes[0].fee, "3.333333")
	same(t, "fee of the opening part", changes[1].fee, "6.666667")
	same(t, "size", s.net(), "-2")
	same(t, "cost", s.short.cost, "-102000")
	if !s.long.empty() {
		t.Errorf("the long position is %+v", s.long)
	}
}

func TestHedgeSidesAreApart(t *testing.T) {
	s := &seat{market: newVenue().perp}
	s.fillSide(true, n("3"), n("150000"), num{})
	s.fillSide(false, n("-2"), n("102000"), num{})
	same(t, "realized by a sale of the long side", s.fillSide(true, n("-1"), n("51500"), num{}).realized, "1500")
	same(t, "realized by a purchase of the short side", s.fillSide(false, n("1"), n("50000"), num{}).realized, "1000")
	same(t, "long cost", s.long.cost, "100000")
	same(t, "short cost", s.short.cost, "-51000")
	same(t, "net", s.net(), "1")
	same(t, "larger side", s.larger(), "2")
}

func TestPnlPercent(t *testing.T) {
	p := position{size: n("1"), cost: n("50000")}
	same(t, "a gain", p.pnlPercent(n("12.34"), 20), "0.49")   // 0.4936
	same(t, "a loss", p.pnlPercent(n("-12.34"), 20), "-0.49") // toward zero
	same(t, "of a short", position{size: n("-1"), cost: n("-50000")}.pnlPercent(n("-500"), 100), "-100")
	same(t, "of what cost nothing", position{size: n("1")}.pnlPercent(n("5"), 10), "0")
}

// TestSettledInAnotherCurrency: a future in USD costs USDT. A second position with the values in USD has
// the base price.
func TestSettledInAnotherCurrency(t *testing.T) {
	v := newVenue()
	usd := &currency{id: 3, index: n("0.9995")}
	m := v.newPerp(4)
	m.quote, m.mark, m.scale = usd, n("240"), 6
	s := &seat{market: m}
	value := m.value(n("2"), n("230.10"))
	same(t, "value", value, "459.9699")
	s.fill(n("2"), value, num{})
	same(t, "cost", s.long.cost, "459.9699")
	same(t, "price", m.price(), "239.88")
	same(t, "unrealized", s.unrealized(), "19.7901")
	same(t, "base price", position{size: n("2"), cost: n("460.20")}.basePrice(2), "230.1")
	same(t, "value that is cut", m.value(n("0.001"), n("0.01")), "0.000009")
}

// TestRealizedOverALife: whatever is bought and sold, by flips or step by step, all that was realized is
// what was received less what was paid, and until then it is never too high.
func TestRealizedOverALife(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stockPrec := rapid.IntRange(0, 18).Draw(t, "stockPrec")
		moneyPrec := rapid.IntRange(0, 18-stockPrec).Draw(t, "moneyPrec")
		scale := rapid.IntRange(stockPrec+moneyPrec, 18).Draw(t, "scale")
		m := newVenue().perp
		m.scale, m.feePrec = uint8(scale), uint8(rapid.IntRange(0, scale).Draw(t, "feePrec"))
		s := &seat{market: m}
		received, realized, fees, feesSplit := num{}, num{}, num{}, num{}
		deal := func(size, price num) {
			value := m.value(size, price)
			fee := value.times(unit(3)).truncate(unit(m.feePrec))
			before, entryBefore := s.net(), num{}
			if before.sign() != 0 {
				entryBefore = s.cost().over(before)
			}
			changes := s.fill(size, value, fee)
			received = received.minus(size.times(price))
			fees = fees.plus(fee)
			for _, c := range changes {
				realized = realized.plus(c.realized)
				feesSplit = feesSplit.plus(c.fee)
				exact := price.minus(entryBefore).times(signed(c.long, c.size))
				if c.closes && c.realized.more(exact) {
					t.Fatalf("realized %v, the exact profit is %v", c.realized.rat(), exact.rat())
				}
				if c.fee.sign() < 0 || c.value.sign() < 0 {
					t.Fatalf("a negative part: %+v", c)
				}
			}
			if !s.long.empty() && !s.short.empty() || s.long.size.sign() < 0 || s.short.size.sign() > 0 {
				t.Fatalf("both sides are open: %+v", s)
			}
			if s.long.cost.sign() < 0 || s.short.cost.sign() > 0 || !s.cost().multipleOf(unit(m.scale)) {
				t.Fatalf("costs %v and %v", s.long.cost.rat(), s.short.cost.rat())
			}
		}
		for range rapid.IntRange(1, 12).Draw(t, "deals") {
			size := positives(stockPrec).Draw(t, "size")
			if rapid.Bool().Draw(t, "sells") {
				size = size.neg()
			}
			deal(size, positives(moneyPrec).Draw(t, "price"))
			if received.plus(s.cost()).cmp(realized) != 0 {
				t.Fatalf("received %v, cost %v, realized %v", received.rat(), s.cost().rat(), realized.rat())
			}
		}
		if s.net().sign() != 0 {
			deal(s.net().neg(), positives(moneyPrec).Draw(t, "last price"))
		}
		if realized.cmp(received) != 0 || s.cost().sign() != 0 {
			t.Fatalf("received %v, realized %v, cost %v", received.rat(), realized.rat(), s.cost().rat())
		}
		if fees.cmp(feesSplit) != 0 {
			t.Fatalf("fees of %v were split into %v", fees.rat(), feesSplit.rat())
		}
	})
}
