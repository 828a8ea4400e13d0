package trading

import (
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// What an open order freezes follows from the order, so that it is kept nowhere but in the
// ledger. While an order is in hand, held says how much of that is frozen at the moment: an
// order that moves, wakes up or takes the place of another keeps what is frozen for it as long
// as it does not trade, and only the difference is booked in the end.

// hold is what an order freezes while it is open.
func (m *market) hold(o *order) fixed.Decimal {
	switch {
	case o.side == schema.Sell:
		return m.amount(o.left)
	case o.inQuote():
		return o.budget.Sub(o.dealMoney)
	case o.waits() && o.price == 0: // it will find its price in the book
		return m.money(o.activation, o.left)
	default:
		return m.money(o.price, o.left)
	}
}

// pays is the balance that an order is paid from.
func (e *Engine) pays(o *order) ledger.Cell {
	d := e.desks.At(o.desk)
	if o.side == schema.Sell {
		return d.base
	}
	return d.quote
}

// freeze makes what is held for an order what it has to be.
func (e *Engine) freeze(o *order, hold fixed.Decimal, cause schema.Cause) {
	if hold == o.held {
		return
	}
	e.ledger.Freeze(e.pays(o), hold.Sub(o.held), ledger.Note{Cause: cause, Ref: uint64(o.id)})
	o.held = hold
}

// release gives back what is held for an order.
func (e *Engine) release(o *order, cause schema.Cause) { e.freeze(o, fixed.Zero, cause) }
