package conform_test

import "testing"

// TestSpotFlags goes through the combinations of flags of a limit order (6.2), alone and as the
// item of a bulk.
func TestSpotFlags(t *testing.T) {
	t.Parallel()
	accounts := plain("alice")
	with(accounts, "maker", obj{"rpi": true})
	with(accounts, "shop", obj{"retail": true, "rpi": true})
	v := serve(t, plain("FLG_USDT", "BBO_USDT", "RPI_USDT", "RET_USDT"), accounts)
	base := obj{"market": "FLG_USDT", "side": "buy", "amount": "1", "price": "100"}

	for _, c := range []struct {
		name  string
		who   string
		flags obj
		want  refusal
	}{
		{"ioc with postOnly", "alice", obj{"ioc": true, "postOnly": true}, invalid(37, "ioc", "Either IOC or PostOnly flag in true state is allowed.")},
		{"ioc with rpi", "maker", obj{"ioc": true, "rpi": true}, invalid(40, "ioc", "Either IOC or RPI flag in true state is allowed.")},
		{"rpi with explicit postOnly", "maker", obj{"rpi": true, "postOnly": true}, invalid(30, "postOnly", "PostOnly should not be sent with RPI: an RPI order is always post-only.")},
		{"bboRole with postOnly", "alice", obj{"bboRole": 2, "postOnly": true}, invalid(30, "bboRole", "BboRole should not be sent with postOnly.")},
		{"bboRole with rpi", "maker", obj{"bboRole": 2, "rpi": true}, invalid(30, "bboRole", "BboRole should not be sent with rpi.")},
		{"bboRole 1 with ioc", "alice", obj{"bboRole": 1, "ioc": true}, invalid(30, "bboRole", "With ioc only bboRole 2 is allowed.")},
		{"bboRole 3", "alice", obj{"bboRole": 3}, invalid(30, "bboRole", "BboRole should be 1 or 2.")},
		{"bboRole 0", "alice", obj{"bboRole": 0}, invalid(30, "bboRole", "BboRole should be 1 or 2.")},
		{"bboRole a word", "alice", obj{"bboRole": "queue"}, invalid(30, "bboRole", "BboRole should be 1 or 2.")},
		{"bboRole 1 on an empty book", "alice", obj{"bboRole": 1}, invalid(30, "bboRole", "There is no price to take: that side of the order book is empty.")},
		{"retail without the account's flag", "alice", obj{"retail": true}, invalid(42, "retail", "api.validation.retail.not_allowed")},
		{"rpi without the account's flag", "alice", obj{"rpi": true}, invalid(43, "rpi", "RPI orders are not enabled for this account.")},
		{"postOnly not a boolean", "alice", obj{"postOnly": "yes"}, invalid(30, "postOnly", "PostOnly field should be a boolean.")},
		{"stp unknown", "alice", obj{"stp": "cx"}, invalid(30, "stp", "Stp field should contain only 'no', 'cb', 'cn' or 'co' values.")},
		{"stp not a string", "alice", obj{"stp": 1}, invalid(30, "stp", "Stp field should contain only 'no', 'cb', 'cn' or 'co' values.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			who := v.trader(t, c.who)
			order := changed(base, c.flags)
			refuses(t, who.ask("order/new", order), c.want)
			answers(t, who.ask("order/bulk", obj{"orders": arr{order}}), arr{c.want.item()})
		})
	}

	t.Run("rpi with retail is rpi", func(t *testing.T) {
		shop, alice := v.trader(t, "shop"), v.trader(t, "alice")
		answers(t, shop.ask("order/new", obj{"market": "RPI_USDT", "side": "sell", "amount": "1", "price": "100", "rpi": true, "retail": true}),
			limitShape("RPI_USDT", "sell", "1", "100", obj{"rpi": true, "retail": true}))
		// As an RPI order it is not in the public book: an order of anybody does not meet it.
		answers(t, alice.ask("order/new", obj{"market": "RPI_USDT", "side": "buy", "amount": "1", "price": "100", "ioc": true}),
			limitShape("RPI_USDT", "buy", "1", "100", obj{"ioc": true, "status": "CANCELED"}))
	})

	t.Run("retail takes rpi behind all others of the price", func(t *testing.T) {
		const market = "RET_USDT"
		maker, alice, shop := v.trader(t, "maker"), v.trader(t, "alice"), v.trader(t, "shop")
		answers(t, maker.ask("order/new", obj{"market": market, "side": "sell", "amount": "1", "price": "100", "rpi": true}),
			limitShape(market, "sell", "1", "100", obj{"rpi": true}))
		alice.limit(market, "sell", "1", "100")
		answers(t, shop.ask("order/new", obj{"market": market, "side": "buy", "amount": "1.5", "price": "100", "retail": true}),
			limitShape(market, "buy", "1.5", "100", obj{
				"retail": true, "dealStock": "1.5", "dealMoney": "150", "left": "0", "dealFee": "0.003", "status": "FILLED",
			}))
		answers(t, alice.ask("orders", obj{"market": market}), arr{})
		answers(t, maker.ask("orders", obj{"market": market}), arr{
			listed(limitShape(market, "sell", "1", "100", obj{
				"rpi": true, "dealStock": "0.5", "dealMoney": "50", "left": "0.5", "dealFee": "0.05", "status": "PARTIALLY_FILLED",
			}), nil),
		})
		// An RPI order is post-only by itself.
		resting := alice.limit(market, "buy", "1", "95")["orderId"]
		refuses(t, maker.ask("order/new", obj{"market": market, "side": "sell", "amount": "1", "price": "95", "rpi": true}),
			inner(400, 13, "postOnly", asMaker))
		alice.must("order/cancel", obj{"market": market, "orderId": resting})
		// With postOnly the flag has no effect: the order rests beside the RPI order.
		answers(t, shop.ask("order/new", obj{"market": market, "side": "buy", "amount": "1", "price": "100", "retail": true, "postOnly": true}),
			limitShape(market, "buy", "1", "100", obj{"retail": true, "postOnly": true}))
		shop.must("order/cancel", obj{"market": market, "orderId": shop.orders(market)[0].(map[string]any)["orderId"]})
	})

	t.Run("bboRole replaces the price", func(t *testing.T) {
		const market = "BBO_USDT"
		alice, maker := v.trader(t, "alice"), v.trader(t, "maker")
		maker.limit(market, "buy", "10", "99")
		maker.limit(market, "buy", "10", "98")
		maker.limit(market, "sell", "10", "101")
		maker.limit(market, "sell", "10", "102")
		maker.limit(market, "sell", "10", "100", obj{"rpi": true}) // not in the public book
		for _, c := range []struct {
			side  string
			role  any
			price string
			deal  bool
		}{
			{"buy", 1, "99", false}, {"sell", 1, "101", false}, {"buy", 2, "101", true}, {"sell", 2, "99", true}, {"buy", "1", "99", false},
		} {
			changes := obj{}
			if c.deal {
				changes = obj{"dealStock": "1", "left": "0", "status": "FILLED"}
				changes["dealMoney"], changes["dealFee"] = c.price, "0.002"
				if c.side == "sell" {
					changes["dealFee"] = "0.198"
				}
			}
			answers(t, alice.ask("order/new", obj{"market": market, "side": c.side, "amount": "1", "bboRole": c.role, "price": "77"}),
				limitShape(market, c.side, "1", c.price, changes))
		}
		answers(t, alice.ask("order/new", obj{"market": market, "side": "buy", "amount": "1", "bboRole": 2, "ioc": true}),
			limitShape(market, "buy", "1", "101", obj{
				"ioc": true, "dealStock": "1", "left": "0", "dealMoney": "101", "dealFee": "0.002", "status": "FILLED",
			}))
	})

	t.Run("bboRole of a stop limit picks the price when it wakes up", func(t *testing.T) {
		const market = "BBO_USDT"
		alice, maker := v.trader(t, "alice"), v.trader(t, "maker")
		alice.list("order/cancel/all", obj{"market": market})
		want := stopShape(market, "buy", "1", "", "103", obj{"type": "stop limit"})
		answers(t, alice.ask("order/stop_limit", obj{"market": market, "side": "buy", "amount": "1", "activation_price": "103", "bboRole": 1}), want)
		id := alice.orders(market)[0].(map[string]any)["orderId"]
		maker.list("order/cancel/all", obj{"market": market})
		maker.limit(market, "buy", "1", "102.5")
		tradeAt(maker, maker, market, "103")
		answers(t, alice.ask("orders", obj{"market": market, "orderId": id}), arr{
			listed(want, obj{"activated": 1, "price": "102.5"}),
		})
	})
}

// TestSpotSelfTrade goes through the modes of self-trade prevention and their older names.
func TestSpotSelfTrade(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("SAA_USDT", "SBB_USDT", "SCC_USDT", "SDD_USDT", "SEE_USDT", "SFF_USDT", "SGG_USDT"), plain("alice"))
	for i, c := range []struct {
		word, short string
		taker       obj
		maker       string
	}{
		{"no", "no", obj{"status": "FILLED", "dealStock": "1", "dealMoney": "100", "left": "0", "dealFee": "0.002"}, "FILLED"},
		{"cb", "cb", obj{"status": "CANCELED_STP"}, "CANCELED_STP"},
		{"cn", "cn", obj{"status": "CANCELED_STP"}, ""},
		{"co", "co", obj{"status": "OPEN"}, "CANCELED_STP"},
		{"cancel_both", "cb", obj{"status": "CANCELED_STP"}, "CANCELED_STP"},
		{"cancel_new", "cn", obj{"status": "CANCELED_STP"}, ""},
		{"cancel_old", "co", obj{"status": "OPEN"}, "CANCELED_STP"},
	} {
		t.Run(c.word, func(t *testing.T) {
			alice := v.trader(t, "alice")
			market := "S" + string("ABCDEFG"[i]) + string("ABCDEFG"[i]) + "_USDT"
			rests := alice.limit(market, "sell", "1", "100")
			c.taker["stp"] = c.short
			answers(t, alice.ask("order/new", obj{"market": market, "side": "buy", "amount": "1", "price": "100", "stp": c.word}),
				limitShape(market, "buy", "1", "100", c.taker))
			past := alice.must("trade-account/order/history", obj{"orderId": rests["orderId"]})
			if c.maker == "" {
				is(t, "history", past, obj{})
				return
			}
			is(t, "status", past[market].([]any)[0].(map[string]any)["status"], c.maker)
		})
	}
}
