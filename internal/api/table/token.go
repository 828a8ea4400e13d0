package table

import (
	"slices"

	"bourse/internal/api"
)

// tokenRows are the operations by which clients of OAuth read the data of accounts: the same as signed ones, by an access token of a scope.
var tokenRows = []struct{ path, scope, signed string }{
	{"/api/v4/accounts/transactions", "users.transactions.read", "/api/v4/main-account/history"},
	{"/api/v4/accounts/converts", "users.converts.read", "/api/v4/convert/history"},
	{"/api/v4/accounts/orders", "users.orders.read", "/api/v4/trade-account/order/history"},
	{"/api/v4/accounts/deals", "users.deals.read", "/api/v4/trade-account/executed-history"},
	{"/api/v4/accounts/balances/main", "users.balances.read", "/api/v4/main-account/balance"},
	{"/api/v4/accounts/balances/spot", "users.balances.read", "/api/v4/trade-account/balance"},
}

// byToken are those operations, made from the signed ones.
func byToken(operations []api.Operation) []api.Operation {
	rows := make([]api.Operation, len(tokenRows))
	for i, row := range tokenRows {
		at := slices.IndexFunc(operations, func(o api.Operation) bool { return o.Path == row.signed })
		rows[i] = operations[at].ByToken(row.path, row.scope)
	}
	return rows
}
