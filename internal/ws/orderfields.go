package ws

import (
	"maps"
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
	api     *api.API // nil while nothing is read
	// schema is there when nothing is read: then every call notes what it would take in object.
	schema *Params
	object *Param
}

type member struct {
	name string
	param
}

// fields reads the one object that methods about orders take.
func (a *arguments) fields() *fields {
	a.count(1, 1)
	f := a.members(0, "fields")
	if a.err != nil {
		f.err, a.err = a.err, nil // methods about orders look at the region first
	}
	return f
}

// members takes an object apart. Of two members with one name the last counts, and those that
// nobody reads are ignored.
func (a *arguments) members(i int, name string) *fields {
	f := new(fields)
	if a.schema != nil {
		f.schema, f.object = a.schema, a.noted(i, name, ObjectParam)
		return f
	}
	f.api = a.conn.server.options.API
	p := a.at(i)
	if p.kind != jx.Object {
		f.err = errArgument
		return f
	}
	f.split(p)
	return f
}

// split takes the members of an object.
func (f *fields) split(object param) {
	_ = jx.DecodeBytes(object.value).ObjBytes(func(d *jx.Decoder, key []byte) error {
		name, kind := string(key), d.Next()
		raw, err := d.Raw()
		if err == nil {
			f.members = append(f.members, member{name, makeParam(kind, raw)})
		}
		return err
	})
}

// inner is the fields of an object that must be there. Its error begins as that of the outer fields, and takes its place when the members were read.
func (f *fields) inner(name string) *fields {
	in := &fields{api: f.api}
	if f.schema != nil {
		in.schema, in.object = f.schema, f.note(name, ObjectParam, name+" is required", name+" is invalid").required()
		return in
	}
	switch p := f.required(name); p.kind {
	case jx.Null:
	case jx.Object:
		in.split(p)
	default:
		f.wrong(name + " is invalid")
	}
	in.err = f.err
	return in
}

// word reads one of some texts; another is refused as unknown.
func (f *fields) word(name string, words []string, unknown *Error) string {
	if f.schema != nil {
		f.schema.fault(unknown)
		f.required(name)
		p := f.note(name, TextParam)
		p.Words = words
		return ""
	}
	p := f.required(name)
	if f.err == nil && (p.kind != jx.String || !slices.Contains(words, string(p.value))) {
		f.err = unknown
	}
	return string(p.value)
}

// note notes a member and the errors about it.
func (f *fields) note(name string, k ParamKind, errors ...string) *Param {
	for _, text := range errors {
		f.schema.fault(argument(text))
	}
	m := f.object.member(name)
	m.Kind = k
	return m
}

// wrong notes what is wrong with a field.
func (f *fields) wrong(text string) {
	if f.err == nil {
		f.err = argument(text)
	}
}

// check holds the fields to a condition.
func (f *fields) check(holds bool, text string) {
	switch {
	case f.schema != nil:
		f.schema.fault(argument(text))
	case !holds:
		f.wrong(text)
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
	if f.schema != nil {
		f.note(name, AnyParam, name+" is required").required()
		return param{kind: jx.Null}
	}
	p := f.find(name)
	if p.kind == jx.Null {
		f.wrong(name + " is required")
	}
	return p
}

// text reads a text; an empty one is none.
func (f *fields) text(name string, p param) string {
	if f.schema != nil {
		f.note(name, TextParam, name+" is invalid")
		return ""
	}
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
	if name == "" && f.schema == nil {
		f.wrong("market is required")
	}
	return name
}

// sideWords are the sides of an order.
var sideWords = []string{schema.Buy.String(), schema.Sell.String()}

func (f *fields) side() schema.Side {
	if f.schema != nil {
		f.note("side", TextParam, "side is invalid").required().Words = sideWords
		return 0
	}
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
	if f.schema != nil {
		f.note(name, DecimalParam, name+" is invalid")
		return n
	}
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

// optional reads a decimal number that may be absent.
func (f *fields) optional(name string) number { return f.number(name, f.find(name)) }

// needed reads a decimal number that must be there.
func (f *fields) needed(name string) number { return f.number(name, f.required(name)) }

// flag reads a yes or no that defaults to no.
func (f *fields) flag(name string) bool {
	if f.schema != nil {
		f.note(name, FlagParam, name+" is invalid")
		return false
	}
	p := f.find(name)
	if p.kind != jx.Bool && p.kind != jx.Null {
		f.wrong(name + " is invalid")
	}
	return p.kind == jx.Bool && p.value[0] == 't'
}

const wrongRole = "bbo role must be an integer in range 1..2"

// role reads how the price is picked from the book.
func (f *fields) role() schema.BBORole {
	if f.schema != nil {
		f.note("bbo_role", WholeParam, wrongRole).required().bounds(int64(schema.BBOQueue), int64(schema.BBOCounterparty))
		return schema.BBONone
	}
	n, err := f.find("bbo_role").whole()
	if err != nil || n < int64(schema.BBOQueue) || n > int64(schema.BBOCounterparty) {
		f.wrong(wrongRole)
		return schema.BBONone
	}
	return schema.BBORole(n)
}

// stpWords are the modes of self-trade prevention; an empty one is the default.
var stpWords = []string{"no", "cb", "cn", "co", "cancel_both", "cancel_new", "cancel_old", ""}

// stp reads the mode of self-trade prevention.
func (f *fields) stp() (mode schema.STP, given bool) {
	if f.schema != nil {
		f.note("stp", TextParam, "stp is invalid").Words = stpWords
		return 0, false
	}
	p := f.find("stp")
	if p.kind == jx.Null {
		return 0, false
	}
	word := string(p.value)
	mode, is := schema.ParseSTP(word)
	if p.kind != jx.String || !is || schema.LongSTP(word) && f.api.Retired(api.LongSTP) {
		f.wrong("stp is invalid")
	}
	return mode, true
}

// clientPattern is what a client order id looks like; an empty one is none.
const clientPattern = "^[A-Za-z0-9._-]{0,64}$"

// clientID reads the name that a client gives to a new order.
func (f *fields) clientID(name string) schema.ClientID {
	id, err := schema.ParseClientID(f.text(name, f.find(name)))
	if err != nil {
		f.wrong(name + " is invalid")
	}
	if f.schema != nil {
		f.object.member(name).Pattern = clientPattern
	}
	return id
}

const noReference = "order_id or client_order_id must be set for modify"

// reference reads which open order is meant, but for its market. Where both ids are given the
// client's counts. An id that no order can have leaves the reference without one.
func (f *fields) reference() (r schema.OrderRef) {
	name := f.text("client_order_id", f.find("client_order_id"))
	id, given := f.orderID()
	if f.schema != nil {
		f.schema.fault(argument(noReference))
		f.object.either("order_id", "client_order_id")
		return r
	}
	switch {
	case name != "":
		r.ClientID, _ = schema.ParseClientID(name)
	case given:
		r.ID = id
	default:
		f.wrong(noReference)
	}
	return r
}

// orderID reads the number of an order. Numbers that no order can have are 0.
func (f *fields) orderID() (id schema.OrderID, given bool) {
	if f.schema != nil {
		f.note("order_id", IDParam, "order_id is invalid")
		return 0, false
	}
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

// positionWords are the sides of a position.
var positionWords = []string{"LONG", "SHORT", "BOTH"}

// positionSide reads the position that an order belongs to.
func (f *fields) positionSide() schema.PositionSide {
	const wrong = "position_side is invalid"
	if f.schema != nil {
		f.note("position_side", TextParam, wrong).Words = positionWords
		return schema.BothSides
	}
	p := f.find("position_side")
	switch {
	case p.kind == jx.Null:
	case p.kind == jx.String && string(p.value) == "LONG":
		return schema.LongSide
	case p.kind == jx.String && string(p.value) == "SHORT":
		return schema.ShortSide
	case p.kind != jx.String || string(p.value) != "BOTH":
		f.wrong(wrong)
	}
	return schema.BothSides
}

// products reads which kinds of orders are meant.
func (f *fields) products() (p schema.Products) {
	const none, one, wrong = "order types must be an array", "at least one order type should be specified", "invalid or duplicate order type"
	if f.schema != nil {
		f.note("type", ListParam, none, one, wrong).required().Items = &Param{Name: "product", Kind: TextParam, Words: productWords}
		return 0
	}
	list, err := f.find("type").list()
	switch {
	case err != nil:
		f.wrong(none)
	case len(list) == 0:
		f.wrong(one)
	}
	for _, word := range list {
		kind := productKinds[string(word.value)]
		if word.kind != jx.String || kind == 0 || p&kind != 0 {
			f.wrong(wrong)
		}
		p |= kind
	}
	return p
}

var productKinds = map[string]schema.Products{
	"spot": schema.SpotOrders, "margin": schema.MarginOrders, "futures": schema.FuturesOrders,
}

var productWords = slices.Sorted(maps.Keys(productKinds))
