package evm

import (
	"encoding/binary"
	"errors"
	"math/big"
)

// Transactions are written in RLP: byte strings and lists, each with its length in front. Numbers are byte strings without leading
// zeros. Only the one shortest way to write something is read, so that what was read and is written again is the same bytes.

const (
	rlpString = 0x80 // and the length, up to 55; with more, and how many bytes the length has
	rlpList   = 0xc0
	rlpShort  = 55
)

var errRLP = errors.New("it is not written in canonical RLP")

func appendHead(to []byte, kind byte, length int) []byte {
	if length <= rlpShort {
		return append(to, kind+byte(length))
	}
	digits := trimmed(binary.BigEndian.AppendUint64(nil, uint64(length)))
	return append(append(to, kind+rlpShort+byte(len(digits))), digits...)
}

func appendBytes(to, b []byte) []byte {
	if len(b) == 1 && b[0] < rlpString {
		return append(to, b[0])
	}
	return append(appendHead(to, rlpString, len(b)), b...)
}

func appendUint(to []byte, n uint64) []byte {
	return appendBytes(to, trimmed(binary.BigEndian.AppendUint64(nil, n)))
}

func appendBig(to []byte, n *big.Int) []byte { return appendBytes(to, n.Bytes()) }

func appendList(to, items []byte) []byte {
	return append(appendHead(to, rlpList, len(items)), items...)
}

// trimmed leaves out leading zeros.
func trimmed(b []byte) []byte {
	for len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	return b
}

// reader reads the items of a list one after the other. The first mistake is kept, and from then on everything is empty.
type reader struct {
	rest []byte
	err  error
}

// next is the content of the next item, which must be a string or a list.
func (r *reader) next(kind byte) []byte {
	if r.err == nil && len(r.rest) == 0 {
		r.err = errRLP
	}
	if r.err != nil {
		return nil
	}
	first := r.rest[0]
	switch {
	case first < rlpString && kind == rlpString:
		return r.take(0, 1)
	case first < kind || (kind == rlpString && first >= rlpList):
		r.err = errRLP
		return nil
	case first <= kind+rlpShort:
		content := r.take(1, uint64(first-kind))
		if kind == rlpString && len(content) == 1 && content[0] < rlpString {
			r.err = errRLP // it should have been written as itself
		}
		return content
	}
	digits := int(first - kind - rlpShort)
	if len(r.rest) < 1+digits || r.rest[1] == 0 {
		r.err = errRLP
		return nil
	}
	var length [8]byte
	copy(length[8-digits:], r.rest[1:])
	n := binary.BigEndian.Uint64(length[:])
	if n <= rlpShort {
		r.err = errRLP
		return nil
	}
	return r.take(1+digits, n)
}

func (r *reader) take(head int, length uint64) []byte {
	if r.err != nil || uint64(len(r.rest)-head) < length {
		r.err = errRLP
		return nil
	}
	content := r.rest[head : head+int(length)]
	r.rest = r.rest[head+int(length):]
	return content
}

func (r *reader) bytes() []byte { return r.next(rlpString) }
func (r *reader) list() []byte  { return r.next(rlpList) }

// number is a byte string of at most so many bytes that has no leading zeros.
func (r *reader) number(most int) []byte {
	digits := r.bytes()
	if len(digits) > most || (len(digits) > 0 && digits[0] == 0) {
		r.err = errRLP
		return nil
	}
	return digits
}

func (r *reader) uint() uint64 {
	var b [8]byte
	digits := r.number(8)
	copy(b[8-len(digits):], digits)
	return binary.BigEndian.Uint64(b[:])
}

func (r *reader) big() *big.Int { return new(big.Int).SetBytes(r.number(32)) }

// done fails if something was wrong, or is left.
func (r *reader) done() error {
	if r.err == nil && len(r.rest) > 0 {
		r.err = errRLP
	}
	return r.err
}
