package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// tick closes and opens markets, in the order of their ids, and then runs kill switches.
func (t *trading) tick() {
	for _, m := range t.all() {
		switch {
		case m.Delisted:
		case m.DelistsAt != 0 && m.DelistsAt <= t.call.at:
			t.delist(m)
		default:
			t.maintain(m)
		}
	}
	t.fireSwitches()
}

// delist ends a market for good.
func (t *trading) delist(m *market) {
	t.close(m, schema.Canceled, schema.ByDelisting)
	m.Delisted, m.Enabled = true, false
	m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = 0, 0, false
	t.listing.changed(m.MarketInfo)
	if !t.features.boundedWork {
		t.removeSwitches(func(k schema.KillSwitch) bool { return k.Market == m.ID })
	}
}

// maintain begins and ends the maintenance of a market, both when the tick comes late.
func (t *trading) maintain(m *market) {
	if m.MaintenanceFrom != 0 && !m.InMaintenance && m.MaintenanceFrom <= t.call.at {
		t.close(m, schema.Maintenance, schema.ByMaintenance)
		m.InMaintenance = true
		t.listing.changed(m.MarketInfo)
	}
	if m.InMaintenance && m.MaintenanceTo <= t.call.at {
		m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = 0, 0, false
		t.listing.changed(m.MarketInfo)
	}
}

// close ends all orders of a market, in the order of their ids, or with bounded work queue by queue.
func (t *trading) close(m *market, status schema.Status, cause schema.Cause) {
	if t.features.boundedWork {
		slices.SortFunc(m.orders, queueOrder)
	}
	t.endAll(m, status, cause, func(*order) bool { return true })
}

// queueOrder compares two open orders by the queues in which they stand: public bids and asks, RPI
// bids and asks, stops that wait for a rise and for a fall; within one by who would trade or be triggered first.
func queueOrder(a, b *order) int {
	queue := func(o *order) int {
		switch {
		case o.waiting():
			return 2
		case o.rpi:
			return 1
		}
		return 0
	}
	switch {
	case queue(a) != queue(b):
		return cmp.Compare(queue(a), queue(b))
	case a.waiting():
		return stopPriority(a, b)
	case a.side != b.side:
		return cmp.Compare(a.side, b.side)
	}
	return priority(a, b)
}
