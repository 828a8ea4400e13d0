// Package agree holds JSON texts to the schemas of the API exactly: the members that a schema lists and no others,
// in the order in which it lists them, each of its type. JSON Schema knows no order of members. Tests use it for
// every answer that they see, and above all for objects that are written by hand.
package agree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"bourse/internal/api"
)

// Checker holds texts to one schema and remembers which optional members it saw.
type Checker struct {
	schema       *api.ResponseSchema
	there, other map[string]bool // optional members that were there, and that were left out
}

// New is a checker for a schema.
func New(s *api.ResponseSchema) *Checker {
	return &Checker{s, map[string]bool{}, map[string]bool{}}
}

// Check reports where a text is another than the schema says.
func Check(s *api.ResponseSchema, text []byte) error { return New(s).Check(text) }

// Check reports where a text is another than the schema says.
func (c *Checker) Check(text []byte) error { return c.value("$", c.schema, text) }

// Unseen are the optional members that no text had, or that no text left out.
func (c *Checker) Unseen() (paths []string) {
	for _, pair := range [][2]map[string]bool{{c.there, c.other}, {c.other, c.there}} {
		for path := range pair[0] {
			if !pair[1][path] {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// scalars are what values that are no arrays and no objects look like.
var scalars = map[api.ResponseType]*regexp.Regexp{
	api.DecimalType:   regexp.MustCompile(`^"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?"$`),
	api.IntegerType:   regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`),
	api.RatioType:     regexp.MustCompile(`^(1|0|0\.[0-9]{0,3}[1-9])$`),
	api.TimestampType: regexp.MustCompile(`^(0|[0-9]+\.[0-9]{6})$`),
	api.BooleanType:   regexp.MustCompile(`^(true|false)$`),
	api.TrueType:      regexp.MustCompile(`^true$`),
	api.FalseType:     regexp.MustCompile(`^false$`),
	api.StringType:    regexp.MustCompile(`^"`),
	api.NullType:      regexp.MustCompile(`^null$`),
}

func (c *Checker) value(path string, s *api.ResponseSchema, text []byte) error {
	text = bytes.TrimSpace(text)
	if s.Nullable && string(text) == "null" {
		return nil
	}
	switch s.Type {
	case api.ObjectType, api.MapType:
		return c.object(path, s, text)
	case api.ArrayType, api.TupleType:
		return c.array(path, s, text)
	case api.OneOfType:
		var errs []error
		for _, part := range s.Parts {
			err := c.value(path, part, text)
			if err == nil {
				return nil
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	case api.EnumType:
		var word string
		if err := json.Unmarshal(text, &word); err != nil || !slices.Contains(s.Enum, word) {
			return fmt.Errorf("%s is %s, want one of %q", path, text, s.Enum)
		}
		return nil
	}
	if form := scalars[s.Type]; form == nil || !form.Match(text) {
		return fmt.Errorf("%s is %s, want a value of type %d", path, text, s.Type)
	}
	return nil
}

// object goes through the members in their order.
func (c *Checker) object(path string, s *api.ResponseSchema, text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return fmt.Errorf("%s is no object: %s", path, text)
	}
	listed := s.Properties
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		at := fmt.Sprintf("%s.%s", path, name)
		n := slices.IndexFunc(listed, func(p api.Property) bool { return p.Name == name })
		switch {
		case n >= 0:
			if err := c.leftOut(path, listed[:n]); err != nil {
				return fmt.Errorf("%w, before %s", err, at)
			}
			if listed[n].Optional {
				c.there[at] = true
			}
			err = c.value(at, listed[n].Schema, value)
			listed = listed[n+1:]
		case s.Of != nil:
			err = c.value(path+".*", s.Of, value)
		default:
			return fmt.Errorf("%s is not listed, or not there", at)
		}
		if err != nil {
			return err
		}
	}
	return c.leftOut(path, listed)
}

// leftOut takes note of members that are not there, which only optional ones may be.
func (c *Checker) leftOut(path string, members []api.Property) error {
	for _, p := range members {
		at := path + "." + p.Name
		if !p.Optional {
			return fmt.Errorf("%s is missing", at)
		}
		c.other[at] = true
	}
	return nil
}

func (c *Checker) array(path string, s *api.ResponseSchema, text []byte) error {
	var values []json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil || values == nil {
		return fmt.Errorf("%s is no array: %s", path, text)
	}
	if s.Type == api.TupleType && len(values) != len(s.Parts) {
		return fmt.Errorf("%s has %d elements, want %d", path, len(values), len(s.Parts))
	}
	for i, value := range values {
		of := s.Of
		if s.Type == api.TupleType {
			of = s.Parts[i]
		}
		if err := c.value(path+"[]", of, value); err != nil {
			return err
		}
	}
	return nil
}
