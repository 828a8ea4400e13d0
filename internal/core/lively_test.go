package core

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

var d = fixed.MustParse

// apply runs commands that must be accepted.
func apply(t testing.TB, m *Machine, at schema.Time, commands ...schema.Command) {
	t.Helper()
	for _, c := range commands {
		if r := m.Apply(at, c).Result.Rejection; r.Refused() {
			t.Fatalf("%T %+v: %s", c, c, r.Text())
		}
	}
}

func clientID(t testing.TB, s string) schema.ClientID {
	t.Helper()
	id, err := schema.ParseClientID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func order(account schema.AccountID, request schema.OrderRequest) *schema.PlaceOrder {
	if request.Market == 0 {
		request.Market = 1
	}
	if request.Type == 0 {
		request.Type = schema.Limit
	}
	return &schema.PlaceOrder{Account: account, Order: request}
}

// lively is a machine that has something of everything a snapshot can hold: orders in all six
// queues, partly filled, activated, named, priced by the book; fees, timers, keys, plans, held
// money.
func lively(t testing.TB) *Machine {
	t.Helper()
	m := New()
	apply(t, m, start, genesis()...)
	buy, sell := schema.Buy, schema.Sell
	apply(t, m, start+1,
		order(101, schema.OrderRequest{Side: sell, Amount: d("1"), Price: d("20"), Retail: true}),
		order(102, schema.OrderRequest{Side: buy, Amount: d("0.4"), Price: d("20"), STP: schema.STPCancelNew}),
		order(102, schema.OrderRequest{Side: buy, Amount: d("1"), Price: d("19"), ClientID: clientID(t, "first-one"), PostOnly: true}),
		order(104, schema.OrderRequest{Side: buy, Amount: d("2"), Price: d("19")}),
		order(103, schema.OrderRequest{Side: sell, Amount: d("2"), Price: d("21"), RPI: true}),
		order(101, schema.OrderRequest{Side: buy, Amount: d("1"), Price: d("18"), RPI: true, ClientID: clientID(t, "hidden")}),
		// This one is triggered by the trade below and rests as an activated stop limit.
		order(103, schema.OrderRequest{Type: schema.StopLimit, Side: sell, Amount: d("3"), Price: d("25"), ActivationPrice: d("19.5")}),
		order(104, schema.OrderRequest{Side: sell, Amount: d("0.5"), Price: d("19"), IOC: true}),
		order(102, schema.OrderRequest{Type: schema.StopLimit, Side: buy, Amount: d("1"), Price: d("22.5"), ActivationPrice: d("22"), ClientID: clientID(t, "waiting")}),
		order(104, schema.OrderRequest{Type: schema.StopLimit, Side: buy, Amount: d("1"), ActivationPrice: d("24"), BBO: schema.BBOCounterparty}),
		order(101, schema.OrderRequest{Type: schema.StopMarket, Side: buy, Amount: d("100"), ActivationPrice: d("23")}),
		order(101, schema.OrderRequest{Type: schema.StopMarket, Side: sell, Amount: d("2"), ActivationPrice: d("15")}),
		order(103, schema.OrderRequest{Type: schema.StopLimit, Side: sell, Amount: d("2"), Price: d("14"), ActivationPrice: d("14.5")}),
		order(101, schema.OrderRequest{Market: 2, Side: buy, Amount: d("5"), Price: d("10.001")}),
		order(102, schema.OrderRequest{Market: 2, Side: sell, Amount: d("5"), Price: d("11")}),
		order(103, schema.OrderRequest{Market: 3, Side: sell, Amount: d("4"), Price: d("30")}),
	)
	apply(t, m, start+2,
		&schema.SetKillSwitch{Account: 102, Market: 1, Timeout: 60 * schema.Second, Products: schema.SpotOrders},
		&schema.SetKillSwitch{Account: 101, Market: 2, Timeout: 600 * schema.Second},
		&schema.SetFee{Account: 104, Market: 2, Maker: schema.Some(d("-0.01")), Taker: schema.Some(d("0.05"))},
		&schema.SetKey{Key: schema.Key{Key: "key-1", Account: 101, Title: "bot", Sealed: []byte{1, 2, 3}, Enabled: true, URLs: []string{"/a", "/b"}}},
		&schema.SetKey{Key: schema.Key{Key: "key-2", Account: 102, Sealed: []byte{4}, Addresses: []string{"127.0.0.1"}}},
		&schema.Deposit{Account: 104, Asset: 3, Amount: d("12.5"), Held: true},
		&schema.PlanMaintenance{Market: 2, From: start + 3600*schema.Second, To: start + 7200*schema.Second},
		&schema.PlanDelisting{Market: 3, At: start + 9000*schema.Second},
		&schema.SetFeature{Feature: schema.StepRule, On: true},
		&schema.Tick{},
	)
	if err := m.Verify(); err != nil {
		t.Fatal(err)
	}
	return m
}

// newSteady is an exchange on which there is something to trade, and nothing in the book.
func newSteady(t *testing.T) *Machine {
	m := New()
	apply(t, m, start, genesis()...)
	return m
}

// spread is a price of the book at some distance from the touch.
func spread(i int) fixed.Decimal { return fixed.FromUnits(int64(100+i%40), 1) }
