package siege

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// cut is how long the exchange may take to be done with a request that does not keep what it declares;
// its own limit is ten seconds.
const cut = 30 * time.Second

// brokenRequests are bytes that are no request, or not the one that they say.
func brokenRequests() []string {
	const order, ping = "POST /api/v4/order/new HTTP/1.1\r\nHost: x\r\n", "GET /api/v4/public/ping HTTP/1.1\r\nHost: x\r\n"
	return []string{
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "\x00\x00\x00\x00\r\n\r\n", "\r\n\r\n\r\nhello\r\n\r\n", strings.Repeat("G", 100_000),
		"GET\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n", "GET /api/v4/public/ping HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		ping + "Content-Length: -1\r\n\r\n", ping + "Content-Length: 99999999999999999999\r\n\r\n", ping + "Host: y\x00\r\n\r\n",
		order + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", order + "Transfer-Encoding: identity\r\n\r\n{}",
		order + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", order + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
		order + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\nx\r\n", 40_000) + "0\r\n\r\n",
		order + "Content-Length: 28673\r\n\r\n" + strings.Repeat("x", 28673),
		order + "Content-Length: 2\r\n\r\n{}and then some more that nobody declared\r\n\r\n",
		ping + "X-Long: " + strings.Repeat("y", 60<<10) + "\r\n\r\n", ping + strings.Repeat("X-Many: y\r\n", 10_000) + "\r\n",
		order + "X-TXC-APIKEY: " + strings.Repeat("k", 30<<10) + "\r\nX-TXC-PAYLOAD: x\r\nX-TXC-SIGNATURE: y\r\nContent-Length: 2\r\n\r\n{}",
		order + "X-TXC-APIKEY: trader0\r\nX-TXC-PAYLOAD: \xff\xfe\r\nX-TXC-SIGNATURE: \x80\r\nContent-Length: 2\r\n\r\n{}",
		"GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		"GET /api/v4/public/orderbook/" + strings.Repeat("%2e%2e%2f", 3000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
	}
}

// shortRequests declare more than they send.
func shortRequests() []string {
	return []string{
		"POST /api/v4/order/new HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{}",
		"POST /api/v4/order/new HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc",
		"GET /api/v4/public/ping HTTP/1.1\r\nHost",
	}
}

func broken(s *Siege) {
	v := s.start()
	s.beside(v, func() {
		all := brokenRequests()
		s.repeat(attackers, max(len(all), s.size(0, 5000)), 500, func(_, i int) { s.raw(v.Address(), all[i%len(all)], false) })
		// The end of the sending side is the end of the request.
		short := shortRequests()
		s.repeat(attackers, s.size(len(short), 500), 100, func(_, i int) { s.raw(v.Address(), short[i%len(short)], true) })
	})
	s.alive(v)
	s.end(v)
}

// raw sends bytes and holds the exchange to answers that are no faults, and to an end of them.
func (s *Siege) raw(address, text string, half bool) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		s.Errorf("a new connection: %v", err)
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(cut))
	// A refusal may come, and the connection end, before everything is sent.
	_, _ = io.WriteString(conn, text)
	if half || !strings.HasSuffix(text, "G") {
		_ = conn.(*net.TCPConn).CloseWrite()
	}
	reader := bufio.NewReader(conn)
	for {
		response, err := http.ReadResponse(reader, nil)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			s.Errorf("%.80q was not answered and not cut off", text)
		}
		if err != nil {
			return
		}
		if response.StatusCode >= http.StatusInternalServerError && response.StatusCode != http.StatusHTTPVersionNotSupported {
			s.Errorf("%.80q was answered with %d", text, response.StatusCode)
		}
		_, _ = io.Copy(io.Discard, response.Body)
	}
}
