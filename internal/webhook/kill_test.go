package webhook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"bourse/internal/schema"
)

var errHung = errors.New("nothing arrives")

// delivered holds what a consumer got against what was announced: each event at least once, no other, ids of their own, first attempts in order,
// and growing nonces.
func (l *exchangeLog) delivered(t *testing.T, account schema.AccountID, got []delivery) {
	t.Helper()
	seen, ids, last := map[uint64]bool{}, map[string]bool{}, uint64(0)
	next := uint64(1)
	for i, d := range got {
		n, announced := l.notified[[2]uint64{uint64(account), d.event}]
		if !announced || n.Type.String() != d.method || !d.good || ids[d.id] {
			t.Errorf("request %d is %+v", i, d)
		}
		if !seen[d.event] {
			if d.event != next {
				t.Errorf("event %d was first tried when %d was due", d.event, next)
			}
			next++
		}
		if d.nonce <= last {
			t.Errorf("request %d has nonce %d after %d", i, d.nonce, last)
		}
		seen[d.event], ids[d.id], last = true, true, d.nonce
	}
	if n := l.count(account); uint64(len(seen)) != n {
		t.Errorf("%d events of %d arrived", len(seen), n)
	}
}

// mortal is an exchange as a process sees it that dies at some point: nothing of it does anything after that.
type mortal struct {
	*exchangeLog
	disk  *vfs.MemFS
	point string // at which it dies, when it comes there for the nth time
	nth   int
	left  vfs.CrashCloneCfg // what the disk has of what it was not told to keep

	mu      sync.Mutex
	calls   int
	sending int        // requests that are on the wire
	crashed *vfs.MemFS // what is left of the disk; nil: it lives
}

// at is called at each point. It does not return in a process that is dead.
func (m *mortal) at(point string) {
	m.mu.Lock()
	if point == m.point && m.crashed == nil {
		if m.calls++; m.calls == m.nth {
			m.crashed = m.disk.CrashClone(m.left)
		}
	}
	dead := m.crashed != nil
	if !dead && point == "sending" {
		m.sending++
	}
	m.mu.Unlock()
	if dead {
		select {}
	}
}

// rest is what is left of the disk when the process is dead and nothing of it is on the wire, nil before.
func (m *mortal) rest() *vfs.MemFS {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sending > 0 {
		return nil
	}
	return m.crashed
}

func (m *mortal) Submit(ctx context.Context, c schema.Command, r *schema.Result) error {
	m.at("submitting")
	err := m.exchangeLog.Submit(ctx, c, r)
	if err == nil && !r.Rejection.Refused() {
		switch c.(type) {
		case *schema.ClaimShards:
			m.at("claim accepted")
		case *schema.SettleWebhooks:
			m.at("settlement accepted")
		}
	}
	return err
}

func (m *mortal) hooks() hooks {
	return hooks{
		written: func(seq uint64) {
			m.exchangeLog.mu.Lock()
			settles := slices.ContainsFunc(m.steps[seq-1].events, func(e happened) bool { _, is := e.event.(*schema.WebhooksSettled); return is })
			m.exchangeLog.mu.Unlock()
			if settles {
				m.at("settlement written")
			}
			m.at("written")
		},
		sending: func(schema.Delivery) { m.at("sending") },
		sent: func(schema.Delivery) {
			m.mu.Lock()
			m.sending--
			m.mu.Unlock()
			m.at("sent")
		},
	}
}

// TestKilledAtEveryPoint ends a node between a claim, the write of the queue, the request, its answer and the settlement, each time it comes there,
// as a power cut does: of what the disk was not told to keep nothing is left, or a part, or all. Another process goes on, and one more after it.
func TestKilledAtEveryPoint(t *testing.T) {
	const events = 6
	for _, p := range []struct {
		point string
		most  int
		apart bool // each event waits until what was before is settled
	}{
		{"claim accepted", 2, false},
		{"written", 8, true},
		{"sending", events, false},
		{"sent", events, false},
		{"settlement accepted", 3, true},
		{"settlement written", 3, true},
	} {
		for nth := 1; nth <= p.most; nth++ {
			for _, percent := range []int{0, 50, 100} {
				t.Run(fmt.Sprintf("%s %d keeping %d%%", p.point, nth, percent), func(t *testing.T) {
					l, c := newLog(t), newConsumer(t)
					l.hooked(t, anna, c)
					m := &mortal{
						exchangeLog: l, disk: vfs.NewCrashableMem(), point: p.point, nth: nth,
						left: vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(uint64(nth), uint64(percent)))},
					}
					first := open(m, "queue", Options{Loopback: true, Clock: l.clock, fs: m.disk, owner: 1, hooks: m.hooks()})
					limit := time.Now().Add(30 * time.Second)
					live := func(until func() bool) {
						for m.rest() == nil && !until() {
							if time.Now().After(limit) {
								t.Fatalf("it did not come to %s %d times: %s", p.point, nth, first.unrest())
							}
							if first.calm(0) {
								l.clock.advance(10 * time.Millisecond)
							}
							runtime.Gosched()
						}
					}
					for i := range events / 2 {
						l.announce(t, anna, fmt.Sprint(i))
						if p.apart {
							live(func() bool { return first.calm(0) && settled(first)() })
						}
					}
					live(func() bool { return false })
					// Its clock stands still from now on: what is left of it does nothing more.
					second := open(l, "queue", Options{Loopback: true, fs: m.rest(), owner: 2, Clock: newTestClock(l.clock.Now())})
					until(t, "all is delivered", 100*time.Millisecond, settled(second), second)
					got := c.wait(t, events)
					l.delivered(t, anna, got)
					if err := second.Close(); err != nil {
						t.Fatal(err)
					}
					third := follower(t, l, Options{fs: m.rest(), owner: 3, Clock: newTestClock(l.clock.Now())})
					until(t, "the third has the shard", time.Second, func() bool { return third.owns(anna) }, third)
					if n := len(c.wait(t, 0)); n != len(got) || third.Waiting(anna) != 0 {
						t.Errorf("%d requests after %d, %d wait", n, len(got), third.Waiting(anna))
					}
				})
			}
		}
	}
}

// TestARestartGoesOnWithTheQueue: what the queue has is not read from the log again, what was settled is not sent again, and what waits keeps its
// attempts.
func TestARestartGoesOnWithTheQueue(t *testing.T) {
	l, c, disk := newLog(t), newConsumer(t), vfs.NewMem()
	l.hooked(t, anna, c)
	first := open(l, "queue", Options{Loopback: true, Clock: l.clock, fs: disk, owner: 1})
	c.respond(func(d delivery) int {
		if d.event == 2 {
			return 503
		}
		return 200
	})
	l.announce(t, anna, "a")
	l.announce(t, anna, "b")
	until(t, "one waits for its next attempt", 10*time.Millisecond, func() bool {
		log, _ := first.Log(t.Context(), anna, 0, 4)
		return len(log) == 4 && log[2].Attempts == 1 && first.Waiting(anna) == 1
	}, first)
	l.must(t, &schema.PauseWebhook{Account: anna, Paused: true})
	l.announce(t, anna, "c")
	calm(t, 0, first)
	before, bytes := first.followed, first.store.bytes
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	c.respond(nil)
	asked := l.asked
	l.must(t, &schema.PauseWebhook{Account: anna})
	second := follower(t, l, Options{fs: disk, owner: 2})
	calm(t, 0, second)
	seq, err := second.store.seq()
	if err != nil || seq <= before || l.asked != asked || second.Waiting(anna) != 3 || second.store.bytes != bytes {
		t.Errorf("the queue is at %d after %d, %v; %d wait, %d bytes of %d; it was made again: %t", seq, before, err, second.Waiting(anna), second.store.bytes, bytes, l.asked != asked)
	}
	until(t, "the rest is delivered", time.Second, settled(second), second)
	got := c.wait(t, 7)
	var order []uint64
	for _, d := range got {
		order = append(order, d.event)
	}
	if !slices.Equal(order, []uint64{1, 2, 3, 4, 5, 6, 2}) {
		t.Errorf("%v arrived", order)
	}
	l.delivered(t, anna, got)
	log, err := second.Log(t.Context(), anna, 0, 10)
	if err != nil || len(log) != 6 || log[4].Attempts != 2 || log[0].Attempts != 1 {
		t.Errorf("%+v, %v", log, err)
	}
}

// TestAQueueThatIsLostIsMadeAgain from the log, and what was settled is not sent again.
func TestAQueueThatIsLostIsMadeAgain(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	first := open(l, "queue", Options{Loopback: true, Clock: l.clock, fs: vfs.NewMem(), owner: 1})
	l.announce(t, anna, "a")
	until(t, "all is delivered", 10*time.Millisecond, settled(first), first)
	c.respond(func(d delivery) int { return 503 })
	l.announce(t, anna, "b")
	until(t, "two failed", 10*time.Millisecond, func() bool {
		log, _ := first.Log(t.Context(), anna, 0, 1)
		return len(c.wait(t, 0)) == 4 && len(log) == 1 && log[0].Attempts == 1
	}, first)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	c.respond(nil)
	second := follower(t, l, Options{owner: 2})
	until(t, "the rest is delivered", time.Minute, settled(second), second)
	got := c.wait(t, 6)
	if len(got) != 6 {
		t.Errorf("%d requests", len(got))
	}
	l.delivered(t, anna, got)
	log, err := second.Log(t.Context(), anna, 0, 10)
	if err != nil || len(log) != 4 || log[0].Attempts != 2 || log[3].Attempts != 1 {
		t.Errorf("the log is %+v, %v", log, err)
	}
}

// TestANodeWhoseBeatsDoNotArriveIsReplaced: the clocks of two nodes are a minute apart. One of which nothing is heard loses its shards after the time
// of the other.
func TestANodeWhoseBeatsDoNotArriveIsReplaced(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	one, two := newTestClock(l.clock.Now()), newTestClock(l.clock.Now()+60*schema.Second)
	first := follower(t, l, Options{owner: 1, Clock: one})
	until(t, "the first has the shards", time.Second, func() bool { _, mine := first.lease.owned(0); return mine }, first)
	second := follower(t, l, Options{owner: 2, Clock: two})
	l.announce(t, anna, "a")
	until(t, "all is delivered", 100*time.Millisecond, settled(first), first, second)
	l.delivered(t, anna, c.wait(t, 2))

	// No beat of the first arrives any more; it follows the log and settles.
	l.mu.Lock()
	l.refused = func(cmd schema.Command) error {
		if claim, is := cmd.(*schema.ClaimShards); is && claim.Owner == 1 {
			return errHung
		}
		return nil
	}
	l.mu.Unlock()
	l.announce(t, anna, "b") // it may still send these: its lease lasts
	until(t, "the second took the shards", time.Second, func() bool { _, mine := second.lease.owned(0); return mine }, first, second)
	if first.lease.may(schema.ShardOf(anna), 1) {
		t.Error("both may send")
	}
	l.announce(t, anna, "c")
	until(t, "all is delivered", 100*time.Millisecond, settled(second), second, first)
	l.delivered(t, anna, c.wait(t, 6))
	if epoch, mine := first.lease.owned(schema.ShardOf(anna)); mine || epoch != 2 {
		t.Errorf("the first thinks that it has epoch %d: %t", epoch, mine)
	}
}

// frozen is an exchange as a process sees it that stands still: nothing comes by the log until it goes on.
type frozen struct {
	*exchangeLog
	mu      sync.Mutex
	gate    chan struct{} // nil: it does not stand still
	refused []schema.Reason
}

func (f *frozen) Steps(after uint64) steps { return &frozenSteps{f.exchangeLog.Steps(after), f} }

type frozenSteps struct {
	steps
	process *frozen
}

func (s *frozenSteps) Next(ctx context.Context) (step, error) {
	next, err := s.steps.Next(ctx)
	s.process.mu.Lock()
	gate := s.process.gate
	s.process.mu.Unlock()
	if gate != nil {
		<-gate
	}
	return next, err
}

// Submit notes why settlements are refused.
func (f *frozen) Submit(ctx context.Context, c schema.Command, r *schema.Result) error {
	err := f.exchangeLog.Submit(ctx, c, r)
	if _, is := c.(*schema.SettleWebhooks); is && err == nil && r.Rejection.Refused() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.refused = append(f.refused, r.Rejection.Reason)
	}
	return err
}

// TestANodeThatStandsStillStartsNothingWhenItWakesUp: it stood still in the middle of a request, for longer than its lease lasts. What became of
// the request is refused, and the other node, which took its place, has sent the event with a higher nonce.
func TestANodeThatStandsStillStartsNothingWhenItWakesUp(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	one, two := newTestClock(l.clock.Now()), newTestClock(l.clock.Now())
	process := &frozen{exchangeLog: l}
	gate := make(chan struct{})
	var held atomic.Bool
	c.respond(func(d delivery) int {
		if d.event == 1 && held.CompareAndSwap(false, true) {
			<-gate
		}
		return 200
	})
	first := open(process, "queue", Options{Loopback: true, Clock: one, fs: vfs.NewMem(), owner: 1})
	l.announce(t, anna, "a")
	for len(c.wait(t, 0)) == 0 {
		calm(t, 1, first)
	}
	second := follower(t, l, Options{owner: 2, Clock: two})
	calm(t, 0, second)
	process.mu.Lock()
	process.gate = make(chan struct{})
	process.mu.Unlock()
	l.announce(t, anna, "b")
	until(t, "the second delivered all", time.Second, settled(second), second)
	got := c.wait(t, 5)

	// It wakes up: its clock went on, and the request ends. It does not know yet that its shards are another's.
	one.advance(time.Minute)
	close(gate)
	limit := time.Now().Add(30 * time.Second)
	for late := false; !late; {
		process.mu.Lock()
		late = len(process.refused) > 0
		process.mu.Unlock()
		if time.Now().After(limit) {
			t.Fatal("nothing was settled late")
		}
		one.advance(10 * time.Millisecond)
		runtime.Gosched()
	}
	if !first.owns(anna) || first.lease.may(schema.ShardOf(anna), 1) {
		t.Errorf("it thinks that the shard is its own: %t, and may send", first.owns(anna))
	}
	close(process.gate)
	until(t, "the first knows", time.Second, func() bool { return !first.owns(anna) }, first)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(c.wait(t, 0)); n != len(got) {
		t.Errorf("%d requests after %d", n, len(got))
	}
	var nonces []uint64
	for _, d := range got {
		nonces = append(nonces, d.nonce)
	}
	if order := events(got); !slices.Equal(order, []uint64{1, 1, 2, 3, 4}) || !slices.Equal(nonces, []uint64{1<<nonceBits + 1, 2<<nonceBits + 1, 2<<nonceBits + 2, 2<<nonceBits + 3, 2<<nonceBits + 4}) {
		t.Errorf("%v arrived with nonces %v", order, nonces)
	}
	for _, why := range process.refused {
		if why != schema.DeliveriesLate {
			t.Errorf("a settlement was refused as %d", why)
		}
	}
	log, _ := second.Log(t.Context(), anna, 0, 4)
	for _, e := range log {
		if e.Outcome != "delivered" || e.Attempts != 1 {
			t.Errorf("%+v", e)
		}
	}
}

// TestTheOwnerStopsBeforeAnotherBegins: without beats that arrive, an owner starts nothing 15 seconds after it sent its last, and others wait 30.
func TestTheOwnerStopsBeforeAnotherBegins(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	first := follower(t, l, Options{owner: 1, Clock: newTestClock(l.clock.Now())})
	until(t, "the first has the shards", time.Second, func() bool { _, mine := first.lease.owned(0); return mine }, first)
	second := follower(t, l, Options{owner: 2, Clock: newTestClock(l.clock.Now())})
	l.mu.Lock()
	l.refused = func(cmd schema.Command) error {
		if claim, is := cmd.(*schema.ClaimShards); is && claim.Owner == 1 {
			return errHung
		}
		return nil
	}
	l.mu.Unlock()
	var stopped, begun time.Duration
	start := first.options.Clock.Elapsed()
	until(t, "the second took the shards", time.Second, func() bool {
		gone := first.options.Clock.Elapsed() - start
		epoch, _ := first.lease.owned(5)
		if stopped == 0 && !first.lease.may(5, epoch) {
			stopped = gone
		}
		if _, mine := second.lease.owned(5); mine {
			begun = gone
		}
		return begun != 0
	}, first, second)
	if stopped > 16*time.Second || begun < 30*time.Second || stopped >= begun {
		t.Errorf("one stopped after %v, the other began after %v", stopped, begun)
	}
}
