package api

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-faster/jx"
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
	path     string         // of the fields in the request, with a dot at its end; "" but within objects
	schema   *RequestSchema // which is written down from what is read; nil while requests are served
	api      *API           // that the request is for; nil while there is none
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

// Schema is what the form writes down of what is read from it; nil while requests are served.
func (f *Form) Schema() *RequestSchema { return f.schema }

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

// Has reports whether a field is there and not null.
func (f *Form) Has(name string) bool { return f.find(name).kind > null }

// Null reports whether a field is there and null.
func (f *Form) Null(name string) bool { return f.find(name).kind == null }

// Word is the value of a field that is a text or a number, as it was sent.
func (f *Form) Word(name string) ([]byte, State) {
	switch e := f.find(name); e.kind {
	case absent, null:
		return nil, Missing
	case text, number:
		return e.value, Good
	default:
		return nil, Malformed
	}
}

// State is what became of reading a field.
type State uint8

const (
	Missing   State = iota // absent or null
	Malformed              // of another type
	TooFine                // a number with more decimals than money has
	TooLarge               // a number beyond all money
	Good
)

// Text reads a text. It is small enough to be put in where it is called, and texts that are only
// looked at there need no memory.
func (f *Form) Text(name string) (string, State) {
	value, s := f.text(name)
	return string(value), s
}

// text is the bytes of a text.
func (f *Form) text(name string) ([]byte, State) {
	f.schema.Declare(name, StringParameter)
	switch e := f.find(name); e.kind {
	case absent, null:
		return nil, Missing
	case text:
		return e.value, Good
	default:
		return nil, Malformed
	}
}

// Choice reads a text that is one of some words; another one is malformed.
func (f *Form) Choice(name string, words []string) (string, State) {
	f.schema.OneOf(name, words)
	value, s := f.text(name)
	if s != Good {
		return "", s
	}
	for _, w := range words {
		if w == string(value) {
			return w, Good
		}
	}
	return "", Malformed
}

// Bool reads a yes or no.
func (f *Form) Bool(name string) (bool, State) {
	f.schema.Declare(name, BooleanParameter)
	switch e := f.find(name); e.kind {
	case absent, null:
		return false, Missing
	case boolean:
		return e.value[0] == 't', Good
	default:
		return false, Malformed
	}
}

// Int reads a whole number.
func (f *Form) Int(name string) (int64, State) {
	f.schema.Declare(name, IntegerParameter)
	e := f.find(name)
	switch e.kind {
	case absent, null:
		return 0, Missing
	case text, number:
		n, ok := parseInt(e.value)
		if !ok {
			return 0, Malformed
		}
		return n, Good
	default:
		return 0, Malformed
	}
}

// Between reads a whole number; one that is not between bounds is malformed.
func (f *Form) Between(name string, low, high int64) (int64, State) {
	f.schema.Bound(name, low, high)
	n, s := f.Int(name)
	if s == Good && (n < low || n > high) {
		return n, Malformed
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

// List reads an array whose elements are objects: each is filled into a form and given to each.
// Elements of another type are given as nil.
func (f *Form) List(name string, each func(*Form) error) State {
	if f.schema != nil {
		f.schema.Declare(name, ObjectsParameter)
		f.schema.parameter(name).Items = describe(func(item *Form) { _ = each(item) })
		return Missing
	}
	e := f.find(name)
	switch e.kind {
	case absent, null:
		return Missing
	case array:
	default:
		return Malformed
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
		item := Form{api: f.api}
		if err := item.ReadJSON(raw); err != nil {
			return each(nil)
		}
		return each(&item)
	})
	if err != nil {
		return Malformed
	}
	return Good
}

// Object reads a member that is an object: it is filled into a form of its own. What is wrong with its fields is noted here, under
// their paths, as travelRule.walletType.
func (f *Form) Object(name string, read func(*Form)) State {
	if f.schema != nil {
		f.schema.Declare(name, ObjectParameter)
		f.schema.parameter(name).Items = describe(read)
		return Missing
	}
	e := f.find(name)
	switch e.kind {
	case absent, null:
		return Missing
	case object:
	default:
		return Malformed
	}
	inner := Form{path: f.path + name + ".", api: f.api}
	if inner.ReadJSON(e.value) != nil {
		return Malformed
	}
	read(&inner)
	f.problems = append(f.problems, inner.problems...)
	return Good
}

// Texts reads an array of texts.
func (f *Form) Texts(name string) ([]string, State) {
	f.schema.Declare(name, StringsParameter)
	list := []string{}
	state := f.array(name, func(d *jx.Decoder) error {
		if d.Next() != jx.String {
			return ErrNotObject
		}
		s, err := d.Str()
		list = append(list, s)
		return err
	})
	if state != Good {
		return nil, state
	}
	return list, Good
}

// Ints reads an array of whole numbers.
func (f *Form) Ints(name string) ([]int64, State) {
	f.schema.Declare(name, IntegersParameter)
	list := []int64{}
	state := f.array(name, func(d *jx.Decoder) error {
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		n, ok := parseInt(bytes.Trim(raw, `"`))
		if !ok {
			return ErrNotObject
		}
		list = append(list, n)
		return nil
	})
	if state != Good {
		return nil, state
	}
	return list, Good
}

// IntsBetween reads an array of whole numbers between bounds. The places of those that are none are strange.
func (f *Form) IntsBetween(name string, low, high int64) (list []int64, strange []int, s State) {
	f.schema.Declare(name, IntegersParameter)
	at := 0
	s = f.array(name, func(d *jx.Decoder) error {
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		n, ok := parseInt(bytes.Trim(raw, `"`))
		if !ok || n < low || n > high {
			strange = append(strange, at)
		}
		list = append(list, n)
		at++
		return nil
	})
	return list, strange, s
}

// array reads the elements of an array.
func (f *Form) array(name string, each func(*jx.Decoder) error) State {
	e := f.find(name)
	switch e.kind {
	case absent, null:
		return Missing
	case array:
	default:
		return Malformed
	}
	if jx.DecodeBytes(e.value).Arr(each) != nil {
		return Malformed
	}
	return Good
}
