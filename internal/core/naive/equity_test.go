package naive

import (
	"testing"

	"bourse/internal/schema"
)

func TestEquityOfAFuture(t *testing.T) {
	v := newVenue()
	alice := newAlice(v)
	same(t, "equity", alice.equity(), "14475")
	same(t, "unrealized", alice.unrealized(), "12.34")
	same(t, "total", alice.total(), "14487.34")
	same(t, "margin", alice.margin(), "2500.617")
	same(t, "free margin", alice.freeMargin(), "11986.723")
	same(t, "maintenance", alice.maintenance(), "1250.3085")
	same(t, "notional", alice.notional(), "50012.34")
	same(t, "maintenance fraction", alice.maintenanceFraction(), "0.025")
	same(t, "margin fraction times equity", alice.marginFraction().times(n("14475")), "2500.617")
	equity, margin := alice.futuresEquity()
	same(t, "futures equity", equity, "4987.34")
	same(t, "futures margin", margin, "2500.617")
}

func TestFractionsOfNothing(t *testing.T) {
	nobody := newVenue().account(10, "0", "0")
	same(t, "margin fraction", nobody.marginFraction(), "0")
	same(t, "maintenance fraction", nobody.maintenanceFraction(), "0")
	if nobody.liquidationState() != schema.RiskNone {
		t.Errorf("an empty account is in %s", nobody.liquidationState())
	}
}

// buyPair buys on the pair with USDT that are lent if there are too few, and pays a fee in them.
func buyPair(p *portfolio, size, price, feeRate string) {
	s := p.seats[2]
	value := s.market.value(n(size), n(price))
	s.fill(n(size), value, num{})
	p.credit(value.plus(value.times(n(feeRate))).neg())
	p.holdings[1].collateral = p.holdings[1].collateral.plus(n(size))
}

func TestEquityOfAPair(t *testing.T) {
	v := newVenue()
	p := v.account(10, "10000", "0")
	buyPair(p, "1.9", "50000", "0.001")
	same(t, "debt", p.holdings[0].debt, "85095")
	same(t, "own USDT", p.own(p.holdings[0]), "9905")
	same(t, "own BTC", p.own(p.holdings[1]), "0")
	same(t, "equity", p.equity(), "9905")
	same(t, "unrealized", p.unrealized(), "0")
	same(t, "margin", p.margin(), "9500")
	v.btc.index = n("51000") // a pair's base has no haircut
	same(t, "unrealized at a higher price", p.unrealized(), "1900")
	same(t, "equity then", p.equity(), "9905")

	p = v.account(10, "10000", "0")
	v.btc.index = n("50000")
	buyPair(p, "2", "50000", "0.001")
	same(t, "equity with 2 BTC", p.equity(), "9900")
	same(t, "margin of 2 BTC", p.margin(), "10000")
}

// TestWeightsCountOnlyWhatIsOwned: debts count wholly, and each product is rounded against the customer.
func TestWeightsCountOnlyWhatIsOwned(t *testing.T) {
	v := newVenue()
	p := v.account(20, "0", "-0.2")
	same(t, "a debt", p.equity(), "-10000")
	same(t, "its margin", p.margin(), "1000") // a leverage of 10
	same(t, "its maintenance margin", p.maintenance(), "300")
	same(t, "its notional", p.notional(), "10000")
	p.holdings[1].accrued = n("0.01")
	same(t, "with interest", p.equity(), "-10500")
	v.btc.index = n("0.333333333333333333")
	p = v.account(20, "0", "0.00000001")
	same(t, "something owned", p.equity(), "0.000000003166666666")
	p = v.account(20, "0", "-0.00000001")
	same(t, "something owed", p.equity(), "-0.000000003333333334")
	same(t, "its maintenance margin", p.maintenance(), "0.000000000100000001")
	v.btc.weight = num{}
	same(t, "something without a weight", v.account(20, "0", "5").equity(), "0")
}

// TestInterestOfPositions: two longs share the interest on USDT by their cost, a short has that on its base.
func TestInterestOfPositions(t *testing.T) {
	v := newVenue()
	p := v.account(10, "0", "0")
	for range 2 {
		p.seats = append(p.seats, &seat{market: &instrument{base: &currency{id: 9}, quote: v.usdt, scale: 8}})
	}
	p.holdings[0].accrued, p.holdings[1].accrued = n("1"), n("0.5")
	p.seats[0].fill(n("1"), n("50000"), num{}) // a future needs no loan
	p.seats[3].fill(n("1"), n("10000"), num{})
	p.seats[4].fill(n("1"), n("20000"), num{})
	p.seats[2].fill(n("-1"), n("50000"), num{})
	for i, want := range map[int]string{3: "0.33333333", 4: "0.66666666", 2: "0.5"} {
		same(t, "interest", p.unrealizedFunding(p.seats[i]), want)
	}
	same(t, "interest of nothing", p.unrealizedFunding(&seat{market: &instrument{quote: &currency{}}}), "0")
}

// TestGainsAreRoundedAgainstTheCustomer: both products of a pair, whichever sign they have.
func TestGainsAreRoundedAgainstTheCustomer(t *testing.T) {
	v := newVenue()
	third := n("0.333333333333333333")
	same(t, "a long", v.perp.gain(position{size: n("0.01"), cost: n("0.001")}, third), "0.002333333333333333")
	same(t, "a short", v.perp.gain(position{size: n("-0.01"), cost: n("-0.01")}, third), "0.006666666666666666")
	v.btc.index = third
	pair := &instrument{base: v.usdt, quote: v.btc}
	same(t, "the cost of a long", pair.gain(position{cost: n("0.01")}, one), "-0.003333333333333334")
	same(t, "the proceeds of a short", pair.gain(position{cost: n("-0.01")}, one), "0.003333333333333333")
}

func TestStaleExposure(t *testing.T) {
	v := newVenue()
	v.btc.stale = true
	plain := v.account(20, "1000", "1")
	if plain.exposedToStale() {
		t.Error("without a position or debt")
	}
	same(t, "free", plain.free(plain.holdings[1]), "1")
	bob := newBob(v)
	if bob.exposedToStale() {
		t.Error("with nothing of the stale currency")
	}
	alice := newAlice(v)
	if !alice.exposedToStale() {
		t.Error("alice has BTC")
	}
	same(t, "free of an exposed account", alice.free(alice.holdings[0]), "0")
	v.btc.stale, v.perp.staleMark = false, true
	if !bob.exposedToStale() {
		t.Error("bob's mark is stale")
	}
}
