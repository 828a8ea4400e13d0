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

// TestOperatorsReachTheirRules is TestLeavingWorldsReachTheirRules for what takes two operators.
func TestOperatorsReachTheirRules(t *testing.T) {
	t.Parallel()
	reached := proposalReach{seen: map[string]int{}}
	for seed := range uint64(200) {
		r := &dice{rand.New(rand.NewPCG(seed, 1))}
		slow := naive.New()
		w := newPayers(r, slow)
		w.asking, reached.slow = true, slow
		for _, cmd := range w.birth() {
			reached.see(moment{at: w.now, cmd: cmd})
		}
		for range 300 {
			m := w.draw(r)
			w.learn(m.cmd, reached.see(m))
		}
	}
	for seed := range uint64(200) {
		r := &dice{rand.New(rand.NewPCG(seed, 2))}
		w := newborn(r)
		if w.leaving == nil && coin(r) {
			w.wantLeaving(r)
		}
		w.wantChains(r)
		w.oracle = naive.New()
		reached.slow = w.oracle
		for _, cmd := range w.birth() {
			reached.see(moment{at: w.now, cmd: cmd})
		}
		for range 250 {
			at, cmd := w.next(r)
			w.learn(r, cmd, *reached.see(moment{at, cmd, w.decider(r, cmd, schema.Origin{})}))
		}
	}
	for _, what := range reached.wanted() {
		if reached.seen[what] == 0 {
			t.Errorf("no world came to: %s", what)
		}
	}
}

// proposalReach counts what worlds come to with commands that take two operators.
type proposalReach struct {
	slow *naive.Exchange
	seen map[string]int
}

// wanted are the names of all that is counted and that worlds come to.
func (w *proposalReach) wanted() (list []string) {
	for _, cmd := range []schema.Command{&schema.SetAsset{}, &schema.SetChain{}, &schema.SetTier{}, &schema.Deposit{}, &schema.DecideDeposit{}} {
		for _, what := range []string{"proposed", "done by one", "OperatorMissing", "refused before it is proposed", "done by two", "canceled"} {
			list = append(list, fmt.Sprintf("%T %s", cmd, what))
		}
		if isSetting(cmd) {
			list = append(list, fmt.Sprintf("%T approved", cmd), fmt.Sprintf("%T canceled after it was approved", cmd))
		}
		if _, another := cmd.(*schema.Deposit); !another {
			list = append(list, fmt.Sprintf("%T takes the place of a proposal", cmd), fmt.Sprintf("%T outdates a proposal", cmd))
		}
	}
	for _, reason := range []schema.Reason{schema.OK, schema.OperatorMissing, schema.ProposalUnknown, schema.ProposalDecided, schema.ApprovedBefore} {
		list = append(list, fmt.Sprintf("%T %s", &schema.DecideProposal{}, reason))
	}
	for _, what := range []string{
		"no network there before", "another contract", "other decimals", "less confirmations", "less confirmations for trading", "a network's max_withdraw", "held_cap", "approve_above",
		"approve2_above", "hour_cap", "hot_cap", "the asset's max_withdraw",
	} {
		list = append(list, "proposed for one thing: "+what)
	}
	return append(list,
		"*schema.ForgiveOwed OperatorMissing", "*schema.ForgiveOwed refused before it is proposed", "*schema.SetAsset refused when its time came",
		"an approval is refused", "two settings of a tick", "a setting is late", "as much as one operator can bring", "loosened before anything is guarded", "loosened while it takes one")
}

// loosened are the things about an asset that take two operators, each by its name, as if all its chains were guarded.
func (w *proposalReach) loosened(set *schema.Asset) (list []string) {
	assets := w.slow.Assets()
	i := slices.IndexFunc(assets, func(a schema.Asset) bool { return a.Ticker == set.Ticker })
	if i < 0 {
		return nil
	}
	is := func(what string, so bool) {
		if so {
			list = append(list, what)
		}
	}
	is("the asset's max_withdraw", higher(assets[i].MaxWithdraw, set.MaxWithdraw))
	for _, n := range set.Networks {
		old := assets[i].NetworkOn(n.Chain)
		if !w.guarded(n.Chain) {
			continue
		}
		if old == nil {
			list = append(list, "no network there before")
			continue
		}
		is("another contract", n.Contract != old.Contract)
		is("other decimals", n.Decimals != old.Decimals)
		is("less confirmations", n.Confirmations < old.Confirmations)
		is("less confirmations for trading", n.ConfirmationsForTrading < old.ConfirmationsForTrading)
		for _, bound := range []struct {
			what  string
			rises bool
		}{
			{"a network's max_withdraw", higher(old.MaxWithdraw, n.MaxWithdraw)},
			{"held_cap", higher(old.HeldCap, n.HeldCap)},
			{"approve_above", higher(old.ApproveAbove, n.ApproveAbove)},
			{"approve2_above", higher(old.Approve2Above, n.Approve2Above)},
			{"hour_cap", higher(old.HourCap, n.HourCap)},
			{"hot_cap", higher(old.HotCap, n.HotCap)},
		} {
			is(bound.what, bound.rises)
		}
	}
	return list
}

// higher reports whether a bound that was there is higher or gone.
func higher(before, now fixed.Decimal) bool {
	return before.Sign() != 0 && (now.Sign() == 0 || before.Less(now))
}

// guarded reports whether a chain is one of others that has a block.
func (w *proposalReach) guarded(id schema.ChainID) bool {
	for _, c := range w.slow.Chains() {
		if c.ID == id {
			at, _, _ := w.slow.ChainAt(id)
			return (c.Driver == schema.BitcoinNode || c.Driver == schema.EVMNode) && at.Height != 0
		}
	}
	return false
}

// see lets a moment happen, and counts what became of it.
func (w *proposalReach) see(m moment) *schema.Result {
	count := func(what string, is bool) {
		if is {
			w.seen[what]++
		}
	}
	before := w.slow.Proposals()
	var loosened []string
	if set, is := m.cmd.(*schema.SetAsset); is {
		loosened = w.loosened(&set.Asset)
	}
	guards := slices.ContainsFunc(w.slow.Chains(), func(c schema.Chain) bool { return w.guarded(c.ID) })
	deposit, brings := m.cmd.(*schema.Deposit)
	most := brings && slices.ContainsFunc(w.slow.Assets(), func(a schema.Asset) bool {
		return a.ID == deposit.Asset && slices.ContainsFunc(a.Networks, func(n schema.Network) bool { return w.guarded(n.Chain) && n.ApproveAbove == deposit.Amount })
	})
	out := w.slow.Apply(m.at, m.from, m.cmd)
	r := &out.Result
	asked, refused := r.Proposal != 0, r.Rejection.Refused()
	name := fmt.Sprintf("%T", m.cmd)
	if decide, is := m.cmd.(*schema.DecideProposal); is {
		count(fmt.Sprintf("%s %s", name, r.Rejection.Reason), true)
		known := proposed(before, decide.Proposal)
		count("an approval is refused", known != nil && !isSetting(known.Command) && refused && m.from.Operator != "" && known.Operator != m.from.Operator)
	} else if proposable(m.cmd) {
		count(name+" proposed", asked)
		count(name+" done by one", !asked && !refused && m.from.Operator != "")
		count(name+" OperatorMissing", r.Rejection.Reason == schema.OperatorMissing)
		count(name+" refused before it is proposed", refused && m.from.Operator != "")
	}
	if len(loosened) == 1 {
		count("proposed for one thing: "+loosened[0], asked)
		count("loosened before anything is guarded", !guards && !refused)
		count("loosened while it takes one", !asked && !refused && guards)
	}
	count("as much as one operator can bring", most && !refused && !asked)
	settings := 0
	for _, e := range out.Events {
		e, is := e.(*schema.ProposalChanged)
		if !is {
			continue
		}
		p := &e.Proposal
		what := fmt.Sprintf("%T", p.Command)
		known := proposed(before, p.ID)
		switch p.Status {
		case schema.ProposalApproved:
			count(what+" approved", true)
		case schema.ProposalDone:
			count(what+" done by two", true)
		case schema.ProposalRefused:
			count(what+" refused when its time came", true)
		case schema.ProposalCanceled:
			count(what+" canceled", true)
			count(what+" canceled after it was approved", known != nil && known.Status == schema.ProposalApproved)
			count(name+" takes the place of a proposal", asked)
			count(name+" outdates a proposal", !asked && proposable(m.cmd))
		}
		if p.Due != 0 && p.Status != schema.ProposalApproved && p.Status != schema.ProposalCanceled {
			settings++
			count("a setting is late", p.Due < out.Time)
		}
	}
	count("two settings of a tick", settings > 1)
	return r
}
