package naive

import "bourse/internal/schema"

// trigger finds the waiting stops that the last price reaches and queues them by id. They keep
// their holds until their turn comes, so that none can use the money of another.
func (x *Exchange) trigger(m *market) {
	for _, o := range m.orders {
		if o.waiting() && !beyond(o.side, o.activation, m.last) {
			o.activatedAt = x.at
			o.updated = x.at
			m.queue = append(m.queue, o)
		}
	}
}

// runStops lets triggered stops enter, and those that they trigger, until there are none.
func (x *Exchange) runStops(m *market) {
	for len(m.queue) > 0 {
		next := m.queue[0]
		m.queue = m.queue[1:]
		x.enter(next)
	}
}

// enter turns a triggered stop into the order that it stands for.
func (x *Exchange) enter(o *order) {
	x.release(o)
	if o.bbo != schema.BBONone {
		price, ok := bboPrice(o.market, o.side, o.bbo)
		if !ok {
			x.end(o, schema.Canceled)
			return
		}
		o.price = price
		if o.needs().more(x.balance(o.account, schema.Trade, o.paysWith()).available) {
			x.end(o, schema.Canceled)
			return
		}
	}
	if o.kind == schema.StopStockMarket && o.side == schema.Buy &&
		sweepCost(o).more(x.balance(o.account, schema.Trade, o.paysWith()).available) {
		x.end(o, schema.Canceled)
		return
	}
	x.match(o)
}
