package naive

import (
	"slices"

	"bourse/internal/schema"
)

// order is an order from its checks to its end.
type order struct {
	id       schema.OrderID
	account  schema.AccountID
	market   *market
	kind     schema.OrderType
	side     schema.Side
	stp      schema.STP
	status   schema.Status
	postOnly bool
	ioc      bool
	rpi      bool
	retail   bool
	bbo      schema.BBORole // of a waiting stop limit, which picks its price when triggered
	client   schema.ClientID
	created  schema.Time
	updated  schema.Time

	activatedAt schema.Time // when the trigger of a stop was reached
	resting     bool        // in the book
	arrival     uint64      // when it came into the book, compared with others there

	price      num
	activation num
	amount     num
	left       num
	stock      num // filled, in base
	money      num // filled, in quote
	fee        num
	hold       num // what the order froze, in the asset that it pays with
}

// waiting reports whether the order is a stop whose trigger was not reached.
func (o *order) waiting() bool { return o.kind.IsStop() && o.activatedAt == 0 }

func (o *order) inQuote() bool { return o.kind.InQuote(o.side) }

// paysWith is the asset that the order gives away.
func (o *order) paysWith() schema.AssetID {
	if o.side == schema.Buy {
		return o.market.Quote
	}
	return o.market.Base
}

// needs is what the order can cost at most. A BBO-priced stop and one at the market do not know
// their price before they are triggered; until then the activation price stands for it.
func (o *order) needs() num {
	switch {
	case o.side == schema.Sell, o.inQuote():
		return o.left
	case o.waiting() && (o.bbo != schema.BBONone || o.kind == schema.StopStockMarket):
		return o.left.times(o.activation)
	default:
		return o.left.times(o.price)
	}
}

// freeze sets money aside for an order that rests or waits.
func (x *Exchange) freeze(o *order) {
	b := x.balance(o.account, schema.Trade, o.paysWith())
	o.hold = o.needs()
	b.available = b.available.minus(o.hold)
	b.frozen = b.frozen.plus(o.hold)
}

// release gives back what is still set aside.
func (x *Exchange) release(o *order) {
	b := x.balance(o.account, schema.Trade, o.paysWith())
	b.frozen = b.frozen.minus(o.hold)
	b.available = b.available.plus(o.hold)
	o.hold = num{}
}

// place gives a checked order its id and lets it wait, or trade and rest.
func (x *Exchange) place(o *order) {
	x.lastOrder++
	o.id = x.lastOrder
	o.status = schema.Open
	o.created, o.updated = x.at, x.at
	o.market.orders = append(o.market.orders, o)
	if o.waiting() {
		x.freeze(o)
		x.changed(schema.Opened, o)
		return
	}
	x.match(o)
	x.runStops(o.market)
}

// rest puts what is left of an order into the book.
func (x *Exchange) rest(o *order) {
	x.lastArrival++
	o.arrival = x.lastArrival
	o.resting = true
	x.freeze(o)
	x.changed(schema.Opened, o)
}

// end takes an order out of everything.
func (x *Exchange) end(o *order, status schema.Status) {
	x.release(o)
	o.status = status
	o.updated = x.at
	o.resting = false
	o.market.orders = slices.DeleteFunc(o.market.orders, func(other *order) bool { return other == o })
	x.changed(schema.Closed, o)
}

// endAll ends the orders of a market that are chosen, in the order of their ids.
func (x *Exchange) endAll(m *market, status schema.Status, chosen func(*order) bool) {
	for _, o := range slices.Clone(m.orders) {
		if chosen(o) {
			x.end(o, status)
		}
	}
}

func (x *Exchange) placeOrder(c *schema.PlaceOrder) schema.Result {
	trader, r := x.trader(c.Account)
	if r.Refused() {
		return reject(r)
	}
	o, r := x.check(trader, c.Order, circumstances{})
	if r.Refused() {
		return reject(r)
	}
	x.place(o)
	return schema.Result{Order: o.view()}
}

func (x *Exchange) placeBulk(c *schema.PlaceBulk) schema.Result {
	trader, r := x.trader(c.Account)
	switch {
	case r.Refused():
		return reject(r)
	case len(c.Orders) == 0:
		return refuse(schema.BulkEmpty)
	case len(c.Orders) > schema.MaxBulkOrders:
		return refuse(schema.BulkTooMany)
	}
	var result schema.Result
	for _, request := range c.Orders {
		o, r := x.check(trader, request, circumstances{bulk: true})
		item := schema.Item{Rejection: r}
		if !r.Refused() {
			x.place(o)
			item.Order = o.view()
		}
		result.Items = append(result.Items, item)
		if r.Refused() && c.StopOnFail {
			break
		}
	}
	return result
}

// find looks an open order of an account up.
func (x *Exchange) find(a schema.AccountID, ref *schema.OrderRef) (*order, schema.Rejection) {
	m := x.market(ref.Market)
	if m == nil {
		return nil, schema.Refuse(schema.MarketUnavailable)
	}
	if !exactlyOne(ref) {
		return nil, schema.Refuse(schema.OrderRefInvalid)
	}
	for _, o := range m.orders {
		if o.account == a && (o.id == ref.ID || !ref.ClientID.IsZero() && o.client == ref.ClientID) {
			return o, accepted
		}
	}
	return nil, schema.Refuse(schema.OrderNotFound)
}

// exactlyOne reports whether the order is named by one id and not by two or none.
func exactlyOne(ref *schema.OrderRef) bool { return (ref.ID != 0) != !ref.ClientID.IsZero() }

// cancel ends one order at the wish of its owner.
func (x *Exchange) cancel(a schema.AccountID, ref *schema.OrderRef) schema.Item {
	o, r := x.find(a, ref)
	if r.Refused() {
		return schema.Item{Rejection: r}
	}
	x.end(o, schema.Canceled)
	return schema.Item{Order: o.view()}
}

func (x *Exchange) cancelOrder(c *schema.CancelOrder) schema.Result {
	if _, r := x.trader(c.Account); r.Refused() {
		return reject(r)
	}
	item := x.cancel(c.Account, &c.Order)
	return schema.Result{Rejection: item.Rejection, Order: item.Order}
}

func (x *Exchange) cancelBulk(c *schema.CancelBulk) schema.Result {
	_, r := x.trader(c.Account)
	switch {
	case r.Refused():
		return reject(r)
	case len(c.Orders) == 0:
		return refuse(schema.CancelBulkEmpty)
	case len(c.Orders) > schema.MaxBulkCancels:
		return refuse(schema.CancelBulkTooMany)
	}
	var result schema.Result
	for i := range c.Orders {
		result.Items = append(result.Items, x.cancel(c.Account, &c.Orders[i]))
	}
	return result
}

func (x *Exchange) cancelAll(c *schema.CancelAll) schema.Result {
	_, r := x.trader(c.Account)
	switch {
	case r.Refused():
		return reject(r)
	case c.Market != 0 && x.market(c.Market) == nil:
		return refuse(schema.MarketUnavailable)
	case !validProducts(c.Products):
		return refuse(schema.ProductsInvalid)
	}
	for _, m := range x.markets {
		if c.Market == 0 || c.Market == m.ID {
			x.cancelSpot(m, c.Account, c.Products)
		}
	}
	return schema.Result{}
}

// cancelSpot cancels the orders of an account on a market if spot orders are meant: there are
// no others.
func (x *Exchange) cancelSpot(m *market, a schema.AccountID, p schema.Products) {
	if p.Includes(schema.SpotOrders) {
		x.endAll(m, schema.Canceled, func(o *order) bool { return o.account == a })
	}
}

// validProducts reports whether the set holds nothing unknown.
func validProducts(p schema.Products) bool {
	return p&^(schema.SpotOrders|schema.MarginOrders|schema.FuturesOrders) == 0
}
