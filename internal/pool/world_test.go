package pool

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bourse/internal/network/driver"
	"bourse/internal/pool/work"
	"bourse/internal/schema"
)

// patience is how long a test waits for what must happen.
const patience = time.Minute

// clock is a clock that stands still until it is moved.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[*alarm]bool
}

type alarm struct {
	at   time.Time
	ring chan time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Timer(d time.Duration) (<-chan time.Time, func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{c.now.Add(d), make(chan time.Time, 1)}
	c.timers[a] = true
	return a.ring, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := c.timers[a]
		delete(c.timers, a)
		return was
	}
}

// advance lets time pass.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for a := range c.timers {
		if !a.at.After(c.now) {
			a.ring <- c.now
			delete(c.timers, a)
		}
	}
}

// easy is the target of regtest: every second hash is a block. 1d00ffff is difficulty 1.
const (
	easy = 0x207fffff
	hard = 0x1d00ffff
)

// source is a chain whose blocks are checked by a full reading of them.
type source struct {
	mu       sync.Mutex
	template driver.Template
	fails    error
	asked    int
	answers  []error // of the next blocks
	blocks   [][]byte
}

func (s *source) Template(context.Context) (*driver.Template, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.fails != nil {
		return nil, s.fails
	}
	t := s.template
	return &t, nil
}

func (s *source) Submit(_ context.Context, block []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks = append(s.blocks, block)
	if len(s.answers) > 0 {
		err := s.answers[0]
		s.answers = s.answers[1:]
		return err
	}
	return nil
}

func (s *source) change(do func(*source)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(s)
}

// book has the accounts of anna and ben, and carl's, who is barred.
type book struct {
	mu     sync.Mutex
	unit   uint8
	closed string
	barred map[string]bool
}

func (b *book) Terms() (uint8, string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unit, b.closed
}

func (b *book) Find(name string) (schema.MiningID, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := map[string]schema.MiningID{"anna": 1, "ben": 2, "carl": 3}[name]
	return id, id != 0 && !b.barred[name]
}

func (b *book) change(do func(*book)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	do(b)
}

// journal takes reports by the rules of docs/mining.md. Answers can be lost.
type journal struct {
	mu      sync.Mutex
	leases  map[schema.LeaseID]uint64 // the last seq
	last    schema.LeaseID
	reports []*schema.ReportShares // that counted
	blocks  []schema.PoolBlock
	tries   int
	// lose says of the next commands whether they happen and the answer is lost (true), or they do not happen (false).
	lose   []bool
	refuse func(*schema.ReportShares) schema.Reason
}

var errLost = errors.New("no answer")

func (j *journal) Lease(context.Context) (schema.LeaseID, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	j.leases[j.last] = 0
	return j.last, nil
}

func (j *journal) Report(_ context.Context, r *schema.ReportShares) (schema.Rejection, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tries++
	lost := false
	if len(j.lose) > 0 {
		happens := j.lose[0]
		j.lose, lost = j.lose[1:], true
		if !happens {
			return schema.Rejection{}, errLost
		}
	}
	refused := schema.Rejection{}
	switch seq, lives := j.leases[r.Lease]; {
	case !lives:
		refused = schema.Refuse(schema.PoolLeaseUnknown)
	case r.Seq != seq+1:
		refused = schema.Refuse(schema.PoolReportOutOfOrder)
	case j.refuse != nil && j.refuse(r) != schema.OK:
		refused = schema.Refuse(j.refuse(r))
	default:
		j.leases[r.Lease] = r.Seq
		j.reports = append(j.reports, r)
	}
	if lost {
		return schema.Rejection{}, errLost
	}
	return refused, nil
}

func (j *journal) Found(_ context.Context, f *schema.FoundBlock) (schema.Rejection, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, lives := j.leases[f.Lease]; !lives {
		return schema.Refuse(schema.PoolLeaseUnknown), nil
	}
	j.blocks = append(j.blocks, f.Block)
	return schema.Rejection{}, nil
}

func (j *journal) change(do func(*journal)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	do(j)
}

// sum is what was reported of an account.
func (j *journal) sum(id schema.MiningID) (s schema.Shares) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.reports {
		for _, row := range r.Shares {
			if row.Mining == id {
				s.Work, s.Accepted, s.Rejected = s.Work+row.Work, s.Accepted+row.Accepted, s.Rejected+row.Rejected
			}
		}
	}
	return s
}

// world is a pool with all that it stands upon.
type world struct {
	*testing.T
	clock   *clock
	source  *source
	book    *book
	journal *journal
	pool    *Pool
	at      string
}

// start is when worlds begin: 30 seconds after the full hour.
var start = time.Date(2026, 11, 19, 10, 0, 30, 0, time.UTC)

// newWorld opens a pool on a chain with some bits and a unit of work.
func newWorld(t *testing.T, bits uint32, unit uint8, change ...func(*Bounds)) *world {
	t.Helper()
	w := &world{
		T: t, clock: &clock{now: start, timers: map[*alarm]bool{}}, book: &book{unit: unit, barred: map[string]bool{"carl": true}},
		journal: &journal{leases: map[schema.LeaseID]uint64{}},
		source: &source{template: driver.Template{
			Height: 500, Parent: [32]byte{1, 2, 3, 4, 5, 6, 7, 8, 31: 9}, Version: 0x20000000, Bits: bits,
			MinTime: uint32(start.Unix()) - 60, Time: uint32(start.Unix()), Value: 5_000_000_000, Commitment: []byte{0x6a, 1, 7},
			Txs: []driver.TemplateTx{{ID: [32]byte{1}, Raw: []byte("one")}, {ID: [32]byte{2}, Raw: []byte("two")}},
		}},
	}
	bounds := NewBounds()
	bounds.Start = work.LeastExponent
	for _, c := range change {
		c(&bounds)
	}
	w.pool = New(Options{Source: w.source, Book: w.book, Reporter: w.journal, Script: []byte{0x51}, Bounds: bounds, Clock: w.clock})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.at = ln.Addr().String()
	served := make(chan error, 1)
	go func() { served <- w.pool.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := w.pool.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	w.until("there is work", func() bool {
		body, lease := w.pool.jobs.current()
		return body != nil && lease != 0
	})
	return w
}

// until waits for something that is only to be seen by looking.
func (w *world) until(what string, is func() bool) {
	w.Helper()
	for end := time.Now().Add(patience); !is(); runtime.Gosched() {
		if time.Now().After(end) {
			w.Fatalf("it never came about that %s", what)
		}
	}
}

// pass lets time pass second by second, so that everything that is due is done.
func (w *world) pass(d time.Duration) {
	w.Helper()
	for ; d > 0; d -= time.Second {
		w.clock.advance(min(d, time.Second))
		w.settle()
	}
}

// settle waits until all three loops wait for the clock.
func (w *world) settle() {
	w.Helper()
	w.until("the pool waits for the clock", func() bool {
		w.clock.mu.Lock()
		defer w.clock.mu.Unlock()
		return len(w.clock.timers) >= 3
	})
}

// client is a miner who writes what the test wants.
type client struct {
	*world
	nc    net.Conn
	lines *bufio.Scanner
	n     int
	extra string
	jobs  []notice // the last is the newest
	diff  string
}

// notice is a job as it came.
type notice struct {
	ID, Parent, Begin, End string
	Branch                 []string
	Version, Bits, Time    string
	Clean                  bool
	Diff                   string // that it was sent with
}

func (w *world) dial() *client {
	w.Helper()
	nc, err := net.Dial("tcp", w.at)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = nc.Close() })
	return &client{world: w, nc: nc, lines: bufio.NewScanner(nc)}
}

// mine is a client who signed in and has a job.
func (w *world) mine(worker string) *client {
	w.Helper()
	c := w.dial()
	c.ask("mining.configure", `[["version-rolling"],{"version-rolling.mask":"1fffe000"}]`)
	c.join(worker)
	return c
}

func (c *client) join(worker string) {
	c.Helper()
	var p []json.RawMessage
	if err := json.Unmarshal([]byte(c.ask("mining.subscribe", `["test"]`)), &p); err != nil || len(p) != 3 || json.Unmarshal(p[1], &c.extra) != nil || string(p[2]) != "8" {
		c.Fatal(err, p)
	}
	if got := c.ask("mining.authorize", `["`+worker+`","x"]`); got != "true" {
		c.Fatal(got)
	}
	c.job(0)
}

func (c *client) write(text string) {
	c.Helper()
	c.hurry()
	if _, err := c.nc.Write([]byte(text)); err != nil {
		c.Fatal(err)
	}
}

// hurry lets the pool have so long for what is next; miners may have searched for long before.
func (c *client) hurry() {
	c.Helper()
	if err := c.nc.SetDeadline(time.Now().Add(patience)); err != nil {
		c.Fatal(err)
	}
}

// hear reads a line. What is news is kept, what is an answer returned: its result, or its error.
func (c *client) hear() (answer string, ok bool) {
	c.Helper()
	c.hurry()
	if !c.lines.Scan() {
		return "", false
	}
	var m struct {
		ID            any
		Method        string
		Params        json.RawMessage
		Result, Error json.RawMessage
	}
	if err := json.Unmarshal(c.lines.Bytes(), &m); err != nil {
		c.Fatalf("%s: %v", c.lines.Bytes(), err)
	}
	switch m.Method {
	case "mining.set_difficulty":
		c.diff = strings.Trim(string(m.Params), "[]")
		return "", true
	case "mining.notify":
		var n notice
		into := []any{&n.ID, &n.Parent, &n.Begin, &n.End, &n.Branch, &n.Version, &n.Bits, &n.Time, &n.Clean}
		if err := json.Unmarshal(m.Params, &into); err != nil || len(into) != 9 {
			c.Fatal(err)
		}
		n.Diff = c.diff
		c.jobs = append(c.jobs, n)
		return "", true
	}
	if string(m.Error) != "null" {
		return string(m.Error), true
	}
	return string(m.Result), true
}

// answer waits for an answer.
func (c *client) answer() string {
	c.Helper()
	for {
		text, ok := c.hear()
		if !ok {
			c.Fatalf("the pool hung up: %v", c.lines.Err())
		}
		if text != "" {
			return text
		}
	}
}

func (c *client) ask(method, params string) string {
	c.Helper()
	c.n++
	c.write(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`+"\n", c.n, method, params))
	return c.answer()
}

// ended waits until the pool hung up, and is what it answered before.
func (c *client) ended() (all []string) {
	c.Helper()
	for {
		text, ok := c.hear()
		if !ok {
			var late net.Error
			if err := c.lines.Err(); errors.As(err, &late) && late.Timeout() {
				c.Fatal("the pool does not hang up")
			}
			return all
		}
		if text != "" {
			all = append(all, text)
		}
	}
}

// job is the newest job, once there are more than so many.
func (c *client) job(after int) notice {
	c.Helper()
	for len(c.jobs) <= after {
		if _, ok := c.hear(); !ok {
			c.Fatalf("the pool hung up: %v", c.lines.Err())
		}
	}
	return c.jobs[len(c.jobs)-1]
}

// share is what a client submits.
type share struct {
	extra2, time, nonce, bits string
}

// hash computes the hash of a share as its miner does: by the notification alone.
func (c *client) hash(n notice, s share) (hash [32]byte, header []byte) {
	c.Helper()
	raw := func(text string) []byte {
		b, err := hex.DecodeString(text)
		if err != nil {
			c.Fatal(err)
		}
		return b
	}
	swapped := func(b []byte) []byte {
		for i := 0; i < len(b); i += 4 {
			b[i], b[i+1], b[i+2], b[i+3] = b[i+3], b[i+2], b[i+1], b[i]
		}
		return b
	}
	root := doubled(raw(n.Begin + c.extra + s.extra2 + n.End))
	for _, b := range n.Branch {
		root = doubled(append(root[:], raw(b)...))
	}
	version, _ := strconv.ParseUint(n.Version, 16, 32)
	bits, _ := strconv.ParseUint(s.bits, 16, 32)
	version = version&^work.VersionMask | bits
	header = append(header, swapped(raw(fmt.Sprintf("%08x", version)))...)
	header = append(header, swapped(raw(n.Parent))...)
	header = append(header, root[:]...)
	for _, text := range []string{s.time, n.Bits, s.nonce} {
		header = append(header, swapped(raw(text))...)
	}
	return doubled(header), header
}

// search finds a share with the first nonces: one that meets a target, or one that does not.
func (c *client) search(n notice, t work.Target, met bool, extra2 string) share {
	c.Helper()
	for i := range 1 << 20 {
		s := share{extra2, n.Time, fmt.Sprintf("%08x", i), "00000000"}
		if hash, _ := c.hash(n, s); t.Met(&hash) == met {
			return s
		}
	}
	c.Fatal("there is no such share")
	return share{}
}

func (c *client) submit(worker string, n notice, s share) string {
	c.Helper()
	return c.ask("mining.submit", fmt.Sprintf(`[%q,%q,%q,%q,%q,%q]`, worker, n.ID, s.extra2, s.time, s.nonce, s.bits))
}
