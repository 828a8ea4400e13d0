package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// tick runs everything that is due.
func (x *Exchange) tick() schema.Result {
	if x.at <= x.lastTick {
		return schema.Result{}
	}
	x.lastTick = x.at
	for _, m := range x.markets {
		switch {
		case m.Delisted:
		case m.DelistsAt != 0 && m.DelistsAt <= x.at:
			x.delist(m)
		default:
			x.maintain(m)
		}
	}
	x.fireSwitches()
	return schema.Result{}
}

// delist ends a market for good.
func (x *Exchange) delist(m *market) {
	x.close(m, schema.Canceled)
	m.Delisted, m.Enabled = true, false
	m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = 0, 0, false
	if !x.boundedWork {
		x.switches = slices.DeleteFunc(x.switches, func(k schema.KillSwitch) bool { return k.Market == m.ID })
	}
}

// maintain begins and ends the maintenance of a market, both when the tick comes late.
func (x *Exchange) maintain(m *market) {
	if m.MaintenanceFrom != 0 && !m.InMaintenance && m.MaintenanceFrom <= x.at {
		x.close(m, schema.Maintenance)
		m.InMaintenance = true
	}
	if m.InMaintenance && m.MaintenanceTo <= x.at {
		m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = 0, 0, false
	}
}

// close ends all orders of a market, in the order of their ids, or with bounded work queue by queue.
func (x *Exchange) close(m *market, status schema.Status) {
	if x.boundedWork {
		slices.SortFunc(m.orders, queueOrder)
	}
	x.endAll(m, status, func(*order) bool { return true })
}

// queueOrder compares two open orders by the queues in which they stand: public bids and asks, RPI
// bids and asks, buy and sell stops; within one by who would trade or be triggered first.
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
	byQueue := cmp.Or(cmp.Compare(queue(a), queue(b)), cmp.Compare(a.side, b.side))
	switch {
	case byQueue != 0:
		return byQueue
	case a.waiting():
		return stopPriority(a, b)
	}
	return priority(a, b)
}

// fireSwitches runs the kill switches that are due, by deadline, account and market.
func (x *Exchange) fireSwitches() {
	var due, later []schema.KillSwitch
	for _, k := range x.switches {
		if k.Deadline <= x.at {
			due = append(due, k)
		} else {
			later = append(later, k)
		}
	}
	x.switches = later
	slices.SortFunc(due, func(a, b schema.KillSwitch) int {
		return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Market, b.Market))
	})
	for _, k := range due {
		x.cancelSpot(x.market(k.Market), k.Account, k.Products)
	}
}

func (x *Exchange) setKillSwitch(c *schema.SetKillSwitch) schema.Result {
	_, r := x.trader(c.Account)
	m := x.market(c.Market)
	switch {
	case r.Refused():
		return reject(r)
	case m == nil, c.Timeout != 0 && (!m.Enabled || m.Delisted):
		return refuse(schema.MarketUnavailable)
	case c.Timeout != 0 && c.Timeout < schema.MinKillSwitch:
		return refuse(schema.TimeoutTooShort)
	case c.Timeout > schema.MaxKillSwitch:
		return refuse(schema.TimeoutTooLong)
	case !validProducts(c.Products):
		return refuse(schema.ProductsInvalid)
	}
	x.removeSwitch(c.Account, c.Market)
	if c.Timeout == 0 {
		return schema.Result{}
	}
	timer := schema.KillSwitch{
		Account: c.Account, Market: c.Market,
		Start: x.at, Deadline: x.at + c.Timeout, Products: c.Products,
	}
	x.switches = append(x.switches, timer)
	return schema.Result{Timer: timer}
}

func (x *Exchange) removeSwitch(a schema.AccountID, m schema.MarketID) {
	x.switches = slices.DeleteFunc(x.switches, func(k schema.KillSwitch) bool {
		return k.Account == a && k.Market == m
	})
}

func (x *Exchange) planMaintenance(c *schema.PlanMaintenance) schema.Result {
	m := x.market(c.Market)
	switch {
	case m == nil:
		return refuse(schema.MarketUnavailable)
	case m.Delisted:
		return refuse(schema.MarketDelisted)
	case c.From == 0:
		m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = 0, 0, false
		return schema.Result{}
	case c.To <= c.From, c.From < x.at, m.InMaintenance:
		return refuse(schema.TimesInvalid)
	}
	m.MaintenanceFrom, m.MaintenanceTo = c.From, c.To
	return schema.Result{}
}

func (x *Exchange) planDelisting(c *schema.PlanDelisting) schema.Result {
	m := x.market(c.Market)
	switch {
	case m == nil:
		return refuse(schema.MarketUnavailable)
	case m.Delisted:
		return refuse(schema.MarketDelisted)
	case c.At != 0 && c.At < x.at:
		return refuse(schema.TimesInvalid)
	}
	m.DelistsAt = c.At
	return schema.Result{}
}
