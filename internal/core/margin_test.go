package core

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// venue is an exchange with USDT, BTC and a future on it, on which the mark is what the test says and accounts
// have the collateral that it gives them.
type venue struct {
	testing.TB
	m    *Machine
	sent []moment
}

const (
	venueUSDT = schema.AssetID(1)
	venueBTC  = schema.AssetID(2)
	perp      = schema.MarketID(2)
)

func newVenue(t testing.TB, edit func(*schema.MarketInfo)) *venue {
	f := &venue{TB: t, m: NewExchange()}
	for _, ticker := range []string{"USDT", "BTC"} {
		f.do(&schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Scale: 18, Precision: 8, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true}})
	}
	f.do(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USDT", Base: venueBTC, Quote: venueUSDT, Type: schema.Spot, StockPrec: 6, MoneyPrec: 2, FeePrec: 6, Enabled: true,
	}})
	info := schema.MarketInfo{
		Name: "BTC_PERP", Base: venueBTC, Quote: venueUSDT, Type: schema.Futures, StockPrec: 4, MoneyPrec: 2, FeePrec: 6, Enabled: true,
		TakerFee: d("0.05"),
		Margin: schema.Margin{
			MaxLeverage: 100, Bracket100: d("50000"), PriceBand: d("10"), MarkBand: d("0.5"), ImpactNotional: d("10000"),
			FundingMinutes: 480, FundingCap: d("0.0003"), FundingFloor: d("-0.0003"), LiquidationFee: d("0.2"), LiquidationBand: d("2"),
		},
	}
	if edit != nil {
		edit(&info)
	}
	f.do(&schema.SetMarket{Market: info})
	f.do(&schema.SetCollateral{Asset: venueUSDT, Weight: fixed.One, IndexMaxAge: 30 * schema.Second})
	f.do(&schema.SetCollateral{Asset: venueBTC, Weight: d("0.95"), IndexMaxAge: 3600 * schema.Second})
	f.mark("50000")
	return f
}

// do applies a command that must be accepted, to its end.
func (f *venue) do(c schema.Command) *schema.Outcome {
	f.Helper()
	out := f.try(c)
	if out.Result.Rejection.Refused() {
		f.Fatalf("%T was refused: %s", c, out.Result.Rejection.Text())
	}
	return out
}

// try applies a command and checks every invariant.
func (f *venue) try(c schema.Command) *schema.Outcome {
	f.Helper()
	f.sent = append(f.sent, moment{at: f.m.Time() + schema.Second, cmd: c})
	out := f.m.Apply(f.m.Time()+schema.Second, c)
	if err := f.m.Verify(); err != nil {
		f.Fatalf("after %T: %v", c, err)
	}
	restored, err := Restore(f.m.Snapshot())
	if err != nil {
		f.Fatalf("after %T: %v", c, err)
	}
	if restored.Hash() != f.m.Hash() {
		f.Fatalf("after %T a restored machine has another hash", c)
	}
	return out
}

// agrees sends the oracle all that was sent so far and compares what comes of it.
func (f *venue) agrees() {
	f.Helper()
	tr := newTrial(slice)
	for _, birth := range schema.BirthFeatures() {
		if err := tr.apply(moment{cmd: &birth}); err != nil {
			f.Fatal(err)
		}
	}
	for _, m := range f.sent {
		if err := tr.apply(m); err != nil {
			f.Fatalf("%T %+v: %v", m.cmd, m.cmd, err)
		}
	}
}

// refused applies a command that must be refused for a reason, without any effect.
func (f *venue) refused(c schema.Command, why schema.Reason) schema.Rejection {
	f.Helper()
	before := f.m.Hash()
	r := f.try(c).Result.Rejection
	if r.Reason != why {
		f.Fatalf("%T: refused with %v, want %v", c, r.Reason, why)
	}
	if f.m.Hash() != before {
		f.Fatalf("%T was refused and changed the state", c)
	}
	return r
}

func (f *venue) mark(price string) {
	f.Helper()
	f.do(&schema.SetIndex{Market: perp, Price: d(price)})
}

// trader opens an account with collateral in USDT.
func (f *venue) trader(name, usdt string, leverage uint8) schema.AccountID {
	f.Helper()
	f.do(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}})
	id := f.m.Accounts().ByName(name).ID
	f.give(id, venueUSDT, usdt)
	if leverage != 0 {
		f.do(&schema.SetLeverage{Account: id, Leverage: leverage})
	}
	return id
}

func (f *venue) give(id schema.AccountID, asset schema.AssetID, amount string) {
	f.Helper()
	f.do(&schema.Deposit{Account: id, Asset: asset, Amount: d(amount)})
	f.do(&schema.Transfer{Account: id, Asset: asset, Amount: d(amount), From: schema.Main, To: schema.Collateral})
}

func bet(id schema.AccountID, side schema.Side, amount, price string) *schema.PlaceOrder {
	c := &schema.PlaceOrder{Account: id, Order: schema.OrderRequest{
		Market: perp, Type: schema.Limit, Side: side, Amount: d(amount), Collateral: true,
	}}
	if price == "" {
		c.Order.Type = schema.StockMarket
	} else {
		c.Order.Price = d(price)
	}
	return c
}

// trade lets two accounts meet at a price.
func (f *venue) trade(buyer, seller schema.AccountID, amount, price string) *schema.Outcome {
	f.Helper()
	f.do(bet(seller, schema.Sell, amount, price))
	return f.do(bet(buyer, schema.Buy, amount, price))
}

func (f *venue) balance(id schema.AccountID, w schema.Wallet, want string) {
	f.Helper()
	if got, _, _ := f.m.Balance(id, w, venueUSDT); got != d(want) {
		f.Errorf("account %d has %s in its %s wallet, want %s", id, got, w, want)
	}
}

// positions are the events about positions of an outcome.
func positions(out *schema.Outcome) (list []schema.PositionChanged) {
	for e := range out.Events.All() {
		if p, is := e.(*schema.PositionChanged); is {
			list = append(list, *p)
		}
	}
	return list
}

func TestAFutureIsOpenedReducedAndClosed(t *testing.T) {
	f := newVenue(t, nil)
	alice, bob := f.trader("alice", "10000", 20), f.trader("bob", "10000", 20)
	f.trade(alice, bob, "0.3", "50000")
	f.trade(alice, bob, "0.1", "50100.01")
	out := f.trade(bob, alice, "0.1", "50200")
	list := positions(out)
	if len(list) != 2 {
		t.Fatalf("a deal left %d events about positions", len(list))
	}
	sold := list[0] // alice's order rested
	if sold.Position.Account != alice || sold.Realized != d("17.49975") || sold.Position.Cost != d("15007.50075") ||
		sold.Position.Amount != d("0.3") || sold.Position.Entered != d("0.4") || sold.Position.Paid != d("20010.001") {
		t.Errorf("after the sale: %+v", sold)
	}
	f.balance(schema.Clearing, schema.Collateral, "0")
	f.trade(bob, alice, "0.3", "49000")
	f.balance(schema.Clearing, schema.Collateral, "0")
	if got := f.m.Collateral().Positions(alice); len(got) != 0 {
		t.Errorf("alice has %+v open", got)
	}
	// Fees of 0.05 % are paid by the taker: alice 15000+5010.001, bob 5020+14700.
	f.balance(alice, schema.Collateral, d("10000").Add(d("5020").Add(d("14700"))).Sub(d("20010.001")).Sub(d("10.005")).String())
	f.balance(schema.Fees, schema.Main, d("10.005").Add(d("9.86")).String())
}

func TestAnOrderNeedsMargin(t *testing.T) {
	f := newVenue(t, nil)
	bob, maker := f.trader("bob", "1000", 100), f.trader("maker", "1000000", 10)
	f.do(bet(maker, schema.Sell, "3", "50000"))
	// 1 BTC at 100x: 500, the fee 25. 2 BTC: 500 + 5000.
	f.refused(bet(bob, schema.Buy, "2", "50000"), schema.NotEnoughBalance)
	out := f.do(bet(bob, schema.Buy, "1", "50000"))
	if out.Result.Order.Status != schema.Filled || out.Result.Order.DealFee != d("25") {
		t.Errorf("bob's order is %+v", out.Result.Order)
	}
	f.balance(bob, schema.Collateral, "975")
	if got, ok := f.m.Collateral().LiquidationPrice(bob, perp, schema.BothSides); !ok || got != d("49271.35") {
		t.Errorf("the liquidation price is %s", got)
	}
	// What orders bind: W = max(q+B, S-max(0,q-R)).
	f.refused(bet(bob, schema.Buy, "1", "49000"), schema.NotEnoughBalance)
	f.do(bet(bob, schema.Sell, "1", "51000"))
}

// two gives the book two sides around a price, for samples.
func (f *venue) two(maker schema.AccountID, bid, ask string) {
	f.Helper()
	f.do(bet(maker, schema.Buy, "1", bid))
	f.do(bet(maker, schema.Sell, "1", ask))
}

// settle lets time pass to the next settlement of funding.
func (f *venue) settle() *schema.Outcome {
	f.Helper()
	now, _ := f.m.Prices().Future(perp)
	out := f.m.Apply(now.Settles, &schema.Tick{})
	if err := f.m.Verify(); err != nil {
		f.Fatal(err)
	}
	return out
}

func TestFundingIsPaidThroughClearing(t *testing.T) {
	f := newVenue(t, func(m *schema.MarketInfo) {
		m.FundingFloor, m.TakerFee, m.MarkBand = d("0.0003"), fixed.Zero, fixed.Zero
	})
	maker, long, short := f.trader("maker", "1000000", 0), f.trader("long", "20000", 0), f.trader("short", "20000", 0)
	f.two(maker, "49999", "50025")
	f.mark("50012.34")
	f.trade(long, short, "0.5", "50010")
	f.do(&schema.Tick{})
	f.mark("50012.34")
	out := f.settle()
	list := positions(out)
	if len(list) != 2 {
		t.Fatalf("%d positions were booked", len(list))
	}
	for _, p := range list {
		switch {
		case p.Position.Account == long && p.Funding == d("-7.501851") && p.Position.Funding == d("7.501851"):
		case p.Position.Account == short && p.Funding == d("7.501851") && p.Position.Funding == d("-7.501851"):
		default:
			t.Errorf("booked: %+v", p)
		}
		if p.Cause != schema.ByFunding || p.Price != d("50012.34") || p.Settled%(480*60*schema.Second) != 0 {
			t.Errorf("booked: %+v", p)
		}
	}
	f.balance(long, schema.Collateral, "19992.498149")
	f.balance(short, schema.Collateral, "20007.501851")
	f.balance(schema.Clearing, schema.Collateral, "0")
	f.balance(schema.Insurance, schema.Main, "0")
}

// TestFundingIsSplitToTheLastDigit: payers pay up, receivers get down, and the fund has the rest.
func TestFundingIsSplitToTheLastDigit(t *testing.T) {
	f := newVenue(t, func(m *schema.MarketInfo) {
		m.FundingCap, m.FundingFloor, m.TakerFee, m.MarkBand = d("0.0000333333333333"), d("0.0000333333333333"), fixed.Zero, fixed.Zero
	})
	maker, long, first, second := f.trader("maker", "1000000", 0), f.trader("long", "20000", 0), f.trader("first", "20000", 0), f.trader("second", "20000", 0)
	f.two(maker, "49999", "50025")
	f.mark("50012.34")
	f.trade(long, first, "0.001", "50010")
	f.trade(long, second, "0.002", "50010")
	f.do(&schema.Tick{})
	f.mark("50012.34")
	f.settle()
	f.balance(long, schema.Collateral, "19999.994998")
	f.balance(first, schema.Collateral, "20000.001667")
	f.balance(second, schema.Collateral, "20000.003334")
	f.balance(schema.Insurance, schema.Main, "0.000001")
}

// TestFundingGoesOnInSlices: rate, mark and payers are those of the beginning; what is touched before its turn is
// booked first; a restart in between changes nothing.
func TestFundingGoesOnInSlices(t *testing.T) {
	f := newVenue(t, func(m *schema.MarketInfo) {
		m.FundingFloor, m.TakerFee, m.MarkBand = d("0.0003"), fixed.Zero, fixed.Zero
	})
	f.m.SetSlice(2) // ten positions in a tick
	maker, short := f.trader("maker", "1000000", 0), f.trader("short", "1000000", 0)
	f.two(maker, "49999", "50025")
	f.mark("50000")
	var longs []schema.AccountID
	for i := range 12 {
		id := f.trader(string(rune('a'+i)), "1000", 0)
		longs = append(longs, id)
		f.trade(id, short, "0.01", "50000")
	}
	f.do(&schema.Tick{})
	f.mark("50000")
	f.settle()
	// The short is position 1 or 2; eight or nine longs paid 0.15 each.
	paid := 0
	for _, id := range longs {
		if got, _, _ := f.m.Balance(id, schema.Collateral, venueUSDT); got == d("999.85") {
			paid++
		}
	}
	if paid != 9 {
		t.Errorf("%d longs have paid after one slice", paid)
	}
	if next, running := f.m.NextTimer(); !running || next != f.m.Time()+1 {
		t.Errorf("the next tick is at %v", next)
	}
	f.mark("50000")
	last, before := longs[11], longs[10]
	// A transfer counts what is due, books it, and then moves.
	f.refused(&schema.Transfer{Account: before, Asset: venueUSDT, Amount: d("949.86"), From: schema.Collateral, To: schema.Main}, schema.MoveNotCovered)
	f.do(&schema.Transfer{Account: before, Asset: venueUSDT, Amount: d("949.85"), From: schema.Collateral, To: schema.Main})
	f.balance(before, schema.Collateral, "50")
	// The mark moves, and a fill closes the last position: it pays by the mark of the settlement.
	f.mark("50500")
	f.trade(maker, last, "0.01", "50000")
	f.balance(last, schema.Collateral, "999.85")
	restored, err := Restore(f.m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	restored.SetSlice(2)
	at := f.m.Time() + schema.Second
	f.m.Apply(at, &schema.Tick{})
	restored.Apply(at, &schema.Tick{})
	if f.m.Hash() != restored.Hash() {
		t.Error("a restored machine goes on in another way")
	}
	for _, id := range longs[:10] {
		f.balance(id, schema.Collateral, "999.85")
	}
	f.balance(short, schema.Collateral, "1000001.8")
	if err := f.m.Verify(); err != nil {
		t.Error(err)
	}
}

// TestAMarketOrderCountsWhatItFinds: what the book cannot give it within its band is not bound either.
func TestAMarketOrderCountsWhatItFinds(t *testing.T) {
	f := newVenue(t, func(m *schema.MarketInfo) { m.TakerBand = d("2") })
	bob, maker := f.trader("bob", "1000", 100), f.trader("maker", "1000000", 10)
	f.do(bet(maker, schema.Sell, "1", "50000"))
	f.do(bet(maker, schema.Sell, "5", "51000.01"))
	out := f.do(bet(bob, schema.Buy, "3", ""))
	if o := out.Result.Order; o.Status != schema.CanceledTakerBand || o.DealStock != d("1") {
		t.Errorf("bob's order is %+v", o)
	}
}

func reduceOnly(c *schema.PlaceOrder) *schema.PlaceOrder {
	c.Order.ReduceOnly = true
	return c
}

func TestReduceOnlyOrdersNeverGrowAPosition(t *testing.T) {
	f := newVenue(t, nil)
	alice, bob := f.trader("alice", "10000", 20), f.trader("bob", "10000", 20)
	f.refused(reduceOnly(bet(alice, schema.Sell, "1", "50500")), schema.ReduceOnlyNothing)
	f.trade(alice, bob, "0.4", "50000")
	f.refused(reduceOnly(bet(alice, schema.Buy, "1", "49500")), schema.ReduceOnlyNothing)
	out := f.do(reduceOnly(bet(alice, schema.Sell, "1", "50500")))
	if o := out.Result.Order; o.Amount != d("0.4") || o.Left != d("0.4") || !o.ReduceOnly {
		t.Errorf("it was not cut to the position: %+v", o)
	}
	first := out.Result.Order.ID
	// A part of the position goes elsewhere: the order deals what is left of it, and ends.
	f.trade(bob, alice, "0.3", "50000")
	f.do(bet(bob, schema.Buy, "0.4", "50500"))
	for _, o := range f.m.Trading().All(perp) {
		if o.ID == first {
			t.Errorf("an order that can reduce nothing is open: %+v", o)
		}
	}
	if got := f.m.Collateral().Positions(alice); len(got) != 0 {
		t.Errorf("alice has %+v", got)
	}
	// When a position ends, orders that could only reduce it end with it.
	f.do(&schema.CancelAll{Account: bob})
	f.trade(alice, bob, "0.1", "50000")
	waits := f.do(reduceOnly(bet(alice, schema.Sell, "0.1", "51000"))).Result.Order.ID
	f.do(bet(bob, schema.Buy, "0.1", "50000"))
	out = f.do(bet(alice, schema.Sell, "0.1", "50000"))
	if o := out.Events.Order(waits); o == nil || o.Status != schema.AutoCanceledReduceOnly {
		t.Errorf("the order is %+v", o)
	}
}

func TestHedgeModeHasTwoPositions(t *testing.T) {
	f := newVenue(t, nil)
	alice, bob := f.trader("alice", "10000", 20), f.trader("bob", "100000", 20)
	f.do(&schema.SetHedgeMode{Account: alice, On: true})
	side := func(c *schema.PlaceOrder, of schema.PositionSide) *schema.PlaceOrder {
		c.Order.PositionSide = of
		return c
	}
	f.refused(bet(alice, schema.Buy, "0.1", "50000"), schema.PositionSideMismatch)
	f.refused(side(bet(alice, schema.Sell, "0.1", "50000"), schema.LongSide), schema.ReduceOnlyNothing)
	f.do(bet(bob, schema.Sell, "0.3", "50000"))
	f.do(side(bet(alice, schema.Buy, "0.3", "50000"), schema.LongSide))
	f.do(bet(bob, schema.Buy, "0.2", "49900"))
	f.do(side(bet(alice, schema.Sell, "0.2", "49900"), schema.ShortSide))
	list := f.m.Collateral().Positions(alice)
	if len(list) != 2 || list[0].Side != schema.LongSide || list[0].Amount != d("0.3") || list[1].Side != schema.ShortSide || list[1].Amount != d("-0.2") {
		t.Errorf("alice has %+v", list)
	}
	// The larger side asks for margin: 0.3 × 50000 / 20.
	if s := f.m.Collateral().Summary(alice); s.Margin != d("750") || !s.Hedge || s.Leverage != 20 {
		t.Errorf("alice has %+v", s)
	}
	f.refused(&schema.SetHedgeMode{Account: alice}, schema.HedgeModeInUse)
	f.do(&schema.SetHedgeMode{Account: alice, On: true})
}

func TestALossIsLentAndAProfitRepays(t *testing.T) {
	f := newVenue(t, nil)
	f.do(&schema.SetCollateral{Asset: venueUSDT, Weight: fixed.One, Rate: d("0.000024375"), IndexMaxAge: 30 * schema.Second})
	alice, bob := f.trader("alice", "100", 10), f.trader("bob", "1000000", 10)
	f.give(alice, venueBTC, "2")
	f.do(&schema.FundSystem{Account: schema.Lending, Asset: venueUSDT, Amount: d("1000000")})
	f.trade(alice, bob, "1", "50000")
	f.balance(alice, schema.Collateral, "75")
	f.mark("45000")
	f.trade(bob, alice, "1", "45000") // she loses 5000, and has 75
	f.balance(alice, schema.Collateral, "0")
	f.balance(alice, schema.Debt, "4925")
	f.balance(schema.Lending, schema.Main, "995075")
	f.balance(schema.Lending, schema.Debt, "-4925")
	// Until the debt is paid only what is her own and not bound leaves: 2 BTC at 0.95 of 45000 less the loan and a tenth of it.
	r := f.refused(&schema.Transfer{Account: alice, Asset: venueBTC, Amount: d("2"), From: schema.Collateral, To: schema.Main}, schema.MoveNotCovered)
	if r.Value != d("1.873274853801169590") {
		t.Errorf("she may take %s", r.Value)
	}
	f.give(alice, venueUSDT, "5000")
	f.balance(alice, schema.Debt, "0")
	f.balance(alice, schema.Collateral, "75")
	f.balance(schema.Lending, schema.Main, "1000000")
}

func TestPricesOfOrdersStayNearTheMark(t *testing.T) {
	f := newVenue(t, func(m *schema.MarketInfo) { m.MaxPosition, m.MaxPending = d("60000"), d("70000") })
	alice := f.trader("alice", "100000", 20)
	f.refused(bet(alice, schema.Buy, "0.1", "55000.01"), schema.PriceOutOfBand)
	f.refused(bet(alice, schema.Buy, "0.1", "44999.99"), schema.PriceOutOfBand)
	f.do(bet(alice, schema.Buy, "0.1", "45000"))
	f.refused(bet(alice, schema.Buy, "1.2", "50000"), schema.PositionTooBig)
	f.do(bet(alice, schema.Buy, "1", "50000"))
	f.refused(bet(alice, schema.Sell, "0.4", "50000.01"), schema.PendingTooBig)
	// A price that nobody vouches for any more lets nobody bind more.
	f.m.Apply(f.m.Time()+3600*schema.Second, &schema.Tick{})
	f.refused(bet(alice, schema.Buy, "0.01", "45000"), schema.PriceUnknown)
	f.do(bet(alice, schema.Sell, "0.1", "50000.01")) // no more is bound: the buys are larger
}

// TestWhatCannotBeCountedIsNotDealt: more lots than a number can hold, over the life of a position or in all positions,
// end the order instead.
func TestWhatCannotBeCountedIsNotDealt(t *testing.T) {
	f := newVenue(t, func(m *schema.MarketInfo) { m.StockPrec, m.MoneyPrec, m.FeePrec, m.TakerFee = 12, 2, 2, fixed.Zero })
	f.mark("1")
	var ids []schema.AccountID
	for _, name := range []string{"alice", "bob", "carol", "dave"} {
		ids = append(ids, f.trader(name, "20000000", 1))
	}
	alice, bob, carol, dave := ids[0], ids[1], ids[2], ids[3]
	f.trade(alice, bob, "1", "1")
	// Dave's stop is let in while few are open, and wakes when no more can be.
	stop := bet(dave, schema.Sell, "5000000", "0.99")
	stop.Order.Type, stop.Order.ActivationPrice = schema.StopLimit, d("1.01")
	f.do(stop)
	rests := f.do(bet(carol, schema.Buy, "5000000", "0.99")).Result.Order.ID
	out := f.trade(alice, bob, "5000000", "1.01")
	if o := out.Events.Order(rests); o == nil || o.Status != schema.Canceled || !o.DealStock.IsZero() {
		t.Errorf("carol's order is %+v", o)
	}
	// Alice reduces and opens again: in all more than can be counted.
	f.do(&schema.CancelAll{Account: dave})
	f.trade(bob, alice, "4900000", "1")
	if out := f.trade(alice, dave, "4900000", "1"); out.Result.Order.Status != schema.Canceled || !out.Result.Order.DealStock.IsZero() {
		t.Errorf("alice's order is %+v", out.Result.Order)
	}
}

func TestAPositionIsClosedAtTheMarket(t *testing.T) {
	f := newVenue(t, func(m *schema.MarketInfo) { m.MinAmount, m.StepSize = d("0.1"), d("0.1") })
	alice, bob := f.trader("alice", "10000", 20), f.trader("bob", "10000", 20)
	f.refused(&schema.ClosePosition{Account: alice, Market: 9, Position: 1}, schema.MarketUnavailable)
	f.refused(&schema.ClosePosition{Account: alice, Market: perp, Position: 1}, schema.PositionUnknown)
	f.trade(alice, bob, "0.4", "50000")
	hers, his := f.m.Collateral().Positions(alice)[0].ID, f.m.Collateral().Positions(bob)[0].ID
	f.refused(&schema.ClosePosition{Account: alice, Market: perp, Position: his}, schema.PositionUnknown)
	f.do(bet(bob, schema.Buy, "0.3", "49900"))
	o := f.do(&schema.ClosePosition{Account: alice, Market: perp, Position: hers}).Result.Order
	if o.Type != schema.StockMarket || o.Side != schema.Sell || o.Amount != d("0.4") || o.DealStock != d("0.3") || !o.ReduceOnly || !o.IOC || o.Status != schema.Canceled {
		t.Errorf("the order is %+v", o)
	}
	f.do(bet(bob, schema.Buy, "0.1", "49900"))
	if o := f.do(&schema.ClosePosition{Account: alice, Market: perp, Position: hers}).Result.Order; o.Status != schema.Filled {
		t.Errorf("the order is %+v", o)
	}
	if got := f.m.Collateral().Positions(alice); len(got) != 0 {
		t.Errorf("alice has %+v", got)
	}
	f.refused(&schema.ClosePosition{Account: alice, Market: perp, Position: hers}, schema.PositionUnknown)
}

// TestAnOperatorClosesThePositionOfAnybody: of an account that is blocked, or from where the market is not offered.
func TestAnOperatorClosesThePositionOfAnybody(t *testing.T) {
	var info schema.MarketInfo
	f := newVenue(t, func(m *schema.MarketInfo) { info = *m })
	alice, bob := f.trader("alice", "10000", 20), f.trader("bob", "10000", 20)
	f.trade(alice, bob, "0.4", "50000")
	info.Regions = schema.In(schema.Global)
	f.do(&schema.SetMarket{Market: info})
	f.do(bet(bob, schema.Buy, "0.3", "50000"))
	closing := &schema.ClosePosition{Account: alice, Market: perp, Position: f.m.Collateral().Positions(alice)[0].ID}
	for _, c := range []struct {
		account schema.Account
		why     schema.Reason
	}{
		{schema.Account{ID: alice, Name: "alice", Region: schema.Global, Blocked: true}, schema.AccountBlocked},
		{schema.Account{ID: alice, Name: "alice", Region: schema.EU}, schema.MarketUnavailable},
	} {
		f.do(&schema.SetAccount{Account: c.account})
		f.refused(closing, c.why)
		forced := *closing
		forced.Forced = true
		f.do(&forced)
		f.do(bet(bob, schema.Buy, "0.1", "50000"))
	}
	if got := f.m.Collateral().Positions(alice); len(got) != 0 {
		t.Errorf("alice has %+v", got)
	}
	f.refused(&schema.ClosePosition{Account: 999, Market: perp, Position: closing.Position, Forced: true}, schema.AccountUnknown)
	info.Enabled = false
	f.do(&schema.SetMarket{Market: info})
	f.refused(&schema.ClosePosition{Account: alice, Market: perp, Position: closing.Position, Forced: true}, schema.MarketUnavailable)
}

// TestLoansAreSeenWithTheirInterest: booked when the loan changes, accrued in between.
func TestLoansAreSeenWithTheirInterest(t *testing.T) {
	f := newVenue(t, nil)
	f.do(&schema.SetCollateral{Asset: venueUSDT, Weight: fixed.One, Rate: d("0.001"), IndexMaxAge: 30 * schema.Second})
	alice, bob := f.trader("alice", "1000", 100), f.trader("bob", "100000", 10)
	if got := f.m.Collateral().Loans(alice); len(got) != 0 {
		t.Errorf("alice owes %+v", got)
	}
	f.do(&schema.Deposit{Account: alice, Asset: venueBTC, Amount: d("1")})
	f.do(&schema.Transfer{Account: alice, Asset: venueBTC, Amount: d("1"), From: schema.Main, To: schema.Collateral})
	f.trade(alice, bob, "1", "50000")
	f.mark("48000")
	f.trade(bob, alice, "1", "48000") // she loses 2000 and pays fees
	opened := f.m.Time()
	loans := f.m.Collateral().Loans(alice)
	if len(loans) != 1 || loans[0].Asset != venueUSDT || loans[0].Principal.Sign() <= 0 || !loans[0].Interest.IsZero() || !loans[0].Accrued.IsZero() || loans[0].Opened != opened {
		t.Fatalf("alice owes %+v", loans)
	}
	principal := loans[0].Principal
	for range 120 {
		f.tick()
	}
	want, _ := fixed.MulDiv(principal, d("0.002"), fixed.FromInt(60), 18, fixed.Ceil)
	if loans := f.m.Collateral().Loans(alice); loans[0].Principal != principal || !loans[0].Interest.IsZero() || loans[0].Accrued != want {
		t.Errorf("alice owes %+v, want %s accrued", loans, want)
	}
}

// TestCollateralThatNothingBindsLeavesWhole: what an account has as collateral is worth a rounded number, by which no digit may stay behind.
func TestCollateralThatNothingBindsLeavesWhole(t *testing.T) {
	f := newVenue(t, nil)
	f.do(&schema.SetCollateral{Asset: venueBTC, Weight: d("0.5"), IndexMaxAge: 30 * schema.Second})
	f.mark("18.456196668045025")
	alice := f.trader("alice", "1", 0)
	f.do(&schema.Transfer{Account: alice, Asset: venueUSDT, Amount: d("1"), From: schema.Collateral, To: schema.Main})
	f.give(alice, venueBTC, "0.007")
	if got := f.m.Collateral().Balance(alice, venueBTC).Free; got != d("0.007") {
		t.Errorf("%s of 0.007 can leave", got)
	}
	f.do(&schema.Transfer{Account: alice, Asset: venueBTC, Amount: d("0.007"), From: schema.Collateral, To: schema.Main})
	f.agrees()
}
