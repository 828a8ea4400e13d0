package conform_test

import (
	"strconv"
	"testing"
)

// TestSpotActiveOrders goes through orders (6.11).
func TestSpotActiveOrders(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("ACA_USDT", "ACB_USDT"), plain("alice", "bob", "carol"))
	const a, b = "ACA_USDT", "ACB_USDT"

	t.Run("newest first, over all markets or one, own orders only", func(t *testing.T) {
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		shapes := map[string]obj{}
		for i, market := range []string{a, b, a, b} {
			price := strconv.Itoa(10 + i)
			id := "n" + strconv.Itoa(i)
			alice.limit(market, "buy", "1", price, obj{"clientOrderId": id})
			shapes[id] = listed(limitShape(market, "buy", "1", price, obj{"clientOrderId": id}), nil)
		}
		bob.limit(a, "buy", "1", "9")
		answers(t, alice.ask("orders", nil), arr{shapes["n3"], shapes["n2"], shapes["n1"], shapes["n0"]})
		answers(t, alice.ask("orders", obj{"market": a}), arr{shapes["n2"], shapes["n0"]})
		answers(t, alice.ask("orders", obj{"limit": 2}), arr{shapes["n3"], shapes["n2"]})
		answers(t, alice.ask("orders", obj{"limit": "2", "offset": "1"}), arr{shapes["n2"], shapes["n1"]})
		answers(t, alice.ask("orders", obj{"limit": 2, "offset": 3}), arr{shapes["n0"]})
		answers(t, alice.ask("orders", obj{"offset": 10_000}), arr{})
	})

	t.Run("by one of the ids", func(t *testing.T) {
		carol, bob := v.trader(t, "carol"), v.trader(t, "bob")
		carol.limit(a, "buy", "1", "20", obj{"clientOrderId": "same"})
		carol.limit(b, "buy", "1", "21", obj{"clientOrderId": "same"})
		other := carol.limit(b, "buy", "1", "22", obj{"clientOrderId": "other"})["orderId"]
		onA := listed(limitShape(a, "buy", "1", "20", obj{"clientOrderId": "same"}), nil)
		onB := listed(limitShape(b, "buy", "1", "21", obj{"clientOrderId": "same"}), nil)
		last := listed(limitShape(b, "buy", "1", "22", obj{"clientOrderId": "other"}), nil)
		for _, c := range []struct {
			name   string
			fields obj
			want   arr
		}{
			{"client id and market", obj{"market": a, "clientOrderId": "same"}, arr{onA}},
			{"client id", obj{"clientOrderId": "same"}, arr{onB, onA}},
			{"client id, a page", obj{"clientOrderId": "same", "offset": 1}, arr{onA}},
			{"client id and another market", obj{"market": a, "clientOrderId": "other"}, arr{}},
			{"client id of nobody", obj{"clientOrderId": "none"}, arr{}},
			{"client id that cannot be", obj{"clientOrderId": "a b"}, arr{}},
			{"id and market", obj{"market": b, "orderId": other}, arr{last}},
			{"id", obj{"orderId": other}, arr{last}},
			{"id and another market", obj{"market": a, "orderId": other}, arr{}},
			{"id of nobody", obj{"orderId": 123456789}, arr{}},
			{"id 0", obj{"orderId": 0}, arr{}},
			{"the id counts more than the client id", obj{"orderId": other, "clientOrderId": "same"}, arr{last}},
		} {
			t.Run(c.name, func(t *testing.T) { answers(t, carol.ask("orders", c.fields), c.want) })
		}
		answers(t, bob.ask("orders", obj{"orderId": other}), arr{})
		answers(t, bob.ask("orders", obj{"clientOrderId": "same"}), arr{})
	})

	t.Run("what is wrong", func(t *testing.T) {
		alice := v.trader(t, "alice")
		for _, c := range []struct {
			name   string
			fields obj
			want   refusal
		}{
			{"market is unknown, without a full stop", obj{"market": "NIX_USDT"}, invalid(31, "market", "Market is not available")},
			{"market is a number", obj{"market": 1}, invalid(31, "market", "Market field should be a string.")},
			{"market is no name", obj{"market": "x"}, invalid(31, "market", "Market field format is invalid.")},
			{"limit 101", obj{"limit": 101}, invalid(30, "limit", "The limit may not be greater than 100.")},
			{"limit 0", obj{"limit": 0}, invalid(30, "limit", "The limit must be at least 1.")},
			{"limit is a word", obj{"limit": "all"}, invalid(30, "limit", "The limit must be an integer.")},
			{"offset -1", obj{"offset": -1}, invalid(30, "offset", "The offset must be at least 0.")},
			{"offset is too far", obj{"offset": 10_001}, invalid(30, "offset", "The offset may not be greater than 10000.")},
			{"offset is a word", obj{"offset": "x"}, invalid(30, "offset", "The offset must be an integer.")},
			{"both are wrong", obj{"limit": 101, "offset": -1}, invalid(30, "limit", "The limit may not be greater than 100.").and("offset", "The offset must be at least 0.")},
			{"orderId is a word", obj{"orderId": "x"}, invalid(30, "orderId", "OrderId field should be an integer.")},
		} {
			t.Run(c.name, func(t *testing.T) { refuses(t, alice.ask("orders", c.fields), c.want) })
		}
	})

	t.Run("50 unless told, 100 at most", func(t *testing.T) {
		bob := v.trader(t, "bob")
		bob.list("order/cancel/all", nil)
		var batch arr
		for i := range 20 {
			batch = append(batch, obj{"market": a, "side": "sell", "amount": "1", "price": strconv.Itoa(100 + i)})
		}
		for range 6 {
			bob.list("order/bulk", obj{"orders": batch})
		}
		for _, c := range []struct {
			fields obj
			n      int
		}{{nil, 50}, {obj{"limit": 100}, 100}, {obj{"limit": 100, "offset": 100}, 20}, {obj{"offset": 120}, 0}} {
			if n := len(bob.list("orders", c.fields)); n != c.n {
				t.Errorf("%v: %d orders, should be %d", c.fields, n, c.n)
			}
		}
	})
}

// TestSpotBalance goes through trade-account/balance (6.1): what open orders lock and give back.
func TestSpotBalance(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("BAL_USDT"), with(plain("bob"), "alice", obj{
		"deposits": obj{"USDT": "1000", "BAL": "10"}, "trade": obj{"USDT": "600", "BAL": "10"},
	}))
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	const market = "BAL_USDT"
	entry := func(available, frozen string) obj { return obj{"available": available, "freeze": frozen} }
	tradeAt(bob, bob, market, "100")

	answers(t, alice.ask("trade-account/balance", nil), obj{"USDT": entry("600", "0"), "BAL": entry("10", "0")})
	answers(t, alice.ask("trade-account/balance", obj{"ticker": "USDT"}), obj{"USDT": entry("600", "0")})
	refuses(t, alice.ask("trade-account/balance", obj{"ticker": 1}), invalid(30, "ticker", "Ticker field should be a string."))
	refuses(t, alice.ask("trade-account/balance", obj{"ticker": "NIX"}), invalid(30, "ticker", "Currency was not found."))

	alice.limit(market, "buy", "2", "50.5")
	alice.holds("USDT", "499", "101")
	alice.must("order/stop_limit", obj{"market": market, "side": "buy", "amount": "1", "price": "120", "activation_price": "110"})
	alice.holds("USDT", "379", "221")
	alice.must("order/stop_market", obj{"market": market, "side": "buy", "amount": "79.5", "activation_price": "110"})
	alice.holds("USDT", "299.5", "300.5")
	alice.limit(market, "sell", "3", "150")
	alice.must("order/stop_limit", obj{"market": market, "side": "sell", "amount": "2", "price": "60", "activation_price": "30"})
	alice.must("order/stop_market", obj{"market": market, "side": "sell", "amount": "5", "activation_price": "30"})
	alice.holds("BAL", "0", "10")
	answers(t, alice.ask("trade-account/balance", nil), obj{"USDT": entry("299.5", "300.5"), "BAL": entry("0", "10")})

	// A fill takes from what is frozen, and what was paid less than that comes back.
	bob.limit(market, "sell", "2", "40")
	alice.holds("USDT", "299.5", "199.5")
	alice.holds("BAL", "1.998", "10") // 2 less 0.1 %

	alice.list("order/cancel/all", nil)
	alice.holds("USDT", "499", "0")
	alice.holds("BAL", "11.998", "0")
}

// TestSpotBalanceOfNothing: assets that there is nothing of are left out, unless asked for.
func TestSpotBalanceOfNothing(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("NOT_USDT"), with(plain(), "alice", obj{"deposits": obj{"USDT": "5"}, "trade": obj{}}))
	alice := v.trader(t, "alice")
	answers(t, alice.ask("trade-account/balance", nil), obj{})
	answers(t, alice.ask("trade-account/balance", obj{"ticker": ""}), obj{})
	answers(t, alice.ask("trade-account/balance", obj{"ticker": "NOT"}), obj{"NOT": obj{"available": "0", "freeze": "0"}})
}
