package conform_test

import (
	"strings"
	"testing"
)

// creations are the endpoints that place one order, each with a request that is good.
func creations(market string) map[string]obj {
	return map[string]obj{
		"order/new":          {"market": market, "side": "buy", "amount": "1", "price": "50"},
		"order/market":       {"market": market, "side": "sell", "amount": "1"},
		"order/stock_market": {"market": market, "side": "sell", "amount": "1"},
		"order/stop_limit":   {"market": market, "side": "buy", "amount": "1", "price": "50", "activation_price": "120"},
		"order/stop_market":  {"market": market, "side": "sell", "amount": "1", "activation_price": "80"},
	}
}

// only are the endpoints whose name holds one of some words; none: all.
func only(words ...string) func(string) bool {
	return func(path string) bool {
		for _, w := range words {
			if strings.Contains(path, w) {
				return true
			}
		}
		return len(words) == 0
	}
}

// TestSpotValidation goes through the catalogue of what can be wrong with a field (spot-trading 4),
// on every endpoint that has the field.
func TestSpotValidation(t *testing.T) {
	t.Parallel()
	markets := plain("VAL_USDT")
	with(markets, "OFF_USDT", obj{"enabled": false})
	with(markets, "FAR_USDT", obj{"regions": arr{"eu"}})
	v := serve(t, markets, plain("alice", "bob"))
	tradeAt(v.trader(t, "alice"), v.trader(t, "bob"), "VAL_USDT", "100")

	priced, stops := only("new", "stop_limit"), only("stop_")
	const (
		amountStep = "Amount must be a multiple of 0.001."
		whole      = "Activation price must be a multiple of 0.01."
		charset    = "ClientOrderId field should contain only latin letters, numbers and dashes."
	)
	for _, c := range []struct {
		name    string
		at      func(path string) bool
		changes obj
		want    refusal
	}{
		{"market is missing", only(), obj{"market": nil}, invalid(30, "market", "Market"+needed)},
		{"side is missing", only(), obj{"side": nil}, invalid(30, "side", "Side"+needed)},
		{"amount is missing", only(), obj{"amount": nil}, invalid(30, "amount", "Amount"+needed)},
		{"price is missing", priced, obj{"price": nil}, invalid(30, "price", "Price"+needed)},
		{"activation price is missing", stops, obj{"activation_price": nil}, invalid(30, "activation_price", "Activation price"+needed)},
		{"what is missing is told before what is wrong", only(), obj{"side": "long", "amount": nil}, invalid(30, "amount", "Amount"+needed)},

		{"side is another word", only(), obj{"side": "long"}, invalid(30, "side", "Side field should contain only 'buy' or 'sell' values.")},
		{"side in capitals", only(), obj{"side": "BUY"}, invalid(30, "side", "Side field should contain only 'buy' or 'sell' values.")},
		{"side is a number", only(), obj{"side": 2}, invalid(30, "side", "Side field should contain only 'buy' or 'sell' values.")},

		{"market is unknown", only(), obj{"market": "NIX_USDT"}, invalid(31, "market", noMarket)},
		{"market in small letters", only(), obj{"market": "val_usdt"}, invalid(31, "market", noMarket)},
		{"market is empty", only(), obj{"market": ""}, invalid(31, "market", "Market field should not be empty string.")},
		{"market is a number", only(), obj{"market": 1}, invalid(31, "market", "Market field should be a string.")},
		{"market is disabled", only(), obj{"market": "OFF_USDT"}, invalid(31, "market", noMarket)},
		{"market is not offered in the region", only(), obj{"market": "FAR_USDT"}, invalid(31, "market", noMarket)},

		{"amount is a word", only(), obj{"amount": "much"}, invalid(32, "amount", "Amount"+notNumeric)},
		{"amount is empty", only(), obj{"amount": ""}, invalid(32, "amount", "Amount"+notNumeric)},
		{"amount is a boolean", only(), obj{"amount": true}, invalid(32, "amount", "Amount"+notNumeric)},
		{"amount is an array", only(), obj{"amount": arr{"1"}}, invalid(32, "amount", "Amount"+notNumeric)},
		{"amount is zero", only(), obj{"amount": "0"}, invalid(32, "amount", "Amount should be greater than 0.")},
		{"amount is negative", only(), obj{"amount": "-1"}, invalid(32, "amount", "Amount should be greater than 0.")},
		{"amount is too small", only(), obj{"amount": "0.009"}, invalid(32, "amount", "Given amount is less than min amount 0.01")},
		{"amount is too fine", only(), obj{"amount": "1.00001"}, invalid(32, "amount", "Min amount step = 0.0001")},
		{"amount is finer than all money", only(), obj{"amount": "1.0000000000000000000001"}, invalid(32, "amount", "Min amount step = 0.0001")},
		{"amount is off the step", only(), obj{"amount": "1.0005"}, invalid(1, "amount", amountStep)},
		{"amount is beyond all counting", only(), obj{"amount": "1e30"}, invalid(32, "amount", "Given amount is greater than max amount 922337203685477.5807")},
		{"amount is below all counting", only(), obj{"amount": "-1e30"}, invalid(32, "amount", "Amount should be greater than 0.")},
		{"price is beyond all counting", priced, obj{"price": "1e30"}, invalid(33, "price", "Price field should be at most 9223372036854775.807")},
		{"activation price is beyond all counting", stops, obj{"activation_price": "1e30"}, invalid(30, "activationPrice", "Activation price should be at most 9223372036854775.807")},

		{"quote to spend is too little", only("/market"), obj{"side": "buy", "amount": "5.04"}, invalid(32, "amount", "Total amount should be no less than 5.05 + trade fee")},
		{"quote to spend is too little", only("stop_market"), obj{"side": "buy", "amount": "5.04", "activation_price": "120"}, invalid(32, "amount", "Total amount should be no less than 5.05 + trade fee")},
		{"quote to spend is too fine", only("/market"), obj{"side": "buy", "amount": "100.0001"}, invalid(32, "amount", "Min total step = = 0.001")},
		{"quote to spend is zero", only("/market"), obj{"side": "buy", "amount": "0"}, invalid(32, "amount", "Amount should be greater than 0.")},
		{"quote to spend is too much", only("/market"), obj{"side": "buy", "amount": "500000.001"}, invalid(32, "amount", "Total amount should be no greater than 500000")},
		{"base to buy is off the step", only("stock"), obj{"side": "buy", "amount": "1.0005"}, invalid(1, "amount", amountStep)},

		{"price is a word", priced, obj{"price": "high"}, invalid(33, "price", "Price"+notNumeric)},
		{"price is an object", priced, obj{"price": obj{}}, invalid(33, "price", "Price"+notNumeric)},
		{"price is zero", priced, obj{"price": 0}, invalid(33, "price", "Price should be greater than 0.")},
		{"price is negative", priced, obj{"price": "-50"}, invalid(33, "price", "Price should be greater than 0.")},
		{"price is too fine", priced, obj{"price": "50.0001"}, invalid(33, "price", "Min price step = 0.001")},
		{"price is off the tick", priced, obj{"price": "50.005"}, invalid(1, "price", "Price must be a multiple of 0.01.")},
		{"total is too small", priced, obj{"amount": "0.1", "price": "50.49"}, invalid(30, "total", "Total (amount * price) is less than 5.05")},
		{"total is too large", priced, obj{"amount": "10000.002", "price": "50"}, invalid(30, "total", "Total (amount * price) is greater than 500000")},

		{"activation price is a word", stops, obj{"activation_price": "soon"}, invalid(30, "activation_price", "Activation price should be numeric string.")},
		{"activation price is zero", stops, obj{"activation_price": "0"}, invalid(30, "activationPrice", "Activation price should be greater than 0.")},
		{"activation price is negative", stops, obj{"activation_price": "-120"}, invalid(30, "activationPrice", "Activation price should be greater than 0.")},
		{"activation price is too fine", stops, obj{"activation_price": "120.0001"}, invalid(30, "activationPrice", "Min activation price step = 0.001")},
		{"activation price is the last price", stops, obj{"activation_price": "100"}, invalid(30, "activationPrice", "Activation price should not be equal to the last price")},
		{"activation price is off the tick", stops, obj{"activation_price": "120.005"}, invalid(1, "activation_price", whole).and("activationPrice", whole)},
		{
			"activation price of a buy that names quote is off the tick", only("stop_market"),
			obj{"side": "buy", "amount": "100.123", "activation_price": "120.005"},
			invalid(1, "activation_price", whole).and("activationPrice", whole),
		},

		{"client id is a number", only(), obj{"clientOrderId": 7}, invalid(36, "clientOrderId", "ClientOrderId field should be a string.")},
		{"client id with a space", only(), obj{"clientOrderId": "my order"}, invalid(36, "clientOrderId", charset)},
		{"client id with a slash", only(), obj{"clientOrderId": "a/b"}, invalid(36, "clientOrderId", charset)},
		{"client id of other letters", only(), obj{"clientOrderId": "ордер"}, invalid(36, "clientOrderId", charset)},
		{"client id of 65", only(), obj{"clientOrderId": strings.Repeat("x", 65)}, invalid(36, "clientOrderId", charset)},
		{"stp is another word", only(), obj{"stp": "none"}, invalid(30, "stp", "Stp field should contain only 'no', 'cb', 'cn' or 'co' values.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			alice := v.trader(t, "alice")
			used := 0
			for path, good := range creations("VAL_USDT") {
				if c.at(path) {
					used++
					refuses(t, alice.ask(path, changed(good, c.changes)), c.want)
				}
			}
			if used == 0 {
				t.Error("no endpoint was asked")
			}
		})
	}

	t.Run("all that is missing is told together", func(t *testing.T) {
		alice := v.trader(t, "alice")
		required := func(fields ...string) refusal {
			r := refusal{422, 30, "Validation failed", obj{}}
			for _, f := range fields {
				name := strings.ReplaceAll(f, "_", " ")
				r = r.and(f, strings.ToUpper(name[:1])+name[1:]+needed)
			}
			return r
		}
		refuses(t, alice.ask("order/new", nil), required("market", "side", "amount", "price"))
		refuses(t, alice.ask("order/new", obj{"bboRole": 1}), required("market", "side", "amount"))
		refuses(t, alice.ask("order/market", nil), required("market", "side", "amount"))
		refuses(t, alice.ask("order/stock_market", nil), required("market", "side", "amount"))
		refuses(t, alice.ask("order/stop_limit", nil), required("market", "side", "amount", "price", "activation_price"))
		refuses(t, alice.ask("order/stop_limit", obj{"bboRole": 1}), required("market", "side", "amount", "activation_price"))
		refuses(t, alice.ask("order/stop_market", nil), required("market", "side", "amount", "activation_price"))
	})

	t.Run("of several that are wrong the first group is told", func(t *testing.T) {
		alice := v.trader(t, "alice")
		wrong := obj{"market": "", "side": "x", "amount": "x", "price": "x"}
		refuses(t, alice.ask("order/new", wrong), invalid(31, "market", "Market field should not be empty string."))
		wrong["market"] = "VAL_USDT"
		refuses(t, alice.ask("order/new", wrong), invalid(30, "side", "Side field should contain only 'buy' or 'sell' values."))
		wrong["side"] = "buy"
		refuses(t, alice.ask("order/new", wrong), invalid(32, "amount", "Amount"+notNumeric))
		wrong["amount"] = "1"
		refuses(t, alice.ask("order/new", wrong), invalid(33, "price", "Price"+notNumeric))
	})

	t.Run("what is exactly at a bound is good", func(t *testing.T) {
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		bob.limit("VAL_USDT", "sell", "1", "100")
		for _, c := range []struct {
			path   string
			fields obj
		}{
			{"order/new", obj{"market": "VAL_USDT", "side": "buy", "amount": "0.101", "price": "50"}},      // total 5.05
			{"order/new", obj{"market": "VAL_USDT", "side": "sell", "amount": "0.01", "price": "1000"}},    // least amount
			{"order/new", obj{"market": "VAL_USDT", "side": "buy", "amount": "10000.00", "price": "50.0"}}, // greatest total, more zeros than decimals
			{"order/new", obj{"market": "VAL_USDT", "side": "buy", "amount": "1.000000", "price": "50.000000"}},
			{"order/market", obj{"market": "VAL_USDT", "side": "buy", "amount": "5.05"}},
		} {
			if r := alice.ask(c.path, c.fields); r.Status != 200 {
				t.Errorf("%s %v: %d %s", c.path, c.fields, r.Status, r.Body)
			}
		}
	})

	t.Run("a market without trades has no stops", func(t *testing.T) {
		v := serve(t, plain("NEW_USDT"), plain("alice"))
		alice := v.trader(t, "alice")
		for path, good := range creations("NEW_USDT") {
			if stops(path) {
				refuses(t, alice.ask(path, good), invalid(30, "activationPrice", "Empty history"))
			}
		}
	})

	t.Run("fields of other endpoints are ignored", func(t *testing.T) {
		alice := v.trader(t, "alice")
		answers(t, alice.ask("order/market", obj{"market": "VAL_USDT", "side": "sell", "amount": "0.5", "price": "1", "postOnly": true, "colour": "red"}),
			marketShape("VAL_USDT", "sell", "market", "0.5", obj{"dealStock": "0.5", "dealMoney": "25", "dealFee": "0.05"}))
	})
}

// TestSpotWithoutSteps holds a market that names no tick and no step to its decimals alone.
func TestSpotWithoutSteps(t *testing.T) {
	t.Parallel()
	v := serve(t, with(plain(), "FIN_USDT", obj{"tick_size": "0", "step_size": "0"}), plain("alice"))
	alice := v.trader(t, "alice")
	answers(t, alice.ask("order/new", obj{"market": "FIN_USDT", "side": "buy", "amount": "1.0001", "price": "100.001"}),
		limitShape("FIN_USDT", "buy", "1.0001", "100.001", nil))
	refuses(t, alice.ask("order/new", obj{"market": "FIN_USDT", "side": "buy", "amount": "1.00001", "price": "100"}),
		invalid(32, "amount", "Min amount step = 0.0001"))
}

// TestSpotClientOrderIDs: which names an order may have, and for how long they are taken.
func TestSpotClientOrderIDs(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("CID_USDT", "OTH_USDT"), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	const market = "CID_USDT"
	taken := invalid(36, "clientOrderId", "This client order id is already used by the current account.")
	order := func(market, id string) obj {
		return obj{"market": market, "side": "buy", "amount": "1", "price": "100", "clientOrderId": id}
	}

	for _, id := range []string{"a", "Order-1", "v1.2_final", "...", "___", "---", "0", strings.Repeat("y", 64)} {
		is(t, "clientOrderId", alice.must("order/new", order(market, id))["clientOrderId"], id)
	}
	for range 2 { // an empty one is none, and none is not unique
		is(t, "clientOrderId", alice.must("order/new", order(market, ""))["clientOrderId"], "")
	}

	refuses(t, alice.ask("order/new", order(market, "a")), taken)
	answers(t, alice.ask("order/bulk", obj{"orders": arr{order(market, "b1"), order(market, "b1"), order(market, "a")}}), arr{
		done(limitShape(market, "buy", "1", "100", obj{"clientOrderId": "b1"})), taken.item(), taken.item(),
	})
	alice.must("order/new", order(market, "A"))     // another spelling
	alice.must("order/new", order("OTH_USDT", "a")) // another market
	bob.must("order/new", order(market, "a"))       // another account

	// Free again once it is canceled, and once it is filled.
	alice.must("order/cancel", obj{"market": market, "clientOrderId": "a"})
	alice.must("order/new", order(market, "a"))
	refuses(t, alice.ask("order/new", order(market, "a")), taken)
	alice.list("order/cancel/all", obj{"market": market})
	bob.list("order/cancel/all", obj{"market": market})
	alice.must("order/new", order(market, "a"))
	bob.limit(market, "sell", "1", "100")
	alice.must("order/new", order(market, "a"))
}
