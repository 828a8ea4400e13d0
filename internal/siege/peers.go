package siege

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"bourse/internal/conform"
)

var peers = []Attack{
	{"peer.slow", "connections that send their headers byte by byte hold nobody up, and are cut off", slowSenders},
	{"peer.deaf", "clients that ask and never read cost a bounded amount of memory", deafReaders},
	{"peer.crowd", "an address has so many connections and no more; another address gets in", crowds},
	{"peer.churn", "connections that come and go at once hold nobody up", churn},
	{"peer.subscribe", "subscriptions that are made and made again hold nobody up", subscribers},
}

// from opens a connection from an address of loopback, which a server cannot tell from another machine.
func (s *Siege) from(address string, v *conform.Venue) (net.Conn, error) {
	d := net.Dialer{Timeout: timeout, LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	conn, err := d.Dial("tcp", v.Address())
	if err == nil {
		s.Cleanup(func() { conn.Close() })
	}
	return conn, err
}

const ping = "GET /api/v4/public/ping HTTP/1.1\r\nHost: x\r\n\r\n"

func slowSenders(s *Siege) {
	v := s.start()
	var open []net.Conn
	for range s.size(50, 500) {
		conn, err := s.from("127.0.0.1", v)
		s.must(err)
		_, err = io.WriteString(conn, "GET /api/v4/public/ping HTTP/1.1\r\n")
		s.must(err)
		open = append(open, conn)
	}
	s.beside(v, func() {
		s.flood(1, 500, func(_, i int) {
			_, _ = io.WriteString(open[i%len(open)], []string{"X", ":", "y", "\r\n"}[i/len(open)%4]) // it may be cut off already
		})
	})
	if s.Long { // the exchange gives up after ten seconds
		for _, conn := range open {
			_ = conn.SetReadDeadline(time.Now().Add(timeout))
			if _, err := io.Copy(io.Discard, conn); os.IsTimeout(err) {
				s.Error("a connection was not cut off")
			}
		}
	}
	s.end(v)
}

// socket opens a WebSocket that has a small buffer for what comes in.
func (s *Siege) socket(v *conform.Venue) net.Conn {
	s.Helper()
	conn, _, _, err := ws.Dialer{Timeout: timeout, NetDial: func(_ context.Context, _, address string) (net.Conn, error) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		}
		return conn, err
	}}.Dial(context.Background(), strings.Replace(v.URL, "http", "ws", 1)+"/ws")
	s.must(err)
	s.Cleanup(func() { conn.Close() })
	return conn
}

// deafReaders ask for large answers over sockets and over HTTP, and listen to a busy book, and never
// read a byte. What cannot be sent either waits in bounded room or ends the connection.
func deafReaders(s *Siege) {
	v := s.start()
	s.fill(v, 500, func(i int) conform.Fields { return resting("sell", 1000+i) })
	count := s.size(10, 100)
	var sockets, plain []net.Conn
	for range count {
		sockets = append(sockets, s.socket(v))
		conn, err := s.from("127.0.0.1", v)
		s.must(err)
		s.must(conn.(*net.TCPConn).SetReadBuffer(4 << 10))
		plain = append(plain, conn)
	}
	for _, conn := range sockets {
		s.must(wsutil.WriteClientText(conn, []byte(`{"id":1,"method":"depth_subscribe","params":["`+attacked+`",100,"0",true]}`)))
	}
	before, cut := v.Memory(), 0
	asked := []byte(strings.Repeat("GET /api/v4/public/orderbook/"+attacked+" HTTP/1.1\r\nHost: x\r\n\r\n", 10))
	s.beside(v, func() {
		var mu sync.Mutex
		s.flood(2, 1000, func(w, i int) {
			conn := plain[i/2%count]
			_ = conn.SetWriteDeadline(time.Now().Add(time.Millisecond))
			var err error
			if w == 0 {
				conn = sockets[i/2%count]
				_ = conn.SetWriteDeadline(time.Now().Add(time.Millisecond))
				err = wsutil.WriteClientText(conn, []byte(`{"id":1,"method":"depth_request","params":["`+attacked+`",100,"0"]}`))
			} else {
				_, err = conn.Write(asked)
			}
			if err != nil && !os.IsTimeout(err) {
				mu.Lock()
				cut++
				mu.Unlock()
			}
		})
	})
	const each, slack = 4 << 20, 512 << 20
	after := v.Memory()
	if most := before + 2*count*each + slack; after > most {
		s.Errorf("the program has %d MB, and had %d MB before", after>>20, before>>20)
	}
	s.note("memory %d MB before and %d MB after; %d writes failed", before>>20, after>>20, cut)
	s.end(v)
}

func crowds(s *Siege) {
	most := s.size(64, 4096)
	v := conform.Start(s.TB, s.world(nil), "--limit-factor", "1000", "--connections-per-address", fmt.Sprint(most))
	extra := s.size(64, 500)
	s.beside(v, func() {
		s.repeat(1, most+extra, 1000, func(_, i int) {
			conn, err := s.from("127.0.0.2", v)
			if err != nil {
				s.Error(err)
				return
			}
			_ = conn.SetDeadline(time.Now().Add(timeout))
			_, _ = io.WriteString(conn, ping) // it may be closed already
			status := 0
			if response, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
				status = response.StatusCode
				response.Body.Close()
			}
			// One too many is answered, as long as there are few of them, or just closed.
			if i < most && status != http.StatusOK || i >= most && status != http.StatusServiceUnavailable && status != 0 {
				s.Errorf("connection %d was answered with %d", i+1, status)
			}
		})
	})
	s.end(v)
}

func churn(s *Siege) {
	v := s.start()
	s.beside(v, func() {
		s.flood(attackers, 500, func(_, i int) {
			conn, err := net.Dial("tcp", v.Address())
			if err != nil {
				s.Error(err)
				return
			}
			defer conn.Close()
			switch i % 4 {
			case 0: // nothing at all
			case 1:
				_, _ = io.WriteString(conn, ping[:10])
			case 2: // gone before the answer
				_, _ = io.WriteString(conn, ping)
			default: // and without a farewell
				_, _ = io.WriteString(conn, ping)
				_ = conn.(*net.TCPConn).SetLinger(0)
			}
		})
	})
	s.end(v)
}

// subscribers subscribe to everything again and again, while a trader moves the book.
func subscribers(s *Siege) {
	v := s.start()
	s.fill(v, 500, func(i int) conform.Fields { return resting("sell", 1000+i) })
	params := map[string]string{
		"depth": `["` + attacked + `",100,"0",true]`, "trades": `["` + attacked + `"]`, "lastprice": `["` + attacked + `"]`, "market": `["` + attacked + `"]`,
		"marketToday": `["` + attacked + `"]`, "bookTicker": `["` + attacked + `"]`, "candles": `["` + attacked + `",60]`,
	}
	var messages []string
	for _, way := range []string{"_subscribe", "_subscribe", "_unsubscribe"} {
		for name, p := range params {
			messages = append(messages, fmt.Sprintf(`{"id":1,"method":"%s%s","params":%s}`, name, way, p))
		}
	}
	var sockets []net.Conn
	for range s.size(10, 200) {
		conn := s.socket(v)
		go func() { _, _ = io.Copy(io.Discard, conn) }()
		sockets = append(sockets, conn)
	}
	c := s.client(v, trader(0))
	s.beside(v, func() {
		var all sync.WaitGroup
		all.Go(func() {
			s.flood(1, 50, func(_, i int) {
				if _, err := c.limit(attacked, "buy", "1", fmt.Sprint(100+i%100), ""); err != nil {
					s.Error(err)
				}
			})
		})
		s.flood(1, 500, func(_, i int) {
			if err := wsutil.WriteClientText(sockets[i%len(sockets)], []byte(messages[i/len(sockets)%len(messages)])); err != nil {
				s.Errorf("a socket that reads was cut off: %v", err)
			}
		})
		all.Wait()
	})
	s.end(v)
}
