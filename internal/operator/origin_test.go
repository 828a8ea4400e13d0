package operator_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// TestForeignPagesAreRefused: neither the page of another site nor a name of another's can use what an
// operator's browser remembers.
func TestForeignPagesAreRefused(t *testing.T) {
	s := found(t)
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(s.operators)
	if err != nil {
		t.Fatal(err)
	}
	here, port := at.Host, at.Port()
	for _, c := range []struct {
		host   string
		header map[string]string
		want   int
	}{
		{here, nil, 200},
		{"localhost:" + port, nil, 200},
		{"LOCALHOST", nil, 200},
		{"[::1]:" + port, nil, 200},
		{"[::1]", nil, 200},
		{machine + ":" + port, nil, 200},
		{"desk.example:" + port, nil, 200}, // by the settings of the site
		{"evil.example:" + port, nil, 421},
		{"evil.example", nil, 421},
		{"127.0.0.1.evil.example:" + port, nil, 421},
		{"localhost.evil.example:" + port, nil, 421},
		{here, map[string]string{"Origin": "http://" + here}, 200},
		{here, map[string]string{"Origin": "https://" + here}, 200}, // behind a proxy with TLS
		{here, map[string]string{"Origin": "http://evil.example"}, 403},
		{here, map[string]string{"Origin": "http://evil.example:" + port}, 403},
		{here, map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{here, map[string]string{"Origin": "null"}, 403},
		{here, map[string]string{"Origin": ""}, 403},
		{here, map[string]string{"Sec-Fetch-Site": "same-origin"}, 200},
		{here, map[string]string{"Sec-Fetch-Site": "none"}, 200},
		{here, map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{here, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"desk.example:" + port, map[string]string{"Origin": "http://desk.example:" + port}, 200},
	} {
		for _, authorize := range []func(*http.Request){
			func(r *http.Request) { r.SetBasicAuth("operator", s.token) },
			func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token) },
		} {
			r, err := http.NewRequest("GET", s.operators+"/v1/accounts", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = c.host
			for name, value := range c.header {
				r.Header.Set(name, value)
			}
			authorize(r)
			response, err := s.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode != c.want || strings.Contains(string(body), "alice") != (c.want == 200) {
				t.Errorf("Host %s, %v: %d %s, want %d", c.host, c.header, response.StatusCode, body, c.want)
			}
		}
	}
	// Monitors come by any name.
	r, err := http.NewRequest("GET", s.operators+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "bourse-1:8081"
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if response.Body.Close(); response.StatusCode != 200 {
		t.Errorf("healthz by another name: %d", response.StatusCode)
	}
}

// TestNamesOfAccounts: what cannot be printed is no name.
func TestNamesOfAccounts(t *testing.T) {
	s := found(t)
	named := func(name string) string {
		text, _ := json.Marshal(map[string]string{"name": name})
		return string(text)
	}
	for _, name := range []string{"carol\n", "\x00", "car\tol", "carol\x1b[31m", "carol\u202e", "carol\u2028x", "\x7f", "carol\u200b"} {
		for _, path := range []string{"POST /v1/accounts", "PATCH /v1/accounts/bob"} {
			method, path, _ := strings.Cut(path, " ")
			if r := s.ask(method, path, named(name)).is(422); !strings.Contains(r.body, `"field":"name"`) || !strings.Contains(r.body, "cannot be printed") {
				t.Errorf("%q: %s", name, r.body)
			}
		}
	}
	for _, name := range []string{"Carol Müller & Söhne", "山田太郎", "carol@example.com"} {
		s.must("POST", "/v1/accounts", named(name))
	}
	// One that is there from before can be changed, and given a better name.
	s.submit(&schema.SetAccount{Account: schema.Account{Name: "old\x01", Region: schema.Global}})
	s.must("PATCH", "/v1/accounts/old%01", `{"retail":true}`)
	s.must("PATCH", "/v1/accounts/old%01", named("new"))
}
