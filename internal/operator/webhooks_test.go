package operator_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/webhook"
)

const noWebhook = "A webhook has a URL of at most 2000 characters with https, a host, no user and no fragment, events that there are, and a key with its secret."

// hookSite is where a customer has the key of a webhook. It answers events with 200.
var hookSite = sync.OnceValue(func() string {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/service-verification" {
			fmt.Fprint(w, `["hook-key"]`)
		}
	})).URL
})

// hook is the webhook of an account.
func (s *site) hook(account string) (found schema.Webhook) {
	s.look(func(m core.View) { found, _ = m.Webhooks().Get(m.Accounts().ByName(account).ID) })
	return found
}

// departs lets alice send something away, which is announced.
func (s *site) departs() {
	s.submit(&schema.RequestWithdrawal{Account: 101, Asset: s.asset("USDT").ID, Chain: 1, Amount: fixed.FromInt(20), Address: "0x00000000000000000000000000000000000000aa", Unique: "announced"})
}

func TestWhatCannotBeDoneWithWebhooks(t *testing.T) {
	s := found(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		field, message     string
	}{
		{"PUT", "/v1/accounts/nobody/webhook", `{}`, 404, "", `there is no account "nobody"`},
		{"PUT", "/v1/accounts/alice/webhook", `{}`, 422, "url", ""},
		{"PUT", "/v1/accounts/alice/webhook", `{"url":"http://hooks.example"}`, 422, "url", ""},
		{"PUT", "/v1/accounts/alice/webhook", `{"url":"https://hooks.example:8443"}`, 422, "url", ""},
		{"PUT", "/v1/accounts/alice/webhook", `{"url":"https://u:p@hooks.example"}`, 422, "url", ""},
		{"PUT", "/v1/accounts/alice/webhook", `{"url":"https://hooks.example/#a"}`, 422, "url", ""},
		{"PUT", "/v1/accounts/alice/webhook", `{"url":"https://8.8.8.8/"}`, 422, "url", ""},
		{"PUT", "/v1/accounts/alice/webhook", `{"url":"https://intranet/"}`, 422, "url", ""},
		{"PUT", "/v1/accounts/alice/webhook", `{"url":"https://hooks.example","events":["withdraw.created"]}`, 422, "events", `there is no event "withdraw.created"`},
		{"POST", "/v1/accounts/alice/webhook/verification", `{}`, 404, "", "the account has no webhook"},
		{"POST", "/v1/accounts/alice/webhook/resend", `{"event":1}`, 404, "", "the event is not kept: it was not announced, or more than two days ago"},
		{"GET", "/v1/accounts/alice/webhook/deliveries?before=-1", "", 400, "before", ""},
	} {
		r := s.ask(c.method, c.path, c.body).is(c.status)
		if c.field != "" {
			r.has(text(c.field), "field")
		}
		if c.message != "" {
			r.has(text(c.message), "message")
		}
	}
	s.must("PUT", "/v1/accounts/alice/webhook", `{"url":"`+hookSite()+`","key":"other-key"}`)
	for range 5 {
		s.ask("POST", "/v1/accounts/alice/webhook/verification", `{}`).is(422)
	}
	s.ask("POST", "/v1/accounts/alice/webhook/verification", `{}`).is(429)
	if s.hook("alice").Verified != "" {
		t.Error("another key was taken for the right one")
	}
	// A new pair must be verified, a new path need not be.
	s.must("PUT", "/v1/accounts/bob/webhook", `{"url":"`+hookSite()+`","key":"hook-key"}`)
	s.must("POST", "/v1/accounts/bob/webhook/verification", `{}`)
	s.must("PUT", "/v1/accounts/bob/webhook", `{"url":"`+hookSite()+`/other","on":false}`).has("true", "verified").has("false", "active").has(`""`, "secret")
	s.must("PUT", "/v1/accounts/bob/webhook", `{"rotate":true}`).has("false", "verified")
	if k := s.hook("bob").Key; k == "hook-key" || len(k) != 64 {
		t.Errorf("the key is %q", k)
	}
}

// TestEventsAreDelivered goes the whole way: an operator sets a webhook up, money comes by a chain, and a server of the customer hears of it.
func TestEventsAreDelivered(t *testing.T) {
	s := found(t)
	type arrival struct {
		payload, signature string
		body               []byte
	}
	arrived := make(chan arrival, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodGet {
			fmt.Fprint(w, `["hook-key"]`)
			return
		}
		body, _ := io.ReadAll(q.Body)
		arrived <- arrival{q.Header.Get("X-TXC-PAYLOAD"), q.Header.Get("X-TXC-SIGNATURE"), body}
	}))
	defer server.Close()
	s.must("PUT", "/v1/accounts/alice/webhook", `{"url":"`+server.URL+`/hook","key":"hook-key","secret":"hook-secret"}`)
	s.must("POST", "/v1/accounts/alice/webhook/verification", `{}`).has("true", "active")
	s.must("POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"20","account":"alice"}`)
	s.must("POST", "/v1/chains/ETH/blocks", `{}`)
	got := <-arrived
	var said struct {
		Method string         `json:"method"`
		Params map[string]any `json:"params"`
	}
	if err := json.Unmarshal(got.body, &said); err != nil {
		t.Fatal(err)
	}
	if payload, signature := webhook.Sign("hook-secret", got.body); payload != got.payload || signature != got.signature {
		t.Errorf("it is signed %s %s", got.payload, got.signature)
	}
	if said.Method != "deposit.accepted" || said.Params["amount"] != "20" || said.Params["ticker"] != "USDT" || said.Params["nonce"] == nil {
		t.Errorf("it says %+v", said)
	}
	s.must("POST", "/v1/chains/ETH/blocks", `{}`)
	if got := <-arrived; !strings.Contains(string(got.body), `"deposit.updated"`) || !strings.Contains(string(got.body), `"confirmations":{"actual":2,"required":32}`) {
		t.Errorf("it says %s", got.body)
	}
}
