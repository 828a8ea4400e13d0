package history

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"bourse/internal/schema"
)

// A run is several records of one group of the market or the asset index under one key: that of the
// newest, with the tails of the others packed into its value. Accounts that trade much have many
// records in every write, and keys are most of what a record costs.
//
// Runs of a group must not overlap, or a page would have to look into several at once. Times ascend
// in the log, so that only records of the first and the last moment of a write can be between
// others of another write: those have keys of their own. Records whose time is not that of their command always do.

// runLength is how many records a run has at most.
const runLength = 64

// packs reports whether records of the kind are in runs of an index.
func (k Kind) packs(i index) bool { return (i == byMarket || i == byAsset) && !kinds[k].dated }

// appendPacked adds a tail to a run, as the difference to the one before it.
func appendPacked(dst, before, tail []byte) []byte {
	dst = binary.AppendUvarint(dst, binary.BigEndian.Uint64(tail)-binary.BigEndian.Uint64(before))
	for at := 8; at < len(tail); at += 8 {
		dst = binary.AppendVarint(dst, int64(binary.BigEndian.Uint64(tail[at:])-binary.BigEndian.Uint64(before[at:])))
	}
	return dst
}

// unpack turns a tail into the next one of its run and returns the rest of the run.
func unpack(tail, run []byte) ([]byte, error) {
	more, n := binary.Uvarint(run)
	if n <= 0 {
		return nil, errStored
	}
	binary.BigEndian.PutUint64(tail, binary.BigEndian.Uint64(tail)+more)
	run = run[n:]
	for at := 8; at < len(tail); at += 8 {
		more, n := binary.Varint(run)
		if n <= 0 {
			return nil, errStored
		}
		binary.BigEndian.PutUint64(tail[at:], binary.BigEndian.Uint64(tail[at:])+uint64(more))
		run = run[n:]
	}
	return run, nil
}

// set puts the entries of a write into a batch, those of runs together.
func (w *writeBatch) set(b *pebble.Batch) error {
	entries := w.sorted()
	for i := 0; i < len(entries); {
		first := &entries[i]
		key, value := w.memory[first.key:first.value], w.memory[first.value:first.end]
		i++
		if first.runs {
			value = w.run[:0]
			group := len(key) - Kind(key[1]).tailSize()
			before := key[group:]
			for n := 1; n < runLength && i < len(entries) && entries[i].runs; n++ {
				other := w.memory[entries[i].key:entries[i].value]
				if len(other) != len(key) || !bytes.Equal(other[:group], key[:group]) {
					break
				}
				value = appendPacked(value, before, other[group:])
				before = other[group:]
				i++
			}
			w.run = value
		}
		if err := b.Set(key, value, nil); err != nil {
			return err
		}
	}
	return nil
}

// lane goes through the tails of a group, newest first.
type lane struct {
	it    *pebble.Iterator
	runs  bool   // whether values are runs
	end   []byte // tails that begin behind this are too old; nil: none are
	tail  []byte // where the lane is
	rest  []byte // of the run that the iterator stands on
	ended bool
}

// open goes to the newest record of a group that is not newer than a moment. It says in ended
// whether there is any.
func (l *lane) open(start []byte, to schema.Time) error {
	valid := false
	if l.runs {
		// The run before may reach over the moment.
		valid = l.it.SeekLT(start)
	}
	if !valid {
		valid = l.it.SeekGE(start)
	}
	if err := l.stand(valid); err != nil {
		return err
	}
	moment := appendMoment(nil, to)
	for !l.ended && bytes.Compare(l.tail[:8], moment) < 0 {
		if err := l.next(); err != nil {
			return err
		}
	}
	return nil
}

// stand takes up the key that the iterator stands on.
func (l *lane) stand(valid bool) error {
	if !valid {
		l.ended = true
		return l.it.Error()
	}
	key := l.it.Key()
	copy(l.tail, key[len(key)-len(l.tail):])
	if l.runs {
		run, err := l.it.ValueAndErr()
		if err != nil {
			return err
		}
		l.rest = run
	}
	l.check()
	return nil
}

func (l *lane) check() { l.ended = l.end != nil && bytes.Compare(l.tail[:8], l.end) >= 0 }

func (l *lane) next() (err error) {
	if len(l.rest) == 0 {
		return l.stand(l.it.Next())
	}
	if l.rest, err = unpack(l.tail, l.rest); err != nil {
		return fmt.Errorf("the run under the key %x: %w", l.it.Key(), err)
	}
	l.check()
	return nil
}
