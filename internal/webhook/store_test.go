package webhook

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"bourse/internal/schema"
)

// queueOf is a queue in memory, with bounds of a test.
func queueOf(t *testing.T, b bounds) *store {
	t.Helper()
	o := Options{fs: vfs.NewMem(), bounds: b}
	o.setDefaults()
	s := newStore("queue", &o)
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// write writes a batch as the follower does.
func (s *store) write(t *testing.T, now schema.Time, do func(*writer) error) {
	t.Helper()
	w := &writer{store: s, batch: s.db.Load().NewIndexedBatch(), now: now}
	for _, step := range []func() error{func() error { return do(w) }, w.trim, w.prune, func() error { return w.batch.Commit(pebble.NoSync) }, w.batch.Close} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}

// keys is how many keys of a kind there are.
func (s *store) keys(t *testing.T, prefix byte) (n int) {
	t.Helper()
	it, err := s.db.Load().NewIter(&pebble.IterOptions{LowerBound: []byte{prefix}, UpperBound: []byte{prefix + 1}})
	if err != nil {
		t.Fatal(err)
	}
	for more := it.First(); more; more = it.Next() {
		n++
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// announced adds events from one number to another.
func announced(account schema.AccountID, at schema.Time, from, to uint64) func(*writer) error {
	return func(w *writer) error {
		for n := from; n <= to; n++ {
			if err := w.notified(at, &schema.Notified{Account: account, N: n}); err != nil {
				return err
			}
		}
		return nil
	}
}

// delivering settles events from one number to another.
func delivering(account schema.AccountID, from, to uint64) func(*writer) error {
	return func(w *writer) error {
		for n := from; n <= to; n++ {
			if err := w.settled(&schema.Delivery{Account: account, N: n, Outcome: schema.DeliveryDone}); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestOldEventsLeaveFasterThanNewOnesCome, however many a batch brings.
func TestOldEventsLeaveFasterThanNewOnesCome(t *testing.T) {
	s := queueOf(t, bounds{})
	s.write(t, birth, announced(anna, birth, 1, 5000))
	later := birth + keep + 1
	s.write(t, later, announced(ben, later, 1, 1000))
	if n := s.keys(t, eventKeys); n != 5000-2100+1000 {
		t.Errorf("%d events are left", n)
	}
	for range 29 {
		s.write(t, later, func(*writer) error { return nil })
	}
	total, of := s.sizes(anna)
	if events, times, kept := s.keys(t, eventKeys), s.keys(t, timeKeys), s.keys(t, keptKeys); events != 1000 || times != 1000 || kept != 0 || total != 1000 || of != 0 || s.keptAll != 0 {
		t.Errorf("%d events, %d times, %d that wait no more in %d bytes; %d wait, %d of those that are old", events, times, kept, s.keptAll, total, of)
	}
}

// TestTheLogOfDeliveriesHasABound: of each webhook the last events that were settled are kept, and less if all keep too much. What waits is kept.
func TestTheLogOfDeliveriesHasABound(t *testing.T) {
	s := queueOf(t, bounds{kept: 50})
	s.write(t, birth, announced(anna, birth, 1, 500))
	s.write(t, birth, delivering(anna, 10, 400)) // the first nine wait for their next attempt
	if waits, kept, events := s.keys(t, waitingKeys), s.keys(t, keptKeys), s.keys(t, eventKeys); waits != 109 || kept != 50 || events != 159 || s.keys(t, timeKeys) != 159 {
		t.Errorf("%d wait, %d are kept, %d events", waits, kept, events)
	}
	s.write(t, birth, delivering(anna, 1, 2))
	s.write(t, birth, delivering(anna, 401, 410))
	log, err := s.log(anna, 0, 1000)
	if err != nil || len(log) != 147 || log[90].Notified.N != 410 || log[139].Notified.N != 361 || log[140].Notified.N != 9 {
		t.Errorf("the log has %d entries, %v", len(log), err)
	}
	bytes := s.keptAll
	if err := s.recount(); err != nil || s.keptAll != bytes || s.kept[anna].events != 50 {
		t.Errorf("counted again: %d bytes of %d, %+v, %v", s.keptAll, bytes, s.kept[anna], err)
	}
	// An event that is sent again waits, and is settled once more.
	s.write(t, birth, func(w *writer) error { return w.again(birth, &schema.WebhookResent{Account: anna, N: 405}) })
	if waits, kept := s.keys(t, waitingKeys), s.keys(t, keptKeys); waits != 98 || kept != 49 {
		t.Errorf("%d wait, %d are kept", waits, kept)
	}

	all := queueOf(t, bounds{kept: 50, keptAll: 1})
	for _, account := range []schema.AccountID{anna, ben} {
		all.write(t, birth, announced(account, birth, 1, 40))
		all.write(t, birth, delivering(account, 1, 40))
	}
	if n := all.keys(t, eventKeys); n != 2*leastKept || all.kept[ben].events != leastKept {
		t.Errorf("%d events are kept", n)
	}
}
