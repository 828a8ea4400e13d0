package bench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"strconv"
	"sync"
	"time"
)

// textFrame appends a text as a frame of a client. The mask is zero: masking is for proxies, and
// its cost would be the generator's.
func textFrame(dst []byte, text []byte) []byte {
	dst = append(dst, 0x81)
	switch n := len(text); {
	case n < 126:
		dst = append(dst, 0x80|byte(n))
	default:
		dst = binary.BigEndian.AppendUint16(append(dst, 0x80|126), uint16(n))
	}
	return append(append(dst, 0, 0, 0, 0), text...)
}

var (
	switched = []byte("HTTP/1.1 101 ")
	good     = []byte(`"error":null`)
)

// upgrade makes a WebSocket of the connection, and sends what comes first.
func (c *client) upgrade(path string) error {
	request := "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	if _, err := c.conn.Write([]byte(request)); err != nil {
		return err
	}
	for {
		text := c.buffer[c.start:c.end]
		if head := bytes.Index(text, headEnd); head >= 0 {
			if !bytes.HasPrefix(text, switched) {
				return fmt.Errorf("a WebSocket was refused: %.400s", text)
			}
			c.start += head + len(headEnd)
			break
		}
		if err := c.fill(); err != nil {
			return err
		}
	}
	if len(c.requests.First) == 0 {
		return nil
	}
	if _, err := c.conn.Write(c.requests.First); err != nil {
		return err
	}
	text, err := c.frame()
	if err == nil && !bytes.Contains(text, good) {
		err = fmt.Errorf("the first request was refused: %s", text)
	}
	return err
}

// fill reads more, and makes room for it.
func (c *client) fill() error {
	switch {
	case c.start == c.end:
		c.start, c.end = 0, 0
	case c.end == len(c.buffer):
		if c.start == 0 {
			return errTooLarge
		}
		c.end = copy(c.buffer, c.buffer[c.start:c.end])
		c.start = 0
	}
	n, err := c.conn.Read(c.buffer[c.end:])
	c.end += n
	return err
}

// buffered is the next frame if it is here already; it is valid until the next call.
func (c *client) buffered() (text []byte, there bool) {
	b := c.buffer[c.start:c.end]
	if len(b) < 2 {
		return nil, false
	}
	head, size := 2, int(b[1])
	switch {
	case size == 126 && len(b) >= 4:
		head, size = 4, int(binary.BigEndian.Uint16(b[2:]))
	case size == 127 && len(b) >= 10:
		head, size = 10, int(binary.BigEndian.Uint64(b[2:]))
	case size >= 126:
		return nil, false
	}
	if len(b) < head+size {
		return nil, false
	}
	c.start += head + size
	return b[head : head+size], true
}

// frame is the next frame.
func (c *client) frame() ([]byte, error) {
	for {
		if text, there := c.buffered(); there {
			return text, nil
		}
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
}

// socketLoop keeps so many requests of every connection in flight: as many as were answered are sent
// next, with one write.
func socketLoop(p *loadPlan, clients []*client) (problem string) {
	var wait sync.WaitGroup
	var first failure
	end := time.Now().Add(time.Duration(p.Seconds * float64(time.Second)))
	for _, c := range clients {
		wait.Go(func() {
			if err := c.pipeline(p.InFlight, p.Cycle, end); err != nil {
				first.set(err)
			}
		})
	}
	wait.Wait()
	return first.text()
}

func (c *client) pipeline(inFlight int, cycle bool, end time.Time) error {
	sent := make([]time.Time, inFlight) // of the requests in flight, by number
	next, answered := 0, 0
	send := func(n int) error {
		for n > 0 {
			at := next % len(c.requests.Ends)
			if !cycle && next >= len(c.requests.Ends) {
				return nil
			}
			count := min(n, len(c.requests.Ends)-at)
			from := 0
			if at > 0 {
				from = c.requests.Ends[at-1]
			}
			now := time.Now()
			for i := range count {
				sent[(next+i)%inFlight] = now
			}
			if _, err := c.conn.Write(c.requests.Bytes[from:c.requests.Ends[at+count-1]]); err != nil {
				return err
			}
			next, n = next+count, n-count
		}
		return nil
	}
	if err := send(inFlight); err != nil {
		return err
	}
	for answered < next {
		text, err := c.frame()
		count := 0
		for there := err == nil; there; text, there = c.buffered() {
			if !bytes.Contains(text, good) {
				return fmt.Errorf("a request was refused: %.400s", text)
			}
			c.times.Add(time.Since(sent[answered%inFlight]))
			answered, count = answered+1, count+1
		}
		if err != nil {
			return err
		}
		if time.Now().Before(end) {
			if err := send(count); err != nil {
				return err
			}
		}
	}
	return nil
}

// watch listens to trades on all connections and counts from the moment of a trade to that of its
// arrival. Each trade is a cent dearer than the one before: one that is missing is an error.
//
// Listeners stand for other machines, so they do as little as they can, and give way to the server.
// What they keep is small: thousands of tallies would not fit the caches.
type watch struct {
	ear    *ear
	cut    [][]byte  // the beginning of a frame, by connection
	last   []float64 // the price of the last trade in cents, by connection; 0: none yet
	times  Latency   // of trades
	frames int
}

// calmTime is how long listeners read what they are sent first, before anything is measured.
const calmTime = time.Second

// newWatch takes the connections of all clients.
func newWatch(clients []*client) (*watch, error) {
	w := &watch{cut: make([][]byte, len(clients)), last: make([]float64, len(clients))}
	conns := make([]net.Conn, len(clients))
	for i, c := range clients {
		conns[i] = c.conn
		if err := w.heard(i, c.buffer[c.start:c.end]); err != nil { // with the first reply
			return nil, err
		}
		c.buffer = nil
	}
	giveWay()
	var err error
	if w.ear, err = newEar(conns); err != nil {
		return nil, err
	}
	if err := w.ear.listen(time.Now().Add(calmTime), w.heard); err != nil {
		w.ear.close()
		return nil, err
	}
	clear(w.last) // the first trade that follows is not counted either
	w.times, w.frames = Latency{}, 0
	return w, nil
}

// mostWindows is how many times as long as planned listeners wait for a first trade.
const mostWindows = 60

// run listens as long as the plan says, and longer while nothing was counted: a machine may stand still for all of a
// short time.
func (w *watch) run(p *loadPlan, clients []*client) (problem string) {
	defer w.ear.close()
	for window := 0; window == 0 || window < mostWindows && w.times.Count() == 0; window++ {
		if err := w.ear.listen(time.Now().Add(time.Duration(p.Seconds*float64(time.Second))), w.heard); err != nil {
			return err.Error()
		}
	}
	clients[0].times, clients[0].frames = w.times, w.frames
	return ""
}

var (
	priceMember = []byte(`"price":"`)
	timeMember  = []byte(`"time":`)
	tradesPush  = []byte(`"trades_update"`)
)

// heard counts the trades in what came on a connection.
func (w *watch) heard(connection int, came []byte) error {
	if len(w.cut[connection]) > 0 {
		came = append(w.cut[connection], came...)
	}
	part := client{buffer: came, end: len(came)}
	for text, there := part.buffered(); there; text, there = part.buffered() {
		if !bytes.Contains(text, tradesPush) {
			continue
		}
		if err := w.trades(&w.last[connection], text); err != nil {
			return err
		}
	}
	w.cut[connection] = bytes.Clone(came[part.start:]) // nil, most of the time
	return nil
}

// trades counts the trades of a frame, newest first. Those of the first frame are of the past.
func (w *watch) trades(last *float64, text []byte) error {
	newest, oldest := 0.0, 0.0
	for {
		_, rest, found := bytes.Cut(text, timeMember)
		if !found {
			break
		}
		at := leading(rest)
		_, rest, _ = bytes.Cut(rest, priceMember)
		cents := math.Round(100 * leading(rest))
		if newest == 0 {
			newest = cents
		} else if *last > 0 && cents != oldest-1 {
			return fmt.Errorf("before the trade at %.0f cents came that at %.0f", oldest, cents)
		}
		if *last > 0 {
			w.times.Add(time.Since(time.UnixMicro(int64(math.Round(at * 1e6)))))
		}
		oldest, text = cents, rest
	}
	if *last > 0 {
		w.frames++
	}
	if *last > 0 && oldest != *last+1 {
		return fmt.Errorf("after the trade at %.0f cents came that at %.0f", *last, oldest)
	}
	*last = newest
	return nil
}

// leading is the number that a text begins with.
func leading(text []byte) float64 {
	end := max(bytes.IndexAny(text, `",}`), 0)
	n, err := strconv.ParseFloat(string(text[:end]), 64)
	if err != nil {
		return 0
	}
	return n
}
