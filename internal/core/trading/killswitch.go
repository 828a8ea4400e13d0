package trading

import (
	"cmp"
	"fmt"
	"slices"

	"bourse/internal/schema"
)

// timer is a desk's kill switch; deadline 0: none runs.
type timer struct {
	start    schema.Time
	deadline schema.Time
	products schema.Products
	at       uint32 // where the desk stands among the timers
}

// timers are the desks whose kill switch runs: a binary heap with the next to fire in front. Two
// never compare equal, so the order in which they fire does not depend on how the heap came about.
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
	e.timers = append(e.timers, i)
	e.raise(len(e.timers)-1, i)
}

func (e *Engine) stopTimer(i uint32, fired bool) {
	last := len(e.timers) - 1
	moved := e.timers[last]
	e.timers = e.timers[:last]
	if at := int(e.desks.At(i).timer.at); at < last {
		e.lower(at, moved)
		e.raise(int(e.desks.At(moved).timer.at), moved)
	}
	e.out.Events.Add(&schema.KillSwitchChanged{Timer: e.killSwitch(i), Fired: fired})
	e.desks.At(i).timer = timer{}
}

// raise puts a desk into a free place of the heap or, as long as it fires earlier than what is
// above, further up.
func (e *Engine) raise(at int, i uint32) {
	for at > 0 {
		above := (at - 1) / 2
		if e.compare(i, e.timers[above]) > 0 {
			break
		}
		e.seat(at, e.timers[above])
		at = above
	}
	e.seat(at, i)
}

// lower puts a desk into a free place of the heap or, as long as it fires later than what is below,
// further down.
func (e *Engine) lower(at int, i uint32) {
	for {
		below := 2*at + 1
		if below >= len(e.timers) {
			break
		}
		if other := below + 1; other < len(e.timers) && e.compare(e.timers[other], e.timers[below]) < 0 {
			below = other
		}
		if e.compare(i, e.timers[below]) < 0 {
			break
		}
		e.seat(at, e.timers[below])
		at = below
	}
	e.seat(at, i)
}

func (e *Engine) seat(at int, i uint32) {
	e.timers[at] = i
	e.desks.At(i).timer.at = uint32(at)
}

// timersOf are the desks of a market whose kill switch runs, the next to fire first.
func (e *Engine) timersOf(market schema.MarketID) []uint32 {
	var desks []uint32
	for _, i := range e.timers {
		if e.desks.At(i).market == market {
			desks = append(desks, i)
		}
	}
	slices.SortFunc(desks, e.compare)
	return desks
}

// verifyTimers checks that exactly the running timers are in the heap, each where it believes to be
// and none before one that fires earlier.
func (e *Engine) verifyTimers() error {
	running := 0
	for i := uint32(1); i < e.desks.End(); i++ {
		if e.desks.At(i).timer.deadline != 0 {
			running++
		}
	}
	if running != len(e.timers) {
		return fmt.Errorf("%d kill switches run and %d are waited for", running, len(e.timers))
	}
	for at, i := range e.timers {
		d := e.desks.At(i)
		if d.timer.deadline == 0 || d.timer.at != uint32(at) || at > 0 && e.compare(e.timers[(at-1)/2], i) >= 0 {
			return fmt.Errorf("the kill switch of account %d on market %d is out of order", d.account, d.market)
		}
	}
	return nil
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
//
// What follows the primaries that they end comes when all have fired: it may trade at once.
func (e *Engine) fireTimers() {
	fired := false
	for e.timersDue() && e.budget > 0 {
		i := e.timers[0]
		d := e.desks.At(i)
		m := e.market(d.market)
		if m.work != nil {
			break
		}
		products := d.timer.products
		e.stopTimer(i, true)
		e.budget--
		fired = true
		if m.has(products) && !e.cancelDesk(d, products, 0, schema.ByKillSwitch) {
			e.leave(&work{kind: clearing, account: d.account, products: products, cause: schema.ByKillSwitch, markets: []*market{m}})
		}
	}
	if !fired {
		return
	}
	e.late = e.timersDue()
	for _, m := range e.markets {
		if len(m.heirs) > 0 && m.work == nil && !e.wake(m) {
			e.leave(&work{kind: placing, markets: []*market{m}})
		}
	}
}

// timersDue reports whether kill switches wait to be fired.
func (e *Engine) timersDue() bool {
	return len(e.timers) > 0 && e.desks.At(e.timers[0]).timer.deadline <= e.lastTick
}

// overdue reports whether an order of a desk is to be canceled by a kill switch that has not fired yet.
func (e *Engine) overdue(m *market, desk uint32, f flags) bool {
	t := &e.desks.At(desk).timer
	return t.due(e.lastTick) && t.products.Includes(m.product(f))
}

// due reports whether the time of a kill switch was up at a moment.
func (t *timer) due(at schema.Time) bool { return t.deadline != 0 && t.deadline <= at }
