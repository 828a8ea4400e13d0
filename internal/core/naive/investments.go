package naive

import (
	"cmp"
	"fmt"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// investmentsMost is how many open investments an account can have.
const investmentsMost = 100

func (s *earn) invest(c *schema.Invest) schema.Result {
	account, r := s.accounts.trader(c.Account)
	if refused(r) {
		return reject(r)
	}
	p, r := s.offered(account, c.Plan)
	if refused(r) {
		return reject(r)
	}
	amount := of(c.Amount)
	if r := checkMove(amount, s.listing.asset(p.Asset).Precision); refused(r) {
		return reject(r)
	}
	covered := s.checkCovered(c.Account, p.Asset, amount) // by what there is before a credit
	s.pass()
	v := s.flexOf(c.Account, c.Plan)
	if v != nil {
		s.credit(v)
	}
	if r := s.checkBounds(account, p, v, amount); refused(r) {
		return reject(r)
	}
	if refused(covered) {
		return reject(covered)
	}
	if p.Kind == schema.FixedPlan {
		return s.begin(p, c)
	}
	return s.add(p, v, c)
}

// offered finds a plan that an account may invest in.
func (s *earn) offered(account *schema.Account, id schema.PlanID) (*savings, schema.Rejection) {
	p := s.plan(id)
	if !s.accounts.master(account).Partner {
		return nil, because(schema.NoPermission)
	}
	if p == nil || !offeredIn(p.Regions, s.accounts.region(account)) {
		return nil, because(schema.PlanUnknown)
	}
	fixed := p.Kind == schema.FixedPlan
	switch hidden := p.Private && !s.isAssigned(p, account); {
	case hidden && fixed:
		return nil, because(schema.PlanUnknown)
	case hidden:
		return nil, because(schema.PlanPrivate)
	case p.Status == schema.PlanInactive && fixed:
		return nil, because(schema.PlanIsInactive)
	case p.Status == schema.PlanInactive:
		return nil, because(schema.PlanUnknown)
	case p.Status == schema.PlanPaused:
		return nil, because(schema.PlanIsPaused)
	case p.Status == schema.PlanSoldOut:
		return nil, because(schema.PlanIsSoldOut)
	}
	return p, accepted
}

// total is what all have in a plan.
func (s *earn) total(p *savings) (sum num) {
	for _, v := range s.open(func(v *investment) bool { return v.Plan == p.ID }) {
		sum = sum.plus(of(v.Amount))
	}
	return sum
}

// checkBounds looks at how much may be invested, and how often. v is what the account has in a flex plan, or nil.
func (s *earn) checkBounds(account *schema.Account, p *savings, v *investment, amount num) schema.Rejection {
	fixed := p.Kind == schema.FixedPlan
	left, bounded := of(p.Cap).minus(s.total(p)), of(p.Cap).sign() != 0
	mine := s.open(func(v *investment) bool { return v.Account == account.ID })
	same := slices.ContainsFunc(mine, func(v *investment) bool { return v.Plan == p.ID })
	has := num{}
	if v != nil {
		has = of(v.Amount)
	}
	most := of(p.Max)
	switch {
	case bounded && amount.more(left) && fixed:
		return about(schema.PlanSpent, greatest(num{}, left))
	case bounded && amount.more(left):
		return because(schema.InvestmentAboveLimit)
	case fixed && same && !account.MultiInvest:
		return because(schema.InvestmentExists)
	case v == nil && len(mine) >= investmentsMost:
		return about(schema.InvestmentsTooMany, whole(investmentsMost))
	case v == nil && amount.less(of(p.Min)):
		return because(schema.InvestmentBelowMin)
	case most.sign() != 0 && amount.more(most):
		return because(schema.InvestmentAboveMax)
	case most.sign() != 0 && has.plus(amount).more(most):
		return because(schema.InvestmentAboveLimit)
	}
	return accepted
}

// checkCovered looks at whether an account has what it wants to invest, and may let it go.
func (s *earn) checkCovered(a schema.AccountID, asset schema.AssetID, amount num) schema.Rejection {
	free := s.ledger.balance(a, schema.Main, asset).available.minus(s.ledger.held[heldKey{a, asset}])
	if amount.more(free) {
		return about(schema.InvestmentNotCovered, greatest(num{}, free))
	}
	return s.wallet.checkExit(a, asset, amount)
}

// made is a new investment, with nothing in it.
func (s *earn) made(p *savings, c *schema.Invest) *investment {
	p.used = true
	if len(s.open(s.isFlex)) == 0 {
		s.next, s.through = midnightOf(s.call.at)+fullDay, true
	}
	v := &investment{Investment: schema.Investment{ID: schema.InvestmentID(len(s.all) + 1), Account: c.Account, Plan: p.ID, Created: s.call.at}}
	s.all = append(s.all, v)
	return v
}

// begin begins the term of a fixed plan.
func (s *earn) begin(p *savings, c *schema.Invest) schema.Result {
	amount := of(c.Amount)
	interest := amount.times(of(p.Percent)).over(hundred.times(of(p.Ratio))).floor(unit(s.listing.asset(p.Payout).Precision))
	switch {
	case interest.sign() == 0:
		return refuse(schema.InterestTooSmall)
	case interest.more(s.ledger.balance(interests, schema.Main, p.Payout).available):
		return refuse(schema.InterestNotCovered)
	}
	v := s.made(p, c)
	v.Amount, v.Interest, v.Due = c.Amount, interest.decimal(), s.call.at+schema.Time(p.Minutes)*minute
	s.ledger.move(in(c.Account), holder{c.Account, schema.Earn}, p.Asset, amount, v.why())
	s.ledger.freeze(in(interests), p.Payout, interest, v.why())
	s.changed(v)
	s.acted(v, schema.EarnBeganFixed, p.Asset, amount)
	return schema.Result{ID: uint64(v.ID)}
}

// endTerms pays what fixed plans owe whose term is over.
func (s *earn) endTerms() {
	over := s.open(func(v *investment) bool { return !s.isFlex(v) && v.Due <= s.call.at })
	slices.SortStableFunc(over, func(a, b *investment) int { return cmp.Compare(a.Due, b.Due) })
	for _, v := range over[:min(len(over), *s.ends)] {
		p, interest := s.plan(v.Plan), of(v.Interest)
		v.Closed, v.Paid = true, v.Interest
		s.changed(v)
		s.toMain(v, holder{v.Account, schema.Earn}, p.Asset, of(v.Amount))
		s.acted(v, schema.EarnPrincipal, p.Asset, of(v.Amount))
		s.ledger.freeze(in(interests), p.Payout, interest.neg(), v.why())
		s.toMain(v, in(interests), p.Payout, interest)
		s.acted(v, schema.EarnInterest, p.Payout, interest)
	}
}

func (s *earn) divest(c *schema.Divest) schema.Result {
	if _, r := s.accounts.trader(c.Account); refused(r) {
		return reject(r)
	}
	if c.Investment != 0 {
		return s.giveUp(c)
	}
	return s.withdraw(c)
}

// giveUp ends the term of a fixed plan before it is over.
func (s *earn) giveUp(c *schema.Divest) schema.Result {
	found := s.open(func(v *investment) bool {
		return v.ID == c.Investment && v.Account == c.Account && !s.isFlex(v) && s.call.at < v.Due
	})
	if len(found) == 0 {
		return refuse(schema.InvestmentUnknown)
	}
	v, p := found[0], s.plan(found[0].Plan)
	v.Closed = true
	s.changed(v)
	s.toMain(v, holder{v.Account, schema.Earn}, p.Asset, of(v.Amount))
	s.ledger.freeze(in(interests), p.Payout, of(v.Interest).neg(), v.why())
	s.acted(v, schema.EarnPrincipal, p.Asset, of(v.Amount))
	return schema.Result{ID: uint64(v.ID)}
}

// Investments are those that are open, by number.
func (x *Exchange) Investments() (list []schema.Investment) {
	for _, v := range x.earn.all {
		if !v.Closed {
			list = append(list, v.Investment)
		}
	}
	return list
}

// Accrued is what open investments in flex plans earned up to the last full hour and was not credited, in units that could be.
func (x *Exchange) Accrued() map[schema.InvestmentID]fixed.Decimal {
	accrued := map[schema.InvestmentID]fixed.Decimal{}
	x.call.at = x.now
	x.earn.attempt(func() schema.Result {
		x.earn.pass()
		for _, v := range x.earn.open(x.earn.isFlex) {
			accrued[v.ID] = x.earn.units(v, v.accrued).decimal()
		}
		return refuse(schema.InvestmentUnknown) // nothing of that is to stay
	})
	return accrued
}

// InterestOwed is what is owed to investments, open or closed.
func (x *Exchange) InterestOwed() map[schema.InvestmentID]fixed.Decimal {
	owed := map[schema.InvestmentID]fixed.Decimal{}
	for _, v := range x.earn.all {
		if v.owed.sign() > 0 {
			owed[v.ID] = v.owed.decimal()
		}
	}
	return owed
}

// verify holds wallets against the investments that they are for.
func (s *earn) verify() error {
	frozen, invested := map[schema.AssetID]num{}, map[heldKey]num{}
	for _, v := range s.open(func(*investment) bool { return true }) {
		p := s.plan(v.Plan)
		key := heldKey{v.Account, p.Asset}
		invested[key] = invested[key].plus(of(v.Amount))
		frozen[p.Payout] = frozen[p.Payout].plus(of(v.Interest))
		if s.isFlex(v) && v.earning.plus(v.waiting).cmp(of(v.Amount)) != 0 {
			return fmt.Errorf("naive: of investment %d %v earns and %v waits", v.ID, v.earning.rat(), v.waiting.rat())
		}
	}
	for _, asset := range s.listing.assets {
		b := s.ledger.balance(interests, schema.Main, asset.ID)
		if b.available.sign() < 0 || b.frozen.cmp(frozen[asset.ID]) != 0 {
			return fmt.Errorf("naive: interest has %v and %v of asset %d, and fixed plans will pay %v", b.available.rat(), b.frozen.rat(), asset.ID, frozen[asset.ID].rat())
		}
		for _, a := range s.accounts.all {
			if has := s.ledger.balance(a.ID, schema.Earn, asset.ID); has.available.cmp(invested[heldKey{a.ID, asset.ID}]) != 0 || has.frozen.sign() != 0 {
				return fmt.Errorf("naive: account %d has %v of asset %d in earn, and other investments", a.ID, has.available.rat(), asset.ID)
			}
		}
	}
	return nil
}
