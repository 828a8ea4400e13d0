package openapi

import (
	"cmp"
	"encoding/json"
	"slices"

	"bourse/internal/api"
)

// components are the schemas and responses that the document refers to by name, and the examples
// that it shows.
type components struct {
	schemas, responses object
	examples           []Example
	draft07            bool // see Schemas
}

// Schemas gathers schemas of answers for the document of another door: those with a name stand once, among
// its components. AsyncAPI has the JSON Schema of draft 07, which writes tuples in another way.
type Schemas struct{ components components }

// Draft07 begins without any schema.
func Draft07() *Schemas { return &Schemas{components{draft07: true}} }

// Of is the schema of an answer, or a reference to it.
func (s *Schemas) Of(answer *api.Shape) json.Marshaler { return s.components.shape(answer, "") }

// Named are the schemas that were referred to.
func (s *Schemas) Named() json.Marshaler { return s.components.schemas }

// ref is a reference to a schema, which is put in when it is new.
func (c *components) ref(name string, make func() object) object {
	if !slices.ContainsFunc(c.schemas, func(m member) bool { return m.name == name }) {
		at := len(c.schemas)
		c.schemas = append(c.schemas, member{name, nil}) // before what it refers to
		c.schemas[at].value = make()
	}
	return object{{"$ref", "#/components/schemas/" + name}}
}

// The texts of numbers: those of answers have no zeros that say nothing; those of requests may
// also have an exponent.
const (
	decimalPattern = `^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$`
	numericPattern = `^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
	wholePattern   = `^-?[0-9]{1,18}$`
)

// shape is the schema of a part of an answer, with a text of its own if there is one.
func (c *components) shape(s *api.Shape, text string) object {
	if s.Name == "" {
		if text == "" {
			text = s.Text
		}
		return c.bare(s).with("description", text)
	}
	ref := c.ref(s.Name, func() object {
		named := *s
		named.Null = false
		return c.bare(&named).with("description", s.Text)
	})
	if s.Null {
		ref = object{{"anyOf", []object{ref, {{"type", "null"}}}}}
	}
	return ref.with("description", text)
}

// bare is the schema of a shape without its text.
func (c *components) bare(s *api.Shape) object {
	typed := func(name string) object {
		if s.Null {
			return object{{"type", []string{name, "null"}}}
		}
		return object{{"type", name}}
	}
	switch s.Kind {
	case api.DecimalShape:
		return typed("string").with("pattern", decimalPattern)
	case api.WholeShape:
		return typed("integer")
	case api.MomentShape:
		return typed("number").with("minimum", 0)
	case api.FlagShape:
		return typed("boolean")
	case api.TrueShape:
		return object{{"const", true}}
	case api.FalseShape:
		return object{{"const", false}}
	case api.TextShape:
		return typed("string")
	case api.WordShape:
		return typed("string").with("enum", s.Words)
	case api.NullShape:
		return object{{"type", "null"}}
	case api.RecordShape:
		closed := c.members(typed("object"), s.Members)
		if s.Of != nil {
			return closed.with("additionalProperties", c.shape(s.Of, ""))
		}
		return closed.with("additionalProperties", false)
	case api.MapShape:
		return typed("object").with("additionalProperties", c.shape(s.Of, ""))
	case api.ListShape:
		return typed("array").with("items", c.shape(s.Of, ""))
	case api.TupleShape:
		if len(s.Parts) == 0 {
			return typed("array").with("maxItems", 0)
		}
		if c.draft07 {
			return typed("array").with("items", c.shapes(s.Parts)).with("additionalItems", false).with("minItems", len(s.Parts))
		}
		return typed("array").with("prefixItems", c.shapes(s.Parts)).with("items", false).with("minItems", len(s.Parts))
	case api.OneOfShape:
		return object{{"oneOf", c.shapes(s.Parts)}}
	}
	panic("openapi: a shape without a kind")
}

func (c *components) shapes(list []*api.Shape) []object {
	all := make([]object, len(list))
	for i, s := range list {
		all[i] = c.shape(s, "")
	}
	return all
}

// members puts the members of a record into a schema.
func (c *components) members(o object, members []api.Member) object {
	var properties object
	var required []string
	for _, m := range members {
		properties = properties.with(m.Name, c.shape(m.Shape, m.Text))
		if !m.Optional {
			required = append(required, m.Name)
		}
	}
	return o.with("properties", properties).with("required", required)
}

// request is the schema of the fields of a request. Members that it does not list are ignored.
func request(b *api.Blank) object {
	var properties object
	var required []string
	for _, f := range b.Fields {
		properties = properties.with(f.Name, field(f).with("description", f.Text))
		if f.Required {
			required = append(required, f.Name)
		}
	}
	o := object{{"type", "object"}}.with("properties", properties).with("required", required)
	var choices []object
	for _, choice := range b.Either {
		var alternatives []object
		for _, fields := range choice {
			alternatives = append(alternatives, object{{"required", fields}})
		}
		choices = append(choices, object{{"anyOf", alternatives}})
	}
	switch len(choices) {
	case 0:
		return o
	case 1:
		return append(o, choices[0]...)
	}
	return o.with("allOf", choices)
}

// field is the schema of a field of a signed request. Numbers may be texts, and null means the
// same as absent where the field is not required.
func field(f *api.Field) object {
	types := map[api.FieldKind][]string{
		api.TextField: {"string"}, api.DecimalField: {"string", "number"}, api.WholeField: {"integer", "string"},
		api.FlagField: {"boolean"}, api.TextsField: {"array"}, api.ListField: {"array"},
	}[f.Kind]
	if f.Null || !f.Required {
		types = append(types, "null")
	}
	o := object{{"type", types}}
	if len(types) == 1 {
		o = object{{"type", types[0]}}
	}
	switch f.Kind {
	case api.DecimalField:
		return o.with("pattern", numericPattern)
	case api.WholeField:
		return bounded(o, f).with("pattern", cmp.Or(f.Pattern, wholePattern))
	case api.TextsField:
		return lengths(o, f).with("items", words(object{{"type", "string"}}, f, false))
	case api.ListField:
		return lengths(o, f).with("items", request(f.Items))
	}
	return words(o, f, !f.Required).with("pattern", f.Pattern)
}

// parameter is the schema of a field of a query, where everything is a text.
func parameter(f *api.Field) object {
	if f.Kind == api.WholeField {
		return bounded(object{{"type", "integer"}}, f)
	}
	return words(object{{"type", "string"}}, f, false).with("pattern", f.Pattern)
}

func words(o object, f *api.Field, orNull bool) object {
	if len(f.Words) == 0 {
		return o
	}
	all := make([]any, len(f.Words))
	for i, w := range f.Words {
		all[i] = w
	}
	if orNull {
		all = append(all, nil)
	}
	return append(o, member{"enum", all})
}

func bounded(o object, f *api.Field) object {
	if f.Default != nil && !f.Required {
		o = o.with("default", *f.Default)
	}
	if f.Least != nil {
		o = o.with("minimum", *f.Least)
	}
	if f.Most != nil {
		o = o.with("maximum", *f.Most)
	}
	return o
}

func lengths(o object, f *api.Field) object {
	if f.Longest == 0 {
		return o
	}
	return o.with("minItems", f.Fewest).with("maxItems", f.Longest)
}
