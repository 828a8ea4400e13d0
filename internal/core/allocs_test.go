//go:build !invariants

package core

import (
	"fmt"
	"testing"

	"bourse/internal/schema"
)

// steadyOrders is how much is done at once. Every test below first does what it measures, so
// that memory grows to what is needed, and then counts every allocation of doing it again.
const steadyOrders = 600

// timesDone is how often none does the work.
const timesDone = 10

// none fails if doing work allocates anything at all. AllocsPerRun calls it once to warm up and
// once to count, and it counts the whole process, in which the race detector allocates now and
// then: what the work itself needs is the least of several counts.
func none(t *testing.T, work func()) {
	t.Helper()
	least := testing.AllocsPerRun(1, work)
	for range timesDone/2 - 1 {
		least = min(least, testing.AllocsPerRun(1, work))
	}
	if least != 0 {
		t.Errorf("%v allocations", least)
	}
}

func mustPlace(t *testing.T, m *Machine, c *schema.PlaceOrder) schema.OrderID {
	out := m.Apply(m.Time(), c)
	if out.Result.Rejection.Refused() {
		t.Fatalf("%+v: %s", c, out.Result.Rejection.Text())
	}
	return out.Result.Order.ID
}

func TestPlacingAndCancelingAllocateNothing(t *testing.T) {
	m := newSteady(t)
	place := order(102, schema.OrderRequest{Side: schema.Buy, Amount: d("1"), STP: schema.STPCancelNew})
	cancel := &schema.CancelOrder{Account: 102, Order: schema.OrderRef{Market: 1}}
	var ids [steadyOrders]schema.OrderID
	var names [steadyOrders]schema.ClientID // every other order has one
	for i := 0; i < len(names); i += 2 {
		names[i] = clientID(t, fmt.Sprint("name-", i))
	}
	none(t, func() {
		for i := range ids {
			place.Order.Price, place.Order.ClientID = spread(i), names[i]
			ids[i] = mustPlace(t, m, place)
		}
		for _, id := range ids {
			cancel.Order.ID = id
			m.Apply(m.Time(), cancel)
		}
	})
	if n := len(m.Trading().All(1)); n != 0 {
		t.Errorf("%d orders are left", n)
	}
}

func TestTradingAllocatesNothing(t *testing.T) {
	m := newSteady(t)
	rest := order(102, schema.OrderRequest{Side: schema.Sell, Amount: d("1"), Price: d("20")})
	take := order(101, schema.OrderRequest{Side: schema.Buy, Amount: d("0.4"), Price: d("20")})
	before := m.Trading().Counters().Deal
	none(t, func() {
		for range steadyOrders / 10 {
			mustPlace(t, m, rest)
			for range 2 { // two parts, then a taker that goes through two makers
				mustPlace(t, m, take)
			}
			mustPlace(t, m, rest)
			take.Order.Amount = d("1.2")
			mustPlace(t, m, take)
			take.Order.Amount = d("0.4")
		}
	})
	if deals := m.Trading().Counters().Deal - before; deals != timesDone*4*steadyOrders/10 {
		t.Errorf("%d deals, want 4 for each of the rounds", deals)
	}
}

func TestMarketOrdersAllocateNothing(t *testing.T) {
	m := newSteady(t)
	bid := order(102, schema.OrderRequest{Side: schema.Buy, Amount: d("10"), Price: d("19")})
	ask := order(102, schema.OrderRequest{Side: schema.Sell, Amount: d("10"), Price: d("20")})
	mustPlace(t, m, bid)
	buy := order(101, schema.OrderRequest{Type: schema.Market, Side: schema.Buy, Amount: d("20")})
	sell := order(101, schema.OrderRequest{Type: schema.Market, Side: schema.Sell, Amount: d("1")})
	stock := order(103, schema.OrderRequest{Type: schema.StockMarket, Side: schema.Buy, Amount: d("1")})
	clear := &schema.CancelAll{Account: 102}
	before := m.Trading().Counters().Deal
	none(t, func() {
		for range steadyOrders / 10 {
			mustPlace(t, m, ask)
			mustPlace(t, m, bid)
			mustPlace(t, m, buy)
			mustPlace(t, m, sell)
			mustPlace(t, m, stock)
		}
		m.Apply(m.Time(), clear)
	})
	if deals := m.Trading().Counters().Deal - before; deals < timesDone*3*steadyOrders/10 {
		t.Errorf("only %d deals", deals)
	}
}

func TestModifyingAllocatesNothing(t *testing.T) {
	m := newSteady(t)
	id := mustPlace(t, m, order(102, schema.OrderRequest{Side: schema.Buy, Amount: d("1"), Price: d("10"), ClientID: clientID(t, "mine")}))
	modify := &schema.ModifyOrder{Account: 102, Order: schema.OrderRef{Market: 1}}
	none(t, func() {
		for i := range steadyOrders {
			modify.Order.ID = id
			modify.Price = schema.Some(spread(i))
			out := m.Apply(m.Time(), modify)
			if out.Result.Rejection.Refused() {
				t.Fatal(out.Result.Rejection.Text())
			}
			id = out.Result.Order.ID
		}
	})
	open := m.Trading().Open(102, 1)
	if len(open) != 1 || open[0].ClientID != clientID(t, "mine") || open[0].ID != timesDone*steadyOrders+1 {
		t.Errorf("left is %+v", open)
	}
}

func TestRefusalAllocatesNothing(t *testing.T) {
	m := newSteady(t)
	poor := order(102, schema.OrderRequest{Side: schema.Buy, Amount: d("99999"), Price: d("20")})
	gone := &schema.CancelOrder{Account: 102, Order: schema.OrderRef{Market: 1, ID: 77}}
	none(t, func() {
		if m.Apply(start, poor).Result.Rejection.Reason != schema.NotEnoughBalance {
			t.Error("an order that cannot be paid is not refused")
		}
		if m.Apply(start, gone).Result.Rejection.Reason != schema.OrderNotFound {
			t.Error("a cancel of nothing is not refused")
		}
	})
}

// TestFuturesAllocateNothing: orders that rest and go, positions that grow, shrink, flip and end.
func TestFuturesAllocateNothing(t *testing.T) {
	f := newVenue(t, nil)
	m, alice, bob := f.m, f.trader("alice", "100000", 20), f.trader("bob", "100000", 20)
	rest, take := bet(alice, schema.Sell, "0.3", "50000"), bet(bob, schema.Buy, "0.1", "50000")
	far := bet(alice, schema.Buy, "0.1", "49000")
	cancel := &schema.CancelOrder{Account: alice, Order: schema.OrderRef{Market: perp}}
	before := m.Trading().Counters().Deal
	none(t, func() {
		for i := range steadyOrders / 10 {
			rest.Order.Side, take.Order.Side = schema.Sell, schema.Buy
			if i%2 == 1 {
				rest.Order.Side, take.Order.Side = schema.Buy, schema.Sell
			}
			cancel.Order.ID = mustPlace(t, m, far)
			mustPlace(t, m, rest)
			for range 3 {
				mustPlace(t, m, take)
			}
			m.Apply(m.Time(), cancel)
		}
	})
	if deals := m.Trading().Counters().Deal - before; deals != timesDone*3*steadyOrders/10 {
		t.Errorf("%d deals, want 3 for each of the rounds", deals)
	}
}

// TestConvertingAllocatesOnlyItsAnswer: the event, of which the result is a part, and the path in it.
func TestConvertingAllocatesOnlyItsAnswer(t *testing.T) {
	m := converting(t)
	sell := &schema.AutoConvert{Exchange: exchanged(101, convertBTC, convertUSDT, "0.001")}
	buy := &schema.AutoConvert{Exchange: exchanged(101, convertUSDT, convertBTC, "50")}
	const times = 500
	work := func() {
		for range times {
			for _, c := range []schema.Command{sell, buy} {
				if r := m.Apply(start, c).Result.Rejection; r.Refused() {
					t.Fatal(r.Text())
				}
			}
		}
	}
	least := testing.AllocsPerRun(1, work)
	for range timesDone {
		least = min(least, testing.AllocsPerRun(1, work))
	}
	if least > 2*2*times {
		t.Errorf("%v allocations for %d conversions", least, 2*times)
	}
	large := &schema.AutoConvert{Exchange: exchanged(101, convertBTC, convertUSDT, "1000.1")}
	none(t, func() {
		if r := m.Apply(start, large).Result.Rejection; r.Reason != schema.ConversionTooLarge {
			t.Errorf("more than the book has: %v", r.Reason)
		}
	})
}
