package openapi

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object that keeps the order of its members: the document reads in the order
// of the table of operations, and is the same bytes every time.
type object []member

type member struct {
	name  string
	value any
}

// with is the object with a member more; one whose value is nil, or empty, is left out.
func (o object) with(name string, value any) object {
	switch v := value.(type) {
	case nil:
		return o
	case string:
		if v == "" {
			return o
		}
	case []string:
		if len(v) == 0 {
			return o
		}
	case object:
		if len(v) == 0 {
			return o
		}
	}
	return append(o, member{name, value})
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, part := range []any{m.name, m.value} {
			if j > 0 {
				b.WriteByte(':')
			}
			text, err := plain(part)
			if err != nil {
				return nil, err
			}
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// plain is a value as JSON, with <, > and & as they are.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
