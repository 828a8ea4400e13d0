package api

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"bourse/internal/fixed"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// About is what the documentation says about an operation and no code can know.
type About struct {
	Summary  string
	Text     string
	Response *ResponseSchema
	// Parameters says what parameters mean here, where that is not what they mean everywhere. Those of an object have its name and a dot
	// before theirs.
	Parameters map[string]string
	// Refusals are why the core refuses what this operation asks for, and Faults the errors that
	// the handler finds itself. What is wrong with single parameters nobody has to list.
	Refusals []schema.Reason
	Faults   []*Error
	// MapRefusal is for operations that word the refusals of the core in their own way and not by
	// Operation.MapError; nil for others.
	MapRefusal func(*Error) *Error
}

// RequestSchema is what a request for the operation may hold.
func (o *Operation) RequestSchema() *RequestSchema {
	return describe(o.read).explain(o.About.Parameters)
}

// SignedRequest is what every signed request holds beside its own parameters.
func SignedRequest() *RequestSchema {
	return describe(func(f *Form) { _, _ = f.Origin(nil) }).explain(nil)
}

// explain says what the parameters mean: what they mean here, or else what they mean everywhere.
func (s *RequestSchema) explain(here map[string]string) *RequestSchema {
	for _, p := range s.Parameters {
		var special bool
		if p.Description, special = here[p.Name]; !special {
			p.Description = Descriptions[p.Name]
		}
		if p.Items != nil {
			p.Items.explain(within(here, p.Name))
		}
	}
	return s
}

// within is what is said of the fields of an object, whose names have its own before them and a dot.
func within(here map[string]string, name string) map[string]string {
	inner := map[string]string{}
	for path, text := range here {
		if rest, is := strings.CutPrefix(path, name+"."); is {
			inner[rest] = text
		}
	}
	return inner
}

// Errors is every error that the operation is known to answer with, beside those that the door
// has for all. Where a text speaks of a value, the value is an example.
func (o *Operation) Errors() []*Error {
	var all []*Error
	add := func(e *Error) {
		all = append(all, o.Error(e))
	}
	if o.Auth == AuthSigned {
		for _, e := range unauthorizedErrors {
			add(e)
		}
	}
	if o.Auth == AuthBearer {
		add(ErrToken)
		add(ErrBody)
	}
	if o.Factor {
		add(ErrNoFactor)
	}
	if o.Gate != nil {
		add(o.Gate.refusal())
	}
	if o.Regions != 0 {
		add(ErrNotThere)
	}
	for _, p := range o.problems() {
		add(NewError(p.status, p.code, ValidationFailed, p.field, p.text))
	}
	for _, e := range o.About.Faults {
		add(e)
	}
	for _, r := range o.About.Refusals {
		e := Refusal(schema.Rejection{Reason: r, Value: fixed.FromUnits(5, 2)})
		if o.About.MapRefusal != nil {
			e = o.About.MapRefusal(e)
		}
		add(e)
	}
	if o.Writes() {
		add(ErrorOf(node.ErrTooLarge))
		add(ErrorOf(node.ErrUnknown))
	}
	add(Unavailable())
	if !o.Open {
		add(Maintenance())
	}
	return all
}

// problems is what can be wrong with single parameters. It is found by trying: with nothing there, and
// with each of them holding what it does not take.
func (o *Operation) problems() []problem {
	var all []problem
	try := func(entries ...entry) {
		f := Form{entries: entries}
		o.read(&f)
		for _, p := range f.problems {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	try()
	for _, p := range o.RequestSchema().Parameters {
		for _, value := range p.strange() {
			e, _ := makeEntry([]byte(p.Name), []byte(value), jx.DecodeStr(value).Next())
			if o.Auth != AuthPublic || e.kind == text { // in a query everything is a text
				try(e)
			}
		}
	}
	return all
}

// strange are values as JSON that the parameter may not take.
func (p *Parameter) strange() []string {
	all := []string{`{}`, `""`, `"?"`}
	switch p.Type {
	case StringsParameter, IntegersParameter:
		all = append(all, `[]`, `["?"]`)
	case ObjectParameter:
		for _, inner := range p.Items.Parameters {
			for _, value := range inner.strange() {
				all = append(all, `{"`+inner.Name+`":`+value+`}`)
			}
		}
	}
	if p.Minimum != nil {
		all = append(all, fmt.Sprintf(`"%d"`, *p.Minimum-1))
	}
	if p.Maximum != nil {
		all = append(all, fmt.Sprintf(`"%d"`, *p.Maximum+1))
	}
	return all
}
