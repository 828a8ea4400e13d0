package chain

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// ahead is what coins of a chain will be before one of the results of a block, as far as that is not what they are now: outputs that are
// new, or balances.
type ahead struct {
	*Chains
	ch    *chain
	coins map[holdingKey]fixed.Decimal // only ever asked
	spent map[holdingKey]bool          // outputs that something in the block spends; only ever asked
}

// at is what there will be of a coin.
func (a *ahead) at(key holdingKey) (amount fixed.Decimal, known bool) {
	if amount, known = a.coins[key]; known || a.spent[key] {
		return amount, !a.spent[key]
	}
	h := a.holding(a.ch, key)
	if h == nil || a.ch.Driver == schema.BitcoinNode && !a.ch.unspent(h) {
		return fixed.Zero, false
	}
	return h.Amount, true
}

// adds is what a balance will be, if it is not negative then.
func (a *ahead) adds(key holdingKey, by fixed.Decimal) bool {
	was, _ := a.at(key)
	a.coins[key] = was.Add(by)
	return a.coins[key].Sign() >= 0
}

// validSpends reports whether all payouts and adopted spends can be in a block, once its receipts are.
func (c *Chains) validSpends(ch *chain, m *schema.ChainBlock) bool {
	if len(m.Results) == 0 && len(m.Adopted) == 0 {
		return true
	}
	a := &ahead{c, ch, map[holdingKey]fixed.Decimal{}, map[holdingKey]bool{}}
	for i := range m.Receipts {
		if r := &m.Receipts[i]; ch.Driver == schema.BitcoinNode {
			a.coins[holdingKey{r.Asset, r.ID}] = r.Amount
		} else {
			a.adds(site{r.Index, r.Own}.key(r.Asset), r.Amount)
		}
	}
	return a.validResults(m) && a.validLosses(m)
}

// validResults reports whether all payouts can be in a block.
func (a *ahead) validResults(m *schema.ChainBlock) bool {
	before := make(map[schema.PayoutID]bool, len(m.Results)) // only ever asked
	for i := range m.Results {
		r := &m.Results[i]
		p := a.payouts[r.Payout]
		if p == nil || p.Chain != a.ch.ID || p.mined() || before[p.ID] || int64(r.Variant) >= int64(len(p.Variants)) {
			return false
		}
		v := &p.Variants[r.Variant]
		if len(v.Raw) == 0 {
			return false
		}
		if a.ch.Driver == schema.BitcoinNode && !a.spends(p, v, r) || a.ch.Driver == schema.EVMNode && (!a.pays(p, v, r) || !a.ch.isNext(p, before, m.Adopted)) {
			return false
		}
		before[p.ID] = true
	}
	return true
}

// spends reports whether a payout on Bitcoin finds its coins, and makes new ones.
func (a *ahead) spends(p *payout, v *schema.Variant, r *schema.PayoutResult) bool {
	if r.Failed || r.Fee != v.Fee {
		return false
	}
	rest := v.Fee.Neg()
	if !v.GiveUp {
		rest = rest.Sub(a.sum(p.Withdrawals))
	}
	for _, id := range v.Inputs {
		key := holdingKey{p.Asset, id}
		amount, known := a.at(key)
		if !known {
			return false
		}
		a.spent[key] = true
		rest = rest.Add(amount)
	}
	for i := range v.Outputs {
		key, amount := p.output(v, i), v.Outputs[i].Amount
		if _, known := a.coins[key]; known || a.taken(a.ch, key) {
			return false
		}
		a.coins[key] = amount
		rest = rest.Sub(amount)
	}
	return rest.IsZero() // a coin that came back may be worth something else
}

// output is the coin that an output of a variant is. Those that pay withdrawals come before.
func (p *payout) output(v *schema.Variant, i int) holdingKey {
	if !v.GiveUp {
		i += len(p.Withdrawals)
	}
	return holdingKey{p.Asset, schema.OutputID(v.Tx, i)}
}

// pays reports whether the balance of an address suffices for a payout, and for what it cost.
func (a *ahead) pays(p *payout, v *schema.Variant, r *schema.PayoutResult) bool {
	places := a.listing.Asset(p.native).Scale
	if n := a.network(a.ch, p.native); n != nil {
		places = n.Decimals
	}
	if r.Fee.Sign() <= 0 || r.Fee.Cmp(v.Fee) > 0 || r.Fee.Decimals() > int(places) || !a.adds(p.site().key(p.native), r.Fee.Neg()) {
		return false
	}
	if r.Failed || v.GiveUp {
		return true
	}
	if !a.adds(p.site().key(p.Asset), a.amount(p).Neg()) {
		return false
	}
	for _, out := range v.Outputs {
		a.adds(site{out.Index, out.Own}.key(p.Asset), out.Amount)
	}
	return true
}

// isNext reports whether a payout is the first of its address that is in no block, besides those that come before it in this one, and those
// whose number a transaction used that no plan made, in this block or before.
func (ch *chain) isNext(p *payout, before map[schema.PayoutID]bool, adopted []schema.ForeignSpend) bool {
	used := func(q *payout) bool {
		return slices.ContainsFunc(ch.losses, func(l *loss) bool { return l.uses(q.site(), q.Nonce) }) ||
			slices.ContainsFunc(adopted, func(s schema.ForeignSpend) bool { return site{s.Index, s.Own} == q.site() && s.Nonce == q.Nonce })
	}
	return !used(p) && !slices.ContainsFunc(ch.payouts, func(q *payout) bool {
		return q.site() == p.site() && q.Nonce < p.Nonce && !q.mined() && !before[q.ID] && !used(q)
	})
}

// mineResults puts payouts into a block.
func (c *Chains) mineResults(ch *chain, results []schema.PayoutResult, height uint64) {
	for i := range results {
		r := &results[i]
		p := c.payouts[r.Payout]
		p.Height, p.Mined, p.Paid, p.Status = height, r.Variant, r.Fee, schema.PayoutMined
		if r.Failed {
			p.Status = schema.PayoutFailed
		}
		ch.mined = append(ch.mined, p)
		if ch.Driver == schema.BitcoinNode {
			c.spend(ch, p)
		} else {
			c.transfer(ch, p, false)
		}
		c.fall(ch, p, false)
		if p.pays() {
			c.paid(ch, p)
		}
		c.payoutChanged(p)
	}
}

// spend takes the coins that a payout on Bitcoin spends, and makes those that it pays to ourselves.
func (c *Chains) spend(ch *chain, p *payout) {
	v := &p.Variants[p.Mined]
	for _, id := range v.Inputs {
		place := ch.holdings[holdingKey{p.Asset, id}]
		c.holdings.Pull(place)
		c.holdings.Push(&p.spent, place)
		h := c.holdings.At(place)
		ch.lane(p.Asset).count(h.Own, h.Amount.Neg())
	}
	for i, out := range v.Outputs {
		c.gain(ch, ch.lane(p.Asset), schema.Coin{ID: p.output(v, i).id, Amount: out.Amount, Height: p.Height, Index: out.Index, Own: out.Own})
	}
}

// unspend is the reverse of spend.
func (c *Chains) unspend(ch *chain, p *payout) {
	v, l := &p.Variants[p.Mined], ch.lane(p.Asset)
	for i := range v.Outputs {
		c.unseat(ch, ch.holdings[p.output(v, i)])
	}
	for place := p.spent.First; place != 0; place = p.spent.First {
		c.holdings.Pull(place)
		c.holdings.Push(&l.unspent, place)
		h := c.holdings.At(place)
		l.count(h.Own, h.Amount)
	}
}

// transfer changes the balances of the addresses of a payout where there are accounts instead of coins, or changes them back.
func (c *Chains) transfer(ch *chain, p *payout, back bool) {
	turned := func(d fixed.Decimal) fixed.Decimal {
		if back {
			return d.Neg()
		}
		return d
	}
	c.adjust(ch, ch.lane(p.native), p.site(), turned(p.Paid.Neg()))
	if !p.pays() {
		return
	}
	l := ch.lane(p.Asset)
	c.adjust(ch, l, p.site(), turned(c.amount(p).Neg()))
	for _, out := range p.Variants[p.Mined].Outputs {
		c.adjust(ch, l, site{out.Index, out.Own}, turned(out.Amount))
	}
}

// fall takes what a payout paid to others from what there is on the chain, or gives it back.
func (c *Chains) fall(ch *chain, p *payout, back bool) {
	var out fixed.Decimal
	if p.pays() {
		out = c.sum(p.Withdrawals)
	}
	fee, l, native := p.Paid, ch.lane(p.Asset), ch.lane(p.native)
	if back {
		out, fee = out.Neg(), fee.Neg()
	}
	l.coins = l.coins.Sub(out)
	native.coins = native.coins.Sub(fee)
}

// paid puts the withdrawals of a payout into its block.
func (c *Chains) paid(ch *chain, p *payout) {
	l := ch.lane(p.Asset)
	for _, id := range p.Withdrawals {
		place := c.byNumber[id]
		w := c.withdrawals.At(place)
		c.withdrawals.Pull(place)
		c.withdrawals.Push(&l.paid, place)
		if l.final == 0 {
			l.final = place
		}
		w.Tx, w.Height = p.Variants[p.Mined].Tx, p.Height
		if w.Status != schema.WithdrawalDone {
			w.Status, w.Changed = schema.WithdrawalMined, c.out.Time
		}
		c.out.Events.Add(&schema.WithdrawalChanged{Withdrawal: w.Withdrawal})
	}
}

// unpaid takes the withdrawals of a payout out of its block.
func (c *Chains) unpaid(ch *chain, p *payout) {
	l := ch.lane(p.Asset)
	for _, id := range p.Withdrawals {
		place := c.byNumber[id]
		w := c.withdrawals.At(place)
		if l.final == place {
			l.final = w.After
		}
		c.withdrawals.Pull(place)
		c.withdrawals.Push(&l.sent, place)
		w.Height = 0
		if w.Status == schema.WithdrawalMined {
			w.Status, w.Changed = schema.WithdrawalSent, c.out.Time
		}
		c.out.Events.Add(&schema.WithdrawalChanged{Withdrawal: w.Withdrawal})
	}
}

// charge takes from the budget what a step on a payout costs; it is false if there is nothing left.
func (p *payout) charge(budget *int) bool {
	if *budget <= 0 {
		return false
	}
	*budget = max(0, *budget-1-len(p.Withdrawals)-p.inputs)
	return true
}

// recallPayouts takes payouts out of blocks that are no part of the chain any more, the newest first: it is the reverse of how they came
// there.
func (c *Chains) recallPayouts(ch *chain, budget *int) bool {
	for n := len(ch.mined); n > 0 && ch.mined[n-1].Height > ch.cursor.height; n-- {
		p := ch.mined[n-1]
		if !p.charge(budget) {
			return false
		}
		ch.mined = ch.mined[:n-1]
		if ch.Driver == schema.BitcoinNode {
			c.unspend(ch, p)
		} else {
			c.transfer(ch, p, true)
		}
		c.fall(ch, p, true)
		if p.pays() {
			c.unpaid(ch, p)
		}
		p.Height, p.Mined, p.Paid, p.Status = 0, 0, fixed.Zero, schema.PayoutSent
		c.payoutChanged(p)
	}
	return true
}

// bookFees books what payouts cost whose blocks are deep enough.
func (c *Chains) bookFees(ch *chain, budget *int) bool {
	for _, p := range ch.mined {
		if depth, _ := c.depths(ch, p.native); p.booked == p.Paid || ch.depth(p.Height) < depth {
			continue
		}
		if !p.charge(budget) {
			return false
		}
		c.book(ch, p)
	}
	return true
}

// book lets the operator's own money pay what a payout cost. What was booked before a rewind counts: only the difference is booked, if
// another variant is in a block then or it costs something else there.
func (c *Chains) book(ch *chain, p *payout) {
	from, to := c.ledger.Open(schema.House, schema.Main, p.native), c.ledger.Open(schema.Custody, schema.Main, p.native)
	more, l := p.Paid.Sub(p.booked), ch.lane(p.native)
	if more.Sign() < 0 {
		from, to = to, from
	}
	c.move(from, to, more.Abs(), byWithdrawal)
	l.booked = l.booked.Sub(more)
	p.booked = p.Paid
}

// forgetPayouts forgets payouts whose blocks cannot be rewound any more. What they reserved and did not spend is free; what they did not
// pay waits for operators; their children that can be in no block any more are over.
func (c *Chains) forgetPayouts(ch *chain, budget *int) bool {
	for len(ch.mined) > 0 && ch.mined[0].Height <= ch.points[0].height {
		p := ch.mined[0]
		if !p.charge(budget) {
			return false
		}
		ch.mined = slices.Delete(ch.mined, 0, 1)
		for place := p.spent.First; place != 0; place = p.spent.First {
			c.lay(ch, place)
		}
		c.release(ch, p)
		if !p.pays() {
			c.unbind(ch, p)
		}
		c.dismiss(ch, p)
		c.endChildren(ch, p.ID, budget)
	}
	return true
}
