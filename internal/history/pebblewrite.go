package history

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

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
	if err := checkAll(records); err != nil {
		return err
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
	records = fresh(records, p.seq)
	w := &p.batch
	w.reset(records)
	counts := counts{}
	for i := range records {
		r := &records[i]
		if kinds[r.Kind].changes {
			if err := p.replace(b, counts, r); err != nil {
				return err
			}
		}
		counts.add(r, 1)
		w.add(r)
	}
	if err := w.set(b); err != nil {
		return err
	}
	return errors.Join(p.count(b, counts), b.Set(seqKey, binary.AppendUvarint(nil, seq), nil))
}

// replace removes the state that a record had before. It is an older one: the store has no record of
// a batch that it does not have, and it takes none of a batch that it has.
func (p *pebbleStore) replace(b *pebble.Batch, counts counts, r *Record) error {
	key := appendIndex(nil, byID, r)
	lead, closer, err := p.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	primary, err := appendFollowed(nil, byID, key, lead, nil)
	if err = errors.Join(err, closer.Close()); err != nil {
		return err
	}
	value, closer, err := p.db.Get(primary)
	if err != nil {
		return fmt.Errorf("the record of the key %x: %w", key, err)
	}
	before, err := readRecord(primary, value, false)
	if err = errors.Join(err, closer.Close()); err != nil {
		return err
	}
	counts.add(&before, -1)
	return remove(b, &before)
}

// remove deletes a record from all indexes but those that have runs.
func remove(b *pebble.Batch, r *Record) error {
	err := b.Delete(appendPrimary(nil, r), nil)
	for _, i := range kinds[r.Kind].indexes {
		if key := appendIndex(nil, i, r); key != nil && !r.Kind.packs(i) {
			err = errors.Join(err, b.Delete(key, nil))
		}
	}
	return err
}

// writeBatch is the keys and values of a write. They go into the store in the order of keys: next
// to each other they are inserted several times as fast.
type writeBatch struct {
	coder       wire.Coder
	memory      []byte
	entries     []writeEntry
	run         []byte
	first, last schema.Time // the moments of the write at which there are no runs
}

// writeEntry is where a key, its value and its end are in the memory of a write, which is far below
// 4 GB. Begin and rest sort as keys do, but cost much less to compare; keys with the same ones are
// compared themselves.
type writeEntry struct {
	begin, rest     uint64
	key, value, end uint32
	runs            bool // whether it may be in a run
}

func (w *writeBatch) reset(records []Record) {
	w.memory, w.entries = w.memory[:0], w.entries[:0]
	w.first, w.last = math.MaxInt64, math.MinInt64
	for i := range records {
		if r := &records[i]; !kinds[r.Kind].dated {
			w.first, w.last = min(w.first, r.Time), max(w.last, r.Time)
		}
	}
}

// add adds a record under all its keys.
func (w *writeBatch) add(r *Record) {
	start := len(w.memory)
	w.memory = appendPrimary(w.memory, r)
	value := len(w.memory)
	w.memory = appendValue(w.memory, &w.coder, r)
	w.entry(byClass, start, value, false)
	inside := w.first < r.Time && r.Time < w.last
	for _, i := range kinds[r.Kind].indexes {
		start := len(w.memory)
		if grown := appendIndex(w.memory, i, r); grown != nil {
			w.memory = appendLead(grown, i, r)
			w.entry(i, start, len(grown), inside && r.Kind.packs(i))
		}
	}
}

// timeBits is how much of a time the market and the class leave room for: 13 days.
const timeBits = 40

func (w *writeBatch) entry(i index, start, value int, runs bool) {
	key := w.memory[start:value]
	e := writeEntry{begin: binary.BigEndian.Uint64(key), key: uint32(start), value: uint32(value), end: uint32(len(w.memory)), runs: runs}
	switch i {
	case byClass:
		e.rest = binary.BigEndian.Uint64(key[accountSize+1:]) // the time
	case byMarket, byAsset:
		// The other half of the number, the class, and as much of the time as differs within the write.
		if low := uint64(1)<<timeBits - 1; w.first>>timeBits == w.last>>timeBits {
			e.rest = binary.BigEndian.Uint64(key[8:])&^low | binary.BigEndian.Uint64(key[accountSize+5:])&low
		}
	case byID, byRef:
		e.rest = binary.BigEndian.Uint64(key[accountSize:]) // the id
	}
	w.entries = append(w.entries, e)
}

func (w *writeBatch) sorted() []writeEntry {
	slices.SortFunc(w.entries, func(a, b writeEntry) int {
		switch {
		case a.begin != b.begin:
			return cmp.Compare(a.begin, b.begin)
		case a.rest != b.rest:
			return cmp.Compare(a.rest, b.rest)
		default:
			return bytes.Compare(w.memory[a.key:a.value], w.memory[b.key:b.value])
		}
	})
	return w.entries
}
