package conform_test

import (
	"testing"

	"bourse/internal/schema"
)

// TestCollateralCreation goes through the types of orders: which members the answer has, and that amounts are base on
// both sides.
func TestCollateralCreation(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, plain("LIM_PERP", "MKT_PERP", "STL_PERP", "TRG_PERP", "RED_PERP"), plain("alice", "bob"))
	v.trader(t, "alice").backed("900000")
	v.trader(t, "bob").backed("900000")

	t.Run("limit", func(t *testing.T) {
		const market = "LIM_PERP"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		answers(t, alice.ask("order/collateral/limit", obj{"market": market, "side": "buy", "amount": "1.5", "price": "49000"}),
			betShape(market, "buy", "1.5", "49000", nil))
		answers(t, alice.ask("order/collateral/limit", obj{
			"market": market, "side": "sell", "amount": 2, "price": 50100, "clientOrderId": "asks-1", "stp": "cancel_both", "postOnly": true, "positionSide": "SHORT",
		}), betShape(market, "sell", "2", "50100", obj{"clientOrderId": "asks-1", "stp": "cb", "postOnly": true}))
		// Fees are money on both sides: 0.05 % of 2 × 50100.
		answers(t, bob.ask("order/collateral/limit", obj{"market": market, "side": "buy", "amount": "2.5", "price": "50100", "ioc": true}),
			betShape(market, "buy", "2.5", "50100", obj{
				"ioc": true, "dealStock": "2", "dealMoney": "100200", "left": "0.5", "dealFee": "50.1", "status": "CANCELED",
			}))
	})

	t.Run("market", func(t *testing.T) {
		const market = "MKT_PERP"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		alice.bet(market, "sell", "1", "50000")
		alice.bet(market, "buy", "1", "49900")
		// A buy names base too.
		answers(t, bob.ask("order/collateral/market", obj{"market": market, "side": "buy", "amount": "0.5", "clientOrderId": "m.1"}),
			listed(marketShape(market, "buy", "market", "0.5", obj{
				"feeAsset": "USDT", "clientOrderId": "m.1", "dealStock": "0.5", "dealMoney": "25000", "dealFee": "12.5",
			}), nil))
		answers(t, bob.ask("order/collateral/market", obj{"market": market, "side": "sell", "amount": "0.25", "stp": "cn"}),
			listed(marketShape(market, "sell", "market", "0.25", obj{
				"feeAsset": "USDT", "stp": "cn", "dealStock": "0.25", "dealMoney": "12475", "dealFee": "6.2375",
			}), nil))
	})

	t.Run("stop limit", func(t *testing.T) {
		const market = "STL_PERP"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		meet(alice, bob, market, "0.1", "50000")
		buy := triggerShape(market, "buy", "1", "50600", "50500", obj{"clientOrderId": "rise"})
		answers(t, alice.ask("order/collateral/stop-limit", obj{
			"market": market, "side": "buy", "amount": "1", "price": "50600", "activation_price": "50500", "clientOrderId": "rise",
		}), buy)
		sell := triggerShape(market, "sell", "1", "49400", "49500", obj{"stp": "co"})
		answers(t, alice.ask("order/collateral/stop-limit", obj{
			"market": market, "side": "sell", "amount": "1", "price": "49400", "activation_price": "49500", "stp": "cancel_old",
		}), sell)
		answers(t, alice.ask("orders", obj{"market": market}), arr{sell, buy})
		meet(bob, bob, market, "0.1", "50500")
		answers(t, alice.ask("orders", obj{"market": market, "clientOrderId": "rise"}), arr{changed(buy, obj{"activated": 1})})
	})

	t.Run("trigger market", func(t *testing.T) {
		const market = "TRG_PERP"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		meet(alice, bob, market, "0.1", "50000")
		buy := triggerShape(market, "buy", "0.2", "", "50500", nil)
		answers(t, alice.ask("order/collateral/trigger-market", obj{"market": market, "side": "buy", "amount": "0.2", "activation_price": "50500"}), buy)
		answers(t, alice.ask("orders", obj{"market": market}), arr{buy})
		bob.bet(market, "sell", "0.2", "50600")
		meet(bob, bob, market, "0.1", "50500")
		answers(t, alice.ask("orders", obj{"market": market}), arr{})
		answers(t, alice.ask("collateral-account/positions/open", obj{"market": market}), test1("amount", "0.3"))
	})

	t.Run("reduce-only is cut to the position", func(t *testing.T) {
		const market = "RED_PERP"
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		none := invalid(116, "reduceOnly", "Reduce-only: Position doesn't exist or wrong side")
		refuses(t, alice.ask("order/collateral/limit", obj{"market": market, "side": "sell", "amount": "1", "price": "50500", "reduceOnly": true}), none)
		meet(alice, bob, market, "0.3", "50000")
		for path, fields := range map[string]obj{
			"limit": {"price": "50500"}, "market": {}, "stop-limit": {"price": "50500", "activation_price": "50400"}, "trigger-market": {"activation_price": "49000"},
		} {
			fields = changed(fields, obj{"market": market, "side": "buy", "amount": "1", "reduceOnly": true})
			refuses(t, alice.ask("order/collateral/"+path, fields), none)
		}
		answers(t, alice.ask("order/collateral/limit", obj{"market": market, "side": "sell", "amount": "1", "price": "50500", "reduceOnly": true}),
			betShape(market, "sell", "0.3", "50500", obj{"reduceOnly": true}))
		answers(t, alice.ask("order/collateral/stop-limit", obj{
			"market": market, "side": "sell", "amount": "1", "price": "49500", "activation_price": "49600", "reduceOnly": true,
		}), triggerShape(market, "sell", "0.3", "49500", "49600", obj{"reduceOnly": true}))
		answers(t, alice.ask("order/collateral/trigger-market", obj{"market": market, "side": "sell", "amount": "1", "activation_price": "49700", "reduceOnly": true}),
			triggerShape(market, "sell", "0.3", "", "49700", obj{"reduceOnly": true}))
		answers(t, alice.ask("order/collateral/bulk", obj{"orders": []obj{
			{"market": market, "side": "sell", "amount": "1", "price": "50700", "reduceOnly": true},
			{"market": market, "side": "buy", "amount": "1", "price": "49000", "reduceOnly": true},
		}}), arr{done(betShape(market, "sell", "0.3", "50700", obj{"reduceOnly": true})), none.item()})
		bob.bet(market, "buy", "1", "49990")
		answers(t, alice.ask("order/collateral/market", obj{"market": market, "side": "sell", "amount": "1", "reduceOnly": true}),
			listed(marketShape(market, "sell", "market", "0.3", obj{
				"feeAsset": "USDT", "dealStock": "0.3", "dealMoney": "14997", "dealFee": "7.4985",
			}), obj{"reduceOnly": true}))
		// With the position its orders ended.
		answers(t, alice.ask("orders", obj{"market": market}), arr{})
	})
}

// test1 is an array of one object with a member of some value.
func test1(name, want string) test {
	return func(got any) error {
		list, _ := got.([]any)
		if len(list) != 1 {
			return seen(want)(got)
		}
		return seen(want)(list[0].(map[string]any)[name])
	}
}

// TestCollateralBulk: each order has its own outcome.
func TestCollateralBulk(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, plain("ONE_PERP", "TWO_PERP"), plain("alice"))
	alice := v.trader(t, "alice").backed("100000")
	small := invalid(32, "amount", "Given amount is less than min amount 0.01")
	good := obj{"market": "ONE_PERP", "side": "buy", "amount": "0.1", "price": "49000", "stp": "cb"}
	answers(t, alice.ask("order/collateral/bulk", obj{"orders": []obj{
		good,
		changed(good, obj{"market": "TWO_PERP", "amount": "0.001"}),
		changed(good, obj{"market": "TWO_PERP", "side": "sell", "price": "51000"}),
		changed(good, obj{"amount": "1000"}),
		changed(good, obj{"price": "44999"}),
		changed(good, obj{"ioc": true, "rpi": true}),
		{"market": "ONE_PERP"},
	}}), arr{
		done(betShape("ONE_PERP", "buy", "0.1", "49000", obj{"stp": "cb"})),
		small.item(),
		done(betShape("TWO_PERP", "sell", "0.1", "51000", obj{"stp": "cb"})),
		inner(0, 10, "amount", noMoney).item(),
		inner(0, 250, "price", "The Price is out of bands").item(),
		invalid(40, "ioc", schema.Refuse(schema.IOCWithRPI).Text()).item(),
		invalid(30, "side", "Side"+needed).and("amount", "Amount"+needed).and("price", "Price"+needed).item(),
	})
	answers(t, alice.ask("order/collateral/bulk", obj{"stopOnFail": true, "orders": []obj{good, changed(good, obj{"amount": "0.001"}), good}}),
		arr{done(betShape("ONE_PERP", "buy", "0.1", "49000", obj{"stp": "cb"})), small.item()})
	refuses(t, alice.ask("order/collateral/bulk", obj{"orders": "x"}), invalid(30, "orders", "The orders must be an array."))
	refuses(t, alice.ask("order/collateral/bulk", obj{}), invalid(30, "orders", "The orders must be an array."))
	refuses(t, alice.ask("order/collateral/bulk", obj{"orders": []obj{}}), invalid(30, "orders", schema.Refuse(schema.BulkEmpty).Text()))
	many := make([]obj, 21)
	for i := range many {
		many[i] = good
	}
	refuses(t, alice.ask("order/collateral/bulk", obj{"orders": many}), invalid(30, "orders", schema.Refuse(schema.BulkTooMany).Text()))
}
