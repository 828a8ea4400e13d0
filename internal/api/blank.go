package api

import (
	"slices"
	"strings"
)

// Blank is a request with nothing filled in: which fields it has, of which types, within which
// bounds. Nobody writes it down: a request reads itself from a form that keeps a blank, and the
// calls that would parse the fields note what they would take. So what is described is what is
// read.
//
// The methods that note something do nothing on a nil blank, which is what the form of a request
// that is served has.
type Blank struct {
	Fields []*Field
	// Either are choices: of each, one alternative must be there with all its fields.
	Either [][][]string
}

// Field of a request.
type Field struct {
	Name     string
	Kind     FieldKind
	Text     string // what it means
	Required bool
	// Null says that null means something of its own; in other fields it means absent.
	Null bool
	// Default, Least and Most of a whole number; nil where there is none.
	Default, Least, Most *int64
	Words                []string // all that a text, or an element of texts, may be
	Pattern              string   // that a text matches
	Items                *Blank   // of the elements of a list
	Fewest, Longest      int      // lengths of a list or of texts; 0 where there is no bound
}

// FieldKind is what a field takes.
type FieldKind uint8

const (
	TextField    FieldKind = iota + 1
	DecimalField           // a number, or a text that is one
	WholeField             // a whole number, or a text that is one
	FlagField
	TextsField // an array of texts
	ListField  // an array of objects
)

// describe lets a request write down its fields.
func describe(read func(*Form)) *Blank {
	f := Form{blank: &Blank{}}
	read(&f)
	b := f.blank
	for _, p := range f.problems { // with nothing there, all that is needed is lacking
		if p.absent && !b.chosen(p.field) {
			b.field(p.field).Required = true
		}
	}
	return b
}

// chosen reports whether a field is needed only if others are not there.
func (b *Blank) chosen(name string) bool {
	return slices.ContainsFunc(b.Either, func(choice [][]string) bool {
		return slices.ContainsFunc(choice, func(fields []string) bool { return slices.Contains(fields, name) })
	})
}

// field is the field with a name, which is put in if it is new.
func (b *Blank) field(name string) *Field {
	for _, f := range b.Fields {
		if f.Name == name {
			return f
		}
	}
	f := &Field{Name: name}
	b.Fields = append(b.Fields, f)
	return f
}

// note puts in a field.
func (b *Blank) note(name string, k FieldKind) {
	if b != nil {
		b.field(name).Kind = k
	}
}

// bounds notes the bounds of a number.
func (b *Blank) bounds(name string, low, high int64) {
	if b != nil {
		f, least, most := b.field(name), low, high // copies: parameters would go to the heap always
		f.Least, f.Most = &least, &most
	}
}

// least notes the bound of a number that has one only.
func (b *Blank) least(name string, low int64) {
	if b != nil {
		value := low
		b.field(name).Least = &value
	}
}

// otherwise notes what a number is if nobody says.
func (b *Blank) otherwise(name string, n int64) {
	if b != nil {
		value := n
		b.field(name).Default = &value
	}
}

// words notes all that a text may be. The list is kept.
func (b *Blank) words(name string, words []string) {
	if b != nil {
		b.field(name).Words = words
	}
}

// pattern notes what a text looks like.
func (b *Blank) pattern(name, pattern string) {
	if b != nil {
		b.field(name).Pattern = pattern
	}
}

// lengths notes how many elements an array has.
func (b *Blank) lengths(name string, fewest, longest int) {
	if b != nil {
		f := b.field(name)
		f.Fewest, f.Longest = fewest, longest
	}
}

// null notes that null means something.
func (b *Blank) null(name string) {
	if b != nil {
		b.field(name).Null = true
	}
}

// must notes fields, with spaces between them, that are needed although their absence is reported in
// another way than by Form.lack.
func (b *Blank) must(names string) {
	if b != nil {
		for _, name := range strings.Fields(names) {
			b.field(name).Required = true
		}
	}
}

// either notes a choice, as in "method | from to".
func (b *Blank) either(choice string) {
	if b == nil {
		return
	}
	var alternatives [][]string
	for _, fields := range strings.Split(choice, "|") {
		alternatives = append(alternatives, strings.Fields(fields))
	}
	b.Either = append(b.Either, alternatives)
}
