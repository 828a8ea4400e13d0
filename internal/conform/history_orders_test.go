package conform_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"bourse/internal/schema"
)

// pastShape is an order of the history that ended without a fill.
func pastShape(market, side, amount, price string, changes obj) obj {
	return changed(obj{
		"amount": amount, "price": price, "type": "limit", "id": anID, "clientOrderId": "", "side": side, "ctime": aMoment, "ftime": aMoment,
		"dealFee": "0", "dealStock": "0", "dealMoney": "0", "postOnly": false, "ioc": false, "status": "CANCELED",
		"feeAsset": feeAsset(market, side), "rpi": false, "reduceOnly": false, "stp": "no",
	}, changes)
}

// TestHistoryOfOrders goes through trade-account/order/history (6.14): the shapes and the modes.
func TestHistoryOfOrders(t *testing.T) {
	t.Parallel()
	markets := with(plain("HOA_USDT", "HOB_USDT", "HOS_USDT"), "HOT_USDT", obj{"taker_band": "1"})
	v := serve(t, markets, plain("alice", "bob", "carol"))
	const a, b = "HOA_USDT", "HOB_USDT"
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	ask := func(fields obj) func(want any) {
		return func(want any) { t.Helper(); answers(t, alice.ask("trade-account/order/history", fields), want) }
	}

	// One of each: canceled, filled, filled in part and then canceled, at the market.
	none := alice.limit(a, "buy", "1", "90", obj{"clientOrderId": "twice", "postOnly": true})["orderId"]
	alice.must("order/cancel", obj{"market": a, "orderId": none})
	full := alice.limit(a, "sell", "1", "100", obj{"clientOrderId": "twice", "stp": "cb"})["orderId"]
	bob.limit(a, "buy", "1", "100")
	part := alice.limit(b, "sell", "2", "100")["orderId"]
	bob.limit(b, "buy", "0.5", "100")
	alice.must("order/cancel", obj{"market": b, "orderId": part})
	bob.limit(b, "sell", "1", "101")
	spent := alice.must("order/market", obj{"market": b, "side": "buy", "amount": "101"})["orderId"]

	canceled := pastShape(a, "buy", "1", "90", obj{"id": seen(none), "clientOrderId": "twice", "postOnly": true})
	filled := pastShape(a, "sell", "1", "100", obj{
		"id": seen(full), "clientOrderId": "twice", "stp": "cb", "status": "FILLED", "dealStock": "1", "dealMoney": "100", "dealFee": "0.1",
	})
	partly := pastShape(b, "sell", "2", "100", obj{"id": seen(part), "dealStock": "0.5", "dealMoney": "50", "dealFee": "0.05"})
	market := pastShape(b, "buy", "101", "0", obj{
		"id": seen(spent), "type": "market", "status": "FILLED", "dealStock": "1", "dealMoney": "101", "dealFee": "0.002",
	})

	t.Run("always by market, newest first", func(*testing.T) {
		ask(nil)(obj{a: arr{filled, canceled}, b: arr{market, partly}})
		ask(obj{"market": a})(obj{a: arr{filled, canceled}})
		ask(obj{"market": "HOS_USDT"})(obj{})
		ask(obj{"limit": 2})(obj{b: arr{market, partly}})
		ask(obj{"limit": 2, "offset": 1})(obj{a: arr{filled}, b: arr{partly}})
		answers(t, v.trader(t, "carol").ask("trade-account/order/history", nil), obj{})
	})

	t.Run("filters", func(*testing.T) {
		ask(obj{"status": "ALL"})(obj{a: arr{filled, canceled}, b: arr{market, partly}})
		ask(obj{"status": "FILLED"})(obj{a: arr{filled}, b: arr{market}})
		ask(obj{"status": "CANCELED"})(obj{a: arr{canceled}, b: arr{partly}})
		ask(obj{"status": "PARTIALLY_FILLED"})(obj{b: arr{partly}})
		ask(obj{"status": "MAINTENANCE"})(obj{})
	})

	t.Run("one order by its number, whatever else is said", func(*testing.T) {
		ask(obj{"orderId": full})(obj{a: arr{filled}})
		ask(obj{"orderId": full, "status": "CANCELED", "startDate": 1, "endDate": 2})(obj{a: arr{filled}})
		ask(obj{"orderId": full, "startDate": 2, "endDate": 1})(obj{a: arr{filled}})
		ask(obj{"orderId": full.(json.Number).String(), "clientOrderId": "nobody"})(obj{a: arr{filled}})
		ask(obj{"orderId": full, "market": b})(obj{})
		for _, nobodys := range []any{987654321, 0, -3} {
			ask(obj{"orderId": nobodys})(obj{})
		}
		answers(t, bob.ask("trade-account/order/history", obj{"orderId": full}), obj{})
	})

	t.Run("orders by their client id", func(t *testing.T) {
		ask(obj{"clientOrderId": "twice"})(obj{a: arr{filled, canceled}})
		ask(obj{"clientOrderId": "twice", "status": "FILLED", "startDate": 1, "endDate": 2})(obj{a: arr{filled, canceled}})
		missing := invalid(30, "orderHistory", "OrderHistory was not found.")
		for _, fields := range []obj{{"clientOrderId": "twic"}, {"clientOrderId": "Twice"}, {"clientOrderId": "twice", "market": b}} {
			refuses(t, alice.ask("trade-account/order/history", fields), missing)
		}
		refuses(t, bob.ask("trade-account/order/history", obj{"clientOrderId": "twice"}), missing)
	})

	t.Run("open orders are not there", func(t *testing.T) {
		carol := v.trader(t, "carol")
		id := carol.limit(a, "buy", "1", "10", obj{"clientOrderId": "open"})["orderId"]
		answers(t, carol.ask("trade-account/order/history", obj{"orderId": id}), obj{})
		refuses(t, carol.ask("trade-account/order/history", obj{"clientOrderId": "open"}), invalid(30, "orderHistory", "OrderHistory was not found."))
		carol.must("order/cancel", obj{"market": a, "orderId": id})
	})

	t.Run("what is wrong", func(t *testing.T) {
		for _, c := range []struct {
			fields obj
			want   refusal
		}{
			{obj{"status": "canceled"}, invalid(30, "status", "The selected status is invalid.")},
			{obj{"status": "CANCELLED"}, invalid(30, "status", "The selected status is invalid.")},
			{obj{"status": 1}, invalid(30, "status", "The selected status is invalid.")},
			{obj{"limit": 501}, invalid(30, "limit", "Limit should not be greater than 500.")},
			{obj{"limit": 0}, invalid(30, "limit", "Limit should be at least 1.")},
			{obj{"offset": -1}, invalid(30, "offset", "Offset should be at least 0.")},
			{obj{"orderId": "x"}, invalid(30, "orderId", "OrderId field should be an integer.")},
			{obj{"market": "x"}, invalid(31, "market", "Market field format is invalid.")},
			{obj{"market": "NIX_USDT"}, invalid(31, "market", noMarket)},
			{obj{"startDate": "x"}, invalid(30, "startDate", "StartDate field should be an integer.")},
		} {
			refuses(t, alice.ask("trade-account/order/history", c.fields), c.want)
		}
	})

	t.Run("the taker band and self-trade prevention", func(t *testing.T) {
		carol := v.trader(t, "carol")
		bob.limit("HOT_USDT", "sell", "1", "100")
		bob.limit("HOT_USDT", "sell", "1", "110")
		swept := carol.must("order/stock_market", obj{"market": "HOT_USDT", "side": "buy", "amount": "2"})
		is(t, "status", swept["status"], "CANCELED_TAKER_BAND")
		answers(t, carol.ask("trade-account/order/history", obj{"orderId": swept["orderId"]}), obj{"HOT_USDT": arr{
			pastShape("HOT_USDT", "buy", "2", "0", obj{
				"type": "stock market", "dealStock": "1", "dealMoney": "100", "dealFee": "0.002",
			}),
		}})
		carol.limit("HOT_USDT", "buy", "1", "90")
		prevented := carol.limit("HOT_USDT", "sell", "1", "90", obj{"stp": "cn", "ioc": true})
		is(t, "status", prevented["status"], "CANCELED_STP")
		answers(t, carol.ask("trade-account/order/history", obj{"orderId": prevented["orderId"]}), obj{"HOT_USDT": arr{
			pastShape("HOT_USDT", "sell", "1", "90", obj{"status": "CANCELED_STP", "stp": "cn", "ioc": true}),
		}})
	})

	t.Run("stop orders say when and at which price they were activated", func(t *testing.T) {
		const market = "HOS_USDT"
		carol := v.trader(t, "carol")
		tradeAt(bob, bob, market, "100")
		waits := carol.must("order/stop_limit", obj{"market": market, "side": "sell", "amount": "1", "price": "80", "activation_price": "85"})["orderId"]
		wakes := carol.must("order/stop_market", obj{"market": market, "side": "buy", "amount": "110", "activation_price": "110"})["orderId"]
		bob.limit(market, "sell", "1", "110")
		bob.limit(market, "buy", "0.5", "110")
		carol.must("order/cancel", obj{"market": market, "orderId": waits})
		answers(t, carol.ask("trade-account/order/history", obj{"orderId": waits}), obj{market: arr{
			pastShape(market, "sell", "1", "80", obj{
				"type": "stop limit", "activated": 0, "activationPrice": "85", "activationCondition": "<=",
			}),
		}})
		answers(t, carol.ask("trade-account/order/history", obj{"orderId": wakes}), obj{market: arr{
			pastShape(market, "buy", "110", "0", obj{
				"type": "stop market", "activated": aMoment, "activationPrice": "110", "activationCondition": ">=",
				"dealStock": "0.5", "dealMoney": "55", "dealFee": "0.001",
			}),
		}})
	})
}

// TestHistoryOfOrdersByDate: the defaults and bounds of startDate and endDate.
func TestHistoryOfOrdersByDate(t *testing.T) {
	t.Parallel()
	clock := newClock()
	const market = "HOD_USDT"
	const daySeconds = 24 * 3600
	now := time.Date(2027, 3, 31, 15, 30, 0, 500_000_000, time.UTC)
	at := func(t time.Time) schema.Time { return schema.Time(t.UnixMicro()) }
	ages := []int{182, 100, 40, 29, 1, 0} // in days
	clock.set(at(now.AddDate(0, 0, -ages[0])))
	v := operate(t, clock, plain(market), plain("alice"))
	alice := v.trader(t, "alice")
	for _, age := range ages {
		clock.set(at(now.AddDate(0, 0, -age)))
		id := alice.limit(market, "buy", "1", strconv.Itoa(1000+age))["orderId"]
		alice.must("order/cancel", obj{"market": market, "orderId": id})
	}
	today := clock.seconds()
	found := func(fields obj) []int {
		t.Helper()
		list := []int{}
		if records, ok := alice.must("trade-account/order/history", fields)[market]; ok {
			for _, r := range records.([]any) {
				price, err := strconv.Atoi(r.(map[string]any)["price"].(string))
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, price-1000)
			}
		}
		return list
	}
	floor := int(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC).Unix()) // 31 September is 1 October
	for _, c := range []struct {
		name   string
		fields obj
		want   []int
	}{
		{"a month unless told", nil, []int{0, 1, 29}},
		{"the longest span", obj{"startDate": today - 31*daySeconds}, []int{0, 1, 29}},
		{"the longest span, with its end", obj{"startDate": today - 60*daySeconds, "endDate": today - 29*daySeconds}, []int{29, 40}},
		{"only an end", obj{"endDate": today - 30*daySeconds}, []int{40}},
		{"one second", obj{"startDate": today - daySeconds, "endDate": today - daySeconds}, []int{1}},
		{"an end in the future is now", obj{"startDate": today - 31*daySeconds, "endDate": today + 90*daySeconds}, []int{0, 1, 29}},
		{"the oldest midnight", obj{"startDate": floor, "endDate": floor + daySeconds}, []int{}},
	} {
		if got := found(c.fields); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, should be %v", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		name   string
		fields obj
		want   refusal
	}{
		{"a second too long", obj{"startDate": today - 31*daySeconds - 1}, invalid(30, "endDate", "The time range should not be longer than 31 days.")},
		{"a second too long, with its end", obj{"startDate": today - 60*daySeconds - 1, "endDate": today - 29*daySeconds}, invalid(30, "endDate", "The time range should not be longer than 31 days.")},
		{"the end before the start", obj{"startDate": today, "endDate": today - 1}, invalid(30, "startDate", "StartDate should not be greater than endDate.")},
		{"a start in the future", obj{"startDate": today + 1}, invalid(30, "startDate", "StartDate should not be greater than endDate.")},
		{"before the oldest midnight", obj{"startDate": floor - 1, "endDate": floor}, invalid(30, "startDate", "StartDate should not be more than 6 months ago.")},
	} {
		t.Run(c.name, func(t *testing.T) { refuses(t, alice.ask("trade-account/order/history", c.fields), c.want) })
	}
}

// TestHistoryOfWhatThePlatformEnded goes through the orders that maintenance and delisting end, in
// trade-account/order/history and in its query (6.18).
func TestHistoryOfWhatThePlatformEnded(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := operate(t, clock, plain("QMA_USDT", "QDE_USDT", "QOP_USDT"), plain("alice", "bob"))
	const maintained, delisted, open = "QMA_USDT", "QDE_USDT", "QOP_USDT"
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	tradeAt(bob, bob, maintained, "100")

	rests := alice.limit(maintained, "sell", "2", "100", obj{"clientOrderId": "m.1"})["orderId"]
	bob.limit(maintained, "buy", "0.5", "100")
	waits := alice.must("order/stop_market", obj{"market": maintained, "side": "buy", "amount": "50", "activation_price": "110"})["orderId"]
	ends := alice.limit(delisted, "buy", "1", "90")["orderId"]
	own := alice.limit(open, "buy", "1", "90")["orderId"]
	alice.must("order/cancel", obj{"market": open, "orderId": own})

	v.Do(&schema.PlanMaintenance{Market: v.market(maintained).ID, From: clock.read(), To: clock.read() + 3600*schema.Second})
	v.tick(clock)
	at1 := clock.seconds()
	v.Do(&schema.PlanDelisting{Market: v.market(delisted).ID, At: clock.read()})
	clock.advance(9 * schema.Second)
	v.tick(clock)
	at2 := clock.seconds()

	t.Run("the history tells maintenance apart from cancellation", func(t *testing.T) {
		of := func(market, side, amount, price string, changes obj) obj {
			return pastShape(market, side, amount, price, changes)
		}
		byMaintenance := arr{
			of(maintained, "buy", "50", "0", obj{
				"id": seen(waits), "type": "stop market", "status": "MAINTENANCE", "activated": 0, "activationPrice": "110", "activationCondition": ">=",
			}),
			of(maintained, "sell", "2", "100", obj{
				"id": seen(rests), "clientOrderId": "m.1", "status": "MAINTENANCE", "dealStock": "0.5", "dealMoney": "50", "dealFee": "0.05",
			}),
		}
		answers(t, alice.ask("trade-account/order/history", obj{"market": maintained}), obj{maintained: byMaintenance})
		answers(t, alice.ask("trade-account/order/history", obj{"status": "MAINTENANCE"}), obj{maintained: byMaintenance})
		answers(t, alice.ask("trade-account/order/history", obj{"status": "PARTIALLY_FILLED"}), obj{})
		answers(t, alice.ask("trade-account/order/history", obj{"status": "CANCELED"}), obj{
			delisted: arr{of(delisted, "buy", "1", "90", obj{"id": seen(ends)})},
			open:     arr{of(open, "buy", "1", "90", obj{"id": seen(own)})},
		})
	})

	record := func(id any, market, side, kind, amount, price string, finish int, changes obj) obj {
		return changed(obj{
			"id": seen(id), "clientOrderId": "", "createdAt": aMoment, "finishAt": pattern(strconv.Itoa(finish) + `\.000000`), "market": market, "side": side,
			"type": kind, "price": price, "amount": amount, "dealStock": "0", "dealMoney": "0", "fee": "0", "feeAsset": feeAsset(market, side),
			"status": "maintenance", "delistingKind": "",
		}, changes)
	}
	one := record(rests, maintained, "sell", "limit", "2", "100", at1, obj{"clientOrderId": "m.1", "dealStock": "0.5", "dealMoney": "50", "fee": "0.05"})
	two := record(waits, maintained, "buy", "stop market", "50", "0", at1, nil)
	three := record(ends, delisted, "buy", "limit", "1", "90", at2, obj{"status": "canceled", "delistingKind": "canceled"})

	t.Run("the query lists both, newest end first, then by id", func(t *testing.T) {
		for _, c := range []struct {
			fields obj
			want   arr
		}{
			{nil, arr{three, two, one}},
			{obj{"status": "maintenance"}, arr{two, one}},
			{obj{"status": "delisting"}, arr{three}},
			{obj{"status": "filled"}, arr{}},
			{obj{"market": maintained}, arr{two, one}},
			{obj{"market": delisted, "status": "maintenance"}, arr{}},
			{obj{"market": open}, arr{}},
			{obj{"limit": 1}, arr{three}},
			{obj{"limit": 1, "offset": 1}, arr{two}},
			{obj{"limit": 500, "offset": 9500}, arr{}},
			{obj{"startDate": at2}, arr{three}},
			{obj{"endDate": at2 - 1}, arr{two, one}},
			{obj{"startDate": at1, "endDate": at1}, arr{two, one}},
			{obj{"endDate": at2 + 1000}, arr{three, two, one}},
		} {
			answers(t, alice.ask("trade-account/order/history/query", c.fields), c.want)
		}
		answers(t, bob.ask("trade-account/order/history/query", nil), arr{})
	})

	t.Run("what is wrong with a query", func(t *testing.T) {
		for _, c := range []struct {
			fields obj
			want   refusal
		}{
			{obj{"status": "MAINTENANCE"}, invalid(30, "status", "The selected status is invalid.")},
			{obj{"status": 1}, invalid(30, "status", "The selected status is invalid.")},
			{obj{"market": "qma"}, invalid(31, "market", "Market field format is invalid.")},
			{obj{"market": "NIX_USDT"}, invalid(31, "market", noMarket)},
			{obj{"limit": 501}, invalid(30, "limit", "The limit may not be greater than 500.")},
			{obj{"limit": 0}, invalid(30, "limit", "The limit must be at least 1.")},
			{obj{"offset": 10000, "limit": 1}, invalid(30, "offset", "The offset may not be greater than 9999.", "The sum of limit and offset may not be greater than 10000.")},
			{obj{"offset": 9501}, invalid(30, "offset", "The sum of limit and offset may not be greater than 10000.")},
			{obj{"startDate": at2 - 31*24*3600 - 1}, invalid(30, "endDate", "The time range should not be longer than 31 days.")},
			{obj{"startDate": at2, "endDate": at1}, invalid(30, "startDate", "StartDate should not be greater than endDate.")},
		} {
			refuses(t, alice.ask("trade-account/order/history/query", c.fields), c.want)
		}
	})
}

// TestHistoryMissesNothing: what was acknowledged as closed is in the very next answer.
func TestHistoryMissesNothing(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("MIS_USDT"), plain("alice"))
	alice := v.trader(t, "alice")
	for i := range 300 {
		id := alice.limit("MIS_USDT", "buy", "1", "10")["orderId"]
		if i%2 == 0 {
			alice.must("order/cancel", obj{"market": "MIS_USDT", "orderId": id})
		} else {
			alice.limit("MIS_USDT", "sell", "1", "10")
			if deals := alice.must("trade-account/order", obj{"orderId": id})["records"].([]any); len(deals) != 1 {
				t.Fatalf("order %v has %d deals", id, len(deals))
			}
		}
		past := alice.must("trade-account/order/history", obj{"orderId": id})
		if len(past) != 1 {
			t.Fatalf("order %v is missing: %v", id, slices.Collect(maps.Keys(past)))
		}
	}
}
