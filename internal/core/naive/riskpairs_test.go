package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// dealt compares the deals of the last command: amount and price of each.
func (w *world) dealt(want ...string) {
	w.t.Helper()
	var got []string
	for _, deal := range w.Deals() {
		got = append(got, deal.Amount.String(), deal.Price.String())
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("deals %v, want %v", got, want)
	}
}

// newLong has anna with 1.9 BTC for 95000 and 9905 USDT of her own. At 46000 she has 2305 for a maintenance margin of 2622.
func newLong(t *testing.T) *world {
	w := newPairs(t)
	w.opened(anna, schema.Buy, "1.9", "50000")
	return w
}

// TestLiquidationOfALong: her collateral orders end and her trade orders stay. A quarter is 0.475, which is enough.
func TestLiquidationOfALong(t *testing.T) {
	w := newLong(t)
	w.fundTrade(anna, usdt, "1000")
	w.must(inSpot(anna, schema.Buy, "0.01", "40000"))
	own := w.must(onPair(anna, limit(schema.Buy, "0.005", "40000"))).Order
	w.must(inSpot(ben, schema.Buy, "3", "45900"))
	w.index(btcUSDT, 0, "46000")
	w.since(
		"risk of 101: liquidation, 2305 of 2622",
		"level buy 40000: 0.01",
		"order 4 closed by liquidation: AUTO_CANCELED_LIQUIDATION left 0.005",
		"position 1 of 101 BOTH: 1.425 for 71250, 0.475 at 45900 realized -1947.5 fee 21.8025",
		"102 trade of 2 by trade for 2: 957205 115897.5",
		"101 collateral of 1 by trade for 2: 1.425 0",
		"102 trade of 1 by trade for 2: 98.575 0",
		"101 collateral of 2 by trade for 2: 21802.5 0",
		"101 collateral of 2 by repayment for 2: 0 0",
		"5 main of 2 by repayment for 2: 936707.5 0",
		"101 debt of 2 by repayment for 2: 63292.5 0",
		"5 debt of 2 by repayment for 2: -63292.5 0",
		"loan of 101: 63292.5 and 0",
		"102 trade of 1 by fee for 2: 98.574525 0",
		"2 main of 1 by fee for 2: 0.000475 0",
		"5 main of 2 by loan for 2: 936685.6975 0",
		"101 collateral of 2 by loan for 2: 21.8025 0",
		"5 debt of 2 by loan for 2: -63314.3025 0",
		"101 debt of 2 by loan for 2: 63314.3025 0",
		"loan of 101: 63314.3025 and 0",
		"101 collateral of 2 by fee for 2: 0 0",
		"2 main of 2 by fee for 2: 211.8025 0",
		"deal 2: 0.475 at 45900",
		"level buy 45900: 2.525",
		"order 5 updated by trade: PARTIALLY_FILLED left 2.525",
		"order 6 closed by liquidation: FILLED left 0",
		"risk of 101: margin_call, 2235.6975 of 1966.5",
	)
	forced := w.last.Events[len(w.last.Events)-2].(*schema.OrderChanged).Order
	if forced.ClientID.String() != "liquidation_6_!" || forced.Type != schema.StockMarket || forced.Side != schema.Sell || !forced.IOC ||
		forced.STP != schema.STPCancelOld || !forced.Collateral || !forced.ReduceOnly || forced.PositionSide != bothSides {
		t.Errorf("%+v", forced)
	}
	if own.ID != 4 {
		t.Errorf("%+v", own)
	}
	w.holds()
}

// TestLimitsOfAPair: bids at 2 % below the index and above are taken, in two rounds; below nothing is, and no order is made.
func TestLimitsOfAPair(t *testing.T) {
	w := newLong(t)
	w.must(inSpot(ben, schema.Buy, "3", "44099.99"))
	last := w.trading.lastOrder
	w.index(btcUSDT, 0, "45000")
	w.dealt()
	if w.trading.lastOrder != last || w.Risk(anna) != inLiquidation {
		t.Errorf("%q", w.listed())
	}
	w.must(inSpot(ben, schema.Buy, "0.5", "44100"))
	w.index(btcUSDT, 0, "45000")
	w.dealt("0.475", "44100", "0.025", "44100") // a quarter, and then all, of which there is not more
	if ids := w.ended(schema.PartiallyFilled); len(ids) != 1 {
		t.Errorf("ended: %v", ids)
	}
	w.positions(anna, "1.4", "70000")
	w.must(inSpot(ben, schema.Buy, "3", "44100"))
	w.index(btcUSDT, 0, "45000")
	w.dealt("0.35", "44100", "1.05", "44100")
	w.positions(anna)
	w.holds()
}

// newShort has anna with 1.9 BTC sold for 95000, lent by the pool, and 9905 USDT of her own.
func newShort(t *testing.T) *world {
	w := newPairs(t)
	w.opened(anna, schema.Sell, "1.9", "50000")
	return w
}

// TestLiquidationOfAShort: asks up to 2 % above the index are taken.
func TestLiquidationOfAShort(t *testing.T) {
	w := newShort(t)
	w.must(inSpot(ben, schema.Sell, "3", "55080.01"))
	w.index(btcUSDT, 0, "54000") // T is 2305, for 3078
	w.dealt()
	w.must(inSpot(ben, schema.Sell, "0.475", "54010"))
	w.must(inSpot(ben, schema.Sell, "3", "55080"))
	w.index(btcUSDT, 0, "54000")
	w.dealt("0.475", "54010", "1.425", "55080")
	w.positions(anna)
	w.has(anna, btc, "0", "0")
	// 9905 - 0.475 * 4010 - 1.425 * 5080, less 25.65475 and 78.489.
	w.has(anna, usdt, "657.10625", "0")
	w.risk(anna, riskNone)
	w.holds()
}

// TestPairsWait: for both indices and for their market; then they are liquidated whatever the pool has.
func TestPairsWait(t *testing.T) {
	w := newLong(t)
	w.must(inSpot(ben, schema.Buy, "3", "45900"))
	listed := btcPair()
	listed.Enabled = false
	w.must(&schema.SetMarket{Market: listed})
	w.index(btcUSDT, 0, "46000")
	w.dealt()
	w.must(&schema.SetMarket{Market: btcPair()})
	w.tick(noon + 2*hour)
	w.dealt() // stale
	w.must(&schema.FundSystem{Account: lending, Asset: usdt, Amount: d("-914905")})
	w.index(perp, 0, "46000")
	w.dealt("0.475", "45900")
	w.pool(usdt, "21780.6975", "63314.3025")
	w.holds()
}

// TestSmallestMarginFirst: the smaller of two pairs is closed before the larger, and futures after loans.
func TestSmallestMarginFirst(t *testing.T) {
	w := newPairs(t)
	listed := btcPair()
	listed.Name, listed.Base = "ETH_USDT", eth
	ethUSDT := schema.MarketID(w.must(&schema.SetMarket{Market: listed}).ID)
	w.index(ethUSDT, 0, "2500")
	w.must(&schema.SetCollateral{Asset: eth, IndexMaxAge: hour, PoolCap: d("100"), AccountCap: d("100")})
	w.fundTrade(ben, eth, "100")
	w.must(on(ethUSDT, ben, limit(schema.Sell, "10", "2500")))
	w.must(on(ethUSDT, anna, bid("10", "2500"))) // 25000
	w.opened(anna, schema.Buy, "0.6", "50000")   // 30000
	w.cross(carl, anna, bid("0.5", "50000"))     // 25000
	w.must(inSpot(ben, schema.Buy, "9", "44500"))
	w.must(on(ethUSDT, ben, limit(schema.Buy, "99", "2110")))
	w.place(carl, bid("9", "45000"))
	w.index(ethUSDT, 0, "2125")
	w.index(btcUSDT, 0, "45000")
	var markets []schema.MarketID
	for _, deal := range w.Deals() {
		markets = append(markets, deal.Market)
	}
	if !slices.Equal(markets, []schema.MarketID{ethUSDT, ethUSDT, btcUSDT, btcUSDT, perp, perp}) {
		t.Errorf("dealt on %v", markets)
	}
	w.holds()
}

// newNaked has anna with a debt of 0.4 BTC and 29980 USDT: she lost the BTC on ETH_BTC, where nobody pays fees.
func newNaked(t *testing.T) *world {
	w := newPairs(t)
	pair, feed := btcPair(), btcPair()
	pair.Name, pair.Base, pair.Quote, pair.MoneyPrec, pair.MakerFee, pair.TakerFee = "ETH_BTC", eth, btc, 4, d("0"), d("0")
	feed.Name, feed.Base, feed.Margin = "ETH_USDT", eth, schema.Margin{}
	ethBTC := schema.MarketID(w.must(&schema.SetMarket{Market: pair}).ID)
	ethUSDT := schema.MarketID(w.must(&schema.SetMarket{Market: feed}).ID)
	w.index(ethUSDT, 0, "3000")
	w.fundTrade(ben, eth, "10")
	w.collateral(anna, usdt, "30000")
	w.must(on(ethBTC, ben, limit(schema.Sell, "10", "0.06")))
	w.must(on(ethBTC, anna, bid("10", "0.06")))
	w.has(anna, btc, "0", "0.6")
	w.index(ethUSDT, 0, "1000")
	same(t, "U", w.margins.atRisk(anna).unrealized(), "-20000")
	w.must(on(ethBTC, ben, limit(schema.Buy, "10", "0.02")))
	w.must(on(ethBTC, anna, reducing(ask("10", "0.02"))))
	w.must(out(anna, usdt, "10020"))
	w.has(anna, usdt, "29980", "0")
	w.has(anna, btc, "0", "0.4")
	p := w.margins.portfolio(anna)
	same(t, "E", p.equity(), "9980")
	same(t, "IM", p.margin(), "2000")
	same(t, "MM", p.maintenance(), "600")
	w.holds()
	return w
}

// TestNakedLoanIsBought: a quarter of 0.4 BTC, up to 2 % above the index, and later a quarter and all, without a position.
func TestNakedLoanIsBought(t *testing.T) {
	w := newNaked(t)
	w.must(inSpot(ben, schema.Sell, "0.05", "74000"))
	w.must(inSpot(ben, schema.Sell, "0.2", "74256"))
	w.must(inSpot(ben, schema.Sell, "9", "74256.01"))
	w.index(btcUSDT, 0, "72800") // 29980 - 29120 = 860, for 873.6
	w.since(
		"risk of 101: liquidation, 860 of 873.6",
		"101 collateral of 2 by trade for 3: 26280 0",
		"102 trade of 1 by trade for 3: 91.15 9.2",
		"101 collateral of 1 by trade for 3: 0.05 0",
		"101 collateral of 1 by repayment for 3: 0 0",
		"5 main of 1 by repayment for 3: 9.65 0",
		"101 debt of 1 by repayment for 3: 0.35 0",
		"5 debt of 1 by repayment for 3: -0.35 0",
		"loan of 101: 0.35 and 0",
		"102 trade of 2 by trade for 3: 1003700 0",
		"102 trade of 2 by fee for 3: 1003696.3 0",
		"2 main of 2 by fee for 3: 3.7 0",
		"101 collateral of 2 by fee for 3: 26276.3 0",
		"2 main of 2 by fee for 3: 7.4 0",
		"deal 3: 0.05 at 74000",
		"level sell 74000: 0",
		"order 5 closed by trade: FILLED left 0",
		"101 collateral of 2 by trade for 4: 22563.5 0",
		"102 trade of 1 by trade for 4: 91.15 9.15",
		"101 collateral of 1 by trade for 4: 0.05 0",
		"101 collateral of 1 by repayment for 4: 0 0",
		"5 main of 1 by repayment for 4: 9.7 0",
		"101 debt of 1 by repayment for 4: 0.3 0",
		"5 debt of 1 by repayment for 4: -0.3 0",
		"loan of 101: 0.3 and 0",
		"102 trade of 2 by trade for 4: 1007409.1 0",
		"102 trade of 2 by fee for 4: 1007405.3872 0",
		"2 main of 2 by fee for 4: 11.1128 0",
		"101 collateral of 2 by fee for 4: 22559.7872 0",
		"2 main of 2 by fee for 4: 14.8256 0",
		"deal 4: 0.05 at 74256",
		"level sell 74256: 0.15",
		"order 6 updated by trade: PARTIALLY_FILLED left 0.15",
		"order 8 closed by liquidation: FILLED left 0",
		"risk of 101: margin_call, 719.7872 of 655.2",
	)
	w.index(btcUSDT, 0, "74256") // 22559.7872 - 22276.8, for 668.304
	w.dealt("0.075", "74256", "0.075", "74256", "0.15", "74256.01")
	w.has(anna, btc, "0", "0")
	w.has(anna, usdt, "260.708899", "0") // less 22276.8015, and 5.5692 twice and 11.138401
	w.positions(anna)
	w.holds()
}

// TestNakedLoanWithinTheBand: that of the market counts if it has one.
func TestNakedLoanWithinTheBand(t *testing.T) {
	w := newNaked(t)
	listed := btcPair()
	listed.LiquidationBand = d("1")
	w.must(&schema.SetMarket{Market: listed})
	w.must(inSpot(ben, schema.Sell, "9", "73528.01"))
	w.index(btcUSDT, 0, "72800")
	w.dealt()
	w.must(inSpot(ben, schema.Sell, "0.1", "73528"))
	w.index(btcUSDT, 0, "72800")
	w.dealt("0.1", "73528")
	w.holds()
}

// TestNakedLoanOfLittle: what is worth less than 1000 is bought at once.
func TestNakedLoanOfLittle(t *testing.T) {
	for _, c := range []struct {
		debt, want string
		round      int
	}{
		{"0.02", "0.005", 1},
		{"0.02", "0.02", 2},
		{"0.0199", "0.02", 1},
		{"0.0201", "0.006", 1},
		{"-0.1", "-0.1", 1},
	} {
		same(t, c.debt, purchaseSize(c.round, n(c.debt), n("50000"), n("0.001")), c.want)
	}
}

// TestSaleOfWhatWasSold: what a short gave of her own BTC is hers all the same, and is lent by force to be sold for a debt.
func TestSaleOfWhatWasSold(t *testing.T) {
	w := newPairs(t)
	listed := btcPerp()
	listed.MakerFee, listed.TakerFee = d("0"), d("0")
	w.must(&schema.SetMarket{Market: listed})
	w.collateral(anna, btc, "0.2")
	w.must(out(anna, usdt, "10000"))
	w.opened(anna, schema.Sell, "0.15", "50000")
	w.has(anna, btc, "0.05", "0")
	w.has(anna, usdt, "7492.5", "0")
	w.cross(carl, anna, bid("0.3", "50000"))
	w.index(btcUSDT, 0, "40000")
	w.cross(carl, anna, ask("0.3", "40000"))
	p := w.margins.atRisk(anna)
	same(t, "own BTC", p.owned(&currency{id: int(btc)}), "0.2")
	same(t, "own USDT", p.own(p.usdt()), "-3007.5")
	// Without its weight BTC covers nothing, and there is nobody to close the short with.
	w.must(&schema.SetCollateral{Asset: btc, IndexMaxAge: hour})
	w.must(inSpot(ben, schema.Buy, "1", "50000"))
	w.index(btcUSDT, 0, "50000")
	w.dealt("0.016", "50000", "0.045", "50000") // a quarter of 3007.5, and the 2208.3 that were left
	w.has(anna, btc, "0", "0.011")
	w.has(anna, usdt, "7539.45", "0") // 4492.5 + 3050 - 3.05
	w.positions(anna, "-0.15", "-7500")
	w.holds()
}

// TestEndWithADebtOfBTC: without a market for BTC her USDT go to the fund, which pays what she owes.
func TestEndWithADebtOfBTC(t *testing.T) {
	w := newNaked(t)
	w.must(&schema.FundSystem{Account: insurance, Asset: btc, Amount: d("1")})
	w.index(btcUSDT, 0, "76000") // 29980 - 30400
	w.since("risk of 101: liquidation, -420 of 912")
	w.delisted(btcUSDT, noon+minute)
	w.since(
		"*schema.MarketChanged",
		"3 main of 1 by shortfall for 0: 0.6 0",
		"101 collateral of 1 by shortfall for 0: 0.4 0",
		"101 collateral of 1 by repayment for 0: 0 0",
		"5 main of 1 by repayment for 0: 10 0",
		"101 debt of 1 by repayment for 0: 0 0",
		"5 debt of 1 by repayment for 0: 0 0",
		"loan of 101: 0 and 0, liquidated",
		"101 collateral of 2 by shortfall for 0: 0 0",
		"3 main of 2 by shortfall for 0: 29980 0",
		"shortfall of 101: 0.4 of asset 1, the fund has 0.6",
		"risk of 101: none, 0 of 0",
	)
	w.holds()
}

// TestEndWithTwoDebts: each has its own shortfall, by asset.
func TestEndWithTwoDebts(t *testing.T) {
	w := newNaked(t)
	w.must(out(anna, usdt, "4000"))
	w.must(inSpot(ben, schema.Sell, "0.3", "76000"))
	w.index(btcUSDT, 0, "76000") // 25980 - 30400: she buys 0.3 for 22822.8
	w.has(anna, btc, "0", "0.1")
	w.has(anna, usdt, "3157.2", "0")
	w.risk(anna, inLiquidation) // her money waits for a seller
	w.must(inSpot(ben, schema.Sell, "0.05", "76000"))
	w.index(btcUSDT, 0, "76000") // 3803.8
	var short []string
	for _, e := range w.last.Events {
		if e, is := e.(*schema.Shortfall); is {
			short = append(short, e.Amount.String(), e.Fund.String())
		}
	}
	if want := []string{"0.05", "-0.05", "646.6", "-646.6"}; !slices.Equal(short, want) {
		t.Errorf("shortfalls %v, want %v", short, want)
	}
	w.has(anna, btc, "0", "0")
	w.has(anna, usdt, "0", "0")
	w.risk(anna, riskNone)
	w.holds()
}

// TestDelistingOfAPair: the fund takes a long's BTC and gives a short's, at the index of the end.
func TestDelistingOfAPair(t *testing.T) {
	w := newPairs(t)
	w.must(&schema.FundSystem{Account: insurance, Asset: usdt, Amount: d("1000")})
	w.opened(anna, schema.Sell, "1", "50000")
	w.opened(carl, schema.Buy, "1.001", "50000")
	w.must(onPair(carl, limit(schema.Buy, "1", "49000")))
	w.must(&schema.SetIndex{Market: btcUSDT, Price: d("50100.123456789")})
	w.FundingSlice = 1
	w.delisted(btcUSDT, noon+minute)
	w.happened(
		"level buy 49000: 0",
		"order 5 closed by delisting: CANCELED left 1",
		"*schema.MarketChanged",
		"delisted position 1 of 101 BOTH: 0 for 0, -1 at 50100.123456789 realized -100.12345679 fee 0",
		"101 collateral of 2 by delisting for 0: 9849.87654321 0",
		"3 main of 2 by delisting for 0: 51100.12345679 0",
		"3 main of 1 by delisting for 0: -1 0",
		"101 collateral of 1 by delisting for 0: 1 0",
		"101 collateral of 1 by repayment for 0: 0 0",
		"5 main of 1 by repayment for 0: 10 0",
		"101 debt of 1 by repayment for 0: 0 0",
		"5 debt of 1 by repayment for 0: 0 0",
		"loan of 101: 0 and 0",
	)
	w.open(2)
	w.timer(noon + minute + 1)
	w.tick(noon + minute + 1)
	w.happened(
		"delisted position 2 of 103 BOTH: 0 for 0, 1.001 at 50100.123456789 realized 100.22358024 fee 0",
		"103 collateral of 1 by delisting for 0: 0 0",
		"3 main of 1 by delisting for 0: 0.001 0",
		"3 main of 2 by delisting for 0: 949.89987655 0",
		"103 collateral of 2 by delisting for 0: 100050.17358024 0",
	)
	w.open()
	w.holds()
}

// newCross is newPairs with ETH_BTC, where liquidation trades up to 5 % from the index, at 3000 for an ETH.
func newCross(t *testing.T) *world {
	w := newPairs(t)
	pair, feed := btcPair(), btcPair()
	pair.Name, pair.Base, pair.Quote, pair.MoneyPrec, pair.LiquidationBand = "ETH_BTC", eth, btc, 4, d("5")
	feed.Name, feed.Base, feed.Margin = "ETH_USDT", eth, schema.Margin{}
	for _, m := range []schema.MarketInfo{pair, feed} {
		w.must(&schema.SetMarket{Market: m})
	}
	w.index(ethUSDT, 0, "3000")
	w.fundTrade(ben, eth, "100")
	return w
}

// TestBoundsOfACrossPair: all of them are in USDT, and so is the fee that must be covered.
func TestBoundsOfACrossPair(t *testing.T) {
	w := newCross(t)
	w.refused(because(schema.NotEnoughBalance), on(ethBTC, anna, bid("33.004", "0.06"))) // 9901.2 and 99.012
	for _, c := range []struct {
		position, pending string
		want              schema.Reason
	}{{"90000", "0", schema.PositionTooBig}, {"0", "90000", schema.PendingTooBig}} {
		listed := *w.listing.market(ethBTC)
		listed.MaxPosition, listed.MaxPending = d(c.position), d(c.pending)
		w.must(&schema.SetMarket{Market: listed})
		w.refused(because(c.want), on(ethBTC, anna, bid("30.001", "0.06")))
		w.must(on(ethBTC, anna, bid("30", "0.06")))
		w.must(&schema.CancelAll{Account: anna})
	}
	listed := *w.listing.market(ethBTC)
	listed.MaxPosition, listed.MaxPending = d("0"), d("0")
	w.must(&schema.SetMarket{Market: listed})
	w.must(on(ethBTC, anna, bid("33.003", "0.06")))
}

// TestLiquidationOfACrossPair: from 95 % of 0.0412 on, to a tick inside. The fee was a loan of BTC that nothing is there for.
func TestLiquidationOfACrossPair(t *testing.T) {
	w := newCross(t)
	w.must(on(ethBTC, ben, limit(schema.Sell, "10", "0.06")))
	w.must(on(ethBTC, anna, bid("10", "0.06")))
	w.has(anna, btc, "0", "0.6006")
	p := w.margins.portfolio(anna)
	same(t, "E", p.equity(), "9970")
	same(t, "IM", p.margin(), "3003")
	same(t, "MM", p.maintenance(), "900.9")
	w.must(on(ethBTC, ben, limit(schema.Buy, "10", "0.0391")))
	w.index(ethUSDT, 0, "2060") // 570 of 618.9
	w.dealt()
	w.risk(anna, inLiquidation)
	w.must(on(ethBTC, ben, limit(schema.Buy, "4", "0.0392")))
	w.index(ethUSDT, 0, "2060")
	w.dealt("2.5", "0.0392", "1.5", "0.0392") // they are worth 20600 USDT, and so a quarter comes first
	w.positions(anna, "6", "0.36")
	w.holds()
}

// TestSaleAfterAPurchase: what a loan of BTC costs leaves a debt of USDT, for which ETH is sold in the same run.
func TestSaleAfterAPurchase(t *testing.T) {
	w := newNaked(t)
	w.collateral(anna, eth, "10") // they count nothing
	w.must(out(anna, usdt, "7980"))
	w.must(inSpot(ben, schema.Sell, "1", "55000"))
	w.must(on(ethUSDT, ben, limit(schema.Buy, "9", "990")))
	w.index(btcUSDT, 0, "55000") // 22000 USDT for 0.4 BTC
	w.dealt("0.1", "55000", "0.3", "55000", "0.022", "990", "0.001", "990")
	w.has(anna, btc, "0", "0")
	w.has(anna, usdt, "0.74723", "0") // less 22 of fees, and 22.77 less 0.02277
	w.has(anna, eth, "9.977", "0")
	w.risk(anna, riskNone)
	w.holds()
}
