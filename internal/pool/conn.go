package pool

import (
	"bufio"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"bourse/internal/pool/work"
)

const (
	mostLine    = 4096 // bytes, with its end
	jobsKept    = 8    // that count
	lastWords   = 5 * time.Second
	outKept     = 8 << 10 // bytes of a buffer that is kept while nothing is written
	mostWorking = 32      // workers of a connection
	checkEvery  = 30 * time.Second
)

// conn is a connection. One goroutine reads and answers, another writes; jobs come from elsewhere.
type conn struct {
	p      *Pool
	nc     net.Conn
	from   netip.Addr
	number uint32
	gone   chan struct{} // nothing more is read
	wake   chan struct{} // there is something to write

	in request // of the reader alone
	r  work.Room

	mu         sync.Mutex
	out        []byte
	closed     bool
	subscribed bool
	brought    time.Time // the last share that counted, or the connection itself
	mask       uint32    // of the version that the miner may choose; 0: it asked for none
	workers    []*worker // that were authorized
	names      []string  // as they were
	diff       vardiff
	sent       int // the exponent that the miner knows
	told       bool
	jobs       [jobsKept]sent
	next       int // place of the next job
	allowed    budget
	checked    time.Time // when it was looked whether its workers may mine
	judged     verdicts
}

// sent is a job as a connection has it.
type sent struct {
	job      *work.Job
	unit     uint8
	exponent int
	target   work.Target
}

func newConn(p *Pool, nc net.Conn, from netip.Addr, number uint32) *conn {
	now := p.o.Clock.Now()
	c := &conn{p: p, nc: nc, from: from, number: number, brought: now, gone: make(chan struct{}), wake: make(chan struct{}, 1)}
	c.allowed = budget{left: 3 * time.Second, at: now}
	c.judged.begin(p.o.Bounds.Judged)
	c.diff.exponent, c.diff.floor, c.checked = p.o.Bounds.Start, work.LeastExponent, now
	c.in.begin()
	return c
}

// extra is what tells the work of the connection from that of others.
func (c *conn) extra() (e [work.Extra1Size]byte) {
	binary.BigEndian.PutUint32(e[:], c.number)
	return e
}

// read answers until the connection ends. What is left to be written then must be taken soon, also what is being written at this moment: a miner
// that stops reading and speaking would keep the writer for ever.
func (c *conn) read() {
	defer func() {
		_ = c.nc.SetWriteDeadline(time.Now().Add(lastWords))
		close(c.gone)
	}()
	lines := bufio.NewReaderSize(c.nc, mostLine)
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			c.complain(nil, codeOther, "the line is too long")
			return
		}
		if err != nil || !c.take(line) {
			return
		}
		if lines.Buffered() == 0 {
			c.flush()
		}
	}
}

// flush lets what waits be written.
func (c *conn) flush() { poke(c.wake) }

// write writes what waits until the connection ends, then what is left.
func (c *conn) write() {
	defer c.nc.Close()
	var spare []byte
	for last := false; ; {
		c.mu.Lock()
		full := c.out
		c.out = spare[:0]
		c.mu.Unlock()
		if len(full) > 0 {
			if _, err := c.nc.Write(full); err != nil {
				return
			}
		}
		if spare = full; cap(spare) > outKept {
			spare = nil
		}
		if len(full) > 0 {
			continue
		}
		if last {
			return
		}
		select {
		case <-c.wake:
		case <-c.gone:
			last = true
		}
	}
}

// close ends the connection at once.
func (c *conn) close() {
	_ = c.nc.Close()
}

// put appends to what is to be written. The caller holds the lock. Who does not take it is let go.
func put[Text string | []byte](c *conn, text Text) {
	if len(c.out)+len(text) > c.p.o.Bounds.Queue {
		c.closed = true
		c.close()
		return
	}
	c.out = append(c.out, text...)
}

// offer sends a job.
func (c *conn) offer(job *work.Job, unit uint8, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.workers) > 0 {
		c.give(job, unit, now)
	}
}

// give sends a job, and before it the difficulty if that is another. The caller holds the lock.
func (c *conn) give(job *work.Job, unit uint8, now time.Time) {
	if job.Clean {
		c.jobs = [jobsKept]sent{}
	}
	if c.diff.since.IsZero() {
		c.diff.since = now
	}
	c.diff.exponent = c.diff.clamp(c.diff.exponent, -int(unit), job.Body)
	if !c.told || c.sent != c.diff.exponent {
		c.told, c.sent = true, c.diff.exponent
		c.out = appendDifficulty(c.out, c.sent)
	}
	put(c, job.Notice)
	c.jobs[c.next] = sent{job, unit, c.sent, work.OfExponent(c.sent)}
	c.next = (c.next + 1) % jobsKept
	c.flush()
}

// renew sends a job of its own, because the difficulty changed: jobs keep theirs. The caller holds the lock.
func (c *conn) renew(now time.Time) {
	if job, unit := c.p.jobs.make(false); job != nil {
		c.give(job, unit, now)
	}
}

// adjust changes the difficulty if shares come too fast or too slow. The caller holds the lock.
func (c *conn) adjust(now time.Time) {
	body, _ := c.p.jobs.current()
	if len(c.workers) == 0 || body == nil || c.diff.since.IsZero() {
		return
	}
	by := c.diff.change(now)
	if by == 0 {
		return
	}
	exponent := c.diff.clamp(c.diff.exponent+by, c.p.jobs.least(), body)
	if exponent == c.diff.exponent {
		return
	}
	c.diff.exponent = exponent
	c.p.workers.remember(c.workers, exponent)
	c.renew(now)
}

// look is what is looked after each second.
func (c *conn) look(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.workers) == 0 {
		if now.Sub(c.brought) >= c.p.o.Bounds.Authorize {
			c.close()
		}
		return
	}
	if now.Sub(c.brought) >= c.p.o.Bounds.Idle {
		c.close()
		return
	}
	c.adjust(now)
	if now.Sub(c.checked) < checkEvery {
		return
	}
	c.checked = now
	for i, w := range c.workers {
		account, _, _ := cutWorker(c.names[i])
		if id, may := c.p.o.Book.Find(account); !may || id != w.account {
			c.close()
			return
		}
	}
}

// find is a job that counts, by its name.
func (c *conn) find(id []byte) *sent {
	for i := range c.jobs {
		if s := &c.jobs[i]; s.job != nil && s.job.ID == string(id) {
			return s
		}
	}
	return nil
}

func appendDifficulty(to []byte, exponent int) []byte {
	to = append(to, `{"id":null,"method":"mining.set_difficulty","params":[`...)
	if exponent >= 0 && exponent < 63 {
		to = strconv.AppendUint(to, 1<<exponent, 10)
	} else {
		to = strconv.AppendFloat(to, power(exponent), 'g', -1, 64)
	}
	return append(to, "]}\n"...)
}

// budget is for how many messages there is room, as the time that they may take.
type budget struct {
	left time.Duration
	at   time.Time
}

// take takes one of so many a second.
func (b *budget) take(now time.Time, perSecond int) bool {
	b.left = min(b.left+now.Sub(b.at), 3*time.Second)
	b.at = now
	cost := time.Second / time.Duration(perSecond)
	if b.left < cost {
		return false
	}
	b.left -= cost
	return true
}

// verdicts are what became of the last shares.
type verdicts struct {
	bad   []bool
	n     int // that there ever were
	wrong int // of those that are kept
}

func (v *verdicts) begin(most int) { v.bad = make([]bool, most) }

func (v *verdicts) add(bad bool) {
	i := v.n % len(v.bad)
	if v.bad[i] {
		v.wrong--
	}
	if v.bad[i] = bad; bad {
		v.wrong++
	}
	v.n++
}

// hopeless reports whether so many of them are wrong that the connection is closed.
func (v *verdicts) hopeless(most int) bool { return v.n >= len(v.bad) && v.wrong >= most }
