package naive

import "bourse/internal/schema"

func (t *trading) placeTPSL(c *schema.PlaceTPSL) schema.Result {
	trader, r := t.accounts.trader(c.Account)
	if refused(r) {
		return reject(r)
	}
	orders, r := t.checkTPSL(trader, c)
	if refused(r) {
		return reject(r)
	}
	var result schema.Result
	for _, o := range orders {
		if old := replacedBy(o); old != nil {
			t.end(old, schema.Canceled, schema.ByModify)
		}
		t.open(o)
		t.changed(schema.Opened, o, schema.ByRequest)
		result.Items = append(result.Items, schema.Item{Order: o.view()})
	}
	return result
}

// replacedBy is the open order whose place one of a whole position takes, or nil.
func replacedBy(o *order) *order {
	for _, old := range o.market.orders {
		if old.whole() && old.role == o.role && old.account == o.account && old.positionSide == o.positionSide {
			return old
		}
	}
	return nil
}

// checkTPSL runs the checks and makes the orders, the take profit first.
func (t *trading) checkTPSL(a *schema.Account, c *schema.PlaceTPSL) (orders []*order, r schema.Rejection) {
	request := schema.OrderRequest{Market: c.Market, Collateral: true, PositionSide: c.PositionSide}
	m, r := t.checkMarket(a, &request)
	if refused(r) {
		return nil, r
	}
	asked := protection{of(c.TakeProfit), of(c.StopLoss)}
	r = firstRefusal(t.checkBounded, func() schema.Rejection {
		switch {
		case !validSTP(c.STP):
			return because(schema.STPInvalid)
		case t.accounts.region(a) == schema.EU:
			return because(schema.OrderTypeUnavailable)
		case asked.none():
			return because(schema.ProtectionMissing)
		}
		return t.margins.checkPositionSide(a, m, &request)
	})
	if refused(r) {
		return nil, r
	}
	model := order{
		account: a.ID, market: m, kind: schema.StopStockMarket, side: schema.Sell, stp: c.STP,
		collateral: true, reduceOnly: true, positionSide: request.PositionSide,
	}
	position := t.margins.position(&model)
	if position.empty() {
		return nil, because(schema.PositionMissing)
	}
	long := position.size.sign() > 0
	if !long {
		model.side = schema.Buy
	}
	for _, leg := range []struct {
		role  schema.Role
		price num
	}{{schema.TakeProfit, asked.takeProfit}, {schema.StopLoss, asked.stopLoss}} {
		if leg.price.sign() != 0 {
			o := model
			o.role, o.activation = leg.role, leg.price
			orders = append(orders, &o)
		}
	}
	r = firstRefusal(
		func() schema.Rejection { return asked.checkNumbers(m) },
		func() schema.Rejection { return asked.checkSteps(t, m) },
		func() schema.Rejection { return t.margins.checkMark(m, &request) },
		func() schema.Rejection { return asked.checkSides(long, t.reference(m)) },
		func() schema.Rejection { return checkWholeRoom(orders) },
		func() schema.Rejection { return checkWholeOpen(a.ID, m, orders) },
		func() schema.Rejection { return t.margins.checkWhole(a.ID, m, orders) },
	)
	return orders, r
}

// checkWholeRoom is the end of check 12: each counts one lot where it waits.
func checkWholeRoom(orders []*order) schema.Rejection {
	for _, o := range orders {
		if m := o.market; !fitsWaiting(m, o.rises(), o.activation, m.lot()) {
			return about(schema.AmountTooLarge, maxInt64.times(m.lot()))
		}
	}
	return accepted
}

// checkWholeOpen counts those that take nobody's place.
func checkWholeOpen(a schema.AccountID, m *market, orders []*order) schema.Rejection {
	more := int64(0)
	for _, o := range orders {
		if replacedBy(o) == nil {
			more++
		}
	}
	if more == 0 {
		return accepted
	}
	return checkOpenMore(a, m, more)
}

// checkWhole is check 15: while there is one of them, orders against the position do not close it but open the other
// direction, which may bind more.
func (g *margins) checkWhole(a schema.AccountID, m *market, orders []*order) schema.Rejection {
	before := g.portfolio(a)
	after := before.copied()
	var replaced []*order
	for _, o := range orders {
		replaced = append(replaced, replacedBy(o))
	}
	s := after.seat(m.ID)
	s.orders = g.pending(a, m, replaced...)
	for _, o := range orders {
		s.orders = append(s.orders, g.bound(o))
	}
	margin := after.margin()
	_, fresh := g.prices.mark(m.ID)
	switch {
	case !margin.more(before.margin()):
		return accepted
	case !fresh:
		return because(schema.PriceUnknown)
	case before.total().less(margin):
		return because(schema.NotEnoughBalance)
	}
	return accepted
}
