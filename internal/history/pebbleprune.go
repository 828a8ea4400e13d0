package history

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"bourse/internal/schema"
)

// prunedAtOnce is how many records are removed in one batch.
const prunedAtOnce = 4096

// Prune visits the accounts one by one, class by class. Old records are the last ones of each, so
// that whatever stays is passed over.
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
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: []byte{classSpace}, UpperBound: []byte{classSpace + 1}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	var old []Record
	flush := func() error {
		n, err := p.forget(ctx, old)
		removed, old = removed+n, nil
		return errors.Join(err, ctx.Err())
	}
	for valid := it.First(); valid; {
		group := append([]byte(nil), it.Key()[:accountSize+1]...)
		if Kind(group[1]) == Acts {
			valid = it.SeekGE([]byte{classSpace, byte(Acts) + 1})
			continue
		}
		end := after(group)
		for valid = it.SeekGE(appendMoment(group, before-1)); valid && string(it.Key()) < string(end); valid = it.Next() {
			value, err := it.ValueAndErr()
			if err != nil {
				return removed, err
			}
			r, err := readRecord(it.Key(), value, false)
			if err != nil {
				return removed, err
			}
			if old = append(old, r); len(old) == prunedAtOnce {
				if err := flush(); err != nil {
					return removed, err
				}
			}
		}
		if ctx.Err() != nil {
			return removed, ctx.Err()
		}
	}
	if err := it.Error(); err != nil {
		return removed, err
	}
	return removed, flush()
}

// forget removes records and returns how many there were. It takes the list over: it may still be at
// work when the context has ended.
func (p *pebbleStore) forget(ctx context.Context, old []Record) (int, error) {
	done := make(chan int, 1)
	err := p.own(ctx, func() error {
		b, counts, removed := p.db.NewBatch(), counts{}, 0
		for i := range old {
			r := &old[i]
			if kinds[r.Kind].changes {
				// It may have changed since it was read. Then it goes the next time.
				there, err := p.has(appendPrimary(nil, r))
				if err != nil {
					return errors.Join(err, b.Close())
				}
				if !there {
					continue
				}
			}
			counts.add(r, -1)
			removed++
			if err := remove(b, r); err != nil {
				return errors.Join(err, b.Close())
			}
		}
		err := errors.Join(p.count(b, counts), p.db.Apply(b, pebble.NoSync), b.Close())
		done <- removed
		return err
	})
	if err != nil {
		return 0, err
	}
	return <-done, nil
}

func (p *pebbleStore) has(key []byte) (bool, error) {
	_, closer, err := p.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, closer.Close()
}
