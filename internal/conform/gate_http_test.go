package conform

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"bourse/internal/exchange"
)

// Whatever comes, the answer is JSON in the shape of its surface, and the exchange goes on.

const (
	notFound     = "Not Found"
	notFoundV4   = `{"success":false,"message":"Not Found","errors":[]}`
	notFoundV1   = `{"success":false,"message":"Not Found","params":[]}`
	publicHeader = "HTTP/1.1\r\nHost: bourse\r\n"
)

func TestGateSpeaksHTTP(t *testing.T) {
	v := Start(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), "--no-limits")
	alice := v.gateClient("alice")

	t.Run("paths that are not there", func(t *testing.T) {
		for path, want := range map[string]string{
			"/index.html":                                  gateError(0, notFound),
			"/api":                                         gateError(0, notFound),
			"/api/v4":                                      gateError(0, notFound),
			"/api/v4/":                                     gateError(0, notFound),
			"/api/v4/nothing":                              gateError(0, notFound),
			"/api/v5/public/ping":                          gateError(0, notFound),
			"/api/v4/order/new/":                           gateError(0, notFound),
			"/API/V4/public/ping":                          gateError(0, notFound),
			"/api/v4/public":                               gateError(0, notFound),
			"/api/v4/public/":                              notFoundV4,
			"/api/v4/public/nothing":                       notFoundV4,
			"/api/v4/public/ping/":                         notFoundV4,
			"/api/v4/public/Ping":                          notFoundV4,
			"/api/v4/public/orderbook":                     notFoundV4,
			"/api/v4/public/orderbook/":                    notFoundV4,
			"/api/v4/public/orderbook/depth/":              notFoundV4,
			"/api/v4/public/orderbook/a/b":                 notFoundV4,
			"/api/v4/public/orderbook/depth/a/b":           notFoundV4,
			"/api/v4/public/trades/BTC_USDT/":              notFoundV4,
			"/api/v4/public/orderbook//BTC_USDT":           notFoundV4,
			"/api/v1/":                                     notFoundV1,
			"/api/v1/public/nothing":                       notFoundV1,
			"/api/v1/order/new":                            notFoundV1,
			"//api/v4/public/ping":                         gateError(0, notFound),
			"/api//v4/public/ping":                         gateError(0, notFound),
			"/api/v4//public/ping":                         gateError(0, notFound),
			"/api/v4/public//ping":                         notFoundV4,
			"/api/v4/./public/ping":                        gateError(0, notFound),
			"/api/v4/public/../public/ping":                notFoundV4,
			"/api/v4/public/trades/../ping":                notFoundV4,
			"/api/v4/public/%70ing":                        notFoundV4,
			"/api/v4/public%2Fping":                        gateError(0, notFound),
			"/%61pi/v4/public/ping":                        gateError(0, notFound),
			"/api/v4/public/trades%2FBTC_USDT":             notFoundV4,
			"/api/v4/public/ping%00":                       notFoundV4,
			"/api/v4/public/ping%":                         notFoundV4,
			"/api/v4/public/ping;x=1":                      notFoundV4,
			"/api/v4/public/" + strings.Repeat("a", 30000): notFoundV4,
		} {
			c := v.dial(t)
			c.write("GET " + path + " " + publicHeader + "\r\n")
			if r := c.read("GET"); r.Status != 404 || r.Body != want {
				t.Errorf("%.60s: %d %s, want %s", path, r.Status, r.Body, want)
			}
		}
	})
	t.Run("a market with another one behind an escaped slash", func(t *testing.T) {
		c := v.dial(t)
		c.write("GET /api/v4/public/trades/x%2F..%2FBTC_USDT " + publicHeader + "\r\n")
		const text = "Market is not available."
		c.read("GET").expect(t, 422, `{"success":false,"message":"`+text+`","errors":["`+text+`"],"market":["`+text+`"]}`)
	})
	t.Run("a signature is for the path as it was sent", func(t *testing.T) {
		body := alice.Body(pathBalance, nil)
		v.Send("POST", "/api/v4//main-account/balance", alice.Sign(body), body).expect(t, 404, gateError(0, notFound))
		body = alice.Body(pathBalance, nil)
		v.Send("POST", pathBalance+"?x=1#y", alice.Sign(body), body).ok(t)
	})
	t.Run("forms of the target that are fine", func(t *testing.T) {
		for _, line := range []string{
			"GET http://bourse/api/v4/public/ping HTTP/1.1", "GET http://127.0.0.1:1/api/v4/public/ping HTTP/1.1",
			"GET /api/v4/public/ping? HTTP/1.1", "GET /api/v4/public/ping?a=%zz&&=&b HTTP/1.1", "GET /api/v4/public/ping#x HTTP/1.1",
		} {
			c := v.dial(t)
			c.write(line + "\r\nHost: bourse\r\n\r\n")
			c.read("GET").expect(t, 200, pong)
		}
	})
	t.Run("HTTP/1.0", func(t *testing.T) {
		c := v.dial(t)
		c.write("GET " + pathPing + " HTTP/1.0\r\n\r\n")
		c.read("GET").expect(t, 200, pong)
		c.ended()
	})
	t.Run("HEAD and OPTIONS", func(t *testing.T) {
		c := v.dial(t)
		c.write("HEAD " + pathPing + " " + publicHeader + "\r\nOPTIONS * " + publicHeader + "\r\nGET " + pathPing + " " + publicHeader + "\r\n")
		if r := c.read("HEAD"); r.Status != 200 || r.Body != "" || r.Header.Get("Content-Length") != strconv.Itoa(len(pong)) || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("HEAD: %+v", r)
		}
		c.read("OPTIONS").expect(t, 404, gateError(0, notFound))
		c.read("GET").expect(t, 200, pong)
	})
	t.Run("requests one behind the other are answered in order", func(t *testing.T) {
		c := v.dial(t)
		var all strings.Builder
		for i := range 200 {
			fmt.Fprintf(&all, "GET /api/v4/public/trades/NO_%d %s\r\n", i, publicHeader)
			body := alice.Body(pathBalance, Fields{"ticker": fmt.Sprint("T", i)})
			fmt.Fprintf(&all, "POST %s %sContent-Length: %d\r\n", pathBalance, publicHeader, len(body))
			for name, value := range alice.Sign(body) {
				fmt.Fprintf(&all, "%s: %s\r\n", name, value)
			}
			fmt.Fprintf(&all, "\r\n%s", body)
		}
		go func() { _, _ = io.WriteString(c, all.String()) }() // answers would fill the way back
		for i := range 200 {
			if r := c.read("GET"); r.Status != 422 {
				t.Fatalf("%d: %d %s", i, r.Status, r.Body)
			}
			c.read("POST").expect(t, 200, fmt.Sprintf(`{"T%d":{"main_balance":"0","pending_deposit_amount":"0"}}`, i))
		}
	})

	// What cannot be read is answered, and the connection closed: nobody knows where the next
	// request begins.
	const unread = "Bad Request"
	for _, broken := range []struct {
		name, text string
		status     int
		body       string
	}{
		{"garbage", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, gateError(0, unread)},
		{"a line of words", "please give me money\r\n\r\n", 400, gateError(0, unread)},
		{"one word", "hello\r\n\r\n", 400, gateError(0, unread)},
		{"no version", "GET " + pathPing + "\r\n\r\n", 400, gateError(0, unread)},
		{"another version", "GET " + pathPing + " HTTP/3.7\r\nHost: x\r\n\r\n", 505, `{"success":false,"message":"HTTP Version Not Supported","errors":[]}`},
		{"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\n", 505, gateError(0, "HTTP Version Not Supported")},
		{"a header without a colon", "GET " + pathPing + " HTTP/1.1\r\nHost bourse\r\n\r\n", 400, gateError(0, unread)},
		{"a header with a space before its colon", "GET " + pathPing + " HTTP/1.1\r\nHost : bourse\r\n\r\n", 400, gateError(0, unread)},
		{"a length that is none", "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n", 400, gateError(0, unread)},
		{"a negative length", "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400, gateError(0, unread)},
		{"two lengths", "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400, gateError(0, unread)},
		{"a length and chunks", "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\ncontent-length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 401, gateError(0, textNotThere)},
		{"an encoding that is none", "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n{}", 400, gateError(0, unread)},
		{"an encoding that is none, and a length", "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\ncontent-length: 2\r\ntransfer-encoding: Identity\r\n\r\n{}", 400, gateError(0, unread)},
		{"an encoding that nobody knows", "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400, gateError(0, unread)},
		{"a chunk of no size", "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, gateError(0, unread)},
		{"a body too large", "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\nContent-Length: 28673\r\n\r\n", 413, gateError(0, "Payload Too Large")},
		{"a body of 4 GB", "POST /api/v4/public/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 4294967296\r\n\r\n", 413, `{"success":false,"message":"Payload Too Large","errors":[]}`},
		{"chunks too large", "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1000\r\n"+strings.Repeat("x", 4096)+"\r\n", 8), 413, gateError(0, "Payload Too Large")},
		{"headers too large", "GET " + pathPing + " HTTP/1.1\r\nHost: x\r\nX-Long: " + strings.Repeat("y", 100_000) + "\r\n\r\n", 431, gateError(0, "Request Header Fields Too Large")},
		{"too many headers", "GET " + pathPing + " HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X-Many: y\r\n", 10_000) + "\r\n", 431, gateError(0, "Request Header Fields Too Large")},
		{"an endless line", strings.Repeat("G", 100_000), 431, gateError(0, "Request Header Fields Too Large")},
	} {
		t.Run(broken.name, func(t *testing.T) {
			c := v.dial(t)
			c.write(broken.text)
			r := c.read("GET")
			r.expect(t, broken.status, broken.body)
			if r.Header.Get("Connection") != "close" {
				t.Error("the answer does not say that the connection is closed")
			}
			c.ended()
		})
	}
	t.Run("the largest body", func(t *testing.T) {
		body := string(alice.Body(pathBalance, nil))
		body = body[:len(body)-1] + strings.Repeat(" ", 28<<10-len(body)) + "}"
		alice.sendAs(pathBalance, body).ok(t)
	})
	t.Run("an answer to what was said before a mistake", func(t *testing.T) {
		c := v.dial(t)
		c.write("GET " + pathPing + " " + publicHeader + "\r\nnonsense\r\n\r\n")
		c.read("GET").expect(t, 200, pong)
		c.read("GET").expect(t, 400, gateError(0, unread))
		c.ended()
	})
	v.Get(pathPing).expect(t, 200, pong)
}

func TestGateClientsThatTakeTheirTime(t *testing.T) {
	v := Inside(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), func(o *exchange.Options) {
		o.REST.ReadTimeout, o.REST.WriteTimeout, o.REST.IdleTimeout = 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond
	})
	for name, sent := range map[string]string{
		"nothing":        "",
		"half a line":    "GET /api/v4/pu",
		"half of a head": "GET " + pathPing + " HTTP/1.1\r\nHost: x\r\n",
		"half of a body": "POST " + pathOrder + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
	} {
		t.Run(name, func(t *testing.T) {
			c := v.dial(t)
			c.write(sent)
			c.read("GET").expect(t, 408, gateError(0, "Request Timeout"))
			c.ended()
		})
	}
	t.Run("nothing after an answer", func(t *testing.T) {
		c := v.dial(t)
		c.write("GET " + pathPing + " " + publicHeader + "\r\n")
		c.read("GET").expect(t, 200, pong)
		c.ended()
	})
	t.Run("one that never reads", func(t *testing.T) {
		c := v.dial(t)
		if err := c.Conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		request := strings.Repeat("GET /api/v4/public/assets "+publicHeader+"\r\n", 100)
		for {
			// The answers find no way out, the requests then no way in, and the exchange gives up.
			if _, err := io.WriteString(c, request); err != nil {
				break
			}
		}
	})
	v.Get(pathPing).expect(t, 200, pong)
}

// When all connections are in use, the next one waits for its turn.
func TestGateConnectionsWaitForRoom(t *testing.T) {
	v := Inside(t, gateWorld(), func(o *exchange.Options) { o.REST.Connections = 2 })
	ask := func(c *raw) { c.write("GET " + pathPing + " " + publicHeader + "\r\n") }
	one, two := v.dial(t), v.dial(t)
	ask(one)
	one.read("GET").expect(t, 200, pong)
	ask(two)
	two.read("GET").expect(t, 200, pong)
	three := v.dial(t)
	ask(three)
	ask(one)
	one.read("GET").expect(t, 200, pong)
	one.Close()
	three.read("GET").expect(t, 200, pong)
}

func TestGateAnswersHaveTheirHeaders(t *testing.T) {
	v := Inside(t, gateWorld(), nil)
	for _, path := range []string{pathPing, "/api/v4/public/nothing"} {
		r := v.Get(path)
		if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Server") != "bourse" || r.Header.Get("Date") == "" {
			t.Errorf("%s: %v", path, r.Header)
		}
		if _, err := http.ParseTime(r.Header.Get("Date")); err != nil {
			t.Error(err)
		}
	}
}
