package wire_test

import (
	"bytes"
	"errors"
	"reflect"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// sample has a field of every kind that a walk knows.
type sample struct {
	Small    uint8
	Number   uint64
	Signed   int64
	Narrow   int32
	Flag     bool
	Name     string
	Names    []string
	Numbers  []uint32
	Raw      []byte
	Code     code
	Amount   fixed.Decimal
	HasLimit bool
	Limit    fixed.Decimal
	Inner    inner
	List     []inner
	Key      [4]byte
	Choice   choice
}

func (s *sample) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "small", &s.Small)
	wire.Uint(c, 2, "number", &s.Number)
	wire.Int(c, 3, "signed", &s.Signed)
	wire.Int(c, 4, "narrow", &s.Narrow)
	c.Bool(5, "flag", &s.Flag)
	wire.Text(c, 6, "name", &s.Name)
	c.Texts(7, "names", &s.Names)
	c.Bytes(8, "raw", &s.Raw)
	c.Fixed(9, "code", s.Code.bytes, s.Code.set)
	c.Decimal(10, "amount", &s.Amount)
	c.Optional(11, "limit", &s.HasLimit, &s.Limit)
	wire.Embed(c, 12, "inner", &s.Inner)
	wire.List(c, 13, "list", &s.List)
	c.Array(14, "key", s.Key[:])
	wire.Uints(c, 15, "numbers", &s.Numbers)
	wire.OneOf(c, "choice", choices[:], &s.Choice)
}

// code is a value of bounded length inside the message.
type code struct {
	size int
	text [4]byte
}

var errCode = errors.New("a code has at most 4 bytes")

func (k *code) bytes() []byte { return k.text[:k.size] }

func (k *code) set(b []byte) error {
	if len(b) > len(k.text) {
		return errCode
	}
	k.size = copy(k.text[:], b)
	return nil
}

type inner struct {
	Number uint32
	Text   string
}

func (m *inner) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "number", &m.Number)
	wire.Text(c, 2, "text", &m.Text)
}

// choice is one of two messages, numbered 16 and 18.
type choice interface {
	wire.Message
	Kind() uint8
}

type left struct{ A uint64 }

func (m *left) Fields(c *wire.Coder) { wire.Uint(c, 1, "a", &m.A) }
func (m *left) Kind() uint8          { return 16 }

type right struct{ B string }

func (m *right) Fields(c *wire.Coder) { wire.Text(c, 1, "b", &m.B) }
func (m *right) Kind() uint8          { return 18 }

var choices = [...]func() choice{
	16: func() choice { return new(left) },
	18: func() choice { return new(right) },
}

func same(a, b *sample) bool { return reflect.DeepEqual(a, b) }

// anySample draws a sample in which every kind of field is sometimes zero and sometimes extreme.
func anySample(t *rapid.T) *sample {
	s := &sample{
		Small:  rapid.Uint8().Draw(t, "small"),
		Number: rapid.Uint64().Draw(t, "number"),
		Signed: rapid.Int64().Draw(t, "signed"),
		Narrow: rapid.Int32().Draw(t, "narrow"),
		Flag:   rapid.Bool().Draw(t, "flag"),
		Name:   rapid.String().Draw(t, "name"),
		Amount: anyDecimal(t),
		Inner:  anyInner(t),
	}
	for range rapid.IntRange(0, 3).Draw(t, "names") {
		s.Names = append(s.Names, rapid.String().Draw(t, "each"))
		s.Numbers = append(s.Numbers, rapid.Uint32().Draw(t, "number of list"))
	}
	if raw := rapid.SliceOf(rapid.Byte()).Draw(t, "raw"); len(raw) > 0 {
		s.Raw = raw
	}
	if rapid.Bool().Draw(t, "key") {
		copy(s.Key[:], rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "bytes of key"))
	}
	s.Code.size = copy(s.Code.text[:], rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "code"))
	if s.HasLimit = rapid.Bool().Draw(t, "has limit"); s.HasLimit {
		s.Limit = anyDecimal(t)
	}
	for range rapid.IntRange(0, 3).Draw(t, "list") {
		s.List = append(s.List, anyInner(t))
	}
	switch rapid.IntRange(0, 2).Draw(t, "choice") {
	case 1:
		s.Choice = &left{rapid.Uint64().Draw(t, "a")}
	case 2:
		s.Choice = &right{rapid.String().Draw(t, "b")}
	}
	return s
}

func anyInner(t *rapid.T) inner {
	text := rapid.String().Draw(t, "text")
	if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
		text = string(bytes.Repeat([]byte{'x'}, rapid.IntRange(100, 400).Draw(t, "length")))
	}
	return inner{rapid.Uint32().Draw(t, "number"), text}
}

func anyDecimal(t *rapid.T) fixed.Decimal {
	shift := rapid.IntRange(0, 127).Draw(t, "shift")
	hi, lo := rapid.Int64().Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")
	if shift >= 64 { // most decimals are short
		hi, lo = hi>>63, uint64(int64(lo)>>(shift-64))
	}
	return fixed.FromBits(hi, lo)
}
