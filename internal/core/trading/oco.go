package trading

import (
	"bourse/internal/schema"
)

// An OCO is a limit order and a stop limit order of one side and amount: the one takes a profit, the other stops a loss, and the
// first fill of either ends the other (see decide). Since only one of them will ever trade, only one counts for margin: the dearer,
// which buys at the higher price or sells at the lower. The other is spare.

// PlaceOCO places both orders of an OCO or none.
func (e *Engine) PlaceOCO(c *schema.PlaceOCO) schema.Rejection {
	account, r := e.accounts.Customer(c.Account)
	if r.Refused() {
		return r
	}
	m := e.market(c.Market)
	profit := schema.OrderRequest{
		Market: c.Market, Type: schema.Limit, Side: c.Side, Amount: c.Amount, Price: c.Price, STP: c.STP, ClientID: c.LimitClientID,
		Collateral: true, ReduceOnly: c.ReduceOnly, PositionSide: c.PositionSide,
	}
	loss := profit
	loss.Type, loss.Price, loss.ActivationPrice, loss.ClientID = schema.StopLimit, c.StopPrice, c.ActivationPrice, c.StopClientID
	first := asked{OrderRequest: &profit, account: account, desk: e.findDesk(c.Account, c.Market), more: 1}
	second := asked{OrderRequest: &loss, account: account, desk: first.desk}
	var limit, stop order
	if r := e.checkOCO(m, &first, &second, &limit, &stop); r.Refused() {
		return r
	}
	limit.client, stop.client = first.name(), second.name()
	desk := e.openDesk(c.Account, m)
	e.sit(m, desk)
	group := e.nextID()
	for _, o := range []*order{&limit, &stop} {
		o.desk, o.tie.group, o.id = desk, group, e.nextID()
	}
	e.rest(m, &limit)
	e.await(m, &stop, schema.ByRequest)
	e.out.Result.ID = uint64(group)
	for _, id := range []schema.OrderID{limit.id, stop.id} {
		e.out.Result.Items = append(e.out.Result.Items, schema.Item{Order: *e.out.Events.Order(id)})
	}
	return schema.Rejection{}
}

// checkOCO checks both orders as if each came by itself, then what they are to each other and what they cost.
func (e *Engine) checkOCO(m *market, first, second *asked, limit, stop *order) schema.Rejection {
	if r := e.checkMarket(m, second); r.Refused() {
		return r
	}
	if !e.features.BoundedWork {
		return schema.Refuse(schema.OrderTypeUnavailable)
	}
	if r := e.checkWords(m, second); r.Refused() {
		return r
	}
	if !first.ClientID.IsZero() && first.ClientID == second.ClientID {
		return schema.Refuse(schema.ClientIDsEqual)
	}
	if r := e.checkTerms(m, first, limit); r.Refused() {
		return r
	}
	if r := e.checkTerms(m, second, stop); r.Refused() {
		return ofStop(r)
	}
	if m.takes(limit) {
		return schema.Refuse(schema.LimitWouldTake)
	}
	if beyond := m.price(stop.activation).Cmp(e.lastOrMark(m)); beyond == 0 || (beyond > 0) != (stop.side == schema.Buy) {
		return schema.Refuse(schema.StopActivationWrong)
	}
	limit.flags, stop.flags = limit.flags|member, stop.flags|member
	counts, uncovered := first, schema.LimitNotCovered
	dearer, cheaper := limit, stop
	if stop.dearer(limit) {
		dearer, cheaper = stop, limit
		counts, uncovered = second, schema.StopNotCovered
	}
	cheaper.flags |= spare
	cheaper.compare(m.price(cheaper.price).Cmp(e.mark(m)))
	r := e.checkMargin(m, counts, dearer)
	if r.Reason == schema.NotEnoughBalance {
		return schema.Refuse(uncovered)
	}
	return r
}

// dearer reports whether an order of an OCO buys at a higher price than the other, or sells at a lower one.
func (o *order) dearer(than *order) bool {
	if o.side == schema.Buy {
		return o.price > than.price
	}
	return o.price < than.price
}

// isSpare reports whether an open order is the one of an OCO that does not count for margin.
func (e *Engine) isSpare(m *market, o *order) bool {
	if r := o.role(); r != schema.LimitLeg && r != schema.StopLeg {
		return false
	}
	slot := e.other(m, o)
	if slot == 0 {
		return false
	}
	var other order
	e.load(m, slot, &other)
	if o.kind == schema.Limit {
		return other.dearer(o)
	}
	return !o.dearer(&other)
}

// ofStop is a refusal of the stop of an OCO, which has a name of its own for its price.
func ofStop(r schema.Rejection) schema.Rejection {
	switch r.Reason {
	case schema.PriceNotPositive:
		r.Reason = schema.StopPriceNotPositive
	case schema.PriceTooPrecise:
		r.Reason = schema.StopPriceTooPrecise
	case schema.PriceTooLarge:
		r.Reason = schema.StopPriceTooLarge
	case schema.PriceOffTick:
		r.Reason = schema.StopPriceOffTick
	case schema.PriceOutOfBand:
		r.Reason = schema.StopPriceOutOfBand
	}
	return r
}
