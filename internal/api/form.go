package api

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-faster/jx"

	"bourse/internal/fixed"
)

// Form is what a client filled in: the members of a JSON object or the parameters of a query.
// Requests read their fields from it; what is wrong with them gathers in the form. Values are
// views of the text that the form was made from and live as long as it.
//
// Types are taken loosely, as clients in many languages send them: numbers may be texts, absent
// and null are the same unless a field asks, fields that nobody reads are ignored, and of two
// with one name the last counts.
type Form struct {
	entries  []entry
	problems []problem
	blank    *Blank // that is written down from what is read; nil while requests are served
}

type entry struct {
	name  []byte
	value []byte // as sent; texts without their quotes
	kind  kind
}

// kind of a value.
type kind uint8

const (
	absent kind = iota
	null
	text
	number
	boolean
	array
	object
)

// ErrNotObject means that a text is not one JSON object, or is one that is nested too deep.
var ErrNotObject = errors.New("the body is not a JSON object")

// Reset makes the form empty and keeps its memory.
func (f *Form) Reset() { f.entries, f.problems = f.entries[:0], f.problems[:0] }

// ReadJSON fills the form with the members of a JSON object.
func (f *Form) ReadJSON(data []byte) error {
	f.Reset()
	if !utf8.Valid(data) || TooDeep(data) {
		return ErrNotObject
	}
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(data)
	if d.Next() != jx.Object {
		return ErrNotObject
	}
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		k := d.Next()
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		// The decoder reads from memory: names are views of data, or have memory of their own.
		e, err := makeEntry(key, raw, k)
		f.entries = append(f.entries, e)
		return err
	})
	if err != nil {
		return ErrNotObject
	}
	if d.Skip() != io.EOF { // something follows
		return ErrNotObject
	}
	return nil
}

func makeEntry(name, raw []byte, t jx.Type) (entry, error) {
	e := entry{name: name, value: bytes.TrimSpace(raw)}
	switch t {
	case jx.String:
		e.kind = text
		inner := e.value[1 : len(e.value)-1]
		if bytes.IndexByte(inner, '\\') >= 0 {
			var err error
			if inner, err = jx.DecodeBytes(e.value).StrAppend(nil); err != nil {
				return e, err
			}
		}
		e.value = inner
	case jx.Number:
		e.kind = number
	case jx.Bool:
		e.kind = boolean
	case jx.Null:
		e.kind = null
	case jx.Array:
		e.kind = array
	default:
		e.kind = object
	}
	return e, nil
}

// Add puts in a parameter of a query or a path. It must live as long as the form.
func (f *Form) Add(name, value []byte) {
	f.entries = append(f.entries, entry{name, value, text})
}

// find is the last entry with a name.
func (f *Form) find(name string) entry {
	for i := len(f.entries) - 1; i >= 0; i-- {
		if string(f.entries[i].name) == name {
			return f.entries[i]
		}
	}
	return entry{}
}

// has reports whether a field is there and not null.
func (f *Form) has(name string) bool { return f.find(name).kind > null }

// state is what became of reading a field.
type state uint8

const (
	missing   state = iota // absent or null
	malformed              // of another type
	tooFine                // a number with more decimals than money has
	tooLarge               // a number beyond all money
	good
)

// Text reads a text. It is small enough to be put in where it is called, and texts that are only
// looked at there need no memory.
func (f *Form) Text(name string) (string, state) {
	value, s := f.text(name)
	return string(value), s
}

// text is the bytes of a text.
func (f *Form) text(name string) ([]byte, state) {
	f.blank.note(name, TextField)
	switch e := f.find(name); e.kind {
	case absent, null:
		return nil, missing
	case text:
		return e.value, good
	default:
		return nil, malformed
	}
}

// choice reads a text that is one of some words; another one is malformed.
func (f *Form) choice(name string, words []string) (string, state) {
	f.blank.words(name, words)
	value, s := f.text(name)
	if s != good {
		return "", s
	}
	for _, w := range words {
		if w == string(value) {
			return w, good
		}
	}
	return "", malformed
}

// Bool reads a yes or no.
func (f *Form) Bool(name string) (bool, state) {
	f.blank.note(name, FlagField)
	switch e := f.find(name); e.kind {
	case absent, null:
		return false, missing
	case boolean:
		return e.value[0] == 't', good
	default:
		return false, malformed
	}
}

// Int reads a whole number.
func (f *Form) Int(name string) (int64, state) {
	f.blank.note(name, WholeField)
	e := f.find(name)
	switch e.kind {
	case absent, null:
		return 0, missing
	case text, number:
		n, ok := parseInt(e.value)
		if !ok {
			return 0, malformed
		}
		return n, good
	default:
		return 0, malformed
	}
}

// between reads a whole number; one that is not between bounds is malformed.
func (f *Form) between(name string, low, high int64) (int64, state) {
	f.blank.bounds(name, low, high)
	n, s := f.Int(name)
	if s == good && (n < low || n > high) {
		return n, malformed
	}
	return n, s
}

// parseInt reads digits with an optional minus, up to 18 of them.
func parseInt(b []byte) (n int64, ok bool) {
	digits := b
	if len(b) > 0 && b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(b) {
		n = -n
	}
	return n, true
}

// Number is a decimal field.
type Number struct {
	state state
	Value fixed.Decimal
}

// Number reads a decimal number.
func (f *Form) Number(name string) Number {
	f.blank.note(name, DecimalField)
	e := f.find(name)
	switch e.kind {
	case absent, null:
		return Number{}
	case text, number:
		return parseNumber(e.value)
	default:
		return Number{state: malformed}
	}
}

// ReadNumber reads a decimal number as forms do. It reports whether the text is one.
func ReadNumber(text []byte) (n Number, is bool) {
	n = parseNumber(text)
	return n, n.state != malformed
}

func parseNumber(b []byte) Number {
	if bytes.ContainsAny(b, "eE") {
		var ok bool
		if b, ok = withoutExponent(b); !ok {
			return Number{state: malformed}
		}
	}
	if dot := bytes.IndexByte(b, '.'); dot >= 0 && len(b)-dot > 1+fixed.Places {
		// Zeros at the end say nothing.
		for len(b)-dot > 1+fixed.Places && b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	d, err := fixed.ParseBytes(b)
	if err == nil {
		return Number{good, d}
	}
	var why fixed.ParseError
	if errors.As(err, &why) {
		switch why.Code {
		case fixed.TooManyDecimals:
			return Number{state: tooFine}
		case fixed.Overflow:
			sign := fixed.FromInt(1)
			if b[0] == '-' {
				sign = sign.Neg()
			}
			return Number{tooLarge, sign}
		}
	}
	return Number{state: malformed}
}

// withoutExponent writes a number like 1.5e-7, as languages print small numbers, as 0.00000015.
func withoutExponent(b []byte) ([]byte, bool) {
	at := bytes.IndexAny(b, "eE")
	mantissa, exponent := b[:at], bytes.TrimPrefix(b[at+1:], []byte("+"))
	shift, ok := parseInt(exponent)
	if !ok || shift < -60 || shift > 60 || len(mantissa) > 60 {
		return nil, false
	}
	sign := []byte(nil)
	if len(mantissa) > 0 && mantissa[0] == '-' {
		sign, mantissa = mantissa[:1], mantissa[1:]
	}
	whole, fraction, dotted := bytes.Cut(mantissa, []byte("."))
	if len(whole) == 0 || dotted && len(fraction) == 0 {
		return nil, false
	}
	digits := bytes.Join([][]byte{whole, fraction}, nil)
	point := len(whole) + int(shift)
	if point <= 0 {
		digits = append(bytes.Repeat([]byte("0"), 1-point), digits...)
		point = 1
	}
	if point >= len(digits) {
		digits = append(digits, bytes.Repeat([]byte("0"), point-len(digits))...)
		return append(sign[:len(sign):len(sign)], digits...), true
	}
	out := append(sign[:len(sign):len(sign)], digits[:point]...)
	return append(append(out, '.'), digits[point:]...), true
}

// List reads an array whose elements are objects: each is filled into a form and given to each.
// Elements of another type are given as nil.
func (f *Form) List(name string, each func(*Form) error) state {
	if f.blank != nil {
		f.blank.note(name, ListField)
		f.blank.field(name).Items = describe(func(item *Form) { _ = each(item) })
		return missing
	}
	e := f.find(name)
	switch e.kind {
	case absent, null:
		return missing
	case array:
	default:
		return malformed
	}
	d := jx.DecodeBytes(e.value)
	err := d.Arr(func(d *jx.Decoder) error {
		k := d.Next()
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		if k != jx.Object {
			return each(nil)
		}
		var item Form
		if err := item.ReadJSON(raw); err != nil {
			return each(nil)
		}
		return each(&item)
	})
	if err != nil {
		return malformed
	}
	return good
}

// Texts reads an array of texts.
func (f *Form) Texts(name string) ([]string, state) {
	f.blank.note(name, TextsField)
	e := f.find(name)
	switch e.kind {
	case absent, null:
		return nil, missing
	case array:
	default:
		return nil, malformed
	}
	list := []string{}
	err := jx.DecodeBytes(e.value).Arr(func(d *jx.Decoder) error {
		if d.Next() != jx.String {
			return ErrNotObject
		}
		s, err := d.Str()
		list = append(list, s)
		return err
	})
	if err != nil {
		return nil, malformed
	}
	return list, good
}
