package conform_test

import (
	"testing"

	"bourse/internal/schema"
)

// TestSpotEngine goes through what the engine finds wrong with a new order (spot-trading 5). It is 400
// everywhere but on stop_market, which documents 422 only.
func TestSpotEngine(t *testing.T) {
	t.Parallel()
	poor := obj{
		"deposits": obj{"USDT": "100", "ENG": "1", "THN": "0.5"},
		"trade":    obj{"USDT": "100", "ENG": "1", "THN": "0.5"},
	}
	v := serve(t, plain("ENG_USDT", "THN_USDT"), with(plain("alice", "bob"), "poor", poor))
	const market = "ENG_USDT"
	tradeAt(v.trader(t, "alice"), v.trader(t, "bob"), market, "100")
	v.trader(t, "bob").limit(market, "sell", "5", "100")

	for _, c := range []struct {
		name   string
		path   string
		fields obj
		status int
	}{
		{"limit buy", "order/new", obj{"side": "buy", "amount": "1.001", "price": "100"}, 400},
		{"limit sell", "order/new", obj{"side": "sell", "amount": "1.001", "price": "100"}, 400},
		{"limit at the price of the book", "order/new", obj{"side": "buy", "amount": "1.001", "bboRole": 2}, 400},
		{"market buy", "order/market", obj{"side": "buy", "amount": "100.001"}, 400},
		{"market sell", "order/market", obj{"side": "sell", "amount": "1.001"}, 400},
		{"stock market buy", "order/stock_market", obj{"side": "buy", "amount": "1.001"}, 400},
		{"stock market sell", "order/stock_market", obj{"side": "sell", "amount": "1.001"}, 400},
		{"stop limit buy", "order/stop_limit", obj{"side": "buy", "amount": "1", "price": "100.01", "activation_price": "120"}, 400},
		{"stop limit sell", "order/stop_limit", obj{"side": "sell", "amount": "1.001", "price": "80", "activation_price": "80"}, 400},
		{"stop market buy", "order/stop_market", obj{"side": "buy", "amount": "100.001", "activation_price": "120"}, 422},
		{"stop market sell", "order/stop_market", obj{"side": "sell", "amount": "1.001", "activation_price": "80"}, 422},
	} {
		t.Run("not enough balance: "+c.name, func(t *testing.T) {
			poor := v.trader(t, "poor")
			refuses(t, poor.ask(c.path, changed(c.fields, obj{"market": market})), inner(c.status, 10, "amount", noMoney))
			poor.holds("USDT", "100", "0")
			poor.holds("ENG", "1", "0")
		})
	}

	t.Run("a budget that buys less than a step", func(t *testing.T) {
		alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
		bob.limit("THN_USDT", "sell", "1", "100000")
		refuses(t, alice.ask("order/market", obj{"market": "THN_USDT", "side": "buy", "amount": "99.999"}),
			inner(400, 11, "amount", "Amount too small."))
	})

	t.Run("post-only that would take", func(t *testing.T) {
		alice := v.trader(t, "alice")
		order := obj{"market": market, "side": "buy", "amount": "1", "price": "100", "postOnly": true}
		want := inner(400, 13, "postOnly", asMaker)
		refuses(t, alice.ask("order/new", order), want)
		answers(t, alice.ask("order/bulk", obj{"orders": arr{order}}), arr{want.item()})
		answers(t, alice.ask("orders", obj{"market": market}), arr{})
	})
}

// TestSpotListingWindow: before a market opens only a single post-only limit order is taken.
func TestSpotListingWindow(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := operate(t, clock, with(plain(), "NEW_USDT", obj{"opens_at": clock.seconds() + 60}), plain("alice"))
	alice := v.trader(t, "alice")
	want := refusal{453, 30, "Validation failed", fault("orderType", "This order type is not available")}
	good := obj{"market": "NEW_USDT", "side": "sell", "amount": "1", "price": "150", "postOnly": true}

	for path, fields := range creations("NEW_USDT") {
		refuses(t, alice.ask(path, fields), want)
	}
	answers(t, alice.ask("order/bulk", obj{"orders": arr{good}}), arr{want.item()})
	answers(t, alice.ask("order/new", good), limitShape("NEW_USDT", "sell", "1", "150", obj{"postOnly": true}))

	// The replacement of a post-only order is one.
	id := alice.orders("NEW_USDT")[0].(map[string]any)["orderId"]
	answers(t, alice.ask("order/modify", obj{"market": "NEW_USDT", "orderId": id, "price": "151"}),
		listed(limitShape("NEW_USDT", "sell", "1", "151", obj{"postOnly": true}), nil))

	clock.advance(60 * schema.Second)
	answers(t, alice.ask("order/new", obj{"market": "NEW_USDT", "side": "buy", "amount": "1", "price": "50"}),
		limitShape("NEW_USDT", "buy", "1", "50", nil))
}

// TestSpotClosedMarkets: what an operator does to a market is felt by those who trade on it.
func TestSpotClosedMarkets(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := operate(t, clock, plain("MNT_USDT", "DIS_USDT", "DEL_USDT"), plain("alice", "bob"))
	for _, m := range []string{"MNT_USDT", "DIS_USDT", "DEL_USDT"} {
		tradeAt(v.trader(t, "alice"), v.trader(t, "bob"), m, "100")
	}

	t.Run("maintenance", func(t *testing.T) {
		alice := v.trader(t, "alice")
		alice.limit("MNT_USDT", "buy", "1", "90")
		v.Do(&schema.PlanMaintenance{Market: v.market("MNT_USDT").ID, From: clock.read(), To: clock.read() + 600*schema.Second})
		v.tick(clock)
		answers(t, alice.ask("orders", obj{"market": "MNT_USDT"}), arr{})
		for path, fields := range creations("MNT_USDT") {
			want := inner(400, 51, "price", "Trading in the market is not allowed.")
			if path == "order/stop_market" {
				want = want.as(422)
			}
			refuses(t, alice.ask(path, fields), want)
		}
		clock.advance(600 * schema.Second)
		v.tick(clock)
		alice.limit("MNT_USDT", "buy", "1", "90")
	})

	t.Run("disabled", func(t *testing.T) {
		alice := v.trader(t, "alice")
		id := alice.limit("DIS_USDT", "buy", "1", "90")["orderId"]
		m := v.market("DIS_USDT")
		m.Enabled = false
		v.Do(&schema.SetMarket{Market: m})
		for path, fields := range creations("DIS_USDT") {
			refuses(t, alice.ask(path, fields), invalid(31, "market", noMarket))
		}
		refuses(t, alice.ask("order/modify", obj{"market": "DIS_USDT", "orderId": id, "price": "91"}), invalid(31, "market", noMarket))
		// What stands there can be seen and taken back.
		answers(t, alice.ask("orders", obj{"market": "DIS_USDT"}), arr{listed(limitShape("DIS_USDT", "buy", "1", "90", nil), nil)})
		answers(t, alice.ask("order/cancel", obj{"market": "DIS_USDT", "orderId": id}),
			listed(limitShape("DIS_USDT", "buy", "1", "90", nil), obj{"status": "CANCELED"}))
	})

	t.Run("delisted", func(t *testing.T) {
		alice := v.trader(t, "alice")
		id := alice.limit("DEL_USDT", "buy", "1", "90")["orderId"]
		v.Do(&schema.PlanDelisting{Market: v.market("DEL_USDT").ID, At: clock.read()})
		alice.limit("DEL_USDT", "buy", "1", "89") // it trades until the delisting runs
		v.tick(clock)
		for path, fields := range creations("DEL_USDT") {
			refuses(t, alice.ask(path, fields), invalid(31, "market", noMarket))
		}
		refuses(t, alice.ask("order/cancel", obj{"market": "DEL_USDT", "orderId": id}), inner(400, 2, "orderId", notFound))
		answers(t, alice.ask("orders", obj{"market": "DEL_USDT"}), arr{})
	})
}

// TestSpotBlockedAccount: an account that is blocked can do nothing, and nothing is lost by it.
func TestSpotBlockedAccount(t *testing.T) {
	t.Parallel()
	v := operate(t, newClock(), plain("BLK_USDT"), plain("alice"))
	alice := v.trader(t, "alice")
	alice.limit("BLK_USDT", "buy", "1", "90")
	account := v.account("alice")
	account.Blocked = true
	v.Do(&schema.SetAccount{Account: account})
	for path, fields := range creations("BLK_USDT") {
		refuses(t, alice.ask(path, fields), refusal{401, 2, "This action is unauthorized. The account is blocked.", obj{}})
	}
	account.Blocked = false
	v.Do(&schema.SetAccount{Account: account})
	answers(t, alice.ask("orders", nil), arr{listed(limitShape("BLK_USDT", "buy", "1", "90", nil), nil)})
}

// TestSpotRegions: an account of the European region may place what takes the best price at once.
func TestSpotRegions(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("REG_USDT"), with(plain("alice", "bob"), "greta", obj{"region": "eu"}))
	alice, bob, greta := v.trader(t, "alice"), v.trader(t, "bob"), v.trader(t, "greta")
	const market = "REG_USDT"
	tradeAt(alice, bob, market, "100")
	alice.limit(market, "sell", "50", "100")
	alice.limit(market, "buy", "50", "99")
	want := refusal{453, 30, "Validation failed", fault("orderType", "This order type is not available")}

	limit := obj{"market": market, "side": "buy", "amount": "1", "price": "100"}
	for _, changes := range []obj{{}, {"postOnly": true}, {"ioc": true}, {"bboRole": 1}, {"bboRole": 2}, {"rpi": true}} {
		refuses(t, greta.ask("order/new", changed(limit, changes)), want)
	}
	refuses(t, greta.ask("order/stop_limit", changed(limit, obj{"activation_price": "120"})), want)
	advanced := obj{"market": market, "side": "buy", "amount": "1", "bboRole": 2, "ioc": true}
	answers(t, greta.ask("order/bulk", obj{"orders": arr{advanced}}), arr{want.item()})

	is(t, "status", greta.must("order/new", advanced)["status"], "FILLED")
	is(t, "status", greta.must("order/market", obj{"market": market, "side": "buy", "amount": "100"})["status"], "FILLED")
	is(t, "status", greta.must("order/stock_market", obj{"market": market, "side": "sell", "amount": "1"})["status"], "FILLED")
	is(t, "status", greta.must("order/stop_market", obj{"market": market, "side": "sell", "amount": "1", "activation_price": "50"})["status"], "OPEN")
}

// TestSpotTakerBand: an order at the market sweeps as far as the band, and the rest is canceled.
func TestSpotTakerBand(t *testing.T) {
	t.Parallel()
	v := serve(t, with(plain(), "BND_USDT", obj{"taker_band": "5"}), plain("alice", "bob"))
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	alice.limit("BND_USDT", "sell", "1", "100")
	alice.limit("BND_USDT", "sell", "1", "105")
	alice.limit("BND_USDT", "sell", "1", "105.01")
	answers(t, bob.ask("order/stock_market", obj{"market": "BND_USDT", "side": "buy", "amount": "3"}),
		marketShape("BND_USDT", "buy", "stock market", "3", obj{
			"dealStock": "2", "dealMoney": "205", "dealFee": "0.004", "left": "1", "status": "CANCELED_TAKER_BAND",
		}))
}
