package webhook

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"bourse/internal/schema"
)

// held lets a consumer keep requests about an event until they are let go, with a status.
func (c *consumer) held(event uint64, status int) (release func()) {
	gate := make(chan struct{})
	c.respond(func(d delivery) int {
		if d.event == event {
			<-gate
			return status
		}
		return 200
	})
	return func() {
		c.respond(nil)
		close(gate)
	}
}

func events(got []delivery) (list []uint64) {
	for _, d := range got {
		list = append(list, d.event)
	}
	return list
}

// TestWhatIsUnderWayEndsWithItsWebhook: it was refused after the webhook was deleted, and does not reach the next one of the account.
func TestWhatIsUnderWayEndsWithItsWebhook(t *testing.T) {
	l, c, next := newLog(t), newConsumer(t), newConsumer(t)
	l.hooked(t, anna, c)
	h := follower(t, l, Options{})
	release := c.held(1, 503)
	l.announce(t, anna, "a")
	for len(c.wait(t, 0)) == 0 {
		calm(t, 1, h)
	}
	l.must(t, &schema.SetWebhook{Account: anna, Delete: true})
	l.hooked(t, anna, next)
	calm(t, 1, h)
	release()
	l.announce(t, anna, "b")
	begun := l.clock.Now()
	until(t, "two hours went by", time.Minute, func() bool { return l.clock.Now() > begun+2*retryEvery }, h)
	if got := events(c.wait(t, 0)); !slices.Equal(got, []uint64{1}) {
		t.Errorf("%v came to the first", got)
	}
	if got := events(next.wait(t, 2)); !slices.Equal(got, []uint64{3, 4}) || h.Waiting(anna) != 0 {
		t.Errorf("%v came to the next, %d wait", got, h.Waiting(anna))
	}
}

// TestWhatIsUnderWayMayBeDropped because too many wait: it is not tried again.
func TestWhatIsUnderWayMayBeDropped(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	h := follower(t, l, Options{bounds: bounds{backlog: 3}})
	release := c.held(1, 503)
	l.announce(t, anna, "a")
	for len(c.wait(t, 0)) == 0 {
		calm(t, 1, h)
	}
	l.announce(t, anna, "b")
	calm(t, 1, h)
	release()
	begun := l.clock.Now()
	until(t, "two hours went by", time.Minute, func() bool { return l.clock.Now() > begun+2*retryEvery }, h)
	log, _ := h.Log(t.Context(), anna, 0, 4)
	if got := events(c.wait(t, 4)); !slices.Equal(got, []uint64{1, 2, 3, 4}) || h.Waiting(anna) != 0 || log[3].Outcome != "dropped" {
		t.Errorf("%v arrived, %d wait, %+v", got, h.Waiting(anna), log)
	}
}

// TestNoncesThatAreUsedUp: with the last of an epoch another one is claimed, also while that request is under way. It is not sent again.
func TestNoncesThatAreUsedUp(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	h := follower(t, l, Options{owner: 1, bounds: bounds{nonces: 3}})
	release := c.held(3, 200)
	l.mu.Lock()
	l.refused = func(cmd schema.Command) error { // or the new epoch may begin before the last request of the old one
		if claim, is := cmd.(*schema.ClaimShards); is && claim.Owner == 1 && claim.Shards[0].Epoch == 1 && claim.Renew && len(c.wait(t, 0)) < 3 {
			return errHung
		}
		return nil
	}
	l.mu.Unlock()
	l.announce(t, anna, "a")
	until(t, "the first two are delivered", 100*time.Millisecond, settled(h), h)
	l.announce(t, anna, "b")
	shard := schema.ShardOf(anna)
	for epoch := uint64(0); epoch != 2; epoch, _ = h.lease.owned(shard) {
		calm(t, 1, h)
		l.clock.advance(10 * time.Millisecond)
	}
	calm(t, 1, h)
	if got := events(c.wait(t, 3)); !slices.Equal(got, []uint64{1, 2, 3}) {
		t.Errorf("%v arrived while one was under way", got)
	}
	release()
	until(t, "the third and the fourth are delivered", 100*time.Millisecond, settled(h), h)
	for _, name := range []string{"c", "d"} {
		l.announce(t, anna, name)
		until(t, "all is delivered", 100*time.Millisecond, settled(h), h)
	}
	got := c.wait(t, 8)
	l.delivered(t, anna, got)
	for i, d := range got {
		epoch, count := d.nonce>>nonceBits, d.nonce&mostInEpoch
		if count < 1 || count > 3 || i <= 2 && d.nonce != 1<<nonceBits+uint64(i)+1 || i > 2 && epoch < 2 {
			t.Errorf("request %d has count %d in epoch %d", i, count, epoch)
		}
	}
	if len(got) != 8 || got[3].nonce != 2<<nonceBits+1 {
		t.Errorf("%d requests, the fourth with nonce %d", len(got), got[3].nonce)
	}
	log, _ := h.Log(t.Context(), anna, 0, 8)
	for _, e := range log {
		if e.Outcome != "delivered" || e.Attempts != 1 {
			t.Errorf("%+v", e)
		}
	}
}

// TestAnOrderlyStopSettlesWhatIsUnderWay: it is not sent again after the restart, and nothing is started meanwhile.
func TestAnOrderlyStopSettlesWhatIsUnderWay(t *testing.T) {
	l, c, disk := newLog(t), newConsumer(t), vfs.NewMem()
	l.hooked(t, anna, c)
	first := open(l, "queue", Options{Loopback: true, Clock: l.clock, fs: disk, owner: 1})
	release := c.held(1, 200)
	l.announce(t, anna, "a")
	for len(c.wait(t, 0)) == 0 {
		calm(t, 1, first)
	}
	closed := make(chan error)
	go func() { closed <- first.Close() }()
	for leaving := false; !leaving; runtime.Gosched() {
		first.engine.mu.Lock()
		leaving = first.engine.leaving
		first.engine.mu.Unlock()
	}
	release()
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if got := events(c.wait(t, 1)); !slices.Equal(got, []uint64{1}) {
		t.Errorf("%v arrived before the end", got)
	}
	second := follower(t, l, Options{fs: disk, owner: 2})
	until(t, "the rest is delivered", time.Second, settled(second), second)
	if got := events(c.wait(t, 2)); !slices.Equal(got, []uint64{1, 2}) {
		t.Errorf("%v arrived", got)
	}
}

// TestAllOutcomesAreSettledAtTheEnd, also those that are left when a command is full.
func TestAllOutcomesAreSettledAtTheEnd(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	h := open(l, "queue", Options{Loopback: true, Clock: l.clock, fs: vfs.NewMem(), owner: 1})
	until(t, "it has the shard", time.Second, func() bool { return h.owns(anna) }, h)
	l.must(t, &schema.PauseWebhook{Account: anna, Paused: true})
	const more = schema.MaxDeliveries + 10
	for i := range more / 2 {
		l.announce(t, anna, fmt.Sprint(i))
	}
	calm(t, 0, h)
	h.settle.mu.Lock()
	for n := range uint64(more) {
		h.settle.list = append(h.settle.list, schema.Delivery{Account: anna, N: n + 1, Epoch: 1, Outcome: schema.DeliveryDone, Attempts: 1})
	}
	h.settle.mu.Unlock()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	settled := 0
	for _, s := range l.steps {
		for _, e := range s.events {
			if list, is := e.event.(*schema.WebhooksSettled); is {
				settled += len(list.Deliveries)
			}
		}
	}
	if settled != more {
		t.Errorf("%d of %d are settled", settled, more)
	}
}
