package earn

import (
	"fmt"

	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// balance is what an account has of an asset.
type balance struct {
	account schema.AccountID
	asset   schema.AssetID
}

// sums are what investments add up to.
type sums struct {
	invested map[balance]fixed.Decimal
	plans    map[schema.PlanID]fixed.Decimal
	frozen   map[schema.AssetID]fixed.Decimal
	counts   map[schema.AccountID]int
}

// plus is a sum, the greatest number where it does not fit: no balance is that.
func plus(a, b fixed.Decimal) fixed.Decimal {
	sum, fits := a.AddChecked(b)
	if !fits {
		return fixed.Max
	}
	return sum
}

// Verify holds money, plans, lists and indexes against the investments.
func (e *Earn) Verify() error {
	s := &sums{
		map[balance]fixed.Decimal{}, map[schema.PlanID]fixed.Decimal{}, map[schema.AssetID]fixed.Decimal{}, map[schema.AccountID]int{},
	}
	for _, list := range []*slab.List{&e.terms, &e.flexes} {
		if err := e.verifyList(list, s); err != nil {
			return fmt.Errorf("earn: %w", err)
		}
	}
	for _, verify := range []func(*sums) error{e.verifyPlans, e.verifyAccounts, e.verifyMoney} {
		if err := verify(s); err != nil {
			return fmt.Errorf("earn: %w", err)
		}
	}
	if err := e.verifyDebts(); err != nil {
		return fmt.Errorf("earn: %w", err)
	}
	return nil
}

// verifyList looks at the investments of one kind, and adds them up.
func (e *Earn) verifyList(list *slab.List, s *sums) error {
	last, terms := schema.InvestmentID(0), 0
	for place := list.First; place != 0; place = e.open.At(place).After {
		v := e.open.At(place)
		p := e.plan(v.plan)
		switch {
		case v.id <= last || v.id > e.last || e.find(v.id) != place:
			return fmt.Errorf("investment %d is not found by its number, or stands in the wrong place", v.id)
		case v.amount.Sign() <= 0 || p.Kind == schema.FlexPlan != (list == &e.flexes):
			return fmt.Errorf("investment %d has %s in a %s plan", v.id, v.amount, p.Kind)
		case p.Kind == schema.FlexPlan && (!v.accrualSound(p) || v.due != 0):
			return fmt.Errorf("investment %d cannot have earned what it did", v.id)
		case v.main != e.ledger.Find(v.account, schema.Main, p.Asset) || v.earn != e.ledger.Find(v.account, schema.Earn, p.Asset):
			return fmt.Errorf("investment %d has the balances of another account or asset", v.id)
		}
		if p.Kind == schema.FixedPlan {
			if spot := e.dues.order.Find(&e.dues.nodes, due{v.due, v.id}); !spot.Found() || spot.Item() != place {
				return fmt.Errorf("investment %d is not found by its end", v.id)
			}
			terms++
			s.frozen[p.Payout] = plus(s.frozen[p.Payout], v.interest)
		}
		last = v.id
		at := balance{v.account, p.Asset}
		s.invested[at] = plus(s.invested[at], v.amount)
		s.plans[v.plan] = plus(s.plans[v.plan], v.amount)
		s.counts[v.account]++
	}
	if list == &e.terms {
		for range e.dues.order.Down(&e.dues.nodes) {
			terms--
		}
		if terms != 0 {
			return fmt.Errorf("%d more investments are open than end", terms)
		}
	}
	return nil
}

func (e *Earn) verifyPlans(s *sums) error {
	for i, p := range e.plans {
		if p.ID != schema.PlanID(i+1) || e.names[p.Name] != p.ID || len(e.names) != len(e.plans) {
			return fmt.Errorf("plan %d is not found by its name", p.ID)
		}
		if p.total != s.plans[p.ID] || !p.total.IsZero() && !p.used {
			return fmt.Errorf("in plan %d there is %s, and %s in investments", p.ID, p.total, s.plans[p.ID])
		}
		if err := e.checkPlan(p); err != nil {
			return fmt.Errorf("plan %d: %w", p.ID, err)
		}
	}
	return nil
}

// verifyAccounts looks at the investments of each account.
func (e *Earn) verifyAccounts(s *sums) error {
	accounts := 0
	for _, account := range e.accounts.All() {
		if s.counts[account.ID] > 0 {
			accounts++
		}
		if _, count := e.inPlan(account.ID, 0); count != s.counts[account.ID] || count > mostOpen {
			return fmt.Errorf("account %d has %d investments, and finds %d", account.ID, s.counts[account.ID], count)
		}
		for place := e.newest[account.ID]; place != 0; place = e.open.At(place).next {
			if v := e.open.At(place); v.account != account.ID || v.next != 0 && e.open.At(v.next).id >= v.id {
				return fmt.Errorf("account %d finds investment %d, which is that of another or stands in the wrong place", account.ID, v.id)
			}
		}
	}
	if len(e.newest) != accounts || len(s.counts) != accounts {
		return fmt.Errorf("%d accounts have investments, and %d find some", len(s.counts), len(e.newest))
	}
	return nil
}

// verifyMoney holds the earn wallets and the account of interest against the investments.
func (e *Earn) verifyMoney(s *sums) error {
	wallets := 0
	for r := range e.ledger.Records() {
		switch {
		case r.Wallet == schema.Earn:
			invested, some := s.invested[balance{r.Account, r.Asset}]
			if some {
				wallets++
			}
			if r.Available != invested || !r.Frozen.IsZero() {
				return fmt.Errorf("account %d has %s of asset %d and %s frozen in its earn wallet, and %s in investments", r.Account, r.Available, r.Asset, r.Frozen, invested)
			}
		case r.Account == schema.Interest && (r.Wallet != schema.Main || r.Available.Sign() < 0 || r.Frozen != s.frozen[r.Asset]):
			return fmt.Errorf("for interest there is %s of asset %d and %s frozen, and %s promised", r.Available, r.Asset, r.Frozen, s.frozen[r.Asset])
		case r.Account == schema.Interest:
			delete(s.frozen, r.Asset)
		}
	}
	if wallets != len(s.invested) || len(s.frozen) != 0 {
		return fmt.Errorf("%d wallets have the money of investments, want %d; %d assets have no interest frozen", wallets, len(s.invested), len(s.frozen))
	}
	return nil
}

// verifyDebts looks at what is owed, and at the round that credits.
func (e *Earn) verifyDebts() error {
	count, of := 0, map[schema.AccountID]int{}
	for i := range e.debts.order {
		for id, place := range e.debts.order[i].Down(&e.debts.nodes) {
			d := e.debts.all.At(place)
			if schema.InvestmentID(id) != d.investment || d.investment > e.last {
				return fmt.Errorf("what investment %d is owed is found by another", d.investment)
			}
			if err := e.checkDebt(d); err != nil {
				return fmt.Errorf("what investment %d is owed: %w", d.investment, err)
			}
			if e.plan(d.plan).Asset != schema.AssetID(i+1) {
				return fmt.Errorf("investment %d is owed another asset", d.investment)
			}
			count++
			of[d.account]++
		}
	}
	for _, account := range e.accounts.All() {
		if n := e.debts.of[account.ID]; n != of[account.ID] {
			return fmt.Errorf("account %d is owed %d sums, and knows of %d", account.ID, of[account.ID], n)
		}
	}
	switch {
	case count != e.debts.count || len(of) != len(e.debts.of):
		return fmt.Errorf("%d sums are owed, and %d counted", count, e.debts.count)
	case e.flexes.First == 0 && e.round != round{}:
		return fmt.Errorf("day %d is credited, and there is nothing to credit", e.round.day)
	case e.round.next != 0 && e.open.At(e.round.next).Where != &e.flexes:
		return fmt.Errorf("day %d goes on with an investment that is none", e.round.day)
	}
	return nil
}
