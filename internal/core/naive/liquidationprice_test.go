package naive

import (
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/schema"
)

func TestLiquidationPriceIsTheFirstUnsafeTick(t *testing.T) {
	v := newVenue()
	bob := newBob(v)
	for _, mark := range []string{"50000", "49271.36", "49270", "80000"} { // wherever the mark is
		v.perp.mark = n(mark)
		price, ok := bob.liquidationPrice(bob.seats[0], true)
		same(t, "at a mark of "+mark, price, "49271.35")
		if !ok {
			t.Errorf("none at a mark of %s", mark)
		}
	}
	v.perp.mark = n("49271.35")
	same(t, "total", bob.total(), "246.35")
	same(t, "maintenance", bob.maintenance(), "246.35675")
	if bob.liquidationState() != schema.Liquidation {
		t.Error("the price is safe")
	}
	v.perp.mark = n("49271.36")
	if bob.liquidationState() != schema.MarginCall {
		t.Error("the next tick is not")
	}

	short := v.account(100, "1000", "0")
	short.trade(0, "-1", "50000", "0.0005")
	price, ok := short.liquidationPrice(short.seats[0], false)
	same(t, "of a short", price, "50717.83") // 975+50000-P < 250+0.01*(P-50000)
	if !ok {
		t.Error("a short has one always")
	}
	rich := v.account(10, "60000", "0")
	rich.trade(0, "1", "50000", "0")
	if price, ok := rich.liquidationPrice(rich.seats[0], true); ok {
		t.Errorf("a long that cannot lose what there is has %v", price.rat())
	}
	poor := v.account(10, "-1000000000000000000", "0")
	poor.trade(0, "0.001", "50000", "0")
	if price, ok := poor.liquidationPrice(poor.seats[0], true); ok {
		t.Errorf("a long that is unsafe at any price has %v", price.rat())
	}
	poor.trade(0, "-0.002", "50000", "0")
	if price, ok := poor.liquidationPrice(poor.seats[0], false); ok {
		t.Errorf("a short that is unsafe at any price has %v", price.rat())
	}
}

// TestLiquidationPriceOfAHedge: uneven sides lose in one direction by their net; nearly even ones in the
// other, by the maintenance margin of the larger side.
func TestLiquidationPriceOfAHedge(t *testing.T) {
	hedge := func(short, received string) (*venue, *portfolio) {
		v := newVenue()
		v.perp.brackets = nil
		p := v.account(10, "6000", "0")
		p.hedge = true
		p.seats[0].fillSide(true, n("3"), n("150000"), num{})
		p.seats[0].fillSide(false, n(short).neg(), n(received), num{})
		return v, p
	}
	_, uneven := hedge("2", "100000")
	price, ok := uneven.liquidationPrice(uneven.seats[0], true)
	same(t, "of the long side", price, "48351.64") // 6000+P-50000 < 0.09*P
	if _, up := uneven.liquidationPrice(uneven.seats[0], false); !ok || up {
		t.Errorf("the long side has one: %t, the short side: %t", ok, up)
	}
	v, even := hedge("2.99", "149500")
	price, ok = even.liquidationPrice(even.seats[0], false)
	same(t, "of the short side", price, "68750.01") // 5500+0.01*P < 0.09*P
	if _, down := even.liquidationPrice(even.seats[0], true); !ok || down {
		t.Errorf("the short side has one: %t, the long side: %t", ok, down)
	}
	v.perp.mark = n("70000")
	if _, ok := even.liquidationPrice(even.seats[0], false); ok {
		t.Error("from an unsafe price it is not looked for")
	}
}

// safeAt reports whether an account is safe at a mark.
func safeAt(p *portfolio, s *seat, mark num) bool {
	before := s.market.mark
	defer func() { s.market.mark = before }()
	s.market.mark = mark
	return p.covers(one)
}

// TestLiquidationPriceIsTheEdge: at it the account is unsafe and one tick safer it is safe; without one all
// prices are safe, or none is.
func TestLiquidationPriceIsTheEdge(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		v := newVenue()
		s, p := randomFuture(t, v)
		long := s.net().sign() > 0
		price, ok := p.liquidationPrice(s, long)
		highest := maxInt64.times(unit(s.market.moneyPrec)).truncate(s.market.tick)
		if !ok {
			first, last := safeAt(p, s, s.market.tick), safeAt(p, s, highest)
			if first != last {
				t.Fatalf("none, but safe at the lowest is %t and at the highest %t", first, last)
			}
			return
		}
		found++
		safer := price.minus(s.market.tick)
		if long {
			safer = price.plus(s.market.tick)
		}
		if safeAt(p, s, price) || !safeAt(p, s, safer) || !price.multipleOf(s.market.tick) {
			t.Fatalf("safe at %v is %t, at %v %t", price.rat(), safeAt(p, s, price), safer.rat(), safeAt(p, s, safer))
		}
	})
	if found == 0 {
		t.Error("no account had one")
	}
}

// randomFuture is an account with a position on a market with any steps and brackets, and an equity of the
// order of its cost. The other market has a position too, and BTC are owned or owed.
func randomFuture(t *rapid.T, v *venue) (*seat, *portfolio) {
	p := v.account(rapid.SampledFrom(leverages).Draw(t, "leverage"), "0", "0")
	for i, m := range []*instrument{v.perp, v.other} {
		m.moneyPrec = uint8(rapid.IntRange(0, 9).Draw(t, "moneyPrec"))
		m.tick = unit(m.moneyPrec).times(whole(rapid.Int64Range(1, 50).Draw(t, "tick")))
		m.brackets = brackets().Draw(t, "brackets")
		m.scale = 18
		size := positives(rapid.IntRange(0, 9).Draw(t, "stockPrec")).Draw(t, "size")
		if rapid.Bool().Draw(t, "short") {
			size = size.neg()
		}
		price := m.tick.times(whole(rapid.Int64Range(1, 1e9).Draw(t, "ticks")))
		p.seats[i].fill(size, m.value(size, price), num{})
		p.seats[i].fill(signed(size.sign() > 0, unit(9)), m.value(unit(9), price.plus(m.tick)), num{}) // the entry is no tick
		m.mark = price.times(whole(rapid.Int64Range(1, 3000).Draw(t, "moved"))).over(whole(1000)).ceil(m.tick)
	}
	v.btc.index = positives(6).Draw(t, "index")
	cost := p.seats[0].cost().abs().plus(p.seats[1].cost().abs())
	share := func(name string, over num, scale uint8) num {
		return cost.times(whole(rapid.Int64Range(-1000, 1500).Draw(t, name))).over(whole(1000)).over(over).truncate(unit(scale))
	}
	p.credit(share("usdt", one, 18))
	owned := share("btc", v.btc.index, 8)
	p.holdings[1].collateral, p.holdings[1].debt = greatest(num{}, owned), greatest(num{}, owned.neg())
	return p.seats[0], p
}
