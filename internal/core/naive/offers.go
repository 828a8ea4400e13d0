package naive

import (
	"slices"
	"strings"

	"bourse/internal/schema"
)

// Bounds of plans.
const (
	plansMost    = 1000 // and accounts that one is assigned to
	planNameMost = 64
	termMost     = 5_256_000 // minutes
)

func (s *earn) setPlan(set schema.Plan) schema.Result {
	known := s.plan(set.ID)
	switch {
	case set.ID != 0 && known == nil:
		return refuse(schema.PlanUnknown)
	case !s.validPlan(&set), known != nil && known.used && !keepsTerms(&known.Plan, &set):
		return refuse(schema.PlanInvalid)
	case known == nil && len(s.plans) >= plansMost:
		return reject(about(schema.PlansTooMany, whole(plansMost)))
	}
	s.pass()
	if known == nil {
		known = &savings{Plan: schema.Plan{ID: schema.PlanID(len(s.plans) + 1), Created: s.call.at}}
		s.plans = append(s.plans, known)
	}
	set.ID, set.Created = known.ID, known.Created
	known.Plan = set
	s.call.record(&schema.PlanChanged{Plan: set})
	return schema.Result{ID: uint64(set.ID)}
}

// validPlan looks at what a plan is to be.
func (s *earn) validPlan(p *schema.Plan) bool {
	taken := slices.ContainsFunc(s.plans, func(other *savings) bool { return other.Name == p.Name && other.ID != p.ID })
	asset, payout := s.listing.asset(p.Asset), s.listing.asset(p.Payout)
	switch {
	case !validPlanName(p.Name), taken, !validRegions(p.Regions), asset == nil, payout == nil:
		return false
	case p.Status != schema.PlanActive && p.Status != schema.PlanSoldOut && p.Status != schema.PlanInactive && p.Status != schema.PlanPaused:
		return false
	}
	least, most, bound, step := of(p.Min), of(p.Max), of(p.Cap), unit(asset.Precision)
	switch {
	case least.sign() <= 0, most.sign() != 0 && most.less(least), bound.sign() < 0,
		!least.multipleOf(step), !most.multipleOf(step), !bound.multipleOf(step):
		return false
	}
	percent, ratio, rate := of(p.Percent), of(p.Ratio), of(p.Rate)
	switch p.Kind {
	case schema.FixedPlan:
		return percent.sign() > 0 && !percent.more(whole(1000)) && percent.multipleOf(unit(6)) &&
			p.Minutes >= 1 && p.Minutes <= termMost &&
			ratio.sign() > 0 && ratio.multipleOf(unit(8)) && (p.Asset != p.Payout || ratio.cmp(one) == 0) &&
			rate.sign() == 0
	case schema.FlexPlan:
		return p.Payout == p.Asset && rate.sign() >= 0 && !rate.more(whole(10)) && rate.multipleOf(unit(9)) &&
			percent.sign() == 0 && p.Minutes == 0 && ratio.sign() == 0
	}
	return false
}

func validPlanName(s string) bool {
	allowed := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
	for i := range len(s) {
		if strings.IndexByte(allowed, s[i]) < 0 {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= planNameMost
}

// keepsTerms reports whether a plan stays what investments rely on.
func keepsTerms(was, is *schema.Plan) bool {
	return was.Kind == is.Kind && was.Asset == is.Asset && was.Payout == is.Payout &&
		was.Percent == is.Percent && was.Minutes == is.Minutes && was.Ratio == is.Ratio
}

func (s *earn) assign(c *schema.AssignPlan) schema.Rejection {
	p := s.plan(c.Plan)
	if p == nil {
		return because(schema.PlanUnknown)
	}
	if _, r := s.accounts.customer(c.Account); refused(r) {
		return r
	}
	others := slices.DeleteFunc(slices.Clone(p.assigned), func(a schema.AccountID) bool { return a == c.Account })
	if c.On {
		if len(others) >= plansMost {
			return about(schema.PlansTooMany, whole(plansMost))
		}
		others = append(others, c.Account)
	}
	p.assigned = others
	s.call.record(&schema.PlanAssigned{Assigned: *c})
	return accepted
}

// isAssigned reports whether a private plan is for an account, or for its master.
func (s *earn) isAssigned(p *savings, account *schema.Account) bool {
	return slices.Contains(p.assigned, account.ID) || slices.Contains(p.assigned, s.accounts.master(account).ID)
}

// Plans are the plans, by number.
func (x *Exchange) Plans() (list []schema.Plan) {
	for _, p := range x.earn.plans {
		list = append(list, p.Plan)
	}
	return list
}

// Assigned are the accounts that a plan was assigned to, by id.
func (x *Exchange) Assigned(id schema.PlanID) []schema.AccountID {
	list := slices.Clone(x.earn.plan(id).assigned)
	slices.Sort(list)
	return list
}

// Sees reports whether an account sees a plan, by its own region.
func (x *Exchange) Sees(id schema.AccountID, plan schema.PlanID) bool {
	account, r := x.accounts.customer(id)
	p := x.earn.plan(plan)
	if refused(r) || p == nil {
		return false
	}
	return offeredIn(p.Regions, account.Region) && (!p.Private || x.earn.isAssigned(p, account))
}
