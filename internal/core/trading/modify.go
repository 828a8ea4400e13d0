package trading

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Modify cancels an order and places another in its stead. The new one is checked wholly while the old one
// still stands, as if what that one holds were free: a modification that is refused leaves the order where
// it was, with its place in the queue. What is frozen passes from one to the other without being released in
// between, so that no other order of the account can take it and the statement shows the difference alone.
func (e *Engine) Modify(c *schema.ModifyOrder) schema.Rejection {
	account, r := e.accounts.Customer(c.Account)
	if r.Refused() {
		return r
	}
	if r := e.checkModify(c); r.Refused() {
		return r
	}
	m, slot, r := e.find(c.Account, &c.Order)
	if r.Refused() {
		return r
	}
	var old order
	e.load(m, slot, &old)
	switch {
	case old.flags.has(member):
		return schema.Refuse(schema.ModifyOfGroup)
	case old.flags.protects():
		return schema.Refuse(schema.ModifyOfProtection)
	}
	if r := checkFields(c, &old); r.Refused() {
		return r
	}
	request := e.replacement(m, &old, c)
	a := asked{OrderRequest: &request, account: account, desk: old.desk, replaces: &old}
	var o order
	if r := e.check(m, &a, &o); r.Refused() {
		return r
	}
	// The replacement takes over what is frozen for the original.
	var gone order
	e.take(m, slot, &gone)
	o.held, gone.held = gone.held, fixed.Zero
	e.end(m, &gone, schema.Canceled, schema.ByModify)
	o.client = a.name()
	if e.admit(m, &a, &o) {
		e.out.Result.Order = *e.out.Events.Order(o.id)
	} else {
		e.postpone(&work{kind: placing, order: o.id, markets: []*market{m}})
	}
	return schema.Rejection{}
}

// checkModify checks what can be checked without the order.
func (e *Engine) checkModify(c *schema.ModifyOrder) schema.Rejection {
	switch {
	case e.market(c.Order.Market) == nil:
		return schema.Refuse(schema.MarketUnavailable)
	case (c.Order.ID == 0) == c.Order.ClientID.IsZero():
		return schema.Refuse(schema.OrderRefInvalid)
	case !schema.Valid(c.STP):
		return schema.Refuse(schema.STPInvalid)
	case !c.Amount.Set() && !c.Total.Set() && !c.Price.Set() && !c.ActivationPrice.Set():
		return schema.Refuse(schema.ModifyNothing)
	case c.Amount.Set() && c.Total.Set():
		return schema.Refuse(schema.ModifyAmountAndTotal)
	}
	return schema.Rejection{}
}

// checkFields checks that the order has what is to be changed.
func checkFields(c *schema.ModifyOrder, o *order) schema.Rejection {
	switch {
	case c.ActivationPrice.Set() && !o.waits():
		return schema.Refuse(schema.ActivationOnLimit)
	case c.Price.Set() && !o.kind.HasPrice():
		return schema.Refuse(schema.PriceOnStopMarket)
	case c.Total.Set() && !o.inQuote():
		return schema.Refuse(schema.TotalNotAllowed)
	case c.Amount.Set() && o.inQuote():
		return schema.Refuse(schema.AmountNotAllowed)
	}
	return schema.Rejection{}
}

// replacement is the request for the order that takes the place of old.
func (e *Engine) replacement(m *market, old *order, c *schema.ModifyOrder) schema.OrderRequest {
	request := schema.OrderRequest{
		Market: m.info.ID, Type: old.kind, Side: old.side, STP: c.STP,
		PostOnly: old.flags.has(postOnly), RPI: old.flags.has(rpi), Retail: old.flags.has(retail),
		Price: c.Price.Or(m.price(old.price)), ClientID: old.name(),
		Collateral: old.flags.has(collateral), ReduceOnly: old.flags.has(reduceOnly), PositionSide: old.flags.position(),
	}
	if c.KeepSTP {
		request.STP = old.stp
	}
	if old.inQuote() {
		request.Amount = c.Total.Or(old.budget)
	} else {
		request.Amount = c.Amount.Or(m.amount(old.left))
	}
	if old.waits() {
		request.ActivationPrice = c.ActivationPrice.Or(m.price(old.activation))
		if !c.Price.Set() {
			request.BBO = old.bbo
		}
	}
	return request
}
