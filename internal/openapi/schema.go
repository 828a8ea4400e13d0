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
func (s *Schemas) Of(answer *api.ResponseSchema) json.Marshaler {
	return s.components.schema(answer, "")
}

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

// schema is the schema of a part of an answer, with a text of its own if there is one.
func (c *components) schema(s *api.ResponseSchema, text string) object {
	if s.Name == "" {
		if text == "" {
			text = s.Description
		}
		return c.bare(s).with("description", text)
	}
	ref := c.ref(s.Name, func() object {
		named := *s
		named.Nullable = false
		return c.bare(&named).with("description", s.Description)
	})
	if s.Nullable {
		ref = object{{"anyOf", []object{ref, {{"type", "null"}}}}}
	}
	return ref.with("description", text)
}

// bare is a schema without its description.
func (c *components) bare(s *api.ResponseSchema) object {
	typed := func(name string) object {
		if s.Nullable {
			return object{{"type", []string{name, "null"}}}
		}
		return object{{"type", name}}
	}
	switch s.Type {
	case api.DecimalType:
		return typed("string").with("pattern", decimalPattern)
	case api.IntegerType:
		return typed("integer")
	case api.TimestampType:
		return typed("number").with("minimum", 0)
	case api.RatioType:
		return typed("number").with("minimum", 0).with("maximum", 1)
	case api.BooleanType:
		return typed("boolean")
	case api.TrueType:
		return object{{"const", true}}
	case api.FalseType:
		return object{{"const", false}}
	case api.StringType:
		return typed("string")
	case api.EnumType:
		return words(typed("string"), s.Enum, s.Nullable)
	case api.NullType:
		return object{{"type", "null"}}
	case api.ObjectType:
		closed := c.properties(typed("object"), s.Properties)
		if s.Of != nil {
			return closed.with("additionalProperties", c.schema(s.Of, ""))
		}
		return closed.with("additionalProperties", false)
	case api.MapType:
		return typed("object").with("additionalProperties", c.schema(s.Of, ""))
	case api.ArrayType:
		return typed("array").with("items", c.schema(s.Of, ""))
	case api.TupleType:
		if len(s.Parts) == 0 {
			return typed("array").with("maxItems", 0)
		}
		if c.draft07 {
			return typed("array").with("items", c.schemasOf(s.Parts)).with("additionalItems", false).with("minItems", len(s.Parts))
		}
		return typed("array").with("prefixItems", c.schemasOf(s.Parts)).with("items", false).with("minItems", len(s.Parts))
	case api.OneOfType:
		return object{{"oneOf", c.schemasOf(s.Parts)}}
	}
	panic("openapi: a schema without a type")
}

func (c *components) schemasOf(list []*api.ResponseSchema) []object {
	all := make([]object, len(list))
	for i, s := range list {
		all[i] = c.schema(s, "")
	}
	return all
}

// properties puts the properties of an object into a schema.
func (c *components) properties(o object, listed []api.Property) object {
	var properties object
	var required []string
	for _, m := range listed {
		properties = properties.with(m.Name, c.schema(m.Schema, m.Description))
		if !m.Optional {
			required = append(required, m.Name)
		}
	}
	return o.with("properties", properties).with("required", required)
}

// request is the schema of the fields of a request. Members that it does not list are ignored.
func request(s *api.RequestSchema) object {
	var properties object
	var required []string
	for _, f := range s.Parameters {
		properties = properties.with(f.Name, field(f).with("description", f.Description))
		if f.Required {
			required = append(required, f.Name)
		}
	}
	o := object{{"type", "object"}}.with("properties", properties).with("required", required)
	var choices []object
	for _, choice := range s.AnyOf {
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
func field(f *api.Parameter) object {
	types := map[api.ParameterType][]string{
		api.StringParameter: {"string"}, api.DecimalParameter: {"string", "number"}, api.IntegerParameter: {"integer", "string"},
		api.BooleanParameter: {"boolean"}, api.StringsParameter: {"array"}, api.IntegersParameter: {"array"}, api.ObjectsParameter: {"array"},
		api.ObjectParameter: {"object"},
	}[f.Type]
	if f.OrText {
		types = append(types, "string")
	}
	if f.Nullable || !f.Required {
		types = append(types, "null")
	}
	o := object{{"type", types}}
	if len(types) == 1 {
		o = object{{"type", types[0]}}
	}
	switch f.Type {
	case api.DecimalParameter:
		return o.with("pattern", numericPattern)
	case api.IntegerParameter:
		return bounded(o, f).with("pattern", cmp.Or(f.Pattern, wholePattern))
	case api.StringsParameter:
		return lengths(o, f).with("items", words(object{{"type", "string"}}, f.Enum, false))
	case api.IntegersParameter:
		return lengths(o, f).with("items", object{{"type", []string{"integer", "string"}}, {"pattern", wholePattern}})
	case api.ObjectsParameter:
		return lengths(o, f).with("items", request(f.Items))
	case api.ObjectParameter:
		return append(o, request(f.Items)[1:]...) // whose type may also be null
	}
	return words(o, f.Enum, !f.Required).with("pattern", f.Pattern)
}

// parameter is the schema of a field of a query, where everything is a text.
func parameter(f *api.Parameter) object {
	if f.Type == api.IntegerParameter {
		return bounded(object{{"type", "integer"}}, f)
	}
	return words(object{{"type", "string"}}, f.Enum, false).with("pattern", f.Pattern)
}

// words lists all that a text may be. An enumeration leaves out what it does not list, null too, whatever the type
// says.
func words(o object, list []string, orNull bool) object {
	if len(list) == 0 {
		return o
	}
	all := make([]any, len(list))
	for i, w := range list {
		all[i] = w
	}
	if orNull {
		all = append(all, nil)
	}
	return append(o, member{"enum", all})
}

func bounded(o object, f *api.Parameter) object {
	if f.Default != nil && !f.Required {
		o = o.with("default", *f.Default)
	}
	if f.Minimum != nil {
		o = o.with("minimum", *f.Minimum)
	}
	if f.Maximum != nil {
		o = o.with("maximum", *f.Maximum)
	}
	return o
}

func lengths(o object, f *api.Parameter) object {
	if f.MaxItems == 0 {
		return o
	}
	return o.with("minItems", f.MinItems).with("maxItems", f.MaxItems)
}
