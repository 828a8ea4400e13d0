package wire

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	"bourse/internal/fixed"
)

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

// Uints walks over a list of numbers.
func Uints[T ~uint8 | ~uint16 | ~uint32 | ~uint64](c *Coder, n int, name string, p *[]T) {
	switch c.mode {
	case encoding:
		for _, v := range *p {
			c.key(n, varint)
			c.buf = binary.AppendUvarint(c.buf, uint64(v))
		}
	case decoding:
		for c.take(n, varint) {
			v := c.uvarint()
			if *p = append(*p, T(v)); uint64(T(v)) != v {
				c.fail("field %d: %d is too large", n, v)
			}
		}
	case describing:
		c.proto.line("repeated uint64 %s = %d [packed = false];", name, n)
	case printing:
		if len(*p) != 0 {
			c.name(name)
			c.buf = append(c.buf, '[')
			for _, v := range *p {
				c.buf = strconv.AppendUint(c.comma(), uint64(v), 10)
			}
			c.buf = append(c.buf, ']')
		}
	case parsing:
		if v := c.member(name, list); v != nil {
			for i := range v.items {
				u, err := strconv.ParseUint(string(v.items[i].text), 10, 64)
				if *p = append(*p, T(u)); v.items[i].kind != number || err != nil || uint64(T(u)) != u {
					c.fail("%q: %s is not a whole number from 0 to %d", name, v.items[i].text, ^T(0))
				}
			}
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

// Array walks over opaque bytes of one length that live inside the message. All zero is none, which is not written.
func (c *Coder) Array(n int, name string, p []byte) {
	var bytes []byte
	if !zeros(p) {
		bytes = p
	}
	c.Bytes(n, name, &bytes)
	if reading := c.mode == decoding || c.mode == parsing; !reading || len(bytes) == 0 {
		return
	}
	if len(bytes) != len(p) || zeros(bytes) {
		c.fail("%s are %d bytes that are not all zero, not %x", name, len(p), bytes)
		return
	}
	copy(p, bytes)
}

func zeros(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
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
