package naive

import "bourse/internal/schema"

// modifyOrder cancels an order and places another instead, if that one passes the checks.
func (t *trading) modifyOrder(c *schema.ModifyOrder) schema.Result {
	trader, r := t.accounts.trader(c.Account)
	if refused(r) {
		return reject(r)
	}
	old, r := t.checkModify(c)
	if refused(r) {
		return reject(r)
	}
	// A stop limit that was triggered is a limit order by now, and is checked as one.
	request := replacement(old, c)
	if old.activatedAt != 0 {
		request.Type = schema.Limit
	}
	o, r := t.check(trader, request, circumstances{replaces: old})
	if refused(r) {
		return reject(r)
	}
	if old.activatedAt != 0 {
		o.kind = schema.StopLimit
		o.activatedAt = old.activatedAt
		o.activation = old.activation
	}
	t.end(old, schema.Canceled, schema.ByModify)
	t.place(o)
	return schema.Result{Order: o.view()}
}

// checkModify runs the checks of a modify that come before those of the replacement.
func (t *trading) checkModify(c *schema.ModifyOrder) (*order, schema.Rejection) {
	switch {
	case t.market(c.Order.Market) == nil:
		return nil, because(schema.MarketUnavailable)
	case !exactlyOne(&c.Order):
		return nil, because(schema.OrderRefInvalid)
	case !validSTP(c.STP):
		return nil, because(schema.STPInvalid)
	case !c.Amount.Set() && !c.Total.Set() && !c.Price.Set() && !c.ActivationPrice.Set():
		return nil, because(schema.ModifyNothing)
	case c.Amount.Set() && c.Total.Set():
		return nil, because(schema.ModifyAmountAndTotal)
	}
	old, r := t.find(c.Account, &c.Order)
	switch {
	case refused(r):
		return nil, r
	case protects(old.role):
		return nil, because(schema.ModifyOfProtection)
	case groupKind(old.role) != schema.AnyGroup:
		return nil, because(schema.ModifyOfGroup)
	case c.ActivationPrice.Set() && !old.waiting():
		return nil, because(schema.ActivationOnLimit)
	case c.Price.Set() && !hasPrice(old.kind):
		return nil, because(schema.PriceOnStopMarket)
	case c.Total.Set() && !old.inQuote():
		return nil, because(schema.TotalNotAllowed)
	case c.Amount.Set() && old.inQuote():
		return nil, because(schema.AmountNotAllowed)
	}
	return old, accepted
}

// replacement is the request for the order that takes the place of another. Of the orders that
// can be open only buy stop markets count the quote asset, and theirs is called total.
func replacement(old *order, c *schema.ModifyOrder) schema.OrderRequest {
	request := schema.OrderRequest{
		Market: old.market.ID, Type: old.kind, Side: old.side, STP: c.STP,
		Amount:          c.Amount.Or(c.Total.Or(old.left.decimal())),
		Price:           c.Price.Or(old.price.decimal()),
		ActivationPrice: c.ActivationPrice.Or(old.activation.decimal()),
		PostOnly:        old.postOnly, RPI: old.rpi, Retail: old.retail,
		ClientID:   old.client,
		Collateral: old.collateral, ReduceOnly: old.reduceOnly, PositionSide: old.positionSide,
	}
	if c.KeepSTP {
		request.STP = old.stp
	}
	if old.waiting() && !c.Price.Set() {
		request.BBO = old.bbo
	}
	return request
}
