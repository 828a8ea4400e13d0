package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/core/ledger"
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
	o := e.load(m, m.book.Find(uint64(id)))
	e.release(m, &o, schema.ByModify)
	b := m.book.At(o.slot)
	q, old := b.Queue(), b.Price
	e.level(m, q, old, m.book.Unlink(o.slot))
	o.price, o.updated = price, e.out.Time
	e.enter(m, &o)
	e.wake(m)
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
	before := e.load(m, slot)
	cell, held := e.hold(m, &before)
	e.level(m, b.Queue(), b.Price, m.book.Reduce(slot, lots))
	b.Terms.amount -= lots
	after := e.load(m, slot)
	_, holds := e.hold(m, &after)
	e.ledger.Unfreeze(cell, held.Sub(holds), ledger.Note{Cause: schema.ByModify, Ref: uint64(id)})
	e.changed(m, &after, schema.Updated, schema.ByModify, after.status())
}
