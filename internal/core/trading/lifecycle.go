package trading

import (
	"cmp"
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/schema"
)

// Tick runs what is due: delisting and maintenance of markets, then kill switches.
func (e *Engine) Tick() {
	for _, info := range e.listing.Markets() {
		m := e.market(info.ID)
		switch {
		case info.Delisted:
		case info.DelistsAt != 0 && info.DelistsAt <= e.out.Time:
			e.delist(m)
		default:
			e.maintain(m)
		}
	}
	e.fireTimers()
}

// NextTimer is when the next tick has something to do; it is false when no timer runs.
func (e *Engine) NextTimer() (next schema.Time, running bool) {
	note := func(at schema.Time) {
		if at != 0 && (!running || at < next) {
			next, running = at, true
		}
	}
	for _, info := range e.listing.Markets() {
		switch {
		case info.Delisted:
			continue
		case info.InMaintenance:
			note(info.MaintenanceTo)
		default:
			note(info.MaintenanceFrom)
		}
		note(info.DelistsAt)
	}
	if len(e.timers) > 0 {
		note(e.desks.At(e.timers[0]).timer.deadline)
	}
	return next, running
}

// delist ends a market for good.
func (e *Engine) delist(m *market) {
	e.closeAll(m, schema.Canceled, schema.ByDelisting)
	for _, i := range slices.Clone(e.timers) {
		if e.desks.At(i).market == m.info.ID {
			e.stopTimer(i, false)
		}
	}
	m.info.Delisted, m.info.Enabled = true, false
	m.info.MaintenanceFrom, m.info.MaintenanceTo, m.info.InMaintenance = 0, 0, false
	e.out.Events.Add(&schema.MarketChanged{Market: *m.info})
}

// maintain begins and ends the maintenance of a market; both may be due at once.
func (e *Engine) maintain(m *market) {
	info := m.info
	if info.MaintenanceFrom != 0 && !info.InMaintenance && info.MaintenanceFrom <= e.out.Time {
		e.closeAll(m, schema.Maintenance, schema.ByMaintenance)
		info.InMaintenance = true
		e.out.Events.Add(&schema.MarketChanged{Market: *info})
	}
	if info.InMaintenance && info.MaintenanceTo <= e.out.Time {
		info.MaintenanceFrom, info.MaintenanceTo, info.InMaintenance = 0, 0, false
		e.out.Events.Add(&schema.MarketChanged{Market: *info})
	}
}

// closeAll ends all orders of a market in the order in which they were placed.
func (e *Engine) closeAll(m *market, status schema.Status, cause schema.Cause) {
	for _, slot := range m.slots() {
		e.cancel(m, slot, status, cause)
	}
}

// slots are the orders of a market by id.
func (m *market) slots() []book.Slot {
	slots := make([]book.Slot, 0, m.book.Len())
	for q := book.Bids; q <= book.Falling; q++ {
		slots = slices.AppendSeq(slots, m.book.Orders(q))
	}
	slices.SortFunc(slots, m.byID)
	return slots
}

// byID orders the orders of a market by the time they were placed.
func (m *market) byID(a, b book.Slot) int { return cmp.Compare(m.book.At(a).ID, m.book.At(b).ID) }

// PlanMaintenance sets or withdraws the maintenance of a market.
func (e *Engine) PlanMaintenance(c *schema.PlanMaintenance) schema.Rejection {
	m := e.market(c.Market)
	switch {
	case m == nil:
		return schema.Refuse(schema.MarketUnavailable)
	case m.info.Delisted:
		return schema.Refuse(schema.MarketDelisted)
	case c.From == 0:
		m.info.MaintenanceFrom, m.info.MaintenanceTo, m.info.InMaintenance = 0, 0, false
	case m.info.InMaintenance || c.To <= c.From || c.From < e.out.Time:
		return schema.Refuse(schema.TimesInvalid)
	default:
		m.info.MaintenanceFrom, m.info.MaintenanceTo = c.From, c.To
	}
	e.out.Events.Add(&schema.MarketChanged{Market: *m.info})
	return schema.Rejection{}
}

// PlanDelisting sets or withdraws the end of a market.
func (e *Engine) PlanDelisting(c *schema.PlanDelisting) schema.Rejection {
	m := e.market(c.Market)
	switch {
	case m == nil:
		return schema.Refuse(schema.MarketUnavailable)
	case m.info.Delisted:
		return schema.Refuse(schema.MarketDelisted)
	case c.At != 0 && c.At < e.out.Time:
		return schema.Refuse(schema.TimesInvalid)
	}
	m.info.DelistsAt = c.At
	e.out.Events.Add(&schema.MarketChanged{Market: *m.info})
	return schema.Rejection{}
}
