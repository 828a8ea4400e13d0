package conform

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"bourse/internal/exchange"
	"bourse/internal/schema"
)

// The protocol below the methods: how a socket is opened, what frames it takes, and how it ends.

func TestSocketHandshake(t *testing.T) {
	v := Inside(t, socketWorld, nil)
	const (
		noUpgrade = "This is a WebSocket: send Connection: Upgrade and Upgrade: websocket."
		version   = "Version 13 of the WebSocket protocol is spoken here."
		key       = "Sec-WebSocket-Key must be 16 bytes in base64."
	)
	for _, c := range []struct {
		name, value string
		status      int
		message     string
	}{
		{"Upgrade", "", 426, noUpgrade},
		{"Upgrade", "h2c", 426, noUpgrade},
		{"Connection", "", 426, noUpgrade},
		{"Connection", "keep-alive", 426, noUpgrade},
		{"Sec-WebSocket-Version", "", 426, version},
		{"Sec-WebSocket-Version", "8", 426, version},
		{"Sec-WebSocket-Key", "", 400, key},
		{"Sec-WebSocket-Key", "not base64", 400, key},
		{"Sec-WebSocket-Key", "c2hvcnQ=", 400, key},
	} {
		r := v.Handshake(func(h http.Header) {
			if h.Set(c.name, c.value); c.value == "" {
				h.Del(c.name)
			}
		})
		if r.Status != c.status || r.Body != gateError(0, c.message) || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %q is answered with %d %s", c.name, c.value, r.Status, r.Body)
		}
		if r.Status == 426 && (r.Header.Get("Upgrade") != "websocket" || r.Header.Get("Sec-WebSocket-Version") != "13") {
			t.Errorf("%s: %q: the answer does not say how to ask: %v", c.name, c.value, r.Header)
		}
	}
	for _, method := range []string{"POST", "PUT", "OPTIONS"} {
		r := v.Send(method, "/ws", nil, nil)
		if r.Status != 405 || r.Body != gateError(0, "A WebSocket is opened with GET.") || r.Header.Get("Allow") != "GET" {
			t.Errorf("%s: %d %s", method, r.Status, r.Body)
		}
	}
	if r := v.Send("HEAD", "/ws", nil, nil); r.Status != 405 {
		t.Errorf("HEAD: %d", r.Status)
	}
	if got := v.upgrade(t, "HTTP/1.0", ""); !strings.HasPrefix(got.status, "HTTP/1.1 400") {
		t.Errorf("HTTP/1.0: %s", got.status)
	}
	// What clients offer beyond the protocol itself is not taken up; lists and cases do not matter.
	got := v.upgrade(t, "HTTP/1.1", "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\nSec-WebSocket-Protocol: chat\r\n"+
		"Origin: https://example.com\r\n")
	if got.status != "HTTP/1.1 101 Switching Protocols" {
		t.Fatal(got.status)
	}
	want := http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Accept": {"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="}}
	if fmt.Sprint(got.header) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got.header, want)
	}
}

// upgraded is the answer to a request for a WebSocket, as it came.
type upgraded struct {
	status string
	header http.Header
}

func (v *Venue) upgrade(t *testing.T, version, more string) upgraded {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(v.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(socketTime))
	fmt.Fprintf(c, "GET /ws %s\r\nHost: x\r\nConnection: keep-alive, UPGRADE\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", version, more)
	r := bufio.NewReader(c)
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return upgraded{response.Proto + " " + response.Status, response.Header}
}

func TestSocketOpenings(t *testing.T) {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	v, now := limited(t, func(o *exchange.Options) { o.REST.Proxies = loopback })
	from := func(address string, want int) {
		t.Helper()
		// Without an upgrade: what is counted is the attempt.
		if r := v.Send("GET", "/ws", map[string]string{"X-Forwarded-For": address}, nil); r.Status != want {
			t.Fatalf("%s: %d %s", address, r.Status, r.Body)
		}
	}
	for range 1000 {
		from("198.51.100.7", 426)
	}
	from("198.51.100.7", 429)
	if r := v.Send("GET", "/ws", map[string]string{"X-Forwarded-For": "198.51.100.7"}, nil); r.Body != gateError(0, "Too Many Requests") {
		t.Error(r.Body)
	}
	from("198.51.100.8", 426)
	now.Add(60)
	from("198.51.100.7", 426)
}

func TestSocketBudget(t *testing.T) {
	v, now := limited(t, nil)
	s := v.Socket()
	flood := func(count int) (refused int) {
		unanswered := make(chan bool, 1000) // more at once, and a slow reader would be cut off
		go func() {
			for i := range count {
				unanswered <- true
				_ = wsutil.WriteClientText(s.Conn, fmt.Appendf(nil, `{"id":%d,"method":"ping"}`, i))
			}
		}()
		for i := range count {
			got := s.Next()
			<-unanswered
			switch got {
			case fmt.Sprintf(`{"error":null,"result":"pong","id":%d}`, i):
			case fmt.Sprintf(`{"error":{"code":7,"message":"too many requests"},"result":null,"id":%d}`, i):
				refused++
			default:
				t.Fatal(got)
			}
		}
		return refused
	}
	if n := flood(12_100); n != 100 {
		t.Errorf("%d were refused", n)
	}
	if got := v.Socket().Must("ping"); got != `"pong"` {
		t.Errorf("another connection: %s", got)
	}
	now.Add(10)
	if n := flood(10); n != 0 {
		t.Errorf("%d were refused in the next window", n)
	}
}

// frames sends frames as they are.
func (s *Socket) frames(frames ...ws.Frame) {
	s.t.Helper()
	for _, f := range frames {
		if err := ws.WriteFrame(s.Conn, f); err != nil {
			s.t.Fatal(err)
		}
	}
}

func masked(op ws.OpCode, fin bool, payload string) ws.Frame {
	return ws.MaskFrame(ws.NewFrame(op, fin, []byte(payload)))
}

// frame is the next frame of the server.
func (s *Socket) frame() (ws.OpCode, string) {
	s.t.Helper()
	_ = s.Conn.SetReadDeadline(time.Now().Add(socketTime))
	f, err := ws.ReadFrame(s.reader)
	if err != nil {
		s.t.Fatal(err)
	}
	return f.Header.OpCode, string(f.Payload)
}

// closed is the code with which the server closes; 0 when it does so without a word.
func (s *Socket) closed() ws.StatusCode {
	s.t.Helper()
	_ = s.Conn.SetReadDeadline(time.Now().Add(socketTime))
	f, err := ws.ReadFrame(s.reader)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		return 0
	}
	if err != nil || f.Header.OpCode != ws.OpClose {
		s.t.Fatalf("%+v %s: %v", f.Header, f.Payload, err)
	}
	code, _ := ws.ParseCloseFrameData(f.Payload)
	_ = ws.WriteFrame(s.Conn, ws.MaskFrame(ws.NewCloseFrame(nil)))
	_ = s.Conn.Close()
	return code
}

const (
	pingText = `{"id":1,"method":"ping"}`
	pongText = `{"error":null,"result":"pong","id":1}`
)

func TestSocketFragments(t *testing.T) {
	v := Inside(t, socketWorld, nil)
	s := v.Socket()
	s.frames(masked(ws.OpText, false, pingText[:5]), masked(ws.OpPing, true, "are you there"), masked(ws.OpContinuation, false, ""),
		masked(ws.OpContinuation, false, pingText[5:9]), masked(ws.OpPong, true, ""), masked(ws.OpContinuation, true, pingText[9:]))
	if op, text := s.frame(); op != ws.OpPong || text != "are you there" {
		t.Errorf("%v %q", op, text)
	}
	if got := s.Next(); got != pongText {
		t.Error(got)
	}
	// A character may be cut in two.
	text := `{"id":"é","method":"ping"}`
	s.frames(masked(ws.OpText, false, text[:8]), masked(ws.OpContinuation, true, text[8:]))
	if got := s.Next(); got != `{"error":null,"result":"pong","id":"é"}` {
		t.Error(got)
	}
	s.frames(masked(ws.OpPing, true, strings.Repeat("x", 125)), masked(ws.OpPing, true, ""))
	for _, want := range []string{strings.Repeat("x", 125), ""} {
		if op, text := s.frame(); op != ws.OpPong || text != want {
			t.Errorf("%v %q", op, text)
		}
	}
	// As large as can be.
	s.Send(pingText + strings.Repeat(" ", 64<<10-len(pingText)))
	if got := s.Next(); got != pongText {
		t.Error(got)
	}
}

func TestSocketEnds(t *testing.T) {
	v := Inside(t, socketWorld, nil)
	rsv := masked(ws.OpText, true, pingText)
	rsv.Header.Rsv = ws.Rsv(true, false, false)
	large := strings.Repeat(" ", 40<<10)
	const bye, bare = "\x03\xe8bye", ""
	for _, c := range []struct {
		name   string
		frames []ws.Frame
		want   ws.StatusCode
	}{
		{"goodbye", []ws.Frame{masked(ws.OpClose, true, bye)}, 1000},
		{"goodbye without a code", []ws.Frame{masked(ws.OpClose, true, bare)}, 1000},
		{"a code of the client's own", []ws.Frame{masked(ws.OpClose, true, "\x0f\xa0")}, 4000},
		{"a code that came after the RFC", []ws.Frame{masked(ws.OpClose, true, "\x03\xf4")}, 1012},
		{"half a code", []ws.Frame{masked(ws.OpClose, true, "\x03")}, 1002},
		{"a code that nobody may send", []ws.Frame{masked(ws.OpClose, true, "\x03\xed")}, 1002},
		{"a code that there is not", []ws.Frame{masked(ws.OpClose, true, "\x13\x88")}, 1002},
		{"a reason that is no text", []ws.Frame{masked(ws.OpClose, true, "\x03\xe8\xff")}, 1002},
		{"no mask", []ws.Frame{ws.NewTextFrame([]byte(pingText))}, 1002},
		{"reserved bits", []ws.Frame{rsv}, 1002},
		{"a reserved kind of data", []ws.Frame{masked(3, true, "")}, 1002},
		{"a reserved kind of control", []ws.Frame{masked(11, true, "")}, 1002},
		{"a long ping", []ws.Frame{masked(ws.OpPing, true, strings.Repeat("x", 126))}, 1002},
		{"a ping in parts", []ws.Frame{masked(ws.OpPing, false, "x")}, 1002},
		{"a part of nothing", []ws.Frame{masked(ws.OpContinuation, true, "x")}, 1002},
		{"two messages mixed", []ws.Frame{masked(ws.OpText, false, "{"), masked(ws.OpText, true, "}")}, 1002},
		{"binary", []ws.Frame{masked(ws.OpBinary, true, pingText)}, 1003},
		{"too large", []ws.Frame{masked(ws.OpText, true, strings.Repeat(" ", 64<<10+1))}, 1009},
		{"too large in parts", []ws.Frame{masked(ws.OpText, false, large), masked(ws.OpContinuation, true, large)}, 1009},
		{"no UTF-8", []ws.Frame{masked(ws.OpText, true, "{\"id\":\"\xff\"}")}, 1007},
		{"no JSON", []ws.Frame{masked(ws.OpText, true, "hello")}, 0},
		{"two values", []ws.Frame{masked(ws.OpText, true, pingText+pingText)}, 0},
		{"nothing", []ws.Frame{masked(ws.OpText, true, "")}, 0},
		{"half a request", []ws.Frame{masked(ws.OpText, true, pingText[:9])}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := v.Socket()
			s.t = t
			if s.Must("ping") != `"pong"` {
				t.Error("no pong")
			}
			s.frames(c.frames...)
			if got := s.closed(); got != c.want {
				t.Errorf("closed with %d, want %d", got, c.want)
			}
		})
	}
	t.Run("a length beyond all", func(t *testing.T) {
		s := v.Socket()
		s.t = t
		_, _ = s.Conn.Write([]byte{0x81, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4})
		if got := s.closed(); got != 1002 {
			t.Errorf("closed with %d", got)
		}
	})
	// Those who still send hear all the same why it is over.
	t.Run("amid a flood", func(t *testing.T) {
		s := v.Socket()
		s.t = t
		s.frames(masked(ws.OpBinary, true, strings.Repeat("x", 1<<20)))
		for range 100 {
			s.frames(masked(ws.OpText, true, pingText))
		}
		if got := s.closed(); got != 1003 {
			t.Errorf("closed with %d", got)
		}
	})
}

func TestSocketRequests(t *testing.T) {
	v := Inside(t, socketWorld, nil)
	s := v.Socket()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	many := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("0,", n), ",") + "]" }
	huge := `"` + strings.Repeat("9", 50<<10) + `"`
	const invalid = `{"error":{"code":1,"message":"invalid argument"},"result":null,"id":%s}`
	good := func(id string) string { return `{"error":null,"result":"pong","id":` + id + `}` }
	for _, c := range []struct{ sent, want string }{
		{`{"id":` + huge + `,"method":"ping"}`, good(huge)},
		{`{"id":123456789012345678901234567890.5e-7,"method":"ping"}`, good(`123456789012345678901234567890.5e-7`)},
		{`{"id":-0,"method":"ping"}`, good(`-0`)},
		{`{"id":  [1, {"a" :2}] ,"method":"ping"}`, good(`[1, {"a" :2}]`)},
		{`{"id":"\u00e9\n","method":"ping"}`, good(`"\u00e9\n"`)},
		{`{"id":null,"method":"ping","params":null}`, good(`null`)},
		{`{"id":1,"id":2,"method":"ping"}`, good(`2`)},
		{"\r\n\t {\"id\":1,\"method\":\"\\u0070ing\",\"more\":{}}\n", good(`1`)},
		{`{"id":7,"method":"ping","params":` + deep(62) + `}`, good(`7`)},
		{`{"id":7,"method":"ping","params":` + deep(64) + `}`, fmt.Sprintf(invalid, "null")},
		{deep(30_000), fmt.Sprintf(invalid, "null")},
		{`{"id":7,"method":"ping","params":` + many(4096) + `}`, good(`7`)},
		{`{"id":7,"method":"ping","params":` + many(4097) + `}`, fmt.Sprintf(invalid, "7")},
		{`{"id":7,"method":"ping","params":"x"}`, fmt.Sprintf(invalid, "7")},
		{`{"id":7,"params":[]}`, `{"error":{"code":4,"message":"method not found"},"result":null,"id":7}`},
		{`{"id":7,"method":null}`, fmt.Sprintf(invalid, "7")},
		{`{"id":7,"method":"authorize","params":["\ud800"]}`, `{"error":{"code":11,"message":"invalid token"},"result":null,"id":7}`},
		{`{"id":7,"method":"authorize","params":[null]}`, fmt.Sprintf(invalid, "7")},
		{`"ping"`, fmt.Sprintf(invalid, "null")},
		{`null`, fmt.Sprintf(invalid, "null")},
		{`7`, fmt.Sprintf(invalid, "null")},
	} {
		s.Send(c.sent)
		if got := s.Next(); got != c.want {
			t.Errorf("%.80s: %.120s, want %.120s", c.sent, got, c.want)
		}
	}
}

// A socket that says nothing is closed without a word, and any frame is something.
func TestSocketIdle(t *testing.T) {
	t.Parallel()
	const idle = 4 * time.Second // much longer than those who speak may be kept from it by other tests
	v := Inside(t, socketWorld, func(o *exchange.Options) { o.SocketIdle = idle })
	began := time.Now()
	silent, half := v.Socket(), v.Socket()
	_, _ = half.Conn.Write([]byte{0x81, 0x85, 1, 2}) // half a frame is none
	pings, pongs := v.Socket(), v.Socket()
	step := time.NewTicker(idle / 10)
	defer step.Stop()
	for time.Since(began) < 2*idle {
		<-step.C
		pings.frames(masked(ws.OpPing, true, "x"))
		if op, _ := pings.frame(); op != ws.OpPong {
			t.Fatal(op)
		}
		pongs.frames(masked(ws.OpPong, true, ""))
	}
	for _, s := range []*Socket{silent, half} {
		if code := s.closed(); code != 0 {
			t.Errorf("closed with %d", code)
		}
	}
	if pings.Must("ping") != `"pong"` || pongs.Must("ping") != `"pong"` {
		t.Error("those who spoke were let go")
	}
	if code := pongs.closed(); code != 0 {
		t.Errorf("closed with %d", code)
	}
}

// A socket takes a place among the connections until it is closed.
func TestSocketTakesAPlace(t *testing.T) {
	v := Inside(t, socketWorld, func(o *exchange.Options) { o.REST.Connections = 2 })
	first, second := v.Socket(), v.Socket()
	if first.Must("ping") != `"pong"` || second.Must("ping") != `"pong"` {
		t.Error("no pong")
	}
	came := make(chan int, 1)
	go func() {
		response, err := http.Get(v.URL + "/api/v4/public/ping")
		if err != nil {
			came <- 0
			return
		}
		_ = response.Body.Close()
		came <- response.StatusCode
	}()
	for range 20 {
		if first.Must("ping") != `"pong"` {
			t.Error("no pong")
		}
	}
	select {
	case <-came:
		t.Fatal("a third connection was served")
	default:
	}
	first.frames(masked(ws.OpClose, true, ""))
	if code := first.closed(); code != 1000 {
		t.Errorf("closed with %d", code)
	}
	if status := <-came; status != 200 {
		t.Errorf("the third connection got %d", status)
	}
}

func TestSocketMaintenance(t *testing.T) {
	v := Inside(t, socketWorld, nil)
	s := v.Client("alice", "a").Authorized()
	v.Do(&schema.SetFeature{Feature: schema.PlatformMaintenance, On: true})
	if s.Must("ping") != `"pong"` || s.Must("time") == "" {
		t.Error("no pong")
	}
	s.Refused(3, "service unavailable", "authorize", "x")
	s.Refused(3, "service unavailable", "nope")
	r := v.Handshake(func(http.Header) {})
	const told = `{"code":0,"message":"System maintenance","errors":{"error":["The platform is in maintenance. Please try again later."]}}`
	if r.Status != 503 || r.Body != told {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	v.Do(&schema.SetFeature{Feature: schema.PlatformMaintenance, On: false})
	s.Refused(4, "method not found", "nope")
	if v.Socket().Must("ping") != `"pong"` {
		t.Error("no pong")
	}
}

func TestSocketOverTLS(t *testing.T) {
	cert, key, pool := certificate(t)
	v := Inside(t, socketWorld, func(o *exchange.Options) { o.REST.Certificate, o.REST.Key = cert, key })
	s := v.secure(t, pool)
	if s.Must("ping") != `"pong"` {
		t.Error("no pong")
	}
	s.frames(masked(ws.OpText, true, strings.Repeat(" ", 70<<10)))
	if code := s.closed(); code != 1009 {
		t.Errorf("closed with %d", code)
	}
	stays := v.secure(t, pool)
	if stays.Must("ping") != `"pong"` {
		t.Error("no pong")
	}
}

func (v *Venue) secure(t *testing.T, pool *x509.CertPool) *Socket {
	t.Helper()
	d := ws.Dialer{Timeout: socketTime, TLSConfig: &tls.Config{RootCAs: pool}}
	conn, _, _, err := d.Dial(context.Background(), "wss://"+strings.TrimPrefix(v.URL, "http://")+"/ws")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &Socket{Conn: conn, t: t, reader: bufio.NewReader(conn)}
}

// The real program tells its sockets when it stops, and stops though some of them do not answer.
func TestSocketAtTheEnd(t *testing.T) {
	v := Start(t, socketWorld)
	polite, silent := v.Socket(), v.Socket()
	if polite.Must("ping") != `"pong"` || silent.Must("ping") != `"pong"` {
		t.Error("no pong")
	}
	v.Signal(syscall.SIGINT)
	if code := polite.closed(); code != 1001 {
		t.Errorf("closed with %d", code)
	}
	if code := v.Wait(); code != 0 {
		t.Errorf("the program stopped with exit code %d", code)
	}
}

// An idle connection is cheap: above all, it does not keep the buffer in which its request was read.
func TestSocketMemory(t *testing.T) {
	const count, most = 1000, 32 << 10
	v := Inside(t, socketWorld, nil)
	if v.Socket().Must("ping") != `"pong"` {
		t.Error("no pong")
	}
	// What other tests left and is let go meanwhile makes it look like less; what is looked for is far
	// more than that.
	used := func() int64 {
		var m runtime.MemStats
		for range 3 { // pools let go what nobody wanted twice
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int64(m.HeapInuse + m.StackInuse)
	}
	before := used()
	for range count {
		s := v.Socket()
		s.Send(pingText)
		if got := s.Next(); got != pongText {
			t.Fatal(got)
		}
		s.reader = nil // of the client
	}
	each := (used() - before) / count
	t.Logf("%d bytes each, both ends together", each)
	if each > most {
		t.Errorf("an idle connection takes %d bytes", each)
	}
	runtime.KeepAlive(v)
}
