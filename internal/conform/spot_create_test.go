package conform_test

import "testing"

// TestSpotCreation goes through the five types of orders on both sides: which members the answer
// has, of which types, and in which unit the amount is.
func TestSpotCreation(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("LIM_USDT", "MKT_USDT", "STK_USDT", "STL_USDT", "STM_USDT", "NUM_USDT", "EMP_USDT"), plain("alice", "bob"))

	t.Run("limit", func(t *testing.T) {
		const market = "LIM_USDT"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		answers(t, alice.ask("order/new", obj{"market": market, "side": "buy", "amount": "1.5", "price": "99"}),
			limitShape(market, "buy", "1.5", "99", nil))
		answers(t, alice.ask("order/new", obj{"market": market, "side": "sell", "amount": "2", "price": "101.50", "clientOrderId": "asks-1", "stp": "cb"}),
			limitShape(market, "sell", "2", "101.5", obj{"clientOrderId": "asks-1", "stp": "cb"}))
		answers(t, alice.ask("order/new", obj{"market": market, "side": "sell", "amount": "3", "price": "102", "postOnly": true}),
			limitShape(market, "sell", "3", "102", obj{"postOnly": true}))

		// A buyer pays its fee in what it receives: 0.2 % of 2.
		answers(t, bob.ask("order/new", obj{"market": market, "side": "buy", "amount": "2.5", "price": "101.5"}),
			limitShape(market, "buy", "2.5", "101.5", obj{
				"dealStock": "2", "dealMoney": "203", "left": "0.5", "dealFee": "0.004", "status": "PARTIALLY_FILLED",
			}))
		// A seller pays in what it receives: 0.2 % of 0.5 × 101.5.
		answers(t, alice.ask("order/new", obj{"market": market, "side": "sell", "amount": "0.5", "price": "100"}),
			limitShape(market, "sell", "0.5", "100", obj{
				"dealStock": "0.5", "dealMoney": "50.75", "left": "0", "dealFee": "0.1015", "status": "FILLED",
			}))
		// An order that is neither post-only nor retail does not say so.
		answers(t, bob.ask("order/new", obj{"market": market, "side": "buy", "amount": "1", "price": "98", "postOnly": false, "retail": false, "rpi": false}),
			limitShape(market, "buy", "1", "98", nil))
	})

	t.Run("limit ioc", func(t *testing.T) {
		const market = "NUM_USDT"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		alice.limit(market, "sell", "1", "100")
		answers(t, bob.ask("order/new", obj{"market": market, "side": "buy", "amount": "3", "price": "100", "ioc": true}),
			limitShape(market, "buy", "3", "100", obj{
				"ioc": true, "dealStock": "1", "dealMoney": "100", "left": "2", "dealFee": "0.002", "status": "CANCELED",
			}))
		answers(t, bob.ask("order/new", obj{"market": market, "side": "buy", "amount": "3", "price": "100", "ioc": true}),
			limitShape(market, "buy", "3", "100", obj{"ioc": true, "status": "CANCELED"}))
	})

	t.Run("numbers may be JSON numbers", func(t *testing.T) {
		alice := v.trader(t, "alice")
		answers(t, alice.ask("order/new", obj{"market": "NUM_USDT", "side": "sell", "amount": 1.5, "price": 200}),
			limitShape("NUM_USDT", "sell", "1.5", "200", nil))
	})

	t.Run("market", func(t *testing.T) {
		const market = "MKT_USDT"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		alice.limit(market, "sell", "5", "100")
		alice.limit(market, "buy", "5", "90")
		// A buy spends quote. What is left buys less than a step of 0.001.
		answers(t, bob.ask("order/market", obj{"market": market, "side": "buy", "amount": "150.023", "clientOrderId": "m.1"}),
			marketShape(market, "buy", "market", "150.023", obj{
				"clientOrderId": "m.1", "dealStock": "1.5", "dealMoney": "150", "left": "0.023", "dealFee": "0.003",
			}))
		// A sell gives base.
		answers(t, bob.ask("order/market", obj{"market": market, "side": "sell", "amount": "2", "stp": "cn"}),
			marketShape(market, "sell", "market", "2", obj{"stp": "cn", "dealStock": "2", "dealMoney": "180", "dealFee": "0.36"}))
	})

	t.Run("market on an empty book never rests", func(t *testing.T) {
		alice := v.trader(t, "alice")
		answers(t, alice.ask("order/market", obj{"market": "EMP_USDT", "side": "buy", "amount": "100"}),
			marketShape("EMP_USDT", "buy", "market", "100", obj{"left": "100", "status": "CANCELED"}))
		answers(t, alice.ask("order/market", obj{"market": "EMP_USDT", "side": "sell", "amount": "1"}),
			marketShape("EMP_USDT", "sell", "market", "1", obj{"left": "1", "status": "CANCELED"}))
		answers(t, alice.ask("orders", obj{"market": "EMP_USDT"}), arr{})
	})

	t.Run("stock market", func(t *testing.T) {
		const market = "STK_USDT"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		alice.limit(market, "sell", "5", "100")
		alice.limit(market, "buy", "5", "90")
		answers(t, bob.ask("order/stock_market", obj{"market": market, "side": "buy", "amount": "1.5"}),
			marketShape(market, "buy", "stock market", "1.5", obj{"dealStock": "1.5", "dealMoney": "150", "dealFee": "0.003"}))
		answers(t, bob.ask("order/stock_market", obj{"market": market, "side": "sell", "amount": "2"}),
			marketShape(market, "sell", "stock market", "2", obj{"dealStock": "2", "dealMoney": "180", "dealFee": "0.36"}))
	})

	t.Run("stop limit", func(t *testing.T) {
		const market = "STL_USDT"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		tradeAt(alice, bob, market, "100")
		buy := stopShape(market, "buy", "1", "111", "110", obj{"clientOrderId": "rise"})
		sell := stopShape(market, "sell", "2", "89.5", "90", obj{"stp": "co"})
		answers(t, alice.ask("order/stop_limit", obj{
			"market": market, "side": "buy", "amount": "1", "price": "111", "activation_price": "110", "clientOrderId": "rise",
		}), buy)
		answers(t, alice.ask("order/stop_limit", obj{
			"market": market, "side": "sell", "amount": "2", "price": "89.5", "activation_price": "90", "stp": "co",
		}), sell)
		answers(t, alice.ask("orders", obj{"market": market}), arr{listed(sell, nil), listed(buy, nil)})
		id := alice.orders(market)[1].(map[string]any)["orderId"]

		// A trade at 110 wakes up the buy; it keeps its number and its type.
		tradeAt(bob, bob, market, "110")
		answers(t, alice.ask("orders", obj{"market": market}), arr{
			listed(sell, nil), listed(buy, obj{"activated": 1, "orderId": id}),
		})
		// Once that is out of the way a trade at 90 wakes up the sell, which finds a buyer at 89.5.
		alice.must("order/cancel", obj{"market": market, "orderId": id})
		bob.limit(market, "buy", "2", "89.5")
		tradeAt(bob, bob, market, "90")
		answers(t, alice.ask("orders", obj{"market": market}), arr{})
	})

	t.Run("stop market", func(t *testing.T) {
		const market = "STM_USDT"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		tradeAt(alice, bob, market, "100")
		// A buy names quote, which the step rule for amounts does not touch.
		buy := stopShape(market, "buy", "100.123", "", "110", nil)
		sell := stopShape(market, "sell", "2", "", "90", nil)
		answers(t, alice.ask("order/stop_market", obj{"market": market, "side": "buy", "amount": "100.123", "activation_price": "110"}), buy)
		answers(t, alice.ask("order/stop_market", obj{"market": market, "side": "sell", "amount": "2", "activation_price": "90"}), sell)
		answers(t, alice.ask("orders", obj{"market": market}), arr{listed(sell, nil), listed(buy, nil)})

		bob.limit(market, "sell", "5", "111")
		tradeAt(bob, bob, market, "110")
		answers(t, alice.ask("orders", obj{"market": market}), arr{listed(sell, nil)})
	})

	t.Run("a stop whose trigger is passed waits for the next trade", func(t *testing.T) {
		const market = "STM_USDT"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		tradeAt(bob, bob, market, "105")
		o := alice.must("order/stop_limit", obj{"market": market, "side": "buy", "amount": "1", "price": "80", "activation_price": "95"})
		is(t, "activated", o["activated"], 0)
		tradeAt(bob, bob, market, "105.01")
		is(t, "activated", alice.list("orders", obj{"market": market, "orderId": o["orderId"]})[0].(map[string]any)["activated"], 1)
	})
}
