package ws

import (
	"maps"
	"slices"
	"strings"

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
		Text: "Orders on futures markets and on spot markets with margin, paid from the collateral balance. On TradFi futures, as AAPL_USD, the account must be enabled for them.",
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
		Text: "Replaces an open order by a changed one, which has a new id and loses its place in the queue. What is omitted stays. " +
			"Orders of an OCO, the primary of an OTO, take profits and stop losses cannot be modified. On TradFi futures the account must be enabled for them.",
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
		Text:     "Cancels an open order. On a market that is closed, too. The orders of an OCO, and the primary of an OTO, are canceled with their group: order_cancel_conditional.",
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
		Text: "Cancels an OCO or an OTO, and returns it with its orders as they ended. Of an OTO it cancels the primary order, and what that had traded is protected from then on; " +
			"if the primary is over, it cancels the take profit and the stop loss.",
		Meanings: map[string]string{"order_id": "Id of the group, not of one of its orders."},
		Result:   api.OneOf(ocoEncoder.Schema(), otoEncoder.Schema(), otoExitsEncoder.Schema()), Refusals: dissolveRefusals, Faults: []*Error{errNoSuchMarket, errNoSuchOrder},
		Example:  Example{`[{"market":"BTC_PERP","order_id":7001}]`, exampleOCO("CANCELED")},
		handling: submits((*call).cancelConditional),
	},
)

// cancelAllRight is also what cancel_on_disconnect needs.
const cancelAllRight = "/api/v4/order/cancel/all"

var (
	dissolveRefusals = []schema.Reason{schema.AccountUnknown, schema.AccountBlocked, schema.MarketUnavailable, schema.OrderNotFound}
	cancelRefusals   = append(slices.Clone(dissolveRefusals), schema.CancelOfGroup)
	// What replaces an order is checked as a new one.
	modifyRefusals = slices.Concat(anyOrder, ofCollateral, inMoney, priced, waiting, []schema.Reason{
		schema.PriceOutOfBand, schema.ModifyOfGroup, schema.ModifyOfProtection,
		schema.OrderNotFound, schema.ActivationOnLimit, schema.PriceOnStopMarket, schema.TotalNotAllowed, schema.AmountNotAllowed,
		schema.ModifyActivationEqualsLast, schema.RetailNotEnabled, schema.RPINotEnabled, schema.BBOEmpty, schema.PostOnlyWouldTake,
	})
)

// The orders that are paid from collateral.
var (
	marginLimit      = placing{kind: schema.Limit, price: true, maker: true, rpi: true, collateral: true}
	marginMarket     = placing{kind: schema.StockMarket, collateral: true}
	marginStopLimit  = placing{kind: schema.StopLimit, price: true, collateral: true}
	marginStopMarket = placing{kind: schema.StopStockMarket, collateral: true}
	marginBBO        = placing{kind: schema.Limit, role: true, maker: true, collateral: true}
	marginStopBBO    = placing{kind: schema.StopLimit, role: true, collateral: true}
)

// collateralMethods are those about orders on margin and futures markets.
var collateralMethods = of(
	collateralGroup,
	marginLimit.row(Method{
		Name: "collateral_order_limit_place", Right: "/api/v4/order/collateral/limit", Summary: "Place a limit order with margin",
		Text:     "Trades at its price or better; the remainder rests in the order book.",
		Meanings: ofPositions,
		Example:  Example{Result: exampleBet(`"type":7,"side":2`, `"price":"51000.5","amount":"0.01","left":"0.01"`, "OPEN", ``)},
	}, `[{"market":"BTC_PERP","side":"buy","amount":"0.01","price":"51000.5","client_order_id":"a-1"}]`),
	marginMarket.row(Method{
		Name: "collateral_order_market_place", Right: "/api/v4/order/collateral/market", Summary: "Place a market order with margin",
		Text:     "Trades immediately with the best orders of the book, within the taker band around the mark. The amount is in the base asset for both sides.",
		Meanings: ofPositions,
		Example:  Example{Result: exampleBet(`"type":8,"side":2`, `"price":"0","amount":"0.01","left":"0"`, "FILLED", ``)},
	}, `[{"market":"BTC_PERP","side":"buy","amount":"0.01"}]`),
	marginStopLimit.row(Method{
		Name: "collateral_order_stop_limit_place", Right: "/api/v4/order/collateral/stop-limit", Summary: "Place a stop-limit order with margin",
		Text:     "Waits for its activation price and becomes a limit order then.",
		Meanings: ofPositions,
		Example:  Example{Result: exampleBet(`"type":9,"side":2`, `"price":"56000","amount":"0.01","left":"0.01"`, "OPEN", exampleStop)},
	}, `[{"market":"BTC_PERP","side":"buy","amount":"0.01","price":"56000","activation_price":"55000"}]`),
	marginStopMarket.row(Method{
		Name: "collateral_order_stop_market_place", Right: "/api/v4/order/collateral/trigger-market", Summary: "Place a stop-market order with margin",
		Text:     "Waits for its activation price and becomes a market order then.",
		Meanings: ofPositions,
		Example:  Example{Result: exampleBet(`"type":10,"side":2`, `"price":"0","amount":"0.01","left":"0.01"`, "OPEN", exampleStop)},
	}, `[{"market":"BTC_PERP","side":"buy","amount":"0.01","activation_price":"55000"}]`),
	marginBBO.row(Method{
		Name: "collateral_order_bbo_place", Right: "/api/v4/order/collateral/limit", Summary: "Place a limit order at the best price with margin",
		Text:     "Takes its price from the order book when it arrives. The price does not follow the book afterwards.",
		Meanings: ofPositions,
		Example:  Example{Result: exampleBet(`"type":7,"side":2`, `"price":"51000.5","amount":"0.01","left":"0.01"`, "OPEN", ``)},
	}, `[{"market":"BTC_PERP","side":"buy","amount":"0.01","bbo_role":1}]`),
	marginStopBBO.row(Method{
		Name: "collateral_order_stop_bbo_place", Right: "/api/v4/order/collateral/stop-limit", Summary: "Place a stop-limit order at the best price with margin",
		Text:     "Waits for its activation price and takes its limit price from the order book then; until then its price is 0.",
		Meanings: ofPositions,
		Example:  Example{Result: exampleBet(`"type":9,"side":2`, `"price":"0","amount":"0.01","left":"0.01"`, "OPEN", exampleStop)},
	}, `[{"market":"BTC_PERP","side":"buy","amount":"0.01","activation_price":"55000","bbo_role":2}]`),
	Method{
		Name: "collateral_order_oco_place", Kind: Request, Private: true, Right: "/api/v4/order/collateral/oco", Budget: Placements, Summary: "Place an OCO",
		Text: "Places a limit order to take a profit and a stop-limit order against a loss, of the same side and amount. The first fill of either cancels the other; what is left of the filled order " +
			"stays open. When one of them ends in another way, the other ends with it. Only the order that needs more margin is counted.",
		Meanings: merged(ofPositions, map[string]string{
			"amount": "Amount of each of the two orders in the base asset: a multiple of the market's stepSize, at least minAmount.",
			"price":  "Price of the limit order. It must not trade at once.", "activation_price": "Last price that activates the stop: above the last price for a buy, below it for a sell.",
			"stop_limit_price": "Limit price of the stop once it is activated.", "limit_client_order_id": "Client order id of the limit order.",
			"stop_client_order_id": "Client order id of the stop. Another one than that of the limit order.",
		}),
		Result: ocoEncoder.Schema(), Faults: marginFaults, Refusals: ocoRefusals,
		Example: Example{
			`[{"market":"BTC_PERP","side":"sell","amount":"0.01","price":"56000","activation_price":"49000","stop_limit_price":"48900","reduce_only":true}]`, exampleOCO("OPEN"),
		},
		handling: submits((*call).placeOCO),
	},
	Method{
		Name: "collateral_order_oto_place", Kind: Request, Private: true, Right: "/api/v4/order/collateral/limit", Budget: Placements, Summary: "Place an OTO",
		Text: "Places a primary order. Once it has ended, what it bought or sold is protected by a take profit, a stop loss or both: reduce-only orders at the market, of which the first that trades " +
			"ends the other. They get ids of their own when they are placed.",
		Meanings: merged(ofPositions, map[string]string{
			"trigger_order_type": "Type of the primary order.", "trigger_order": "The primary order, with the fields of collateral_order_limit_place and so on, as its type says.",
			"conditional_order_type": "What follows: margin_market_oco needs take_profit and stop_loss; margin_take_profit, or margin_limit, only take_profit; margin_stop_loss, or margin_stop_limit, only stop_loss.",
			"take_profit":            "Last price at which a profit is taken: above the price of a buy, below that of a sell.",
			"stop_loss":              "Last price at which a loss is stopped: below the price of a buy, above that of a sell.",
			"price":                  "Limit price, of margin_limit and margin_stop_limit.",
			"activation_price":       "Last price that activates the order, of margin_stop_limit and margin_stop_market.",
			"rpi":                    "Not for an order that others follow: refused if true.",
			"reduce_only":            "Not for an order that others follow: refused if true.",
		}),
		Result: otoEncoder.Schema(), Faults: otoFaults(), Refusals: otoRefusals(),
		Example: Example{
			`[{"trigger_order_type":"margin_limit","trigger_order":{"market":"BTC_PERP","side":"buy","amount":"0.01","price":"51000.5"},"conditional_order_type":"margin_market_oco","take_profit":"56000","stop_loss":"49000"}]`,
			`{"type":"oto","id":7001,"conditional_order_type":"margin_market_oco","take_profit_price":"56000","stop_loss_price":"49000","trigger_order":` +
				exampleBet(`"type":7,"side":2`, `"price":"51000.5","amount":"0.01","left":"0.01"`, "OPEN", ``) + `}`,
		},
		handling: submits((*call).placeOTO),
	},
	Method{
		Name: "collateral_order_tpsl_place", Kind: Request, Private: true, Right: "/api/v4/order/collateral/limit", Budget: Placements, Summary: "Place a take profit and a stop loss of a position",
		Text: "Places a take profit, a stop loss or both for a whole position: reduce-only orders that close all of it at the market, whatever its size is then, of which the first that trades ends the other. " +
			"Each takes the place of the one that the position has. They are canceled one by one with order_cancel, and end with the position.",
		Meanings: map[string]string{
			"take_profit_activation_price": "Last price at which a profit is taken: above the last price for a long position, below it for a short one.",
			"stop_loss_activation_price":   "Last price at which a loss is stopped: below the last price for a long position, above it for a short one.",
			"position_side":                "Position to protect: LONG or SHORT in hedge mode; not looked at in one-way mode.",
		},
		Result: tpslEncoder.Schema(), Faults: append(slices.Clone(marginFaults), errNoMarginBalance), Refusals: tpslRefusals,
		Example: Example{
			`[{"market":"BTC_PERP","take_profit_activation_price":"56000"}]`,
			`{"take_profit":` + strings.Replace(exampleBet(`"type":10,"side":1`, `"price":"0","amount":"0","left":"0"`, "OPEN",
				`,"activation_price":"56000","activation_condition":"gte","activated":0`), `"reduce_only":false`, `"reduce_only":true`, 1) + `}`,
		},
		handling: submits((*call).placeTPSL),
	},
)

// Why the core refuses groups.
var (
	ocoRefusals = slices.Concat(
		slices.DeleteFunc(slices.Clone(anyOrder), func(r schema.Reason) bool { return r == schema.NotEnoughBalance }), ofCollateral, priced, triggered, []schema.Reason{
			schema.PriceOutOfBand, schema.TooManyOrders, schema.TooManyStops, schema.ClientIDsEqual,
			schema.StopPriceNotPositive, schema.StopPriceTooPrecise, schema.StopPriceTooLarge, schema.StopPriceOffTick, schema.StopPriceOutOfBand,
			schema.LimitWouldTake, schema.StopActivationWrong, schema.StopNotCovered, schema.LimitNotCovered,
		})
	tpslRefusals = slices.Concat(protecting, []schema.Reason{
		schema.AccountUnknown, schema.AccountBlocked, schema.MarketUnavailable, schema.TradingNotAllowed, schema.OrderTypeUnavailable,
		schema.TradFiNotEnabled, schema.PositionSideMismatch, schema.PositionMissing, schema.PriceUnknown, schema.AmountTooLarge, schema.TooManyOrders,
		schema.NotEnoughBalance, schema.PositionTooBig, schema.PendingTooBig,
	})
)

// otoRefusals are why the core refuses a primary of any type.
func otoRefusals() []schema.Reason {
	list := append(slices.Clone(protecting), schema.ProtectionWithReduceOnly, schema.ProtectionWithRPI, schema.TotalAboveMax)
	for _, word := range triggerWords {
		for _, r := range triggers[word].refusals() {
			if !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	return list
}

// otoFaults are the errors that are found about a primary of any type.
func otoFaults() []*Error {
	var list []*Error
	for _, word := range triggerWords {
		list = append(list, triggers[word].faults()...)
	}
	return list
}

// merged is what parameters mean by two lists, of which the second counts where both say something.
func merged(general, special map[string]string) map[string]string {
	all := maps.Clone(general)
	maps.Copy(all, special)
	return all
}

// exampleOCO is an OCO for the examples.
func exampleOCO(status string) string {
	order := func(id, kind, numbers, ends string) string {
		return strings.NewReplacer(`"id":7002`, `"id":`+id, `"client_order_id":"a-1"`, `"client_order_id":""`, `"reduce_only":false`, `"reduce_only":true`).
			Replace(exampleBet(kind, numbers, status, ends))
	}
	return `{"type":"oco","id":7001,"take_profit":` + order("7002", `"type":7,"side":1`, `"price":"56000","amount":"0.01","left":"0.01"`, ``) +
		`,"stop_loss":` + order("7003", `"type":9,"side":1`, `"price":"48900","amount":"0.01","left":"0.01"`, `,"activation_price":"49000","activation_condition":"lte","activated":0`) + `}`
}

// ofPositions is what orders have to do with positions.
var ofPositions = map[string]string{
	"reduce_only":   "Whether the order may only make the position smaller. Its amount is cut to the position.",
	"position_side": "Position that the order belongs to: LONG or SHORT in hedge mode; not looked at in one-way mode.",
}
