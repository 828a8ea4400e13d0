package history

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// pebbleStore keeps records in a directory. What is written is durable within about a minute and
// in order: whoever is killed finds a store with a smaller Seq, and the journal has the rest.
type pebbleStore struct {
	dir    string
	disk   *patientDisk
	opened chan struct{} // closed when what follows is set
	failed error         // why it could not be opened
	db     *pebble.DB

	broken atomic.Pointer[error] // why nothing can be written any more

	writing chan struct{} // holds one while somebody owns what follows
	seq     uint64
	flushed time.Time // when what was written was last sent to the disk
	batch   writeBatch

	passed atomic.Uint64 // keys that pages went through, for tests
}

// format of the keys and values. Another one means another program.
const format = 1

// OpenPebble opens the store of a directory, which is made if it is not there. A disk that is full
// does not keep it from being opened: it is ready as soon as there is room, and says why it is not.
func OpenPebble(dir string, log *slog.Logger) (Store, error) {
	return openPebbleOn(vfs.Default, dir, log)
}

func openPebbleOn(disk vfs.FS, dir string, log *slog.Logger) (Store, error) {
	p := &pebbleStore{
		dir: dir, disk: newPatientDisk(disk, log), flushed: time.Now(),
		opened: make(chan struct{}), writing: make(chan struct{}, 1),
	}
	full := p.disk.waits()
	go func() {
		defer close(p.opened)
		p.failed = errors.New("the store gave up") // unless open returns
		p.failed = p.open()
	}()
	select {
	case <-p.opened:
		if p.failed != nil {
			return nil, p.failed
		}
	case <-full:
	}
	return p, nil
}

func (p *pebbleStore) open() error {
	db, err := pebble.Open(p.dir, &pebble.Options{
		FS:                 p.disk,
		FormatMajorVersion: pebble.FormatNewest,
		// The journal is the log of this store: one of its own would only be written twice.
		DisableWAL: true,
		CacheSize:  64 << 20,
		// What comes in is written few times: large tables in memory, a large first level.
		MemTableSize:                64 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       16,
		L0StopWritesThreshold:       64,
		LBaseMaxBytes:               512 << 20,
		// What is written first is soon written again: it is not worth being compressed.
		Levels: [7]pebble.LevelOptions{
			0: {Compression: func() *sstable.CompressionProfile { return sstable.NoCompression }},
			1: {Compression: func() *sstable.CompressionProfile { return sstable.SnappyCompression }},
		},
		Logger: quiet{p},
		// A damaged file is an error of the page that needs it, not the end of the exchange.
		EventListener: &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}},
	})
	if err != nil {
		return fmt.Errorf("opening the history in %s: %w; "+
			"if no other program uses it, remove the directory: it is made again from the journal", p.dir, err)
	}
	p.db = db
	if err := p.begin(); err != nil {
		return errors.Join(fmt.Errorf("opening the history in %s: %w", p.dir, err), db.Close())
	}
	return nil
}

// ready waits until the store is open.
func (p *pebbleStore) ready(ctx context.Context) error {
	select {
	case <-p.opened:
	default:
		select {
		case <-p.opened:
		case <-ctx.Done():
			return fmt.Errorf("the history in %s is not open yet: %w", p.dir, p.why(ctx))
		}
	}
	if p.failed != nil {
		return fmt.Errorf("%w: %w", errBroken, p.failed)
	}
	return p.fatal()
}

// why is the reason why something did not end before its context: the disk, if that has a problem.
func (p *pebbleStore) why(ctx context.Context) error {
	if err := p.disk.problem(); err != nil {
		return err
	}
	return ctx.Err()
}

// fatal is why the store cannot be used any more.
func (p *pebbleStore) fatal() error {
	if why := p.broken.Load(); why != nil {
		return *why
	}
	return nil
}

// Trouble is why the store does not go on, for the moment or for ever.
func (p *pebbleStore) Trouble() error {
	select {
	case <-p.opened:
		if p.failed != nil {
			return p.failed
		}
	default:
	}
	if err := p.fatal(); err != nil {
		return err
	}
	return p.disk.problem()
}

// own does something that may change the store, alone. Pebble waits for its disk without end and
// ends a goroutine that it cannot go on with: a caller waits no longer than its context.
func (p *pebbleStore) own(ctx context.Context, do func() error) error {
	if err := p.ready(ctx); err != nil {
		return err
	}
	select {
	case p.writing <- struct{}{}:
	case <-ctx.Done():
		return p.why(ctx)
	}
	done := make(chan error, 1)
	go func() {
		err := errBroken // unless do returns
		defer func() {
			<-p.writing
			done <- err
		}()
		err = do()
	}()
	select {
	case err := <-done:
		if errors.Is(err, errBroken) {
			return p.fatal()
		}
		return err
	case <-ctx.Done():
		return p.why(ctx)
	}
}

// begin reads how far the store is.
func (p *pebbleStore) begin() error {
	have, there, err := p.number(formatKey)
	if err == nil && !there {
		have = format
		err = p.db.Set(formatKey, binary.AppendUvarint(nil, format), pebble.NoSync)
	}
	if err == nil && have != format {
		err = fmt.Errorf("it has format %d and this program knows %d; remove the directory: it is made again from the journal", have, format)
	}
	if err == nil {
		p.seq, _, err = p.number(seqKey)
	}
	return err
}

// number that is stored under a key.
func (p *pebbleStore) number(key []byte) (n uint64, there bool, err error) {
	value, closer, err := p.db.Get(key)
	switch {
	case errors.Is(err, pebble.ErrNotFound):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	n, size := binary.Uvarint(value)
	if size != len(value) {
		err = errStored
	}
	return n, true, errors.Join(err, closer.Close())
}

// closeTime is how long closing may take.
const closeTime = 10 * time.Second

// Close sends everything to the disk. It does not wait for room there: what is missing is made
// again from the journal.
func (p *pebbleStore) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	go func() {
		select {
		case <-p.disk.waits():
			cancel()
		case <-ctx.Done():
		}
	}()
	err := p.own(ctx, func() error { return errors.Join(p.db.Flush(), p.db.Close()) })
	if err != nil {
		return fmt.Errorf("closing the history in %s: %w; what is missing there is made again from the journal", p.dir, err)
	}
	return nil
}

func (p *pebbleStore) Seq(ctx context.Context) (uint64, error) {
	var seq atomic.Uint64 // it may be set after the context has ended and nobody waits any more
	err := p.own(ctx, func() error {
		seq.Store(p.seq)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return seq.Load(), nil
}

// Write puts records and seq into one batch of Pebble, which is there as a whole or not at all.
func (p *pebbleStore) Write(ctx context.Context, seq uint64, records []Record) error {
	err := p.own(ctx, func() error { return p.write(seq, records) })
	if err != nil {
		return fmt.Errorf("writing history up to batch %d to %s: %w", seq, p.dir, err)
	}
	return nil
}

func (p *pebbleStore) write(seq uint64, records []Record) error {
	if seq <= p.seq {
		return nil
	}
	b := p.db.NewBatch()
	defer b.Close()
	if err := p.fill(b, seq, records); err != nil {
		return err
	}
	if err := p.db.Apply(b, pebble.NoSync); err != nil {
		return err
	}
	p.seq = seq
	return p.flush()
}

// flushEvery bounds how much has to be made again from the journal after a crash.
const flushEvery = time.Minute

// flush sends what was written to the disk from time to time, in the background.
func (p *pebbleStore) flush() error {
	if now := time.Now(); now.Sub(p.flushed) >= flushEvery {
		p.flushed = now
		_, err := p.db.AsyncFlush()
		return err
	}
	return nil
}

func (p *pebbleStore) fill(b *pebble.Batch, seq uint64, records []Record) error {
	w := &p.batch
	w.reset()
	for i := range records {
		r := &records[i]
		if r.Seq <= p.seq {
			continue
		}
		if err := r.check(); err != nil {
			return err
		}
		w.add(r)
	}
	for _, e := range w.sorted() {
		if err := b.Set(w.memory[e.key:e.value], w.memory[e.value:e.end], nil); err != nil {
			return err
		}
	}
	return b.Set(seqKey, binary.AppendUvarint(nil, seq), nil)
}

// writeBatch is the keys and values of a write. They go into the store in the order of keys: next
// to each other they are inserted several times as fast.
type writeBatch struct {
	coder   wire.Coder
	memory  []byte
	entries []writeEntry
}

// writeEntry is where a key, its value and its end are.
type writeEntry struct{ key, value, end int }

func (w *writeBatch) reset() { w.memory, w.entries = w.memory[:0], w.entries[:0] }

// add adds a record under all its keys.
func (w *writeBatch) add(r *Record) {
	start := len(w.memory)
	w.memory = appendPrimary(w.memory, r)
	value := len(w.memory)
	w.memory = appendValue(w.memory, &w.coder, r)
	w.entries = append(w.entries, writeEntry{start, value, len(w.memory)})
	for i := byMarket; i <= byTag; i++ {
		start := len(w.memory)
		if grown := appendIndex(w.memory, i, r); grown != nil {
			w.memory = grown
			w.entries = append(w.entries, writeEntry{start, len(grown), len(grown)})
		}
	}
}

func (w *writeBatch) sorted() []writeEntry {
	slices.SortFunc(w.entries, func(a, b writeEntry) int {
		return bytes.Compare(w.memory[a.key:a.value], w.memory[b.key:b.value])
	})
	return w.entries
}

// pruneBytes is how large a batch of removals becomes before it is applied.
const pruneBytes = 1 << 20

// Prune visits the accounts one by one. Old records are the last ones of each, so that whatever
// stays is passed over.
func (p *pebbleStore) Prune(ctx context.Context, before schema.Time) (int, error) {
	if err := p.ready(ctx); err != nil {
		return 0, err
	}
	removed, err := p.prune(ctx, before)
	if err != nil {
		err = fmt.Errorf("removing old history from %s: %w", p.dir, err)
	}
	return removed, err
}

func (p *pebbleStore) prune(ctx context.Context, before schema.Time) (removed int, err error) {
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: []byte{primarySpace}, UpperBound: []byte{primarySpace + 1}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	b := p.db.NewBatch()
	for valid := it.First(); valid; {
		account := append([]byte(nil), it.Key()[:6]...)
		if Kind(account[1]) == Acts {
			valid = it.SeekGE([]byte{primarySpace, byte(Acts) + 1})
			continue
		}
		end := after(account)
		for valid = it.SeekGE(appendMoment(account, before-1)); valid && string(it.Key()) < string(end); valid = it.Next() {
			if err := remove(b, it); err != nil {
				return removed, err
			}
			removed++
			if b.Len() >= pruneBytes {
				if err := errors.Join(p.applyRemovals(ctx, b), ctx.Err()); err != nil {
					return removed, err
				}
				b = p.db.NewBatch()
			}
		}
		if ctx.Err() != nil {
			return removed, ctx.Err()
		}
	}
	return removed, errors.Join(it.Error(), p.applyRemovals(ctx, b))
}

// applyRemovals takes the batch over: it may still be at work when the context has ended.
func (p *pebbleStore) applyRemovals(ctx context.Context, b *pebble.Batch) error {
	return p.own(ctx, func() error { return errors.Join(p.db.Apply(b, pebble.NoSync), b.Close()) })
}

// remove deletes the record that an iterator stands on from all indexes.
func remove(b *pebble.Batch, it *pebble.Iterator) error {
	value, err := it.ValueAndErr()
	if err != nil {
		return err
	}
	r, err := readRecord(it.Key(), value, false)
	if err != nil {
		return err
	}
	for i := byMarket; i <= byTag; i++ {
		if key := appendIndex(nil, i, &r); key != nil {
			if err := b.Delete(key, nil); err != nil {
				return err
			}
		}
	}
	return b.Delete(it.Key(), nil)
}

// quiet keeps Pebble's diary to itself.
type quiet struct{ store *pebbleStore }

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}

// errBroken means that Pebble ended the goroutine that worked for us.
var errBroken = errors.New("the store is broken")

// Fatalf is what Pebble calls when it cannot go on, on any goroutine; it must not return. The
// exchange goes on without the history: only this goroutine ends.
func (q quiet) Fatalf(text string, args ...any) {
	why := fmt.Errorf("%w: %s; make sure that the disk works and start again; if that does not help, remove %s: it is made again from the journal",
		errBroken, fmt.Sprintf(text, args...), q.store.dir)
	q.store.broken.CompareAndSwap(nil, &why)
	runtime.Goexit()
}
