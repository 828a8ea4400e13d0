package conform

import (
	"fmt"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/exchange"
)

// The limits over HTTP. That every operation has the limits of the table is tested where they
// are made (package rest); here is what a client sees of them.

// limited is a venue with limits and a clock that stands.
func limited(t *testing.T, change func(*exchange.Options)) (*Venue, *atomic.Int64) {
	t.Helper()
	now := &atomic.Int64{}
	now.Store(1_800_000_000)
	v := Inside(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""), gateKey("bob", ""))), func(o *exchange.Options) {
		o.REST.Unlimited = false
		o.REST.Now = func() time.Time { return time.Unix(now.Load(), 0) }
		if change != nil {
			change(o)
		}
	})
	return v, now
}

const (
	tooMany        = "Too Many Requests"
	tooManyPublic  = `{"success":false,"message":"Too Many Requests","errors":[]}`
	tooManyFirst   = `{"success":false,"message":"Too Many Requests","params":[]}`
	pathBook       = "/api/v4/public/orderbook/BTC_USDT"
	pathFirstDepth = "/api/v1/public/depth/result?market=BTC_USDT"
)

// times sends so many requests that must succeed.
func times(t *testing.T, count int, send func() Reply) {
	t.Helper()
	for i := range count {
		if r := send(); r.Status != 200 {
			t.Fatalf("request %d of %d: %d %s", i+1, count, r.Status, r.Body)
		}
	}
}

func TestGateLimitOfTokens(t *testing.T) {
	v, now := limited(t, nil)
	alice := v.gateClient("alice")
	token := func() Reply { return alice.Post(pathSocket, nil) }
	for range 3 { // again in every minute
		times(t, 10, token)
		token().expect(t, 429, gateError(0, tooMany))
		now.Add(59)
		token().expect(t, 429, gateError(0, tooMany))
		now.Add(1)
	}
	times(t, 10, token)
	// The address is what is limited, whatever key it has; and nothing but this endpoint.
	v.gateClient("bob").Post(pathSocket, nil).expect(t, 429, gateError(0, tooMany))
	alice.Post(pathOrders, nil).ok(t)
}

func TestGateLimitOfTheBook(t *testing.T) {
	v, now := limited(t, nil)
	times(t, 600, func() Reply { return v.Get(pathBook) })
	v.Get(pathBook).expect(t, 429, tooManyPublic)
	v.Get("/api/v4/public/orderbook/NO_SUCH").expect(t, 429, tooManyPublic) // the same endpoint
	v.Get("/api/v4/public/orderbook/depth/BTC_USDT").ok(t)
	now.Add(10)
	v.Get(pathBook).ok(t)
}

func TestGateLimitOfTheFirstVersion(t *testing.T) {
	v, _ := limited(t, nil)
	times(t, 1000, func() Reply { return v.Get(pathFirstDepth) })
	v.Get(pathFirstDepth).expect(t, 429, tooManyFirst)
}

// The wallet endpoints share 1,000 requests, and what is refused does nothing.
func TestGateLimitOfTheMainAccount(t *testing.T) {
	v, now := limited(t, nil)
	alice := v.gateClient("alice")
	transfer := Fields{"ticker": "USDT", "amount": "1", "method": "deposit"}
	times(t, 400, func() Reply { return alice.Post(pathBalance, nil) })
	times(t, 400, func() Reply { return alice.Post(pathMoves, nil) })
	times(t, 198, func() Reply { return alice.Post(pathTransfer, transfer) })
	// Also what is refused for another reason counts.
	alice.Post(pathTransfer, nil).expect(t, 400, `{"code":0,"message":"Validation failed","errors":{"ticker":["The ticker field is required."],"amount":["The amount field is required."],"method":["The method field is required."]}}`)
	v.Send("POST", pathTransfer, nil, nil).expect(t, 401, gateError(0, textNotThere))

	body := string(alice.Body(pathTransfer, transfer))
	for range 3 {
		alice.sendAs(pathTransfer, body).expect(t, 429, gateError(0, tooMany))
	}
	alice.Post(pathBalance, nil).expect(t, 429, gateError(0, tooMany))
	v.Get(pathTransfer).expect(t, 429, gateError(0, tooMany)) // whatever the method is
	now.Add(10)
	alice.Post(pathTransfer, transfer).ok(t)
	var balance map[string]struct{ Available string }
	alice.Post(pathTrade, nil).ok(t).Read(t, &balance)
	if got := balance["USDT"].Available; got != "50199" {
		t.Errorf("USDT %s, want 50199", got)
	}
}

func TestGateARequestAboveTheLimitUsesNoNonce(t *testing.T) {
	v, now := limited(t, nil)
	alice := v.gateClient("alice")
	times(t, 10, func() Reply { return alice.Post(pathSocket, nil) })
	body := string(alice.Body(pathSocket, nil))
	alice.sendAs(pathSocket, body).expect(t, 429, gateError(0, tooMany))
	now.Add(60)
	alice.sendAs(pathSocket, body).ok(t)
	alice.sendAs(pathSocket, body).expect(t, 401, gateError(0, textUsed))
}

// forwarded asks for the book as a proxy would that forwards for somebody.
func (v *Venue) forwarded(hops string) Reply {
	v.t.Helper()
	return v.Send("GET", pathBook, map[string]string{"X-Forwarded-For": hops}, nil)
}

func TestGateLimitsBehindAProxy(t *testing.T) {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	t.Run("one that is known", func(t *testing.T) {
		v, _ := limited(t, func(o *exchange.Options) { o.REST.Proxies = loopback })
		times(t, 600, func() Reply { return v.forwarded("198.51.100.7") })
		for _, same := range []string{"198.51.100.7", "1.1.1.1, 198.51.100.7", "198.51.100.7, 10.2.3.4", "::ffff:198.51.100.7"} {
			v.forwarded(same).expect(t, 429, tooManyPublic)
		}
		for _, other := range []string{"198.51.100.8", "198.51.100.7, 198.51.100.9", "2001:db8::1", "garbage", "198.51.100.7, garbage"} {
			v.forwarded(other).ok(t)
		}
		// A customer with IPv6 has a whole network of addresses.
		for i := range 599 {
			v.forwarded(fmt.Sprintf("2001:db8::%x", i+2)).ok(t)
		}
		v.forwarded("2001:db8::ffff").expect(t, 429, tooManyPublic)
		v.forwarded("2001:db8:0:1::1").ok(t)
	})
	t.Run("one that is not", func(t *testing.T) {
		v, _ := limited(t, func(o *exchange.Options) { o.REST.Proxies = loopback[1:] })
		for i := range 600 {
			v.forwarded(fmt.Sprintf("198.51.%d.%d", i/256, i%256)).ok(t)
		}
		v.forwarded("203.0.113.1").expect(t, 429, tooManyPublic)
		v.Get(pathBook).expect(t, 429, tooManyPublic)
	})
	t.Run("a key bound to an address", func(t *testing.T) {
		world := gateWorld(gateAccount("alice", "", gateKey("bound", `,"addresses":["10.1.2.3","2001:db8::5"]`)))
		v := Inside(t, world, func(o *exchange.Options) { o.REST.Proxies = loopback[:1] })
		bound := v.gateClient("bound")
		from := func(hops string) Reply {
			body := bound.Body(pathOrders, nil)
			header := bound.Sign(body)
			header["X-Forwarded-For"] = hops
			return v.Send("POST", pathOrders, header, body)
		}
		for _, hops := range []string{"10.1.2.3", "::ffff:10.1.2.3", "2001:db8::5", "9.9.9.9, 10.1.2.3"} {
			from(hops).ok(t)
		}
		for _, hops := range []string{"10.1.2.4", "10.1.2.3, 9.9.9.9", "2001:db8::6", "", "10.1.2.3,"} {
			from(hops).expect(t, 401, gateError(2, textKeyOff))
		}
	})
}

// The flags of the program. Its windows are those of the clock, so it is asked for more than two
// windows can hold: then one of them was full.
func TestGateLimitFlags(t *testing.T) {
	world := gateWorld(gateAccount("alice", "", gateKey("alice", "")))
	refusedOf := func(v *Venue, requests int) (refused int) {
		alice := v.gateClient("alice")
		for range requests {
			switch r := alice.Post(pathSocket, nil); r.Status {
			case 200:
			case 429:
				refused++
			default:
				t.Fatalf("%d %s", r.Status, r.Body)
			}
		}
		return refused
	}
	for _, c := range []struct {
		flags    []string
		requests int
		some     bool
	}{
		{nil, 21, true},
		{[]string{"--limit-factor", "3"}, 30, false},
		{[]string{"--limit-factor", "3"}, 61, true},
		{[]string{"--no-limits"}, 100, false},
		{[]string{"--trusted", "127.0.0.0/8"}, 100, false},
		{[]string{"--trusted", "10.0.0.0/8"}, 21, true},
	} {
		t.Run(fmt.Sprint(c.flags, c.requests), func(t *testing.T) {
			if refused := refusedOf(Start(t, world, c.flags...), c.requests); (refused > 0) != c.some {
				t.Errorf("%d of %d requests were refused", refused, c.requests)
			}
		})
	}
}
