package naive

import (
	"slices"

	"bourse/internal/schema"
)

// spendsOutputs reports whether all that a plan spends are some coins.
func spendsOutputs(p *schema.PlanPayout, coins []schema.Coin) bool {
	for _, id := range p.Inputs {
		if !slices.ContainsFunc(coins, func(k schema.Coin) bool { return k.ID == id }) {
			return false
		}
	}
	return true
}

// parentOf finds the payout in no block of which a new one would be a child, and the coins that a child of it can spend: what one signed variant
// pays to ourselves, and not to cold storage, if nobody has reserved what the plan takes of it. A child has no children.
func (s *chains) parentOf(c *chain, p *schema.PlanPayout) (parent *payout, coins []schema.Coin) {
	for _, other := range s.kept(c) {
		if !c.hasCoins() || !other.waits() || other.parent != 0 || other.Asset != p.Asset {
			continue
		}
		for i := range other.Variants {
			v := &other.Variants[i]
			made := slices.DeleteFunc(changes(other, v, 0), func(k schema.Coin) bool {
				return isCold(k.Own) || s.reserves(c, k.ID) != nil || s.isCoin(c, p.Asset, k.ID)
			})
			if len(v.Raw) > 0 && spendsOutputs(p, made) {
				return other, made
			}
		}
	}
	return nil, nil
}

// formedChild looks at what a child pays: all to one address for change.
func formedChild(p *schema.PlanPayout) bool {
	return len(p.Withdrawals) == 0 && len(p.Outputs) == 1 && !storesSome(p.Outputs)
}

// mayMiss reports whether a variant of a payout may spend a coin that is in no block: a child what it has reserved of its parent while that is in
// none either.
func (s *chains) mayMiss(p *payout, id string) bool {
	if p == nil || p.parent == 0 {
		return false
	}
	parent := s.payout(p.parent)
	return parent != nil && parent.waits() && slices.Contains(p.inputs(), id) && slices.ContainsFunc(parent.Variants, func(v schema.Variant) bool {
		return slices.ContainsFunc(changes(parent, &v, 0), func(k schema.Coin) bool { return k.ID == id })
	})
}

// orphans are the children of a payout that can never be in a block without it: their anchor is in none.
func (s *chains) orphans(c *chain, p *payout) (list []*payout) {
	for _, child := range s.kept(c) {
		if child.parent != p.ID {
			continue
		}
		if anchor := s.coin(c, child.Asset, child.Variants[0].Inputs[0]); anchor != nil && anchor.Height == 0 {
			list = append(list, child)
		}
	}
	return list
}

// workWithOrphans is the work of a step after which a payout is not known any more.
func (s *chains) workWithOrphans(c *chain, p *payout) int {
	work := p.work()
	for _, child := range s.orphans(c, p) {
		work += child.work()
	}
	return work
}

// endOrphans lets the children of a payout that is not known any more be dead with it.
func (s *chains) endOrphans(c *chain, p *payout) {
	for _, child := range s.orphans(c, p) {
		s.endDead(c, child)
	}
}
