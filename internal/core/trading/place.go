package trading

import "bourse/internal/schema"

// Place places one order.
func (e *Engine) Place(c *schema.PlaceOrder) schema.Rejection {
	account, r := e.accounts.Customer(c.Account)
	if r.Refused() {
		return r
	}
	id, r := e.place(&asked{OrderRequest: &c.Order, account: account})
	if !r.Refused() {
		e.out.Result.Order = *e.out.Events.Order(id)
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
	for i := range c.Orders {
		id, r := e.place(&asked{OrderRequest: &c.Orders[i], account: account, bulk: true})
		item := schema.Item{Rejection: r}
		if !r.Refused() {
			item.Order = *e.out.Events.Order(id)
		}
		e.out.Result.Items = append(e.out.Result.Items, item)
		if r.Refused() && c.StopOnFail {
			break
		}
	}
	return schema.Rejection{}
}

// place checks an order and lets it in, together with the stops that it wakes up.
func (e *Engine) place(a *asked) (schema.OrderID, schema.Rejection) {
	m := e.market(a.Market)
	a.desk = e.findDesk(a.account.ID, a.Market)
	var o order
	if r := e.check(m, a, &o); r.Refused() {
		return 0, r
	}
	o.client = a.name()
	e.admit(m, a, &o)
	return o.id, schema.Rejection{}
}

// admit lets in an order that passed the checks.
func (e *Engine) admit(m *market, a *asked, o *order) {
	if o.desk = a.desk; o.desk == 0 {
		o.desk = e.openDesk(a.account.ID, m)
	}
	e.lastOrder++
	o.id = e.lastOrder
	if o.waits() {
		e.freeze(o, m.hold(o), schema.ByRequest)
		e.store(m, o)
		e.enlist(m, o.slot)
		m.book.Link(o.slot, waiting(o.side), o.activation)
		e.changed(m, o, schema.Opened, schema.ByRequest, schema.Open)
		return
	}
	e.enter(m, o)
	e.wake(m)
}

// enter matches an order and puts what may rest of it into the book.
func (e *Engine) enter(m *market, o *order) {
	status, cause := e.match(m, o)
	if status != schema.Open {
		e.end(m, o, status, cause)
		return
	}
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
	e.freeze(o, m.hold(o), schema.ByRequest)
	e.level(m, q, o.price, lots)
	e.changed(m, o, schema.Opened, schema.ByRequest, o.status())
}

// end closes an order that is in hand.
func (e *Engine) end(m *market, o *order, status schema.Status, cause schema.Cause) {
	e.release(o, cause)
	o.updated = e.out.Time
	e.changed(m, o, schema.Closed, cause, status)
	if o.slot != 0 {
		e.forget(m, o.slot)
	}
}
