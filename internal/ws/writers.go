package ws

import (
	"runtime"
	"sync"
)

// writers write for all connections, a few for thousands: a push that thousands get would otherwise
// wake as many goroutines at once, each with a buffer, and all of them before those who place
// orders. They write only what the system takes at once; for a client that does not read there is
// a goroutine that waits (conn.drain).
//
// There are two lines: replies, and pushes to one account, do not wait behind pushes that many get. A
// connection may stand in both, because taking one out of the middle of a line would cost a search; the
// turn that it has decides which line writes, and in the other one it is passed over (conn.write).
type writers struct{ high, low line }

// batch is how many connections one writer takes at once from the line of pushes that many get, before
// it lets others have the core. highWater is how many may stand in that line before the one who pushes
// waits, and it goes on when half of them are gone: to queue a frame for thousands takes so long that
// orders would feel it, and what was queued a moment ago is still in the caches when it is written.
const (
	batch     = 8
	highWater = 32 * batch
)

// start lets as many write as there are cores: more would only take turns, since none of them waits for
// a client. Between two connections a writer of replies yields to goroutines that can run, which is
// enough where few wait; one of the other line has thousands before it and yields to the network as well
// (netpoll.go).
func (w *writers) start() {
	w.high.start(func() { w.high.run(highPriority, 1, runtime.Gosched) })
	w.low.start(func() {
		b := newNetpollYield()
		defer b.end()
		w.low.run(lowPriority, batch, b.take)
	})
}

// end ends them after what is ready was written.
func (w *writers) end() {
	w.high.end()
	w.low.end()
}

// line is connections for which something waits, in the order in which it came.
type line struct {
	mu    sync.Mutex
	more  sync.Cond // there are connections
	less  sync.Cond // it is below the high-water mark again
	ready []*conn
	first int // of ready that was not taken yet
	ended bool
}

func (l *line) start(run func()) {
	l.more.L, l.less.L = &l.mu, &l.mu
	for range runtime.GOMAXPROCS(0) {
		go run()
	}
}

func (l *line) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.more.Broadcast()
	l.less.Broadcast()
}

// wait waits while the line is at its high-water mark. It must not be called under the lock of a connection:
// the writers need that to make the line shorter.
func (l *line) wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.ready)-l.first >= highWater && !l.ended {
		l.less.Wait()
	}
}

func (l *line) add(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ready) == cap(l.ready) && l.first > len(l.ready)/2 { // a line that is never empty does not grow for ever
		l.ready, l.first = append(l.ready[:0], l.ready[l.first:]...), 0
	}
	l.ready = append(l.ready, c)
	l.more.Signal()
}

// next takes connections out of the line; none when the line has ended.
func (l *line) next(taken []*conn, most int) []*conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.first == len(l.ready) {
		if l.ended {
			return nil
		}
		l.more.Wait()
	}
	from := l.ready[l.first:min(len(l.ready), l.first+most)]
	taken = append(taken, from...)
	clear(from)
	if l.first += len(from); l.first == len(l.ready) {
		l.ready, l.first = l.ready[:0], 0
	}
	if len(l.ready)-l.first < highWater/2 {
		l.less.Broadcast()
	}
	return taken
}

// run works the line off, so many connections at once, and rests in between.
func (l *line) run(in turn, most int, rest func()) {
	chunk := make([]byte, 0, writeChunk)
	taken := make([]*conn, 0, most)
	for taken = l.next(taken, most); len(taken) > 0; taken = l.next(taken[:0], most) {
		for i, c := range taken {
			c.write(in, chunk)
			taken[i] = nil
		}
		rest()
	}
}
