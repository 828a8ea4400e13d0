package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// protecting makes an order the primary of an OTO; an empty price is none.
func protecting(r schema.OrderRequest, takeProfit, stopLoss string) schema.OrderRequest {
	if takeProfit != "" {
		r.TakeProfit = d(takeProfit)
	}
	if stopLoss != "" {
		r.StopLoss = d(stopLoss)
	}
	return r
}

// lastPrice lets a deal of anna with herself happen at a price, if nobody stands in its way.
func (w *world) lastPrice(price string) {
	w.t.Helper()
	w.cross(anna, anna, bid("0.001", price))
	if w.LastPrice(perp) != d(price) && len(w.Deals()) == 1 {
		w.t.Fatalf("the last price is %v", w.LastPrice(perp))
	}
}

func TestOTO(t *testing.T) {
	w := newGroups(t)
	r := protecting(bid("1", "50000"), "51000", "49000")
	r.ClientID, r.STP = schema.SystemClientID("a", 1), schema.STPCancelOld
	primary := w.place(ben, r)
	w.grouped("2 opened by request: OPEN left 1, primary of 1")
	want := schema.Order{
		ID: 2, Account: ben, Market: perp, Type: schema.Limit, Side: schema.Buy, STP: schema.STPCancelOld, Status: schema.Open,
		Price: d("50000"), Amount: d("1"), Left: d("1"), Created: w.time, Updated: w.time, ClientID: r.ClientID,
		Collateral: true, Group: 1, Role: schema.Primary, TakeProfit: d("51000"), StopLoss: d("49000"),
	}
	if primary != want {
		t.Errorf("%+v", primary)
	}
	w.place(carl, ask("0.4", "50000"))
	w.grouped("2 updated by trade: PARTIALLY_FILLED left 0.6, primary of 1", "3 closed by trade: FILLED left 0, none of 0")
	w.place(carl, ask("0.7", "50000"))
	w.grouped(
		"2 closed by trade: FILLED left 0, primary of 1",
		"4 opened by request: PARTIALLY_FILLED left 0.1, none of 0",
		"5 opened by group: OPEN left 1, take profit of 1",
		"6 opened by group: OPEN left 1, stop loss of 1",
	)
	leg := schema.Order{
		ID: 5, Account: ben, Market: perp, Type: schema.StopStockMarket, Side: schema.Sell, STP: schema.STPCancelOld, Status: schema.Open,
		ActivationPrice: d("51000"), Amount: d("1"), Left: d("1"), Created: w.time, Updated: w.time,
		Collateral: true, ReduceOnly: true, Group: 1, Role: schema.TakeProfit,
	}
	other := leg
	other.ID, other.ActivationPrice, other.Role = 6, d("49000"), schema.StopLoss
	if open := w.Orders(perp); len(open) != 3 || open[1] != leg || open[2] != other {
		t.Errorf("%+v", open)
	}
	// They count as reduce-only orders, of 51000 and 49000, so that a sale of one more opens a short of one.
	same(t, "pending", w.margins.portfolio(ben).seat(perp).pendingValue(), "100000")
	w.place(ben, ask("2", "51500"))
	w.margin(ben, "10000")
	w.must(&schema.CancelOrder{Account: ben, Order: schema.OrderRef{Market: perp, ID: 7}})

	w.must(&schema.CancelAll{Account: carl})
	w.place(carl, bid("1.5", "50900"))
	w.lastPrice("50999.99")
	w.openOrders(5, 6, 8)
	w.lastPrice("51000")
	w.grouped(
		"11 closed by trade: FILLED left 0, none of 0",
		"12 closed by trade: FILLED left 0, none of 0",
		"5 activated by trigger: OPEN left 1, take profit of 1",
		"8 updated by trade: PARTIALLY_FILLED left 0.5, none of 0",
		"5 closed by trade: FILLED left 0, take profit of 1",
		"6 closed by group: CANCELED left 1, stop loss of 1",
	)
	w.positions(ben)
}

// TestOTOOfAShort: its take profit waits for a fall, its stop loss for a rise.
func TestOTOOfAShort(t *testing.T) {
	w := newGroups(t)
	w.place(carl, bid("1", "50000"))
	o := w.place(ben, protecting(atMarket(schema.Sell, "1"), "49000", "51000"))
	w.grouped(
		"1 closed by trade: FILLED left 0, none of 0",
		"3 closed by trade: FILLED left 0, primary of 2",
		"4 opened by group: OPEN left 1, take profit of 2",
		"5 opened by group: OPEN left 1, stop loss of 2",
	)
	if o.Status != schema.Filled || o.Group != 2 || o.TakeProfit != d("49000") {
		t.Errorf("%+v", o)
	}
	w.place(carl, ask("0.4", "51100"))
	w.lastPrice("51000")
	// What it could not buy ends; the take profit is needless then, though there is a position.
	w.grouped(
		"7 closed by trade: FILLED left 0, none of 0",
		"8 closed by trade: FILLED left 0, none of 0",
		"5 activated by trigger: OPEN left 1, stop loss of 2",
		"6 closed by trade: FILLED left 0, none of 0",
		"5 closed by remainder: CANCELED left 0.6, stop loss of 2",
		"4 closed by group: CANCELED left 1, take profit of 2",
	)
	w.positions(ben, "-0.6", "-30000")
}

// TestALegThatDealtNothing leaves the other.
func TestALegThatDealtNothing(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, protecting(bid("1", "50000"), "51000", "49000"))
	w.lastPrice("51000")
	w.grouped(
		"6 closed by trade: FILLED left 0, none of 0",
		"7 closed by trade: FILLED left 0, none of 0",
		"4 activated by trigger: OPEN left 1, take profit of 2",
		"4 closed by remainder: CANCELED left 1, take profit of 2",
	)
	w.openOrders(5)
}

// TestPrimariesThatAreFollowed for what they dealt.
func TestPrimariesThatAreFollowed(t *testing.T) {
	legs := []string{"4 opened by group: OPEN left 0.4, take profit of 1", "5 opened by group: OPEN left 0.4, stop loss of 1"}
	closed := func(status, cause string) string {
		return "2 closed by " + cause + ": " + status + " left 0.6, primary of 1"
	}
	for name, c := range map[string]struct {
		end  func(w *world)
		want []string
	}{
		"cancel": {func(w *world) { w.must(&schema.CancelGroup{Account: ben, Market: perp, Group: 1}) }, append([]string{closed("CANCELED", "request")}, legs...)},
		"kill switch": {func(w *world) {
			w.must(&schema.SetKillSwitch{Account: ben, Market: perp, Timeout: 5 * schema.Second})
			w.tick(w.time + 5*second)
		}, append([]string{closed("CANCELED", "kill switch")}, legs...)},
		"self-trade prevention": {func(w *world) {
			r := ask("1", "50000")
			r.STP = schema.STPCancelBoth
			w.place(ben, r)
		}, []string{
			closed("CANCELED_STP", "self-trade prevention"), "4 closed by self-trade prevention: CANCELED_STP left 1, none of 0",
			"5 opened by group: OPEN left 0.4, take profit of 1", "6 opened by group: OPEN left 0.4, stop loss of 1",
		}},
		"margin": {func(w *world) {
			w.must(out(ben, usdt, "94900"))
			w.index(perp, 0, "45600") // of 5096 1760 are lost; then 2640, and 4560 are needed
			w.place(carl, ask("0.6", "50000"))
		}, []string{
			closed("CANCELED", "margin"), "4 opened by request: OPEN left 0.6, none of 0",
			"5 opened by group: OPEN left 0.4, take profit of 1", "6 opened by group: OPEN left 0.4, stop loss of 1",
		}},
		"cancel all": {func(w *world) { w.must(&schema.CancelAll{Account: ben}) }, []string{closed("CANCELED", "request")}},
		"maintenance": {func(w *world) {
			w.must(&schema.PlanMaintenance{Market: perp, From: noon + second, To: noon + 2*second})
			w.tick(noon + second)
		}, []string{closed("MAINTENANCE", "maintenance")}},
		"delisting": {func(w *world) {
			w.must(&schema.PlanDelisting{Market: perp, At: noon + second})
			w.tick(noon + second)
		}, []string{closed("CANCELED", "delisting")}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newGroups(t)
			w.place(ben, protecting(bid("1", "50000"), "51000", "49000"))
			w.place(carl, ask("0.4", "50000"))
			c.end(w)
			w.grouped(c.want...)
		})
	}
}

// TestTakersThatAreFollowed: primaries that end by their band or with a remainder, or as stops.
func TestTakersThatAreFollowed(t *testing.T) {
	w := newGroups(t)
	listed := btcPerp()
	listed.TakerBand = d("1")
	w.must(&schema.SetMarket{Market: listed})
	w.place(carl, ask("0.4", "50000"))
	w.place(carl, ask("0.4", "50501"))
	w.place(ben, protecting(atMarket(schema.Buy, "1"), "52000", ""))
	w.grouped(
		"1 closed by trade: FILLED left 0, none of 0",
		"4 closed by taker band: CANCELED_TAKER_BAND left 0.6, primary of 3",
		"5 opened by group: OPEN left 0.4, take profit of 3",
	)
	ioc := protecting(bid("0.5", "50501"), "", "49000")
	ioc.IOC = true
	w.place(ben, ioc)
	w.grouped(
		"2 closed by trade: FILLED left 0, none of 0",
		"7 closed by remainder: CANCELED left 0.1, primary of 6",
		"8 opened by group: OPEN left 0.4, stop loss of 6",
	)
	w.place(carl, ask("0.2", "50600"))
	w.place(ben, protecting(stopping(bid("0.2", "50700"), "50550"), "51000", ""))
	w.grouped("11 opened by request: OPEN left 0.2, primary of 10")
	w.place(anna, bid("0.001", "50600"))
	w.grouped(
		"9 updated by trade: PARTIALLY_FILLED left 0.199, none of 0",
		"12 closed by trade: FILLED left 0, none of 0",
		"11 activated by trigger: OPEN left 0.2, primary of 10",
		"9 closed by trade: FILLED left 0, none of 0",
		"11 opened by request: PARTIALLY_FILLED left 0.001, primary of 10",
	)
	// Without a deal nothing follows.
	ioc = protecting(bid("0.5", "50500"), "51000", "49000")
	ioc.IOC = true
	w.place(carl, ioc)
	w.grouped("14 closed by remainder: CANCELED left 0.5, primary of 13")
}

// TestWhatFollowsCanReduce: no more than the position is after all of it.
func TestWhatFollowsCanReduce(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, ask("0.7", "50000"))
	w.cross(carl, ben, protecting(bid("0.5", "50000"), "51000", ""))
	w.openOrders() // ben is short still
	w.cross(carl, ben, protecting(bid("0.5", "50000"), "51000", "49000"))
	w.grouped(
		"6 closed by trade: FILLED left 0, none of 0",
		"8 closed by trade: FILLED left 0, primary of 7",
		"9 opened by group: OPEN left 0.3, take profit of 7",
		"10 opened by group: OPEN left 0.3, stop loss of 7",
	)
}

// TestWhatFollowsComesLast: after the stops, in the order in which the primaries ended.
func TestWhatFollowsComesLast(t *testing.T) {
	w := newGroups(t)
	w.lastPrice("50000")
	w.place(carl, stopping(atMarket(schema.Sell, "0.2"), "49900"))
	w.place(ben, protecting(bid("0.1", "49800"), "", "49000"))
	w.place(ben, protecting(bid("0.1", "49900"), "", "49100"))
	w.place(carl, ask("0.1", "49900"))
	w.grouped(
		"7 closed by trade: FILLED left 0, primary of 6",
		"8 closed by trade: FILLED left 0, none of 0",
		"3 activated by trigger: OPEN left 0.2, none of 0",
		"5 closed by trade: FILLED left 0, primary of 4",
		"3 closed by remainder: CANCELED left 0.1, none of 0",
		"9 opened by group: OPEN left 0.1, stop loss of 6",
		"10 opened by group: OPEN left 0.1, stop loss of 4",
	)
}

// TestWhatFollowsMayBeDue: the last price has passed the take profit when the primary ends. It wakes up another, whose
// primary is followed too, and at last what has no position ends.
func TestWhatFollowsMayBeDue(t *testing.T) {
	w := newGroups(t)
	w.place(ben, protecting(bid("1", "50000"), "50500", "49000"))
	w.place(carl, ask("0.4", "50000"))
	w.lastPrice("50600")
	early := w.place(anna, stopping(atMarket(schema.Buy, "0.001"), "50590")) // waits for the next deal
	w.place(carl, protecting(bid("0.4", "50450"), "50460", ""))
	w.place(anna, ask("0.001", "52000"))
	w.must(&schema.CancelGroup{Account: ben, Market: perp, Group: 1})
	w.grouped(
		"2 closed by request: CANCELED left 0.6, primary of 1",
		"10 opened by group: OPEN left 0.4, take profit of 1",
		"11 opened by group: OPEN left 0.4, stop loss of 1",
		"10 activated by trigger: OPEN left 0.4, take profit of 1",
		"8 closed by trade: FILLED left 0, primary of 7",
		"10 closed by trade: FILLED left 0, take profit of 1",
		"11 closed by group: CANCELED left 0.4, stop loss of 1",
	)
	w.positions(ben)
	w.positions(carl) // the primary closed its short, and nothing can be reduced
	w.openOrders(early.ID, 9)
}

// TestStopsThatWaitForARise wake up before those that wait for a fall, whichever way they trade.
func TestStopsThatWaitForARise(t *testing.T) {
	w := newGroups(t)
	w.lastPrice("50000")
	w.cross(carl, ben, protecting(bid("0.3", "50000"), "50200", "49800"))
	w.cross(ben, carl, protecting(bid("0.1", "50000"), "", "49900"))
	w.place(anna, stopping(atMarket(schema.Buy, "0.001"), "50100"))
	w.place(anna, stopping(atMarket(schema.Sell, "0.001"), "49850"))
	w.place(anna, stopping(atMarket(schema.Buy, "0.001"), "50200"))
	w.place(carl, ask("0.001", "50200"))
	w.place(carl, ask("0.001", "49800"))
	w.place(anna, bid("0.002", "50200"))
	var woken []schema.OrderID
	for _, e := range w.last.Events {
		if e, is := e.(*schema.OrderChanged); is && e.Change == schema.Activated {
			woken = append(woken, e.Order.ID)
		}
	}
	// The take profit of ben, 6, is older than the second of anna's. Carl is short and was not followed.
	if want := []schema.OrderID{11, 6, 13, 12, 7}; !slices.Equal(woken, want) {
		t.Errorf("woken: %v, want %v", woken, want)
	}
	w.holds()
}

func TestLegsAlone(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, protecting(bid("1", "50000"), "51000", "49000"))
	profit, loss := schema.OrderRef{Market: perp, ID: 4}, schema.OrderRef{Market: perp, ID: 5}
	w.refused(because(schema.ModifyOfProtection), &schema.ModifyOrder{Account: ben, Order: loss, Price: schema.Some(d("1"))})
	w.must(&schema.SetKillSwitch{Account: ben, Market: perp, Timeout: 5 * schema.Second})
	w.tick(w.time + 5*second)
	w.grouped()
	w.must(&schema.CancelOrder{Account: ben, Order: profit})
	w.grouped("4 closed by request: CANCELED left 1, take profit of 2")
	w.must(&schema.CancelAll{Account: ben})
	w.grouped("5 closed by request: CANCELED left 1, stop loss of 2")
}

// TestLegsLoseTheirPosition: they end as canceled.
func TestLegsLoseTheirPosition(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, protecting(bid("1", "50000"), "51000", "49000"))
	w.place(carl, bid("2", "49000"))
	w.place(ben, ask("1.5", "49000"))
	// The stop loss wakes up and finds a short; the take profit has none either.
	w.grouped(
		"6 updated by trade: PARTIALLY_FILLED left 0.5, none of 0",
		"7 closed by trade: FILLED left 0, none of 0",
		"5 activated by trigger: OPEN left 1, stop loss of 2",
		"5 closed by reduce only: CANCELED left 1, stop loss of 2",
		"4 closed by reduce only: CANCELED left 1, take profit of 2",
	)
	w.positions(ben, "-0.5", "-24500")
}

// TestLegsOfTheDeleveraged end as canceled, and primaries of both are not followed.
func TestLegsOfTheDeleveraged(t *testing.T) {
	w := newGroups(t)
	w.place(anna, protecting(bid("1", "50000"), "51000", "49000"))
	w.place(ben, protecting(atMarket(schema.Sell, "0.999"), "45000", "55000"))
	w.place(anna, bid("0.001", "48000"))
	w.place(ben, reducing(bid("0.003", "48000")))
	w.index(perp, 0, "25000")
	w.grouped(
		"2 closed by liquidation: AUTO_CANCELED_LIQUIDATION left 0.001, primary of 1",
		"7 closed by liquidation: AUTO_CANCELED_LIQUIDATION left 0.001, none of 0",
		"5 closed by deleveraging: CANCELED left 0.999, take profit of 3",
		"6 closed by deleveraging: CANCELED left 0.999, stop loss of 3",
		"8 closed by deleveraging: AUTO_CANCELED_REDUCE_ONLY left 0.003, none of 0",
		"10 closed by deleveraging: FILLED left 0, none of 0",
		"9 closed by liquidation: FILLED left 0, none of 0",
	)
	w.openOrders()
}

// TestLiquidationFillsAPrimary: it is followed when the run is over.
func TestLiquidationFillsAPrimary(t *testing.T) {
	w := newGroups(t)
	w.cross(ben, anna, bid("1", "50000"))
	w.place(carl, protecting(bid("0.25", "49260"), "50000", ""))
	w.must(oco(ben, schema.Buy, "0.001", "49000", "51000", "51001"))
	w.index(perp, 0, "49270")
	w.grouped(
		"4 closed by trade: FILLED left 0, primary of 3",
		"8 closed by liquidation: FILLED left 0, none of 0",
		"9 opened by group: OPEN left 0.25, take profit of 3",
	)
}

// TestPrimaryOfTheLiquidated is not followed, though a part of the position is left.
func TestPrimaryOfTheLiquidated(t *testing.T) {
	w := newGroups(t)
	w.place(anna, protecting(bid("1.001", "50000"), "51000", "49000"))
	w.place(ben, ask("1", "50000"))
	w.place(carl, bid("2", "49260"))
	w.index(perp, 0, "49250") // 240 of 246.25
	w.grouped(
		"2 closed by liquidation: AUTO_CANCELED_LIQUIDATION left 0.001, primary of 1",
		"4 updated by trade: PARTIALLY_FILLED left 1.75, none of 0",
		"5 closed by liquidation: FILLED left 0, none of 0",
	)
}

// TestLegsHaveNoLimits: there are as many as primaries, and count for others.
func TestLegsHaveNoLimits(t *testing.T) {
	w := newGroups(t)
	listed := btcPerp()
	listed.MaxOrders = 2
	w.must(&schema.SetMarket{Market: listed})
	w.place(ben, protecting(bid("0.1", "50000"), "51000", "49000"))
	w.place(ben, protecting(bid("0.1", "50000"), "51000", "49000"))
	w.place(carl, ask("0.2", "50000"))
	w.openOrders(6, 7, 8, 9)
	w.refused(schema.Rejection{Reason: schema.TooManyOrders, Value: d("2")}, order1(ben, bid("0.1", "49000")))
	listed.MaxOrders = 0
	w.must(&schema.SetMarket{Market: listed})
	for range 96 {
		w.place(ben, stopping(bid("0.001", "51000"), "51000"))
	}
	w.refused(because(schema.TooManyStops), order1(ben, stopping(bid("0.001", "51000"), "51000")))
	w.cross(carl, ben, protecting(bid("0.1", "50000"), "51000", ""))
	if open := w.Orders(perp); len(open) != 101 {
		t.Errorf("%d are open", len(open))
	}
	w.holds()
}

// TestALegThatCannotBeCounted does not come: too much waits for a rise to its price.
func TestALegThatCannotBeCounted(t *testing.T) {
	w := newGroups(t)
	m := w.trading.market(perp)
	crowd := &order{
		id: 1 << 40, account: carl, market: m, kind: schema.StopStockMarket, side: schema.Buy, collateral: true, status: schema.Open,
		activation: n("51000"), left: maxInt64.minus(whole(50)).times(m.lot()),
	}
	m.orders = append(m.orders, crowd)
	w.cross(carl, ben, protecting(bid("0.05", "50000"), "51000", "49000"))
	w.openOrders(1<<40, 4, 5)
	w.must(&schema.PlaceTPSL{Account: ben, Market: perp, StopLoss: d("49000")})
	same(t, "standing", m.orders[len(m.orders)-1].standing(), "0.001")
	if !fitsWaiting(m, false, crowd.activation, m.lot()) || fitsWaiting(m, true, crowd.activation, m.lot()) {
		t.Error("what waits for a fall stands where others wait for a rise")
	}
	w.refused(schema.Rejection{Reason: schema.AmountTooLarge, Value: maxInt64.times(m.lot()).decimal()}, &schema.PlaceTPSL{Account: ben, Market: perp, TakeProfit: d("51000")})
	w.cross(carl, ben, protecting(bid("0.05", "50000"), "51000", "49000"))
	w.openOrders(1<<40, 4, 5, 6, 10)
}

func TestOTOsInABulk(t *testing.T) {
	w := newGroups(t)
	w.place(carl, ask("0.1", "50000"))
	first, second := protecting(bid("0.1", "50000"), "51000", ""), protecting(bid("0.1", "49000"), "", "50000")
	first.Market, second.Market = perp, perp
	r := w.must(&schema.PlaceBulk{Account: ben, Orders: []schema.OrderRequest{first, second, first}})
	if len(r.Items) != 3 || r.Items[0].Order.Group != 2 || r.Items[1].Rejection != because(schema.StopLossWrong) || r.Items[2].Order.ID != 6 {
		t.Errorf("%+v", r.Items)
	}
	w.grouped(
		"1 closed by trade: FILLED left 0, none of 0",
		"3 closed by trade: FILLED left 0, primary of 2",
		"4 opened by group: OPEN left 0.1, take profit of 2",
		"6 opened by request: OPEN left 0.1, primary of 5",
	)
}

func TestRefusalsOfOTO(t *testing.T) {
	w := newGroups(t)
	w.must(&schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.Global, RPI: true}})
	most := maxInt64.times(unit(2)).decimal()
	huge := maxInt64.times(unit(2)).plus(unit(2)).decimal()
	long, short := bid("1", "50000"), ask("1", "50000")
	rpi := protecting(long, "0.001", "")
	rpi.RPI = true
	for _, c := range []struct {
		want schema.Rejection
		r    schema.OrderRequest
	}{
		{because(schema.ProtectionWithReduceOnly), reducing(rpi)},
		{because(schema.ProtectionWithRPI), rpi},
		{because(schema.AmountNotPositive), protecting(bid("0", "50000"), "-1", "-1")},
		{because(schema.ActivationNotPositive), protecting(stopping(long, "0"), "-1", "-1")},
		{because(schema.TakeProfitNotPositive), protecting(long, "-1", "-1")},
		{schema.Rejection{Reason: schema.TakeProfitTooPrecise, Value: d("0.01")}, protecting(long, "0.001", "-1")},
		{schema.Rejection{Reason: schema.TakeProfitTooLarge, Value: most}, protecting(long, huge.String(), "-1")},
		{because(schema.StopLossNotPositive), protecting(long, most.String(), "-0.001")},
		{schema.Rejection{Reason: schema.StopLossTooPrecise, Value: d("0.01")}, protecting(long, "1", "0.001")},
		{schema.Rejection{Reason: schema.StopLossTooLarge, Value: most}, protecting(long, "1", huge.String())},
		{schema.Rejection{Reason: schema.TotalAboveMax, Value: largest.decimal()}, protecting(atMarket(schema.Buy, "2000"), "1", most.String())},
		{because(schema.PriceOutOfBand), protecting(bid("1", "10000"), "1", "")},
		{because(schema.TakeProfitWrong), protecting(long, "50000", "50000")},
		{because(schema.StopLossWrong), protecting(long, "50000.01", "50000")},
		{because(schema.TakeProfitWrong), protecting(short, "50000", "50000")},
		{because(schema.StopLossWrong), protecting(short, "49999.99", "50000")},
		{because(schema.TakeProfitWrong), protecting(atMarket(schema.Buy, "1"), "50000", "")}, // the mark
		{because(schema.NotEnoughBalance), protecting(bid("30", "50000"), "50000.01", "49999.99")},
	} {
		w.refused(c.want, order1(ben, c.r))
	}
	w.lastPrice("50100")
	w.refused(because(schema.TakeProfitWrong), order1(ben, protecting(atMarket(schema.Buy, "1"), "50100", "")))
	w.refused(because(schema.StopLossWrong), order1(ben, protecting(stopping(atMarket(schema.Sell, "1"), "49000"), "", "50100")))
	w.refused(because(schema.StopLossWrong), order1(ben, protecting(stopping(ask("1", "48000"), "49000"), "", "48000")))
	ticks := btcPerp()
	ticks.TickSize = d("0.5")
	w.must(&schema.SetMarket{Market: ticks})
	w.refused(schema.Rejection{Reason: schema.TakeProfitOffTick, Value: d("0.5")}, order1(ben, protecting(long, "50000.1", "49999.9")))
	w.refused(schema.Rejection{Reason: schema.StopLossOffTick, Value: d("0.5")}, order1(ben, protecting(long, "50000.5", "49999.9")))
	w.refused(schema.Rejection{Reason: schema.PriceOffTick, Value: d("0.5")}, order1(ben, protecting(bid("1", "50000.1"), "50000.1", "49999.9")))
	w.must(&schema.SetHedgeMode{Account: ben, On: true})
	w.refused(because(schema.ProtectionWithReduceOnly), order1(ben, onSide(schema.LongSide, protecting(short, "1", ""))))
	w.refused(because(schema.PositionSideMismatch), order1(ben, protecting(short, "1", "")))
}

// TestOTOInHedgeMode: what follows belongs to the side of its primary.
func TestOTOInHedgeMode(t *testing.T) {
	w := newGroups(t)
	w.must(&schema.SetHedgeMode{Account: ben, On: true})
	w.place(carl, bid("1", "50000"))
	w.place(ben, onSide(schema.ShortSide, ask("1", "50000")))
	w.place(carl, ask("0.5", "50000"))
	w.place(ben, onSide(schema.LongSide, protecting(bid("0.5", "50000"), "51000", "")))
	w.grouped(
		"3 closed by trade: FILLED left 0, none of 0",
		"5 closed by trade: FILLED left 0, primary of 4",
		"6 opened by group: OPEN left 0.5, take profit of 4",
	)
	if o := w.Orders(perp)[0]; o.PositionSide != schema.LongSide || o.Side != schema.Sell {
		t.Errorf("%+v", o)
	}
}

// TestSpotOrdersAreNotFollowed: the prices are not looked at.
func TestSpotOrdersAreNotFollowed(t *testing.T) {
	w := newBounded(t)
	if o := w.place(anna, protecting(limit(schema.Buy, "1", "100"), "-1", "-1")); o.ID != 1 || o.Role != schema.NoRole || o.TakeProfit != d("0") {
		t.Errorf("%+v", o)
	}
}
