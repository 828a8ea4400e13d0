package core

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// compareSubs compares when keys were last used that customers know.
func (tr *trial) compareSubs() error {
	for _, k := range tr.fast.Accounts().Keys() {
		if want := tr.slow.LastUsed(k.Key.ID); k.Used != want {
			return fmt.Errorf("key %d was last used at %d, want %d", k.Key.ID, k.Used, want)
		}
	}
	return nil
}

// TestSubsAgainstNaive is TestAgainstNaive for families, whose keys sign what they do, mostly where money comes and goes by chains.
func TestSubsAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr, w := newTrial(pick(r, 2, slice, slice)), newborn(r)
		tr.limitChains(pick(r, tr.steps, tr.steps, 2, 5))
		w.bank, w.oracle, w.whole = tr.fast, tr.slow, tr.slice == slice
		if chance(r, 4) != 0 {
			w.wantChains(r)
		}
		w.wantSubs(r)
		tr.live(t, r, w)
	})
}

// TestSubsWithMarginAgainstNaive is the same for families that trade with collateral.
func TestSubsWithMarginAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(pick(r, 1, 2, 3, slice))
		w := &pit{now: start, bank: tr.fast, whole: tr.slice == slice, subs: 2 + chance(r, 3)}
		var log []moment
		send := func(m moment) {
			log = append(log, m)
			if err := sender(tr.apply).run(m); err != nil {
				t.Fatalf("slices of %d\n%s", tr.slice, story(slices.Clone(log), func() sender { return newTrial(tr.slice).apply }))
			}
		}
		for _, cmd := range w.birth(r) {
			send(moment{at: w.now, cmd: cmd})
		}
		for range 1 + chance(r, 160) {
			at, cmd := w.next(r)
			send(moment{at: at, cmd: cmd})
			w.orders = tr.fast.Trading().Counters().Order
		}
	})
}
