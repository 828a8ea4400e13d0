package earn

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// perUnit is how often the index has to grow by one for an amount to be paid as much again: 8,760 hours of 10^9, a rate of 1 for a year.
const perUnit = 8760 * 1_000_000_000

// accrual is what a flex investment earns. What it earned up to base is in interest and rest; what waits earns when the next hour begins.
//
// Interest is counted in the smallest numbers there are and not in units of the asset: so it is the same whatever becomes of the precision
// of the asset, which decides what of it is credited.
type accrual struct {
	base    uint64        // the index up to which the rest of the amount was paid
	waiting fixed.Decimal // of the amount
	from    uint64        // the index at which that begins to earn
	joins   uint32        // and the hour
	day     uint32        // days since 1970 at whose beginning it was credited
	rest    uint64        // of interest, in parts of perUnit
}

// settle adds what an investment earned until an hour began, at which the index was known.
func (v *investment) settle(index uint64, hour uint32) {
	v.accrue(v.amount.Sub(v.waiting), index-v.base)
	v.base = index
	if !v.waiting.IsZero() && v.joins <= hour {
		v.accrue(v.waiting, index-v.from)
		v.waiting, v.from, v.joins = fixed.Zero, 0, 0
	}
}

func (v *investment) accrue(amount fixed.Decimal, growth uint64) {
	more, rest, fits := amount.Carry(growth, perUnit, v.rest)
	if fits {
		more, fits = v.interest.AddChecked(more)
	}
	if !fits {
		more, rest = fixed.Max, 0
	}
	v.interest, v.rest = more, rest
}

// wait lets new money wait for the next hour. What waited for this one was settled.
func (v *investment) wait(amount fixed.Decimal, m meter) {
	v.waiting, v.from, v.joins = v.waiting.Add(amount), m.index+m.running, m.hour+1
}

// take takes money out.
func (v *investment) take(amount fixed.Decimal) {
	if v.waiting = v.waiting.Sub(fixed.MinOf(v.waiting, amount)); v.waiting.IsZero() {
		v.from, v.joins = 0, 0
	}
}

// credit is what an investment is paid for the days that ended.
type credit struct {
	amount     fixed.Decimal
	reinvested fixed.Decimal // of it
	owed       bool          // nothing is paid yet
}

// credited is an investment after the credit of the last midnight, and that credit, which is zero if it was credited already. It changes
// nothing, as the command may yet be refused.
func (e *Earn) credited(p *plan, m meter, v investment) (investment, credit) {
	var c credit
	today := e.today()
	if v.day >= today {
		return v, c
	}
	v.settle(m.midnight, today*24)
	v.day = today
	if c.amount = e.whole(p, v.interest); c.amount.IsZero() {
		return v, c
	}
	v.interest = v.interest.Sub(c.amount)
	c.owed = !e.pays(p.Asset, c.amount)
	if v.reinvest && !c.owed {
		c.reinvested = c.amount
		if !p.Max.IsZero() {
			c.reinvested = fixed.MinOf(c.amount, fixed.MaxOf(fixed.Zero, p.Max.Sub(v.amount)))
		}
		if !c.reinvested.IsZero() {
			v.amount, v.updated = v.amount.Add(c.reinvested), e.out.Time
		}
	}
	return v, c
}

// whole is what of interest can be credited: whole units of the asset, rounded down.
func (e *Earn) whole(p *plan, interest fixed.Decimal) fixed.Decimal {
	units, _ := interest.Round(int(e.listing.Asset(p.Asset).Precision), fixed.Down) // which always fits
	return units
}

// book lets credited come true.
func (e *Earn) book(p *plan, place uint32, v investment, c credit) {
	*e.open.At(place) = v
	if !c.amount.IsZero() {
		e.pay(p, &v, c)
	}
}

// pay pays a credit, or notes that it is owed.
func (e *Earn) pay(p *plan, v *investment, c credit) {
	if c.owed {
		e.owe(v, p.Asset, c.amount)
		return
	}
	house := e.house(p.Asset)
	if !c.reinvested.IsZero() {
		e.ledger.Move(house, v.earn, c.reinvested, v.note())
		p.total = p.total.Add(c.reinvested)
	}
	if rest := c.amount.Sub(c.reinvested); !rest.IsZero() {
		e.toMain(v, house, p.Asset, rest)
	}
	if !c.reinvested.IsZero() {
		e.changed(v.public())
	}
	e.earned(v, p.Asset, c.amount, schema.EarnDaily)
	if !c.reinvested.IsZero() {
		e.earned(v, p.Asset, c.reinvested, schema.EarnReinvested)
	}
}

// round is how far crediting the last day has come.
type round struct {
	day  uint32 // at whose beginning it is; 0 while there are no flex investments
	next uint32 // place of the investment that is looked at next; 0: all were
}

// creditSome credits flex investments as of the last midnight, some at once. A midnight that comes before all were looked at begins
// again with the first.
func (e *Earn) creditSome() {
	if e.flexes.First == 0 {
		return
	}
	if today := e.today(); today > e.round.day {
		e.round = round{day: today, next: e.flexes.First}
	}
	for range creditSlice {
		place := e.round.next
		if place == 0 {
			return
		}
		at := e.open.At(place)
		e.round.next = at.After
		p := e.plan(at.plan)
		p.meter = e.read(p)
		v, c := e.credited(p, p.meter, *at)
		e.book(p, place, v, c)
	}
}
