package chain

import (
	"slices"

	"bourse/internal/schema"
)

// A child is a payout on Bitcoin that was planned to spend change of another one, its parent, while that was in no block: miners look at a
// transaction together with what spends it, so the child bids for both where no variant of the parent can.
//
// What must hold: the coins that a child was planned with are outputs of one signed variant of its parent. They are coins from its plan on, in
// the block of that variant or in none, and reserved. While its anchor is in no block its parent is kept: when that is over, nothing can bring
// the anchor into a block any more, and the child is over with it.

// change is the payout whose change a new plan spends, and the coins that this is: all of it outputs of one variant that may be mined, and
// none of it a coin already. Without a payout the plan is none of a child.
func (c *Chains) change(ch *chain, m *schema.PlanPayout) (parent *payout, coins []schema.Coin) {
	of, known := ch.txs[schema.TxOf(m.Inputs[0])]
	parent = c.payouts[of.payout]
	if !known || parent.mined() || parent.parent != 0 || len(parent.Variants[of.variant].Raw) == 0 {
		return nil, nil
	}
	for _, id := range m.Inputs {
		key := holdingKey{m.Asset, id}
		out, there := parent.gives(&parent.Variants[of.variant], key)
		if !there || c.holding(ch, key) != nil || c.taken(ch, key) {
			return nil, nil
		}
		coins = append(coins, schema.Coin{ID: id, Amount: out.Amount, Index: out.Index, Own: out.Own})
	}
	return parent, coins
}

// gives is the output of a variant that a coin is, if that is change.
func (p *payout) gives(v *schema.Variant, key holdingKey) (out schema.OwnOutput, there bool) {
	for i := range v.Outputs {
		if p.output(v, i) == key && !v.Outputs[i].Own.IsCold() {
			return v.Outputs[i], true
		}
	}
	return schema.OwnOutput{}, false
}

// await makes a payout the child of another one, with the coins that it was planned with.
func (c *Chains) await(ch *chain, p, parent *payout, coins []schema.Coin) {
	p.parent = parent.ID
	for _, coin := range coins {
		c.keep(ch, &ch.lane(p.Asset).unspent, holding{Coin: coin, asset: p.Asset, since: ch.cursor.height})
	}
}

// mayCome reports whether a coin that a payout reserves is an output of its parent, which is in no block: variants spend it all the same.
func (c *Chains) mayCome(ch *chain, p *payout, h *holding) bool {
	parent := c.payouts[p.parent]
	of, known := ch.txs[schema.TxOf(h.ID)]
	return parent != nil && !parent.mined() && known && of.payout == parent.ID
}

// endChildren ends the children of a payout that is over whose anchor is in no block, in the same step, as if operators had held them to be
// dead. They have no children themselves.
func (c *Chains) endChildren(ch *chain, parent schema.PayoutID, budget *int) {
	for at := 0; at < len(ch.payouts); {
		p := ch.payouts[at]
		if p.parent != parent || c.holding(ch, p.anchor()).Height != 0 {
			at++
			continue
		}
		p.charge(budget)
		c.bury(p)
		c.payoutChanged(p)
	}
}

// validChild reports whether a payout that is read can be a child, behind those that were read.
func (c *Chains) validChild(ch *chain, m *payoutRecord) bool {
	parent, first := c.payouts[m.parent], &m.Variants[0]
	return ch.Driver == schema.BitcoinNode && m.parent < m.ID && len(m.Withdrawals) == 0 && len(first.Outputs) == 1 && !stores(first.Outputs) &&
		(parent == nil || parent.parent == 0)
}

// isChild reports whether a payout whose coins are known can be the child that it says it is, besides what validChild asks for.
func (c *Chains) isChild(ch *chain, p *payout) bool {
	parent, seated := c.payouts[p.parent], c.holding(ch, p.anchor()).Height != 0
	if parent == nil {
		return seated
	}
	of, known := ch.txs[schema.TxOf(p.anchor().id)]
	if !known || of.payout != parent.ID || seated != (parent.mined() && parent.Mined == of.variant) {
		return false
	}
	v := &parent.Variants[of.variant]
	return len(v.Raw) > 0 && !slices.ContainsFunc(p.Variants[0].Inputs, func(id string) bool {
		_, there := parent.gives(v, holdingKey{p.Asset, id})
		return !there
	})
}

// Parent is the payout whose change one was planned to spend while that was in no block, also when that is over; 0: none.
func (c *Chains) Parent(id schema.PayoutID) schema.PayoutID {
	if p := c.payouts[id]; p != nil {
		return p.parent
	}
	return 0
}
