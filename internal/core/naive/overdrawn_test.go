package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// newOverdrawn is newDebtor where the 0.2 BTC of anna count, so that she is far from liquidation, and an account may borrow so
// much USDT.
func newOverdrawn(t *testing.T, most string) *world {
	w := newDebtor(t)
	w.must(btcCollateral())
	w.borrows(usdt, most)
	return w
}

// borrows sets what an account may borrow of an asset.
func (w *world) borrows(asset schema.AssetID, most string) {
	w.t.Helper()
	set := w.prices.collaterals[asset]
	set.Asset, set.AccountCap, set.IndexMaxAge = asset, d(most), schema.Time(3600*schema.Second)
	if asset == usdt {
		set.Weight = d("1")
	}
	w.must(&set)
}

// noted compares the accounts that owe too much.
func (w *world) noted(want ...schema.AccountID) {
	w.t.Helper()
	var got []schema.AccountID
	for _, a := range w.Accounts() {
		if w.margins.overdrawn[a.ID] {
			got = append(got, a.ID)
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("noted: %v, want %v", got, want)
	}
}

// TestForcedDebtIsPaidByTheNextTick: 1000 USDT are 0.02 BTC at 50000, and 10 are one step.
func TestForcedDebtIsPaidByTheNextTick(t *testing.T) {
	w := newOverdrawn(t, "0")
	w.noted(anna)
	w.must(inSpot(ben, schema.Buy, "1", "49500"))
	w.index(perp, 0, "50000")
	w.has(anna, usdt, "0", "1000")
	w.tick(noon + second)
	w.since(
		"102 trade of 2 by trade for 3: 50500 48510",
		"101 collateral of 1 by trade for 3: 0.18 0",
		"102 trade of 1 by trade for 3: 100.02 0",
		"101 collateral of 2 by trade for 3: 990 0",
		"101 collateral of 2 by repayment for 3: 0 0",
		"5 main of 2 by repayment for 3: -10 0",
		"101 debt of 2 by repayment for 3: 10 0",
		"5 debt of 2 by repayment for 3: -10 0",
		"loan of 101: 10 and 0",
		"deal 3: 0.02 at 49500",
		"level buy 49500: 0.98",
		"order 5 updated by trade: PARTIALLY_FILLED left 0.98",
		"order 6 closed by liquidation: FILLED left 0",
	)
	forced := w.last.Events[len(w.last.Events)-1].(*schema.OrderChanged).Order
	if forced.ClientID.String() != "liquidation_6_!" || forced.Type != schema.StockMarket || !forced.Collateral || forced.ReduceOnly {
		t.Errorf("%+v", forced)
	}
	w.noted(anna)
	w.tick(noon + 2*second)
	w.dealt("0.001", "49500")
	w.has(anna, usdt, "39.5", "0")
	w.noted()
	w.tick(noon + 3*second)
	w.since()
	w.holds()
}

// TestOnlyTheExcessIsPaid: 400 of 1000 may stay, and a cap that is lowered afterwards asks for nothing.
func TestOnlyTheExcessIsPaid(t *testing.T) {
	w := newOverdrawn(t, "400")
	w.must(inSpot(ben, schema.Buy, "1", "50000"))
	w.tick(noon + second)
	w.dealt("0.012", "50000")
	w.has(anna, usdt, "0", "400")
	w.noted()
	w.borrows(usdt, "0")
	w.tick(noon + 2*second)
	w.since()
	w.has(anna, usdt, "0", "400")
	w.holds()
}

// TestInterestIsPaidWithTheExcess: 1 % each minute, to the next whole hour. What is booked decides whether anything is paid.
func TestInterestIsPaidWithTheExcess(t *testing.T) {
	w := newOverdrawn(t, "1000")
	set := w.prices.collaterals[usdt]
	set.Rate = d("0.6")
	w.must(&set)
	w.must(inSpot(ben, schema.Buy, "1", "49999"))
	w.tick(noon + second)
	w.since()
	w.noted()
	set.AccountCap = d("900")
	w.must(&set)
	w.cross(ben, anna, bid("0.001", "50000"))
	w.place(ben, bid("0.001", "49900"))
	w.place(anna, reducing(ask("0.001", "49900")))
	w.has(anna, usdt, "0", "1000.1")
	w.noted(anna)
	w.must(inSpot(ben, schema.Buy, "1", "50000"))
	w.tick(noon + 2*second)
	w.dealt("0.015", "50000") // 100.1 and 600.06 by one o'clock
	w.has(anna, usdt, "0", "250.1")
	w.noted()
	w.holds()
}

// TestExcessWaits: with nobody in the band nothing is made, and the account stays noted.
func TestExcessWaits(t *testing.T) {
	w := newOverdrawn(t, "0")
	w.must(inSpot(ben, schema.Buy, "1", "48999.99"))
	last := w.trading.lastOrder
	w.tick(noon + second)
	w.since()
	if w.trading.lastOrder != last {
		t.Errorf("order %d was made", w.trading.lastOrder)
	}
	w.noted(anna)
	w.must(inSpot(ben, schema.Buy, "0.005", "49000"))
	w.tick(noon + 2*second)
	w.dealt("0.005", "49000")
	w.has(anna, usdt, "0", "755")
	w.noted(anna)
	// What is paid otherwise needs no sale.
	w.must(&schema.Transfer{Account: anna, Asset: usdt, Amount: d("755"), From: schema.Main, To: schema.Collateral})
	w.must(inSpot(ben, schema.Buy, "1", "49000"))
	w.tick(noon + 3*second)
	w.since()
	w.noted()
	w.holds()
}

// TestLessThanTheLeastIsSoldToo: 0.001 of 0.2 BTC would be left.
func TestLessThanTheLeastIsSoldToo(t *testing.T) {
	w := newOverdrawn(t, "0")
	listed := *w.listing.market(btcUSDT)
	listed.MinAmount = d("0.181")
	w.must(&schema.SetMarket{Market: listed})
	w.must(inSpot(ben, schema.Buy, "1", "50000"))
	w.tick(noon + second)
	w.dealt("0.2", "50000")
	w.has(anna, usdt, "9000", "0")
	w.holds()
}

// TestLoansOfChoiceAreNotForced: whatever becomes of the cap and of interest.
func TestLoansOfChoiceAreNotForced(t *testing.T) {
	w := newPairs(t)
	w.collateral(anna, btc, "1")
	w.opened(anna, schema.Buy, "1.9", "50000")
	w.has(anna, usdt, "0", "85095")
	w.noted()
	w.borrows(usdt, "0")
	w.must(inSpot(ben, schema.Buy, "1", "50000"))
	w.tick(noon + 3*minute)
	w.since()
	w.noted()
	w.must(onPair(anna, reducing(limit(schema.Sell, "0.001", "50000")))) // its fee is
	w.has(anna, usdt, "0", "85045.05")
	w.noted(anna)
	w.holds()
}

// TestLiquidationGoesBeforeTheExcess: the position of anna waits for bids, and nothing else is to be sold for it, since she owns
// USDT beside what it cost. When she is safe her ETH is sold for what she owes.
func TestLiquidationGoesBeforeTheExcess(t *testing.T) {
	w := newPairs(t)
	ethUSDT := w.ethMarket()
	w.collateral(anna, eth, "1")
	w.opened(anna, schema.Buy, "1.9", "50000")
	w.borrows(usdt, "85095")
	w.cross(carl, anna, bid("0.001", "50000"))
	w.cross(carl, anna, reducing(ask("0.001", "50000")))
	w.has(anna, usdt, "0", "85095.05")
	w.index(btcUSDT, 0, "44500")
	w.risk(anna, schema.Liquidation)
	w.must(on(ethUSDT, ben, limit(schema.Buy, "2", "1000")))
	w.tick(noon + second)
	w.since()
	w.noted(anna)
	w.index(btcUSDT, 0, "50000")
	w.risk(anna, schema.RiskNone)
	w.tick(noon + 2*second)
	w.dealt("0.001", "1000")
	w.has(anna, usdt, "0", "85094.05")
	w.noted()
	w.holds()
}

// ethMarket lists ETH_USDT at 1000, with no margin and no fee.
func (w *world) ethMarket() schema.MarketID {
	w.t.Helper()
	id := schema.MarketID(w.must(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "ETH_USDT", Base: eth, Quote: usdt, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 6, Enabled: true,
	}}).ID)
	w.must(&schema.SetCollateral{Asset: eth, Weight: d("0.5"), IndexMaxAge: 3600 * schema.Second})
	w.index(id, 0, "1000")
	return id
}

// TestForcedDebtOfTheQuote: the fee of a pair is in BTC. What is owed too much of it is bought, for USDT that are lent, which are
// paid by a sale in the same tick.
func TestForcedDebtOfTheQuote(t *testing.T) {
	for _, has := range []schema.AssetID{usdt, eth} {
		w := newPairs(t)
		ethUSDT := w.ethMarket()
		cross := schema.MarketID(w.must(&schema.SetMarket{Market: schema.MarketInfo{
			Name: "ETH_BTC", Base: eth, Quote: btc, Type: schema.Spot, StockPrec: 3, MoneyPrec: 4, FeePrec: 6, Enabled: true,
			TakerFee: d("0.1"), Margin: schema.Margin{MaxLeverage: 3, LiquidationBand: d("5")},
		}}).ID)
		w.borrows(btc, "0.06")
		w.borrows(usdt, "0")
		if has == eth {
			w.collateral(anna, eth, "5")
			w.must(out(anna, usdt, "10000"))
		}
		w.fundTrade(ben, eth, "100")
		w.must(on(cross, ben, limit(schema.Sell, "3", "0.02")))
		w.must(on(cross, anna, bid("3", "0.02")))
		w.has(anna, btc, "0", "0.06006")
		w.noted(anna)
		w.must(inSpot(ben, schema.Sell, "1", "50500"))
		w.must(on(ethUSDT, ben, limit(schema.Buy, "2", "999")))
		w.tick(noon + second)
		w.has(anna, btc, "0", "0.05906") // a step of 0.001
		w.noted()
		if has == usdt {
			w.dealt("0.001", "50500")
			w.has(anna, usdt, "9949.4495", "0") // with a fee of 0.0505
		} else {
			w.dealt("0.001", "50500", "0.051", "999") // for 50.5505
			w.has(anna, usdt, "0.3985", "0")
			w.has(anna, eth, "7.949", "0")
		}
		w.holds()
	}
}

// TestMostValuableExcessIsBoughtFirst: 0.25 ETH before 0.004 BTC, and after 0.006.
func TestMostValuableExcessIsBoughtFirst(t *testing.T) {
	for owes, want := range map[string][]schema.MarketID{"0.004": {3, btcUSDT}, "0.006": {btcUSDT, 3}} {
		w := newPairs(t)
		ethUSDT := w.ethMarket()
		w.margins.lend(anna, btc, n(owes), 0, true)
		w.margins.lend(anna, eth, n("0.25"), 0, true)
		w.must(inSpot(ben, schema.Sell, "1", "50000"))
		w.borrows(btc, "0")
		w.fundTrade(ben, eth, "1")
		w.must(on(ethUSDT, ben, limit(schema.Sell, "1", "1000")))
		w.ledger.move(holder{anna, schema.Collateral}, holder{carl, schema.Main}, btc, n(owes), why{})
		w.ledger.move(holder{anna, schema.Collateral}, holder{carl, schema.Main}, eth, n("0.25"), why{})
		w.tick(noon + second)
		var markets []schema.MarketID
		for _, deal := range w.Deals() {
			markets = append(markets, deal.Market)
		}
		if !slices.Equal(markets, want) {
			t.Errorf("%s: bought on %v, want %v", owes, markets, want)
		}
		w.noted()
	}
}

// TestExcessNeedsUnits: an order and two fills for each. Who comes too late comes first in the next tick.
func TestExcessNeedsUnits(t *testing.T) {
	w := newOverdrawn(t, "0")
	w.collateral(carl, btc, "2.2")
	w.must(out(carl, usdt, "100000"))
	w.cross(ben, carl, bid("1", "50000"))
	w.place(ben, bid("1", "49000"))
	w.place(carl, reducing(ask("1", "49000")))
	w.noted(anna, carl)
	for range 4 {
		w.must(inSpot(ben, schema.Buy, "0.01", "49500"))
	}
	w.must(inSpot(ben, schema.Buy, "1", "49500"))
	w.LiquidationUnits = 3
	seller := func(want schema.AccountID, amounts ...string) {
		t.Helper()
		w.tick(w.time + 2)
		deals := w.Deals()
		for i, deal := range deals {
			if deal.Taker.Account != want || i >= len(amounts) || deal.Amount != d(amounts[i]) {
				t.Errorf("%+v", deals)
			}
		}
		if len(deals) != len(amounts) {
			t.Errorf("%d deals", len(deals))
		}
	}
	w.time = noon + second
	seller(anna, "0.01", "0.01")
	w.timer(w.lastTick + 1)
	w.noted(anna, carl)
	seller(carl, "0.01", "0.01") // the last of the list: the next tick may come when it comes
	w.noted(anna, carl)
	w.LiquidationUnits = 2
	seller(anna, "0.001")
	w.timer(w.lastTick + 1)
	w.noted(carl)
	w.LiquidationUnits = 300
	w.tick(w.time + 2)
	w.dealt("0.001", "49500")
	w.noted()
	w.holds()
}

// TestNothingToSell: ETH counts as collateral and has a price from its future, but no market and then no fresh price.
func TestNothingToSell(t *testing.T) {
	w := newTraders(t)
	w.listETH("2000")
	w.must(&schema.SetCollateral{Asset: eth, Weight: d("0.5"), IndexMaxAge: 60 * schema.Second})
	w.collateral(anna, eth, "10")
	w.must(out(anna, usdt, "1000"))
	w.cross(ben, anna, bid("0.1", "50000"))
	w.has(anna, usdt, "0", "2.5")
	waits := func(at schema.Time) {
		t.Helper()
		w.tick(at)
		w.since()
		w.noted(anna)
	}
	waits(noon + second)
	ethUSDT := schema.MarketID(w.must(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "ETH_USDT", Base: eth, Quote: usdt, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 6,
	}}).ID)
	waits(noon + 2*second) // not enabled
	listed := *w.listing.market(ethUSDT)
	listed.Enabled = true
	w.must(&schema.SetMarket{Market: listed})
	w.fundTrade(ben, usdt, "2000")
	w.must(on(ethUSDT, ben, limit(schema.Buy, "1", "2000")))
	waits(noon + 2*minute) // stale
	w.index(ethPerp, 0, "2000")
	w.tick(noon + 2*minute + second)
	w.dealt("0.002", "2000") // 1.25 thousandths
	w.has(anna, usdt, "1.5", "0")
	w.noted()
	w.holds()
}
