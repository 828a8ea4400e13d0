// Package marketdata keeps what the public may see of the markets: books, trades, tickers, candles and the
// prices of futures. It is made of the exchange's events alone; RPI orders are in no book, because no event
// about the public book speaks of them, and their executions are among the trades. Only a demo has a
// past before its first event: a Seed, which is in its data directory and in no other.
//
// What it promises: a reader sees a market as it was after some whole batch of the log, never in
// the middle of one. Wait makes a reader see its own writes. The same log gives the same answers,
// versions of books included, however often the program was restarted on the way.
//
// What must hold: one goroutine changes the models. A batch is in all its markets before it counts
// as done (Data.at), and a market takes no batch twice (market.seq). Books are sorted and hold no
// empty level; trades and candles stand in the order of time.
//
// Everything lives in memory and is bounded: TradesKept trades and CandlesKept candles of every
// interval per market; the past beyond that belongs to the history. A file in the data directory
// saves reading the whole log at a start; it may be deleted at any time.
package marketdata

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"bourse/internal/node"
	"bourse/internal/schema"
)

// ErrEnded means that the models do not follow the exchange any more; what they show is old.
var ErrEnded = errors.New("the market data do not follow the exchange any more")

// Options of the models.
type Options struct {
	Log *slog.Logger
	// SaveInterval is how often the models are written to their file when there is something new;
	// 0: once a minute.
	SaveInterval time.Duration
}

func (o *Options) setDefaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.SaveInterval == 0 {
		o.SaveInterval = time.Minute
	}
}

// Data are the models of all markets. All its methods may be called by many at once. A market
// that nothing happened on yet has the answers of one that is empty.
type Data struct {
	options Options
	node    *node.Node
	path    string

	// The index is the id: the core hands ids out without gaps. The slice is replaced when it
	// grows, so that readers need no lock to find a market.
	markets atomic.Pointer[[]*market]
	touched []*market // by the batch being applied

	at      atomic.Uint64 // the last batch that is in all models
	known   uint64        // the last batch that the exchange knew at Follow
	changes atomic.Uint64 // batches that changed a model
	waiting struct {
		sync.Mutex
		changed chan struct{} // closed after the next batch; nil while nobody waits
	}

	saving  sync.Mutex
	saved   uint64 // the place that the file stands for
	content uint64 // changes that are in the file

	stop    context.CancelFunc
	helpers sync.WaitGroup
	ended   chan struct{} // closed when nobody follows any more
	failure error         // why, unless because of Close; set before ended is closed
}

// Follow opens the models: what the file in dir holds, if it is good, then everything that
// happened after it. It does not wait until that is in; Wait does.
func Follow(n *node.Node, dir string, o Options) (*Data, error) {
	o.setDefaults()
	d := &Data{options: o, node: n, path: filepath.Join(dir, fileName), known: n.Applied(), ended: make(chan struct{})}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the directory of the market data: %w", err)
	}
	d.load(d.known)
	ctx, stop := context.WithCancel(context.Background())
	d.stop = stop
	reader := n.Reader(d.at.Load())
	if d.Rebuilding() {
		o.Log.Info("rebuilding the market data from the log", "batches", d.known-d.at.Load())
	}
	d.helpers.Go(func() { d.follow(ctx, reader) })
	d.helpers.Go(func() { d.keepSaving(ctx) })
	return d, nil
}

// Close ends following and writes the file. It returns why the models had stopped following by
// themselves before, if they had.
func (d *Data) Close() error {
	d.stop()
	d.helpers.Wait()
	return errors.Join(d.failure, d.saveWhenNew(true))
}

// follow applies what happens until it is stopped or cannot go on.
func (d *Data) follow(ctx context.Context, reader *node.Reader) {
	defer close(d.ended)
	defer reader.Close()
	for {
		step, err := reader.Next(ctx)
		if err != nil {
			if ctx.Err() == nil {
				d.failure = fmt.Errorf("%w: %w", ErrEnded, err)
				d.options.Log.Error("the market data stop following the exchange; restart the node", "batch", d.at.Load(), "reason", err)
			}
			return
		}
		for i := range step.Commands {
			h := &step.Commands[i]
			for _, e := range step.Events(h) {
				d.note(h.Time, e)
			}
		}
		d.settle(step.Seq)
	}
}

// note puts an event of the batch that is being applied aside for its market. The event must stay
// valid until settle.
func (d *Data) note(at schema.Time, e schema.Event) {
	var m *market
	switch e := e.(type) {
	case *schema.Deal:
		if e.OffBook {
			return // its price is none of the market's
		}
		m = d.open(e.Market)
		m.deals = append(m.deals, pendingDeal{at, e})
	case *schema.LevelChanged:
		m = d.open(e.Market)
		m.levels = append(m.levels, pendingLevel{at, e})
	case *schema.MarkChanged:
		m = d.open(e.Market)
		m.marked = e
	default:
		return
	}
	if !m.pending {
		m.pending = true
		d.touched = append(d.touched, m)
	}
}

// settle lets the markets have what was put aside, and makes it known that the batch is in.
func (d *Data) settle(seq uint64) {
	for _, m := range d.touched {
		m.settle(seq)
	}
	if len(d.touched) > 0 {
		d.touched = d.touched[:0]
		d.changes.Add(1)
	}
	d.at.Store(seq)
	d.waiting.Lock()
	defer d.waiting.Unlock()
	if d.waiting.changed != nil {
		close(d.waiting.changed)
		d.waiting.changed = nil
	}
}

// nextBatch is closed after the next batch.
func (d *Data) nextBatch() <-chan struct{} {
	d.waiting.Lock()
	defer d.waiting.Unlock()
	if d.waiting.changed == nil {
		d.waiting.changed = make(chan struct{})
	}
	return d.waiting.changed
}

// Wait waits until everything that the exchange had answered before the call is in the models.
func (d *Data) Wait(ctx context.Context) error { return d.WaitFor(ctx, d.node.Applied()) }

// WaitFor waits until a batch is in the models. Who reads steps needs it: a batch reaches readers a
// moment before the node counts it.
func (d *Data) WaitFor(ctx context.Context, target uint64) error {
	for d.at.Load() < target {
		next := d.nextBatch()
		if d.at.Load() >= target {
			break
		}
		select {
		case <-next:
		case <-d.ended:
			if d.at.Load() < target {
				return cmp.Or(d.failure, ErrEnded)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// freshTime is how long a reader waits for models that are behind.
const freshTime = 5 * time.Second

// Fresh is Wait for those who answer clients: it does not wait for long.
func (d *Data) Fresh(ctx context.Context) error { return d.freshAt(ctx, d.node.Applied()) }

func (d *Data) freshAt(ctx context.Context, target uint64) error {
	if d.at.Load() >= target {
		return nil // as nearly always: no timer
	}
	ctx, cancel := context.WithTimeout(ctx, freshTime)
	defer cancel()
	return d.WaitFor(ctx, target)
}

// Lag is how many batches of the exchange are not in the models yet.
func (d *Data) Lag() uint64 {
	at := d.at.Load()
	// A batch reaches readers a moment before the node counts it.
	return max(at, d.node.Applied()) - at
}

// Rebuilding reports whether something that the exchange knew at Follow is not in the models yet: a reader may have
// to wait for long.
func (d *Data) Rebuilding() bool { return d.at.Load() < d.known }

// Stuck is why the models do not follow the exchange any more; nil as long as they do.
func (d *Data) Stuck() error {
	select {
	case <-d.ended:
		return cmp.Or(d.failure, ErrEnded)
	default:
		return nil
	}
}

// nothing is the market that nothing happened on. Nobody changes it.
var nothing market

// market is a market to be read.
func (d *Data) market(id schema.MarketID) *market {
	if all := d.markets.Load(); all != nil && int(id) < len(*all) && (*all)[id] != nil {
		return (*all)[id]
	}
	return &nothing
}

// open is a market to be changed, made if it is not there yet.
func (d *Data) open(id schema.MarketID) *market {
	if m := d.market(id); m != &nothing {
		return m
	}
	var all []*market
	if old := d.markets.Load(); old != nil {
		all = *old
	}
	grown := make([]*market, max(len(all), int(id)+1))
	copy(grown, all)
	grown[id] = &market{id: id}
	d.markets.Store(&grown)
	return grown[id]
}
