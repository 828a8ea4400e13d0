package rest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"bourse/internal/limit"
)

// connections is a listener that has so many connections open at most and can end them. Those
// who come when it is full wait outside: to turn them away would take a connection too. An address
// that has its share already is turned away, so that it does not fill up by a few.
type connections struct {
	net.Listener
	room   chan struct{} // holds one for each that is open
	places *limit.Connections
	// exempt addresses have as many as they like.
	exempt func(netip.Addr) bool
	// refuse answers a connection that is turned away, and closes it.
	refuse func(net.Conn)
	ended  chan struct{}
	close  func() error
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
	client netip.Addr // who has its place; changed by the one who serves it
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
	if inner := served(c); inner != nil {
		inner.lingers = true
	}
}

func listen(ln net.Listener, most, each int, exempt func(netip.Addr) bool, refuse func(net.Conn)) *connections {
	l := &connections{
		Listener: ln, room: make(chan struct{}, most), ended: make(chan struct{}),
		places: limit.NewConnections(most, each), exempt: exempt, refuse: refuse,
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
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			<-l.room
			return nil, err
		}
		c := &connection{Conn: accepted, of: l, client: remote(accepted)}
		if !l.enter(c.client) {
			l.refuse(accepted)
			continue
		}
		l.mu.Lock()
		l.open[c] = struct{}{}
		l.mu.Unlock()
		return c, nil
	}
}

// enter gives a place to an address.
func (l *connections) enter(client netip.Addr) bool {
	if l.exempt(client) {
		l.places.Take(client)
		return true
	}
	return l.places.Enter(client)
}

// forwards gives the place of a connection that came through a proxy to the client behind it, for as
// long as the connection lives. It reports whether that one may have one more. It is called by the
// one who serves the connection.
func forwards(c net.Conn, client netip.Addr) bool {
	inner := served(c)
	if inner == nil || inner.client == client {
		return true
	}
	if !inner.of.enter(client) {
		return false
	}
	inner.of.places.Leave(inner.client)
	inner.client = client
	return true
}

// remote is the other end of a connection.
func remote(c net.Conn) netip.Addr {
	if tcp, is := c.RemoteAddr().(*net.TCPAddr); is {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// served is the connection of a listener of ours below what a request came by, nil if there is none.
func served(c net.Conn) *connection {
	if outer, is := c.(*tls.Conn); is {
		c = outer.NetConn()
	}
	inner, _ := c.(*connection)
	return inner
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
	l.places.Leave(c.client)
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
