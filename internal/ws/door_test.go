package ws

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// The door with a few methods of the tests behind it, over real connections.

// testTime is how long a test waits for something before it fails.
const testTime = time.Minute

// door is a server without the exchange.
func door(o Options) *Server {
	s := bare(o)
	s.closed = func() bool { return false }
	s.stop = func() {}
	s.register(Method{Name: "ping", Open: true, handling: handling{do: func(*call) ([]byte, func(), *Error) { return []byte(`"pong"`), nil, nil }}})
	return s
}

// does is a method of a test.
func does(name string, do func(*call) ([]byte, func(), *Error)) Method {
	return Method{Name: name, handling: handling{do: do}}
}

// departures is a channel that only hears who is gone.
type departures chan *conn

func (d departures) leave(c *conn) { d <- c }

// listen lets clients come by a listener and returns its address.
func (s *Server) listen(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &fasthttp.Server{KeepHijackedConns: true, ReadBufferSize: 40 << 10, Handler: func(ctx *fasthttp.RequestCtx) {
		s.Open(ctx, netip.MustParseAddr("127.0.0.1"))
	}}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(ln)
	}()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTime)
		defer cancel()
		s.Stop(ctx)
		if ctx.Err() != nil {
			t.Error("the server did not stop")
		}
		_ = server.Shutdown()
		<-served
	})
	return ln.Addr().String()
}

// visitor is a client.
type visitor struct {
	net.Conn
	t      testing.TB
	reader *bufio.Reader
}

func visit(t testing.TB, address string) *visitor {
	t.Helper()
	c, early, _, err := ws.Dialer{Timeout: testTime}.Dial(context.Background(), "ws://"+address+"/ws")
	if err != nil {
		t.Fatal(err)
	}
	if early == nil {
		early = bufio.NewReaderSize(c, 512)
	}
	_ = c.SetDeadline(time.Now().Add(testTime))
	t.Cleanup(func() { _ = c.Close() })
	return &visitor{c, t, early}
}

func (v *visitor) say(method string) {
	v.t.Helper()
	if err := wsutil.WriteClientText(v, fmt.Appendf(nil, `{"id":1,"method":%q}`, method)); err != nil {
		v.t.Fatal(err)
	}
}

// hear is the next frame: a text, or how the server closes.
func (v *visitor) hear() (text string, code ws.StatusCode) {
	v.t.Helper()
	f, err := ws.ReadFrame(v.reader)
	if err != nil {
		v.t.Fatal(err)
	}
	if f.Header.OpCode == ws.OpClose {
		code, text = ws.ParseCloseFrameData(f.Payload)
		return text, code
	}
	return string(f.Payload), 0
}

func (v *visitor) hears(want string) {
	v.t.Helper()
	if text, code := v.hear(); text != want || code != 0 {
		v.t.Fatalf("heard %d %s, want %s", code, text, want)
	}
}

func (v *visitor) closed(want ws.StatusCode) {
	v.t.Helper()
	if text, code := v.hear(); code != want {
		v.t.Fatalf("heard %d %s, want it closed with %d", code, text, want)
	}
}

const pong = `{"error":null,"result":"pong","id":1}`

// A client that does not read is cut off, with nothing missing before the frame that says so, and
// others do not notice.
func TestSlowReader(t *testing.T) {
	gone := make(departures, 4)
	s := door(Options{Unlimited: true})
	s.channels = []leaver{gone}
	shut := make(chan int, 2)
	s.register(does("flood", func(q *call) ([]byte, func(), *Error) {
		return success, func() {
			c, most := q.conn, 0
			for i := 0; !c.ended() && i < 1<<14; i++ {
				c.send(pushed(fmt.Appendf(push("flood"), `[%d,"%s"]`, i, strings.Repeat("x", 8<<10))))
				most = max(most, c.backlog())
				for i < 8 && c.backlog() > 0 { // the first ones are on their way before the queue overflows
					runtime.Gosched()
				}
			}
			shut <- most
		}, nil
	}))
	address := s.listen(t)
	other, slow, dead := visit(t, address), visit(t, address), visit(t, address)
	flood := func(v *visitor) {
		v.say("flood")
		for waiting := true; waiting; {
			other.say("ping")
			other.hears(pong)
			select {
			case most := <-shut:
				waiting = false
				if most > maxQueued {
					t.Errorf("%d bytes waited", most)
				}
			default:
			}
		}
	}
	flood(slow)
	slow.hears(`{"error":null,"result":{"status":"success"},"id":1}`)
	next := 0
	for {
		text, code := slow.hear()
		if code != 0 {
			if code != tryLater {
				t.Errorf("closed with %d %s", code, text)
			}
			break
		}
		if !strings.HasPrefix(text, fmt.Sprintf(`{"method":"flood_update","params":[%d,`, next)) {
			t.Fatalf("after %d pushes: %.60s", next, text)
		}
		next++
	}
	if next < 8 {
		t.Errorf("%d pushes came before the end", next)
	}
	_ = ws.WriteFrame(slow, ws.MaskFrame(ws.NewCloseFrame(nil)))
	<-gone
	flood(dead) // it never reads
	<-gone
	other.say("ping")
	other.hears(pong)
	if n := s.count(); n > 2 { // the last one may be about to be taken out
		t.Errorf("%d connections are left", n)
	}
}

// A panic costs the connection whose request it was, and no other.
func TestPanic(t *testing.T) {
	var log lockedText
	s := door(Options{Unlimited: true, Log: log.logger()})
	s.register(does("panic", func(*call) ([]byte, func(), *Error) { panic("on purpose") }))
	s.register(does("late", func(*call) ([]byte, func(), *Error) { return success, func() { panic("too late") }, nil }))
	address := s.listen(t)
	other := visit(t, address)
	for _, c := range []struct{ method, says string }{{"panic", "on purpose"}, {"late", "too late"}} {
		v := visit(t, address)
		v.say(c.method)
		v.say("ping") // not asked any more
		if c.method == "late" {
			v.hears(`{"error":null,"result":{"status":"success"},"id":1}`)
		}
		v.closed(broken)
		if text := log.String(); !strings.Contains(text, c.says) || !strings.Contains(text, "door_test.go") {
			t.Errorf("the log does not say so: %s", text)
		}
	}
	other.say("ping")
	other.hears(pong)
}

// Nothing is left of connections that came and went, however they went.
func TestNothingIsLeft(t *testing.T) {
	const count = 2000
	gone := make(departures, count)
	s := door(Options{Unlimited: true})
	s.channels = []leaver{gone}
	address := s.listen(t)
	visit(t, address).say("ping")
	before := runtime.NumGoroutine()
	var clients sync.WaitGroup
	for part := range 8 {
		clients.Go(func() {
			for i := range count / 8 {
				c, _, _, err := ws.Dialer{Timeout: testTime}.Dial(context.Background(), "ws://"+address+"/ws")
				if err != nil {
					t.Error(err)
					return
				}
				switch (part + i) % 4 {
				case 0:
					_ = ws.WriteFrame(c, ws.MaskFrame(ws.NewCloseFrame(nil)))
				case 1:
					_ = wsutil.WriteClientText(c, []byte(`{"id":1,"method":"ping"}`))
				case 2:
					_ = wsutil.WriteClientText(c, []byte(`no JSON`))
				}
				_ = c.Close()
			}
		})
	}
	clients.Wait()
	for range count {
		<-gone
	}
	until(t, "connections are left", func() bool { return s.count() == 1 })
	until(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= before+16 }) // the HTTP server keeps some
}

// until waits for something that is only to be seen by looking.
func until(t *testing.T, problem string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(testTime); !done(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal(problem)
		}
	}
}

// A server that stops replies to what was begun, says so to its clients, and is gone when they are.
func TestStop(t *testing.T) {
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	var log lockedText
	s := door(Options{Node: n, Unlimited: true, Log: log.logger()})
	s.options.API = api.New(n, nil, nil, api.Options{Region: schema.Global})
	hold, begun := make(chan struct{}), make(chan struct{}, 3)
	command := &schema.SetFeature{Feature: schema.PlatformMaintenance, On: true}
	s.register(does("act", func(q *call) ([]byte, func(), *Error) {
		e := q.conn.begin(q, command, func(*schema.Result) ([]byte, *Error) {
			<-hold
			return success, nil
		})
		q.conn.sendAfter(pushed(append(push("act"), `[]`...)))
		begun <- struct{}{}
		return nil, nil, e
	}))
	s.register(does("fall", func(q *call) ([]byte, func(), *Error) {
		e := q.conn.begin(q, command, func(*schema.Result) ([]byte, *Error) { panic("falling") })
		begun <- struct{}{}
		return nil, nil, e
	}))
	address := s.listen(t)
	idle, busy, silent := visit(t, address), visit(t, address), visit(t, address)
	silent.say("ping")
	busy.say("act")
	<-begun
	busy.say("fall")
	<-begun
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		ctx, cancel := context.WithTimeout(context.Background(), testTime)
		defer cancel()
		s.Stop(ctx)
	}()
	idle.closed(goingAway)
	busy.say("ping") // too late
	close(hold)
	busy.hears(`{"error":null,"result":{"status":"success"},"id":1}`)
	busy.hears(`{"method":"act_update","params":[],"id":null}`)
	busy.hears(`{"error":{"code":2,"message":"internal error"},"result":null,"id":1}`)
	busy.closed(goingAway)
	<-stopped // also without a farewell of any of them
	if s.count() != 0 {
		t.Errorf("%d connections are left", s.count())
	}
	if !strings.Contains(log.String(), "falling") {
		t.Errorf("the log does not name the panic: %s", log.String())
	}
	var refused struct{ Success bool }
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	request.SetRequestURI("http://" + address + "/ws")
	if err := fasthttp.DoTimeout(request, response, testTime); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(response.Body(), &refused); err != nil || response.StatusCode() != 503 {
		t.Errorf("%d %s", response.StatusCode(), response.Body())
	}
}

// A connection that has many commands on their way waits before it reads more.
func TestManyCommands(t *testing.T) {
	c := door(Options{}).connect(nil, netip.Addr{})
	c.begun, c.replied = maxBegun+5, 5
	passed := make(chan struct{})
	go func() {
		c.waitForRoom()
		close(passed)
	}()
	select {
	case <-passed:
		t.Fatal("nothing was waited for")
	default:
	}
	c.mu.Lock()
	c.replied++
	c.less.Signal()
	c.mu.Unlock()
	<-passed
}

// A channel that panics costs all connections, which hear why, and not the exchange.
func TestPanicOfAChannel(t *testing.T) {
	s := door(Options{Unlimited: true})
	address := s.listen(t)
	here := visit(t, address)
	here.say("ping")
	here.hears(pong)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	times := 0
	second := make(chan struct{})
	s.every(ctx, time.Millisecond, func() {
		switch times++; times {
		case 1:
			panic("of the test")
		case 2:
			close(second)
		}
	})
	here.closed(broken)
	<-second // it goes on
	cancel()
	next := visit(t, address)
	next.say("ping")
	next.hears(pong)
}
