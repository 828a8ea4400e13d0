package conform_test

import (
	"testing"

	"bourse/internal/schema"
)

// TestHistoryOfDeals goes through trade-account/executed-history and trade-account/order (6.12,
// 6.13).
func TestHistoryOfDeals(t *testing.T) {
	t.Parallel()
	markets := with(plain("DLB_USDT", "DLC_USDT"), "DLA_USDT", obj{"rpi_premium": "0.05"})
	accounts := with(with(plain("alice", "bob", "carol"), "maker", obj{"rpi": true}), "shop", obj{"retail": true})
	v := serve(t, markets, accounts)
	const a, b = "DLA_USDT", "DLB_USDT"
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")

	sell := alice.limit(a, "sell", "3", "100", obj{"clientOrderId": "s.1"})["orderId"]
	buy := bob.limit(a, "buy", "1", "100", obj{"clientOrderId": "b.1"})["orderId"]
	bob.limit(a, "buy", "0.5", "101")
	alice.limit(b, "buy", "2", "50")
	bob.limit(b, "sell", "2", "50", obj{"clientOrderId": "b.1"})

	deal := func(order any, client, side string, role int, amount, price, money, fee, feeAsset string) obj {
		return obj{
			"id": anID, "clientOrderId": client, "time": aMoment, "side": side, "role": role, "amount": amount, "price": price,
			"deal": money, "fee": fee, "orderId": order, "feeAsset": feeAsset,
		}
	}
	sold1 := deal(seen(sell), "s.1", "sell", 1, "1", "100", "100", "0.1", "USDT")
	sold2 := deal(seen(sell), "s.1", "sell", 1, "0.5", "100", "50", "0.05", "USDT")
	bought := deal(anID, "", "buy", 1, "2", "50", "100", "0.002", "DLB")

	t.Run("flat with a market, by market without, newest first", func(t *testing.T) {
		answers(t, alice.ask("trade-account/executed-history", obj{"market": a}), arr{sold2, sold1})
		answers(t, alice.ask("trade-account/executed-history", nil), obj{a: arr{sold2, sold1}, b: arr{bought}})
		answers(t, alice.ask("trade-account/executed-history", obj{"market": "DLC_USDT"}), arr{})
		answers(t, v.trader(t, "carol").ask("trade-account/executed-history", nil), obj{})
		answers(t, bob.ask("trade-account/executed-history", obj{"market": b}), arr{
			deal(anID, "b.1", "sell", 2, "2", "50", "100", "0.2", "USDT"),
		})
	})

	t.Run("pages", func(t *testing.T) {
		answers(t, alice.ask("trade-account/executed-history", obj{"limit": 1}), obj{b: arr{bought}})
		answers(t, alice.ask("trade-account/executed-history", obj{"limit": "1", "offset": "1"}), obj{a: arr{sold2}})
		answers(t, alice.ask("trade-account/executed-history", obj{"market": a, "limit": 500, "offset": 1}), arr{sold1})
		answers(t, alice.ask("trade-account/executed-history", obj{"offset": 10000}), obj{})
	})

	t.Run("by client id", func(t *testing.T) {
		missing := invalid(30, "orderHistory", "OrderHistory was not found.")
		answers(t, alice.ask("trade-account/executed-history", obj{"clientOrderId": "s.1"}), obj{a: arr{sold2, sold1}})
		answers(t, bob.ask("trade-account/executed-history", obj{"clientOrderId": "b.1", "market": a}), arr{
			deal(seen(buy), "b.1", "buy", 2, "1", "100", "100", "0.002", "DLA"),
		})
		// It names one order: the last that had it, on whatever market.
		answers(t, bob.ask("trade-account/executed-history", obj{"clientOrderId": "b.1"}), obj{b: arr{
			deal(anID, "b.1", "sell", 2, "2", "50", "100", "0.2", "USDT"),
		}})
		refuses(t, alice.ask("trade-account/executed-history", obj{"clientOrderId": "s.2"}), missing)
		refuses(t, alice.ask("trade-account/executed-history", obj{"clientOrderId": "s.1", "market": b}), missing)
		refuses(t, alice.ask("trade-account/executed-history", obj{"clientOrderId": "b.1"}), missing) // of another account
	})

	t.Run("what is wrong", func(t *testing.T) {
		for _, c := range []struct {
			fields obj
			want   refusal
		}{
			{obj{"limit": 501}, invalid(30, "limit", "Limit should not be greater than 500.")},
			{obj{"limit": 0}, invalid(30, "limit", "Limit should be at least 1.")},
			{obj{"limit": "x"}, invalid(30, "limit", "Limit field should be an integer.")},
			{obj{"offset": -1}, invalid(30, "offset", "Offset should be at least 0.")},
			{obj{"offset": 10001}, invalid(30, "offset", "Offset should not be greater than 10000.")},
			{obj{"offset": 0.5}, invalid(30, "offset", "Offset field should be an integer.")},
			{obj{"market": 1}, invalid(31, "market", "Market field should be a string.")},
			{obj{"market": "dla"}, invalid(31, "market", "Market field format is invalid.")},
			{obj{"market": "NIX_USDT"}, invalid(31, "market", noMarket)},
			{obj{"startDate": "x"}, invalid(30, "startDate", "StartDate field should be an integer.")},
			{obj{"endDate": -1}, invalid(30, "endDate", "EndDate field should be an integer.")},
			{obj{"startDate": 2, "endDate": 1}, invalid(30, "startDate", "StartDate should not be greater than endDate.")},
			{obj{"clientOrderId": 1}, invalid(36, "clientOrderId", "ClientOrderId field should be a string.")},
		} {
			refuses(t, alice.ask("trade-account/executed-history", c.fields), c.want)
		}
	})

	record := func(client string, counter any, role int, amount, price, money, fee, feeAsset string, rpi bool) obj {
		return obj{
			"time": aMoment, "fee": fee, "price": price, "amount": amount, "id": anID, "dealOrderId": counter, "clientOrderId": client,
			"role": role, "deal": money, "feeAsset": feeAsset, "rpi": rpi,
		}
	}
	page := func(offset, limit int, records ...any) obj {
		if records == nil {
			records = arr{}
		}
		return obj{"records": records, "offset": offset, "limit": limit}
	}

	t.Run("deals of one order name the order of the other side", func(t *testing.T) {
		second := record("s.1", anID, 1, "0.5", "100", "50", "0.05", "USDT", false)
		first := record("s.1", seen(buy), 1, "1", "100", "100", "0.1", "USDT", false)
		answers(t, alice.ask("trade-account/order", obj{"orderId": sell}), page(0, 50, second, first))
		answers(t, alice.ask("trade-account/order", obj{"orderId": sell, "limit": 1, "offset": 1}), page(1, 1, first))
		answers(t, bob.ask("trade-account/order", obj{"orderId": buy}),
			page(0, 50, record("b.1", seen(sell), 2, "1", "100", "100", "0.002", "DLA", false)))
		for _, nobodys := range []any{sell, 987654321, 0, -1} { // also those of another account
			answers(t, bob.ask("trade-account/order", obj{"orderId": nobodys}), page(0, 50))
		}
	})

	t.Run("deals of one order: what is wrong", func(t *testing.T) {
		for _, c := range []struct {
			fields obj
			want   refusal
		}{
			{nil, invalid(30, "orderId", "OrderId"+needed)},
			{obj{"orderId": "x"}, invalid(30, "orderId", "OrderId field should be an integer.")},
			{obj{"orderId": sell, "limit": 0}, invalid(30, "limit", "Limit should be at least 1.")},
			{obj{"orderId": sell, "limit": 501}, invalid(30, "limit", "Limit should not be greater than 500.")},
			{obj{"orderId": sell, "offset": -1}, invalid(30, "offset", "Offset should be at least 0.")},
		} {
			refuses(t, alice.ask("trade-account/order", c.fields), c.want)
		}
	})

	t.Run("an RPI maker pays the premium, and the deal says so", func(t *testing.T) {
		maker, shop := v.trader(t, "maker"), v.trader(t, "shop")
		rests := maker.limit(a, "sell", "1", "90", obj{"rpi": true})["orderId"]
		takes := shop.limit(a, "buy", "1", "90", obj{"retail": true})["orderId"]
		answers(t, maker.ask("trade-account/order", obj{"orderId": rests}),
			page(0, 50, record("", seen(takes), 1, "1", "90", "90", "0.135", "USDT", true)))
		answers(t, shop.ask("trade-account/order", obj{"orderId": takes}),
			page(0, 50, record("", seen(rests), 2, "1", "90", "90", "0.002", "DLA", true)))
	})

	t.Run("who trades with themselves has both sides", func(t *testing.T) {
		carol := v.trader(t, "carol")
		tradeAt(carol, carol, "DLC_USDT", "100")
		deals := carol.list("trade-account/executed-history", obj{"market": "DLC_USDT"})
		if len(deals) != 2 {
			t.Fatalf("%v", deals)
		}
		one, other := deals[0].(map[string]any), deals[1].(map[string]any)
		if one["id"] != other["id"] || one["side"] == other["side"] || one["role"] == other["role"] {
			t.Errorf("%v\n%v", one, other)
		}
	})
}

// TestHistoryOfDealsByDate: a page of deals can be narrowed to a span of time.
func TestHistoryOfDealsByDate(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := operate(t, clock, plain("DLD_USDT"), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	began := clock.seconds()
	for _, price := range []string{"100", "101", "102"} {
		tradeAt(alice, bob, "DLD_USDT", price)
		clock.advance(10*schema.Second + 1)
	}
	for _, c := range []struct {
		fields obj
		prices []string
	}{
		{nil, []string{"102", "101", "100"}},
		{obj{"startDate": began + 10}, []string{"102", "101"}},
		{obj{"startDate": began + 11}, []string{"102"}},
		{obj{"endDate": began + 10}, []string{"101", "100"}}, // the whole of that second
		{obj{"endDate": began + 9}, []string{"100"}},
		{obj{"startDate": began + 10, "endDate": began + 10}, []string{"101"}},
		{obj{"startDate": began + 100}, nil},
	} {
		var prices []string
		for _, d := range alice.list("trade-account/executed-history", changed(obj{"market": "DLD_USDT"}, c.fields)) {
			prices = append(prices, d.(map[string]any)["price"].(string))
		}
		if len(prices) != len(c.prices) {
			t.Errorf("%v: %v, should be %v", c.fields, prices, c.prices)
			continue
		}
		for i := range prices {
			is(t, "price", prices[i], c.prices[i])
		}
	}
}
