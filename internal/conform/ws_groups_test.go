package conform_test

import (
	"testing"

	"bourse/internal/schema"
)

// socketBet is a limit order from collateral that found nobody to trade with, as the socket answers it, and socketBetStop one that waits.
func socketBet(market, side, amount, price string, changes obj) obj {
	return changed(socketLimit(market, side, amount, price, obj{"type": 7, "reduce_only": false}), changes)
}

func socketBetStop(kind int, market, side, amount, price, activation string, changes obj) obj {
	return changed(socketStop(kind, market, side, amount, price, activation, obj{"reduce_only": false}), changes)
}

const (
	placesOCO  = "collateral_order_oco_place"
	placesOTO  = "collateral_order_oto_place"
	placesTPSL = "collateral_order_tpsl_place"
	dissolves  = "order_cancel_conditional"
)

// TestSocketBestPriceOnFutures: orders from collateral take their price from the book (8.1), primaries of an OTO too.
func TestSocketBestPriceOnFutures(t *testing.T) {
	t.Parallel()
	const m = "BTC_PERP"
	v, _ := margined(t, plain(m), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice").backed("100000"), v.trader(t, "bob").backed("100000")
	s := alice.socket()
	meet(bob, bob, m, "0.1", "50000")
	best := func(side string, more obj) obj { return changed(obj{"market": m, "side": side, "amount": "0.1"}, more) }
	const limit, stop = "collateral_order_bbo_place", "collateral_order_stop_bbo_place"
	s.refuses(12, "not enough traders", limit, best("buy", obj{"bbo_role": 1}))
	s.refuses(1, "bbo role must be an integer in range 1..2", limit, best("buy", obj{"bbo_role": 3}))
	s.refuses(1, "activation_price is required", stop, best("buy", obj{"bbo_role": 1}))
	bob.bet(m, "buy", "1", "49900")
	bob.bet(m, "sell", "1", "50100")
	is(t, "in the queue", s.must(limit, best("buy", obj{"bbo_role": 1})), socketBet(m, "buy", "0.1", "49900", obj{"post_only": true}))
	if o := s.must(limit, best("buy", obj{"bbo_role": 2, "ioc": true})); o["price"] != "50100" || o["status"] != "FILLED" {
		t.Errorf("at the other side: %v", o)
	}
	s.refuses(1, "wrong flags combination", limit, best("buy", obj{"bbo_role": 2, "post_only": true}))
	is(t, "a stop", s.must(stop, best("sell", obj{"bbo_role": 2, "activation_price": "49500"})), socketBetStop(9, m, "sell", "0.1", "0", "49500", nil))
	is(t, "a primary", s.must(placesOTO, obj{
		"trigger_order_type": "margin_bbo", "trigger_order": best("buy", obj{"bbo_role": 1}), "conditional_order_type": "margin_take_profit", "take_profit": "49901",
	}), obj{
		"type": "oto", "id": anID, "conditional_order_type": "margin_take_profit", "take_profit_price": "49901",
		"trigger_order": socketBet(m, "buy", "0.1", "49900", obj{"post_only": true}),
	})
	s.refuses(105, "wrong activation price for take profit", placesOTO, obj{
		"trigger_order_type": "margin_stop_bbo", "trigger_order": best("buy", obj{"bbo_role": 1, "activation_price": "51000"}), "conditional_order_type": "margin_take_profit", "take_profit": "50100",
	})
}

// TestSocketOCO places and cancels an OCO (8.2, 8.3).
func TestSocketOCO(t *testing.T) {
	t.Parallel()
	const m = "BTC_PERP"
	v, clock := margined(t, with(plain(m), "TICK_PERP", obj{"tick_size": "0.5"}), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice").backed("100000"), v.trader(t, "bob").backed("100000")
	s := alice.socket()
	meet(bob, bob, m, "0.1", "50000")
	meet(bob, bob, "TICK_PERP", "0.1", "50000")
	bob.bet(m, "buy", "0.1", "49900")
	oco := func(changes obj) obj { return ocoFields(m, changes) }
	group := func(changes obj) obj {
		return obj{
			"type": "oco", "id": anID,
			"take_profit": changed(socketBet(m, "sell", "0.2", "51000", obj{"client_order_id": "p"}), changes),
			"stop_loss":   changed(socketBetStop(9, m, "sell", "0.2", "49400", "49500", obj{"client_order_id": "l"}), changes),
		}
	}
	names := obj{"limit_client_order_id": "p", "stop_client_order_id": "l", "client_order_id": "nobody reads this", "stp": "cancel_both"}
	placed := s.must(placesOCO, oco(names))
	is(t, "placed", placed, group(obj{"stp": "cb"}))
	limit := placed["take_profit"].(map[string]any)["id"]
	s.refuses(6, "order not found", "order_cancel", obj{"market": m, "order_id": limit})
	s.refuses(6, "order not found", "order_cancel", obj{"market": m, "client_order_id": "l"})
	s.refuses(155, "conditional order modification", "order_modify", obj{"market": m, "order_id": limit, "price": "51500"})
	s.refuses(6, "order not found", dissolves, obj{"market": m, "order_id": limit})
	s.refuses(6, "order not found", dissolves, obj{"market": m, "order_id": 0})
	s.refuses(6, "order not found", dissolves, obj{"market": "TICK_PERP", "order_id": placed["id"]})
	bob.socket().refuses(6, "order not found", dissolves, obj{"market": m, "order_id": placed["id"]})
	clock.advance(schema.Second)
	is(t, "canceled", s.must(dissolves, obj{"market": m, "order_id": placed["id"]}), group(obj{"stp": "cb", "status": "CANCELED", "mtime": pattern("1790000001.000000")}))

	for _, c := range []struct {
		code    int
		text    string
		changes obj
	}{
		{1, "price is required", obj{"price": nil}},
		{1, "activation_price is required", obj{"activation_price": nil}},
		{1, "stop_limit_price is required", obj{"stop_limit_price": nil}},
		{1, "stop_limit_price is invalid", obj{"stop_limit_price": "low"}},
		{1, "stop_limit_price must be > 0", obj{"stop_limit_price": "0"}},
		{1, "stop_limit_price: precision is greater than 2", obj{"stop_limit_price": "49400.001"}},
		{1, "stop_limit_price: precision is greater than 2", obj{"stop_limit_price": "49400.0000000000000000001"}},
		{1, "stop_limit_price: not a multiple of tick size", obj{"market": "TICK_PERP", "stop_limit_price": "49400.3"}},
		{1, "price: not a multiple of tick size", obj{"market": "TICK_PERP", "price": "51000.3"}},
		{1, "limit_client_order_id is invalid", obj{"limit_client_order_id": "a b"}},
		{1, "stop_client_order_id is invalid", obj{"stop_client_order_id": 7}},
		{1, "limit_client_order_id and stop_client_order_id cannot be equal", obj{"limit_client_order_id": "x", "stop_client_order_id": "x"}},
		{1, "position_side is invalid", obj{"position_side": "UP"}},
		{11, "amount too small", obj{"amount": "0.001"}},
		{116, "margin order with reduce only is rejected", obj{"reduce_only": true}},
		{150, "take profit is not post only", obj{"price": "49900"}},
		{151, "wrong activation price for stop loss", obj{"activation_price": "50000"}},
		{152, "can not place stop loss", obj{"amount": "1000"}},
		{153, "can not place take profit", obj{"amount": "1000", "price": "50100", "stop_limit_price": "50200"}},
		{250, "price is out of bands", obj{"price": "55000.01"}},
		{251, "stop_limit_price is out of bands", obj{"stop_limit_price": "44999.99"}},
	} {
		s.refuses(c.code, c.text, placesOCO, oco(c.changes))
	}
	is(t, "open orders", len(alice.orders(m)) == 0, true)
}

// TestSocketOTO places and cancels OTOs, and hears of them (7.5, 8.2, 8.3).
func TestSocketOTO(t *testing.T) {
	t.Parallel()
	const m = "BTC_PERP"
	v, _ := margined(t, with(plain(m, "ETH_PERP"), "TICK_PERP", obj{"tick_size": "0.5"}), with(plain("bob"), "alice", obj{"rpi": true}))
	alice, bob := v.trader(t, "alice").backed("100000"), v.trader(t, "bob").backed("100000")
	s, elsewhere := alice.socket(), alice.socket()
	meet(bob, bob, m, "0.1", "50000")
	meet(bob, bob, "TICK_PERP", "0.1", "50000")
	s.Must("ordersPending_subscribe", m)
	elsewhere.Must("ordersPending_subscribe", "ETH_PERP")
	entry := obj{"market": m, "side": "buy", "amount": "0.1", "price": "49000", "client_order_id": "entry"}
	oto := func(changes obj) obj {
		return changed(obj{
			"trigger_order_type": "margin_limit", "trigger_order": entry, "conditional_order_type": "margin_market_oco", "take_profit": "52000", "stop_loss": "48000",
		}, changes)
	}
	group := func(order, changes obj) obj {
		return changed(obj{
			"type": "oto", "id": anID, "conditional_order_type": "margin_market_oco", "take_profit_price": "52000", "stop_loss_price": "48000", "trigger_order": order,
		}, changes)
	}
	heard := func(event int, order obj, changes obj) {
		t.Helper()
		want := group(changed(order, obj{"rpi": false}), changes)
		delete(want, "type")
		pushes(t, s.Socket, "otoOrdersPending", arr{event, want})
	}

	limit := socketBet(m, "buy", "0.1", "49000", obj{"client_order_id": "entry"})
	placed := s.must(placesOTO, oto(nil))
	is(t, "placed", placed, group(limit, nil))
	heard(1, limit, nil)
	s.refuses(6, "order not found", "order_cancel", obj{"market": m, "client_order_id": "entry"})
	s.refuses(155, "conditional order modification", "order_modify", obj{"market": m, "client_order_id": "entry", "price": "48500"})
	over := changed(limit, obj{"status": "CANCELED"})
	is(t, "canceled", s.must(dissolves, obj{"market": m, "order_id": placed["id"]}), group(over, nil))
	heard(3, over, nil)

	// A primary that ends at once, and one that waits: each is heard of once when it begins and once when it ends.
	bob.bet(m, "sell", "0.1", "50000")
	bought := socketBet(m, "buy", "0.1", "0", obj{"type": 8, "status": "FILLED", "left": "0", "deal_stock": "0.1", "deal_money": "5000", "deal_fee": "2.5"})
	market := s.must(placesOTO, oto(obj{"trigger_order_type": "margin_market", "trigger_order": obj{"market": m, "side": "buy", "amount": "0.1"}}))
	is(t, "placed", market, group(bought, nil))
	heard(1, bought, nil)
	heard(3, bought, nil)
	exit := func(activation, condition string) obj {
		return socketBetStop(10, m, "sell", "0.1", "0", activation, obj{"reduce_only": true, "activation_condition": condition})
	}
	// The take profit and the stop loss are canceled with what they came from.
	canceled := obj{"status": "CANCELED"}
	want := group(nil, obj{"take_profit": changed(exit("52000", "gte"), canceled), "stop_loss": changed(exit("48000", "lte"), canceled)})
	delete(want, "trigger_order")
	is(t, "canceled", s.must(dissolves, obj{"market": m, "order_id": market["id"]}), want)

	profit := obj{"conditional_order_type": "margin_take_profit"}
	only := func(order obj) obj {
		w := group(order, profit)
		delete(w, "stop_loss_price")
		return w
	}
	one := oto(obj{"conditional_order_type": "margin_limit", "stop_loss": nil})
	stop := socketBetStop(10, m, "buy", "0.1", "0", "50500", nil)
	is(t, "stop market", s.must(placesOTO, changed(one, obj{
		"trigger_order_type": "margin_stop_market", "trigger_order": obj{"market": m, "side": "buy", "amount": "0.1", "activation_price": "50500"},
	})), only(stop))
	waits := socketBetStop(9, m, "buy", "0.1", "50600", "50500", nil)
	is(t, "stop limit", s.must(placesOTO, changed(one, obj{
		"trigger_order_type": "margin_stop_limit", "trigger_order": obj{"market": m, "side": "buy", "amount": "0.1", "price": "50600", "activation_price": "50500"},
	})), only(waits))
	loss := group(limit, obj{"conditional_order_type": "margin_stop_loss"})
	delete(loss, "take_profit_price")
	is(t, "stop loss alone", s.must(placesOTO, oto(obj{"conditional_order_type": "margin_stop_limit", "take_profit": nil})), loss)
	for range 3 {
		if p := s.Pushed("otoOrdersPending_update"); p[:3] != "[1," {
			t.Errorf("pushed %s", p)
		}
	}
	meet(bob, bob, m, "0.1", "50500") // wakes both up: one finds nobody and ends, the other rests
	if p := s.Pushed("otoOrdersPending_update"); p[:3] != "[3," {
		t.Errorf("pushed %s", p)
	}
	s.must("order_cancel_all", obj{"market": m, "type": arr{"futures"}})
	for range 2 {
		if p := s.Pushed("otoOrdersPending_update"); p[:3] != "[3," {
			t.Errorf("pushed %s", p)
		}
	}

	for _, c := range []struct {
		code    int
		text    string
		changes obj
	}{
		{1, "trigger_order_type is required", obj{"trigger_order_type": nil}},
		{201, "unknown trigger order type in oto", obj{"trigger_order_type": "limit"}},
		{1, "trigger_order is required", obj{"trigger_order": nil}},
		{1, "trigger_order is invalid", obj{"trigger_order": arr{}}},
		{1, "market is required", obj{"trigger_order": obj{}}},
		{1, "side is invalid", obj{"trigger_order": changed(entry, obj{"side": "hold"})}},
		{1, "price is required", obj{"trigger_order": changed(entry, obj{"price": nil})}},
		{1, "activation_price is required", obj{"trigger_order_type": "margin_stop_limit"}},
		{1, "conditional_order_type is required", obj{"conditional_order_type": nil}},
		{200, "unknown conditional order type in oto", obj{"conditional_order_type": "oco"}},
		{1, "take_profit and stop_loss are required", obj{"stop_loss": nil}},
		{1, "only take_profit is required", obj{"conditional_order_type": "margin_take_profit"}},
		{1, "only take_profit is required", obj{"conditional_order_type": "margin_limit", "take_profit": nil}},
		{1, "only stop_loss is required", obj{"conditional_order_type": "margin_stop_loss"}},
		{1, "take_profit is invalid", obj{"take_profit": "high"}},
		{1, "price of the take profit must be > 0", obj{"take_profit": "0"}},
		{1, "price of the stop loss must be > 0", obj{"stop_loss": "-1"}},
		{1, "price of the take profit: precision is greater than 2", obj{"take_profit": "52000.001"}},
		{1, "price of the stop loss: not a multiple of tick size", obj{"trigger_order": changed(entry, obj{"market": "TICK_PERP"}), "stop_loss": "48000.3"}},
		{1, "flags: rpi=1 can't be set for trigger in oto", obj{"trigger_order": changed(entry, obj{"rpi": true})}},
		{1, "reduce_only can't be combined with take_profit and stop_loss", obj{"trigger_order": changed(entry, obj{"reduce_only": true})}},
		{105, "wrong activation price for take profit", obj{"take_profit": "49000"}},
		{106, "wrong activation price for stop loss", obj{"stop_loss": "49000"}},
		{17, "user margin balance not enough", obj{"trigger_order": changed(entry, obj{"amount": "1000"})}},
	} {
		s.refuses(c.code, c.text, placesOTO, oto(c.changes))
	}
	alice.bet("ETH_PERP", "buy", "0.1", "49000")
	if p := elsewhere.Next(); p[:31] != `{"method":"ordersPending_update` {
		t.Errorf("who listens to another market heard %s", p)
	}
}

// TestSocketTPSL protects a whole position (8.2), which positions/open shows.
func TestSocketTPSL(t *testing.T) {
	t.Parallel()
	const m = "BTC_PERP"
	v, _ := margined(t, with(plain(m), "TICK_PERP", obj{"tick_size": "0.5"}), plain("alice", "bob", "hal"))
	alice, bob, hal := v.trader(t, "alice").backed("100000"), v.trader(t, "bob").backed("100000"), v.trader(t, "hal").backed("100000")
	s := alice.socket()
	tpsl := func(changes obj) obj {
		return changed(obj{"market": m, "take_profit_activation_price": "52000", "stop_loss_activation_price": "48000"}, changes)
	}
	s.refuses(104, "margin position not exists", placesTPSL, tpsl(nil))
	meet(alice, bob, m, "0.3", "50000")
	meet(alice, bob, "TICK_PERP", "0.1", "50000")
	exit := func(side, activation, condition string, changes obj) obj {
		return changed(socketBetStop(10, m, side, "0", "0", activation, obj{"reduce_only": true, "activation_condition": condition}), changes)
	}
	placed := s.must(placesTPSL, tpsl(obj{"stp": "cn", "position_side": "SHORT"}))
	profit, loss := exit("sell", "52000", "gte", obj{"stp": "cn"}), exit("sell", "48000", "lte", obj{"stp": "cn"})
	is(t, "placed", placed, obj{"take_profit": profit, "stop_loss": loss})
	id := func(group map[string]any, leg string) any { return group[leg].(map[string]any)["id"] }
	shows := func(want any) {
		t.Helper()
		list := alice.list("collateral-account/positions/open", obj{"market": m})
		is(t, "tpsl", list[0].(map[string]any)["tpsl"], want)
	}
	shows(obj{"takeProfitId": seen(id(placed, "take_profit")), "takeProfit": "52000", "stopLossId": seen(id(placed, "stop_loss")), "stopLoss": "48000"})
	is(t, "another market", alice.list("collateral-account/positions/open", obj{"market": "TICK_PERP"})[0].(map[string]any)["tpsl"], nil)
	// They are orders of no OTO.
	answers(t, alice.ask("orders", obj{"market": m}), arr{
		triggerShape(m, "sell", "0", "", "48000", obj{"reduceOnly": true, "stp": "cn"}),
		triggerShape(m, "sell", "0", "", "52000", obj{"reduceOnly": true, "stp": "cn", "activationCondition": "gte"}),
	})
	s.refuses(160, "tpsl order modification", "order_modify", obj{"market": m, "order_id": id(placed, "stop_loss"), "activation_price": "47000"})
	s.refuses(6, "order not found", dissolves, obj{"market": m, "order_id": id(placed, "stop_loss")})

	// One takes the place of another, and they are canceled one by one.
	next := s.must(placesTPSL, tpsl(obj{"stop_loss_activation_price": nil, "take_profit_activation_price": "53000"}))
	is(t, "replaced", next, obj{"take_profit": exit("sell", "53000", "gte", nil)})
	shows(obj{"takeProfitId": seen(id(next, "take_profit")), "takeProfit": "53000", "stopLossId": seen(id(placed, "stop_loss")), "stopLoss": "48000"})
	is(t, "canceled", s.must("order_cancel", obj{"market": m, "order_id": id(placed, "stop_loss")}), changed(loss, obj{"status": "CANCELED"}))
	shows(obj{"takeProfitId": seen(id(next, "take_profit")), "takeProfit": "53000"})
	is(t, "canceled", s.must("order_cancel", obj{"market": m, "order_id": id(next, "take_profit")})["status"], "CANCELED")
	shows(nil)
	is(t, "stop loss alone", s.must(placesTPSL, tpsl(obj{"take_profit_activation_price": nil})), obj{"stop_loss": exit("sell", "48000", "lte", nil)})
	// The position ends, and with it what protects it.
	bob.bet(m, "buy", "0.3", "49990")
	answers(t, alice.ask("collateral-account/position/close", obj{"market": m, "positionId": alice.list("collateral-account/positions/open", obj{"market": m})[0].(map[string]any)["positionId"]}), arr{})
	is(t, "open orders", len(alice.orders(m)) == 0, true)

	// The past has them by their type: three that were canceled or replaced, and the one that ended with the position.
	past := s.Must("ordersExecuted_request", obj{"market": m, "order_types": arr{10}}, 0, 50)
	records := read(t, past)["records"].([]any)
	for _, r := range records {
		is(t, "type", r.(map[string]any)["type"], 10)
		is(t, "status", r.(map[string]any)["status"], "CANCELED")
	}
	is(t, "records", len(records) == 4, true)

	meet(bob, alice, m, "0.3", "50000")
	is(t, "of a short", s.must(placesTPSL, tpsl(obj{"take_profit_activation_price": "48000", "stop_loss_activation_price": "52000"})), obj{
		"take_profit": exit("buy", "48000", "lte", nil), "stop_loss": exit("buy", "52000", "gte", nil),
	})
	for _, c := range []struct {
		code    int
		text    string
		changes obj
	}{
		{1, "one of activations prices should be set", obj{"take_profit_activation_price": nil, "stop_loss_activation_price": nil}},
		{1, "take_profit_activation_price is invalid", obj{"take_profit_activation_price": "high"}},
		{1, "price of the take profit must be > 0", obj{"take_profit_activation_price": "0"}},
		{1, "price of the stop loss must be > 0", obj{"take_profit_activation_price": "48000", "stop_loss_activation_price": 0}},
		{1, "price of the stop loss: precision is greater than 2", obj{"stop_loss_activation_price": "52000.001"}},
		{1, "price of the take profit: not a multiple of tick size", obj{"market": "TICK_PERP", "take_profit_activation_price": "52000.3"}},
		{1, "stp is invalid", obj{"stp": "cx"}},
		{105, "wrong activation price for take profit", nil},
		{106, "wrong activation price for stop loss", obj{"take_profit_activation_price": "48000"}},
	} {
		s.refuses(c.code, c.text, placesTPSL, tpsl(c.changes))
	}

	// In hedge mode each side has its own.
	hal.must("collateral-account/hedge-mode/update", obj{"hedgeMode": true})
	hedged := hal.socket()
	bob.bet(m, "sell", "0.2", "50000")
	hal.must("order/collateral/market", obj{"market": m, "side": "buy", "amount": "0.2", "positionSide": "LONG"})
	bob.bet(m, "buy", "0.1", "49990")
	hal.must("order/collateral/market", obj{"market": m, "side": "sell", "amount": "0.1", "positionSide": "SHORT"})
	hedged.refuses(114, "order's position side does not match user's setting", placesTPSL, tpsl(nil))
	long := hedged.must(placesTPSL, tpsl(obj{"position_side": "LONG"}))
	is(t, "side", long["take_profit"].(map[string]any)["position_side"], "LONG")
	open := hal.list("collateral-account/positions/open", obj{"market": m})
	is(t, "long", open[0].(map[string]any)["tpsl"], obj{
		"takeProfitId": seen(id(long, "take_profit")), "takeProfit": "52000", "stopLossId": seen(id(long, "stop_loss")), "stopLoss": "48000",
	})
	is(t, "short", open[1].(map[string]any)["tpsl"], nil)
}
