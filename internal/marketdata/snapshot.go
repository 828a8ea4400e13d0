package marketdata

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"bourse/internal/disk"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// The file is a magic text and a version, then messages, each after its size: a head and one per
// market; then the SHA-256 of all that. A file of another version is not read: the log has
// everything.
const (
	fileName = "marketdata.snapshot"
	magic    = "bourse market data\n"
	version  = 1
)

var errFile = errors.New("the file cannot be used")

// head says what the file stands for: everything up to a place of the log. A market may be further.
type head struct {
	Place   uint64
	Markets uint32
}

func (h *head) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "place", &h.Place)
	wire.Uint(c, 2, "markets", &h.Markets)
}

// record is a market in the file.
type record struct {
	ID      schema.MarketID
	Seq     uint64
	Version uint64
	Changed schema.Time
	Bids    []Level // the best last
	Asks    []Level
	Trades  []Trade // oldest first
	Candles []candles
	Prices  schema.MarkChanged
}

func (r *record) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &r.ID)
	wire.Uint(c, 2, "seq", &r.Seq)
	wire.Uint(c, 3, "version", &r.Version)
	wire.Int(c, 4, "changed", &r.Changed)
	wire.List(c, 5, "bids", &r.Bids)
	wire.List(c, 6, "asks", &r.Asks)
	wire.List(c, 7, "trades", &r.Trades)
	wire.List(c, 8, "candles", &r.Candles)
	wire.Embed(c, 9, "prices", &r.Prices)
}

// candles are those of one interval, oldest first.
type candles struct {
	Interval Interval
	List     []Candle
}

func (k *candles) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "interval", &k.Interval)
	wire.List(c, 2, "list", &k.List)
}

// Saving takes at most one part in savePause of the time, and what only moved the place of the log
// is saved every idleSaves intervals: a place that is too old has to be caught up from an old
// snapshot of the exchange.
const (
	savePause = 20
	idleSaves = 10
)

// keepSaving writes the file at intervals until it is stopped.
func (d *Data) keepSaving(ctx context.Context) {
	pause := time.NewTimer(d.options.SaveInterval)
	defer pause.Stop()
	for round := 1; ; round++ {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
		began := time.Now()
		if err := d.saveWhenNew(round%idleSaves == 0); err != nil {
			// The log has everything; the next save may work.
			d.options.Log.Error("the market data were not saved", "problem", err)
		}
		pause.Reset(max(d.options.SaveInterval, savePause*time.Since(began)))
	}
}

// saveWhenNew writes the file if the models changed after it, or for a new place alone.
func (d *Data) saveWhenNew(place bool) error {
	d.saving.Lock()
	defer d.saving.Unlock()
	// In this order: what is counted here is in the file, whatever happens meanwhile.
	content, at := d.changes.Load(), d.at.Load()
	if content == d.content && (at == d.saved || !place) {
		return nil
	}
	began := time.Now()
	data := d.encode(at)
	if err := disk.Replace(d.path, data); err != nil {
		return err
	}
	d.content, d.saved = content, at
	d.options.Log.Debug("the market data were saved", "batch", at, "bytes", len(data), "took", time.Since(began))
	return nil
}

// encode makes the file. Every market is locked only while it is copied, and the exchange is
// followed meanwhile: so a market may be further than the place, and says how far.
func (d *Data) encode(place uint64) []byte {
	var all []*market
	if p := d.markets.Load(); p != nil {
		all = slices.DeleteFunc(slices.Clone(*p), func(m *market) bool { return m == nil })
	}
	var coder wire.Coder
	data := append([]byte(magic), version)
	data = coder.AppendSized(data, &head{Place: place, Markets: uint32(len(all))})
	var r record // kept for its memory
	for _, m := range all {
		m.copyTo(&r)
		data = coder.AppendSized(data, &r)
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

func (m *market) copyTo(r *record) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	r.ID, r.Seq, r.Version, r.Changed, r.Prices = m.id, m.seq, m.book.version, m.book.changed, m.prices
	r.Bids = m.book.appendTop(r.Bids[:0], schema.Buy, m.book.bids.count)
	r.Asks = m.book.appendTop(r.Asks[:0], schema.Sell, m.book.asks.count)
	slices.Reverse(r.Bids)
	slices.Reverse(r.Asks)
	r.Trades = m.trades.appendTo(r.Trades[:0])
	r.Candles = slices.Grow(r.Candles[:0], len(m.candles))[:len(m.candles)]
	for i := range m.candles {
		s := &m.candles[i]
		k := &r.Candles[i]
		k.Interval, k.List = Interval(i+1), s.closed.appendTo(k.List[:0])
		if s.end != 0 {
			k.List = append(k.List, s.live)
		}
	}
}

// load makes the models of the file if it is good and not beyond the end of the log. Otherwise
// they begin with the seed, if there is one, or empty, and the whole log is read.
func (d *Data) load(end uint64) {
	began := time.Now()
	data, err := os.ReadFile(d.path)
	if err == nil {
		err = d.restore(data, end)
	}
	switch {
	case err == nil:
		d.options.Log.Info("the market data are back", "batch", d.at.Load(), "took", time.Since(began))
	case errors.Is(err, fs.ErrNotExist):
		d.options.Log.Info("there are no saved market data; the log is read", "file", d.path)
		d.loadSeed()
	default:
		d.options.Log.Warn("the saved market data are passed over; the log is read", "file", d.path, "problem", err)
		d.markets.Store(nil)
		d.loadSeed()
	}
}

func (d *Data) restore(data []byte, end uint64) error {
	body := len(data) - sha256.Size
	if body <= len(magic) || string(data[:len(magic)]) != magic {
		return fmt.Errorf("%w: it does not begin like one", errFile)
	}
	if v := data[len(magic)]; v != version {
		return fmt.Errorf("%w: it has version %d, this program reads version %d", errFile, v, version)
	}
	if sum := sha256.Sum256(data[:body]); string(sum[:]) != string(data[body:]) {
		return fmt.Errorf("%w: its SHA-256 does not fit; it was damaged or cut off", errFile)
	}
	rest := data[len(magic)+1 : body]
	var h head
	err := next(&rest, &h)
	newest := h.Place
	for ; err == nil && h.Markets > 0; h.Markets-- {
		var r record
		if err = next(&rest, &r); err == nil {
			err = d.open(r.ID).restore(&r)
		}
		newest = max(newest, r.Seq)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errFile, err)
	case len(rest) > 0:
		return fmt.Errorf("%w: %d bytes are left over", errFile, len(rest))
	case newest > end:
		return fmt.Errorf("%w: it stands for batch %d, the log ends at batch %d", errFile, newest, end)
	}
	d.at.Store(h.Place)
	d.saved = h.Place
	return nil
}

// next reads a message and leaves the rest.
func next(rest *[]byte, m wire.Message) error {
	size, n := binary.Uvarint(*rest)
	if n <= 0 || size > uint64(len(*rest)-n) {
		return errors.New("a message is cut off")
	}
	body := (*rest)[n : n+int(size)]
	*rest = (*rest)[n+int(size):]
	return wire.Decode(body, m)
}

func (m *market) restore(r *record) error {
	if len(r.Trades) > TradesKept {
		return fmt.Errorf("market %d has %d trades", r.ID, len(r.Trades))
	}
	m.seq, m.prices = r.Seq, r.Prices
	m.book = book{version: r.Version, changed: r.Changed}
	if err := cmp.Or(m.book.restore(schema.Buy, r.Bids), m.book.restore(schema.Sell, r.Asks)); err != nil {
		return fmt.Errorf("market %d: %w", r.ID, err)
	}
	m.trades.items = r.Trades
	for _, k := range r.Candles {
		if !k.Interval.valid() || len(k.List) > CandlesKept {
			return fmt.Errorf("market %d has %d candles of interval %d", r.ID, len(k.List), k.Interval)
		}
		if n := len(k.List); n > 0 {
			live := k.List[n-1]
			*m.of(k.Interval) = series{closed: ring[Candle]{items: k.List[:n-1]}, live: live, end: k.Interval.Next(live.Start)}
		}
	}
	return nil
}

// restore fills a side of an empty book, the best level last.
func (b *book) restore(side schema.Side, levels []Level) error {
	before := Level{}
	for i, l := range levels {
		if l.Price.Sign() <= 0 || l.Amount.Sign() <= 0 || i > 0 && !rank(side, before.Price).Less(rank(side, l.Price)) {
			return fmt.Errorf("%s at %s cannot stand behind %s", l.Amount, l.Price, before.Price)
		}
		b.set(side, l.Price, l.Amount)
		before = l
	}
	b.undo = nil
	return nil
}
