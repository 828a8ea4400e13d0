package trading

import (
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Level is a price of the public book and what stands there.
type Level struct {
	Price  fixed.Decimal
	Amount fixed.Decimal
}

// Depth is the public book of a market: one side, best first, at most limit levels.
func (e *Engine) Depth(id schema.MarketID, side schema.Side, limit int) []Level {
	m := e.market(id)
	var levels []Level
	for l := range m.book.Levels(queue(side, false)) {
		if len(levels) == limit {
			break
		}
		levels = append(levels, Level{m.price(l.Price), m.amount(l.Lots)})
	}
	return levels
}

// Count is how many orders are open on a market.
func (e *Engine) Count(id schema.MarketID) int { return e.market(id).book.Len() }

// Open are the open orders of an account on a market, by id.
func (e *Engine) Open(account schema.AccountID, id schema.MarketID) []schema.Order {
	return e.open(account, id, func(flags) bool { return true })
}

// Grouped are those of an account's open orders on a market that are part of an OCO or the primary of an OTO, by id.
func (e *Engine) Grouped(account schema.AccountID, id schema.MarketID) []schema.Order {
	return e.open(account, id, func(f flags) bool { return f.has(member) })
}

// open are those of an account's open orders on a market that are meant, by id.
func (e *Engine) open(account schema.AccountID, id schema.MarketID, meant func(flags) bool) []schema.Order {
	i := e.findDesk(account, id)
	if i == 0 {
		return nil
	}
	m := e.market(id)
	var orders []schema.Order
	for slot := e.desks.At(i).first; slot != 0; slot = m.book.At(slot).Terms.next {
		if meant(m.book.At(slot).Terms.flags) {
			orders = append(orders, e.snapshot(m, slot))
		}
	}
	return orders
}

// Guards are the take profits and stop losses of an account's whole positions on a market.
func (e *Engine) Guards(account schema.AccountID, id schema.MarketID) []schema.Order {
	i := e.findDesk(account, id)
	if i == 0 {
		return nil
	}
	var orders []schema.Order
	for _, slot := range e.desks.At(i).guards {
		if slot != 0 {
			orders = append(orders, e.snapshot(e.market(id), slot))
		}
	}
	return orders
}

// CountOf is how many orders an account has open on a market.
func (e *Engine) CountOf(account schema.AccountID, id schema.MarketID) int {
	i := e.findDesk(account, id)
	if i == 0 {
		return 0
	}
	return int(e.desks.At(i).count)
}

// Find is the open order of an account that a reference names.
func (e *Engine) Find(account schema.AccountID, ref *schema.OrderRef) (schema.Order, bool) {
	m, slot, r := e.find(account, ref)
	if r.Refused() {
		return schema.Order{}, false
	}
	return e.snapshot(m, slot), true
}

// All are the open orders of a market, by id.
func (e *Engine) All(id schema.MarketID) []schema.Order {
	m := e.market(id)
	var orders []schema.Order
	for _, slot := range m.slots() {
		orders = append(orders, e.snapshot(m, slot))
	}
	return orders
}

func (e *Engine) snapshot(m *market, slot book.Slot) (v schema.Order) {
	var o order
	e.load(m, slot, &o)
	e.view(m, &o, o.status(), &v)
	return v
}

// KillSwitches are the running timers, the next to fire first.
func (e *Engine) KillSwitches() []schema.KillSwitch {
	var running []schema.KillSwitch
	for _, i := range slices.SortedFunc(slices.Values(e.timers), e.compare) {
		running = append(running, e.killSwitch(i))
	}
	return running
}

// Timers are the running kill switches of an account, by market.
func (e *Engine) Timers(account schema.AccountID) []schema.KillSwitch {
	var running []schema.KillSwitch
	for i := range e.desksOf(account) {
		if e.desks.At(i).timer.deadline != 0 {
			running = append(running, e.killSwitch(i))
		}
	}
	return running
}

// Fees are the fees that an account was assigned, by market.
func (e *Engine) Fees(account schema.AccountID) []schema.SetFee {
	var assigned []schema.SetFee
	for i := range e.desksOf(account) {
		if d := e.desks.At(i); d.maker.Set() || d.taker.Set() {
			assigned = append(assigned, schema.SetFee{Account: account, Market: d.market, Maker: d.maker, Taker: d.taker})
		}
	}
	return assigned
}

// Rates are the fees that an account pays on a market, in percent.
func (e *Engine) Rates(account schema.AccountID, id schema.MarketID) (maker, taker fixed.Decimal) {
	m := e.market(id)
	d := &desk{account: account, market: id}
	if i := e.findDesk(account, id); i != 0 {
		d = e.desks.At(i)
	}
	return e.makerRate(m, d, false), e.takerRate(m, d)
}
