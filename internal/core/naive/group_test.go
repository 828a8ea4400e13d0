package naive

import (
	"testing"

	"bourse/internal/schema"
)

// items compares the orders that an answer has.
func (w *world) items(r schema.Result, group uint64, want ...schema.OrderID) {
	w.t.Helper()
	if r.ID != group || len(r.Items) != len(want) {
		w.t.Fatalf("group %d: %+v", r.ID, r.Items)
	}
	for i, item := range r.Items {
		if item.Order.ID != want[i] || item.Order.Status != schema.Canceled {
			w.t.Errorf("item %d: %+v", i, item.Order)
		}
	}
}

func TestCancelOfGroups(t *testing.T) {
	w := newGroups(t)
	named := oco(ben, schema.Sell, "1", "51000", "49000", "48900")
	named.LimitClientID, named.StopClientID = schema.SystemClientID("a", 1), schema.SystemClientID("b", 1)
	cancel := func(group schema.OrderID, id schema.ClientID, kind schema.GroupKind) *schema.CancelGroup {
		return &schema.CancelGroup{Account: ben, Market: perp, Group: group, ClientID: id, GroupKind: kind}
	}
	w.must(named)
	w.refused(because(schema.OrderNotFound), cancel(1, none, schema.OTO))
	w.refused(because(schema.OrderNotFound), &schema.CancelGroup{Account: carl, Market: perp, Group: 1})
	w.items(w.must(cancel(1, none, schema.OCO)), 1, 2, 3)
	w.grouped("2 closed by request: CANCELED left 1, limit leg of 1", "3 closed by request: CANCELED left 1, stop leg of 1")
	w.refused(because(schema.OrderNotFound), cancel(1, none, schema.AnyGroup))
	w.must(named)
	w.refused(because(schema.OrderNotFound), cancel(0, named.StopClientID, schema.OTO))
	w.refused(because(schema.OrderNotFound), &schema.CancelGroup{Account: carl, Market: perp, ClientID: named.StopClientID})
	w.items(w.must(cancel(0, named.StopClientID, schema.AnyGroup)), 4, 5, 6)
	w.must(named)
	w.items(w.must(cancel(0, named.LimitClientID, schema.OCO)), 7, 8, 9)

	primary := protecting(bid("1", "50000"), "51000", "49000")
	primary.ClientID = named.LimitClientID
	w.place(ben, primary)
	w.refused(because(schema.OrderNotFound), cancel(10, none, schema.OCO))
	w.refused(because(schema.OrderNotFound), cancel(11, none, schema.AnyGroup)) // the order itself
	w.items(w.must(cancel(0, primary.ClientID, schema.OTO)), 10, 11)
	w.grouped("11 closed by request: CANCELED left 1, primary of 10")

	w.cross(carl, ben, primary) // what follows has no client id
	w.refused(because(schema.OrderNotFound), cancel(0, primary.ClientID, schema.AnyGroup))
	w.items(w.must(cancel(13, none, schema.OTO)), 13, 15, 16)
	w.grouped("15 closed by request: CANCELED left 1, take profit of 13", "16 closed by request: CANCELED left 1, stop loss of 13")

	plain := bid("1", "49000")
	plain.ClientID = primary.ClientID
	w.place(ben, plain)
	w.refused(because(schema.OrderNotFound), cancel(0, plain.ClientID, schema.AnyGroup))
}

func TestRefusalsOfCancelGroup(t *testing.T) {
	w := newGroups(t)
	for _, c := range []struct {
		want    schema.Reason
		command schema.CancelGroup
	}{
		{schema.AccountUnknown, schema.CancelGroup{Account: 99, Market: 9}},
		{schema.MarketUnavailable, schema.CancelGroup{Account: ben, Market: 9, GroupKind: 3}},
		{schema.GroupKindInvalid, schema.CancelGroup{Account: ben, Market: perp, GroupKind: 3}},
		{schema.OrderRefInvalid, schema.CancelGroup{Account: ben, Market: perp}},
		{schema.OrderRefInvalid, schema.CancelGroup{Account: ben, Market: perp, Group: 1, ClientID: schema.SystemClientID("a", 1)}},
		{schema.OrderNotFound, schema.CancelGroup{Account: ben, Market: perp, Group: 1}},
		{schema.OrderNotFound, schema.CancelGroup{Account: ben, Market: btcUSDT, Group: 1}},
		{schema.OrderNotFound, schema.CancelGroup{Account: ben, Market: perp, ClientID: schema.SystemClientID("a", 1)}},
	} {
		w.refused(because(c.want), &c.command)
	}
}

// TestMembersAlone: orders of groups are neither canceled nor modified by themselves, until the group is over.
func TestMembersAlone(t *testing.T) {
	w := newGroups(t)
	w.must(oco(ben, schema.Sell, "1", "51000", "49000", "48900"))
	w.place(ben, protecting(bid("1", "48000"), "51000", ""))
	var refs []schema.OrderRef
	for _, id := range []schema.OrderID{2, 3, 5} {
		ref := schema.OrderRef{Market: perp, ID: id}
		refs = append(refs, ref)
		w.refused(because(schema.CancelOfGroup), &schema.CancelOrder{Account: ben, Order: ref})
		w.refused(because(schema.ModifyOfGroup), &schema.ModifyOrder{Account: ben, Order: ref, Total: schema.Some(d("1"))})
		w.refused(because(schema.OrderNotFound), &schema.CancelOrder{Account: carl, Order: ref})
	}
	for _, item := range w.must(&schema.CancelBulk{Account: ben, Orders: refs}).Items {
		if item.Rejection != because(schema.CancelOfGroup) {
			t.Errorf("%+v", item)
		}
	}
	w.place(carl, bid("0.1", "51000"))
	w.must(&schema.ModifyOrder{Account: ben, Order: refs[0], Price: schema.Some(d("51500"))})
	w.must(&schema.CancelOrder{Account: ben, Order: schema.OrderRef{Market: perp, ID: 7}})
	w.openOrders(5)
}

// TestUnitsOfAnOCO: its second order ends with the first and needs no unit of its own.
func TestUnitsOfAnOCO(t *testing.T) {
	w := newGroups(t)
	w.cross(ben, anna, bid("1", "50000"))
	w.must(oco(anna, schema.Sell, "0.001", "51000", "49000", "48900"))
	w.place(anna, ask("0.001", "52000"))
	w.LiquidationUnits = 1
	w.index(perp, 0, "49270")
	w.grouped(
		"4 closed by liquidation: AUTO_CANCELED_LIQUIDATION left 0.001, limit leg of 3",
		"5 closed by liquidation: AUTO_CANCELED_LIQUIDATION left 0.001, stop leg of 3",
	)
	w.must(&schema.SetIndex{Market: perp, Price: d("49270")})
	w.grouped("6 closed by liquidation: AUTO_CANCELED_LIQUIDATION left 0.001, none of 0")
}

// TestMarketsCloseGroupsQueueByQueue: a take profit that sells stands where buys wait for a rise.
func TestMarketsCloseGroupsQueueByQueue(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, bid("1", "50000"))
	w.must(tpsl(ben, "51000", "49000"))
	w.must(tpsl(carl, "48000", "52000"))
	w.must(oco(anna, schema.Buy, "0.001", "49500", "50500", "50600"))
	w.must(&schema.PlanMaintenance{Market: perp, From: noon + second, To: noon + 2*second})
	w.tick(noon + second)
	w.grouped(
		"8 closed by maintenance: MAINTENANCE left 0.001, limit leg of 7",
		"9 closed by maintenance: MAINTENANCE left 0.001, stop leg of 7",
		"3 closed by maintenance: MAINTENANCE left 0, take profit of 0",
		"6 closed by maintenance: MAINTENANCE left 0, stop loss of 0",
		"4 closed by maintenance: MAINTENANCE left 0, stop loss of 0",
		"5 closed by maintenance: MAINTENANCE left 0, take profit of 0",
	)
}

// TestKillSwitchesFireFirst: what follows the primaries that they end comes when all of them have fired.
func TestKillSwitchesFireFirst(t *testing.T) {
	w := newGroups(t)
	w.place(ben, protecting(bid("1", "50000"), "51000", ""))
	w.place(carl, protecting(ask("1", "50500"), "49000", ""))
	w.place(anna, ask("0.1", "50000"))
	w.place(anna, bid("0.2", "50500"))
	for _, a := range []schema.AccountID{carl, ben} {
		w.must(&schema.SetKillSwitch{Account: a, Market: perp, Timeout: 5 * schema.Second})
	}
	w.tick(w.time + 5*second)
	w.grouped(
		"4 closed by kill switch: CANCELED left 0.8, primary of 3",
		"2 closed by kill switch: CANCELED left 0.9, primary of 1",
		"7 opened by group: OPEN left 0.2, take profit of 3",
		"8 opened by group: OPEN left 0.1, take profit of 1",
	)
}

// TestLiquidationEndsAPrimary that has no room for a deal: it is followed though nothing was dealt.
func TestLiquidationEndsAPrimary(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, anna, bid("1", "50000"))
	w.place(ben, protecting(bid("1", "50000"), "51000", "49000"))
	w.place(carl, ask("0.4", "50000"))
	w.must(out(ben, usdt, "94900"))
	w.index(perp, 0, "45600")
	w.grouped(
		"4 closed by margin: CANCELED left 0.6, primary of 3",
		"6 closed by liquidation: CANCELED left 1, none of 0",
		"8 closed by deleveraging: FILLED left 0, none of 0",
		"7 closed by liquidation: FILLED left 0, none of 0",
		"9 opened by group: OPEN left 0.4, take profit of 3",
		"10 opened by group: OPEN left 0.4, stop loss of 3",
	)
}

// TestGroupsOnClosedMarkets: none is placed there, and none is left.
func TestGroupsOnClosedMarkets(t *testing.T) {
	w := newGroups(t)
	w.cross(carl, ben, bid("1", "50000"))
	w.must(oco(ben, schema.Sell, "1", "51000", "49000", "48900"))
	w.must(&schema.PlanMaintenance{Market: perp, From: noon + second, To: noon + 2*second})
	w.tick(noon + second)
	w.refused(because(schema.TradingNotAllowed), oco(ben, schema.Sell, "1", "51000", "49000", "48900"))
	w.refused(because(schema.TradingNotAllowed), tpsl(ben, "51000", "49000"))
	w.refused(because(schema.OrderNotFound), &schema.CancelGroup{Account: ben, Market: perp, Group: 3})
	w.tick(noon + 2*second)
	listed := btcPerp()
	listed.OpensAt = noon + minute
	w.must(&schema.SetMarket{Market: listed})
	w.refused(because(schema.OrderTypeUnavailable), oco(ben, schema.Sell, "1", "51000", "49000", "48900"))
}
