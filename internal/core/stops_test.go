package core

import (
	"testing"

	"bourse/internal/schema"
)

// TestSoManyStopsWaitOnMargin: an account may have 100 stops waiting on a market that are paid from collateral. A modification
// takes the place of one, and one that is canceled or triggered makes room for another.
func TestSoManyStopsWaitOnMargin(t *testing.T) {
	f := newVenue(t, func(m *schema.MarketInfo) { m.MaxOrders = 150 })
	alice, bob := f.trader("alice", "1000000", 100), f.trader("bob", "1000000", 100)
	f.trade(alice, bob, "0.01", "50000") // a last price
	stop := func(kind schema.OrderType, activation string) *schema.PlaceOrder {
		c := bet(alice, schema.Buy, "0.001", "50000")
		c.Order.Type, c.Order.ActivationPrice = kind, d(activation)
		return c
	}
	var first schema.OrderID
	for i := range 100 {
		kind := []schema.OrderType{schema.StopLimit, schema.StopStockMarket}[i%2]
		id := f.do(stop(kind, "50100")).Result.Order.ID
		if i == 0 {
			first = id
		}
	}
	full := func() {
		t.Helper()
		f.refused(stop(schema.StopLimit, "50100"), schema.TooManyStops)
		f.refused(stop(schema.StopStockMarket, "49900"), schema.TooManyStops)
	}
	full()
	// Others, other orders and other markets are not meant.
	f.do(bet(alice, schema.Buy, "0.001", "49000"))
	his := stop(schema.StopLimit, "50200")
	his.Account = bob
	f.do(his)

	ref := schema.OrderRef{Market: perp, ID: first}
	ref.ID = f.do(&schema.ModifyOrder{Account: alice, Order: ref, ActivationPrice: schema.Some(d("50050"))}).Result.Order.ID
	full()
	f.do(&schema.CancelOrder{Account: alice, Order: ref})
	f.do(stop(schema.StopLimit, "50010"))
	full()

	// A deal at 50010 triggers one. It rests as a limit order then, and counts as a stop no more.
	f.do(bet(bob, schema.Sell, "0.001", "50010"))
	f.do(bet(bob, schema.Buy, "0.001", "50010"))
	f.do(stop(schema.StopLimit, "50100"))
	full()
	for _, o := range f.m.Trading().Open(alice, perp) {
		if o.ActivatedAt != 0 {
			ref.ID = o.ID
			ref.ID = f.do(&schema.ModifyOrder{Account: alice, Order: ref, Price: schema.Some(d("49900"))}).Result.Order.ID
			full()
			f.do(&schema.CancelOrder{Account: alice, Order: ref})
			full()
			f.do(&schema.CancelAll{Account: alice})
			f.do(stop(schema.StopLimit, "50100"))
			f.agrees()
			return
		}
	}
	t.Error("no stop was triggered and rests")
}
