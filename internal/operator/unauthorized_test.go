package operator_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bourse/internal/operator"
)

// wrong are the ways to come without a right to.
func wrong(token string) map[string]http.Header {
	basic := func(user, password string) http.Header {
		return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))}}
	}
	other := strings.Repeat("0", len(token))
	return map[string]http.Header{
		"no token":                nil,
		"an empty header":         {"Authorization": {""}},
		"an empty bearer":         bearer(""),
		"a word":                  bearer("secret"),
		"a token of zeros":        bearer(other),
		"a token too short":       bearer(token[:len(token)-1]),
		"a token too long":        bearer(token + "0"),
		"a token in capitals":     bearer(strings.ToUpper(token) + "G"),
		"a bare token":            {"Authorization": {token}},
		"another scheme":          {"Authorization": {"Digest " + token}},
		"a wrong password":        basic(operator.First, other),
		"no password":             basic(operator.First, ""),
		"the token as user":       basic(token, ""),
		"a basic that is none":    {"Authorization": {"Basic %%%"}},
		"the token in the cookie": {"Cookie": {"token=" + token}},
	}
}

const needed = "an operator's token is needed: send it as 'Authorization: Bearer TOKEN'; DATA/operators/NAME.token holds it"

// refuses holds the exchange to turning away who has no token, and to nothing having changed.
func (s *site) refuses(method, path, body string) {
	s.t.Helper()
	before := s.mark()
	for name, header := range wrong(s.token) {
		r := s.send(method, path, body, header).is(http.StatusUnauthorized).has(fmt.Sprintf("{%q:%q}", "message", needed))
		if got := r.header.Get("WWW-Authenticate"); got != `Bearer realm="operator", Basic realm="operator"` {
			s.t.Errorf("%s with %s: WWW-Authenticate is %q", r.what, name, got)
		}
		if s.mark() != before {
			s.t.Fatalf("%s with %s changed something", r.what, name)
		}
	}
}

// Every act of the table with good, missing and wrong credentials.
func TestEveryActNeedsAToken(t *testing.T) {
	s := found(t)
	for _, act := range operator.Acts() {
		name := act.Method + " " + act.Path
		d, there := deeds[name]
		if !there {
			t.Errorf("%s has no case", name)
			continue
		}
		s.scene(act)
		s.refuses(act.Method, d.path, d.body)
		before := s.mark()
		r := s.must(act.Method, d.path, d.body)
		if cache := r.header.Get("Cache-Control"); cache != "no-store" {
			t.Errorf("%s may be kept: %q", name, cache)
		}
		after := s.mark()
		if act.Changes != (after.hash != before.hash) {
			t.Errorf("%s: says that it changes something: %v; the state changed: %v", name, act.Changes, after.hash != before.hash)
		}
		if !act.Changes && after.batch != before.batch {
			t.Errorf("%s only looks and left something in the log", name)
		}
		d.check(s, r)
	}
	if len(deeds) != len(operator.Acts()) {
		t.Errorf("%d cases for %d acts", len(deeds), len(operator.Acts()))
	}
}

// The same acts with the token as a password, as programs send it that know no other way.
func TestATokenIsAPasswordToo(t *testing.T) {
	s := found(t)
	for _, act := range operator.Acts() {
		d := deeds[act.Method+" "+act.Path]
		s.scene(act)
		header := http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("anybody:"+s.token))}}
		d.check(s, s.send(act.Method, d.path, d.body, header).is(200))
	}
}

func TestRoutesOutsideTheTable(t *testing.T) {
	s := found(t)
	guarded := []string{
		"/v1/accounts/alice/statement", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/symbol", "/debug/pprof/goroutine?debug=1",
		"/debug/pprof/profile?seconds=1", "/debug/pprof/trace?seconds=1", "/debug/pprof/nothing",
	}
	for _, path := range guarded {
		s.refuses("GET", path, "")
	}
	for path, status := range map[string]int{
		"/debug/pprof/": 200, "/debug/pprof/cmdline": 200, "/debug/pprof/symbol": 200, "/debug/pprof/goroutine?debug=1": 200, "/debug/pprof/nothing": 404,
		"/debug/pprof/trace?seconds=0.01": 200,
	} {
		if r := s.ask("GET", path, ""); r.status != status || r.body == "" {
			t.Errorf("%s: %d %.40q", path, r.status, r.body)
		}
	}
	for path, want := range map[string]string{
		"/healthz": `{"status":"well"}`, "/readyz": `{"lags":{"history":0,"marketdata":0},"status":"ready"}`,
	} {
		s.caughtUp()
		s.send("GET", path, "", nil).is(200).has(want)
	}
	if r := s.send("GET", "/metrics", "", nil); r.status != 200 || !strings.Contains(r.body, "bourse_batches_applied") {
		t.Errorf("/metrics: %d %.80s", r.status, r.body)
	}
	for _, c := range [][2]string{
		{"GET", "/"},
		{"GET", "/v1"},
		{"GET", "/v1/"},
		{"GET", "/v2/accounts"},
		{"GET", "/v1/accounts/"},
		{"GET", "/v1/accounts/alice/secrets"},
		{"POST", "/v1/platform"},
		{"DELETE", "/v1/accounts/alice"},
		{"GET", "/v1/keys/alice-key"},
		{"POST", "/metrics"},
		{"GET", "/api/v4/public/ping"},
	} {
		for _, header := range []http.Header{nil, bearer(s.token)} {
			s.send(c[0], c[1], "", header).is(404).has(text(c[0]+" "+c[1]+" is nothing that operators can ask for"), "message")
		}
	}
}

// caughtUp waits until the parts of the exchange know what the node knows.
func (s *site) caughtUp() {
	s.t.Helper()
	s.must("GET", "/v1/audit", "") // a page waits for the history
	if err := s.x.Data.Wait(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}
