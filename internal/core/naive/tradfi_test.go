package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

const (
	dollar  schema.AssetID  = 4
	usdUSDT schema.MarketID = 4 // spot
)

// newTradFi is newTraders with BTC_USD in the place of BTC_PERP, where USD is worth so many USDT and BTC so many USD. ETH_PERP and
// USD_USDT are beside it. The smallest unit of USD is larger than that of USDT.
func newTradFi(t *testing.T, usd, btcs string) *world {
	w := &world{Exchange: New(), t: t, time: noon}
	for _, ticker := range []string{"BTC", "USDT", "ETH"} {
		w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: ticker, CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8}})
	}
	w.must(usdAsset())
	w.must(&schema.SetMarket{Market: btcInUSD()})
	w.must(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USDT", Base: btc, Quote: usdt, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 6, Enabled: true,
	}})
	w.must(btcCollateral())
	w.listETH("2000")
	w.listUSD()
	w.index(usdUSDT, 0, usd)
	w.index(perp, 0, btcs)
	w.newCustomers(true)
	return w
}

func usdAsset() *schema.SetAsset {
	return &schema.SetAsset{Asset: schema.Asset{Ticker: "USD", Class: schema.Fiat, Scale: 6, Precision: 2}}
}

// listUSD lists USD and its market, where its index is set, which counts for an hour.
func (w *world) listUSD() {
	w.t.Helper()
	w.must(usdAsset())
	w.must(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "USD_USDT", Base: dollar, Quote: usdt, Type: schema.Spot, StockPrec: 2, MoneyPrec: 6, FeePrec: 6, Enabled: true,
	}})
	w.must(&schema.SetCollateral{Asset: dollar, IndexMaxAge: 3600 * schema.Second})
}

func btcInUSD() schema.MarketInfo {
	listed := btcPerp()
	listed.Name, listed.Quote, listed.Type = "BTC_USD", dollar, schema.TradFiFutures
	return listed
}

// quoted compares what is kept in USD of the positions that changed with the last command: cost, paid and realized.
func (w *world) quoted(want ...string) {
	w.t.Helper()
	var got []string
	for _, e := range w.last.Events {
		if e, is := e.(*schema.PositionChanged); is {
			got = append(got, e.Position.QuotedCost.String(), e.Position.QuotedPaid.String(), e.Position.QuotedRealized.String())
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("in USD: %q, want %q", got, want)
	}
}

// TestDealInUSD: 2 at 230.10 USD of 0.9995 USDT.
func TestDealInUSD(t *testing.T) {
	w := newTradFi(t, "0.9995", "230.10")
	w.place(ben, ask("2", "230.10"))
	w.order(w.place(anna, bid("2", "230.10")), schema.Filled, "0", "2", "460.2", "0.229984")
	w.happened(
		"102 collateral of 2 by fee for 1: 99999.908007 0",
		"2 main of 2 by fee for 1: 0.091993 0",
		"position 1 of 102 BOTH: -2 for -459.9699, 2 at 230.1 realized 0 fee 0.091993",
		"101 collateral of 2 by fee for 1: 999.770016 0",
		"2 main of 2 by fee for 1: 0.321977 0",
		"position 2 of 101 BOTH: 2 for 459.9699, 2 at 230.1 realized 0 fee 0.229984",
		"deal 1: 2 at 230.1",
		"level sell 230.1: 0",
		"order 1 closed by trade: FILLED left 0",
		"order 2 closed by trade: FILLED left 0",
	)
	w.quoted("-460.2", "460.2", "0", "460.2", "460.2", "0")
	if deal := w.Deals()[0]; deal.Money != d("460.2") || deal.Maker.Fee != d("0.091993") || deal.Taker.Fee != d("0.229984") {
		t.Errorf("%+v", deal)
	}
	p := w.margins.portfolio(anna)
	same(t, "E", p.equity(), "999.770016")
	same(t, "margin", p.margin(), "4.599699")
	w.holds()
}

// TestRoundTripInUSD: the price in USD is the same at the end, and USD is worth more.
func TestRoundTripInUSD(t *testing.T) {
	w := newTradFi(t, "0.9995", "230.10")
	w.cross(ben, anna, bid("2", "230.10"))
	w.index(usdUSDT, 0, "1.0005")
	w.priced("source 0 of 4: 1.0005", "asset 4: 1.0005 true", "mark of 1: 229.87 of 229.870014992503748125 true, 0 at +480")
	same(t, "U", w.margins.portfolio(anna).unrealized(), "-0.00003") // 2 at 229.984935
	w.index(perp, 0, "230.10")
	w.priced("source 0 of 1: 230.1", "asset 1: 230.21505 true", "mark of 1: 230.1 of 230.1 true, 0 at +480")
	same(t, "U", w.margins.portfolio(anna).unrealized(), "0.4602")
	w.place(ben, bid("0.667", "230.10"))
	w.place(anna, reducing(ask("0.667", "230.10")))
	w.quoted("-306.7233", "460.2", "0", "306.7233", "460.2", "0")
	w.positions(anna, "1.333", "306.56993835")
	w.place(ben, bid("1.333", "231.10"))
	w.place(anna, reducing(ask("1.333", "231.10")))
	w.quoted("0", "460.2", "-1.333", "0", "460.2", "1.333")
	w.positions(anna)
	w.holds()
}

// TestCostIsCutOnce: for both sides, and its parts by the unit of each money.
func TestCostIsCutOnce(t *testing.T) {
	w := newTradFi(t, "0.333333", "100")
	w.cross(ben, anna, bid("0.007", "100.01")) // 0.70007 are 0.23335643331
	w.positions(anna, "0.007", "0.23335643")
	w.positions(ben, "-0.007", "-0.23335643")
	w.place(carl, bid("0.003", "100")) // 0.0999999
	w.place(anna, ask("0.003", "100"))
	w.quoted("0.3", "0.3", "0", "0.40004", "0.70007", "-0.00003")
	w.positions(anna, "0.004", "0.13334653") // a part of 0.10000990 was 0.100009898..
	// A flip: 0.4 of 0.7 close, 0.1333332 of 0.2333331.
	w.place(carl, bid("0.007", "100"))
	w.place(anna, ask("0.007", "100"))
	w.quoted("1", "1", "0", "0", "0.70007", "-0.00007", "-0.3", "0.3", "0")
	w.positions(anna, "-0.003", "-0.0999999")
	w.holds()
}

// TestIndexInUSD: what a source says in USD is worth what USD was last worth, and it is one with what others say in USDT.
func TestIndexInUSD(t *testing.T) {
	w := newTradFi(t, "0.5", "100000")
	w.index(perp, 1, "100000.01")
	w.priced("source 1 of 1: 100000.01", "asset 1: 50000.0025 true", "mark of 1: 100000 of 100000.005 true, 0 at +480")
	w.index(btcUSDT, 1, "50010")
	w.priced("source 1 of 2: 50010", "asset 1: 50005 true", "mark of 1: 100010 of 100010 true, 0 at +480")
	w.index(perp, 1, "0")
	w.priced("source 1 of 1: 0", "asset 1: 50000 true", "mark of 1: 100000 of 100000 true, 0 at +480")
	if price, _ := w.Index(perp); price != d("100000") {
		t.Errorf("the index is %s", price)
	}
	// The index of BTC stays when USD is worth more.
	w.index(usdUSDT, 0, "0.8")
	w.priced("source 0 of 4: 0.8", "asset 4: 0.8 true", "mark of 1: 62500 of 62500 true, 0 at +480")
	if mark := w.Mark(perp); mark.Money != d("0.8") {
		t.Errorf("%+v", mark)
	}
	if mark := w.Mark(ethPerp); mark.Money != d("0") {
		t.Errorf("%+v", mark)
	}
	// What does not move USD is said, and nothing is different.
	w.index(usdUSDT, 0, "0.8")
	w.priced("source 0 of 4: 0.8")
	w.refused(because(schema.IndexSourceInvalid), &schema.SetIndex{Market: perp, Source: 9, Price: d("1")})
	w.refused(because(schema.IndexInvalid), &schema.SetIndex{Market: perp, Price: d("-1")})
	w.refused(because(schema.IndexInvalid), &schema.SetIndex{Market: perp, Price: d("0.000000000000000001")})
	w.index(usdUSDT, 0, "1000")
	w.refused(because(schema.IndexInvalid), &schema.SetIndex{Market: perp, Price: d("1000000000000000")})
	// A stale USD is still worth something.
	w.tick(noon + 2*hour)
	if mark := w.Mark(perp); mark.Fresh || mark.Money != d("1000") {
		t.Errorf("%+v", mark)
	}
	w.index(perp, 0, "50")
	w.priced("source 0 of 1: 50", "asset 1: 50000 true")
	w.index(usdUSDT, 0, "1000")
	if mark := w.Mark(perp); !mark.Fresh {
		t.Errorf("%+v", mark)
	}
}

// TestIndexNeedsUSD: nobody knows what USD is worth.
func TestIndexNeedsUSD(t *testing.T) {
	w := newFutures(t)
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "USD", Class: schema.Fiat, Scale: 8}})
	listed := btcInUSD()
	listed.Name, listed.Base = "ETH_USD", eth
	m := schema.MarketID(w.must(&schema.SetMarket{Market: listed}).ID)
	w.refused(because(schema.IndexInvalid), &schema.SetIndex{Market: m, Price: d("-1")})
	w.refused(because(schema.IndexSourceInvalid), &schema.SetIndex{Market: m, Source: 9, Price: d("1")})
	w.refused(because(schema.QuoteUnpriced), &schema.SetIndex{Market: m, Source: 8, Price: d("1")})
	w.index(m, 8, "0")
	w.priced("source 8 of 3: 0", "mark of 3: 0 of 0 false, 0 at +480")
	feed := schema.MarketID(w.must(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "USD_USDT", Base: dollar, Quote: usdt, Type: schema.Spot, StockPrec: 2, MoneyPrec: 6, FeePrec: 6, Enabled: true,
	}}).ID)
	w.index(feed, 3, "0.9995") // as USD has an index, it has sources
	if mark := w.Mark(m); mark.Money != d("0.9995") || mark.Mark != d("0") || mark.Fresh {
		t.Errorf("%+v", mark)
	}
	w.index(m, 8, "2000")
	if mark := w.Mark(m); mark.Mark != d("2000") || !mark.Fresh {
		t.Errorf("%+v", mark)
	}
	if price, fresh := w.AssetPrice(eth); price != d("1999") || !fresh {
		t.Errorf("ETH is %s", price)
	}
}

// TestListingInUSD: what may be listed.
func TestListingInUSD(t *testing.T) {
	w := newTradFi(t, "1", "50000")
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "EUR", Class: schema.Fiat, Scale: 8}})
	for reason, change := range map[schema.Reason]func(*schema.MarketInfo){
		schema.AssetsInvalid:    func(m *schema.MarketInfo) { m.Quote = 5 },
		schema.NameInvalid:      func(m *schema.MarketInfo) { m.Name = "BTC_PERP" },
		schema.PrecisionInvalid: func(m *schema.MarketInfo) { m.FeePrec = 7 },
		schema.MarginInvalid:    func(m *schema.MarketInfo) { m.Margin = schema.Margin{} },
		schema.ImmutableChanged: func(m *schema.MarketInfo) { m.Type, m.Margin = schema.Spot, schema.Margin{} },
	} {
		listed := btcInUSD()
		change(&listed)
		w.refused(because(reason), &schema.SetMarket{Market: listed})
	}
	own := btcInUSD()
	own.Name, own.Base = "USD_USD", dollar
	w.refused(because(schema.AssetsInvalid), &schema.SetMarket{Market: own})
	// The unit of USDT counts as well, and without USDT there is nothing to pay in.
	w = &world{Exchange: New(), t: t, time: noon}
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", Scale: 8, Class: schema.Crypto}})
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "USD", Scale: 8, Class: schema.Fiat}})
	listed := btcInUSD()
	listed.Quote = 2
	w.refused(because(schema.AssetsInvalid), &schema.SetMarket{Market: listed})
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", Scale: 5, Class: schema.Crypto}})
	w.refused(because(schema.PrecisionInvalid), &schema.SetMarket{Market: listed})
	listed.FeePrec = 5
	w.must(&schema.SetMarket{Market: listed})
	listed.Name, listed.Base, listed.MoneyPrec = "X_USD", 4, 3
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "X", Scale: 8, Class: schema.Crypto}})
	w.refused(because(schema.PrecisionInvalid), &schema.SetMarket{Market: listed})
}

// TestTradFiGate: who is not let in places nothing, and can get out.
func TestTradFiGate(t *testing.T) {
	w := newTradFi(t, "0.5", "100000")
	w.must(&schema.SetFeature{Feature: schema.BoundedWork, On: true})
	w.cross(ben, anna, bid("0.1", "100000"))
	resting := w.place(anna, bid("0.1", "99000"))
	w.must(&schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global}})
	closed := because(schema.TradFiNotEnabled)
	wrong := bid("0.1", "99000")
	wrong.Side = 0
	w.refused(closed, order1(anna, wrong))
	w.refused(because(schema.CollateralOnly), order1(anna, limit(schema.Buy, "0.1", "99000")))
	request := ask("0.1", "100000")
	request.Market = perp
	if r := w.must(&schema.PlaceBulk{Account: anna, Orders: []schema.OrderRequest{request}}); r.Items[0].Rejection != closed {
		t.Errorf("%+v", r)
	}
	w.refused(closed, &schema.PlaceOCO{Account: anna, Market: perp, Side: schema.Sell, Amount: d("0.1"), Price: d("101000"), StopPrice: d("99000"), ActivationPrice: d("99000")})
	w.refused(closed, &schema.PlaceTPSL{Account: anna, Market: perp, TakeProfit: d("110000")})
	ref := schema.OrderRef{Market: perp, ID: resting.ID}
	w.refused(closed, &schema.ModifyOrder{Account: anna, Order: ref, Amount: schema.Some(d("0.2"))})
	w.must(on(ethPerp, anna, onFuture(limit(schema.Buy, "0.1", "2000"))))
	w.must(&schema.CancelOrder{Account: anna, Order: ref})
	w.place(ben, bid("0.1", "100000"))
	w.must(&schema.ClosePosition{Account: anna, Market: perp, Position: 2})
	w.positions(anna)
	w.must(&schema.SetKillSwitch{Account: anna, Market: perp, Timeout: 5 * schema.Second, Products: schema.FuturesOrders})
	w.must(&schema.PlanMaintenance{Market: perp, From: noon + minute, To: noon + 2*minute})
	w.tick(noon + minute)
	w.refused(because(schema.TradingNotAllowed), order1(anna, bid("0.1", "99000")))
	w.holds()
}

// TestMarginInUSD: 1 BTC of 50000 USDT at 100000 USD.
func TestMarginInUSD(t *testing.T) {
	w := newTradFi(t, "0.5", "100000")
	w.place(anna, bid("1", "100000"))
	same(t, "IM", w.margins.portfolio(anna).margin(), "500")
	w.must(&schema.CancelAll{Account: anna, Products: schema.FuturesOrders})
	w.place(anna, bid("1", "100100")) // 50 more are lost at once
	same(t, "IM", w.margins.portfolio(anna).margin(), "550")
	w.must(&schema.CancelAll{Account: anna})
	// 425 are lost at once, and the fee is 25.2125 of what 75 are left for.
	w.refused(because(schema.NotEnoughBalance), order1(anna, bid("1", "101000")))
	w.refused(because(schema.PriceOutOfBand), order1(anna, bid("0.001", "110000.01")))
	w.must(order1(anna, bid("1", "100850"))) // 500, 425, 25.2125
	w.must(&schema.CancelAll{Account: anna})
	listed := btcInUSD()
	listed.MaxPosition = d("50000")
	w.must(&schema.SetMarket{Market: listed})
	w.refused(because(schema.PositionTooBig), order1(ben, bid("1.001", "100000")))
	w.must(order1(ben, bid("1", "100000")))
	w.must(&schema.CancelAll{Account: ben})
	listed.MaxPosition, listed.MaxPending = d("0"), d("50000")
	w.must(&schema.SetMarket{Market: listed})
	w.refused(because(schema.PendingTooBig), order1(ben, bid("1", "100000.01")))
	listed.MaxPending, listed.MaxOpenInterest = d("0"), d("50000")
	w.must(&schema.SetMarket{Market: listed})
	w.refused(because(schema.PositionTooBig), order1(ben, bid("1.001", "90000")))
	w.must(order1(ben, bid("1", "90000")))
}

// TestStaleUSD: nothing may grow, and nothing leaves from beside a position.
func TestStaleUSD(t *testing.T) {
	w := newTradFi(t, "0.5", "100000")
	w.cross(ben, anna, bid("0.1", "100000"))
	same(t, "free", w.margins.free(anna, usdt), "947.5") // 997.5 less 50
	w.tick(noon + 2*hour)
	w.index(btcUSDT, 0, "50000")
	if mark := w.Mark(perp); mark.Fresh || mark.Mark != d("100000") {
		t.Errorf("%+v", mark)
	}
	w.refused(because(schema.PriceUnknown), order1(anna, bid("0.1", "100000")))
	same(t, "free", w.margins.free(anna, usdt), "0")
	w.index(usdUSDT, 0, "0.5")
	w.must(order1(anna, bid("0.1", "100000")))
	w.holds()
}

// TestFundingInUSD: 2 at 230.10 USD of 0.9995 USDT, by 0.0003: 0.13799097.
func TestFundingInUSD(t *testing.T) {
	w := newTradFi(t, "0.9995", "230.10")
	listed := btcInUSD()
	listed.FundingMinutes, listed.FundingFloor, listed.FundingCap, listed.ImpactNotional = 5, d("0.0003"), d("0.0003"), d("1")
	w.must(&schema.SetMarket{Market: listed})
	w.place(ben, bid("0.2", "230.09"))
	w.place(carl, ask("0.2", "230.11"))
	w.cross(ben, anna, bid("2", "230.10"))
	w.tick(noon + 4*minute)
	w.FundingSlice = 1
	w.tick(noon + 5*minute)
	w.since(
		"funding on 1: 0.0003 at 230.1, from +0 to +5",
		"6 collateral of 2 by funding for 1: -0.13799 0",
		"102 collateral of 2 by funding for 1: 100000.045997 0",
		"funding of position 1 of 102: 0.13799 for -2 at 230.1, -0.13799 in all",
	)
	w.holds()
	w.index(usdUSDT, 0, "0.5") // what is under way is fixed
	w.tick(noon + 5*minute + 1)
	w.since(
		"101 collateral of 2 by funding for 2: 999.632025 0",
		"6 collateral of 2 by funding for 2: 0.000001 0",
		"funding of position 2 of 101: -0.137991 for 2 at 230.1, 0.137991 in all",
		"6 collateral of 2 by funding for 1: 0 0",
		"3 main of 2 by funding for 1: 0.000001 0",
	)
	w.holds()
}

// newBobInUSD is newBobs with prices in USD of 0.5 USDT: twice as high.
func newBobInUSD(t *testing.T) *world {
	w := newTradFi(t, "0.5", "100000")
	w.cross(ben, anna, bid("1", "100000"))
	w.has(anna, usdt, "975", "0")
	return w
}

// TestBobIsLiquidatedInUSD: as he is in USDT, at twice the price.
func TestBobIsLiquidatedInUSD(t *testing.T) {
	w := newBobInUSD(t)
	price, ok := w.margins.atRisk(anna).liquidationPrice(w.margins.atRisk(anna).seat(perp), true)
	if same(t, "liquidation price", price, "98542.71"); !ok { // 49271.3567.. USDT
		t.Error("no liquidation price")
	}
	w.place(carl, bid("2", "98520"))
	w.index(perp, 0, "98540")
	w.since(
		"risk of 101: liquidation, 245 of 246.35",
		"103 collateral of 2 by fee for 2: 99997.537 0",
		"2 main of 2 by fee for 2: 37.463 0",
		"position 3 of 103 BOTH: 0.25 for 12315, 0.25 at 98520 realized 0 fee 2.463",
		"101 collateral of 2 by realized PnL for 2: 790 0",
		"6 collateral of 2 by realized PnL for 2: 185 0",
		"101 collateral of 2 by fee for 2: 783.8425 0",
		"2 main of 2 by fee for 2: 43.6205 0",
		"position 2 of 101 BOTH: 0.75 for 37500, 0.25 at 98520 realized -185 fee 6.1575",
		"deal 2: 0.25 at 98520",
		"level buy 98520: 1.75",
		"order 3 updated by trade: PARTIALLY_FILLED left 1.75",
		"101 collateral of 2 by liquidation for 2: 759.2125 0",
		"3 main of 2 by liquidation for 2: 24.63 0",
		"order 4 closed by liquidation: FILLED left 0",
		"risk of 101: margin_call, 211.7125 of 184.7625",
	)
	w.quoted("24630", "24630", "0", "75000", "100000", "-370")
	w.holds()
}

// TestLimitInUSD: bids at 98295.74, 49147.87 USDT, and above are taken, in two rounds, and below nothing is.
func TestLimitInUSD(t *testing.T) {
	w := newBobInUSD(t)
	w.place(carl, bid("3", "98295.74"))
	w.index(perp, 0, "98540")
	w.dealt("0.25", "98295.74", "0.75", "98295.74")
	w.positions(anna)
	w.risk(anna, schema.RiskNone)
	w.holds()
	w = newBobInUSD(t)
	w.place(carl, bid("3", "98295.73"))
	w.index(perp, 0, "98540")
	if deals := w.Deals(); len(deals) != 1 || !deals[0].OffBook {
		t.Errorf("deals: %+v", deals)
	}
	w.holds()
}

// TestSmallInUSD: what is worth less than 1000 USDT is closed at once, whatever it is in USD.
func TestSmallInUSD(t *testing.T) {
	w := newTradFi(t, "0.5", "100000")
	w.must(out(anna, usdt, "988"))
	w.cross(ben, anna, bid("0.018", "100000")) // 11.55 for 9
	w.place(carl, bid("1", "99100"))
	w.index(perp, 0, "99200") // 4.35 of 4.464, for 892.8
	w.dealt("0.018", "99100")
	w.positions(anna)
	w.holds()
}

// TestBobAfterAGapInUSD: the price that leaves nothing is 98099.0495.. USD. Ben entered at 100000.
func TestBobAfterAGapInUSD(t *testing.T) {
	w := newBobInUSD(t)
	w.index(perp, 0, "50000")
	w.since(
		"risk of 101: liquidation, -24025 of 125",
		"6 collateral of 2 by realized PnL for 2: -950.475 0",
		"102 collateral of 2 by realized PnL for 2: 100940.475 0",
		"position 1 of 102 BOTH: 0 for 0, 1 at 98099.05 realized 950.475 fee 0",
		"101 collateral of 2 by realized PnL for 2: 24.525 0",
		"6 collateral of 2 by realized PnL for 2: 0 0",
		"101 collateral of 2 by fee for 2: 0.000238 0",
		"2 main of 2 by fee for 2: 59.524762 0",
		"position 2 of 101 BOTH: 0 for 0, 1 at 98099.05 realized -950.475 fee 24.524762",
		"off-book deal 2: 1 at 98099.05",
		"order 4 closed by deleveraging: FILLED left 0",
		"order 3 closed by liquidation: FILLED left 0",
		"risk of 101: none, 0.000238 of 0",
	)
	w.quoted("0", "100000", "1900.95", "0", "100000", "-1900.95")
	if deal := w.Deals()[0]; deal.Money != d("98099.05") || deal.Taker.Fee != d("24.524762") {
		t.Errorf("%+v", deal)
	}
	w.holds()
}

// TestWinnerDoesNotLoseInUSD: ben entered for 45000 USDT when USD was worth 0.5, and closes at 112500 USD of 0.4.
func TestWinnerDoesNotLoseInUSD(t *testing.T) {
	w := newTradFi(t, "0.5", "90000")
	for _, a := range []schema.AccountID{ben, carl} {
		w.must(&schema.SetFee{Account: a, Market: perp, Maker: schema.Some(d("0")), Taker: schema.Some(d("0"))})
	}
	w.cross(ben, carl, bid("1", "90000"))
	w.index(perp, 0, "100000")
	w.cross(carl, anna, bid("1", "100000"))
	w.positions(carl)
	w.must(&schema.PlanMaintenance{Market: perp, From: noon + minute, To: noon + 2*minute})
	w.tick(noon + minute)
	w.index(usdUSDT, 0, "0.4")
	w.since() // BTC is worth 50000 still
	w.index(perp, 0, "62500")
	w.since("risk of 101: liquidation, -24025 of 125")
	w.tick(noon + 2*minute)
	w.dealt("1", "112500")
	w.positions(ben)
	w.has(ben, usdt, "100000", "0")
	w.holds()
}

// TestOverlapInUSD: both sides close for the same money, cut off.
func TestOverlapInUSD(t *testing.T) {
	w := newTradFi(t, "0.333333", "150000")
	listed := btcInUSD()
	listed.MakerFee, listed.TakerFee, listed.LiquidationFee = d("0"), d("0"), d("0")
	w.must(&schema.SetMarket{Market: listed})
	w.must(&schema.SetLeverage{Account: anna, Leverage: 10})
	w.must(&schema.SetHedgeMode{Account: anna, On: true})
	w.collateral(anna, usdt, "15000")
	w.place(ben, ask("3.001", "150000"))
	w.place(anna, onSide(schema.LongSide, bid("3.001", "150000")))
	w.place(carl, bid("2.001", "150000"))
	w.place(anna, onSide(schema.ShortSide, ask("2.001", "150000")))
	w.index(perp, 0, "111000.01") // 36999.96633333 each
	short := w.last.Events[len(w.last.Events)-2].(*schema.PositionChanged)
	if short.Cause != schema.ByLiquidation || short.Price != d("111000.01") || short.Position.QuotedRealized != d("78038.97999") {
		t.Errorf("%+v", short)
	}
	if short.Realized != d("26012.96731701") { // 100049.89995 less 74036.93263299, of which 0.00000000333 was cut off
		t.Errorf("realized %v", short.Realized)
	}
	w.positions(anna, "1", "49999.95")
	w.holds()
}

// TestDelistingInUSD: odd sizes at 100.01 USD, which are 33.33663333 USDT: 33.33663 are paid for each, so that nothing is left.
func TestDelistingInUSD(t *testing.T) {
	w := newTradFi(t, "0.333333", "100")
	w.cross(ben, anna, bid("0.007", "100"))
	w.cross(carl, anna, bid("0.006", "99.99"))
	w.cross(carl, ben, ask("0.003", "100.03"))
	w.index(perp, 0, "100.01")
	same(t, "x", w.margins.portfolio(anna).seat(perp).market.price(), "33.33663333")
	w.FundingSlice = 1
	w.delisted(perp, noon+minute)
	w.quoted("0", "1.00009", "-0.00001") // 0.7 and 0.30009 for 1.0001
	if e := w.last.Events[len(w.last.Events)-1].(*schema.PositionChanged); e.Position.Realized != d("-0.00000331") {
		t.Errorf("%+v", e)
	}
	w.holds()
	w.index(usdUSDT, 0, "7") // the last worth of USD counts
	for w.margins.delisting() {
		w.must(&schema.Tick{})
		w.holds()
		for _, e := range w.last.Events {
			if e, is := e.(*schema.PositionChanged); is && (e.Price != d("100.01") || e.Position.QuotedCost != d("0")) {
				t.Errorf("%+v", e)
			}
		}
	}
	if balance, _, _ := w.Balance(clearer, schema.Collateral, usdt); balance != d("0") {
		t.Errorf("the clearing account keeps %v", balance)
	}
}

// TestUSDOfOneUSDT: where USD is worth one USDT a future in USD lives as one in USDT does.
func TestUSDOfOneUSDT(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(2) {
		inUSDT := newTraders(t)
		inUSDT.listETH("2000")
		inUSDT.listUSD()
		inUSD := newTradFi(t, "1", "50000")
		lives := [2][]string{}
		for i, w := range []*world{inUSDT, inUSD} {
			w.time = noon + second
			walk := newWalk(w, seed, seed > 0, seen)
			walk.steady = true
			w.index(perp, 0, "50000") // the terms of the walk hold from now on
			for range 200 {
				w.index(usdUSDT, 0, "1")
				lives[i] = append(lives[i], w.listed()...)
				walk.step()
				lives[i] = append(lives[i], w.listed()...)
			}
			lives[i] = slices.DeleteFunc(lives[i], func(s string) bool {
				return slices.Contains([]string{"*schema.IndexChanged", "*schema.AssetPriced", "*schema.MarkChanged"}, s)
			})
		}
		for i, event := range lives[0] {
			if i >= len(lives[1]) || lives[1][i] != event {
				t.Fatalf("seed %d: %q in USDT, %q in USD", seed, event, lives[1][i:min(i+1, len(lives[1]))])
			}
		}
		for _, p := range inUSD.Positions() {
			// What parts cost is rounded to other units, and realized by as much less.
			inUSDT, inUSD := of(p.Cost).minus(of(p.Realized)), of(p.QuotedCost).minus(of(p.QuotedRealized))
			if p.Paid != p.QuotedPaid || inUSDT.cmp(inUSD) != 0 {
				t.Errorf("%+v", p)
			}
		}
		if len(lives[0]) != len(lives[1]) || len(inUSD.Positions()) == 0 {
			t.Errorf("%d events in USDT, %d in USD, %d positions", len(lives[0]), len(lives[1]), len(inUSD.Positions()))
		}
	}
}
