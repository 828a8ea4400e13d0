package api

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// About is what the documentation says about an operation and no code can know.
type About struct {
	Summary string
	Text    string
	Answer  *Shape
	// Fields says what fields mean here, where that is not what they mean everywhere.
	Fields map[string]string
	// Refusals are why the core refuses what this operation asks for, and Faults the errors that
	// the handler finds itself. What is wrong with single fields nobody has to list.
	Refusals []schema.Reason
	Faults   []*Error
	// Bend is for operations that word the refusals of the core in their own way and not by
	// Operation.Refuse; nil for others.
	Bend func(*Error) *Error
}

// Blank is what a request for the operation may hold.
func (o *Operation) Blank() *Blank { return describe(o.read).explain(o.About.Fields) }

// SignedBlank is what every signed request holds beside its own fields.
func SignedBlank() *Blank {
	return describe(func(f *Form) { _, _ = f.Origin("") }).explain(nil)
}

// explain says what the fields mean: what they mean here, or else what they mean everywhere.
func (b *Blank) explain(here map[string]string) *Blank {
	for _, f := range b.Fields {
		var special bool
		if f.Text, special = here[f.Name]; !special {
			f.Text = meanings[f.Name]
		}
		if f.Items != nil {
			f.Items.explain(nil)
		}
	}
	return b
}

// Errors is every error that the operation is known to answer with, beside those that the door
// has for all. Where a text speaks of a value, the value is an example.
func (o *Operation) Errors() []*Error {
	var all []*Error
	add := func(e *Error) {
		all = append(all, o.Error(e))
	}
	if o.Group != "" {
		for _, e := range unauthorizedErrors {
			add(e)
		}
		if o.Gate != nil {
			add(ErrNoPermission)
		}
	}
	for _, p := range o.problems() {
		add(fault(p.status, p.code, invalid, p.field, p.text))
	}
	for _, e := range o.About.Faults {
		add(e)
	}
	for _, r := range o.About.Refusals {
		e := refusal(schema.Rejection{Reason: r, Value: fixed.FromUnits(5, 2)})
		if o.About.Bend != nil {
			e = o.About.Bend(e)
		}
		add(e)
	}
	if o.Writes {
		add(failure(node.ErrTooLarge))
		add(failure(node.ErrUnknown))
	}
	add(Unavailable())
	if !o.Open {
		add(Maintenance())
	}
	return all
}

// unauthorizedErrors are all errors about who calls.
var unauthorizedErrors = []*Error{
	ErrNoPayload, ErrUnknownKey, ErrKeyOff, ErrBlocked, ErrPayload, ErrSignature, ErrNoRequest, ErrNoNonce, ErrNonceWindow, ErrNotAllowed,
	refusal(schema.Refuse(schema.NonceUsed)), refusal(schema.Refuse(schema.NonceOutsideWindow)),
}

// problems is what can be wrong with single fields. It is found by trying: with nothing there, and
// with each field holding what it does not take.
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
	for _, f := range o.Blank().Fields {
		name := []byte(f.Name)
		if o.Group != "" { // in a query everything is a text
			try(entry{name, []byte("{}"), object})
		}
		try(entry{name, nil, text})
		try(entry{name, []byte("?"), text})
		if f.Kind == TextsField {
			try(entry{name, []byte("[]"), array})
			try(entry{name, []byte(`["?"]`), array})
		}
		if f.Least != nil {
			try(entry{name, AppendInt(nil, *f.Least-1), text})
		}
		if f.Most != nil {
			try(entry{name, AppendInt(nil, *f.Most+1), text})
		}
	}
	return all
}
