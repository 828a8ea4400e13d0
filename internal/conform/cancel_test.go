package conform_test

import (
	"strings"
	"testing"

	"bourse/internal/schema"
)

const chooseOne = "Exactly one of orderId and clientOrderId should be sent."

// marketPair is what cancel, modify and the kill switch say of a name that cannot be a market's.
func marketPair() refusal {
	return invalid(30, "market", "Market field should be a string.", "Market field format is invalid.")
}

// TestCancel goes through order/cancel (6.8).
func TestCancel(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("CAN_USDT", "OTH_USDT"), plain("alice", "bob"))
	const market = "CAN_USDT"
	tradeAt(v.trader(t, "alice"), v.trader(t, "bob"), market, "100")

	t.Run("by either id, with the final state of the order", func(t *testing.T) {
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		order := alice.limit(market, "sell", "2", "100", obj{"clientOrderId": "c.1", "postOnly": true})
		bob.limit(market, "buy", "0.5", "100")
		answers(t, alice.ask("order/cancel", obj{"market": market, "clientOrderId": "c.1"}),
			listed(limitShape(market, "sell", "2", "100", obj{"clientOrderId": "c.1", "postOnly": true}), obj{
				"orderId":   seen(order["orderId"]),
				"timestamp": seen(order["timestamp"]),
				"dealStock": "0.5", "dealMoney": "50", "dealFee": "0.05", "left": "1.5", "status": "CANCELED",
			}))
		id := alice.limit(market, "buy", "1", "90")["orderId"]
		answers(t, alice.ask("order/cancel", obj{"market": market, "orderId": id}),
			listed(limitShape(market, "buy", "1", "90", nil), obj{"status": "CANCELED"}))
		text := alice.limit(market, "buy", "1", "90")["orderId"].(interface{ String() string }).String()
		answers(t, alice.ask("order/cancel", obj{"market": market, "orderId": text, "clientOrderId": ""}),
			listed(limitShape(market, "buy", "1", "90", nil), obj{"status": "CANCELED"}))
		answers(t, alice.ask("orders", obj{"market": market}), arr{})
		alice.holds("USDT", "1000149.85", "0") // 150 for 1.5, less 0.1 %
	})

	t.Run("stop orders", func(t *testing.T) {
		alice := v.trader(t, "alice")
		id := alice.must("order/stop_limit", obj{"market": market, "side": "buy", "amount": "1", "price": "121", "activation_price": "120"})["orderId"]
		answers(t, alice.ask("order/cancel", obj{"market": market, "orderId": id}),
			listed(stopShape(market, "buy", "1", "121", "120", nil), obj{"status": "CANCELED"}))
		id = alice.must("order/stop_market", obj{"market": market, "side": "buy", "amount": "77.7", "activation_price": "120"})["orderId"]
		answers(t, alice.ask("order/cancel", obj{"market": market, "orderId": id}),
			listed(stopShape(market, "buy", "77.7", "", "120", nil), obj{"status": "CANCELED"}))
	})

	t.Run("what is wrong", func(t *testing.T) {
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		own := alice.limit(market, "buy", "1", "80", obj{"clientOrderId": "mine"})["orderId"]
		gone := alice.limit(market, "buy", "1", "80")["orderId"]
		alice.must("order/cancel", obj{"market": market, "orderId": gone})
		absent := inner(400, 2, "orderId", notFound)
		for _, c := range []struct {
			name   string
			fields obj
			want   refusal
		}{
			{"nothing is said", nil, invalid(30, "market", "Market"+needed).and("orderId", "OrderId"+needed)},
			{"no market", obj{"orderId": own}, invalid(30, "market", "Market"+needed)},
			{"no id", obj{"market": market}, invalid(30, "orderId", "OrderId"+needed)},
			{"an empty client id is none", obj{"market": market, "clientOrderId": ""}, invalid(30, "orderId", "OrderId"+needed)},
			{"both ids", obj{"market": market, "orderId": own, "clientOrderId": "mine"}, invalid(30, "orderId", chooseOne)},
			{"orderId is a word", obj{"market": market, "orderId": "x"}, invalid(30, "orderId", "OrderId field should be an integer.")},
			{"orderId is a fraction", obj{"market": market, "orderId": 1.5}, invalid(30, "orderId", "OrderId field should be an integer.")},
			{"orderId is a boolean", obj{"market": market, "orderId": true}, invalid(30, "orderId", "OrderId field should be an integer.")},
			{"clientOrderId is a number", obj{"market": market, "clientOrderId": 5}, invalid(36, "clientOrderId", "ClientOrderId field should be a string.")},
			{"market is a number", obj{"market": 5, "orderId": own}, marketPair()},
			{"market is no name", obj{"market": "can-usdt", "orderId": own}, marketPair()},
			{"market is empty", obj{"market": "", "orderId": own}, marketPair()},
			{"market is unknown", obj{"market": "NIX_USDT", "orderId": own}, invalid(31, "market", noMarket)},
			{"another market", obj{"market": "OTH_USDT", "orderId": own}, absent},
			{"no such order", obj{"market": market, "orderId": 999999}, absent},
			{"orderId 0", obj{"market": market, "orderId": 0}, absent},
			{"orderId below 0", obj{"market": market, "orderId": -1}, absent},
			{"canceled already", obj{"market": market, "orderId": gone}, absent},
			{"no such client id", obj{"market": market, "clientOrderId": "theirs"}, absent},
			{"no client id can be so", obj{"market": market, "clientOrderId": "a b"}, absent},
			{"no client id can be so long", obj{"market": market, "clientOrderId": strings.Repeat("z", 65)}, absent},
		} {
			t.Run(c.name, func(t *testing.T) { refuses(t, alice.ask("order/cancel", c.fields), c.want) })
		}
		refuses(t, bob.ask("order/cancel", obj{"market": market, "orderId": own}), absent)
		refuses(t, bob.ask("order/cancel", obj{"market": market, "clientOrderId": "mine"}), absent)
		alice.must("order/cancel", obj{"market": market, "orderId": own})
	})

	t.Run("filled already", func(t *testing.T) {
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		id := alice.limit(market, "sell", "1", "100")["orderId"]
		bob.limit(market, "buy", "1", "100")
		refuses(t, alice.ask("order/cancel", obj{"market": market, "orderId": id}), inner(400, 2, "orderId", notFound))
	})
}

// TestCancelBulk goes through order/cancel/bulk (6.9).
func TestCancelBulk(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("CBA_USDT", "CBB_USDT"), plain("alice", "bob"))
	const a, b = "CBA_USDT", "CBB_USDT"
	absent := refusal{200, 404, "Order not found", fault("orderId", "Order does not exist or already cancelled")}

	t.Run("each item by itself, in the order of the request", func(t *testing.T) {
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		one := alice.limit(a, "buy", "1", "100", obj{"clientOrderId": "one"})["orderId"]
		two := alice.limit(b, "buy", "1", "100", obj{"clientOrderId": "two"})["orderId"]
		three := alice.limit(b, "sell", "1", "200")["orderId"]
		foreign := bob.limit(a, "buy", "1", "90", obj{"clientOrderId": "his"})["orderId"]
		result := func(id any, client, market string) obj {
			return done(obj{"orderId": seen(id), "clientOrderId": client, "market": market})
		}
		answers(t, alice.ask("order/cancel/bulk", obj{"orders": arr{
			obj{"market": a, "orderId": one},
			obj{"market": b, "clientOrderId": "two"},
			obj{"market": a, "orderId": one}, // once more
			"x",
			obj{"orderId": one},
			obj{"market": "NIX_USDT", "orderId": one},
			obj{"market": a},
			obj{"market": b, "orderId": two, "clientOrderId": "two"},
			obj{"market": b, "clientOrderId": "two"},
			obj{"market": a, "orderId": foreign},
			obj{"market": a, "clientOrderId": "his"},
			obj{"market": a, "orderId": three}, // on another market
			obj{"market": a, "orderId": 0},
			obj{"market": a, "clientOrderId": "a b"},
			obj{"market": b, "orderId": "x"},
			obj{"market": b, "orderId": three, "clientOrderId": ""},
		}}), arr{
			result(one, "one", a),
			result(two, "two", b),
			absent.item(),
			invalid(30, "request", "Invalid order format").item(),
			invalid(30, "market", "validation.required").item(),
			invalid(30, "market", "validation.market_not_exist").item(),
			invalid(30, "request", "validation.required").item(),
			invalid(30, "request", "api.validation.order.chooseOneId").item(),
			absent.item(),
			absent.item(),
			absent.item(),
			absent.item(),
			absent.item(),
			absent.item(),
			invalid(30, "orderId", "OrderId field should be an integer.").item(),
			result(three, "", b),
		})
		answers(t, alice.ask("orders", nil), arr{})
		answers(t, bob.ask("orders", nil), arr{listed(limitShape(a, "buy", "1", "90", obj{"clientOrderId": "his"}), nil)})
	})

	t.Run("from 1 to 100 items", func(t *testing.T) {
		alice := v.trader(t, "alice")
		id := alice.limit(a, "buy", "1", "100")["orderId"]
		items := arr{}
		for range 100 {
			items = append(items, obj{"market": a, "orderId": id})
		}
		refuses(t, alice.ask("order/cancel/bulk", obj{"orders": append(items, obj{"market": a, "orderId": id})}), invalid(30, "orders", "validation.between"))
		got := alice.list("order/cancel/bulk", obj{"orders": items})
		if len(got) != 100 {
			t.Errorf("%d items came back", len(got))
		}
		is(t, "first", got[0].(map[string]any)["error"], nil)
		is(t, "last", got[99], absent.item())
	})

	t.Run("orders is an array with something in it", func(t *testing.T) {
		alice := v.trader(t, "alice")
		want := invalid(30, "orders", "validation.required")
		for _, wrong := range []any{nil, "x", 1, obj{"market": a}, arr{}} {
			refuses(t, alice.ask("order/cancel/bulk", obj{"orders": wrong}), want)
		}
		refuses(t, alice.ask("order/cancel/bulk", nil), want)
	})
}

// TestCancelAll goes through order/cancel/all (6.10).
func TestCancelAll(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("CAA_USDT", "CAB_USDT"), plain("alice", "bob"))
	const a, b = "CAA_USDT", "CAB_USDT"
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	tradeAt(bob, bob, a, "100")
	open := func() {
		alice.limit(a, "buy", "1", "10")
		alice.must("order/stop_market", obj{"market": a, "side": "sell", "amount": "1", "activation_price": "90"})
		alice.limit(b, "buy", "1", "10")
	}
	bob.limit(a, "buy", "1", "11")
	for _, c := range []struct {
		name   string
		fields obj
		left   int
	}{
		{"all markets", nil, 0},
		{"one market", obj{"market": a}, 1},
		{"spot", obj{"type": arr{"spot"}}, 0},
		{"spot and margin on one market", obj{"market": b, "type": arr{"margin", "spot"}}, 2},
		{"margin, of which there is none", obj{"type": arr{"margin"}}, 3},
		{"futures, of which there are none", obj{"type": arr{"futures"}}, 3},
		{"all types", obj{"type": nil}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			open()
			answers(t, alice.ask("order/cancel/all", c.fields), arr{})
			if n := len(alice.list("orders", nil)); n != c.left { // at once, without waiting
				t.Errorf("%d orders are open, should be %d", n, c.left)
			}
			if n := len(bob.list("orders", nil)); n != 1 {
				t.Errorf("%d orders of somebody else are open, should be 1", n)
			}
			alice.list("order/cancel/all", nil)
			alice.holds("USDT", "1000000", "0")
		})
	}
	open()
	for _, c := range []struct {
		name   string
		fields obj
		want   refusal
	}{
		{"market is unknown", obj{"market": "NIX_USDT"}, invalid(31, "market", noMarket)},
		{"market is a number", obj{"market": 3}, marketPair()},
		{"market is no name", obj{"market": "caa"}, marketPair()},
		{"type is a word", obj{"type": "spot"}, invalid(30, "type", "The type must be an array.")},
		{"type is an array of numbers", obj{"type": arr{1}}, invalid(30, "type", "The type must be an array.")},
		{"type is unknown", obj{"type": arr{"spot", "options"}}, invalid(30, "type", "Types should contain only 'spot', 'margin' and 'futures' values.")},
		{"positionSide is no word", obj{"market": a, "positionSide": "LONG"}, invalid(30, "positionSide", "The selected positionSide is invalid.")},
		{"positionSide on a spot market", obj{"market": a, "positionSide": "long"}, invalid(30, "positionSide", "PositionSide is for futures markets only.")},
		{"positionSide without a market", obj{"positionSide": "both"}, invalid(30, "positionSide", "PositionSide is for futures markets only.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			refuses(t, alice.ask("order/cancel/all", c.fields), c.want)
			if n := len(alice.list("orders", nil)); n != 3 {
				t.Errorf("%d orders are open, should be 3", n)
			}
		})
	}
}

// TestCancelByKillSwitch goes through order/kill-switch and its status (6.16, 6.17).
func TestCancelByKillSwitch(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := operate(t, clock, plain("KSA_USDT", "KSB_USDT"), plain("alice", "bob"))
	const a, b = "KSA_USDT", "KSB_USDT"
	timer := func(market string, start, timeout int, types any) obj {
		return obj{"market": market, "startTime": start, "cancellationTime": start + timeout, "types": types}
	}

	t.Run("set, reset, listed, deleted", func(t *testing.T) {
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		answers(t, alice.ask("order/kill-switch/status", nil), arr{})
		now := clock.seconds()
		answers(t, alice.ask("order/kill-switch", obj{"market": a, "timeout": "5"}), timer(a, now, 5, nil))
		answers(t, alice.ask("order/kill-switch", obj{"market": b, "timeout": "600", "types": arr{"futures", "spot"}}), timer(b, now, 600, arr{"spot", "futures"}))
		clock.advance(2 * schema.Second)
		answers(t, alice.ask("order/kill-switch", obj{"market": a, "timeout": 60, "types": nil}), timer(a, now+2, 60, nil))
		answers(t, alice.ask("order/kill-switch/status", nil), arr{timer(a, now+2, 60, nil), timer(b, now, 600, arr{"spot", "futures"})})
		answers(t, alice.ask("order/kill-switch/status", obj{"market": b}), arr{timer(b, now, 600, arr{"spot", "futures"})})
		answers(t, bob.ask("order/kill-switch/status", nil), arr{})
		answers(t, alice.ask("order/kill-switch", obj{"market": a, "timeout": nil}), arr{})
		answers(t, alice.ask("order/kill-switch/status", obj{"market": a}), arr{})
		answers(t, alice.ask("order/kill-switch", obj{"market": b, "timeout": "null"}), arr{})
		answers(t, alice.ask("order/kill-switch", obj{"market": b, "timeout": nil}), arr{}) // there is none any more
		answers(t, alice.ask("order/kill-switch/status", nil), arr{})
	})

	t.Run("when time is up the orders of that market go", func(t *testing.T) {
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		tradeAt(bob, bob, a, "100")
		gone := alice.limit(a, "buy", "1", "50")["orderId"]
		alice.must("order/stop_limit", obj{"market": a, "side": "sell", "amount": "1", "price": "80", "activation_price": "90"})
		alice.limit(b, "buy", "1", "50")
		bob.limit(a, "buy", "1", "51")
		alice.must("order/kill-switch", obj{"market": a, "timeout": "10"})
		alice.must("order/kill-switch", obj{"market": b, "timeout": "10", "types": arr{"margin", "futures"}})
		clock.advance(8 * schema.Second)
		v.tick(clock) // nine seconds are not ten
		if n := len(alice.orders(a)); n != 2 {
			t.Errorf("%d orders are open, should be 2", n)
		}
		v.tick(clock)
		answers(t, alice.ask("orders", nil), arr{listed(limitShape(b, "buy", "1", "50", nil), nil)})
		answers(t, bob.ask("orders", nil), arr{listed(limitShape(a, "buy", "1", "51", nil), nil)})
		answers(t, alice.ask("order/kill-switch/status", nil), arr{})
		past := alice.must("trade-account/order/history", obj{"orderId": gone})
		is(t, "status", past[a].([]any)[0].(map[string]any)["status"], "CANCELED")
		alice.holds("USDT", "999950", "50")
	})

	t.Run("what is wrong", func(t *testing.T) {
		alice := v.trader(t, "alice")
		for _, c := range []struct {
			name   string
			fields obj
			want   refusal
		}{
			{"nothing is said", nil, invalid(30, "market", "Market"+needed).and("timeout", "Timeout"+needed)},
			{"no timeout", obj{"market": a}, invalid(30, "timeout", "Timeout"+needed)},
			{"timeout is a flag", obj{"market": a, "timeout": true}, invalid(30, "timeout", "Timeout field should be numeric string or number.")},
			{"timeout is a list", obj{"market": a, "timeout": arr{10}}, invalid(30, "timeout", "Timeout field should be numeric string or number.")},
			{"timeout is a number that is too small", obj{"market": a, "timeout": 4}, invalid(30, "timeout", "Timeout should be at least 5.")},
			{"timeout is a number that is too large", obj{"market": a, "timeout": 601}, invalid(30, "timeout", "Timeout should not be greater than 600.")},
			{"timeout is a number with a fraction", obj{"market": a, "timeout": 7.5}, invalid(30, "timeout", "Timeout should be a whole number of seconds.")},
			{"timeout is too short", obj{"market": a, "timeout": "4"}, invalid(30, "timeout", "Timeout should be at least 5.")},
			{"timeout is zero", obj{"market": a, "timeout": "0"}, invalid(30, "timeout", "Timeout should be at least 5.")},
			{"timeout is too long", obj{"market": a, "timeout": "601"}, invalid(30, "timeout", "Timeout should not be greater than 600.")},
			{"timeout is far too long", obj{"market": a, "timeout": "99999999999999999999"}, invalid(30, "timeout", "Timeout should not be greater than 600.")},
			{"timeout is a word", obj{"market": a, "timeout": "soon"}, invalid(30, "timeout", "Timeout should be a whole number of seconds.")},
			{"timeout is below zero", obj{"market": a, "timeout": "-5"}, invalid(30, "timeout", "Timeout should be at least 5.")},
			{"timeout is a fraction", obj{"market": a, "timeout": "7.5"}, invalid(30, "timeout", "Timeout should be a whole number of seconds.")},
			{"market is unknown", obj{"market": "NIX_USDT", "timeout": "10"}, invalid(31, "market", noMarket)},
			{"market is a number", obj{"market": 5, "timeout": "10"}, marketPair()},
			{"types is a word", obj{"market": a, "timeout": "10", "types": "spot"}, invalid(30, "types", "The types must be an array.")},
			{"types is unknown", obj{"market": a, "timeout": "10", "types": arr{"swap"}}, invalid(30, "types", "Types should contain only 'spot', 'margin' and 'futures' values.")},
			{"types is empty", obj{"market": a, "timeout": "10", "types": arr{}}, invalid(30, "types", "Types should contain from 1 to 3 values.")},
			{"types has four", obj{"market": a, "timeout": "10", "types": arr{"spot", "margin", "futures", "spot"}}, invalid(30, "types", "Types should contain from 1 to 3 values.")},
		} {
			t.Run(c.name, func(t *testing.T) { refuses(t, alice.ask("order/kill-switch", c.fields), c.want) })
		}
		refuses(t, alice.ask("order/kill-switch/status", obj{"market": "NIX_USDT"}), invalid(31, "market", noMarket))
		refuses(t, alice.ask("order/kill-switch/status", obj{"market": 1}), marketPair())
		answers(t, alice.ask("order/kill-switch/status", nil), arr{})
	})
}
