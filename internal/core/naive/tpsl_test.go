package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// tpsl is a take profit and a stop loss of a whole position; an empty price is none.
func tpsl(a schema.AccountID, takeProfit, stopLoss string) *schema.PlaceTPSL {
	r := protecting(schema.OrderRequest{}, takeProfit, stopLoss)
	return &schema.PlaceTPSL{Account: a, Market: perp, TakeProfit: r.TakeProfit, StopLoss: r.StopLoss}
}

// TestTPSL: they are for what the position is when they wake up.
func TestTPSL(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, bid("1", "50000"))
	c := tpsl(ben, "51000", "49000")
	c.STP, c.PositionSide = schema.STPCancelNew, schema.ShortSide // which one-way mode does not look at
	r := w.must(c)
	w.grouped("3 opened by request: OPEN left 0, take profit of 0", "4 opened by request: OPEN left 0, stop loss of 0")
	profit := schema.Order{
		ID: 3, Account: ben, Market: perp, Type: schema.StopStockMarket, Side: schema.Sell, STP: schema.STPCancelNew, Status: schema.Open,
		ActivationPrice: d("51000"), Created: w.time, Updated: w.time,
		Collateral: true, ReduceOnly: true, Role: schema.TakeProfit,
	}
	loss := profit
	loss.ID, loss.ActivationPrice, loss.Role = 4, d("49000"), schema.StopLoss
	if r.ID != 0 || len(r.Items) != 2 || r.Items[0].Order != profit || r.Items[1].Order != loss {
		t.Errorf("%+v", r)
	}
	w.cross(carl, ben, bid("0.5", "50000"))
	w.place(carl, bid("2", "49000"))
	w.place(anna, ask("0.001", "49000"))
	w.grouped(
		"7 updated by trade: PARTIALLY_FILLED left 1.999, none of 0",
		"8 closed by trade: FILLED left 0, none of 0",
		"4 activated by trigger: OPEN left 1.5, stop loss of 0",
		"7 updated by trade: PARTIALLY_FILLED left 0.499, none of 0",
		"4 closed by trade: FILLED left 0, stop loss of 0",
		"3 closed by group: CANCELED left 0, take profit of 0",
	)
	i := slices.IndexFunc(w.last.Events, func(e schema.Event) bool {
		changed, is := e.(*schema.OrderChanged)
		return is && changed.Change == schema.Activated
	})
	if o := w.last.Events[i].(*schema.OrderChanged).Order; o.Amount != d("1.5") || o.ActivatedAt != w.time {
		t.Errorf("%+v", o)
	}
	w.positions(ben)
}

// TestTPSLReplaces the order of its role alone.
func TestTPSLReplaces(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, ask("1", "50000"))
	w.must(tpsl(ben, "49000", "51000"))
	w.must(tpsl(carl, "51000", "49000"))
	w.must(tpsl(ben, "48000", ""))
	w.grouped("3 closed by modify: CANCELED left 0, take profit of 0", "7 opened by request: OPEN left 0, take profit of 0")
	w.must(tpsl(ben, "47000", "52000"))
	w.grouped(
		"7 closed by modify: CANCELED left 0, take profit of 0",
		"8 opened by request: OPEN left 0, take profit of 0",
		"4 closed by modify: CANCELED left 0, stop loss of 0",
		"9 opened by request: OPEN left 0, stop loss of 0",
	)
	w.openOrders(5, 6, 8, 9)
}

// TestTPSLBesideAnOTO: those of an OTO and those of the position do not end each other.
func TestTPSLBesideAnOTO(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, protecting(bid("1", "50000"), "51000", "49000"))
	w.must(tpsl(ben, "51000", "49000"))
	w.place(carl, bid("1.2", "50900"))
	w.lastPrice("51000")
	w.grouped(
		"9 closed by trade: FILLED left 0, none of 0",
		"10 closed by trade: FILLED left 0, none of 0",
		"4 activated by trigger: OPEN left 1, take profit of 2",
		"8 updated by trade: PARTIALLY_FILLED left 0.2, none of 0",
		"4 closed by trade: FILLED left 0, take profit of 2",
		"5 closed by group: CANCELED left 1, stop loss of 2",
		"6 activated by trigger: OPEN left 0, take profit of 0",
		"6 closed by reduce only: CANCELED left 0, take profit of 0",
		"7 closed by reduce only: CANCELED left 0, stop loss of 0",
	)
}

// TestTPSLThatDealtLittle: what is left of the position has none of them any more.
func TestTPSLThatDealtLittle(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, bid("1", "50000"))
	w.must(tpsl(ben, "51000", "49000"))
	w.lastPrice("51000")
	w.grouped(
		"5 closed by trade: FILLED left 0, none of 0",
		"6 closed by trade: FILLED left 0, none of 0",
		"3 activated by trigger: OPEN left 1, take profit of 0",
		"3 closed by remainder: CANCELED left 1, take profit of 0",
	)
	w.place(carl, bid("0.3", "49000"))
	w.place(anna, ask("0.001", "49000"))
	w.positions(ben, "0.701", "35050")
	w.openOrders()
}

// TestTPSLStaysAndEnds: kill switches leave it, the end of the position does not.
func TestTPSLStaysAndEnds(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, bid("1", "50000"))
	w.must(tpsl(ben, "51000", "49000"))
	w.must(&schema.SetKillSwitch{Account: ben, Market: perp, Timeout: 5 * schema.Second})
	w.tick(w.time + 5*second)
	w.openOrders(3, 4)
	ref := schema.OrderRef{Market: perp, ID: 3}
	w.refused(because(schema.ModifyOfProtection), &schema.ModifyOrder{Account: ben, Order: ref, ActivationPrice: schema.Some(d("52000"))})
	w.refused(because(schema.OrderNotFound), &schema.CancelGroup{Account: ben, Market: perp, Group: 3})
	w.must(&schema.CancelOrder{Account: ben, Order: ref})
	w.grouped("3 closed by request: CANCELED left 0, take profit of 0")
	w.must(tpsl(ben, "51000", ""))
	w.place(carl, bid("1", "49500"))
	w.must(&schema.ClosePosition{Account: ben, Market: perp, Position: 2})
	w.grouped(
		"6 closed by trade: FILLED left 0, none of 0",
		"7 closed by trade: FILLED left 0, none of 0",
		"4 closed by reduce only: CANCELED left 0, stop loss of 0",
		"5 closed by reduce only: CANCELED left 0, take profit of 0",
	)
	w.cross(carl, ben, bid("1", "50000"))
	w.must(tpsl(ben, "51000", "49000"))
	w.must(&schema.CancelAll{Account: ben})
	w.grouped("10 closed by request: CANCELED left 0, take profit of 0", "11 closed by request: CANCELED left 0, stop loss of 0")
}

// TestMarginOfTPSL: while there is one, sales open a short of their whole size.
func TestMarginOfTPSL(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, bid("10", "50000"))
	w.place(ben, ask("22", "51000"))
	w.margin(ben, "60000") // 12 of 22
	same(t, "pending", w.margins.portfolio(ben).seat(perp).pendingValue(), "1122000")
	w.refused(because(schema.NotEnoughBalance), tpsl(ben, "51000", ""))
	w.refused(because(schema.NotEnoughBalance), tpsl(ben, "51000", "49000"))
	w.index(perp, 0, "0") // withdrawn
	w.refused(because(schema.PriceUnknown), tpsl(ben, "51000", ""))
	w.index(perp, 0, "50000")
	w.collateral(ben, usdt, "10250") // the fee of the position was 250
	w.must(tpsl(ben, "51000", ""))
	w.margin(ben, "110000")
	same(t, "pending", w.margins.portfolio(ben).seat(perp).pendingValue(), "1122000")
	w.must(tpsl(ben, "52000", "49000")) // no more than now
	w.margin(ben, "110000")
	w.holds()
}

func TestTPSLInHedgeMode(t *testing.T) {
	w := newGroups(t)
	w.must(&schema.SetHedgeMode{Account: ben, On: true})
	w.place(carl, bid("1", "50000"))
	w.place(ben, onSide(schema.ShortSide, ask("1", "50000")))
	w.place(carl, ask("2", "50000"))
	w.place(ben, onSide(schema.LongSide, bid("2", "50000")))
	c := tpsl(ben, "49000", "51000")
	w.refused(because(schema.PositionSideMismatch), c)
	c.PositionSide = 7
	w.refused(because(schema.PositionSideMismatch), c)
	c.PositionSide = schema.LongSide
	w.refused(because(schema.TakeProfitWrong), c)
	long := tpsl(ben, "52000", "49000")
	long.PositionSide = schema.LongSide
	w.must(long)
	c.PositionSide = schema.ShortSide
	w.must(c)
	w.openOrders(5, 6, 7, 8)
	w.margin(ben, "10000")
	w.place(carl, ask("3", "51000"))
	w.lastPrice("51000") // the stop loss of the short waits for that
	w.grouped(
		"9 updated by trade: PARTIALLY_FILLED left 2.999, none of 0",
		"11 closed by trade: FILLED left 0, none of 0",
		"8 activated by trigger: OPEN left 1, stop loss of 0",
		"9 updated by trade: PARTIALLY_FILLED left 1.999, none of 0",
		"8 closed by trade: FILLED left 0, stop loss of 0",
		"7 closed by group: CANCELED left 0, take profit of 0",
	)
	w.openOrders(5, 6, 9, 10)
}

func TestRefusalsOfTPSL(t *testing.T) {
	w := newGroups(t)
	w.refused(because(schema.PositionMissing), tpsl(ben, "-1", ""))
	w.cross(carl, ben, bid("1", "50000"))
	w.lastPrice("50100")
	most := maxInt64.times(unit(2)).decimal()
	huge := maxInt64.times(unit(2)).plus(unit(2)).decimal().String()
	for _, c := range []struct {
		want schema.Rejection
		edit func(c *schema.PlaceTPSL)
	}{
		{because(schema.AccountUnknown), func(c *schema.PlaceTPSL) { c.Account = 99 }},
		{because(schema.MarketUnavailable), func(c *schema.PlaceTPSL) { c.Market = 9 }},
		{because(schema.CollateralUnavailable), func(c *schema.PlaceTPSL) { c.Market, c.STP = btcUSDT, 9 }},
		{because(schema.STPInvalid), func(c *schema.PlaceTPSL) { *c = *tpsl(ben, "", ""); c.STP = 9 }},
		{because(schema.ProtectionMissing), func(c *schema.PlaceTPSL) { *c = *tpsl(anna+9, "", ""); c.Account = anna }},
		{because(schema.TakeProfitNotPositive), func(c *schema.PlaceTPSL) { *c = *tpsl(ben, "-1", "-1") }},
		{schema.Rejection{Reason: schema.TakeProfitTooPrecise, Value: d("0.01")}, func(c *schema.PlaceTPSL) { *c = *tpsl(ben, "1.001", "-1") }},
		{schema.Rejection{Reason: schema.TakeProfitTooLarge, Value: most}, func(c *schema.PlaceTPSL) { *c = *tpsl(ben, huge, "-1") }},
		{because(schema.StopLossNotPositive), func(c *schema.PlaceTPSL) { *c = *tpsl(ben, "1", "-1") }},
		{schema.Rejection{Reason: schema.StopLossTooPrecise, Value: d("0.01")}, func(c *schema.PlaceTPSL) { *c = *tpsl(ben, "1", "1.001") }},
		{schema.Rejection{Reason: schema.StopLossTooLarge, Value: most}, func(c *schema.PlaceTPSL) { *c = *tpsl(ben, "1", huge) }},
		{because(schema.TakeProfitWrong), func(c *schema.PlaceTPSL) { *c = *tpsl(ben, "50100", "50100") }},
		{because(schema.StopLossWrong), func(c *schema.PlaceTPSL) { *c = *tpsl(ben, "50100.01", "50100") }},
		{because(schema.TakeProfitWrong), func(c *schema.PlaceTPSL) { *c = *tpsl(carl, "50100", "50100") }},
		{because(schema.StopLossWrong), func(c *schema.PlaceTPSL) { *c = *tpsl(carl, "50099.99", "50100") }},
	} {
		bad := *tpsl(ben, "51000", "49000")
		c.edit(&bad)
		w.refused(c.want, &bad)
	}
	if r := w.Exchange.Apply(w.time, schema.Origin{Region: schema.EU}, tpsl(ben, "", "")).Result.Rejection; r != because(schema.OrderTypeUnavailable) {
		t.Errorf("in the EU: %v", r.Text())
	}
	listed := btcPerp()
	listed.MaxOrders, listed.TickSize = 2, d("0.5")
	w.must(&schema.SetMarket{Market: listed})
	w.refused(schema.Rejection{Reason: schema.TakeProfitOffTick, Value: d("0.5")}, tpsl(ben, "1.1", "1.1"))
	w.refused(schema.Rejection{Reason: schema.StopLossOffTick, Value: d("0.5")}, tpsl(ben, "1", "1.1"))
	w.must(tpsl(ben, "51000", ""))
	w.place(ben, bid("0.1", "49000"))
	full := schema.Rejection{Reason: schema.TooManyOrders, Value: d("2")}
	w.refused(full, tpsl(ben, "51000", "49000"))
	w.must(tpsl(ben, "52000", ""))
	w.must(&schema.CancelAll{Account: ben})
	w.must(tpsl(ben, "51000", "49000"))
}
