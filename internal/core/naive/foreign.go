package naive

import (
	"slices"

	"bourse/internal/schema"
)

// Bounds of transactions that no plan made.
const (
	adoptedMost       = 100 // of a chain
	foreignInputsMost = 5000
	foreignTakesMost  = 64
	nonceMost         = 1 << 63
)

// spend is a transaction in a block that took what is ours and that no plan made. Those that were rewound are none.
type spend struct {
	schema.ForeignSpend
	chain  schema.ChainID
	height uint64
	losses []schema.ForeignTake
	booked map[schema.AssetID]bool // the house bore what was lost of them
	over   bool                    // no rewind reaches it any more
}

// claim is what an operator said about what the log does not know of a chain: a spend to adopt, or a surplus to book.
type claim struct {
	operator string
	adopt    schema.AdoptSpend
	surplus  schema.BookSurplus
}

// say keeps what an operator said about a chain, instead of anything else that was said, or reports that another one said it before.
func (c *chain) say(this claim) (twice bool, r schema.Rejection) {
	known := c.claim
	switch {
	case known != nil && *known == this:
		return false, because(schema.ApprovedBefore)
	case known == nil || known.adopt != this.adopt || known.surplus != this.surplus:
		c.claim = &this
		return false, accepted
	}
	c.claim = nil
	return true, accepted
}

// adopt lets a block of a halted chain be taken with a transaction that no plan made, when two operators, one after the other, name it.
func (s *chains) adopt(a *schema.AdoptSpend) schema.Rejection {
	if s.call.operator == "" {
		return because(schema.OperatorMissing)
	}
	c := s.chain(a.Chain)
	switch {
	case c == nil:
		return because(schema.ChainUnknown)
	case !c.foreign():
		return because(schema.ChainOwnBlocks)
	case !c.halted:
		return because(schema.ChainNotHalted)
	case len(a.Tx) < 1, len(a.Tx) > txMost, s.namesTx(c, a.Tx), slices.Contains(c.adopted, a.Tx), len(c.adopted) >= adoptedMost:
		return because(schema.AdoptionInvalid)
	}
	twice, r := c.say(claim{operator: s.call.operator, adopt: *a})
	if twice {
		c.adopted = append(c.adopted, a.Tx)
		s.goOn(c, len(c.points))
	}
	return r
}

// spendsOn are the spends in blocks of a chain, as they came there, those that were forgotten there too.
func (s *chains) spendsOn(c *chain) (list []*spend) {
	for _, f := range s.spends {
		if f.chain == c.ID {
			list = append(list, f)
		}
	}
	return list
}

// keptSpends are those that may still be rewound.
func (s *chains) keptSpends(c *chain) []*spend {
	return slices.DeleteFunc(s.spendsOn(c), func(f *spend) bool { return f.over })
}

// sender is the address whose transaction a spend is, if it is one of ours.
func sender(f *schema.ForeignSpend) place { return place{f.Index, f.Own} }

// lost is what of an asset a spend took.
func (f *spend) lost(asset schema.AssetID) num {
	sum := num{}
	for _, l := range f.losses {
		if l.Asset == asset {
			sum = sum.plus(of(l.Amount))
		}
	}
	return sum
}

// unbooked is what of that the house did not bear yet.
func (f *spend) unbooked(asset schema.AssetID) num {
	if f.booked[asset] {
		return num{}
	}
	return f.lost(asset)
}

// validAdopted looks at transactions in a block that no plan made, one after the other, with what the block paid and what our payouts did
// before.
func (s *chains) validAdopted(c *chain, b *schema.ChainBlock) bool {
	for i, f := range b.Adopted {
		same := func(other schema.ForeignSpend) bool { return other.Tx == f.Tx }
		kept := slices.ContainsFunc(s.keptSpends(c), func(other *spend) bool { return same(other.ForeignSpend) })
		if kept || !slices.Contains(c.adopted, f.Tx) || slices.ContainsFunc(b.Adopted[:i], same) {
			return false
		}
	}
	var losses map[schema.AssetID]num
	valid := false
	if c.hasCoins() {
		losses, valid = s.coinsLost(c, b)
	} else {
		losses, valid = s.balancesLost(c, b)
	}
	return valid && s.houseBearsAll(losses)
}

// coinsLost is what adopted transactions take where there are coins, if each of them finds the coins that it spends.
func (s *chains) coinsLost(c *chain, b *schema.ChainBlock) (losses map[schema.AssetID]num, valid bool) {
	losses = map[schema.AssetID]num{}
	there := map[schema.AssetID]map[string]num{}
	for _, asset := range s.listing.assets {
		there[asset.ID] = s.coinsAfter(c, b, asset.ID, len(b.Results))
	}
	for _, f := range b.Adopted {
		if len(f.Inputs) < 1 || len(f.Inputs) > foreignInputsMost || len(f.Takes) > 0 || f.Index != 0 || f.Own != 0 || f.Nonce != 0 {
			return nil, false
		}
		for _, id := range f.Inputs {
			amount, is := there[f.Asset][id]
			if !is {
				return nil, false
			}
			delete(there[f.Asset], id)
			losses[f.Asset] = losses[f.Asset].plus(amount)
		}
	}
	return losses, true
}

// balancesLost is what adopted transactions take where there are accounts: no more than there is.
func (s *chains) balancesLost(c *chain, b *schema.ChainBlock) (losses map[schema.AssetID]num, valid bool) {
	losses = map[schema.AssetID]num{}
	balances := s.balancesAfter(c, b)
	for i := range b.Adopted {
		f := &b.Adopted[i]
		if f.Asset != 0 || len(f.Inputs) > 0 || len(f.Takes) > foreignTakesMost || !s.validSender(c, f) {
			return nil, false
		}
		known := map[purse]bool{}
		for _, t := range f.Takes {
			from := purse{place{t.Index, t.Own}, t.Asset}
			if known[from] || !s.validTake(c, b, &t) {
				return nil, false
			}
			known[from] = true
			lost := least(of(t.Amount), balances[from])
			balances[from] = balances[from].minus(lost)
			losses[t.Asset] = losses[t.Asset].plus(lost)
		}
	}
	return losses, true
}

// validSender looks at whose transaction it is. One of others takes something.
func (s *chains) validSender(c *chain, f *schema.ForeignSpend) bool {
	if sender(f) == (place{}) {
		return f.Nonce == 0 && len(f.Takes) > 0
	}
	return s.exists(c, sender(f)) && f.Nonce <= nonceMost
}

// validTake looks at what was taken and from where. What comes with the block itself may be taken in it.
func (s *chains) validTake(c *chain, b *schema.ChainBlock, t *schema.ForeignTake) bool {
	asset, amount := s.listing.asset(t.Asset), of(t.Amount)
	comes := slices.ContainsFunc(b.Receipts, func(r schema.Receipt) bool { return r.Asset == t.Asset })
	return asset != nil && (comes || s.wasOn(c, t.Asset)) && s.exists(c, place{t.Index, t.Own}) && amount.sign() > 0 && amount.multipleOf(unit(asset.Scale))
}

// wasOn reports whether an asset is offered on a chain, or ever came or was to go by it.
func (s *chains) wasOn(c *chain, asset schema.AssetID) bool {
	return s.network(c.ID, asset) != nil ||
		slices.ContainsFunc(s.deposits, func(d *chainDeposit) bool { return d.Chain == c.ID && d.Asset == asset }) ||
		slices.ContainsFunc(s.withdrawals, func(w *withdrawal) bool { return w.Chain == c.ID && w.Asset == asset && w.To == 0 })
}

// houseBearsAll reports whether the house may pay more of some assets beside the fees of all payouts and all losses that it did not pay yet.
func (s *chains) houseBearsAll(more map[schema.AssetID]num) bool {
	for _, asset := range s.listing.assets {
		if lost := more[asset.ID]; lost.sign() > 0 && s.houseLeft(asset.ID, 0).minus(lost).less(owedMost.neg()) {
			return false
		}
	}
	return true
}

// lossesToBook is what of an asset the house will bear of spends on all chains.
func (s *chains) lossesToBook(asset schema.AssetID) num {
	sum := num{}
	for _, f := range s.spends {
		sum = sum.plus(f.unbooked(asset))
	}
	return sum
}

// takeForeign takes what transactions in a block take that no plan made.
func (s *chains) takeForeign(c *chain, height uint64, list []schema.ForeignSpend) {
	for _, m := range list {
		f := &spend{ForeignSpend: m, chain: c.ID, height: height, booked: map[schema.AssetID]bool{}}
		f.Inputs, f.Takes = slices.Clone(m.Inputs), slices.Clone(m.Takes)
		if c.hasCoins() {
			f.losses = s.inputLosses(c, f)
		} else {
			for _, t := range f.Takes {
				there := s.at(c, t.Asset, place{t.Index, t.Own})
				t.Amount = least(of(t.Amount), there).decimal()
				if of(t.Amount).sign() > 0 {
					f.losses = append(f.losses, t)
				}
			}
		}
		s.spends = append(s.spends, f)
		s.recordSpend(f, height)
	}
}

// inputLosses are the coins that a spend takes, those of one address together.
func (s *chains) inputLosses(c *chain, f *spend) (losses []schema.ForeignTake) {
	coins := s.seatedCoins(c, f.Asset)
	for _, id := range f.Inputs {
		k := coins[slices.IndexFunc(coins, func(k schema.Coin) bool { return k.ID == id })]
		i := slices.IndexFunc(losses, func(l schema.ForeignTake) bool { return l.Index == k.Index && l.Own == k.Own })
		if i < 0 {
			i, losses = len(losses), append(losses, schema.ForeignTake{Asset: f.Asset, Index: k.Index, Own: k.Own})
		}
		losses[i].Amount = of(losses[i].Amount).plus(of(k.Amount)).decimal()
	}
	return losses
}

// recordSpend records what a spend took; height 0: that is undone.
func (s *chains) recordSpend(f *spend, height uint64) {
	s.call.record(&schema.SpendAdopted{Chain: f.chain, Tx: f.Tx, Height: height, Losses: slices.Clone(f.losses)})
}

// work that a step on a spend is.
func (f *spend) work() int { return 1 + len(f.Inputs) + len(f.Takes) }

// recallSpends is a phase that takes spends out of blocks that are no part of the chain any more, the newest first.
func (s *chains) recallSpends(c *chain, asset schema.AssetID) (do func(), work int) {
	list := s.keptSpends(c)
	if asset != 1 || len(list) == 0 || list[len(list)-1].height <= c.height() {
		return nil, 0
	}
	last := list[len(list)-1]
	return func() { s.recallSpend(last) }, last.work()
}

// recallSpend gives back what a spend took: there is none any more.
func (s *chains) recallSpend(f *spend) {
	for _, asset := range s.listing.assets {
		if f.booked[asset.ID] {
			s.ledger.move(in(house), in(custody), asset.ID, f.lost(asset.ID).neg(), byWithdrawal)
		}
	}
	s.spends = slices.DeleteFunc(s.spends, func(other *spend) bool { return other == f })
	s.recordSpend(f, 0)
}

// bookSpends is a phase that lets the house bear what spends took of an asset, when they are deep enough.
func (s *chains) bookSpends(c *chain, asset schema.AssetID) (do func(), work int) {
	_, full := s.depths(c, asset)
	for _, f := range s.keptSpends(c) {
		if f.unbooked(asset).sign() > 0 && c.depth(f.height) >= full {
			return func() { s.bookSpend(f, asset) }, f.work()
		}
	}
	return nil, 0
}

func (s *chains) bookSpend(f *spend, asset schema.AssetID) {
	s.ledger.move(in(house), in(custody), asset, f.unbooked(asset), byWithdrawal)
	f.booked[asset] = true
}

// forgetSpends is a phase that forgets spends that no rewind to a known block reaches, each after the payouts that can never be in a
// block because of it.
func (s *chains) forgetSpends(c *chain, asset schema.AssetID) (do func(), work int) {
	list := s.keptSpends(c)
	if asset != 1 || len(list) == 0 || list[0].height > c.points[0].height {
		return nil, 0
	}
	first := list[0]
	for _, p := range s.kept(c) {
		if p.waits() && first.rulesOut(p) {
			return func() { s.endDead(c, p) }, s.workWithOrphans(c, p)
		}
	}
	return func() { s.forgetSpend(c, first) }, first.work()
}

// rulesOut reports whether a spend took what a payout must spend.
func (f *spend) rulesOut(p *payout) bool {
	if len(f.Inputs) > 0 {
		return slices.Contains(f.Inputs, p.Variants[0].Inputs[0])
	}
	return sender(&f.ForeignSpend) == p.from() && f.Nonce == p.Nonce
}

// forgetSpend lets a spend be unknown. Coins that it took and that payouts have reserved are in no block from now on.
func (s *chains) forgetSpend(c *chain, f *spend) {
	for _, asset := range s.listing.assets {
		s.bookSpend(f, asset.ID)
	}
	f.over = true
	c.adopted = slices.DeleteFunc(c.adopted, func(tx string) bool { return tx == f.Tx })
	for _, id := range f.Inputs {
		if s.reserves(c, id) != nil {
			c.left[id] = f.height
		}
	}
}

// usesNonce reports whether a transaction in a block of a chain that no plan made has a nonce of an address, or one in the block that is
// looked at.
func (s *chains) usesNonce(c *chain, b *schema.ChainBlock, a place, nonce uint64) bool {
	list := slices.Clone(b.Adopted)
	for _, f := range s.keptSpends(c) {
		list = append(list, f.ForeignSpend)
	}
	return slices.ContainsFunc(list, func(f schema.ForeignSpend) bool { return sender(&f) == a && f.Nonce == nonce })
}

// Proposed is what an operator said about a spend or a surplus of a chain, and no second one.
func (x *Exchange) Proposed(id schema.ChainID) (operator string, adopt schema.AdoptSpend, surplus schema.BookSurplus) {
	if said := x.chains.chain(id).claim; said != nil {
		return said.operator, said.adopt, said.surplus
	}
	return "", adopt, surplus
}

// Adopting is the operator whose word about a spend or a surplus of a chain is kept, or "".
func (x *Exchange) Adopting(id schema.ChainID) string {
	if said := x.chains.chain(id).claim; said != nil {
		return said.operator
	}
	return ""
}

// Adopted are the transactions of a chain that operators adopted and that are not forgotten, the first first.
func (x *Exchange) Adopted(id schema.ChainID) []string { return x.chains.chain(id).adopted }

// Spend is one of them that is in a block.
type Spend struct {
	schema.ForeignSpend
	Height uint64
	Losses []schema.ForeignTake
	Booked bool // the house bore some of it
}

// Spends are those, as they came there.
func (x *Exchange) Spends(id schema.ChainID) (list []Spend) {
	for _, f := range x.chains.keptSpends(x.chains.chain(id)) {
		list = append(list, Spend{f.ForeignSpend, f.height, f.losses, len(f.booked) > 0})
	}
	return list
}
