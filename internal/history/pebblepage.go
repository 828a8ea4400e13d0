package history

import (
	"bytes"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"bourse/internal/schema"
)

// Page goes through the groups of one index side by side, newest first, and looks up the records
// that it stops at.
func (p *pebbleStore) Page(ctx context.Context, q *Query) (page []Record, err error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if q.empty() {
		return nil, nil
	}
	err = p.look(ctx, q, func(s *pebble.Snapshot) error {
		page, err = p.page(ctx, s, q)
		return err
	})
	return page, err
}

// look reads from a store that stands still.
func (p *pebbleStore) look(ctx context.Context, q *Query, read func(*pebble.Snapshot) error) error {
	if err := p.ready(ctx); err != nil {
		return err
	}
	snapshot := p.db.NewSnapshot()
	if err := errors.Join(read(snapshot), snapshot.Close()); err != nil {
		return fmt.Errorf("reading %s of account %d from %s: %w", q.Kind, q.Account, p.dir, err)
	}
	return nil
}

func (p *pebbleStore) page(ctx context.Context, s *pebble.Snapshot, q *Query) (page []Record, err error) {
	_, err = p.pass(ctx, s, q, true, func(r *Record) { page = append(page, *r) })
	return page, err
}

// pass goes through the records of a page and returns how many there are. Those of a page that is only counted are looked up where the
// index leads also to others.
func (p *pebbleStore) pass(ctx context.Context, s *pebble.Snapshot, q *Query, look bool, each func(*Record)) (found int, err error) {
	w, err := newWalk(s, q)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	filtered := q.filtered()
	for n, steps := 0, 1; w.more() && found < q.Limit; steps++ {
		p.passed.Add(1)
		var r Record
		if filtered || look && n >= q.Offset {
			if r, err = w.record(look && n >= q.Offset); err != nil {
				return 0, err
			}
		}
		if !filtered || q.fits(&r) {
			if n >= q.Offset {
				each(&r)
				found++
			}
			n++
		}
		if err := w.next(); err != nil {
			return 0, err
		}
		if steps%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	return found, nil
}

// walk goes through the groups of an index that hold what a query asks for as if they were one.
type walk struct {
	*merge
	index   index
	records *pebble.Iterator // where the index leads to; nil: it is the records themselves
	key     []byte
}

func newWalk(s *pebble.Snapshot, q *Query) (*walk, error) {
	w := &walk{index: q.index(), merge: &merge{}}
	groups, err := q.groups(func() ([]group, error) { return find(s, q) })
	if err == nil {
		err = w.open(s, q, groups)
	}
	if err == nil && w.index != byClass {
		prefix := q.prefix(byClass)
		w.records, err = s.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	}
	if err != nil {
		return nil, errors.Join(err, w.merge.close())
	}
	return w, nil
}

func (w *walk) close() error {
	err := w.merge.close()
	if w.records != nil {
		err = errors.Join(err, w.records.Close())
	}
	return err
}

// record is the one that the walk stands at, with its payload only where one is wanted.
func (w *walk) record(payload bool) (Record, error) {
	it := w.newest().it
	value, err := it.ValueAndErr()
	if err == nil && w.records != nil {
		it, err = w.follow(it.Key(), value)
		if err == nil {
			value, err = it.ValueAndErr()
		}
	}
	if err != nil {
		return Record{}, err
	}
	return readRecord(it.Key(), value, payload)
}

// follow goes to the record that a key of the index leads to.
func (w *walk) follow(key, lead []byte) (_ *pebble.Iterator, err error) {
	if w.key, err = appendFollowed(w.key[:0], w.index, key, lead, w.newest().tail); err != nil {
		return nil, err
	}
	if !w.records.SeekGE(w.key) || !bytes.Equal(w.records.Key(), w.key) {
		return nil, errors.Join(fmt.Errorf("the record of the key %x is missing: %w", key, errStored), w.records.Error())
	}
	return w.records, nil
}

// find jumps from market to market of a tag.
func find(s *pebble.Snapshot, q *Query) (groups []group, err error) {
	prefix := q.prefix(byTag)
	it, err := s.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return nil, err
	}
	for valid := it.First(); valid; {
		next := it.Key()[:len(prefix)+4]
		groups = append(groups, group{market: schema.MarketID(binary.BigEndian.Uint32(next[len(prefix):]))})
		valid = it.SeekGE(after(next))
	}
	return groups, errors.Join(it.Error(), it.Close())
}

// merge is a heap of lanes with the newest record in front.
type merge struct {
	all   []*lane
	ahead []*lane // those that have more
}

// open opens a lane for every group. Of records that are found by their id the time is not in the
// keys; such a query has one record at most.
func (m *merge) open(s *pebble.Snapshot, q *Query, groups []group) error {
	i := q.index()
	from, to := q.times()
	for _, g := range groups {
		prefix := q.within(i, g)
		it, err := s.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
		if err != nil {
			return err
		}
		l := &lane{it: it, runs: q.Kind.packs(i), tail: make([]byte, q.Kind.tailSize())}
		m.all = append(m.all, l)
		switch i {
		case byID:
			l.tail = l.tail[:0]
			l.ended = !it.First()
			err = it.Error()
		default:
			if i == byRef {
				l.tail = l.tail[:16] // the ref stands before it
			}
			if from != math.MinInt64 {
				l.end = appendMoment(nil, from-1)
			}
			err = l.open(appendMoment(bytes.Clone(prefix), to), to)
		}
		if err != nil {
			return err
		}
		if !l.ended {
			m.ahead = append(m.ahead, l)
		}
	}
	heap.Init(m)
	return nil
}

func (m *merge) close() (err error) {
	for _, l := range m.all {
		err = errors.Join(err, l.it.Close())
	}
	return err
}

func (m *merge) more() bool { return len(m.ahead) > 0 }

func (m *merge) newest() *lane { return m.ahead[0] }

func (m *merge) next() error {
	l := m.ahead[0]
	if err := l.next(); err != nil {
		return err
	}
	switch {
	case l.ended:
		heap.Pop(m)
	case len(m.ahead) > 1:
		heap.Fix(m, 0)
	}
	return nil
}

func (m *merge) Len() int           { return len(m.ahead) }
func (m *merge) Swap(i, j int)      { m.ahead[i], m.ahead[j] = m.ahead[j], m.ahead[i] }
func (m *merge) Less(i, j int) bool { return bytes.Compare(m.ahead[i].tail, m.ahead[j].tail) < 0 }
func (m *merge) Push(any)           { panic("all groups are there from the beginning") }

func (m *merge) Pop() any {
	last := len(m.ahead) - 1
	l := m.ahead[last]
	m.ahead = m.ahead[:last]
	return l
}
