package chain

import (
	"slices"

	"bourse/internal/core/ledger"
	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// loss is an adopted spend in a block: what a transaction took from us that no plan made. The exchange bears it.
//
// What must hold: a loss leaves the coins with its block and comes back with it, to the unit, and it is booked at the depth of its assets.
// The anchor of a payout under way that a loss spent can be spent by nobody else: once the loss cannot be rewound the payout can be in no
// block, and is over. Until then nothing is decided about it: rewound, the payout may be mined after all.
type loss struct {
	tx     string
	height uint64
	site                        // whose transaction it is, where there are accounts and it is one of ours
	nonce  uint64               // of it
	before uint64               // the number of the next transaction of that address, if the loss is rewound
	takes  []schema.ForeignTake // what it took from which address
	sums   []lossSum            // of takes, by asset
	spent  slab.List            // the coins that it spent
	size   uint32               // how many inputs and takes the transaction has, those of nothing as well
}

// lossSum is what a loss took of an asset, and whether that is booked.
type lossSum struct {
	asset  schema.AssetID
	amount fixed.Decimal
	booked bool
}

// uses reports whether a loss used the number of a transaction of an address.
func (l *loss) uses(s site, nonce uint64) bool {
	return l.site != site{} && l.site == s && l.nonce == nonce
}

// charge takes from the budget what a step on a loss costs; it is false if there is nothing left.
func (l *loss) charge(budget *int) bool {
	if *budget <= 0 {
		return false
	}
	*budget = max(0, *budget-1-int(l.size))
	return true
}

// took adds to what a loss took.
func (l *loss) took(t schema.ForeignTake) {
	l.takes = append(l.takes, t)
	at := slices.IndexFunc(l.sums, func(s lossSum) bool { return s.asset == t.Asset })
	if at < 0 {
		at = len(l.sums)
		l.sums = append(l.sums, lossSum{asset: t.Asset})
	}
	l.sums[at].amount = l.sums[at].amount.Add(t.Amount)
}

// validLosses reports whether all adopted spends can be in a block, behind its receipts and results.
func (a *ahead) validLosses(m *schema.ChainBlock) bool {
	var all loss
	for i := range m.Adopted {
		s := &m.Adopted[i]
		again := slices.ContainsFunc(m.Adopted[:i], func(o schema.ForeignSpend) bool { return o.Tx == s.Tx })
		if again || !slices.Contains(a.ch.adopted, s.Tx) || slices.ContainsFunc(a.ch.losses, func(l *loss) bool { return l.tx == s.Tx }) {
			return false
		}
		valid := a.takesCoins
		if a.ch.Driver == schema.EVMNode {
			valid = a.takesBalances
		}
		if !valid(m, s, &all) {
			return false
		}
	}
	return !slices.ContainsFunc(all.sums, func(s lossSum) bool { return !a.bears(s.asset, nil, s.amount) })
}

// takesCoins takes what an adopted spend takes on Bitcoin, if all its coins are there.
func (a *ahead) takesCoins(_ *schema.ChainBlock, s *schema.ForeignSpend, all *loss) bool {
	if s.Index != 0 || s.Own != 0 || s.Nonce != 0 || len(s.Takes) > 0 || len(s.Inputs) == 0 || len(s.Inputs) > schema.MaxForeignInputs {
		return false
	}
	var sum fixed.Decimal
	for _, id := range s.Inputs {
		key := holdingKey{s.Asset, id}
		amount, known := a.at(key)
		if !known {
			return false
		}
		a.spent[key] = true
		sum = sum.Add(amount)
	}
	all.took(schema.ForeignTake{Asset: s.Asset, Amount: sum}) // no coin twice: not more than there is of the asset on the chain
	return true
}

// takesBalances takes what an adopted spend takes where there are accounts instead of coins: no more than an address has.
func (a *ahead) takesBalances(m *schema.ChainBlock, s *schema.ForeignSpend, all *loss) bool {
	from := site{s.Index, s.Own}
	switch {
	case s.Asset != 0 || len(s.Inputs) > 0 || len(s.Takes) > schema.MaxForeignTakes || s.Nonce > schema.MaxForeignNonce:
		return false
	case from == site{} && (s.Nonce != 0 || len(s.Takes) == 0), from != site{} && !a.validSite(a.ch, from):
		return false
	}
	for i := range s.Takes {
		t := s.Takes[i]
		asset, at := a.listing.Asset(t.Asset), site{t.Index, t.Own}
		again := slices.ContainsFunc(s.Takes[:i], func(o schema.ForeignTake) bool { return o.Asset == t.Asset && site{o.Index, o.Own} == at })
		if again || asset == nil || !a.comes(m, t.Asset) || !a.validSite(a.ch, at) || t.Amount.Sign() <= 0 || t.Amount.Decimals() > int(asset.Scale) {
			return false
		}
		has, _ := a.at(at.key(t.Asset))
		t.Amount = fixed.MinOf(has, t.Amount)
		a.adds(at.key(t.Asset), t.Amount.Neg())
		all.took(t)
	}
	return true
}

// comes reports whether an asset is offered on the chain, or came there.
func (a *ahead) comes(m *schema.ChainBlock, asset schema.AssetID) bool {
	_, came := a.ch.findLane(asset)
	return came || a.network(a.ch, asset) != nil || slices.ContainsFunc(m.Receipts, func(r schema.Receipt) bool { return r.Asset == asset })
}

// mineLosses puts adopted spends into a block.
func (c *Chains) mineLosses(ch *chain, adopted []schema.ForeignSpend, height uint64) {
	for i := range adopted {
		s := &adopted[i]
		l := &loss{tx: s.Tx, height: height, site: site{s.Index, s.Own}, nonce: s.Nonce, size: uint32(len(s.Inputs) + len(s.Takes))}
		if ch.Driver == schema.BitcoinNode {
			c.loseCoins(ch, l, s)
		} else {
			c.loseBalances(ch, l, s)
		}
		for _, s := range l.sums {
			of := ch.lane(s.asset)
			of.coins = of.coins.Sub(s.amount)
		}
		ch.losses = append(ch.losses, l)
		c.adoptedSpend(ch, l)
	}
}

// loseCoins takes the coins that an adopted spend on Bitcoin spent.
func (c *Chains) loseCoins(ch *chain, l *loss, s *schema.ForeignSpend) {
	at, takes := make(map[site]int, len(s.Inputs)), []schema.ForeignTake{} // at: of takes; only ever asked
	for _, id := range s.Inputs {
		place := ch.holdings[holdingKey{s.Asset, id}]
		c.holdings.Pull(place)
		c.holdings.Push(&l.spent, place)
		h := c.holdings.At(place)
		ch.lane(s.Asset).count(h.Own, h.Amount.Neg())
		from := site{h.Index, h.Own}
		i, known := at[from]
		if !known {
			i = len(takes)
			at[from] = i
			takes = append(takes, schema.ForeignTake{Asset: s.Asset, Index: h.Index, Own: h.Own})
		}
		takes[i].Amount = takes[i].Amount.Add(h.Amount)
	}
	for _, t := range takes {
		l.took(t)
	}
}

// loseBalances takes what an adopted spend took where there are accounts instead of coins. An address may have less in the books than it had:
// what came inside a contract and was not shown is not there.
func (c *Chains) loseBalances(ch *chain, l *loss, s *schema.ForeignSpend) {
	for _, t := range s.Takes {
		at := site{t.Index, t.Own}
		t.Amount = fixed.MinOf(c.balance(ch, t.Asset, at), t.Amount)
		if !t.Amount.IsZero() {
			c.adjust(ch, ch.lane(t.Asset), at, t.Amount.Neg())
			l.took(t)
		}
	}
	if l.site == (site{}) {
		return
	}
	l.before = ch.nextNonce(l.site)
	ch.pay(payer{l.site, max(l.before, l.nonce+1)})
}

// adoptedSpend says what the exchange bears of an adopted spend, or that it is in no block any more.
func (c *Chains) adoptedSpend(ch *chain, l *loss) {
	c.out.Events.Add(&schema.SpendAdopted{Chain: ch.ID, Tx: l.tx, Height: l.height, Losses: slices.Clone(l.takes)})
}

// recallLosses takes adopted spends out of blocks that are no part of the chain any more, the newest first.
func (c *Chains) recallLosses(ch *chain, budget *int) bool {
	for n := len(ch.losses); n > 0 && ch.losses[n-1].height > ch.cursor.height; n-- {
		l := ch.losses[n-1]
		if !l.charge(budget) {
			return false
		}
		ch.losses = ch.losses[:n-1]
		for i := range l.sums {
			if l.sums[i].booked {
				c.bookLoss(ch, &l.sums[i])
			}
			of := ch.lane(l.sums[i].asset)
			of.coins = of.coins.Add(l.sums[i].amount)
		}
		for place := l.spent.First; place != 0; place = l.spent.First {
			h := c.holdings.At(place)
			of := ch.lane(h.asset)
			c.holdings.Pull(place)
			c.holdings.Push(&of.unspent, place)
			of.count(h.Own, h.Amount)
		}
		for _, t := range l.takes {
			if ch.Driver == schema.EVMNode {
				c.adjust(ch, ch.lane(t.Asset), site{t.Index, t.Own}, t.Amount)
			}
		}
		if l.site != (site{}) {
			ch.pay(payer{l.site, l.before})
		}
		l.height = 0
		c.adoptedSpend(ch, l)
	}
	return true
}

// bookLosses books what adopted spends took whose blocks are deep enough, asset by asset.
func (c *Chains) bookLosses(ch *chain, budget *int) bool {
	for _, of := range ch.lanes {
		depth, _ := c.depths(ch, of.asset)
		for _, l := range ch.losses {
			at := slices.IndexFunc(l.sums, func(s lossSum) bool { return s.asset == of.asset && !s.booked })
			if at < 0 || ch.depth(l.height) < depth {
				continue
			}
			if !l.charge(budget) {
				return false
			}
			c.bookLoss(ch, &l.sums[at])
		}
	}
	return true
}

// bookLoss lets the operator's own money pay what a loss took of an asset, or gives it back if it was booked.
func (c *Chains) bookLoss(ch *chain, s *lossSum) {
	from, to := c.ledger.Open(schema.House, schema.Main, s.asset), c.ledger.Open(schema.Custody, schema.Main, s.asset)
	by := s.amount
	if s.booked {
		from, to, by = to, from, by.Neg()
	}
	c.move(from, to, s.amount, byWithdrawal)
	l := ch.lane(s.asset)
	l.booked = l.booked.Sub(by)
	s.booked = !s.booked
}

// forgetLosses forgets adopted spends whose blocks cannot be rewound any more, with the payouts that can be in no block because of them.
func (c *Chains) forgetLosses(ch *chain, budget *int) bool {
	for len(ch.losses) > 0 && ch.losses[0].height <= ch.points[0].height {
		l := ch.losses[0]
		for _, p := range slices.Clone(ch.payouts) {
			if !c.kills(ch, l, p) {
				continue
			}
			if !p.charge(budget) {
				return false
			}
			c.bury(p)
			c.payoutChanged(p)
			c.endChildren(ch, p.ID, budget)
		}
		if !l.charge(budget) {
			return false
		}
		for i := range l.sums {
			if !l.sums[i].booked {
				c.bookLoss(ch, &l.sums[i])
			}
		}
		for place := l.spent.First; place != 0; place = l.spent.First {
			c.layLost(ch, l, place)
		}
		ch.losses = slices.Delete(ch.losses, 0, 1)
		ch.adopted = slices.DeleteFunc(ch.adopted, func(tx string) bool { return tx == l.tx })
	}
	return true
}

// kills reports whether a payout can be in no block because of a loss.
func (c *Chains) kills(ch *chain, l *loss, p *payout) bool {
	switch {
	case p.mined():
		return false
	case ch.Driver == schema.EVMNode:
		return l.uses(p.site(), p.Nonce)
	}
	anchor := c.holding(ch, p.anchor())
	return anchor != nil && anchor.Where == &l.spent
}

// layLost drops a coin that a loss spent. One that a payout under way reserves stays, as a coin without a block: that payout may do without.
func (c *Chains) layLost(ch *chain, l *loss, place uint32) {
	h := c.holdings.At(place)
	if h.by == 0 {
		c.lay(ch, place)
		return
	}
	c.holdings.Pull(place)
	c.holdings.Push(&ch.lane(h.asset).unspent, place)
	h.Height, h.since = 0, l.height
}

// sentBy reports whether a loss that is kept is a transaction of an address.
func (ch *chain) sentBy(s site) bool {
	return slices.ContainsFunc(ch.losses, func(l *loss) bool { return l.site != site{} && l.site == s })
}

// owing is what losses of a chain took of an asset and is not booked yet.
func (ch *chain) owing(asset schema.AssetID) (sum fixed.Decimal) {
	for _, l := range ch.losses {
		for _, s := range l.sums {
			if s.asset == asset && !s.booked {
				sum = sum.Add(s.amount)
			}
		}
	}
	return sum
}

// bears reports whether the operator's own money may bear an amount beside what all payouts under way cost, at their dearest, and all losses
// that are not booked: it may be short of no more than the ledger holds. A payout whose variant is asked about is not counted again.
func (c *Chains) bears(asset schema.AssetID, p *payout, amount fixed.Decimal) bool {
	left, fits := c.ledger.Available(c.ledger.Find(schema.House, schema.Main, asset)).SubChecked(amount)
	for _, ch := range c.chains {
		if fits {
			left, fits = left.SubChecked(ch.owing(asset))
		}
		for _, q := range ch.payouts {
			if q.native != asset {
				continue
			}
			due := q.booked.Neg()
			switch {
			case q.mined():
				due = due.Add(q.Paid)
			case q != p:
				due = due.Add(q.dearest())
			}
			if fits {
				left, fits = left.SubChecked(due)
			}
		}
	}
	return fits && left.Cmp(ledger.Limit.Neg()) >= 0
}
