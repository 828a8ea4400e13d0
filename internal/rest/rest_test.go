package rest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"bourse/internal/api"
	"bourse/internal/api/table"
	"bourse/internal/auth"
	"bourse/internal/limit"
	"bourse/internal/schema"
)

var home = netip.MustParseAddr("192.0.2.1")

// still is a server whose clock stands until it is moved.
func still(o Options) (*Server, *time.Time) {
	now := time.Unix(1_800_000_000, 0)
	o.Now = func() time.Time { return now }
	return serverOf(nil, o), &now
}

// serverOf is a server without an exchange behind its operations.
func serverOf(register *auth.Register, o Options) *Server {
	s := New(new(api.API), register, o)
	s.routes = makeRoutes(table.Operations(), s.limiter, s.meters, max(o.Factor, 1))
	return s
}

// path is one that leads to an operation.
func path(o *api.Operation) []byte {
	return []byte(strings.Replace(o.Path, "{market}", "BTC_USDT", 1))
}

func TestEveryOperationHasItsRoute(t *testing.T) {
	r := makeRoutes(table.Operations(), limit.New(16), newMeters(nil, nil), 1)
	operations := table.Operations()
	for i := range operations {
		found, values := r.find(path(&operations[i]))
		if found == nil || found.operation.Path != operations[i].Path {
			t.Errorf("%s leads elsewhere", operations[i].Path)
			continue
		}
		if names := operations[i].Parameters(); !slices.Equal(names, found.names) || len(names) > 0 && string(values[0]) != "BTC_USDT" {
			t.Errorf("%s: parameters %s=%s", operations[i].Path, found.names, values)
		}
	}
}

func TestAPathIsOneRouteOrNone(t *testing.T) {
	r := makeRoutes(table.Operations(), limit.New(16), newMeters(nil, nil), 1)
	for text, want := range map[string]string{
		"/api/v4/public/orderbook/depth":          "/api/v4/public/orderbook/{market}", // a market of that name
		"/api/v4/public/orderbook/depth/BTC_USDT": "/api/v4/public/orderbook/depth/{market}",
		"/api/v4/public/orderbook/depth/":         "",
		"/api/v4/public/orderbook/":               "",
		"/api/v4/public/orderbook/a/b":            "",
		"/api/v4/public/trades":                   "",
		"/api/v4/public/ping/":                    "",
		"/api/v4/public/ping?":                    "",
		"":                                        "",
		"*":                                       "",
	} {
		got := ""
		if found, _ := r.find([]byte(text)); found != nil {
			got = found.operation.Path
		}
		if got != want {
			t.Errorf("%q leads to %q, want %q", text, got, want)
		}
	}
}

// Parameters may stand anywhere in a path, and a path without them comes first.
func TestParametersAnywhere(t *testing.T) {
	r := makeRoutes([]api.Operation{
		{Path: "/a/{x}/b"}, {Path: "/a/{x}/b/{y}"}, {Path: "/a/c/b"}, {Path: "/{x}"}, {Path: "/a/{x}/c/{y}/d", Auth: api.AuthSigned},
	}, limit.New(16), newMeters(nil, nil), 1)
	for text, want := range map[string]string{
		"/a/1/b": "/a/{x}/b x=1", "/a/c/b": "/a/c/b", "/a/1/b/2": "/a/{x}/b/{y} x=1 y=2", "/7": "/{x} x=7", "/a/1/c/%2F/d": "/a/{x}/c/{y}/d x=1 y=%2F",
		"/a//b": "", "/a/1/b/": "", "/a/1": "", "/": "", "a/1/b": "", "/a/1/b/2/3": "",
	} {
		got := ""
		if found, values := r.find([]byte(text)); found != nil {
			got = found.operation.Path
			for i, name := range found.names {
				got += " " + name + "=" + string(values[i])
			}
		}
		if got != want {
			t.Errorf("%q leads to %q, want %q", text, got, want)
		}
	}
}

var writer = api.Writer(func(api.WriteCall, *api.Nothing) (api.Answer, error) { return nil, nil }, nil)

// A table that this door cannot serve is found at the start.
func TestTablesThatCannotBeServed(t *testing.T) {
	for _, o := range []api.Operation{{Path: "/a", Auth: api.AuthClient}, {Path: "/b", Auth: api.AuthBearer, Handling: writer}, {Path: "/{a}/{b}/{c}/{d}/{e}"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is served", o.Path)
				}
			}()
			makeRoutes([]api.Operation{o}, limit.New(16), newMeters(nil, nil), 1)
		}()
	}
}

// count is how many requests in a row are allowed, up to a number.
func count(s *Server, addr netip.Addr, r *route, most int) int {
	for n := range most {
		if !s.allowed(addr, r) {
			return n
		}
	}
	return most
}

// The limit of an operation, or of its scope where that is lower, from zero in every window.
func TestLimitsOfEveryOperation(t *testing.T) {
	operations := table.Operations()
	for i := range operations {
		o := &operations[i]
		want, window := o.Limit.Count, o.Limit.Window
		for _, scope := range api.LimitScopes {
			if strings.HasPrefix(o.Path, scope.Prefix) && (want == 0 || scope.Limit.Count < want) {
				want, window = scope.Limit.Count, scope.Limit.Window
			}
		}
		s, now := still(Options{})
		r, _ := s.routes.find(path(o))
		for range 3 {
			if got := count(s, home, r, want+1); got != want {
				t.Errorf("%s: %d requests were allowed, want %d", o.Path, got, want)
			}
			if !s.allowed(netip.MustParseAddr("192.0.2.2"), r) {
				t.Errorf("%s: another address is limited too", o.Path)
			}
			*now = now.Add(window - 1)
			if s.allowed(home, r) {
				t.Errorf("%s: allowed before the window is over", o.Path)
			}
			*now = now.Add(1)
		}
	}
}

func TestLimitsOfTheDocuments(t *testing.T) {
	for path, want := range map[string]int{
		"/api/v4/public/ping": 2000, "/api/v4/public/assets": 2000, "/api/v4/public/orderbook/BTC_USDT": 600,
		"/api/v4/public/mining-pool": 1000, "/api/v1/public/kline": 1000, "/api/v4/order/new": 10000, "/api/v4/orders": 12000,
		"/api/v4/trade-account/balance": 12000, "/api/v4/main-account/balance": 1000, "/api/v4/profile/websocket_token": 10,
		"/api/v4/market/fee": 10000, "/api/v4/mining/rewards": 1000, "/nothing": 10000,
	} {
		s, _ := still(Options{})
		r, _ := s.routes.find([]byte(path))
		if got := count(s, home, r, want+1); got != want {
			t.Errorf("%s: %d requests were allowed, want %d", path, got, want)
		}
	}
}

// Pages of links by which others see mining accounts have a limit of their own, also for who tries links that are none.
func TestLimitOfLinks(t *testing.T) {
	s, now := still(Options{})
	for range 2 {
		seen := 0
		for range watchLimit.Count + 10 {
			if s.mayWatch(home) {
				seen++
			}
		}
		if seen != 60 {
			t.Errorf("%d looks were allowed", seen)
		}
		*now = now.Add(watchLimit.Window)
	}
	s, _ = still(Options{Unlimited: true})
	for range watchLimit.Count + 1 {
		if !s.mayWatch(home) {
			t.Fatal("a server without limits has one")
		}
	}
}

// The endpoints of a scope use its limit up together.
func TestLimitsOfScopes(t *testing.T) {
	for _, scope := range api.LimitScopes {
		s, now := still(Options{})
		var inside, outside []*route
		for _, r := range s.routes.all() {
			if strings.HasPrefix(r.operation.Path, scope.Prefix) {
				inside = append(inside, r)
			} else {
				outside = append(outside, r)
			}
		}
		for range 2 {
			total := 0
			for _, r := range inside {
				total += count(s, home, r, scope.Limit.Count+1)
			}
			if total != scope.Limit.Count {
				t.Errorf("%s: %d requests were allowed, want %d", scope.Prefix, total, scope.Limit.Count)
			}
			for _, r := range outside {
				if !s.allowed(home, r) {
					t.Errorf("%s: %s is limited too", scope.Prefix, r.operation.Path)
				}
			}
			*now = now.Add(scope.Limit.Window)
		}
	}
}

func TestLimitsCanBeLifted(t *testing.T) {
	const path = "/api/v4/public/orderbook/BTC_USDT"
	for name, c := range map[string]struct {
		o    Options
		want int
	}{
		"factor":    {Options{Factor: 3}, 1800},
		"unlimited": {Options{Unlimited: true}, 5000},
		"trusted":   {Options{Trusted: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}, 5000},
		"others":    {Options{Trusted: []netip.Prefix{netip.MustParsePrefix("192.0.3.0/24")}}, 600},
	} {
		s, _ := still(c.o)
		r, _ := s.routes.find([]byte(path))
		if got := count(s, home, r, 5000); got != c.want {
			t.Errorf("%s: %d requests were allowed, want %d", name, got, c.want)
		}
	}
}

func (r *routes) all() []*route {
	var all []*route
	for _, next := range r.exact {
		all = append(all, next)
	}
	for _, next := range r.patterns {
		all = append(all, next.route)
	}
	return all
}

func TestWhomAProxyForwardsFor(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		name    string
		headers []string
		want    string
	}{
		{"nobody", nil, "10.0.0.1"},
		{"a client", []string{"198.51.100.7"}, "198.51.100.7"},
		{"a client that lies", []string{"1.1.1.1, 198.51.100.7"}, "198.51.100.7"},
		{"a client behind two of ours", []string{"1.1.1.1, 198.51.100.7, 10.9.9.9"}, "198.51.100.7"},
		{"the same in two headers", []string{"1.1.1.1,198.51.100.7", " 10.9.9.9 "}, "198.51.100.7"},
		{"one of ours only", []string{"10.2.2.2,10.3.3.3"}, "10.2.2.2"},
		{"IPv6", []string{"2001:db8::1"}, "2001:db8::1"},
		{"IPv6 behind one of ours", []string{"2001:db8::1, fd00::5"}, "2001:db8::1"},
		{"IPv4 in IPv6", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		{"one of ours as IPv4 in IPv6", []string{"198.51.100.7, ::ffff:10.1.1.1"}, "198.51.100.7"},
		{"IPv6 with a zone", []string{"fe80::1%eth0"}, "fe80::1"},
		{"garbage", []string{"garbage"}, "10.0.0.1"},
		{"garbage before one of ours", []string{"198.51.100.7, unknown, 10.4.4.4"}, "10.4.4.4"},
		{"empty", []string{""}, "10.0.0.1"},
		{"commas", []string{",,,"}, "10.0.0.1"},
		{"a comma behind it", []string{"198.51.100.7,"}, "10.0.0.1"},
		{"a port", []string{"198.51.100.7:80"}, "10.0.0.1"},
		{"very many", []string{strings.Repeat("10.1.1.1,", 4000) + "10.1.1.1"}, "10.1.1.1"},
	} {
		var headers [][]byte
		for _, h := range c.headers {
			headers = append(headers, []byte(h))
		}
		if got := behind(netip.MustParseAddr("10.0.0.1"), headers, proxies); got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// shown is a log that can be read while it is written.
type shown struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *shown) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// A panic is answered, told in the log under the number that the answer has, and costs neither
// the connection nor the process.
func TestPanics(t *testing.T) {
	var log shown
	s := serverOf(nil, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for path, format := range map[string]api.ErrorFormat{"/private": api.Private, "/public": api.Public, "/first": api.V1} {
		// An operation that has nothing to run panics.
		s.routes.exact[path] = &route{operation: &api.Operation{Method: "GET", Path: path, ErrorFormat: format}, meter: s.meters.of(path)}
	}
	ln := fasthttputil.NewInmemoryListener()
	served := make(chan error)
	go func() { served <- s.Serve(ln) }()
	dials := 0
	client := &fasthttp.Client{MaxConnsPerHost: 1, Dial: func(string) (net.Conn, error) { dials++; return ln.Dial() }}
	ids := map[string]bool{}
	for range 3 {
		for path, want := range map[string]string{
			"/private": `{"code":0,"message":"Internal server error.","errors":{}}`,
			"/public":  `{"success":false,"message":"Internal server error.","errors":[]}`,
			"/first":   `{"success":false,"message":"Internal server error.","params":[]}`,
			"/other":   `{"code":0,"message":"Not Found","errors":{}}`,
		} {
			request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
			request.SetRequestURI("http://bourse" + path)
			if err := client.Do(request, response); err != nil {
				t.Fatal(err)
			}
			if string(response.Body()) != want || string(response.Header.ContentType()) != "application/json" {
				t.Errorf("%s: %s", path, response)
			}
			id := string(response.Header.Peek("X-Request-Id"))
			if path == "/other" {
				continue
			}
			log.mu.Lock()
			told := strings.Count(log.text.String(), "request="+id+" path="+path+" ")
			log.mu.Unlock()
			if response.StatusCode() != 500 || len(id) != 16 || ids[id] || told != 1 {
				t.Errorf("%s: %d with id %q, which the log has %d times", path, response.StatusCode(), id, told)
			}
			ids[id] = true
		}
	}
	if dials != 1 {
		t.Errorf("%d connections were needed", dials)
	}
	if !strings.Contains(log.text.String(), "stack=") {
		t.Error("the log has no stack")
	}
	client.CloseIdleConnections()
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// A panic does not give the nonce back: nobody knows how far the request came.
func TestAPanicKeepsTheNonce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nonces")
	open := func() *auth.Register {
		r, err := auth.OpenRegister(file, func() schema.Time { return 1_800_000_000 * schema.Second })
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	register := open()
	s := serverOf(register, Options{})
	for i, operation := range []*api.Operation{
		{Handling: api.Reader(func(*api.Call, *api.Nothing) (api.Answer, error) { panic("read") }, nil)},
		{Handling: api.Writer(func(api.WriteCall, *api.Nothing) (api.Answer, error) { panic("write") }, nil)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("it did not panic")
				}
			}()
			c := &call{Call: api.Call{Operation: operation, Origin: schema.Origin{Key: schema.KeyID(i + 1), Nonce: 7}}}
			_ = s.run(c)
		}()
	}
	if err := register.Close(); err != nil {
		t.Fatal(err)
	}
	register = open()
	defer register.Close()
	for key := range schema.KeyID(2) {
		if register.Use(key+1, 7, false) != schema.NonceUsed || register.Use(key+1, 8, false) != schema.OK {
			t.Errorf("key %d: the nonce can be used again, or no other", key+1)
		}
	}
}

func TestAServerThatWasStoppedServesNobody(t *testing.T) {
	s := serverOf(nil, Options{})
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(ln); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", ln.Addr().String()); err == nil {
		c.Close()
		t.Error("it listens")
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// Who does not let go in time is cut off, and the operator is told.
func TestStoppingCutsWhoDoesNotEnd(t *testing.T) {
	var log shown
	s := serverOf(nil, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	entered, release := make(chan bool), make(chan bool)
	s.server.Handler = func(*fasthttp.RequestCtx) { entered <- true; <-release }
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- s.Serve(ln) }()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	if text, _ := io.ReadAll(client); len(text) > 0 {
		t.Errorf("an answer: %q", text)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	close(release)
	if !strings.Contains(log.text.String(), "connections=1") {
		t.Errorf("the log says %q", log.text.String())
	}
}

func BenchmarkHandle(b *testing.B) {
	s := serverOf(nil, Options{Factor: 1 << 20, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	var request fasthttp.Request
	request.SetRequestURI("/api/v4/public/ping")
	request.Header.Set("X-Forwarded-For", "1.2.3.4, 198.51.100.7")
	var ctx fasthttp.RequestCtx
	ctx.Init(&request, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 1}, nil)
	b.ReportAllocs()
	for b.Loop() {
		s.handle(&ctx)
	}
}

func FuzzFind(f *testing.F) {
	operations := table.Operations()
	for i := range operations {
		f.Add(path(&operations[i]))
	}
	f.Add([]byte("/api/v4/public/orderbook/depth/"))
	f.Add([]byte("//api/v4/public/trades/%2F"))
	r := makeRoutes(table.Operations(), limit.New(16), newMeters(nil, nil), 1)
	f.Fuzz(func(t *testing.T, data []byte) {
		found, values := r.find(data)
		if found == nil {
			for i := range operations {
				if string(data) == operations[i].Path && !strings.Contains(operations[i].Path, "{") {
					t.Errorf("%q leads nowhere", data)
				}
			}
			return
		}
		// The path is the pattern with the parameter put in, and the parameter is one part of it.
		if want := strings.Replace(found.operation.Path, "{market}", string(values[0]), 1); string(data) != want {
			t.Errorf("%q was taken for %q", data, want)
		}
		if bytes.ContainsRune(values[0], '/') || len(found.names) > 0 && len(values[0]) == 0 {
			t.Errorf("%q has the parameter %q", data, values[0])
		}
	})
}
