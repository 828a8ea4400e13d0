// Package spot is spot trading in the API: orders, the kill switch, and the trade account with its past.
package spot

import (
	"bourse/internal/api"
	"bourse/internal/api/ticket"
)

// Operations are the rows of the group. Limits are those of errors-and-limits 4.
func Operations() []api.Operation {
	return []api.Operation{
		order("new", api.Writer(placeLimit, aboutPlaceLimit)),
		order("bulk", api.Writer(placeBulk, aboutPlaceBulk)),
		order("market", api.Writer(placeMarket, aboutPlaceMarket)),
		order("stock_market", api.Writer(placeStockMarket, aboutPlaceStockMarket)),
		order("stop_limit", api.Writer(placeStopLimit, aboutPlaceStopLimit)),
		order("stop_market", api.Writer(placeStopMarket, aboutPlaceStopMarket)).WithErrorMapping(ticket.Unprocessable),
		order("cancel", api.Writer(cancel, aboutCancel)),
		order("cancel/bulk", api.Writer(cancelMany, aboutCancelMany)),
		order("cancel/all", api.Writer(cancelAll, aboutCancelAll)),
		order("modify", api.Writer(modify, aboutModify)),
		order("kill-switch", api.Writer(setKillSwitch, aboutSetKillSwitch)),
		order("kill-switch/status", api.Reader(listKillSwitches, aboutListKillSwitches)),
		api.Post("/api/v4/orders", api.Per10s(12000), api.Reader(listOrders, aboutListOrders)),

		info("balance", 12000, api.Reader(tradeBalance, aboutTradeBalance)),
		info("executed-history", 12000, api.Reader(executedDeals, aboutExecutedDeals)),
		info("order", 12000, api.Reader(dealsOfOrder, aboutDealsOfOrder)),
		info("order/history", 12000, api.Reader(finishedOrders, aboutFinishedOrders)),
		info("order/history/query", 10000, api.Reader(ended, aboutEnded)),
	}
}

// order is an operation on orders.
func order(name string, h api.Handling) api.Operation {
	return api.Post("/api/v4/order/"+name, api.Per10s(10000), h)
}

// info is an operation on the trade account.
func info(name string, limit int, h api.Handling) api.Operation {
	return api.Post("/api/v4/trade-account/"+name, api.Per10s(limit), h)
}
