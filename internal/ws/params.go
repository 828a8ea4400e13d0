package ws

import (
	"math"
	"slices"
)

// Params is what the params of a request may be. Nobody writes it down: a request reads itself from
// arguments that keep a schema, and the calls that would read note what they would take. So what is
// described is what is read.
type Params struct {
	List []*Param // in their places
	// Rest is what any number of further ones may be; nil: there are none.
	Rest *Param
	// Fewest and Most are how many there are together; Most is -1 where nothing bounds it.
	Fewest, Most int

	errors []*Error // that reading finds
}

// Param is a parameter, or a part of one.
type Param struct {
	Name string
	Kind ParamKind
	Text string // what it means
	// Required is said of the members of objects; those of params are by their number.
	Required    bool
	Least, Most *int64   // bounds of a whole number
	Numbers     []int64  // all that a whole number may be
	Words       []string // all that a text may be
	Pattern     string   // that a text matches
	Items       *Param   // the elements of a list
	Members     []*Param // of an object; others are ignored
	Lenient     bool     // what is no object is ignored
	Either      []string // members of which one at least must be there
	Right       string   // the path of REST whose right the parameter needs; "": none
}

// ParamKind is what a parameter takes.
type ParamKind uint8

const (
	AnyParam ParamKind = iota
	TextParam
	WholeParam
	DecimalParam // a decimal number: a text, or a number by its digits
	IDParam      // a whole number, or a text that is one
	FlagParam
	ListParam
	TextsParam // a text, or an array of texts
	ObjectParam
)

// at is the parameter in a place, which is put in if it is new.
func (p *Params) at(i int) *Param {
	for len(p.List) <= i {
		p.List = append(p.List, &Param{})
	}
	return p.List[i]
}

// fault notes an error that reading finds.
func (p *Params) fault(e *Error) { p.errors = append(p.errors, e) }

// member is the member of an object with a name, which is put in if it is new.
func (p *Param) member(name string) *Param {
	for _, m := range p.Members {
		if m.Name == name {
			return m
		}
	}
	m := &Param{Name: name}
	p.Members = append(p.Members, m)
	return m
}

// all goes through the parameters and their parts.
func (p *Params) all(visit func(*Param)) {
	for _, part := range p.List {
		part.all(visit)
	}
	if p.Rest != nil {
		p.Rest.all(visit)
	}
}

func (p *Param) all(visit func(*Param)) {
	visit(p)
	if p.Items != nil {
		p.Items.all(visit)
	}
	for _, m := range p.Members {
		m.all(visit)
	}
}

// explain says what the parameters mean: what they mean here, or else what they mean everywhere.
func (p *Params) explain(here map[string]string) {
	p.all(func(part *Param) {
		var special bool
		if part.Text, special = here[part.Name]; !special {
			part.Text = meanings[part.Name]
		}
	})
}

// rights are those of parameters that need one, by their names.
func (p *Params) rights() map[string]string {
	all := map[string]string{}
	p.all(func(part *Param) {
		if part.Right != "" {
			all[part.Name] = part.Right
		}
	})
	return all
}

// bounds notes the bounds of a whole number; what any number is below is none.
func (p *Param) bounds(low, high int64) {
	if p.Least = &low; high < math.MaxInt64 {
		p.Most = &high
	}
}

// required notes that a member must be there.
func (p *Param) required() *Param {
	p.Required = true
	return p
}

// either notes that one of some members must be there.
func (p *Param) either(names ...string) { p.Either = slices.Clone(names) }

// meanings is what parameters mean, by their names, wherever a method does not say otherwise.
var meanings = map[string]string{
	"market":   "Market name, as BASE_QUOTE.",
	"markets":  "Market names, as BASE_QUOTE. An empty list means all markets.",
	"ticker":   "Ticker of an asset. Without any, all assets.",
	"interval": "Length of a candle in seconds: a divisor of the next larger unit, whole days up to six, 604800 for a week, or 2592000 for a month.",
	"start":    "Start of the range, Unix time in seconds, inclusive.",
	"end":      "End of the range, Unix time in seconds, inclusive.",
	"period":   "Length of the window in seconds.",
	"limit":    "Maximum number of records to return.",
	"offset":   "Number of newest records to skip.",

	"side":             "Side of the order: buy or sell the base asset.",
	"amount":           "Amount in the base asset: a multiple of the market's stepSize, at least minAmount.",
	"price":            "Limit price in the quote asset: a multiple of the market's tickSize.",
	"activation_price": "Last price that activates the order: at or above it for a buy, at or below it for a sell.",
	"bbo_role": "Take the price from the order book: 1 for the best price of the same side (join the queue; sets post_only), " +
		"2 for the best price of the opposite side (trade at once).",
	"post_only": "If true, the order is rejected if it would trade immediately.",
	"ioc":       "If true, whatever cannot trade immediately is canceled (immediate or cancel).",
	"rpi":       "If true, the order is a retail price improvement order: hidden from the public book, matched only with retail orders, always post-only.",
	"stp": "Self-trade prevention, when the order would trade with another order of the same account: no (they trade), cb (cancel both), " +
		"cn (cancel the new order), co (cancel the old order). The long forms are older names.",
	"client_order_id": "Client-assigned order id: letters, digits, dashes, dots and underscores. Unique among the account's open orders on a market.",
	"order_id":        "Order id.",
}
