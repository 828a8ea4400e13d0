package conform_test

import (
	"testing"

	"bourse/internal/schema"
)

// single are the endpoints that place one order from collateral, with a request that is taken.
var single = map[string]obj{
	"limit":          {"side": "buy", "amount": "0.1", "price": "49000"},
	"market":         {"side": "buy", "amount": "0.1"},
	"stop-limit":     {"side": "buy", "amount": "0.1", "price": "50600", "activation_price": "50500"},
	"trigger-market": {"side": "buy", "amount": "0.1", "activation_price": "50500"},
}

// engines is the status of what the engine finds: stop-limit documents 400, the others only 422.
func engines(path string) int {
	if path == "stop-limit" {
		return 400
	}
	return 422
}

// TestCollateralValidation sends every endpoint what is wrong with one field.
func TestCollateralValidation(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, with(plain("VAL_PERP"), "OLD_PERP", obj{"enabled": false}), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice").backed("100000"), v.trader(t, "bob").backed("100000")
	meet(alice, bob, "VAL_PERP", "0.1", "50000")
	const step = " must be a multiple of "
	for path, good := range single {
		t.Run(path, func(t *testing.T) {
			wrong := func(field string, value any, want refusal) {
				t.Helper()
				fields := changed(good, obj{"market": "VAL_PERP", field: value})
				refuses(t, alice.ask("order/collateral/"+path, fields), want)
			}
			_, priced := good["price"]
			_, waits := good["activation_price"]

			missing := invalid(30, "market", "Market"+needed).and("side", "Side"+needed).and("amount", "Amount"+needed)
			if priced {
				missing = missing.and("price", "Price"+needed)
			}
			if waits {
				missing = missing.and("activation_price", "Activation price"+needed)
			}
			refuses(t, alice.ask("order/collateral/"+path, nil), missing)

			wrong("market", "NO_PERP", invalid(31, "market", noMarket))
			wrong("market", "OLD_PERP", invalid(31, "market", noMarket))
			wrong("market", "", invalid(31, "market", "Market field should not be empty string."))
			wrong("market", "BTC_USDT", invalid(31, "market", "This market cannot be traded from the collateral balance."))
			wrong("side", "hold", invalid(30, "side", "Side field should contain only 'buy' or 'sell' values."))
			wrong("amount", "much", invalid(32, "amount", "Amount"+notNumeric))
			wrong("amount", "0", invalid(32, "amount", "Amount should be greater than 0."))
			wrong("amount", "0.00001", invalid(32, "amount", "Min amount step = 0.0001"))
			wrong("amount", "0.001", invalid(32, "amount", "Given amount is less than min amount 0.01"))
			wrong("amount", "0.0105", invalid(1, "amount", "Amount"+step+"0.001."))
			wrong("clientOrderId", 7, invalid(36, "clientOrderId", "ClientOrderId field should be a string."))
			wrong("clientOrderId", "a b", invalid(36, "clientOrderId", "ClientOrderId field should contain only latin letters, numbers and dashes."))
			wrong("stp", "all", invalid(30, "stp", schema.Refuse(schema.STPInvalid).Text()))
			wrong("positionSide", "long", invalid(30, "positionSide", "The selected positionSide is invalid."))
			wrong("reduceOnly", "yes", invalid(30, "reduceOnly", "ReduceOnly field should be a boolean."))
			for field, name := range map[string]string{"stopLoss": "StopLoss", "takeProfit": "TakeProfit"} {
				wrong(field, "low", invalid(33, field, name+notNumeric))
				wrong(field, "", invalid(33, field, name+notNumeric))
				wrong(field, "0", invalid(33, field, name+" should be greater than 0."))
				wrong(field, -1, invalid(33, field, name+" should be greater than 0."))
				wrong(field, "48000.001", invalid(33, field, "Min "+field+" step = 0.01"))
				refuses(t, alice.ask("order/collateral/"+path, changed(good, obj{"market": "VAL_PERP", field: "52000", "reduceOnly": true})),
					invalid(30, "reduceOnly", "StopLoss and takeProfit should not be sent with an order that only reduces a position."))
			}
			wrong("stopLoss", "51000", inner(engines(path), 106, "stopLoss", "Wrong activation price for stop loss."))
			wrong("takeProfit", "48000", inner(engines(path), 105, "takeProfit", "Wrong activation price for take profit."))
			// Not for these orders: whatever is sent, nobody reads it.
			taken := alice.must("order/collateral/"+path, changed(good, obj{"market": "VAL_PERP", "amount": "0.01", "bboRole": 9, "retail": 9, "positionSide": "LONG"}))
			is(t, "positionSide", taken["positionSide"], "BOTH")

			if priced {
				wrong("price", "high", invalid(33, "price", "Price"+notNumeric))
				wrong("price", "0", invalid(33, "price", "Price should be greater than 0."))
				wrong("price", "50000.001", invalid(33, "price", "Min price step = 0.01"))
				band := inner(422, 250, "price", "The Price is out of bands")
				if path == "stop-limit" {
					band = inner(400, 251, "stopLimitPrice", "The Price is out of bands")
				}
				wrong("price", "55000.01", band)
				wrong("price", "44999.99", band)
			}
			if waits {
				wrong("activation_price", "soon", invalid(30, "activation_price", "Activation price should be numeric string."))
				wrong("activation_price", "0", invalid(30, "activationPrice", "Activation price should be greater than 0."))
				wrong("activation_price", "50000", invalid(30, "activationPrice", "Activation price should not be equal to the last price"))
			}
			wrong("amount", "1000", inner(engines(path), 10, "amount", noMoney))
		})
	}
	t.Run("flags of limit orders", func(t *testing.T) {
		for _, c := range []struct {
			fields obj
			want   refusal
		}{
			{obj{"ioc": true, "postOnly": true}, invalid(37, "ioc", "Either IOC or PostOnly flag in true state is allowed.")},
			{obj{"ioc": true, "rpi": true}, invalid(40, "ioc", schema.Refuse(schema.IOCWithRPI).Text())},
			{obj{"rpi": true}, invalid(43, "rpi", schema.Refuse(schema.RPINotEnabled).Text())},
			{obj{"rpi": true, "postOnly": true}, invalid(30, "postOnly", schema.Refuse(schema.RPIWithPostOnly).Text())},
			{obj{"rpi": true, "takeProfit": "52000"}, invalid(43, "rpi", schema.Refuse(schema.RPINotEnabled).Text())},
			{obj{"postOnly": 1}, invalid(30, "postOnly", "PostOnly field should be a boolean.")},
			{obj{"amount": "0.01", "price": "500"}, inner(422, 250, "price", "The Price is out of bands")},
		} {
			refuses(t, alice.ask("order/collateral/limit", changed(changed(single["limit"], obj{"market": "VAL_PERP"}), c.fields)), c.want)
		}
		bob.bet("VAL_PERP", "sell", "0.1", "50100", obj{"clientOrderId": "mine"})
		refuses(t, alice.ask("order/collateral/limit", obj{"market": "VAL_PERP", "side": "buy", "amount": "0.1", "price": "50100", "postOnly": true}),
			inner(422, 13, "postOnly", asMaker))
		refuses(t, bob.ask("order/collateral/limit", obj{"market": "VAL_PERP", "side": "sell", "amount": "0.1", "price": "50200", "clientOrderId": "mine"}),
			invalid(36, "clientOrderId", "This client order id is already used by the current account."))
	})
	t.Run("spot orders do not trade futures", func(t *testing.T) {
		refuses(t, alice.ask("order/new", obj{"market": "VAL_PERP", "side": "buy", "amount": "0.1", "price": "49000"}),
			invalid(31, "market", "Futures are traded from the collateral balance alone."))
	})
}

// TestCollateralSteps: prices off the tick are refused under the name of their field.
func TestCollateralSteps(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, map[string]obj{"TICK_PERP": {"tick_size": "0.5"}}, plain("alice", "bob"))
	alice, bob := v.trader(t, "alice").backed("100000"), v.trader(t, "bob").backed("100000")
	meet(alice, bob, "TICK_PERP", "0.1", "50000")
	for path, good := range single {
		for field, name := range map[string]string{"stopLoss": "StopLoss", "takeProfit": "TakeProfit"} {
			refuses(t, alice.ask("order/collateral/"+path, changed(good, obj{"market": "TICK_PERP", field: "50000.3"})), invalid(1, field, name+" must be a multiple of 0.5."))
		}
		if _, priced := good["price"]; priced {
			refuses(t, alice.ask("order/collateral/"+path, changed(good, obj{"market": "TICK_PERP", "price": "50000.3"})),
				invalid(1, "price", "Price must be a multiple of 0.5."))
		}
		if _, waits := good["activation_price"]; waits {
			const text = "Activation price must be a multiple of 0.5."
			refuses(t, alice.ask("order/collateral/"+path, changed(good, obj{"market": "TICK_PERP", "activation_price": "50500.3"})),
				invalid(1, "activation_price", text).and("activationPrice", text))
		}
	}
}

// TestCollateralBounds: what a market bounds, and prices that are not fresh.
func TestCollateralBounds(t *testing.T) {
	t.Parallel()
	v, clock := margined(t, map[string]obj{"POS_PERP": {"max_position": "10000"}, "PEND_PERP": {"max_pending": "10000"}, "OLD_PERP": nil}, plain("alice", "bob"))
	alice, bob := v.trader(t, "alice").backed("100000"), v.trader(t, "bob").backed("100000")
	big := func(market string) obj {
		return obj{"market": market, "side": "buy", "amount": "0.3", "price": "50000", "activation_price": "51000"}
	}
	for path := range single {
		for _, market := range []string{"POS_PERP", "PEND_PERP"} {
			want := invalid(111, "amount", "margin position too big")
			if market == "PEND_PERP" {
				want = invalid(112, "amount", "margin pending orders value too big")
			}
			if path == "stop-limit" || path == "trigger-market" {
				refuses(t, alice.ask("order/collateral/"+path, big(market)), invalid(30, "activationPrice", "Empty history"))
				continue
			}
			refuses(t, alice.ask("order/collateral/"+path, big(market)), want)
		}
	}
	meet(alice, bob, "OLD_PERP", "0.1", "50000")
	clock.advance(31 * schema.Second)
	v.Do(&schema.Tick{})
	const text = "There is no fresh price that this could be valued at. Try again later."
	for path, good := range single {
		refuses(t, alice.ask("order/collateral/"+path, changed(good, obj{"market": "OLD_PERP"})), inner(engines(path), 51, "market", text))
	}
	// What closes is taken.
	alice.bet("OLD_PERP", "sell", "0.1", "50500", obj{"reduceOnly": true})
}

// TestCollateralHedge: in hedge mode an order says which position it is for.
func TestCollateralHedge(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, plain("HDG_PERP"), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice").backed("100000"), v.trader(t, "bob").backed("100000")
	const market = "HDG_PERP"
	answers(t, alice.ask("collateral-account/hedge-mode", nil), obj{"hedgeMode": false})
	refuses(t, alice.ask("collateral-account/hedge-mode/update", nil), invalid(30, "hedgeMode", "HedgeMode"+needed))
	refuses(t, alice.ask("collateral-account/hedge-mode/update", obj{"hedgeMode": "on"}), invalid(30, "hedgeMode", "HedgeMode field should be a boolean."))
	meet(bob, bob, market, "0.1", "50000") // a last price
	answers(t, alice.ask("collateral-account/hedge-mode/update", obj{"hedgeMode": true}), obj{"hedgeMode": true})
	answers(t, alice.ask("collateral-account/hedge-mode", nil), obj{"hedgeMode": true})
	mismatch := invalid(114, "hedgeMode", "Order's position side does not match user's setting")
	for path, good := range single {
		fields := changed(good, obj{"market": market})
		refuses(t, alice.ask("order/collateral/"+path, fields), mismatch)
		refuses(t, alice.ask("order/collateral/"+path, changed(fields, obj{"positionSide": "BOTH"})), mismatch)
	}
	answers(t, alice.ask("order/collateral/bulk", obj{"orders": []obj{changed(single["limit"], obj{"market": market})}}), arr{mismatch.item()})

	bob.bet(market, "sell", "0.5", "50000")
	bob.bet(market, "buy", "0.5", "49990")
	is(t, "long", alice.must("order/collateral/market", obj{"market": market, "side": "buy", "amount": "0.2", "positionSide": "LONG"})["positionSide"], "LONG")
	is(t, "short", alice.must("order/collateral/market", obj{"market": market, "side": "sell", "amount": "0.1", "positionSide": "SHORT"})["positionSide"], "SHORT")
	// What trades against its side can only reduce it.
	answers(t, alice.ask("order/collateral/limit", obj{"market": market, "side": "sell", "amount": "1", "price": "51000", "positionSide": "LONG"}),
		betShape(market, "sell", "0.2", "51000", obj{"positionSide": "LONG", "reduceOnly": true}))
	refuses(t, alice.ask("collateral-account/hedge-mode/update", obj{"hedgeMode": false}),
		invalid(113, "hedgeMode", "Position side cannot be changed if there exists futures positions or orders"))
	open := alice.list("collateral-account/positions/open", nil)
	for i, want := range []obj{{"positionSide": "LONG", "amount": "0.2"}, {"positionSide": "SHORT", "amount": "-0.1"}} {
		got := open[i].(map[string]any)
		is(t, "position", map[string]any{"positionSide": got["positionSide"], "amount": got["amount"]}, want)
	}
	long := open[0].(map[string]any)["positionId"]
	refuses(t, alice.ask("collateral-account/position/close", obj{"market": market, "positionId": long, "positionSide": "SHORT"}), mismatch)
	answers(t, alice.ask("collateral-account/position/close", obj{"market": market, "positionId": long, "positionSide": "LONG"}), arr{})
	answers(t, alice.ask("collateral-account/positions/open", obj{"market": market}), test1("amount", "-0.1"))
}

// TestCollateralRegions: no order is paid from collateral in the EU, and nothing becomes collateral there.
func TestCollateralRegions(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, plain("EU_PERP"), with(plain("alice"), "eve", obj{"region": "eu"}))
	eve := v.trader(t, "eve")
	want := refusal{453, 30, "Validation failed", fault("orderType", "This order type is not available")}
	for path, good := range single {
		refuses(t, eve.ask("order/collateral/"+path, changed(good, obj{"market": "EU_PERP"})), want)
	}
	answers(t, eve.ask("order/collateral/bulk", obj{"orders": []obj{changed(single["limit"], obj{"market": "EU_PERP"})}}), arr{want.item()})

	// Moved there before the account was one of the EU, money can be moved back.
	alice := v.trader(t, "alice").backed("100")
	account := v.account("alice")
	account.Region = schema.EU
	v.Do(&schema.SetAccount{Account: account})
	there := invalid(0, "to", "The collateral balance is not available in your region.")
	for _, c := range []trader{alice, eve} {
		refuses(t, c.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "1", "from": "main", "to": "collateral"}), there)
		refuses(t, c.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "1", "method": "collateral-deposit"}), there)
		answers(t, c.ask("collateral-account/balance", obj{"ticker": "USDT"}), obj{"USDT": map[bool]string{true: "100", false: "0"}[c == alice]})
	}
	answers(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "100", "from": "collateral", "to": "main"}), arr{})
	answers(t, alice.ask("main-account/balance", nil), obj{"USDT": mainEntry("1000000", "0")})
}

// TestCollateralStopsWaiting: 100 stops of an account wait on a market at most, whichever door they came by.
func TestCollateralStopsWaiting(t *testing.T) {
	t.Parallel()
	const market = "WAIT_PERP"
	v, _ := margined(t, plain(market), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice").backed("100000"), v.trader(t, "bob").backed("100000")
	meet(alice, bob, market, "0.1", "50000")
	s := alice.socket()
	fields := obj{"market": market, "side": "buy", "amount": "0.01", "activation_price": "50500"}
	limit := changed(fields, obj{"price": "50600"})
	first := alice.must("order/collateral/stop-limit", limit)
	alice.must("order/collateral/trigger-market", fields)
	s.must("collateral_order_stop_limit_place", limit)
	s.must("collateral_order_stop_market_place", fields)
	for range 96 {
		alice.must("order/collateral/stop-limit", limit)
	}
	full := inner(400, 103, "error", "Max. limit of margin stop limit orders have been reached.")
	refuses(t, alice.ask("order/collateral/stop-limit", limit), full)
	refuses(t, alice.ask("order/collateral/trigger-market", fields), full.as(422))
	s.refuses(103, "max num margin stop market orders", "collateral_order_stop_limit_place", limit)
	s.refuses(103, "max num margin stop market orders", "collateral_order_stop_market_place", fields)
	alice.bet(market, "buy", "0.01", "49000")
	bob.must("order/collateral/stop-limit", limit)
	changed := alice.must("order/modify", obj{"market": market, "orderId": first["orderId"], "activationPrice": "50400"})
	refuses(t, alice.ask("order/collateral/stop-limit", limit), full)
	alice.must("order/cancel", obj{"market": market, "orderId": changed["orderId"]})
	alice.must("order/collateral/stop-limit", limit)
}
