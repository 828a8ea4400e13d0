package naive

import (
	"slices"

	"bourse/internal/schema"
)

const fullDay = 24 * hour

// yearOfHours is how many hours a rate of a flex plan is for.
var yearOfHours = whole(8760)

// earn is plans, and what accounts invested in them. Hours pass one by one, and in each hour every investment earns by itself.
type earn struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	wallet   *wallet // knows what may leave an account
	looks    *int
	ends     *int

	plans      []*savings    // by number
	all        []*investment // by number, with those that are closed
	lastAction schema.EarnID

	passed   schema.Time         // the full hour up to which hours passed
	midnight schema.Time         // for which ticks credit, or credited, interest
	seen     schema.InvestmentID // the last that they looked at for it
	next     schema.Time         // the midnight after which ticks begin again, if there is an investment in a flex plan
	through  bool                // they looked at all
}

// savings is a plan with what is not its setting.
type savings struct {
	schema.Plan
	rate     num // of the hour under way
	today    num // what one of the asset that earned all the time earned since the last midnight
	used     bool
	assigned []schema.AccountID
}

// investment is what an account has in a plan. The money of one of a flex plan either earns or waits for the next full hour.
type investment struct {
	schema.Investment
	earning num
	waiting num
	accrued num // and not credited, with all its decimals
	due     num // what of it accrued up to the last midnight, until that is credited
	owed    num
}

func (s *earn) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetPlan:
		result = s.setPlan(c.Plan)
	case *schema.AssignPlan:
		result = reject(s.assign(c))
	case *schema.Invest:
		result = s.attempt(func() schema.Result { return s.invest(c) })
	case *schema.Divest:
		result = s.attempt(func() schema.Result { return s.divest(c) })
	case *schema.SetReinvest:
		result = s.attempt(func() schema.Result { return reject(s.setReinvest(c)) })
	default:
		return nil
	}
	return &result
}

// attempt does a command and, if it is refused, undoes all that it did: but for the main wallet it is judged by how things are once the investment
// that it is about was credited.
func (s *earn) attempt(do func() schema.Result) schema.Result {
	before, events := *s, len(s.call.events)
	var plans []savings
	for _, p := range s.plans {
		plans = append(plans, *p)
	}
	var all []investment
	for _, v := range s.all {
		all = append(all, *v)
	}
	var balances []balance
	for _, b := range s.balances() {
		balances = append(balances, *b)
	}
	result := do()
	if !refused(result.Rejection) {
		return result
	}
	*s, s.call.events = before, s.call.events[:events]
	for i := range plans {
		*s.plans[i] = plans[i]
	}
	for i := range all {
		*s.all[i] = all[i]
	}
	for i, b := range s.balances() {
		*b = balances[i]
	}
	return result
}

// balances are all that investments can move.
func (s *earn) balances() (list []*balance) {
	owners := []schema.AccountID{interests, house}
	for _, a := range s.accounts.all {
		owners = append(owners, a.ID)
	}
	for _, owner := range owners {
		for _, wallet := range []schema.Wallet{schema.Main, schema.Earn, schema.Owed} {
			for _, asset := range s.listing.assets {
				list = append(list, s.ledger.balance(owner, wallet, asset.ID))
			}
		}
	}
	return list
}

// midnightOf is the last midnight that is not after a moment.
func midnightOf(at schema.Time) schema.Time { return at - at%fullDay }

// plan finds a plan, or nil.
func (s *earn) plan(id schema.PlanID) *savings {
	if id < 1 || int(id) > len(s.plans) {
		return nil
	}
	return s.plans[id-1]
}

// open are the investments that are not closed and of which something is true, by number.
func (s *earn) open(is func(*investment) bool) (list []*investment) {
	for _, v := range s.all {
		if !v.Closed && is(v) {
			list = append(list, v)
		}
	}
	return list
}

// isFlex reports whether an investment is one in a flex plan.
func (s *earn) isFlex(v *investment) bool { return s.plan(v.Plan).Kind == schema.FlexPlan }

// flexOf is the open investment of an account in a flex plan, or nil.
func (s *earn) flexOf(a schema.AccountID, plan schema.PlanID) *investment {
	for _, v := range s.open(s.isFlex) {
		if v.Account == a && v.Plan == plan {
			return v
		}
	}
	return nil
}

// assetOf is the asset that was invested.
func (s *earn) assetOf(v *investment) *schema.Asset { return s.listing.asset(s.plan(v.Plan).Asset) }

// binds reports whether an account has an open investment or is owed interest.
func (s *earn) binds(a schema.AccountID) bool {
	return slices.ContainsFunc(s.all, func(v *investment) bool { return v.Account == a && (!v.Closed || v.owed.sign() > 0) })
}

// why is the cause of what moves for an investment.
func (v *investment) why() why { return why{schema.ByInvestment, uint64(v.ID)} }

// changed records an investment as it is now.
func (s *earn) changed(v *investment) {
	v.Updated = s.call.at
	s.call.record(&schema.InvestmentChanged{Investment: v.Investment})
}

// acted records what happened to an investment, and numbers it.
func (s *earn) acted(v *investment, action schema.EarnAction, asset schema.AssetID, amount num) schema.EarnID {
	s.lastAction++
	s.call.record(&schema.Earned{
		ID: s.lastAction, Investment: v.ID, Account: v.Account, Plan: v.Plan, Asset: asset, Amount: amount.decimal(), Action: action,
	})
	return s.lastAction
}

// toMain pays an account from one of its wallets or from that of another, and what it owes to chains from that.
func (s *earn) toMain(v *investment, from holder, asset schema.AssetID, amount num) {
	s.ledger.move(from, in(v.Account), asset, amount, v.why())
	s.ledger.repay(v.Account, asset)
}

// runDue ends terms, credits interest and pays what is owed.
func (s *earn) runDue() {
	s.pass()
	s.endTerms()
	s.creditAll()
	s.payOwed()
}

// pass lets the hours pass that are over: in each, all that earned from its beginning earns at the rate that held then. At midnight it is noted
// what is to be credited.
func (s *earn) pass() {
	now := s.call.at - s.call.at%hour
	for s.passed < now {
		flex := s.open(s.isFlex)
		if len(flex) == 0 {
			s.passed = now - hour
		}
		s.passed += hour
		midnight := s.passed%fullDay == 0
		for _, p := range s.plans {
			p.today = p.today.plus(p.rate.over(yearOfHours))
			if midnight {
				p.today = num{}
			}
		}
		for _, v := range flex {
			v.accrued = v.accrued.plus(v.earning.times(s.plan(v.Plan).rate).over(yearOfHours))
			v.earning, v.waiting = v.earning.plus(v.waiting), num{}
			if midnight {
				v.due = v.accrued
			}
		}
		for _, p := range s.plans {
			p.rate = of(p.Rate)
		}
	}
}

// due is when something of investments is due next: the end of a term, the next midnight, or what a tick left or can pay by now.
func (s *earn) due(lastTick schema.Time) (list []schema.Time) {
	for _, v := range s.open(func(v *investment) bool { return !s.isFlex(v) }) {
		list = append(list, v.Due)
	}
	if len(s.open(s.isFlex)) > 0 {
		next := s.next
		if !s.through {
			next = lastTick + 1
		}
		list = append(list, next)
	}
	if len(s.payable()) > 0 {
		list = append(list, lastTick+1)
	}
	return list
}
