package trading

import (
	"cmp"
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/schema"
)

// Tick runs what is due: delisting and maintenance of markets, then kill switches.
func (e *Engine) Tick() {
	e.lastTick = e.out.Time
	for _, info := range e.listing.Markets() {
		m := e.market(info.ID)
		switch {
		case info.Delisted || m.work != nil: // what is due stays due until the market is free
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

// delist ends a market for good. Kill switches that run there fire at their time, on nothing.
func (e *Engine) delist(m *market) {
	if !e.features.BoundedWork {
		e.endAll(m, schema.Canceled, schema.ByDelisting)
		e.stopTimers(m)
	}
	m.info.Delisted, m.info.Enabled = true, false
	m.info.MaintenanceFrom, m.info.MaintenanceTo, m.info.InMaintenance = 0, 0, false
	e.out.Events.Add(&schema.MarketChanged{Market: *m.info})
	e.close(m, schema.Canceled, schema.ByDelisting)
}

// maintain begins and ends the maintenance of a market; both may be due at once.
func (e *Engine) maintain(m *market) {
	info := m.info
	if info.MaintenanceFrom != 0 && !info.InMaintenance && info.MaintenanceFrom <= e.out.Time {
		if !e.features.BoundedWork {
			e.endAll(m, schema.Maintenance, schema.ByMaintenance)
		}
		info.InMaintenance = true
		e.out.Events.Add(&schema.MarketChanged{Market: *info})
		e.close(m, schema.Maintenance, schema.ByMaintenance)
	}
	e.reopen(m, e.out.Time)
}

// reopen ends the maintenance of a market whose orders are all gone, if that is due at a moment.
func (e *Engine) reopen(m *market, at schema.Time) {
	if info := m.info; m.work == nil && info.InMaintenance && info.MaintenanceTo <= at {
		info.MaintenanceFrom, info.MaintenanceTo, info.InMaintenance = 0, 0, false
		e.out.Events.Add(&schema.MarketChanged{Market: *info})
	}
}

// close ends all orders of a market that takes no new ones, in slices if need be.
func (e *Engine) close(m *market, status schema.Status, cause schema.Cause) {
	if !e.empty(m, status, cause) {
		e.leave(&work{kind: closing, status: status, cause: cause, markets: []*market{m}})
	}
}

// empty ends the orders of a market queue by queue, the one that would trade first first. It is
// false if the slice ended before.
func (e *Engine) empty(m *market, status schema.Status, cause schema.Cause) bool {
	for q := book.Bids; q <= book.Falling; q++ {
		for slot := m.book.First(q); slot != 0; slot = m.book.First(q) {
			if e.budget <= 0 {
				return false
			}
			e.budget--
			e.cancel(m, slot, status, cause)
		}
	}
	return true
}

// endAll is what empty did before BoundedWork: it ends all orders of a market in the order in which
// they were placed.
func (e *Engine) endAll(m *market, status schema.Status, cause schema.Cause) {
	for _, slot := range m.slots() {
		e.cancel(m, slot, status, cause)
	}
}

// stopTimers removes the kill switches of a market; before BoundedWork they ended with it.
func (e *Engine) stopTimers(m *market) {
	for _, i := range e.timersOf(m.info.ID) {
		e.stopTimer(i, false)
	}
}

// slots are the orders of a market by id.
func (m *market) slots() []book.Slot {
	slots := make([]book.Slot, 0, m.book.Len())
	for q := book.Bids; q <= book.Falling; q++ {
		slots = slices.AppendSeq(slots, m.book.Orders(q))
	}
	if m.entry.slot != 0 {
		slots = append(slots, m.entry.slot)
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
