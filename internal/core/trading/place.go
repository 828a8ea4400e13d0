package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/schema"
)

// Place places one order.
func (e *Engine) Place(c *schema.PlaceOrder) schema.Rejection {
	account, r := e.accounts.Customer(c.Account)
	if r.Refused() {
		return r
	}
	id, done, r := e.place(&asked{OrderRequest: &c.Order, account: account})
	switch {
	case r.Refused():
		return r
	case done:
		e.out.Result.Order = *e.out.Events.Order(id)
	default:
		e.postpone(&work{kind: placing, order: id, markets: []*market{e.market(c.Order.Market)}})
	}
	return r
}

// PlaceBulk places several limit orders one after the other.
func (e *Engine) PlaceBulk(c *schema.PlaceBulk) schema.Rejection {
	account, r := e.accounts.Customer(c.Account)
	switch {
	case r.Refused():
		return r
	case len(c.Orders) == 0:
		return schema.Refuse(schema.BulkEmpty)
	case len(c.Orders) > schema.MaxBulkOrders:
		return schema.Refuse(schema.BulkTooMany)
	}
	if next, id := e.placeFrom(c, account, 0, &e.out.Result); id != 0 {
		e.postpone(e.bulkWork(c, next, id))
	}
	return schema.Rejection{}
}

// placeFrom places the orders of a bulk from one on and adds their answers to a result. If the
// slice ends in the middle of one, that one's id comes back with the place of the next; its answer
// is the last one in the result then, and not complete.
func (e *Engine) placeFrom(c *schema.PlaceBulk, account *schema.Account, next int, result *schema.Result) (int, schema.OrderID) {
	for ; next < len(c.Orders); next++ {
		id, done, r := e.place(&asked{OrderRequest: &c.Orders[next], account: account, bulk: true})
		item := schema.Item{Rejection: r}
		if !r.Refused() && done {
			item.Order = *e.out.Events.Order(id)
		}
		result.Items = append(result.Items, item)
		if !r.Refused() && !done {
			return next + 1, id
		}
		if r.Refused() && c.StopOnFail {
			break
		}
	}
	return next, 0
}

// place checks an order and lets it in, together with the stops that it wakes up. It is not done
// if the slice ended before that.
func (e *Engine) place(a *asked) (id schema.OrderID, done bool, r schema.Rejection) {
	m := e.market(a.Market)
	a.desk = e.findDesk(a.account.ID, a.Market)
	var o order
	if r := e.check(m, a, &o); r.Refused() {
		return 0, true, r
	}
	o.client = a.name()
	done = e.admit(m, a, &o)
	return o.id, done, schema.Rejection{}
}

// admit lets in an order that passed the checks. It is false if the slice ended before the order
// and the stops that it wakes up came to rest or to their end.
func (e *Engine) admit(m *market, a *asked, o *order) bool {
	if o.desk = a.desk; o.desk == 0 {
		o.desk = e.openDesk(a.account.ID, m)
	}
	if o.flags.has(collateral) {
		e.sit(m, o.desk)
	}
	if o.flags.has(member) {
		o.tie.group = e.nextID()
	}
	o.id = e.nextID()
	if o.waits() {
		e.await(m, o, schema.ByRequest)
		return true
	}
	return e.enter(m, o) && e.wake(m)
}

// nextID is the next number of an order or a group.
func (e *Engine) nextID() schema.OrderID {
	e.lastOrder++
	return e.lastOrder
}

// await lets a stop wait for its trigger.
func (e *Engine) await(m *market, o *order, cause schema.Cause) {
	e.keep(m, o, cause)
	e.store(m, o)
	e.enlist(m, o.slot)
	m.book.Link(o.slot, waiting(o.side, o.flags), o.activation)
	e.changed(m, o, schema.Opened, cause, schema.Open)
}

// enter matches an order and puts what may rest of it into the book. It is false if the slice
// ended before the matching did.
func (e *Engine) enter(m *market, o *order) bool {
	limit, banded := e.worstPrice(m, o)
	return e.trade(m, o, limit, banded)
}

// trade is enter for an order whose worst price is known.
func (e *Engine) trade(m *market, o *order, limit book.Ticks, banded bool) bool {
	status, cause, done := e.match(m, o, limit, banded)
	if !done {
		e.suspend(m, o, limit, banded)
		return false
	}
	if status != schema.Open {
		e.end(m, o, status, cause)
		return true
	}
	e.rest(m, o)
	return true
}

// rest puts an order into the public book, or ends it where its level cannot be counted with it.
func (e *Engine) rest(m *market, o *order) {
	fresh := o.slot == 0
	e.store(m, o)
	q := queue(o.side, o.flags.has(rpi))
	lots, fits := m.book.Link(o.slot, q, o.price)
	if !fits {
		// The level cannot be counted with this order. New orders are refused for that; a stop
		// finds out when it wakes up.
		e.end(m, o, schema.Canceled, schema.ByRemainder)
		return
	}
	if fresh {
		e.enlist(m, o.slot)
	}
	e.keep(m, o, schema.ByRequest)
	e.level(m, q, o.price, lots)
	e.changed(m, o, schema.Opened, schema.ByRequest, o.status())
}

// end closes an order that is in hand.
func (e *Engine) end(m *market, o *order, status schema.Status, cause schema.Cause) {
	e.release(m, o, cause)
	o.updated = e.out.Time
	e.changed(m, o, schema.Closed, cause, status)
	if o.slot != 0 {
		e.forget(m, o.slot)
	}
	if o.flags.has(grouped) {
		e.ended(m, o, status, cause)
	}
}
