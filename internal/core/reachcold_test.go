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

// TestColdWorldsReachTheirRules is TestLeavingWorldsReachTheirRules for cold storage, for halted chains, for blocks of the mining pool, and for
// signatures of operators.
func TestColdWorldsReachTheirRules(t *testing.T) {
	t.Parallel()
	reached := coldReach{seen: map[string]int{}}
	const worlds, commands = 360, 400
	for seed := range uint64(worlds) {
		r := &dice{rand.New(rand.NewPCG(seed, 0))}
		slow := naive.New()
		slow.ChainSteps = pick(r, slow.ChainSteps, 1, 3)
		w := newPayers(r, slow)
		for _, cmd := range w.birth() {
			slow.Apply(w.now, schema.Origin{}, cmd)
		}
		reached.payers, reached.brought, reached.pool = w, map[schema.PayoutID]bool{}, newPoolReach(w.all, reached.seen)
		reached.foreign, reached.children = newForeignReach(w, reached.seen), newChildReach(w, reached.seen)
		for range commands {
			reached.see(w.draw(r))
		}
		if err := slow.Verify(); err != nil {
			t.Errorf("world %d: %v", seed, err)
		}
	}
	seen := reached.seen
	want := append(ofPool(), "of the pool: returned", "of the pool: spent", "of the pool: frozen and lost", "of the pool: a customer's and lost")
	for command, reasons := range map[schema.Command][]schema.Reason{
		&schema.SetKeys{}:     {schema.OK, schema.ChainUnknown, schema.KeysInvalid, schema.ImmutableChanged},
		&schema.RefillHot{}:   {schema.OK, schema.ChainUnknown, schema.ChainOwnBlocks, schema.AssetUnknown, schema.RefillInvalid},
		&schema.ResumeChain{}: {schema.OK, schema.OperatorMissing, schema.ChainUnknown, schema.ChainOwnBlocks, schema.ChainNotHalted, schema.RewindUnknown, schema.ApprovedBefore},
		&schema.AdoptSpend{}:  {schema.OK, schema.OperatorMissing, schema.ChainUnknown, schema.ChainOwnBlocks, schema.ChainNotHalted, schema.AdoptionInvalid, schema.ApprovedBefore},
		&schema.BookSurplus{}: {
			schema.OK, schema.OperatorMissing, schema.ChainUnknown, schema.ChainOwnBlocks, schema.ChainHalted, schema.ChainPaused, schema.ChainBusy,
			schema.SurplusInvalid, schema.ApprovedBefore,
		},
		&schema.DecideWithdrawal{}: {schema.OK, schema.OperatorMissing, schema.SignatureInvalid, schema.WithdrawalUnknown, schema.WithdrawalDecided},
	} {
		for _, reason := range reasons {
			want = append(want, fmt.Sprintf("%T %s", command, reason))
		}
	}
	for _, what := range []string{"sign while review", "sign while queued", "sign while planned", "sign while sent", "approve while review", "in place of an earlier one", "in place of the oldest"} {
		want = append(want, "signed: "+what)
	}
	for _, driver := range []schema.Driver{schema.BitcoinNode, schema.EVMNode} {
		for _, what := range []string{
			"a payout that stores is", "a payout that stores has a variant and is", "a payout that stores is given up and is",
			"a payout that brings back is", "a payout that brings back has a variant and is", "a payout that brings back is given up and is",
		} {
			want = append(want, fmt.Sprintf("%s: %s mined", driver, what), fmt.Sprintf("%s: %s sent", driver, what))
		}
		for _, what := range []string{
			"a receipt in cold storage", "more is wanted", "less is wanted", "halted", "went on", "went on lower", "went on busy",
			"went on without half a block", "went on before the first block", "went on without half of the first block",
			"adopted", "adopted without half a block", "a wrong spend", "a spend", "several spends in a block", "a spend is rewound", "a spend that was booked is rewound",
			"a spend in another block", "a spend is forgotten", "a payout is dead by a spend", "a surplus",
		} {
			want = append(want, fmt.Sprintf("%s: %s", driver, what))
		}
	}
	want = append(want, "bitcoin: a spend of what a payout has reserved", "bitcoin: a spend of what its block pays", "bitcoin: what a spend took is in no block",
		"evm: a spend that took more than there was", "evm: a spend with the nonce of a payout", "evm: a spend beside a payout behind its nonce", "evm: a payout of its address waits")
	for n := range schema.MaxChange + 1 {
		for _, what := range []string{"a plan", "a variant"} {
			want = append(want, fmt.Sprintf("%s with %d outputs of change: OK", what, n))
		}
	}
	want = append(want,
		"a plan with 9 outputs of change: PayoutInvalid", "a variant with 9 outputs of change: PayoutInvalid",
		"a plan that stores with 0 outputs of change: OK", "a plan that stores with 8 outputs of change: OK", "a plan that stores with 9 outputs of change: PayoutInvalid",
		"a variant that gives up with 1 outputs of change: OK", "a variant that gives up with 8 outputs of change: PayoutInvalid",
	)
	want = append(want, reached.children.wanted()...)
	slices.Sort(want)
	for _, what := range want {
		if seen[what] == 0 {
			t.Errorf("no world came to: %s", what)
		}
	}
	if good, all := seen["good plans of cold storage"], seen["plans of cold storage"]; 2*good < all {
		t.Errorf("%d of %d plans of cold storage were good", good, all)
	}
	if halted := seen["commands while a chain is halted"]; 10*halted > worlds*commands {
		t.Errorf("a chain was halted during %d of %d commands", halted, worlds*commands)
	}
}

// coldReach counts what worlds come to.
type coldReach struct {
	*payers
	seen    map[string]int
	brought map[schema.PayoutID]bool // payouts that spend from cold storage, also after they did
	pool    *poolReach
	foreign *foreignReach

	children *childReach
}

// see lets a moment happen on the naive exchange alone, and counts what became of it.
func (w *coldReach) see(m moment) {
	type standing struct {
		at   schema.ChainMoved
		half bool
	}
	before := map[schema.ChainID]standing{}
	wanted := map[schema.ChainID]fixed.Decimal{}
	for _, c := range w.all {
		at, _, _ := w.slow.ChainAt(c.ID)
		before[c.ID] = standing{at, w.slow.Half(c.ID)}
		wanted[c.ID] = w.slow.Wanted(c.ID, w.slow.Native(c.ID))
	}
	plan, plans := m.cmd.(*schema.PlanPayout)
	cold := plans && w.ofCold(plan)
	w.foreign.before()
	w.children.note(m.cmd)
	change := ""
	if plans && plan.Chain == payerNode {
		change = w.ofChange(plan)
	}
	signed := w.signed(m)
	out := w.slow.Apply(m.at, m.from, m.cmd)
	w.learn(m.cmd, &out.Result)
	w.pool.see(m.cmd, &out.Result, out.Events)
	w.foreign.see(m.cmd, &out.Result, out.Events)
	w.children.see(m.cmd, &out.Result, out.Events)
	w.seen[fmt.Sprintf("%T", m.cmd)]++
	w.seen[fmt.Sprintf("%T %s", m.cmd, out.Result.Rejection.Reason)]++
	if !out.Result.Rejection.Refused() {
		for _, what := range signed {
			w.seen["signed: "+what]++
		}
	}
	halted := false
	for _, c := range w.all {
		count := func(what string, is bool) {
			if is {
				w.seen[fmt.Sprintf("%s: %s", c.Driver, what)]++
			}
		}
		at, busy, _ := w.slow.ChainAt(c.ID)
		was := before[c.ID]
		now := w.slow.Wanted(c.ID, w.slow.Native(c.ID))
		halted = halted || at.Halted
		count("halted", !was.at.Halted && at.Halted)
		wentOn := was.at.Halted && !at.Halted
		count("went on", wentOn)
		count("went on lower", wentOn && at.Height < was.at.Height)
		count("went on without half a block", wentOn && was.half && was.at.Height != 0)
		count("went on before the first block", wentOn && !was.half && was.at.Height == 0)
		count("went on without half of the first block", wentOn && was.half && was.at.Height == 0)
		count("went on busy", wentOn && busy)
		count("less is wanted", plans && now.Less(wanted[c.ID]))
		count("more is wanted", !plans && wanted[c.ID].Less(now))
	}
	if cold {
		w.seen["plans of cold storage"]++
		if !out.Result.Rejection.Refused() {
			w.seen["good plans of cold storage"]++
		}
	}
	if change != "" {
		w.seen[fmt.Sprintf("%s: %s", change, out.Result.Rejection.Reason)]++
	}
	if halted {
		w.seen["commands while a chain is halted"]++
	}
	if b, is := m.cmd.(*schema.ChainBlock); is && !out.Result.Rejection.Refused() {
		for _, r := range b.Receipts {
			if r.Own.IsCold() {
				w.seen[fmt.Sprintf("%s: a receipt in cold storage", w.all[b.Chain-1].Driver)]++
			}
		}
	}
	for _, e := range out.Events {
		if e, is := e.(*schema.PayoutChanged); is {
			w.seePayout(&e.Payout)
		}
	}
}

// signed is what a decision with a signature does if it is accepted.
func (w *coldReach) signed(m moment) (does []string) {
	d, is := m.cmd.(*schema.DecideWithdrawal)
	if !is || len(d.Signature) == 0 {
		return nil
	}
	for _, c := range w.all {
		for _, known := range w.slow.Withdrawals(c.ID) {
			if known.ID != d.Withdrawal {
				continue
			}
			does = append(does, fmt.Sprintf("%s while %s", d.Decision, known.Status))
			before := w.slow.Signatures(known.ID)
			if slices.ContainsFunc(before, func(s schema.Signature) bool { return s.Operator == m.from.Operator }) {
				does = append(does, "in place of an earlier one")
			} else if len(before) == schema.MaxSignatures {
				does = append(does, "in place of the oldest")
			}
		}
	}
	return does
}

// ofCold reports whether a plan stores or spends from cold storage.
func (w *coldReach) ofCold(p *schema.PlanPayout) bool {
	if p.Own.IsCold() || len(p.Outputs) > 0 && p.Outputs[0].Own.IsCold() {
		return true
	}
	return slices.ContainsFunc(w.slow.CoinsOf(payerNode, payerBTC), func(k schema.Coin) bool {
		return k.Own.IsCold() && slices.Contains(p.Inputs, k.ID)
	})
}

// ofChange says how a plan of coins divides its change, if it goes where change goes.
func (w *coldReach) ofChange(p *schema.PlanPayout) string {
	what, change := "a plan", p.Outputs
	for _, known := range w.slow.Payouts(payerNode) {
		if known.ID == p.Payout {
			if what = "a variant"; known.GivingUp {
				what = "a variant that gives up"
			}
		}
	}
	if len(change) > 0 && change[0].Own == schema.ColdOf(p.Payout) {
		what, change = what+" that stores", change[1:]
	}
	for _, out := range change {
		if out.Index != 0 || out.Own != schema.ChangeOf(p.Payout) {
			return ""
		}
	}
	return fmt.Sprintf("%s with %d outputs of change", what, len(change))
}

// seePayout counts what became of a payout that stores or brings back.
func (w *coldReach) seePayout(p *schema.Payout) {
	c := w.all[p.Chain-1]
	what := ""
	switch {
	case storing(p):
		what = "stores"
	case w.brought[p.ID], w.bringing(c, p):
		what = "brings back"
		w.brought[p.ID] = true
	default:
		return
	}
	count := func(form string, is bool) {
		if is {
			w.seen[fmt.Sprintf("%s: a payout that %s %s %s", c.Driver, what, form, p.Status)]++
		}
	}
	count("is", true)
	count("has a variant and is", len(p.Variants) > 1)
	count("is given up and is", p.GivingUp)
}
