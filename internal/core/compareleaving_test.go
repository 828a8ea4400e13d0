package core

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// compareLeaving compares what bounds what leaves, and the credits, checks and payments that are under way.
func (tr *trial) compareLeaving() error {
	if got, want := tr.fast.Tiers().All(), tr.slow.Tiers(); !slices.Equal(got, want) {
		return fmt.Errorf("tiers:\n got %+v\nwant %+v", got, want)
	}
	if got, want := tr.fast.Verdicts(), tr.slow.Verdicts(); !slices.Equal(got, want) {
		return fmt.Errorf("verdicts:\n got %+v\nwant %+v", got, want)
	}
	for _, a := range tr.fast.Accounts().All() {
		day, month := tr.fast.Tiers().Outflow(a.ID)
		if wantDay, wantMonth := tr.slow.Leaves(a.ID); day != wantDay || month != wantMonth {
			return fmt.Errorf("%s and %s left account %d in a day and a month, want %s and %s", day, month, a.ID, wantDay, wantMonth)
		}
		credit, active := tr.fast.Credit(a.ID)
		if want, is := tr.slow.Credit(a.ID); active != is || credit != want {
			return fmt.Errorf("credit of account %d:\n got %+v %t\nwant %+v %t", a.ID, credit, active, want, is)
		}
		if got, want := tr.fast.CreditLTV(a.ID), tr.slow.CreditLTV(a.ID); got != want {
			return fmt.Errorf("the credit of account %d is %s %% of what it owns, want %s", a.ID, got, want)
		}
		if got, want := tr.fast.Checks(a.ID), tr.slow.Checks(a.ID); !slices.Equal(got, want) {
			return fmt.Errorf("checks of account %d:\n got %+v\nwant %+v", a.ID, got, want)
		}
		got, want := tr.fast.Expresses(a.ID), tr.slow.Expresses(a.ID)
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			return fmt.Errorf("payments that account %d waits for:\n got %+v\nwant %+v", a.ID, got, want)
		}
	}
	return nil
}

// sameLeaving holds tiers, credits and checks against those of a machine.
func (r *mirror) sameLeaving(m *Machine) error {
	tiers := m.Tiers().All()
	for _, tier := range tiers {
		if r.tiers[tier.Number] != tier {
			return fmt.Errorf("by its events a tier is %+v, in truth %+v", r.tiers[tier.Number], tier)
		}
	}
	credits, checks := 0, 0
	for _, a := range m.Accounts().All() {
		credit, active := m.Credit(a.ID)
		if active {
			credits++
		}
		if r.credits[a.ID] != credit {
			return fmt.Errorf("by its events a credit is %+v, in truth %+v", r.credits[a.ID], credit)
		}
		for _, c := range m.Checks(a.ID) {
			if checks++; r.checks[c.ID] != c {
				return fmt.Errorf("by its events a check is %+v, in truth %+v", r.checks[c.ID], c)
			}
		}
	}
	if len(tiers) != len(r.tiers) || credits != len(r.credits) || checks != len(r.checks) {
		return fmt.Errorf("by its events there are %d tiers, %d credits and %d checks, in truth %d, %d and %d",
			len(r.tiers), len(r.credits), len(r.checks), len(tiers), credits, checks)
	}
	return nil
}

// TestLeavingAgainstNaive is TestAgainstNaive for those of whose money not all may leave, mostly where it comes and goes by chains.
func TestLeavingAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr, w := newTrial(pick(r, 2, slice, slice)), newborn(r)
		tr.limitChains(pick(r, tr.steps, tr.steps, 2, 5))
		w.bank, w.oracle, w.whole = tr.fast, tr.slow, tr.slice == slice
		if w.leaving == nil {
			w.wantLeaving(r)
		}
		if chance(r, 4) != 0 {
			w.wantChains(r)
		}
		tr.live(t, r, w)
	})
}
