package chain

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Cold storage is what the exchange has on a chain of others by keys that are online nowhere. Payouts bring there what is too much, and
// back what is asked for; where a coin lies makes no difference to what the exchange has.
//
// What must hold: what is cold pays nobody but ourselves. A payout spends cold coins or others, never both, and if they are cold it pays no
// withdrawal and stores nothing: so a signer of cold keys has to trust no list of withdrawals.

// hasCold reports whether a chain has cold storage.
func (c *Chains) hasCold(ch *chain) bool { return !c.space(ch.Space()).cold.Print.IsZero() }

// isCold reports whether an address is in the cold storage of a chain, and can be paid (validOwn).
func (c *Chains) isCold(ch *chain, own schema.OwnAddress) bool {
	switch {
	case !own.IsCold() || !c.hasCold(ch):
		return false
	case ch.Driver == schema.BitcoinNode:
		return own > schema.Cold && own <= schema.ColdOf(c.lastPayout+schema.OwnAhead)
	}
	return own == schema.Cold
}

// count keeps the sum of what is cold, of coins that come into blocks or leave them, or are spent.
func (l *lane) count(own schema.OwnAddress, by fixed.Decimal) {
	if own.IsCold() {
		l.cold = l.cold.Add(by)
	}
}

// stores reports whether outputs on Bitcoin begin with one to cold storage.
func stores(outputs []schema.OwnOutput) bool { return len(outputs) > 0 && outputs[0].Own.IsCold() }

// formedOutputs is what must be true of what a plan on Bitcoin pays to ourselves: something to cold storage, if it pays nobody else, then
// change, which is divided unless the payout is given up.
func (c *Chains) formedOutputs(ch *chain, givesUp bool, m *schema.PlanPayout) bool {
	change := m.Outputs
	if stores(m.Outputs) {
		if m.Outputs[0].Own != schema.ColdOf(m.Payout) || !c.hasCold(ch) || givesUp || len(m.Withdrawals) > 0 {
			return false
		}
		change = m.Outputs[1:]
	}
	for i := range m.Outputs {
		if out := &m.Outputs[i]; out.Index != 0 || out.Amount.Sign() <= 0 || out.Amount.Decimals() > satoshi {
			return false
		}
	}
	elsewhere := func(out schema.OwnOutput) bool { return out.Own != schema.ChangeOf(m.Payout) }
	return len(m.Outputs) <= mostOutputs(givesUp, m.Outputs) && !slices.ContainsFunc(change, elsewhere)
}

// mostOutputs is how many outputs a variant on Bitcoin may have that pay ourselves, with those that it has.
func mostOutputs(givesUp bool, outputs []schema.OwnOutput) int {
	switch {
	case givesUp:
		return 1
	case stores(outputs):
		return 1 + schema.MaxChange
	}
	return schema.MaxChange
}

// refill keeps how much should come back from cold storage.
func (c *Chains) refill(m *schema.RefillHot) schema.Rejection {
	ch := c.find(m.Chain)
	switch {
	case ch == nil:
		return schema.Refuse(schema.ChainUnknown)
	case !ch.real():
		return schema.Refuse(schema.ChainOwnBlocks)
	case c.listing.Asset(m.Asset) == nil:
		return schema.Refuse(schema.AssetUnknown)
	}
	n := c.network(ch, m.Asset)
	if m.Amount.Sign() < 0 || !c.hasCold(ch) || n == nil || m.Amount.Decimals() > int(n.Decimals) {
		return schema.Refuse(schema.RefillInvalid)
	}
	at, there := ch.findLane(m.Asset)
	switch {
	case there && m.Amount.Cmp(ch.lanes[at].cold) <= 0:
		ch.lanes[at].wanted = m.Amount
	case !there && m.Amount.IsZero():
	default:
		return schema.Refuse(schema.RefillInvalid)
	}
	return schema.Rejection{}
}

// refilled takes what a new payout brings back from what should come.
func (c *Chains) refilled(ch *chain, m *schema.PlanPayout) {
	cold := m.Own.IsCold()
	if ch.Driver == schema.BitcoinNode {
		cold = c.holding(ch, holdingKey{m.Asset, m.Inputs[0]}).Own.IsCold()
	}
	if l := ch.lane(m.Asset); cold {
		for i := range m.Outputs {
			l.wanted = fixed.MaxOf(fixed.Zero, l.wanted.Sub(m.Outputs[i].Amount))
		}
	}
}

// Wanted is how much of an asset should come back from cold storage.
func (c *Chains) Wanted(id schema.ChainID, asset schema.AssetID) fixed.Decimal {
	ch := c.chains[id-1]
	if at, there := ch.findLane(asset); there {
		return ch.lanes[at].wanted
	}
	return fixed.Zero
}
