package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// TestOverlapIsClosed: 3 long and 2 short leave 1, without a fee and without the book.
func TestOverlapIsClosed(t *testing.T) {
	w := newTraders(t)
	listed := btcPerp()
	listed.MakerFee, listed.TakerFee, listed.LiquidationFee = d("0"), d("0"), d("0")
	w.must(&schema.SetMarket{Market: listed})
	w.must(&schema.SetLeverage{Account: anna, Leverage: 10})
	w.must(&schema.SetHedgeMode{Account: anna, On: true})
	w.collateral(anna, usdt, "15000")
	w.place(ben, ask("3", "50000"))
	w.place(anna, onSide(schema.LongSide, bid("3", "50000")))
	w.place(carl, bid("2", "50000"))
	w.place(anna, onSide(schema.ShortSide, ask("2", "50000")))
	resting := w.place(anna, onSide(schema.LongSide, bid("0.001", "49000")))
	w.index(perp, 0, "40000") // 6000 of 3 % of 3 BTC
	w.since()
	w.index(perp, 0, "37000") // 3000 of 3330
	w.since(
		"risk of 101: liquidation, 3000 of 3330",
		"level buy 49000: 0",
		"order 5 closed by liquidation: AUTO_CANCELED_LIQUIDATION left 0.001",
		"5 main of 2 by loan for 0: -10000 0",
		"101 collateral of 2 by loan for 0: 26000 0",
		"5 debt of 2 by loan for 0: -10000 0",
		"101 debt of 2 by loan for 0: 10000 0",
		"loan of 101: 10000 and 0",
		"101 collateral of 2 by realized PnL for 0: 0 0",
		"6 collateral of 2 by realized PnL for 0: 26000 0",
		"overlap of position 2 of 101 LONG: 1 for 50000, 2 at 37000 realized -26000 fee 0",
		"6 collateral of 2 by realized PnL for 0: 0 0",
		"101 collateral of 2 by realized PnL for 0: 26000 0",
		"101 collateral of 2 by repayment for 0: 16000 0",
		"5 main of 2 by repayment for 0: 0 0",
		"101 debt of 2 by repayment for 0: 0 0",
		"5 debt of 2 by repayment for 0: 0 0",
		"loan of 101: 0 and 0",
		"overlap of position 4 of 101 SHORT: 0 for 0, 2 at 37000 realized 26000 fee 0",
		"risk of 101: none, 3000 of 1110",
	)
	if resting.ID != 5 {
		t.Errorf("%+v", resting)
	}
	w.holds()

	// What is left goes on as the position of its side.
	w.index(perp, 0, "34200")
	deals := w.Deals()
	if len(deals) != 1 || !deals[0].OffBook {
		t.Fatalf("deals: %+v", deals)
	}
	for _, e := range w.last.Events {
		if e, is := e.(*schema.OrderChanged); is && e.Order.Account == anna && e.Order.PositionSide != schema.LongSide {
			t.Errorf("%+v", e.Order)
		}
	}
	w.holds()
}

// TestFundingBeforeTheOverlap: both sides are booked before they change.
func TestFundingBeforeTheOverlap(t *testing.T) {
	w := newFunded(t, "0.0003")
	w.must(&schema.SetHedgeMode{Account: anna, On: true})
	w.place(ben, bid("0.2", "50012.34"))
	w.place(anna, onSide(schema.ShortSide, ask("0.2", "50012.34")))
	w.place(carl, ask("0.5", "50012.34"))
	w.place(anna, onSide(schema.LongSide, bid("0.5", "50012.34")))
	w.FundingSlice = 1
	w.tick(noon + 5*minute)
	w.index(perp, 0, "46000")
	var funded, closed []schema.PositionSide
	for _, e := range w.last.Events {
		e, is := e.(*schema.PositionChanged)
		switch {
		case !is || e.Position.Account != anna:
		case e.Cause == schema.ByFunding:
			funded = append(funded, e.Position.Side)
		case e.Cause == schema.ByLiquidation:
			closed = append(closed, e.Position.Side)
		}
	}
	both := []schema.PositionSide{schema.LongSide, schema.ShortSide}
	if !slices.Equal(funded, both) || !slices.Equal(closed, both) {
		t.Errorf("booked %v, closed %v", funded, closed)
	}
	w.holds()
}

// TestStopsWakeUpAfterTheRun: when everyone was liquidated, and then orders that lost their positions end.
func TestStopsWakeUpAfterTheRun(t *testing.T) {
	for _, bounded := range []bool{false, true} {
		w, dora := newPair(t)
		if bounded {
			w.must(&schema.SetFeature{Feature: schema.BoundedWork, On: true})
		}
		w.cross(ben, anna, bid("1", "50000"))
		w.cross(ben, dora, bid("1", "50000"))
		w.cross(carl, ben, bid("0.01", "50000"))
		w.place(carl, bid("3", "49260"))
		stop := w.place(ben, stopping(ask("0.002", "49000"), "49500"))
		swept := w.place(dora, stopping(ask("0.001", "0"), "49400"))
		w.place(carl, reducing(bid("0.01", "49265"))) // closes its position with the first deal
		rest := w.place(carl, reducing(bid("0.003", "49000")))
		w.index(perp, 0, "49270")
		var order []string
		for _, e := range w.last.Events {
			switch e := e.(type) {
			case *schema.RiskChanged:
				order = append(order, e.State.String())
			case *schema.OrderChanged:
				switch e.Order.ID {
				case stop.ID:
					order = append(order, "stop "+e.Change.String())
				case rest.ID:
					order = append(order, "rest "+e.Order.Status.String())
				case swept.ID:
					order = append(order, "swept "+e.Order.Status.String())
				}
			}
		}
		want := []string{
			"liquidation", "liquidation", "margin_call", "swept AUTO_CANCELED_LIQUIDATION", "margin_call",
			"stop activated", "stop closed", "rest AUTO_CANCELED_REDUCE_ONLY",
		}
		if !slices.Equal(order, want) {
			t.Errorf("the order was %q, want %q", order, want)
		}
		if len(w.Orders(perp)) != 1 {
			t.Errorf("open: %+v", w.Orders(perp))
		}
		w.holds()
	}
}

// TestReduceOnlyEndsAfterTheRun: carl is short and buys back from anna, and keeps an order that is for nothing then.
func TestReduceOnlyEndsAfterTheRun(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, anna, bid("0.2", "50000"))
	w.cross(ben, anna, bid("0.8", "50000"))
	rest := w.place(carl, reducing(bid("0.1", "49000")))
	w.place(carl, reducing(bid("0.2", "49260")))
	w.index(perp, 0, "49270")
	n := len(w.last.Events)
	if e, is := w.last.Events[n-1].(*schema.OrderChanged); !is || e.Order.ID != rest.ID || e.Order.Status != schema.AutoCanceledReduceOnly {
		t.Errorf("last was %q", w.listed()[n-1])
	}
	w.positions(carl)
	w.holds()
}

// TestFutureOfTheLargestMarginFirst: and one that is in maintenance, not enabled or stale waits while the other goes.
func TestFutureOfTheLargestMarginFirst(t *testing.T) {
	for what, c := range map[string]struct {
		before func(w *world)
		want   []schema.MarketID
	}{
		"all": {func(*world) {}, []schema.MarketID{ethPerp, ethPerp}},
		"in maintenance": {func(w *world) {
			w.must(&schema.PlanMaintenance{Market: ethPerp, From: noon + minute, To: noon + 2*minute})
			w.tick(noon + minute)
		}, []schema.MarketID{perp}},
		"not enabled": {func(w *world) {
			listed := *w.listing.market(ethPerp)
			listed.Enabled = false
			w.must(&schema.SetMarket{Market: listed})
		}, []schema.MarketID{perp}},
		"stale": {func(w *world) {
			w.must(&schema.SetCollateral{Asset: eth, IndexMaxAge: 10 * schema.Second})
			w.tick(noon + minute)
		}, []schema.MarketID{perp}},
	} {
		w := newTraders(t)
		w.listETH("50000")
		w.collateral(anna, usdt, "500")
		w.cross(ben, anna, bid("0.5", "50000"))
		w.must(on(ethPerp, ben, ask("0.6", "50000")))
		w.must(on(ethPerp, anna, bid("0.6", "50000")))
		w.must(on(ethPerp, carl, bid("1", "49990")))
		w.place(anna, reducing(ask("0.1", "52000")))
		c.before(w)
		resting := len(w.Orders(ethPerp))
		w.index(perp, 0, "47500") // 222.5 of 118.75 and 150
		var got []schema.MarketID
		for _, deal := range w.Deals() {
			got = append(got, deal.Market)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: dealt on %v, want %v", what, got, c.want)
		}
		if len(w.Orders(ethPerp)) != resting {
			t.Errorf("%s: %d orders are left of %d", what, len(w.Orders(ethPerp)), resting)
		}
		if touched := len(w.Orders(perp)) == 0; touched != slices.Contains(c.want, perp) {
			t.Errorf("%s: orders of the other future: %v", what, w.Orders(perp))
		}
		w.holds()
	}
}

// TestBlockedAccountIsLiquidated: and one of a region in which it could not trade.
func TestBlockedAccountIsLiquidated(t *testing.T) {
	w := newBobs(t)
	w.place(carl, bid("2", "49260"))
	w.must(&schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.EU, Blocked: true}})
	listed := btcPerp()
	listed.Regions, listed.MinTotal, listed.MinAmount, listed.TakerBand = 2, d("20000"), d("0.3"), d("0.001")
	w.must(&schema.SetMarket{Market: listed})
	w.index(perp, 0, "49270")
	if deals := w.Deals(); len(deals) != 1 || deals[0].Amount != d("0.25") {
		t.Errorf("deals: %+v", deals)
	}
	w.holds()
}

// TestRoomOfTheTakerIsNotAsked: selling BTC at its limit leaves less for the margin that ETH needs, which waits.
func TestRoomOfTheTakerIsNotAsked(t *testing.T) {
	w := newTraders(t)
	w.listETH("50000")
	listed := *w.listing.market(ethPerp)
	listed.MaxLeverage = 10
	w.must(&schema.SetMarket{Market: listed})
	w.collateral(anna, usdt, "9000")
	w.cross(ben, anna, bid("1", "50000"))
	w.must(on(ethPerp, ben, ask("1", "50000")))
	w.must(on(ethPerp, anna, bid("1", "50000")))
	w.index(perp, 0, "44000")
	w.place(carl, bid("2", "41100"))
	w.must(&schema.PlanMaintenance{Market: ethPerp, From: noon + minute, To: noon + 2*minute})
	w.tick(noon + minute)
	w.index(perp, 0, "41700") // 1650 of 1708.5, then 1474.3125 of 1656.375
	var amounts []string
	for _, deal := range w.Deals() {
		amounts = append(amounts, deal.Amount.String())
	}
	if want := []string{"0.25", "0.75"}; !slices.Equal(amounts, want) || len(w.ended(schema.Filled)) != 2 {
		t.Errorf("sold %v, want %v", amounts, want)
	}
	w.holds()
}

// TestDeficitIsMoreThanAPartIsWorth: then the first round buys nothing.
func TestDeficitIsMoreThanAPartIsWorth(t *testing.T) {
	w := newTraders(t)
	w.index(perp, 0, "25000")
	w.cross(ben, anna, ask("1", "25000"))
	w.place(carl, ask("2", "25974.51"))
	w.place(carl, ask("0.1", "25100"))
	w.index(perp, 0, "50000") // a limit of 25974.51: 987.5 less 25000, of 50000 with a fee
	var deals []string
	for _, deal := range w.Deals() {
		deals = append(deals, deal.Amount.String(), deal.Price.String())
	}
	if want := []string{"0.1", "25100", "0.9", "25974.51"}; !slices.Equal(deals, want) {
		t.Errorf("bought %v, want %v", deals, want)
	}
	w.positions(anna)
	w.holds()
}
