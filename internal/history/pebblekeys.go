package history

import (
	"encoding/binary"
	"errors"
	"fmt"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Keys of Pebble. A record stands once under its primary key, and under a key without a value in
// every index that leads to it:
//
//	primary  space kind account                      time id ref → record
//	market   space kind account market        class  time id ref
//	ref      space kind account ref    market class  time id ref
//	tag      space kind account tag    market class  time id ref
//
// Numbers are big-endian, so that keys sort as numbers do. Time, id and ref at the end are
// inverted: the newest record of a group comes first.
const (
	aboutSpace   = iota // what is known about the store
	primarySpace        // the spaces are in the order of index
	marketSpace
	refSpace
	tagSpace
)

// tailSize is the length of time, id and ref.
const tailSize = 24

var (
	seqKey    = []byte{aboutSpace, 's'}
	formatKey = []byte{aboutSpace, 'f'}
)

// appendAccount begins a key.
func appendAccount(dst []byte, space byte, kind Kind, account schema.AccountID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, space, byte(kind)), uint32(account))
}

func appendGroup(dst []byte, g group) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(g.market)), byte(g.class))
}

func appendTag(dst []byte, tag string) []byte { return append(append(dst, byte(len(tag))), tag...) }

func appendTail(dst []byte, at schema.Time, id, ref uint64) []byte {
	dst = appendMoment(dst, at)
	dst = binary.BigEndian.AppendUint64(dst, ^id)
	return binary.BigEndian.AppendUint64(dst, ^ref)
}

// appendMoment begins a tail: it sorts before everything that happened at a moment or earlier.
func appendMoment(dst []byte, at schema.Time) []byte {
	return binary.BigEndian.AppendUint64(dst, ^(uint64(at) ^ 1<<63))
}

func appendPrimary(dst []byte, r *Record) []byte {
	return appendTail(appendAccount(dst, primarySpace, r.Kind, r.Account), r.Time, r.ID, r.Ref)
}

// appendIndex is the key of a record in an index, nil if the record is not in it.
func appendIndex(dst []byte, i index, r *Record) []byte {
	g := group{r.Market, r.Class}
	switch {
	case i == byMarket && g != group{}:
		dst = appendGroup(appendAccount(dst, marketSpace, r.Kind, r.Account), g)
	case i == byRef && r.Ref != 0:
		dst = appendGroup(binary.BigEndian.AppendUint64(appendAccount(dst, refSpace, r.Kind, r.Account), r.Ref), g)
	case i == byTag && r.Tag != "":
		dst = appendGroup(appendTag(appendAccount(dst, tagSpace, r.Kind, r.Account), r.Tag), g)
	default:
		return nil
	}
	return appendTail(dst, r.Time, r.ID, r.Ref)
}

// prefix is what the keys of an index have in common before market and class.
func (q *Query) prefix(i index) []byte {
	dst := appendAccount(nil, primarySpace+byte(i), q.Kind, q.Account)
	switch i {
	case byRef:
		return binary.BigEndian.AppendUint64(dst, q.Ref)
	case byTag:
		return appendTag(dst, q.Tag)
	default:
		return dst
	}
}

// within is what the keys of a group have in common.
func (q *Query) within(i index, g group) []byte {
	switch i {
	case byTime:
		return q.prefix(i)
	default:
		return appendGroup(q.prefix(i), g)
	}
}

// groupSize is the length of market and class in a key.
const groupSize = 5

func readGroup(key []byte) group {
	return group{schema.MarketID(binary.BigEndian.Uint32(key)), Class(key[4])}
}

// after is the first key behind all that begin with a prefix.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	panic("no key is behind the last one; spaces are small numbers")
}

// appendValue is what stands under the primary key: all that is not in the key.
func appendValue(dst []byte, c *wire.Coder, r *Record) []byte {
	dst = binary.AppendUvarint(dst, r.Seq)
	dst = binary.AppendUvarint(dst, uint64(r.Market))
	dst = append(dst, byte(r.Class))
	return c.AppendTo(appendTag(dst, r.Tag), r.Payload)
}

var errStored = errors.New("it is not what was written")

// readRecord is the record of a primary key and its value, with its payload only where one is
// wanted.
func readRecord(key, value []byte, payload bool) (Record, error) {
	const size = 6 + tailSize
	if len(key) != size || !Kind(key[1]).known() {
		return Record{}, fmt.Errorf("reading a record under the key %x: %w", key, errStored)
	}
	tail := key[6:]
	r := Record{
		Kind: Kind(key[1]), Account: schema.AccountID(binary.BigEndian.Uint32(key[2:])),
		Time: schema.Time(^binary.BigEndian.Uint64(tail) ^ 1<<63),
		ID:   ^binary.BigEndian.Uint64(tail[8:]), Ref: ^binary.BigEndian.Uint64(tail[16:]),
	}
	err := r.read(value, payload)
	if err != nil {
		err = fmt.Errorf("reading record %d of %s: %w", r.ID, r.Kind, err)
	}
	return r, err
}

func (r *Record) read(value []byte, payload bool) error {
	seq, n := binary.Uvarint(value)
	market, m := binary.Uvarint(value[max(n, 0):])
	if n <= 0 || m <= 0 || len(value) < n+m+2 {
		return errStored
	}
	r.Seq, r.Market, r.Class = seq, schema.MarketID(market), Class(value[n+m])
	size, rest := int(value[n+m+1]), value[n+m+2:]
	if len(rest) < size {
		return errStored
	}
	r.Tag = string(rest[:size])
	if !payload {
		return nil
	}
	r.Payload = kinds[r.Kind].payload()
	return wire.Decode(rest[size:], r.Payload)
}
