package core

import (
	"fmt"
	"testing"

	"bourse/internal/core/listing"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	dollar  = schema.AssetID(3)
	apple   = schema.AssetID(4)
	dollars = schema.MarketID(3) // USD_USDT
	stock   = schema.MarketID(4) // AAPL_USD
)

// newStocks has a TradFi future, whose prices are in USD, beside the others. A dollar is worth so much USDT.
func newStocks(t testing.TB, worth string, edit func(*schema.MarketInfo)) *venue {
	f := newVenue(t, nil)
	for _, ticker := range []string{"USD", "AAPL"} {
		f.do(&schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Scale: 8, Precision: 8, Class: schema.Crypto}})
	}
	f.do(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "USD_USDT", Base: dollar, Quote: venueUSDT, Type: schema.Spot, StockPrec: 2, MoneyPrec: 4, FeePrec: 6, Enabled: true,
	}})
	info := *f.m.Listing().Market(perp)
	info.Name, info.Base, info.Quote, info.Type = "AAPL_USD", apple, dollar, schema.TradFiFutures
	if edit != nil {
		edit(&info)
	}
	f.do(&schema.SetMarket{Market: info})
	if worth != "" {
		f.do(&schema.SetIndex{Market: dollars, Price: d(worth)})
	}
	return f
}

// broker opens an account that may trade TradFi futures.
func (f *venue) broker(name, usdt string, leverage uint8) schema.AccountID {
	f.Helper()
	id := f.trader(name, usdt, leverage)
	f.do(&schema.SetAccount{Account: schema.Account{ID: id, Name: name, Region: schema.Global, TradFi: true}})
	return id
}

// share is an order on the future.
func share(id schema.AccountID, side schema.Side, amount, price string) *schema.PlaceOrder {
	c := bet(id, side, amount, price)
	c.Order.Market = stock
	return c
}

// quote sets the price of the stock in USD.
func (f *venue) quote(price string) *schema.Outcome {
	f.Helper()
	return f.do(&schema.SetIndex{Market: stock, Price: d(price)})
}

// TestAStockIsPaidInUSDT: prices are in USD, and all that is paid in USDT at what a dollar is worth at the moment of the deal.
func TestAStockIsPaidInUSDT(t *testing.T) {
	f := newStocks(t, "0.9995", nil)
	f.quote("230.10")
	alice, bob := f.broker("alice", "1000", 10), f.broker("bob", "100000", 10)
	f.do(share(bob, schema.Sell, "2", "230.10"))
	out := f.do(share(alice, schema.Buy, "2", "230.10"))
	list, deals := positions(out), dealt(out)
	p := list[1].Position
	if p.Amount != d("2") || p.Cost != d("459.9699") || p.Paid != d("459.9699") || p.QuotedCost != d("460.2") || p.QuotedPaid != d("460.2") || list[1].Price != d("230.1") {
		t.Errorf("the position is %+v", list[1])
	}
	if deals[0].Money != d("460.2") || deals[0].Taker.Fee != d("0.229984") { // of 0.22998495
		t.Errorf("the deal is %+v", deals[0])
	}
	f.balance(alice, schema.Collateral, "999.770016")
	f.balance(schema.Clearing, schema.Collateral, "0")

	// What the stock is worth in USDT stays, and so its mark in USD falls when a dollar is worth more: 229.98495 / 1.0002 = 229.938..
	f.do(&schema.SetIndex{Market: dollars, Price: d("1.0002")})
	now, _ := f.m.Prices().Future(stock)
	if now.Mark != d("229.93") || now.Money != d("1.0002") || !now.Fresh {
		t.Errorf("the mark is %+v", now)
	}
	v := f.m.Collateral().Valuations(alice, stock)[0]
	// 2 · 229.93 · 1.0002 - 459.9699, and the margin of a tenth.
	if v.Unrealized != d("-0.017928") || v.Entry != d("230.1") || v.Notional != d("459.951972") || v.Margin != d("45.9951972") {
		t.Errorf("it is worth %+v", v)
	}
	f.quote("231")
	f.do(share(bob, schema.Buy, "2", "231"))
	list = positions(f.do(share(alice, schema.Sell, "2", "231")))
	p = list[1].Position
	// 462 · 1.0002 = 462.0924.
	if list[1].Realized != d("2.1225") || !p.Cost.IsZero() || !p.QuotedCost.IsZero() || p.QuotedPaid != d("460.2") || p.QuotedRealized != d("1.8") {
		t.Errorf("closed: %+v", list[1])
	}
	f.balance(alice, schema.Collateral, "1001.66147") // 999.770016 + 2.1225 - 0.231046
	f.balance(schema.Clearing, schema.Collateral, "0")
	f.agrees()
}

// TestAPartOfAStockIsClosed: both costs are cut by the same part, each at its own scale, and a turned position begins again.
func TestAPartOfAStockIsClosed(t *testing.T) {
	f := newStocks(t, "0.333333333333", func(m *schema.MarketInfo) { m.TakerFee = fixed.Zero })
	f.quote("100")
	alice, bob := f.broker("alice", "1000", 10), f.broker("bob", "100000", 10)
	f.do(share(bob, schema.Sell, "3", "100"))
	p := positions(f.do(share(alice, schema.Buy, "3", "100")))[1].Position
	if p.Cost != d("99.9999999999") || p.QuotedCost != d("300") {
		t.Errorf("opened: %+v", p)
	}
	f.do(share(bob, schema.Buy, "1", "100.01"))
	one := positions(f.do(share(alice, schema.Sell, "1", "100.01")))[1]
	// 100.01 · 0.333333333333 less a third of the cost.
	if one.Realized != d("0.00333333333333") || one.Position.Cost != d("66.6666666666") || one.Position.QuotedCost != d("200") || one.Position.QuotedRealized != d("0.01") {
		t.Errorf("reduced: %+v", one)
	}
	f.do(share(bob, schema.Buy, "5", "101"))
	list := positions(f.do(share(alice, schema.Sell, "5", "101")))
	over, turned := list[len(list)-2], list[len(list)-1]
	if over.Position.QuotedRealized != d("2.01") || !over.Position.QuotedCost.IsZero() || turned.Position.Amount != d("-3") ||
		turned.Position.QuotedCost != d("-303") || turned.Position.QuotedPaid != d("303") || !turned.Position.QuotedRealized.IsZero() || turned.Position.Cost != d("-100.999999999899") {
		t.Errorf("turned: %+v and %+v", over, turned)
	}
	f.agrees()
}

// TestTradFiNeedsARight: it is asked for new orders and modifications, and for nothing that ends something.
func TestTradFiNeedsARight(t *testing.T) {
	f := newStocks(t, "1", nil)
	f.quote("200")
	alice, bob := f.broker("alice", "100000", 10), f.broker("bob", "100000", 10)
	f.do(share(bob, schema.Sell, "10", "200"))
	f.do(share(alice, schema.Buy, "10", "200"))
	first := f.do(share(alice, schema.Buy, "1", "199")).Result.Order.ID
	second := f.do(share(alice, schema.Buy, "1", "198")).Result.Order.ID
	f.do(&schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global}})
	f.refused(share(alice, schema.Buy, "1", "197"), schema.TradFiNotEnabled)
	f.refused(share(alice, schema.Sell, "1", ""), schema.TradFiNotEnabled)
	f.refused(&schema.ModifyOrder{Account: alice, Order: schema.OrderRef{Market: stock, ID: first}, Price: schema.Some(d("199.5")), KeepSTP: true}, schema.TradFiNotEnabled)
	f.refused(&schema.PlaceTPSL{Account: alice, Market: stock, TakeProfit: d("300")}, schema.TradFiNotEnabled)
	if items := f.do(&schema.PlaceBulk{Account: alice, Orders: []schema.OrderRequest{share(alice, schema.Buy, "1", "197").Order}}).Result.Items; items[0].Rejection.Reason != schema.TradFiNotEnabled {
		t.Errorf("in a bulk: %+v", items[0])
	}
	f.do(&schema.CancelOrder{Account: alice, Order: schema.OrderRef{Market: stock, ID: first}})
	if o := f.do(&schema.CancelAll{Account: alice}).Events.Order(second); o == nil || o.Status != schema.Canceled {
		t.Errorf("not canceled: %+v", o)
	}
	f.do(share(bob, schema.Buy, "10", "199"))
	id := f.m.Collateral().Positions(alice)[0].ID
	f.do(&schema.ClosePosition{Account: alice, Market: stock, Position: id})
	if list := f.m.Collateral().Positions(alice); len(list) != 0 {
		t.Errorf("not closed: %+v", list)
	}
	f.agrees()
}

// TestTheIndexOfAStock: what a source says in USD counts in USDT, at what a dollar is worth then.
func TestTheIndexOfAStock(t *testing.T) {
	f := newStocks(t, "", nil)
	set := func(price string, source uint8) *schema.SetIndex {
		return &schema.SetIndex{Market: stock, Price: d(price), Source: source}
	}
	f.refused(set("200", 0), schema.QuoteUnpriced)
	f.do(set("0", 0))
	f.do(&schema.SetIndex{Market: dollars, Price: d("0.5")})
	f.refused(set("0.000000000000000001", 0), schema.IndexInvalid)
	f.do(set("200", 0))
	f.do(set("210", 3))
	if index, fresh := f.m.Prices().Index(apple); index != d("102.5") || !fresh { // the mean of 100 and 105
		t.Errorf("the index is %s", index)
	}
	if now, _ := f.m.Prices().Future(stock); now.Index != d("205") || now.Mark != d("205") || !now.Fresh {
		t.Errorf("the mark is %+v", now)
	}
	// A dollar that nobody prices any more makes the stock stale, whose own sources still count.
	f.do(&schema.SetIndex{Market: dollars, Price: fixed.Zero})
	if now, _ := f.m.Prices().Future(stock); now.Index != d("205") || now.Fresh {
		t.Errorf("the mark is %+v", now)
	}
	alice := f.broker("alice", "1000", 10)
	f.refused(share(alice, schema.Buy, "1", "205"), schema.PriceUnknown)
	f.do(&schema.SetIndex{Market: dollars, Price: listing.HighestPrice})
	f.refused(set("2", 0), schema.IndexInvalid)
	f.agrees()
}

// gambles is bob of the margin sheet where a dollar is worth half a USDT: all prices are twice his, and all money is the same.
func gambles(t testing.TB) (f *venue, bob, carol schema.AccountID) {
	f = newStocks(t, "0.5", nil)
	f.quote("100000")
	bob, carol = f.broker("bob", "1000", 100), f.broker("carol", "100000", 10)
	f.do(share(carol, schema.Sell, "1", "100000"))
	f.do(share(bob, schema.Buy, "1", "100000"))
	f.balance(bob, schema.Collateral, "975")
	return f, bob, carol
}

// TestAStockIsLiquidatedInParts: the limit is in USD. 49147.8696 USDT are 98295.7393 USD.
func TestAStockIsLiquidatedInParts(t *testing.T) {
	f, bob, _ := gambles(t)
	if v := f.m.Collateral().Valuations(bob, stock)[0]; v.Liquidation != schema.Some(d("98542.71")) {
		t.Errorf("the liquidation price is %v", v.Liquidation)
	}
	dave := f.broker("dave", "100000", 10)
	f.do(share(dave, schema.Buy, "0.25", "98520"))
	f.do(share(dave, schema.Buy, "5", "98295.73"))
	f.has(risks(f.quote("98542.72")), fmt.Sprint(bob, " margin_call 246.36 246.3568"))
	f.has(risks(f.quote("98540")), fmt.Sprint(bob, " liquidation 245 246.35"), fmt.Sprint(bob, " margin_call 211.7125 184.7625"))
	f.balance(bob, schema.Collateral, "759.2125")
	f.balance(schema.Insurance, schema.Main, "24.63")
	f.agrees()
}

// TestADollarThatFallsLiquidates: what a position is worth moves with the dollar, too. Here the price in USD is said again at once.
func TestADollarThatFallsLiquidates(t *testing.T) {
	f, bob, _ := gambles(t)
	out := f.do(&schema.SetIndex{Market: dollars, Price: d("0.4")}) // 50000 USDT are 125000 USD by now: nothing was lost
	f.has(risks(out))
	f.has(risks(f.quote("100000")), fmt.Sprint(bob, " liquidation -9025 200"), fmt.Sprint(bob, " none 0.003236 0"))
	f.agrees()
}

// TestAGapOfAStockIsClosedAgainstTheWinner: 49049.5247.. USDT are 98099.0495.. USD.
func TestAGapOfAStockIsClosedAgainstTheWinner(t *testing.T) {
	f, bob, carol := gambles(t)
	deals := dealt(f.quote("50000"))
	if len(deals) != 1 || deals[0].Price != d("98099.05") || deals[0].Maker.Account != carol || deals[0].Money != d("98099.05") || deals[0].Taker.Fee != d("24.524762") {
		t.Fatalf("deals: %+v", deals)
	}
	f.balance(bob, schema.Collateral, "0.000238")
	f.agrees()
}

// TestADelistedStock: longs get what shorts pay to the last digit, whatever a dollar is worth.
func TestADelistedStock(t *testing.T) {
	f := newStocks(t, "0.333333333333333333", func(m *schema.MarketInfo) { m.TakerFee = fixed.Zero })
	f.quote("100.01")
	rich := f.broker("rich", "100000", 10)
	for i, amount := range []string{"0.0001", "0.3333", "1.7"} {
		id := f.broker(fmt.Sprint("one", i), "1000", 10)
		f.do(share(rich, schema.Sell, amount, "100.01"))
		f.do(share(id, schema.Buy, amount, "100.01"))
	}
	f.quote("99.77")
	f.m.SetSlice(1)
	f.do(&schema.PlanDelisting{Market: stock, At: f.m.Time() + 2*schema.Second})
	f.tick()
	f.do(&schema.SetIndex{Market: dollars, Price: d("2")})
	f.tick()
	f.balance(schema.Clearing, schema.Collateral, "0")
	if list := f.m.Collateral().Positions(rich); len(list) != 0 {
		t.Errorf("not closed: %+v", list)
	}
}

// TestStocksThatCannotBeListed: they are quoted in USD, are about something else than USDT, and what they move can be counted in both.
func TestStocksThatCannotBeListed(t *testing.T) {
	f := newStocks(t, "1", nil)
	f.do(&schema.SetAsset{Asset: schema.Asset{Ticker: "TSLA", Scale: 8, Precision: 8, Class: schema.Crypto}})
	info := *f.m.Listing().Market(stock)
	info.Name, info.Base = "TSLA_USD", 5
	for name, tt := range map[string]struct {
		edit func(*schema.MarketInfo)
		why  schema.Reason
	}{
		"quoted in USDT":          {func(m *schema.MarketInfo) { m.Name, m.Quote = "TSLA_USDT", venueUSDT }, schema.AssetsInvalid},
		"about USDT":              {func(m *schema.MarketInfo) { m.Name, m.Base = "USDT_USD", venueUSDT }, schema.AssetsInvalid},
		"about USD":               {func(m *schema.MarketInfo) { m.Name, m.Base = "USD_USD", dollar }, schema.AssetsInvalid},
		"named like a future":     {func(m *schema.MarketInfo) { m.Name = "TSLA_PERP" }, schema.NameInvalid},
		"finer than USD":          {func(m *schema.MarketInfo) { m.StockPrec, m.MoneyPrec = 5, 4 }, schema.PrecisionInvalid},
		"fees finer than USD":     {func(m *schema.MarketInfo) { m.FeePrec = 9 }, schema.PrecisionInvalid},
		"without terms of margin": {func(m *schema.MarketInfo) { m.Margin = schema.Margin{} }, schema.MarginInvalid},
		"a spot market of that name": {func(m *schema.MarketInfo) {
			m.Name, m.Base, m.Type, m.Margin = "AAPL_USD", apple, schema.Spot, schema.Margin{}
		}, schema.ImmutableChanged},
	} {
		m := info
		tt.edit(&m)
		if got := f.try(&schema.SetMarket{Market: m}).Result.Rejection.Reason; got != tt.why {
			t.Errorf("%s: %v, want %v", name, got, tt.why)
		}
	}
	f.do(&schema.SetMarket{Market: info})

	// USDT may be coarser than USD.
	m := NewExchange()
	for i, ticker := range []string{"USDT", "USD", "TSLA"} {
		m.Apply(1, &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Scale: []uint8{4, 8, 8}[i], Class: schema.Crypto}})
	}
	info.Base, info.Quote, info.FeePrec = 3, 2, 4
	if r := m.Apply(1, &schema.SetMarket{Market: info}).Result.Rejection; r.Reason != schema.PrecisionInvalid {
		t.Errorf("finer than USDT: %v", r.Reason)
	}
	info.StockPrec = 2
	if r := m.Apply(1, &schema.SetMarket{Market: info}).Result.Rejection; r.Refused() {
		t.Error(r.Text())
	}
}
