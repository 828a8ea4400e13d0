package trading

import (
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/schema"
)

// trigger notes that a trade at a price may wake up stops.
//
// They stay in their queues until it is their turn: the prices of the trades so far, m.high and
// m.low, say which are due. So a trade costs the same whether it wakes up nobody or a hundred
// thousand, and what is still to be done is two numbers. The stop whose activation price is nearest
// goes first, of equals the one that waited longer, buys before sells.
func (e *Engine) trigger(m *market, price book.Ticks) {
	if !e.features.BoundedWork {
		e.lineUp(m, price)
		return
	}
	m.high = max(m.high, price)
	if m.low == 0 || price < m.low {
		m.low = price
	}
}

// due is the stop whose turn it is, or 0.
func (m *market) due() book.Slot {
	if at, there := m.book.Best(book.Rising); there && at <= m.high {
		return m.book.First(book.Rising)
	}
	if at, there := m.book.Best(book.Falling); there && at >= m.low && m.low != 0 {
		return m.book.First(book.Falling)
	}
	return 0
}

// wake lets the stops that are due enter, and those that they wake up in turn. It is false if the
// slice ended before.
func (e *Engine) wake(m *market) bool {
	if !e.features.BoundedWork {
		e.wakeLine(m)
		return e.sweepOrphans(m)
	}
	for {
		slot := m.due()
		if slot == 0 {
			m.high, m.low = 0, 0
			switch {
			case len(m.heirs) == 0:
				return e.sweepOrphans(m)
			case !e.inherit(m):
				return false
			}
			continue
		}
		if e.budget <= 0 {
			return false
		}
		e.budget--
		var o order
		e.load(m, slot, &o)
		m.book.Unlink(slot)
		if !e.activate(m, &o) {
			return false
		}
	}
}

// lineUp is what trigger did before BoundedWork: it takes the stops that a trade at a price wakes up
// out of their queues and puts them in line, in the order in which they were placed.
func (e *Engine) lineUp(m *market, price book.Ticks) {
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

// wakeLine lets the stops in line enter, and those that they wake up in turn.
func (e *Engine) wakeLine(m *market) {
	for i := 0; i < len(e.triggered); i++ {
		var o order
		e.load(m, e.triggered[i], &o)
		e.activate(m, &o)
	}
	e.triggered = e.triggered[:0]
}

// activate turns a stop into the order that it stands for. What is frozen for it stays so
// until it trades or ends; nobody else can take it in between. It is false if the slice ended
// before the order came to rest or to its end.
func (e *Engine) activate(m *market, o *order) bool {
	e.kept(m, o)
	// The slot says so too, before the order trades: it may come to its end without being stored again.
	if t := &m.book.At(o.slot).Terms; t.waitsOnMargin() {
		t.flags |= activated
		e.desks.At(o.desk).stops--
	}
	if o.flags.has(whole) {
		e.count(m, o, 0)
	}
	o.flags |= activated
	o.updated, o.activated = e.out.Time, e.out.Time
	payable := true
	if o.flags.has(collateral) {
		e.shrink(m, o)
	}
	switch {
	case o.bbo != schema.BBONone:
		payable = e.pickPrice(m, o)
	case o.flags.has(collateral):
	case o.kind == schema.StopStockMarket && o.side == schema.Buy:
		room := e.room(o)
		_, cost := e.sweep(m, o, room)
		payable = cost.Cmp(room) <= 0
	}
	e.changed(m, o, schema.Activated, schema.ByTrigger, schema.Open)
	if !payable {
		e.end(m, o, schema.Canceled, schema.ByTrigger)
		return true
	}
	if o.flags.has(reduceOnly) && e.reducible(o.desk, o.side, o.flags) == 0 {
		e.end(m, o, o.flags.lapsed(), schema.ByReduceOnly)
		return true
	}
	return e.enter(m, o)
}

// pickPrice gives a stop limit the price that its role finds in the book now, and reports
// whether there is one and the account can pay it.
func (e *Engine) pickPrice(m *market, o *order) bool {
	price, there := bbo(m, o)
	if !there {
		return false
	}
	total, fits := m.moneyUnit.Product(int64(price), int64(o.left))
	if o.flags.has(collateral) {
		if !fits {
			return false
		}
		// What was counted at the activation price counts at this one.
		e.count(m, o, 0)
		o.price, o.bbo = price, schema.BBONone
		return e.fits(m, o)
	}
	o.price, o.bbo = price, schema.BBONone
	if o.side == schema.Sell {
		return fits
	}
	return fits && total.Cmp(e.room(o)) <= 0
}
