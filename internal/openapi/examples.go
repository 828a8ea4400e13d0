package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"bourse/internal/api"
)

// Example is a request and what an exchange answered. The conformance tests send every example
// and hold the answer to the one that is written here.
type Example struct {
	Operation string         `json:"operation"` // method and path, as in the table
	Summary   string         `json:"summary"`
	Request   map[string]any `json:"request,omitempty"` // the fields, without those of every signed request
	Status    int            `json:"status"`            // of HTTP
	// Varies names members whose values differ from time to time: only their types are compared.
	Varies []string        `json:"varies,omitempty"`
	Answer json.RawMessage `json:"answer"`
}

//go:embed examples.json
var exampleFile []byte

// Examples is every example, in the order of the table of operations.
func Examples() []Example {
	var all []Example
	d := json.NewDecoder(bytes.NewReader(exampleFile))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		panic("openapi: examples.json: " + err.Error())
	}
	return all
}

// examplesOf are those of an operation.
func (c *components) examplesOf(o *api.Operation) []Example {
	var some []Example
	for _, e := range c.examples {
		if e.Operation == o.Method+" "+o.Path {
			some = append(some, e)
		}
	}
	return some
}

// requestsOf are the bodies of examples, with what signed requests hold beside the fields if they are such.
func requestsOf(all []Example, signed bool) object {
	var list object
	for i, e := range all {
		body := object{}
		if signed {
			_, path, _ := strings.Cut(e.Operation, " ")
			body = object{{"request", path}, {"nonce", 1594297865000 + i}}
		}
		for _, name := range keys(e.Request) {
			body = append(body, member{name, e.Request[name]})
		}
		list = append(list, member{label(i), object{{"summary", e.Summary}, {"value", body}}})
	}
	return list
}

// answersOf are the answers of examples with a status.
func answersOf(all []Example, status int) object {
	var list object
	for i, e := range all {
		if e.Status == status {
			list = append(list, member{label(i), object{{"summary", e.Summary}, {"value", e.Answer}}})
		}
	}
	return list
}

// label names an example: by it a request and its answer belong together.
func label(i int) string { return fmt.Sprintf("example%d", i+1) }
