package naive

import "testing"

func TestFreeCollateral(t *testing.T) {
	v := newVenue()
	alice := newAlice(v)
	same(t, "USDT", alice.free(alice.holdings[0]), "4975")
	same(t, "BTC", alice.free(alice.holdings[1]), "0.2")
	bob := newBob(v)
	v.perp.mark = n("50000")
	same(t, "what the margin can miss", bob.free(bob.holdings[0]), "475")
	v.perp.mark = n("50100") // a bracket of 50000, so that 100 more are at a leverage of 50
	same(t, "a profit cannot leave", bob.free(bob.holdings[0]), "473")
	v.perp.mark = n("49900")
	same(t, "a loss counts", bob.free(bob.holdings[0]), "376")
	v.perp.mark = n("49000")
	same(t, "never negative", bob.free(bob.holdings[0]), "0")

	// 5000 short of nothing: 0.2 BTC weigh 0.95, and 2500 of 9500 are bound.
	v.perp.mark = n("50000")
	holder := v.account(20, "0", "0.2")
	holder.seats[0].fill(n("1"), n("50000"), num{})
	same(t, "by its weight", holder.free(holder.holdings[1]), "0.14736842") // 7000/47500
	v.btc.weight = num{}
	same(t, "without a weight, not covered", holder.free(holder.holdings[1]), "0")
	holder.credit(n("2500"))
	same(t, "without a weight, covered", holder.free(holder.holdings[1]), "0.2")
	same(t, "nothing else", holder.free(holder.holdings[0]), "0")
}

func TestFreeWithALoan(t *testing.T) {
	v := newVenue()
	p := v.account(20, "1000", "0")
	for _, c := range []struct{ name, room, limit, want string }{
		{"as far as it is covered", "100000", "100000", "0.2"}, // 1000 at a leverage of 10
		{"as the pool has it", "0.15", "100000", "0.15"},
		{"as the account may owe", "100000", "0.12", "0.12"},
		{"below nothing", "100000", "-1", "0"},
	} {
		same(t, c.name, p.freeWithLoan(p.holdings[1], n(c.room), n(c.limit)), c.want)
	}
	same(t, "beside what is free", p.freeWithLoan(p.holdings[0], n("300"), n("500")), "1300")
	v.btc.index = num{}
	same(t, "without a price", p.freeWithLoan(p.holdings[1], n("300"), n("500")), "0")
}

func TestOrdersAreAdmittedIfCovered(t *testing.T) {
	v := newVenue()
	p := v.account(10, "10000", "0")
	admits := func(seat int, o pending, replaced int, fee string) bool {
		return p.admits(p.seats[seat], o, replaced, n(fee))
	}
	if !admits(2, buy("1.9", "50000"), -1, "95") {
		t.Error("1.9 BTC on the pair: 9500 and a fee of 95 are covered")
	}
	if admits(2, buy("2", "50000"), -1, "100") {
		t.Error("2 BTC on the pair: 9900 do not cover 10000")
	}
	if !admits(0, buy("2", "50000"), -1, "0") || admits(0, buy("2", "50000"), -1, "0.000001") {
		t.Error("exactly covered, and then a fee")
	}
	if admits(0, buy("1.98", "50600"), -1, "0") {
		t.Error("what is lost at once must be covered too") // 9900 and 1188
	}
	p.seats[0].orders = []pending{buy("2", "50000")}
	if admits(0, buy("0.1", "50000"), -1, "0") {
		t.Error("beside another order")
	}
	if !admits(0, buy("1.9", "50000"), 0, "47.5") || admits(0, buy("2.1", "50000"), 0, "0") {
		t.Error("in place of another order")
	}
	if !admits(0, sell("2", "50000"), -1, "50") {
		t.Error("an order that binds nothing is accepted without money for its fee")
	}
	if len(p.seats[0].orders) != 1 {
		t.Error("asking changed the orders")
	}
}

// TestClosingBelowTheMark: a plain order counts what it loses against the mark even if it closes, and only
// a reduce-only one is always accepted.
func TestClosingBelowTheMark(t *testing.T) {
	v := newVenue()
	bob := newBob(v)
	v.perp.mark = n("49500") // 475 of 495
	close := sell("1", "49490")
	if bob.admits(bob.seats[0], close, -1, n("24.745")) {
		t.Error("a plain order that loses 10")
	}
	if !bob.admits(bob.seats[0], reduceOnly(close), -1, n("24.745")) {
		t.Error("a reduce-only order")
	}
}

func TestRoomForAFill(t *testing.T) {
	v := newVenue()
	before := v.account(100, "1000", "0")
	bob := before.copied()
	bob.trade(0, "1", "50000", "0.0005")
	same(t, "total", bob.total(), "975")
	same(t, "initial margin", bob.positionMargin(), "500")
	if !hasRoom(before, bob, n("0"), n("1")) {
		t.Error("975 cover 500")
	}
	bob.trade(0, "0.6", "50000", "0.0005")
	same(t, "initial margin of more", bob.positionMargin(), "1100") // 50000 at 100 and 30000 at 50
	if hasRoom(before, bob, n("0"), n("1.6")) {
		t.Error("960 do not cover 1100")
	}

	poor := v.account(100, "930", "0")
	poor.trade(0, "1", "50000", "0")
	v.perp.mark = n("49270")
	same(t, "total", poor.total(), "200")
	same(t, "maintenance", poor.maintenance(), "246.35")
	half := poor.copied()
	half.trade(0, "-0.5", "49270", "0.0005")
	same(t, "total with half", half.total(), "187.6825")
	same(t, "maintenance with half", half.maintenance(), "123.175")
	if !hasRoom(poor, half, n("1"), n("0.5")) {
		t.Error("half of it is safer") // and 187.6825 cover 123.175
	}
	little := poor.copied()
	little.trade(0, "-0.1", "49270", "0.0005")
	same(t, "total with a little less", little.total(), "197.5365")
	if little.covers(one) || !hasRoom(poor, little, n("1"), n("0.9")) {
		t.Error("a little less is safer in proportion")
	}
	gift := poor.copied()
	gift.trade(0, "-0.1", "49000", "0.0005")
	if hasRoom(poor, gift, n("1"), n("0.9")) {
		t.Error("27 were given away")
	}
	flipped := poor.copied()
	flipped.trade(0, "-2", "49270", "0")
	if hasRoom(poor, flipped, n("1"), n("1")) {
		t.Error("a flip to the same size reduces nothing")
	}
}

func TestLeverageMustBeCovered(t *testing.T) {
	v := newVenue()
	bob := newBob(v)
	for leverage, want := range map[int64]bool{100: true, 50: false, 20: false} { // 500, 1000, 2500 of 975
		if got := bob.admitsLeverage(leverage); got != want {
			t.Errorf("a leverage of %d: %t", leverage, got)
		}
	}
	v.perp.mark = n("49200")
	bob.leverage = 50
	if !bob.admitsLeverage(100) {
		t.Error("a higher one binds less, whatever is left") // 492 of 175
	}
}

func TestLeverageThatThereIs(t *testing.T) {
	v := newVenue()
	v.perp.maxLeverage = 50
	p := v.account(10, "1000", "0")
	for leverage, want := range map[int64]bool{1: true, 4: false, 50: true, 100: true, 0: false, 200: false} {
		if got := p.validLeverage(leverage, 100); got != want {
			t.Errorf("a leverage of %d: %t", leverage, got)
		}
	}
	if p.validLeverage(50, 20) || !p.validLeverage(20, 20) {
		t.Error("what the account may have")
	}
	p.seats[0].orders = []pending{buy("0.001", "50000")}
	if p.validLeverage(100, 100) || !p.validLeverage(50, 100) {
		t.Error("what the market allows, with an order")
	}
}

func TestModeChangesWithoutFutures(t *testing.T) {
	p := newVenue().account(10, "1000", "0")
	p.seats[2].fill(n("0.01"), n("500"), num{})
	if !p.mayHedge() {
		t.Error("with a position on a pair")
	}
	p.seats[1].orders = []pending{buy("0.001", "50000")}
	if p.mayHedge() {
		t.Error("with an order on a future")
	}
	p.seats[1].orders = nil
	p.seats[1].fill(n("-0.01"), n("500"), num{})
	if p.mayHedge() {
		t.Error("with a position on a future")
	}
}

func TestReduceOnlyIsCut(t *testing.T) {
	for _, c := range []struct {
		name, position string
		buy            bool
		size, want     string
		ok             bool
	}{
		{"less than a long", "2", false, "1", "1", true},
		{"more than a long", "2", false, "3", "2", true},
		{"more than a short", "-2", true, "3", "2", true},
		{"with a long", "2", true, "1", "0", false},
		{"with a short", "-2", false, "1", "0", false},
		{"no position", "0", true, "1", "0", false},
	} {
		size, ok := reduceOnlySize(position{size: n(c.position)}, c.buy, n(c.size))
		same(t, c.name, size, c.want)
		if ok != c.ok {
			t.Errorf("%s: %t", c.name, ok)
		}
	}
}

func TestDearerLeg(t *testing.T) {
	same(t, "of buys", dearerLeg(true, n("49000"), n("51000")), "51000")
	same(t, "of sells", dearerLeg(false, n("51000"), n("49000")), "49000")
}

func TestLimitsOfAMarket(t *testing.T) {
	for price, want := range map[string]bool{"45000": true, "44999.99": false, "55000": true, "55000.01": false} {
		if got := withinBand(n(price), n("50000"), n("0.1")); got != want {
			t.Errorf("%s: %t", price, got)
		}
	}
	p := newVenue().account(10, "0", "0")
	s := p.seats[0]
	s.orders = []pending{buy("2", "49000"), reduceOnly(sell("1", "51000"))}
	for most, want := range map[string]bool{"0": true, "100000": true, "99999.99": false} {
		if got := p.fitsPosition(s, n(most)); got != want {
			t.Errorf("a position up to %s: %t", most, got)
		}
	}
	for most, want := range map[string]bool{"0": true, "149000": true, "148999.99": false} {
		if got := s.fitsPending(n(most)); got != want {
			t.Errorf("pending up to %s: %t", most, got)
		}
	}
}

func TestProtectionLiesOnItsSide(t *testing.T) {
	for _, c := range []struct {
		long         bool
		take, stop   string
		profit, loss bool
	}{
		{true, "51000", "49000", true, true},
		{true, "50000", "50000", false, false},
		{true, "49000", "51000", false, false},
		{false, "49000", "51000", true, true},
		{false, "51000", "49000", false, false},
		{true, "0", "0", true, true},
		{false, "0", "51000", true, true},
	} {
		profit, loss := validProtection(c.long, n(c.take), n("50000"), n(c.stop))
		if profit != c.profit || loss != c.loss {
			t.Errorf("%+v: %t %t", c, profit, loss)
		}
	}
}
