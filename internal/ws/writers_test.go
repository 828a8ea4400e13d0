package ws

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pair is a connection of a server and the socket of its client.
func pair(t *testing.T, s *Server) (*conn, *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	inner, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_ = client.SetDeadline(time.Now().Add(testTime))
	t.Cleanup(func() { _, _ = client.Close(), inner.Close() })
	return s.connect(inner, netip.MustParseAddr("127.0.0.1")), client.(*net.TCPConn)
}

// arrives reads what the client must get.
func arrives(t *testing.T, client io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(client, got); err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Fatalf("read %.80q, want %.80q", got, want)
	}
}

// A reply takes what waits before it along, and does not wait behind the pushes to others.
func TestRepliesOvertakePushesToOthers(t *testing.T) {
	s := &Server{meters: newMeters(nil, nil)}
	first, _ := pair(t, s)
	second, client := pair(t, s)
	first.push([]byte("push to the first"))
	second.push([]byte("push,"))
	second.send([]byte("reply,"))
	second.push([]byte("push,"))
	if len(s.writers.low.ready) != 2 || len(s.writers.high.ready) != 1 || s.writers.high.ready[0] != second {
		t.Fatalf("%d wait at low priority, %d at high", len(s.writers.low.ready), len(s.writers.high.ready))
	}
	second.write(highPriority, nil)
	arrives(t, client, "push,reply,push,")
	if second.queued != 0 || second.turn != nobody {
		t.Errorf("%d bytes wait, and the turn is %d", second.queued, second.turn)
	}
	second.write(lowPriority, nil) // it still stands there, and had its turn
	second.push([]byte("another push,"))
	second.write(lowPriority, nil)
	second.write(lowPriority, nil)
	arrives(t, client, "another push,")
	if len(s.writers.high.ready) != 1 || second.turn != nobody {
		t.Errorf("%d wait at high priority, and the turn is %d", len(s.writers.high.ready), second.turn)
	}
}

// A line that is never empty stays as short as it is.
func TestLineDoesNotGrow(t *testing.T) {
	var l line
	conns := make([]conn, 100)
	for i := range conns {
		l.add(&conns[i])
	}
	for i := range 100_000 {
		taken := l.next(nil, 3)
		for j, c := range taken {
			if want := &conns[(3*i+j)%len(conns)]; c != want {
				t.Fatalf("turn %d is another connection's", 3*i+j)
			}
			l.add(c)
		}
	}
	if cap(l.ready) > 1000 {
		t.Errorf("there is room for %d", cap(l.ready))
	}
}

// One who pushes to many waits while too many stand in the line, until half of them have gone or the
// line ends.
func TestCrowdMakesPushesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{meters: newMeters(nil, nil)}
		l := &s.writers.low
		l.start(func() {}) // nobody writes
		for range highWater {
			(&conn{server: s}).push([]byte("push"))
		}
		pushed := 0
		for range 2 {
			go func() {
				(&conn{server: s}).push([]byte("push"))
				pushed++
			}()
			synctest.Wait()
			if pushed != 0 {
				t.Fatal("a push did not wait")
			}
			l.next(nil, highWater/2)
			synctest.Wait()
			if pushed != 0 {
				t.Fatal("a push went on while half of the line was there")
			}
			l.next(nil, 1)
			synctest.Wait()
			if pushed != 1 {
				t.Fatal("a push did not go on")
			}
			pushed = 0
			for range highWater - len(l.ready) + l.first {
				l.add(&conn{})
			}
		}
		go func() {
			l.wait()
			pushed++
		}()
		synctest.Wait()
		if l.end(); pushed != 0 {
			t.Fatal("a push did not wait")
		}
		synctest.Wait()
		if pushed != 1 {
			t.Fatal("a push waits for a line that has ended")
		}
	})
}

// What the system does not take at once is written by somebody who waits. Nothing is lost, nothing
// changes places, and the writers go on with others.
func TestClientThatTakesItsTime(t *testing.T) {
	s := &Server{meters: newMeters(nil, nil)}
	s.options.Idle = testTime
	s.writers.start()
	defer s.writers.end()
	slow, reader := pair(t, s)
	if err := reader.SetReadBuffer(32 << 10); err != nil {
		t.Fatal(err)
	}
	if err := slow.net.(*net.TCPConn).SetWriteBuffer(32 << 10); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	more := func(count int) {
		for range count {
			f := fmt.Sprintf("<%06d %s>", want.Len(), strings.Repeat("x", 4000))
			want.WriteString(f)
			slow.push([]byte(f))
		}
	}
	more(200) // more than the buffers of both ends have room for
	quick, other := pair(t, s)
	for i := range 50 {
		quick.push(fmt.Appendf(nil, "push %d,", i))
		arrives(t, other, fmt.Sprintf("push %d,", i))
	}
	if slow.backlog() == 0 {
		t.Fatal("the system took everything: the test shows nothing")
	}
	half := want.Len() / 2
	arrives(t, reader, want.String()[:half])
	more(20)
	arrives(t, reader, want.String()[half:])
	s.running.Wait() // nobody writes any more
	if slow.queued != 0 || slow.turn != nobody || slow.closing {
		t.Errorf("%d bytes wait, the turn is %d, closing %v", slow.queued, slow.turn, slow.closing)
	}
}

// A client that is gone costs nobody anything but what waited for it.
func TestClientThatIsGone(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		s := &Server{meters: newMeters(nil, nil)}
		s.writers.start()
		gone, client := pair(t, s)
		if stuck { // until somebody waits for it
			for range 200 {
				gone.push(make([]byte, 4000))
			}
		}
		if err := client.SetLinger(0); err != nil {
			t.Fatal(err)
		}
		_ = client.Close()
		for !gone.ended() {
			gone.push(make([]byte, 1000))
		}
		s.running.Wait()
		s.writers.end()
		if gone.turn != nobody || len(gone.queue) != 0 {
			t.Errorf("stuck %v: the turn is %d, and %d frames wait", stuck, gone.turn, len(gone.queue))
		}
	}
}
