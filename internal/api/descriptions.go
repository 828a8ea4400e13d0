package api

// Descriptions is what parameters of requests mean, by their names, wherever an operation does not say
// otherwise (About.Parameters).
var Descriptions = map[string]string{
	"request":     "Path of the request, for example /api/v4/order/new. A payload signed for one path is refused on another.",
	"nonce":       "Number that increases with every request of the key, usually Unix time in milliseconds. It can be used once.",
	"nonceWindow": "If true, the nonce is Unix time in milliseconds within five seconds of the server time. Nonces may then arrive in any order; each can be used once.",

	"market":        "Market name, as BASE_QUOTE.",
	"side":          "Side of the order: buy or sell the base asset.",
	"amount":        "Amount in the base asset: a multiple of the market's stepSize, at least minAmount.",
	"price":         "Limit price in the quote asset: a multiple of the market's tickSize. Omit where bboRole is given.",
	"clientOrderId": "Client-assigned order id. Unique among the account's open orders on a market.",
	"orderId":       "Order id.",
	"stp": "Self-trade prevention, when the order would trade with another order of the same account: no (they trade), cb (cancel both), " +
		"cn (cancel the new order), co (cancel the old order). The long forms are older names.",
	"bboRole": "Take the price from the order book: 1 for the best price of the same side (join the queue), " +
		"2 for the best price of the opposite side (trade at once).",
	"postOnly":         "If true, the order is rejected if it would trade immediately.",
	"ioc":              "If true, whatever cannot trade immediately is canceled (immediate or cancel).",
	"rpi":              "If true, the order is a retail price improvement order: hidden from the public book, matched only with retail orders, always post-only.",
	"retail":           "If true, the order may match RPI orders. Requires a retail account.",
	"activation_price": "Last price that activates the order: at or above it for a buy, at or below it for a sell.",
	"positionSide":     "Position of the order. In hedge mode LONG or SHORT; in one-way mode it is ignored, and BOTH is used.",
	"reduceOnly":       "If true, the order only reduces or closes a position: a larger amount is cut to the position.",
	"stopLoss": "Price of a stop loss: what the order bought is sold at the market once the last price is at or below it, what it sold is bought back at or above it. " +
		"Below the price of a buy, above that of a sell. Not with reduceOnly or rpi.",
	"takeProfit": "Price of a take profit: what the order bought is sold at the market once the last price is at or above it, what it sold is bought back at or below it. " +
		"Above the price of a buy, below that of a sell. Not with reduceOnly or rpi.",

	"limit":     "Maximum number of records to return.",
	"offset":    "Number of newest records to skip.",
	"startDate": "Start of the date range, Unix time in seconds.",
	"endDate":   "End of the date range, Unix time in seconds.",
	"ticker":    "Ticker of the asset. If omitted, all assets are returned.",
}
