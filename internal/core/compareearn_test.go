package core

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// compareEarn compares plans, who sees them, and investments with what accrued to them.
func (tr *trial) compareEarn() error {
	earn := tr.fast.Earn()
	var plans []schema.Plan
	for _, p := range earn.Plans() {
		plans = append(plans, *p)
	}
	if want := tr.slow.Plans(); !slices.Equal(plans, want) {
		return fmt.Errorf("plans:\n got %+v\nwant %+v", plans, want)
	}
	open := tr.slow.Investments()
	for _, p := range plans {
		if got, want := earn.Assigned(p.ID), tr.slow.Assigned(p.ID); !slices.Equal(got, want) {
			return fmt.Errorf("plan %d is assigned to %v, want %v", p.ID, got, want)
		}
		sum := fixed.Zero
		for _, v := range open {
			if v.Plan == p.ID {
				sum = sum.Add(v.Amount)
			}
		}
		if got := earn.Invested(p.ID); got != sum {
			return fmt.Errorf("%s is in plan %d, want %s", got, p.ID, sum)
		}
		if got := earn.PlanByName(p.Name); got == nil || got.ID != p.ID {
			return fmt.Errorf("the plan with the name of %d is %+v", p.ID, got)
		}
	}
	for _, a := range tr.fast.Accounts().All() {
		var mine []schema.Investment
		for _, v := range open {
			if v.Account == a.ID {
				mine = append(mine, v)
			}
		}
		if got := earn.Investments(a.ID); !slices.Equal(got, mine) {
			return fmt.Errorf("investments of account %d:\n got %+v\nwant %+v", a.ID, got, mine)
		}
		for _, p := range plans {
			if got, want := earn.Sees(a.ID, p.ID), tr.slow.Sees(a.ID, p.ID); got != want {
				return fmt.Errorf("account %d sees plan %d: got %t, want %t", a.ID, p.ID, got, want)
			}
		}
	}
	accrued := tr.slow.Accrued()
	for _, v := range open {
		if got, is := earn.Investment(v.ID); !is || got != v {
			return fmt.Errorf("investment:\n got %+v\nwant %+v", got, v)
		}
		if plans[v.Plan-1].Kind != schema.FlexPlan {
			continue
		}
		if got, is := earn.Flex(v.Account, v.Plan); !is || got != v {
			return fmt.Errorf("investment in flex plan %d:\n got %+v\nwant %+v", v.Plan, got, v)
		}
		if got, want := earn.Accrued(v.ID), accrued[v.ID]; got != want {
			return fmt.Errorf("to investment %d %s accrued, want %s", v.ID, got, want)
		}
	}
	return nil
}

// sameInvestments holds the open investments against those of a machine.
func (r *mirror) sameInvestments(m *Machine) error {
	open := 0
	for _, a := range m.Accounts().All() {
		for _, v := range m.Earn().Investments(a.ID) {
			if open++; r.investments[v.ID] != v {
				return fmt.Errorf("by its events an investment is %+v, in truth %+v", r.investments[v.ID], v)
			}
		}
	}
	if open != len(r.investments) {
		return fmt.Errorf("by its events %d investments are open, in truth %d", len(r.investments), open)
	}
	return nil
}

// TestInvestmentsAgainstNaive is TestAgainstNaive for plans and investments. The naive exchange lets hours pass one by one and looks at every
// investment in each; the core does neither.
func TestInvestmentsAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(slice)
		w := &earnWorld{now: start, oracle: tr.slow}
		var log []moment
		send := func(m moment) {
			log = append(log, m)
			if err := sender(tr.apply).run(m); err != nil {
				t.Fatalf("%s", story(slices.Clone(log), func() sender { return newTrial(slice).apply }))
			}
		}
		for _, cmd := range w.birth(r) {
			send(moment{at: w.now, cmd: cmd})
		}
		for range 1 + chance(r, 150) {
			m := w.next(r)
			send(m)
			w.learn(r, m, tr.answer)
		}
	})
}
