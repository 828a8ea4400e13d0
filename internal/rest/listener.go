package rest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// connections is a listener that has so many connections open at most and can end them. Those
// who come when it is full wait outside: to turn them away would take a connection too.
type connections struct {
	net.Listener
	room  chan struct{} // holds one for each that is open
	ended chan struct{}
	close func() error
	// end is when clients must have sent what they send, in nanoseconds since 1970; 0 as long as
	// nobody says so.
	end atomic.Int64

	mu   sync.Mutex
	open map[*connection]struct{}
	gone chan struct{} // closed when, after drain, the last one is
}

type connection struct {
	net.Conn
	of     *connections
	closed sync.Once
	// lingers says that something was answered before it was read.
	lingers bool
}

// A connection that is closed while something is unread is reset, and with it goes the answer
// that explains why. So some of it is read first.
const (
	lingerTime  = time.Second
	lingerBytes = 1 << 20
)

// linger lets the connection of a request end as its client expects. It is called by the one who
// serves it.
func linger(c net.Conn) {
	if outer, is := c.(*tls.Conn); is {
		c = outer.NetConn()
	}
	if inner, is := c.(*connection); is {
		inner.lingers = true
	}
}

func listen(ln net.Listener, most int) *connections {
	l := &connections{
		Listener: ln, room: make(chan struct{}, most), ended: make(chan struct{}),
		open: map[*connection]struct{}{}, gone: make(chan struct{}),
	}
	l.close = sync.OnceValue(func() error {
		close(l.ended)
		return ln.Close()
	})
	return l
}

// Close takes no more connections.
func (l *connections) Close() error { return l.close() }

// Accept waits for room, and then for a client.
func (l *connections) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.ended:
		return nil, net.ErrClosed
	}
	accepted, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	c := &connection{Conn: accepted, of: l}
	l.mu.Lock()
	l.open[c] = struct{}{}
	l.mu.Unlock()
	return c, nil
}

// drain takes no more connections and gives the open ones until a moment to send what they are
// sending. It is called once.
func (l *connections) drain(until time.Time) error {
	err := l.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end.Store(until.UnixNano())
	for c := range l.open {
		_ = c.Conn.SetReadDeadline(until) // if it fails, the connection is gone
	}
	if len(l.open) == 0 {
		close(l.gone)
	}
	return err
}

// count is how many connections are open.
func (l *connections) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)
}

// cut ends all connections, whatever is on its way, and returns how many there were.
func (l *connections) cut() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		_ = c.Conn.Close()
	}
	return len(l.open)
}

func (l *connections) leave(c *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
	if len(l.open) == 0 && l.end.Load() != 0 {
		select {
		case <-l.gone:
		default:
			close(l.gone)
		}
	}
	<-l.room
}

// Close gives its room to another connection.
func (c *connection) Close() error {
	c.closed.Do(func() {
		if half, is := c.Conn.(interface{ CloseWrite() error }); is && c.lingers && half.CloseWrite() == nil {
			_ = c.SetReadDeadline(time.Now().Add(lingerTime))
			_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes) // however it ends, that is the end
		}
		c.of.leave(c)
	})
	return c.Conn.Close()
}

// SyscallConn lets a socket try to write without waiting.
func (c *connection) SyscallConn() (syscall.RawConn, error) {
	if inner, is := c.Conn.(syscall.Conn); is {
		return inner.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// SetReadDeadline gives no more time than there is.
func (c *connection) SetReadDeadline(t time.Time) error {
	err := c.Conn.SetReadDeadline(t)
	// Looked at afterwards: when it is not there yet, drain will see this connection later.
	if end := c.of.end.Load(); end != 0 && (t.IsZero() || t.UnixNano() > end) {
		return c.Conn.SetReadDeadline(time.Unix(0, end))
	}
	return err
}
