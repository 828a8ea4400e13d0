package webhook

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"bourse/internal/journal"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Batches that left nothing may go unnoted for so many, and until the log is quiet.
const stepsUnnoted = 4096

// follow keeps the queue up to date until the context ends, from the moment at which there is a webhook.
func (h *Webhooks) follow(ctx context.Context) {
	for !h.any() {
		if !pause(ctx, h.options.Clock, lookEvery) {
			return
		}
	}
	for attempt := 0; ctx.Err() == nil; attempt++ {
		err := h.followOn(ctx)
		if ctx.Err() != nil {
			return
		}
		h.suffer(err)
		if attempt == 0 {
			h.options.Log.Error("the queue of webhooks does not go on; trying again", "reason", err)
		}
		if errors.Is(err, journal.ErrDamaged) || errors.Is(err, errBroken) || !pause(ctx, h.options.Clock, min(5*time.Second, 10*time.Millisecond<<min(attempt, 10))) {
			return
		}
	}
}

func (h *Webhooks) suffer(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.problem = err
}

// begin is where the queue goes on: where it is, or two days ago if it was lost, or is of a log that reached further.
func (h *Webhooks) begin(ctx context.Context) (uint64, error) {
	if err := h.store.open(); err != nil {
		return 0, err
	}
	if err := h.store.recount(); err != nil { // a write that failed was counted
		return 0, err
	}
	seq, err := h.store.seq()
	if err != nil {
		return 0, err
	}
	if applied := h.exchange.Applied(); seq > applied {
		h.options.Log.Warn("the queue of webhooks is ahead of the log: it is made again", "queue", seq, "log", applied)
		if err := h.store.empty(); err != nil {
			return 0, err
		}
		seq = 0
	}
	if seq == 0 {
		return h.exchange.Since(ctx, h.options.Clock.Now()-keep)
	}
	return seq, nil
}

func (h *Webhooks) followOn(ctx context.Context) error {
	seq, err := h.begin(ctx)
	if err != nil {
		return err
	}
	h.reach(seq)
	h.lease.look()
	reader := h.exchange.Steps(seq)
	defer reader.Close()
	noted := seq
	for {
		s, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		quiet := false
		select {
		case <-reader.More():
		default:
			quiet = true
		}
		if len(s.events) > 0 || s.seq-noted >= stepsUnnoted || quiet && s.seq-noted >= stepsUnnoted/64 {
			if err := h.take(&s); err != nil {
				return err
			}
			noted = s.seq
		}
		h.reach(s.seq)
		h.suffer(nil)
	}
}

func (h *Webhooks) reach(seq uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.followed, h.following = seq, true
	close(h.reached)
	h.reached = make(chan struct{})
}

// wait waits until the queue has what the exchange had answered before.
func (h *Webhooks) wait(ctx context.Context) error {
	applied := h.exchange.Applied()
	for h.any() {
		h.mu.Lock()
		followed, reached := h.followed, h.reached
		h.mu.Unlock()
		if followed >= applied {
			return nil
		}
		select {
		case <-reached:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// take writes what a batch did to the queue, with the place of the batch, and lets those know who send.
func (h *Webhooks) take(s *step) error {
	w := &writer{store: h.store, batch: h.store.db.Load().NewIndexedBatch(), now: h.options.Clock.Now()}
	defer w.batch.Close()
	for i := range s.events {
		if err := w.event(&s.events[i]); err != nil {
			return err
		}
	}
	if err := errors.Join(w.trim(), w.prune()); err != nil {
		return err
	}
	if err := w.batch.Set([]byte{seqKey}, binary.BigEndian.AppendUint64(nil, s.seq), nil); err != nil {
		return err
	}
	if err := w.batch.Commit(pebble.NoSync); err != nil {
		return fmt.Errorf("writing the queue of webhooks: %w", err)
	}
	h.options.hooks.written(s.seq)
	for i := range s.events {
		switch e := s.events[i].event.(type) {
		case *schema.Notified:
			h.engine.notified(e.Account, w.fresh[e])
		case *schema.WebhookResent:
			h.engine.resent(e.Account, w.resent[e])
		case *schema.WebhookChanged:
			h.engine.changed(e.Account)
			poke(h.lease.wake) // it may be the first
		}
	}
	for _, gone := range w.dropped {
		h.engine.dropped(gone.account, gone.n)
		if _, mine := h.lease.owned(schema.ShardOf(gone.account)); mine { // one node counts it
			h.meters.count(schema.DeliveryDropped)
		}
	}
	// Claims come last: who takes a shard reads from the queue all that the batch left there.
	for i := range s.events {
		if e, is := s.events[i].event.(*schema.ShardsClaimed); is {
			for j := range e.Shards {
				h.lease.claimed(&e.Shards[j])
			}
		}
	}
	return nil
}

// writer puts together what a batch does to the queue.
type writer struct {
	store   *store
	batch   *pebble.Batch
	now     schema.Time
	dropped []waiting
	fresh   map[*schema.Notified]*waiting
	resent  map[*schema.WebhookResent]*waiting
	added   int                           // events that were announced
	kept    map[schema.AccountID]struct{} // webhooks of which something waits no more
}

func (w *writer) event(h *happened) error {
	switch e := h.event.(type) {
	case *schema.Notified:
		return w.notified(h.at, e)
	case *schema.WebhooksSettled:
		for i := range e.Deliveries {
			if err := w.settled(&e.Deliveries[i]); err != nil {
				return err
			}
		}
	case *schema.WebhookResent:
		return w.again(h.at, e)
	case *schema.WebhookChanged:
		if e.Deleted {
			return w.deleted(e.Account)
		}
	}
	return nil
}

func (w *writer) notified(at schema.Time, e *schema.Notified) error {
	if at < w.now-keep {
		return nil
	}
	r := &record{At: at, Notified: *e}
	value := wire.Append(nil, r)
	entry := &waiting{account: e.Account, n: e.N, from: at, due: at, size: uint64(len(value))}
	err := errors.Join(
		w.batch.Set(eventKey(eventKeys, e.Account, e.N), value, nil),
		w.batch.Set(timeKey(at, e.Account, e.N), nil, nil),
		w.wait(entry))
	if err != nil {
		return err
	}
	if w.fresh == nil {
		w.fresh = map[*schema.Notified]*waiting{}
	}
	w.fresh[e] = entry
	w.store.add(e.Account, 1, int64(entry.size))
	w.added++
	return w.fit(e.Account)
}

// fit drops events until no more wait than may: one that is large may take the place of many.
func (w *writer) fit(account schema.AccountID) error {
	for {
		longest, over := w.store.over(account)
		if !over {
			return nil
		}
		dropped := len(w.dropped)
		if err := w.dropOldest(longest); err != nil || len(w.dropped) == dropped {
			return err
		}
	}
}

func (w *writer) wait(entry *waiting) error {
	return w.batch.Set(eventKey(waitingKeys, entry.account, entry.n), wire.Append(nil, entry), nil)
}

// done takes an event out of those that wait, if it does, and keeps it among those that do no more.
func (w *writer) done(account schema.AccountID, n uint64) error {
	key := eventKey(waitingKeys, account, n)
	entry, err := getMessage[waiting](w.batch, key)
	if err != nil || entry == nil {
		return err
	}
	w.store.add(account, -1, -int64(entry.size))
	w.store.keep(account, n, int64(entry.size))
	if w.kept == nil {
		w.kept = map[schema.AccountID]struct{}{}
	}
	w.kept[account] = struct{}{}
	return errors.Join(
		w.batch.Delete(key, nil),
		w.batch.Set(eventKey(keptKeys, account, n), wire.Append(nil, &waiting{size: entry.size}), nil))
}

// lose takes an event out of those that wait no more, if it is among them.
func (w *writer) lose(account schema.AccountID, n uint64) error {
	key := eventKey(keptKeys, account, n)
	entry, err := getMessage[waiting](w.batch, key)
	if err != nil || entry == nil {
		return err
	}
	w.store.lose(account, int64(entry.size))
	return w.batch.Delete(key, nil)
}

// settled keeps what became of an event.
func (w *writer) settled(d *schema.Delivery) error {
	r, err := getMessage[record](w.batch, eventKey(eventKeys, d.Account, d.N))
	if err != nil || r == nil {
		return err
	}
	r.Last = *d
	if err := w.batch.Set(eventKey(eventKeys, d.Account, d.N), wire.Append(nil, r), nil); err != nil {
		return err
	}
	if d.Outcome != schema.DeliveryRetried {
		return w.done(d.Account, d.N)
	}
	entry, err := getMessage[waiting](w.batch, eventKey(waitingKeys, d.Account, d.N))
	if err != nil || entry == nil {
		return err
	}
	entry.account, entry.n, entry.attempts, entry.due = d.Account, d.N, d.Attempts, d.Due
	return w.wait(entry)
}

// again lets an event wait once more, for a day from now on.
func (w *writer) again(at schema.Time, e *schema.WebhookResent) error {
	value, closer, err := w.batch.Get(eventKey(eventKeys, e.Account, e.N))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	entry := &waiting{account: e.Account, n: e.N, from: at, due: at, again: true, size: uint64(len(value))}
	if err := errors.Join(closer.Close(), w.done(e.Account, e.N), w.lose(e.Account, e.N), w.wait(entry)); err != nil {
		return err
	}
	if w.resent == nil {
		w.resent = map[*schema.WebhookResent]*waiting{}
	}
	w.resent[e] = entry
	w.store.add(e.Account, 1, int64(entry.size))
	return w.fit(e.Account)
}

// deleted forgets what waits for a webhook that is no more.
func (w *writer) deleted(account schema.AccountID) error {
	return w.over(account, func(entry *waiting) (more bool, err error) {
		w.dropped = append(w.dropped, *entry)
		return true, w.done(entry.account, entry.n)
	})
}

// dropOldest drops the oldest event that waits for a webhook: more wait than may. All nodes drop the same, because all have the same log.
func (w *writer) dropOldest(account schema.AccountID) error {
	return w.over(account, func(entry *waiting) (more bool, err error) {
		w.dropped = append(w.dropped, *entry)
		r, err := getMessage[record](w.batch, eventKey(eventKeys, entry.account, entry.n))
		if err != nil {
			return false, err
		}
		if r != nil {
			r.Last.Outcome = schema.DeliveryDropped
			if err := w.batch.Set(eventKey(eventKeys, entry.account, entry.n), wire.Append(nil, r), nil); err != nil {
				return false, err
			}
		}
		return false, w.done(entry.account, entry.n)
	})
}

// over goes through the events that wait for a webhook, the oldest first, as long as more are wanted.
func (w *writer) over(account schema.AccountID, each func(*waiting) (bool, error)) error {
	prefix := eventKey(waitingKeys, account, 0)[:6]
	it, err := w.batch.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return err
	}
	for more := it.First(); more; more = more && it.Next() {
		key := it.Key()
		entry := waiting{account: account, n: binary.BigEndian.Uint64(key[6:])}
		err := wire.Decode(it.Value(), &entry)
		if err == nil {
			more, err = each(&entry)
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
	}
	return it.Close()
}

// trim forgets the oldest events that wait no more of webhooks that have too many of them.
func (w *writer) trim() error {
	for account := range w.kept {
		if err := w.trimOne(account); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) trimOne(account schema.AccountID) error {
	if !w.store.tooMany(account) {
		return nil
	}
	// Not from the first key that the webhook may have: Pebble would go through all that were deleted before.
	from := w.store.kept[account].from
	it, err := w.batch.NewIter(&pebble.IterOptions{LowerBound: eventKey(keptKeys, account, from), UpperBound: after(eventKey(keptKeys, account, 0)[:6])})
	if err != nil {
		return err
	}
	for more := it.First(); more && w.store.tooMany(account); more = it.Next() {
		n := binary.BigEndian.Uint64(it.Key()[6:])
		if err := w.forget(account, n); err != nil {
			return errors.Join(err, it.Close())
		}
		w.store.kept[account].from = n + 1
	}
	return it.Close()
}

// forget takes an event that waits no more out of the queue.
func (w *writer) forget(account schema.AccountID, n uint64) error {
	r, err := getMessage[record](w.batch, eventKey(eventKeys, account, n))
	if err != nil {
		return err
	}
	if r != nil {
		err = w.batch.Delete(timeKey(r.At, account, n), nil)
	}
	return errors.Join(err, w.lose(account, n), w.batch.Delete(eventKey(eventKeys, account, n), nil))
}

// prunedAtLeast is how many old events a write takes along. It takes along more than it brings, or the queue would grow in busy times.
const prunedAtLeast = 100

// prune forgets events that are older than two days.
func (w *writer) prune() error {
	it, err := w.store.db.Load().NewIter(&pebble.IterOptions{LowerBound: []byte{timeKeys}, UpperBound: timeKey(max(w.now-keep, 0), 0, 0)})
	if err != nil {
		return err
	}
	n := 0
	for more := it.First(); more && n < prunedAtLeast+2*w.added; more = it.Next() {
		key := it.Key()
		account, number := schema.AccountID(binary.BigEndian.Uint32(key[9:])), binary.BigEndian.Uint64(key[13:])
		err := errors.Join(w.done(account, number), w.lose(account, number), w.batch.Delete(eventKey(eventKeys, account, number), nil), w.batch.Delete(key, nil))
		if err != nil {
			return errors.Join(err, it.Close())
		}
		n++
	}
	return it.Close()
}
