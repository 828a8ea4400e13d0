// Package wire turns messages into bytes and back. The bytes are Protocol Buffers, so that a
// log written today can be read in years and by programs that are not ours; the code is one
// walk over the fields of a message, written by hand next to its type:
//
//	func (m *Transfer) Fields(c *wire.Coder) {
//		wire.Uint(c, 1, "account", &m.Account)
//		c.Decimal(2, "amount", &m.Amount)
//	}
//
// The same walk encodes, decodes and describes the message (Proto prints its .proto text), and
// prints and parses it as JSON for people and their tools, so they cannot disagree. It uses no reflection and allocates only what a decoded message
// must own.
//
// What must hold: a walk visits its fields in ascending order of number and visits the same
// fields whatever their values; numbers and types are never reused for another meaning. Zero
// values are not written. Decoding is strict: a field that the walk does not visit means that
// the bytes come from a newer program, and reading on would lose a part of what they say.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Message is anything with fields to walk over.
type Message interface {
	Fields(c *Coder)
}

type mode uint8

const (
	encoding mode = iota
	decoding
	describing
	printing // JSON
	parsing  // JSON
)

// Wire types of Protocol Buffers.
const (
	varint = 0
	sized  = 2
)

// ErrMalformed is wrapped by every decoding error.
var ErrMalformed = errors.New("malformed message")

// Coder is the state of one walk. A Coder may be kept and reused; it is not safe for
// concurrent use.
type Coder struct {
	mode  mode
	buf   []byte // encoding: what was written; decoding: what is left to read
	tag   uint64 // decoding: the key of the field in front, 0 when it was not read yet
	err   error
	proto *proto  // describing
	json  *value  // parsing: the object whose fields are being read
	spare Message // decoding: memory for a choice
}

// Append writes m behind dst.
func Append(dst []byte, m Message) []byte {
	c := Coder{mode: encoding, buf: dst}
	m.Fields(&c)
	return c.buf
}

// AppendTo is Append with a Coder that the caller keeps, for paths that must not allocate:
// a Coder on the stack escapes through the Message interface.
func (c *Coder) AppendTo(dst []byte, m Message) []byte {
	*c = Coder{mode: encoding, buf: dst}
	m.Fields(c)
	dst, c.buf = c.buf, nil
	return dst
}

// AppendSized is AppendTo with the length in front, so that messages can stand in a row.
func (c *Coder) AppendSized(dst []byte, m Message) []byte {
	*c = Coder{mode: encoding, buf: dst}
	c.sized(m)
	dst, c.buf = c.buf, nil
	return dst
}

// Decode fills m, which must be zero, from data.
func Decode(data []byte, m Message) error {
	c := Coder{mode: decoding, buf: data}
	m.Fields(&c)
	c.finish()
	return c.err
}

// DecodeWith is Decode with a Coder that the caller keeps, for paths that must not allocate. Spare
// is memory for the choice (OneOf) in m: if what was chosen is of its type, it is filled, and
// must be zero. It may be nil.
func (c *Coder) DecodeWith(data []byte, m, spare Message) error {
	*c = Coder{mode: decoding, buf: data, spare: spare}
	m.Fields(c)
	c.finish()
	c.buf, c.spare = nil, nil
	return c.err
}

// finish fails when the walk left something unread.
func (c *Coder) finish() {
	if c.err == nil && c.peek() {
		c.fail("field %d is not known to this version", c.tag>>3)
	}
}

func (c *Coder) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
	}
	c.buf, c.tag = nil, 0
}

// peek makes the next key available in c.tag and reports whether there is one.
func (c *Coder) peek() bool {
	if c.tag != 0 {
		return true
	}
	if len(c.buf) == 0 {
		return false
	}
	c.tag = c.uvarint()
	if c.err == nil && c.tag>>3 == 0 {
		c.fail("field number 0")
	}
	return c.err == nil
}

// take consumes the key of field n if it is the next one.
func (c *Coder) take(n int, kind uint64) bool {
	if !c.peek() || c.tag>>3 != uint64(n) {
		return false
	}
	if c.tag&7 != kind {
		c.fail("field %d has wire type %d instead of %d", n, c.tag&7, kind)
		return false
	}
	c.tag = 0
	return true
}

func (c *Coder) uvarint() uint64 {
	v, n := binary.Uvarint(c.buf)
	if n <= 0 {
		c.fail("a number is cut off or too long")
		return 0
	}
	c.buf = c.buf[n:]
	return v
}

// chunk consumes a length and that many bytes; the result points into the input.
func (c *Coder) chunk() []byte {
	n := c.uvarint()
	if n > uint64(len(c.buf)) {
		c.fail("a field of %d bytes is cut off after %d", n, len(c.buf))
		return nil
	}
	b := c.buf[:n]
	c.buf = c.buf[n:]
	return b
}

func (c *Coder) key(n int, kind uint64) {
	c.buf = binary.AppendUvarint(c.buf, uint64(n)<<3|kind)
}
