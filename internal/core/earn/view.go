package earn

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Plan is the plan with an id, or nil.
func (e *Earn) Plan(id schema.PlanID) *schema.Plan {
	if p := e.plan(id); p != nil {
		return &p.Plan
	}
	return nil
}

// Plans are all plans, by id.
func (e *Earn) Plans() []*schema.Plan {
	list := make([]*schema.Plan, len(e.plans))
	for i, p := range e.plans {
		list[i] = &p.Plan
	}
	return list
}

// PlanByName is the plan with a name, or nil.
func (e *Earn) PlanByName(name string) *schema.Plan { return e.Plan(e.names[name]) }

// Sees reports whether an account sees a plan, by its own region: a deployment with a stricter one asks the regions of the plan itself.
func (e *Earn) Sees(id schema.AccountID, of schema.PlanID) bool {
	account, p := e.accounts.Get(id), e.plan(of)
	return account != nil && p != nil && p.Regions.Include(account.Region) && p.openTo(account)
}

// Assigned are the accounts that a private plan is assigned to, by number.
func (e *Earn) Assigned(id schema.PlanID) []schema.AccountID {
	if p := e.plan(id); p != nil {
		return slices.Clone(p.assigned)
	}
	return nil
}

// Invested is what all have in a plan.
func (e *Earn) Invested(id schema.PlanID) fixed.Decimal {
	if p := e.plan(id); p != nil {
		return p.total
	}
	return fixed.Zero
}

// Investment is an open investment.
func (e *Earn) Investment(id schema.InvestmentID) (schema.Investment, bool) {
	return e.public(e.find(id))
}

// Investments are the open investments of an account, by number.
func (e *Earn) Investments(account schema.AccountID) []schema.Investment {
	var list []schema.Investment
	for place := e.newest[account]; place != 0; place = e.open.At(place).next {
		list = append(list, e.open.At(place).public())
	}
	slices.Reverse(list)
	return list
}

// Flex is the open investment of an account in a flex plan.
func (e *Earn) Flex(account schema.AccountID, id schema.PlanID) (schema.Investment, bool) {
	if p := e.plan(id); p == nil || p.Kind != schema.FlexPlan {
		return schema.Investment{}, false
	}
	place, _ := e.inPlan(account, id)
	return e.public(place)
}

func (e *Earn) public(place uint32) (schema.Investment, bool) {
	if place == 0 {
		return schema.Investment{}, false
	}
	return e.open.At(place).public(), true
}

// Accrued is what a flex investment earned up to the last full hour and was not credited, in whole units. What it is owed is not part of it.
func (e *Earn) Accrued(id schema.InvestmentID) fixed.Decimal {
	place := e.find(id)
	if place == 0 {
		return fixed.Zero
	}
	v := *e.open.At(place)
	p := e.plan(v.plan)
	if p.Kind != schema.FlexPlan {
		return fixed.Zero
	}
	m := p.at(uint32(e.Clock()/hour), p.growth())
	v.settle(m.index, m.hour)
	return e.whole(p, v.interest)
}
