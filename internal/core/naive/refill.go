package naive

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// want is an asset on a chain of which something should come back from cold storage.
type want struct {
	chain schema.ChainID
	asset schema.AssetID
}

// refill sets how much of an asset should come back, instead of what was wanted before.
func (s *chains) refill(r *schema.RefillHot) schema.Rejection {
	c := s.chain(r.Chain)
	switch {
	case c == nil:
		return because(schema.ChainUnknown)
	case !c.foreign():
		return because(schema.ChainOwnBlocks)
	case s.listing.asset(r.Asset) == nil:
		return because(schema.AssetUnknown)
	}
	n, amount := s.network(c.ID, r.Asset), of(r.Amount)
	if amount.sign() < 0 || !s.stores(c) || n == nil || !amount.multipleOf(unit(n.Decimals)) || amount.more(s.stored(c, r.Asset)) {
		return because(schema.RefillInvalid)
	}
	s.wanted[want{c.ID, r.Asset}] = amount
	return accepted
}

// stored is what of an asset is in cold storage by blocks of a chain, with what payouts under way may spend.
func (s *chains) stored(c *chain, asset schema.AssetID) num {
	if c.hasAccounts() {
		return s.at(c, asset, place{own: coldFirst})
	}
	sum := num{}
	for _, k := range s.seatedCoins(c, asset) {
		if isCold(k.Own) {
			sum = sum.plus(of(k.Amount))
		}
	}
	return sum
}

// bring makes what is wanted less by what a new payout takes out of cold storage. What becomes of the payout later changes nothing.
func (s *chains) bring(c *chain, p *schema.PlanPayout) {
	cold := isCold(p.Own)
	if c.hasCoins() {
		cold = isCold(s.coin(c, p.Asset, p.Inputs[0]).Own)
	}
	if cold {
		key := want{c.ID, p.Asset}
		s.wanted[key] = greatest(num{}, s.wanted[key].minus(outputs(p.Outputs)))
	}
}

// Wanted is what of an asset should come back from cold storage on a chain.
func (x *Exchange) Wanted(chain schema.ChainID, asset schema.AssetID) fixed.Decimal {
	return x.chains.wanted[want{chain, asset}].decimal()
}
