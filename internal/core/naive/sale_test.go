package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// newDebtor is newTraders where anna owes 1000 USDT, lost on the future, and has 0.2 BTC that count nothing from now on.
// Nobody pays fees on the future. Ben has 100000 USDT and 100 BTC to trade with.
func newDebtor(t *testing.T) *world {
	w := newTraders(t)
	listed := btcPerp()
	listed.MakerFee, listed.TakerFee = d("0"), d("0")
	w.must(&schema.SetMarket{Market: listed})
	w.collateral(anna, btc, "0.2")
	w.must(out(anna, usdt, "1000"))
	w.cross(ben, anna, bid("1", "50000"))
	w.place(ben, bid("1", "49000"))
	w.place(anna, reducing(ask("1", "49000")))
	w.has(anna, usdt, "0", "1000")
	for asset, amount := range map[schema.AssetID]string{usdt: "100000", btc: "100"} {
		w.must(&schema.Deposit{Account: ben, Asset: asset, Amount: d(amount)})
		w.must(&schema.Transfer{Account: ben, Asset: asset, Amount: d(amount), From: schema.Main, To: schema.Trade})
	}
	set := btcCollateral()
	set.Weight = d("0")
	w.must(set)
	return w
}

// inSpot is an order on BTC_USDT.
func inSpot(a schema.AccountID, s schema.Side, amount, price string) *schema.PlaceOrder {
	return on(btcUSDT, a, limit(s, amount, price))
}

// TestDebtIsPaidByASale: a quarter of 1000 is 0.005 BTC at 50000; that leaves a debt, and so all of it follows.
func TestDebtIsPaidByASale(t *testing.T) {
	w := newDebtor(t)
	listed := *w.listing.market(btcUSDT)
	listed.MakerFee, listed.TakerFee = d("0.1"), d("0.2")
	w.must(&schema.SetMarket{Market: listed})
	w.must(inSpot(ben, schema.Buy, "1", "49500"))
	w.index(perp, 0, "50000")
	w.since(
		"risk of 101: liquidation, -1000 of 30",
		"102 trade of 2 by trade for 3: 50500 49252.5",
		"101 collateral of 1 by trade for 3: 0.195 0",
		"102 trade of 1 by trade for 3: 100.005 0",
		"101 collateral of 2 by trade for 3: 247.5 0",
		"102 trade of 1 by fee for 3: 100.004995 0",
		"2 main of 1 by fee for 3: 0.000005 0",
		"101 collateral of 2 by fee for 3: 247.005 0",
		"2 main of 2 by fee for 3: 0.495 0",
		"101 collateral of 2 by repayment for 3: 0 0",
		"5 main of 2 by repayment for 3: -752.995 0",
		"101 debt of 2 by repayment for 3: 752.995 0",
		"5 debt of 2 by repayment for 3: -752.995 0",
		"loan of 101: 752.995 and 0",
		"deal 3: 0.005 at 49500",
		"level buy 49500: 0.995",
		"order 5 updated by trade: PARTIALLY_FILLED left 0.995",
		"order 6 closed by liquidation: FILLED left 0",
		"102 trade of 2 by trade for 4: 50500 48460.5",
		"101 collateral of 1 by trade for 4: 0.179 0",
		"102 trade of 1 by trade for 4: 100.020995 0",
		"101 collateral of 2 by trade for 4: 792 0",
		"102 trade of 1 by fee for 4: 100.020979 0",
		"2 main of 1 by fee for 4: 0.000021 0",
		"101 collateral of 2 by fee for 4: 790.416 0",
		"2 main of 2 by fee for 4: 2.079 0",
		"101 collateral of 2 by repayment for 4: 37.421 0",
		"5 main of 2 by repayment for 4: 0 0",
		"101 debt of 2 by repayment for 4: 0 0",
		"5 debt of 2 by repayment for 4: 0 0",
		"loan of 101: 0 and 0, liquidated",
		"deal 4: 0.016 at 49500",
		"level buy 49500: 0.979",
		"order 5 updated by trade: PARTIALLY_FILLED left 0.979",
		"order 7 closed by liquidation: FILLED left 0",
		"risk of 101: none, 37.421 of 0",
	)
	for _, e := range w.last.Events {
		if e, is := e.(*schema.OrderChanged); is && e.Order.ID == 6 &&
			(!e.Order.Collateral || e.Order.ReduceOnly || e.Order.ClientID.String() != "liquidation_6_!" || e.Order.STP != schema.STPCancelOld) {
			t.Errorf("%+v", e.Order)
		}
	}
	w.holds()
}

// TestSaleWaits: for a bid of the public book at 49000 or above, for the market, and for the index. A write-off does not
// come while something can be sold.
func TestSaleWaits(t *testing.T) {
	w := newDebtor(t)
	account := schema.Account{ID: ben, Name: "ben", Region: schema.Global, RPI: true}
	w.must(&schema.SetAccount{Account: account})
	w.must(inSpot(ben, schema.Buy, "0.3", "48999.99"))
	rpi := limit(schema.Buy, "0.3", "49900")
	rpi.RPI = true
	w.must(on(btcUSDT, ben, rpi))
	last := w.trading.lastOrder
	waits := func(what string) {
		t.Helper()
		if len(w.Deals()) != 0 || w.trading.lastOrder != last || w.Risk(anna) != schema.Liquidation {
			t.Errorf("%s: %q", what, w.listed())
		}
		w.has(anna, usdt, "0", "1000")
	}
	w.index(perp, 0, "50000")
	waits("no bid")
	w.must(inSpot(ben, schema.Buy, "0.3", "49000"))
	last = w.trading.lastOrder
	listed := *w.listing.market(btcUSDT)
	listed.Enabled = false
	w.must(&schema.SetMarket{Market: listed})
	w.index(perp, 0, "50000")
	waits("not enabled")
	listed.Enabled = true
	w.must(&schema.SetMarket{Market: listed})
	w.tick(noon + 2*hour)
	waits("stale")
	w.must(&schema.PlanMaintenance{Market: btcUSDT, From: noon + 2*hour + minute, To: noon + 3*hour})
	w.tick(noon + 2*hour + minute)
	w.index(perp, 0, "50000")
	waits("in maintenance")
	w.must(&schema.PlanMaintenance{Market: btcUSDT})
	w.must(inSpot(ben, schema.Buy, "0.3", "49000"))
	w.index(perp, 0, "50000")
	if deals := w.Deals(); len(deals) != 2 || deals[0].Price != d("49000") {
		t.Errorf("deals: %+v", deals)
	}
	w.holds()
}

// TestOwnBidIsCanceled: an order of the account itself in the way ends, and its money stays in its wallet.
func TestOwnBidIsCanceled(t *testing.T) {
	w := newDebtor(t)
	w.must(&schema.Transfer{Account: anna, Asset: usdt, Amount: d("500"), From: schema.Main, To: schema.Trade})
	own := w.must(inSpot(anna, schema.Buy, "0.01", "49900")).Order
	w.must(inSpot(ben, schema.Buy, "1", "49500"))
	w.LiquidationUnits = 3
	w.index(perp, 0, "50000")
	if ids := w.ended(schema.CanceledSTP); !slices.Equal(ids, []schema.OrderID{own.ID}) {
		t.Errorf("canceled: %v", ids)
	}
	if deals := w.Deals(); len(deals) != 1 || deals[0].Amount != d("0.005") || deals[0].Price != d("49500") {
		t.Errorf("deals: %+v", deals)
	}
	w.balance(anna, usdt, "500", "0")
	w.holds()
}

// TestMostValuableIsSoldFirst: and what the first does not bring the next does.
func TestMostValuableIsSoldFirst(t *testing.T) {
	for has, want := range map[string][]schema.MarketID{"10": {btcUSDT, 3}, "10.001": {3, btcUSDT}} {
		w := newDebtor(t)
		w.must(&schema.SetMarket{Market: schema.MarketInfo{
			Name: "ETH_USDT", Base: eth, Quote: usdt, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 6, Enabled: true,
		}})
		w.must(&schema.SetCollateral{Asset: eth, IndexMaxAge: 3600 * schema.Second})
		w.collateral(anna, eth, has)
		w.must(inSpot(ben, schema.Buy, "0.001", "50000"))
		w.must(on(3, ben, limit(schema.Buy, "0.1", "1000")))
		w.index(3, 0, "1000")
		var markets []schema.MarketID
		for _, deal := range w.Deals() {
			markets = append(markets, deal.Market)
		}
		if !slices.Equal(markets, want) {
			t.Errorf("%s: sold on %v, want %v", has, markets, want)
		}
		w.has(anna, usdt, "0", "850")
		w.holds()
	}
}

// TestDustIsTheFunds: what is below the least amount of its market cannot be sold for good.
func TestDustIsTheFunds(t *testing.T) {
	w := newDebtor(t)
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), Rate: d("0.6"), IndexMaxAge: second})
	w.must(&schema.FundSystem{Account: insurance, Asset: usdt, Amount: d("2000")})
	w.collateral(anna, eth, "5") // no market at all
	w.tick(noon + 5*minute)      // 1 % of interest each minute
	listed := *w.listing.market(btcUSDT)
	listed.MinAmount = d("0.2")
	w.must(&schema.SetMarket{Market: listed})
	w.index(perp, 0, "50000")
	w.risk(anna, schema.Liquidation)
	w.has(anna, btc, "0.2", "0")
	listed.MinAmount = d("0.201")
	w.must(&schema.SetMarket{Market: listed})
	w.index(perp, 0, "50000")
	w.since(
		"5 debt of 2 by interest for 0: -1050 0",
		"101 debt of 2 by interest for 0: 1050 0",
		"3 main of 2 by shortfall for 0: 950 0",
		"101 collateral of 2 by shortfall for 0: 1050 0",
		"101 collateral of 2 by repayment for 0: 0 0",
		"5 main of 2 by repayment for 0: 50 0",
		"101 debt of 2 by repayment for 0: 0 0",
		"5 debt of 2 by repayment for 0: 0 0",
		"loan of 101: 0 and 0, liquidated",
		"101 collateral of 1 by shortfall for 0: 0 0",
		"3 main of 1 by shortfall for 0: 0.2 0",
		"101 collateral of 3 by shortfall for 0: 0 0",
		"3 main of 3 by shortfall for 0: 5 0",
		"shortfall of 101: 1050 of asset 2, the fund has 950",
		"risk of 101: none, 0 of 0",
	)
	w.holds()
}

// TestWriteOffNeedsAUnit and comes with the next run.
func TestWriteOffNeedsAUnit(t *testing.T) {
	w := newDebtor(t)
	w.must(&schema.PlanDelisting{Market: btcUSDT, At: noon + minute})
	w.LiquidationUnits = 0
	w.tick(noon + minute)
	w.has(anna, usdt, "0", "1000")
	w.LiquidationUnits = 1
	w.must(&schema.Tick{})
	w.has(anna, usdt, "0", "0")
	w.has(anna, btc, "0", "0")
	if w.risks() {
		t.Error("there is more to do")
	}
	w.holds()
}

// TestInterestToTheNextHour: what will be owed at the end of the hour counts, and inside it nothing changes.
func TestInterestToTheNextHour(t *testing.T) {
	w := newDebtor(t)
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), Rate: d("0.06"), IndexMaxAge: second})
	w.must(btcCollateral()) // counts again
	same(t, "T", w.margins.portfolio(anna).total(), "8500")
	same(t, "T at risk", w.margins.atRisk(anna).total(), "8440") // from noon to one
	w.tick(noon + 59*minute)
	same(t, "T", w.margins.portfolio(anna).total(), "8441")
	same(t, "T at risk", w.margins.atRisk(anna).total(), "8440")
	w.tick(noon + hour)
	same(t, "T", w.margins.portfolio(anna).total(), "8440")
	same(t, "T at risk", w.margins.atRisk(anna).total(), "8380")
}

// TestSalesBeforeAndAfterFutures: what was owed before is paid first, and what closing leaves is paid in the same run.
func TestSalesBeforeAndAfterFutures(t *testing.T) {
	markets := func(w *world) (found []schema.MarketID) {
		for _, deal := range w.Deals() {
			found = append(found, deal.Market)
		}
		return found
	}
	w := newDebtor(t)
	w.must(btcCollateral())
	w.cross(ben, anna, bid("1", "50000"))
	w.place(carl, bid("1", "50000"))
	w.must(inSpot(ben, schema.Buy, "1", "50000"))
	pair := schema.MarketInfo{
		Name: "ETH_USDT", Base: eth, Quote: usdt, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 6, MinAmount: d("1"), Enabled: true,
	}
	w.must(&schema.SetMarket{Market: pair})
	w.must(&schema.SetCollateral{Asset: eth, IndexMaxAge: 3600 * schema.Second})
	w.index(3, 0, "1000")
	w.collateral(anna, eth, "0.5")
	w.must(on(3, ben, limit(schema.Buy, "1", "1000")))
	set := btcCollateral()
	set.Weight = d("0")
	w.must(set)
	w.index(perp, 0, "50000")
	if got := markets(w); !slices.Equal(got, []schema.MarketID{btcUSDT, btcUSDT, perp, perp}) {
		t.Errorf("dealt on %v", got)
	}
	w.has(anna, eth, "0.5", "0") // nothing was owed any more
	w.holds()

	w = newWinner(t)
	w.collateral(anna, btc, "0.1")
	w.must(&schema.Deposit{Account: carl, Asset: usdt, Amount: d("5000")})
	w.must(&schema.Transfer{Account: carl, Asset: usdt, Amount: d("5000"), From: schema.Main, To: schema.Trade})
	w.must(inSpot(carl, schema.Buy, "0.2", "24900"))
	w.tick(noon + 2*minute)
	if got := markets(w); !slices.Equal(got, []schema.MarketID{perp, btcUSDT, btcUSDT}) {
		t.Errorf("dealt on %v", got)
	}
	w.has(anna, btc, "0", "0")
	w.has(anna, usdt, "0", "0")
	if fund, _, _ := w.Balance(insurance, schema.Main, usdt); fund != d("-1557.5") { // 4047.5 less 2490
		t.Errorf("the fund has %v", fund)
	}
	w.holds()
}

// TestSaleEndsWhenTheAccountIsSafe: a quarter of 9000 is enough, though the rest is owed still.
func TestSaleEndsWhenTheAccountIsSafe(t *testing.T) {
	w := newDebtor(t)
	w.must(btcCollateral())
	for _, price := range []string{"45500", "46500"} {
		w.cross(ben, anna, bid("1", "50000"))
		w.place(ben, bid("1", price))
		w.place(anna, reducing(ask("1", price)))
	}
	w.has(anna, usdt, "0", "9000")
	w.must(inSpot(ben, schema.Buy, "1", "50000"))
	set := btcCollateral()
	set.Weight = d("0.92")
	w.must(set)
	w.index(perp, 0, "50000") // 200 of 270, then 380 of 202.5
	if deals := w.Deals(); len(deals) != 1 || deals[0].Amount != d("0.045") {
		t.Errorf("deals: %+v", deals)
	}
	w.has(anna, usdt, "0", "6750")
	w.risk(anna, schema.RiskNone)
	w.holds()
}

// TestLessThanAStepIsDust: also where the market has no least amount.
func TestLessThanAStepIsDust(t *testing.T) {
	w := newDebtor(t)
	listed := *w.listing.market(btcUSDT)
	listed.StepSize = d("0.25")
	w.must(&schema.SetMarket{Market: listed})
	w.must(inSpot(ben, schema.Buy, "1", "50000"))
	w.index(perp, 0, "50000")
	if len(w.Deals()) != 0 {
		t.Errorf("deals: %+v", w.Deals())
	}
	w.has(anna, usdt, "0", "0")
	w.has(anna, btc, "0", "0")
	w.holds()
}
