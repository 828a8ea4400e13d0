package ws

import (
	"slices"
	"strconv"

	"github.com/go-faster/jx"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// fields are the members of the one object that methods about orders take. They are read one after
// the other; what is wrong with the first that is wrong stays in err. Values are views of the
// message and live as long as it.
type fields struct {
	members []member
	err     *Error
}

type member struct {
	name string
	param
}

// fields takes the parameter apart. Of two members with one name the last counts, and those that
// nobody reads are ignored.
func (q *call) fields() *fields {
	f := new(fields)
	if len(q.params) != 1 || q.params[0].kind != jx.Object {
		f.err = errArgument
		return f
	}
	_ = jx.DecodeBytes(q.params[0].value).ObjBytes(func(d *jx.Decoder, key []byte) error {
		name, kind := string(key), d.Next()
		raw, err := d.Raw()
		if err == nil {
			f.members = append(f.members, member{name, makeParam(kind, raw)})
		}
		return err
	})
	return f
}

// wrong notes what is wrong with a field.
func (f *fields) wrong(text string) {
	if f.err == nil {
		f.err = argument(text)
	}
}

// find is a field; one that is absent is like one that is null.
func (f *fields) find(name string) param {
	for _, m := range slices.Backward(f.members) {
		if m.name == name {
			return m.param
		}
	}
	return param{kind: jx.Null}
}

// required is a field that must be there.
func (f *fields) required(name string) param {
	p := f.find(name)
	if p.kind == jx.Null {
		f.wrong(name + " is required")
	}
	return p
}

// text reads a text; an empty one is none.
func (f *fields) text(name string, p param) string {
	switch p.kind {
	case jx.String:
		return string(p.value)
	case jx.Null:
	default:
		f.wrong(name + " is invalid")
	}
	return ""
}

// market reads the name of a market.
func (f *fields) market() string {
	name := f.text("market", f.required("market"))
	if name == "" {
		f.wrong("market is required")
	}
	return name
}

func (f *fields) side() schema.Side {
	switch word := f.find("side"); {
	case word.kind == jx.String && string(word.value) == "buy":
		return schema.Buy
	case word.kind == jx.String && string(word.value) == "sell":
		return schema.Sell
	}
	f.wrong("side is invalid")
	return 0
}

// number is a decimal number that may be absent.
type number struct {
	api.Number
	given bool
}

// number reads a decimal number: a text, or a number by its digits.
func (f *fields) number(name string, p param) (n number) {
	if n.given = p.kind != jx.Null; !n.given {
		return n
	}
	is := p.kind == jx.String || p.kind == jx.Number
	if is {
		n.Number, is = api.ReadNumber(p.value)
	}
	if !is {
		f.wrong(name + " is invalid")
	}
	return n
}

// flag reads a yes or no that defaults to no.
func (f *fields) flag(name string) bool {
	p := f.find(name)
	if p.kind != jx.Bool && p.kind != jx.Null {
		f.wrong(name + " is invalid")
	}
	return p.kind == jx.Bool && p.value[0] == 't'
}

// role reads how the price is picked from the book.
func (f *fields) role() schema.BBORole {
	p := f.find("bbo_role")
	n, err := strconv.ParseInt(string(p.value), 10, 64)
	if p.kind != jx.Number || err != nil || n < int64(schema.BBOQueue) || n > int64(schema.BBOCounterparty) {
		f.wrong("bbo role must be an integer in range 1..2")
		return schema.BBONone
	}
	return schema.BBORole(n)
}

// stp reads the mode of self-trade prevention.
func (f *fields) stp() (mode schema.STP, given bool) {
	p := f.find("stp")
	if p.kind == jx.Null {
		return 0, false
	}
	mode, is := schema.ParseSTP(string(p.value))
	if p.kind != jx.String || !is {
		f.wrong("stp is invalid")
	}
	return mode, true
}

// clientID reads the name that a client gives to a new order.
func (f *fields) clientID() schema.ClientID {
	id, err := schema.ParseClientID(f.text("client_order_id", f.find("client_order_id")))
	if err != nil {
		f.wrong(rows[schema.ClientIDInvalid].text)
	}
	return id
}

// reference reads which open order is meant, but for its market. Where both ids are given the
// client's counts. An id that no order can have leaves the reference without one.
func (f *fields) reference() (r schema.OrderRef) {
	name := f.text("client_order_id", f.find("client_order_id"))
	id, given := f.orderID()
	switch {
	case name != "":
		r.ClientID, _ = schema.ParseClientID(name)
	case given:
		r.ID = id
	default:
		f.wrong(rows[schema.OrderRefInvalid].text)
	}
	return r
}

// orderID reads the number of an order. Numbers that no order can have are 0.
func (f *fields) orderID() (id schema.OrderID, given bool) {
	p := f.find("order_id")
	if p.kind == jx.Null {
		return 0, false
	}
	n, err := strconv.ParseInt(string(p.value), 10, 64)
	if p.kind != jx.Number && p.kind != jx.String || err != nil {
		f.wrong("order_id is invalid")
	}
	return schema.OrderID(max(n, 0)), true
}

// products reads which kinds of orders are meant.
func (f *fields) products() (p schema.Products) {
	list, err := (&call{params: []param{f.find("type")}}).list(0)
	switch {
	case err != nil:
		f.wrong("order types must be an array")
	case len(list) == 0:
		f.wrong("at least one order type should be specified")
	}
	for _, word := range list {
		kind := productKinds[string(word.value)]
		if word.kind != jx.String || kind == 0 || p&kind != 0 {
			f.wrong(rows[schema.ProductsInvalid].text)
		}
		p |= kind
	}
	return p
}

var productKinds = map[string]schema.Products{
	"spot": schema.SpotOrders, "margin": schema.MarginOrders, "futures": schema.FuturesOrders,
}
