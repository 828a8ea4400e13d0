package ws

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
)

// writers write for all connections, a few for thousands: a push that thousands get would otherwise
// wake as many goroutines at once, each with a buffer, and all of them before those who place
// orders. They write only what the system takes at once; for a client that does not read there is
// a goroutine that waits (conn.drain).
type writers struct {
	mu    sync.Mutex
	more  sync.Cond
	ready []*conn // those for whom something waits, in the order in which it came
	first int     // of ready that was not taken yet
	ended bool
}

// start lets as many write as there are cores.
func (w *writers) start() {
	w.more.L = &w.mu
	for range runtime.GOMAXPROCS(0) {
		go w.run()
	}
}

// end ends them after what is ready was written.
func (w *writers) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.more.Broadcast()
}

// add makes a connection ready. It must not be ready already.
func (w *writers) add(c *conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ready = append(w.ready, c)
	w.more.Signal()
}

func (w *writers) next() *conn {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.first == len(w.ready) {
		if w.ended {
			return nil
		}
		w.more.Wait()
	}
	c := w.ready[w.first]
	w.ready[w.first] = nil
	if w.first++; w.first == len(w.ready) {
		w.ready, w.first = w.ready[:0], 0
	}
	return c
}

func (w *writers) run() {
	chunk := make([]byte, 0, writeChunk)
	for c := w.next(); c != nil; c = w.next() {
		c.turn(chunk)
		runtime.Gosched() // whoever waits for a core comes first
	}
}

// turn writes what waits for a connection, as far as the system takes it at once.
func (c *conn) turn(chunk []byte) {
	frames := c.take()
	if frames == nil {
		return
	}
	rest := unwritten{frames: frames}
	if c.raw != nil {
		var err error
		if rest, err = c.offer(frames, chunk); err != nil {
			c.broken()
		}
	}
	if rest.bytes != nil || rest.frames != nil {
		go c.drain(rest)
		return
	}
	if c.again() {
		c.server.writers.add(c) // others come first
	}
}

// unwritten is what a connection did not take at once.
type unwritten struct {
	bytes  []byte // of a chunk
	room   int    // that the frames in it take
	frames [][]byte
}

// offer writes frames in chunks until the system takes no more.
func (c *conn) offer(frames [][]byte, chunk []byte) (unwritten, error) {
	b, room := chunk[:0], 0
	for i, f := range frames {
		b, room = append(b, f...), room+len(f)+frameCost
		if len(b) < writeChunk && i < len(frames)-1 {
			continue
		}
		n, err := try(c.raw, b)
		if err != nil {
			return unwritten{}, err
		}
		if n < len(b) {
			return unwritten{append([]byte(nil), b[n:]...), room, frames[i+1:]}, nil
		}
		c.written(room)
		b, room = b[:0], 0
	}
	return unwritten{}, nil
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
