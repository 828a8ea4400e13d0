package conform_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/schema"
)

// socketed is a trader over WebSocket.
type socketed struct {
	*conform.Socket
	t *testing.T
}

func (c trader) socket() socketed { return socketed{c.Authorized(), c.t} }

// must asks a method about orders for something that it must do and returns what it answers.
func (s socketed) must(method string, fields obj) map[string]any {
	s.t.Helper()
	return read(s.t, s.Must(method, fields))
}

// refuses holds a method to an error.
func (s socketed) refuses(code int, text, method string, fields obj) {
	s.t.Helper()
	s.Refused(code, text, method, fields)
}

func read(t *testing.T, text string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var answer map[string]any
	if err := d.Decode(&answer); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return answer
}

// socketLimit is a limit order that found nobody to trade with, as the socket answers it.
func socketLimit(market, side, amount, price string, changes obj) obj {
	return changed(obj{
		"id": anID, "market": market, "type": 1, "side": map[string]int{"buy": 2, "sell": 1}[side], "post_only": false, "ioc": false,
		"ctime": aMoment, "mtime": aMoment, "price": price, "amount": amount, "left": amount, "deal_stock": "0", "deal_money": "0",
		"deal_fee": "0", "client_order_id": "", "stp": "no", "status": "OPEN", "position_side": "BOTH",
	}, changes)
}

// socketStop is a stop order that waits.
func socketStop(kind int, market, side, amount, price, activation string, changes obj) obj {
	return changed(socketLimit(market, side, amount, price, obj{
		"type": kind, "activation_price": activation, "activated": 0,
		"activation_condition": map[string]string{"buy": "gte", "sell": "lte"}[side],
	}), changes)
}

// TestSocketPlacesOrders goes through the eight methods that place orders on spot markets.
func TestSocketPlacesOrders(t *testing.T) {
	t.Parallel()
	const m = "WSP_USDT"
	v := operate(t, newClock(), plain(m), with(plain("bob"), "alice", obj{"rpi": true}))
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	s := alice.socket()
	tradeAt(bob, alice, m, "100")
	order := func(side, amount string, more obj) obj {
		return changed(obj{"market": m, "side": side, "amount": amount}, more)
	}
	check := func(method string, fields, want obj) {
		t.Helper()
		is(t, method, s.must(method, fields), want)
	}

	check("order_limit_place", order("buy", "1.50", obj{"price": "90.10", "client_order_id": "a-1.b_2", "stp": "cancel_old"}),
		socketLimit(m, "buy", "1.5", "90.1", obj{"client_order_id": "a-1.b_2", "stp": "co"}))
	check("order_limit_place", order("sell", "1", obj{"price": json.Number("110.50"), "amount": json.Number("1.0"), "post_only": true}),
		socketLimit(m, "sell", "1", "110.5", obj{"post_only": true}))
	check("order_limit_place", order("buy", "1", obj{"price": "95", "ioc": true, "post_only": false}),
		socketLimit(m, "buy", "1", "95", obj{"ioc": true, "status": "CANCELED"}))
	check("order_limit_place", order("sell", "1", obj{"price": "120", "rpi": true, "unheard": "of"}),
		socketLimit(m, "sell", "1", "120", nil))

	bob.limit(m, "sell", "4", "101")
	check("order_limit_place", order("buy", "1", obj{"price": "101"}), socketLimit(m, "buy", "1", "101",
		obj{"status": "FILLED", "left": "0", "deal_stock": "1", "deal_money": "101", "deal_fee": "0.002"}))
	// Flags are not for orders at the market, and ignored.
	check("order_market_place", order("buy", "101", obj{"post_only": true}), socketLimit(m, "buy", "101", "0",
		obj{"type": 2, "status": "FILLED", "left": "0", "deal_stock": "1", "deal_money": "101", "deal_fee": "0.002"}))
	check("order_market_stock_place", order("buy", "0.5", nil), socketLimit(m, "buy", "0.5", "0",
		obj{"type": 202, "status": "FILLED", "left": "0", "deal_stock": "0.5", "deal_money": "50.5", "deal_fee": "0.001"}))
	// Own orders count: 1.5 of bob and 1 of alice herself.
	check("order_market_stock_place", order("buy", "3", nil), socketLimit(m, "buy", "3", "0",
		obj{"type": 202, "status": "PARTIALLY_FILLED", "left": "0.5", "deal_stock": "2.5", "deal_money": "262", "deal_fee": "0.005"}))

	bob.limit(m, "buy", "1", "99")
	check("order_market_place", order("sell", "1", nil), socketLimit(m, "sell", "1", "0",
		obj{"type": 2, "status": "FILLED", "left": "0", "deal_stock": "1", "deal_money": "99", "deal_fee": "0.198"}))

	check("order_stop_limit_place", order("buy", "1", obj{"price": "130", "activation_price": "125.5"}), socketStop(3, m, "buy", "1", "130", "125.5", nil))
	check("order_stop_market_place", order("buy", "20.5", obj{"activation_price": "125"}), socketStop(4, m, "buy", "20.5", "0", "125", nil))
	check("order_stop_market_place", order("sell", "2", obj{"activation_price": "80"}), socketStop(4, m, "sell", "2", "0", "80", nil))
	check("order_stop_market_stock_place", order("buy", "2", obj{"activation_price": "125"}), socketStop(203, m, "buy", "2", "0", "125", nil))
	check("order_stop_market_stock_place", order("sell", "2", obj{"activation_price": "80"}), socketStop(203, m, "sell", "2", "0", "80", nil))
	check("order_stop_bbo_place", order("sell", "2", obj{"activation_price": "80", "bbo_role": 1}), socketStop(3, m, "sell", "2", "0", "80", nil))

	// The best bid is alice's own at 90.1; asks are gone.
	check("order_bbo_place", order("buy", "1", obj{"bbo_role": 1}), socketLimit(m, "buy", "1", "90.1", obj{"post_only": true}))
	check("order_bbo_place", order("buy", "1", obj{"bbo_role": 1, "post_only": true}), socketLimit(m, "buy", "1", "90.1", obj{"post_only": true}))
	bob.limit(m, "sell", "1", "105")
	check("order_bbo_place", order("buy", "1", obj{"bbo_role": 2, "ioc": true}), socketLimit(m, "buy", "1", "105",
		obj{"ioc": true, "status": "FILLED", "left": "0", "deal_stock": "1", "deal_money": "105", "deal_fee": "0.002"}))

	// A stop that counts base is a stop market order to REST.
	if list := alice.list("orders", obj{"market": m, "limit": 6}); len(list) != 6 || list[4].(map[string]any)["type"] != "stop market" {
		t.Errorf("REST lists %v", list)
	}
}

// TestSocketOrderOfTheDocument is the example of websocket 8.
func TestSocketOrderOfTheDocument(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := operate(t, clock, plain("BTC_USDT"), plain("alice"))
	clock.advance(schema.Second * 13 / 4)
	s := v.trader(t, "alice").socket()
	s.Send(`{"id":31,"method":"order_limit_place","params":[{"market":"BTC_USDT","side":"buy","amount":"0.010","price":"51000.50","client_order_id":"a-1"}]}`)
	const want = `{"error":null,"result":{"id":1,"market":"BTC_USDT","type":1,"side":2,"post_only":false,"ioc":false,"ctime":1790000003.250000,"mtime":1790000003.250000,` +
		`"price":"51000.5","amount":"0.01","left":"0.01","deal_stock":"0","deal_money":"0","deal_fee":"0","client_order_id":"a-1","stp":"no","status":"OPEN","position_side":"BOTH"},"id":31}`
	if got := s.Next(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSocketModifiesAndCancels goes through the methods on orders that are open.
func TestSocketModifiesAndCancels(t *testing.T) {
	t.Parallel()
	const m = "WSM_USDT"
	clock := newClock()
	v := operate(t, clock, plain(m, "OTHER_USDT"), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	s := alice.socket()
	tradeAt(bob, alice, m, "100")
	place := func(method string, more obj) obj {
		t.Helper()
		return s.must(method, changed(obj{"market": m, "side": "buy", "amount": "1"}, more))
	}

	old := place("order_limit_place", obj{"price": "90", "client_order_id": "mine", "stp": "cb"})
	clock.advance(schema.Second)
	changes := s.must("order_modify", obj{"market": m, "order_id": old["id"], "price": "91.50", "amount": "2"})
	is(t, "modified", changes, socketLimit(m, "buy", "2", "91.5", obj{"client_order_id": "mine", "stp": "cb", "ctime": pattern("1790000001.000000")}))
	if fmt.Sprint(changes["id"]) == fmt.Sprint(old["id"]) {
		t.Error("a modified order keeps its number")
	}
	s.refuses(6, "order not found", "order_modify", obj{"market": m, "order_id": old["id"], "price": "92"})
	is(t, "modified by name", s.must("order_modify", obj{"market": m, "client_order_id": "mine", "price": "92", "stp": "no"}),
		socketLimit(m, "buy", "2", "92", obj{"client_order_id": "mine"}))
	clock.advance(schema.Second)
	// The name wins where both are given, and ctime stays.
	is(t, "canceled", s.must("order_cancel", obj{"market": m, "order_id": 999999, "client_order_id": "mine"}),
		socketLimit(m, "buy", "2", "92", obj{"client_order_id": "mine", "status": "CANCELED", "ctime": pattern("1790000001.000000"), "mtime": pattern("1790000002.000000")}))

	stop := place("order_stop_market_place", obj{"amount": "50", "activation_price": "120"})
	is(t, "total", s.must("order_modify", obj{"market": m, "order_id": stop["id"], "total": "60", "activation_price": "130"}), socketStop(4, m, "buy", "60", "0", "130", nil))
	stock := place("order_stop_market_stock_place", obj{"activation_price": "120"})
	is(t, "amount", s.must("order_modify", obj{"market": m, "order_id": stock["id"], "amount": "3"}), socketStop(203, m, "buy", "3", "0", "120", nil))

	bob.limit(m, "sell", "1", "110")
	limit := place("order_limit_place", obj{"price": "90"})
	maker := place("order_limit_place", obj{"price": "90", "post_only": true})
	stopID := s.must("order_stop_limit_place", obj{"market": m, "side": "sell", "amount": "1", "price": "70", "activation_price": "80"})["id"]
	market := s.must("order_stop_market_place", obj{"market": m, "side": "buy", "amount": "50", "activation_price": "121"})["id"]
	for _, c := range []struct {
		code int
		text string
		more obj
	}{
		{1, "market is required", obj{"market": nil}},
		{1, "market does not exist", obj{"market": "NO_MARKET", "price": "1"}},
		{1, "order_id or client_order_id must be set for modify", obj{"order_id": nil, "price": "1"}},
		{1, "order_id or client_order_id must be set for modify", obj{"order_id": nil, "client_order_id": "", "price": "1"}},
		{1, "order_id is invalid", obj{"order_id": "one", "price": "1"}},
		{1, "at least price or amount or total or activation price should be specified", nil},
		{1, "amount and total cannot be specified simultaneously", obj{"amount": "1", "total": "1"}},
		{1, "price is invalid", obj{"price": "cheap"}},
		{1, "stp is invalid", obj{"price": "90", "stp": "cx"}},
		{6, "order not found", obj{"order_id": 0, "price": "90"}},
		{6, "order not found", obj{"order_id": -5, "price": "90"}},
		{6, "order not found", obj{"order_id": nil, "client_order_id": "no order has this!", "price": "90"}},
		{6, "order not found", obj{"market": "OTHER_USDT", "price": "90"}},
		{158, "wrong activation price for limit order", obj{"activation_price": "1"}},
		{159, "wrong limit price for stop market order", obj{"order_id": market, "price": "1"}},
		{162, "wrong param total", obj{"total": "50"}},
		{163, "wrong param amount", obj{"order_id": market, "amount": "50"}},
		{101, "activation price should not be equal to the last price", obj{"order_id": stopID, "activation_price": "100"}},
		{1, "total: precision is greater than 3", obj{"order_id": market, "total": "50.0001"}},
		{1, "total: precision is greater than 3", obj{"order_id": market, "total": "50.0000000000000000001"}},
		{1, "total must be <= 500000", obj{"order_id": market, "total": "500001"}},
		{11, "amount too small", obj{"order_id": market, "total": "1"}},
		{1, "amount: not a multiple of step size", obj{"amount": "1.0001"}},
		{1, "price: not a multiple of tick size", obj{"price": "90.001"}},
		{1, "activation_price: not a multiple of tick size", obj{"order_id": stopID, "activation_price": "80.001"}},
		{10, "balance not enough", obj{"order_id": stopID, "amount": "1001"}},
		{13, "order by taker price", obj{"order_id": maker["id"], "price": "110"}},
	} {
		s.refuses(c.code, c.text, "order_modify", changed(obj{"market": m, "order_id": limit["id"]}, c.more))
	}

	for _, c := range []struct {
		code   int
		text   string
		method string
		fields obj
	}{
		{1, "market is required", "order_cancel", obj{"order_id": 1}},
		{1, "market does not exist", "order_cancel", obj{"market": "NO_MARKET", "order_id": 1}},
		{1, "order_id or client_order_id must be set for modify", "order_cancel", obj{"market": m}},
		{1, "client_order_id is invalid", "order_cancel", obj{"market": m, "client_order_id": 7}},
		{6, "order not found", "order_cancel", obj{"market": m, "order_id": 999999}},
		{6, "order not found", "order_cancel", obj{"market": "OTHER_USDT", "order_id": limit["id"]}},
		{1, "market is required", "order_cancel_all", obj{"type": arr{"spot"}}},
		{1, "market does not exist", "order_cancel_all", obj{"market": "NO_MARKET", "type": arr{"spot"}}},
		{1, "order types must be an array", "order_cancel_all", obj{"market": m}},
		{1, "order types must be an array", "order_cancel_all", obj{"market": m, "type": "spot"}},
		{1, "at least one order type should be specified", "order_cancel_all", obj{"market": m, "type": arr{}}},
		{1, "invalid or duplicate order type", "order_cancel_all", obj{"market": m, "type": arr{"cash"}}},
		{1, "invalid or duplicate order type", "order_cancel_all", obj{"market": m, "type": arr{"spot", "spot"}}},
		{1, "invalid or duplicate order type", "order_cancel_all", obj{"market": m, "type": arr{1}}},
		{1, "market is required", "order_cancel_conditional", obj{"order_id": 1}},
		{1, "market does not exist", "order_cancel_conditional", obj{"market": "NO_MARKET", "order_id": 1}},
		{1, "order_id is required", "order_cancel_conditional", obj{"market": m}},
		{1, "order_id is invalid", "order_cancel_conditional", obj{"market": m, "order_id": true}},
		{6, "order not found", "order_cancel_conditional", obj{"market": m, "order_id": limit["id"]}},
	} {
		s.refuses(c.code, c.text, c.method, c.fields)
	}

	// Orders of others are not there, and orders of other kinds are left alone.
	bob.socket().refuses(6, "order not found", "order_cancel", obj{"market": m, "order_id": limit["id"]})
	open := len(alice.orders(m))
	is(t, "cancel all margin", s.must("order_cancel_all", obj{"market": m, "type": arr{"margin", "futures"}}), obj{})
	is(t, "cancel all elsewhere", s.must("order_cancel_all", obj{"market": "OTHER_USDT", "type": arr{"spot"}}), obj{})
	if got := len(alice.orders(m)); got != open || open != 6 {
		t.Errorf("%d orders are open, and %d before", got, open)
	}
	is(t, "cancel all", s.must("order_cancel_all", obj{"market": m, "type": arr{"futures", "spot"}}), obj{})
	if got := alice.orders(m); len(got) != 0 {
		t.Errorf("these are open: %v", got)
	}
	if got := bob.orders(m); len(got) != 1 {
		t.Errorf("bob has %v", got)
	}
	alice.holds("USDT", "999900", "0")
}

// TestSocketRefusesOrders goes through what can be wrong with a new order.
func TestSocketRefusesOrders(t *testing.T) {
	t.Parallel()
	const m = "WSR_USDT"
	clock := newClock()
	markets := with(plain(m, "NEVER_USDT", "CLOSED_USDT"), "NEW_USDT", obj{"opens_at": clock.seconds() + 60})
	with(markets, "OFF_USDT", obj{"enabled": false})
	v := operate(t, clock, markets, with(plain("alice", "bob"), "maker", obj{"rpi": true}))
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	s, maker := alice.socket(), v.trader(t, "maker").socket()
	tradeAt(bob, alice, m, "100")
	bob.limit(m, "sell", "1", "110")
	v.Do(&schema.PlanMaintenance{Market: v.market("CLOSED_USDT").ID, From: clock.read(), To: clock.read() + 60*schema.Second})
	v.tick(clock)
	s.must("order_limit_place", obj{"market": m, "side": "buy", "amount": "1", "price": "50", "client_order_id": "taken"})

	good := map[string]obj{
		"order_limit_place":             {"price": "90"},
		"order_market_place":            {},
		"order_market_stock_place":      {},
		"order_stop_limit_place":        {"price": "90", "activation_price": "95"},
		"order_stop_market_place":       {"activation_price": "95"},
		"order_stop_market_stock_place": {"activation_price": "95"},
		"order_bbo_place":               {"bbo_role": 2, "ioc": true},
		"order_stop_bbo_place":          {"activation_price": "95", "bbo_role": 1},
	}
	for method, more := range good {
		fields := changed(obj{"market": m, "side": "sell", "amount": "1"}, more)
		wrong := func(code int, text string, change obj) {
			t.Helper()
			s.refuses(code, text, method, changed(fields, change))
		}
		wrong(1, "market is required", obj{"market": nil})
		wrong(1, "market is required", obj{"market": ""})
		wrong(1, "market is invalid", obj{"market": 7})
		wrong(1, "market does not exist", obj{"market": "NO_MARKET"})
		wrong(1, "market does not exist", obj{"market": "OFF_USDT"})
		wrong(1, "side is invalid", obj{"side": nil})
		wrong(1, "side is invalid", obj{"side": "hold"})
		wrong(1, "side is invalid", obj{"side": 2})
		wrong(1, "amount is required", obj{"amount": nil})
		wrong(1, "amount is invalid", obj{"amount": "lots"})
		wrong(1, "amount is invalid", obj{"amount": true})
		wrong(1, "amount must be > 0", obj{"amount": "0"})
		wrong(1, "amount must be > 0", obj{"amount": "-1"})
		wrong(1, "amount: precision is greater than 4", obj{"amount": "1.00001"})
		wrong(1, "amount: precision is greater than 4", obj{"amount": "0.0000000000000000000000001"})
		wrong(1, "amount: not a multiple of step size", obj{"amount": "1.0005"})
		wrong(1, "amount must be <= 922337203685477.5807", obj{"amount": "1e60"})
		wrong(11, "amount too small", obj{"amount": "0.001"})
		wrong(1, "stp is invalid", obj{"stp": "cx"})
		wrong(1, "stp is invalid", obj{"stp": 1})
		wrong(1, "client_order_id is invalid", obj{"client_order_id": "a b"})
		wrong(1, "client_order_id is invalid", obj{"client_order_id": strings.Repeat("x", 65)})
		wrong(1, "client_order_id is invalid", obj{"client_order_id": 5})
		wrong(43, "client order id already exists", obj{"client_order_id": "taken"})
		wrong(51, "trading in the market is not allowed", obj{"market": "CLOSED_USDT"})
		s.Refused(1, "invalid argument", method)
		s.Refused(1, "invalid argument", method, fields, fields)
		s.Refused(1, "invalid argument", method, "BTC_USDT")
		s.Refused(1, "invalid argument", method, arr{fields})
		if _, has := fields["price"]; has {
			wrong(1, "price is required", obj{"price": nil})
			wrong(1, "price is invalid", obj{"price": ""})
			wrong(1, "price must be > 0", obj{"price": "0"})
			wrong(1, "price: precision is greater than 3", obj{"price": "90.0001"})
			wrong(1, "price: not a multiple of tick size", obj{"price": "90.005"})
			wrong(1, "price must be <= 9223372036854775.807", obj{"price": "1e40"})
			wrong(1, "amount * price must be <= 500000", obj{"price": "500001"})
			wrong(11, "amount too small", obj{"price": "5.04"})
		}
		if _, has := fields["activation_price"]; has {
			wrong(1, "activation_price is required", obj{"activation_price": nil})
			wrong(1, "activation_price is invalid", obj{"activation_price": arr{}})
			wrong(1, "activation_price must be > 0", obj{"activation_price": "-1"})
			wrong(1, "activation_price: precision is greater than 3", obj{"activation_price": "90.0001"})
			wrong(1, "activation_price: not a multiple of tick size", obj{"activation_price": "90.005"})
			wrong(1, "activation_price must be <= 9223372036854775.807", obj{"activation_price": "9223372036854775.808"})
			wrong(101, "activation price should not be equal to the last price", obj{"activation_price": "100"})
			wrong(1, "activation_price: nothing was traded yet", obj{"market": "NEVER_USDT"})
			wrong(51, "trading in the market is not allowed", obj{"market": "NEW_USDT"})
		}
		if _, has := fields["bbo_role"]; has {
			const role = "bbo role must be an integer in range 1..2"
			wrong(1, role, obj{"bbo_role": nil})
			wrong(1, role, obj{"bbo_role": 0})
			wrong(1, role, obj{"bbo_role": 3})
			wrong(1, role, obj{"bbo_role": "1"})
			wrong(1, role, obj{"bbo_role": 1.5})
		}
	}

	limit := obj{"market": m, "side": "buy", "amount": "1", "price": "90"}
	s.refuses(1, "flags: ioc=1 and post_only=1 can't be combined", "order_limit_place", changed(limit, obj{"ioc": true, "post_only": true}))
	maker.refuses(1, "flags: ioc=1 and rpi=1 can't be combined", "order_limit_place", changed(limit, obj{"ioc": true, "rpi": true}))
	maker.refuses(1, "wrong flags combination", "order_limit_place", changed(limit, obj{"post_only": true, "rpi": true}))
	s.refuses(602, "order contains forbidden flags", "order_limit_place", changed(limit, obj{"rpi": true}))
	s.refuses(1, "post_only is invalid", "order_limit_place", changed(limit, obj{"post_only": 1}))
	s.refuses(1, "ioc is invalid", "order_limit_place", changed(limit, obj{"ioc": "true"}))
	s.refuses(1, "rpi is invalid", "order_limit_place", changed(limit, obj{"rpi": "no"}))
	s.refuses(13, "order by taker price", "order_limit_place", changed(limit, obj{"post_only": true, "price": "110"}))
	s.refuses(10, "balance not enough", "order_limit_place", changed(limit, obj{"amount": "1001", "side": "sell"}))
	s.refuses(40, "order is not post only", "order_limit_place", changed(limit, obj{"market": "NEW_USDT"}))
	s.refuses(51, "trading in the market is not allowed", "order_market_place", obj{"market": "NEW_USDT", "side": "buy", "amount": "50"})
	s.must("order_limit_place", changed(limit, obj{"market": "NEW_USDT", "post_only": true}))
	s.refuses(1, "flags: ioc=1 and post_only=1 can't be combined", "order_bbo_place", obj{"market": m, "side": "buy", "amount": "1", "bbo_role": 1, "ioc": true})
	s.refuses(1, "wrong flags combination", "order_bbo_place", obj{"market": m, "side": "buy", "amount": "1", "bbo_role": 2, "post_only": true})
	s.refuses(12, "not enough traders", "order_bbo_place", obj{"market": "NEVER_USDT", "side": "buy", "amount": "1", "bbo_role": 2})
	for _, method := range []string{"order_market_place", "order_stop_market_place"} {
		buy := obj{"market": m, "side": "buy", "amount": "20", "activation_price": "95"}
		s.refuses(11, "amount too small", method, changed(buy, obj{"amount": "5"}))
		s.refuses(1, "amount: precision is greater than 3", method, changed(buy, obj{"amount": "20.0001"}))
		s.refuses(1, "amount must be <= 500000", method, changed(buy, obj{"amount": "500001"}))
	}
	bob.limit("NEVER_USDT", "sell", "1", "400000")
	s.refuses(11, "amount too small", "order_market_place", obj{"market": "NEVER_USDT", "side": "buy", "amount": "20"})
	// What a stop that counts base would cost is judged by its trigger.
	stock := obj{"market": m, "side": "buy", "amount": "1", "activation_price": "95"}
	s.refuses(11, "amount too small", "order_stop_market_stock_place", changed(stock, obj{"activation_price": "5"}))
	s.refuses(1, "amount * price must be <= 500000", "order_stop_market_stock_place", changed(stock, obj{"amount": "6000"}))

	if got := alice.orders(m); len(got) != 1 {
		t.Errorf("orders that were refused are there: %v", got)
	}
}

// TestSocketCollateralOrders: of the markets that there are only futures can be traded with margin.
func TestSocketCollateralOrders(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, map[string]obj{"BTC_PERP": {"taker_band": "0"}}, map[string]obj{"alice": nil, "bob": nil, "hal": nil})
	alice, bob := v.trader(t, "alice").backed("10000"), v.trader(t, "bob").backed("10000")
	s := alice.socket()
	methods := 0
	for _, kind := range []string{"limit", "market", "stop_limit", "stop_market", "bbo", "stop_bbo", "oco", "oto", "tpsl"} {
		method := "collateral_order_" + kind + "_place"
		on := func(market any) obj {
			fields := obj{
				"market": market, "side": "buy", "amount": "1", "price": "90", "activation_price": "95", "stop_limit_price": "96", "take_profit_activation_price": "99", "bbo_role": 1,
			}
			if kind != "oto" {
				return fields
			}
			return obj{"trigger_order_type": "margin_stop_limit", "trigger_order": fields, "conditional_order_type": "margin_take_profit", "take_profit": "99"}
		}
		s.refuses(19, "market is not margin market", method, on("BTC_USDT"))
		s.refuses(1, "market does not exist", method, on("NO_MARKET"))
		s.refuses(1, "market is required", method, on(nil))
		s.Refused(1, "invalid argument", method)
		v.Socket().Refused(6, "require authentication", method, obj{"market": "BTC_PERP"})
		methods++
	}
	anonymous := v.Socket()
	for _, method := range []string{
		"order_limit_place", "order_market_place", "order_market_stock_place", "order_stop_limit_place", "order_stop_market_place",
		"order_stop_market_stock_place", "order_bbo_place", "order_stop_bbo_place", "order_modify", "order_cancel", "order_cancel_all", "order_cancel_conditional",
	} {
		anonymous.Refused(6, "require authentication", method, obj{"market": "BTC_PERP"})
		methods++
	}
	if methods != 21 {
		t.Errorf("%d methods, want 21", methods)
	}

	bet := func(side, amount, price string, more ...obj) obj {
		fields := obj{"market": "BTC_PERP", "side": side, "amount": amount, "price": price}
		for _, m := range more {
			maps.Copy(fields, m)
		}
		return fields
	}
	const limit, market = "collateral_order_limit_place", "collateral_order_market_place"
	s.refuses(17, "user margin balance not enough", limit, bet("buy", "9", "50000"))
	s.refuses(116, "margin order with reduce only is rejected", limit, bet("buy", "0.1", "50000", obj{"reduce_only": true}))
	s.refuses(250, "price is out of bands", limit, bet("buy", "0.1", "44999"))
	s.refuses(1, "position_side is invalid", limit, bet("buy", "0.1", "50000", obj{"position_side": "UP"}))
	rests := s.must(limit, bet("buy", "0.1", "49900", obj{"position_side": "LONG"}))
	for name, want := range map[string]any{"type": json.Number("7"), "position_side": "BOTH", "reduce_only": false, "status": "OPEN", "left": "0.1"} {
		if rests[name] != want {
			t.Errorf("%s of a limit order is %v, want %v", name, rests[name], want)
		}
	}
	bob.bet("BTC_PERP", "sell", "0.1", "50100")
	s.refuses(14, "margin order by taker price", limit, bet("buy", "0.1", "50100", obj{"post_only": true}))
	if o := s.must(market, obj{"market": "BTC_PERP", "side": "buy", "amount": "0.1"}); o["type"] != json.Number("8") || o["status"] != "FILLED" || o["deal_stock"] != "0.1" {
		t.Errorf("a market order: %v", o)
	}
	if o := s.must("collateral_order_stop_limit_place", bet("sell", "1", "49500", obj{"activation_price": "49600", "reduce_only": true})); o["type"] != json.Number("9") || o["reduce_only"] != true || o["amount"] != "0.1" {
		t.Errorf("a stop-limit order: %v", o)
	}
	if o := s.must("collateral_order_stop_market_place", obj{"market": "BTC_PERP", "side": "sell", "amount": "0.1", "activation_price": "49600"}); o["type"] != json.Number("10") {
		t.Errorf("a stop-market order: %v", o)
	}
	s.refuses(250, "price is out of bands", "order_modify", obj{"market": "BTC_PERP", "order_id": rests["id"], "price": "44999"})
	hal := v.trader(t, "hal").backed("1000")
	answers(t, hal.ask("collateral-account/hedge-mode/update", obj{"hedgeMode": true}), obj{"hedgeMode": true})
	hedged := hal.socket()
	hedged.refuses(114, "order's position side does not match user's setting", limit, bet("buy", "0.01", "49900"))
	if o := hedged.must(limit, bet("buy", "0.01", "49900", obj{"position_side": "LONG"})); o["position_side"] != "LONG" {
		t.Errorf("a limit order in hedge mode: %v", o)
	}
}

// TestSocketRegions: the rules of the region come before all others.
func TestSocketRegions(t *testing.T) {
	t.Parallel()
	markets := with(plain("WSE_USDT"), "FAR_USDT", obj{"regions": arr{"global"}})
	with(markets, "NEAR_USDT", obj{"regions": arr{"eu"}})
	v := operate(t, newClock(), markets, with(plain("alice", "bob"), "eva", obj{"region": "eu"}))
	alice, eva, bob := v.trader(t, "alice"), v.trader(t, "eva"), v.trader(t, "bob")
	s := eva.socket()
	tradeAt(bob, alice, "WSE_USDT", "100")
	bob.limit("WSE_USDT", "sell", "9", "101")
	const noSpot, restricted = "spot orders of this kind are not available in the region", "market is restricted in the region"
	for _, method := range []string{"order_limit_place", "order_stop_limit_place", "order_stop_bbo_place", "order_bbo_place"} {
		s.refuses(10009, noSpot, method, obj{})
		s.refuses(10009, noSpot, method, obj{"market": "WSE_USDT", "side": "buy", "amount": "1", "price": "90", "activation_price": "95", "bbo_role": 1})
	}
	for _, kind := range []string{"limit", "oco", "oto", "tpsl"} {
		s.refuses(10008, "margin is not available in the region", "collateral_order_"+kind+"_place", obj{})
	}
	s.must("order_bbo_place", obj{"market": "WSE_USDT", "side": "buy", "amount": "1", "bbo_role": 2, "ioc": true})
	s.must("order_market_place", obj{"market": "WSE_USDT", "side": "buy", "amount": "20"})
	s.must("order_market_stock_place", obj{"market": "WSE_USDT", "side": "buy", "amount": "1"})
	s.must("order_stop_market_place", obj{"market": "WSE_USDT", "side": "buy", "amount": "20", "activation_price": "150"})
	s.must("order_stop_market_stock_place", obj{"market": "WSE_USDT", "side": "buy", "amount": "1", "activation_price": "150"})
	s.refuses(10010, restricted, "order_market_place", obj{"market": "FAR_USDT"})
	s.refuses(10010, restricted, "order_modify", obj{"market": "FAR_USDT"})
	alice.socket().refuses(10010, restricted, "order_limit_place", obj{"market": "NEAR_USDT"})

	// Who moves to Europe can take back what stands, and not change it.
	order := alice.limit("WSE_USDT", "buy", "1", "90")
	moved := alice.socket()
	account := v.account("alice")
	account.Region = schema.EU
	v.Do(&schema.SetAccount{Account: account})
	moved.refuses(10009, noSpot, "order_modify", obj{"market": "WSE_USDT", "order_id": order["orderId"], "price": "91"})
	moved.must("order_cancel", obj{"market": "WSE_USDT", "order_id": order["orderId"]})
}

// TestSocketPipeline: requests that nobody waits for are done in the order in which they were sent,
// and each is answered.
func TestSocketPipeline(t *testing.T) {
	t.Parallel()
	const m, count = "WSL_USDT", 100
	v := operate(t, newClock(), plain(m), plain("alice"))
	alice := v.trader(t, "alice")
	s := alice.socket()
	for i := range count {
		s.Send(fmt.Sprintf(`{"id":%d,"method":"order_limit_place","params":[{"market":"%s","side":"buy","amount":"1","price":"%d","client_order_id":"c-%d"}]}`, 1000+i, m, 10+i, i))
		if i%10 == 9 { // one that is canceled before anybody knows that it is there, and one that is wrong
			s.Send(fmt.Sprintf(`{"id":%d,"method":"order_cancel","params":[{"market":"%s","client_order_id":"c-%d"}]}`, 2000+i, m, i))
			s.Send(fmt.Sprintf(`{"id":%d,"method":"order_cancel","params":[{"market":"%s"}]}`, 3000+i, m))
		}
	}
	var placed, canceled, wrong, last int64
	for range count + 2*count/10 {
		text := s.Next()
		answer := read(t, text)
		id, err := answer["id"].(json.Number).Int64()
		if err != nil {
			t.Fatal(text)
		}
		order, _ := answer["result"].(map[string]any)
		switch {
		case id >= 3000:
			wrong++
		case order == nil:
			t.Fatal(text)
		case id >= 2000:
			canceled++
			is(t, "canceled", order["client_order_id"], fmt.Sprintf("c-%d", id-2000))
		default:
			number, _ := order["id"].(json.Number).Int64()
			if id != 1000+placed || number <= last {
				t.Fatalf("reply %d: order %d to request %d, after %d", placed, number, id, last)
			}
			last = number
			placed++
			is(t, "price", order["price"], fmt.Sprint(10+id-1000))
		}
	}
	if placed != count || canceled != count/10 || wrong != count/10 {
		t.Errorf("%d placed, %d canceled, %d wrong", placed, canceled, wrong)
	}
	if open := alice.list("orders", obj{"market": m, "limit": 100}); len(open) != count-count/10 {
		t.Errorf("%d orders are open", len(open))
	}
}
