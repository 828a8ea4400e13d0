package ws

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// What is to be written to a connection waits in a queue with a bound. One writes at a time: a writer
// (writers.go), and for a client that does not take everything at once a goroutine that waits for it.
// So the order of frames is that of the queue, no matter who writes, and no writer is held up by a client.
//
// The turn says who that is. It goes from nobody to one of the lines when the first frame is queued, to
// writing when a writer takes the connection out of its line, and back to nobody, or to a line if more
// came meanwhile. Server.running counts connections whose turn is not nobody, so that Stop waits until
// what was queued is written.
//
// Bytes count against the bound until the system has taken them, not until they are taken out of the
// queue: a client that stops reading is noticed although a writer holds its frames.

// turn is who writes to a connection, or is about to.
type turn int

const (
	nobody       turn = iota
	lowPriority       // it stands in the line of pushes that many get
	highPriority      // it stands in the line of all else, and perhaps still in the other one
	writing           // somebody writes
)

// send queues a frame, which must not be changed any more. A client that does not read is cut off:
// nothing may be missing for it without its knowing.
func (c *conn) send(f []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(f, true)
}

// push is send for a frame that many get: what others are waiting for comes before it. It waits while
// too many connections are to be written to.
func (c *conn) push(f []byte) {
	c.server.writers.low.wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(f, false)
}

// sendAfter queues a push that a command of this connection may have caused, behind the replies to
// all commands that were begun.
func (c *conn) sendAfter(f []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun == c.replied {
		c.enqueue(f, true)
	} else if c.room(f) {
		c.deferred = append(c.deferred, deferredFrame{c.begun, f})
	}
}

// enqueue is send or push under the lock.
func (c *conn) enqueue(f []byte, hurry bool) {
	if c.room(f) {
		c.queue = append(c.queue, f)
		c.wake(hurry)
	}
}

// room takes room for a frame. If there is none, that is the end of the connection.
func (c *conn) room(f []byte) bool {
	switch {
	case c.closing:
		return false
	case c.queued+len(f)+frameCost > maxQueued:
		c.server.meters.slow.Inc()
		c.queue = nil // the client does not read: what waits is forgotten
		c.shut(tryLater, "too slow")
		return false
	}
	c.queued += len(f) + frameCost
	return true
}

// wake lets somebody write. A connection that waits among the pushes that many get moves up when a reply
// is queued for it: all that waits goes out together, or the reply would overtake.
func (c *conn) wake(hurry bool) {
	c.hurried = c.hurried || hurry
	switch {
	case c.turn == nobody:
		c.server.running.Add(1)
		c.line()
	case c.turn == lowPriority && hurry:
		c.line()
	}
}

// line puts the connection in the line that it belongs to.
func (c *conn) line() {
	if c.hurried {
		c.turn = highPriority
		c.server.writers.high.add(c)
	} else {
		c.turn = lowPriority
		c.server.writers.low.add(c)
	}
}

// backlog is how many bytes wait; channels that may leave something out look at it.
func (c *conn) backlog() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queued
}

// write writes what waits, as far as the system takes it at once, if the connection still has its
// turn in the line that the writer works off.
func (c *conn) write(in turn, chunk []byte) {
	c.mu.Lock()
	if c.turn != in { // it was in the other line as well, and had its turn there
		c.mu.Unlock()
		return
	}
	c.turn = writing
	frames := c.take()
	c.mu.Unlock()
	rest, room := unwritten{frames: frames}, 0
	if c.raw != nil {
		var err error
		if rest, room, err = c.offer(frames, chunk); err != nil {
			c.broken()
		}
	}
	if rest.bytes != nil || rest.frames != nil {
		c.written(room)
		go c.drain(rest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queued -= room
	if cap(frames) <= framesKept {
		clear(frames)
		c.spare = frames[:0]
	}
	if len(c.queue) == 0 {
		c.rest()
		return
	}
	c.line() // others come first
}

// framesKept is how many frames the memory that a queue keeps has room for.
const framesKept = 16

// take is what waits, under the lock.
func (c *conn) take() [][]byte {
	frames := c.queue
	c.queue, c.spare, c.hurried = c.spare, nil, false
	return frames
}

// rest is called by the one who writes, under the lock, when nothing waits.
func (c *conn) rest() {
	c.turn = nobody
	c.server.running.Done()
	if c.closing && c.heard {
		_ = c.net.Close()
	}
}

// unwritten is what a connection did not take at once.
type unwritten struct {
	bytes  []byte // of a chunk
	room   int    // that the frames in it take
	frames [][]byte
}

// offer writes frames in chunks until the system takes no more. It returns the room of what was
// written. Frames are put together so that one system call takes many; what is left of a chunk is copied,
// because the chunk is the writer's and the next connection needs it.
func (c *conn) offer(frames [][]byte, chunk []byte) (rest unwritten, room int, err error) {
	b, begun := chunk[:0], 0
	for i, f := range frames {
		begun += len(f) + frameCost
		last := i == len(frames)-1
		if last && len(b) == 0 {
			b = f // the most frequent case by far: one frame
		} else {
			b = append(b, f...)
		}
		if len(b) < writeChunk && !last {
			continue
		}
		n, err := try(c.raw, b)
		if err != nil {
			return unwritten{}, room, err
		}
		if n < len(b) {
			return unwritten{append([]byte(nil), b[n:]...), begun, frames[i+1:]}, room, nil
		}
		room += begun
		b, begun = chunk[:0], 0
	}
	return unwritten{}, room, nil
}

// try writes what the system takes without waiting.
func try(raw syscall.RawConn, b []byte) (n int, err error) {
	var failure error
	err = raw.Write(func(fd uintptr) bool {
		n, failure = syscall.Write(int(fd), b)
		return true // also if it took nothing: who can wait goes on
	})
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(failure, syscall.EAGAIN), errors.Is(failure, syscall.EINTR):
		return 0, nil
	case err != nil:
		return 0, err
	case failure != nil:
		return 0, failure
	}
	return n, nil
}

// chunks are buffers in which frames are put together.
var chunks = sync.Pool{New: func() any { b := make([]byte, 0, writeChunk); return &b }}

// drain writes what a client did not take at once, and what comes meanwhile, and waits for the
// client.
func (c *conn) drain(rest unwritten) {
	chunk := chunks.Get().(*[]byte)
	defer chunks.Put(chunk)
	err := c.putBytes(rest.bytes, rest.room)
	if err == nil {
		err = c.put(rest.frames, chunk)
	}
	for {
		if err != nil {
			c.broken()
		}
		frames := c.more()
		if frames == nil {
			return
		}
		err = c.put(frames, chunk)
	}
}

// more is what came while something was written; nil when nothing did: then nobody writes any more.
func (c *conn) more() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		c.rest()
		return nil
	}
	return c.take()
}

// broken ends a connection that cannot be written to.
func (c *conn) broken() {
	c.mu.Lock()
	c.closing, c.queue, c.deferred = true, nil, nil
	c.mu.Unlock()
	_ = c.net.Close() // the one who reads notices
}

// written gives room back.
func (c *conn) written(room int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queued -= room
}

// put writes frames in chunks. They take room until they are written.
func (c *conn) put(frames [][]byte, chunk *[]byte) error {
	b, taken := (*chunk)[:0], 0
	for i, f := range frames {
		b, taken = append(b, f...), taken+len(f)+frameCost
		if len(b) < writeChunk && i < len(frames)-1 {
			continue
		}
		if err := c.putBytes(b, taken); err != nil {
			return err
		}
		b, taken = b[:0], 0
	}
	if cap(b) <= 2*writeChunk {
		*chunk = b
	}
	return nil
}

// putBytes writes bytes, of frames that take so much room, and waits for the client.
func (c *conn) putBytes(b []byte, room int) error {
	if len(b) == 0 {
		return nil
	}
	if err := c.extendWriteDeadline(); err != nil {
		return err
	}
	if _, err := c.net.Write(b); err != nil {
		return err
	}
	c.written(room)
	return nil
}

// extendWriteDeadline gives the client time to take a chunk; see extendReadDeadline.
func (c *conn) extendWriteDeadline() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return nil
	}
	return c.net.SetWriteDeadline(time.Now().Add(writeTime))
}
