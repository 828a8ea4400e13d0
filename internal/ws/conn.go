package ws

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/netip"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"
	"github.com/valyala/fasthttp"
)

// Bounds of a connection.
const (
	readBuffer  = 4 << 10
	maxMessage  = 64 << 10
	maxQueued   = 1 << 20 // bytes that wait to be written, or are being written
	frameCost   = 64      // bytes that a frame takes beside its own
	writeChunk  = 64 << 10
	writeTime   = 10 * time.Second // for each chunk
	closeTime   = 3 * time.Second  // for the end: the rest of what waits, and the client's farewell
	messageKept = 4 << 10          // of memory for messages, between two of them
	paramsKept  = 64
)

// Codes of closing (RFC 6455, 7.4.1), as far as they are used.
const (
	normal       = ws.StatusNormalClosure
	goingAway    = ws.StatusGoingAway
	violation    = ws.StatusProtocolError
	unsupported  = ws.StatusUnsupportedData
	notText      = ws.StatusInvalidFramePayloadData
	tooBig       = ws.StatusMessageTooBig
	broken       = ws.StatusInternalServerError
	tryLater     = ws.StatusCode(1013)
	withoutFrame = ws.StatusCode(0)
)

// conn is a connection. What stands before mu belongs to the goroutine that reads.
type conn struct {
	server  *Server
	net     net.Conn
	raw     syscall.RawConn // nil where writing cannot be tried, as with TLS
	address netip.Addr
	trusted bool
	reader  *bufio.Reader
	message []byte // being put together
	budget  budget
	call    call

	mu      sync.Mutex
	queue   [][]byte // frames that wait
	spare   [][]byte // the memory of those before
	queued  int      // what they cost, and those that are being written
	turn    turn
	hurried bool    // a frame that waits is not for many
	ending  bool    // nothing more is asked; it is closed behind the last reply
	closing bool    // nothing more is queued
	heard   bool    // nothing more is read
	holder  *holder // who authorized the connection; nil: nobody yet

	// Commands on their way: what they cause is pushed after their reply.
	begun, replied uint64
	less           sync.Cond // there are less of them
	pending        []pending
	replying       bool
	deferred       []deferredFrame
}

// deferredFrame waits until so many commands were replied to.
type deferredFrame struct {
	after uint64
	frame []byte
}

// hijacked makes a connection of what the HTTP server lets go.
func (s *Server) hijacked(accept string, address netip.Addr) fasthttp.HijackHandler {
	return func(hijacked net.Conn) {
		// A client may not send frames before it was accepted, so nothing is in the buffer of the
		// HTTP server, which is large; nobody has it any more when this function returns.
		inner := hijacked.(interface{ UnsafeConn() net.Conn }).UnsafeConn()
		c := s.connect(inner, address)
		s.mu.Lock()
		if s.stopping.Load() {
			s.mu.Unlock()
			_ = inner.Close()
			return
		}
		s.conns[c] = struct{}{}
		s.running.Add(1)
		c.send(switching(accept)) // before Stop can close it
		s.mu.Unlock()
		go c.serve()
	}
}

// connect makes a connection that nobody serves yet.
func (s *Server) connect(inner net.Conn, address netip.Addr) *conn {
	c := &conn{server: s, net: inner, address: address, trusted: s.trusted(address)}
	if raw, is := inner.(syscall.Conn); is {
		c.raw, _ = raw.SyscallConn() // without it, the one who writes waits
	}
	c.reader = bufio.NewReaderSize(inner, readBuffer)
	c.less.L = &c.mu
	return c
}

// serve reads until the connection ends, and takes it out of everything then.
func (c *conn) serve() {
	s := c.server
	defer s.running.Done()
	code, reason := c.readAll()
	c.close(code, reason)
	for _, ch := range s.channels {
		ch.leave(c)
	}
	if code != withoutFrame {
		// What is unread when a connection ends makes the system reset it, and with that goes the
		// frame that says why. Nothing that follows can be understood, so it is not looked at.
		_, _ = io.Copy(io.Discard, c.reader)
	}
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	c.mu.Lock()
	c.heard = true
	idle := c.turn == nobody
	c.mu.Unlock()
	if idle {
		_ = c.net.Close()
	}
	c.cancelOrders()
}

// readAll handles message after message. It returns how to close. What comes behind the end is read,
// until the client says its own farewell, and forgotten.
func (c *conn) readAll() (ws.StatusCode, string) {
	for {
		message, code, reason := c.next()
		if message == nil {
			return code, reason
		}
		if c.ended() {
			continue
		}
		if !c.survive(message) {
			return withoutFrame, ""
		}
		if cap(c.message) > messageKept || cap(c.call.params) > paramsKept {
			c.message, c.call = nil, call{}
		}
	}
}

// ended reports whether nothing more is asked.
func (c *conn) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending || c.closing
}

// survive handles a message. A panic costs this connection and no other.
func (c *conn) survive(message []byte) (goesOn bool) {
	defer func() {
		if reason := recover(); reason != nil {
			c.server.options.Log.Error("a request over WebSocket panicked; the connection is closed", "method", c.call.name,
				"address", c.address.String(), "panic", reason, "stack", string(debug.Stack()))
			c.close(broken, "internal error")
			goesOn = true
		}
	}()
	return c.handle(message)
}

// extendReadDeadline gives the client time to say something. Once the connection is being closed, there is
// only the time that there was.
func (c *conn) extendReadDeadline() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return nil
	}
	return c.net.SetReadDeadline(time.Now().Add(c.server.options.Idle))
}

// next is the next message of the client, valid until the next call; nil when there will be none.
func (c *conn) next() (message []byte, code ws.StatusCode, reason string) {
	c.message = c.message[:0]
	state := ws.StateServerSide
	for {
		if c.extendReadDeadline() != nil {
			return nil, withoutFrame, ""
		}
		h, err := ws.ReadHeader(c.reader)
		switch {
		case errors.Is(err, ws.ErrHeaderLengthMSB):
			return nil, violation, "a frame is longer than any can be"
		case err != nil:
			return nil, withoutFrame, "" // gone, or idle for too long: without a word, as clients know it
		}
		if err := ws.CheckHeader(h, state); err != nil {
			return nil, violation, err.Error()
		}
		if h.OpCode.IsControl() {
			end, code, reason := c.control(h)
			if end {
				return nil, code, reason
			}
			continue
		}
		if h.OpCode == ws.OpBinary {
			return nil, unsupported, "text frames only"
		}
		at := len(c.message)
		if h.Length > int64(maxMessage-at) {
			return nil, tooBig, "a message has at most 64 KiB"
		}
		if c.message, err = readPayload(c.reader, c.message, h); err != nil {
			return nil, withoutFrame, ""
		}
		if h.Fin {
			if !utf8.Valid(c.message) {
				return nil, notText, "text must be UTF-8"
			}
			return c.message, 0, ""
		}
		state = state.Set(ws.StateFragmented)
	}
}

// readPayload appends the payload of a frame. What is announced takes memory only as it comes.
func readPayload(r io.Reader, dst []byte, h ws.Header) ([]byte, error) {
	if dst == nil {
		dst = make([]byte, 0, min(h.Length, messageKept))
	}
	at := len(dst)
	for end := at + int(h.Length); len(dst) < end; {
		more := min(end-len(dst), max(len(dst), messageKept))
		from := len(dst)
		dst = slices.Grow(dst, more)[:from+more]
		if _, err := io.ReadFull(r, dst[from:]); err != nil {
			return nil, err
		}
	}
	ws.Cipher(dst[at:], h.Mask, 0)
	return dst, nil
}

// control handles a frame of the protocol itself. It may end the connection, by a code.
func (c *conn) control(h ws.Header) (end bool, code ws.StatusCode, reason string) {
	payload, err := readPayload(c.reader, nil, h)
	if err != nil {
		return true, withoutFrame, ""
	}
	switch h.OpCode {
	case ws.OpPing:
		c.send(frame(ws.OpPong, payload))
	case ws.OpClose:
		code, reason = farewell(payload)
		if code != violation {
			c.close(code, "")
			return true, withoutFrame, ""
		}
		return true, code, reason
	}
	return false, 0, ""
}

// farewell is how the frame is answered with which a client closes: with its own code, unless that
// is none.
func farewell(payload []byte) (code ws.StatusCode, reason string) {
	if len(payload) == 0 {
		return normal, ""
	}
	code, text := ws.ParseCloseFrameData(payload)
	registered := code >= tryLater-1 && code <= tryLater+1 // 1012 to 1014 came after the RFC
	switch err := ws.CheckCloseFrameData(code, text); {
	case len(payload) == 1 || code >= 5000:
		return violation, "a code has two bytes and is below 5000"
	case registered && utf8.ValidString(text):
		return code, ""
	case err != nil:
		return violation, err.Error()
	}
	return code, ""
}

// frame is a message in a frame of the server.
func frame(op ws.OpCode, payload []byte) []byte {
	out := make([]byte, 0, len(payload)+10)
	out = appendHeader(out, op, len(payload))
	return append(out, payload...)
}

// headerRoom is kept free before a payload that is being written, for the header of its frame.
const headerRoom = 10

// framed makes a frame of a text that was written behind headerRoom bytes, without copying it.
func framed(b []byte) []byte {
	var head [headerRoom]byte
	h := appendHeader(head[:0], ws.OpText, len(b)-headerRoom)
	at := headerRoom - len(h)
	copy(b[at:], h)
	return b[at:]
}

func appendHeader(dst []byte, op ws.OpCode, length int) []byte {
	dst = append(dst, 0x80|byte(op))
	switch {
	case length < 126:
		return append(dst, byte(length))
	case length < 1<<16:
		return append(dst, 126, byte(length>>8), byte(length))
	default:
		return append(dst, 127, 0, 0, 0, 0, byte(length>>24), byte(length>>16), byte(length>>8), byte(length))
	}
}

// close ends the connection after what waits was written. Code 0 closes without a frame.
func (c *conn) close(code ws.StatusCode, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut(code, reason)
}

// end ends the connection after all that was begun was replied to.
func (c *conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
	if c.begun == c.replied {
		c.shut(goingAway, "the exchange is stopping")
	}
}

// shut is close under the lock.
func (c *conn) shut(code ws.StatusCode, reason string) {
	if c.closing {
		return
	}
	c.closing, c.deferred = true, nil
	if code != withoutFrame {
		c.queue = append(c.queue, frame(ws.OpClose, ws.NewCloseFrameBody(code, reason)))
	}
	// The client may take nothing, or say nothing to it: then this ends the one who writes or reads.
	_ = c.net.SetDeadline(time.Now().Add(closeTime))
	c.wake(true)
}
