package webhook

import (
	"bytes"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"bourse/internal/schema"
)

// spoil makes what the queue knows under a key unreadable, and returns what makes it good again.
func (s *store) spoil(t *testing.T, key []byte) (mend func()) {
	t.Helper()
	db := s.db.Load()
	value, closer, err := db.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	good := bytes.Clone(value)
	if err := errors.Join(closer.Close(), db.Set(key, []byte{0xff}, pebble.NoSync)); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := db.Set(key, good, pebble.NoSync); err != nil {
			t.Error(err)
		}
	}
}

// owns reports whether a follower sends for the shard of an account.
func (h *Webhooks) owns(account schema.AccountID) bool {
	_, mine := h.lease.owned(schema.ShardOf(account))
	return mine
}

// TestAnEventThatCannotBeReadIsNotDropped: a node whose disk fails gives up its shard, and a node that can read the event sends it.
func TestAnEventThatCannotBeReadIsNotDropped(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	first := follower(t, l, Options{owner: 1})
	until(t, "the first has the shards", time.Second, func() bool { return first.owns(anna) }, first)
	l.must(t, &schema.PauseWebhook{Account: anna, Paused: true})
	l.announce(t, anna, "a")
	calm(t, 0, first)
	mend := first.store.spoil(t, eventKey(eventKeys, anna, 1))
	l.must(t, &schema.PauseWebhook{Account: anna})
	until(t, "the first gave the shard up", 10*time.Millisecond, func() bool { return !first.owns(anna) }, first)
	if first.Stuck() == nil || first.Waiting(anna) != 2 || len(c.wait(t, 0)) != 0 || !first.owns(ben) {
		t.Errorf("stuck: %v, %d wait, %d requests, the shard of another: %t", first.Stuck(), first.Waiting(anna), len(c.wait(t, 0)), first.owns(ben))
	}
	mend()
	second := follower(t, l, Options{owner: 2, Clock: newTestClock(l.clock.Now())})
	until(t, "the second sent them", time.Second, settled(second), second)
	l.delivered(t, anna, c.wait(t, 2))
	calm(t, 0, first)
	if !second.owns(anna) || first.owns(anna) || first.Stuck() != nil {
		t.Errorf("the second has the shard: %t; the first: %t, and is stuck: %v", second.owns(anna), first.owns(anna), first.Stuck())
	}
	log, err := second.Log(t.Context(), anna, 0, 2)
	if err != nil || len(log) != 2 || log[0].Outcome != "delivered" || log[1].Outcome != "delivered" || log[1].Attempts != 1 {
		t.Errorf("%+v, %v", log, err)
	}
}

// TestTheOnlyNodeClaimsAgainWhatItCouldNotRead, in another epoch: nonces begin again.
func TestTheOnlyNodeClaimsAgainWhatItCouldNotRead(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	h := follower(t, l, Options{owner: 1})
	l.announce(t, anna, "a")
	until(t, "all is delivered", 10*time.Millisecond, settled(h), h)
	l.must(t, &schema.PauseWebhook{Account: anna, Paused: true})
	l.announce(t, anna, "b")
	calm(t, 0, h)
	mend := h.store.spoil(t, eventKey(eventKeys, anna, 3))
	l.must(t, &schema.PauseWebhook{Account: anna})
	until(t, "it gave the shard up", 10*time.Millisecond, func() bool { return !h.owns(anna) }, h)
	mend()
	until(t, "the rest is delivered", time.Second, settled(h), h)
	got := c.wait(t, 4)
	l.delivered(t, anna, got)
	if got[2].nonce != 2<<nonceBits+1 || h.Stuck() != nil {
		t.Errorf("the nonce is %d, stuck: %v", got[2].nonce, h.Stuck())
	}
}

// TestAShardThatCannotBeLoadedIsGivenUp: else its owner would go on beating, and nobody would send what waited before.
func TestAShardThatCannotBeLoadedIsGivenUp(t *testing.T) {
	l, c := newLog(t), newConsumer(t)
	l.hooked(t, anna, c)
	claims := errors.New("no claims yet")
	l.refused = func(cmd schema.Command) error {
		if _, is := cmd.(*schema.ClaimShards); is {
			return claims
		}
		return nil
	}
	l.announce(t, anna, "a")
	h := follower(t, l, Options{owner: 1})
	calm(t, 0, h)
	mend := h.store.spoil(t, eventKey(waitingKeys, anna, 1))
	l.mu.Lock()
	l.refused = nil
	l.mu.Unlock()
	until(t, "it has the other shards", time.Second, func() bool { return h.owns(ben) }, h)
	l.announce(t, anna, "b") // what comes later must not hide that something is wrong
	calm(t, 0, h)
	if h.owns(anna) || h.Stuck() == nil || len(c.wait(t, 0)) != 0 {
		t.Errorf("it has the shard: %t; stuck: %v; %d requests", h.owns(anna), h.Stuck(), len(c.wait(t, 0)))
	}
	mend()
	until(t, "all is delivered", time.Second, settled(h), h)
	l.delivered(t, anna, c.wait(t, 4))
	if h.Stuck() != nil {
		t.Errorf("stuck: %v", h.Stuck())
	}
}

// TestAnEpochThatBeganWhileTheLogWasNotRead: what waits is loaded for it, and an owner that lost its shard meanwhile does not claim it as its own.
func TestAnEpochThatBeganWhileTheLogWasNotRead(t *testing.T) {
	for name, owner := range map[string]uint64{"its own": 1, "of another": 9} {
		t.Run(name, func(t *testing.T) {
			l, c := newLog(t), newConsumer(t)
			l.hooked(t, anna, c)
			h := follower(t, l, Options{owner: 1})
			until(t, "it has the shards", time.Second, func() bool { return h.owns(anna) }, h)
			l.breaks(errHung)
			for h.Stuck() == nil {
				runtime.Gosched()
			}
			claim := &schema.ClaimShards{Owner: owner, Renew: true}
			for i := range h.lease.shards {
				claim.Shards = append(claim.Shards, schema.ShardSeen{Number: uint32(i), Epoch: 1})
			}
			l.must(t, claim)
			l.announce(t, anna, "a")
			h.lease.look()
			if h.owns(anna) {
				t.Error("it would send for an epoch that it loaded nothing for")
			}
			l.breaks(nil)
			for l.clock.waiting() < 4 { // the engine, the lease, the daily checks, and who will read the log again
				runtime.Gosched()
			}
			l.clock.advance(time.Second)
			calm(t, 0, h)
			if owner != 1 {
				if h.owns(anna) || len(c.wait(t, 0)) != 0 {
					t.Error("it sends for a shard of another")
				}
				return
			}
			until(t, "all is delivered", 10*time.Millisecond, settled(h), h)
			got := c.wait(t, 2)
			l.delivered(t, anna, got)
			if got[0].nonce != 2<<nonceBits+1 {
				t.Errorf("the nonce is %d", got[0].nonce)
			}
		})
	}
}
