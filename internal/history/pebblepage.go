package history

import (
	"bytes"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// Page goes through the groups of one index side by side, newest first, and looks up the records
// that it stops at.
func (p *pebbleStore) Page(ctx context.Context, q *Query) ([]Record, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if q.empty() {
		return nil, nil
	}
	if err := p.ready(ctx); err != nil {
		return nil, err
	}
	snapshot := p.db.NewSnapshot() // all iterators see the same
	page, err := p.page(ctx, snapshot, q)
	if err = errors.Join(err, snapshot.Close()); err != nil {
		return nil, fmt.Errorf("reading %s of account %d from %s: %w", q.Kind, q.Account, p.dir, err)
	}
	return page, nil
}

func (p *pebbleStore) page(ctx context.Context, s *pebble.Snapshot, q *Query) (page []Record, err error) {
	groups, err := q.walks(s)
	if err != nil {
		return nil, err
	}
	m, err := newMerge(s, q, groups)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	var records *pebble.Iterator // nil: the merge goes through the records themselves
	if q.path() != byTime {
		prefix := q.prefix(byTime)
		if records, err = s.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)}); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, records.Close()) }()
	}
	for n := 0; m.more() && len(page) < q.Limit; n++ {
		p.passed.Add(1)
		if n >= q.Offset {
			r, err := q.load(m.first(), records)
			if err != nil {
				return nil, err
			}
			page = append(page, r)
		}
		if err := m.next(); err != nil {
			return nil, err
		}
		if n%1024 == 1023 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return page, nil
}

// load is the record that an iterator stands on, or that its key leads to.
func (q *Query) load(it, records *pebble.Iterator) (Record, error) {
	if records != nil {
		key := it.Key()
		primary := append(q.prefix(byTime), key[len(key)-tailSize:]...)
		if !records.SeekGE(primary) || !bytes.Equal(records.Key(), primary) {
			return Record{}, errors.Join(fmt.Errorf("the record of the key %x is missing: %w", key, errStored), records.Error())
		}
		it = records
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return Record{}, err
	}
	return readRecord(it.Key(), value, true)
}

// path is the index that leads to what is asked for. Classes have none of their own, which would
// have to be written for every order: the few markets of an account lead to them too.
func (q *Query) path() index {
	if i := q.index(); i != byClass {
		return i
	}
	return byMarket
}

// walks are the groups to go through.
func (q *Query) walks(s *pebble.Snapshot) ([]group, error) {
	if q.index() != byClass {
		return q.groups(func() ([]group, error) { return find(s, q) })
	}
	all, err := find(s, q)
	return slices.DeleteFunc(all, func(g group) bool { return !q.chooses(g) }), err
}

// find jumps from group to group of an account, an order or a client order id.
func find(s *pebble.Snapshot, q *Query) (groups []group, err error) {
	prefix := q.prefix(q.path())
	it, err := s.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return nil, err
	}
	for valid := it.First(); valid; {
		next := it.Key()[:len(prefix)+groupSize]
		groups = append(groups, readGroup(next[len(prefix):]))
		valid = it.SeekGE(after(next))
	}
	return groups, errors.Join(it.Error(), it.Close())
}

// merge goes through several groups as if they were one. It is a heap of iterators with the
// newest key in front.
type merge struct {
	all   []*pebble.Iterator
	ahead []*pebble.Iterator // those that have more
}

func newMerge(s *pebble.Snapshot, q *Query, groups []group) (*merge, error) {
	m := &merge{}
	from, to := q.times()
	for _, g := range groups {
		prefix := q.within(q.path(), g)
		end := after(prefix)
		if from != math.MinInt64 {
			end = appendMoment(prefix[:len(prefix):len(prefix)], from-1)
		}
		it, err := s.NewIter(&pebble.IterOptions{LowerBound: appendMoment(prefix[:len(prefix):len(prefix)], to), UpperBound: end})
		if err != nil {
			return nil, errors.Join(err, m.close())
		}
		m.all = append(m.all, it)
		if it.First() {
			m.ahead = append(m.ahead, it)
		} else if err := it.Error(); err != nil {
			return nil, errors.Join(err, m.close())
		}
	}
	heap.Init(m)
	return m, nil
}

func (m *merge) close() (err error) {
	for _, it := range m.all {
		err = errors.Join(err, it.Close())
	}
	return err
}

func (m *merge) more() bool { return len(m.ahead) > 0 }

func (m *merge) first() *pebble.Iterator { return m.ahead[0] }

func (m *merge) next() error {
	it := m.ahead[0]
	if it.Next() {
		if len(m.ahead) > 1 {
			heap.Fix(m, 0)
		}
		return nil
	}
	heap.Pop(m)
	return it.Error()
}

func (m *merge) Len() int      { return len(m.ahead) }
func (m *merge) Swap(i, j int) { m.ahead[i], m.ahead[j] = m.ahead[j], m.ahead[i] }
func (m *merge) Push(any)      { panic("all groups are there from the beginning") }

// Less compares the ends of keys: the groups are of one query.
func (m *merge) Less(i, j int) bool {
	a, b := m.ahead[i].Key(), m.ahead[j].Key()
	return bytes.Compare(a[len(a)-tailSize:], b[len(b)-tailSize:]) < 0
}

func (m *merge) Pop() any {
	last := len(m.ahead) - 1
	it := m.ahead[last]
	m.ahead = m.ahead[:last]
	return it
}
