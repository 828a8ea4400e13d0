package conform_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"bourse/internal/login"
	"bourse/internal/schema"
)

const partnerSecret = "of the partner alone, and not known to anybody else"

// consenting is an exchange with a client of OAuth, and alice, who is verified and signed in.
func consenting(t *testing.T, scopes ...string) (*signInVenue, *visitor, *oauth2.Config) {
	t.Helper()
	v, alice := enrolledAlice(t)
	account := *v.Exchange.API.AccountByName("alice")
	account.Verified = true
	v.Do(&schema.SetAccount{Account: account})
	v.Do(&schema.SetPartner{Partner: schema.Partner{
		Client: "tax", Title: "Tax", Secret: login.Hash(partnerSecret), URIs: []string{"https://tax.example/back"}, Scopes: scopes, Addresses: []string{"127.0.0.1"}, On: true,
	}})
	return v, alice, &oauth2.Config{
		ClientID: "tax", ClientSecret: partnerSecret, RedirectURL: "https://tax.example/back",
		Endpoint: oauth2.Endpoint{AuthURL: v.URL + "/auth/login", TokenURL: v.URL + "/oauth2/token"},
	}
}

// approves is the code that alice lets a client have who sends her to an address.
func (p *visitor) approves(link string, urls ...string) string {
	p.t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		p.t.Fatal(err)
	}
	p.v.clock.advance(31 * schema.Second)
	shown := p.gets(200, "POST", "/web/oauth/request", obj{"query": u.RawQuery})
	if shown["title"] != "Tax" || shown["host"] != "tax.example" || shown["account"] != "alice" || shown["problem"] != nil {
		p.t.Errorf("shown: %v", shown)
	}
	answer := obj{"ticket": shown["ticket"], "urls": urls}
	p.gets(412, "POST", "/web/oauth/approve", answer) // a factor is needed in the very request
	answer["factor"] = obj{"code": p.code(0)}
	back, err := url.Parse(p.gets(200, "POST", "/web/oauth/approve", answer)["location"].(string))
	if err != nil || back.Scheme+"://"+back.Host+back.Path != "https://tax.example/back" || back.Query().Get("state") != "xyz" || back.Query().Get("iss") != p.v.URL {
		p.t.Fatalf("sent to %v: %v", back, err)
	}
	return back.Query().Get("code")
}

// asks sends a request with an access token.
func asks(t *testing.T, method, at, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// A stock client has a key issued, fetches its secret once, and a code that comes again ends the token.
func TestAStockClientHasAKeyIssued(t *testing.T) {
	t.Parallel()
	v, alice, config := consenting(t, schema.ScopeCreateKey, schema.ScopeReadKey, schema.ScopeDeleteKey)
	verifier := oauth2.GenerateVerifier()
	code := alice.approves(config.AuthCodeURL("xyz", oauth2.S256ChallengeOption(verifier)), "/api/v4/trade-account/balance")
	token, err := config.Exchange(context.Background(), code, oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	if token.RefreshToken != "" || token.TokenType != "Bearer" || token.ExpiresIn != 4*3600 {
		t.Errorf("the token is %+v", token)
	}
	key, there := v.Exchange.API.Issued(v.Exchange.API.AccountByName("alice").ID, 1)
	if status, body := asks(t, "GET", v.URL+"/oauth2/api-key/info", token.AccessToken); !there || status != 200 ||
		!strings.HasPrefix(body, `{"data":{"exists":true,"isEnabled":true,"externalId":"`+key.External+`","permissions":[{"name":`) {
		t.Errorf("info: %d %s", status, body)
	}
	status, body := asks(t, "GET", v.URL+"/oauth2/api-key/"+key.External+"/secret", token.AccessToken)
	secret := strings.TrimSuffix(strings.TrimPrefix(body, `{"data":{"apiSecret":"`), `"}}`)
	if status != 200 || len(secret) != 64 {
		t.Fatalf("secret: %d %s", status, body)
	}
	if status, body := asks(t, "GET", v.URL+"/oauth2/api-key/"+key.External+"/secret", token.AccessToken); status != 409 || body != `{"data":{"message":["Secret already retrieved."]}}` {
		t.Errorf("again: %d %s", status, body)
	}
	if reply := v.Client(key.External, secret).Post("/api/v4/trade-account/balance", nil); reply.Status != 200 {
		t.Errorf("the key: %d %s", reply.Status, reply.Body)
	}
	if _, err := config.Exchange(context.Background(), code, oauth2.VerifierOption(verifier)); err == nil {
		t.Error("a code was redeemed twice")
	}
	if status, body := asks(t, "GET", v.URL+"/oauth2/api-key/info", token.AccessToken); status != 401 || body != `{"data":{"message":["Unauthorized."]}}` {
		t.Errorf("after the replay: %d %s", status, body)
	}
}

// A stock client of data refreshes its tokens, and one that comes again ends the family.
func TestAStockClientRefreshes(t *testing.T) {
	t.Parallel()
	_, alice, config := consenting(t, "users.balances.read")
	token, err := config.Exchange(context.Background(), alice.approves(config.AuthCodeURL("xyz")))
	if err != nil {
		t.Fatal(err)
	}
	alice.gets(404, "POST", "/web/v4/accounts/orders", obj{}) // which sessions have otherwise
	if token.RefreshToken == "" || token.ExpiresIn != 300 {
		t.Errorf("the token is %+v", token)
	}
	refresh := func(text string) (*oauth2.Token, error) {
		return config.TokenSource(context.Background(), &oauth2.Token{RefreshToken: text}).Token()
	}
	next, err := refresh(token.RefreshToken)
	if err != nil || next.RefreshToken == token.RefreshToken {
		t.Fatalf("%+v: %v", next, err)
	}
	if _, err := refresh(token.RefreshToken); err == nil {
		t.Error("a refresh token counted twice")
	}
	if _, err := refresh(next.RefreshToken); err == nil {
		t.Error("a family goes on after one of it came again")
	}
}

// Nobody is sent anywhere but to what is registered, and missing fields are said.
func TestLinksAndFormsOfClients(t *testing.T) {
	t.Parallel()
	v, _, _ := consenting(t, schema.ScopeReadKey)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for query, want := range map[string]int{
		"clientId=tax&redirect_uri=https%3A%2F%2Ftax.example%2Fback":    302,
		"clientId=tax&redirect_uri=https%3A%2F%2Ftax.example%2Fback%2F": 400,
		"clientId=tax&redirect_uri=https%3A%2F%2Ftax.example%2FBack":    400,
		"clientId=tax": 400,
		"clientId=nobody&redirect_uri=https%3A%2F%2Ftax.example%2Fback":                                  400,
		"clientId=tax&client_id=tax&redirect_uri=https%3A%2F%2Ftax.example%2Fback":                       400,
		"clientId=tax&state=a&state=b&redirect_uri=https%3A%2F%2Ftax.example%2Fback":                     400,
		"clientId=tax&response_type=token&redirect_uri=https%3A%2F%2Ftax.example%2Fback":                 400,
		"clientId=tax&redirect_uri=https%3A%2F%2Ftax.example%2Fback&state=" + strings.Repeat("x", 4<<10): 400,
	} {
		answer, err := client.Get(v.URL + "/auth/login?" + query)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if to := answer.Header.Get("Location"); answer.StatusCode != want || want == 302 && to != "../consent?"+query || want == 400 && to != "" {
			t.Errorf("%s: %d to %q", query, answer.StatusCode, to)
		}
	}
	answer, err := http.PostForm(v.URL+"/oauth2/token", url.Values{"client_id": {"tax"}})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, _ := io.ReadAll(answer.Body); answer.StatusCode != 422 || string(body) != `{"errors":{"client_secret":["validation.required"],"code":["validation.required"]},"notification":null}` {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
}
