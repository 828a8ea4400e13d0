package api

// meanings is what fields of requests mean, by their names, wherever an operation does not say
// otherwise (About.Fields).
var meanings = map[string]string{
	"request":     "The path of the request, as in /api/v4/order/new. A payload that was signed for one path is refused on another.",
	"nonce":       "A number that only grows for each key, usually the time in milliseconds. None can be used twice.",
	"nonceWindow": "With true the nonce is the time in milliseconds, may be up to five seconds off, and may come out of order as long as none is used twice.",

	"market":        "The market, as BASE_QUOTE.",
	"side":          "Whether the order buys or sells base.",
	"amount":        "How much base the order is for: a multiple of the market's stepSize, at least minAmount.",
	"price":         "The worst price to trade at, in quote: a multiple of the market's tickSize. Left out with bboRole.",
	"clientOrderId": "The name that the client gave, or gives, to the order. It is unique among the account's open orders of a market.",
	"orderId":       "The number of the order.",
	"stp": "What happens when the order would trade with another of the same account: no (they trade), cb (both are canceled), " +
		"cn (the new one is canceled), co (the old one is canceled). The long words are the older names.",
	"bboRole": "Takes the price from the book instead: 1 the best price of the own side (to queue there), " +
		"2 the best price of the other side (to trade with it).",
	"postOnly":         "With true the order is refused if it would trade at once.",
	"ioc":              "With true what cannot trade at once is canceled.",
	"rpi":              "With true the order is a retail price improvement order: it is in no public book and trades only with retail orders. It is always post-only.",
	"retail":           "With true the order may trade with RPI orders. The account must be a retail one.",
	"activation_price": "The last price at which the order wakes up: a buy at or above it, a sell at or below it.",

	"limit":     "The most records of the answer.",
	"offset":    "How many of the newest records to leave out.",
	"startDate": "The first second of the answer, since 1970.",
	"endDate":   "The last second of the answer, since 1970.",
	"ticker":    "The asset. Without it all that the wallet holds are listed.",
}
