// Package collateral is trading from the collateral balance in the API: orders, the account with its leverage and its
// mode, positions, and the past of all of them, and groups of orders: OCO and OTO. Plain orders are canceled, modified and listed together with those of spot, in package spot.
package collateral

import (
	"bourse/internal/api"
	"bourse/internal/api/ticket"
)

// Operations are the rows of the group. Limits are those of errors-and-limits 4.
func Operations() []api.Operation {
	return []api.Operation{
		order("limit", api.Writer(placeLimit, aboutPlaceLimit)).WithErrorMapping(ticket.Unprocessable),
		order("bulk", api.Writer(placeBulk, aboutPlaceBulk)),
		order("market", api.Writer(placeMarket, aboutPlaceMarket)).WithErrorMapping(ticket.Unprocessable),
		order("stop-limit", api.Writer(placeStopLimit, aboutPlaceStopLimit)).WithErrorMapping(stopLimitPrice),
		order("trigger-market", api.Writer(placeTriggerMarket, aboutPlaceTriggerMarket)).WithErrorMapping(ticket.Unprocessable),
		order("oco", api.Writer(placeOCO, aboutPlaceOCO)),
		cancel("conditional-cancel", api.Writer(doCancelConditional, aboutCancelConditional)).WithErrorMapping(notFoundBy("id")),
		cancel("oco-cancel", api.Writer(doCancelOCO, aboutCancelOCO)),
		cancel("oto-cancel", api.Writer(doCancelOTO, aboutCancelOTO)).WithErrorMapping(notFoundBy("otoId")),
		list("conditional-orders", api.Reader(listConditionals, aboutConditionals)),
		list("oco-orders", api.Reader(listOCOs, aboutOCOs)),

		account("balance", 12000, api.Reader(balance, aboutBalance)),
		account("balance-summary", 12000, api.Reader(balanceSummary, aboutBalanceSummary)),
		account("summary", 12000, api.Reader(summary, aboutSummary)),
		account("leverage", 1000, api.Writer(setLeverage, aboutSetLeverage)),
		account("hedge-mode", 12000, api.Reader(getHedgeMode, aboutHedgeMode)),
		account("hedge-mode/update", 1000, api.Writer(setHedgeMode, aboutSetHedgeMode)),
		account("adl-quantile", 12000, api.Reader(listQuantiles, aboutQuantiles)),
		account("positions/open", 12000, api.Reader(listPositions, aboutOpenPositions)),
		account("positions/history", 12000, api.Reader(listPastPositions, aboutPastPositions)),
		account("positions/closed-pnl", 12000, api.Reader(listClosedPositions, aboutClosedPositions)),
		account("funding-history", 12000, api.Reader(listFundings, aboutFundings)),
		account("borrow-history", 12000, api.Reader(listBorrows, aboutBorrows)),
		account("position/close", 10000, api.Writer(closePosition, aboutClosePosition)),
	}
}

// order is an operation that places orders.
func order(name string, h api.Handling) api.Operation {
	return api.Post("/api/v4/order/collateral/"+name, api.Per10s(10000), h)
}

// cancel is an operation that cancels a group of orders.
func cancel(name string, h api.Handling) api.Operation {
	return api.Post("/api/v4/order/"+name, api.Per10s(10000), h)
}

// list is an operation that lists groups of orders.
func list(name string, h api.Handling) api.Operation {
	return api.Post("/api/v4/"+name, api.Per10s(12000), h)
}

// account is an operation on the collateral account.
func account(name string, limit int, h api.Handling) api.Operation {
	return api.Post("/api/v4/collateral-account/"+name, api.Per10s(limit), h)
}
