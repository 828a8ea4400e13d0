package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp/fasthttputil"

	"bourse/internal/api"
)

var longText = strings.Repeat("all that a client may ask ", 1000)

// text is the body of a page.
func text(s string) func() []byte { return func() []byte { return []byte(s) } }

// answered is what came back for a page.
type answered struct {
	*http.Response
	body string
}

// browser asks a server that has some pages. Headers are pairs of name and value.
func browser(t *testing.T, o Options) func(method, path string, headers ...string) answered {
	t.Helper()
	o.Pages = map[string]Page{
		"/":           {To: "docs"},
		"/docs":       {Type: "text/html; charset=utf-8", Body: text(longText)},
		"/signin":     {Type: "text/html; charset=utf-8", Body: text("<!doctype html>"), App: true},
		"/docs/a.svg": {Type: "image/svg+xml", Body: text("<svg/>")},
		// An operation is there already.
		"/api/v4/public/ping": {Type: "text/plain", Body: text("not this")},
	}
	s := serverOf(nil, o)
	ln := fasthttputil.NewInmemoryListener()
	served := make(chan error)
	go func() { served <- s.Serve(ln) }()
	transport := &http.Transport{
		DisableCompression: true,
		DialContext:        func(context.Context, string, string) (net.Conn, error) { return ln.Dial() },
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return func(method, path string, headers ...string) answered {
		t.Helper()
		request, err := http.NewRequest(method, "http://bourse"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			request.Header.Add(headers[i], headers[i+1])
		}
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answered{response, string(body)}
	}
}

func TestPagesAreSentAsTheyAre(t *testing.T) {
	ask := browser(t, Options{})
	for path, want := range map[string]struct{ kind, body string }{
		"/docs":       {"text/html; charset=utf-8", longText},
		"/docs?a=b":   {"text/html; charset=utf-8", longText},
		"/docs/a.svg": {"image/svg+xml", "<svg/>"},
	} {
		a := ask("GET", path)
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != want.kind || a.body != want.body {
			t.Errorf("%s: %d %q %.40s", path, a.StatusCode, a.Header.Get("Content-Type"), a.body)
		}
		for name, value := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cache-Control": "no-cache", "Vary": "Accept-Encoding", "Content-Encoding": "",
		} {
			if got := a.Header.Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", path, name, got, value)
			}
		}
		h := ask("HEAD", path)
		if h.StatusCode != 200 || h.ContentLength != int64(len(want.body)) || h.body != "" || h.Header.Get("Etag") != a.Header.Get("Etag") {
			t.Errorf("HEAD %s: %d, %d bytes of %d, %v", path, h.StatusCode, len(h.body), h.ContentLength, h.Header)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") || strings.Contains(policy, ":/") {
		t.Errorf("the policy lets others in: %s", policy)
	}
}

// A start does not wait for bodies that take long to make.
func TestBodiesAreMadeWhenTheyAreWantedAndOnce(t *testing.T) {
	made := 0
	o := Options{Pages: map[string]Page{"/long": {Type: "text/plain", Body: func() []byte { made++; return []byte(longText) }}}}
	p := New(new(api.API), nil, o).pages.at["/long"]
	if made != 0 {
		t.Errorf("the body was made %d times before anyone asked", made)
	}
	for range 2 {
		if p.zipped().tag == p.plain().tag || string(p.plain().body) != longText || made != 1 {
			t.Errorf("%s and %s, %d bytes, made %d times", p.plain().tag, p.zipped().tag, len(p.plain().body), made)
		}
	}
}

func TestAPageMaySendElsewhere(t *testing.T) {
	a := browser(t, Options{})("GET", "/")
	if a.StatusCode != 302 || a.Header.Get("Location") != "docs" || a.body != "" {
		t.Errorf("%d to %q: %s", a.StatusCode, a.Header.Get("Location"), a.body)
	}
}

func TestPagesAreZippedForWhoTakesThat(t *testing.T) {
	ask := browser(t, Options{})
	for accepted, want := range map[string]bool{
		"gzip": true, "GZIP": true, "br, gzip": true, "gzip, deflate, br, zstd": true, "gzip;q=0.1": true, "gzip ; q=1": true, "*": true,
		"br;q=1.0, *;q=0.5": true, "": false, "br": false, "identity": false, "gzip;q=0": false, "gzip;q=0.000, *": false, "*;q=0": false,
		"gzippy": false, "*, gzip;q=0": false,
	} {
		a := ask("GET", "/docs", "Accept-Encoding", accepted)
		body, encoding := a.body, a.Header.Get("Content-Encoding")
		if want {
			r, err := gzip.NewReader(strings.NewReader(a.body))
			if err != nil {
				t.Errorf("%q: %v", accepted, err)
				continue
			}
			var out bytes.Buffer
			if _, err := out.ReadFrom(r); err != nil {
				t.Errorf("%q: %v", accepted, err)
			}
			body = out.String()
		}
		if (encoding == "gzip") != want || body != longText || want && len(a.body) > len(longText)/10 {
			t.Errorf("%q: encoding %q, %d bytes", accepted, encoding, len(a.body))
		}
	}
	if a := ask("GET", "/docs", "Accept-Encoding", "br", "Accept-Encoding", "gzip"); a.Header.Get("Content-Encoding") != "gzip" {
		t.Error("only the first of two headers is read")
	}
}

// A tag is that of exactly these bytes: zipped ones have another.
func TestWhatAClientHasIsNotSentAgain(t *testing.T) {
	ask := browser(t, Options{})
	plain := ask("GET", "/docs").Header.Get("Etag")
	zipped := ask("GET", "/docs", "Accept-Encoding", "gzip").Header.Get("Etag")
	other := ask("GET", "/docs/a.svg").Header.Get("Etag")
	if plain == zipped || plain == other || !strings.HasPrefix(plain, `"`) {
		t.Fatalf("tags %s, %s and %s", plain, zipped, other)
	}
	for _, c := range []struct {
		accepted, has string
		want          int
	}{
		{"", plain, 304},
		{"", "W/" + plain, 304},
		{"", `"x", ` + plain, 304},
		{"", "*", 304},
		{"", zipped, 200},
		{"", other, 200},
		{"", strings.Trim(plain, `"`), 200},
		{"gzip", zipped, 304},
		{"gzip", plain, 200},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			a := ask(method, "/docs", "Accept-Encoding", c.accepted, "If-None-Match", c.has)
			if a.StatusCode != c.want {
				t.Errorf("%s with %s: %d, want %d", method, c.has, a.StatusCode, c.want)
			}
			if c.want != 304 {
				continue
			}
			tag := map[string]string{"": plain, "gzip": zipped}[c.accepted]
			if a.body != "" || a.Header.Get("Etag") != tag || a.Header.Get("Vary") != "Accept-Encoding" || a.Header.Get("Content-Security-Policy") != policy {
				t.Errorf("%s with %s: %q, %v", method, c.has, a.body, a.Header)
			}
		}
	}
}

// What is not exactly a page is refused as everywhere.
func TestBesideThePages(t *testing.T) {
	ask := browser(t, Options{})
	for _, path := range []string{"/docs/", "/docs/b.svg", "/docs/A.svg", "/docs//a.svg", "/%64ocs", "//docs", "/docs/../docs", "/doc"} {
		a := ask("GET", path)
		if a.StatusCode != 404 || a.Header.Get("Content-Type") != "application/json" || a.body != `{"code":0,"message":"Not Found","errors":{}}` {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "get"} {
		for _, path := range []string{"/", "/docs"} {
			a := ask(method, path)
			if a.StatusCode != 405 || a.Header.Get("Allow") != "GET, HEAD" || a.body != `{"code":0,"message":"Method Not Allowed","errors":{}}` {
				t.Errorf("%s %s: %d %s", method, path, a.StatusCode, a.body)
			}
		}
	}
	if a := ask("POST", "/api/v4/public/ping"); a.StatusCode != 405 || a.Header.Get("Allow") != "GET, HEAD" || a.body != `{"success":false,"message":"Method Not Allowed","errors":[]}` {
		t.Errorf("a page came before an operation: %d %v", a.StatusCode, a.Header)
	}
}

// Pages and paths that are not there use one limit up together.
func TestLimitOfPages(t *testing.T) {
	ask := browser(t, Options{Now: func() time.Time { return time.Unix(1_800_000_000, 0) }})
	for n := range otherwise.Count {
		path := []string{"/docs/a.svg", "/", "/nothing"}[n%3]
		if a := ask("HEAD", path); a.StatusCode == 429 {
			t.Fatalf("request %d is refused", n+1)
		}
	}
	if a := ask("GET", "/docs"); a.StatusCode != 429 || a.body != `{"code":0,"message":"Too Many Requests","errors":{}}` {
		t.Errorf("one more: %d %.60s", a.StatusCode, a.body)
	}
}

func TestPagesAreCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	ask := browser(t, Options{Metrics: registry})
	ask("GET", "/docs")
	ask("GET", "/docs/a.svg")
	ask("GET", "/")
	ask("POST", "/docs")
	ask("GET", "/docs/nothing")
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		if f.GetName() != "bourse_http_requests_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			if labels := m.GetLabel(); labels[0].GetValue() == "pages" {
				got[labels[1].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	if len(got) != 3 || got["200"] != 2 || got["302"] != 1 || got["405"] != 1 {
		t.Errorf("counted %v", got)
	}
}

// What is for this machine is for browsers on it that ask for it: not for another site that has its name
// resolved to us, and not for those behind a proxy.
func TestLocalPages(t *testing.T) {
	s := New(new(api.API), nil, Options{Pages: map[string]Page{"/keys": {Type: "application/json", Body: text("[]"), Local: []byte(`["here"]`)}}})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- s.Serve(ln) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	for _, c := range []struct{ host, header, want string }{
		{ln.Addr().String(), "", `["here"]`},
		{"localhost:8080", "", `["here"]`},
		{"localhost", "", `["here"]`},
		{"[::1]:8080", "", `["here"]`},
		{"[::1]", "", `["here"]`},
		{"evil.example", "", `[]`},
		{"localhost.evil.example:8080", "", `[]`},
		{"10.1.2.3:8080", "", `[]`},
		{"localhost", "X-Forwarded-For", `[]`},
		{"localhost", "Forwarded", `[]`},
	} {
		request, err := http.NewRequest("GET", "http://"+ln.Addr().String()+"/keys", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = c.host
		if c.header != "" {
			request.Header.Set(c.header, "127.0.0.1")
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || string(body) != c.want {
			t.Errorf("%s %s: %s %v, want %s", c.host, c.header, body, err, c.want)
		}
	}
}
