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
	"math/bits"
	"strconv"

	"bourse/internal/fixed"
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
	proto *proto // describing
	json  *value // parsing: the object whose fields are being read
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

// Uint walks over an unsigned number or an enumeration.
func Uint[T ~uint8 | ~uint16 | ~uint32 | ~uint64](c *Coder, n int, name string, p *T) {
	switch c.mode {
	case encoding:
		if *p != 0 {
			c.key(n, varint)
			c.buf = binary.AppendUvarint(c.buf, uint64(*p))
		}
	case decoding:
		if c.take(n, varint) {
			v := c.uvarint()
			if *p = T(v); uint64(*p) != v {
				c.fail("field %d: %d is too large", n, v)
			}
		}
	case describing:
		c.proto.field(n, name, "uint64", false)
	case printing:
		if *p != 0 {
			c.name(name)
			c.buf = strconv.AppendUint(c.buf, uint64(*p), 10)
		}
	case parsing:
		if v := c.member(name, number); v != nil {
			u, err := strconv.ParseUint(string(v.text), 10, 64)
			if *p = T(u); err != nil || uint64(*p) != u {
				c.fail("%q: %s is not a whole number from 0 to %d", name, v.text, ^T(0))
			}
		}
	}
}

// Int walks over a signed number.
func Int[T ~int32 | ~int64](c *Coder, n int, name string, p *T) {
	switch c.mode {
	case encoding:
		if *p != 0 {
			c.key(n, varint)
			v := int64(*p)
			c.buf = binary.AppendUvarint(c.buf, uint64(v)<<1^uint64(v>>63))
		}
	case decoding:
		if c.take(n, varint) {
			u := c.uvarint()
			v := int64(u>>1) ^ -int64(u&1)
			if *p = T(v); int64(*p) != v {
				c.fail("field %d: %d is too large", n, v)
			}
		}
	case describing:
		c.proto.field(n, name, "sint64", false)
	case printing:
		if *p != 0 {
			c.name(name)
			c.buf = strconv.AppendInt(c.buf, int64(*p), 10)
		}
	case parsing:
		if v := c.member(name, number); v != nil {
			i, err := strconv.ParseInt(string(v.text), 10, 64)
			if *p = T(i); err != nil || int64(*p) != i {
				c.fail("%q: %s is not a whole number, or it is too large", name, v.text)
			}
		}
	}
}

// Bool walks over a flag.
func (c *Coder) Bool(n int, name string, p *bool) {
	switch c.mode {
	case encoding:
		if *p {
			c.key(n, varint)
			c.buf = append(c.buf, 1)
		}
	case decoding:
		if c.take(n, varint) {
			v := c.uvarint()
			if v > 1 {
				c.fail("field %d: %d is not a flag", n, v)
			}
			*p = v == 1
		}
	case describing:
		c.proto.field(n, name, "bool", false)
	case printing:
		if *p {
			c.name(name)
			c.buf = append(c.buf, "true"...)
		}
	case parsing:
		if v := c.member(name, flag); v != nil {
			*p = string(v.text) == "true"
		}
	}
}

// Text walks over a text.
func Text[T ~string](c *Coder, n int, name string, p *T) {
	switch c.mode {
	case encoding:
		if *p != "" {
			c.key(n, sized)
			c.buf = binary.AppendUvarint(c.buf, uint64(len(*p)))
			c.buf = append(c.buf, *p...)
		}
	case decoding:
		if c.take(n, sized) {
			*p = T(c.chunk())
		}
	case describing:
		c.proto.field(n, name, "string", false)
	case printing:
		if *p != "" {
			c.name(name)
			c.buf = appendText(c.buf, string(*p))
		}
	case parsing:
		if v := c.member(name, anyText); v != nil {
			*p = T(c.text(name, v))
		}
	}
}

// Texts walks over a list of texts.
func (c *Coder) Texts(n int, name string, p *[]string) {
	switch c.mode {
	case encoding:
		for _, s := range *p {
			c.key(n, sized)
			c.buf = binary.AppendUvarint(c.buf, uint64(len(s)))
			c.buf = append(c.buf, s...)
		}
	case decoding:
		for c.take(n, sized) {
			*p = append(*p, string(c.chunk()))
		}
	case describing:
		c.proto.field(n, name, "string", true)
	case printing:
		if len(*p) != 0 {
			c.name(name)
			c.buf = append(c.buf, '[')
			for _, s := range *p {
				c.buf = appendText(c.comma(), s)
			}
			c.buf = append(c.buf, ']')
		}
	case parsing:
		if v := c.member(name, list); v != nil {
			for i := range v.items {
				*p = append(*p, string(c.text(name, &v.items[i])))
			}
		}
	}
}

// Bytes walks over opaque bytes.
func (c *Coder) Bytes(n int, name string, p *[]byte) {
	switch c.mode {
	case encoding:
		if len(*p) != 0 {
			c.key(n, sized)
			c.buf = binary.AppendUvarint(c.buf, uint64(len(*p)))
			c.buf = append(c.buf, *p...)
		}
	case decoding:
		if c.take(n, sized) {
			*p = append([]byte(nil), c.chunk()...)
		}
	case describing:
		c.proto.field(n, name, "bytes", false)
	case printing:
		if len(*p) != 0 {
			c.name(name)
			c.buf = appendBase64(c.buf, *p)
		}
	case parsing:
		if v := c.member(name, text); v != nil {
			*p = c.base64(name, v)
		}
	}
}

// Fixed walks over bytes of bounded length that live inside the message: get returns what to
// write (empty: nothing), set takes what was read and may refuse it.
func (c *Coder) Fixed(n int, name string, get func() []byte, set func([]byte) error) {
	switch c.mode {
	case encoding:
		if b := get(); len(b) != 0 {
			c.key(n, sized)
			c.buf = binary.AppendUvarint(c.buf, uint64(len(b)))
			c.buf = append(c.buf, b...)
		}
	case decoding:
		if c.take(n, sized) {
			if b := c.chunk(); c.err == nil {
				if err := set(b); err != nil {
					c.fail("field %d: %v", n, err)
				}
			}
		}
	case describing:
		c.proto.field(n, name, "string", false)
	case printing:
		if b := get(); len(b) != 0 {
			c.name(name)
			c.buf = appendText(c.buf, string(b))
		}
	case parsing:
		if v := c.member(name, anyText); v != nil {
			b := c.text(name, v)
			if err := set(b); err != nil {
				c.fail("%q: %v", name, err)
			}
		}
	}
}

// Decimal walks over an amount, a price or a rate.
func (c *Coder) Decimal(n int, name string, p *fixed.Decimal) {
	switch c.mode {
	case encoding:
		if !p.IsZero() {
			c.key(n, sized)
			c.appendDecimal(*p)
		}
	case decoding:
		if c.take(n, sized) {
			*p = c.decimal(n)
		}
	case describing:
		c.proto.decimal(n, name)
	case printing:
		if !p.IsZero() {
			c.printDecimal(name, *p)
		}
	case parsing:
		if v := c.member(name, text); v != nil {
			*p = c.parseDecimal(name, v)
		}
	}
}

// Optional walks over a number that may be absent, which is not the same as zero.
func (c *Coder) Optional(n int, name string, set *bool, p *fixed.Decimal) {
	switch c.mode {
	case encoding:
		if *set {
			c.key(n, sized)
			c.appendDecimal(*p)
		}
	case decoding:
		if c.take(n, sized) {
			*set, *p = true, c.decimal(n)
		}
	case describing:
		c.proto.optionalDecimal(n, name)
	case printing:
		if *set {
			c.printDecimal(name, *p)
		}
	case parsing:
		if v := c.member(name, text); v != nil {
			*set, *p = true, c.parseDecimal(name, v)
		}
	}
}

// appendDecimal writes value × 10^18 as the shortest little-endian two's complement, after its
// length. Zero has length 0.
func (c *Coder) appendDecimal(d fixed.Decimal) {
	hi, lo := d.Bits()
	n := decimalSize(hi, lo)
	c.buf = append(c.buf, byte(n))
	var full [16]byte
	binary.LittleEndian.PutUint64(full[:8], lo)
	binary.LittleEndian.PutUint64(full[8:], uint64(hi))
	c.buf = append(c.buf, full[:n]...)
}

// decimalSize is the number of bytes that hold the value and its sign.
func decimalSize(hi int64, lo uint64) int {
	if hi == 0 && lo == 0 {
		return 0
	}
	sign := uint64(hi >> 63)
	if top := uint64(hi) ^ sign; top != 0 {
		return 8 + bits.Len64(top)/8 + 1
	}
	// hi is all sign: it can be left out when lo still shows that sign in its top bit.
	return bits.Len64(lo^sign)/8 + 1
}

func (c *Coder) decimal(n int) fixed.Decimal {
	b := c.chunk()
	if c.err != nil || len(b) == 0 {
		return fixed.Zero
	}
	if len(b) > 16 {
		c.fail("field %d: a decimal of %d bytes", n, len(b))
		return fixed.Zero
	}
	var full [16]byte
	if b[len(b)-1] >= 0x80 {
		for i := range full {
			full[i] = 0xff
		}
	}
	copy(full[:], b)
	hi, lo := int64(binary.LittleEndian.Uint64(full[8:])), binary.LittleEndian.Uint64(full[:8])
	if decimalSize(hi, lo) != len(b) {
		c.fail("field %d: a decimal that is not in its shortest form", n)
	}
	return fixed.FromBits(hi, lo)
}

// Embed walks over a message inside a message.
func Embed[T any, M interface {
	*T
	Message
}](c *Coder, n int, name string, p *T,
) {
	switch c.mode {
	case encoding:
		c.embed(n, M(p))
	case decoding:
		if c.take(n, sized) {
			c.within(c.chunk(), M(p))
		}
	case describing:
		c.proto.message(n, name, M(new(T)), false)
	case printing:
		c.name(name)
		c.print(M(p))
	case parsing:
		if v := c.member(name, object); v != nil {
			c.parse(name, v, M(p))
		}
	}
}

// List walks over a list of messages.
func List[T any, M interface {
	*T
	Message
}](c *Coder, n int, name string, p *[]T,
) {
	switch c.mode {
	case encoding:
		for i := range *p {
			c.embed(n, M(&(*p)[i]))
		}
	case decoding:
		for c.take(n, sized) {
			var item T
			c.within(c.chunk(), M(&item))
			*p = append(*p, item)
		}
	case describing:
		c.proto.message(n, name, M(new(T)), true)
	case printing:
		if len(*p) != 0 {
			c.name(name)
			c.buf = append(c.buf, '[')
			for i := range *p {
				c.buf = c.comma()
				c.print(M(&(*p)[i]))
			}
			c.buf = append(c.buf, ']')
		}
	case parsing:
		if v := c.member(name, list); v != nil {
			for i := range v.items {
				var item T
				c.parse(name, &v.items[i], M(&item))
				*p = append(*p, item)
			}
		}
	}
}

// embed writes m as a field.
func (c *Coder) embed(n int, m Message) {
	c.key(n, sized)
	c.sized(m)
}

// sized writes the fields of m behind their length. The length is not known before they are
// written: one byte is left for it, and the rare message of 128 bytes or more is moved up.
func (c *Coder) sized(m Message) {
	at := len(c.buf)
	c.buf = append(c.buf, 0)
	m.Fields(c)
	size := len(c.buf) - at - 1
	if size < 0x80 {
		c.buf[at] = byte(size)
		return
	}
	var length [binary.MaxVarintLen64]byte
	extra := binary.PutUvarint(length[:], uint64(size)) - 1
	c.buf = append(c.buf, length[:extra]...)
	copy(c.buf[at+1+extra:], c.buf[at+1:at+1+size])
	copy(c.buf[at:], length[:extra+1])
}

// within decodes m from b and comes back to where the outer message stands.
func (c *Coder) within(b []byte, m Message) {
	if c.err != nil {
		return
	}
	rest := c.buf
	c.buf = b
	m.Fields(c)
	c.finish()
	if c.err == nil {
		c.buf = rest
	}
}

// OneOf walks over a field that can hold messages of several types: the index of makers is the
// number of a type's field, and Kind gives that number back. The name is that of the choice.
func OneOf[K ~uint8, M interface {
	comparable
	Message
	Kind() K
}](c *Coder, name string, makers []func() M, p *M,
) {
	var none M
	switch c.mode {
	case encoding:
		if *p != none {
			c.embed(int((*p).Kind()), *p)
		}
	case decoding:
		if !c.peek() || c.tag>>3 >= uint64(len(makers)) || makers[c.tag>>3] == nil {
			return
		}
		n := int(c.tag >> 3)
		if c.take(n, sized) {
			*p = makers[n]()
			c.within(c.chunk(), *p)
		}
	case describing:
		c.proto.open(name)
		for n, make := range makers {
			if make != nil {
				m := make()
				c.proto.message(n, snake(typeName(m)), m, false)
			}
		}
		c.proto.close()
	case printing:
		if *p != none {
			c.name(snake(typeName(*p)))
			c.print(*p)
		}
	case parsing:
		for _, make := range makers {
			if make == nil || *p != none {
				continue
			}
			m := make()
			name := snake(typeName(m))
			if v := c.member(name, object); v != nil {
				*p = m
				c.parse(name, v, m)
			}
		}
	}
}
