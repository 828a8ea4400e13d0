package conform_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/login"
	"bourse/internal/schema"
)

const (
	backTo       = "https://tax.example/back"
	otherSecret  = "of another client"
	plainBalance = "/api/v4/trade-account/balance"
	// aVerifier of PKCE, and anotherVerifier that it is not.
	aVerifier       = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	anotherVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl"

	invalidRequest = `{"data":{"message":["Invalid request"]}}`
	notAuthorized  = `{"data":{"message":["Unauthorized."]}}`
	noSuchKey      = `{"data":{"message":["Key not found."]}}`
	invalidToken   = `{"data":{"token":["Invalid token."]}}`
)

// keyScopes are those of clients that have keys issued, and dataScopes those of clients that read data.
var (
	keyScopes  = []string{schema.ScopeCreateKey, schema.ScopeReadKey, schema.ScopeDeleteKey}
	dataScopes = []string{"users.transactions.read", "users.converts.read", "users.orders.read", "users.deals.read", "users.balances.read"}
)

// lender is an exchange with the clients tax and other, and alice, who is verified and whose approvals go straight into the log: the pages on
// which people approve are the business of other tests.
type lender struct {
	*conform.Venue
	t        *testing.T
	clock    *clock
	alice    schema.AccountID
	session  schema.KeyID
	signedIn schema.Time
	step     uint64 // of the authenticator
}

func newLender(t *testing.T, scopes []string, change func(*exchange.Options)) *lender {
	t.Helper()
	l := &lender{t: t, clock: &clock{}, step: 6}
	l.clock.set(schema.Time(time.Now().UnixMicro()))
	l.Venue = conform.Inside(t, signInWorld, func(o *exchange.Options) {
		o.Node.Clock, o.Node.ClockBound = l.clock.read, 100*24*time.Hour
		o.REST.Now = func() time.Time { return time.UnixMicro(int64(l.clock.read())) }
		if change != nil {
			change(o)
		}
	})
	account := *l.Exchange.API.AccountByName("alice")
	account.Verified = true
	l.Do(&schema.SetAccount{Account: account})
	l.alice, l.signedIn = account.ID, l.clock.read()
	l.Do(&schema.Invite{Account: l.alice, Digest: schema.Digest{1}, Login: schema.Digest{2}, Name: []byte{3}})
	l.session = schema.KeyID(l.Do(&schema.Enrol{Digest: schema.Digest{1}, Factors: schema.Factors{Password: []byte{4}, TOTP: []byte{5}, Step: l.step}, Session: schema.Digest{7}}).ID)
	for client, secret := range map[string]string{"tax": partnerSecret, "other": otherSecret} {
		l.Do(&schema.SetPartner{Partner: schema.Partner{
			Client: client, Title: client, Secret: login.Hash(secret), URIs: []string{backTo}, Scopes: scopes, Addresses: []string{"127.0.0.1"}, On: true,
		}})
	}
	return l
}

// client is the settings of a client of OAuth.
func (l *lender) client(id string) schema.Partner {
	return l.Exchange.API.Directory().PartnerByClient(id).Partner
}

// set changes a client.
func (l *lender) set(id string, change func(*schema.Partner)) {
	l.t.Helper()
	p := l.client(id)
	change(&p)
	l.Do(&schema.SetPartner{Partner: p})
}

// code is one that alice gives tax, bound to a verifier unless that is "".
func (l *lender) code(verifier string, urls ...string) string {
	l.t.Helper()
	return l.codeFor("tax", verifier, urls...)
}

// codeFor is one that alice gives a client.
func (l *lender) codeFor(client, verifier string, urls ...string) string {
	l.t.Helper()
	l.step++
	l.Do(&schema.StepUp{Key: l.session, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: l.step}})
	code := login.Random()
	m := &schema.AuthorizePartner{Account: l.alice, Partner: l.client(client).ID, Code: login.Hash(code), Redirect: backTo, URLs: urls, Since: l.signedIn}
	if verifier != "" {
		m.Challenge = login.Hash(verifier)
	}
	var result schema.Result
	err := l.Exchange.Node.SubmitFrom(context.Background(), schema.Origin{Key: l.session, Once: login.Hash(code + " once")}, m, &result)
	if err != nil || result.Rejection.Refused() {
		l.t.Fatalf("%v, %s", err, result.Rejection.Text())
	}
	return code
}

// key is the API key that alice has for tax.
func (l *lender) key() (schema.Key, bool) { return l.Exchange.API.Issued(l.alice, l.client("tax").ID) }

// at is a client at an address of this machine.
func (l *lender) at(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	c := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 100}, Timeout: time.Minute}
	l.t.Cleanup(c.CloseIdleConnections)
	return c
}

// send sends a request and returns its status and its body, which nobody may store.
func (l *lender) send(c *http.Client, r *http.Request) (int, string) {
	answer, err := c.Do(r)
	if err != nil {
		l.t.Error(err)
		return 0, ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		l.t.Error(err)
	}
	if strings.Contains(r.URL.Path, "/oauth2/") && (answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Content-Type") != "application/json") {
		l.t.Errorf("%s: %v", r.URL, answer.Header)
	}
	return answer.StatusCode, string(body)
}

// form is a request with a form.
func (l *lender) form(path string, fields url.Values) *http.Request {
	r, err := http.NewRequest("POST", l.URL+path, strings.NewReader(fields.Encode()))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// posts sends a form from the address of the clients.
func (l *lender) posts(path string, fields url.Values) (int, string) {
	l.t.Helper()
	return l.send(http.DefaultClient, l.form(path, fields))
}

// asTax are the fields by which tax redeems a code.
func asTax(code string, more ...string) url.Values {
	f := url.Values{"client_id": {"tax"}, "client_secret": {partnerSecret}, "code": {code}}
	for i := 0; i < len(more); i += 2 {
		f.Set(more[i], more[i+1])
	}
	return f
}

// given are tokens that a client got.
type given struct {
	Access  string `json:"access_token"`
	Expires int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
	Type    string `json:"token_type"`
}

// tokens are what an answer gives.
func (l *lender) tokens(status int, body string) given {
	l.t.Helper()
	var answer struct {
		Data given `json:"data"`
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != 200 || answer.Data.Access == "" {
		l.t.Fatalf("%d %s: %v", status, body, err)
	}
	return answer.Data
}

// issues lets alice have a key issued for tax, and is the token for it.
func (l *lender) issues(urls ...string) given {
	l.t.Helper()
	return l.tokens(l.posts("/oauth2/token", asTax(l.code(aVerifier, urls...), "code_verifier", aVerifier)))
}

// reads lets tax read the data of alice, and is its tokens.
func (l *lender) reads() given {
	l.t.Helper()
	return l.readsFor("tax")
}

// readsFor lets a client with the secret of tax read the data of alice.
func (l *lender) readsFor(client string) given {
	l.t.Helper()
	return l.tokens(l.posts("/oauth2/token", asTax(l.codeFor(client, ""), "client_id", client)))
}

// refreshes sends a refresh token.
func (l *lender) refreshes(token string) (int, string) {
	l.t.Helper()
	return l.posts("/oauth2/refresh_token", url.Values{"client_id": {"tax"}, "client_secret": {partnerSecret}, "token": {token}})
}

// bearer is a request with an access token.
func (l *lender) bearer(method, path, token string, body string) *http.Request {
	r, err := http.NewRequest(method, l.URL+path, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// is holds an answer to what it must be.
func (l *lender) is(what string, status int, body string, wantStatus int, wantBody string) {
	l.t.Helper()
	if status != wantStatus || body != wantBody {
		l.t.Errorf("%s: %d %s, want %d %s", what, status, body, wantStatus, wantBody)
	}
}

// opens holds a token to opening something, or nothing.
func (l *lender) opens(what, path, token string, want bool) {
	l.t.Helper()
	method := "POST"
	if strings.HasPrefix(path, "/oauth2/") {
		method = "GET"
	}
	status, body := l.send(http.DefaultClient, l.bearer(method, path, token, ""))
	if !want {
		l.is(what, status, body, 401, notAuthorized)
	} else if status != 200 {
		l.t.Errorf("%s: %d %s", what, status, body)
	}
}
