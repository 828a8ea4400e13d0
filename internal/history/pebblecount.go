package history

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"bourse/internal/schema"
)

// counts are how many records more or less there are, by what they are counted by. They are changed
// in the batch that changes the records.
type counts map[counted]int64

// counted is what records of counted kinds are counted by.
type counted struct {
	kind    Kind
	account schema.AccountID
	asset   schema.AssetID
	class   Class
}

func (c counts) add(r *Record, n int64) {
	if kinds[r.Kind].counted {
		c[counted{r.Kind, r.Account, r.Asset, r.Class}] += n
	}
}

func (c counted) key() []byte {
	return append(binary.BigEndian.AppendUint32(appendAccount(nil, countSpace, c.kind, c.account), uint32(c.asset)), byte(c.class))
}

// count changes the counts that are stored. The caller owns the store until the batch is
// applied.
func (p *pebbleStore) count(b *pebble.Batch, more counts) error {
	for c, n := range more {
		key := c.key()
		have, _, err := p.number(key)
		switch sum := int64(have) + n; {
		case err != nil:
			return err
		case sum < 0:
			return fmt.Errorf("%d records less than none under the key %x: %w", -sum, key, errStored)
		case sum == 0:
			err = b.Delete(key, nil)
		default:
			err = b.Set(key, binary.AppendUvarint(nil, uint64(sum)), nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Count adds up what is stored of the account's assets and classes, however many records there are, or else goes through the
// records that are chosen.
func (p *pebbleStore) Count(ctx context.Context, q *Query) (n int, err error) {
	if err := q.check(); err != nil {
		return 0, err
	}
	err = p.look(ctx, q, func(s *pebble.Snapshot) error {
		if q.summed() {
			n, err = sum(s, q)
			return err
		}
		some := *q
		some.Offset, some.Limit = 0, MostCounted
		if some.empty() {
			return nil
		}
		n, err = p.pass(ctx, s, &some, false, func(*Record) {})
		return err
	})
	return n, err
}

func sum(s *pebble.Snapshot, q *Query) (n int, err error) {
	prefix := appendAccount(nil, countSpace, q.Kind, q.Account)
	if q.Asset != 0 {
		prefix = binary.BigEndian.AppendUint32(prefix, uint32(q.Asset))
	}
	it, err := s.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for valid := it.First(); valid; valid = it.Next() {
		key := it.Key()
		if len(q.Classes) > 0 && !slices.Contains(q.Classes, Class(key[len(key)-1])) {
			continue
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return 0, err
		}
		have, size := binary.Uvarint(value)
		if size != len(value) || size == 0 {
			return 0, fmt.Errorf("the count under the key %x: %w", key, errStored)
		}
		n += int(have)
	}
	return n, it.Error()
}
