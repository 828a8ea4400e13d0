package ws

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// ordersGroup and collateralGroup are the methods that place, change and cancel orders.
var (
	ordersGroup = &Group{
		Name: "orders", Title: "Orders",
		Text: "Place, modify and cancel spot orders, modify and cancel others. The params are a list with one object. The reply comes when the order is durable, in the order in which the requests were sent.",
	}
	collateralGroup = &Group{
		Name: "collateralOrders", Title: "Margin and futures orders",
		Text: "Orders on futures markets, paid from the collateral balance.",
	}
)

// spend is the amount of orders that buy for an amount of money.
var spend = map[string]string{"amount": "Amount to spend in the quote asset for a buy, or to sell in the base asset for a sell."}

// of puts rows into a group.
func of(g *Group, rows ...Method) []Method {
	for i := range rows {
		rows[i].Group = g
	}
	return rows
}

// orderMethods are those about orders on spot markets, and on any.
var orderMethods = of(
	ordersGroup,
	placing{kind: schema.Limit, price: true, maker: true, rpi: true}.row(Method{
		Name: "order_limit_place", Right: "/api/v4/order/new", Summary: "Place a limit order",
		Text:    "Trades at its price or better; the remainder rests in the order book.",
		Example: Example{Result: exampleOrder(`"type":1,"side":2`, `"price":"51000.5","amount":"0.01","left":"0.01"`, "OPEN", ``)},
	}, `[{"market":"BTC_USDT","side":"buy","amount":"0.01","price":"51000.5","client_order_id":"a-1"}]`),
	placing{kind: schema.Market}.row(Method{
		Name: "order_market_place", Right: "/api/v4/order/market", Summary: "Place a market order",
		Text:     "Trades immediately with the best orders of the book. PARTIALLY_FILLED means that the book ran out.",
		Meanings: spend,
		Example:  Example{Result: exampleOrder(`"type":2,"side":1`, `"price":"0","amount":"0.01","left":"0"`, "FILLED", ``)},
	}, `[{"market":"BTC_USDT","side":"sell","amount":"0.01"}]`),
	placing{kind: schema.StockMarket}.row(Method{
		Name: "order_market_stock_place", Right: "/api/v4/order/stock_market", Summary: "Place a market order in the base asset",
		Text:    "As a market order; the amount is in the base asset for both sides.",
		Example: Example{Result: exampleOrder(`"type":202,"side":2`, `"price":"0","amount":"0.01","left":"0"`, "FILLED", ``)},
	}, `[{"market":"BTC_USDT","side":"buy","amount":"0.01"}]`),
	placing{kind: schema.StopLimit, price: true}.row(Method{
		Name: "order_stop_limit_place", Right: "/api/v4/order/stop_limit", Summary: "Place a stop-limit order",
		Text:    "Waits for its activation price and becomes a limit order then.",
		Example: Example{Result: exampleOrder(`"type":3,"side":2`, `"price":"56000","amount":"0.01","left":"0.01"`, "OPEN", exampleStop)},
	}, `[{"market":"BTC_USDT","side":"buy","amount":"0.01","price":"56000","activation_price":"55000"}]`),
	placing{kind: schema.StopMarket}.row(Method{
		Name: "order_stop_market_place", Right: "/api/v4/order/stop_market", Summary: "Place a stop-market order",
		Text:     "Waits for its activation price and becomes a market order then.",
		Meanings: spend,
		Example:  Example{Result: exampleOrder(`"type":4,"side":2`, `"price":"0","amount":"600","left":"600"`, "OPEN", exampleStop)},
	}, `[{"market":"BTC_USDT","side":"buy","amount":"600","activation_price":"55000"}]`),
	placing{kind: schema.StopStockMarket}.row(Method{
		Name: "order_stop_market_stock_place", Right: "/api/v4/order/stop_market", Summary: "Place a stop-market order in the base asset",
		Text:    "As a stop-market order; the amount is in the base asset for both sides.",
		Example: Example{Result: exampleOrder(`"type":203,"side":2`, `"price":"0","amount":"0.01","left":"0.01"`, "OPEN", exampleStop)},
	}, `[{"market":"BTC_USDT","side":"buy","amount":"0.01","activation_price":"55000"}]`),
	placing{kind: schema.Limit, role: true, maker: true}.row(Method{
		Name: "order_bbo_place", Right: "/api/v4/order/new", Summary: "Place a limit order at the best price",
		Text:    "Takes its price from the order book when it arrives. The price does not follow the book afterwards.",
		Example: Example{Result: exampleOrder(`"type":1,"side":2`, `"price":"51000.5","amount":"0.01","left":"0.01"`, "OPEN", ``)},
	}, `[{"market":"BTC_USDT","side":"buy","amount":"0.01","bbo_role":1}]`),
	placing{kind: schema.StopLimit, role: true}.row(Method{
		Name: "order_stop_bbo_place", Right: "/api/v4/order/stop_limit", Summary: "Place a stop-limit order at the best price",
		Text:    "Waits for its activation price and takes its limit price from the order book then; until then its price is 0.",
		Example: Example{Result: exampleOrder(`"type":3,"side":2`, `"price":"0","amount":"0.01","left":"0.01"`, "OPEN", exampleStop)},
	}, `[{"market":"BTC_USDT","side":"buy","amount":"0.01","activation_price":"55000","bbo_role":2}]`),
	Method{
		Name: "order_modify", Kind: Request, Private: true, Right: "/api/v4/order/modify", Summary: "Modify an order",
		Text: "Replaces an open order by a changed one, which has a new id and loses its place in the queue. What is omitted stays.",
		Meanings: map[string]string{
			"amount": "New amount in the base asset.", "total": "New amount in the quote asset, for orders that were placed with one. Not with amount.",
			"price": "New limit price.", "activation_price": "New activation price of a stop order that waits.",
			"client_order_id": "Client order id of the order. It counts where both ids are sent.", "stp": "New mode of self-trade prevention.",
		},
		Result: orderReply, Refusals: modifyRefusals, Faults: []*Error{errRestricted, errNoSuchMarket, errNoSuchOrder, errNoSpot},
		Example:  Example{`[{"market":"BTC_USDT","order_id":7002,"price":"50900"}]`, exampleOrder(`"type":1,"side":2`, `"price":"50900","amount":"0.01","left":"0.01"`, "OPEN", ``)},
		handling: submits((*call).modify),
	},
	Method{
		Name: "order_cancel", Kind: Request, Private: true, Right: "/api/v4/order/cancel", Summary: "Cancel an order",
		Text:     "Cancels an open order. On a market that is closed, too.",
		Meanings: map[string]string{"client_order_id": "Client order id of the order. It counts where both ids are sent."},
		Result:   orderReply, Refusals: cancelRefusals, Faults: []*Error{errNoSuchMarket, errNoSuchOrder},
		Example:  Example{`[{"market":"BTC_USDT","order_id":7002}]`, exampleOrder(`"type":1,"side":2`, `"price":"51000.5","amount":"0.01","left":"0.01"`, "CANCELED", ``)},
		handling: submits((*call).cancel),
	},
	Method{
		Name: "order_cancel_all", Kind: Request, Private: true, Right: cancelAllRight, Summary: "Cancel all orders of a market",
		Text:     "Cancels all open orders of some kinds. It is no error if there are none.",
		Meanings: map[string]string{"type": "Kinds of orders to cancel.", "product": "Kind of order."},
		Result:   api.Object("Empty", "An empty object."), Refusals: []schema.Reason{schema.AccountUnknown, schema.AccountBlocked, schema.MarketUnavailable},
		Faults:   []*Error{errNoSuchMarket},
		Example:  Example{`[{"market":"BTC_USDT","type":["spot"]}]`, `{}`},
		handling: submits((*call).cancelAll),
	},
	Method{
		Name: "order_cancel_conditional", Kind: Request, Private: true, Right: "/api/v4/order/conditional-cancel", Summary: "Cancel a group of conditional orders",
		Text:     "Cancels an OCO or OTO group. None can be placed, so that there is none to cancel.",
		Meanings: map[string]string{"order_id": "Id of the group."},
		Result:   orderReply, Faults: []*Error{errNoSuchMarket, errNoSuchOrder},
		Example:  Example{`[{"market":"BTC_USDT","order_id":7002}]`, ``},
		handling: submits((*call).cancelConditional),
	},
)

// cancelAllRight is also what cancel_on_disconnect needs.
const cancelAllRight = "/api/v4/order/cancel/all"

var (
	cancelRefusals = []schema.Reason{schema.AccountUnknown, schema.AccountBlocked, schema.MarketUnavailable, schema.OrderNotFound}
	// What replaces an order is checked as a new one.
	modifyRefusals = slices.Concat(anyOrder, ofCollateral, inMoney, priced, waiting, []schema.Reason{
		schema.PriceOutOfBand,
		schema.OrderNotFound, schema.ActivationOnLimit, schema.PriceOnStopMarket, schema.TotalNotAllowed, schema.AmountNotAllowed,
		schema.ModifyActivationEqualsLast, schema.RetailNotEnabled, schema.RPINotEnabled, schema.BBOEmpty, schema.PostOnlyWouldTake,
	})
)

// collateralMethods are those about orders on margin and futures markets.
var collateralMethods = of(
	collateralGroup,
	placing{kind: schema.Limit, price: true, maker: true, rpi: true, collateral: true}.row(Method{
		Name: "collateral_order_limit_place", Right: "/api/v4/order/collateral/limit", Summary: "Place a limit order with margin",
		Text:     "Trades at its price or better; the remainder rests in the order book.",
		Meanings: ofPositions,
		Example:  Example{Result: exampleBet(`"type":7,"side":2`, `"price":"51000.5","amount":"0.01","left":"0.01"`, "OPEN", ``)},
	}, `[{"market":"BTC_PERP","side":"buy","amount":"0.01","price":"51000.5","client_order_id":"a-1"}]`),
	placing{kind: schema.StockMarket, collateral: true}.row(Method{
		Name: "collateral_order_market_place", Right: "/api/v4/order/collateral/market", Summary: "Place a market order with margin",
		Text:     "Trades immediately with the best orders of the book, within the taker band around the mark. The amount is in the base asset for both sides.",
		Meanings: ofPositions,
		Example:  Example{Result: exampleBet(`"type":8,"side":2`, `"price":"0","amount":"0.01","left":"0"`, "FILLED", ``)},
	}, `[{"market":"BTC_PERP","side":"buy","amount":"0.01"}]`),
	placing{kind: schema.StopLimit, price: true, collateral: true}.row(Method{
		Name: "collateral_order_stop_limit_place", Right: "/api/v4/order/collateral/stop-limit", Summary: "Place a stop-limit order with margin",
		Text:     "Waits for its activation price and becomes a limit order then.",
		Meanings: ofPositions,
		Example:  Example{Result: exampleBet(`"type":9,"side":2`, `"price":"56000","amount":"0.01","left":"0.01"`, "OPEN", exampleStop)},
	}, `[{"market":"BTC_PERP","side":"buy","amount":"0.01","price":"56000","activation_price":"55000"}]`),
	placing{kind: schema.StopStockMarket, collateral: true}.row(Method{
		Name: "collateral_order_stop_market_place", Right: "/api/v4/order/collateral/trigger-market", Summary: "Place a stop-market order with margin",
		Text:     "Waits for its activation price and becomes a market order then.",
		Meanings: ofPositions,
		Example:  Example{Result: exampleBet(`"type":10,"side":2`, `"price":"0","amount":"0.01","left":"0.01"`, "OPEN", exampleStop)},
	}, `[{"market":"BTC_PERP","side":"buy","amount":"0.01","activation_price":"55000"}]`),
	collateralRow("bbo", "/api/v4/order/collateral/limit", "a limit order at the best price"),
	collateralRow("stop_bbo", "/api/v4/order/collateral/stop-limit", "a stop-limit order at the best price"),
	collateralRow("oco", "/api/v4/order/collateral/oco", "an OCO group"),
	collateralRow("oto", "/api/v4/order/collateral/limit", "an OTO group"),
	collateralRow("tpsl", "/api/v4/order/collateral/limit", "take profit and stop loss"),
)

// ofPositions is what orders have to do with positions.
var ofPositions = map[string]string{
	"reduce_only":   "Whether the order may only make the position smaller. Its amount is cut to the position.",
	"position_side": "Position that the order belongs to: LONG or SHORT in hedge mode; not looked at in one-way mode.",
}

// collateralRow is a method whose orders are not offered.
func collateralRow(kind, right, what string) Method {
	return Method{
		Name: "collateral_order_" + kind + "_place", Kind: Request, Private: true, Right: right, Budget: Placements,
		Summary: "Place " + what + " with margin",
		Text:    "Not offered: answers error 1 for futures markets, and 19 for others.",
		Result:  orderReply, Faults: []*Error{errNoMargin, errNoSuchMarket, errMarginMarket, errNotOffered},
		Example:  Example{`[{"market":"BTC_PERP","side":"buy","amount":"0.01"}]`, ``},
		handling: submits((*call).refuseCollateral),
	}
}
