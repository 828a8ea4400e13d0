package core

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// tick lets time pass.
func (f *venue) tick() *schema.Outcome {
	f.Helper()
	return f.do(&schema.Tick{})
}

// priced sets the price of a future and returns what happened.
func (f *venue) priced(price string) *schema.Outcome {
	f.Helper()
	return f.do(&schema.SetIndex{Market: perp, Price: d(price)})
}

// risks are the changes of state of an outcome.
func risks(out *schema.Outcome) (list []string) {
	for e := range out.Events.All() {
		if r, is := e.(*schema.RiskChanged); is {
			list = append(list, fmt.Sprint(r.Account, " ", r.State, " ", r.Total, " ", r.Maintenance))
		}
	}
	return list
}

// dealt are the deals of an outcome.
func dealt(out *schema.Outcome) (list []schema.Deal) {
	for e := range out.Events.All() {
		if d, is := e.(*schema.Deal); is {
			list = append(list, *d)
		}
	}
	return list
}

// closed are the orders that ended, in order.
func closed(out *schema.Outcome) (list []schema.OrderChanged) {
	for e := range out.Events.All() {
		if o, is := e.(*schema.OrderChanged); is && o.Change == schema.Closed {
			list = append(list, *o)
		}
	}
	return list
}

func (f *venue) has(out []string, want ...string) {
	f.Helper()
	if fmt.Sprint(out) != fmt.Sprint(want) {
		f.Errorf("got %q, want %q", out, want)
	}
}

// gambler is bob of the margin sheet: 1000 USDT at 100 times, long 1 at 50000, with carol on the other side.
func gambler(t testing.TB) (f *venue, bob, carol schema.AccountID) {
	f = newVenue(t, nil)
	bob, carol = f.trader("bob", "1000", 100), f.trader("carol", "100000", 10)
	f.trade(bob, carol, "1", "50000")
	f.balance(bob, schema.Collateral, "975")
	return f, bob, carol
}

func TestAPositionIsLiquidatedInParts(t *testing.T) {
	f, bob, _ := gambler(t)
	dave := f.trader("dave", "100000", 10)
	mine := f.do(bet(bob, schema.Buy, "0.01", "49000")).Result.Order.ID
	f.do(bet(dave, schema.Buy, "0.2", "49260"))
	f.do(bet(dave, schema.Buy, "0.05", "49260"))
	f.do(bet(dave, schema.Buy, "5", "49147.86")) // a cent below the limit of the first round
	f.has(risks(f.priced("49271.36")), fmt.Sprint(bob, " margin_call 246.36 246.3568"))
	out := f.priced("49270")
	f.has(risks(out), fmt.Sprint(bob, " liquidation 245 246.35"), fmt.Sprint(bob, " margin_call 211.7125 184.7625"))
	if o := out.Events.Order(mine); o == nil || o.Status != schema.AutoCanceledLiquidation {
		t.Errorf("bob's order is %+v", o)
	}
	list := closed(out)
	o := list[len(list)-1]
	if want := fmt.Sprintf("liquidation_%d_!", o.Order.ID); o.Order.ClientID.String() != want || o.Cause != schema.ByLiquidation ||
		o.Order.Status != schema.Filled || o.Order.Amount != d("0.25") || !o.Order.ReduceOnly || !o.Order.IOC || o.Order.STP != schema.STPCancelOld {
		t.Errorf("the order is %+v", o)
	}
	f.balance(bob, schema.Collateral, "759.2125")
	f.balance(schema.Insurance, schema.Main, "24.63")
	if got := f.m.Collateral().Risk(bob); got != schema.MarginCall {
		t.Errorf("bob is in state %s", got)
	}
	// Nothing more happens at the same price, and the call is over a minute after he can stand it.
	before := len(dealt(f.priced("49270")))
	f.priced("50000")
	for range 61 {
		f.tick()
	}
	if got := f.m.Collateral().Risk(bob); before != 0 || got != schema.RiskNone {
		t.Errorf("%d deals, and bob is in state %s", before, got)
	}
}

func TestAFillOfLiquidationNeverTakesMoreThanTheShare(t *testing.T) {
	f, bob, _ := gambler(t)
	dave := f.trader("dave", "100000", 10)
	f.do(bet(dave, schema.Buy, "1", "49147.87"))
	out := f.priced("49270")
	deals := dealt(out)
	// The first round leaves T=183.75008125 of 184.7625, so that the second closes the rest, at its own limit or not at all.
	if len(deals) < 1 || deals[0].Price != d("49147.87") || deals[0].Amount != d("0.25") {
		t.Fatalf("deals: %+v", deals)
	}
	if available, _, _ := f.m.Balance(bob, schema.Debt, venueUSDT); !available.IsZero() {
		t.Errorf("bob owes %s", available)
	}
}

func TestAGapIsClosedAgainstTheWinner(t *testing.T) {
	f, bob, carol := gambler(t)
	rest := f.do(bet(carol, schema.Buy, "1", "45000")).Result.Order.ID
	f.do(&schema.CancelAll{Account: carol})
	waiting := f.do(reduceOnly(bet(carol, schema.Buy, "1", "45001"))).Result.Order.ID
	out := f.priced("25000")
	deals := dealt(out)
	if len(deals) != 1 || deals[0].Price != d("49049.53") || !deals[0].OffBook || deals[0].Taker.Account != bob || deals[0].Maker.Account != carol ||
		!deals[0].Maker.Fee.IsZero() || deals[0].Taker.Fee != d("24.524765") {
		t.Fatalf("deals: %+v", deals)
	}
	_ = rest
	if o := out.Events.Order(waiting); o == nil || o.Status != schema.AutoCanceledReduceOnly {
		t.Errorf("carol's order is %+v", o)
	}
	list := closed(out)
	adl, own := list[len(list)-2], list[len(list)-1]
	if adl.Order.ClientID.String() != fmt.Sprintf("adl_%d_!", adl.Order.ID) || adl.Cause != schema.ByDeleveraging || adl.Order.Status != schema.Filled ||
		own.Order.ID+1 != adl.Order.ID || own.Cause != schema.ByLiquidation {
		t.Errorf("the orders are %+v and %+v", adl, own)
	}
	f.balance(bob, schema.Collateral, "0.005235")
	f.balance(schema.Insurance, schema.Main, "0")
	if last := f.m.Trading().Market(perp).Last; last != d("50000") {
		t.Errorf("the last price is %s", last)
	}
	f.has(risks(out), fmt.Sprint(bob, " liquidation -24025 125"), fmt.Sprint(bob, " none 0.005235 0"))
}

func TestWhatAWinnerCannotGiveIsTheFunds(t *testing.T) {
	f, bob, carol := gambler(t)
	xenia := f.trader("xenia", "20000", 10)
	f.trade(carol, xenia, "1", "45000")
	f.do(&schema.FundSystem{Account: schema.Insurance, Asset: venueUSDT, Amount: d("1000")})
	out := f.priced("25000")
	if deals := dealt(out); len(deals) != 1 || deals[0].Price != d("45000") || deals[0].Maker.Account != xenia {
		t.Fatalf("deals: %+v", deals)
	}
	f.balance(bob, schema.Collateral, "0")
	f.balance(bob, schema.Debt, "0")
	f.balance(schema.Insurance, schema.Main, "-3047.5")
	f.balance(schema.Lending, schema.Debt, "0")
	var shortfall *schema.Shortfall
	var loan *schema.LoanChanged
	for e := range out.Events.All() {
		switch e := e.(type) {
		case *schema.Shortfall:
			shortfall = e
		case *schema.LoanChanged:
			loan = e
		}
	}
	if shortfall == nil || *shortfall != (schema.Shortfall{Account: bob, Asset: venueUSDT, Amount: d("4047.5"), Fund: d("-3047.5")}) {
		t.Errorf("the shortfall is %+v", shortfall)
	}
	if loan == nil || !loan.Liquidated || !loan.Principal.IsZero() {
		t.Errorf("the loan is %+v", loan)
	}
}

func TestTheLastPriceCountsNearTheMark(t *testing.T) {
	for _, tt := range []struct{ entry, money, between, mark, price, left string }{
		{"38000", "4859", "41000", "42000", "42798", "20.601"},
		{"36500", "4318.25", "39000", "40000", "40779.61", "0.000195"},
	} {
		f := newVenue(t, func(m *schema.MarketInfo) { m.Bracket100 = fixed.Zero })
		f.priced(tt.entry)
		sam, rich := f.trader("sam", tt.money, 10), f.trader("rich", "1000000", 10)
		other := f.trader("other", "1000000", 10)
		f.do(bet(rich, schema.Buy, "1", tt.entry))
		f.do(bet(sam, schema.Sell, "1", tt.entry))
		f.priced(tt.between)
		f.trade(rich, other, "1", "42000")
		out := f.priced(tt.mark)
		deals := dealt(out)
		if len(deals) != 1 || deals[0].Price != d(tt.price) || !deals[0].OffBook {
			t.Fatalf("deals: %+v", deals)
		}
		f.balance(sam, schema.Collateral, tt.left)
	}
}

func TestBothSidesOfAnAccountCloseEachOther(t *testing.T) {
	f := newVenue(t, func(m *schema.MarketInfo) { m.Bracket100 = fixed.Zero })
	hal, rich := f.trader("hal", "30000", 10), f.trader("rich", "10000000", 10)
	f.do(&schema.SetHedgeMode{Account: hal, On: true})
	side := func(c *schema.PlaceOrder, of schema.PositionSide) *schema.PlaceOrder {
		c.Order.PositionSide = of
		return c
	}
	f.do(bet(rich, schema.Sell, "3", "50000"))
	f.do(side(bet(hal, schema.Buy, "3", "50000"), schema.LongSide))
	f.do(bet(rich, schema.Buy, "2", "50000"))
	f.do(side(bet(hal, schema.Sell, "2", "50000"), schema.ShortSide))
	out := f.priced("22000")
	list := positions(out)
	if len(list) != 2 || list[0].Position.Side != schema.LongSide || list[0].Position.Amount != d("1") || list[0].Cause != schema.ByLiquidation ||
		list[0].Realized != d("-56000") || list[1].Position.Side != schema.ShortSide || !list[1].Position.Amount.IsZero() || list[1].Realized != d("56000") {
		t.Fatalf("positions: %+v", list)
	}
	f.has(risks(out), fmt.Sprint(hal, " liquidation 1875 1980"), fmt.Sprint(hal, " none 1875 660"))
}

// debtor is alice with 0.2 BTC and a debt of 1000 USDT, who is safe as long as her BTC counts.
func debtor(t testing.TB, edit func(*schema.MarketInfo)) (f *venue, alice, rich schema.AccountID) {
	f = newVenue(t, edit)
	alice, rich = f.trader("alice", "49", 10), f.trader("rich", "1000000", 10)
	f.give(alice, venueBTC, "0.2")
	f.trade(alice, rich, "0.1", "50000")
	f.priced("40000")
	f.do(bet(rich, schema.Buy, "0.1", "40000"))
	f.do(bet(alice, schema.Sell, "0.1", "40000"))
	f.balance(alice, schema.Debt, "955.5") // 49 - 2.5 - 1000 - 2
	f.give(rich, venueUSDT, "1")
	return f, alice, rich
}

func TestCollateralIsSoldForADebt(t *testing.T) {
	f, alice, rich := debtor(t, nil)
	f.do(&schema.Deposit{Account: rich, Asset: venueUSDT, Amount: d("100000")})
	f.do(&schema.Transfer{Account: rich, Asset: venueUSDT, Amount: d("100000"), From: schema.Main, To: schema.Trade})
	bid := func(amount, price string) {
		f.do(&schema.PlaceOrder{Account: rich, Order: schema.OrderRequest{Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: d(amount), Price: d(price)}})
	}
	bid("1", "39199.99") // 2 % below the index is the least
	f.do(&schema.SetCollateral{Asset: venueBTC, IndexMaxAge: 3600 * schema.Second})
	out := f.tick()
	f.has(risks(out), fmt.Sprint(alice, " liquidation -955.5 28.665"))
	if deals := dealt(out); len(deals) != 0 || len(closed(out)) != 0 {
		t.Errorf("it was sold below the limit: %+v", deals)
	}
	bid("0.01", "39200")
	deals := dealt(f.tick())
	// Less than 1000 is sold for at once: 955.5 / 40000 = 0.0238875, in steps of 0.000001 0.023888.
	if len(deals) != 1 || deals[0].Market != 1 || deals[0].Amount != d("0.01") || deals[0].Price != d("39200") || deals[0].Taker.Account != alice {
		t.Fatalf("deals: %+v", deals)
	}
	f.balance(alice, schema.Debt, "563.5")
	bid("1", "39500")
	out = f.tick()
	list := closed(out)
	// What the first two rounds leave because they sell below the index the same step does again when it is asked again.
	if len(list) != 3 || list[1].Order.Amount != d("0.000176") || list[2].Order.Amount != d("0.000002") {
		t.Fatalf("the orders are %+v", list)
	}
	if o := list[0].Order; o.Amount != d("0.014088") || o.Status != schema.Filled || !o.Collateral || o.ReduceOnly || o.Type != schema.StockMarket {
		t.Errorf("the order is %+v", o)
	}
	f.balance(alice, schema.Debt, "0")
	f.balance(alice, schema.Collateral, "0.007")
}

func TestWhatCannotBeSoldIsTheFunds(t *testing.T) {
	f, alice, _ := debtor(t, nil)
	f.do(&schema.PlanDelisting{Market: 1, At: f.m.Time() + 2*schema.Second})
	f.tick()
	f.do(&schema.SetCollateral{Asset: venueBTC, Weight: d("0"), IndexMaxAge: 3600 * schema.Second})
	f.tick()
	f.tick()
	f.balance(alice, schema.Debt, "0")
	f.balance(schema.Insurance, schema.Main, "-955.5")
	if dust, _, _ := f.m.Balance(schema.Insurance, schema.Main, venueBTC); dust != d("0.2") {
		t.Errorf("the fund has %s BTC", dust)
	}
}

func TestNobodyWinsAndThePositionWaits(t *testing.T) {
	f, bob, carol := gambler(t)
	// The only short is at a loss at no price above its entry; so bob's long is closed only by a fall.
	xenia := f.trader("xenia", "100000", 10)
	f.trade(carol, xenia, "1", "45000")
	f.do(&schema.Transfer{Account: xenia, Asset: venueUSDT, Amount: d("80000"), From: schema.Collateral, To: schema.Main})
	out := f.priced("48000") // xenia's short at 45000 loses, bob's long loses too
	if deals := dealt(out); len(deals) != 0 || len(closed(out)) != 0 {
		t.Errorf("deals: %+v", deals)
	}
	f.has(risks(out), fmt.Sprint(bob, " liquidation -1025 240"))
	if out := f.priced("48000.01"); len(dealt(out))+len(closed(out))+len(risks(out)) != 0 {
		t.Errorf("an idle retry leaves events")
	}
	if deals := dealt(f.priced("44000")); len(deals) != 1 || deals[0].Maker.Account != xenia || deals[0].Price != d("45000") {
		t.Errorf("deals: %+v", deals)
	}
}

// TestWaitingForAWinnerIsNoWork: those who can be closed by nobody do not make the exchange tick without an end, and do not
// keep others from being closed.
func TestWaitingForAWinnerIsNoWork(t *testing.T) {
	f, bob, carol := gambler(t)
	f.m.collateral.Bounds.Ranks = 1
	bill, xenia := f.trader("bill", "1000", 100), f.trader("xenia", "100000", 10)
	f.trade(bill, xenia, "1", "50000")
	f.trade(carol, xenia, "1", "45000") // xenia is short 2 at 47500
	f.tick()
	f.priced("48000")
	for _, account := range []schema.AccountID{bob, bill} {
		if got := f.m.Collateral().Risk(account); got != schema.Liquidation {
			t.Errorf("account %d is in state %s", account, got)
		}
	}
	if next, _ := f.m.NextTimer(); next <= f.m.Trading().Counters().Tick+1 {
		t.Errorf("the next timer is at %d after a tick at %d", next, f.m.Trading().Counters().Tick)
	}
	// With a winner one ranking serves both.
	if deals := dealt(f.priced("47000")); len(deals) != 2 || deals[0].Maker.Account != xenia || deals[1].Maker.Account != xenia {
		t.Fatalf("deals: %+v", deals)
	}
	if next, _ := f.m.NextTimer(); next <= f.m.Trading().Counters().Tick+1 {
		t.Errorf("the next timer is at %d after a tick at %d", next, f.m.Trading().Counters().Tick)
	}
}

// TestARankingInVainKeepsNobodyFromHis: when a run has no ranking left, the next one begins where it ended.
func TestARankingInVainKeepsNobodyFromHis(t *testing.T) {
	f, bob, carol := gambler(t)
	f.m.collateral.Bounds.Ranks = 1
	xenia := f.trader("xenia", "100000", 10)
	f.trade(carol, xenia, "1", "45000")
	f.priced("48000") // bob falls, and nobody wins
	f.do(&schema.SetAsset{Asset: schema.Asset{Ticker: "ETH", Scale: 18, Precision: 8, Class: schema.Crypto}})
	info := *f.m.Listing().Market(perp)
	info.ID, info.Name, info.Base = 0, "ETH_PERP", venueBTC+1
	f.do(&schema.SetMarket{Market: info})
	const eth = perp + 1
	f.do(&schema.SetIndex{Market: eth, Price: d("2000")})
	eve := f.trader("eve", "1000", 100)
	for _, c := range []*schema.PlaceOrder{bet(carol, schema.Sell, "25", "2000"), bet(eve, schema.Buy, "25", "2000")} {
		c.Order.Market = eth
		f.do(c)
	}
	if deals := dealt(f.do(&schema.SetIndex{Market: eth, Price: d("1965")})); len(deals) != 0 {
		t.Fatalf("a run that ranked for bob closed somebody: %+v", deals)
	}
	if deals := dealt(f.tick()); len(deals) != 1 || deals[0].Market != eth || deals[0].Taker.Account != eve || deals[0].Maker.Account != carol {
		t.Errorf("deals: %+v", deals)
	}
	if got := f.m.Collateral().Risk(bob); got != schema.Liquidation {
		t.Errorf("bob is in state %s", got)
	}
}

// TestAWinnerIsRatedAgainInARun: two fall in one run. The first is closed against who won most for what he had; what that left him is less
// than what the other winner has, who meets the second.
func TestAWinnerIsRatedAgainInARun(t *testing.T) {
	f := newVenue(t, nil)
	bob, bill := f.trader("bob", "1000", 100), f.trader("bill", "1001", 100)
	ann, bea := f.trader("ann", "20000", 10), f.trader("bea", "25000", 10)
	f.do(bet(ann, schema.Sell, "1.1", "50000"))
	f.do(bet(bea, schema.Sell, "0.9", "50000"))
	f.do(bet(bob, schema.Buy, "1", "50000"))
	f.do(bet(bill, schema.Buy, "1", "50000"))
	deals := dealt(f.priced("45000"))
	var got []string
	for _, deal := range deals {
		got = append(got, fmt.Sprint(deal.Taker.Account, " ", deal.Maker.Account, " ", deal.Amount))
	}
	// Of ann's 5500 for 20000 there are 500 left for about 21000, of which bea's 4500 for 25000 is more.
	f.has(got, fmt.Sprint(bob, " ", ann, " 1"), fmt.Sprint(bill, " ", bea, " 0.9"), fmt.Sprint(bill, " ", ann, " 0.1"))
}

func TestLiquidationGoesOnInTheNextRun(t *testing.T) {
	f, bob, _ := gambler(t)
	dave := f.trader("dave", "100000", 10)
	f.m.collateral.Bounds.Units = 2
	for range 4 {
		f.do(bet(dave, schema.Buy, "0.1", "49265"))
	}
	mine := f.do(bet(bob, schema.Buy, "0.01", "49000")).Result.Order.ID
	out := f.priced("49270") // one unit cancels, one is for an order that has none left for a fill
	if o := out.Events.Order(mine); o == nil || o.Status != schema.AutoCanceledLiquidation || len(dealt(out)) != 0 {
		t.Errorf("bob's order is %+v, deals %+v", o, dealt(out))
	}
	for i := 0; f.m.Collateral().Risk(bob) == schema.Liquidation; i++ {
		next, running := f.m.NextTimer()
		if !running || next > f.m.Trading().Counters().Tick+1 || i > 20 {
			t.Fatalf("the next timer is at %d, %t", next, running)
		}
		if deals := dealt(f.tick()); len(deals) > 1 {
			t.Fatalf("more than the units allow: %+v", deals)
		}
	}
}

func TestAStaleMarkWaits(t *testing.T) {
	f, bob, _ := gambler(t)
	dave := f.trader("dave", "100000", 10)
	f.do(&schema.SetCollateral{Asset: venueBTC, Weight: d("0.95"), IndexMaxAge: 5 * schema.Second})
	f.do(bet(dave, schema.Buy, "1", "49265"))
	for range 7 {
		f.tick()
	}
	f.do(&schema.SetMarket{Market: func() schema.MarketInfo { // the mark is what it was, and asks for more now
		info := *f.m.Listing().Market(perp)
		info.MaxLeverage, info.Bracket100 = 10, fixed.Zero
		return info
	}()})
	out := f.tick()
	if f.m.Collateral().Risk(bob) != schema.Liquidation || len(closed(out)) != 0 {
		t.Errorf("bob is in state %s, and %+v ended", f.m.Collateral().Risk(bob), closed(out))
	}
	if deals := dealt(f.priced("50000")); len(deals) == 0 {
		t.Error("nothing was closed at a fresh price")
	}
}

func TestADelistedFutureIsClosedAtItsMark(t *testing.T) {
	f, bob, carol := gambler(t)
	f.give(bob, venueUSDT, "5000")
	eve := f.trader("eve", "100000", 10)
	f.trade(eve, carol, "0.5", "50000")
	f.priced("49000")
	order := f.do(bet(carol, schema.Buy, "0.1", "48000")).Result.Order.ID
	f.do(reduceOnly(bet(carol, schema.Buy, "0.1", "47000"))) // which waits for its end when the position is gone
	f.m.SetSlice(1)                                          // five positions a tick; orders end one by one
	f.do(&schema.PlanDelisting{Market: perp, At: f.m.Time() + 2*schema.Second})
	out := f.tick()
	if o := out.Events.Order(order); o == nil || o.Status != schema.Canceled {
		t.Errorf("the order is %+v", o)
	}
	for _, p := range positions(out) {
		if p.Cause != schema.ByDelisting || p.Price != d("49000") || !p.Position.Amount.IsZero() || !p.Fee.IsZero() ||
			(p.Amount.Sign() < 0) != (p.Position.Account == carol) {
			t.Errorf("closed: %+v", p)
		}
	}
	if n := len(positions(out)); n != 3 {
		t.Errorf("%d positions were closed", n)
	}
	f.balance(bob, schema.Collateral, "4975")
	f.balance(eve, schema.Collateral, "99487.5")
	f.balance(carol, schema.Collateral, "101500")
	f.balance(schema.Clearing, schema.Collateral, "0")
}

// troubled is an exchange with something of all that snapshots keep of margin: positions, orders, a loan, ranges, an account
// that was called and one that waits for a buyer of what it owns, accounts that are to be looked at.
func troubled(t testing.TB) *Machine {
	f, alice, rich := debtor(t, nil)
	bob := f.trader("bob", "1000", 100)
	f.trade(bob, rich, "0.5", "40000")
	f.trade(alice, rich, "0.0001", "40000")
	f.do(&schema.PlanMaintenance{Market: 1, From: f.m.Time() + 2*schema.Second, To: f.m.Time() + 3600*schema.Second})
	f.priced("38300")
	f.do(&schema.SetCollateral{Asset: venueBTC, Weight: d("0.1"), IndexMaxAge: 3600 * schema.Second})
	f.tick()
	f.do(reduceOnly(bet(bob, schema.Sell, "0.1", "41000")))
	f.give(bob, venueUSDT, "1")
	if a, b := f.m.Collateral().Risk(alice), f.m.Collateral().Risk(bob); a != schema.Liquidation || b != schema.MarginCall {
		t.Fatalf("alice is in state %s, bob in %s", a, b)
	}
	return f.m
}

func TestWhatIsKeptOfMarginComesBack(t *testing.T) {
	if err := sound(troubled(t).Snapshot()); err != nil {
		t.Error(err)
	}
}

// TestWhatCannotBeCountedStays: a price at which positions are worth more than can be counted closes nothing, in the book or
// without it, and does not make the exchange tick without an end.
func TestWhatCannotBeCountedStays(t *testing.T) {
	f := newVenue(t, nil)
	f.priced("0.01")
	alice, bob := f.trader("alice", "100000000000", 10), f.trader("bob", "100000000000", 10)
	f.trade(alice, bob, "1000000000000", "0.01")
	f.tick()
	f.priced("600000000000000000")
	if got := f.m.Collateral().Risk(bob); got != schema.Liquidation || len(f.m.Collateral().Positions(bob)) != 1 {
		t.Errorf("bob is in state %s with %+v", got, f.m.Collateral().Positions(bob))
	}
	f.do(&schema.PlanDelisting{Market: perp, At: f.m.Time() + 2*schema.Second})
	if out := f.tick(); len(positions(out)) != 0 {
		t.Errorf("closed: %+v", positions(out))
	}
	if next, running := f.m.NextTimer(); running && next <= f.m.Trading().Counters().Tick+1 {
		t.Errorf("the next timer is at %d after a tick at %d", next, f.m.Trading().Counters().Tick)
	}
}

// TestACrumbOfALargeAccountIsClosed: the price at which a tiny position would use up all that its account has left is more
// than a market can count. It is closed at the published one.
func TestACrumbOfALargeAccountIsClosed(t *testing.T) {
	f := newVenue(t, func(m *schema.MarketInfo) { m.StockPrec = 11 })
	f.do(&schema.SetAsset{Asset: schema.Asset{Ticker: "ETH", Scale: 18, Precision: 8, Class: schema.Crypto}})
	info := *f.m.Listing().Market(perp)
	info.ID, info.Name, info.Base, info.StockPrec, info.MoneyPrec = 0, "ETH_PERP", venueBTC+1, 0, 1
	info.Bracket100, info.TakerFee, info.PriceBand = fixed.Zero, fixed.Zero, d("100")
	f.do(&schema.SetMarket{Market: info})
	const eth = perp + 1
	f.do(&schema.SetIndex{Market: eth, Price: d("26")})
	alice, bob := f.trader("alice", "1", 10), f.trader("bob", "1000000000", 10)
	f.give(alice, venueBTC, "1200")
	f.trade(bob, alice, "0.00000000001", "49000")
	for _, c := range []*schema.PlaceOrder{bet(alice, schema.Sell, "20000000", "26"), bet(bob, schema.Buy, "20000000", "26")} {
		c.Order.Market = eth
		f.do(c)
	}
	deals := dealt(f.do(&schema.SetIndex{Market: eth, Price: d("52")}))
	// All that is left of alice's 57,000,000 after the first is 1,000,001 beside a debt of 55,999,999: 49750 · (1 + 0.01785.. - 0.001).
	if len(deals) != 2 || deals[0].Price != d("28.8") || deals[1].Price != d("50588.65") || deals[1].Amount != d("0.00000000001") || !deals[1].OffBook {
		t.Fatalf("deals: %+v", deals)
	}
	if left := f.m.Collateral().Positions(alice); len(left) != 0 {
		t.Errorf("alice still has %+v", left)
	}
}
