package webhook

import (
	"runtime"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
)

const (
	anna = schema.FirstCustomer
	ben  = schema.FirstCustomer + 1
)

// settled reports whether nothing waits any more at a follower.
func settled(h *Webhooks) func() bool {
	return func() bool {
		total, _ := h.store.sizes(0)
		return total == 0 && h.Lag() == 0
	}
}

func (l *exchangeLog) count(account schema.AccountID) (n uint64) {
	l.Read(func(m core.View) {
		w, _ := m.Webhooks().Get(account)
		n = w.Count
	})
	return n
}

func TestEventsArriveSignedAndInOrder(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	h := follower(t, l, Options{})
	for _, name := range []string{"a", "b", "c"} {
		l.announce(t, anna, name)
	}
	until(t, "all is delivered", 10*time.Millisecond, settled(h), h)
	got := c.wait(t, 6)
	if len(got) != 6 {
		t.Fatalf("%d requests", len(got))
	}
	last := uint64(0)
	ids := map[string]bool{}
	for i, d := range got {
		want := "withdraw.unconfirmed"
		if i%2 == 1 {
			want = "withdraw.pending"
		}
		if !d.good || d.method != want || d.event != uint64(i+1) || d.nonce <= last || ids[d.id] {
			t.Errorf("request %d: %+v", i, d)
		}
		last, ids[d.id] = d.nonce, true
	}
	log, err := h.Log(t.Context(), anna, 0, 10)
	if err != nil || len(log) != 6 || log[0].N != 6 || log[0].Outcome != "delivered" || log[0].Status != 200 || log[0].Attempts != 1 || log[5].N != 1 {
		t.Errorf("the log is %+v, %v", log, err)
	}
}

func TestFailedEventsAreTriedAgainEveryHourForADay(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	c.respond(func(delivery) int { return 500 })
	h := follower(t, l, Options{})
	l.announce(t, anna, "a")
	begun := l.clock.Now()
	until(t, "all is dropped", time.Minute, settled(h), h)
	// Between 24 attempts are 23 hours, each up to a tenth shorter or longer.
	if age := l.clock.Now() - begun; age < 23*54*minute || age > 26*60*minute {
		t.Errorf("it took %d minutes", age/minute)
	}
	log, _ := h.Log(t.Context(), anna, 0, 10)
	if len(log) != 2 {
		t.Fatalf("%+v", log)
	}
	for _, e := range log {
		if e.Outcome != "dropped" || e.Attempts < 20 || e.Attempts > 24 || e.Status != 500 {
			t.Errorf("%+v", e)
		}
	}
	n := len(c.wait(t, 2))
	if n < 40 || n > 48 {
		t.Errorf("%d requests", n)
	}
}

// TestAnExchangeWithoutWebhooksHasNoQueue: nothing is written to its log nor to its disk, until the first webhook is made.
func TestAnExchangeWithoutWebhooksHasNoQueue(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	before := l.Applied()
	h := follower(t, l, Options{})
	for range 100 {
		l.clock.advance(time.Second)
		runtime.Gosched()
	}
	if l.Applied() != before || h.store.db.Load() != nil || h.Lag() != 0 {
		t.Errorf("the log grew from %d to %d, the queue lags by %d", before, l.Applied(), h.Lag())
	}
	if log, err := h.Log(t.Context(), anna, 0, 1); err != nil || len(log) != 0 {
		t.Errorf("%+v %v", log, err)
	}
	l.hooked(t, anna, c)
	l.announce(t, anna, "a")
	for h.Lag() > 0 || h.store.db.Load() == nil {
		l.clock.advance(time.Second)
		runtime.Gosched()
	}
	until(t, "all is delivered", 100*time.Millisecond, settled(h), h)
	l.delivered(t, anna, c.wait(t, 2))
}
