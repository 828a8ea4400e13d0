package wire

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"bourse/internal/fixed"
)

// The JSON of a message is an object with the names of its walk: numbers as numbers, decimals
// as strings in their printed form, bytes in base64, messages as objects, lists as arrays. A
// field that is absent is zero, and zero is not printed. JSON knows no text that is not UTF-8;
// such a text, which clients may send, stands as {"base64":"…"} so that nothing is lost.

// AppendJSON prints m behind dst, on one line.
func AppendJSON(dst []byte, m Message) []byte {
	c := Coder{mode: printing, buf: dst}
	c.print(m)
	return c.buf
}

// DecodeJSON fills m, which must be zero, from a JSON object. It is strict: an unknown field, a
// field that is there twice or one of another type is an error.
func DecodeJSON(data []byte, m Message) error {
	v, err := parseJSON(data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	c := Coder{mode: parsing}
	c.parse("the whole", &v, m)
	return c.err
}

// print writes m as an object.
func (c *Coder) print(m Message) {
	c.buf = append(c.buf, '{')
	m.Fields(c)
	c.buf = append(c.buf, '}')
}

// comma separates what follows from what is there, unless it is the first in its brackets. No
// value ends with an opening bracket, so the last byte tells.
func (c *Coder) comma() []byte {
	if last := c.buf[len(c.buf)-1]; last == '{' || last == '[' {
		return c.buf
	}
	return append(c.buf, ',')
}

// name begins a field. Names are words of ours and need no escapes.
func (c *Coder) name(name string) {
	c.buf = append(c.comma(), '"')
	c.buf = append(c.buf, name...)
	c.buf = append(c.buf, '"', ':')
}

func (c *Coder) printDecimal(name string, d fixed.Decimal) {
	c.name(name)
	c.buf = append(c.buf, '"')
	c.buf = d.Append(c.buf)
	c.buf = append(c.buf, '"')
}

// appendText writes a text as a JSON string, or in base64 when it is not UTF-8 or has a NUL, which databases do not take in a text.
func appendText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		dst = append(dst, `{"base64":`...)
		return append(appendBase64(dst, []byte(s)), '}')
	}
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b < ' ' || b == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		default:
			dst = append(dst, b)
		}
	}
	return append(dst, '"')
}

func appendBase64(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// anyText allows what appendText writes.
const anyText = text | object

// member takes the field with a name out of the object that is being read, or returns nil.
func (c *Coder) member(name string, want kind) *value {
	if c.err != nil {
		return nil
	}
	for i := range c.json.members {
		m := &c.json.members[i]
		if m.name != name {
			continue
		}
		m.taken = true
		if m.value.kind&want == 0 {
			c.fail("%q is %s, it must be %s", name, m.value.kind, want)
			return nil
		}
		return &m.value
	}
	return nil
}

// parse fills m from an object and comes back to the object around it.
func (c *Coder) parse(name string, v *value, m Message) {
	if c.err != nil {
		return
	}
	if v.kind != object {
		c.fail("%q is or holds %s, it must be %s", name, v.kind, object)
		return
	}
	outer := c.json
	c.json = v
	m.Fields(c)
	for i := range v.members {
		if !v.members[i].taken {
			c.fail("%q is not a field here, or one too many", v.members[i].name)
		}
	}
	c.json = outer
}

func (c *Coder) text(name string, v *value) []byte {
	switch {
	case v.kind == text:
		return v.text
	case v.kind == object && len(v.members) == 1 && v.members[0].name == "base64" && v.members[0].value.kind == text:
		return c.base64(name, &v.members[0].value)
	}
	c.fail(`%q must be a string, or {"base64":"…"} for a text that is not UTF-8`, name)
	return nil
}

func (c *Coder) base64(name string, v *value) []byte {
	b, err := base64.StdEncoding.Strict().AppendDecode(nil, v.text)
	if err != nil {
		c.fail("%q is not base64: %v", name, err)
		return nil
	}
	return b
}

func (c *Coder) parseDecimal(name string, v *value) fixed.Decimal {
	d, err := fixed.ParseBytes(v.text)
	if err != nil {
		c.fail("%q: %v", name, err)
	}
	return d
}
