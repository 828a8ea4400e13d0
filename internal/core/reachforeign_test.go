package core

import (
	"fmt"
	"slices"

	"bourse/internal/core/naive"
	"bourse/internal/schema"
)

// foreignReach counts what worlds come to with what the log does not know.
type foreignReach struct {
	*payers
	seen    map[string]int
	rewound map[string]bool // spends that were in a block
	kept    map[schema.ChainID][]naive.Spend
	waits   map[schema.PayoutID]schema.Payout // payouts in no block
	half    map[schema.ChainID]bool
}

// newForeignReach counts what one world comes to.
func newForeignReach(w *payers, seen map[string]int) *foreignReach {
	return &foreignReach{payers: w, seen: seen, rewound: map[string]bool{}}
}

// before notes how chains stand before a command.
func (w *foreignReach) before() {
	w.kept, w.waits, w.half = map[schema.ChainID][]naive.Spend{}, map[schema.PayoutID]schema.Payout{}, map[schema.ChainID]bool{}
	for _, c := range w.all {
		if c.Driver == schema.Sandbox {
			continue
		}
		w.kept[c.ID], w.half[c.ID] = w.slow.Spends(c.ID), w.slow.Half(c.ID)
		for _, p := range w.waiting(c) {
			w.waits[p.ID] = p
		}
	}
}

// see counts what became of a command.
func (w *foreignReach) see(cmd schema.Command, out *schema.Result, events []schema.Event) {
	count := func(c *worldChain, what string, is bool) {
		if is {
			w.seen[fmt.Sprintf("%s: %s", c.Driver, what)]++
		}
	}
	refused := out.Rejection.Refused()
	switch cmd := cmd.(type) {
	case *schema.AdoptSpend:
		if !refused {
			c := w.all[cmd.Chain-1]
			at, _, _ := w.slow.ChainAt(c.ID)
			count(c, "adopted", !at.Halted)
			count(c, "adopted without half a block", !at.Halted && w.half[c.ID])
		}
	case *schema.BookSurplus:
		if !refused {
			count(w.all[cmd.Chain-1], "a surplus", w.slow.Adopting(cmd.Chain) == "")
		}
	case *schema.PlanPayout:
		if out.Rejection.Reason == schema.CoinUnavailable && slices.ContainsFunc(w.kept[cmd.Chain], func(f naive.Spend) bool {
			return f.Index == cmd.Index && f.Own == cmd.Own && f.Own+schema.OwnAddress(f.Index) != 0
		}) {
			count(w.all[cmd.Chain-1], "a payout of its address waits", true)
		}
	case *schema.ChainBlock:
		if len(cmd.Adopted) > 0 && cmd.Chain >= 1 && int(cmd.Chain) <= len(w.all) {
			c := w.all[cmd.Chain-1]
			count(c, "a wrong spend", out.Rejection.Reason == schema.BlockInvalid)
			w.seen[fmt.Sprintf("blocks with spends %s", out.Rejection.Reason)]++
			if !refused {
				count(c, "several spends in a block", len(cmd.Adopted) > 1)
				w.seeSpends(c, cmd, count)
			}
		}
	}
	for _, e := range events {
		if e, is := e.(*schema.SpendAdopted); is {
			c := w.all[e.Chain-1]
			count(c, "a spend", e.Height != 0)
			count(c, "a spend in another block", e.Height != 0 && w.rewound[e.Tx])
			count(c, "a spend is rewound", e.Height == 0)
			count(c, "a spend that was booked is rewound", e.Height == 0 && slices.ContainsFunc(w.kept[c.ID], func(f naive.Spend) bool { return f.Tx == e.Tx && f.Booked }))
			w.rewound[e.Tx] = w.rewound[e.Tx] || e.Height == 0
		}
	}
	w.seeForgotten(events, count)
}

// seeSpends counts what the transactions of a block took that no plan made.
func (w *foreignReach) seeSpends(c *worldChain, b *schema.ChainBlock, count func(*worldChain, string, bool)) {
	for _, f := range b.Adopted {
		for _, kept := range w.slow.Spends(c.ID) {
			whole := func(take schema.ForeignTake) bool { return slices.Contains(kept.Losses, take) }
			count(c, "a spend that took more than there was", kept.Tx == f.Tx && slices.ContainsFunc(f.Takes, func(take schema.ForeignTake) bool { return !whole(take) }))
		}
		for _, r := range b.Receipts {
			count(c, "a spend of what its block pays", slices.Contains(f.Inputs, r.ID))
		}
		for _, p := range w.waits {
			if p.Chain != c.ID {
				continue
			}
			for _, v := range p.Variants {
				count(c, "a spend of what a payout has reserved", slices.ContainsFunc(v.Inputs, func(id string) bool { return slices.Contains(f.Inputs, id) }))
			}
			same := c.Driver == schema.EVMNode && p.Index == f.Index && p.Own == f.Own
			count(c, "a spend with the nonce of a payout", same && p.Nonce == f.Nonce)
			mined := slices.ContainsFunc(b.Results, func(r schema.PayoutResult) bool { return r.Payout == p.ID })
			count(c, "a spend beside a payout behind its nonce", same && f.Nonce < p.Nonce && mined)
		}
	}
}

// seeForgotten counts spends that are not kept any more, and what became of payouts by them.
func (w *foreignReach) seeForgotten(events []schema.Event, count func(*worldChain, string, bool)) {
	rewound := map[string]bool{}
	dead := map[schema.PayoutID]bool{}
	for _, e := range events {
		switch e := e.(type) {
		case *schema.SpendAdopted:
			rewound[e.Tx] = e.Height == 0
		case *schema.PayoutChanged:
			dead[e.Payout.ID] = e.Payout.Status == schema.PayoutDead
		}
	}
	for _, c := range w.all {
		if c.Driver == schema.Sandbox {
			continue
		}
		after := w.slow.Spends(c.ID)
		for _, f := range w.kept[c.ID] {
			gone := !slices.ContainsFunc(after, func(other naive.Spend) bool { return other.Tx == f.Tx })
			count(c, "a spend is forgotten", gone && !rewound[f.Tx])
		}
		for id, p := range w.waits {
			count(c, "a payout is dead by a spend", dead[id] && p.Chain == c.ID && len(w.kept[c.ID]) > 0 && p.Approver == "")
		}
		if c.Driver != schema.BitcoinNode || len(w.kept[c.ID]) == len(after) {
			continue
		}
		for _, k := range w.slow.CoinsOf(c.ID, payerBTC) {
			spent := slices.ContainsFunc(w.kept[c.ID], func(f naive.Spend) bool { return slices.Contains(f.Inputs, k.ID) })
			count(c, "what a spend took is in no block", k.Height == 0 && spent)
		}
	}
}
