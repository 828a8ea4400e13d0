package history

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
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
	dir string
	db  *pebble.DB

	writing sync.Mutex // guards what follows
	seq     uint64
	broken  error     // why nothing can be written any more
	flushed time.Time // when what was written was last sent to the disk
	batch   writeBatch

	passed atomic.Uint64 // keys that pages went through, for tests
}

// format of the keys and values. Another one means another program.
const format = 1

// OpenPebble opens the store of a directory, which is made if it is not there.
func OpenPebble(dir string) (Store, error) { return openPebbleOn(vfs.Default, dir) }

func openPebbleOn(disk vfs.FS, dir string) (Store, error) {
	p := &pebbleStore{dir: dir, flushed: time.Now()}
	db, err := pebble.Open(dir, &pebble.Options{
		FS:                 disk,
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
		Logger: quiet{},
		// A damaged file is an error of the page that needs it, not the end of the exchange.
		EventListener: &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}},
	})
	if err != nil {
		return nil, fmt.Errorf("opening the history in %s: %w; "+
			"if no other program uses it, remove the directory: it is made again from the journal", dir, err)
	}
	p.db = db
	if err := p.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the history in %s: %w", dir, err), db.Close())
	}
	return p, nil
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

func (p *pebbleStore) Close() error {
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.broken != nil { // there is nothing left that could be closed in order
		return nil
	}
	if err := errors.Join(p.db.Flush(), p.db.Close()); err != nil {
		return fmt.Errorf("closing the history in %s: %w", p.dir, err)
	}
	return nil
}

func (p *pebbleStore) Seq(context.Context) (uint64, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.seq, nil
}

// Write puts records and seq into one batch of Pebble, which is there as a whole or not at all.
func (p *pebbleStore) Write(_ context.Context, seq uint64, records []Record) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	if seq <= p.seq {
		return nil
	}
	b := p.db.NewBatch()
	defer b.Close()
	err := p.fill(b, seq, records)
	if err == nil {
		err = p.apply(b)
	}
	if err != nil {
		return fmt.Errorf("writing history up to batch %d to %s: %w", seq, p.dir, err)
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
		if _, err := p.db.AsyncFlush(); err != nil {
			return fmt.Errorf("sending history to the disk in %s: %w", p.dir, err)
		}
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

// apply commits a batch. Pebble cannot go on after a log of its own that could not be written,
// say because the disk is full; the exchange can.
func (p *pebbleStore) apply(b *pebble.Batch) (err error) {
	if p.broken != nil {
		return p.broken
	}
	defer func() {
		switch why := recover().(type) {
		case nil:
		case fatalError:
			p.broken = fmt.Errorf("%w; make sure that the disk works and has room, then start again", why)
			err = p.broken
		default:
			panic(why)
		}
	}()
	return p.db.Apply(b, pebble.NoSync)
}

// pruneBytes is how large a batch of removals becomes before it is applied.
const pruneBytes = 1 << 20

// Prune visits the accounts one by one. Old records are the last ones of each, so that whatever
// stays is passed over.
func (p *pebbleStore) Prune(ctx context.Context, before schema.Time) (int, error) {
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
	defer func() { err = errors.Join(err, b.Close()) }()
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
				if err := errors.Join(p.applyRemovals(b), ctx.Err()); err != nil {
					return removed, err
				}
				b.Reset()
			}
		}
		if ctx.Err() != nil {
			return removed, ctx.Err()
		}
	}
	return removed, errors.Join(it.Error(), p.applyRemovals(b))
}

func (p *pebbleStore) applyRemovals(b *pebble.Batch) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.apply(b)
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
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}

// fatalError is what Pebble cannot live with.
type fatalError struct{ text string }

func (e fatalError) Error() string { return e.text }

// Fatalf must not return. Where it is called for a write of ours, apply catches the panic.
func (quiet) Fatalf(text string, args ...any) { panic(fatalError{fmt.Sprintf(text, args...)}) }
