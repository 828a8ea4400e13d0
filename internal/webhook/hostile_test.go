package webhook

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"code.dny.dev/ssrf"
	"github.com/miekg/dns"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// quickly lets requests take a short time only.
func quickly(s *sender) { s.total = 100 * time.Millisecond }

// TestServersThatMisbehave: whatever a server does but to answer 200, the event waits for its next attempt, and the exchange goes on.
func TestServersThatMisbehave(t *testing.T) {
	trap := newConsumer(t)
	for name, c := range map[string]struct {
		serve  http.HandlerFunc
		secure bool // with a certificate that nobody trusts
		status uint32
	}{
		"fails":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, false, 500},
		"answers 204": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, false, 204},
		"answers 201": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201) }, false, 201},
		"redirects inside": {func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, trap.URL, http.StatusTemporaryRedirect)
		}, false, 307},
		"hangs":                 {func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }, false, 0},
		"drips":                 {drip, false, 0},
		"sends large headers":   {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Large", strings.Repeat("a", 20<<10)) }, false, 0},
		"sends a large body":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 65<<10)) }, false, 0},
		"closes":                {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false, 0},
		"has a bad certificate": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) }, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l, consumer := newLog(t), &consumer{changed: make(chan struct{})}
			handler := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				buffer := make([]byte, 4<<10) // or the server would not notice that the client is gone
				for _, err := q.Body.Read(buffer); err == nil; _, err = q.Body.Read(buffer) {
				}
				c.serve(w, q)
			})
			if consumer.Server = httptest.NewServer(handler); c.secure {
				consumer.Server.Close()
				consumer.Server = httptest.NewUnstartedServer(handler)
				consumer.Config.ErrorLog = nil
				consumer.StartTLS()
			}
			t.Cleanup(consumer.Close)
			l.hooked(t, anna, consumer)
			h := follower(t, l, Options{roots: quickly})
			l.announce(t, anna, "a")
			until(t, "both were tried", 10*time.Millisecond, func() bool {
				log, _ := h.Log(t.Context(), anna, 0, 2)
				return len(log) == 2 && log[0].Attempts == 1 && log[1].Attempts == 1
			}, h)
			log, _ := h.Log(t.Context(), anna, 0, 2)
			for _, e := range log {
				if e.Outcome != "waiting" || e.Status != c.status || e.Due < l.clock.Now()+50*60*schema.Second || e.Due > l.clock.Now()+66*60*schema.Second {
					t.Errorf("%+v", e)
				}
			}
		})
	}
	if got := trap.wait(t, 0); len(got) != 0 {
		t.Errorf("a redirect was followed: %+v", got)
	}
}

// drip sends a body that never ends, a byte at a time, as fast as the client takes it.
func drip(w http.ResponseWriter, q *http.Request) {
	out := http.NewResponseController(w)
	for q.Context().Err() == nil {
		if _, err := w.Write([]byte{'.'}); err != nil {
			return
		}
		_ = out.Flush()
		timer := time.NewTimer(5 * time.Millisecond)
		select {
		case <-timer.C:
		case <-q.Context().Done():
		}
	}
}

// TestACertificateThatIsTrustedIsTaken: the case beside that of the bad one.
func TestACertificateThatIsTrustedIsTaken(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	o := Options{Loopback: true, roots: func(s *sender) { s.trust.RootCAs = roots }}
	o.setDefaults()
	if status, _ := newSender(&o).post(t.Context(), server.URL, "key", "secret", 1, []byte("{}")); status != 200 {
		t.Errorf("the status is %d", status)
	}
	o.roots = nil
	if status, _ := newSender(&o).post(t.Context(), server.URL, "key", "secret", 1, []byte("{}")); status != 0 {
		t.Errorf("without trust the status is %d", status)
	}
}

func TestAddressesThatAreNotConnectedTo(t *testing.T) {
	o := Options{Denied: []netip.Prefix{netip.MustParsePrefix("93.184.0.0/16")}}
	o.setDefaults()
	judge := guard(&o, newNamed(&o))
	for address, safe := range map[string]bool{
		"8.8.8.8:443": true, "[2606:4700::1111]:443": true,
		"8.8.8.8:80": false, "8.8.8.8:8443": false, "127.0.0.1:443": false, "[::1]:443": false, "10.0.0.1:443": false, "192.168.1.1:443": false, "172.16.0.1:443": false,
		"169.254.169.254:443": false, "0.0.0.0:443": false, "100.64.0.1:443": false, "224.0.0.1:443": false, "[fe80::1]:443": false, "[fc00::1]:443": false,
		"[::ffff:127.0.0.1]:443": false, "[64:ff9b::7f00:1]:443": false, "[2002:7f00:1::]:443": false, "93.184.216.34:443": false,
	} {
		network := "tcp4"
		if strings.HasPrefix(address, "[") {
			network = "tcp6"
		}
		if err := judge(network, address, nil); (err == nil) != safe {
			t.Errorf("%s: %v", address, err)
		}
	}
	list, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		own, _ := netip.AddrFromSlice(a.(*net.IPNet).IP)
		if !ownAddress(own.Unmap()) {
			t.Errorf("%s is not known as this machine's", own)
		}
	}
	demo := Options{Loopback: true}
	demo.setDefaults()
	if err := guard(&demo, newNamed(&demo))("tcp4", "127.0.0.1:9000", nil); err != nil {
		t.Errorf("a demo does not reach its own machine: %v", err)
	}
	if err := guard(&demo, newNamed(&demo))("tcp4", "10.0.0.1:9000", nil); err == nil {
		t.Error("a demo reaches other machines inside")
	}
}

// names is a server of names whose answers a test decides.
type names struct {
	answer func(dns.Question) []dns.RR
}

func (n *names) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	m := new(dns.Msg)
	m.SetReply(q)
	m.Answer = n.answer(q.Question[0])
	_ = w.WriteMsg(m)
}

// resolving is a resolver that asks a server of the test.
func resolving(t *testing.T, answer func(dns.Question) []dns.RR) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{PacketConn: conn, Handler: &names{answer}}
	go func() { _ = server.ActivateAndServe() }()
	t.Cleanup(func() { _ = server.Shutdown() })
	return newResolver(conn.LocalAddr().String())
}

func record1(t *testing.T, text string) dns.RR {
	t.Helper()
	rr, err := dns.NewRR(text)
	if err != nil {
		t.Fatal(err)
	}
	return rr
}

// TestANameThatMeansAnotherAddressLater: at the first question the name is harmless, and at the next it leads inside. What counts is the address
// that is connected to.
func TestANameThatMeansAnotherAddressLater(t *testing.T) {
	asked := 0
	resolver := resolving(t, func(q dns.Question) []dns.RR {
		if q.Qtype != dns.TypeA {
			return nil
		}
		if asked++; asked == 1 {
			return []dns.RR{record1(t, "rebind.example. 0 IN A 8.8.8.8")}
		}
		return []dns.RR{record1(t, "rebind.example. 0 IN A 127.0.0.1")}
	})
	if list, err := resolver.LookupHost(t.Context(), "rebind.example"); err != nil || len(list) != 1 || list[0] != "8.8.8.8" {
		t.Fatalf("at first it means %v, %v", list, err)
	}
	o := Options{resolver: resolver}
	o.setDefaults()
	s := newSender(&o)
	_, err := s.client.Get("https://rebind.example/")
	if !errors.Is(err, ssrf.ErrProhibitedIP) {
		t.Errorf("it was connected to: %v", err)
	}
	if status, _ := s.post(t.Context(), "https://rebind.example/", "key", "secret", 1, []byte("{}")); status != 0 {
		t.Errorf("the status is %d", status)
	}
}

// TestTheExchangeIsNotConnectedTo: names that mean the address of the public URL lead nowhere. Nothing is connected to before that is known, no
// connection waits for the answer, and if nobody answers later the address is what it was.
func TestTheExchangeIsNotConnectedTo(t *testing.T) {
	asked := make(chan struct{}, 100)
	resolver := resolving(t, func(q dns.Question) []dns.RR {
		if q.Qtype != dns.TypeA {
			return nil
		}
		return []dns.RR{record1(t, q.Name+" 0 IN A 8.8.4.4")}
	})
	hanging := newResolver("127.0.0.1:1")
	ctx, give := context.WithCancel(t.Context())
	hanging.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	o := Options{resolver: hanging, PublicURL: "https://bourse.example"}
	o.setDefaults()
	own := newNamed(&o)
	judge := guard(&o, own)
	looked := make(chan bool)
	go func() { looked <- own.look(ctx) }()
	<-asked
	for _, address := range []string{"8.8.4.4:443", "8.8.8.8:443"} { // while the name is being asked for
		if err := judge("tcp4", address, nil); !errors.Is(err, errOwn) {
			t.Errorf("%s is connected to before there was an answer: %v", address, err)
		}
	}
	give()
	if <-looked || own.ready() {
		t.Error("no answer was taken for one")
	}
	o.resolver = resolver
	if !own.look(t.Context()) || !own.ready() {
		t.Error("the answer is not known")
	}
	for range 2 {
		if err := judge("tcp4", "8.8.4.4:443", nil); !errors.Is(err, errOwn) {
			t.Errorf("it is connected to: %v", err)
		}
		if err := judge("tcp4", "8.8.8.8:443", nil); err != nil {
			t.Errorf("another one is not: %v", err)
		}
		o.resolver = hanging
		ctx, give := context.WithCancel(t.Context())
		give()
		own.look(ctx)
	}
}

// TestTheKeyIsLookedForInThreePlaces, and found only where it stands exactly.
func TestTheKeyIsLookedForInThreePlaces(t *testing.T) {
	var mu sync.Mutex // a check goes on for a moment when another one found the key
	answers := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		text, there := answers[q.URL.Path]
		mu.Unlock()
		switch {
		case !there:
			http.NotFound(w, q)
		case strings.HasPrefix(text, "to "):
			http.Redirect(w, q, text[3:], http.StatusFound)
		default:
			_, _ = w.Write([]byte(text))
		}
	}))
	defer server.Close()
	var txt []string
	o := Options{Loopback: true, resolver: resolving(t, func(q dns.Question) []dns.RR {
		mu.Lock()
		defer mu.Unlock()
		var list []dns.RR
		for _, text := range txt {
			if q.Qtype == dns.TypeTXT && q.Name == "hooks.example." {
				list = append(list, &dns.TXT{Hdr: dns.RR_Header{Name: q.Name, Rrtype: dns.TypeTXT, Class: dns.ClassINET}, Txt: []string{text}})
			}
		}
		return list
	})}
	o.setDefaults()
	s := newSender(&o)
	for _, c := range []struct {
		at, path, text string
		txt            []string
		found          bool
	}{
		{server.URL, "/service-verification.txt", "key", nil, true},
		{server.URL, "/service-verification.txt", "\n key \r\n", nil, true},
		{server.URL, "/service-verification.txt", "the key", nil, false},
		{server.URL, "/service-verification", `["other","key"]`, nil, true},
		{server.URL, "/service-verification", `["other"]`, nil, false},
		{server.URL, "/service-verification", `"key"`, nil, false},
		{server.URL, "/service-verification", `{"0":"key"}`, nil, false},
		{server.URL, "/service-verification.txt", "to /elsewhere", nil, false},
		{"http://127.0.0.1:1", "", "", nil, false},
		{"https://hooks.example", "", "", []string{"v=spf1", "key"}, true},
		{"https://hooks.example", "", "", []string{"the key"}, false},
		{"https://www.hooks.example", "", "", []string{"key"}, false},
	} {
		mu.Lock()
		clear(answers)
		answers["/elsewhere"], answers[c.path], txt = "key", c.text, c.txt
		mu.Unlock()
		if found := s.verify(t.Context(), c.at+"/hook", "key"); found != c.found {
			t.Errorf("%s%s %q %q: found %t", c.at, c.path, c.text, c.txt, found)
		}
	}
}

// TestAHostIsCheckedEveryDay, and after three days without the key nothing is announced any more.
func TestAHostIsCheckedEveryDay(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	h := follower(t, l, Options{})
	until(t, "the host is not verified any more", time.Hour, func() bool {
		w, _, _ := h.Get(anna)
		return w.Verified == ""
	}, h)
	if age := l.clock.Now() - birth; age < 3*day || age > 3*day+6*3600*schema.Second {
		t.Errorf("it took %d hours", age/schema.Second/3600)
	}
	before := l.count(anna)
	l.announce(t, anna, "a")
	if l.count(anna) != before {
		t.Error("an inactive webhook announces")
	}
	if err := h.Verify(t.Context(), schema.Origin{}, anna); !errors.Is(err, ErrUnverified) {
		t.Errorf("verified: %v", err)
	}
}

// TestChecksHaveABoundInAll: a request while all slots are in use fails at once, and daily checks take the next free slot.
func TestChecksHaveABoundInAll(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	gate, came := make(chan struct{}), make(chan struct{}, 100)
	c.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == verificationFile {
			came <- struct{}{}
			<-gate
			_, _ = w.Write([]byte("key"))
			return
		}
		http.NotFound(w, q)
	})
	for i := range schema.AccountID(4) {
		l.hooked(t, anna+i, c)
	}
	h := follower(t, l, Options{bounds: bounds{checks: 2}})
	until(t, "it has the shards", time.Second, func() bool { return h.owns(anna) }, h)
	answers := make(chan error, 2)
	for i := range schema.AccountID(2) {
		go func() { answers <- h.Verify(t.Context(), schema.Origin{}, anna+i) }()
	}
	<-came
	<-came
	if err := h.Verify(t.Context(), schema.Origin{}, anna+2); !errors.Is(err, ErrBusy) || !errors.Is(err, ErrTooOften) {
		t.Errorf("a third check: %v", err)
	}
	close(gate)
	for range 2 {
		if err := <-answers; err != nil {
			t.Errorf("a check: %v", err)
		}
	}
	for range checksHourly { // what was not looked at does not count
		if err := h.Verify(t.Context(), schema.Origin{}, anna+2); err != nil {
			t.Errorf("after the others: %v", err)
		}
	}
	if err := h.Verify(t.Context(), schema.Origin{}, anna+2); !errors.Is(err, ErrTooOften) || errors.Is(err, ErrBusy) {
		t.Errorf("more than an hour has: %v", err)
	}
	calm(t, 0, h)
	l.clock.advance(24*time.Hour + checkLooks)
	until(t, "all are looked at in one go", 0, func() bool {
		for _, w := range h.All() {
			if w.Checked < l.clock.Now() {
				return false
			}
		}
		return true
	}, h)
}

func TestABacklogHasABound(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	l.must(t, &schema.PauseWebhook{Account: anna, Paused: true})
	h := follower(t, l, Options{bounds: bounds{backlog: 3, bytes: 1 << 30}})
	for _, name := range []string{"a", "b", "c", "d"} {
		l.announce(t, anna, name)
	}
	calm(t, 0, h)
	if n := h.Waiting(anna); n != 3 {
		t.Errorf("%d wait", n)
	}
	l.must(t, &schema.PauseWebhook{Account: anna})
	until(t, "the rest is delivered", 10*time.Millisecond, settled(h), h)
	var got []uint64
	for _, d := range c.wait(t, 3) {
		got = append(got, d.event)
	}
	if len(got) != 3 || got[0] != 6 || got[2] != 8 {
		t.Errorf("events %v arrived", got)
	}
	log, _ := h.Log(t.Context(), anna, 0, 10)
	if log[7].Outcome != "dropped" || log[0].Outcome != "delivered" {
		t.Errorf("%+v", log)
	}
	// All bytes count too: the longest loses its oldest.
	l.hooked(t, ben, c)
	for _, account := range []schema.AccountID{anna, ben} {
		l.must(t, &schema.PauseWebhook{Account: account, Paused: true})
	}
	small := follower(t, l, Options{owner: 9, Clock: newTestClock(l.clock.Now()), bounds: bounds{backlog: 100, bytes: 400}})
	l.announce(t, ben, "e")
	l.announce(t, ben, "f")
	l.must(t, &schema.RequestWithdrawal{Account: anna, Asset: 1, Chain: 1, Amount: fixed.One, Address: "bc1q", Unique: "g"})
	calm(t, 0, small)
	if small.store.bytes > 400 || small.Waiting(ben) >= 4 {
		t.Errorf("%d bytes wait, %d events of ben", small.store.bytes, small.Waiting(ben))
	}
}

// TestServersThatCloseConnections: a server that ends a connection that was kept, just when a request comes, gets another request at once, with an
// id and a nonce of its own. It is one attempt, and there is no third.
func TestServersThatCloseConnections(t *testing.T) {
	type conn struct{ requests atomic.Int32 }
	type key struct{}
	for name, c := range map[string]struct {
		closes func(nth, ofConn int32) bool // whether a request is answered by closing
		want   string                       // what becomes of the second event
	}{
		"each after one answer": {func(_, ofConn int32) bool { return ofConn > 1 }, "delivered"},
		"all after one answer":  {func(nth, _ int32) bool { return nth > 1 }, "waiting"},
	} {
		t.Run(name, func(t *testing.T) {
			l, consumer := newLog(t), &consumer{changed: make(chan struct{})}
			var nth atomic.Int32
			var same atomic.Bool
			consumer.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.Header.Get("Idempotency-Key") != "" || q.Header.Get("X-Idempotency-Key") != "" {
					same.Store(true)
				}
				n, ofConn := nth.Add(1), q.Context().Value(key{}).(*conn).requests.Add(1)
				consumer.serve(&unanswered{ResponseWriter: w, mute: c.closes(n, ofConn)}, q)
				if c.closes(n, ofConn) {
					panic(http.ErrAbortHandler)
				}
			}))
			consumer.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context { return context.WithValue(ctx, key{}, &conn{}) }
			consumer.Start()
			t.Cleanup(consumer.Close)
			l.hooked(t, anna, consumer)
			h := follower(t, l, Options{})
			l.announce(t, anna, "a")
			until(t, "both were tried", 10*time.Millisecond, func() bool {
				log, _ := h.Log(t.Context(), anna, 0, 2)
				return len(log) == 2 && log[0].Attempts == 1 && log[1].Attempts == 1
			}, h)
			got := consumer.wait(t, 3)
			var order []uint64
			ids, last := map[string]bool{}, uint64(0)
			for _, d := range got {
				if order = append(order, d.event); !d.good || ids[d.id] || d.nonce <= last {
					t.Errorf("%+v after nonce %d", d, last)
				}
				ids[d.id], last = true, d.nonce
			}
			if !slices.Equal(order, []uint64{1, 2, 2}) || same.Load() {
				t.Errorf("%v arrived, as requests that may be repeated: %t", order, same.Load())
			}
			log, _ := h.Log(t.Context(), anna, 0, 2)
			if log[0].Outcome != c.want || log[1].Outcome != "delivered" {
				t.Errorf("%+v", log)
			}
			for _, pool := range h.sender.pool {
				if pool.IdleConnTimeout != 2*time.Second {
					t.Errorf("connections are kept for %v", pool.IdleConnTimeout)
				}
			}
		})
	}
}

// unanswered keeps an answer from the wire.
type unanswered struct {
	http.ResponseWriter
	mute bool
}

func (u *unanswered) WriteHeader(status int) {
	if !u.mute {
		u.ResponseWriter.WriteHeader(status)
	}
}

// TestALargeEventTakesThePlaceOfManySmallOnes: what waits is within its bound after each event, and what was dropped for that is counted.
func TestALargeEventTakesThePlaceOfManySmallOnes(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	h := follower(t, l, Options{bounds: bounds{bytes: 2000}})
	until(t, "it has the shard", time.Second, func() bool { return h.owns(anna) }, h)
	l.must(t, &schema.PauseWebhook{Account: anna, Paused: true})
	for i := range 10 {
		l.announce(t, anna, fmt.Sprint(i))
	}
	l.must(t, &schema.RequestWithdrawal{Account: anna, Asset: 1, Chain: 1, Amount: fixed.One, Address: strings.Repeat("a", 100), Unique: strings.Repeat("u", 100), Memo: strings.Repeat("m", 60)})
	calm(t, 0, h)
	waits := h.Waiting(anna)
	if h.store.bytes > 2000 || waits < 2 {
		t.Errorf("%d bytes wait, %d events", h.store.bytes, waits)
	}
	if n := h.meters.counts[schema.DeliveryDropped].Load(); n != uint64(22-waits) {
		t.Errorf("%d are counted as dropped, %d of 22 wait", n, waits)
	}
	log, _ := h.Log(t.Context(), anna, 0, 30)
	for i, e := range log {
		if want := map[bool]string{true: "waiting", false: "dropped"}[i < waits]; e.Outcome != want {
			t.Errorf("event %d is %s, not %s", e.N, e.Outcome, want)
		}
	}
}

func TestWhatAnOperatorDoes(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	h := follower(t, l, Options{})
	l.announce(t, anna, "a")
	until(t, "all is delivered", 10*time.Millisecond, settled(h), h)
	if err := h.Resend(t.Context(), schema.Origin{Operator: "olga"}, anna, 1); err != nil {
		t.Fatal(err)
	}
	until(t, "it arrived again", 10*time.Millisecond, settled(h), h)
	got := c.wait(t, 3)
	if len(got) != 3 || got[2].event != 1 || got[2].id == got[0].id || got[2].nonce <= got[1].nonce {
		t.Errorf("%+v", got)
	}
	if err := h.Resend(t.Context(), schema.Origin{}, anna, 3); !errors.Is(err, ErrForgotten) {
		t.Errorf("%v", err)
	}
	if err := h.Pause(t.Context(), schema.Origin{}, anna, true); err != nil {
		t.Fatal(err)
	}
	l.announce(t, anna, "b")
	calm(t, 0, h)
	if n := len(c.wait(t, 0)); n != 3 || h.Waiting(anna) != 2 {
		t.Errorf("%d requests, %d wait", n, h.Waiting(anna))
	}
	if err := h.Delete(t.Context(), schema.Origin{}, anna); err != nil {
		t.Fatal(err)
	}
	calm(t, 0, h)
	if _, _, there := h.Get(anna); there || h.Waiting(anna) != 0 {
		t.Errorf("%d wait for a webhook that is no more", h.Waiting(anna))
	}
}
