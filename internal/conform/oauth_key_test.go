package conform_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/oauth2"

	"bourse/internal/auth"
	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/schema"
)

const (
	secretTaken  = `{"data":{"message":["Secret already retrieved."]}}`
	secretLocked = `{"data":{"message":["Temporary lock, retry shortly."]}}`
	noKeyYet     = `{"data":{"exists":false,"isEnabled":false,"externalId":null,"permissions":[]}}`
	issuedKeyOff = `{"code":2,"message":"This action is unauthorized. Enable your key in API settings","errors":{}}`
)

// secret fetches the secret of the key that alice has for tax.
func (l *lender) secret(token string) (int, string) {
	l.t.Helper()
	key, _ := l.key()
	return l.send(http.DefaultClient, l.bearer("GET", "/oauth2/api-key/"+key.External+"/secret", token, ""))
}

// secretIn is the secret in an answer.
func (l *lender) secretIn(status int, body string) string {
	l.t.Helper()
	text, is := strings.CutPrefix(body, `{"data":{"apiSecret":"`)
	text, ends := strings.CutSuffix(text, `"}}`)
	if status != 200 || !is || !ends {
		l.t.Fatalf("%d %s", status, body)
	}
	return text
}

// signs sends a signed request with a key from an address.
func (l *lender) signs(key, secret, address, path string) (int, string) {
	l.t.Helper()
	c := l.Client(key, secret)
	body := c.Body(path, nil)
	r, err := http.NewRequest("POST", l.URL+path, strings.NewReader(string(body)))
	if err != nil {
		l.t.Fatal(err)
	}
	for name, value := range c.Sign(body) {
		r.Header.Set(name, value)
	}
	return l.send(l.at(address), r)
}

// Of a hundred who fetch one secret at once, one gets it.
func TestASecretIsFetchedOnce(t *testing.T) {
	t.Parallel()
	l := newLender(t, keyScopes, nil)
	token := l.issues(plainBalance).Access
	key, _ := l.key()
	answers := l.race(100, func() *http.Request { return l.bearer("GET", "/oauth2/api-key/"+key.External+"/secret", token, "") })
	if answers["tokens"] != 1 || answers[secretTaken]+answers[secretLocked] != 99 {
		t.Errorf("the answers are %v", answers)
	}
	status, body := l.secret(token)
	l.is("afterwards", status, body, 409, secretTaken)
}

// A node that hears nothing of the log it shares says nothing of keys: the one it knows may be gone.
func TestKeysAtADeafNode(t *testing.T) {
	t.Parallel()
	var elapsed atomic.Int64
	log := conform.LogServer(t)
	l := newLender(t, keyScopes, func(o *exchange.Options) {
		o.Node.Journal.URL, o.Node.Elapsed = log, func() schema.Time { return schema.Time(elapsed.Load()) }
	})
	token := l.issues(plainBalance).Access
	l.opens("info", "/oauth2/api-key/info", token, true)
	elapsed.Add(int64(5 * schema.Second))
	if status, body := l.send(http.DefaultClient, l.bearer("GET", "/oauth2/api-key/info", token, "")); status != 503 || strings.Contains(body, "externalId") {
		t.Errorf("%d %s", status, body)
	}
	l.Do(&schema.Tick{}) // the log was heard of
	l.opens("info", "/oauth2/api-key/info", token, true)
}

// The life of a key that was issued: what info says of it, its secret, its addresses, and its end by the client.
func TestTheLifeOfAnIssuedKey(t *testing.T) {
	t.Parallel()
	l := newLender(t, keyScopes, nil)
	token := l.issues(plainBalance).Access
	info := func() (int, string) {
		return l.send(http.DefaultClient, l.bearer("GET", "/oauth2/api-key/info", token, ""))
	}
	key, _ := l.key()
	status, body := info()
	if !strings.HasPrefix(body, `{"data":{"exists":true,"isEnabled":true,"externalId":"`+key.External+`","permissions":[{"name":"trading","title":"Trading","urls":[{"url":"/api/v4/order/new","enable":false},`) ||
		strings.Count(body, `"enable":true`) != 1 || !strings.Contains(body, `{"url":"`+plainBalance+`","enable":true}`) || strings.Contains(body, "sub-account") || status != 200 {
		t.Errorf("info: %d %s", status, body)
	}
	for path, want := range map[string]string{
		"/oauth2/api-key/" + key.External + "x/secret":                 noSuchKey,
		"/oauth2/api-key/" + key.External + "/secret/x":                `{"code":0,"message":"Not Found","errors":{}}`,
		"/oauth2/api-key/" + strings.ToUpper(key.External) + "/secret": noSuchKey,
	} {
		status, body := l.send(http.DefaultClient, l.bearer("GET", path, token, ""))
		l.is(path, status, body, 404, want)
	}
	secret := l.secretIn(l.secret(token))
	status, body = l.signs(key.External, secret, "127.0.0.1", plainBalance)
	l.is("the key", status, body, 200, `{"USDT":{"available":"500","freeze":"0"}}`)
	status, body = l.signs(key.External, secret, "127.0.0.2", plainBalance)
	l.is("the key elsewhere", status, body, 401, issuedKeyOff)
	status, body = l.signs(key.External, secret, "127.0.0.1", "/api/v4/orders")
	l.is("what was not ticked", status, body, 401, `{"code":4,"message":"This API Key is not authorized to perform this action.","errors":{}}`)
	// The addresses are those that the client has now.
	l.set("tax", func(p *schema.Partner) { p.Addresses = []string{"127.0.0.2"} })
	status, body = l.signs(key.External, secret, "127.0.0.1", plainBalance)
	l.is("the key at the old address", status, body, 401, issuedKeyOff)
	if status, body = l.signs(key.External, secret, "127.0.0.2", plainBalance); status != 200 {
		t.Errorf("the key at the new address: %d %s", status, body)
	}
	l.opens("the token at the old address", "/oauth2/api-key/info", token, false)
	l.set("tax", func(p *schema.Partner) { p.Addresses, p.On = []string{"127.0.0.1"}, false })
	status, body = l.signs(key.External, secret, "127.0.0.1", plainBalance)
	l.is("the key of a client that is off", status, body, 401, issuedKeyOff)
	l.opens("the token of a client that is off", "/oauth2/api-key/info", token, false)
	status, body = l.posts("/oauth2/token", asTax("x"))
	l.is("a client that is off", status, body, 401, invalidRequest)
	if answer, err := http.Get(l.URL + "/auth/login?clientId=tax&redirect_uri=" + url.QueryEscape(backTo)); err != nil || answer.StatusCode != 400 {
		t.Errorf("a link of a client that is off: %v, %v", answer, err)
	}
	l.set("tax", func(p *schema.Partner) { p.On = true })
	if status, body = l.signs(key.External, secret, "127.0.0.1", plainBalance); status != 200 {
		t.Errorf("on again: %d %s", status, body)
	}
	deletes := func(external string) (int, string) {
		return l.send(http.DefaultClient, l.bearer("DELETE", "/oauth2/api-key/"+external, token, ""))
	}
	// A key that is disabled is for its owner to delete.
	disabled := l.Exchange.API.Directory().Key([]byte(key.External)).Key
	disabled.Enabled = false
	l.Do(&schema.SetKey{Key: disabled})
	if status, body = info(); !strings.HasPrefix(body, `{"data":{"exists":true,"isEnabled":false,`) {
		t.Errorf("info of a disabled key: %d %s", status, body)
	}
	status, body = deletes(key.External)
	l.is("deleting a disabled key", status, body, 404, noSuchKey)
	disabled.Enabled = true
	l.Do(&schema.SetKey{Key: disabled})
	status, body = deletes(key.External + "x")
	l.is("deleting another", status, body, 404, noSuchKey)
	status, body = deletes(key.External)
	l.is("deleting", status, body, 200, `{"data":[]}`)
	status, body = deletes(key.External)
	l.is("deleting again", status, body, 404, noSuchKey)
	status, body = info()
	l.is("info afterwards", status, body, 200, noKeyYet)
	if status, body = l.signs(key.External, secret, "127.0.0.1", plainBalance); status != 401 {
		t.Errorf("the key afterwards: %d %s", status, body)
	}
	l.clock.advance(4 * 3600 * schema.Second)
	l.opens("after four hours", "/oauth2/api-key/info", token, false)
}

// What a client asks for is judged by its token where it stands in the log, whatever the clock of the door says: here it is half a minute behind.
func TestATokenThatEndedInTheLog(t *testing.T) {
	t.Parallel()
	l := newLender(t, keyScopes, nil)
	token := l.issues(plainBalance).Access
	key, _ := l.key()
	l.clock.advance(4 * 3600 * schema.Second)
	l.Do(&schema.Tick{})
	l.clock.advance(-30 * schema.Second)
	l.opens("info, which the door answers alone", "/oauth2/api-key/info", token, true)
	status, body := l.secret(token)
	l.is("the secret", status, body, 401, notAuthorized)
	status, body = l.send(http.DefaultClient, l.bearer("DELETE", "/oauth2/api-key/"+key.External, token, ""))
	l.is("the end of the key", status, body, 401, notAuthorized)
	if left, there := l.key(); !there || left.SecretTaken {
		t.Errorf("the key is %+v", left)
	}
}

// Keys of others and keys that alice made herself are not for a client to see.
func TestKeysOfOthers(t *testing.T) {
	t.Parallel()
	l := newLender(t, keyScopes, nil)
	token := l.issues(plainBalance).Access
	public, _ := auth.NewPair()
	l.Do(&schema.OpenKey{By: l.alice, Account: l.alice, External: "own", Key: public, Sealed: []byte{1}, Type: schema.KeyTrading})
	bob := l.Exchange.API.AccountByName("bob").ID
	l.Do(&schema.OpenKey{By: bob, Account: bob, External: "bobs", Key: public + "b", Sealed: []byte{1}, Type: schema.KeyTrading})
	for external, want := range map[string]struct {
		status int
		body   string
	}{"own": {403, `{"data":{"message":["Forbidden."]}}`}, "bobs": {404, noSuchKey}, "alice-key": {404, noSuchKey}} {
		status, body := l.send(http.DefaultClient, l.bearer("GET", "/oauth2/api-key/"+external+"/secret", token, ""))
		l.is(external, status, body, want.status, want.body)
		status, body = l.send(http.DefaultClient, l.bearer("DELETE", "/oauth2/api-key/"+external, token, ""))
		l.is(external, status, body, want.status, want.body)
	}
}

// A key without a tick may call nothing, and info lists nothing.
func TestAKeyWithoutATick(t *testing.T) {
	t.Parallel()
	l := newLender(t, keyScopes, nil)
	token := l.issues().Access
	key, _ := l.key()
	status, body := l.send(http.DefaultClient, l.bearer("GET", "/oauth2/api-key/info", token, ""))
	l.is("info", status, body, 200, `{"data":{"exists":true,"isEnabled":true,"externalId":"`+key.External+`","permissions":[]}}`)
	status, body = l.signs(key.External, l.secretIn(l.secret(token)), "127.0.0.1", plainBalance)
	l.is("the key", status, body, 401, `{"code":4,"message":"This API Key is not authorized to perform this action.","errors":{}}`)
}

// Each scope of keys opens its own.
func TestScopesOfKeys(t *testing.T) {
	t.Parallel()
	l := newLender(t, keyScopes, nil)
	token := l.issues(plainBalance).Access
	key, _ := l.key()
	l.set("tax", func(p *schema.Partner) { p.Scopes = []string{schema.ScopeCreateKey, schema.ScopeReadKey} })
	status, body := l.send(http.DefaultClient, l.bearer("DELETE", "/oauth2/api-key/"+key.External, token, ""))
	l.is("deleting without its scope", status, body, 401, notAuthorized)
	l.opens("info with its scope", "/oauth2/api-key/info", token, true)
	l.set("tax", func(p *schema.Partner) { p.Scopes = []string{schema.ScopeCreateKey} })
	l.opens("info without its scope", "/oauth2/api-key/info", token, false)
	status, body = l.secret(token)
	l.is("the secret without its scope", status, body, 401, notAuthorized)
	for _, twin := range twins {
		l.opens("data without a scope", twin.path, token, false)
	}
}

// What ends everything that clients have of an account.
func TestWhatEndsTheAccessOfClients(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*signInVenue, *visitor){
		"another password": func(_ *signInVenue, alice *visitor) {
			alice.gets(200, "POST", "/web/password", obj{"password": "another long password"})
		},
		"a block": func(v *signInVenue, _ *visitor) {
			account := *v.Exchange.API.AccountByName("alice")
			account.Blocked = true
			v.Do(&schema.SetAccount{Account: account})
			account.Blocked = false
			v.Do(&schema.SetAccount{Account: account}) // what ended does not come back
		},
		"a revocation": func(_ *signInVenue, alice *visitor) {
			alice.gets(200, "DELETE", "/web/oauth/grants", obj{"client": "tax"})
		},
		"a reset": func(v *signInVenue, _ *visitor) { v.person("127.0.0.7").enrol(v.invite("alice", aliceLogin)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, alice, config := consenting(t, keyScopes...)
			verifier := oauth2.GenerateVerifier()
			code := alice.approves(config.AuthCodeURL("xyz", oauth2.S256ChallengeOption(verifier)), plainBalance)
			token, err := config.Exchange(t.Context(), code, oauth2.VerifierOption(verifier))
			if err != nil {
				t.Fatal(err)
			}
			key, _ := v.Exchange.API.Issued(v.Exchange.API.AccountByName("alice").ID, 1)
			_, body := asks(t, "GET", v.URL+"/oauth2/api-key/"+key.External+"/secret", token.AccessToken)
			secret := strings.TrimSuffix(strings.TrimPrefix(body, `{"data":{"apiSecret":"`), `"}}`)
			if r := v.Client(key.External, secret).Post(plainBalance, nil); r.Status != 200 {
				t.Fatalf("the key: %d %s", r.Status, r.Body)
			}
			end(v, alice)
			if r := v.Client(key.External, secret).Post(plainBalance, nil); r.Status != 401 || strings.Contains(r.Body, `"code":4`) {
				t.Errorf("the key afterwards: %d %s", r.Status, r.Body)
			}
			if status, body := asks(t, "GET", v.URL+"/oauth2/api-key/info", token.AccessToken); status != 401 || body != notAuthorized {
				t.Errorf("the token afterwards: %d %s", status, body)
			}
			if r := v.Client("alice-key", "alice-secret").Post(plainBalance, nil); r.Status != 200 {
				t.Errorf("a key that alice made: %d %s", r.Status, r.Body)
			}
		})
	}
}

// In a European deployment no keys are issued: what is about them is not there.
func TestNoKeysInEurope(t *testing.T) {
	t.Parallel()
	l := newLender(t, keyScopes, func(o *exchange.Options) { o.Region = schema.EU })
	for method, path := range map[string]string{"GET": "/oauth2/api-key/info", "DELETE": "/oauth2/api-key/x", "HEAD": "/oauth2/api-key/x/secret"} {
		if status, _ := l.send(http.DefaultClient, l.bearer(method, path, "x", "")); status != 404 {
			t.Errorf("%s %s: %d", method, path, status)
		}
	}
}

// What manages sub-accounts is never given, and what moves money out takes one more tick.
func TestWhatCanBeTicked(t *testing.T) {
	t.Parallel()
	v, alice, config := consenting(t, keyScopes...)
	verifier := oauth2.GenerateVerifier()
	link, err := url.Parse(config.AuthCodeURL("xyz", oauth2.S256ChallengeOption(verifier)))
	if err != nil {
		t.Fatal(err)
	}
	v.clock.advance(31 * schema.Second)
	shown := alice.gets(200, "POST", "/web/oauth/request", obj{"query": link.RawQuery})
	var names []string
	for _, g := range shown["groups"].([]any) {
		group := g.(map[string]any)
		names = append(names, group["name"].(string))
		for _, u := range group["urls"].([]any) {
			if row := u.(map[string]any); row["enable"] != false || strings.Contains(row["url"].(string), "/sandbox/") || strings.Contains(row["url"].(string), "/sub-account/") {
				t.Errorf("shown: %v", row)
			}
		}
	}
	if want := []string{"trading", "trade_info", "wallet", "transfer", "deposits", "withdraw", "codes", "earn", "mining", "account", "address_checker"}; !slices.Equal(names, want) {
		t.Errorf("the groups are %v, want %v", names, want)
	}
	answer := func(confirmed bool, urls ...string) obj {
		v.clock.advance(31 * schema.Second)
		return obj{"ticket": shown["ticket"], "urls": urls, "confirmed": confirmed, "factor": obj{"code": alice.code(0)}}
	}
	for _, url := range []string{"/api/v4/main-account/withdraw", "/api/v4/main-account/codes"} {
		alice.gets(422, "POST", "/web/oauth/approve", answer(false, plainBalance, url))
	}
	if status, got := alice.send("POST", "/web/oauth/approve", answer(true, "/api/v4/sub-account/create"), nil); status < 400 || status >= 500 {
		t.Errorf("sub-accounts: %d %v", status, got)
	}
	to, err := url.Parse(alice.gets(200, "POST", "/web/oauth/approve", answer(true, "/api/v4/main-account/withdraw"))["location"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.Exchange(t.Context(), to.Query().Get("code"), oauth2.VerifierOption(verifier)); err != nil {
		t.Fatal(err)
	}
	if key, _ := v.Exchange.API.Issued(v.Exchange.API.AccountByName("alice").ID, 1); !slices.Equal(key.URLs, []string{"/api/v4/main-account/withdraw"}) {
		t.Errorf("the key is %+v", key)
	}
}
