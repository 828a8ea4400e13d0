package pool

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"time"

	"bourse/internal/pool/work"
)

// mostAhead is how far the time of a header may be ahead of that of its job, and of now.
const mostAhead = 600

// submit judges a share. False if the connection ends. The caller holds the lock.
func (c *conn) submit(q *request) bool {
	var f [6][]byte // worker, job, extra, time, nonce, bits of the version
	n, ok := q.texts(f[:])
	w := c.who(f[0])
	switch {
	case !c.subscribed:
		c.refuse(q.id, codeNotSubscribed, "not subscribed")
		return c.verdict(true)
	case !ok || n < 5:
		c.reject(w, q, codeOther, "params must be worker, job, extranonce2, ntime, nonce and bits of the version")
		return c.verdict(true)
	case w == nil:
		c.refuse(q.id, codeUnauthorized, "unauthorized worker")
		return c.verdict(true)
	}
	now := c.p.o.Clock.Now()
	s := c.find(f[1])
	if s == nil {
		c.reject(w, q, codeStale, "stale job")
		return c.verdict(true)
	}
	share := work.Share{Extra1: c.extra(), Version: s.job.Version}
	if why := c.fill(&share, s.job, f[2:n], now); why != "" {
		c.reject(w, q, codeOther, why)
		return c.verdict(true)
	}
	hash := s.job.Hash(&share, &c.r)
	switch block := s.job.Network.Met(&hash); {
	case !block && !s.target.Met(&hash):
		c.reject(w, q, codeLow, "low difficulty share")
		return c.verdict(true)
	case !s.job.First(&hash):
		c.reject(w, q, codeDuplicate, "duplicate share")
		return c.verdict(true)
	case block:
		job, share, hash := s.job, share, hash // of their own, so that those of every share need no memory
		c.p.finding.Go(func() { c.p.found(w, job, &share, hash) })
	}
	c.p.tally.add(c.proves(w, now), s.job.Bits, 1<<(s.exponent+int(s.unit)), now)
	c.answer(q.id, "true")
	c.brought = now
	if s.exponent == c.diff.exponent {
		c.diff.shares++
		c.adjust(now)
	}
	return c.verdict(false)
}

// who is the worker of a share; nil if it was not authorized.
func (c *conn) who(name []byte) *worker {
	for i := range c.names {
		if c.names[i] == string(name) {
			return c.workers[i]
		}
	}
	return nil
}

// proves gives a worker that brought a share its place among those of the account.
func (c *conn) proves(w *worker, now time.Time) *worker {
	if w.listed {
		return w
	}
	listed := c.p.workers.list(w, now)
	c.workers[slices.Index(c.workers, w)] = listed
	return listed
}

// reject refuses a share and counts it, if it is known whose it is.
func (c *conn) reject(w *worker, q *request, code int, why string) {
	c.refuse(q.id, code, why)
	if body, _ := c.p.jobs.current(); w != nil && body != nil {
		c.p.tally.add(w, body.Bits, 0, c.p.o.Clock.Now())
	}
}

// fill reads what the miner chose, and says what is wrong with it.
func (c *conn) fill(s *work.Share, job *work.Job, f [][]byte, now time.Time) string {
	var times, nonce, bits [4]byte
	if !decode(s.Extra2[:], f[0]) || !decode(times[:], f[1]) || !decode(nonce[:], f[2]) {
		return "extranonce2 has 16 hexadecimal digits, ntime and nonce have 8"
	}
	s.Time, s.Nonce = binary.BigEndian.Uint32(times[:]), binary.BigEndian.Uint32(nonce[:])
	if most := min(int64(job.Time), now.Unix()) + mostAhead; s.Time < job.MinTime || int64(s.Time) > most {
		return "ntime is out of range"
	}
	if len(f) < 4 {
		return ""
	}
	if !decode(bits[:], f[3]) {
		return "the bits of the version have 8 hexadecimal digits"
	}
	chosen := binary.BigEndian.Uint32(bits[:])
	if chosen&^c.mask != 0 {
		return "bits of the version outside the mask"
	}
	if c.mask != 0 {
		s.Version = job.Version&^c.mask | chosen
	}
	return ""
}

// decode reads hexadecimal digits that fill a place.
func decode(to, digits []byte) bool {
	if len(digits) != 2*len(to) {
		return false
	}
	_, err := hex.Decode(to, digits)
	return err == nil
}
