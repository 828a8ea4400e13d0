package conform_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/login"
	"bourse/internal/schema"
)

// race sends a request of each kind many times at once, and is how often each answer came.
func (l *lender) race(times int, requests ...func() *http.Request) map[string]int {
	l.t.Helper()
	var wait sync.WaitGroup
	var mu sync.Mutex
	begin, answers := make(chan struct{}), map[string]int{}
	c := l.at("127.0.0.1")
	for range times {
		for _, request := range requests {
			r := request()
			wait.Go(func() {
				<-begin
				status, body := l.send(c, r)
				if status == 200 {
					body = "tokens"
				}
				mu.Lock()
				defer mu.Unlock()
				answers[body]++
			})
		}
	}
	close(begin)
	wait.Wait()
	return answers
}

// One code gives one token, however many come with it at once; that it came again ends the token and the key, whose secret nobody fetched.
func TestOneCodeGivesOneToken(t *testing.T) {
	t.Parallel()
	l := newLender(t, keyScopes, nil)
	fields := asTax(l.code(aVerifier, plainBalance), "code_verifier", aVerifier)
	answers := l.race(50, func() *http.Request { return l.form("/oauth2/token", fields) })
	if answers["tokens"] != 1 || answers[invalidRequest] != 49 {
		t.Errorf("the answers are %v", answers)
	}
	if key, there := l.key(); there {
		t.Errorf("the key %+v lives on", key)
	}
}

// The same at two nodes of one log.
func TestOneCodeAtTwoNodes(t *testing.T) {
	log := conform.LogServer(t)
	l := newLender(t, keyScopes, func(o *exchange.Options) { o.Node.Journal.URL = log })
	other := conform.Inside(t, "{}", func(o *exchange.Options) {
		o.Node.Journal.URL, o.Node.Clock, o.Node.ClockBound = log, l.clock.read, 100*24*time.Hour
	})
	there := &lender{Venue: other, t: t}
	for range 3 {
		code := l.code(aVerifier, plainBalance)
		other.Do(&schema.Tick{}) // what a node answers to a write, it knows
		fields := asTax(code, "code_verifier", aVerifier)
		answers := l.race(10, func() *http.Request { return l.form("/oauth2/token", fields) }, func() *http.Request { return there.form("/oauth2/token", fields) })
		if answers["tokens"] != 1 || answers[invalidRequest] != 19 {
			t.Errorf("the answers are %v", answers)
		}
	}
	// Of many who fetch one secret at both nodes, one gets it.
	token := l.issues(plainBalance).Access
	key, _ := l.key()
	other.Do(&schema.Tick{})
	path := "/oauth2/api-key/" + key.External + "/secret"
	answers := l.race(10, func() *http.Request { return l.bearer("GET", path, token, "") }, func() *http.Request { return there.bearer("GET", path, token, "") })
	if answers["tokens"] != 1 || answers[secretTaken]+answers[secretLocked] != 19 {
		t.Errorf("the answers are %v", answers)
	}
}

// What a client must send with a code, and what burns the code.
func TestCodesAndWhatComesWithThem(t *testing.T) {
	t.Parallel()
	l := newLender(t, keyScopes, nil)
	for name, c := range map[string]struct {
		fields url.Values
		burns  bool
	}{
		"no verifier":                      {url.Values{}, true},
		"another verifier":                 {url.Values{"code_verifier": {anotherVerifier}}, true},
		"a verifier that cannot be one":    {url.Values{"code_verifier": {"short"}}, false},
		"another redirect URI":             {url.Values{"code_verifier": {aVerifier}, "redirect_uri": {backTo + "/"}}, true},
		"another client":                   {url.Values{"code_verifier": {aVerifier}, "client_id": {"other"}, "client_secret": {otherSecret}}, true},
		"another client, wrong secret":     {url.Values{"code_verifier": {aVerifier}, "client_id": {"other"}, "client_secret": {"x"}}, false},
		"a wrong secret":                   {url.Values{"code_verifier": {aVerifier}, "client_secret": {"x"}}, false},
		"a client that is not there":       {url.Values{"code_verifier": {aVerifier}, "client_id": {"nobody"}}, false},
		"another code":                     {url.Values{"code_verifier": {aVerifier}, "code": {"x"}}, false},
		"a grant that there is not":        {url.Values{"code_verifier": {aVerifier}, "grant_type": {"password"}}, false},
		"client credentials":               {url.Values{"grant_type": {"client_credentials"}}, false},
		"something twice":                  {url.Values{"code_verifier": {aVerifier, aVerifier}}, false},
		"a code and another code":          {url.Values{"code_verifier": {aVerifier}, "code": {"x", "y"}}, false},
		"a grant type, and no verifier":    {url.Values{"grant_type": {"authorization_code"}}, true},
		"a grant type, another verifier":   {url.Values{"grant_type": {"authorization_code"}, "code_verifier": {anotherVerifier}}, true},
		"a grant type, and a wrong secret": {url.Values{"grant_type": {"authorization_code"}, "client_secret": {"x"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l.clock.advance(61 * schema.Second) // wrong secrets of the minute before are forgotten
			code := l.code(aVerifier, plainBalance)
			fields := asTax(code)
			for name, values := range c.fields {
				fields[name] = values
			}
			status, body := l.posts("/oauth2/token", fields)
			if status != 401 || !strings.HasSuffix(body, invalidRequest[1:]) || strings.HasPrefix(body, `{"error":"`) != c.fields.Has("grant_type") {
				t.Errorf("%d %s", status, body)
			}
			if _, there := l.key(); there {
				t.Error("there is a key")
			}
			status, body = l.posts("/oauth2/token", asTax(code, "code_verifier", aVerifier))
			if c.burns {
				l.is(name, status, body, 401, invalidRequest)
			} else {
				l.tokens(status, body)
				l.Do(&schema.RevokePartner{Account: l.alice, Partner: l.client("tax").ID, Whole: true})
			}
		})
	}
	t.Run("a foreign address", func(t *testing.T) {
		code := l.code(aVerifier)
		fields := asTax(code, "code_verifier", aVerifier)
		status, body := l.send(l.at("127.0.0.2"), l.form("/oauth2/token", fields))
		l.is("from elsewhere", status, body, 401, invalidRequest)
		if got := l.tokens(l.posts("/oauth2/token", fields)); got.Expires != 4*3600 || got.Refresh != "" || got.Type != "Bearer" || got.Scope != "apikeys.create,apikeys.read,apikeys.delete" {
			t.Errorf("the tokens are %+v", got)
		}
		// A client that has the code of another saw it: what it gave ends.
		status, body = l.posts("/oauth2/token", url.Values{"client_id": {"other"}, "client_secret": {otherSecret}, "code": {code}, "code_verifier": {aVerifier}})
		l.is("a foreign client", status, body, 401, invalidRequest)
		if _, there := l.key(); there {
			t.Error("the key lives on")
		}
	})
	t.Run("an old code", func(t *testing.T) {
		code := l.code(aVerifier)
		l.clock.advance(60 * schema.Second)
		status, body := l.posts("/oauth2/token", asTax(code, "code_verifier", aVerifier))
		l.is("after a minute", status, body, 401, invalidRequest)
	})
}

// Where the approval has no challenge a verifier is a mistake: it was approved for another request.
func TestAVerifierThatNobodyAnnounced(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	code := l.code("")
	status, body := l.posts("/oauth2/token", asTax(code, "code_verifier", aVerifier))
	l.is("a verifier without a challenge", status, body, 401, invalidRequest)
	status, body = l.posts("/oauth2/token", asTax(code))
	l.is("the code after it", status, body, 401, invalidRequest)
	// A client of data may use PKCE, and then must.
	code = l.code(aVerifier)
	status, body = l.posts("/oauth2/token", asTax(code))
	l.is("no verifier", status, body, 401, invalidRequest)
	l.tokens(l.posts("/oauth2/token", asTax(l.code(aVerifier), "code_verifier", aVerifier, "redirect_uri", backTo)))
}

// The challenge of a link is the SHA-256 of a verifier, and says so.
func TestChallengesOfLinks(t *testing.T) {
	t.Parallel()
	_, alice, _ := consenting(t, keyScopes...)
	const good = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	for name, c := range map[string]struct{ query, problem string }{
		"good":               {"&state=s&code_challenge=" + good + "&code_challenge_method=S256", ""},
		"no state":           {"&code_challenge=" + good + "&code_challenge_method=S256", "state is required"},
		"no challenge":       {"&state=s", "code_challenge is required"},
		"an empty challenge": {"&state=s&code_challenge=&code_challenge_method=S256", "code_challenge is required"},
		"plain":              {"&state=s&code_challenge=" + good + "&code_challenge_method=plain", "code_challenge_method must be S256"},
		"no method":          {"&state=s&code_challenge=" + good, "code_challenge_method must be S256"},
		"in small letters":   {"&state=s&code_challenge=" + good + "&code_challenge_method=s256", "code_challenge_method must be S256"},
		"too short":          {"&state=s&code_challenge=abc&code_challenge_method=S256", "code_challenge must be the SHA-256 of the verifier in base64url, 43 characters"},
		"with padding":       {"&state=s&code_challenge=" + good + "%3D&code_challenge_method=S256", "code_challenge must be the SHA-256 of the verifier in base64url, 43 characters"},
	} {
		shown := alice.gets(200, "POST", "/web/oauth/request", obj{"query": "clientId=tax&redirect_uri=" + url.QueryEscape(backTo) + c.query})
		if got, _ := shown["problem"].(string); got != c.problem {
			t.Errorf("%s: %q, want %q", name, got, c.problem)
		}
		if c.problem == "" {
			continue
		}
		alice.gets(422, "POST", "/web/oauth/approve", obj{"ticket": shown["ticket"], "urls": []string{}})
		to, err := url.Parse(alice.gets(200, "POST", "/web/oauth/deny", obj{"ticket": shown["ticket"]})["location"].(string))
		if err != nil || to.Query().Get("error") != "invalid_request" || to.Query().Get("error_description") != c.problem || to.Query().Has("code") {
			t.Errorf("%s: sent to %v, %v", name, to, err)
		}
	}
}

// Who a client is stands in the form or in the header, never in both and never in the address.
func TestHowClientsSayWhoTheyAre(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	basic := func(r *http.Request, id, secret string) *http.Request {
		r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret))))
		return r
	}
	without := func(f url.Values, names ...string) url.Values {
		for _, name := range names {
			f.Del(name)
		}
		return f
	}
	for name, c := range map[string]struct {
		request func(code string) *http.Request
		status  int
	}{
		"by form": {func(code string) *http.Request { return l.form("/oauth2/token", asTax(code)) }, 200},
		"by Basic": {func(code string) *http.Request {
			return basic(l.form("/oauth2/token", url.Values{"code": {code}}), "tax", partnerSecret)
		}, 200},
		"by Basic, with the same id": {func(code string) *http.Request {
			return basic(l.form("/oauth2/token", without(asTax(code), "client_secret")), "tax", partnerSecret)
		}, 200},
		"by Basic, with another id": {func(code string) *http.Request {
			return basic(l.form("/oauth2/token", without(asTax(code, "client_id", "other"), "client_secret")), "tax", partnerSecret)
		}, 401},
		"by both": {func(code string) *http.Request {
			return basic(l.form("/oauth2/token", asTax(code)), "tax", partnerSecret)
		}, 401},
		"by a wrong Basic": {func(code string) *http.Request {
			return basic(l.form("/oauth2/token", url.Values{"code": {code}}), "tax", "x")
		}, 401},
		"by a broken Basic": {func(code string) *http.Request {
			r := l.form("/oauth2/token", url.Values{"code": {code}})
			r.Header.Set("Authorization", "Basic !")
			return r
		}, 401},
		"by the address": {func(code string) *http.Request {
			return l.form("/oauth2/token?client_id=tax&client_secret="+url.QueryEscape(partnerSecret), url.Values{"code": {code}})
		}, 401},
		"by form, with something in the address": {func(code string) *http.Request { return l.form("/oauth2/token?state=x", asTax(code)) }, 401},
		"by JSON": {func(code string) *http.Request {
			r := l.form("/oauth2/token", asTax(code))
			r.Header.Set("Content-Type", "application/json")
			return r
		}, 422},
		"too much": {func(code string) *http.Request {
			return l.form("/oauth2/token", asTax(code, "more", strings.Repeat("x", 8<<10)))
		}, 413},
		"by GET": {func(code string) *http.Request {
			r := l.form("/oauth2/token", asTax(code))
			r.Method, r.Body, r.ContentLength = "GET", http.NoBody, 0
			return r
		}, 405},
	} {
		code := l.code("")
		if status, body := l.send(http.DefaultClient, c.request(code)); status != c.status {
			t.Errorf("%s: %d %s, want %d", name, status, body, c.status)
		}
	}
}

// Fields that are missing are named, in the words of both worlds.
func TestMissingFields(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	const required = `["validation.required"]`
	for _, c := range []struct {
		path   string
		fields url.Values
		want   string
	}{
		{"/oauth2/token", url.Values{}, `{"errors":{"client_id":` + required + `,"client_secret":` + required + `,"code":` + required + `},"notification":null}`},
		{"/oauth2/token", asTax(""), `{"errors":{"code":` + required + `},"notification":null}`},
		{"/oauth2/token", url.Values{"grant_type": {"authorization_code"}, "client_id": {"tax"}, "code": {"x"}}, `{"error":"invalid_request","errors":{"client_secret":` + required + `},"notification":null}`},
		{"/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {"tax"}, "client_secret": {"x"}}, `{"error":"invalid_request","errors":{"refresh_token":` + required + `},"notification":null}`},
		{"/oauth2/refresh_token", url.Values{}, `{"errors":{"client_id":` + required + `,"client_secret":` + required + `,"token":` + required + `},"notification":null}`},
	} {
		status, body := l.posts(c.path, c.fields)
		l.is(c.path, status, body, 422, c.want)
	}
}

// Ten wrong secrets a minute of an address, and then the right one is not heard there either; elsewhere it is.
func TestGuessingSecrets(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	l.set("tax", func(p *schema.Partner) { p.Addresses = []string{"127.0.0.1", "127.0.0.2"} })
	for range 10 {
		status, body := l.posts("/oauth2/token", asTax("x", "client_secret", "guess"))
		l.is("a guess", status, body, 401, invalidRequest)
	}
	code := l.code("")
	if status, body := l.posts("/oauth2/token", asTax(code)); status != 429 {
		t.Errorf("after ten: %d %s", status, body)
	}
	l.tokens(l.send(l.at("127.0.0.2"), l.form("/oauth2/token", asTax(code))))
	l.clock.advance(60 * schema.Second)
	l.tokens(l.posts("/oauth2/token", asTax(l.code(""))))
}

func TestRefreshTokens(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	first := l.reads()
	if first.Expires != 300 || first.Scope != strings.Join(dataScopes, ",") {
		t.Errorf("the tokens are %+v", first)
	}
	l.clock.advance(599 * schema.Second)
	l.opens("an access token after 300 s", "/api/v4/accounts/orders", first.Access, false)
	second := l.tokens(l.refreshes(first.Refresh))
	if second.Access == first.Access || second.Refresh == first.Refresh || second.Expires != 300 {
		t.Errorf("the second are %+v, the first %+v", second, first)
	}
	l.opens("the new one", "/api/v4/accounts/orders", second.Access, true)
	status, body := l.posts("/oauth2/refresh_token", url.Values{"client_id": {"other"}, "client_secret": {otherSecret}, "token": {second.Refresh}})
	l.is("another client", status, body, 400, invalidToken)
	status, body = l.send(l.at("127.0.0.2"), l.form("/oauth2/refresh_token", url.Values{"client_id": {"tax"}, "client_secret": {partnerSecret}, "token": {second.Refresh}}))
	l.is("another address", status, body, 401, invalidRequest)
	for _, strange := range []string{"x", ".", "x." + second.Refresh, "." + second.Refresh, second.Refresh[:20]} {
		status, body = l.refreshes(strange)
		l.is(strange, status, body, 400, invalidToken)
	}
	l.opens("after strange ones", "/api/v4/accounts/orders", second.Access, true)
	third := l.tokens(l.refreshes(second.Refresh))
	l.opens("the second after the third", "/api/v4/accounts/orders", second.Access, false)
	status, body = l.refreshes(second.Refresh) // it comes again
	l.is("again", status, body, 400, invalidToken)
	l.opens("the third", "/api/v4/accounts/orders", third.Access, false)
	status, body = l.refreshes(third.Refresh)
	l.is("the third", status, body, 400, invalidToken)

	late := l.reads()
	l.clock.advance(600 * schema.Second)
	status, body = l.refreshes(late.Refresh)
	l.is("after 600 s", status, body, 400, invalidToken)
}

// Of many who come with one refresh token at once, one gets tokens, and the others end them.
func TestOneRefreshTokenGivesOneToken(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	fields := url.Values{"client_id": {"tax"}, "client_secret": {partnerSecret}, "token": {l.reads().Refresh}}
	answers := l.race(30, func() *http.Request { return l.form("/oauth2/refresh_token", fields) })
	if answers["tokens"] != 1 || answers[invalidToken] != 29 {
		t.Errorf("the answers are %v", answers)
	}
	if left := l.Exchange.API.Accesses(l.alice); len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
}

// A family ends after 30 days, however often it was refreshed.
func TestAFamilyOfTokensEnds(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	token := l.reads().Refresh
	end := l.clock.read() + 30*24*3600*schema.Second
	family, _, _ := strings.Cut(token, ".")
	for l.clock.read()+590*schema.Second < end { // straight into the log: there are thousands
		l.clock.advance(590 * schema.Second)
		next := login.Random()
		l.Do(&schema.RefreshGrant{
			Partner: l.client("tax").ID, Family: login.Hash(family), Token: login.Hash(strings.TrimPrefix(token, family+".")),
			Access: login.Hash(login.Random()), Refresh: login.Hash(next),
		})
		token = family + "." + next
	}
	l.clock.set(end - schema.Second)
	last := l.tokens(l.refreshes(token))
	if last.Expires != 1 {
		t.Errorf("the last token lives %d s", last.Expires)
	}
	l.clock.advance(schema.Second)
	l.opens("after the family", "/api/v4/accounts/orders", last.Access, false)
	status, body := l.refreshes(last.Refresh)
	l.is("after the family", status, body, 400, invalidToken)
}

// An address refreshes once a second; redeeming codes is another matter.
func TestTheLimitOfRefreshing(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, func(o *exchange.Options) { o.REST.Unlimited = false })
	token := l.reads()
	token = l.tokens(l.refreshes(token.Refresh))
	if status, body := l.refreshes(token.Refresh); status != 429 {
		t.Errorf("the second in a second: %d %s", status, body)
	}
	if status, body := l.posts("/oauth2/token", asTax("", "grant_type", "refresh_token", "refresh_token", token.Refresh)); status != 429 {
		t.Errorf("the second in a second, at the other door: %d %s", status, body)
	}
	l.clock.advance(schema.Second)
	l.tokens(l.refreshes(token.Refresh))
}

// Answers to links carry nothing that others could keep or look into.
func TestHeadersOfLinks(t *testing.T) {
	t.Parallel()
	l := newLender(t, dataScopes, nil)
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for query, status := range map[string]int{"clientId=tax": 302, "clientId=<script>": 400} {
		answer, err := c.Get(l.URL + "/auth/login?" + query)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != status || answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Referrer-Policy") != "no-referrer" ||
			answer.Header.Get("X-Content-Type-Options") != "nosniff" || strings.Contains(string(body), "script") {
			t.Errorf("%s: %d %v %s", query, answer.StatusCode, answer.Header, body)
		}
	}
}
