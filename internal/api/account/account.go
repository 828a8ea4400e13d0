// Package account is what the API has for an account as such: tokens for other services and for the
// WebSocket, and trading fees.
package account

import (
	"time"

	"bourse/internal/api"
)

// Operations are the rows of the group. Limits are those of errors-and-limits 4.
func Operations() []api.Operation {
	return []api.Operation{
		api.Post("/api/v4/market/fee", api.Per10s(10000), api.Reader(marketFees, aboutMarketFees)),
		api.Post("/api/v4/market/fee/single", api.Per10s(10000), api.Reader(marketFee, aboutMarketFee)),
		api.Post("/api/v4/jwt", api.Per10s(10000), api.Writer(jwtToken, aboutJwtToken)).WithErrorMapping(api.Credentials),
		api.Post("/api/v4/profile/websocket_token", api.Limit{Count: 10, Window: time.Minute}, api.Writer(socketToken, aboutSocketToken)),
	}
}
