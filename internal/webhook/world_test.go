package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// testClock stands still until a test moves it.
type testClock struct {
	mu      sync.Mutex
	now     schema.Time
	elapsed time.Duration
	timers  []*testTimer
}

type testTimer struct {
	at    time.Duration
	fired chan time.Time
}

func newTestClock(now schema.Time) *testClock {
	return &testClock{now: now}
}

func (c *testClock) Now() schema.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

func (c *testClock) Timer(d time.Duration) (<-chan time.Time, func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &testTimer{c.elapsed + d, make(chan time.Time, 1)}
	c.timers = append(c.timers, t)
	return t.fired, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timers = slices.DeleteFunc(c.timers, func(o *testTimer) bool { return o == t })
		return true
	}
}

// waiting is how many timers there are.
func (c *testClock) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// advance moves the clock on, in steps so that what a timer starts can set the next.
func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed += d
	c.now += schema.Time(d / time.Microsecond)
	c.timers = slices.DeleteFunc(c.timers, func(t *testTimer) bool {
		if t.at > c.elapsed {
			return false
		}
		t.fired <- time.Time{}
		return true
	})
}

// exchangeLog is an exchange in memory that several nodes may follow.
type exchangeLog struct {
	clock *testClock
	key   *seal.Key

	mu       sync.Mutex
	machine  *core.Machine
	steps    []step
	changed  chan struct{}
	notified map[[2]uint64]schema.Notified
	refused  func(schema.Command) error // what keeps a command from the log
	broken   error                      // why the log cannot be read
	asked    int                        // how often it was asked where a moment is
}

const birth = schema.Time(1_800_000_000) * schema.Second

func newLog(t *testing.T) *exchangeLog {
	t.Helper()
	key, err := seal.Load(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	l := &exchangeLog{clock: newTestClock(birth), key: key, machine: core.NewExchange(), changed: make(chan struct{}), notified: map[[2]uint64]schema.Notified{}}
	d := fixed.MustParse
	l.must(t, &schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Mainnet}})
	l.must(t, &schema.SetAsset{Asset: schema.Asset{
		Ticker: "BTC", Name: "Bitcoin", Scale: 8, Precision: 8, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true, Codes: true,
		Networks: []schema.Network{{Name: "BTC", Chain: 1, CanDeposit: true, CanWithdraw: true, Confirmations: 2, ConfirmationsForTrading: 1}},
	}})
	for i := range 4 {
		l.must(t, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("trader", i), Region: schema.Global}})
		l.must(t, &schema.Deposit{Account: schema.FirstCustomer + schema.AccountID(i), Asset: 1, Amount: d("1000")})
	}
	return l
}

func (l *exchangeLog) must(t *testing.T, c schema.Command) schema.Result {
	t.Helper()
	var r schema.Result
	if err := l.Submit(t.Context(), c, &r); err != nil || r.Rejection.Refused() {
		t.Fatalf("%T: %v %s", c, err, r.Rejection.Text())
	}
	return r
}

func (l *exchangeLog) Submit(ctx context.Context, c schema.Command, r *schema.Result) error {
	return l.SubmitFrom(ctx, schema.Origin{}, c, r)
}

func (l *exchangeLog) SubmitFrom(ctx context.Context, from schema.Origin, c schema.Command, r *schema.Result) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused != nil {
		if err := l.refused(c); err != nil {
			return err
		}
	}
	out := l.machine.ApplyFrom(l.clock.Now(), from, c)
	s := step{seq: uint64(len(l.steps) + 1)}
	for e := range out.Events.All() {
		if n, is := e.(*schema.Notified); is {
			l.notified[[2]uint64{uint64(n.Account), n.N}] = *n
		}
		if concerns(e) {
			s.events = append(s.events, happened{out.Time, e})
		}
	}
	*r = out.Result
	l.steps = append(l.steps, s)
	close(l.changed)
	l.changed = make(chan struct{})
	return ctx.Err()
}

func (l *exchangeLog) Read(look func(core.View)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	look(l.machine)
}

func (l *exchangeLog) Key() *seal.Key { return l.key }

func (l *exchangeLog) Applied() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.steps))
}

func (l *exchangeLog) Since(_ context.Context, at schema.Time) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	for i := range l.steps {
		for _, e := range l.steps[i].events {
			if e.at >= at {
				return uint64(i), nil
			}
		}
	}
	return uint64(len(l.steps)), nil
}

func (l *exchangeLog) Steps(after uint64) steps { return &logSteps{l, after} }

type logSteps struct {
	log *exchangeLog
	at  uint64
}

func (s *logSteps) Next(ctx context.Context) (step, error) {
	for {
		s.log.mu.Lock()
		changed := s.log.changed
		if err := s.log.broken; err != nil {
			s.log.mu.Unlock()
			return step{}, err
		}
		if s.at < uint64(len(s.log.steps)) {
			next := s.log.steps[s.at]
			s.log.mu.Unlock()
			s.at++
			return next, nil
		}
		s.log.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return step{}, ctx.Err()
		}
	}
}

// breaks lets reading fail from now on; nil: it goes on.
func (l *exchangeLog) breaks(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = why
	close(l.changed)
	l.changed = make(chan struct{})
}

func (s *logSteps) More() <-chan struct{} {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if s.at < uint64(len(s.log.steps)) {
		c := make(chan struct{})
		close(c)
		return c
	}
	return s.log.changed
}

func (s *logSteps) Close() {}

// consumer is a server of a customer. It takes what arrives, in order.
type consumer struct {
	*httptest.Server
	mu      sync.Mutex
	secret  string
	answers func(delivery) int // nil: 200
	got     []delivery
	changed chan struct{}
}

// delivery is a request that arrived.
type delivery struct {
	event  uint64
	method string
	id     string
	nonce  uint64
	params map[string]any
	good   bool // signature and payload are right
}

func newConsumer(t *testing.T) *consumer {
	t.Helper()
	c := &consumer{changed: make(chan struct{})}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.Close)
	return c
}

func (c *consumer) serve(w http.ResponseWriter, q *http.Request) {
	text, _ := io.ReadAll(q.Body)
	var body struct {
		Method string         `json:"method"`
		ID     string         `json:"id"`
		Params map[string]any `json:"params"`
	}
	d := delivery{}
	fmt.Sscan(q.Header.Get("X-Bourse-Event"), &d.event)
	if json.Unmarshal(text, &body) == nil {
		d.method, d.id, d.params = body.Method, body.ID, body.Params
		if nonce, is := body.Params["nonce"].(float64); is {
			d.nonce = uint64(nonce)
		}
	}
	c.mu.Lock()
	payload, signature := Sign(c.secret, text)
	d.good = q.Method == http.MethodPost && q.Header.Get("X-TXC-PAYLOAD") == payload && q.Header.Get("X-TXC-SIGNATURE") == signature && q.Header.Get("Content-Type") == "application/json"
	c.got = append(c.got, d)
	close(c.changed)
	c.changed = make(chan struct{})
	answers := c.answers
	c.mu.Unlock()
	status := http.StatusOK
	if answers != nil {
		status = answers(d)
	}
	w.WriteHeader(status)
}

// wait waits until so many requests arrived.
func (c *consumer) wait(t *testing.T, n int) []delivery {
	t.Helper()
	for {
		c.mu.Lock()
		got, changed := slices.Clone(c.got), c.changed
		c.mu.Unlock()
		if len(got) >= n {
			return got
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("%d of %d requests arrived", len(got), n)
		case <-time.After(20 * time.Second):
			t.Fatalf("%d of %d requests arrived", len(got), n)
		}
	}
}

func (c *consumer) respond(with func(delivery) int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers = with
}

// hooked gives an account an active webhook at a consumer.
func (l *exchangeLog) hooked(t *testing.T, account schema.AccountID, c *consumer) {
	t.Helper()
	c.secret = fmt.Sprint("secret of ", account)
	l.must(t, &schema.SetWebhook{
		Account: account, URL: c.URL + "/hook", Events: schema.AllWebhookEvents, On: true, Key: "key", Sealed: l.key.Seal([]byte(c.secret), Purpose),
	})
	l.must(t, &schema.VerifyWebhook{Account: account, Host: schema.WebhookHost(c.URL), Key: "key"})
}

// announce makes an event: a withdrawal makes two.
func (l *exchangeLog) announce(t *testing.T, account schema.AccountID, unique string) {
	t.Helper()
	l.must(t, &schema.RequestWithdrawal{Account: account, Asset: 1, Chain: 1, Amount: fixed.MustParse("0.01"), Address: "bc1q", Unique: unique})
}

// follower opens webhooks on a log, with a queue in memory and a clock of its own.
func follower(t *testing.T, l *exchangeLog, o Options) *Webhooks {
	t.Helper()
	o.Loopback = true
	if o.Clock == nil {
		o.Clock = l.clock
	}
	if o.fs == nil {
		o.fs = vfs.NewMem()
	}
	h := open(l, "queue", o)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// calm waits until the parts of followers have nothing to do before their clock moves: all wait for timers, the log is followed, and no more
// requests are under way than hang.
func calm(t *testing.T, hang int, all ...*Webhooks) {
	t.Helper()
	limit := time.Now().Add(30 * time.Second)
	for _, h := range all {
		for !h.calm(hang) {
			if time.Now().After(limit) {
				t.Fatalf("node %d does not come to rest: %s", h.options.owner, h.unrest())
			}
			runtime.Gosched()
		}
	}
}

// unrest is what a test that waits in vain should say.
func (h *Webhooks) unrest() string {
	clock := h.options.Clock.(*testClock)
	clock.mu.Lock()
	defer clock.mu.Unlock()
	h.settle.mu.Lock()
	defer h.settle.mu.Unlock()
	return fmt.Sprintf("%d requests, %d batches to follow, %d timers, %d outcomes to settle, stuck: %v", h.engine.busy(), h.Lag(), len(clock.timers), len(h.settle.list), h.Stuck())
}

func (h *Webhooks) calm(hang int) bool {
	clock := h.options.Clock.(*testClock)
	clock.mu.Lock()
	timers := len(clock.timers)
	clock.mu.Unlock()
	h.settle.mu.Lock()
	unsettled := len(h.settle.list)
	h.settle.mu.Unlock()
	h.checks.mu.Lock()
	checking := len(h.checks.running)
	h.checks.mu.Unlock()
	want := 3 // the engine, the lease, the daily checks
	if unsettled > 0 {
		want++
	}
	h.mu.Lock()
	following := h.following
	h.mu.Unlock()
	return following && checking == 0 && h.engine.busy() <= hang && h.Lag() == 0 && len(h.engine.wake) == 0 && len(h.lease.wake) == 0 && timers >= want
}

// until moves the clock of followers on until something holds. How fast the machine is does not matter.
func until(t *testing.T, what string, step time.Duration, holds func() bool, all ...*Webhooks) {
	t.Helper()
	for range 20_000 {
		calm(t, 0, all...)
		if holds() {
			return
		}
		for _, h := range all {
			h.options.Clock.(*testClock).advance(step)
		}
	}
	t.Fatalf("it did not happen: %s", what)
}

// newResolver is a resolver that asks one server.
func newResolver(server string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server)
	}}
}
