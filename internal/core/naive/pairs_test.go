package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// btcPair is the spot market of newFutures with margin: a leverage of 10, fees of 0.1 %.
func btcPair() schema.MarketInfo {
	return schema.MarketInfo{
		Name: "BTC_USDT", Base: btc, Quote: usdt, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 6, Enabled: true,
		MinAmount: d("0.001"), MakerFee: d("0.1"), TakerFee: d("0.1"),
		Margin: schema.Margin{MaxLeverage: 10, LiquidationBand: d("2")},
	}
}

// newPairs is an exchange with BTC_USDT at 50000 and a pool of 1000000 USDT and 10 BTC, of which an account can have 200000 and 5.
// Of collateral anna has 10000 USDT and ben and carl have 100000; ben has 1000000 USDT and 100 BTC in his trade wallet.
func newPairs(t *testing.T) *world {
	w := newFutures(t)
	w.must(&schema.SetMarket{Market: btcPair()})
	w.index(btcUSDT, 0, "50000")
	for i, name := range []string{"anna", "ben", "carl"} {
		id := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}}).ID)
		w.collateral(id, usdt, []string{"10000", "100000", "100000"}[i])
	}
	w.fundTrade(ben, usdt, "1000000")
	w.fundTrade(ben, btc, "100")
	w.must(&schema.SetCollateral{Asset: btc, Weight: d("0.95"), IndexMaxAge: 3600 * schema.Second, PoolCap: d("10"), AccountCap: d("5")})
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), IndexMaxAge: schema.Second, PoolCap: d("1000000"), AccountCap: d("200000")})
	w.must(&schema.FundSystem{Account: lending, Asset: usdt, Amount: d("1000000")})
	w.must(&schema.FundSystem{Account: lending, Asset: btc, Amount: d("10")})
	return w
}

// fundTrade brings money into the trade wallet.
func (w *world) fundTrade(a schema.AccountID, s schema.AssetID, amount string) {
	w.t.Helper()
	w.must(&schema.Deposit{Account: a, Asset: s, Amount: d(amount)})
	w.must(&schema.Transfer{Account: a, Asset: s, Amount: d(amount), From: schema.Main, To: schema.Trade})
}

// onPair is an order on BTC_USDT that is paid from collateral.
func onPair(a schema.AccountID, r schema.OrderRequest) *schema.PlaceOrder {
	return on(btcUSDT, a, onFuture(r))
}

// opened lets ben trade with an account that buys from collateral, or sells.
func (w *world) opened(a schema.AccountID, s schema.Side, amount, price string) schema.Order {
	w.t.Helper()
	w.must(inSpot(ben, opposite(s), amount, price))
	o := w.must(onPair(a, limit(s, amount, price))).Order
	if o.Status != schema.Filled {
		w.t.Fatalf("%+v", o)
	}
	return o
}

// pool compares what can be lent and what is.
func (w *world) pool(s schema.AssetID, left, lent string) {
	w.t.Helper()
	main, _, _ := w.Balance(lending, schema.Main, s)
	debt, _, _ := w.Balance(lending, schema.Debt, s)
	if main != d(left) || debt.Neg() != d(lent) {
		w.t.Errorf("the pool has %v and has lent %v of asset %d, want %s and %s", main, debt.Neg(), s, left, lent)
	}
}

// TestLongOnAPair: 10000 USDT buy 1.9 BTC with a leverage of 10, and not 2.
func TestLongOnAPair(t *testing.T) {
	w := newPairs(t)
	w.must(inSpot(ben, schema.Sell, "2", "50000"))
	w.refused(because(schema.NotEnoughBalance), onPair(anna, limit(schema.Buy, "2", "50000")))
	w.refused(because(schema.NotEnoughBalance), onPair(anna, limit(schema.Buy, "1.981", "50000"))) // 9905 and 99.05
	w.order(w.must(onPair(anna, limit(schema.Buy, "1.9", "50000"))).Order, schema.Filled, "0", "1.9", "95000", "95")
	w.happened(
		"position 1 of 101 BOTH: 1.9 for 95000, 1.9 at 50000 realized 0 fee 95",
		"5 main of 2 by loan for 1: 915000 0",
		"101 collateral of 2 by loan for 1: 95000 0",
		"5 debt of 2 by loan for 1: -85000 0",
		"101 debt of 2 by loan for 1: 85000 0",
		"loan of 101: 85000 and 0",
		"101 collateral of 2 by trade for 1: 0 0",
		"102 trade of 1 by trade for 1: 98 0.1",
		"101 collateral of 1 by trade for 1: 1.9 0",
		"102 trade of 2 by trade for 1: 1095000 0",
		"102 trade of 2 by fee for 1: 1094905 0",
		"2 main of 2 by fee for 1: 95 0",
		"5 main of 2 by loan for 1: 914905 0",
		"101 collateral of 2 by loan for 1: 95 0",
		"5 debt of 2 by loan for 1: -85095 0",
		"101 debt of 2 by loan for 1: 85095 0",
		"loan of 101: 85095 and 0",
		"101 collateral of 2 by fee for 1: 0 0",
		"2 main of 2 by fee for 1: 190 0",
		"deal 1: 1.9 at 50000",
		"level sell 50000: 0.1",
		"order 1 updated by trade: PARTIALLY_FILLED left 0.1",
		"order 2 closed by trade: FILLED left 0",
	)
	p := w.margins.portfolio(anna)
	same(t, "own USDT", p.own(p.usdt()), "9905")
	same(t, "own BTC", p.owned(&currency{id: int(btc)}), "0")
	same(t, "E", p.equity(), "9905")
	same(t, "IM", p.margin(), "9500")
	same(t, "MM", p.maintenance(), "2850")
	w.holds()
	// 405 are free, but nothing of it is there: all USDT are lent, and the BTC are the position's.
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("0")}, out(anna, usdt, "0.01"))
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("0")}, out(anna, btc, "0.001"))

	// A rise of 100 is a profit of 190, all of it paid when the position closes: what comes in repays.
	w.index(btcUSDT, 0, "50100")
	same(t, "U", w.margins.portfolio(anna).unrealized(), "190")
	w.must(&schema.CancelAll{Account: ben})
	w.must(inSpot(ben, schema.Buy, "1.9", "50100"))
	w.order(w.must(onPair(anna, reducing(atMarket(schema.Sell, "3")))).Order, schema.Filled, "0", "1.9", "95190", "95.19")
	w.positions(anna)
	w.has(anna, usdt, "9999.81", "0") // 9905 + 190 - 95.19
	w.has(anna, btc, "0", "0")
	w.pool(usdt, "1000000", "0")
	w.holds()
}

// TestFeeOfALongComesFromALoan: nothing is left of what bought the position.
func TestFeeOfALongComesFromALoan(t *testing.T) {
	w := newPairs(t)
	w.opened(anna, schema.Buy, "0.2", "50000")
	w.has(anna, usdt, "0", "10")
	w.has(anna, btc, "0.2", "0")
	w.positions(anna, "0.2", "10000")
	p := w.margins.portfolio(anna)
	same(t, "E", p.equity(), "9990")
	w.holds()
}

// TestShortOnAPair: the base is lent, the proceeds stay, and what is bought back repays.
func TestShortOnAPair(t *testing.T) {
	w := newPairs(t)
	w.opened(anna, schema.Sell, "1", "50000")
	w.positions(anna, "-1", "-50000")
	w.has(anna, btc, "0", "1")
	w.has(anna, usdt, "59950", "0")
	w.pool(btc, "9", "1")
	p := w.margins.portfolio(anna)
	same(t, "own USDT", p.own(p.usdt()), "9950")
	same(t, "E", p.equity(), "9950")
	same(t, "IM", p.margin(), "5000")
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("4950")}, out(anna, usdt, "4950.01"))
	w.holds()

	w.index(btcUSDT, 0, "49000")
	same(t, "U", w.margins.portfolio(anna).unrealized(), "1000")
	w.opened(anna, schema.Buy, "0.4", "49000")
	w.positions(anna, "-0.6", "-30000")
	w.has(anna, btc, "0", "0.6")
	w.has(anna, usdt, "40330.4", "0") // less 19600 and 19.6
	w.opened(anna, schema.Buy, "0.6", "49000")
	w.positions(anna)
	w.has(anna, btc, "0", "0")
	w.has(anna, usdt, "10901", "0") // 10000 + 1000 - 50 - 49
	w.pool(btc, "10", "0")
	w.holds()
}

// TestFlipOnAPair: a long of 1 and a sale of 3: the position's BTC and 2 that are lent.
func TestFlipOnAPair(t *testing.T) {
	w := newPairs(t)
	w.opened(carl, schema.Buy, "1", "50000")
	w.has(carl, usdt, "49950", "0")
	w.must(inSpot(ben, schema.Buy, "3", "50000.01"))
	w.must(onPair(carl, limit(schema.Sell, "3", "50000.01")))
	var changes []string
	for _, e := range w.last.Events {
		if e, is := e.(*schema.PositionChanged); is {
			changes = append(changes, e.Amount.String(), e.Realized.String(), e.Fee.String(), e.Position.Amount.String(), e.Position.Cost.String())
		}
	}
	// The fee is 150.00003, a third of it 50.00001.
	if want := []string{"1", "0.01", "50.00001", "0", "0", "2", "0", "100.00002", "-2", "-100000.02"}; !slices.Equal(changes, want) {
		t.Errorf("changes %v, want %v", changes, want)
	}
	w.positions(carl, "-2", "-100000.02")
	w.has(carl, btc, "0", "2")
	w.has(carl, usdt, "199800.02997", "0") // 49950 + 150000.03 - 150.00003
	w.holds()
}

// TestSpotTakerMeetsMarginMaker: each side pays as its wallet does: the fee of the trade order is in what it gets.
func TestSpotTakerMeetsMarginMaker(t *testing.T) {
	w := newPairs(t)
	maker := w.must(onPair(anna, limit(schema.Sell, "1", "50010"))).Order
	if maker.Status != schema.Open || !maker.Collateral || maker.PositionSide != bothSides {
		t.Errorf("%+v", maker)
	}
	w.has(anna, btc, "0", "0") // nothing is lent for an order that waits
	same(t, "margin", w.margins.portfolio(anna).margin(), "5000")
	w.order(w.must(inSpot(ben, schema.Buy, "1", "50010")).Order, schema.Filled, "0", "1", "50010", "0.001")
	w.happened(
		"position 1 of 101 BOTH: -1 for -50010, 1 at 50010 realized 0 fee 50.01",
		"5 main of 1 by loan for 1: 9 0",
		"101 collateral of 1 by loan for 1: 1 0",
		"5 debt of 1 by loan for 1: -1 0",
		"101 debt of 1 by loan for 1: 1 0",
		"loan of 101: 1 and 0",
		"102 trade of 2 by trade for 1: 949990 0",
		"101 collateral of 1 by trade for 1: 0 0",
		"102 trade of 1 by trade for 1: 101 0",
		"101 collateral of 2 by trade for 1: 60010 0",
		"101 collateral of 2 by fee for 1: 59959.99 0",
		"2 main of 2 by fee for 1: 50.01 0",
		"102 trade of 1 by fee for 1: 100.999 0",
		"2 main of 1 by fee for 1: 0.001 0",
		"deal 1: 1 at 50010",
		"level sell 50010: 0",
		"order 1 closed by trade: FILLED left 0",
		"order 2 closed by trade: FILLED left 0",
	)
	w.holds()
}

// TestTwoMarginOrders: both sides borrow before they get anything, and both pay in money.
func TestTwoMarginOrders(t *testing.T) {
	w := newPairs(t)
	w.must(onPair(anna, limit(schema.Sell, "1", "50000")))
	w.order(w.must(onPair(carl, limit(schema.Buy, "3", "50000"))).Order, schema.PartiallyFilled, "2", "1", "50000", "50")
	w.positions(anna, "-1", "-50000")
	w.positions(carl, "1", "50000")
	w.has(anna, btc, "0", "1")
	w.has(anna, usdt, "59950", "0")
	w.has(carl, btc, "1", "0")
	w.has(carl, usdt, "49950", "0")
	// One that sells to itself borrows all that it gives, though it gets it back.
	w.must(inSpot(ben, schema.Sell, "2", "50000"))
	w.has(carl, usdt, "0", "50150")
	w.must(onPair(carl, limit(schema.Sell, "0.5", "49990")))
	w.must(onPair(carl, limit(schema.Buy, "0.5", "49990")))
	var loans []string
	for _, e := range w.last.Events {
		if e, is := e.(*schema.LoanChanged); is {
			loans = append(loans, e.Principal.String())
		}
	}
	// 24995 for what it buys, which repays nothing of BTC; then that as the seller's, and both fees of 24.995.
	if want := []string{"75145", "50150", "50174.995", "50199.99"}; !slices.Equal(loans, want) {
		t.Errorf("loans %v, want %v", loans, want)
	}
	w.positions(carl, "3", "149995") // of 150000 a sixth was closed
	w.holds()
}

// TestPoolIsEmptyAtPlacement: a buy needs USDT that it has not, a sell BTC, from the pool and below the cap of the account.
func TestPoolIsEmptyAtPlacement(t *testing.T) {
	w := newPairs(t)
	caps := func(asset schema.AssetID, pool, account string) {
		t.Helper()
		weight := map[schema.AssetID]string{btc: "0.95", usdt: "1"}[asset]
		w.must(&schema.SetCollateral{Asset: asset, Weight: d(weight), IndexMaxAge: 3600 * schema.Second, PoolCap: d(pool), AccountCap: d(account)})
	}
	sells, buys := onPair(anna, limit(schema.Sell, "1", "50010")), onPair(anna, limit(schema.Buy, "1", "49990")) // 39990 are missing
	place := func(c *schema.PlaceOrder) {
		t.Helper()
		o := w.must(c).Order
		w.must(&schema.CancelOrder{Account: anna, Order: schema.OrderRef{Market: btcUSDT, ID: o.ID}})
	}
	for _, c := range []struct{ pool, account string }{{"0.999", "5"}, {"10", "0.999"}, {"0", "0"}} {
		caps(btc, c.pool, c.account)
		w.refused(because(schema.BaseNotLent), sells)
	}
	caps(btc, "1", "1")
	place(sells)
	for _, c := range []struct{ pool, account string }{{"39989.99", "200000"}, {"1000000", "39989.99"}} {
		caps(usdt, c.pool, c.account)
		w.refused(because(schema.QuoteNotLent), buys)
	}
	caps(usdt, "39990", "39990")
	place(buys)
	// The pool itself may have less.
	w.must(&schema.FundSystem{Account: lending, Asset: btc, Amount: d("-9.001")})
	w.refused(because(schema.BaseNotLent), sells)
	w.must(&schema.FundSystem{Account: lending, Asset: usdt, Amount: d("-960010.01")})
	w.refused(because(schema.QuoteNotLent), buys)
	// Margin is asked before, and bounds before that.
	w.refused(because(schema.NotEnoughBalance), onPair(anna, limit(schema.Buy, "2", "50000")))
	listed := btcPair()
	listed.MaxPosition = d("40000")
	w.must(&schema.SetMarket{Market: listed})
	w.refused(because(schema.PositionTooBig), onPair(anna, limit(schema.Buy, "2", "50000")))
	listed.MaxPosition, listed.MaxPending = d("0"), d("49989.99")
	w.must(&schema.SetMarket{Market: listed})
	w.refused(because(schema.PendingTooBig), buys)
	w.must(&schema.SetMarket{Market: btcPair()})
	// Stops and orders at the market are asked too; what is there needs no loan.
	w.must(inSpot(ben, schema.Buy, "0.7", "49995"))
	w.must(inSpot(ben, schema.Sell, "0.1", "49995"))
	w.refused(because(schema.BaseNotLent), onPair(anna, stopping(limit(schema.Sell, "1", "49000"), "49500")))
	w.refused(because(schema.QuoteNotLent), onPair(anna, stopping(atMarket(schema.Buy, "1"), "50500")))               // 50500
	w.refused(because(schema.QuoteNotLent), onPair(anna, atMarket(schema.Buy, "1")))                                  // nobody sells: 50000
	w.order(w.must(onPair(anna, atMarket(schema.Sell, "1"))).Order, schema.Canceled, "0.4", "0.6", "29997", "29.997") // a sweep of 0.6
	w.must(onPair(anna, limit(schema.Buy, "0.79", "49999")))
	w.holds()
}

// TestOCOIsAskedForTheDearerLoan: the stop is the dearer order and needs 40500 USDT.
func TestOCOIsAskedForTheDearerLoan(t *testing.T) {
	w := newPairs(t)
	w.must(&schema.SetFeature{Feature: schema.BoundedWork, On: true})
	w.opened(carl, schema.Buy, "0.1", "50000")
	oco := &schema.PlaceOCO{
		Account: anna, Market: btcUSDT, Side: schema.Buy, Amount: d("1"), Price: d("49000"), StopPrice: d("50500"), ActivationPrice: d("50400"),
	}
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), IndexMaxAge: second, PoolCap: d("1000000"), AccountCap: d("40499.99")})
	w.refused(because(schema.QuoteNotLent), oco)
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), IndexMaxAge: second, PoolCap: d("1000000"), AccountCap: d("40500")})
	w.must(oco)
	same(t, "what is bound", w.margins.portfolio(anna).margin(), "5500") // 5000 and 500 that it loses
	w.holds()
}

// TestPoolIsEmptyAtFill: the order that cannot borrow ends, the maker's before the taker's, and the other goes on.
func TestPoolIsEmptyAtFill(t *testing.T) {
	w := newPairs(t)
	maker := w.must(onPair(anna, limit(schema.Sell, "1", "50000"))).Order
	w.must(&schema.FundSystem{Account: lending, Asset: btc, Amount: d("-9.5")})
	taker := w.must(onPair(carl, limit(schema.Buy, "1", "50000"))).Order
	w.happened(
		"level sell 50000: 0",
		"order 1 closed by margin: CANCELED left 1",
		"level buy 50000: 1",
		"order 2 opened by request: OPEN left 1",
	)
	if ids := w.ended(schema.Canceled); !slices.Equal(ids, []schema.OrderID{maker.ID}) || taker.Status != schema.Open {
		t.Errorf("canceled: %v", ids)
	}
	// A sweep of two makers: the pool has enough for the first.
	w.must(&schema.CancelAll{Account: carl})
	w.opened(carl, schema.Buy, "0.001", "50000")
	w.must(inSpot(ben, schema.Buy, "0.5", "50001"))
	w.must(inSpot(ben, schema.Buy, "0.5", "50000"))
	w.must(&schema.FundSystem{Account: lending, Asset: btc, Amount: d("0.5")})
	w.must(onPair(anna, stopping(limit(schema.Sell, "1", "49000"), "50001")))
	w.must(&schema.FundSystem{Account: lending, Asset: btc, Amount: d("-0.5")})
	w.fundTrade(carl, btc, "1")
	w.must(inSpot(carl, schema.Sell, "0.001", "50001")) // wakes the stop
	w.positions(anna, "-0.499", "-24950.499")
	w.pool(btc, "0.001", "0.499")
	w.holds()
}

// TestReduceOnlyOnAPair: cut when it is placed and at each fill, and ended with its position.
func TestReduceOnlyOnAPair(t *testing.T) {
	w := newPairs(t)
	w.refused(because(schema.ReduceOnlyNothing), onPair(anna, reducing(limit(schema.Sell, "1", "50000"))))
	w.opened(anna, schema.Buy, "1", "50000")
	w.refused(because(schema.ReduceOnlyNothing), onPair(anna, reducing(limit(schema.Buy, "1", "50000"))))
	first := w.must(onPair(anna, reducing(limit(schema.Sell, "3", "50100")))).Order
	second := w.must(onPair(anna, reducing(limit(schema.Sell, "1", "50200")))).Order
	if first.Amount != d("1") {
		t.Errorf("%+v", first)
	}
	w.must(inSpot(ben, schema.Buy, "0.4", "50100"))
	// 0.6 are left for the second taker.
	w.must(&schema.CancelOrder{Account: anna, Order: schema.OrderRef{Market: btcUSDT, ID: first.ID}})
	w.must(inSpot(ben, schema.Buy, "2", "50200"))
	w.positions(anna)
	if ids := w.ended(schema.AutoCanceledReduceOnly); !slices.Equal(ids, []schema.OrderID{second.ID}) {
		t.Errorf("ended: %v", ids)
	}
	if deals := w.Deals(); len(deals) != 1 || deals[0].Amount != d("0.6") {
		t.Errorf("deals: %+v", deals)
	}
	w.has(anna, usdt, "10059.84", "0") // 10000 - 50 + 40 - 20.04 + 120 - 30.12
	w.holds()
}

// TestRoomOfAPair: a maker whose margin is gone ends instead of dealing, and one that reduces deals.
func TestRoomOfAPair(t *testing.T) {
	w := newPairs(t)
	w.opened(anna, schema.Buy, "1", "50000")
	grows := w.must(onPair(anna, limit(schema.Buy, "0.5", "45000"))).Order
	w.index(btcUSDT, 0, "46000") // T is 5950, for 6900 then
	w.must(onPair(carl, limit(schema.Sell, "0.5", "45000")))
	if ids := w.ended(schema.Canceled); !slices.Equal(ids, []schema.OrderID{grows.ID}) {
		t.Errorf("canceled: %v", ids)
	}
	w.must(&schema.CancelAll{Account: carl})
	w.must(onPair(anna, reducing(limit(schema.Sell, "0.5", "46000"))))
	w.must(onPair(carl, limit(schema.Buy, "0.5", "46000")))
	w.positions(anna, "0.5", "25000")
	w.holds()
}

// TestOrdersOnPairs: which markets take them, what their side is, and what needs the mark.
func TestOrdersOnPairs(t *testing.T) {
	w := newPairs(t)
	plain := schema.MarketInfo{Name: "ETH_BTC", Base: eth, Quote: btc, Type: schema.Spot, StockPrec: 3, MoneyPrec: 4, FeePrec: 6, Enabled: true}
	cross := schema.MarketID(w.must(&schema.SetMarket{Market: plain}).ID)
	w.refused(because(schema.CollateralUnavailable), on(cross, anna, bid("1", "0.04")))
	w.must(&schema.SetHedgeMode{Account: anna, On: true})
	o := w.must(onPair(anna, onSide(shortSide, limit(schema.Buy, "0.1", "10")))).Order // far from the mark
	if o.PositionSide != bothSides || o.ReduceOnly {
		t.Errorf("%+v", o)
	}
	w.must(&schema.SetHedgeMode{Account: anna}) // orders on pairs do not count
	// Another pair, which has no price before both of its assets have one.
	plain.Margin = schema.Margin{MaxLeverage: 3, LiquidationBand: d("5")}
	w.must(&schema.SetMarket{Market: plain})
	w.refused(because(schema.PriceUnknown), on(cross, anna, bid("1", "0.04")))
	ethUSDT := plain
	ethUSDT.Name, ethUSDT.Quote, ethUSDT.MoneyPrec, ethUSDT.Margin = "ETH_USDT", usdt, 2, schema.Margin{}
	feed := schema.MarketID(w.must(&schema.SetMarket{Market: ethUSDT}).ID)
	w.index(feed, 2, "3000")
	if mark, fresh := w.prices.mark(cross); mark.cmp(n("0.06")) != 0 || !fresh {
		t.Errorf("the mark is %v", mark.decimal())
	}
	w.refused(because(schema.CollateralUnavailable), on(feed, anna, bid("1", "3000")))
	// 4 ETH are worth 12000, of which a third is bound, and 0.0012 BTC above the mark are 60 that would be lost. 0.2412 BTC are
	// missing, and there is no fee.
	w.must(on(cross, anna, bid("4", "0.0603")))
	same(t, "what is bound", w.margins.portfolio(anna).seat(cross).openLoss(), "60")
	same(t, "in all", w.margins.portfolio(anna).margin(), "4560") // with 500 for 0.1 BTC
	// Where one index is stale nothing may grow.
	w.tick(noon + 2*hour)
	w.index(btcUSDT, 0, "50000")
	w.refused(because(schema.PriceUnknown), on(cross, anna, bid("1", "0.01")))
	w.must(onPair(anna, limit(schema.Buy, "0.01", "10")))
	w.holds()
}

// TestLeverageOnPairs: the lower one counts, and none is refused for a pair.
func TestLeverageOnPairs(t *testing.T) {
	w := newPairs(t)
	listed := btcPair()
	listed.MaxLeverage = 5
	w.must(&schema.SetMarket{Market: listed})
	w.opened(anna, schema.Buy, "0.2", "50000")
	same(t, "IM", w.margins.portfolio(anna).margin(), "2000")
	w.must(&schema.SetLeverage{Account: anna, Leverage: 100})
	same(t, "IM", w.margins.portfolio(anna).margin(), "2000")
	w.refused(schema.Rejection{Reason: schema.LeverageInvalid, Value: d("100")}, &schema.SetLeverage{Account: anna, Leverage: 7})
	w.must(&schema.SetLeverage{Account: anna, Leverage: 2})
	same(t, "IM", w.margins.portfolio(anna).margin(), "5000")
	w.must(onPair(anna, limit(schema.Buy, "0.1", "49999")))
	w.refused(because(schema.LeverageNotCovered), &schema.SetLeverage{Account: anna, Leverage: 1})
}

// TestBandOnPairs: an order at the market goes as far from the best price as any on spot.
func TestBandOnPairs(t *testing.T) {
	w := newPairs(t)
	listed := btcPair()
	listed.TakerBand = d("1")
	w.must(&schema.SetMarket{Market: listed})
	w.must(inSpot(ben, schema.Sell, "0.1", "52000"))
	w.must(inSpot(ben, schema.Sell, "0.1", "52520"))
	w.must(inSpot(ben, schema.Sell, "0.1", "52520.01"))
	w.order(w.must(onPair(anna, atMarket(schema.Buy, "1"))).Order, schema.CanceledTakerBand, "0.8", "0.2", "10452", "10.452")
	w.holds()
}

// TestCancelByProduct: on one market orders of both wallets, told apart by product.
func TestCancelByProduct(t *testing.T) {
	w := newPairs(t)
	w.fundTrade(anna, usdt, "1000")
	ids := map[schema.Products]schema.OrderID{}
	place := func() {
		ids[1] = w.must(inSpot(anna, schema.Buy, "0.01", "40000")).Order.ID
		ids[2] = w.must(onPair(anna, limit(schema.Buy, "0.01", "40000"))).Order.ID
		ids[4] = w.place(anna, bid("0.01", "49000")).ID
	}
	place()
	same(t, "what is bound", w.margins.portfolio(anna).margin(), "100") // by 0.02 BTC, nothing of the trade wallet
	// Those of a side are on futures.
	w.must(&schema.CancelAll{Account: anna, Products: schema.MarginOrders | schema.SpotOrders, Sides: schema.SidesOf(schema.BothSides)})
	if ended := w.ended(schema.Canceled); len(ended) != 0 {
		t.Errorf("ended: %v", ended)
	}
	for _, p := range []schema.Products{schema.MarginOrders, schema.SpotOrders, schema.FuturesOrders} {
		w.must(&schema.CancelAll{Account: anna, Products: p})
		if ended := w.ended(schema.Canceled); !slices.Equal(ended, []schema.OrderID{ids[p]}) {
			t.Errorf("%v: ended %v, want %v", p, ended, ids[p])
		}
	}
	place()
	w.must(&schema.CancelAll{Account: anna, Market: btcUSDT})
	if ended := w.ended(schema.Canceled); !slices.Equal(ended, []schema.OrderID{ids[1], ids[2]}) {
		t.Errorf("ended: %v", ended)
	}
	place()
	w.must(&schema.SetKillSwitch{Account: anna, Market: btcUSDT, Timeout: 5 * schema.Second, Products: schema.MarginOrders})
	w.tick(w.time + 6*second)
	if ended := w.ended(schema.Canceled); !slices.Equal(ended, []schema.OrderID{ids[2]}) {
		t.Errorf("ended: %v", ended)
	}
	w.holds()
}

// TestOneDeskForBothWallets: client ids and self-trade prevention span them, and stops of the trade wallet do not count.
func TestOneDeskForBothWallets(t *testing.T) {
	w := newPairs(t)
	w.fundTrade(anna, usdt, "50000")
	client := schema.SystemClientID("mine", 1)
	named := limit(schema.Buy, "0.01", "49000")
	named.ClientID = client
	spot := w.must(on(btcUSDT, anna, named)).Order
	w.refused(because(schema.ClientIDTaken), onPair(anna, named))
	sell := limit(schema.Sell, "0.01", "49000")
	sell.STP = schema.STPCancelBoth
	margin := w.must(onPair(anna, sell)).Order
	if ended := w.ended(schema.CanceledSTP); !slices.Equal(ended, []schema.OrderID{spot.ID, margin.ID}) {
		t.Errorf("ended: %v", ended)
	}
	// An account that does not mind trades with itself: its collateral sells to its trade wallet.
	w.must(on(btcUSDT, anna, limit(schema.Buy, "0.01", "49000")))
	w.must(onPair(anna, limit(schema.Sell, "0.01", "49000")))
	w.positions(anna, "-0.01", "-490")
	w.balance(anna, btc, "0.00999", "0")
	w.has(anna, btc, "0", "0.01")
	w.holds()
}

// TestGroupsOnAPair: a primary is followed by its orders, of which one closes the position with a loan less; those of a whole
// position are asked for no loan.
func TestGroupsOnAPair(t *testing.T) {
	w := newPairs(t)
	w.must(&schema.SetFeature{Feature: schema.BoundedWork, On: true})
	primary := limit(schema.Sell, "0.5", "50000")
	primary.TakeProfit, primary.StopLoss = d("49000"), d("51000")
	w.must(inSpot(ben, schema.Buy, "0.5", "50000"))
	w.must(onPair(anna, primary))
	w.has(anna, btc, "0", "0.5")
	if open := w.Orders(btcUSDT); len(open) != 2 || open[0].Role != schema.TakeProfit || open[1].Role != schema.StopLoss || open[1].Amount != d("0.5") {
		t.Errorf("%+v", open)
	}
	w.fundTrade(carl, btc, "1")
	w.must(inSpot(ben, schema.Buy, "0.1", "49000"))
	w.must(inSpot(ben, schema.Sell, "1", "49010"))
	w.must(inSpot(carl, schema.Sell, "0.1", "49000"))
	w.dealt("0.1", "49000", "0.5", "49010")
	w.positions(anna)
	w.has(anna, btc, "0", "0")
	if open := w.Orders(btcUSDT); len(open) != 1 {
		t.Errorf("%+v", open)
	}
	w.must(&schema.CancelAll{Account: ben})
	w.opened(anna, schema.Sell, "0.5", "50000")
	w.must(&schema.FundSystem{Account: lending, Asset: usdt, Amount: d("-1000000")})
	w.must(&schema.PlaceTPSL{Account: anna, Market: btcUSDT, TakeProfit: d("40000"), StopLoss: d("90000")})
	w.holds()
}
