package conform_test

import (
	"maps"
	"testing"

	"bourse/internal/schema"
)

// TradFi futures are tested on shares of AAPL in USD, of which one is worth 0.9995 USDT. The index of a share, and with it
// the mark, is 230 USD unless the test says otherwise.
const stock = "AAPL_USD"

// stocks is an exchange inside the test with AAPL_USD, alice and the maker, who may trade it, and carl, who may not. Each has 1,000,000 USDT
// in main. The price of USD is good for an hour.
func stocks(t *testing.T, changes obj) (venue, *clock) {
	t.Helper()
	market := obj{"type": "tradfiFutures", "money_prec": 2, "max_total": "0", "maker_fee": "0.02", "taker_fee": "0.05"}
	maps.Copy(market, changes)
	may := func(tradfi bool) obj {
		return obj{"tradfi": tradfi, "deposits": obj{"USDT": "1000000"}, "trade": obj{}}
	}
	clock := newClock()
	v := operate(t, clock, map[string]obj{"USD_USDT": nil, stock: market}, map[string]obj{"alice": may(true), "maker": may(true), "carl": may(false)})
	v.Do(&schema.SetCollateral{Asset: v.asset("USD"), IndexMaxAge: 3600 * schema.Second})
	v.mark(t, "USD_USDT", "0.9995")
	v.mark(t, stock, "230")
	return v, clock
}

// permit gives an account the right to trade TradFi futures, or takes it away.
func (v venue) permit(name string, on bool) {
	account := v.account(name)
	account.TradFi = on
	v.Do(&schema.SetAccount{Account: account})
}

// shares are requests for AAPL_USD that are taken, by endpoint.
var shares = map[string]obj{
	"limit":          {"market": stock, "side": "buy", "amount": "0.1", "price": "225"},
	"market":         {"market": stock, "side": "buy", "amount": "0.1"},
	"stop-limit":     {"market": stock, "side": "buy", "amount": "0.1", "price": "236", "activation_price": "235"},
	"trigger-market": {"market": stock, "side": "buy", "amount": "0.1", "activation_price": "235"},
	"oco":            {"market": stock, "side": "sell", "amount": "0.1", "price": "235", "activation_price": "225", "stop_limit_price": "224"},
}

// socketShares are the same over the socket, by method.
func socketShares() map[string]obj {
	limit, market := shares["limit"], shares["market"]
	return map[string]obj{
		"collateral_order_limit_place":       limit,
		"collateral_order_market_place":      market,
		"collateral_order_stop_limit_place":  shares["stop-limit"],
		"collateral_order_stop_market_place": shares["trigger-market"],
		"collateral_order_bbo_place":         changed(market, obj{"bbo_role": 1}),
		"collateral_order_stop_bbo_place":    changed(shares["trigger-market"], obj{"bbo_role": 1}),
		"collateral_order_oco_place":         shares["oco"],
		"collateral_order_oto_place":         {"trigger_order_type": "margin_limit", "trigger_order": limit, "conditional_order_type": "margin_take_profit", "take_profit": "235"},
	}
}

var notEnabled = invalid(10011, "market", "TradFi futures are not enabled for this account.")

const notEnabledText = "tradfi futures are not enabled for the account"

// TestTradFiGate: who was not enabled for TradFi futures can neither place nor change orders on them, and can always cancel and close
// (collateral-trading 1.1).
func TestTradFiGate(t *testing.T) {
	t.Parallel()
	v, _ := stocks(t, nil)
	alice, maker, carl := v.trader(t, "alice").backed("1000"), v.trader(t, "maker").backed("100000"), v.trader(t, "carl").backed("1000")
	meet(alice, maker, stock, "1", "230")
	maker.bet(stock, "sell", "10", "230.5")
	maker.bet(stock, "buy", "10", "229.5")

	// none checks that nothing can be placed.
	none := func(t *testing.T, c trader) {
		t.Helper()
		for path, fields := range shares {
			refuses(t, c.ask("order/collateral/"+path, fields), notEnabled)
		}
		for _, path := range []string{"limit", "market", "stop-limit", "trigger-market"} {
			refuses(t, c.ask("order/collateral/"+path, changed(shares[path], obj{"takeProfit": "250"})), notEnabled)
		}
		answers(t, c.ask("order/collateral/bulk", obj{"orders": []obj{shares["limit"], shares["limit"]}}), arr{notEnabled.item(), notEnabled.item()})
		s := c.socket()
		for method, fields := range socketShares() {
			s.refuses(10011, notEnabledText, method, fields)
		}
		s.refuses(10011, notEnabledText, "collateral_order_tpsl_place", obj{"market": stock, "take_profit_activation_price": "250"})
	}
	t.Run("what an account may not place", func(t *testing.T) {
		none(t, carl)
		// The wallet comes before the right, and other markets need none.
		refuses(t, carl.ask("order/new", shares["limit"]), invalid(31, "market", "Futures are traded from the collateral balance alone."))
		answers(t, carl.ask("orders", nil), arr{})
	})
	t.Run("what it may once it is enabled", func(t *testing.T) {
		v.permit("carl", true)
		for path, fields := range shares {
			carl.must("order/collateral/"+path, fields)
		}
		carl.list("order/collateral/bulk", obj{"orders": []obj{shares["limit"]}})
		carl.list("order/cancel/all", obj{"market": stock})
		s := carl.socket()
		for method, fields := range socketShares() {
			s.must(method, fields)
		}
		carl.list("order/cancel/all", obj{"market": stock})
	})
	t.Run("what stays when it is not any more", func(t *testing.T) {
		first, second, third := alice.bet(stock, "buy", "0.1", "225"), alice.bet(stock, "buy", "0.1", "224"), alice.bet(stock, "buy", "0.1", "223")
		stop := alice.must("order/collateral/stop-limit", shares["stop-limit"])
		oco := alice.must("order/collateral/oco", shares["oco"])
		oto := alice.must("order/collateral/limit", changed(shares["limit"], obj{"takeProfit": "250"}))
		v.permit("alice", false)
		none(t, alice)
		s := alice.socket()
		for _, o := range []map[string]any{first, stop} {
			refuses(t, alice.ask("order/modify", obj{"market": stock, "orderId": o["orderId"], "amount": "0.2"}), notEnabled)
			s.refuses(10011, notEnabledText, "order_modify", obj{"market": stock, "order_id": o["orderId"], "amount": "0.2"})
		}
		for _, o := range []map[string]any{first, stop} {
			is(t, "status", alice.must("order/cancel", obj{"market": stock, "orderId": o["orderId"]})["status"], "CANCELED")
		}
		is(t, "status", s.must("order_cancel", obj{"market": stock, "order_id": second["orderId"]})["status"], "CANCELED")
		alice.list("order/cancel/bulk", obj{"orders": []obj{{"market": stock, "orderId": third["orderId"]}}})
		alice.must("order/oco-cancel", obj{"market": stock, "orderId": oco["id"]})
		alice.list("order/cancel/all", obj{"market": stock})
		answers(t, alice.ask("orders", nil), arr{})
		refuses(t, alice.ask("order/cancel", obj{"market": stock, "orderId": oto["orderId"]}), inner(400, 2, "orderId", notFound))

		position := alice.list("collateral-account/positions/open", nil)[0].(map[string]any)["positionId"]
		answers(t, alice.ask("collateral-account/position/close", obj{"market": stock, "positionId": position}), arr{})
		answers(t, alice.ask("collateral-account/positions/open", nil), arr{})
	})
}

// TestTradFiPositions follows a long from its deal to its end: prices are in USD, and all that is paid is USDT.
func TestTradFiPositions(t *testing.T) {
	t.Parallel()
	v, clock := stocks(t, changed(funded, obj{"impact_notional": "10"}))
	alice, maker := v.trader(t, "alice").backed("100"), v.trader(t, "maker").backed("100000")
	opened := clock.read()
	s := alice.socket()
	s.Must("deals_subscribe")
	s.Must("positionsMargin_subscribe")
	pushes(t, s.Socket, "positionsMargin", whole())

	t.Run("an order and its deal", func(t *testing.T) {
		resting := maker.bet(stock, "sell", "2", "230.1")
		is(t, "feeAsset", resting["feeAsset"], "USDT")
		answers(t, maker.ask("orders", nil), arr{betShape(stock, "sell", "2", "230.1", nil)})
		// 460.2 USD are 459.9699 USDT, of which 0.05 % and 0.02 % are fees.
		answers(t, alice.ask("order/collateral/limit", obj{"market": stock, "side": "buy", "amount": "2", "price": "230.1"}), betShape(stock, "buy", "2", "230.1", obj{
			"status": "FILLED", "left": "0", "dealStock": "2", "dealMoney": "460.2", "dealFee": "0.22998495",
		}))
		deal := obj{
			"id": anID, "clientOrderId": "", "time": aMoment, "side": "buy", "role": 2, "amount": "2", "price": "230.1", "deal": "460.2", "fee": "0.22998495",
			"orderId": anID, "feeAsset": "USDT",
		}
		answers(t, alice.ask("trade-account/executed-history", obj{"market": stock}), arr{deal})
		answers(t, maker.ask("trade-account/executed-history", obj{"market": stock}), arr{changed(deal, obj{"side": "sell", "role": 1, "fee": "0.09199398"})})
		pushes(t, s.Socket, "deals", arr{anID, aMoment, stock, anID, "230.1", "2", "0.22998495", "", 2, 2, "USDT"})
		past := alice.must("trade-account/order/history", nil)[stock].([]any)[0].(map[string]any)
		is(t, "dealMoney", past["dealMoney"], "460.2")
		is(t, "dealFee", past["dealFee"], "0.22998495")
		is(t, "feeAsset", past["feeAsset"], "USDT")
		ended := read(t, s.Must("ordersExecuted_request", obj{"market": stock, "order_types": []int{}}, 0, 10))["records"].([]any)[0].(map[string]any)
		is(t, "deal_money", ended["deal_money"], "460.2")
		is(t, "deal_fee", ended["deal_fee"], "0.22998495")
		is(t, "fee_asset", ended["fee_asset"], "USDT")
		answers(t, alice.ask("collateral-account/balance", obj{"ticker": "USDT"}), obj{"USDT": "99.77001505"})
	})

	// A share is 229.885 USDT: two are worth 459.77, and a tenth of that is margin. At 185.76 USD what is left is less than 3 % of them.
	t.Run("an open position", func(t *testing.T) {
		answers(t, alice.ask("collateral-account/positions/open", obj{"market": stock}), arr{obj{
			"positionId": anID, "market": stock, "openDate": aMoment, "modifyDate": aMoment, "amount": "2", "basePrice": "230.1",
			"liquidationPrice": "185.76", "liquidationState": nil, "pnl": "0", "pnlPercent": "-0.43", "unrealizedPnl": "-0.1999",
			"margin": "45.977", "freeMargin": "53.59311505", "funding": "0", "unrealizedFunding": "0", "tpsl": nil, "positionSide": "BOTH",
		}})
		pushes(t, s.Socket, "positionsMargin", whole(obj{
			"id": anID, "market": stock, "ctime": aMoment, "mtime": aMoment, "amount": "2", "amount_in_money": "459.77", "base_price": "230.1", "pnl": "-0.1999",
			"liq_price": "185.76", "liq_stage": nil, "unrealized_funding": "0", "funding": "0", "margin": "45.977", "free_margin": "53.59311505", "realized_pnl": "0",
			"position_side": "BOTH",
		}))
		answers(t, alice.ask("collateral-account/adl-quantile", nil), pattern(`.*AAPL_USD.*`))
	})

	at := v.settle(t, clock, maker, stock, "230", "229.5", "230.5")
	sell := func(price string) any {
		t.Helper()
		maker.bet(stock, "buy", "1", price)
		return alice.must("order/collateral/market", obj{"market": stock, "side": "sell", "amount": "1"})["orderId"]
	}
	part := sell("240")
	last := sell("238")
	closed := int(clock.read() / schema.Second)

	t.Run("positions/history", func(t *testing.T) {
		change := func(amount, base, funding string, detail obj) obj {
			return obj{
				"positionId": anID, "market": stock, "openDate": aMoment, "modifyDate": aMoment, "amount": amount, "basePrice": base, "realizedFunding": funding,
				"liquidationPrice": nil, "liquidationState": nil, "orderDetail": detail, "side": "BOTH", "isHedge": false,
			}
		}
		detail := func(id any, amount, price, fee string, funding, pnl any) obj {
			return obj{"id": id, "tradeAmount": amount, "price": price, "tradeFee": fee, "fundingFee": funding, "realizedPnl": pnl}
		}
		answers(t, alice.ask("collateral-account/positions/history", obj{"market": stock}), arr{
			change("0", "230.1", "0.137931", detail(seen(last), "1", "238", "0.1189405", nil, "7.89605")),
			change("1", "230.1", "0.137931", detail(seen(part), "1", "240", "0.11994", nil, "9.89505")),
			change("2", "230.1", "0.137931", detail(0, "0", "230", "0", "0.137931", nil)),
			change("2", "230.1", "0", detail(anID, "2", "230.1", "0.22998495", nil, "0")),
		})
	})
	t.Run("positions/closed-pnl", func(t *testing.T) {
		pnl := func(gross, net, fee, funding string) obj {
			return obj{
				"positionId": anID, "market": stock, "grossPnl": gross, "netPnl": net, "totalTradeFee": fee, "totalFunding": funding, "avgEntryPrice": "230.1",
				"avgExitPrice": "239", "closedSize": "2", "amount": "0", "side": "BOTH", "isHedge": false, "openDate": int(opened / schema.Second), "closeDate": closed,
			}
		}
		answers(t, alice.ask("collateral-account/positions/closed-pnl", nil), arr{pnl("17.32223455", "17.18430355", "0.46886545", "0.137931")})
		answers(t, maker.ask("collateral-account/positions/closed-pnl", nil), arr{pnl("-17.97864618", "-17.84071518", "0.18754618", "-0.137931")})
	})
	t.Run("funding", func(t *testing.T) {
		record := obj{
			"market": stock, "fundingTime": seconds(at), "fundingRate": "0.0003", "fundingAmount": "-0.137931", "positionAmount": "2",
			"settlementPrice": "230", "rateCalculatedTime": seconds(at - 300*schema.Second),
		}
		answers(t, alice.ask("collateral-account/funding-history", obj{"market": stock}), obj{"records": arr{record}, "limit": 100, "offset": 0})
		delete(record, "fundingAmount")
		delete(record, "positionAmount")
		answers(t, v.Get("/api/v4/public/funding-history/"+stock), arr{record})
	})
	t.Run("all of it is in the balance", func(t *testing.T) {
		// 100 + 17.18430355
		answers(t, alice.ask("collateral-account/balance", obj{"ticker": "USDT"}), obj{"USDT": "117.18430355"})
		answers(t, alice.ask("collateral-account/balance", obj{"ticker": "USD"}), obj{"USD": "0"})
	})
}

// TestTradFiFees: the fees of an account count TradFi futures among the futures.
func TestTradFiFees(t *testing.T) {
	t.Parallel()
	v, _ := stocks(t, nil)
	alice := v.trader(t, "alice")
	fees := alice.must("market/fee", nil)
	is(t, "futures_taker", fees["futures_taker"], "0.05")
	is(t, "futures_maker", fees["futures_maker"], "0.02")
	is(t, "taker", fees["taker"], "0.2")
}
