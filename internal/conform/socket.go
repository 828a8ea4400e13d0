package conform

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// Socket is a client over WebSocket.
type Socket struct {
	Conn   net.Conn
	t      testing.TB
	reader *bufio.Reader
	ids    atomic.Int64
	// pushes came while a reply was waited for.
	pushes []Push
	asked  asked
}

// Push is what the server says by itself.
type Push struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Answer is a reply.
type Answer struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// socketTime is how long a test waits for a frame before it fails.
const socketTime = time.Minute

// Socket opens a WebSocket.
func (v *Venue) Socket() *Socket {
	v.t.Helper()
	d := ws.Dialer{Timeout: socketTime}
	conn, early, _, err := d.Dial(v.t.Context(), strings.Replace(v.URL, "http", "ws", 1)+"/ws")
	if err != nil {
		v.t.Fatal(err)
	}
	if early == nil {
		early = bufio.NewReader(conn)
	}
	s := &Socket{Conn: conn, t: v.t, reader: early}
	v.t.Cleanup(func() { _ = conn.Close() })
	return s
}

// Authorized opens a WebSocket for a client.
func (c *Client) Authorized() *Socket {
	c.venue.t.Helper()
	s := c.venue.Socket()
	var token struct {
		Token string `json:"websocket_token"`
	}
	c.Post("/api/v4/profile/websocket_token", nil).Read(c.venue.t, &token)
	s.Must("authorize", token.Token, "public")
	return s
}

// Send sends a text as it is.
func (s *Socket) Send(text string) {
	s.t.Helper()
	s.asked.note(text)
	if err := wsutil.WriteClientText(s.Conn, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

// Next is the next message of the server, as a text. It must follow the AsyncAPI document.
func (s *Socket) Next() string {
	s.t.Helper()
	if err := s.Conn.SetReadDeadline(time.Now().Add(socketTime)); err != nil {
		s.t.Fatal(err)
	}
	for {
		h, err := ws.ReadHeader(s.reader)
		if err != nil {
			s.t.Fatalf("the server said nothing: %v", err)
		}
		payload := make([]byte, h.Length)
		if _, err := readFull(s.reader, payload); err != nil {
			s.t.Fatal(err)
		}
		switch {
		case h.OpCode == ws.OpText && h.Fin && !h.Masked:
			if err := s.asked.holds(string(payload)); err != nil {
				s.t.Errorf("%s\ndoes not follow the document: %v", payload, err)
			}
			return string(payload)
		case h.OpCode == ws.OpClose:
			code, reason := ws.ParseCloseFrameData(payload)
			s.t.Fatalf("the server closed with %d %s", code, reason)
		default:
			s.t.Fatalf("the server sent a frame %+v", h)
		}
	}
}

func readFull(r *bufio.Reader, into []byte) (n int, err error) {
	for n < len(into) && err == nil {
		var more int
		more, err = r.Read(into[n:])
		n += more
	}
	return n, err
}

// Ask sends a request and returns its reply. Pushes that come before it are kept.
func (s *Socket) Ask(method string, params ...any) Answer {
	s.t.Helper()
	id := s.ids.Add(1)
	if params == nil {
		params = []any{}
	}
	text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err != nil {
		s.t.Fatal(err)
	}
	s.Send(string(text))
	for {
		message := s.Next()
		var a Answer
		if p, is := push(message); is {
			s.pushes = append(s.pushes, p)
			continue
		}
		if err := json.Unmarshal([]byte(message), &a); err != nil {
			s.t.Fatalf("%s: %v", message, err)
		}
		if string(a.ID) == fmt.Sprint(id) {
			return a
		}
		s.t.Fatalf("a reply to nothing: %s", message)
	}
}

// push reads a push. One that has a result or an error is none.
func push(message string) (p Push, is bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(message), &members) != nil || members["method"] == nil {
		return p, false
	}
	_ = json.Unmarshal([]byte(message), &p)
	return p, members["result"] == nil && members["error"] == nil && string(members["id"]) == "null"
}

// Must is the result of a request that must succeed.
func (s *Socket) Must(method string, params ...any) string {
	s.t.Helper()
	a := s.Ask(method, params...)
	if a.Error != nil {
		s.t.Fatalf("%s %v: %d %s", method, params, a.Error.Code, a.Error.Message)
	}
	return string(a.Result)
}

// Refused holds a request to an error.
func (s *Socket) Refused(code int, message, method string, params ...any) {
	s.t.Helper()
	a := s.Ask(method, params...)
	if a.Error == nil || a.Error.Code != code || a.Error.Message != message || !bytes.Equal(a.Result, []byte("null")) {
		s.t.Errorf("%s %v: %s %+v, want %d %s", method, params, a.Result, a.Error, code, message)
	}
}

// Pushed is the next push of a method; others that come before it are kept.
func (s *Socket) Pushed(method string) string {
	s.t.Helper()
	for i, p := range s.pushes {
		if p.Method == method {
			s.pushes = append(s.pushes[:i:i], s.pushes[i+1:]...)
			return string(p.Params)
		}
	}
	for {
		message := s.Next()
		p, is := push(message)
		if !is {
			s.t.Fatalf("not a push: %s", message)
		}
		if p.Method == method {
			return string(p.Params)
		}
		s.pushes = append(s.pushes, p)
	}
}

// Handshake sends a request for a WebSocket and returns the answer; for those that are refused.
func (v *Venue) Handshake(change func(http.Header)) Reply {
	v.t.Helper()
	header := http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
	}
	change(header)
	flat := map[string]string{}
	for name, values := range header {
		flat[name] = values[0]
	}
	return v.Send("GET", "/ws", flat, nil)
}
