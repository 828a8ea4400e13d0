package api

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Encoder is the one declaration of a JSON object: what it looks like in the documents, and how a T is
// written as one. Objects that are written for every order or every look at a market (orders, books,
// tickers) have an encoder by hand beside their schema instead; a test holds those to it.
type Encoder[T any] struct {
	schema *ResponseSchema
	fields []Field[T]
}

// Field is a property of an object and how it is written.
type Field[T any] struct {
	property Property
	prefix   string // a comma, the name in quotes and its colon
	append   func(dst []byte, v *T) []byte
	there    func(v *T) bool // nil: always
}

// Encode declares an object. Its fields are written in the order in which they are listed.
func Encode[T any](name, description string, fields ...Field[T]) *Encoder[T] {
	properties := make([]Property, len(fields))
	for i := range fields {
		properties[i] = fields[i].property
	}
	return &Encoder[T]{Object(name, description, properties...), fields}
}

// Schema is what the object looks like.
func (e *Encoder[T]) Schema() *ResponseSchema { return e.schema }

// Append writes an object.
func (e *Encoder[T]) Append(dst []byte, v *T) []byte {
	begin := len(dst)
	for i := range e.fields {
		dst = e.fields[i].Append(dst, v)
	}
	if len(dst) == begin {
		dst = append(dst, '{')
	}
	dst[begin] = '{' // in place of the comma of the first member
	return append(dst, '}')
}

// Answer is one object.
func (e *Encoder[T]) Answer(v *T) Answer {
	return AnswerFunc(func(dst []byte) []byte { return e.Append(dst, v) })
}

// Array is a list of objects.
func (e *Encoder[T]) Array(items []T) Answer { return Array(items, e.Append) }

// Named is an object in a map.
type Named[T any] struct {
	Name  string
	Value T
}

// Map is objects by name, in the order in which they are listed.
func (e *Encoder[T]) Map(items []Named[T]) Answer {
	return AnswerFunc(func(dst []byte) []byte {
		dst = append(dst, '{')
		for i := range items {
			dst = append(AppendText(AppendComma(dst, i), items[i].Name), ':')
			dst = e.Append(dst, &items[i].Value)
		}
		return append(dst, '}')
	})
}

// Property is what the documents say of the field.
func (f *Field[T]) Property() Property { return f.property }

// Append writes the field behind another, or nothing where it is left out.
func (f *Field[T]) Append(dst []byte, v *T) []byte {
	if f.there != nil && !f.there(v) {
		return dst
	}
	return f.append(append(dst, f.prefix...), v)
}

// NewField is a field with a schema and a writer of its own.
func NewField[T any](name string, s *ResponseSchema, description string, write func(dst []byte, v *T) []byte) Field[T] {
	return Field[T]{Required(name, s, description), "," + string(AppendText(nil, name)) + ":", write, nil}
}

// If makes a field optional: it is left out where the condition does not hold.
func (f Field[T]) If(there func(v *T) bool) Field[T] {
	f.property.Optional, f.there = true, there
	return f
}

// DecimalField is an exact number, written as a string.
func DecimalField[T any](name, description string, get func(v *T) fixed.Decimal) Field[T] {
	return NewField(name, Decimal, description, func(dst []byte, v *T) []byte { return AppendDecimal(dst, get(v)) })
}

// OptionalField is an exact number, or null where there is none.
func OptionalField[T any](name, description string, get func(v *T) schema.Optional) Field[T] {
	return NewField(name, Nullable(Decimal), description, func(dst []byte, v *T) []byte {
		if o := get(v); o.Set() {
			return AppendDecimal(dst, o.Value())
		}
		return append(dst, `null`...)
	})
}

// IntegerField is a whole number.
func IntegerField[T any](name, description string, get func(v *T) int64) Field[T] {
	return NewField(name, Integer, description, func(dst []byte, v *T) []byte { return AppendInt(dst, get(v)) })
}

// RatioField is how much of a whole a part is, which is at most the whole.
func RatioField[T any](name, description string, get func(v *T) (part, of uint64)) Field[T] {
	return NewField(name, Ratio, description, func(dst []byte, v *T) []byte {
		part, of := get(v)
		return AppendRatio(dst, part, of)
	})
}

// BooleanField is true or false.
func BooleanField[T any](name, description string, get func(v *T) bool) Field[T] {
	return NewField(name, Boolean, description, func(dst []byte, v *T) []byte { return AppendBool(dst, get(v)) })
}

// StringField is a text.
func StringField[T any](name, description string, get func(v *T) string) Field[T] {
	return NewField(name, String, description, func(dst []byte, v *T) []byte { return AppendText(dst, get(v)) })
}

// TextField is a text that is there as bytes.
func TextField[T any](name, description string, get func(v *T) []byte) Field[T] {
	return NewField(name, String, description, func(dst []byte, v *T) []byte { return AppendText(dst, get(v)) })
}

// StringsField is a list of texts.
func StringsField[T any](name, description string, get func(v *T) []string) Field[T] {
	return NewField(name, ArrayOf(String), description, func(dst []byte, v *T) []byte { return AppendStrings(dst, get(v)) })
}

// EnumField is one of some words, in which nothing needs an escape.
func EnumField[T any](name string, words []string, description string, get func(v *T) string) Field[T] {
	return NewField(name, Enum(words...), description, func(dst []byte, v *T) []byte {
		return append(append(append(dst, '"'), get(v)...), '"')
	})
}

// SecondsField is a moment in whole seconds.
func SecondsField[T any](name, description string, get func(v *T) schema.Time) Field[T] {
	return NewField(name, Seconds, description, func(dst []byte, v *T) []byte { return AppendInt(dst, int64(get(v)/schema.Second)) })
}

// TimestampField is a moment with its microseconds.
func TimestampField[T any](name, description string, get func(v *T) schema.Time) Field[T] {
	return NewField(name, Timestamp, description, func(dst []byte, v *T) []byte { return AppendMoment(dst, get(v)) })
}

// ConstantField is the same in every object.
func ConstantField[T any](name string, s *ResponseSchema, description, text string) Field[T] {
	return NewField(name, s, description, func(dst []byte, _ *T) []byte { return append(dst, text...) })
}

// ObjectField is an object in an object.
func ObjectField[T, U any](name string, of *Encoder[U], description string, get func(v *T) *U) Field[T] {
	return NewField(name, of.schema, description, func(dst []byte, v *T) []byte { return of.Append(dst, get(v)) })
}

// ArrayField is a list of objects.
func ArrayField[T, U any](name string, of *Encoder[U], description string, get func(v *T) []U) Field[T] {
	return NewField(name, ArrayOf(of.schema), description, func(dst []byte, v *T) []byte { return of.Array(get(v)).AppendTo(dst) })
}

// MapField is objects by name.
func MapField[T, U any](name string, of *Encoder[U], description string, get func(v *T) []Named[U]) Field[T] {
	return NewField(name, MapOf(of.schema), description, func(dst []byte, v *T) []byte { return of.Map(get(v)).AppendTo(dst) })
}
