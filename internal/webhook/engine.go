package webhook

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"bourse/internal/schema"
)

// Requests that are under way at the same time. Slow webhooks have places of their own, so that they cannot take those of others.
const (
	fastSlots = 1500
	slowSlots = 500
	// mostUnsettled is how many outcomes may wait for the log before no request is started.
	mostUnsettled = 20_000
	sweepEvery    = time.Minute // how often old events of all webhooks are looked for
)

// engine decides what is sent when, for the shards whose lease this node holds.
type engine struct {
	h    *Webhooks
	wake chan struct{}

	mu       sync.Mutex
	hooks    map[schema.AccountID]*hook
	flying   map[schema.AccountID]*flight // requests under way, also of hooks that were let go meanwhile
	ready    [2][]*hook                   // fast and slow
	timers   timerHeap
	used     [2]int
	requests sync.WaitGroup
	leaving  bool // nothing more is started
}

// flight is an event that is under way.
type flight struct {
	n    uint64
	void bool // it waits no more, or not any more as it did: what becomes of the request says nothing about it
}

// timerHeap has webhooks of which something is due later. A webhook may stand in it several times; only its timer counts.
type timerHeap []timerEntry

type timerEntry struct {
	at   schema.Time
	hook *hook
}

func (t timerHeap) Len() int           { return len(t) }
func (t timerHeap) Less(i, j int) bool { return t[i].at < t[j].at }
func (t timerHeap) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *timerHeap) Push(x any)        { *t = append(*t, x.(timerEntry)) }
func (t *timerHeap) Pop() any {
	last := (*t)[len(*t)-1]
	(*t)[len(*t)-1] = timerEntry{}
	*t = (*t)[:len(*t)-1]
	return last
}

func (e *engine) begin(h *Webhooks) {
	e.h, e.wake = h, make(chan struct{}, 1)
	e.hooks, e.flying = map[schema.AccountID]*hook{}, map[schema.AccountID]*flight{}
}

func (e *engine) poke() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// load begins to send for a shard: what waits for it is in the queue. What this node sent in an epoch before, and has not settled, is not sent again.
func (e *engine) load(shard int, epoch uint64, unsettled []schema.Delivery) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.unload(shard)
	type event struct {
		account schema.AccountID
		n       uint64
	}
	became := map[event]schema.Delivery{}
	for _, d := range append(unsettled, e.h.settle.of(shard)...) {
		if _, is := e.h.lease.settles(shard, d.Epoch); is {
			became[event{d.Account, d.N}] = d
		}
	}
	err := e.h.store.waitingOf(shard, func(w *waiting) {
		if d, is := became[event{w.account, w.n}]; is {
			if d.Outcome != schema.DeliveryRetried {
				return
			}
			w.attempts, w.due = d.Attempts, d.Due
		}
		e.hook(w.account, epoch).add(*w)
	})
	if err != nil {
		return err
	}
	for _, k := range e.hooks {
		if schema.ShardOf(k.account) == shard {
			e.consider(k)
		}
	}
	e.poke()
	return nil
}

// drop ends sending for a shard.
func (e *engine) drop(shard int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.unload(shard)
}

func (e *engine) unload(shard int) {
	for account, k := range e.hooks {
		if schema.ShardOf(account) == shard {
			k.sendable, k.timer = false, never
			delete(e.hooks, account)
		}
	}
}

// hook is that of an account, which is made if it is not there.
func (e *engine) hook(account schema.AccountID, epoch uint64) *hook {
	k := e.hooks[account]
	if k == nil {
		k = &hook{account: account, epoch: epoch, most: e.h.options.bounds.nonces, flying: e.flying[account], timer: never}
		w, there := e.h.look(account)
		k.sendable = there && w.Active() && !w.Paused
		e.hooks[account] = k
	}
	return k
}

// notified lets an event wait that was announced.
func (e *engine) notified(account schema.AccountID, w *waiting) {
	epoch, owned := e.h.lease.owned(schema.ShardOf(account))
	if w == nil || !owned {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	k := e.hook(account, epoch)
	k.add(*w)
	e.consider(k)
	e.poke()
}

// resent lets an event wait once more.
func (e *engine) resent(account schema.AccountID, w *waiting) {
	if w != nil {
		e.dropped(account, w.n)
		e.notified(account, w)
	}
}

// dropped forgets an event that waits no more.
func (e *engine) dropped(account schema.AccountID, n uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if k := e.hooks[account]; k != nil {
		k.remove(n)
	}
	if f := e.flying[account]; f != nil && f.n == n {
		f.void = true
	}
}

// changed looks again whether a webhook is to be sent to.
func (e *engine) changed(account schema.AccountID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	w, there := e.h.look(account)
	k := e.hooks[account]
	if k == nil {
		return
	}
	if k.sendable = there && w.Active() && !w.Paused; k.sendable {
		k.failures = 0 // something was done about it
		e.consider(k)
		e.poke()
	}
}

// consider puts a webhook where it belongs: among those that are ready, or among those that wait for a moment.
func (e *engine) consider(k *hook) {
	now := e.h.options.Clock.Now()
	at := k.when(now)
	switch {
	case at == never:
		k.timer = never
	case at <= now:
		k.timer = never
		if !k.queued {
			k.queued = true
			e.ready[lane(k)] = append(e.ready[lane(k)], k)
		}
	case at < k.timer || k.timer <= now:
		k.timer = at
		heap.Push(&e.timers, timerEntry{at, k})
	}
}

func lane(k *hook) int {
	if k.slow {
		return 1
	}
	return 0
}

// run starts requests until the context ends.
func (e *engine) run(ctx context.Context) {
	clock := e.h.options.Clock
	swept := clock.Elapsed()
	for {
		if clock.Elapsed()-swept >= sweepEvery {
			swept = clock.Elapsed()
			e.sweep()
		}
		wait := e.start(ctx)
		timer, stop := clock.Timer(min(wait, sweepEvery))
		select {
		case <-e.wake:
		case <-timer:
		case <-ctx.Done():
			stop()
			return
		}
		stop()
	}
}

// idle is how long nothing is due; leases are looked at again soon.
const idle = time.Second

// start starts what is due and has a place, and says after how long there may be more.
func (e *engine) start(ctx context.Context) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.leaving || !e.h.sender.named.ready() {
		return idle
	}
	now := e.h.options.Clock.Now()
	for len(e.timers) > 0 && e.timers[0].at <= now {
		entry := heap.Pop(&e.timers).(timerEntry)
		if k := entry.hook; k.timer == entry.at {
			k.timer = never
			e.consider(k)
		}
	}
	for lane, most := range [2]int{fastSlots, slowSlots} {
		var held []*hook // whose lease is not sure at the moment
		for len(e.ready[lane]) > 0 && e.used[lane] < most && !e.h.settle.full() {
			k := e.ready[lane][0]
			e.ready[lane][0] = nil
			e.ready[lane] = e.ready[lane][1:]
			switch {
			case e.hooks[k.account] != k || k.when(now) > now:
				k.queued = false
				if e.hooks[k.account] == k {
					e.consider(k)
				}
			case !e.h.lease.may(schema.ShardOf(k.account), k.epoch):
				held = append(held, k)
			default:
				k.queued = false
				e.launch(ctx, k, lane, now)
			}
		}
		e.ready[lane] = append(held, e.ready[lane]...)
	}
	if len(e.timers) == 0 {
		return idle
	}
	return min(idle, max(time.Duration(e.timers[0].at-now)*time.Microsecond, time.Millisecond))
}

// launch sends the next event of a webhook, or drops it if it is too old.
func (e *engine) launch(ctx context.Context, k *hook, lane int, now schema.Time) {
	e.expire(k, now)
	if k.when(now) > now {
		e.consider(k)
		return
	}
	w := k.next(now)
	under := &flight{n: w.n}
	k.flying, e.flying[k.account] = under, under
	e.used[lane]++
	e.requests.Go(func() {
		d := e.h.attempt(ctx, &w, k.epoch, func() (uint64, bool) { return e.nonce(k) })
		e.finished(ctx, k, lane, &w, d)
	})
}

// nonce is the next of a webhook, if its epoch has one left. The last asks for another epoch.
func (e *engine) nonce(k *hook) (uint64, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hooks[k.account] != k || k.nonce >= k.most {
		return 0, false
	}
	k.nonce++
	if k.nonce == k.most {
		e.h.lease.renew(schema.ShardOf(k.account))
	}
	return k.epoch<<nonceBits | k.nonce, true
}

// finished takes in what became of a request.
func (e *engine) finished(ctx context.Context, k *hook, lane int, w *waiting, d schema.Delivery) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.poke()
	e.used[lane]--
	under := e.flying[k.account]
	delete(e.flying, k.account)
	k.flying = nil
	current := e.hooks[k.account]
	if current == nil { // another node sends for it, or nobody
		return
	}
	current.flying = nil
	defer e.consider(current)
	if current != k && !under.void { // it was let go and taken again meanwhile, with the event
		if d.Outcome != schema.DeliveryDone {
			return
		}
		current.remove(w.n)
	}
	e.became(ctx, current, w, d, under.void)
}

// became decides what follows from what became of a request. What is void is not put back: it waits no more, and may be of a webhook before this.
func (e *engine) became(ctx context.Context, k *hook, w *waiting, d schema.Delivery, void bool) {
	now := e.h.options.Clock.Now()
	switch {
	case d.Outcome == schema.DeliveryDone:
		k.failures, k.slow = 0, schema.Time(d.Millis)*1000 > slowAbove
		w.attempts++
	case ctx.Err() != nil || d.Outcome == 0: // it was given up: nothing is known, or nothing was sent
		hook, there := e.h.look(k.account)
		k.sendable = there && hook.Active() && !hook.Paused
		if !void {
			k.back(*w)
		}
		return
	default:
		k.failures++
		k.slow = schema.Time(d.Millis)*1000 > slowAbove
		if k.failures >= breakAfter {
			k.probe = now + probeEvery
		}
		if d.Outcome != schema.DeliveryDropped && k.failed(w, now, spread()) {
			d.Outcome = schema.DeliveryRetried
			if !void {
				k.add(*w)
			}
		} else {
			d.Outcome = schema.DeliveryDropped
		}
	}
	if !void {
		e.give(k, w, d)
	}
}

// back puts an event back where it was taken from.
func (k *hook) back(w waiting) {
	if w.attempts == 0 && !w.again {
		k.fresh.back(w)
		return
	}
	k.add(w)
}

// spread is by how much a retry is earlier or later than an hour.
func spread() schema.Time { return rand.N(2*retryEvery/10+1) - retryEvery/10 }

// give hands over what became of an event to be settled.
func (e *engine) give(k *hook, w *waiting, d schema.Delivery) {
	d.Account, d.N, d.Epoch, d.Attempts = k.account, w.n, k.epoch, w.attempts
	if d.Outcome == schema.DeliveryRetried {
		d.Due = w.due
	}
	e.h.meters.count(d.Outcome)
	e.h.settle.add(d)
}

// sweep drops old events of webhooks that nothing is sent to.
func (e *engine) sweep() {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.h.options.Clock.Now()
	for _, k := range e.hooks {
		e.expire(k, now)
		if k.flying == nil && k.fresh.len() == 0 && k.retries.Len() == 0 && k.failures == 0 && !k.queued && k.nonce == 0 {
			delete(e.hooks, k.account)
		}
	}
}

// expire drops the events of a webhook that are a day old.
func (e *engine) expire(k *hook, now schema.Time) {
	for _, old := range k.expired(now) {
		e.give(k, &old, schema.Delivery{Outcome: schema.DeliveryDropped, At: now})
	}
}

// leave starts nothing more.
func (e *engine) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leaving = true
}

// busy is how many requests are under way.
func (e *engine) busy() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.used[0] + e.used[1]
}
