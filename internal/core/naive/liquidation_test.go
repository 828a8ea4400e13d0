package naive

import (
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/schema"
)

func TestMarginCallAndLiquidation(t *testing.T) {
	v := newVenue()
	bob := newBob(v)
	for _, c := range []struct {
		mark string
		want schema.RiskState
	}{
		{"49395.48", schema.RiskNone},   // 370.48 of 370.4661
		{"49395.45", schema.MarginCall}, // 370.45 of 370.465875
		{"49271.36", schema.MarginCall},
		{"49271.35", schema.Liquidation},
		{"25000", schema.Liquidation},
	} {
		v.perp.mark = n(c.mark)
		if got := bob.liquidationState(); got != c.want {
			t.Errorf("at %s: %v, want %v", c.mark, got, c.want)
		}
	}
}

func TestWorstAccountIsFirst(t *testing.T) {
	v := newVenue()
	v.perp.mark = n("49270")
	account := func(id int, usdt, size string) *portfolio {
		p := v.account(100, usdt, "0")
		p.id = id
		if size != "0" {
			p.trade(0, size, "50000", "0")
		}
		return p
	}
	safe := account(1, "1000", "1")
	large := account(2, "9300", "10") // 2000 of 12000 or so
	small := account(3, "930", "1")   // 200 of 246.35
	twin := account(4, "930", "1")
	owes := account(5, "-1", "0")
	gone := account(6, "700", "1") // -30 of 246.35
	var ids []int
	for _, p := range worstFirst([]*portfolio{twin, small, large, safe, gone, owes}) {
		ids = append(ids, p.id)
	}
	want := []int{5, 6, 2, 3, 4}
	if len(ids) != len(want) {
		t.Fatalf("liquidated are %v", ids)
	}
	for i := range want {
		if ids[i] != want[i] {
			t.Fatalf("in the order %v, want %v", ids, want)
		}
	}
}

func TestOrderOfItems(t *testing.T) {
	v := newVenue()
	p := v.account(10, "-5000", "0")
	currencies := map[string]*currency{}
	for i, c := range []struct{ name, index, amount string }{
		{"ETH", "2500", "-2"}, {"SOL", "100", "-60"}, {"DOGE", "0.1", "100000"}, {"XRP", "2", "7000"}, {"OLD", "9", "5000"},
	} {
		currencies[c.name] = &currency{id: 10 + i, scale: 8, index: n(c.index)}
		amount := n(c.amount)
		p.holdings = append(p.holdings, &holding{
			currency: currencies[c.name], collateral: greatest(num{}, amount), debt: greatest(num{}, amount.neg()),
		})
	}
	currencies["OLD"].stale = true
	ethPair := &instrument{id: 4, base: currencies["ETH"], quote: v.usdt, scale: 8, maxLeverage: 10}
	p.seats = append(p.seats, &seat{market: ethPair})
	p.seats[2].fill(n("0.5"), n("25000"), num{})
	p.seats[3].fill(n("1"), n("2500"), num{})
	p.seats[0].fill(n("0.1"), n("5000"), num{})
	p.seats[1].fill(n("-0.3"), n("15000"), num{})
	names := func(items []item) []string {
		var all []string
		for _, i := range items {
			switch {
			case i.closes == p.seats[0]:
				all = append(all, "perp")
			case i.closes == p.seats[1]:
				all = append(all, "other perp")
			case i.closes == p.seats[2]:
				all = append(all, "BTC pair")
			case i.closes == p.seats[3]:
				all = append(all, "ETH pair")
			}
			for name, c := range currencies {
				if i.buys != nil && i.buys.currency == c {
					all = append(all, "buy "+name)
				}
				if i.sells != nil && i.sells.currency == c {
					all = append(all, "sell "+name)
				}
			}
		}
		return all
	}
	compare := func(what string, want ...string) {
		t.Helper()
		got := names(p.liquidationItems())
		if len(got) != len(want) {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
		}
	}
	// The pairs own what they bought: 3 ETH are owed. The BTC that the first pair has were never bought.
	p.holdings[1].collateral = n("0.5")
	p.credit(n("-27500"))
	compare("all", "ETH pair", "BTC pair", "buy ETH", "buy SOL", "sell XRP", "sell DOGE", "other perp", "perp")
	v.btc.stale, v.perp.staleMark = true, true
	compare("what is stale waits", "ETH pair", "buy ETH", "buy SOL", "sell XRP", "sell DOGE", "other perp")
	v.btc.stale, v.perp.staleMark = false, false
	p.seats[0].fill(n("0.2"), n("10000"), num{})
	p.credit(n("100000"))
	compare("by market if even, and nothing is sold without a debt",
		"ETH pair", "BTC pair", "buy ETH", "buy SOL", "perp", "other perp")
}

func TestSizesOfRounds(t *testing.T) {
	for _, c := range []struct {
		name                 string
		round                int
		size, notional, want string
	}{
		{"a quarter", 1, "1", "49270", "0.25"},
		{"up to a step", 1, "1.001", "49270", "0.251"},
		{"all of what is worth little", 1, "1", "999.99", "1"},
		{"not at the edge", 1, "1", "1000", "0.25"},
		{"all if too little would be left", 1, "0.05", "2500", "0.05"},
		{"enough is left", 1, "0.08", "2500", "0.02"},
		{"then all", 2, "0.75", "37000", "0.75"},
	} {
		same(t, c.name, roundSize(c.round, n(c.size), n(c.notional), n("0.001"), n("0.05")), c.want)
	}
	for _, c := range []struct {
		name            string
		round           int
		debt, own, want string
	}{
		{"a quarter of the debt", 1, "1000", "0.2", "0.005"},
		{"all of it", 2, "1000", "0.2", "0.02"},
		{"all of a small one", 1, "999.99", "0.2", "0.02"},
		{"all that there is", 2, "20000", "0.2005", "0.2"},
		{"all if too little would be left", 2, "1000", "0.0205", "0.02"},
	} {
		same(t, c.name, saleSize(c.round, n(c.debt), n(c.own), n("50000"), n("0.001"), n("0.001")), c.want)
	}
}

func TestOverlapClosesAgainstItself(t *testing.T) {
	v := newVenue()
	p := v.account(10, "10000", "0")
	p.hedge = true
	s := p.seats[0]
	s.fillSide(true, n("3"), n("150000"), num{})
	s.fillSide(false, n("-2"), n("101000.01"), num{})
	v.perp.mark = n("49270.01")
	total := p.total()
	p.credit(s.closeOverlap(v.perp.mark))
	if p.total().cmp(total) != 0 {
		t.Errorf("the total was %v and is %v", total.rat(), p.total().rat())
	}
	same(t, "long", s.long.size, "1")
	same(t, "short", s.short.size, "0")
	same(t, "maintenance margin", p.maintenance(), "1478.1003")
	same(t, "nothing to close", s.closeOverlap(v.perp.mark), "0")
}

// liquidate sells a part of bob's position.
func liquidate(p *portfolio, size, price string) (fee, liquidation num) {
	s := p.seats[0]
	value := s.market.value(n(size), n(price))
	fee = value.times(n("0.0005")).truncate(unit(6))
	p.settle(s.fill(n(size).neg(), value, fee))
	liquidation = liquidationFee(value, n("0.002"), p.total(), 6)
	p.credit(liquidation.neg())
	return fee, liquidation
}

func TestLimitOfAFuture(t *testing.T) {
	v := newVenue()
	v.perp.feePrec = 8
	bob := newBob(v)
	v.perp.mark = n("49270")
	same(t, "total", bob.total(), "245")
	same(t, "maintenance", bob.maintenance(), "246.35")
	size := roundSize(1, bob.seats[0].net(), bob.notional(), v.perp.step, v.perp.minAmount)
	same(t, "first round", size, "0.25")
	limit := bob.closingLimit(bob.seats[0], true, size, n("0.0005"), n("0.002"))
	same(t, "limit", limit, "49147.87")

	worst := bob.copied()
	s := worst.seats[0]
	value := v.perp.value(size, limit)
	worst.settle(s.fill(size.neg(), value, value.times(n("0.0005"))))
	worst.credit(liquidationFee(value, n("0.002"), worst.total(), 8).neg())
	same(t, "total at the limit", worst.total(), "183.75008125")
	if worst.covers(one) {
		t.Error("a second round is not needed")
	}

	fee, liquidation := liquidate(bob, "0.25", "49260")
	same(t, "fee", fee, "6.1575")
	same(t, "liquidation fee", liquidation, "24.63")
	same(t, "equity", bob.equity(), "759.2125")
	same(t, "total", bob.total(), "211.7125")
	same(t, "maintenance", bob.maintenance(), "184.7625")
	if !bob.covers(one) {
		t.Error("not done")
	}

	short := v.account(100, "1000", "0")
	v.perp.mark = n("50000")
	short.trade(0, "-1", "50000", "0.0005")
	v.perp.mark = n("50730")
	same(t, "total of a short", short.total(), "245")
	same(t, "its limit", short.closingLimit(short.seats[0], false, n("0.25"), n("0.0005"), n("0.002")), "50847.88")
	v.perp.mark = n("52000")
	same(t, "total of a deficit", short.total(), "-1025")
	same(t, "its limit", short.closingLimit(short.seats[0], false, n("0.25"), n("0.0005"), n("0.002")), "47876.06")
}

func TestLiquidationFeeIsPaidOutOfWhatIsLeft(t *testing.T) {
	same(t, "enough", liquidationFee(n("12315"), n("0.002"), n("500"), 6), "24.63")
	same(t, "a part", liquidationFee(n("12315"), n("0.002"), n("3.00000099"), 6), "3")
	same(t, "nothing", liquidationFee(n("12315"), n("0.002"), n("-3"), 6), "0")
}

func TestLimitOfAPair(t *testing.T) {
	v := newVenue()
	same(t, "sells from", v.pair.indexLimit(false, n("0.02")), "49000")
	same(t, "buys to", v.pair.indexLimit(true, n("0.02")), "51000")
	v.btc.index = n("50000.33")
	same(t, "a tick inside", v.pair.indexLimit(false, n("0.02")), "49000.33") // 49000.3234
	same(t, "a tick inside", v.pair.indexLimit(true, n("0.02")), "51000.33")  // 51000.3366
	eth := &currency{id: 4, index: n("2500")}
	v.btc.index = n("50000")
	cross := &instrument{base: eth, quote: v.btc, tick: n("0.00001")}
	same(t, "of a pair that is not quoted in USDT", cross.indexLimit(false, n("0.02")), "0.049")
	third := &instrument{base: &currency{index: one}, quote: &currency{index: whole(3)}, tick: n("0.0001")}
	same(t, "of a price that is cut off", third.indexLimit(true, n("0.5")), "0.4999")
}

func TestEndOfAnAccount(t *testing.T) {
	v := newVenue()
	sellable := func(h *holding, amount num) bool { return h.currency == v.btc && !amount.less(n("0.001")) }
	buyable := func(h *holding) bool { return h.currency == v.btc }
	never := func(*holding) bool { return false }
	for _, c := range []struct {
		name, usdt, btc string
		buyable         func(*holding) bool
		want            bool
	}{
		{"nothing left", "-5", "0", buyable, true},
		{"dust left", "-5", "0.00099999", buyable, true},
		{"something to sell", "-5", "0.001", buyable, false},
		{"money to buy with", "5", "-0.1", buyable, false},
		{"money that buys nothing", "5", "-0.1", never, true},
		{"no money to buy with", "0", "-0.1", buyable, true},
		{"several debts", "-5", "-0.1", buyable, true},
		{"no debt", "0", "0.0001", buyable, false},
	} {
		if got := v.account(10, c.usdt, c.btc).ended(sellable, c.buyable); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	if newBob(v).ended(sellable, buyable) {
		t.Error("with a position")
	}
	p := v.account(10, "-5", "0")
	p.holdings = append(p.holdings, &holding{currency: &currency{id: 7, index: n("3")}, collateral: n("1000")})
	if !p.ended(sellable, buyable) {
		t.Error("what has no market cannot be sold")
	}
}

// TestLimitLeavesTheAccountItsShare: closing at the limit, with both fees, takes no more than the share of
// the size; closing all of it takes nothing that is not there.
func TestLimitLeavesTheAccountItsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := newVenue()
		s, p := randomFuture(t, v)
		long := s.net().sign() > 0
		if p.total().sign() <= 0 {
			return
		}
		taker, liquidation := n("0.0005"), n("0.002")
		part := whole(rapid.Int64Range(1, 1000).Draw(t, "part")).over(whole(1000))
		size := s.net().abs().times(part).ceil(unit(9))
		limit := p.closingLimit(s, long, size, taker, liquidation)
		if limit.sign() <= 0 {
			return // there is more than can be lost
		}
		share := p.total().times(size).times(s.market.price()).over(p.notional())
		value := size.times(limit)
		before := p.total()
		closed := p.copied()
		closed.settle(closed.seats[0].fill(signed(!long, size), value, value.times(taker.plus(liquidation))))
		if lost := before.minus(closed.total()); lost.more(share.plus(smallest)) {
			t.Fatalf("%v of a share of %v were lost", lost.rat(), share.rat())
		}
		if closed.total().plus(smallest).sign() < 0 {
			t.Fatalf("%v is left", closed.total().rat())
		}
	})
}
