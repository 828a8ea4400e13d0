package console

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Member is a name and a value of a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Object is a JSON object whose members stay in the order in which they came.
type Object []Member

// UnmarshalJSON implements json.Unmarshaler.
func (o *Object) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("a JSON object is wanted, not %.40s", text)
	}
	*o = Object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := Member{Name: name.(string)}
		if err := d.Decode(&m.Value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}

// Get is the value of a member, nil if there is none.
func (o Object) Get(name string) json.RawMessage {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}
