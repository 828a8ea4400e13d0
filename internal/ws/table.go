package ws

import (
	"slices"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Method is a row of the table: something that clients may ask over a socket, or that the server
// pushes. Dispatch, rights, limits, the labels of the figures and the AsyncAPI document come from the
// rows, and nothing else lists the names.
type Method struct {
	Name string
	Kind Kind
	// Group is the channel that the method belongs to, or what stands for one.
	Group *Group
	// Summary and Text are for readers of the document.
	Summary, Text string
	// Private methods are for connections that were authorized by a key with the right.
	Private bool
	// Right is the path of REST whose right the key needs; "" for public methods. Authorize needs one
	// too, although it is not private: a token gives no right that its key has not.
	Right string
	// Budget is what the method counts against.
	Budget Budget
	// Open methods answer also while the platform is in maintenance.
	Open bool
	// Result is the schema of the result, and of a push that of its params.
	Result *shape
	// Refusals are why the core refuses what the method asks for, and Faults the errors that the method
	// finds itself. What is wrong with single parameters nobody has to list.
	Refusals []schema.Reason
	Faults   []*Error
	// Meanings says what parameters mean here, where that is not what they mean everywhere.
	Meanings map[string]string
	Example  Example
	handling
}

// handling is what a method does: how it reads its parameters, and how it answers. Pushes have none.
//
// Frames in after are queued behind the reply; a nil result means that the reply comes later (see
// conn.begin).
type handling struct {
	read func(*arguments)
	do   func(*call) (result []byte, after func(), err *Error)
}

// Kind is what a row of the table is.
type Kind uint8

const (
	Request Kind = iota + 1
	Subscribe
	Unsubscribe
	Push
)

// suffixes are how the names of methods end, by kind.
var suffixes = [...]string{Request: "_request", Subscribe: "_subscribe", Unsubscribe: "_unsubscribe", Push: update}

// update is how the names of pushes end.
const update = "_update"

func (k Kind) String() string { return suffixes[k][1:] }

// Budget is which requests of a connection are counted together.
type Budget uint8

const (
	Requests   Budget = iota // all but placements
	Placements               // methods that place an order
)

// PerWindow is how many requests of a budget a connection has in a window, and how long that is.
func (b Budget) PerWindow() (count int, length time.Duration) {
	if b == Placements {
		return placements, window
	}
	return requests, window
}

// Group is methods that belong together: those of a channel, of the service, or about orders.
type Group struct {
	Name  string
	Title string
	Text  string
}

// Example is a request as JSON: its params, and a result. Of a push it is the params alone.
type Example struct{ Params, Result string }

// table is every method, in the order in which a reader should meet them.
var table = slices.Concat(
	serviceMethods,
	candleMethods, priceMethods, dayMethods, todayMethods, tradeMethods, depthMethods, topMethods, premiumMethods,
	spotBalanceMethods, pendingMethods, executedMethods, dealMethods,
	orderMethods, collateralMethods,
	marginBalanceMethods, positionMethods, positionAlertMethods, borrowMethods, borrowAlertMethods, rankMethods,
)

// Methods is the table.
func Methods() []Method { return slices.Clone(table) }

// Rights is the path of REST whose right each method needs, and each parameter that needs one.
// A path that is none of REST is a right of keys that may call everything, and of no others.
func Rights() map[string]string {
	all := map[string]string{}
	for i := range table {
		m := &table[i]
		if m.Right != "" && m.Kind != Push { // a push goes to those who could subscribe
			all[m.Name] = m.Right
		}
		for name, right := range m.Params().rights() {
			all[name] = right
		}
	}
	return all
}

// channel is the rows of a channel. With a right it is a private one.
func channel(g *Group, right string, rows ...Method) []Method {
	for i := range rows {
		m := &rows[i]
		m.Group, m.Private, m.Right = g, right != "", right
		if m.Name == "" {
			m.Name = g.Name + suffixes[m.Kind]
		}
	}
	return rows
}

// subscribing completes the row of a method that begins a subscription.
func subscribing(params string, m Method) Method {
	m.Kind, m.Result, m.Example = Subscribe, successShape, Example{params, string(success)}
	return m
}

// unsubscribing is the row of a method that ends a subscription.
func unsubscribing(h handling) Method {
	return Method{
		Kind: Unsubscribe, Summary: "Unsubscribe",
		Text:   "Ends the subscription. It is no error if there is none.",
		Result: successShape, Example: Example{`[]`, string(success)}, handling: h,
	}
}

// Params is what the parameters of a method may be.
func (m *Method) Params() *Params {
	a := arguments{schema: &Params{}}
	if m.read != nil {
		m.read(&a)
		a.schema.explain(m.Meanings)
	}
	return a.schema
}

// Errors is every error that a method is known to answer with. Where a text speaks of a value, the
// value is an example.
func (m *Method) Errors() []*Error {
	if m.Kind == Push {
		return nil
	}
	all := []*Error{errArgument, errTooMany}
	add := func(e *Error) {
		if !slices.ContainsFunc(all, func(old *Error) bool { return *old == *e }) {
			all = append(all, e)
		}
	}
	if !m.Open {
		add(errUnavailable)
	}
	if m.Private {
		add(errAnonymous)
	}
	params := m.Params()
	for _, e := range params.errors {
		add(e)
	}
	if len(params.rights()) > 0 {
		add(errAnonymous)
	}
	for _, e := range m.Faults {
		add(e)
	}
	for _, r := range m.Refusals {
		add(m.refused(schema.Rejection{Reason: r, Value: fixed.FromUnits(5, 2)}))
	}
	if len(m.Refusals) > 0 { // it submits a command
		add(errInternal)
		add(errTimeout)
	}
	slices.SortStableFunc(all, func(a, b *Error) int { return a.Code - b.Code })
	return all
}
