package ticket

import (
	"bourse/internal/api"
	"bourse/internal/schema"
)

// The fields that requests about orders share, with the texts that clients know. A field that is
// wrong is noted in the form.

// Market reads the name of a market of a new order.
func Market(f *api.Form) string {
	f.Schema().Match("market", api.MarketPattern)
	name, s := f.Text("market")
	switch {
	case s == api.Malformed:
		f.Fail(422, 31, "market", "Market field should be a string.")
	case s == api.Good && name == "":
		f.Fail(422, 31, "market", "Market field should not be empty string.")
	}
	return name
}

// MarketOf reads the name of a market with the texts that cancel, modify and the kill switch
// have for a wrong one.
func MarketOf(f *api.Form) string {
	f.Schema().Match("market", api.MarketPattern)
	name, s := f.Text("market")
	if s == api.Malformed || s == api.Good && !api.IsMarketName(name) {
		f.Fail(422, 30, "market", "Market field should be a string.")
		f.Fail(422, 30, "market", "Market field format is invalid.")
	}
	return name
}

// Side reads buy or sell.
func Side(f *api.Form) schema.Side {
	word, s := f.Choice("side", api.SideWords)
	switch {
	case s == api.Missing:
		return 0
	case s == api.Good && word == "buy":
		return schema.Buy
	case s == api.Good && word == "sell":
		return schema.Sell
	}
	f.Fail(422, 30, "side", "Side field should contain only 'buy' or 'sell' values.")
	return 0
}

// Numeric reads a number, or a text that is one; name is its field, and code and text are what a wrong one gets.
func Numeric(f *api.Form, name string, code int, text string) api.Number {
	n := f.Number(name)
	if n.State == api.Malformed {
		f.Fail(422, code, name, text)
	}
	return n
}

// Amount reads how much is traded.
func Amount(f *api.Form) api.Number {
	return Numeric(f, "amount", 32, "Amount field should be numeric string or number.")
}

// Price reads the limit of an order.
func Price(f *api.Form) api.Number {
	return Numeric(f, "price", 33, "Price field should be numeric string or number.")
}

// Activation reads the trigger of a stop, from the field that has it.
func Activation(f *api.Form, name string) api.Number {
	return Numeric(f, name, 30, "Activation price should be numeric string.")
}

// Flag reads a yes or no that defaults to no.
func Flag(f *api.Form, name string) bool {
	yes, s := f.Bool(name)
	if s == api.Malformed {
		f.Fail(422, 30, name, api.Title(name)+" field should be a boolean.")
	}
	return yes
}

// stpWords are the modes of self-trade prevention, their long names, which may be retired, and none.
var stpWords = []string{"no", "cb", "cn", "co", "cancel_both", "cancel_new", "cancel_old", ""}

// STP reads the mode of self-trade prevention.
func STP(f *api.Form) schema.STP {
	word, s := f.Choice("stp", stpWords)
	mode, _ := schema.ParseSTP(word)
	if s == api.Malformed || schema.LongSTP(word) && f.Retired(api.LongSTP) {
		f.Fail(422, 30, "stp", schema.Refuse(schema.STPInvalid).Text())
	}
	return mode
}

// BBORole reads the role that picks the price from the book.
func BBORole(f *api.Form) schema.BBORole {
	n, s := f.Between("bboRole", int64(schema.BBOQueue), int64(schema.BBOCounterparty))
	switch s {
	case api.Missing:
		return schema.BBONone
	case api.Good:
		return schema.BBORole(n)
	}
	f.Fail(422, 30, "bboRole", schema.Refuse(schema.BBOInvalid).Text())
	return schema.BBONone
}

// clientPattern is what a client order id looks like; an empty one is none.
const clientPattern = "^[A-Za-z0-9._-]{0,64}$"

// ClientID reads the name that a client gives to an order; an empty one is none.
func ClientID(f *api.Form) schema.ClientID {
	f.Schema().Match("clientOrderId", clientPattern)
	name, s := f.Text("clientOrderId")
	if s == api.Malformed {
		f.Fail(422, 36, "clientOrderId", "ClientOrderId field should be a string.")
		return schema.ClientID{}
	}
	id, err := schema.ParseClientID(name)
	if err != nil {
		f.Fail(422, 36, "clientOrderId", schema.Refuse(schema.ClientIDInvalid).Text())
	}
	return id
}

// OrderID reads the number of an order.
func OrderID(f *api.Form) (id schema.OrderID, given bool) { return ID(f, "orderId") }

// ID reads the number of an order or of a group. Numbers that none can have are 0.
func ID(f *api.Form, name string) (id schema.OrderID, given bool) {
	n, s := f.Int(name)
	if s == api.Malformed {
		f.Fail(422, 30, name, api.Title(name)+" field should be an integer.")
	}
	return schema.OrderID(max(n, 0)), s == api.Good
}
