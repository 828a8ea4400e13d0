// Package history keeps the past of accounts: orders that are over, deals, transfers. It follows
// the log of a node and puts append-only records of one shape into a store; every listing of the
// API is the same query with filters and paging bounds. There are two stores with one behaviour:
// Pebble in a directory, and PostgreSQL, which several nodes may share and people may query.
//
// What it promises: a page shows everything that the exchange had answered before the page was
// asked for. The journal is the truth and the store is made from it: a store that was lost, or
// lost its end, is made again. A record is never there twice, and never missing below the Seq of
// its store. History never slows trading: it reads at its own speed, and while the store cannot be
// written it waits and only pages suffer. How long a page takes depends on its offset and its
// size, not on how much the account, or the exchange, has done.
//
// What must hold: the log gives out ids and times in ascending order, and a store belongs to one
// log only.
package history

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bourse/internal/node"
	"bourse/internal/schema"
)

// ErrClosed means that the history was closed.
var ErrClosed = errors.New("the history is closed")

// Options of a history.
type Options struct {
	Log *slog.Logger
	// Keep is how long records are kept; 0: for ever.
	Keep time.Duration
	// Now is the time of day by which records grow old; nil: the machine's clock.
	Now func() schema.Time

	// saveEvery is how long steps that left no records may go unnoted in the store. If they are
	// lost they are read again.
	saveEvery time.Duration
}

func (o *Options) setDefaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = func() schema.Time { return schema.Time(time.Now().UnixMicro()) }
	}
	if o.saveEvery == 0 {
		o.saveEvery = time.Second
	}
}

// History follows a node and keeps a store up to date.
type History struct {
	node    *node.Node
	store   Store
	options Options
	stop    context.CancelFunc
	tasks   sync.WaitGroup

	progress progress

	open   sync.RWMutex // held by those who read the store
	closed bool
}

// Follow lets a history follow a node from where the store is. The history owns the store from
// now on.
func Follow(n *node.Node, store Store, o Options) *History {
	o.setDefaults()
	ctx, stop := context.WithCancel(context.Background())
	h := &History{node: n, store: store, options: o, stop: stop}
	h.progress.changed, h.progress.hurry = make(chan struct{}), make(chan struct{}, 1)
	h.tasks.Go(func() { h.progress.end(h.follow(ctx)) })
	if o.Keep > 0 {
		h.tasks.Go(func() { h.forget(ctx) })
	}
	return h
}

// Page is what a query asks for, newest first: by time, then id, then order. It waits until
// everything is in the store that the exchange had answered before.
func (h *History) Page(ctx context.Context, q *Query) (page []Record, err error) {
	err = h.read(ctx, func() error {
		page, err = h.store.Page(ctx, q)
		return err
	})
	return page, err
}

// Count is how many records the filters of a query choose (Store.Count). It waits as Page does.
func (h *History) Count(ctx context.Context, q *Query) (n int, err error) {
	err = h.read(ctx, func() error {
		n, err = h.store.Count(ctx, q)
		return err
	})
	return n, err
}

// read reads from the store when it has what the exchange had answered before.
func (h *History) read(ctx context.Context, do func() error) error {
	applied := h.node.Applied()
	if trouble := h.store.Trouble(); trouble != nil && h.progress.blocked(applied) {
		return fmt.Errorf("the history is stuck: %w", trouble)
	}
	if err := h.progress.wait(ctx, applied); err != nil {
		return err
	}
	h.open.RLock()
	defer h.open.RUnlock()
	if h.closed {
		return ErrClosed
	}
	return do()
}

// Lag is how many batches are not in the store yet.
func (h *History) Lag() uint64 {
	applied, done := h.node.Applied(), h.progress.reached()
	return applied - min(applied, done)
}

// Stuck is why the history does not go on: it has ended, the store or the log cannot be used at the
// moment, nothing reaches the disk, or nothing was written for long although there is something to
// write. It is nil as long as all is well. It is meant to be asked every few seconds.
func (h *History) Stuck() error {
	if err := h.progress.stuck(h.node.Applied(), time.Now()); err != nil {
		return err
	}
	return h.store.Trouble()
}

// Close stops following and closes the store, within a bounded time.
func (h *History) Close() error {
	h.stop()
	h.tasks.Wait()
	h.open.Lock()
	defer h.open.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	return h.store.Close()
}

// forgetEvery is how often old records are removed.
const forgetEvery = time.Hour

// forget removes what is too old, now and from time to time.
func (h *History) forget(ctx context.Context) {
	ticker := time.NewTicker(forgetEvery)
	defer ticker.Stop()
	for {
		h.prune(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (h *History) prune(ctx context.Context) {
	before := h.options.Now() - schema.Time(h.options.Keep.Microseconds())
	removed, err := h.store.Prune(ctx, before)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		h.options.Log.Warn("old history stays for another hour", "problem", err)
	case removed > 0:
		h.options.Log.Info("old history was removed", "records", removed, "before", before)
	}
}

// progress is how far the store is, for those who wait for it.
type progress struct {
	mu      sync.Mutex
	known   bool          // whether the store has said yet how far it is
	done    uint64        // the last batch whose records are in the store
	ahead   uint64        // the batch at which the store was, if the node was not there yet
	trouble error         // why it does not go on at the moment
	failure error         // why it will never go on
	saving  bool          // whether the store is being written
	wanted  uint64        // the last batch that anybody waits for
	changed chan struct{} // closed with every change
	hurry   chan struct{} // holds one: somebody waits

	behind bool      // when it was last asked for
	seen   uint64    // what was done then
	at     time.Time // when that was first seen with more to do
}

// stuckAfter is how long a history that has something to do may write nothing.
const stuckAfter = 30 * time.Second

// stuck is why there is no progress towards a batch.
func (p *progress) stuck(applied uint64, now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure != nil {
		return p.failure
	}
	if p.trouble != nil {
		return p.trouble
	}
	if behind := p.done < applied; !behind || !p.behind || p.done != p.seen {
		p.behind, p.seen, p.at = behind, p.done, now
	}
	if waited := now.Sub(p.at); p.behind && waited > stuckAfter {
		return fmt.Errorf("nothing was written for %s; the history is at batch %d of %d", waited.Round(time.Second), p.done, applied)
	}
	return nil
}

// awaited reports whether anybody waits for something after a batch and not after another.
func (p *progress) awaited(after, upTo uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return after < p.wanted && p.wanted <= upTo
}

// want lets the follower know that somebody waits.
func (p *progress) want(seq uint64) {
	p.wanted = max(p.wanted, seq)
	select {
	case p.hurry <- struct{}{}:
	default:
	}
}

// change lets something happen and wakes those who wait.
func (p *progress) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	close(p.changed)
	p.changed = make(chan struct{})
}

// begin takes up a store that is at a batch, for a node that has applied up to another.
func (p *progress) begin(seq, applied uint64) {
	p.change(func() {
		p.known, p.done, p.ahead = true, seq, 0
		if seq > applied {
			p.ahead = seq
		}
	})
}

func (p *progress) reach(seq uint64) { p.change(func() { p.done = seq }) }

func (p *progress) suffer(trouble error) { p.change(func() { p.trouble = trouble }) }

func (p *progress) save(saving bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saving = saving
}

// blocked reports whether a batch is not in the store and waits for it alone.
func (p *progress) blocked(seq uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.known || p.saving && p.done < seq
}

func (p *progress) end(why error) { p.change(func() { p.failure = why }) }

func (p *progress) reached() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// wait returns when everything up to a batch is in the store.
func (p *progress) wait(ctx context.Context, seq uint64) error {
	for {
		p.mu.Lock()
		changed, enough, failure, trouble, done, ahead := p.changed, p.known && p.done >= seq, p.failure, p.trouble, p.done, p.ahead
		if !enough {
			p.want(seq)
		}
		p.mu.Unlock()
		switch {
		case failure != nil:
			return failure
		case seq < ahead:
			return fmt.Errorf("the history is at batch %d and the log of this node at %d: if this does not pass within seconds, "+
				"the history belongs to another exchange; give this one its own", ahead, seq)
		case enough:
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			err := fmt.Errorf("the history is at batch %d and has to reach %d: %w", done, seq, ctx.Err())
			if trouble != nil {
				err = fmt.Errorf("%w: %w", err, trouble)
			}
			return err
		}
	}
}
