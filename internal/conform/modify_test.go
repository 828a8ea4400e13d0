package conform_test

import (
	"testing"
)

// TestModify goes through order/modify (6.15).
func TestModify(t *testing.T) {
	t.Parallel()
	poor := obj{"deposits": obj{"USDT": "100", "MDP": "1"}, "trade": obj{"USDT": "100", "MDP": "1"}}
	v := serve(t, plain("MDA_USDT", "MDB_USDT", "MDC_USDT", "MDP_USDT", "MDQ_USDT"), with(with(plain("alice", "bob"), "poor", poor), "thin", poor))
	for _, market := range []string{"MDA_USDT", "MDB_USDT", "MDC_USDT", "MDP_USDT"} {
		tradeAt(v.trader(t, "bob"), v.trader(t, "bob"), market, "100")
	}

	t.Run("the replacement has a new number and the old client id", func(t *testing.T) {
		const market = "MDA_USDT"
		alice := v.trader(t, "alice")
		old := alice.limit(market, "buy", "2", "90", obj{"clientOrderId": "keep.me", "postOnly": true, "stp": "cb"})
		shape := listed(limitShape(market, "buy", "3", "91", obj{"clientOrderId": "keep.me", "postOnly": true}), nil)
		r := alice.ask("order/modify", obj{"market": market, "orderId": old["orderId"], "amount": "3", "price": "91"})
		answers(t, r, shape)
		var replaced map[string]any
		r.Read(t, &replaced)
		if replaced["orderId"] == old["orderId"] {
			t.Error("the order kept its number")
		}
		answers(t, alice.ask("orders", obj{"market": market}), arr{shape})
		alice.holds("USDT", "999727", "273")
		// By client id, one member at a time; what is not said stays, but stp is no unless it is said.
		answers(t, alice.ask("order/modify", obj{"market": market, "clientOrderId": "keep.me", "price": "92", "stp": "cancel_new"}),
			changed(shape, obj{"price": "92", "stp": "cn"}))
		answers(t, alice.ask("order/modify", obj{"market": market, "clientOrderId": "keep.me", "amount": 4}),
			changed(shape, obj{"price": "92", "amount": "4", "left": "4"}))
		refuses(t, alice.ask("order/modify", obj{"market": market, "orderId": old["orderId"], "price": "93"}), inner(400, 2, "orderId", notFound))
		past := alice.must("trade-account/order/history", obj{"orderId": old["orderId"]})
		is(t, "status", past[market].([]any)[0].(map[string]any)["status"], "CANCELED")
		alice.list("order/cancel/all", nil)
	})

	t.Run("the place in the queue is lost", func(t *testing.T) {
		const market = "MDA_USDT"
		alice, bob, poor := v.trader(t, "alice"), v.trader(t, "bob"), v.trader(t, "poor")
		id := alice.limit(market, "buy", "1", "90")["orderId"]
		poor.limit(market, "buy", "1", "90")
		alice.must("order/modify", obj{"market": market, "orderId": id, "price": "90"})
		bob.limit(market, "sell", "1", "90")
		answers(t, poor.ask("orders", obj{"market": market}), arr{})
		if n := len(alice.orders(market)); n != 1 {
			t.Errorf("%d orders of alice are open, should be 1", n)
		}
		alice.list("order/cancel/all", nil)
	})

	t.Run("a part that was filled stays filled", func(t *testing.T) {
		const market = "MDB_USDT"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		id := alice.limit(market, "sell", "3", "100")["orderId"]
		bob.limit(market, "buy", "1", "100")
		answers(t, alice.ask("order/modify", obj{"market": market, "orderId": id, "price": "101"}),
			listed(limitShape(market, "sell", "2", "101", nil), nil))
		past := alice.must("trade-account/order/history", obj{"orderId": id})[market].([]any)[0].(map[string]any)
		is(t, "dealStock", past["dealStock"], "1")
		is(t, "amount", past["amount"], "3")
		alice.list("order/cancel/all", nil)
	})

	t.Run("a replacement can trade at once", func(t *testing.T) {
		const market = "MDB_USDT"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		id := alice.limit(market, "buy", "1", "90")["orderId"]
		bob.limit(market, "sell", "1", "95")
		answers(t, alice.ask("order/modify", obj{"market": market, "orderId": id, "price": "95"}),
			listed(limitShape(market, "buy", "1", "95", nil), obj{
				"status": "FILLED", "dealStock": "1", "dealMoney": "95", "dealFee": "0.002", "left": "0",
			}))
	})

	t.Run("stop limit", func(t *testing.T) {
		const market = "MDC_USDT"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		shape := listed(stopShape(market, "buy", "1", "121", "120", obj{"clientOrderId": "s"}), nil)
		alice.must("order/stop_limit", obj{"market": market, "side": "buy", "amount": "1", "price": "121", "activation_price": "120", "clientOrderId": "s"})
		change := func(fields, want obj) {
			t.Helper()
			answers(t, alice.ask("order/modify", changed(fields, obj{"market": market, "clientOrderId": "s"})), changed(shape, want))
		}
		change(obj{"activationPrice": "119"}, obj{"activation_price": "119"})
		change(obj{"activation_price": "118"}, obj{"activation_price": "118"}) // as creation spells it
		change(obj{"price": "122", "amount": "2"}, obj{"activation_price": "118", "price": "122", "amount": "2", "left": "2"})

		// Once it is activated it is a limit order, of the type that it had.
		tradeAt(bob, bob, market, "118")
		change(obj{"price": "123"}, obj{"activation_price": "118", "price": "123", "amount": "2", "left": "2", "activated": 1})
		refuses(t, alice.ask("order/modify", obj{"market": market, "clientOrderId": "s", "activationPrice": "130"}),
			inner(400, 158, "activation_price", "Activation price can't be set for a limit order."))
		alice.list("order/cancel/all", nil)
	})

	t.Run("stop market", func(t *testing.T) {
		const market = "MDC_USDT"
		alice := v.trader(t, "alice")
		alice.must("order/stop_market", obj{"market": market, "side": "buy", "amount": "100", "activation_price": "140", "clientOrderId": "b"})
		alice.must("order/stop_market", obj{"market": market, "side": "sell", "amount": "1", "activation_price": "50", "clientOrderId": "s"})
		answers(t, alice.ask("order/modify", obj{"market": market, "clientOrderId": "b", "total": "200.123"}),
			listed(stopShape(market, "buy", "200.123", "", "140", obj{"clientOrderId": "b"}), nil))
		answers(t, alice.ask("order/modify", obj{"market": market, "clientOrderId": "b", "activationPrice": "141", "total": 300}),
			listed(stopShape(market, "buy", "300", "", "141", obj{"clientOrderId": "b"}), nil))
		answers(t, alice.ask("order/modify", obj{"market": market, "clientOrderId": "s", "amount": "2"}),
			listed(stopShape(market, "sell", "2", "", "50", obj{"clientOrderId": "s"}), nil))
		alice.list("order/cancel/all", nil)
	})

	t.Run("what is wrong", func(t *testing.T) {
		const market = "MDC_USDT"
		alice := v.trader(t, "alice")
		tradeAt(v.trader(t, "bob"), v.trader(t, "bob"), market, "100")
		limit := alice.limit(market, "buy", "1", "90", obj{"clientOrderId": "limit"})["orderId"]
		alice.limit(market, "buy", "1", "80", obj{"clientOrderId": "post", "postOnly": true})
		alice.must("order/stop_limit", obj{"market": market, "side": "buy", "amount": "1", "price": "121", "activation_price": "120", "clientOrderId": "stop"})
		alice.must("order/stop_market", obj{"market": market, "side": "buy", "amount": "100", "activation_price": "120", "clientOrderId": "buy"})
		alice.must("order/stop_market", obj{"market": market, "side": "sell", "amount": "1", "activation_price": "50", "clientOrderId": "sell"})
		v.trader(t, "bob").limit(market, "sell", "1", "105")
		before := alice.orders(market)
		const whole = "Activation price must be a multiple of 0.01."
		for _, c := range []struct {
			name   string
			order  string
			fields obj
			want   refusal
		}{
			{"no id", "", obj{"market": market, "price": "91"}, invalid(30, "orderId", "OrderId"+needed)},
			{"no id and no market", "", obj{"market": nil, "price": "91"}, invalid(30, "market", "Market"+needed).and("orderId", "OrderId"+needed)},
			{"both ids", "limit", obj{"orderId": limit, "price": "91"}, invalid(30, "orderId", chooseOne)},
			{"nothing to change", "limit", nil, invalid(30, "amount", "At least one of amount, total, price and activationPrice should be sent.")},
			{"nothing to change but stp", "limit", obj{"stp": "cb"}, invalid(30, "amount", "At least one of amount, total, price and activationPrice should be sent.")},
			{"amount and total", "buy", obj{"amount": "1", "total": "100"}, invalid(30, "total", "Either amount or total should be sent, not both.")},
			{"market is a number", "limit", obj{"market": 1, "price": "91"}, marketPair()},
			{"market is unknown", "limit", obj{"market": "NIX_USDT", "price": "91"}, invalid(31, "market", noMarket)},
			{"no such order", "nobody", obj{"price": "91"}, inner(400, 2, "orderId", notFound)},
			{"stp is unknown", "limit", obj{"price": "91", "stp": "x"}, invalid(30, "stp", "Stp field should contain only 'no', 'cb', 'cn' or 'co' values.")},

			{"amount is a word", "limit", obj{"amount": "x"}, invalid(32, "amount", "Amount"+notNumeric)},
			{"amount is zero", "limit", obj{"amount": "0"}, invalid(32, "amount", "Amount should be greater than 0.")},
			{"amount is too small", "limit", obj{"amount": "0.009"}, invalid(32, "amount", "Given amount is less than min amount 0.01")},
			{"amount is too fine", "limit", obj{"amount": "1.00001"}, invalid(32, "amount", "Min amount step = 0.0001")},
			{"amount is off the step", "limit", obj{"amount": "1.0005"}, invalid(1, "amount", "Amount must be a multiple of 0.001.")},
			{"price is a word", "limit", obj{"price": "x"}, invalid(33, "price", "Price"+notNumeric)},
			{"price is zero", "limit", obj{"price": "0"}, invalid(33, "price", "Price should be greater than 0.")},
			{"price is too fine", "limit", obj{"price": "90.0001"}, invalid(33, "price", "Min price step = 0.001")},
			{"price is off the tick", "limit", obj{"price": "90.005"}, invalid(1, "price", "Price must be a multiple of 0.01.")},
			{"total is too small", "limit", obj{"amount": "0.05"}, invalid(30, "total", "Total (amount * price) is less than 5.05")},
			{"activation price is a word", "stop", obj{"activationPrice": "x"}, invalid(30, "activationPrice", "Activation price should be numeric string.")},
			{"activation price is zero", "stop", obj{"activationPrice": "0"}, invalid(30, "activationPrice", "Activation price should be greater than 0.")},
			{"activation price is too fine", "stop", obj{"activationPrice": "120.0001"}, invalid(30, "activationPrice", "Min activation price step = 0.001")},
			{"activation price is off the tick", "stop", obj{"activationPrice": "120.005"}, invalid(1, "activationPrice", whole)},
			{"activation_price is off the tick", "stop", obj{"activation_price": "120.005"}, invalid(1, "activation_price", whole).and("activationPrice", whole)},
			{"quote is too little", "buy", obj{"total": "5.04"}, invalid(32, "total", "Total amount should be no less than 5.05 + trade fee")},
			{"quote is too fine", "buy", obj{"total": "100.0001"}, invalid(32, "total", "Min total step = = 0.001")},
			{"quote is a word", "buy", obj{"total": "x"}, invalid(32, "total", "Total"+notNumeric)},

			{"activation price is the last price", "stop", obj{"activationPrice": "100"}, inner(400, 101, "activation_price", "Activation price should not be equal to the last price.")},
			{"activation price of a limit order", "limit", obj{"activationPrice": "120"}, inner(400, 158, "activation_price", "Activation price can't be set for a limit order.")},
			{"price of a stop market order", "sell", obj{"price": "90"}, inner(422, 159, "price", "Limit price can't be set for stop market order.")},
			{"total of a limit order", "limit", obj{"total": "100"}, inner(422, 162, "total", "Total cannot be specified for this order type")},
			{"total of a sell stop market order", "sell", obj{"total": "100"}, inner(422, 162, "total", "Total cannot be specified for this order type")},
			{"amount of a buy stop market order", "buy", obj{"amount": "1"}, inner(422, 163, "amount", "Amount cannot be specified for this order type")},
			{"not enough balance", "limit", obj{"amount": "5500"}, inner(422, 10, "amount", noMoney)},
			{"post-only that would take", "post", obj{"price": "105"}, inner(422, 13, "postOnly", asMaker)},
		} {
			t.Run(c.name, func(t *testing.T) {
				fields := changed(obj{"market": market}, c.fields)
				if c.order != "" {
					fields["clientOrderId"] = c.order
				}
				if c.name == "not enough balance" { // all but a little is spoken for
					lock := alice.limit("MDQ_USDT", "buy", "4990", "100.0")["orderId"]
					more := alice.limit("MDQ_USDT", "buy", "4000", "100.0")["orderId"]
					defer alice.must("order/cancel", obj{"market": "MDQ_USDT", "orderId": lock})
					defer alice.must("order/cancel", obj{"market": "MDQ_USDT", "orderId": more})
				}
				refuses(t, alice.ask("order/modify", fields), c.want)
			})
		}
		// Nothing of all that touched an order.
		is(t, "orders", alice.orders(market), arr(before))
	})

	t.Run("what is frozen for the original pays for the replacement", func(t *testing.T) {
		const market = "MDP_USDT"
		thin := v.trader(t, "thin")
		id := thin.limit(market, "buy", "0.9", "100")["orderId"]
		shape := listed(limitShape(market, "buy", "1", "100", nil), nil)
		answers(t, thin.ask("order/modify", obj{"market": market, "orderId": id, "amount": "1"}), shape)
		thin.holds("USDT", "0", "100")
		id = thin.orders(market)[0].(map[string]any)["orderId"]
		refuses(t, thin.ask("order/modify", obj{"market": market, "orderId": id, "amount": "1.001"}), inner(422, 10, "amount", noMoney))
		answers(t, thin.ask("orders", obj{"market": market}), arr{shape})
	})
}
