package webhook

import (
	"testing"

	"bourse/internal/schema"
)

const minute = 60 * schema.Second

func TestFirstAttemptsGoBeforeRetries(t *testing.T) {
	k := &hook{most: mostInEpoch, sendable: true}
	for n := range uint64(12) {
		k.add(waiting{n: n + 1, from: 1})
		k.add(waiting{n: 100 + n, from: 1, attempts: 1, due: schema.Time(n)})
	}
	now, got := schema.Time(100), []uint64{}
	for range 10 {
		if k.when(now) > now {
			t.Fatal("nothing is due")
		}
		got = append(got, k.next(now).n)
		now += retryPace
	}
	want := []uint64{1, 2, 3, 4, 100, 5, 6, 7, 8, 101}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func TestRetriesHaveAPace(t *testing.T) {
	k := &hook{most: mostInEpoch, sendable: true}
	for n := range uint64(40) {
		k.add(waiting{n: n + 1, from: 1, attempts: 1})
	}
	sent := 0
	for at := schema.Time(0); at < schema.Second; at += schema.Second / 1000 {
		if k.when(at) <= at {
			k.next(at)
			sent++
		}
	}
	if sent != 20 {
		t.Errorf("%d in a second", sent)
	}
}

func TestABrokenWebhookIsProbedEveryMinute(t *testing.T) {
	k := &hook{most: mostInEpoch, sendable: true, failures: breakAfter, probe: minute}
	k.add(waiting{n: 1, from: 1})
	if at := k.when(1); at != minute {
		t.Errorf("the next is at %d", at)
	}
	k.failures = breakAfter - 1
	if at := k.when(1); at != 0 {
		t.Errorf("before it is broken the next is at %d", at)
	}
	for _, not := range []func(*hook){func(k *hook) { k.flying = &flight{} }, func(k *hook) { k.sendable = false }, func(k *hook) { k.nonce = mostInEpoch }} {
		other := *k
		not(&other)
		if other.when(1) != never {
			t.Errorf("%+v sends", other)
		}
	}
}

func TestHoursWithoutAnAttemptCount(t *testing.T) {
	k := &hook{}
	for _, c := range []struct {
		attempts uint32
		hours    schema.Time
		want     uint32
		more     bool
	}{
		{0, 0, 1, true},
		{3, 3, 4, true},
		{1, 7, 8, true},
		{0, 22, 23, true},
		{22, 22, 23, true},
		{23, 2, 24, false},
		{5, 23, 24, false},
		{0, 30, 24, false},
	} {
		w := waiting{from: 1000, attempts: c.attempts}
		now := 1000 + c.hours*retryEvery
		if more := k.failed(&w, now, -retryEvery/10); more != c.more || w.attempts != c.want || w.due != now+retryEvery*9/10 {
			t.Errorf("%+v: %t %+v", c, more, w)
		}
	}
	w := waiting{from: 0}
	if k.failed(&w, 23*retryEvery+1, 0) {
		t.Error("an event is tried when it is more than a day old")
	}
}

func TestOldEventsEnd(t *testing.T) {
	k := &hook{}
	k.add(waiting{n: 1, from: 0})
	k.add(waiting{n: 2, from: 5})
	k.add(waiting{n: 3, from: 0, attempts: 1, due: day})
	ended := []uint64{}
	for _, w := range k.expired(day) {
		ended = append(ended, w.n)
	}
	if len(ended) != 2 || ended[0] != 3 || ended[1] != 1 || k.fresh.len() != 1 || k.retries.Len() != 0 {
		t.Errorf("%v ended", ended)
	}
}

func TestSpreadIsATenthOfAnHour(t *testing.T) {
	for range 1000 {
		if s := spread(); s < -360*schema.Second || s > 360*schema.Second {
			t.Fatalf("%d", s)
		}
	}
}
