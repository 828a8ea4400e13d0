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

	// Of orders on futures, and of those on pairs that are paid from collateral.
	collateral   bool
	reduceOnly   bool
	positionSide schema.PositionSide
	worse        bool // than the mark when it was placed

	group      schema.OrderID
	role       schema.Role
	takeProfit num // with stopLoss: of a primary
	stopLoss   num
	due        bool // the last price had reached a stop when it came

	// Of orders of the risk engine for an account in liquidation.
	forced bool
	bound  num // the worst price that it may meet

	created schema.Time
	updated schema.Time

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
func (o *order) waiting() bool { return isStop(o.kind) && o.activatedAt == 0 }

// rises reports whether a stop waits for a price at or above its activation price: to buy, or to take the profit of what
// was bought. Others wait for one at or below.
func (o *order) rises() bool { return (o.side == schema.Buy) != (o.role == schema.TakeProfit) }

// reachedBy reports whether a price is what a stop waits for.
func (o *order) reachedBy(price num) bool {
	if o.rises() {
		return !price.less(o.activation)
	}
	return !price.more(o.activation)
}

func (o *order) inQuote() bool { return inQuote(o.kind, o.side) }

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
	case o.collateral:
		return num{} // its margin is bound, and nothing is set aside
	case o.side == schema.Sell, o.inQuote():
		return o.left
	case o.waiting() && (o.bbo != schema.BBONone || o.kind == schema.StopStockMarket):
		return o.left.times(o.activation)
	default:
		return o.left.times(o.price)
	}
}

// freeze sets money aside for an order that rests or waits: its owner asked for it, when it was placed
// or modified. A stop that was triggered enters as a new order would.
func (t *trading) freeze(o *order) {
	o.hold = o.needs()
	t.ledger.freeze(holder{o.account, schema.Trade}, o.paysWith(), o.hold, why{schema.ByRequest, uint64(o.id)})
}

// release gives back what is still set aside.
func (t *trading) release(o *order, cause schema.Cause) {
	t.ledger.freeze(holder{o.account, schema.Trade}, o.paysWith(), o.hold.neg(), why{cause, uint64(o.id)})
	o.hold = num{}
}

// place gives a checked order its id and lets it wait, or trade and rest.
func (t *trading) place(o *order) {
	if o.role == schema.Primary {
		t.lastOrder++
		o.group = t.lastOrder
	}
	t.open(o)
	if o.waiting() {
		t.freeze(o)
		t.changed(schema.Opened, o, schema.ByRequest)
		return
	}
	t.match(o)
	t.comeToRest(o.market)
}

// open gives an order its id.
func (t *trading) open(o *order) {
	t.lastOrder++
	o.id = t.lastOrder
	o.status = schema.Open
	o.created, o.updated = t.call.at, t.call.at
	o.market.orders = append(o.market.orders, o)
}

// rest puts what is left of an order into the book.
func (t *trading) rest(o *order) {
	t.lastArrival++
	o.arrival = t.lastArrival
	o.resting = true
	t.freeze(o)
	if !o.rpi {
		t.level(o.market, o.side, o.price)
	}
	t.changed(schema.Opened, o, schema.ByRequest)
}

// end takes an order out of everything.
func (t *trading) end(o *order, status schema.Status, cause schema.Cause) {
	t.release(o, cause)
	o.status = status
	o.updated = t.call.at
	gone := func(other *order) bool { return other == o }
	o.market.orders = slices.DeleteFunc(o.market.orders, gone)
	o.market.queue = slices.DeleteFunc(o.market.queue, gone)
	if o.resting && !o.rpi {
		t.level(o.market, o.side, o.price)
	}
	o.resting = false
	t.changed(schema.Closed, o, cause)
	t.endedInGroup(o, status, cause)
}

// endAll ends the orders of a market that are chosen, in the order of their ids. One may end with another before its turn.
func (t *trading) endAll(m *market, status schema.Status, cause schema.Cause, chosen func(*order) bool) {
	for _, o := range slices.Clone(m.orders) {
		if isOpen(o) && chosen(o) {
			t.end(o, status, cause)
		}
	}
}
