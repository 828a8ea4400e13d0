package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// Bounds of the timeout of a kill switch.
const (
	shortestTimeout = 5_000_000 * schema.Microsecond
	longestTimeout  = 600_000_000 * schema.Microsecond
)

func (t *trading) setKillSwitch(c *schema.SetKillSwitch) schema.Result {
	_, r := t.accounts.trader(c.Account)
	m := t.market(c.Market)
	switch {
	case refused(r):
		return reject(r)
	case m == nil, c.Timeout != 0 && (!m.Enabled || m.Delisted):
		return refuse(schema.MarketUnavailable)
	case c.Timeout != 0 && c.Timeout < shortestTimeout:
		return refuse(schema.TimeoutTooShort)
	case c.Timeout > longestTimeout:
		return refuse(schema.TimeoutTooLong)
	case !validProducts(c.Products):
		return refuse(schema.ProductsInvalid)
	}
	t.removeSwitches(func(k schema.KillSwitch) bool { return k.Account == c.Account && k.Market == c.Market })
	if c.Timeout == 0 {
		return schema.Result{}
	}
	timer := schema.KillSwitch{
		Account: c.Account, Market: c.Market,
		Start: t.call.at, Deadline: t.call.at + c.Timeout, Products: c.Products,
	}
	t.switches = append(t.switches, timer)
	t.call.record(&schema.KillSwitchChanged{Timer: timer, Running: true})
	return schema.Result{Timer: timer}
}

// fireSwitches runs the kill switches that are due, by deadline, account and market, and then what follows from it.
func (t *trading) fireSwitches() {
	var due, later []schema.KillSwitch
	for _, k := range t.switches {
		if k.Deadline <= t.call.at {
			due = append(due, k)
		} else {
			later = append(later, k)
		}
	}
	t.switches = later
	slices.SortFunc(due, earlier)
	for _, k := range due {
		t.call.record(&schema.KillSwitchChanged{Timer: k, Fired: true})
		t.cancelProducts(t.market(k.Market), k.Account, k.Products, 0, schema.ByKillSwitch)
	}
	for _, m := range t.all() {
		t.comeToRest(m)
	}
}

// removeSwitches removes the kill switches that are chosen, the next to fire first.
func (t *trading) removeSwitches(chosen func(schema.KillSwitch) bool) {
	var gone, others []schema.KillSwitch
	for _, k := range t.switches {
		if chosen(k) {
			gone = append(gone, k)
		} else {
			others = append(others, k)
		}
	}
	t.switches = others
	slices.SortFunc(gone, earlier)
	for _, k := range gone {
		t.call.record(&schema.KillSwitchChanged{Timer: k})
	}
}

// earlier compares two timers by the order in which they fire.
func earlier(a, b schema.KillSwitch) int {
	return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Market, b.Market))
}
