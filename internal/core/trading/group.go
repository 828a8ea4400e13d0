package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/core/slab"
	"bourse/internal/schema"
)

// Orders on collateral can depend on each other: the two of an OCO (oco.go), the primary of an OTO and what follows it (oto.go),
// take profit and stop loss of a position (tpsl.go). What one does to the others happens in two places, both in this file: decide,
// when an order of an OCO was filled, and ended, when any of them came to its end.
//
// Nothing but the orders themselves is kept of a group: each knows the id of its group, and the market finds orders by it. So a
// group cannot disagree with its orders, and a snapshot needs none. Take profits and stop losses of a whole position have no
// group; their desk knows them.
//
// What must hold: an OCO has two open orders or none; of the two exactly one counts for margin; a position has at most one take
// profit and one stop loss for all of it.

func groupKey(id schema.OrderID) uint32 { return slab.Hash(uint64(id)) }

// role of an order.
func (o *order) role() schema.Role {
	switch {
	case o.flags.has(takeProfit):
		return schema.TakeProfit
	case o.flags.has(stopLoss):
		return schema.StopLoss
	case !o.flags.has(member):
		return schema.NoRole
	case o.tie.takeProfit != 0 || o.tie.stopLoss != 0:
		return schema.Primary
	case o.kind == schema.Limit:
		return schema.LimitLeg
	default:
		return schema.StopLeg
	}
}

// protects reports whether the order is a take profit or a stop loss.
func (f flags) protects() bool { return f.has(takeProfit | stopLoss) }

// lapsed is how an order ends that may only reduce a position and finds none.
func (f flags) lapsed() schema.Status {
	if f.protects() {
		return schema.Canceled
	}
	return schema.AutoCanceledReduceOnly
}

// guard is the place of a take profit or stop loss for a whole position at its desk. Those of one position stand side by side.
func (f flags) guard() int {
	place := 0
	if f.has(stopLoss) {
		place++
	}
	if f.has(shortSide) {
		place += 2
	}
	return place
}

// grouped are the orders of a group in the book, by id: at most two.
func (e *Engine) grouped(m *market, group schema.OrderID) (slots [2]book.Slot) {
	n := 0
	probe := m.groups.Find(groupKey(group))
	for n < len(slots) {
		slot := probe.Next()
		if slot == 0 {
			break
		}
		if e.details.At(m.book.At(slot).Terms.detail).tie.group == group {
			slots[n] = slot
			n++
		}
	}
	if n == 2 && m.book.At(slots[1]).ID < m.book.At(slots[0]).ID {
		slots[0], slots[1] = slots[1], slots[0]
	}
	return slots
}

// tied reports whether two orders in the book are of one group.
func (e *Engine) tied(m *market, a, b book.Slot) bool {
	x, y := m.book.At(a).Terms.detail, m.book.At(b).Terms.detail
	return x != 0 && y != 0 && e.details.At(x).tie.group == e.details.At(y).tie.group
}

// other is the order that one order in hand depends on, or 0.
func (e *Engine) other(m *market, o *order) book.Slot {
	if o.flags.has(whole) {
		return e.desks.At(o.desk).guards[o.flags.guard()^1]
	}
	for _, slot := range e.grouped(m, o.tie.group) {
		if slot != o.slot {
			return slot
		}
	}
	return 0
}

// decide says that an order of an OCO was filled: the other ends and the group with it, and what is left of the order counts for
// margin by itself. Others wait for their end.
func (e *Engine) decide(m *market, o *order) {
	if o.role() == schema.Primary {
		return
	}
	other, b := e.other(m, o), m.book.At(o.slot)
	m.groups.Remove(groupKey(o.tie.group), o.slot)
	e.details.At(b.Terms.detail).tie = tie{}
	alone := !o.flags.has(spare)
	b.Terms.flags &^= member | spare
	o.flags, o.tie = b.Terms.flags, tie{}
	e.cancel(m, other, schema.Canceled, schema.ByGroup)
	if !alone && b.Queue() != book.None { // an order that takes is counted when it comes to rest
		e.count(m, o, o.left)
	}
}

// remains reports whether what is left of an order in the book that does not count can, in the place of the one that does.
func (e *Engine) remains(m *market, slot book.Slot) bool {
	var o, counted order
	e.load(m, slot, &o)
	e.load(m, e.other(m, &o), &counted)
	come, gone := m.pending(o.side, o.flags, o.worth(), o.left), m.pending(counted.side, counted.flags, counted.worth(), counted.left)
	come.Seat = e.desks.At(o.desk).seat
	return e.Clearing.Fits(gone, come)
}

// ended says that an order that others depend on came to its end. It is in the book no more.
func (e *Engine) ended(m *market, o *order, status schema.Status, cause schema.Cause) {
	switch o.role() {
	case schema.Primary:
		e.bequeath(m, o, cause)
		return
	case schema.TakeProfit, schema.StopLoss:
		if o.filled() == 0 {
			return
		}
		status, cause = schema.Canceled, schema.ByGroup
	}
	if other := e.other(m, o); other != 0 {
		e.cancel(m, other, status, cause)
	}
}

// CancelGroup ends an OCO or an OTO.
func (e *Engine) CancelGroup(c *schema.CancelGroup) schema.Rejection {
	_, r := e.accounts.Customer(c.Account)
	m := e.market(c.Market)
	switch {
	case r.Refused():
		return r
	case m == nil:
		return schema.Refuse(schema.MarketUnavailable)
	case c.GroupKind > schema.OTO:
		return schema.Refuse(schema.GroupKindInvalid)
	case (c.Group == 0) == c.ClientID.IsZero():
		return schema.Refuse(schema.OrderRefInvalid)
	}
	id, slots := e.findGroup(m, c)
	if id == 0 {
		return schema.Refuse(schema.OrderNotFound)
	}
	e.out.Result.ID = uint64(id)
	var ids [2]schema.OrderID
	for i, slot := range slots {
		if slot != 0 {
			ids[i] = schema.OrderID(m.book.At(slot).ID)
		}
	}
	for i, id := range ids {
		if id != 0 && m.book.Find(uint64(id)) == slots[i] { // the first of an OCO ends the second too
			e.cancel(m, slots[i], schema.Canceled, schema.ByRequest)
		}
	}
	for _, id := range ids {
		if id != 0 {
			e.out.Result.Items = append(e.out.Result.Items, schema.Item{Order: *e.out.Events.Order(id)})
		}
	}
	if !e.wake(m) {
		e.postpone(&work{kind: placing, markets: []*market{m}})
	}
	return schema.Rejection{}
}

// findGroup is the group of an account that a command names, with its orders, or 0.
func (e *Engine) findGroup(m *market, c *schema.CancelGroup) (schema.OrderID, [2]book.Slot) {
	desk, group := e.findDesk(c.Account, c.Market), c.Group
	if desk == 0 {
		return 0, [2]book.Slot{}
	}
	if group == 0 {
		if slot := e.clients.find(desk, &c.ClientID); slot != 0 {
			var o order
			e.load(m, slot, &o)
			group = o.tie.group
		}
	}
	if group == 0 {
		return 0, [2]book.Slot{}
	}
	slots := e.grouped(m, group)
	if slots[0] == 0 || m.book.At(slots[0]).Owner != desk {
		return 0, [2]book.Slot{}
	}
	var o order
	e.load(m, slots[0], &o)
	kind := schema.OTO
	if r := o.role(); r == schema.LimitLeg || r == schema.StopLeg {
		kind = schema.OCO
	}
	if c.GroupKind != schema.AnyGroup && c.GroupKind != kind {
		return 0, [2]book.Slot{}
	}
	return group, slots
}
