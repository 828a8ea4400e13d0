package trading

import (
	"math"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// A position can have a take profit and a stop loss for all of it. They know no amount: while they wait they stand in their queue with a
// single lot, and count for margin as if all of the position could be closed; when one wakes up it is as large as the position is then.

// PlaceTPSL places a take profit, a stop loss or both for a whole position, in the place of those that it has.
func (e *Engine) PlaceTPSL(c *schema.PlaceTPSL) schema.Rejection {
	account, r := e.accounts.Customer(c.Account)
	if r.Refused() {
		return r
	}
	m := e.market(c.Market)
	request := schema.OrderRequest{Market: c.Market, Type: schema.StopStockMarket, Side: schema.Sell, STP: c.STP, Collateral: true}
	a := asked{OrderRequest: &request, account: account, desk: e.findDesk(c.Account, c.Market)}
	var o order
	if r := e.checkTPSL(m, c, &a, &o); r.Refused() {
		return r
	}
	for _, exit := range o.exits() {
		if old := e.desks.At(o.desk).guards[exit.flags.guard()]; old != 0 {
			e.cancel(m, old, schema.Canceled, schema.ByModify)
		}
		exit.id = e.nextID()
		e.await(m, &exit, schema.ByRequest)
		e.out.Result.Items = append(e.out.Result.Items, schema.Item{Order: *e.out.Events.Order(exit.id)})
	}
	return schema.Rejection{}
}

// checkTPSL checks the prices against the position, and takes in hand what both orders have in common.
func (e *Engine) checkTPSL(m *market, c *schema.PlaceTPSL, a *asked, o *order) schema.Rejection {
	if r := e.checkMarket(m, a); r.Refused() {
		return r
	}
	if !e.features.BoundedWork {
		return schema.Refuse(schema.OrderTypeUnavailable)
	}
	switch {
	case !schema.Valid(a.STP):
		return schema.Refuse(schema.STPInvalid)
	case !a.Offered(e.region(a.account)):
		return schema.Refuse(schema.OrderTypeUnavailable)
	}
	if c.TakeProfit.IsZero() && c.StopLoss.IsZero() {
		return schema.Refuse(schema.ProtectionMissing)
	}
	of, _, ok := e.positionSide(m, a, c.PositionSide)
	if !ok {
		return schema.Refuse(schema.PositionSideMismatch)
	}
	*o = order{
		desk: a.desk, kind: a.Type, side: schema.Sell, stp: c.STP, flags: collateralFlags(true, of) | whole,
		amount: 1, left: 1, created: e.out.Time, updated: e.out.Time,
	}
	if !e.holds(m, o) {
		return schema.Refuse(schema.PositionMissing)
	}
	if r := e.checkExits(m, c.TakeProfit, c.StopLoss, o); r.Refused() {
		return r
	}
	if e.mark(m).IsZero() {
		return schema.Refuse(schema.PriceUnknown)
	}
	if r := e.checkProtection(m, o.side.Opposite(), 0, &o.tie); r.Refused() {
		return r
	}
	d := e.desks.At(o.desk)
	for _, exit := range o.exits() {
		if !m.book.Fits(waiting(exit.side, exit.flags), exit.activation, exit.left) {
			return schema.Rejection{Reason: schema.AmountTooLarge, Value: m.amount(math.MaxInt64)}
		}
		if limit := m.info.OrderLimit(); d.guards[exit.flags.guard()] == 0 {
			if d.count+a.more >= limit {
				return schema.Rejection{Reason: schema.TooManyOrders, Value: fixed.FromInt(int64(limit))}
			}
			a.more++
		}
	}
	e.asking = Admission{Account: c.Account, Market: m.info.ID, Order: m.pending(o.side, o.flags, 0, o.left)}
	e.asking.Order.Seat = d.seat
	return e.Clearing.Admit(&e.asking)
}

// holds finds the side that closes the position of an order in hand. It is false when there is none.
func (e *Engine) holds(m *market, o *order) bool {
	if o.desk == 0 {
		return false
	}
	e.sit(m, o.desk)
	for _, o.side = range [...]schema.Side{schema.Sell, schema.Buy} {
		if e.reducible(o.desk, o.side, o.flags) > 0 {
			return true
		}
	}
	return false
}

// exits are the take profit and the stop loss, as far as there are prices for them.
func (o *order) exits() (list []order) {
	for _, exit := range o.tie.exits() {
		if exit.price != 0 {
			one := *o
			one.activation, one.flags, one.tie = exit.price, o.flags|exit.role, tie{}
			list = append(list, one)
		}
	}
	return list
}
