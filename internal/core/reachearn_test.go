package core

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestEarnWorldsReachTheirRules: a comparison is worth what its worlds come to. These are the answers and outcomes that a few hundred worlds of
// investments must see.
func TestEarnWorldsReachTheirRules(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(200) {
		r := &dice{rand.New(rand.NewPCG(seed, 0))}
		w := &earnWorld{now: start, oracle: naive.New()}
		for _, c := range w.birth(r) {
			w.oracle.Apply(w.now, schema.Origin{}, c)
		}
		for range 150 {
			m := w.next(r)
			before := w.oracle.InterestOwed()
			out := w.oracle.Apply(m.at, m.from, m.cmd)
			w.see(seen, m, before, &out)
			w.learn(r, m, out.Result)
		}
	}
	want := []string{
		"*schema.Tick principal", "*schema.Tick interest", "*schema.Divest principal", "*schema.Invest began", "*schema.Invest opened", "*schema.Invest invested",
		"*schema.Divest withdrawn", "*schema.Divest closed",
		"*schema.Tick daily earning", "*schema.Invest daily earning", "*schema.Divest daily earning", "*schema.SetReinvest daily earning",
		"*schema.Tick reinvested", "*schema.Invest reinvested", "*schema.Divest reinvested", "*schema.SetReinvest reinvested",
		"*schema.Tick owes", "*schema.SetReinvest owes", "*schema.Divest owes", "*schema.Tick pays what was owed",
		"max leaves room for a part", "interest repays what a chain is owed", "a sub-account ends", "somebody blocked is paid", "credited in 18 decimals", "credited in whole ones",
	}
	for command, reasons := range map[schema.Command][]schema.Reason{
		&schema.SetPlan{}:    {schema.OK, schema.PlanUnknown, schema.PlanInvalid},
		&schema.AssignPlan{}: {schema.OK, schema.PlanUnknown, schema.AccountUnknown},
		&schema.Invest{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.NoPermission, schema.PlanUnknown, schema.PlanPrivate, schema.PlanIsInactive,
			schema.PlanIsPaused, schema.PlanIsSoldOut, schema.MoveNotPositive, schema.MoveTooPrecise, schema.PlanSpent, schema.InvestmentExists, schema.InvestmentBelowMin,
			schema.InvestmentAboveMax, schema.InvestmentAboveLimit, schema.InvestmentNotCovered, schema.MoveHeld, schema.Owing, schema.InterestNotCovered, schema.InterestTooSmall,
		},
		&schema.Divest{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.InvestmentUnknown, schema.MoveNotPositive, schema.MoveTooPrecise, schema.DivestTooMuch,
			schema.DivestLeavesTooLittle,
		},
		&schema.SetReinvest{}: {schema.OK, schema.AccountUnknown, schema.InvestmentUnknown},
		&schema.FundSystem{}:  {schema.OK, schema.SystemAccountInvalid, schema.MoveNotPositive, schema.MoveTooPrecise, schema.MoveTooLarge, schema.MoveNotCovered},
		&schema.DeleteSub{}:   {schema.OK, schema.SubNotEmpty},
	} {
		for _, reason := range reasons {
			want = append(want, fmt.Sprintf("%T %s", command, reason))
		}
	}
	slices.Sort(want)
	for _, what := range want {
		if seen[what] < 3 {
			t.Errorf("the worlds came %d times to: %s", seen[what], what)
		}
		t.Logf("%s: %d times", what, seen[what])
	}
}

// see notes what became of a command.
func (w *earnWorld) see(seen map[string]int, m moment, owed map[schema.InvestmentID]fixed.Decimal, out *naive.Outcome) {
	seen[fmt.Sprintf("%T %s", m.cmd, out.Result.Rejection.Reason)]++
	now := w.oracle.InterestOwed()
	for id := range now {
		if now[id].Cmp(owed[id]) > 0 {
			seen[fmt.Sprintf("%T owes", m.cmd)]++
		}
	}
	daily := map[schema.InvestmentID]fixed.Decimal{}
	for _, e := range out.Events {
		switch e := e.(type) {
		case *schema.Earned:
			seen[fmt.Sprintf("%T %s", m.cmd, e.Action)]++
			switch e.Action {
			case schema.EarnDaily:
				w.seePaid(seen, e)
				daily[e.Investment] = e.Amount
				if owed[e.Investment] == e.Amount && now[e.Investment].IsZero() {
					seen[fmt.Sprintf("%T pays what was owed", m.cmd)]++
				}
			case schema.EarnReinvested:
				if e.Amount.Cmp(daily[e.Investment]) < 0 {
					seen["max leaves room for a part"]++
				}
			}
		case *schema.BalanceChanged:
			if e.Wallet == schema.Owed && e.Account != schema.House && len(daily) > 0 {
				seen["interest repays what a chain is owed"]++
			}
		case *schema.AccountChanged:
			if e.Account.Status == schema.SubDeleted {
				seen["a sub-account ends"]++
			}
		}
	}
}

// seePaid notes to whom interest was paid, and how precisely.
func (w *earnWorld) seePaid(seen map[string]int, e *schema.Earned) {
	for _, a := range w.oracle.Accounts() {
		if a.ID == e.Account && a.Blocked {
			seen["somebody blocked is paid"]++
		}
	}
	switch cut(e.Amount, 17) == e.Amount {
	case false:
		seen["credited in 18 decimals"]++
	default:
		if precisionOf(e.Asset) == 0 {
			seen["credited in whole ones"]++
		}
	}
}
