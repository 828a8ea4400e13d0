package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

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
	removed, err := 0, p.pruneRuns(ctx, before)
	if err == nil {
		removed, err = p.prune(ctx, before)
	}
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

// pruneRuns removes old records from the indexes that have runs, before the records themselves go.
func (p *pebbleStore) pruneRuns(ctx context.Context, before schema.Time) (err error) {
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: []byte{marketSpace}, UpperBound: []byte{assetSpace + 1}})
	if err != nil {
		return err
	}
	r := &runRemoval{p, p.db.NewBatch()}
	defer func() { err = errors.Join(err, it.Close(), r.batch.Close()) }()
	for valid := it.First(); valid; {
		kind := Kind(it.Key()[1])
		if !kind.packs(index(it.Key()[0] - classSpace)) {
			valid = it.SeekGE(after(it.Key()[:2]))
			continue
		}
		group := bytes.Clone(it.Key()[:len(it.Key())-kind.tailSize()])
		if err := r.group(ctx, it, group, appendMoment(nil, before-1)); err != nil {
			return err
		}
		valid = it.SeekGE(after(group))
	}
	return errors.Join(it.Error(), r.apply(ctx))
}

// runRemoval removes from runs.
type runRemoval struct {
	store *pebbleStore
	batch *pebble.Batch
}

// group removes the keys of a group from a moment on, and shortens the run that reaches over it.
func (r *runRemoval) group(ctx context.Context, it *pebble.Iterator, group, moment []byte) error {
	old, end := slices.Concat(group, moment), after(group)
	for valid := it.SeekGE(old); valid && bytes.Compare(it.Key(), end) < 0; valid = it.Next() {
		if err := r.batch.Delete(it.Key(), nil); err != nil {
			return err
		}
		if r.batch.Count() >= prunedAtOnce {
			if err := r.apply(ctx); err != nil {
				return err
			}
		}
	}
	if !it.SeekLT(old) || !bytes.HasPrefix(it.Key(), group) {
		return errors.Join(it.Error(), ctx.Err())
	}
	run, err := it.ValueAndErr()
	if err != nil {
		return err
	}
	tail := bytes.Clone(it.Key()[len(group):])
	for rest := run; len(rest) > 0; {
		kept := len(run) - len(rest)
		if rest, err = unpack(tail, rest); err != nil {
			return err
		}
		if bytes.Compare(tail, moment) >= 0 {
			return r.batch.Set(it.Key(), run[:kept], nil)
		}
	}
	return ctx.Err()
}

// apply lets the store take the batch over: it may still be at work when the context has ended.
func (r *runRemoval) apply(ctx context.Context) error {
	full := r.batch
	r.batch = r.store.db.NewBatch()
	return r.store.own(ctx, func() error { return errors.Join(r.store.db.Apply(full, pebble.NoSync), full.Close()) })
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
