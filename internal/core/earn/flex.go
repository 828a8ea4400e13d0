package earn

import (
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func (e *Earn) investFlex(m *schema.Invest, p *plan) schema.Rejection {
	place, count := e.inPlan(m.Account, p.ID)
	meter := e.read(p)
	var v investment
	var c credit
	if place != 0 {
		v, c = e.credited(p, meter, *e.open.At(place))
	}
	if r := e.mayInvestFlex(m, p, &v, &c, count); r.Refused() {
		return r
	}
	p.meter = meter
	action := schema.EarnInvested
	if place == 0 {
		action = schema.EarnOpened
		place = e.add(investment{
			id: e.number(), account: m.Account, plan: p.ID, created: e.out.Time, accrual: accrual{base: meter.index, day: e.today()},
		})
	} else {
		e.book(p, place, v, c)
	}
	at := e.open.At(place)
	at.settle(meter.index, meter.hour)
	at.wait(m.Amount, meter)
	at.amount, p.total = at.amount.Add(m.Amount), p.total.Add(m.Amount)
	at.reinvest, at.updated = m.Reinvest, e.out.Time
	e.ledger.Move(at.main, at.earn, m.Amount, at.note())
	e.changed(at.public())
	e.out.Result.ID = uint64(e.earned(at, p.Asset, m.Amount, action))
	return schema.Rejection{}
}

// mayInvestFlex checks an investment in a flex plan. What the account has there already counts as it is after the credit that comes first;
// what that credit brings to the main wallet is not there yet.
func (e *Earn) mayInvestFlex(m *schema.Invest, p *plan, v *investment, c *credit, count int) schema.Rejection {
	total := p.total.Add(c.reinvested)
	switch {
	case exceeds(total, m.Amount, p.Cap):
		return schema.Refuse(schema.InvestmentAboveLimit)
	case v.id == 0 && full(count).Refused():
		return full(count)
	case v.id == 0 && m.Amount.Less(p.Min):
		return schema.Refuse(schema.InvestmentBelowMin)
	case exceeds(m.Amount, fixed.Zero, p.Max):
		return schema.Refuse(schema.InvestmentAboveMax)
	case exceeds(v.amount, m.Amount, p.Max):
		return schema.Refuse(schema.InvestmentAboveLimit)
	}
	if r := e.mayLeave(m, p.Asset); r.Refused() {
		return r
	}
	// What was in a main wallet and what is in the plan are parts of what customers own, so that their sum fits.
	oneDay, fits := fixed.MulDiv(total.Add(m.Amount), p.Rate, fixed.FromInt(365), int(e.listing.Asset(p.Asset).Precision), fixed.Up)
	available := e.ledger.Available(e.house(p.Asset))
	if !c.owed {
		available = available.Sub(c.amount)
	}
	if !fits || c.owed || e.owes(p.Asset) || oneDay.Cmp(available) > 0 {
		return schema.Refuse(schema.InterestNotCovered)
	}
	return schema.Rejection{}
}

func (e *Earn) divestFlex(m *schema.Divest) schema.Rejection {
	place, _ := e.inPlan(m.Account, m.Plan)
	if place == 0 || e.plan(m.Plan).Kind != schema.FlexPlan {
		return schema.Refuse(schema.InvestmentUnknown)
	}
	p := e.plan(m.Plan)
	meter := e.read(p)
	v, c := e.credited(p, meter, *e.open.At(place))
	amount := v.amount
	if !m.All {
		amount = m.Amount
		if r := wallet.CheckAmount(amount, e.listing.Asset(p.Asset).Precision); r.Refused() {
			return r
		}
		switch {
		case amount.Cmp(v.amount) > 0:
			return schema.Refuse(schema.DivestTooMuch)
		case amount != v.amount && v.amount.Sub(amount).Less(p.Min):
			return schema.Refuse(schema.DivestLeavesTooLittle)
		}
	}
	p.meter = meter
	e.book(p, place, v, c)
	at := e.open.At(place)
	at.settle(meter.index, meter.hour)
	if amount == at.amount {
		e.close(p, place)
	} else {
		e.withdraw(p, at, amount)
	}
	return schema.Rejection{}
}

// withdraw takes a part out, what waits before what earns.
func (e *Earn) withdraw(p *plan, v *investment, amount fixed.Decimal) {
	v.take(amount)
	v.amount, p.total = v.amount.Sub(amount), p.total.Sub(amount)
	v.updated = e.out.Time
	e.toMain(v, v.earn, p.Asset, amount)
	e.changed(v.public())
	e.out.Result.ID = uint64(e.earned(v, p.Asset, amount, schema.EarnWithdrawn))
}

// close ends a flex investment, and pays what accrued. What is left of that below one unit is given up.
func (e *Earn) close(p *plan, place uint32) {
	v := *e.open.At(place)
	e.remove(place)
	e.toMain(&v, v.earn, p.Asset, v.amount)
	result := v.public()
	result.Amount, result.Closed, result.Updated = fixed.Zero, true, e.out.Time
	e.changed(result)
	e.out.Result.ID = uint64(e.earned(&v, p.Asset, v.amount, schema.EarnClosed))
	if interest := e.whole(p, v.interest); !interest.IsZero() {
		e.pay(p, &v, credit{amount: interest, owed: !e.pays(p.Asset, interest)})
	}
}

func (e *Earn) setReinvest(m *schema.SetReinvest) schema.Rejection {
	if _, r := e.accounts.Customer(m.Account); r.Refused() {
		return r
	}
	place, _ := e.inPlan(m.Account, m.Plan)
	if place == 0 || e.plan(m.Plan).Kind != schema.FlexPlan {
		return schema.Refuse(schema.InvestmentUnknown)
	}
	p := e.plan(m.Plan)
	p.meter = e.read(p)
	v, c := e.credited(p, p.meter, *e.open.At(place))
	e.book(p, place, v, c)
	at := e.open.At(place)
	at.reinvest, at.updated = m.On, e.out.Time
	e.changed(at.public())
	return schema.Rejection{}
}
