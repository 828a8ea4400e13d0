package console

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTheTokenStaysAtTheAddressThatWasNamed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the token was taken along") }))
	defer elsewhere.Close()
	named := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer named.Close()
	c := &Console{URL: named.URL, Token: "secret", Source: "a test"}
	_, err := c.Ask(t.Context(), Request{Method: "GET", Path: Path("platform")})
	if err == nil || !strings.Contains(err.Error(), "answers 307 Temporary Redirect") {
		t.Errorf("got %v", err)
	}
}

func TestARequestArrivesAsItWasMeant(t *testing.T) {
	var got *http.Request
	var body map[string]string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte("{\"b\":\"<1.10>\", \"a\":1e400}\n"))
	}))
	defer server.Close()
	c := &Console{URL: server.URL + "/", Token: "secret"}
	answer, err := c.Ask(t.Context(), Request{
		Method: "PUT", Path: Path("accounts", "a/b?c", "fees"), Query: map[string][]string{"q": {"x&y"}}, Body: map[string]string{"maker": "0.10"}, OnlyNew: true,
	})
	if err != nil || string(answer) != `{"b":"<1.10>", "a":1e400}` {
		t.Errorf("%v %s", err, answer)
	}
	if got.RequestURI != "/v1/accounts/a%2Fb%3Fc/fees?q=x%26y" || got.Header.Get("Authorization") != "Bearer secret" ||
		got.Header.Get("If-None-Match") != "*" || body["maker"] != "0.10" {
		t.Errorf("%s %v %v", got.RequestURI, got.Header, body)
	}
}

func TestAnAnswerThatIsNotJSONIsAnError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	defer server.Close()
	_, err := (&Console{URL: server.URL}).Ask(t.Context(), Request{Method: "GET", Path: Path("platform")})
	if err == nil || err.Error() != "reading the answer to GET /v1/platform: it is not JSON" {
		t.Errorf("got %v", err)
	}
}

func TestObjectsKeepTheirOrder(t *testing.T) {
	var o Object
	if err := json.Unmarshal([]byte(`{"z":1,"a":{"y":[2]},"m":"x"}`), &o); err != nil {
		t.Fatal(err)
	}
	if len(o) != 3 || o[0].Name != "z" || o[1].Name != "a" || string(o.Get("a")) != `{"y":[2]}` || o.Get("q") != nil {
		t.Errorf("got %v", o)
	}
	if err := json.Unmarshal([]byte(`[1]`), &o); err == nil || err.Error() != "a JSON object is wanted, not [1]" {
		t.Errorf("got %v", err)
	}
}

// TestWhatWaitsIsNoAnswer: who asked is shown what waits, and does not take it for done.
func TestWhatWaitsIsNoAnswer(t *testing.T) {
	body := `{"proposal":7,"message":"another operator has to"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte(body + "\n"))
	}))
	defer server.Close()
	c := &Console{URL: server.URL}
	_, err := c.Ask(t.Context(), Request{Method: "PUT", Path: Path("tiers", "1")})
	var waiting *Waiting
	if !errors.As(err, &waiting) || waiting.Proposal != 7 || err.Error() != "another operator has to" || string(waiting.Answer) != body {
		t.Errorf("got %#v", err)
	}
	body = "<html>"
	if _, err := c.Ask(t.Context(), Request{Method: "PUT", Path: Path("tiers", "1")}); err == nil || errors.As(err, &waiting) || !strings.HasPrefix(err.Error(), "reading the answer: ") {
		t.Errorf("got %v", err)
	}
}
