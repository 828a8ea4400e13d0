package core

import (
	"testing"

	"bourse/internal/schema"
)

// TestAFutureAtTheBestPrice: orders on futures can take their price from the book, limit orders when they come and stops when they wake up.
func TestAFutureAtTheBestPrice(t *testing.T) {
	f := newBench(t, nil)
	best := func(kind schema.OrderType, role schema.BBORole) *schema.PlaceOrder {
		c := bet(f.bob, schema.Buy, "0.5", "1")
		c.Order.Type, c.Order.BBO = kind, role
		return c
	}
	f.refused(best(schema.Limit, schema.BBOQueue), schema.BBOEmpty)
	f.refused(best(schema.StockMarket, schema.BBOQueue), schema.BBONotAllowed)
	f.do(bet(f.alice, schema.Buy, "1", "49500"))  // 3
	f.do(bet(f.alice, schema.Sell, "1", "50500")) // 4
	if o := f.do(best(schema.Limit, schema.BBOQueue)).Result.Order; o.Price != d("49500") || o.Status != schema.Open {
		t.Errorf("in the queue: %+v", o)
	}
	if o := f.do(best(schema.Limit, schema.BBOCounterparty)).Result.Order; o.DealMoney != d("25250") || o.Status != schema.Filled {
		t.Errorf("at the other side: %+v", o)
	}
	f.mark("60000")
	f.refused(best(schema.Limit, schema.BBOQueue), schema.PriceOutOfBand)
	f.mark("50000")

	// The stop counts at 51000 while it waits and at 49500 once it has woken up: 0.5 at 1000 above the mark, and the rest of the margin.
	margin := f.m.Collateral().Summary(f.bob).Margin
	stop := best(schema.StopLimit, schema.BBOQueue)
	stop.Order.ActivationPrice = d("51000")
	if o := f.do(stop).Result.Order; !o.Price.IsZero() || o.Status != schema.Open {
		t.Errorf("a stop: %+v", o)
	}
	// 2 BTC of position and orders become 2.5: 5 % of 50000 and 10 % of the rest.
	if got := f.m.Collateral().Summary(f.bob).Margin.Sub(margin); got != d("3000") {
		t.Errorf("the stop ties up %s", got)
	}
	f.do(bet(f.alice, schema.Sell, "0.1", "51000"))
	f.do(&schema.CancelOrder{Account: f.alice, Order: schema.OrderRef{Market: perp, ID: 4}})
	carol := f.trader("carol", "100000", 20)
	f.leaves(bet(carol, schema.Buy, "0.1", "51000"),
		"8 closed trade: FILLED sell 0 of 0.1",
		"9 closed trade: FILLED buy 0 of 0.1",
		"7 activated trigger: OPEN buy 0.5 of 0.5",
		"7 opened request: OPEN buy 0.5 of 0.5")
	if got := f.m.Collateral().Summary(f.bob).Margin.Sub(margin); got != d("2500") {
		t.Errorf("the order ties up %s", got)
	}
	if o, _ := f.m.Trading().Find(f.bob, &schema.OrderRef{Market: perp, ID: 7}); o.Price != d("49500") {
		t.Errorf("it rests at %s", o.Price)
	}

	// Without a price in the book it ends.
	f.do(&schema.CancelAll{Account: f.alice})
	f.do(&schema.CancelAll{Account: f.bob})
	stop.Order.ActivationPrice = d("49000")
	stop.Order.Side, stop.Order.BBO = schema.Sell, schema.BBOCounterparty
	f.do(stop) // 10
	f.do(bet(f.alice, schema.Sell, "0.1", "49000"))
	f.leaves(bet(carol, schema.Buy, "0.1", "49000"),
		"11 closed trade: FILLED sell 0 of 0.1",
		"12 closed trade: FILLED buy 0 of 0.1",
		"10 activated trigger: OPEN sell 0.5 of 0.5",
		"10 closed trigger: CANCELED sell 0.5 of 0.5")
	f.agrees()
}
