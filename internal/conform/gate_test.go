package conform

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bourse/internal/api"
	"bourse/internal/api/table"
)

// What the tests of the gate share: a small world, and answers written out.

// gateAsset and gateMarket are as plain as they can be: the gate is tested, not what is behind it.
func gateAsset(ticker string) string {
	return `{"ticker":"` + ticker + `","name":"` + ticker + `","class":"crypto","scale":18,"precision":8,"can_deposit":true,"can_withdraw":true,"codes":true,
		"networks":[{"name":"` + ticker + `","default":true,"can_deposit":true,"can_withdraw":true,"confirmations":1,"confirmations_for_trading":1}]}`
}

func gateMarket(name, more string) string {
	return `{"name":"` + name + `","type":"spot","stock_prec":6,"money_prec":2,"fee_prec":8,"min_amount":"0.001","min_total":"1","maker_fee":"0.1","taker_fee":"0.1","enabled":true` + more + `}`
}

func gateKey(name, more string) string {
	return `{"key":"` + name + `","secret":"secret of ` + name + `","enabled":true` + more + `}`
}

// gateAccount has money in both wallets, and keys.
func gateAccount(name, more string, keys ...string) string {
	return `{"name":"` + name + `","region":"global","deposits":{"BTC":"100","USDT":"100000"},"trade":{"BTC":"50","USDT":"50000"}` + more +
		`,"keys":[` + strings.Join(keys, ",") + `]}`
}

func gateWorld(accounts ...string) string {
	return `{"assets":[` + gateAsset("BTC") + `,` + gateAsset("USDT") + `],"markets":[` + gateMarket("BTC_USDT", "") +
		`],"accounts":[` + strings.Join(accounts, ",") + `]}`
}

// gateClient is the one with a key of gateKey.
func (v *Venue) gateClient(key string) *Client { return v.Client(key, "secret of "+key) }

// gateError is the body of an error of a private endpoint without fields.
func gateError(code int, message string) string {
	return fmt.Sprintf(`{"code":%d,"message":%q,"errors":{}}`, code, message)
}

const (
	textUsed     = "Too many requests."
	textOutside  = "Your nonce is more than 5 seconds lesser than the current nonce"
	textNoNonce  = "Nonce not provided."
	textKeyOff   = "This action is unauthorized. Enable your key in API settings"
	textUnknown  = "This action is unauthorized."
	textBlocked  = "This action is unauthorized. The account is blocked."
	textPayload  = "Invalid payload."
	textRequest  = "Request not provided."
	textSigned   = "Unauthorized request."
	textWindow   = "Invalid nonceWindow."
	textNotURL   = "This API Key is not authorized to perform this action."
	textNotThere = "Payload not provided."
	textJWT      = "Invalid API key, signature, or nonce"
)

const (
	pathOrder    = "/api/v4/order/new"
	pathOrders   = "/api/v4/orders"
	pathCancel   = "/api/v4/order/cancel"
	pathBalance  = "/api/v4/main-account/balance"
	pathTransfer = "/api/v4/main-account/transfer"
	pathMoves    = "/api/v4/main-account/transfer/history"
	pathCodes    = "/api/v4/main-account/codes/history"
	pathTrade    = "/api/v4/trade-account/balance"
	pathTimers   = "/api/v4/order/kill-switch/status"
	pathSummary  = "/api/v4/collateral-account/summary"
	pathHedge    = "/api/v4/collateral-account/hedge-mode"
	pathJWT      = "/api/v4/jwt"
	pathKYC      = "/api/v4/sub-account/kyc-url"
	pathSocket   = "/api/v4/profile/websocket_token"
	pathPing     = "/api/v4/public/ping"
)

const pong = `["pong"]`

// expect holds an answer to a status and a body.
func (r Reply) expect(t testing.TB, status int, body string) {
	t.Helper()
	if r.Status != status || r.Body != body {
		t.Errorf("got %d %s\nwant %d %s", r.Status, r.Body, status, body)
	}
	r.isJSON(t)
}

// isJSON holds an answer to being JSON and saying so.
func (r Reply) isJSON(t testing.TB) {
	t.Helper()
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("%d with Content-Type %q", r.Status, got)
	}
	if !json.Valid([]byte(r.Body)) {
		t.Errorf("%d with a body that is not JSON: %q", r.Status, r.Body)
	}
}

// ok holds an answer to success.
func (r Reply) ok(t testing.TB) Reply {
	t.Helper()
	if r.Status != 200 {
		t.Errorf("got %d %s", r.Status, r.Body)
	}
	r.isJSON(t)
	return r
}

// operationsOf are the operations that are private, or those that are not.
func operationsOf(private bool) []api.Operation {
	var all []api.Operation
	for _, o := range table.Operations() {
		if (o.Auth == api.AuthSigned) == private && o.Auth != api.AuthBearer {
			all = append(all, o)
		}
	}
	return all
}

// sendAs signs a body and sends it.
func (c *Client) sendAs(path, body string) Reply {
	c.venue.t.Helper()
	return c.venue.Send("POST", path, c.Sign([]byte(body)), []byte(body))
}

// windowNonce is a time of day that no test had before.
func windowNonce() int64 {
	for {
		last := lastWindow.Load()
		next := max(last+1, time.Now().UnixMilli())
		if lastWindow.CompareAndSwap(last, next) {
			return next
		}
	}
}
