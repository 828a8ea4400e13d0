package earn

import (
	"bourse/internal/core/tree"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// dues are the fixed investments in the order in which they end.
type dues struct {
	nodes tree.Store[due]
	order tree.Tree[due]
}

// due is when an investment ends. The first is the greatest: it is in front of the tree.
type due struct {
	at schema.Time
	id schema.InvestmentID
}

func (d due) Less(other due) bool { return d.at > other.at || d.at == other.at && d.id > other.id }

func (e *Earn) investFixed(m *schema.Invest, account *schema.Account, p *plan) schema.Rejection {
	interest, r := e.mayInvestFixed(m, account, p)
	if r.Refused() {
		return r
	}
	place := e.add(investment{
		id: e.number(), account: m.Account, plan: p.ID, amount: m.Amount, interest: interest,
		due: e.out.Time + schema.Time(p.Minutes)*60*schema.Second, created: e.out.Time, updated: e.out.Time,
	})
	v := e.open.At(place)
	e.ledger.Move(v.main, v.earn, m.Amount, v.note())
	e.ledger.Freeze(e.house(p.Payout), interest, v.note())
	e.changed(v.public())
	e.earned(v, p.Asset, m.Amount, schema.EarnBeganFixed)
	e.out.Result.ID = uint64(v.id)
	return schema.Rejection{}
}

// mayInvestFixed checks an investment in a fixed plan, and returns what it will pay.
func (e *Earn) mayInvestFixed(m *schema.Invest, account *schema.Account, p *plan) (fixed.Decimal, schema.Rejection) {
	before, count := e.inPlan(m.Account, p.ID)
	switch {
	case exceeds(p.total, m.Amount, p.Cap):
		return fixed.Zero, schema.Rejection{Reason: schema.PlanSpent, Value: fixed.MaxOf(fixed.Zero, p.Cap.Sub(p.total))}
	case before != 0 && !account.MultiInvest:
		return fixed.Zero, schema.Refuse(schema.InvestmentExists)
	case full(count).Refused():
		return fixed.Zero, full(count)
	case m.Amount.Less(p.Min):
		return fixed.Zero, schema.Refuse(schema.InvestmentBelowMin)
	case exceeds(m.Amount, fixed.Zero, p.Max):
		return fixed.Zero, schema.Refuse(schema.InvestmentAboveMax)
	}
	if r := e.mayLeave(m, p.Asset); r.Refused() {
		return fixed.Zero, r
	}
	// A hundredth of a percent with 6 decimals is exact.
	interest, fits := fixed.MulDiv(m.Amount, p.Percent.Percent(), p.Ratio, int(e.listing.Asset(p.Payout).Precision), fixed.Down)
	switch {
	case fits && interest.IsZero():
		return fixed.Zero, schema.Refuse(schema.InterestTooSmall)
	case !fits || interest.Cmp(e.ledger.Available(e.house(p.Payout))) > 0:
		return fixed.Zero, schema.Refuse(schema.InterestNotCovered)
	}
	return interest, schema.Rejection{}
}

// divestFixed ends an investment before its time. One whose time has come is over, and is paid by the next Tick.
func (e *Earn) divestFixed(m *schema.Divest) schema.Rejection {
	place := e.find(m.Investment)
	if place == 0 {
		return schema.Refuse(schema.InvestmentUnknown)
	}
	v := e.open.At(place)
	if v.account != m.Account || e.plan(v.plan).Kind != schema.FixedPlan || v.due <= e.out.Time {
		return schema.Refuse(schema.InvestmentUnknown)
	}
	e.out.Result.ID = uint64(v.id)
	e.end(place, false)
	return schema.Rejection{}
}

// endTerms ends the investments whose time has come, some at once; the timer stays due for the others.
func (e *Earn) endTerms() {
	for range termSlice {
		first := e.dues.order.Last()
		if !first.Found() || e.open.At(first.Item()).due > e.out.Time {
			return
		}
		e.end(first.Item(), true)
	}
}

// end gives the principal of a fixed investment back, and pays its interest or gives that up.
func (e *Earn) end(place uint32, pays bool) {
	v := *e.open.At(place)
	p := e.plan(v.plan)
	e.remove(place)
	v.updated = e.out.Time
	result := v.public()
	result.Closed = true
	e.toMain(&v, v.earn, p.Asset, v.amount)
	if pays {
		result.Paid = v.interest
		e.ledger.MoveFrozen(e.house(p.Payout), e.ledger.Open(v.account, schema.Main, p.Payout), v.interest, v.note())
		e.wallets.Repay(v.account, p.Payout)
	} else {
		e.ledger.Freeze(e.house(p.Payout), v.interest.Neg(), v.note())
	}
	e.changed(result)
	e.earned(&v, p.Asset, v.amount, schema.EarnPrincipal)
	if pays {
		e.earned(&v, p.Payout, v.interest, schema.EarnInterest)
	}
}
