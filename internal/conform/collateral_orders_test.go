package conform_test

import (
	"testing"

	"bourse/internal/schema"
)

// TestCollateralOrders: what works on all open orders works on those that are paid from collateral.
func TestCollateralOrders(t *testing.T) {
	t.Parallel()
	v, clock := margined(t, plain("CXL_PERP", "ALL_PERP", "MOD_PERP", "KILL_PERP", "SIDE_PERP"), plain("alice", "bob", "hank"))
	alice, bob := v.trader(t, "alice").backed("500000"), v.trader(t, "bob").backed("500000")
	open := func(market string) int { return len(alice.orders(market)) }

	t.Run("cancel", func(t *testing.T) {
		const market = "CXL_PERP"
		meet(alice, bob, market, "0.3", "50000")
		first := alice.bet(market, "sell", "1", "51000", obj{"reduceOnly": true, "clientOrderId": "out"})
		want := betShape(market, "sell", "0.3", "51000", obj{"reduceOnly": true, "clientOrderId": "out", "orderId": seen(first["orderId"])})
		answers(t, alice.ask("orders", obj{"market": market}), arr{want})
		answers(t, alice.ask("orders", obj{"market": market, "clientOrderId": "out"}), arr{want})
		answers(t, alice.ask("order/cancel", obj{"market": market, "clientOrderId": "out"}), changed(want, obj{"status": "CANCELED"}))
		second := alice.bet(market, "buy", "0.1", "49000")
		answers(t, alice.ask("order/cancel/bulk", obj{"orders": []obj{{"market": market, "orderId": second["orderId"]}}}),
			arr{done(obj{"orderId": seen(second["orderId"]), "clientOrderId": "", "market": market})})
		is(t, "open orders", open(market) == 0, true)
	})

	t.Run("cancel all by type", func(t *testing.T) {
		const market = "ALL_PERP"
		alice.list("main-account/transfer", obj{"ticker": "USDT", "amount": "1000", "from": "main", "to": "spot"})
		for _, c := range []struct {
			fields        obj
			futures, spot int
		}{
			{obj{"type": []string{"spot"}}, 1, 0},
			{obj{"type": []string{"margin"}}, 1, 1},
			{obj{"type": []string{"futures"}}, 0, 1},
			{obj{"type": []string{"margin", "futures"}, "market": market}, 0, 1},
			{obj{"market": market}, 0, 1},
			{obj{}, 0, 0},
		} {
			alice.bet(market, "buy", "0.1", "49000")
			alice.limit("BTC_USDT", "buy", "0.1", "100")
			answers(t, alice.ask("order/cancel/all", c.fields), arr{})
			if f, s := open(market), open("BTC_USDT"); f != c.futures || s != c.spot {
				t.Errorf("after %v %d futures orders and %d spot orders are open, want %d and %d", c.fields, f, s, c.futures, c.spot)
			}
			alice.list("order/cancel/all", obj{})
		}
	})

	t.Run("cancel all of a side", func(t *testing.T) {
		const market = "SIDE_PERP"
		hank := v.trader(t, "hank").backed("500000")
		hank.must("collateral-account/hedge-mode/update", obj{"hedgeMode": true})
		hank.bet(market, "buy", "0.1", "49000", obj{"positionSide": "LONG"})
		hank.bet(market, "sell", "0.2", "51000", obj{"positionSide": "SHORT"})
		answers(t, hank.ask("order/cancel/all", obj{"market": market, "positionSide": "long", "type": []string{"spot"}}), arr{})
		answers(t, hank.ask("order/cancel/all", obj{"market": market, "positionSide": "both"}), arr{})
		is(t, "open orders", len(hank.orders(market)) == 2, true)
		answers(t, hank.ask("order/cancel/all", obj{"market": market, "positionSide": "long"}), arr{})
		answers(t, hank.ask("orders", obj{"market": market}), arr{betShape(market, "sell", "0.2", "51000", obj{"positionSide": "SHORT"})})
		for range 101 {
			hank.bet(market, "buy", "0.01", "49000", obj{"positionSide": "LONG"})
		}
		answers(t, hank.ask("order/cancel/all", obj{"market": market, "positionSide": "long", "type": []string{"futures"}}), arr{})
		answers(t, hank.ask("orders", obj{"market": market}), arr{betShape(market, "sell", "0.2", "51000", obj{"positionSide": "SHORT"})})
	})

	t.Run("modify", func(t *testing.T) {
		const market = "MOD_PERP"
		meet(alice, bob, market, "0.3", "50000")
		o := alice.bet(market, "sell", "0.2", "51000", obj{"reduceOnly": true})
		answers(t, alice.ask("order/modify", obj{"market": market, "orderId": o["orderId"], "amount": "5", "price": "51500"}),
			betShape(market, "sell", "0.3", "51500", obj{"reduceOnly": true}))
		o = alice.bet(market, "buy", "0.2", "49000")
		for field, want := range map[string]refusal{
			"price":  inner(422, 250, "price", "The Price is out of bands"),
			"amount": inner(422, 10, "amount", noMoney),
		} {
			refuses(t, alice.ask("order/modify", obj{"market": market, "orderId": o["orderId"], field: "5000"}), want)
		}
		stop := alice.must("order/collateral/trigger-market", obj{"market": market, "side": "buy", "amount": "0.2", "activation_price": "50500"})
		answers(t, alice.ask("order/modify", obj{"market": market, "orderId": stop["orderId"], "amount": "0.1", "activationPrice": "50600"}),
			triggerShape(market, "buy", "0.1", "", "50600", nil))
	})

	t.Run("kill switch", func(t *testing.T) {
		const market = "KILL_PERP"
		timer := obj{"market": market, "startTime": clock.seconds(), "cancellationTime": clock.seconds() + 5, "types": arr{"futures"}}
		alice.bet(market, "buy", "0.1", "49000")
		answers(t, alice.ask("order/kill-switch", obj{"market": market, "timeout": "5", "types": []string{"futures"}}), timer)
		answers(t, alice.ask("order/kill-switch/status", obj{"market": market}), arr{timer})
		clock.advance(5 * schema.Second)
		v.Do(&schema.Tick{})
		is(t, "open orders", open(market) == 0, true)
		v.mark(t, market, "50000")
	})
}

// TestCollateralPast: the past of an account knows its orders and deals on futures.
func TestCollateralPast(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, plain("OLD_PERP"), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice").backed("500000"), v.trader(t, "bob").backed("500000")
	const market = "OLD_PERP"
	meet(alice, bob, market, "0.3", "50000")
	bob.bet(market, "buy", "0.2", "49990")
	o := alice.must("order/collateral/market", obj{"market": market, "side": "sell", "amount": "0.2", "reduceOnly": true, "clientOrderId": "part"})
	sold := obj{
		"amount": "0.2", "price": "0", "type": "market", "id": seen(o["orderId"]), "clientOrderId": "part", "side": "sell", "ctime": aMoment, "ftime": aMoment,
		"dealFee": "4.999", "dealStock": "0.2", "dealMoney": "9998", "postOnly": false, "ioc": false, "status": "FILLED", "feeAsset": "USDT",
		"rpi": false, "reduceOnly": true, "stp": "no",
	}
	bought := changed(sold, obj{
		"amount": "0.3", "price": "50000", "type": "limit", "id": anID, "clientOrderId": "", "side": "buy", "dealFee": "7.5", "dealStock": "0.3",
		"dealMoney": "15000", "reduceOnly": false,
	})
	answers(t, alice.ask("trade-account/order/history", obj{"market": market}), obj{market: arr{sold, bought}})
	deal := obj{
		"id": anID, "clientOrderId": "part", "time": aMoment, "side": "sell", "role": 2, "amount": "0.2", "price": "49990", "deal": "9998",
		"fee": "4.999", "orderId": seen(o["orderId"]), "feeAsset": "USDT",
	}
	answers(t, alice.ask("trade-account/executed-history", obj{"market": market, "clientOrderId": "part"}), arr{deal})
	answers(t, alice.ask("trade-account/order", obj{"orderId": o["orderId"]}), obj{"limit": 50, "offset": 0, "records": arr{obj{
		"time": aMoment, "fee": "4.999", "price": "49990", "amount": "0.2", "id": anID, "dealOrderId": anID, "clientOrderId": "part", "role": 2,
		"deal": "9998", "feeAsset": "USDT", "rpi": false,
	}}})
	// A position that ends takes its reduce-only orders with it.
	alice.bet(market, "sell", "0.1", "51000", obj{"reduceOnly": true})
	bob.bet(market, "buy", "0.1", "49990")
	alice.must("order/collateral/market", obj{"market": market, "side": "sell", "amount": "0.1"})
	var got map[string][]map[string]any
	alice.ask("trade-account/order/history", obj{"market": market}).Read(t, &got)
	if len(got[market]) != 4 || got[market][0]["status"] != "AUTO_CANCELED_REDUCE_ONLY" && got[market][1]["status"] != "AUTO_CANCELED_REDUCE_ONLY" {
		t.Errorf("the orders that ended are %v", got)
	}
	is(t, "market/fee", alice.must("market/fee", nil), obj{
		"error": nil, "taker": "0.2", "maker": "0.1", "futures_taker": "0.05", "futures_maker": "0.02",
		"rpi_maker_fee_premium": nil, "futures_rpi_maker_fee_premium": nil, "custom_fee": obj{},
	})
	is(t, "market/fee/single", alice.must("market/fee/single", obj{"market": market}), obj{
		"error": nil, "taker": "0.05", "maker": "0.02", "rpi_maker_fee_premium": nil, "futures_rpi_maker_fee_premium": nil,
	})
}
