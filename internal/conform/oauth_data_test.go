package conform_test

import (
	"net/http"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/schema"
)

// twins are the operations for clients of data, with the signed ones that they are the same as.
var twins = []struct{ path, scope, signed string }{
	{"/api/v4/accounts/transactions", "users.transactions.read", "/api/v4/main-account/history"},
	{"/api/v4/accounts/converts", "users.converts.read", "/api/v4/convert/history"},
	{"/api/v4/accounts/orders", "users.orders.read", "/api/v4/trade-account/order/history"},
	{"/api/v4/accounts/deals", "users.deals.read", "/api/v4/trade-account/executed-history"},
	{"/api/v4/accounts/balances/main", "users.balances.read", "/api/v4/main-account/balance"},
	{"/api/v4/accounts/balances/spot", "users.balances.read", "/api/v4/trade-account/balance"},
}

// by sends a body with an access token and other headers. The answer must follow the document.
func (l *lender) by(token, path, body string, headers ...string) conform.Reply {
	l.t.Helper()
	all := map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json"}
	for i := 0; i < len(headers); i += 2 {
		if all[headers[i]] = headers[i+1]; headers[i+1] == "" {
			delete(all, headers[i])
		}
	}
	return l.Send("POST", path, all, []byte(body))
}

// trades lets alice have a past.
func (l *lender) trades() {
	l.t.Helper()
	l.Do(&schema.Deposit{Account: l.alice, Asset: l.Exchange.API.Directory().Asset("BTC").ID, Amount: decimal(l.t, "1")})
	alice, bob := l.Client("alice-key", "alice-secret"), l.Client("bob-key", "bob-secret")
	for _, step := range []struct {
		by   *conform.Client
		path string
		with conform.Fields
	}{
		{alice, "/api/v4/main-account/transfer", conform.Fields{"ticker": "BTC", "amount": "1", "from": "main", "to": "spot"}},
		{bob, "/api/v4/order/new", conform.Fields{"market": "BTC_USDT", "side": "buy", "amount": "0.5", "price": "100"}},
		{alice, "/api/v4/order/new", conform.Fields{"market": "BTC_USDT", "side": "sell", "amount": "0.3", "price": "100"}},
		{alice, "/api/v4/order/new", conform.Fields{"market": "BTC_USDT", "side": "sell", "amount": "0.1", "price": "200", "clientOrderId": "gone"}},
		{alice, "/api/v4/order/cancel", conform.Fields{"market": "BTC_USDT", "clientOrderId": "gone"}},
	} {
		if r := step.by.Post(step.path, step.with); r.Status != 200 {
			l.t.Fatalf("%s: %d %s", step.path, r.Status, r.Body)
		}
	}
}

// By token a client gets what the signed operation answers, also where something is wrong with the fields.
func TestDataByTokenIsThatOfTheSignedOperation(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	l.trades()
	token, alice := l.reads().Access, l.Client("alice-key", "alice-secret")
	for _, twin := range twins {
		for body, fields := range map[string]conform.Fields{
			"":                               nil,
			`{}`:                             nil,
			`{"limit":1,"ticker":"USDT"}`:    {"limit": 1, "ticker": "USDT"},
			`{"market":"BTC_USDT"}`:          {"market": "BTC_USDT"},
			`{"limit":"x","market":{"a":1}}`: {"limit": "x", "market": conform.Fields{"a": 1}},
			`{"ticker":7,"offset":-1}`:       {"ticker": 7, "offset": -1},
			`{"request":"x","nonce":"y"}`:    nil,
		} {
			got, want := l.by(token, twin.path, body), alice.Post(twin.signed, fields)
			if got.Status != want.Status || got.Body != want.Body {
				t.Errorf("%s %s: %d %s\nsigned: %d %s", twin.path, body, got.Status, got.Body, want.Status, want.Body)
			}
			if got.Status == 200 && len(got.Body) < 10 {
				t.Errorf("%s %s: there is nothing in %s", twin.path, body, got.Body)
			}
		}
		for _, broken := range []string{"[]", "{", "market=BTC_USDT", `"x"`} {
			if r := l.by(token, twin.path, broken); r.Status != 400 || r.Body != `{"code":0,"message":"The request cannot be read.","errors":{}}` {
				t.Errorf("%s %s: %d %s", twin.path, broken, r.Status, r.Body)
			}
		}
	}
}

// A token is all that counts: no signature, no cookie and no key stands for it, and it stands for none of those.
func TestOnlyTheTokenCounts(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	token, alice := l.reads().Access, l.Client("alice-key", "alice-secret")
	for _, twin := range twins {
		body := alice.Body(twin.path, nil)
		signed := alice.Sign(body)
		for name, r := range map[string]conform.Reply{
			"nothing":               l.by("", twin.path, "{}", "Authorization", ""),
			"a signature":           l.Send("POST", twin.path, signed, body),
			"an empty token":        l.by("", twin.path, "{}"),
			"another token":         l.by(token+"x", twin.path, "{}"),
			"two tokens":            l.by(token+" "+token, twin.path, "{}"),
			"another scheme":        l.by("", twin.path, "{}", "Authorization", "Basic "+token),
			"the token as a cookie": l.by("", twin.path, "{}", "Authorization", "", "Cookie", "bourse="+token),
		} {
			if r.Status != 401 || r.Body != notAuthorized || r.Header.Get("WWW-Authenticate") != `Bearer realm="oauth2"` {
				t.Errorf("%s at %s: %d %s %v", name, twin.path, r.Status, r.Body, r.Header)
			}
		}
		// What else comes with a token is not looked at.
		if r := l.by(token, twin.path, "{}", "X-TXC-APIKEY", "bob-key", "X-TXC-PAYLOAD", "e30=", "X-TXC-SIGNATURE", "x", "Cookie", "bourse=x"); r.Status != 200 {
			t.Errorf("%s: %d %s", twin.path, r.Status, r.Body)
		}
		if r := l.by(token, twin.path, "{}", "Authorization", "bearer "+token); r.Status != 200 { // schemes have no case
			t.Errorf("%s: %d %s", twin.path, r.Status, r.Body)
		}
		if r := l.by(token, twin.signed, "{}"); r.Status != 401 || r.Body == notAuthorized {
			t.Errorf("%s by token: %d %s", twin.signed, r.Status, r.Body)
		}
		if status, body := l.send(l.at("127.0.0.2"), l.bearer("POST", twin.path, token, "{}")); status != 401 || body != notAuthorized {
			t.Errorf("%s from elsewhere: %d %s", twin.path, status, body)
		}
		if status, _ := l.send(http.DefaultClient, l.bearer("GET", twin.path, token, "")); status != 405 {
			t.Errorf("GET %s: %d", twin.path, status)
		}
	}
}

// Each scope opens its own, by what the client has now.
func TestScopesOpenTheirOwn(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	token := l.reads().Access
	for _, left := range [][]string{{"users.transactions.read", "users.balances.read", "users.orders.read"}, {"users.balances.read", "users.orders.read"}, {"users.balances.read"}} {
		l.set("tax", func(p *schema.Partner) { p.Scopes = left })
		for _, twin := range twins {
			has := false
			for _, scope := range left {
				has = has || scope == twin.scope
			}
			l.opens(twin.path, twin.path, token, has)
		}
	}
	l.opens("a client of data", "/oauth2/api-key/info", token, false)
}

// Limits are those of the signed operations, and counted apart from them.
func TestLimitsOfDataByToken(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, func(o *exchange.Options) { o.REST.Unlimited = false })
	token, alice := l.reads().Access, l.Client("alice-key", "alice-secret")
	for i := range 200 {
		if r := l.by(token, "/api/v4/accounts/transactions", "{}"); r.Status != 200 {
			t.Fatalf("request %d: %d %s", i+1, r.Status, r.Body)
		}
	}
	if r := l.by(token, "/api/v4/accounts/transactions", "{}"); r.Status != 429 {
		t.Errorf("one more: %d %s", r.Status, r.Body)
	}
	if r := alice.Post("/api/v4/main-account/history", nil); r.Status != 200 {
		t.Errorf("the signed one: %d %s", r.Status, r.Body)
	}
	if r := l.by(token, "/api/v4/accounts/orders", "{}"); r.Status != 200 {
		t.Errorf("another one: %d %s", r.Status, r.Body)
	}
}
