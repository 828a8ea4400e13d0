package naive

import (
	"testing"

	"bourse/internal/schema"
)

// best lets an order take its price from the book.
func best(role schema.BBORole, r schema.OrderRequest) schema.OrderRequest {
	r.BBO = role
	return r
}

// asksFor compares the price of an open order on the future.
func (w *world) asksFor(id schema.OrderID, want string) {
	w.t.Helper()
	for _, o := range w.Orders(perp) {
		if o.ID == id {
			if o.Price != d(want) {
				w.t.Errorf("order %d is priced %v, want %s", id, o.Price, want)
			}
			return
		}
	}
	w.t.Errorf("order %d is not open", id)
}

// pricesShown compares the prices of an order in the events of the last command.
func (w *world) pricesShown(id schema.OrderID, want ...string) {
	w.t.Helper()
	n := 0
	for _, e := range w.last.Events {
		if e, is := e.(*schema.OrderChanged); is && e.Order.ID == id {
			if n >= len(want) || e.Order.Price != d(want[n]) {
				w.t.Errorf("event %d of order %d shows %v, want %v", n, id, e.Order.Price, want)
			}
			n++
		}
	}
	if n != len(want) {
		w.t.Errorf("%d events of order %d, want %d", n, id, len(want))
	}
}

// pendingOf compares what the orders of an account on the future are worth.
func (w *world) pendingOf(a schema.AccountID, want string) {
	w.t.Helper()
	same(w.t, "pending", w.margins.portfolio(a).seat(perp).pendingValue(), want)
}

func TestFutureAtTheBestPrice(t *testing.T) {
	w := newGroups(t)
	w.place(carl, bid("1", "49500"))
	w.place(carl, bid("1", "49400"))
	w.place(carl, ask("1", "50500"))
	for _, c := range []struct {
		role   schema.BBORole
		r      schema.OrderRequest
		price  string
		status schema.Status
	}{
		{schema.BBOQueue, bid("0.1", "-1"), "49500", schema.Open},
		{schema.BBOQueue, ask("0.1", "0.001"), "50500", schema.Open},
		{schema.BBOCounterparty, bid("0.1", "0"), "50500", schema.Filled},
		{schema.BBOCounterparty, ask("0.1", "99999"), "49500", schema.Filled},
	} {
		if o := w.place(ben, best(c.role, c.r)); o.Price != d(c.price) || o.Status != c.status {
			t.Errorf("%+v: %+v", c, o)
		}
	}
	w.must(&schema.CancelAll{Account: ben})

	// Everything else looks at that price.
	for _, c := range []struct {
		want schema.Reason
		r    schema.OrderRequest
	}{
		{schema.TakeProfitWrong, protecting(best(schema.BBOQueue, bid("1", "1")), "49500", "")},
		{schema.StopLossWrong, protecting(best(schema.BBOCounterparty, bid("1", "1")), "", "50500")},
		{schema.OK, protecting(best(schema.BBOQueue, bid("0.1", "99999")), "49500.01", "49499.99")},
	} {
		if got := w.apply(order1(ben, c.r)); got.Rejection.Reason != c.want {
			t.Errorf("%+v: %q", c, got.Rejection.Text())
		}
	}
	w.must(&schema.CancelAll{Account: ben})
	listed := btcPerp()
	listed.MinTotal, listed.MaxTotal = d("4951"), d("5049")
	w.must(&schema.SetMarket{Market: listed})
	w.refused(schema.Rejection{Reason: schema.TotalBelowMin, Value: d("4951")}, order1(ben, best(schema.BBOQueue, bid("0.1", "50000"))))
	w.refused(schema.Rejection{Reason: schema.TotalAboveMax, Value: d("5049")}, order1(ben, best(schema.BBOCounterparty, bid("0.1", "50000"))))
	w.must(&schema.SetMarket{Market: btcPerp()})
	w.index(perp, 0, "56000")
	w.refused(because(schema.PriceOutOfBand), order1(ben, best(schema.BBOQueue, bid("0.1", "56000"))))
	w.index(perp, 0, "49000")
	w.place(ben, best(schema.BBOQueue, bid("1", "1")))
	w.margin(ben, "5400") // 4900, and 500 above the mark
	w.holds()
}

// TestWhenAPriceIsPicked: after the numbers of the order, and before everything that comes besides on futures.
func TestWhenAPriceIsPicked(t *testing.T) {
	w := newGroups(t)
	listed := btcPerp()
	listed.StepSize = d("0.1")
	w.must(&schema.SetMarket{Market: listed})
	unmarked := listed
	unmarked.Name, unmarked.Base = "ETH_PERP", 3
	id := schema.MarketID(w.must(&schema.SetMarket{Market: unmarked}).ID)
	w.time = schema.StepRuleFrom
	w.index(perp, 0, "50000")
	empty := best(schema.BBOQueue, bid("0.1", "1"))
	w.refused(because(schema.AmountNotPositive), order1(ben, best(schema.BBOQueue, bid("0", "1"))))
	w.refused(schema.Rejection{Reason: schema.AmountOffStep, Value: d("0.1")}, order1(ben, best(schema.BBOQueue, bid("0.01", "1"))))
	w.refused(because(schema.BBOEmpty), order1(ben, protecting(empty, "-1", "-1")))
	w.refused(because(schema.BBOEmpty), order1(ben, reducing(empty)))
	empty.Market = id
	w.refused(because(schema.BBOEmpty), &schema.PlaceOrder{Account: ben, Order: empty})
	// A stop does not pick yet, but the mark must be known.
	empty.Type, empty.ActivationPrice = schema.StopLimit, d("50000")
	w.refused(because(schema.PriceUnknown), &schema.PlaceOrder{Account: ben, Order: empty})
}

// TestRolesOfFutures: what a role goes with is the same as on spot markets.
func TestRolesOfFutures(t *testing.T) {
	w := newTraders(t)
	w.must(&schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.Global, RPI: true}})
	for _, c := range []struct {
		want   schema.Reason
		role   schema.BBORole
		change func(*schema.OrderRequest)
	}{
		{schema.BBOInvalid, 3, func(r *schema.OrderRequest) { r.Type = schema.StockMarket }},
		{schema.BBONotAllowed, schema.BBOQueue, func(r *schema.OrderRequest) { r.Type = schema.StockMarket }},
		{schema.BBONotAllowed, schema.BBOQueue, func(r *schema.OrderRequest) { r.Type, r.ActivationPrice = schema.StopStockMarket, d("51000") }},
		{schema.BBOWithPostOnly, schema.BBOCounterparty, func(r *schema.OrderRequest) { r.PostOnly = true }},
		{schema.BBOEmpty, schema.BBOQueue, func(r *schema.OrderRequest) { r.PostOnly = true }},
		{schema.BBOWithRPI, schema.BBOCounterparty, func(r *schema.OrderRequest) { r.RPI = true }},
		{schema.BBOQueueWithIOC, schema.BBOQueue, func(r *schema.OrderRequest) { r.IOC = true }},
		{schema.BBOEmpty, schema.BBOCounterparty, func(r *schema.OrderRequest) { r.IOC = true }},
	} {
		r := best(c.role, bid("0.1", "50000"))
		c.change(&r)
		w.refused(because(c.want), order1(ben, r))
	}
}

// TestStopWaitsWithoutAPrice: its activation price stands for it.
func TestStopWaitsWithoutAPrice(t *testing.T) {
	w := newGroups(t)
	w.lastPrice("50000")
	picking := func(amount, activation string) schema.OrderRequest {
		return best(schema.BBOQueue, stopping(bid(amount, "-1"), activation))
	}
	stop := w.place(ben, picking("1", "51000"))
	if stop.Price != d("0") || stop.ActivationPrice != d("51000") || stop.Status != schema.Open {
		t.Errorf("%+v", stop)
	}
	w.pendingOf(ben, "51000")
	w.margin(ben, "6000") // 5000, and 1000 above the mark
	w.must(&schema.CancelAll{Account: ben})
	w.place(ben, picking("0.1", "99999")) // no band
	w.must(&schema.CancelAll{Account: ben})

	listed := btcPerp()
	listed.MinTotal, listed.MaxTotal, listed.MaxPending = d("5100"), d("5200"), d("10200")
	w.must(&schema.SetMarket{Market: listed})
	w.refused(schema.Rejection{Reason: schema.TotalBelowMin, Value: d("5100")}, order1(ben, picking("0.1", "50999.99")))
	w.refused(schema.Rejection{Reason: schema.TotalAboveMax, Value: d("5200")}, order1(ben, picking("0.1", "52000.01")))
	w.place(ben, picking("0.1", "51000"))
	w.refused(because(schema.PendingTooBig), order1(ben, picking("0.1", "51000.01")))
	w.place(ben, picking("0.1", "51000"))
	w.must(&schema.CancelAll{Account: ben})
	w.must(&schema.SetMarket{Market: btcPerp()})

	// Its take profit and stop loss are beside the last price, whatever it asks for.
	w.refused(because(schema.TakeProfitWrong), order1(ben, protecting(picking("1", "51000"), "50000", "")))
	w.refused(because(schema.StopLossWrong), order1(ben, protecting(picking("1", "51000"), "50000.01", "50000")))
	w.place(ben, protecting(picking("1", "51000"), "50000.01", "49999.99"))
	w.must(&schema.CancelAll{Account: ben})

	w.must(out(ben, usdt, "90000"))
	w.refused(because(schema.NotEnoughBalance), order1(ben, picking("1.827", "50450"))) // 9135, 822.15 and 46.086075
	w.place(ben, picking("1.826", "50450"))                                             // 9130, 821.7 and 46.06085
	w.holds()
}

// TestStopPicksItsPrice when it wakes up, and has it and counts at it from then on. That it was worse than the mark when it
// was placed stays.
func TestStopPicksItsPrice(t *testing.T) {
	w := newGroups(t)
	w.lastPrice("50000")
	stop := w.place(ben, best(schema.BBOQueue, stopping(bid("1", "1"), "51000")))
	w.place(carl, bid("1", "49500"))
	w.lastPrice("51000")
	w.ordersChanged(
		"order 5 closed by trade: FILLED left 0",
		"order 6 closed by trade: FILLED left 0",
		"order 3 activated by trigger: OPEN left 1",
		"order 3 opened by request: OPEN left 1",
	)
	w.pricesShown(stop.ID, "49500", "49500")
	w.asksFor(stop.ID, "49500")
	w.pendingOf(ben, "49500")
	w.margin(ben, "5000")
	w.index(perp, 0, "49000")
	w.margin(ben, "5400") // 4900, and 500 above the mark
	w.holds()
}

// TestStopPicksTheOtherSide and trades there.
func TestStopPicksTheOtherSide(t *testing.T) {
	w := newGroups(t)
	w.lastPrice("50000")
	w.place(ben, best(schema.BBOCounterparty, stopping(bid("1", "1"), "51000")))
	w.place(carl, ask("0.4", "51200"))
	w.lastPrice("51000")
	w.ordersChanged(
		"order 5 closed by trade: FILLED left 0",
		"order 6 closed by trade: FILLED left 0",
		"order 3 activated by trigger: OPEN left 1",
		"order 4 closed by trade: FILLED left 0",
		"order 3 opened by request: PARTIALLY_FILLED left 0.6",
	)
	w.positions(ben, "0.4", "20480")
	w.pricesShown(3, "51200", "51200")
	w.pendingOf(ben, "30720")
	w.margin(ben, "5720") // 1 in all, and 0.6 at 1200 above the mark

	w.must(&schema.CancelAll{Account: ben})
	w.place(ben, best(schema.BBOCounterparty, stopping(ask("1", "1"), "49000")))
	w.place(carl, bid("0.5", "48900"))
	w.lastPrice("49000")
	w.pricesShown(7, "48900", "48900")
	w.positions(ben, "-0.1", "-4890")
	w.asksFor(7, "48900")
	w.holds()
}

// TestStopThatWasNotWorse than the mark is not worse at the price that it picks either, whatever that is.
func TestStopThatWasNotWorse(t *testing.T) {
	w := newGroups(t)
	w.lastPrice("50000")
	w.index(perp, 0, "51000")
	w.place(ben, best(schema.BBOQueue, stopping(bid("1", "1"), "50500")))
	w.margin(ben, "5100")
	w.place(carl, bid("1", "51500"))
	w.place(anna, ask("0.001", "51500"))
	w.asksFor(3, "51500")
	w.pendingOf(ben, "51500")
	w.margin(ben, "5100")
	w.holds()
}

// TestWokenStopIsNotAskedAgain for the band or its margin; its fills are.
func TestWokenStopIsNotAskedAgain(t *testing.T) {
	w := newGroups(t)
	w.lastPrice("50000")
	w.place(ben, best(schema.BBOQueue, stopping(ask("1.9", "1"), "49900")))
	w.place(carl, ask("1", "54000"))
	w.must(out(ben, usdt, "90000"))
	w.index(perp, 0, "60000") // 11400 of 10000
	w.cross(carl, carl, bid("0.001", "54000"))
	w.index(perp, 0, "45000")
	w.lastPrice("45000")
	w.asksFor(3, "54000") // 20 % above the mark
	w.pendingOf(ben, "102600")
	w.holds()
}

// TestStopWithoutAPriceEnds: nobody is where it looks.
func TestStopWithoutAPriceEnds(t *testing.T) {
	w := newGroups(t)
	w.lastPrice("50000")
	w.place(carl, bid("1", "49500"))
	w.place(ben, protecting(best(schema.BBOCounterparty, stopping(bid("1", "49500"), "51000")), "52000", "49000"))
	w.lastPrice("51000")
	w.grouped(
		"6 closed by trade: FILLED left 0, none of 0",
		"7 closed by trade: FILLED left 0, none of 0",
		"5 activated by trigger: OPEN left 1, primary of 4",
		"5 closed by trigger: CANCELED left 1, primary of 4",
	)
	w.pricesShown(5, "0", "0")
	w.openOrders(3)
	w.margin(ben, "0")
	w.holds()
}

// TestStopThatCannotBeCountedEnds: its price is 200 million times what it was.
func TestStopThatCannotBeCountedEnds(t *testing.T) {
	for _, c := range []struct {
		amount string
		want   []string
	}{
		{"17000000000000", []string{"order 3 activated by trigger: OPEN left 17000000000000", "order 3 opened by request: OPEN left 17000000000000"}},
		{"17100000000000", []string{"order 3 activated by trigger: OPEN left 17100000000000", "order 3 closed by trigger: CANCELED left 17100000000000"}},
	} {
		w := newGroups(t)
		w.collateral(ben, usdt, "1000000000000")
		w.collateral(carl, usdt, "1000000")
		w.index(perp, 0, "0.05")
		w.cross(carl, carl, bid("0.001", "0.05"))
		w.place(ben, best(schema.BBOQueue, stopping(bid(c.amount, "1"), "0.06")))
		w.index(perp, 0, "10000000")
		w.place(carl, bid("0.002", "10000000"))
		w.place(carl, ask("0.001", "10000000"))
		w.ordersChanged(append([]string{"order 4 updated by trade: PARTIALLY_FILLED left 0.001", "order 5 closed by trade: FILLED left 0"}, c.want...)...)
	}
}

// TestReduceOnlyStopPicksItsPrice after it was cut, and before it ends for want of a position.
func TestReduceOnlyStopPicksItsPrice(t *testing.T) {
	newLong := func() *world {
		w := newGroups(t)
		w.cross(carl, ben, bid("1", "50000"))
		w.place(ben, reducing(best(schema.BBOCounterparty, stopping(ask("1", "1"), "49400"))))
		return w
	}
	w := newLong()
	w.place(carl, bid("0.6", "49400"))
	w.place(anna, bid("0.001", "49300"))
	w.place(ben, ask("0.6", "49400"))
	w.ordersChanged(
		"order 4 closed by trade: FILLED left 0",
		"order 6 closed by trade: FILLED left 0",
		"order 3 activated by trigger: OPEN left 0.4",
		"order 5 closed by trade: FILLED left 0",
		"order 3 opened by request: PARTIALLY_FILLED left 0.399",
	)
	w.pricesShown(3, "49300", "49300")
	w.holds()

	w = newLong()
	w.place(carl, bid("1", "49400"))
	w.place(anna, bid("0.001", "49300"))
	w.place(ben, ask("1", "49400"))
	w.ordersChanged(
		"order 4 closed by trade: FILLED left 0",
		"order 6 closed by trade: FILLED left 0",
		"order 3 activated by trigger: OPEN left 1",
		"order 3 closed by reduce only: AUTO_CANCELED_REDUCE_ONLY left 1",
	)
	w.pricesShown(3, "49300", "49300")

	w = newLong()
	w.place(carl, bid("1", "49400"))
	w.place(ben, ask("1", "49400"))
	w.ordersChanged(
		"order 4 closed by trade: FILLED left 0",
		"order 5 closed by trade: FILLED left 0",
		"order 3 activated by trigger: OPEN left 1",
		"order 3 closed by trigger: CANCELED left 1",
	)
	w.pricesShown(3, "0", "0")
	w.holds()
}

// TestModifyOfAStopThatPicks: it goes on doing so unless it gets a price.
func TestModifyOfAStopThatPicks(t *testing.T) {
	w := newGroups(t)
	w.lastPrice("50000")
	w.place(carl, bid("1", "49500"))
	stop := w.place(ben, best(schema.BBOQueue, stopping(bid("1", "1"), "51000")))
	modify := func(change func(*schema.ModifyOrder)) schema.Order {
		c := &schema.ModifyOrder{Account: ben, Order: schema.OrderRef{Market: perp, ID: stop.ID}}
		change(c)
		return w.must(c).Order
	}
	stop = modify(func(c *schema.ModifyOrder) { c.Amount = schema.Some(d("2")) })
	w.asksFor(stop.ID, "0")
	w.pendingOf(ben, "102000")
	stop = modify(func(c *schema.ModifyOrder) { c.ActivationPrice = schema.Some(d("52000")) })
	w.asksFor(stop.ID, "0")
	w.pendingOf(ben, "104000")
	w.refused(because(schema.PriceOutOfBand), &schema.ModifyOrder{Account: ben, Order: schema.OrderRef{Market: perp, ID: stop.ID}, Price: schema.Some(d("55000.01"))})
	priced := modify(func(c *schema.ModifyOrder) { c.Price = schema.Some(d("51500")) })
	w.asksFor(priced.ID, "51500")
	w.pendingOf(ben, "103000")
	w.must(&schema.CancelAll{Account: ben})

	// One that woke up is an order at its price.
	stop = w.place(ben, best(schema.BBOQueue, stopping(bid("1", "1"), "51000")))
	w.lastPrice("51000")
	w.place(carl, bid("1", "49600"))
	stop = modify(func(c *schema.ModifyOrder) { c.Amount = schema.Some(d("2")) })
	w.asksFor(stop.ID, "49500")
	w.pendingOf(ben, "99000")
	w.holds()
}

// TestPrimaryThatPicksItsPrice is followed for what it dealt.
func TestPrimaryThatPicksItsPrice(t *testing.T) {
	w := newGroups(t)
	w.lastPrice("50000")
	w.place(ben, protecting(best(schema.BBOCounterparty, stopping(bid("1", "1"), "51000")), "52000", "49000"))
	w.place(carl, ask("1", "51200"))
	w.lastPrice("51000")
	w.grouped(
		"6 closed by trade: FILLED left 0, none of 0",
		"7 closed by trade: FILLED left 0, none of 0",
		"4 activated by trigger: OPEN left 1, primary of 3",
		"5 closed by trade: FILLED left 0, none of 0",
		"4 closed by trade: FILLED left 0, primary of 3",
		"8 opened by group: OPEN left 1, take profit of 3",
		"9 opened by group: OPEN left 1, stop loss of 3",
	)
	w.pricesShown(4, "51200", "51200")
	w.positions(ben, "1", "51200")
	w.holds()
}
