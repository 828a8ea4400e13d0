package naive

import (
	"slices"

	"bourse/internal/schema"
)

// purse is an asset at an address.
type purse struct {
	place
	asset schema.AssetID
}

// validResults looks at our payouts in a block, one after the other, with what the block paid before.
func (s *chains) validResults(c *chain, b *schema.ChainBlock) bool {
	taken := map[schema.PayoutID]bool{}
	for _, r := range b.Results {
		p := s.payout(r.Payout)
		if p == nil || p.Chain != c.ID || !p.waits() || taken[r.Payout] || r.Variant >= uint32(len(p.Variants)) || len(p.Variants[r.Variant].Raw) == 0 {
			return false
		}
		taken[r.Payout] = true
	}
	if c.hasCoins() {
		return s.validSpends(c, b)
	}
	return s.validTransfers(c, b)
}

// validSpends follows the coins that results spend and make.
func (s *chains) validSpends(c *chain, b *schema.ChainBlock) bool {
	for i, r := range b.Results {
		p := s.payout(r.Payout)
		v := p.Variants[r.Variant]
		if r.Failed || r.Fee != v.Fee {
			return false
		}
		there := s.coinsAfter(c, b, p.Asset, i)
		rest := of(v.Fee).plus(outputs(v.Outputs))
		if !v.GiveUp {
			rest = rest.plus(s.sum(p))
		}
		for _, id := range v.Inputs {
			amount, is := there[id]
			if !is {
				return false
			}
			rest = rest.minus(amount)
		}
		if rest.sign() != 0 {
			return false
		}
		for _, k := range changes(p, &v, b.Height) { // no coin comes into being twice
			if _, is := there[k.ID]; is || s.isCoin(c, p.Asset, k.ID) {
				return false
			}
		}
	}
	return true
}

// coinsAfter are the coins of an asset in blocks once the receipts and the first of the results of a block are.
func (s *chains) coinsAfter(c *chain, b *schema.ChainBlock, asset schema.AssetID, results int) map[string]num {
	there := map[string]num{}
	for _, k := range s.seatedCoins(c, asset) {
		there[k.ID] = of(k.Amount)
	}
	for _, paid := range b.Receipts {
		if paid.Asset == asset {
			there[paid.ID] = of(paid.Amount)
		}
	}
	for _, r := range b.Results[:results] {
		p := s.payout(r.Payout)
		if p.Asset != asset {
			continue
		}
		spends := p.Variants[r.Variant]
		for _, id := range spends.Inputs {
			delete(there, id)
		}
		for _, k := range changes(p, &spends, b.Height) {
			there[k.ID] = of(k.Amount)
		}
	}
	return there
}

// balancesWith are the balances of a chain with what a block paid.
func (s *chains) balancesWith(c *chain, b *schema.ChainBlock) map[purse]num {
	balances := map[purse]num{}
	for _, asset := range s.listing.assets {
		for _, a := range s.places(c) {
			balances[purse{a, asset.ID}] = s.at(c, asset.ID, a)
		}
	}
	for _, r := range b.Receipts {
		to := purse{place{r.Index, r.Own}, r.Asset}
		balances[to] = balances[to].plus(of(r.Amount))
	}
	return balances
}

// balancesAfter are those with what our payouts did in it.
func (s *chains) balancesAfter(c *chain, b *schema.ChainBlock) map[purse]num {
	balances := s.balancesWith(c, b)
	for _, r := range b.Results {
		s.transfer(balances, r)
	}
	return balances
}

// transfer lets a payout in a block change balances.
func (s *chains) transfer(balances map[purse]num, r schema.PayoutResult) {
	p := s.payout(r.Payout)
	v := p.Variants[r.Variant]
	fee, paid := purse{p.from(), p.native}, purse{p.from(), p.Asset}
	balances[fee] = balances[fee].minus(of(r.Fee))
	if !r.Failed && !v.GiveUp {
		balances[paid] = balances[paid].minus(s.sum(p)).minus(outputs(v.Outputs))
		for _, o := range v.Outputs {
			to := purse{place{o.Index, o.Own}, p.Asset}
			balances[to] = balances[to].plus(of(o.Amount))
		}
	}
}

// validTransfers follows the balances from which results pay, and the nonces.
func (s *chains) validTransfers(c *chain, b *schema.ChainBlock) bool {
	balances := s.balancesWith(c, b)
	inBlock := map[schema.PayoutID]bool{}
	for _, r := range b.Results {
		p := s.payout(r.Payout)
		v := p.Variants[r.Variant]
		if of(r.Fee).sign() <= 0 || of(r.Fee).more(of(v.Fee)) || !of(r.Fee).multipleOf(s.feeUnit(c, p)) {
			return false
		}
		if s.usesNonce(c, b, p.from(), p.Nonce) {
			return false
		}
		for _, earlier := range s.kept(c) {
			if earlier.from() == p.from() && earlier.Nonce < p.Nonce && earlier.waits() && !inBlock[earlier.ID] && !s.usesNonce(c, b, earlier.from(), earlier.Nonce) {
				return false
			}
		}
		inBlock[p.ID] = true
		s.transfer(balances, r)
		if balances[purse{p.from(), p.native}].sign() < 0 || balances[purse{p.from(), p.Asset}].sign() < 0 {
			return false
		}
	}
	return true
}

// feeUnit is the least of what a fee of a payout can be.
func (s *chains) feeUnit(c *chain, p *payout) num {
	if n := s.network(c.ID, p.native); n != nil {
		return unit(n.Decimals)
	}
	return unit(s.listing.asset(p.native).Scale)
}

// settle puts payouts into a block.
func (s *chains) settle(height uint64, list []schema.PayoutResult) {
	for _, r := range list {
		p := s.payout(r.Payout)
		s.turns++
		p.turn, p.Height, p.Mined, p.Paid, p.Status = s.turns, height, r.Variant, r.Fee, schema.PayoutMined
		if r.Failed {
			p.Status = schema.PayoutFailed
		}
		if p.pays() {
			for _, w := range s.paidBy(p) {
				if w.Status != schema.WithdrawalDone {
					s.turnTo(w, schema.WithdrawalMined)
				}
				s.turns++
				w.Tx, w.Height, w.seat, w.final = p.variant().Tx, height, s.turns, false
				s.noted(w)
			}
		}
		s.drawn(p)
	}
}

// inOrder are the payouts of a chain in blocks that may still be rewound, as they came there.
func (s *chains) inOrder(c *chain) []*payout {
	list := slices.DeleteFunc(s.kept(c), func(p *payout) bool { return p.Height == 0 })
	slices.SortFunc(list, func(a, b *payout) int { return a.turn - b.turn })
	return list
}

// work that a step on a payout is: it grows with its withdrawals and with the coins that any of its variants spends.
func (p *payout) work() int { return 1 + len(p.Withdrawals) + len(p.inputs()) }

// nextRecalled is the last payout that came into a block, if that is no part of the chain any more.
func (s *chains) nextRecalled(c *chain) *payout {
	list := s.inOrder(c)
	if len(list) == 0 || list[len(list)-1].Height <= c.height() {
		return nil
	}
	return list[len(list)-1]
}

// recall takes a payout out of its block. What it spent is there again, and what it made is not.
func (s *chains) recall(c *chain, p *payout) {
	paid := p.pays()
	if c.hasCoins() {
		for _, k := range changes(p, p.variant(), 0) {
			c.left[k.ID] = c.height()
		}
	}
	p.Status, p.Height, p.Mined, p.Paid = schema.PayoutSent, 0, 0, num{}.decimal()
	if paid {
		for _, w := range s.paidBy(p) {
			if w.Status != schema.WithdrawalDone {
				s.turnTo(w, schema.WithdrawalSent)
			}
			w.Height, w.seat = 0, 0
			s.noted(w)
		}
	}
	s.drawn(p)
}

// nextUnbooked is the first payout whose fee the house did not pay, or not as it is now, if it is deep enough.
func (s *chains) nextUnbooked(c *chain) *payout {
	for _, p := range s.inOrder(c) {
		if _, full := s.depths(c, p.native); p.cost.cmp(of(p.Paid)) != 0 && c.depth(p.Height) >= full {
			return p
		}
	}
	return nil
}

// book lets the house pay the fee of a payout. Of one that was rewound and cost something else before, it pays the difference.
func (s *chains) book(_ *chain, p *payout) {
	s.ledger.move(in(house), in(custody), p.native, of(p.Paid).minus(p.cost), byWithdrawal)
	p.cost = of(p.Paid)
}

// forgetPayouts is a phase that forgets payouts that no rewind to a known block reaches, the first of them first.
func (s *chains) forgetPayouts(c *chain, asset schema.AssetID) (do func(), work int) {
	list := s.inOrder(c)
	if asset != 1 || len(list) == 0 || list[0].Height > c.points[0].height {
		return nil, 0
	}
	first := list[0]
	return func() { s.forgetPayout(c, first) }, s.workWithOrphans(c, first)
}

// forgetPayout lets a payout be unknown. What it did not pay operators decide about again, and children of what it was not are dead.
func (s *chains) forgetPayout(c *chain, p *payout) {
	p.over = true
	if !p.pays() {
		s.free(p)
	}
	s.endOrphans(c, p)
}
