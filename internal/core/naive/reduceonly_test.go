package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// TestMakerWithoutRoomEnds: the mark fell below its order, and it has less than its position would need.
func TestMakerWithoutRoomEnds(t *testing.T) {
	w := newTraders(t)
	poor := w.place(anna, bid("1", "50000"))
	w.must(out(anna, usdt, "500"))
	w.place(carl, bid("1", "49900"))
	w.index(perp, 0, "49400")
	w.order(w.place(ben, ask("1", "49400")), schema.Filled, "0", "1", "49900", "24.95")
	if got := w.ended(schema.Canceled); !slices.Equal(got, []schema.OrderID{poor.ID}) {
		t.Errorf("canceled: %v", got)
	}
	if got := w.listed(); got[0] != "level buy 50000: 0" || got[1] != "order 1 closed by margin: CANCELED left 1" {
		t.Errorf("%q", got)
	}
	w.positions(anna)
	w.positions(carl, "1", "49900")
	w.holds()
}

// TestTakerWithoutRoomEnds: a sale binds no more than the bid beside it, but its fee takes what a position needs.
func TestTakerWithoutRoomEnds(t *testing.T) {
	w := newTraders(t)
	w.place(anna, bid("1", "49000"))
	w.must(out(anna, usdt, "500"))
	w.place(ben, bid("0.2", "50000"))
	w.place(carl, bid("0.8", "50000"))
	w.order(w.place(anna, ask("1", "50000")), schema.Canceled, "0.8", "0.2", "10000", "5") // then 475 of 500
	w.ordersChanged(
		"order 2 closed by trade: FILLED left 0",
		"order 4 closed by margin: CANCELED left 0.8",
	)
	w.positions(anna, "-0.2", "-10000")
	w.holds()
}

// TestReduceOnly: orders are cut when they are placed, and end when nothing is left to reduce.
func TestReduceOnly(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, ben, bid("1", "50000"))
	w.refused(because(schema.ReduceOnlyNothing), order1(ben, reducing(bid("1", "50000"))))
	cut := w.place(ben, reducing(ask("3", "51000")))
	w.order(cut, schema.Open, "1", "0", "0", "0")
	if !cut.ReduceOnly || cut.Amount != d("1") {
		t.Errorf("%+v", cut)
	}
	second := w.place(ben, reducing(ask("0.7", "51000"))) // others do not count
	stop := w.place(ben, reducing(stopping(atMarket(schema.Sell, "1"), "49000")))
	plain := w.place(ben, ask("1", "52000"))
	w.order(w.place(carl, bid("0.5", "51000")), schema.Filled, "0", "0.5", "25500", "12.75")
	w.positions(ben, "0.5", "25000")
	// What is left of the first closes the position; the second is not met any more.
	w.order(w.place(carl, bid("0.8", "51000")), schema.PartiallyFilled, "0.3", "0.5", "25500", "12.75")
	if got := w.ended(schema.AutoCanceledReduceOnly); !slices.Equal(got, []schema.OrderID{second.ID, stop.ID}) {
		t.Errorf("ended: %v", got)
	}
	w.positions(ben)
	if open := w.Orders(perp); len(open) != 2 || open[0].ID != plain.ID {
		t.Errorf("open: %+v", open)
	}
	w.holds()
}

// TestLittlePositionsCanBeClosed: what is left after the cut may be less than an order otherwise is.
func TestLittlePositionsCanBeClosed(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, ben, bid("0.001", "50000"))
	listed := btcPerp()
	listed.MinAmount, listed.MinTotal = d("0.002"), d("100")
	w.must(&schema.SetMarket{Market: listed})
	w.refused(schema.Rejection{Reason: schema.AmountBelowMin, Value: d("0.002")}, order1(ben, reducing(ask("0.001", "50000"))))
	w.refused(schema.Rejection{Reason: schema.TotalBelowMin, Value: d("100")}, order1(ben, ask("0.002", "49999")))
	w.order(w.place(ben, reducing(ask("0.002", "50000"))), schema.Open, "0.001", "0", "0", "0")
	listed.MinTotal, listed.MaxTotal = d("10"), d("50")
	w.must(&schema.SetMarket{Market: listed})
	w.refused(schema.Rejection{Reason: schema.TotalAboveMax, Value: d("50")}, order1(ben, reducing(ask("0.002", "50001"))))
	w.refused(because(schema.PriceOutOfBand), order1(ben, reducing(ask("0.002", "44999"))))
}

// TestReduceOnlyMakerIsCutAtAFill: 0.6 of 0.7 would be more than is left of the position.
func TestReduceOnlyMakerIsCutAtAFill(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, ben, bid("1", "50000"))
	w.place(ben, reducing(ask("0.7", "51000")))
	w.place(ben, reducing(ask("0.7", "51001")))
	w.place(anna, ask("0.001", "51002"))
	o := w.place(carl, bid("1.2", "51002"))
	w.order(o, schema.PartiallyFilled, "0.199", "1.001", "51051.302", "25.525651")
	w.ordersChanged("order 3 closed by trade: FILLED left 0", "order 4 updated by trade: PARTIALLY_FILLED left 0.4",
		"order 4 closed by reduce only: AUTO_CANCELED_REDUCE_ONLY left 0.4", "order 5 closed by trade: FILLED left 0",
		"order 6 opened by request: PARTIALLY_FILLED left 0.199")
	w.holds()
}

// ordersChanged compares what happened to orders.
func (w *world) ordersChanged(want ...string) {
	w.t.Helper()
	got := slices.DeleteFunc(w.listed(), func(s string) bool { return s[:5] != "order" })
	if !slices.Equal(got, want) {
		w.t.Errorf("orders:\n got %q\nwant %q", got, want)
	}
}

// TestFlipEndsReduceOnlyOrders: of both directions, by account.
func TestFlipEndsReduceOnlyOrders(t *testing.T) {
	w := newTraders(t)
	w.cross(ben, carl, bid("1", "50000"))
	first := w.place(carl, reducing(ask("1", "52000")))
	second := w.place(ben, reducing(bid("1", "48000")))
	w.cross(carl, ben, bid("2", "50000")) // both flip, the one with the higher id first
	if got := w.ended(schema.AutoCanceledReduceOnly); !slices.Equal(got, []schema.OrderID{second.ID, first.ID}) {
		t.Errorf("ended: %v", got)
	}
	w.positions(ben, "1", "50000")
	w.holds()
}

// TestReduceOnlyStops: a stop is cut when it wakes, and ends if there is nothing to reduce.
func TestReduceOnlyStops(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, ben, bid("1", "50000"))
	w.place(ben, reducing(stopping(atMarket(schema.Sell, "1"), "49500")))
	w.place(ben, reducing(stopping(ask("1", "49000"), "49400")))
	w.place(ben, ask("0.4", "49600"))
	w.place(carl, bid("0.4", "49600"))
	w.place(carl, bid("0.1", "49500"))
	w.place(carl, bid("0.501", "49400"))
	w.place(anna, ask("0.001", "49500"))
	w.ordersChanged(
		"order 7 updated by trade: PARTIALLY_FILLED left 0.099",
		"order 9 closed by trade: FILLED left 0",
		"order 3 activated by trigger: OPEN left 0.6",
		"order 7 closed by trade: FILLED left 0",
		"order 8 closed by trade: FILLED left 0",
		"order 3 closed by trade: FILLED left 0",
		"order 4 activated by trigger: OPEN left 1",
		"order 4 closed by reduce only: AUTO_CANCELED_REDUCE_ONLY left 1",
	)
	w.positions(ben)
	w.holds()
}

// TestSelfTrade: each side is judged with what the account had before.
func TestSelfTrade(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, ben, bid("1", "50000"))
	w.place(ben, ask("1", "50010"))
	w.order(w.place(ben, bid("1", "50010")), schema.Filled, "0", "1", "50010", "25.005")
	w.positions(ben, "1", "50010")
	if p := w.Positions(); len(p) != 2 || p[1].ID != 3 {
		t.Errorf("%+v", p)
	}
	w.has(ben, usdt, "99949.993", "0") // 25, 10.002 and 25.005 less than 100010
	w.place(ben, ask("1", "50020"))
	stp := bid("1", "50020")
	stp.STP = schema.STPCancelNew
	w.order(w.place(ben, stp), schema.CanceledSTP, "1", "0", "0", "0")
	w.holds()
}

// TestHedge: a long and a short position beside each other.
func TestHedge(t *testing.T) {
	w := newTraders(t)
	w.must(&schema.SetHedgeMode{Account: ben, On: true})
	w.refused(because(schema.PositionSideMismatch), order1(ben, bid("1", "50000")))
	w.refused(because(schema.PositionSideMismatch), order1(ben, onSide(7, bid("1", "50000"))))
	w.refused(because(schema.ReduceOnlyNothing), order1(ben, onSide(schema.LongSide, ask("1", "50000"))))
	w.place(carl, ask("2", "50000"))
	w.place(ben, onSide(schema.LongSide, bid("2", "50000")))
	w.place(carl, bid("1", "50000"))
	w.place(ben, onSide(schema.ShortSide, ask("1", "50000")))
	w.positions(ben, "2", "100000", "-1", "-50000")
	same(t, "margin", w.margins.portfolio(ben).margin(), "10000") // the larger side
	closing := w.place(ben, onSide(schema.ShortSide, bid("5", "49000")))
	if !closing.ReduceOnly || closing.Amount != d("1") || closing.PositionSide != schema.ShortSide {
		t.Errorf("%+v", closing)
	}
	other := w.place(ben, onSide(schema.LongSide, ask("2", "51000")))
	w.place(carl, ask("0.4", "49000"))
	w.positions(ben, "2", "100000", "-0.6", "-30000")
	changed := w.must(&schema.ModifyOrder{Account: ben, Order: schema.OrderRef{Market: perp, ID: closing.ID}, Price: schema.Some(d("49001"))}).Order
	if !changed.ReduceOnly || changed.PositionSide != schema.ShortSide || changed.Amount != d("0.6") {
		t.Errorf("%+v", changed)
	}
	w.place(carl, ask("0.6", "49001"))
	w.positions(ben, "2", "100000")
	if open := w.Orders(perp); len(open) != 1 || open[0].ID != other.ID {
		t.Errorf("open: %+v", open)
	}
	w.holds()
}

// TestRebateRepays: what a maker gets back goes to what it owes.
func TestRebateRepays(t *testing.T) {
	w := newTraders(t)
	w.collateral(anna, btc, "1")
	w.must(out(anna, usdt, "1000"))
	w.cross(ben, anna, bid("1", "50000"))
	w.has(anna, usdt, "0", "25")
	w.must(&schema.SetFee{Account: anna, Market: perp, Maker: schema.Some(d("-0.04"))})
	w.place(anna, reducing(ask("1", "50000")))
	w.place(ben, bid("1", "50000"))
	w.happened(
		"2 main of 2 by fee for 2: 15 0",
		"101 collateral of 2 by fee for 2: 20 0",
		"101 collateral of 2 by repayment for 2: 0 0",
		"5 main of 2 by repayment for 2: -5 0",
		"101 debt of 2 by repayment for 2: 5 0",
		"5 debt of 2 by repayment for 2: -5 0",
		"loan of 101: 5 and 0",
		"position 2 of 101 BOTH: 0 for 0, 1 at 50000 realized 0 fee -20",
		"102 collateral of 2 by fee for 2: 99965 0",
		"2 main of 2 by fee for 2: 40 0",
		"position 1 of 102 BOTH: 0 for 0, 1 at 50000 realized 0 fee 25",
		"deal 2: 1 at 50000",
		"level sell 50000: 0",
		"order 3 closed by trade: FILLED left 0",
		"order 4 closed by trade: FILLED left 0",
	)
	w.holds()
}
