package api

import (
	"slices"
	"strings"
)

// RequestSchema is what a request may hold: which parameters it has, of which types, within which
// bounds. Nobody writes it down: a request reads itself from a form that keeps a schema, and the
// calls that would parse the parameters note what they would take. So what is described is what is
// read.
//
// The methods that note something do nothing on a nil schema, which is what the form of a request
// that is served has.
type RequestSchema struct {
	Parameters []*Parameter
	// AnyOf are choices: of each, one alternative must be there with all its parameters.
	AnyOf [][][]string
}

// Parameter is a member of the body of a signed request, or a parameter of a query or a path.
type Parameter struct {
	Name        string
	Type        ParameterType
	Description string
	Required    bool
	// Nullable says that null means something of its own; elsewhere it means absent.
	Nullable bool
	// OrText says that an object may be a text instead.
	OrText bool
	// Default, Minimum and Maximum of an integer; nil where there is none.
	Default, Minimum, Maximum *int64
	Enum                      []string       // all that a string, or an element of strings, may be
	Pattern                   string         // that a string matches
	Items                     *RequestSchema // of an object, or of the elements of an array of objects
	MinItems, MaxItems        int            // of an array; 0 where there is no bound
}

// ParameterType is what a parameter takes.
type ParameterType uint8

const (
	StringParameter  ParameterType = iota + 1
	DecimalParameter               // a number, or a string that is one
	IntegerParameter               // an integer, or a string that is one
	BooleanParameter
	StringsParameter  // an array of strings
	IntegersParameter // an array of integers, or of strings that are ones
	ObjectsParameter  // an array of objects
	ObjectParameter
)

// describe lets a request write down its parameters.
func describe(read func(*Form)) *RequestSchema {
	f := Form{schema: &RequestSchema{}}
	read(&f)
	s := f.schema
	for _, p := range f.problems { // with nothing there, all that is needed is lacking
		if p.absent && !s.chosen(p.field) {
			s.parameter(p.field).Required = true
		}
	}
	return s
}

// chosen reports whether a parameter is needed only if others are not there.
func (s *RequestSchema) chosen(name string) bool {
	return slices.ContainsFunc(s.AnyOf, func(choice [][]string) bool {
		return slices.ContainsFunc(choice, func(names []string) bool { return slices.Contains(names, name) })
	})
}

// parameter is the parameter with a name, which is put in if it is new.
func (s *RequestSchema) parameter(name string) *Parameter {
	for _, p := range s.Parameters {
		if p.Name == name {
			return p
		}
	}
	p := &Parameter{Name: name}
	s.Parameters = append(s.Parameters, p)
	return p
}

// Declare puts in a parameter.
func (s *RequestSchema) Declare(name string, t ParameterType) {
	if s != nil {
		s.parameter(name).Type = t
	}
}

// Bound notes the bounds of an integer.
func (s *RequestSchema) Bound(name string, low, high int64) {
	if s != nil {
		p, minimum, maximum := s.parameter(name), low, high // copies: parameters would go to the heap always
		p.Minimum, p.Maximum = &minimum, &maximum
	}
}

// AtLeast notes the bound of an integer that has one only.
func (s *RequestSchema) AtLeast(name string, low int64) {
	if s != nil {
		minimum := low
		s.parameter(name).Minimum = &minimum
	}
}

// DefaultTo notes what an integer is if it is not given.
func (s *RequestSchema) DefaultTo(name string, n int64) {
	if s != nil {
		value := n
		s.parameter(name).Default = &value
	}
}

// OneOf notes all that a string may be. The list is kept.
func (s *RequestSchema) OneOf(name string, words []string) {
	if s != nil {
		s.parameter(name).Enum = words
	}
}

// Match notes what a string looks like.
func (s *RequestSchema) Match(name, pattern string) {
	if s != nil {
		s.parameter(name).Pattern = pattern
	}
}

// Count notes how many elements an array has.
func (s *RequestSchema) Count(name string, fewest, most int) {
	if s != nil {
		p := s.parameter(name)
		p.MinItems, p.MaxItems = fewest, most
	}
}

// AllowNull notes that null means something of its own.
func (s *RequestSchema) AllowNull(name string) {
	if s != nil {
		s.parameter(name).Nullable = true
	}
}

// AllowText notes that an object may be a text instead.
func (s *RequestSchema) AllowText(name string) {
	if s != nil {
		s.parameter(name).OrText = true
	}
}

// Require notes parameters, with spaces between them, that are needed although their absence is
// reported in another way than by Form.Lack.
func (s *RequestSchema) Require(names string) {
	if s != nil {
		for _, name := range strings.Fields(names) {
			s.parameter(name).Required = true
		}
	}
}

// Alternatives notes a choice, as in "method | from to".
func (s *RequestSchema) Alternatives(choice string) {
	if s == nil {
		return
	}
	var alternatives [][]string
	for _, names := range strings.Split(choice, "|") {
		alternatives = append(alternatives, strings.Fields(names))
	}
	s.AnyOf = append(s.AnyOf, alternatives)
}
