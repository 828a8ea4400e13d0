package naive

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/schema"
)

// newGroups is newTraders with the features that groups of orders need.
func newGroups(t *testing.T) *world {
	w := newTraders(t)
	for _, feature := range schema.BirthFeatures() {
		w.must(&feature)
	}
	return w
}

// oco is one on the future.
func oco(a schema.AccountID, s schema.Side, amount, price, activation, stop string) *schema.PlaceOCO {
	return &schema.PlaceOCO{
		Account: a, Market: perp, Side: s, Amount: d(amount), Price: d(price), ActivationPrice: d(activation), StopPrice: d(stop),
	}
}

// grouped is what happened to orders with the last command, with their places in groups.
func (w *world) grouped(want ...string) {
	w.t.Helper()
	var got []string
	for _, e := range w.last.Events {
		if e, is := e.(*schema.OrderChanged); is {
			got = append(got, fmt.Sprintf("%d %s by %s: %s left %s, %s of %d", e.Order.ID, e.Change, e.Cause, e.Order.Status, e.Order.Left, e.Order.Role, e.Order.Group))
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("orders:\n got %q\nwant %q", got, want)
	}
	w.holds()
}

// openOrders compares the open orders of the future.
func (w *world) openOrders(want ...schema.OrderID) {
	w.t.Helper()
	var got []schema.OrderID
	for _, o := range w.Orders(perp) {
		got = append(got, o.ID)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("open: %v, want %v", got, want)
	}
}

func (w *world) margin(a schema.AccountID, want string) {
	w.t.Helper()
	same(w.t, "margin", w.margins.portfolio(a).margin(), want)
}

func TestOCO(t *testing.T) {
	w := newGroups(t)
	c := oco(ben, schema.Sell, "1", "51000", "49000", "48900")
	c.LimitClientID, c.StopClientID, c.STP = schema.SystemClientID("a", 1), schema.SystemClientID("b", 1), schema.STPCancelNew
	r := w.must(c)
	w.happened("level sell 51000: 1", "order 2 opened by request: OPEN left 1", "order 3 opened by request: OPEN left 1")
	w.grouped("2 opened by request: OPEN left 1, limit leg of 1", "3 opened by request: OPEN left 1, stop leg of 1")
	limit := schema.Order{
		ID: 2, Account: ben, Market: perp, Type: schema.Limit, Side: schema.Sell, STP: schema.STPCancelNew, Status: schema.Open,
		Price: d("51000"), Amount: d("1"), Left: d("1"), Created: w.time, Updated: w.time, ClientID: c.LimitClientID,
		Collateral: true, Group: 1, Role: schema.LimitLeg,
	}
	stop := limit
	stop.ID, stop.Type, stop.Price, stop.ActivationPrice, stop.ClientID, stop.Role = 3, schema.StopLimit, d("48900"), d("49000"), c.StopClientID, schema.StopLeg
	if r.ID != 1 || len(r.Items) != 2 || r.Items[0].Order != limit || r.Items[1].Order != stop {
		t.Errorf("%+v", r)
	}
	if open := w.Orders(perp); len(open) != 2 || open[0] != limit || open[1] != stop {
		t.Errorf("%+v", open)
	}
	// Only the stop counts, which sells for 1100 less than the mark.
	w.margin(ben, "6100")
	same(t, "pending", w.margins.portfolio(ben).seat(perp).pendingValue(), "48900")
	w.refused(because(schema.HedgeModeInUse), &schema.SetHedgeMode{Account: ben, On: true})
}

// TestOCODealsAsMaker: the first fill ends the stop, and the rest lives on alone.
func TestOCODealsAsMaker(t *testing.T) {
	w := newGroups(t)
	w.must(oco(ben, schema.Sell, "1", "51000", "49000", "48900"))
	w.place(carl, bid("0.4", "51000"))
	w.grouped(
		"3 closed by group: CANCELED left 1, stop leg of 1",
		"2 updated by trade: PARTIALLY_FILLED left 0.6, none of 0",
		"4 closed by trade: FILLED left 0, none of 0",
	)
	w.margin(ben, "5000")
	w.place(carl, bid("0.6", "51000"))
	w.grouped("2 closed by trade: FILLED left 0, none of 0", "5 closed by trade: FILLED left 0, none of 0")

	w.must(oco(ben, schema.Buy, "1", "49500", "51500", "51600"))
	w.margin(ben, "6600") // it closes the position, and the stop costs 1600 more than the mark
	w.place(carl, ask("1", "49500"))
	w.grouped(
		"8 closed by group: CANCELED left 1, stop leg of 6",
		"7 closed by trade: FILLED left 0, none of 0",
		"9 closed by trade: FILLED left 0, none of 0",
	)
	w.openOrders()
}

// TestOCODealsAsTaker: the trigger ends nothing, the first fill ends the limit order.
func TestOCODealsAsTaker(t *testing.T) {
	w := newGroups(t)
	w.must(oco(ben, schema.Sell, "1", "51000", "49000", "48900"))
	w.cross(anna, carl, ask("0.001", "49000"))
	w.grouped(
		"4 closed by trade: FILLED left 0, none of 0",
		"5 closed by trade: FILLED left 0, none of 0",
		"3 activated by trigger: OPEN left 1, stop leg of 1",
		"3 opened by request: OPEN left 1, stop leg of 1",
	)
	w.margin(ben, "6100")
	w.place(carl, bid("0.1", "48900"))
	w.grouped(
		"2 closed by group: CANCELED left 1, limit leg of 1",
		"3 updated by trade: PARTIALLY_FILLED left 0.9, none of 0",
		"6 closed by trade: FILLED left 0, none of 0",
	)
	w.must(&schema.CancelAll{Account: ben})

	w.must(oco(ben, schema.Sell, "1", "51000", "48800", "48700"))
	w.place(carl, bid("0.3", "48700"))
	w.place(carl, bid("0.3", "48750"))
	w.cross(anna, carl, ask("0.001", "48800"))
	w.grouped(
		"12 closed by trade: FILLED left 0, none of 0",
		"13 closed by trade: FILLED left 0, none of 0",
		"9 activated by trigger: OPEN left 1, stop leg of 7",
		"11 closed by trade: FILLED left 0, none of 0",
		"8 closed by group: CANCELED left 1, limit leg of 7",
		"10 closed by trade: FILLED left 0, none of 0",
		"9 opened by request: PARTIALLY_FILLED left 0.4, none of 0",
	)
}

// TestOCOMeetsOCO: the maker's other order ends before the taker's.
func TestOCOMeetsOCO(t *testing.T) {
	w := newGroups(t)
	w.must(oco(ben, schema.Sell, "0.5", "51000", "49000", "48900"))
	w.must(oco(carl, schema.Buy, "0.5", "48950", "51500", "51600"))
	w.cross(anna, anna, ask("0.001", "49000"))
	w.grouped(
		"7 closed by trade: FILLED left 0, none of 0",
		"8 closed by trade: FILLED left 0, none of 0",
		"3 activated by trigger: OPEN left 0.5, stop leg of 1",
		"6 closed by group: CANCELED left 0.5, stop leg of 4",
		"5 closed by trade: FILLED left 0, none of 0",
		"2 closed by group: CANCELED left 0.5, limit leg of 1",
		"3 closed by trade: FILLED left 0, none of 0",
	)
}

// TestOCOEnds: whatever else ends one of the two ends the other in the same way.
func TestOCOEnds(t *testing.T) {
	both := func(status, cause string) []string {
		return []string{
			"2 closed by " + cause + ": " + status + " left 1, limit leg of 1",
			"3 closed by " + cause + ": " + status + " left 1, stop leg of 1",
		}
	}
	for name, c := range map[string]struct {
		end  func(w *world)
		want []string
	}{
		"cancel all": {func(w *world) { w.must(&schema.CancelAll{Account: ben}) }, both("CANCELED", "request")},
		"kill switch": {func(w *world) {
			w.must(&schema.SetKillSwitch{Account: ben, Market: perp, Timeout: 5 * schema.Second})
			w.tick(w.time + 5*second)
		}, both("CANCELED", "kill switch")},
		"maintenance": {func(w *world) {
			w.must(&schema.PlanMaintenance{Market: perp, From: noon + second, To: noon + 2*second})
			w.tick(noon + second)
		}, both("MAINTENANCE", "maintenance")},
		"delisting": {func(w *world) {
			w.must(&schema.PlanDelisting{Market: perp, At: noon + second})
			w.tick(noon + second)
		}, both("CANCELED", "delisting")},
		"self-trade prevention": {func(w *world) {
			r := bid("1", "51000")
			r.STP = schema.STPCancelOld
			w.place(ben, r)
		}, append(both("CANCELED_STP", "self-trade prevention"), "4 opened by request: OPEN left 1, none of 0")},
		"margin": {func(w *world) {
			w.must(out(ben, usdt, "90000"))
			w.index(perp, 0, "59000") // 10000 less a loss of 8000 and the fee are not 5900
			w.place(carl, bid("1", "54000"))
		}, append(both("CANCELED", "margin"), "4 opened by request: OPEN left 1, none of 0")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newGroups(t)
			w.must(oco(ben, schema.Sell, "1", "51000", "49000", "48900"))
			c.end(w)
			w.grouped(c.want...)
		})
	}
}

// TestOCOEndsByItsStop: the stop that wakes up meets an order of its owner, or finds nothing to reduce.
func TestOCOEndsByItsStop(t *testing.T) {
	w := newGroups(t)
	w.place(ben, bid("1", "48950"))
	c := oco(ben, schema.Sell, "1", "51000", "49000", "48900")
	c.STP = schema.STPCancelBoth
	w.must(c)
	w.cross(anna, carl, ask("0.001", "49000"))
	w.grouped(
		"5 closed by trade: FILLED left 0, none of 0",
		"6 closed by trade: FILLED left 0, none of 0",
		"4 activated by trigger: OPEN left 1, stop leg of 2",
		"1 closed by self-trade prevention: CANCELED_STP left 1, none of 0",
		"4 closed by self-trade prevention: CANCELED_STP left 1, stop leg of 2",
		"3 closed by self-trade prevention: CANCELED_STP left 1, limit leg of 2",
	)
}

func TestReduceOnlyOCO(t *testing.T) {
	w := newGroups(t)
	c := oco(ben, schema.Sell, "3", "51000", "49000", "48900")
	c.ReduceOnly = true
	w.refused(because(schema.ReduceOnlyNothing), c)
	w.cross(carl, ben, bid("1", "50000"))
	r := w.must(c)
	if r.Items[0].Order.Amount != d("1") || r.Items[1].Order.Amount != d("1") || !r.Items[1].Order.ReduceOnly {
		t.Errorf("%+v", r.Items)
	}
	w.margin(ben, "5000")
	// Half of it is closed; the stop is cut when it wakes up, and the limit order as large as before.
	w.cross(carl, ben, ask("0.5", "50000"))
	w.cross(anna, anna, ask("0.001", "49000"))
	w.grouped(
		"8 closed by trade: FILLED left 0, none of 0",
		"9 closed by trade: FILLED left 0, none of 0",
		"5 activated by trigger: OPEN left 0.5, stop leg of 3",
		"5 opened by request: OPEN left 0.5, stop leg of 3",
	)
	w.place(carl, bid("0.5", "48000"))
	w.must(&schema.ClosePosition{Account: ben, Market: perp, Position: 2})
	w.grouped(
		"10 closed by trade: FILLED left 0, none of 0",
		"11 closed by trade: FILLED left 0, none of 0",
		"4 closed by reduce only: AUTO_CANCELED_REDUCE_ONLY left 1, limit leg of 3",
		"5 closed by reduce only: AUTO_CANCELED_REDUCE_ONLY left 0.5, stop leg of 3",
	)
}

func TestRefusalsOfOCO(t *testing.T) {
	w := newGroups(t)
	id := schema.SystemClientID("a", 1)
	w.place(carl, ask("1", "50100"))
	named := bid("0.001", "49000")
	named.ClientID = id
	w.place(ben, named)
	good := oco(ben, schema.Buy, "1", "50099.99", "50000.01", "50200")
	most := maxInt64.times(unit(2)).decimal()
	huge := maxInt64.times(unit(2)).plus(unit(2)).decimal()
	for _, c := range []struct {
		want schema.Rejection
		edit func(c *schema.PlaceOCO)
	}{
		{because(schema.AccountUnknown), func(c *schema.PlaceOCO) { c.Account = 99 }},
		{because(schema.MarketUnavailable), func(c *schema.PlaceOCO) { c.Market = 9 }},
		{because(schema.CollateralUnavailable), func(c *schema.PlaceOCO) { c.Market, c.Side = btcUSDT, 0 }},
		{because(schema.SideInvalid), func(c *schema.PlaceOCO) { c.Side, c.STP = 3, 9 }},
		{because(schema.STPInvalid), func(c *schema.PlaceOCO) { c.STP, c.LimitClientID, c.StopClientID = 9, id, id }},
		{because(schema.ClientIDsEqual), func(c *schema.PlaceOCO) { c.LimitClientID, c.StopClientID, c.Amount = id, id, d("0") }},
		{because(schema.AmountNotPositive), func(c *schema.PlaceOCO) { c.Amount, c.Price = d("0"), d("0") }},
		{schema.Rejection{Reason: schema.AmountTooPrecise, Value: d("0.001")}, func(c *schema.PlaceOCO) { c.Amount = d("0.0001") }},
		{because(schema.PriceNotPositive), func(c *schema.PlaceOCO) { c.Price, c.StopPrice = d("0"), d("0") }},
		{because(schema.ReduceOnlyNothing), func(c *schema.PlaceOCO) { c.ReduceOnly, c.StopPrice = true, d("0") }},
		{because(schema.PriceOutOfBand), func(c *schema.PlaceOCO) { c.Price, c.StopPrice = d("44999"), d("0") }},
		{because(schema.ClientIDTaken), func(c *schema.PlaceOCO) { c.LimitClientID, c.StopPrice = id, d("0") }},
		{because(schema.StopPriceNotPositive), func(c *schema.PlaceOCO) { c.StopPrice, c.ActivationPrice = d("-1"), d("0") }},
		{schema.Rejection{Reason: schema.StopPriceTooPrecise, Value: d("0.01")}, func(c *schema.PlaceOCO) { c.StopPrice = d("0.001") }},
		{schema.Rejection{Reason: schema.StopPriceTooLarge, Value: most}, func(c *schema.PlaceOCO) { c.StopPrice = huge }},
		{because(schema.ActivationNotPositive), func(c *schema.PlaceOCO) { c.ActivationPrice, c.StopPrice = d("0"), d("50200") }},
		{schema.Rejection{Reason: schema.ActivationTooPrecise, Value: d("0.01")}, func(c *schema.PlaceOCO) { c.ActivationPrice, c.StopPrice = d("50300.001"), d("60000") }},
		{schema.Rejection{Reason: schema.ActivationTooLarge, Value: most}, func(c *schema.PlaceOCO) { c.ActivationPrice = huge }},
		{because(schema.StopPriceOutOfBand), func(c *schema.PlaceOCO) { c.StopPrice, c.StopClientID = d("55000.01"), id }},
		{because(schema.ClientIDTaken), func(c *schema.PlaceOCO) { c.StopClientID, c.Price = id, d("50100") }},
		{because(schema.LimitWouldTake), func(c *schema.PlaceOCO) { c.Price, c.ActivationPrice = d("50100"), d("49000") }},
		{because(schema.StopActivationWrong), func(c *schema.PlaceOCO) { c.ActivationPrice, c.Amount = d("50000"), d("100") }},
		{because(schema.StopActivationWrong), func(c *schema.PlaceOCO) { c.Side, c.Price, c.ActivationPrice = schema.Sell, d("50100"), d("50000") }},
		{because(schema.StopNotCovered), func(c *schema.PlaceOCO) { c.Amount = d("20") }},
		{because(schema.LimitNotCovered), func(c *schema.PlaceOCO) { c.Amount, c.StopPrice = d("20"), d("50099.98") }},
		{because(schema.LimitNotCovered), func(c *schema.PlaceOCO) { c.Amount, c.StopPrice = d("20"), d("50099.99") }},
	} {
		bad := *good
		c.edit(&bad)
		w.refused(c.want, &bad)
	}
	european := *good
	if r := w.Exchange.Apply(w.time, schema.Origin{Region: schema.EU}, &european).Result.Rejection; r != because(schema.OrderTypeUnavailable) {
		t.Errorf("in the EU: %v", r.Text())
	}
	w.cross(carl, carl, ask("0.001", "50060")) // then that is the last price
	w.refused(because(schema.StopActivationWrong), good)
	ticks := btcPerp()
	ticks.TickSize, ticks.MaxPending = d("0.5"), d("50000")
	w.must(&schema.SetMarket{Market: ticks})
	c := oco(ben, schema.Buy, "1", "50000", "50100", "50200")
	w.refused(because(schema.PendingTooBig), c)
	c.StopPrice = d("50200.2")
	w.refused(schema.Rejection{Reason: schema.StopPriceOffTick, Value: d("0.5")}, c)
	c.Price = d("50000.2")
	w.refused(schema.Rejection{Reason: schema.PriceOffTick, Value: d("0.5")}, c)
	c.Price, c.StopPrice, c.ActivationPrice = d("50000"), d("50200"), d("50100.2")
	w.refused(schema.Rejection{Reason: schema.ActivationOffTick, Value: d("0.5")}, c)
}

// TestOCONeedsTwoPlaces: among open orders, and one among stops.
func TestOCONeedsTwoPlaces(t *testing.T) {
	w := newGroups(t)
	listed := btcPerp()
	listed.MaxOrders = 3
	w.must(&schema.SetMarket{Market: listed})
	w.must(oco(ben, schema.Sell, "0.1", "51000", "49000", "48900"))
	full := schema.Rejection{Reason: schema.TooManyOrders, Value: d("3")}
	w.refused(full, oco(ben, schema.Sell, "0.1", "51000", "49000", "48900"))
	w.place(ben, ask("0.1", "51000"))
	listed.MaxOrders = 0
	w.must(&schema.SetMarket{Market: listed})
	for range 99 {
		w.must(oco(ben, schema.Sell, "0.001", "51000", "49000", "48900"))
	}
	w.refused(because(schema.TooManyStops), oco(ben, schema.Sell, "0.001", "51000", "50000", "48900"))
}

func TestGroupsNeedBoundedWork(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, ben, bid("1", "50000"))
	w.refused(because(schema.OrderTypeUnavailable), oco(ben, 0, "1", "51000", "49000", "48900"))
	w.refused(because(schema.OrderTypeUnavailable), &schema.PlaceTPSL{Account: ben, Market: perp, STP: 9})
	w.refused(because(schema.OrderTypeUnavailable), order1(ben, protecting(bid("1", "50000"), "51000", "")))
}
