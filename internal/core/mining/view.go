package mining

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Terms are how the pool works, and what a block is worth to it; both are zero where nothing was ever set.
func (p *Pool) Terms() (schema.PoolTerms, fixed.Decimal) { return p.terms, p.rate }

// Account is a mining account.
func (p *Pool) Account(id schema.MiningID) (schema.MiningAccount, bool) {
	a := p.find(id)
	if a == nil {
		return schema.MiningAccount{}, false
	}
	return a.MiningAccount, true
}

// Named is the mining account with a name.
func (p *Pool) Named(name string) (schema.MiningAccount, bool) { return p.Account(p.names[name]) }

// Of are the mining accounts of an account, the newest first.
func (p *Pool) Of(account schema.AccountID) (list []schema.MiningAccount) {
	for id := p.newest[account]; id != 0; id = p.at(id).before {
		list = append(list, p.at(id).MiningAccount)
	}
	return list
}

// Watch is a link that lives.
func (p *Pool) Watch(id schema.WatchID) (schema.Watch, bool) {
	place, lives := p.watchAt[id]
	if !lives {
		return schema.Watch{}, false
	}
	w := p.watches.At(place).Watch
	w.Minings = slices.Clone(w.Minings)
	return w, true
}

// Watches are the links of a mining account that live, the oldest first.
func (p *Pool) Watches(id schema.MiningID) (list []schema.Watch) {
	a := p.find(id)
	if a == nil {
		return nil
	}
	for _, link := range a.links {
		w, _ := p.Watch(link)
		list = append(list, w)
	}
	return list
}

// Blocks are the last blocks that were found, the newest first.
func (p *Pool) Blocks() []schema.PoolBlock {
	list := slices.Clone(p.blocks)
	slices.Reverse(list)
	return list
}

// Pending is how many rewards are pending, and their sum: what waits, is in the queue, or is bound to a withdrawal.
func (p *Pool) Pending() (int, fixed.Decimal) { return p.pending, p.owed }
