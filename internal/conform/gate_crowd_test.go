package conform

import (
	"net/http"
	"net/netip"
	"testing"

	"bourse/internal/exchange"
)

const crowdedBody = `{"code":0,"message":"Too many connections from this address.","errors":{}}`

// crowdable is a venue with few connections.
func crowdable(t *testing.T, most, each int, change func(*exchange.Options)) *Venue {
	return Inside(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), func(o *exchange.Options) {
		o.REST.Unlimited, o.REST.Connections, o.REST.PerAddress = false, most, each
		if change != nil {
			change(o)
		}
	})
}

func (c *raw) ping() Reply {
	c.t.Helper()
	c.write("GET " + pathPing + " " + publicHeader + "\r\n")
	return c.read("GET")
}

// An address has so many connections, and when it closes one it may open another.
func TestGateConnectionsOfAnAddress(t *testing.T) {
	v := crowdable(t, 100, 3, nil)
	open := []*raw{v.dial(t), v.dial(t), v.dial(t)}
	for _, c := range open {
		c.ping().expect(t, 200, pong)
	}
	many := v.dial(t)
	r := many.ping()
	if r.expect(t, 503, crowdedBody); r.Header.Get("Connection") != "close" {
		t.Errorf("headers %v", r.Header)
	}
	many.ended()
	for _, c := range open { // nothing happened to them
		c.ping().expect(t, 200, pong)
	}
	open[0].Close()
	for again := v.dial(t); ; again = v.dial(t) { // until the server has seen that one is closed
		if r := again.ping(); r.Status == 200 {
			break
		}
	}
}

// When there are few places left, an address gets no more than are left for others.
func TestGateConnectionsLeaveRoom(t *testing.T) {
	v := crowdable(t, 8, 8, nil)
	for range 4 {
		v.dial(t).ping().expect(t, 200, pong)
	}
	v.dial(t).ping().expect(t, 503, crowdedBody)
}

// Trusted addresses have as many as there are.
func TestGateConnectionsOfTheTrusted(t *testing.T) {
	v := crowdable(t, 8, 1, func(o *exchange.Options) { o.REST.Trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	for range 8 {
		v.dial(t).ping().expect(t, 200, pong)
	}
}

// WebSockets count too, also those that come through a proxy: for the client behind it.
func TestGateConnectionsThroughAProxy(t *testing.T) {
	v := crowdable(t, 100, 2, func(o *exchange.Options) { o.REST.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	open := func(client string) *raw {
		c := v.dial(t)
		c.write("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-Forwarded-For: " + client + "\r\n\r\n")
		return c
	}
	accepted := func(c *raw) {
		t.Helper()
		response, err := http.ReadResponse(c.reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != 101 {
			t.Errorf("status %d", response.StatusCode)
		}
	}
	one := open("10.0.0.1")
	accepted(one)
	accepted(open("10.0.0.1"))
	open("10.0.0.1").read("GET").expect(t, 503, crowdedBody)
	accepted(open("10.0.0.2"))
	accepted(open("2001:db8::1"))
	accepted(open("2001:db8::2"))
	open("2001:db8::3").read("GET").expect(t, 503, crowdedBody)
	for range 5 { // the proxy itself has no limit
		v.dial(t).ping().expect(t, 200, pong)
	}
	one.Close()
	for { // until the server has seen that
		again := open("10.0.0.1")
		response, err := http.ReadResponse(again.reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode == 101 {
			break
		}
	}
}
