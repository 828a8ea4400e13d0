package asyncapi

import (
	"encoding/json"

	"bourse/internal/ws"
)

// schema is a JSON Schema of draft 07.
type schema struct {
	Type            any             `json:"type,omitempty"`
	Title           string          `json:"title,omitempty"`
	Description     string          `json:"description,omitempty"`
	Const           any             `json:"const,omitempty"`
	Enum            []any           `json:"enum,omitempty"`
	Pattern         string          `json:"pattern,omitempty"`
	Minimum         *int64          `json:"minimum,omitempty"`
	Maximum         *int64          `json:"maximum,omitempty"`
	Items           any             `json:"items,omitempty"`
	AdditionalItems any             `json:"additionalItems,omitempty"`
	MinItems        int             `json:"minItems,omitempty"`
	MaxItems        *int            `json:"maxItems,omitempty"`
	Properties      ordered[schema] `json:"properties,omitempty"`
	Required        []string        `json:"required,omitempty"`
	Additional      *bool           `json:"additionalProperties,omitempty"`
	AnyOf           []schema        `json:"anyOf,omitempty"`
	Right           string          `json:"x-bourse-right,omitempty"`

	// Open objects take other members too.
	Open bool `json:"-"`
	// shape is one that was written elsewhere.
	shape json.Marshaler
}

// MarshalJSON implements json.Marshaler.
func (s schema) MarshalJSON() ([]byte, error) {
	if s.shape != nil {
		return s.shape.MarshalJSON()
	}
	type plain schema
	if s.Properties != nil && !s.Open {
		closed := false
		s.Additional = &closed
	}
	return json.Marshal(plain(s))
}

// frame is an object with members that must all be there, and no others.
func frame(members ordered[schema]) schema {
	s := schema{Type: "object", Properties: members}
	for _, m := range members {
		s.Required = append(s.Required, m.name)
	}
	return s
}

// list is the schema of the params of a request.
func list(p *ws.Params) schema {
	s := schema{Type: "array", MinItems: p.Fewest}
	if p.Fewest == 0 {
		s.Type = []string{"array", "null"} // null is an empty list
	}
	if p.Most >= 0 {
		s.MaxItems = &p.Most
	}
	switch {
	case len(p.List) > 0:
		var places []schema
		for _, part := range p.List {
			places = append(places, value(part))
		}
		s.Items = places
		if p.Rest != nil {
			s.AdditionalItems = value(p.Rest)
		}
	case p.Rest != nil:
		s.Items = value(p.Rest)
	}
	return s
}

// Patterns of numbers in texts.
const (
	numericPattern = `^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
	wholePattern   = `^[+-]?[0-9]{1,19}$`
)

// value is the schema of a parameter. A member of an object that is null is absent.
func value(p *ws.Param) schema {
	s := schema{Title: p.Name, Description: p.Text, Right: p.Right, Pattern: p.Pattern, Minimum: p.Least, Maximum: p.Most}
	for _, w := range p.Words {
		s.Enum = append(s.Enum, w)
	}
	for _, n := range p.Numbers {
		s.Enum = append(s.Enum, n)
	}
	switch p.Kind {
	case ws.TextParam:
		s.Type = "string"
	case ws.WholeParam:
		s.Type = "integer"
	case ws.DecimalParam:
		s.Type, s.Pattern = []string{"string", "number"}, numericPattern
	case ws.IDParam:
		s.Type, s.Pattern = []string{"integer", "string"}, wholePattern
	case ws.FlagParam:
		s.Type = "boolean"
	case ws.ListParam:
		s.Type, s.Items = "array", value(p.Items)
	case ws.TextsParam:
		s.Type, s.Items = []string{"string", "array"}, schema{Type: "string"}
	case ws.ObjectParam:
		if s.Open = true; !p.Lenient {
			s.Type = "object"
		}
		for _, m := range p.Members {
			field := value(m)
			field.Title = ""
			if m.Required {
				s.Required = append(s.Required, m.Name)
			} else {
				field = orNull(field)
			}
			s.Properties = append(s.Properties, member[schema]{m.Name, field})
		}
		for _, name := range p.Either {
			s.AnyOf = append(s.AnyOf, schema{Required: []string{name}})
		}
	}
	return s
}

// orNull is a schema that null follows too.
func orNull(s schema) schema {
	switch t := s.Type.(type) {
	case string:
		s.Type = []string{t, "null"}
	case []string:
		s.Type = append(t, "null")
	}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}
