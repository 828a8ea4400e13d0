package ws

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/valyala/fasthttp"
)

// Bounds of a connection.
const (
	readBuffer  = 4 << 10
	maxMessage  = 64 << 10
	maxQueued   = 1 << 20 // bytes that wait to be written
	writeChunk  = 64 << 10
	writeTime   = 10 * time.Second
	messageKept = 4 << 10 // of memory for messages, between two of them
)

// Codes of closing (RFC 6455, 7.4.1), as far as they are used.
const (
	normal       = ws.StatusNormalClosure
	goingAway    = ws.StatusGoingAway
	violation    = ws.StatusProtocolError
	unsupported  = ws.StatusUnsupportedData
	tooBig       = ws.StatusMessageTooBig
	tryLater     = ws.StatusCode(1013)
	withoutFrame = ws.StatusCode(0)
)

// conn is a connection. What stands before mu belongs to the goroutine that reads.
type conn struct {
	server  *Server
	net     net.Conn
	address netip.Addr
	trusted bool
	reader  *bufio.Reader
	message []byte // being put together
	budget  budget
	call    call

	mu      sync.Mutex
	queue   [][]byte // frames that wait
	queued  int      // their bytes
	writing bool     // somebody writes, or is about to
	closing bool     // nothing more is queued
	holder  *holder  // who authorized the connection; nil: nobody yet

	// Commands on their way: what they cause is pushed after their reply.
	begun, replied uint64
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
		// HTTP server, which is large; it goes back when this function returns.
		inner := hijacked.(interface{ UnsafeConn() net.Conn }).UnsafeConn()
		c := &conn{server: s, net: inner, address: address, trusted: s.trusted(address)}
		c.reader = bufio.NewReaderSize(inner, readBuffer)
		s.mu.Lock()
		if s.stopping.Load() {
			s.mu.Unlock()
			_ = inner.Close()
			return
		}
		s.conns[c] = struct{}{}
		s.running.Add(1)
		s.mu.Unlock()
		c.send(switching(accept))
		go c.serve()
	}
}

// serve reads until the connection ends, and takes it out of everything then.
func (c *conn) serve() {
	s := c.server
	defer s.running.Done()
	code, reason := c.readAll()
	c.close(code, reason)
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	for _, ch := range s.channels {
		ch.leave(c)
	}
	c.cancelOrders()
}

// errClosed means that the client closed the connection as it should.
var errClosed = errors.New("closed by the client")

// readAll handles message after message. It returns how to close.
func (c *conn) readAll() (ws.StatusCode, string) {
	for {
		message, code, reason := c.next()
		if message == nil {
			return code, reason
		}
		if !c.handle(message) {
			return withoutFrame, ""
		}
		if cap(c.message) > messageKept {
			c.message = nil
		}
	}
}

// next is the next message of the client, valid until the next call; nil when there will be none.
func (c *conn) next() (message []byte, code ws.StatusCode, reason string) {
	c.message = c.message[:0]
	state := ws.StateServerSide
	for {
		if err := c.net.SetReadDeadline(time.Now().Add(c.server.options.Idle)); err != nil {
			return nil, withoutFrame, ""
		}
		h, err := ws.ReadHeader(c.reader)
		if err != nil {
			return nil, withoutFrame, "" // gone, or idle for too long: without a word, as clients know it
		}
		if err := ws.CheckHeader(h, state); err != nil {
			return nil, violation, err.Error()
		}
		if h.OpCode.IsControl() {
			if code, reason := c.control(h); code != 0 {
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
			if c.message == nil {
				c.message = []byte{}
			}
			return c.message, 0, ""
		}
		state = state.Set(ws.StateFragmented)
	}
}

// readPayload appends the payload of a frame.
func readPayload(r io.Reader, dst []byte, h ws.Header) ([]byte, error) {
	at := len(dst)
	if need := at + int(h.Length); cap(dst) < need {
		grown := make([]byte, at, max(need, 512))
		copy(grown, dst)
		dst = grown
	}
	dst = dst[:at+int(h.Length)]
	if _, err := io.ReadFull(r, dst[at:]); err != nil {
		return dst[:at], err
	}
	ws.Cipher(dst[at:], h.Mask, 0)
	return dst, nil
}

// control handles a frame of the protocol itself. A code says how to close.
func (c *conn) control(h ws.Header) (code ws.StatusCode, reason string) {
	payload, err := readPayload(c.reader, nil, h)
	if err != nil {
		return tryLater, ""
	}
	switch h.OpCode {
	case ws.OpPing:
		c.send(frame(ws.OpPong, payload))
	case ws.OpClose:
		if len(payload) == 0 {
			return normal, ""
		}
		said, text := ws.ParseCloseFrameData(payload)
		if err := ws.CheckCloseFrameData(said, text); err != nil {
			return violation, err.Error()
		}
		return said, ""
	}
	return 0, ""
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

// send queues a frame, which must not be changed any more. A client that does not read is cut off:
// nothing may be missing for it without its knowing.
func (c *conn) send(f []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(f)
}

// sendAfter queues a push that a command of this connection may have caused, behind the replies to
// all commands that were begun.
func (c *conn) sendAfter(f []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun == c.replied {
		c.enqueue(f)
		return
	}
	if c.queued += len(f); c.queued > maxQueued {
		c.closeNow(tryLater, "too slow")
		return
	}
	c.deferred = append(c.deferred, deferredFrame{c.begun, f})
}

// enqueue is send under the lock.
func (c *conn) enqueue(f []byte) {
	if c.closing {
		return
	}
	if c.queued+len(f) > maxQueued {
		c.closeNow(tryLater, "too slow")
		return
	}
	c.queue, c.queued = append(c.queue, f), c.queued+len(f)
	c.wake()
}

// wake lets somebody write.
func (c *conn) wake() {
	if !c.writing {
		c.writing = true
		go c.write()
	}
}

// backlog is how many bytes wait; channels that may leave something out look at it.
func (c *conn) backlog() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queued
}

// chunks are buffers in which frames are put together.
var chunks = sync.Pool{New: func() any { b := make([]byte, 0, writeChunk); return &b }}

// write writes what waits, as much as there is with one call, until nothing does.
func (c *conn) write() {
	chunk := chunks.Get().(*[]byte)
	defer chunks.Put(chunk)
	for {
		c.mu.Lock()
		frames := c.queue
		c.queue = nil
		if len(frames) == 0 {
			c.writing = false
			last := c.closing
			c.mu.Unlock()
			if last {
				_ = c.net.Close()
			}
			return
		}
		for _, f := range frames {
			c.queued -= len(f)
		}
		c.mu.Unlock()
		if err := c.put(frames, chunk); err != nil {
			c.mu.Lock()
			c.closing, c.queue = true, nil
			c.mu.Unlock()
		}
	}
}

// put writes frames in chunks.
func (c *conn) put(frames [][]byte, chunk *[]byte) error {
	b := (*chunk)[:0]
	for i, f := range frames {
		if b = append(b, f...); len(b) < writeChunk && i < len(frames)-1 {
			continue
		}
		if err := c.net.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
			return err
		}
		if _, err := c.net.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	if cap(b) <= 2*writeChunk {
		*chunk = b
	}
	return nil
}

// close ends the connection after what waits was written. Code 0 closes without a frame.
func (c *conn) close(code ws.StatusCode, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return
	}
	if code != withoutFrame {
		c.queueLast(code, reason)
	}
	c.closing, c.deferred = true, nil
	c.wake()
}

// closeNow ends a connection whose client does not read: what waits is forgotten.
func (c *conn) closeNow(code ws.StatusCode, reason string) {
	c.queue, c.queued, c.deferred = nil, 0, nil
	c.queueLast(code, reason)
	c.closing = true
	c.server.meters.slow.Inc()
	c.wake()
	// The client may not take even that: then writing ends by its deadline, and so does reading.
	_ = c.net.SetReadDeadline(time.Now().Add(writeTime))
}

func (c *conn) queueLast(code ws.StatusCode, reason string) {
	f := frame(ws.OpClose, ws.NewCloseFrameBody(code, reason))
	c.queue, c.queued = append(c.queue, f), c.queued+len(f)
}
