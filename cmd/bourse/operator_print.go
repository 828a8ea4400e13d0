package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bourse/internal/console"
)

// printJSON prints an answer of the operator's API as it came, with its lines indented.
func printJSON(out stdout, answer json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Indent(&b, answer, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := out.Write(b.Bytes())
	return err
}

// printObject prints the members of an object below each other.
func printObject(out stdout, answer json.RawMessage) error {
	var o console.Object
	if err := json.Unmarshal(answer, &o); err != nil {
		return err
	}
	r := &rows{out: out, pairs: true}
	for _, m := range o {
		if err := r.add(cell{m.Name, readable(m.Name, m.Value)}); err != nil {
			return err
		}
	}
	return r.flush()
}

// table prints a list of objects with some of their members as columns, or with all if none are
// named, and says so if the list is empty.
func table(empty string, columns ...string) func(stdout, json.RawMessage) error {
	return func(out stdout, answer json.RawMessage) error {
		var list []console.Object
		if err := json.Unmarshal(answer, &list); err != nil {
			return err
		}
		r := &rows{out: out, empty: empty}
		for _, o := range list {
			if err := r.add(cells(o, columns)...); err != nil {
				return err
			}
		}
		return r.flush()
	}
}

func cells(o console.Object, columns []string) []cell {
	var list []cell
	if len(columns) == 0 {
		for _, m := range o {
			list = append(list, cell{m.Name, readable(m.Name, m.Value)})
		}
	}
	for _, name := range columns {
		list = append(list, cell{name, readable(name, o.Get(name))})
	}
	return list
}

// times are the members that hold a time.
var times = map[string]bool{
	"time": true, "created": true, "changed": true, "opened": true, "opens_at": true, "delists_at": true,
	"maintenance_from": true, "maintenance_to": true, "index_at": true, "restricted_until": true,
	"checked": true, "tried": true, "due": true,
}

// readable is a JSON value for people; nil if there is nothing to show.
func readable(name string, value json.RawMessage) any {
	var v any
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil // the member is not there
	}
	if times[name] {
		return local(v)
	}
	switch v := v.(type) {
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		if v == "" {
			return nil
		}
		return v
	case []any:
		return listed(v)
	case map[string]any:
		return string(value)
	}
	return v
}

// local is a moment on the clock of who reads it. It came as a text, or in Unix seconds with 0
// for none.
func local(v any) any {
	var at time.Time
	switch v := v.(type) {
	case string:
		t, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return v
		}
		at = t
	case json.Number:
		seconds, err := v.Int64()
		if err != nil || seconds == 0 {
			return nil
		}
		at = time.Unix(seconds, 0)
	default:
		return nil
	}
	return at.Local().Format(time.RFC3339)
}

// listed is a list of texts, or of things that have names.
func listed(list []any) any {
	texts := make([]string, len(list))
	for i, v := range list {
		if o, is := v.(map[string]any); is {
			v = o["name"]
		}
		texts[i] = fmt.Sprint(v)
	}
	if len(texts) == 0 {
		return nil
	}
	return strings.Join(texts, ", ")
}
