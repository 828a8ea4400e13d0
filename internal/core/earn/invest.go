package earn

import (
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func (e *Earn) invest(m *schema.Invest) schema.Rejection {
	account, p, r := e.offered(m)
	if r.Refused() {
		return r
	}
	if r := wallet.CheckAmount(m.Amount, e.listing.Asset(p.Asset).Precision); r.Refused() {
		return r
	}
	if p.Kind == schema.FixedPlan {
		return e.investFixed(m, account, p)
	}
	return e.investFlex(m, p)
}

// offered is the plan that a command names, if money can be invested there.
func (e *Earn) offered(m *schema.Invest) (*schema.Account, *plan, schema.Rejection) {
	account, r := e.accounts.Customer(m.Account)
	if r.Refused() {
		return nil, nil, r
	}
	if !e.accounts.Root(m.Account).Partner {
		return nil, nil, schema.Refuse(schema.NoPermission)
	}
	p := e.plan(m.Plan)
	if p == nil || !p.Regions.Include(schema.Stricter(account.Region, e.out.Region)) {
		return nil, nil, schema.Refuse(schema.PlanUnknown)
	}
	hidden, inactive := schema.PlanPrivate, schema.PlanUnknown
	if p.Kind == schema.FixedPlan {
		hidden, inactive = schema.PlanUnknown, schema.PlanIsInactive
	}
	switch {
	case !p.openTo(account):
		return nil, nil, schema.Refuse(hidden)
	case p.Status == schema.PlanInactive:
		return nil, nil, schema.Refuse(inactive)
	case p.Status == schema.PlanPaused:
		return nil, nil, schema.Refuse(schema.PlanIsPaused)
	case p.Status == schema.PlanSoldOut:
		return nil, nil, schema.Refuse(schema.PlanIsSoldOut)
	}
	return account, p, schema.Rejection{}
}

// exceeds reports whether a sum is above a bound that binds if it is not zero.
func exceeds(has, more, bound fixed.Decimal) bool {
	if bound.IsZero() {
		return false
	}
	sum, fits := has.AddChecked(more)
	return !fits || sum.Cmp(bound) > 0
}

// full refuses an investment more for an account that has so many.
func full(count int) schema.Rejection {
	if count >= mostOpen {
		return schema.Rejection{Reason: schema.InvestmentsTooMany, Value: fixed.FromInt(mostOpen)}
	}
	return schema.Rejection{}
}

// mayLeave checks that a main wallet has an amount that may be invested.
func (e *Earn) mayLeave(m *schema.Invest, asset schema.AssetID) schema.Rejection {
	if free := e.ledger.Free(e.ledger.Find(m.Account, schema.Main, asset)); m.Amount.Cmp(free) > 0 {
		return schema.Rejection{Reason: schema.InvestmentNotCovered, Value: free}
	}
	return e.wallets.MayLeave(m.Account, asset, m.Amount)
}

func (e *Earn) divest(m *schema.Divest) schema.Rejection {
	if _, r := e.accounts.Customer(m.Account); r.Refused() {
		return r
	}
	if m.Investment != 0 {
		return e.divestFixed(m)
	}
	return e.divestFlex(m)
}
