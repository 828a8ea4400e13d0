package history

import (
	"encoding/binary"
	"errors"
	"fmt"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Keys of Pebble. A record stands once under its primary key, and under a short key in every index
// of its kind:
//
//	class   space kind account        class  time id ref → record
//	market  space kind account market class  time id ref → more of them
//	asset   space kind account asset  class  time id ref → more of them
//	id      space kind account id                        → class time
//	ref     space kind account ref           time id     → class
//	tag     space kind account tag    market time id ref → class
//	counts  space kind account asset class               → how many
//
// Numbers are big-endian, so that keys sort as numbers do. Time, id and ref at the end are
// inverted: the newest record of a group comes first. "More of them" is a run (pebblerun.go). Kinds that are found by their id refer to
// themselves, so their keys do without the ref.
const (
	aboutSpace = iota // what is known about the store
	classSpace        // the spaces are in the order of index
	marketSpace
	assetSpace
	idSpace
	refSpace
	tagSpace
	countSpace
	endSpace
)

var (
	seqKey    = []byte{aboutSpace, 's'}
	formatKey = []byte{aboutSpace, 'f'}
)

// accountSize is the length of what keys begin with: space, kind and account.
const accountSize = 6

func appendAccount(dst []byte, space byte, kind Kind, account schema.AccountID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, space, byte(kind)), uint32(account))
}

func appendTag(dst []byte, tag string) []byte { return append(append(dst, byte(len(tag))), tag...) }

// tailSize is the length of time, id and ref in the keys of a kind.
func (k Kind) tailSize() int {
	if k.foundBy(byID) {
		return 16
	}
	return 24
}

func appendTail(dst []byte, r *Record) []byte {
	dst = appendMoment(dst, r.Time)
	dst = binary.BigEndian.AppendUint64(dst, ^r.ID)
	if r.Kind.foundBy(byID) {
		return dst
	}
	return binary.BigEndian.AppendUint64(dst, ^r.Ref)
}

// appendMoment begins a tail: it sorts before everything that happened at a moment or earlier.
func appendMoment(dst []byte, at schema.Time) []byte {
	return binary.BigEndian.AppendUint64(dst, ^(uint64(at) ^ 1<<63))
}

func appendPrimary(dst []byte, r *Record) []byte {
	return appendTail(append(appendAccount(dst, classSpace, r.Kind, r.Account), byte(r.Class)), r)
}

// appendIndex is the key of a record in an index of its kind, nil if the record is not in it.
func appendIndex(dst []byte, i index, r *Record) []byte {
	start := appendAccount(dst, classSpace+byte(i), r.Kind, r.Account)
	switch {
	case i == byMarket && r.Market != 0:
		return appendTail(append(binary.BigEndian.AppendUint32(start, uint32(r.Market)), byte(r.Class)), r)
	case i == byAsset && r.Asset != 0:
		return appendTail(append(binary.BigEndian.AppendUint32(start, uint32(r.Asset)), byte(r.Class)), r)
	case i == byID:
		return binary.BigEndian.AppendUint64(start, r.ID)
	case i == byRef && r.Ref != 0:
		return binary.BigEndian.AppendUint64(appendMoment(binary.BigEndian.AppendUint64(start, r.Ref), r.Time), ^r.ID)
	case i == byTag && r.Tag != "":
		return appendTail(binary.BigEndian.AppendUint32(appendTag(start, r.Tag), uint32(r.Market)), r)
	default:
		return nil
	}
}

// appendLead is what stands under the key of an index: what of the primary key the key has not.
func appendLead(dst []byte, i index, r *Record) []byte {
	switch i {
	case byID:
		return appendMoment(append(dst, byte(r.Class)), r.Time)
	case byRef, byTag:
		return append(dst, byte(r.Class))
	default:
		return dst
	}
}

// appendFollowed is the primary key of the record that a key of an index leads to, with its value or,
// if it is a run, the tail of the record.
func appendFollowed(dst []byte, i index, key, lead, tail []byte) ([]byte, error) {
	kind := Kind(key[1])
	dst = append(append(dst, classSpace), key[1:accountSize]...)
	rest := key[accountSize:]
	switch {
	case (i == byMarket || i == byAsset) && len(rest) == 5+kind.tailSize():
		return append(append(dst, rest[4]), tail...), nil
	case i == byID && len(rest) == 8 && len(lead) == 9:
		dst = append(dst, lead...)
		return binary.BigEndian.AppendUint64(dst, ^binary.BigEndian.Uint64(rest)), nil
	case i == byRef && len(rest) == 24 && len(lead) == 1:
		dst = append(append(dst, lead...), rest[8:]...)
		return binary.BigEndian.AppendUint64(dst, ^binary.BigEndian.Uint64(rest)), nil
	case i == byTag && len(rest) > kind.tailSize() && len(lead) == 1:
		return append(append(dst, lead...), rest[len(rest)-kind.tailSize():]...), nil
	default:
		return nil, fmt.Errorf("following the key %x to %x: %w", key, lead, errStored)
	}
}

// prefix is what the keys of an index have in common before their groups.
func (q *Query) prefix(i index) []byte {
	dst := appendAccount(nil, classSpace+byte(i), q.Kind, q.Account)
	switch i {
	case byMarket:
		return binary.BigEndian.AppendUint32(dst, uint32(q.Market))
	case byAsset:
		return binary.BigEndian.AppendUint32(dst, uint32(q.Asset))
	case byID, byRef:
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
	case byID, byRef:
		return q.prefix(i)
	case byTag:
		return binary.BigEndian.AppendUint32(q.prefix(i), uint32(g.market))
	default:
		return append(q.prefix(i), byte(g.class))
	}
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
	dst = binary.AppendUvarint(dst, uint64(r.Asset))
	return c.AppendTo(appendTag(dst, r.Tag), r.Payload)
}

var errStored = errors.New("it is not what was written")

// readRecord is the record of a primary key and its value, with its payload only where one is
// wanted.
func readRecord(key, value []byte, payload bool) (Record, error) {
	if len(key) < accountSize || !Kind(key[1]).known() || len(key) != accountSize+1+Kind(key[1]).tailSize() {
		return Record{}, fmt.Errorf("reading a record under the key %x: %w", key, errStored)
	}
	tail := key[accountSize+1:]
	r := Record{
		Kind: Kind(key[1]), Account: schema.AccountID(binary.BigEndian.Uint32(key[2:])), Class: Class(key[accountSize]),
		Time: schema.Time(^binary.BigEndian.Uint64(tail) ^ 1<<63), ID: ^binary.BigEndian.Uint64(tail[8:]),
	}
	if r.Ref = r.ID; len(tail) > 16 {
		r.Ref = ^binary.BigEndian.Uint64(tail[16:])
	}
	err := r.read(value, payload)
	if err != nil {
		err = fmt.Errorf("reading record %d of %s: %w", r.ID, r.Kind, err)
	}
	return r, err
}

func (r *Record) read(value []byte, payload bool) error {
	var numbers [3]uint64
	for i := range numbers {
		n, size := binary.Uvarint(value)
		if size <= 0 {
			return errStored
		}
		numbers[i], value = n, value[size:]
	}
	r.Seq, r.Market, r.Asset = numbers[0], schema.MarketID(numbers[1]), schema.AssetID(numbers[2])
	if len(value) == 0 || len(value) <= int(value[0]) {
		return errStored
	}
	size := 1 + int(value[0])
	r.Tag = string(value[1:size])
	if !payload {
		return nil
	}
	r.Payload = kinds[r.Kind].payload()
	return wire.Decode(value[size:], r.Payload)
}
