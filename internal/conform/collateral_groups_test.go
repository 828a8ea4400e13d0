package conform_test

import (
	"fmt"
	"maps"
	"testing"
)

// ocoFields is a sell that takes a profit at 51000 and stops a loss from 49500 on.
func ocoFields(market string, changes obj) obj {
	return changed(obj{
		"market": market, "side": "sell", "amount": "0.2", "price": "51000", "activation_price": "49500", "stop_limit_price": "49400",
	}, changes)
}

// legShape is an order of such an OCO, of three kinds: new, in the list of OCOs, in the list of conditional orders.
func legShape(kind, market string, stop bool, changes obj) obj {
	leg := obj{
		"orderId": anID, "clientOrderId": "", "market": market, "side": "sell", "type": "limit", "timestamp": aMoment, "dealMoney": "0", "dealStock": "0",
		"amount": "0.2", "left": "0.2", "dealFee": "0", "mtime": aMoment, "price": "51000", "status": "OPEN", "stp": "no", "positionSide": "BOTH",
	}
	if stop {
		maps.Copy(leg, obj{"type": "stop limit", "price": "49400", "activated": 0})
	}
	switch kind {
	case "new":
		maps.Copy(leg, obj{"takerFee": "0.0005", "makerFee": "0.0002"})
	case "oco":
		maps.Copy(leg, obj{"feeAsset": "USDT", "reduceOnly": false, "type": "margin " + leg["type"].(string)})
	default:
		maps.Copy(leg, obj{"reduceOnly": false, "type": "margin " + leg["type"].(string)})
	}
	if kind != "conditional" {
		leg["post_only"] = false
	}
	switch {
	case stop && kind == "conditional":
		maps.Copy(leg, obj{"activationPrice": "49500", "activationCondition": "lte"})
	case stop:
		maps.Copy(leg, obj{"activation_price": "49500", "activation_condition": "lte"})
	}
	return changed(leg, changes)
}

// TestOCO: one order cancels the other.
func TestOCO(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, plain("OCO_PERP", "BUY_PERP", "END_PERP", "RED_PERP"), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice").backed("500000"), v.trader(t, "bob").backed("500000")

	t.Run("place, list, cancel", func(t *testing.T) {
		const market = "OCO_PERP"
		meet(bob, bob, market, "0.1", "50000")
		made := alice.ask("order/collateral/oco", ocoFields(market, obj{"clientOrderId": "profit", "stp": "cancel_old", "positionSide": "LONG", "stopLoss": "1"}))
		leg := obj{"stp": "co"}
		named := obj{"stp": "co", "clientOrderId": "profit"}
		answers(t, made, obj{"id": anID, "reduceOnly": false, "stop_loss": legShape("new", market, true, leg), "take_profit": legShape("new", market, false, named)})
		var ids struct {
			ID    int64 `json:"id"`
			Limit struct {
				ID int64 `json:"orderId"`
			} `json:"take_profit"`
			Stop struct {
				ID int64 `json:"orderId"`
			} `json:"stop_loss"`
		}
		made.Read(t, &ids)
		if ids.Limit.ID != ids.ID+1 || ids.Stop.ID != ids.ID+2 {
			t.Errorf("the ids are %+v", ids)
		}
		listedOCO := obj{"id": anID, "stop_loss": legShape("oco", market, true, leg), "take_profit": legShape("oco", market, false, named)}
		answers(t, alice.ask("oco-orders", obj{"market": market}), arr{listedOCO})
		answers(t, alice.ask("conditional-orders", obj{"market": market}), obj{"limit": 100, "offset": 0, "total": 1, "records": arr{
			obj{"id": anID, "type": "oco", "stopLoss": legShape("conditional", market, true, leg), "takeProfit": legShape("conditional", market, false, named)},
		}})
		// Both are orders as others are, of no OTO.
		answers(t, alice.ask("orders", obj{"market": market}), arr{
			triggerShape(market, "sell", "0.2", "49400", "49500", leg), betShape(market, "sell", "0.2", "51000", named),
		})
		// They are ended together only, and not changed.
		apart := inner(400, 2, "orderId", "The order is part of an OCO or OTO, which is canceled as a whole.")
		refuses(t, alice.ask("order/cancel", obj{"market": market, "orderId": ids.Limit.ID}), apart)
		refuses(t, alice.ask("order/cancel", obj{"market": market, "clientOrderId": "profit"}), apart)
		answers(t, alice.ask("order/cancel/bulk", obj{"orders": []obj{{"market": market, "orderId": ids.Stop.ID}}}), arr{
			refusal{0, 404, "Order not found", apart.errors}.item(),
		})
		refuses(t, alice.ask("order/modify", obj{"market": market, "orderId": ids.Stop.ID, "price": "49300"}), inner(400, 155, "orderId", "Conditional orders can't be modified."))
		over := func(shape obj) obj { return changed(shape, obj{"status": "CANCELED"}) }
		answers(t, alice.ask("order/oco-cancel", obj{"market": market, "orderId": fmt.Sprint(ids.ID)}), obj{
			"id": anID, "stop_loss": over(legShape("oco", market, true, leg)), "take_profit": over(legShape("oco", market, false, named)),
		})
		alice.must("order/collateral/oco", ocoFields(market, obj{"clientOrderId": "profit"}))
		answers(t, alice.ask("order/oco-cancel", obj{"market": market, "clientOrderId": "profit"}), obj{
			"id": anID, "stop_loss": over(legShape("oco", market, true, nil)), "take_profit": over(legShape("oco", market, false, obj{"clientOrderId": "profit"})),
		})
		again := alice.must("order/collateral/oco", ocoFields(market, nil))
		answers(t, alice.ask("order/conditional-cancel", obj{"market": market, "id": again["id"]}), arr{})
		is(t, "open orders", len(alice.orders(market)) == 0, true)
	})

	t.Run("a buy waits for a higher price", func(t *testing.T) {
		const market = "BUY_PERP"
		meet(bob, bob, market, "0.1", "50000")
		made := alice.must("order/collateral/oco", obj{
			"market": market, "side": "buy", "amount": "0.2", "price": "49000", "activation_price": "50500", "stop_limit_price": "50600",
		})
		is(t, "condition", made["stop_loss"].(map[string]any)["activation_condition"], "gte")
		alice.list("order/conditional-cancel", obj{"market": market, "id": made["id"]})
	})

	t.Run("the first fill", func(t *testing.T) {
		const market = "END_PERP"
		meet(bob, bob, market, "0.1", "50000")
		alice.must("order/collateral/oco", ocoFields(market, nil))
		bob.bet(market, "buy", "0.1", "51000")
		answers(t, alice.ask("orders", obj{"market": market}), arr{
			betShape(market, "sell", "0.2", "51000", obj{"left": "0.1", "dealStock": "0.1", "dealMoney": "5100", "dealFee": "1.02", "status": "PARTIALLY_FILLED"}),
		})
		answers(t, alice.ask("oco-orders", obj{"market": market}), arr{})
		// What is left is an order by itself.
		alice.must("order/cancel", obj{"market": market, "orderId": nth(alice, market, 0)["orderId"]})
	})

	t.Run("reduce only", func(t *testing.T) {
		const market = "RED_PERP"
		refuses(t, alice.ask("order/collateral/oco", ocoFields(market, obj{"reduceOnly": true})), invalid(116, "reduceOnly", "Reduce-only: Position doesn't exist or wrong side"))
		meet(alice, bob, market, "0.1", "50000")
		cut := obj{"amount": "0.1", "left": "0.1"}
		answers(t, alice.ask("order/collateral/oco", ocoFields(market, obj{"reduceOnly": true})), obj{
			"id": anID, "reduceOnly": true, "stop_loss": legShape("new", market, true, cut), "take_profit": legShape("new", market, false, cut),
		})
	})
}

// TestOCORefusals: what is wrong with an OCO.
func TestOCORefusals(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, with(plain("OCO_PERP"), "TICK_PERP", obj{"tick_size": "0.5"}), with(plain("alice", "bob"), "eve", obj{"region": "eu"}))
	alice, bob, eve := v.trader(t, "alice").backed("100000"), v.trader(t, "bob").backed("100000"), v.trader(t, "eve")
	const market = "OCO_PERP"
	meet(bob, bob, market, "0.1", "50000")
	meet(bob, bob, "TICK_PERP", "0.1", "50000")
	bob.bet(market, "buy", "0.1", "49900")
	wrong := func(field string, value any, want refusal) {
		t.Helper()
		refuses(t, alice.ask("order/collateral/oco", ocoFields(market, obj{field: value})), want)
	}
	refuses(t, alice.ask("order/collateral/oco", nil), invalid(30, "market", "Market"+needed).and("side", "Side"+needed).and("amount", "Amount"+needed).
		and("price", "Price"+needed).and("activation_price", "Activation price"+needed).and("stop_limit_price", "Stop limit price"+needed))
	wrong("market", "NO_PERP", invalid(31, "market", noMarket))
	wrong("market", "BTC_USDT", invalid(31, "market", "This market cannot be traded from the collateral balance."))
	wrong("amount", "0.001", invalid(32, "amount", "Given amount is less than min amount 0.01"))
	wrong("price", "0", invalid(33, "price", "Price should be greater than 0."))
	wrong("price", "55000.01", inner(400, 250, "price", "The Price is out of bands"))
	wrong("activation_price", "0", invalid(30, "activationPrice", "Activation price should be greater than 0."))
	wrong("stop_limit_price", "low", invalid(33, "stop_limit_price", "Stop_limit_price"+notNumeric))
	wrong("stop_limit_price", "-1", invalid(33, "stop_limit_price", "Stop_limit_price should be greater than 0."))
	wrong("stop_limit_price", "49400.001", invalid(33, "stop_limit_price", "Min price step = 0.01"))
	wrong("stop_limit_price", "0.0000000000000000001", invalid(33, "stop_limit_price", "Min price step = 0.01"))
	wrong("stop_limit_price", "44999.99", inner(400, 251, "stopLimitPrice", "The Price is out of bands"))
	wrong("price", "49900", inner(400, 150, "price", "Can't place limit order."))
	wrong("activation_price", "50000", inner(400, 151, "activation_price", "Wrong activation price for stop loss."))
	wrong("activation_price", "50500", inner(400, 151, "activation_price", "Wrong activation price for stop loss."))
	wrong("amount", "1000", inner(400, 152, "price", "Not enough balance for stop limit order."))
	refuses(t, alice.ask("order/collateral/oco", ocoFields(market, obj{"amount": "1000", "price": "50100", "stop_limit_price": "50200"})),
		inner(400, 153, "price", "Not enough balance for limit order."))
	const text = "Stop_limit_price must be a multiple of 0.5."
	refuses(t, alice.ask("order/collateral/oco", ocoFields("TICK_PERP", obj{"stop_limit_price": "49400.3"})),
		invalid(1, "stop_limit_price", text).and("stopLimitPrice", text))
	refuses(t, eve.ask("order/collateral/oco", ocoFields(market, nil)), refusal{453, 30, "Validation failed", fault("orderType", "This order type is not available")})
	is(t, "open orders", len(alice.orders(market)) == 0, true)
}

// TestOTO: one order triggers others.
func TestOTO(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, plain("LIM_PERP", "ALL_PERP", "EXIT_PERP"), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice").backed("500000"), v.trader(t, "bob").backed("500000")

	t.Run("every order can be a primary", func(t *testing.T) {
		const market = "ALL_PERP"
		meet(bob, bob, market, "0.1", "50000")
		bob.bet(market, "sell", "1", "50100")
		loss, profit := obj{"otoId": anID, "stopLoss": "48000"}, obj{"otoId": anID, "takeProfit": "52000"}
		for path, good := range single {
			fields := changed(good, obj{"market": market, "amount": "0.01"})
			is(t, path, alice.must("order/collateral/"+path, changed(fields, obj{"stopLoss": "48000"}))["oto"], loss)
			is(t, path, alice.must("order/collateral/"+path, changed(fields, obj{"takeProfit": 52000}))["oto"], profit)
		}
		answers(t, alice.ask("order/collateral/bulk", obj{"orders": []obj{
			changed(single["limit"], obj{"market": market, "takeProfit": "52000"}), changed(single["limit"], obj{"market": market, "takeProfit": "48000"}),
		}}), arr{
			done(betShape(market, "buy", "0.1", "49000", obj{"oto": profit})),
			inner(0, 105, "takeProfit", "Wrong activation price for take profit.").item(),
		})
	})

	t.Run("list and cancel", func(t *testing.T) {
		const market = "LIM_PERP"
		both := obj{"otoId": anID, "stopLoss": "48000", "takeProfit": "52000"}
		made := alice.bet(market, "buy", "0.1", "49000", obj{"stopLoss": "48000", "takeProfit": "52000", "clientOrderId": "entry"})
		shape := betShape(market, "buy", "0.1", "49000", obj{"clientOrderId": "entry", "oto": both})
		is(t, "placed", made, shape)
		answers(t, alice.ask("orders", obj{"market": market}), arr{shape})
		one := alice.bet(market, "sell", "0.1", "51000", obj{"stopLoss": "52000"})
		oco := alice.must("order/collateral/oco", ocoFields(market, nil))
		id := func(order map[string]any) any { return order["oto"].(map[string]any)["otoId"] }
		first := obj{
			"id": seen(id(made)), "type": "oto", "conditionalOrderType": "margin_market_oco", "stopLossPrice": "48000", "takeProfitPrice": "52000", "conditionalOrder": shape,
		}
		second := obj{
			"id": seen(id(one)), "type": "oto", "conditionalOrderType": "margin_stop_loss", "stopLossPrice": "52000",
			"conditionalOrder": betShape(market, "sell", "0.1", "51000", obj{"oto": obj{"otoId": anID, "stopLoss": "52000"}}),
		}
		page := func(fields, want obj) {
			t.Helper()
			answers(t, alice.ask("conditional-orders", changed(obj{"market": market}, fields)), changed(obj{"total": 3, "limit": 100, "offset": 0}, want))
		}
		page(obj{"offset": 1}, obj{"offset": 1, "records": arr{second, first}})
		page(obj{"offset": "1", "limit": 1}, obj{"offset": 1, "limit": 1, "records": arr{second}})
		page(obj{"offset": 4294967295}, obj{"offset": 4294967295, "records": arr{}})
		answers(t, alice.ask("oco-orders", nil), arr{obj{
			"id": seen(oco["id"]), "stop_loss": legShape("oco", market, true, nil), "take_profit": legShape("oco", market, false, nil),
		}})
		answers(t, alice.ask("oco-orders", obj{"market": market, "offset": 1}), arr{})
		answers(t, bob.ask("conditional-orders", nil), obj{"total": 0, "limit": 100, "offset": 0, "records": arr{}})
		answers(t, alice.ask("conditional-orders", obj{"market": "BTC_USDT"}), obj{"total": 0, "limit": 100, "offset": 0, "records": arr{}})
		for _, path := range []string{"conditional-orders", "oco-orders"} {
			refuses(t, alice.ask(path, obj{"market": "NO_PERP"}), invalid(31, "market", "Market is not available"))
			refuses(t, alice.ask(path, obj{"market": "a"}), invalid(31, "market", "Market field format is invalid."))
			refuses(t, alice.ask(path, obj{"market": 1}), invalid(31, "market", "Market field should be a string."))
			refuses(t, alice.ask(path, obj{"limit": 101}), invalid(30, "limit", "The limit may not be greater than 100."))
			refuses(t, alice.ask(path, obj{"limit": 0}), invalid(30, "limit", "The limit must be at least 1."))
			refuses(t, alice.ask(path, obj{"offset": -1}), invalid(30, "offset", "The offset must be at least 0."))
			refuses(t, alice.ask(path, obj{"offset": "4294967296"}), invalid(30, "offset", "The offset may not be greater than 4294967295."))
		}

		// Each endpoint finds its own kind, by its own name, and nobody else's.
		for _, c := range []struct {
			by    trader
			path  string
			field string
			id    any
		}{
			{alice, "oco-cancel", "orderId", id(made)},
			{alice, "oto-cancel", "otoId", oco["id"]},
			{alice, "oto-cancel", "otoId", made["orderId"]},
			{alice, "conditional-cancel", "id", made["orderId"]},
			{alice, "conditional-cancel", "id", 0},
			{alice, "conditional-cancel", "id", -5},
			{bob, "conditional-cancel", "id", id(made)},
			{bob, "oco-cancel", "orderId", oco["id"]},
			{alice, "oco-cancel", "clientOrderId", "entry"},
		} {
			key := c.field
			if key == "clientOrderId" {
				key = "orderId"
			}
			refuses(t, c.by.ask("order/"+c.path, obj{"market": market, c.field: c.id}), inner(400, 2, key, notFound))
		}
		for path, field := range map[string]string{"conditional-cancel": "id", "oto-cancel": "otoId", "oco-cancel": "orderId"} {
			name := map[string]string{"id": "Id", "otoId": "OtoId", "orderId": "OrderId"}[field]
			refuses(t, alice.ask("order/"+path, obj{"market": market}), invalid(30, field, name+needed))
			refuses(t, alice.ask("order/"+path, obj{field: 1}), invalid(30, "market", "Market"+needed))
			refuses(t, alice.ask("order/"+path, obj{"market": market, field: "one"}), invalid(30, field, name+" field should be an integer."))
			refuses(t, alice.ask("order/"+path, obj{"market": "NO_PERP", field: 1}), invalid(31, "market", noMarket))
		}
		refuses(t, alice.ask("order/oco-cancel", obj{"market": market, "orderId": 1, "clientOrderId": "entry"}),
			invalid(30, "orderId", "Exactly one of orderId and clientOrderId should be sent."))

		refuses(t, alice.ask("order/cancel", obj{"market": market, "orderId": made["orderId"]}),
			inner(400, 2, "orderId", "The order is part of an OCO or OTO, which is canceled as a whole."))
		refuses(t, alice.ask("order/modify", obj{"market": market, "orderId": made["orderId"], "price": "48500"}), inner(400, 155, "orderId", "Conditional orders can't be modified."))
		answers(t, alice.ask("order/oto-cancel", obj{"market": market, "otoId": id(made)}), arr{})
		answers(t, alice.ask("order/conditional-cancel", obj{"market": market, "id": id(one)}), arr{})
		answers(t, alice.ask("order/conditional-cancel", obj{"market": market, "id": oco["id"]}), arr{})
		refuses(t, alice.ask("order/oto-cancel", obj{"market": market, "otoId": id(made)}), inner(400, 2, "otoId", notFound))
		page(nil, obj{"total": 0, "records": arr{}})
		answers(t, alice.ask("trade-account/order/history", obj{"market": market, "clientOrderId": "entry"}), test(func(got any) error {
			record := got.(map[string]any)[market].([]any)[0].(map[string]any)
			is(t, "oto of the past", record["oto"], both)
			return nil
		}))
	})

	t.Run("what follows", func(t *testing.T) {
		const market = "EXIT_PERP"
		meet(bob, bob, market, "0.1", "50000")
		bob.bet(market, "sell", "0.3", "50000")
		made := alice.must("order/collateral/market", obj{"market": market, "side": "buy", "amount": "0.3", "stopLoss": "49000", "takeProfit": "51000", "stp": "cn"})
		oto := made["oto"].(map[string]any)["otoId"]
		exit := func(activation, condition, field string) obj {
			return triggerShape(market, "sell", "0.3", "", activation, obj{
				"reduceOnly": true, "stp": "cn", "activationCondition": condition, "oto": obj{"otoId": seen(oto), field: activation},
			})
		}
		answers(t, alice.ask("orders", obj{"market": market}), arr{exit("49000", "lte", "stopLoss"), exit("51000", "gte", "takeProfit")})
		answers(t, alice.ask("conditional-orders", obj{"market": market}), obj{"total": 0, "limit": 100, "offset": 0, "records": arr{}})
		refuses(t, alice.ask("order/modify", obj{"market": market, "orderId": nth(alice, market, 0)["orderId"], "activationPrice": "48000"}),
			inner(400, 160, "orderId", "TPSL orders can't be modified."))
		// They are canceled one by one, or by the OTO that they came from.
		profit := nth(alice, market, 1)
		answers(t, alice.ask("order/cancel", obj{"market": market, "orderId": profit["orderId"]}), changed(exit("51000", "gte", "takeProfit"), obj{"status": "CANCELED"}))
		answers(t, alice.ask("trade-account/order/history", obj{"market": market, "orderId": profit["orderId"]}), test(func(got any) error {
			record := got.(map[string]any)[market].([]any)[0].(map[string]any)
			is(t, "condition", record["activationCondition"], ">=")
			is(t, "oto", record["oto"], obj{"otoId": seen(oto), "takeProfit": "51000"})
			return nil
		}))
		answers(t, alice.ask("order/oto-cancel", obj{"market": market, "otoId": oto}), arr{})
		is(t, "open orders", len(alice.orders(market)) == 0, true)

		// The first that trades ends the other, and the position.
		bob.bet(market, "sell", "0.1", "50000")
		alice.must("order/collateral/limit", obj{"market": market, "side": "buy", "amount": "0.1", "price": "50000", "stopLoss": "49000", "takeProfit": "51000"})
		is(t, "open orders", len(alice.orders(market)) == 2, true)
		bob.bet(market, "buy", "0.2", "50990")
		meet(bob, bob, market, "0.1", "51000")
		is(t, "open orders", len(alice.orders(market)) == 0, true)
		answers(t, alice.ask("collateral-account/positions/open", obj{"market": market}), test1("amount", "0.3"))
	})
}

// nth is an open order of a trader, counted from the newest.
func nth(c trader, market string, i int) map[string]any { return c.orders(market)[i].(map[string]any) }
