package core

import (
	"fmt"
	"slices"

	"bourse/internal/schema"
)

// childReach counts what worlds come to with children.
type childReach struct {
	*payers
	seen    map[string]int
	parents map[schema.PayoutID]schema.PayoutID // of all children that were planned
	before  map[schema.PayoutID]schema.Payout   // payouts that were kept
	missing map[string]bool                     // coins that were in no block
	kind    string                              // of the plan that is sent
}

func newChildReach(w *payers, seen map[string]int) *childReach {
	return &childReach{payers: w, seen: seen, parents: map[schema.PayoutID]schema.PayoutID{}}
}

// wanted are the names of all that is counted and that worlds come to.
func (w *childReach) wanted() (list []string) {
	for _, what := range []string{
		"OK", "of a last variant: OK", "of an earlier variant: OK", "of a variant that gives up: OK", "of another variant of one that is given up: OK",
		"of all change: OK", "of some change: OK", "of one that has a child: OK", "of one that stores: OK", "of one that brings back: OK",
		"and a coin in a block: CoinUnavailable", "of several variants: CoinUnavailable", "of several payouts: CoinUnavailable", "of one that is not signed: CoinUnavailable",
		"of cold storage: CoinUnavailable", "of what is reserved: CoinUnavailable", "of a child: CoinUnavailable", "of one in a block: CoinUnavailable",
		"and something that is not there: CoinUnavailable", "with withdrawals: PayoutInvalid", "with several outputs: PayoutInvalid", "that stores: PayoutInvalid",
		"with no outputs: PayoutInvalid", "that does not add up: PayoutInvalid",
	} {
		list = append(list, "a child "+what)
	}
	for _, what := range []string{
		"OK", "of coins in no block: OK", "of coins in blocks alone: OK", "of others, too: OK", "divided: OK", "that gives up: OK", "beside another variant of its parent: CoinUnavailable",
	} {
		list = append(list, "a variant of a child "+what)
	}
	for _, what := range []string{
		"is in the block of its parent", "is in a block after its parent", "is before its parent: BlockInvalid", "is rewound with its parent", "is rewound alone",
		"waits while its parent is rewound", "waits beside another variant of its parent", "is given up and mined",
		"is dead when its parent is forgotten", "is dead when its parent is held to be dead", "is dead with its parent because of a spend", "is dead because of a spend",
		"is held to be dead", "is alive when its parent is forgotten", "is forgotten in a block", "is dead with others at once", "is dead, which leaves the chain busy",
		"is dead with a coin in a block",
	} {
		list = append(list, "a child "+what)
	}
	return list
}

// note notes how payouts are before a command.
func (w *childReach) note(cmd schema.Command) {
	w.before, w.missing, w.kind = map[schema.PayoutID]schema.Payout{}, map[string]bool{}, ""
	for _, p := range w.slow.Payouts(payerNode) {
		p.Variants = slices.Clone(p.Variants)
		w.before[p.ID] = p
	}
	for _, k := range w.slow.CoinsOf(payerNode, payerBTC) {
		w.missing[k.ID] = k.Height == 0
	}
	if p, is := cmd.(*schema.PlanPayout); is && p.Chain == payerNode {
		if w.kind = "a child"; p.Payout != w.slow.NextPayout() {
			w.kind = "a variant of a child"
		}
	}
}

// traits are what a plan is that spends what is in no block, or might; none: it is no such plan.
func (w *childReach) traits(p *schema.PlanPayout) (list []string) {
	is := func(what string, so bool) {
		if so {
			list = append(list, what)
		}
	}
	type output struct {
		payout  schema.PayoutID
		variant int
	}
	spent, payouts := map[output]bool{}, map[schema.PayoutID]bool{}
	usual, unknown, cold, reserved, unsigned, mined := false, false, false, false, false, false
	for _, id := range p.Inputs {
		missing, known := w.missing[id]
		found := false
		for _, other := range w.before {
			for i := range other.Variants {
				for _, k := range changeOf(&other, &other.Variants[i]) {
					if k.ID != id || other.Height != 0 && uint32(i) == other.Mined {
						continue
					}
					found, spent[output{other.ID, i}], payouts[other.ID] = true, true, true
					cold, reserved = cold || k.Own.IsCold(), reserved || known
					unsigned, mined = unsigned || len(other.Variants[i].Raw) == 0, mined || other.Height != 0
				}
			}
		}
		usual, unknown = usual || known && !missing, unknown || !known && !found
	}
	if len(spent) == 0 {
		return nil
	}
	one := len(spent) == 1 && !usual && !unknown
	for from := range spent {
		parent := w.before[from.payout]
		good := one && !cold && !reserved && !unsigned && !mined && w.parents[parent.ID] == 0
		last := from.variant == len(parent.Variants)-1
		is("of a last variant", good && last)
		is("of an earlier variant", good && !last)
		is("of a variant that gives up", good && parent.Variants[from.variant].GiveUp)
		is("of another variant of one that is given up", good && parent.GivingUp && !parent.Variants[from.variant].GiveUp)
		all := changeOf(&parent, &parent.Variants[from.variant])
		is("of all change", good && len(all) == len(p.Inputs))
		is("of some change", good && len(all) > len(p.Inputs))
		is("of one that stores", good && storing(&parent))
		is("of one that brings back", good && w.bringing(w.all[payerNode-1], &parent))
		for child, of := range w.parents {
			_, kept := w.before[child]
			is("of one that has a child", good && kept && of == parent.ID)
		}
		is("of a child", one && !cold && !reserved && !unsigned && !mined && w.parents[parent.ID] != 0)
		is("with withdrawals", good && len(p.Withdrawals) > 0)
		is("with several outputs", good && len(p.Outputs) > 1 && !p.Outputs[0].Own.IsCold())
		is("that stores", good && len(p.Outputs) > 0 && p.Outputs[0].Own == schema.ColdOf(p.Payout))
		is("with no outputs", good && len(p.Outputs) == 0)
		change := len(p.Outputs) == 1 && p.Outputs[0].Own == schema.ChangeOf(p.Payout) && p.Outputs[0].Index == 0 && len(p.Withdrawals) == 0
		is("that does not add up", good && change && p.Outputs[0].Amount.Sign() > 0 && !addsUp(p, all))
	}
	simple := !cold && !reserved && !unsigned && !mined
	is("and a coin in a block", simple && usual && !unknown && len(spent) == 1)
	is("of several variants", simple && !usual && !unknown && len(spent) > 1 && len(payouts) == 1)
	is("of several payouts", simple && !usual && !unknown && len(payouts) > 1)
	is("of one that is not signed", one && unsigned && !cold && !reserved && !mined)
	is("of cold storage", one && cold && !reserved && !unsigned && !mined)
	is("of what is reserved", one && reserved && !cold && !unsigned && !mined)
	is("of one in a block", one && mined && !cold && !reserved && !unsigned)
	is("and something that is not there", simple && unknown && !usual && len(spent) == 1)
	return list
}

// addsUp reports whether a plan pays what it spends of some coins.
func addsUp(p *schema.PlanPayout, coins []schema.Coin) bool {
	rest := p.Fee
	for _, out := range p.Outputs {
		rest = rest.Add(out.Amount)
	}
	for _, k := range coins {
		if slices.Contains(p.Inputs, k.ID) {
			rest = rest.Sub(k.Amount)
		}
	}
	return rest.IsZero()
}

// see counts what became of a command.
func (w *childReach) see(cmd schema.Command, out *schema.Result, events []schema.Event) {
	count := func(what string, is bool) {
		if is {
			w.seen[what]++
		}
	}
	refused := out.Rejection.Refused()
	switch cmd := cmd.(type) {
	case *schema.PlanPayout:
		w.seePlan(cmd, out, count)
	case *schema.ChainBlock:
		for i, r := range cmd.Results {
			parent := w.parents[r.Payout]
			if cmd.Chain != payerNode || parent == 0 {
				continue
			}
			was, waited := w.before[parent]
			child := w.before[r.Payout]
			at := slices.IndexFunc(cmd.Results, func(other schema.PayoutResult) bool { return other.Payout == parent })
			count("a child is in the block of its parent", !refused && at >= 0 && at < i)
			count("a child is in a block after its parent", !refused && at < 0)
			count("a child is before its parent: BlockInvalid", out.Rejection.Reason == schema.BlockInvalid && at < 0 && waited && was.Height == 0)
			count("a child is given up and mined", !refused && child.GivingUp && int(r.Variant) < len(child.Variants) && child.Variants[r.Variant].GiveUp)
		}
	}
	if !refused {
		w.seeEvents(cmd, events, count)
	}
}

// seePlan counts what became of a plan.
func (w *childReach) seePlan(p *schema.PlanPayout, out *schema.Result, count func(string, bool)) {
	switch w.kind {
	case "a child":
		made := !out.Rejection.Refused() && w.slow.Parent(p.Payout) != 0
		if made {
			w.parents[p.Payout] = w.slow.Parent(p.Payout)
		}
		count("a child OK", made)
		for _, what := range w.traits(p) {
			count(fmt.Sprintf("a child %s: %s", what, out.Rejection.Reason), made || out.Rejection.Refused())
		}
	case "a variant of a child":
		if w.parents[p.Payout] == 0 {
			return
		}
		missing := 0
		for _, id := range p.Inputs {
			if w.missing[id] {
				missing++
			}
		}
		child, good := w.before[p.Payout], !out.Rejection.Refused()
		count("a variant of a child OK", good)
		count("a variant of a child of coins in no block: OK", good && missing > 0)
		count("a variant of a child of coins in blocks alone: OK", good && missing == 0)
		count("a variant of a child of others, too: OK", good && missing > 0 && missing < len(p.Inputs))
		count("a variant of a child divided: OK", good && len(p.Outputs) > 1)
		count("a variant of a child that gives up: OK", good && child.GivingUp)
		parent := w.before[w.parents[p.Payout]]
		count("a variant of a child beside another variant of its parent: CoinUnavailable",
			out.Rejection.Reason == schema.CoinUnavailable && missing == len(p.Inputs) && parent.Height != 0)
	}
}

// seeEvents counts what became of children.
func (w *childReach) seeEvents(cmd schema.Command, events []schema.Event, count func(string, bool)) {
	dead, rewound := map[schema.PayoutID]bool{}, map[schema.PayoutID]bool{}
	var orphans []schema.PayoutID
	for _, e := range events {
		if e, is := e.(*schema.PayoutChanged); is {
			dead[e.Payout.ID] = e.Payout.Status == schema.PayoutDead
			rewound[e.Payout.ID] = w.before[e.Payout.ID].Height != 0 && e.Payout.Height == 0
		}
	}
	kept := map[schema.PayoutID]schema.Payout{}
	for _, p := range w.slow.Payouts(payerNode) {
		kept[p.ID] = p
	}
	_, busy, _ := w.slow.ChainAt(payerNode)
	for child, parent := range w.parents {
		was, known := w.before[child]
		if !known {
			continue
		}
		mother, had := w.before[parent]
		_, has := kept[parent]
		count("a child is rewound with its parent", rewound[child] && rewound[parent])
		count("a child is rewound alone", rewound[child] && !rewound[parent])
		count("a child waits while its parent is rewound", rewound[parent] && was.Height == 0)
		count("a child waits beside another variant of its parent", was.Height == 0 && had && mother.Height == 0 && kept[parent].Height != 0 && w.outside(&was, kept[parent]))
		if !dead[child] {
			_, still := kept[child]
			count("a child is forgotten in a block", !still && was.Height != 0)
			count("a child is alive when its parent is forgotten", still && had && !has && kept[child].Height == 0)
			continue
		}
		if had && !has {
			orphans = append(orphans, child)
		}
		a, abandons := cmd.(*schema.AbandonPayout)
		count("a child is held to be dead", abandons && a.Payout == child)
		count("a child is dead when its parent is held to be dead", abandons && a.Payout == parent)
		count("a child is dead with its parent because of a spend", !abandons && dead[parent])
		count("a child is dead because of a spend", !abandons && (has || !had))
		count("a child is dead when its parent is forgotten", !abandons && had && !has && !dead[parent])
		count("a child is dead, which leaves the chain busy", busy && had && !has)
		for _, v := range was.Variants {
			count("a child is dead with a coin in a block", had && !has && slices.ContainsFunc(v.Inputs, func(id string) bool { missing, is := w.missing[id]; return is && !missing }))
		}
	}
	for i, child := range orphans {
		count("a child is dead with others at once", slices.ContainsFunc(orphans[:i], func(other schema.PayoutID) bool { return w.parents[other] == w.parents[child] }))
	}
}

// outside reports whether the anchor of a child is not among what its parent made in a block.
func (w *childReach) outside(child *schema.Payout, parent schema.Payout) bool {
	return !slices.ContainsFunc(changeOf(&parent, &parent.Variants[parent.Mined]), func(k schema.Coin) bool { return k.ID == child.Variants[0].Inputs[0] })
}
