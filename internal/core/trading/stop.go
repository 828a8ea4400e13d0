package trading

import (
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/schema"
)

// trigger takes the stops that a trade at a price wakes up out of their queues and puts them in
// line, in the order in which they were placed.
func (e *Engine) trigger(m *market, price book.Ticks) {
	before := len(e.triggered)
	for _, q := range [...]book.Queue{book.Rising, book.Falling} {
		for {
			at, there := m.book.Best(q)
			if !there || q == book.Rising && at > price || q == book.Falling && at < price {
				break
			}
			slot := m.book.First(q)
			m.book.Unlink(slot)
			e.triggered = append(e.triggered, slot)
		}
	}
	slices.SortFunc(e.triggered[before:], m.byID)
}

// wake lets the stops in line enter, and those that they wake up in turn.
func (e *Engine) wake(m *market) {
	for i := 0; i < len(e.triggered); i++ {
		var o order
		e.load(m, e.triggered[i], &o)
		e.activate(m, &o)
	}
	e.triggered = e.triggered[:0]
}

// activate turns a stop into the order that it stands for. What is frozen for it stays so
// until it trades or ends; nobody else can take it in between.
func (e *Engine) activate(m *market, o *order) {
	o.held = m.hold(o)
	o.flags |= activated
	o.updated, o.activated = e.out.Time, e.out.Time
	payable := true
	switch {
	case o.bbo != schema.BBONone:
		payable = e.pickPrice(m, o)
	case o.kind == schema.StopStockMarket && o.side == schema.Buy:
		payable = e.sweep(m, o).Cmp(e.ledger.Available(e.pays(o)).Add(o.held)) <= 0
	}
	e.changed(m, o, schema.Activated, schema.ByTrigger, schema.Open)
	if !payable {
		e.end(m, o, schema.Canceled, schema.ByTrigger)
		return
	}
	e.enter(m, o)
}

// pickPrice gives a stop limit the price that its role finds in the book now, and reports
// whether there is one and the account can pay it.
func (e *Engine) pickPrice(m *market, o *order) bool {
	price, there := bbo(m, o)
	if !there {
		return false
	}
	o.price, o.bbo = price, schema.BBONone
	total, fits := m.moneyUnit.Product(int64(price), int64(o.left))
	if o.side == schema.Sell {
		return fits
	}
	return fits && total.Cmp(e.ledger.Available(e.pays(o)).Add(o.held)) <= 0
}
