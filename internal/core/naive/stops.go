package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// trigger finds the waiting stops that the last price reaches and queues them by id. They keep
// their holds until their turn comes, so that none can use the money of another. With bounded work
// there is no such queue.
func (t *trading) trigger(m *market) {
	for _, o := range m.orders {
		if o.waiting() && o.reachedBy(m.last) {
			o.activatedAt = t.call.at
			o.updated = t.call.at
			m.queue = append(m.queue, o)
		}
	}
}

// runStops lets triggered stops enter, and those that they trigger, until there are none.
func (t *trading) runStops(m *market) {
	for len(m.queue) > 0 {
		next := m.queue[0]
		m.queue = m.queue[1:]
		t.enter(next)
	}
	for next := dueStop(m); t.features.boundedWork && next != nil; next = dueStop(m) {
		next.activatedAt = t.call.at
		next.updated = t.call.at
		t.enter(next)
	}
	m.dealt, m.high, m.low = false, num{}, num{}
}

// dueStop is the stop that is to be triggered next, or nil: of all that the deals reached since none
// was due, and those that were due when they came, the first in the order of stops.
func dueStop(m *market) *order {
	var due []*order
	for _, o := range m.orders {
		farthest := m.low
		if o.rises() {
			farthest = m.high
		}
		if o.waiting() && (o.due || m.dealt && o.reachedBy(farthest)) {
			due = append(due, o)
		}
	}
	if len(due) == 0 {
		return nil
	}
	return slices.MinFunc(due, stopPriority)
}

// stopPriority compares two stops: those that wait for a rise first, then the one that the price reaches
// earlier, then the one that waits longer.
func stopPriority(a, b *order) int {
	nearer := a.activation.cmp(b.activation)
	switch {
	case a.rises() && !b.rises():
		return -1
	case !a.rises() && b.rises():
		return 1
	case !a.rises():
		nearer = -nearer
	}
	return cmp.Or(nearer, cmp.Compare(a.id, b.id))
}

// enter turns a triggered stop into the order that it stands for. That is when others see that it was
// triggered.
func (t *trading) enter(o *order) {
	t.release(o, schema.ByTrigger)
	if o.collateral {
		t.enterCovered(o)
		return
	}
	found := true
	if o.bbo != schema.BBONone {
		o.price, found = bboPrice(o.market, o.side, o.bbo)
	}
	t.changed(schema.Activated, o, schema.ByTrigger)
	available := t.ledger.balance(o.account, schema.Trade, o.paysWith()).available
	cost := num{}
	if o.kind == schema.StopStockMarket && o.side == schema.Buy {
		cost, _ = t.sweep(o)
	}
	if !found || o.bbo != schema.BBONone && o.needs().more(available) || cost.more(available) {
		t.end(o, schema.Canceled, schema.ByTrigger)
		return
	}
	t.match(o)
}

// enterCovered does the same for a stop that froze nothing. One that may only reduce is cut to its position again, and one
// of a whole position is for all of it. What is left after that must be countable at a price that is picked; neither band
// nor margin is asked again.
func (t *trading) enterCovered(o *order) {
	wanted := o.left
	if o.whole() {
		wanted = t.margins.position(o).size.abs()
	}
	amount, reduces := t.margins.reducing(o, wanted)
	if o.reduceOnly && reduces {
		o.amount, o.left = amount, amount
	}
	unpriced := false
	if o.bbo != schema.BBONone {
		price, found := bboPrice(o.market, o.side, o.bbo)
		unpriced = !found || o.left.times(price).more(largest)
		if !unpriced {
			o.price = price
		}
	}
	t.changed(schema.Activated, o, schema.ByTrigger)
	if unpriced {
		t.end(o, schema.Canceled, schema.ByTrigger)
		return
	}
	if o.reduceOnly && !reduces {
		t.end(o, unreducedStatus(o), schema.ByReduceOnly)
		return
	}
	t.match(o)
}
