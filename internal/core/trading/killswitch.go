package trading

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// timer is a desk's kill switch; deadline 0: none runs.
type timer struct {
	start    schema.Time
	deadline schema.Time
	products schema.Products
}

// timers are the desks whose kill switch runs, the next to fire first.
type timers []uint32

// compare orders running timers by deadline, account and market.
func (e *Engine) compare(a, b uint32) int {
	x, y := e.desks.At(a), e.desks.At(b)
	return cmp.Or(
		cmp.Compare(x.timer.deadline, y.timer.deadline),
		cmp.Compare(x.account, y.account),
		cmp.Compare(x.market, y.market))
}

// SetKillSwitch starts, restarts or removes the timer of an account on a market.
func (e *Engine) SetKillSwitch(c *schema.SetKillSwitch) schema.Rejection {
	_, r := e.accounts.Customer(c.Account)
	m := e.market(c.Market)
	switch {
	case r.Refused():
		return r
	case m == nil || c.Timeout != 0 && (!m.info.Enabled || m.info.Delisted):
		return schema.Refuse(schema.MarketUnavailable)
	case c.Timeout != 0 && c.Timeout < schema.MinKillSwitch:
		return schema.Refuse(schema.TimeoutTooShort)
	case c.Timeout > schema.MaxKillSwitch:
		return schema.Refuse(schema.TimeoutTooLong)
	case c.Products > allProducts:
		return schema.Refuse(schema.ProductsInvalid)
	}
	if i := e.findDesk(c.Account, c.Market); i != 0 && e.desks.At(i).timer.deadline != 0 {
		e.stopTimer(i, false)
	}
	if c.Timeout == 0 {
		return schema.Rejection{}
	}
	i := e.openDesk(c.Account, m)
	e.desks.At(i).timer = timer{start: e.out.Time, deadline: e.out.Time + c.Timeout, products: c.Products}
	e.startTimer(i)
	e.out.Result.Timer = e.killSwitch(i)
	e.out.Events.Add(&schema.KillSwitchChanged{Timer: e.killSwitch(i), Running: true})
	return schema.Rejection{}
}

func (e *Engine) startTimer(i uint32) {
	at, _ := slices.BinarySearchFunc(e.timers, i, e.compare)
	e.timers = slices.Insert(e.timers, at, i)
}

func (e *Engine) stopTimer(i uint32, fired bool) {
	at, _ := slices.BinarySearchFunc(e.timers, i, e.compare)
	e.timers = slices.Delete(e.timers, at, at+1)
	e.out.Events.Add(&schema.KillSwitchChanged{Timer: e.killSwitch(i), Fired: fired})
	e.desks.At(i).timer = timer{}
}

// killSwitch is the running timer of a desk as the world sees it.
func (e *Engine) killSwitch(i uint32) schema.KillSwitch {
	d := e.desks.At(i)
	return schema.KillSwitch{
		Account: d.account, Market: d.market,
		Start: d.timer.start, Deadline: d.timer.deadline, Products: d.timer.products,
	}
}

// fireTimers cancels the orders of all desks whose time was up at the last tick. What does not fit
// the slice, or stands behind a market that is busy, fires with a later one; until then nothing
// trades with those orders (see overdue).
func (e *Engine) fireTimers() {
	for e.timersDue() && e.budget > 0 {
		i := e.timers[0]
		d := e.desks.At(i)
		m := e.market(d.market)
		if m.work != nil {
			return
		}
		spot := d.timer.products.Includes(schema.SpotOrders)
		e.stopTimer(i, true)
		e.budget--
		if spot && !e.clear(d, schema.ByKillSwitch) {
			e.leave(&work{kind: clearing, account: d.account, cause: schema.ByKillSwitch, markets: []*market{m}})
		}
	}
}

// timersDue reports whether kill switches wait to be fired.
func (e *Engine) timersDue() bool {
	return len(e.timers) > 0 && e.desks.At(e.timers[0]).timer.deadline <= e.lastTick
}

// overdue reports whether the orders of a desk are to be canceled by a kill switch that has not
// fired yet.
func (e *Engine) overdue(desk uint32) bool {
	t := &e.desks.At(desk).timer
	return t.deadline != 0 && t.deadline <= e.lastTick && t.products.Includes(schema.SpotOrders)
}
