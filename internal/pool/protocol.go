package pool

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/go-faster/jx"

	"bourse/internal/pool/work"
)

// Errors as Stratum numbers them.
const (
	codeOther         = 20
	codeStale         = 21
	codeDuplicate     = 22
	codeLow           = 23
	codeUnauthorized  = 24
	codeNotSubscribed = 25
)

// request is a message of a miner. It is read into the same place again and again, and points into the line.
type request struct {
	id, method, params []byte
	d                  jx.Decoder
	field              func(*jx.Decoder, []byte) error
}

func (q *request) begin() { q.field = q.take }

// take reads a field of a message.
func (q *request) take(d *jx.Decoder, key []byte) (err error) {
	switch string(key) {
	case "id":
		var raw jx.Raw
		raw, err = d.Raw()
		q.id = raw
	case "method":
		q.method, err = d.StrBytes()
	case "params":
		var raw jx.Raw
		raw, err = d.Raw()
		q.params = raw
	default:
		err = d.Skip()
	}
	return err
}

const mostID = 64 // bytes of what a miner calls a message

// parse reads a line. False if it is no message; then its id is none.
func (q *request) parse(line []byte) bool {
	q.id, q.method, q.params = nil, nil, nil
	q.d.ResetBytes(line)
	if q.d.ObjBytes(q.field) != nil || len(q.id) > mostID || len(q.id) > 0 && (q.id[0] == '{' || q.id[0] == '[') {
		q.id = nil
		return false
	}
	return true
}

// texts reads params as texts into places; what is beyond is left out. It says how many there were.
func (q *request) texts(to [][]byte) (n int, ok bool) {
	q.d.ResetBytes(q.params)
	list, err := q.d.ArrIter()
	if err != nil {
		return 0, false
	}
	for list.Next() {
		if n == len(to) || q.d.Next() != jx.String {
			if q.d.Skip() != nil {
				return 0, false
			}
			continue
		}
		if to[n], err = q.d.StrBytes(); err != nil {
			return 0, false
		}
		n++
	}
	return n, list.Err() == nil
}

// take answers a line. False if the connection ends.
func (c *conn) take(line []byte) bool {
	if len(bytes.TrimSpace(line)) == 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.in
	if !q.parse(line) {
		c.refuse(nil, codeOther, "this is no message of Stratum")
		return false
	}
	if !c.allowed.take(c.p.o.Clock.Now(), c.p.o.Bounds.PerSecond) {
		c.refuse(q.id, codeOther, "too many messages")
		return c.verdict(true)
	}
	switch string(q.method) {
	case "mining.submit":
		return c.submit(q)
	case "mining.subscribe":
		c.subscribe(q)
	case "mining.authorize":
		return c.authorize(q)
	case "mining.configure":
		c.configure(q)
	case "mining.suggest_difficulty":
		c.suggest(q)
	default:
		c.refuse(q.id, codeOther, "unknown method")
		return c.verdict(true)
	}
	return !c.closed
}

// verdict counts what became of a share. False if there were too many bad ones: then the connection ends, and its workers wait before they come back.
func (c *conn) verdict(bad bool) bool {
	c.judged.add(bad)
	if b := &c.p.o.Bounds; bad && c.judged.hopeless(b.Rejected) {
		c.p.workers.pause(c.workers, c.from, c.p.o.Clock.Now().Add(b.Pause))
		return false
	}
	return !c.closed
}

// head begins an answer.
func (c *conn) head(id []byte) {
	put(c, `{"id":`)
	if len(id) == 0 {
		put(c, "null")
		return
	}
	put(c, id)
}

// answer says what a message brought, as JSON.
func (c *conn) answer(id []byte, result string) {
	c.head(id)
	put(c, `,"result":`)
	put(c, result)
	put(c, ",\"error\":null}\n")
}

// refuse says why a message is not followed.
func (c *conn) refuse(id []byte, code int, why string) {
	c.head(id)
	put(c, `,"result":null,"error":[`)
	put(c, strconv.Itoa(code))
	put(c, `,"`)
	put(c, why)
	put(c, "\",null]}\n")
}

func (c *conn) complain(id []byte, code int, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuse(id, code, why)
}

// subscribe tells the miner what its work has of its own.
func (c *conn) subscribe(q *request) {
	c.subscribed = true
	extra := c.extra()
	text := hex.EncodeToString(extra[:])
	c.answer(q.id, `[[["mining.set_difficulty","`+text+`"],["mining.notify","`+text+`"]],"`+text+`",`+strconv.Itoa(work.Extra2Size)+`]`)
}

// cutWorker divides the name that a worker signs in with.
func cutWorker(name string) (account, worker string, ok bool) {
	account, worker, ok = strings.Cut(name, ".")
	return account, worker, ok && validWorker(worker)
}

// authorize signs a worker in. With the first work begins.
func (c *conn) authorize(q *request) bool {
	var texts [2][]byte // the second is a password, which there is none of
	now := c.p.o.Clock.Now()
	n, ok := q.texts(texts[:])
	if !ok || n == 0 {
		c.refuse(q.id, codeOther, "params must be the name of a worker and a password")
		return c.verdict(true)
	}
	if !c.subscribed {
		c.refuse(q.id, codeNotSubscribed, "not subscribed")
		return c.verdict(true)
	}
	name := string(texts[0])
	for _, known := range c.names {
		if known == name {
			c.answer(q.id, "true")
			return !c.closed
		}
	}
	account, worker, ok := cutWorker(name)
	if !ok {
		c.refuse(q.id, codeUnauthorized, "sign in as account.worker; a worker has 1 to 64 letters, digits, _ and -")
		return c.verdict(true)
	}
	id, may := c.p.o.Book.Find(account)
	if !may {
		c.refuse(q.id, codeUnauthorized, "no such mining account, or it may not mine")
		return c.verdict(true)
	}
	job, unit := c.p.jobs.make(true)
	if job == nil {
		c.refuse(q.id, codeOther, "there is no work now; come again later")
		return false
	}
	if len(c.workers) >= mostWorking {
		c.refuse(q.id, codeUnauthorized, "too many workers on one connection")
		return c.verdict(true)
	}
	w, ok := c.p.workers.come(id, worker, c.from, now)
	if !ok {
		c.refuse(q.id, codeUnauthorized, "this worker had too many shares rejected: wait a minute")
		return c.verdict(true)
	}
	c.workers, c.names = append(c.workers, w), append(c.names, name)
	c.answer(q.id, "true")
	if len(c.workers) == 1 {
		if last, known := c.p.workers.last(w); known && !c.diff.chosen {
			c.diff.exponent = last
		}
		c.give(job, unit, now)
	}
	return !c.closed
}

// configure settles extensions: bits of the version that the miner chooses, and the least difficulty that it wants.
func (c *conn) configure(q *request) {
	asked, mask, floor := map[string]bool{}, uint32(0xffffffff), math.NaN()
	q.d.ResetBytes(q.params)
	list, err := q.d.ArrIter()
	ok := err == nil && list.Next() && q.d.Arr(func(d *jx.Decoder) error {
		name, err := d.Str()
		asked[name] = true
		return err
	}) == nil
	if ok && list.Next() {
		ok = q.d.Obj(func(d *jx.Decoder, key string) error {
			switch {
			case key == "version-rolling.mask" && d.Next() == jx.String:
				text, err := d.Str()
				if n, bad := strconv.ParseUint(text, 16, 32); bad == nil {
					mask = uint32(n)
				} else {
					mask = 0
				}
				return err
			case key == "minimum-difficulty.value" && d.Next() == jx.Number:
				var err error
				floor, err = d.Float64()
				return err
			}
			return d.Skip()
		}) == nil
	}
	if !ok {
		c.refuse(q.id, codeOther, "params must be a list of extensions and their settings")
		return
	}
	var said []string
	if asked["version-rolling"] {
		if c.mask = mask & work.VersionMask; c.mask != 0 {
			said = append(said, `"version-rolling":true,"version-rolling.mask":"`+hex8(c.mask)+`"`)
		} else {
			said = append(said, `"version-rolling":false`)
		}
	}
	if asked["minimum-difficulty"] {
		e, fits := work.Exponent(floor)
		if fits {
			c.raise(e)
		}
		said = append(said, `"minimum-difficulty":`+strconv.FormatBool(fits))
	}
	c.answer(q.id, "{"+strings.Join(said, ",")+"}")
}

// raise takes the least difficulty that a miner wants.
func (c *conn) raise(floor int) {
	c.diff.floor = floor
	if len(c.workers) > 0 && c.diff.exponent < floor {
		c.prefer(floor)
	}
}

// prefer takes a difficulty that a miner wants, as far as it may have it.
func (c *conn) prefer(exponent int) {
	c.diff.exponent, c.diff.chosen = exponent, true
	body, _ := c.p.jobs.current()
	if len(c.workers) == 0 || body == nil {
		return // the first job is sent with it
	}
	now := c.p.o.Clock.Now()
	c.diff.exponent = c.diff.clamp(exponent, c.p.jobs.least(), body)
	c.diff.shares, c.diff.since = 0, now
	if c.diff.exponent != c.sent {
		c.renew(now)
	}
}

// suggest hears which difficulty a miner would like.
func (c *conn) suggest(q *request) {
	q.d.ResetBytes(q.params)
	list, err := q.d.ArrIter()
	if err == nil && list.Next() && q.d.Next() == jx.Number {
		if difficulty, err := q.d.Float64(); err == nil {
			if e, ok := work.Exponent(difficulty); ok {
				c.answer(q.id, "true")
				c.prefer(e)
				return
			}
		}
	}
	c.refuse(q.id, codeOther, "params must be a difficulty above zero")
}

// hex8 writes a number as headers are written in messages.
func hex8(n uint32) string {
	text := strconv.FormatUint(uint64(n), 16)
	return "00000000"[len(text):] + text
}

// power is 2^n, exactly.
func power(n int) float64 { return math.Ldexp(1, n) }
