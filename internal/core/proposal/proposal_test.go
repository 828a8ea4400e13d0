package proposal_test

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestASettingWaitsForADay after another operator than the one who asked approved it, to the microsecond, and is done by a tick.
func TestASettingWaitsForADay(t *testing.T) {
	w := guarded(t)
	set := w.raise("12")
	id := w.do("olga", set, schema.OK).Proposal
	asked := w.now
	set.Asset.Networks[0].ApproveAbove = d("999") // the command's memory is the caller's
	w.do("", approve(id), schema.OperatorMissing)
	w.do("otto", approve(id+1), schema.ProposalUnknown)
	w.do("olga", approve(id), schema.ApprovedBefore)
	if _, running := w.NextTimer(); running {
		t.Error("a timer runs for what nobody approved")
	}
	w.tick(3 * schema.ProposalDelay)
	w.says()
	if got := w.do("otto", approve(id), schema.OK); got.Proposal != 0 || got.ID != 0 {
		t.Errorf("%+v", got)
	}
	approved := w.now
	w.says("1 approved by olga and otto: SetAsset", "audit of otto: DecideProposal 0")
	if p := w.Proposals()[0]; p.Asked != asked || p.Due != approved+24*3600*schema.Second {
		t.Errorf("asked at %d, due at %d, approved at %d", p.Asked, p.Due, approved)
	}
	w.do("olga", approve(id), schema.ApprovedBefore)
	w.do("otto", approve(id), schema.ProposalDecided)
	w.do("oscar", approve(id), schema.ProposalDecided)
	if at, running := w.NextTimer(); !running || at != approved+schema.ProposalDelay {
		t.Errorf("the next timer is at %d: %v", at, running)
	}
	w.now = approved + schema.ProposalDelay - 2
	w.do("", &schema.Tick{}, schema.OK)
	w.says()
	w.waits("1 approved by olga and otto: SetAsset")
	back := w.restored()
	if got := w.do("", &schema.Tick{}, schema.OK); got.ID != 0 || got.Proposal != 0 {
		t.Errorf("a tick gave %+v", got)
	}
	w.says("AssetChanged", "1 done by olga and otto: SetAsset")
	if back.Apply(w.now, &schema.Tick{}); back.Hash() != w.Hash() {
		t.Error("a restored exchange went another way")
	}
	w.waits()
	if n := w.Listing().Asset(coin).Networks[0]; n.ApproveAbove != d("12") {
		t.Errorf("%s needs approval", n.ApproveAbove)
	}
	w.do("otto", approve(id), schema.ProposalUnknown)
	w.do("otto", cancel(id), schema.ProposalUnknown)
	if again := w.do("olga", w.raise("13"), schema.OK); again.Proposal != id+1 {
		t.Errorf("the next one is %d", again.Proposal)
	}
}

// TestSettingsOfEachKindAreDone by ticks, in the order in which they were asked for, after all other timers.
func TestSettingsOfEachKindAreDone(t *testing.T) {
	w := guarded(t)
	w.do("", w.chain(play, func(c *schema.Chain) { c.Interval = schema.Second }), schema.OK)
	w.do("", &schema.OpenAddress{Account: alice, Chain: play}, schema.OK)
	w.do("", &schema.PaySandbox{Chain: play, Receipt: schema.Receipt{Asset: toy, Amount: d("1"), Index: 1, Text: "address"}}, schema.OK)
	w.do("olga", tier(1, "200", "0"), schema.OK)
	w.do("olga", w.raise("12"), schema.OK)
	w.do("olga", w.chain(bitcoin, func(c *schema.Chain) { c.FeeRateMax = 0 }), schema.OK)
	for _, id := range []schema.ProposalID{3, 1, 2} {
		w.do("otto", approve(id), schema.OK)
	}
	w.tick(2 * schema.ProposalDelay)
	w.says("ChainDepositChanged", "ChainMoved", "TierChanged", "1 done by olga and otto: SetTier", "AssetChanged", "2 done by olga and otto: SetAsset", "ChainChanged", "3 done by olga and otto: SetChain")
	if got := w.Tiers().All(); len(got) != 1 || got[0] != tier(1, "200", "0").Tier {
		t.Errorf("%+v", got)
	}
	if c := w.Chains().Get(bitcoin); c.FeeRateMax != 0 || c.Name != "BTC" {
		t.Errorf("%+v", c)
	}
	if _, running := w.restored().NextTimer(); !running {
		t.Error("the sandbox stands")
	}
}

// TestASettingThatCannotBeDoneAnyMore is refused when its time comes, and forgotten.
func TestASettingThatCannotBeDoneAnyMore(t *testing.T) {
	w := guarded(t)
	id := w.do("olga", w.asset(coin, func(a *schema.Asset) {
		a.Networks[0].MaxWithdraw = fixed.Zero
		a.Networks = append(a.Networks, schema.Network{Name: "ETH", Chain: evm, Decimals: 8, Contract: "0xc", ConfirmationsForTrading: 1, Confirmations: 1})
	}), schema.OK).Proposal
	w.do("otto", approve(id), schema.OK)
	w.do("", w.network(ether, func(n *schema.Network) { n.Contract = "0xc" }), schema.OK) // another asset is that contract
	before := w.settings()
	w.tick(schema.ProposalDelay)
	w.says(fmt.Sprint("1 refused by olga and otto refused ", schema.ContractInvalid, ": SetAsset"))
	w.waits()
	if w.settings() != before {
		t.Error("what was refused changed something")
	}
}

// TestMoneyIsGivenAtOnce when the second operator approves: brought, credited, forgiven.
func TestMoneyIsGivenAtOnce(t *testing.T) {
	w := guarded(t)
	w.do("olga", bring("50"), schema.OK)
	w.do("olga", credit(2), schema.OK)
	w.do("olga", forgive("1.5"), schema.OK)
	w.waits("1 asked by olga: Deposit", "2 asked by olga: DecideDeposit", "3 asked by olga: ForgiveOwed")
	if _, running := w.NextTimer(); running {
		t.Error("a timer runs")
	}
	for id := range schema.ProposalID(3) {
		w.do("olga", approve(id+1), schema.ApprovedBefore)
	}
	w.do("otto", approve(3), schema.OK)
	w.says("3 done by olga and otto: ForgiveOwed", "audit of otto: DecideProposal 0")
	w.has(alice, schema.Owed, "0.5")
	w.do("otto", approve(1), schema.OK)
	w.says("1 done by olga and otto: Deposit", "audit of otto: DecideProposal 0")
	w.has(ben, schema.Main, "50")
	w.do("otto", approve(2), schema.OK)
	w.says("ChainDepositChanged", "2 done by olga and otto: DecideDeposit", "audit of otto: DecideProposal 0")
	w.has(alice, schema.Main, "30.5") // and what was owed is paid
	w.has(alice, schema.Owed, "0")
	w.waits()
	w.do("otto", approve(1), schema.ProposalUnknown)
}

// TestAnApprovalIsRefusedForWhatTheCommandIs, and the proposal waits on.
func TestAnApprovalIsRefusedForWhatTheCommandIs(t *testing.T) {
	w := guarded(t)
	w.do("olga", forgive("2"), schema.OK)
	w.do("", &schema.Deposit{Account: alice, Asset: coin, Amount: d("0.5")}, schema.OK) // pays a part
	if r := w.do("otto", approve(1), schema.OwedLess); r.Rejection.Value != d("1.5") {
		t.Errorf("%s is owed", r.Rejection.Value)
	}
	w.says("audit of otto: DecideProposal 0")
	w.waits("1 asked by olga: ForgiveOwed")
	w.do("olga", forgive("1.5"), schema.OK)
	w.says("1 canceled by olga: ForgiveOwed", "2 asked by olga: ForgiveOwed", "audit of olga: ForgiveOwed 2")
	w.do("otto", approve(2), schema.OK)
	w.has(alice, schema.Owed, "0")
}

// TestWhatWaitsIsCanceled by any operator, as long as it waits.
func TestWhatWaitsIsCanceled(t *testing.T) {
	w := guarded(t)
	before := w.settings()
	for _, operator := range []string{"olga", "oscar"} {
		w.do("olga", w.raise("12"), schema.OK)
		id := w.do("olga", tier(1, "200", "1000"), schema.OK).Proposal
		w.do("otto", approve(id), schema.OK)
		w.do("", cancel(id), schema.OperatorMissing)
		w.do(operator, cancel(id), schema.OK)
		w.says(fmt.Sprintf("%d canceled by olga and otto: SetTier", id), "audit of "+operator+": DecideProposal 0")
		w.do(operator, cancel(id-1), schema.OK)
		w.says(fmt.Sprintf("%d canceled by olga: SetAsset", id-1), "audit of "+operator+": DecideProposal 0")
		w.do(operator, cancel(id), schema.ProposalUnknown)
	}
	w.tick(2 * schema.ProposalDelay)
	w.says()
	if w.settings() != before {
		t.Error("what was canceled changed something")
	}
}

// TestOneWaitsForEachThing: what is asked for next takes its place, and what one operator does about it cancels it.
func TestOneWaitsForEachThing(t *testing.T) {
	w := guarded(t)
	for i, tt := range []struct{ first, next, alone schema.Command }{
		{w.raise("12"), w.asset(coin, func(a *schema.Asset) { a.MaxWithdraw = fixed.Zero }), w.network(coin, func(n *schema.Network) { n.CanDeposit = false })},
		{w.chain(bitcoin, func(c *schema.Chain) { c.FeeRateMax = 200 }), w.chain(bitcoin, func(c *schema.Chain) { c.FeeRateMax = 0 }), w.chain(bitcoin, func(c *schema.Chain) { c.FeeRateMax = 90 })},
		{tier(1, "200", "1000"), tier(1, "0", "2000"), tier(1, "90", "1000")},
		{credit(2), credit(2), &schema.DecideDeposit{Deposit: 2, Decision: schema.FreezeDeposit}},
		{forgive("1"), forgive("2"), nil},
	} {
		id := w.do("olga", tt.first, schema.OK).Proposal
		if i < 3 {
			w.do("otto", approve(id), schema.OK)
		}
		next := w.do("otto", tt.next, schema.OK).Proposal
		kind := named(tt.first)
		was := " canceled by olga: "
		if i < 3 {
			was = " canceled by olga and otto: "
		}
		w.says(fmt.Sprint(id, was, kind), fmt.Sprint(next, " asked by otto: ", kind), fmt.Sprint("audit of otto: ", kind, " ", next))
		if next != id+1 {
			t.Errorf("%d follows %d", next, id)
		}
		if tt.alone == nil {
			w.waits(fmt.Sprint(next, " asked by otto: ", kind))
			continue
		}
		w.do("", tt.alone, schema.OK)
		if last := w.last[len(w.last)-1]; last != fmt.Sprint(next, " canceled by otto: ", kind) || len(w.last) < 2 {
			t.Errorf("said %q", w.last)
		}
		w.waits()
	}
	w.tick(2 * schema.ProposalDelay)
	w.says()
}

// TestOtherThingsWaitBesideEachOther, and what is refused to one operator cancels nothing.
func TestOtherThingsWaitBesideEachOther(t *testing.T) {
	w := guarded(t)
	w.begin(evm)
	w.do("", tier(2, "5", "5"), schema.OK)
	w.block(paid("more", "40"))
	for range 3 {
		w.block()
	}
	for _, c := range []schema.Command{
		w.raise("12"), w.asset(ether, func(a *schema.Asset) { a.MaxWithdraw = fixed.Zero }),
		w.chain(bitcoin, func(c *schema.Chain) { c.FeeRateMax = 0 }), w.chain(evm, func(c *schema.Chain) { c.FeeRateMax = 0 }),
		tier(1, "200", "1000"), tier(2, "6", "6"), credit(2), credit(4), bring("50"), bring("50"), forgive("1"),
	} {
		w.do("olga", c, schema.OK)
	}
	all := []string{
		"1 asked by olga: SetAsset", "2 asked by olga: SetAsset", "3 asked by olga: SetChain", "4 asked by olga: SetChain", "5 asked by olga: SetTier", "6 asked by olga: SetTier",
		"7 asked by olga: DecideDeposit", "8 asked by olga: DecideDeposit", "9 asked by olga: Deposit", "10 asked by olga: Deposit", "11 asked by olga: ForgiveOwed",
	}
	w.waits(all...)
	w.do("", w.asset(coin, func(a *schema.Asset) { a.Precision = 9 }), schema.ScaleInvalid)
	w.do("", w.chain(bitcoin, func(c *schema.Chain) { c.Stuck = true }), schema.ChainInvalid)
	w.do("", tier(1, "2000", "1000"), schema.OperatorMissing)
	w.do("olga", tier(1, "2000", "1000"), schema.TierInvalid)
	w.do("", &schema.DecideDeposit{Deposit: 2, Decision: 9}, schema.DepositDecided)
	w.waits(all...)
	w.do("otto", approve(10), schema.OK)
	w.do("otto", cancel(9), schema.OK)
	w.waits(append(all[:8:8], all[10])...)
	w.has(ben, schema.Main, "50")
}

// TestAHundredWait and no more; what takes the place of one does not count.
func TestAHundredWait(t *testing.T) {
	w := guarded(t)
	w.do("olga", tier(1, "200", "1000"), schema.OK)
	for range 99 {
		w.do("olga", bring("50"), schema.OK)
	}
	for _, c := range []schema.Command{bring("50"), w.raise("12")} {
		if r := w.do("olga", c, schema.ProposalsTooMany); r.Rejection.Value != d("100") || r.Rejection.Text() != "100 proposals wait for operators already; approve or cancel some." {
			t.Errorf("%s: %s", r.Rejection.Value, r.Rejection.Text())
		}
	}
	w.do("olga", &schema.Deposit{Account: 999, Asset: coin, Amount: d("50")}, schema.AccountUnknown)
	if got := w.do("olga", tier(1, "300", "1000"), schema.OK).Proposal; got != 101 || len(w.Proposals()) != 100 {
		t.Errorf("%d, and %d wait", got, len(w.Proposals()))
	}
	w.do("", bring("10"), schema.OK)
	w.do("otto", cancel(50), schema.OK)
	if got := w.do("olga", w.raise("12"), schema.OK).Proposal; got != 102 {
		t.Errorf("%d", got)
	}
	w.do("olga", bring("50"), schema.ProposalsTooMany)
}

// TestAHundredAreDoneInATick, as many as there can be.
func TestAHundredAreDoneInATick(t *testing.T) {
	w := guarded(t)
	for i := range 60 {
		n := schema.Network{Name: "ETH", Chain: evm, Decimals: 8, Contract: fmt.Sprint("0x", i), ConfirmationsForTrading: 1, Confirmations: 1}
		w.do("", &schema.SetAsset{Asset: schema.Asset{Ticker: fmt.Sprint("T", i), Class: schema.Crypto, Scale: 8, MaxWithdraw: fixed.One, Networks: []schema.Network{n}}}, schema.OK)
	}
	w.begin(evm)
	for i := range 60 {
		id := w.do("olga", w.asset(ether+1+schema.AssetID(i), func(a *schema.Asset) { a.MaxWithdraw = fixed.Zero }), schema.OK).Proposal
		w.do("otto", approve(id), schema.OK)
	}
	w.tick(schema.ProposalDelay)
	if len(w.last) != 120 || len(w.Proposals()) != 0 {
		t.Errorf("%d events, %d wait", len(w.last), len(w.Proposals()))
	}
}
