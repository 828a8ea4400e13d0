package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/schema"
)

// What stands here changes an order in the book under the id that it has. Clients have no
// command for it: their modification is a cancel and a new order. It is what other engines call
// move and reduce, and the comparison with them runs through it; the caller answers for the
// account's means.

// Reprice moves a resting limit order to another price, at the back of the queue there, trading
// on the way like a new order.
func (e *Engine) Reprice(market schema.MarketID, id schema.OrderID, price book.Ticks) {
	m := e.market(market)
	var o order
	e.take(m, m.book.Find(uint64(id)), &o)
	o.price, o.updated = price, e.out.Time
	if !e.enter(m, &o) || !e.wake(m) {
		panic("trading: an order is repriced in slices")
	}
}

// Reduce takes lots off a resting limit order, which keeps its place; an order that has no more
// than that is canceled.
func (e *Engine) Reduce(market schema.MarketID, id schema.OrderID, lots book.Lots) {
	m := e.market(market)
	slot := m.book.Find(uint64(id))
	b := m.book.At(slot)
	if lots >= b.Left {
		e.cancel(m, slot, schema.Canceled, schema.ByModify)
		return
	}
	var o order
	e.load(m, slot, &o)
	e.kept(m, &o)
	e.level(m, b.Queue(), b.Price, m.book.Reduce(slot, lots))
	b.Terms.amount -= lots
	o.amount, o.left = o.amount-lots, o.left-lots
	e.keep(m, &o, schema.ByModify)
	e.changed(m, &o, schema.Updated, schema.ByModify, o.status())
}
