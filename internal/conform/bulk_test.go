package conform_test

import (
	"strconv"
	"testing"
)

// TestBulk goes through order/bulk (6.3).
func TestBulk(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("BLA_USDT", "BLB_USDT", "STP_USDT"), plain("alice", "bob"))
	const a, b = "BLA_USDT", "BLB_USDT"
	order := func(market, side, amount, price string, changes obj) obj {
		return changed(obj{"market": market, "side": side, "amount": amount, "price": price}, changes)
	}
	many := func(n int) arr {
		var all arr
		for i := range n {
			all = append(all, order(a, "buy", "1", strconv.Itoa(10+i), nil))
		}
		return all
	}

	t.Run("items of several markets, in the order of the request", func(t *testing.T) {
		alice := v.trader(t, "alice")
		answers(t, alice.ask("order/bulk", obj{"orders": arr{
			order(a, "buy", "1", "100", obj{"clientOrderId": "one", "postOnly": true}),
			order(b, "sell", "2", "200", obj{"stp": "cb"}),
			order(a, "sell", "1", "100", nil), // meets the first
		}}), arr{
			done(limitShape(a, "buy", "1", "100", obj{"clientOrderId": "one", "postOnly": true})),
			done(limitShape(b, "sell", "2", "200", obj{"stp": "cb"})),
			done(limitShape(a, "sell", "1", "100", obj{
				"dealStock": "1", "dealMoney": "100", "left": "0", "dealFee": "0.2", "status": "FILLED",
			})),
		})
	})

	t.Run("from 1 to 20 items", func(t *testing.T) {
		bob := v.trader(t, "bob")
		tooMany := invalid(30, "orders", "The orders may not contain more than 20 items.")
		if got := bob.list("order/bulk", obj{"orders": many(1)}); len(got) != 1 {
			t.Errorf("%d items came back", len(got))
		}
		if got := bob.list("order/bulk", obj{"orders": many(20)}); len(got) != 20 {
			t.Errorf("%d items came back", len(got))
		}
		refuses(t, bob.ask("order/bulk", obj{"orders": many(21)}), tooMany)
		refuses(t, bob.ask("order/bulk", obj{"orders": append(many(20), "x")}), tooMany)
		refuses(t, bob.ask("order/bulk", obj{"orders": arr{}}), invalid(30, "orders", "The orders must contain at least 1 item."))
		if n := len(bob.orders(a)); n != 21 {
			t.Errorf("%d orders are open, not 21", n)
		}
		bob.list("order/cancel/all", nil)
	})

	t.Run("orders is an array", func(t *testing.T) {
		bob := v.trader(t, "bob")
		want := invalid(30, "orders", "The orders must be an array.")
		for _, wrong := range []any{nil, "x", 1, true, order(a, "buy", "1", "10", nil)} {
			refuses(t, bob.ask("order/bulk", obj{"orders": wrong}), want)
		}
		refuses(t, bob.ask("order/bulk", nil), want)
		refuses(t, bob.ask("order/bulk", obj{"orders": many(1), "stopOnFail": "yes"}), invalid(30, "stopOnFail", "StopOnFail field should be a boolean."))
	})

	// What is wrong with the shape of an item, with its market, with its numbers, and what the
	// engine finds, in one request.
	mixture := arr{
		order(b, "buy", "1", "11", nil),
		"x",
		order(b, "buy", "1", "12", obj{"price": nil, "side": nil}),
		order(b, "buy", "1.0005", "13", nil),
		order("NIX_USDT", "buy", "1", "14", nil),
		order(b, "buy", "100000", "15", nil),
		order(b, "buy", "1", "16", nil),
		order(b, "buy", "1", "999", obj{"postOnly": true}),
		order(b, "buy", "999", "499", nil),
		order(b, "buy", "1", "17", nil),
	}
	results := arr{
		done(limitShape(b, "buy", "1", "11", nil)),
		invalid(30, "request", "Invalid order format").item(),
		invalid(30, "side", "Side"+needed).and("price", "Price"+needed).item(),
		invalid(1, "amount", "Amount must be a multiple of 0.001.").item(),
		invalid(31, "market", noMarket).item(),
		invalid(30, "total", "Total (amount * price) is greater than 500000").item(),
		done(limitShape(b, "buy", "1", "16", nil)),
		inner(400, 13, "postOnly", asMaker).item(),
		inner(400, 10, "amount", noMoney).item(),
		done(limitShape(b, "buy", "1", "17", nil)),
	}

	// lock leaves a tenth of the money.
	lock := func(c trader) {
		c.must("order/new", order(a, "buy", "5000", "100", nil))
		c.must("order/new", order(a, "buy", "4000", "100", nil))
	}

	t.Run("all are tried unless it is to stop", func(t *testing.T) {
		bob := v.trader(t, "bob")
		lock(bob)
		for _, fields := range []obj{{"orders": mixture}, {"orders": mixture, "stopOnFail": false}} {
			answers(t, bob.ask("order/bulk", fields), results)
		}
		if n := len(bob.orders(b)); n != 6 {
			t.Errorf("%d orders are open, not 6", n)
		}
		bob.list("order/cancel/all", nil)
	})

	t.Run("stopOnFail ends with the first that fails", func(t *testing.T) {
		bob := v.trader(t, "bob")
		lock(bob)
		for from := range mixture {
			to := from
			for to < len(results) && results[to].(obj)["error"] == nil {
				to++
			}
			answers(t, bob.ask("order/bulk", obj{"orders": mixture[from:], "stopOnFail": true}), results[from:min(to+1, len(results))])
		}
		bob.list("order/cancel/all", nil)
	})

	t.Run("stopOnFail with an engine error before a shape error", func(t *testing.T) {
		bob := v.trader(t, "bob")
		answers(t, bob.ask("order/bulk", obj{"stopOnFail": true, "orders": arr{
			order(b, "buy", "1", "10", nil), order(b, "buy", "1", "0", nil), "x", order(b, "buy", "1", "11", nil),
		}}), arr{done(limitShape(b, "buy", "1", "10", nil)), invalid(33, "price", "Price should be greater than 0.").item()})
		if n := len(bob.orders(b)); n != 1 {
			t.Errorf("%d orders are open, not 1", n)
		}
	})
}
