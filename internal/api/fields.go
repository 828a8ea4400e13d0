package api

import (
	"strconv"
	"strings"

	"bourse/internal/schema"
)

// The fields that requests of trading share, with the texts that clients know. A field that is
// wrong is noted in the form.

// title is the name of a field as texts begin with it: "Activation price" of activation_price.
func title(name string) string {
	name = strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(name[:1]) + name[1:]
}

// required notes fields that are not there.
func (f *Form) required(names ...string) {
	for _, name := range names {
		if !f.has(name) {
			f.lack(422, 30, name, title(name)+" field is required.")
		}
	}
}

// market reads the name of a market of a new order.
func (f *Form) market() string {
	f.blank.pattern("market", marketPattern)
	name, s := f.Text("market")
	switch {
	case s == malformed:
		f.fail(422, 31, "market", "Market field should be a string.")
	case s == good && name == "":
		f.fail(422, 31, "market", "Market field should not be empty string.")
	}
	return name
}

// marketOf reads the name of a market with the texts that cancel, modify and the kill switch
// have for a wrong one.
func (f *Form) marketOf() string {
	f.blank.pattern("market", marketPattern)
	name, s := f.Text("market")
	if s == malformed || s == good && !marketName(name) {
		f.fail(422, 30, "market", "Market field should be a string.")
		f.fail(422, 30, "market", "Market field format is invalid.")
	}
	return name
}

// marketFilter reads the name of a market that narrows a query.
func (f *Form) marketFilter() string {
	f.blank.pattern("market", "^$|"+marketPattern)
	name, s := f.Text("market")
	switch {
	case s == malformed:
		f.fail(422, 31, "market", "Market field should be a string.")
	case s == good && name != "" && !marketName(name):
		f.fail(422, 31, "market", "Market field format is invalid.")
	}
	return name
}

// marketPattern is what marketName takes.
const marketPattern = "^[A-Z0-9]+_[A-Z0-9_]+$"

// marketName reports whether a text looks like BASE_QUOTE.
func marketName(s string) bool {
	base, quote, found := strings.Cut(s, "_")
	return found && word(base) && word(strings.ReplaceAll(quote, "_", "A"))
}

func word(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// sideWords are the sides of an order.
var sideWords = []string{schema.Buy.String(), schema.Sell.String()}

// side reads buy or sell.
func (f *Form) side() schema.Side {
	word, s := f.choice("side", sideWords)
	switch {
	case s == missing:
		return 0
	case s == good && word == "buy":
		return schema.Buy
	case s == good && word == "sell":
		return schema.Sell
	}
	f.fail(422, 30, "side", "Side field should contain only 'buy' or 'sell' values.")
	return 0
}

// amount, price and activation price: numbers, or texts that are.
func (f *Form) numeric(name string, code int, text string) Number {
	n := f.Number(name)
	if n.state == malformed {
		f.fail(422, code, name, text)
	}
	return n
}

func (f *Form) amount() Number {
	return f.numeric("amount", 32, "Amount field should be numeric string or number.")
}

func (f *Form) price() Number {
	return f.numeric("price", 33, "Price field should be numeric string or number.")
}

// flag reads a yes or no that defaults to no.
func (f *Form) flag(name string) bool {
	yes, s := f.Bool(name)
	if s == malformed {
		f.fail(422, 30, name, title(name)+" field should be a boolean.")
	}
	return yes
}

// stpWords are the modes of self-trade prevention, their older names, and none.
var stpWords = []string{"no", "cb", "cn", "co", "cancel_both", "cancel_new", "cancel_old", ""}

// stp reads the mode of self-trade prevention.
func (f *Form) stp() schema.STP {
	word, s := f.choice("stp", stpWords)
	mode, _ := schema.ParseSTP(word)
	if s == malformed {
		f.fail(422, 30, "stp", schema.Refuse(schema.STPInvalid).Text())
	}
	return mode
}

// bboRole reads the role that picks the price from the book.
func (f *Form) bboRole() schema.BBORole {
	n, s := f.between("bboRole", int64(schema.BBOQueue), int64(schema.BBOCounterparty))
	switch s {
	case missing:
		return schema.BBONone
	case good:
		return schema.BBORole(n)
	}
	f.fail(422, 30, "bboRole", schema.Refuse(schema.BBOInvalid).Text())
	return schema.BBONone
}

// clientPattern is what a client order id looks like; an empty one is none.
const clientPattern = "^[A-Za-z0-9._-]{0,64}$"

// clientID reads the name that a client gives to an order; an empty one is none.
func (f *Form) clientID() schema.ClientID {
	f.blank.pattern("clientOrderId", clientPattern)
	name, s := f.Text("clientOrderId")
	if s == malformed {
		f.fail(422, 36, "clientOrderId", "ClientOrderId field should be a string.")
		return schema.ClientID{}
	}
	id, err := schema.ParseClientID(name)
	if err != nil {
		f.fail(422, 36, "clientOrderId", schema.Refuse(schema.ClientIDInvalid).Text())
	}
	return id
}

// orderID reads the number of an order. Numbers that no order can have are 0.
func (f *Form) orderID() (id schema.OrderID, given bool) {
	n, s := f.Int("orderId")
	if s == malformed {
		f.fail(422, 30, "orderId", "OrderId field should be an integer.")
	}
	return schema.OrderID(max(n, 0)), s == good
}

// page reads limit and offset with the texts of the trade group.
func (f *Form) page(limitDefault, limitMax, offsetMax int64, style paging) (limit, offset int) {
	l := f.bounded("limit", limitDefault, 1, limitMax, style)
	o := f.bounded("offset", 0, 0, offsetMax, style)
	return int(l), int(o)
}

// paging is how an endpoint words what is wrong with limit and offset.
type paging struct {
	status, code               int
	integer, atLeast, notAbove string // with %f for the field and %n for the bound
}

var (
	laravel = paging{422, 30, "The %f must be an integer.", "The %f must be at least %n.", "The %f may not be greater than %n."}
	plain   = paging{422, 30, "%F field should be an integer.", "%F should be at least %n.", "%F should not be greater than %n."}
)

// bounded reads a whole number between bounds.
func (f *Form) bounded(name string, otherwise, low, high int64, p paging) int64 {
	f.blank.bounds(name, low, high)
	f.blank.otherwise(name, otherwise)
	return f.worded(name, otherwise, low, high, p)
}

// second reads a moment in seconds; 0 where there is none.
func (f *Form) second(name string, p paging) schema.Time {
	f.blank.bounds(name, 0, maxSeconds)
	return schema.Time(f.worded(name, 0, 0, maxSeconds, p)) * schema.Second
}

// worded reads a whole number between bounds that are not documented.
func (f *Form) worded(name string, otherwise, low, high int64, p paging) int64 {
	n, s := f.Int(name)
	say := func(form string, bound int64) {
		f.fail(p.status, p.code, name, strings.NewReplacer("%f", name, "%F", title(name), "%n", strconv.FormatInt(bound, 10)).Replace(form))
	}
	switch {
	case s == missing:
		return otherwise
	case s == malformed:
		say(p.integer, 0)
	case n < low:
		say(p.atLeast, low)
	case n > high:
		say(p.notAbove, high)
	}
	return n
}
