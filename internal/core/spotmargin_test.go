package core

import (
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	pairETH    = schema.AssetID(3)
	pairBTC    = schema.MarketID(1)
	pairCross  = schema.MarketID(3)
	pairEther  = schema.MarketID(4)
	pairBand   = "2"
	poolOfBTC  = "100"
	poolOfUSDT = "10000000"
)

// newPairs is a venue where BTC_USDT, ETH_BTC and ETH_USDT are traded with margin, and the pool has something to lend.
func newPairs(t testing.TB) *venue {
	f := newVenue(t, nil)
	f.do(&schema.SetAsset{Asset: schema.Asset{Ticker: "ETH", Scale: 18, Precision: 8, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true}})
	f.margin(nil)
	for _, m := range []schema.MarketInfo{
		{Name: "ETH_BTC", Base: pairETH, Quote: venueBTC},
		{Name: "ETH_USDT", Base: pairETH, Quote: venueUSDT},
	} {
		m.Type, m.StockPrec, m.MoneyPrec, m.FeePrec, m.Enabled, m.TakerFee = schema.Spot, 4, 6, 6, true, d("0.1")
		m.Margin = schema.Margin{MaxLeverage: 10, LiquidationBand: d(pairBand)}
		f.do(&schema.SetMarket{Market: m})
	}
	f.lend(venueUSDT, "1", poolOfUSDT, "1000000")
	f.lend(venueBTC, "0.95", poolOfBTC, "20")
	f.lend(pairETH, "0.95", "1000", "1000")
	f.do(&schema.SetIndex{Market: pairEther, Price: d("2500")})
	return f
}

// margin lets BTC_USDT be traded with margin, changed as a test likes.
func (f *venue) margin(edit func(*schema.MarketInfo)) {
	f.Helper()
	info := schema.MarketInfo{
		Name: "BTC_USDT", Base: venueBTC, Quote: venueUSDT, Type: schema.Spot, StockPrec: 6, MoneyPrec: 2, FeePrec: 6, Enabled: true, TakerFee: d("0.1"),
		Margin: schema.Margin{MaxLeverage: 10, LiquidationBand: d(pairBand)},
	}
	if edit != nil {
		edit(&info)
	}
	f.do(&schema.SetMarket{Market: info})
}

// lend gives the pool what it may lend of an asset, at no interest.
func (f *venue) lend(asset schema.AssetID, weight, pool, account string) {
	f.Helper()
	f.do(&schema.SetCollateral{Asset: asset, Weight: d(weight), PoolCap: d(pool), AccountCap: d(account), IndexMaxAge: 3600 * schema.Second})
	f.do(&schema.FundSystem{Account: schema.Lending, Asset: asset, Amount: d(pool)})
}

// on is an order from collateral on a spot market.
func on(market schema.MarketID, id schema.AccountID, side schema.Side, amount, price string) *schema.PlaceOrder {
	c := bet(id, side, amount, price)
	c.Order.Market = market
	return c
}

// spot is an order from the trade wallet.
func traded(market schema.MarketID, id schema.AccountID, side schema.Side, amount, price string) *schema.PlaceOrder {
	c := on(market, id, side, amount, price)
	c.Order.Collateral = false
	return c
}

// house is an account with much of everything in its trade wallet.
func (f *venue) house() schema.AccountID {
	f.Helper()
	id := f.trader("house", "1", 0)
	for asset, amount := range [...]string{venueUSDT: "100000000", venueBTC: "1000", pairETH: "10000"} {
		if amount != "" {
			f.do(&schema.Deposit{Account: id, Asset: schema.AssetID(asset), Amount: d(amount)})
			f.do(&schema.Transfer{Account: id, Asset: schema.AssetID(asset), Amount: d(amount), From: schema.Main, To: schema.Trade})
		}
	}
	return id
}

// held checks what an account has and owes of an asset as collateral.
func (f *venue) held(id schema.AccountID, asset schema.AssetID, has, owes string) {
	f.Helper()
	got, _, _ := f.m.Balance(id, schema.Collateral, asset)
	debt, _, _ := f.m.Balance(id, schema.Debt, asset)
	if got != d(has) || debt != d(owes) {
		f.Errorf("account %d has %s of asset %d and owes %s, want %s and %s", id, got, asset, debt, has, owes)
	}
}

// stands checks equity, unrealized PnL and margin of an account.
func (f *venue) stands(id schema.AccountID, equity, unrealized, margin string) {
	f.Helper()
	if s := f.m.Collateral().Summary(id); s.Equity != d(equity) || s.Unrealized != d(unrealized) || s.Margin != d(margin) {
		f.Errorf("account %d has %s and %s, bound %s; want %s, %s, %s", id, s.Equity, s.Unrealized, s.Margin, equity, unrealized, margin)
	}
}

// size checks the position of an account on a market.
func (f *venue) size(id schema.AccountID, market schema.MarketID, amount, cost string) {
	f.Helper()
	var got schema.Position
	for _, p := range f.m.Collateral().Positions(id) {
		if p.Market == market {
			got = p
		}
	}
	if got.Amount != d(amount) || got.Cost != d(cost) {
		f.Errorf("account %d has a position of %s for %s, want %s for %s", id, got.Amount, got.Cost, amount, cost)
	}
}

// TestALongOnASpotMarket is the worked example: what is missing of the price is lent, and the base is not collateral.
func TestALongOnASpotMarket(t *testing.T) {
	f := newPairs(t)
	house, alice := f.house(), f.trader("alice", "10000", 10)
	f.do(traded(pairBTC, house, schema.Sell, "2", "50000"))
	f.refused(on(pairBTC, alice, schema.Buy, "2", "50000"), schema.NotEnoughBalance)
	out := f.do(on(pairBTC, alice, schema.Buy, "1.9", "50000"))
	if o := out.Result.Order; o.Status != schema.Filled || o.DealFee != d("95") || !o.Collateral {
		t.Errorf("the order is %+v", o)
	}
	f.held(alice, venueUSDT, "0", "85095")
	f.held(alice, venueBTC, "1.9", "0")
	f.size(alice, pairBTC, "1.9", "95000")
	f.stands(alice, "9905", "0", "9500")
	if got, _, _ := f.m.Balance(house, schema.Trade, venueUSDT); got != d("100095000") {
		t.Errorf("the seller has %s", got)
	}
	if btc := f.m.Collateral().Balance(alice, venueBTC); btc.Amount != d("1.9") || !btc.Free.IsZero() || !btc.Owed.IsZero() {
		t.Errorf("of the BTC of a position: %+v", btc)
	}
	if usdt := f.m.Collateral().Balance(alice, venueUSDT); usdt.Owed != d("85095") || !usdt.Free.IsZero() {
		t.Errorf("of the USDT that pays for it: %+v", usdt)
	}
	// At 51000 the position gains 1900.
	f.mark("51000")
	f.stands(alice, "9905", "1900", "9690")
	// Sold at 51000: 96900 less the fee of 96.9 repay 85095.
	f.do(traded(pairBTC, house, schema.Buy, "2", "51000"))
	f.do(on(pairBTC, alice, schema.Sell, "1.9", "51000"))
	f.held(alice, venueUSDT, "11708.1", "0")
	f.held(alice, venueBTC, "0", "0")
	f.size(alice, pairBTC, "0", "0")
	f.agrees()
}

// TestAShortOnASpotMarket: what is sold is lent, and bought back with what it was sold for.
func TestAShortOnASpotMarket(t *testing.T) {
	f := newPairs(t)
	house, bob := f.house(), f.trader("bob", "10000", 10)
	f.give(bob, venueBTC, "0.2")
	f.do(traded(pairBTC, house, schema.Buy, "1", "50000"))
	f.do(on(pairBTC, bob, schema.Sell, "1", "50000"))
	f.held(bob, venueUSDT, "59950", "0")
	f.held(bob, venueBTC, "0", "0.8")
	f.size(bob, pairBTC, "-1", "-50000")
	// Own: 9950 USDT and 0.2 BTC, of which 95 % count.
	f.stands(bob, "19450", "0", "5000")
	f.mark("52000")
	f.stands(bob, "19830", "-2000", "5200")
	if got, ok := f.m.Collateral().LiquidationPrice(bob, pairBTC, schema.BothSides); !ok || got != d("67796.12") {
		t.Errorf("the liquidation price is %s", got)
	}
	// A buy of 1.5 closes the short and opens a long of 0.5.
	f.do(traded(pairBTC, house, schema.Sell, "1.5", "52000"))
	out := f.do(on(pairBTC, bob, schema.Buy, "1.5", "52000"))
	if list := positions(out); len(list) != 2 || list[0].Realized != d("-2000") || list[0].Fee != d("52") || list[1].Fee != d("26") || list[1].Position.Amount != d("0.5") {
		t.Errorf("the flip is %+v", list)
	}
	// 59950 - 78000 - 78: 18128 are lent; 0.8 of 1.5 BTC repay.
	f.held(bob, venueUSDT, "0", "18128")
	f.held(bob, venueBTC, "0.7", "0")
	f.size(bob, pairBTC, "0.5", "26000")
	f.agrees()
}

// TestBothKindsOfOrdersMeetInOneBook: an order of the trade wallet takes one from collateral as any other, each with its fee, and
// two from collateral trade with each other.
func TestBothKindsOfOrdersMeetInOneBook(t *testing.T) {
	f := newPairs(t)
	house, alice, bob := f.house(), f.trader("alice", "10000", 10), f.trader("bob", "10000", 10)
	f.do(on(pairBTC, alice, schema.Buy, "1", "50000"))
	f.do(traded(pairBTC, house, schema.Sell, "0.4", "50000"))
	f.held(alice, venueUSDT, "0", "10000")
	f.held(alice, venueBTC, "0.4", "0")
	if got, _, _ := f.m.Balance(schema.Fees, schema.Main, venueUSDT); got != d("20") {
		t.Errorf("fees of %s", got)
	}
	f.do(on(pairBTC, bob, schema.Sell, "0.6", "50000"))
	f.held(alice, venueUSDT, "0", "40000")
	f.held(alice, venueBTC, "1", "0")
	f.held(bob, venueUSDT, "39970", "0")
	f.held(bob, venueBTC, "0", "0.6")
	f.size(alice, pairBTC, "1", "50000")
	f.size(bob, pairBTC, "-0.6", "-30000")
	// A buyer from the trade wallet pays its fee in what it buys.
	f.do(on(pairBTC, bob, schema.Sell, "0.1", "50000"))
	f.do(traded(pairBTC, house, schema.Buy, "0.1", "50000"))
	if got, _, _ := f.m.Balance(schema.Fees, schema.Main, venueBTC); got != d("0.0001") {
		t.Errorf("fees of %s BTC", got)
	}
	// Self-trade prevention spans both wallets.
	f.do(&schema.Deposit{Account: bob, Asset: venueUSDT, Amount: d("10000")})
	f.do(&schema.Transfer{Account: bob, Asset: venueUSDT, Amount: d("10000"), From: schema.Main, To: schema.Trade})
	f.do(on(pairBTC, bob, schema.Sell, "0.1", "50000"))
	own := traded(pairBTC, bob, schema.Buy, "0.1", "50000")
	own.Order.STP = schema.STPCancelNew
	if out := f.do(own); out.Result.Order.Status != schema.CanceledSTP {
		t.Errorf("an order that meets its own account's is %s", out.Result.Order.Status)
	}
	f.agrees()
}

// TestWhatThePoolCannotLend: 15 and 16 when an order comes, CANCELED when a fill needs more than is left.
func TestWhatThePoolCannotLend(t *testing.T) {
	f := newPairs(t)
	house, alice, bob := f.house(), f.trader("alice", "10000000", 10), f.trader("bob", "10000000", 10)
	// An account may borrow 20 BTC.
	f.do(on(pairBTC, alice, schema.Sell, "20", "50000"))
	f.refused(on(pairBTC, alice, schema.Sell, "20.000001", "50000"), schema.BaseNotLent)
	// And 1,000,000 USDT: with 10,000,000 it can buy 220.
	f.do(on(pairBTC, bob, schema.Buy, "220", "49999"))
	f.refused(on(pairBTC, bob, schema.Buy, "220.1", "50000"), schema.QuoteNotLent)
	// The pool has 100 BTC; the operator takes 85.
	f.do(&schema.FundSystem{Account: schema.Lending, Asset: venueBTC, Amount: d("-85")})
	out := f.do(traded(pairBTC, house, schema.Buy, "20", "50000"))
	if o := out.Result.Order; o.Status != schema.Open || !o.DealStock.IsZero() {
		t.Errorf("the taker is %+v", o)
	}
	f.held(alice, venueBTC, "0", "0")
	if left := f.m.Trading().All(pairBTC); len(left) != 2 {
		t.Errorf("%d orders are open: the maker who cannot borrow should have ended", len(left))
	}
	f.refused(on(pairBTC, alice, schema.Sell, "15.000001", "50000"), schema.BaseNotLent)
	f.do(on(pairBTC, alice, schema.Sell, "15", "50000"))
	f.held(alice, venueBTC, "0", "15")
	// What repays can be lent again.
	f.do(traded(pairBTC, house, schema.Sell, "5", "50100"))
	f.do(on(pairBTC, alice, schema.Buy, "5", "50100"))
	f.held(alice, venueBTC, "0", "10")
	f.agrees()
}

// TestReduceOnlyOnASpotMarket: it is cut to the position, and ends with it.
func TestReduceOnlyOnASpotMarket(t *testing.T) {
	f := newPairs(t)
	house, alice := f.house(), f.trader("alice", "10000", 10)
	order := on(pairBTC, alice, schema.Sell, "3", "52000")
	order.Order.ReduceOnly = true
	f.refused(order, schema.ReduceOnlyNothing)
	f.do(traded(pairBTC, house, schema.Sell, "1", "50000"))
	f.do(on(pairBTC, alice, schema.Buy, "1", "50000"))
	if out := f.do(order); out.Result.Order.Amount != d("1") {
		t.Errorf("it is for %s", out.Result.Order.Amount)
	}
	f.do(traded(pairBTC, house, schema.Buy, "1", "50000"))
	f.do(&schema.ClosePosition{Account: alice, Market: pairBTC, Position: f.m.Collateral().Positions(alice)[0].ID})
	f.size(alice, pairBTC, "0", "0")
	if left := f.m.Trading().All(pairBTC); len(left) != 0 {
		t.Errorf("open after the position: %+v", left)
	}
	f.agrees()
}

// TestHedgeModeLeavesSpotMarketsAlone: they have one position, and do not hinder a change of the mode.
func TestHedgeModeLeavesSpotMarketsAlone(t *testing.T) {
	f := newPairs(t)
	house, alice := f.house(), f.trader("alice", "10000", 20)
	f.do(traded(pairBTC, house, schema.Sell, "0.5", "50000"))
	f.do(on(pairBTC, alice, schema.Buy, "0.2", "50000"))
	f.do(&schema.SetHedgeMode{Account: alice, On: true})
	buy := on(pairBTC, alice, schema.Buy, "0.2", "50000")
	buy.Order.PositionSide = schema.ShortSide
	f.do(buy)
	f.size(alice, pairBTC, "0.4", "20000")
	// A leverage of 100 counts as 10 here.
	f.do(&schema.SetLeverage{Account: alice, Leverage: 100})
	f.stands(alice, "9980", "0", "2000")
	f.agrees()
}

// TestAPairOfTwoAssets: the price is in BTC, and everything is valued in USDT.
func TestAPairOfTwoAssets(t *testing.T) {
	f := newPairs(t)
	house, alice := f.house(), f.trader("alice", "10000", 10)
	f.do(traded(pairCross, house, schema.Sell, "20", "0.05"))
	// 20 ETH for 1 BTC, and 0.001 BTC of fee: all of it is lent.
	f.do(on(pairCross, alice, schema.Buy, "20", "0.05"))
	f.held(alice, venueUSDT, "10000", "0")
	f.held(alice, venueBTC, "0", "1.001")
	f.held(alice, pairETH, "20", "0")
	f.size(alice, pairCross, "20", "1")
	// Equity: 10000 less the fee of 50; margin a tenth of 50000, and of the fee's naked loan.
	f.stands(alice, "9950", "0", "5005")
	f.do(&schema.SetIndex{Market: pairEther, Price: d("2400")})
	f.stands(alice, "9950", "-2000", "4805")
	f.mark("48000")
	f.stands(alice, "9952", "0", "4804.8")
	f.agrees()
}

// TestWhatIsCanceledByProduct: margin and spot orders stand in one book and are canceled apart, by their owner and by a kill switch.
func TestWhatIsCanceledByProduct(t *testing.T) {
	f := newPairs(t)
	house := f.house()
	f.give(house, venueUSDT, "10000")
	place := func() {
		f.do(traded(pairBTC, house, schema.Buy, "0.1", "49000"))
		f.do(on(pairBTC, house, schema.Buy, "0.1", "49001"))
		f.do(bet(house, schema.Buy, "0.1", "49002"))
	}
	open := func() (prices []string) {
		for _, m := range []schema.MarketID{pairBTC, perp} {
			for _, o := range f.m.Trading().All(m) {
				prices = append(prices, o.Price.String())
			}
		}
		return prices
	}
	want := func(prices ...string) {
		t.Helper()
		if got := open(); !slices.Equal(got, prices) {
			t.Errorf("open at %v, want %v", got, prices)
		}
	}
	place()
	f.do(&schema.CancelAll{Account: house, Products: schema.MarginOrders})
	want("49000", "49002")
	f.do(&schema.CancelAll{Account: house, Market: pairBTC, Products: schema.FuturesOrders})
	want("49000", "49002")
	f.do(&schema.CancelAll{Account: house, Products: schema.SpotOrders})
	want("49002")
	f.do(&schema.CancelAll{Account: house})
	place()
	f.do(&schema.SetKillSwitch{Account: house, Market: pairBTC, Timeout: 5 * schema.Second, Products: schema.MarginOrders})
	f.m.Apply(f.m.Time()+6*schema.Second, &schema.Tick{})
	want("49000", "49002")
}

// TestAPairIsLiquidatedInParts: a quarter, then all, no further from the index than the band of the market, and only the orders
// from collateral end.
func TestAPairIsLiquidatedInParts(t *testing.T) {
	f := newPairs(t)
	house, alice := f.house(), f.trader("alice", "10000", 10)
	f.do(traded(pairBTC, house, schema.Sell, "1.9", "50000"))
	f.do(on(pairBTC, alice, schema.Buy, "1.9", "50000"))
	f.do(on(pairBTC, alice, schema.Sell, "0.1", "60000"))
	f.do(&schema.Deposit{Account: alice, Asset: venueUSDT, Amount: d("100")})
	f.do(&schema.Transfer{Account: alice, Asset: venueUSDT, Amount: d("100"), From: schema.Main, To: schema.Trade})
	f.do(traded(pairBTC, alice, schema.Buy, "0.001", "40000"))
	// At 46200: T = 9905 - 7220 = 2685, MM = 2633.4. At 46100: 2495 and 2627.7.
	f.do(traded(pairBTC, house, schema.Buy, "1", "45100"))
	f.mark("46100")
	// 2 % below 46100 is 45178: nobody buys there, and the position waits.
	f.size(alice, pairBTC, "1.9", "95000")
	if left := f.m.Trading().All(pairBTC); len(left) != 2 {
		t.Errorf("open: %+v", left)
	}
	f.do(traded(pairBTC, house, schema.Buy, "5", "45178"))
	f.tick()
	// A quarter is 0.475: T = 2495 - 0.475*922 - 21.459550 = 2035.59.., MM of 1.425: 1970.775.
	f.size(alice, pairBTC, "1.425", "71250")
	f.stands(alice, "7593.09045", "-5557.5", "6569.25")
	f.mark("46050")
	f.size(alice, pairBTC, "1.06875", "53437.5")
	f.mark("45000") // a quarter is not enough
	f.size(alice, pairBTC, "0", "0")
	f.held(alice, venueBTC, "0", "0")
	f.agrees()
}

// TestADebtOfAnotherAssetIsBought: a short that falls is bought back as far as the book goes, and the fund pays what is left.
func TestADebtOfAnotherAssetIsBought(t *testing.T) {
	f := newPairs(t)
	house, bob := f.house(), f.trader("bob", "3000", 10)
	f.do(traded(pairBTC, house, schema.Buy, "0.5", "50000"))
	f.do(on(pairBTC, bob, schema.Sell, "0.5", "50000"))
	f.held(bob, venueBTC, "0", "0.5")
	f.held(bob, venueUSDT, "27975", "0")
	// The book has less than the position at 55000 and nothing else; then everything far above.
	f.do(traded(pairBTC, house, schema.Sell, "0.3", "55000"))
	f.mark("55000") // T = 2975 - 2500 = 475, MM = 825
	f.size(bob, pairBTC, "-0.2", "-10000")
	f.do(traded(pairBTC, house, schema.Sell, "1", "71000"))
	f.mark("70000") // the rest is bought at 71000: less than 2 % above
	f.size(bob, pairBTC, "0", "0")
	// 27975 - 16500 - 16.5 - 14200 - 14.2: 2755.7 are owed, and the fund pays.
	f.held(bob, venueUSDT, "0", "0")
	f.held(bob, venueBTC, "0", "0")
	if fund, _, _ := f.m.Balance(schema.Insurance, schema.Main, venueUSDT); fund != d("-2755.7") {
		t.Errorf("the fund has %s", fund)
	}
	f.agrees()
}

// TestADelistedPair: the fund takes the other side at what the assets are worth.
func TestADelistedPair(t *testing.T) {
	f := newPairs(t)
	house, alice, bob := f.house(), f.trader("alice", "10000", 10), f.trader("bob", "10000", 10)
	f.do(traded(pairBTC, house, schema.Sell, "1", "50000"))
	f.do(on(pairBTC, alice, schema.Buy, "1", "50000"))
	f.do(traded(pairBTC, house, schema.Buy, "0.5", "50000"))
	f.do(on(pairBTC, bob, schema.Sell, "0.5", "50000"))
	f.mark("51000")
	f.do(&schema.PlanDelisting{Market: pairBTC, At: f.m.Time() + 2*schema.Second})
	f.tick()
	f.tick()
	f.tick()
	f.size(alice, pairBTC, "0", "0")
	f.size(bob, pairBTC, "0", "0")
	f.held(alice, venueUSDT, "10950", "0")
	f.held(alice, venueBTC, "0", "0")
	f.held(bob, venueUSDT, "9475", "0")
	f.held(bob, venueBTC, "0", "0")
	btc, _, _ := f.m.Balance(schema.Insurance, schema.Main, venueBTC)
	usdt, _, _ := f.m.Balance(schema.Insurance, schema.Main, venueUSDT)
	if btc != d("0.5") || usdt != d("-25500") {
		t.Errorf("the fund has %s BTC and %s USDT", btc, usdt)
	}
	f.agrees()
}

// TestNothingIsTradedWithMarginWithoutAPrice: an asset without an index cannot be valued.
func TestNothingIsTradedWithMarginWithoutAPrice(t *testing.T) {
	f := newPairs(t)
	alice := f.trader("alice", "10000", 10)
	f.do(&schema.SetIndex{Market: pairEther, Price: fixed.Zero})
	f.refused(on(pairEther, alice, schema.Buy, "1", "2500"), schema.PriceUnknown)
	f.refused(on(pairCross, alice, schema.Buy, "1", "0.05"), schema.PriceUnknown)
	f.do(on(pairBTC, alice, schema.Buy, "0.1", "50000"))
	f.agrees()
}

// TestANakedLoanIsBought: fees in BTC are owed by nobody's position; when the account falls they are bought on BTC_USDT, at most 2 % above the index, a quarter
// first.
func TestANakedLoanIsBought(t *testing.T) {
	f := newPairs(t)
	house, alice := f.house(), f.trader("alice", "1200", 10)
	f.do(traded(pairCross, house, schema.Sell, "4", "0.05"))
	f.do(on(pairCross, alice, schema.Buy, "4", "0.05")) // 10000 USDT, and 0.0002 BTC of fee
	f.held(alice, venueBTC, "0", "0.2002")
	f.do(traded(pairCross, house, schema.Buy, "4", "0.0442"))
	f.do(traded(pairBTC, house, schema.Sell, "1", "50500"))
	// 4 ETH are 8840 and 0.2 BTC 10000: T = 1200 - 10 - 1160 = 30, MM = 265.2 + 0.3. All is sold for 0.1768 BTC, less 0.000176: 0.023576 BTC
	// are owed, T = 21.2, MM = 35.364. A quarter is 0.005894, for 297.647 and 0.297647; T = 17.95.. and MM = 26.52..; then the rest, 0.017682.
	f.do(&schema.SetIndex{Market: pairEther, Price: d("2210")})
	f.size(alice, pairCross, "0", "0")
	f.held(alice, pairETH, "0", "0")
	f.held(alice, venueBTC, "0", "0")
	f.held(alice, venueUSDT, "8.221412", "0")
	f.agrees()
}

// TestABandOfAllOfThePrice: a market whose liquidation may trade at any price is liquidated at any price.
func TestABandOfAllOfThePrice(t *testing.T) {
	f := newPairs(t)
	f.margin(func(m *schema.MarketInfo) { m.LiquidationBand = d("100") })
	house, alice := f.house(), f.trader("alice", "10000", 10)
	f.do(traded(pairBTC, house, schema.Sell, "1.9", "50000"))
	f.do(on(pairBTC, alice, schema.Buy, "1.9", "50000"))
	f.do(traded(pairBTC, house, schema.Buy, "5", "0.01"))
	f.mark("46100")
	f.size(alice, pairBTC, "0", "0")
	f.agrees()
}

// TestInterestOfAPosition: the interest of a loan that was not charged yet is shown with the positions that need it, by what they
// need: a long its cost, a short its size.
func TestInterestOfAPosition(t *testing.T) {
	f := newPairs(t)
	for _, asset := range []schema.AssetID{venueUSDT, venueBTC} {
		f.do(&schema.SetCollateral{Asset: asset, Weight: fixed.One, Rate: d("0.0006"), PoolCap: d("1000000"), AccountCap: d("1000000"), IndexMaxAge: 3600 * schema.Second})
	}
	house, alice := f.house(), f.trader("alice", "20000", 10)
	f.do(traded(pairBTC, house, schema.Sell, "1", "50000"))
	f.do(on(pairBTC, alice, schema.Buy, "1", "50000"))
	f.do(traded(pairEther, house, schema.Sell, "10", "2500"))
	f.do(on(pairEther, alice, schema.Buy, "10", "2500"))
	f.held(alice, venueUSDT, "0", "55075") // 75000 and 75 of fees, of which 20000 were there
	f.m.Apply((f.m.Time()/(60*schema.Second)+11)*60*schema.Second, &schema.Tick{})
	// Minutes of 0.0006 an hour: each costs 55075 · 0.00001 = 0.55075. Two thirds of it are the first one's.
	loan := f.m.Collateral().Loans(alice)[0].Accrued
	if minutes, _ := fixed.Div(loan, d("0.55075"), 18, fixed.Down); minutes != d("11") {
		t.Errorf("%s of interest, which is that of %s minutes", loan, minutes)
	}
	list := f.m.Collateral().Valuations(alice, 0)
	two, _ := fixed.MulDiv(loan, d("2"), d("3"), 18, fixed.Down)
	one, _ := fixed.MulDiv(loan, d("1"), d("3"), 18, fixed.Down)
	if len(list) != 2 || list[0].Interest != two || list[1].Interest != one {
		t.Errorf("%s and %s of %s", list[0].Interest, list[1].Interest, loan)
	}
}

// TestAnOrderThatFindsNothingIsNoWorseThanTheMark: it counts at the mark, whose product with an amount is rounded up, and binds not a
// unit more than that. Beside a larger order of the other side it binds nothing, and no fresh price is asked for.
func TestAnOrderThatFindsNothingIsNoWorseThanTheMark(t *testing.T) {
	f := newPairs(t)
	f.house()
	alice := f.trader("alice", "1000000", 10)
	f.mark("0.00000123")
	f.do(&schema.SetIndex{Market: pairEther, Price: d("63.099497340467862271")})
	f.do(on(pairCross, alice, schema.Sell, "15.12", "38297876.261119"))
	for _, asset := range []schema.AssetID{venueBTC, pairETH} {
		f.do(&schema.SetCollateral{Asset: asset, Weight: d("0.95"), PoolCap: d("100"), AccountCap: d("20"), IndexMaxAge: schema.Second})
	}
	f.do(&schema.Tick{})
	f.do(&schema.Tick{})
	f.refused(on(pairCross, alice, schema.Sell, "1", "38297876.261119"), schema.PriceUnknown)
	buy := on(pairCross, alice, schema.Buy, "11.7283", "")
	buy.Order.STP = schema.STPCancelOld
	f.refused(buy, schema.QuoteNotLent) // which is the next that is asked
}
