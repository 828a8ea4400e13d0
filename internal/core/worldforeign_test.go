package core

import (
	"fmt"
	"slices"
	"strings"

	"bourse/internal/core/ledger"
	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// What worlds of payers do with what the log does not know: spends that no plan made, and surpluses.

// adopt lets operators name a transaction that halted a chain: mostly two name the same, one after the other. Something else that is said
// between them replaces the first word, or does not.
func (w *payers) adopt(t *dice, c *worldChain) schema.Command {
	a := &schema.AdoptSpend{Chain: c.ID, Tx: w.name("theft")}
	if known := w.slow.Adopted(c.ID); len(known) > 0 && w.wrong(t, 8) {
		a.Tx = known[chance(t, len(known))]
	}
	if w.wrong(t, 8) {
		w.breakName(t, c, a)
	}
	olga, oscar := schema.Origin{Operator: "olga"}, schema.Origin{Operator: "oscar"}
	other := pick[schema.Command](t, &schema.AdoptSpend{Chain: c.ID, Tx: w.name("theft")}, w.goOn(t, c), &schema.Tick{})
	switch chance(t, 8) {
	case 0:
	case 1:
		w.next = append(w.next, moment{cmd: a, from: olga}, moment{cmd: a, from: olga})
	case 2:
		w.next = append(w.next, moment{cmd: a, from: olga}, moment{cmd: other, from: oscar}, moment{cmd: a, from: oscar}, moment{cmd: a, from: olga})
	default:
		w.next = append(w.next, moment{cmd: a, from: olga}, moment{cmd: a, from: oscar})
	}
	return a
}

// breakName makes it wrong to adopt a transaction, mostly.
func (w *payers) breakName(t *dice, c *worldChain, a *schema.AdoptSpend) {
	switch chance(t, 3) {
	case 0:
		a.Tx = strings.Repeat("n", pick(t, 0, schema.MaxTx, schema.MaxTx+1))
	case 1:
		for _, p := range w.slow.Payouts(c.ID) {
			for _, v := range p.Variants {
				if coin(t) {
					a.Tx = v.Tx
				}
			}
		}
	case 2:
		a.Chain = pick(t, schema.ChainID(0), payerSand, 9)
	}
}

// await lets the block come that has an adopted transaction; it may be rewound, before it is booked or after, and come again, or stay until
// it is forgotten.
func (w *payers) await(c *worldChain) {
	block := func(t *dice) schema.Command { return w.block(t, c) }
	rewind := func(t *dice) schema.Command { return w.rewind(t, c) }
	deep := func(t *dice) schema.Command {
		c.hurry = pick(t, 3, 60, 101, 104)
		return w.block(t, c)
	}
	again := func(t *dice) schema.Command { // another one, before or beside it
		b := w.block(t, c).(*schema.ChainBlock)
		if chance(t, 3) == 0 {
			b.Foreign = "theft"
		}
		return b
	}
	w.then = append(w.then, again, block, func(t *dice) schema.Command {
		switch chance(t, 6) {
		case 0:
			w.then = append(w.then, rewind, block, block)
		case 1:
			w.then = append(w.then, block, block, rewind, block, deep)
		case 2, 3:
			w.then = append(w.then, deep)
		}
		return w.block(t, c)
	})
}

// outlive lets a spend that rules a payout out be forgotten, sometimes.
func (w *payers) outlive(c *worldChain, b *schema.ChainBlock) {
	ruled := slices.ContainsFunc(w.waiting(c), func(p schema.Payout) bool {
		if c.Driver == schema.EVMNode {
			return w.usesNonce(c, b, &p)
		}
		return slices.ContainsFunc(b.Adopted, func(f schema.ForeignSpend) bool { return slices.Contains(f.Inputs, p.Variants[0].Inputs[0]) })
	})
	if ruled {
		w.then = append(w.then, func(t *dice) schema.Command {
			c.hurry = pick(t, 0, 101, 104)
			return w.block(t, c)
		})
	}
}

// spends draws which of the adopted transactions a block has, and what they took.
func (w *payers) spends(t *dice, c *worldChain, b *schema.ChainBlock) (list []schema.ForeignSpend) {
	kept := w.slow.Spends(c.ID)
	taken := map[string]bool{}
	for _, tx := range w.slow.Adopted(c.ID) {
		if slices.ContainsFunc(kept, func(f naive.Spend) bool { return f.Tx == tx }) != w.wrong(t, 100) || chance(t, 3) == 0 {
			continue
		}
		f := schema.ForeignSpend{Tx: tx}
		if c.Driver == schema.BitcoinNode {
			w.spendCoins(t, c, b, &f, taken)
		} else {
			w.takeBalances(t, c, b, &f)
		}
		if c.Driver == schema.EVMNode || len(f.Inputs) > 0 || w.wrong(t, 10) {
			list = append(list, f)
		}
	}
	return list
}

// spendCoins draws coins that a transaction spends: free ones, those that payouts have reserved, those that the same block pays.
func (w *payers) spendCoins(t *dice, c *worldChain, b *schema.ChainBlock, f *schema.ForeignSpend, taken map[string]bool) {
	f.Asset = payerBTC
	if chance(t, 20) == 0 {
		f.Asset = pick(t, payerETH, payerToken)
	}
	var ids []string
	for _, k := range w.slow.CoinsOf(c.ID, f.Asset) {
		if k.Height != 0 || w.wrong(t, 20) {
			ids = append(ids, k.ID)
		}
	}
	for _, r := range b.Receipts {
		if r.Asset == f.Asset {
			ids = append(ids, r.ID)
		}
	}
	t.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for _, p := range w.waiting(c) { // what it must spend, or what it may
		inputs := p.Variants[len(p.Variants)-1].Inputs
		if reserved := inputs[pick(t, 0, len(inputs)-1)]; coin(t) && slices.Contains(ids, reserved) {
			ids = slices.Insert(ids, 0, reserved)
		}
	}
	most := 1 + chance(t, 4)
	for _, id := range ids {
		if !taken[id] && len(f.Inputs) < most {
			f.Inputs, taken[id] = append(f.Inputs, id), true
		}
	}
}

// account is an address of ours where there are accounts.
type account struct {
	index schema.AddressIndex
	own   schema.OwnAddress
}

// anyAccount draws one.
func (w *payers) anyAccount(t *dice, c *worldChain) account {
	switch chance(t, 4) {
	case 0:
		return account{own: schema.Hot}
	case 1:
		if w.stores(c) {
			return account{own: schema.Cold}
		}
	}
	return account{index: schema.AddressIndex(1 + chance(t, int(w.slow.LastIndex(c.ID))))}
}

// takeBalances draws whose transaction it is, mostly nobody's or a customer's, and what it took: less than there is, all of it, or more.
func (w *payers) takeBalances(t *dice, c *worldChain, b *schema.ChainBlock, f *schema.ForeignSpend) {
	if chance(t, 3) != 0 {
		from := w.anyAccount(t, c)
		if list := w.waiting(c); len(list) > 0 && chance(t, 4) != 0 {
			p := list[pick(t, 0, chance(t, len(list)))]
			for _, behind := range list { // the first of several, mostly
				if coin(t) && slices.ContainsFunc(list, func(o schema.Payout) bool {
					return o.Index == behind.Index && o.Own == behind.Own && o.Nonce > behind.Nonce
				}) {
					p = behind
					break
				}
			}
			from = account{p.Index, p.Own}
			f.Nonce = p.Nonce
		} else {
			next := w.slow.NextNonce(c.ID, from.index, from.own)
			f.Nonce = pick(t, 0, max(next, 1)-1, next, next, next+1, next+7)
			if w.wrong(t, 40) {
				f.Nonce = pick[uint64](t, 1<<63-1, 1<<63, 1<<63+1, 1<<64-1)
			}
		}
		f.Index, f.Own = from.index, from.own
	}
	for range pick(t, 0, 1, 1, 1, 2, 4) {
		from := w.anyAccount(t, c)
		take := schema.ForeignTake{Asset: pick(t, payerETH, payerETH, payerToken), Index: from.index, Own: from.own}
		if w.wrong(t, 30) {
			take.Asset = pick(t, payerBTC, 9)
		}
		var there fixed.Decimal
		for _, k := range w.slow.CoinsOf(c.ID, take.Asset) {
			if k.Index == from.index && k.Own == from.own {
				there = k.Amount
			}
		}
		for _, r := range b.Receipts {
			if r.Index == from.index && r.Own == from.own && r.Asset == take.Asset && r.Amount.Less(ledger.Limit) && r.Amount.Sign() > 0 {
				there = there.Add(r.Amount)
			}
		}
		half, _ := fixed.Div(there, fixed.FromInt(2), 6, fixed.Down)
		least := fixed.FromUnits(1, 6)
		take.Amount = pick(t, there, there, half, half, least, there.Add(least), there.Add(fixed.FromInt(7)))
		if w.wrong(t, 30) {
			take.Amount = pick(t, fixed.Max, fixed.Zero, smallest, least.Neg(), cut(fixed.Max, 6))
		}
		if take.Amount.Sign() == 0 && !w.wrong(t, 20) {
			take.Amount = least
		}
		same := func(other schema.ForeignTake) bool {
			return other.Asset == take.Asset && other.Index == take.Index && other.Own == take.Own
		}
		if !slices.ContainsFunc(f.Takes, same) || w.wrong(t, 30) {
			f.Takes = append(f.Takes, take)
		}
	}
	if len(f.Takes) == 0 && f.Index == 0 && f.Own == 0 && !w.wrong(t, 20) {
		f.Takes = []schema.ForeignTake{{Asset: payerETH, Own: schema.Hot, Amount: fixed.One}}
	}
}

// breakSpend makes one of the transactions of a block that no plan made wrong, mostly.
func (w *payers) breakSpend(t *dice, c *worldChain, b *schema.ChainBlock) {
	f := &b.Adopted[chance(t, len(b.Adopted))]
	switch chance(t, 12) {
	case 0:
		f.Tx = pick(t, w.name("theft"), "")
	case 1:
		b.Adopted = append(b.Adopted, *f)
	case 2:
		f.Asset = schema.AssetID(chance(t, payerAssets+2))
	case 3:
		f.Inputs = pick(t, nil, append(slices.Clone(f.Inputs), "nothing"), append(slices.Clone(f.Inputs), f.Inputs...))
	case 4:
		f.Index, f.Own = pick(t, 0, 1, w.slow.LastIndex(c.ID), w.slow.LastIndex(c.ID)+1), pick(t, 0, 0, schema.Hot, 2, w.wrongCold(t))
	case 5:
		f.Nonce = pick(t, 0, f.Nonce+1, 1<<63+1)
	case 6:
		f.Takes = pick(t, nil, append(slices.Clone(f.Takes), f.Takes...), []schema.ForeignTake{{Asset: payerETH, Own: schema.Hot, Amount: fixed.One}})
	case 7:
		if len(f.Takes) > 0 {
			f.Takes[0].Index, f.Takes[0].Own = pick(t, 0, 1, w.slow.LastIndex(c.ID), w.slow.LastIndex(c.ID)+1), pick(t, 0, 0, schema.Hot, 2, w.wrongCold(t))
		}
	case 8:
		if len(f.Takes) > 0 {
			f.Takes = slices.Repeat(f.Takes[:1], schema.MaxForeignTakes+1)
		}
	case 9:
		if b.Part+1 >= b.Parts {
			b.Parts = b.Part + 2
		}
	case 10: // what a payout of the block spends, or makes
		for _, r := range b.Results {
			for _, p := range w.slow.Payouts(c.ID) {
				if p.ID != r.Payout || int(r.Variant) >= len(p.Variants) {
					continue
				}
				v := &p.Variants[r.Variant]
				made := schema.OutputID(v.Tx, len(p.Withdrawals))
				if len(v.Inputs) > 0 {
					f.Inputs = append(slices.Clone(f.Inputs), pick(t, made, made, v.Inputs[0]))
				}
			}
		}
	case 11:
		slices.Reverse(b.Adopted)
	}
}

// usesNonce reports whether a transaction that no plan made has the nonce of a payout, in a block that was taken or in one that is drawn.
func (w *payers) usesNonce(c *worldChain, b *schema.ChainBlock, p *schema.Payout) bool {
	same := func(f *schema.ForeignSpend) bool { return f.Index == p.Index && f.Own == p.Own && f.Nonce == p.Nonce }
	return slices.ContainsFunc(b.Adopted, func(f schema.ForeignSpend) bool { return same(&f) }) ||
		slices.ContainsFunc(w.slow.Spends(c.ID), func(f naive.Spend) bool { return same(&f.ForeignSpend) })
}

// lacks reports whether an address has less than its payouts take.
func (w *payers) lacks(c *worldChain, p *schema.Payout) bool {
	return w.slow.Available(c.ID, p.Asset, p.Index, p.Own).Sign() < 0 || w.slow.Available(c.ID, payerETH, p.Index, p.Own).Sign() < 0
}

// surplus lets operators say that there is money that blocks did not show: mostly two say the same.
func (w *payers) surplus(t *dice, c *worldChain) schema.Command {
	s := w.more(t, c)
	other := *s
	if w.wrong(t, 5) {
		w.breakSurplus(t, c, s)
	}
	olga, oscar := schema.Origin{Operator: "olga"}, schema.Origin{Operator: "oscar"}
	switch chance(t, 8) {
	case 0:
	case 1:
		w.next = append(w.next, moment{cmd: s, from: olga}, moment{cmd: s, from: olga})
	case 2:
		w.breakSurplus(t, c, &other)
		w.next = append(w.next, moment{cmd: s, from: olga}, moment{cmd: &other, from: oscar}, moment{cmd: s, from: oscar}, moment{cmd: s, from: olga})
	case 3: // the first word is said before the chain was halted
		w.next = append(w.next, moment{cmd: s, from: olga}, moment{cmd: w.halt(t, c)}, moment{cmd: s, from: oscar})
	default:
		w.next = append(w.next, moment{cmd: s, from: olga}, moment{cmd: s, from: oscar})
	}
	return s
}

// more composes a surplus: what could come by a block, too.
func (w *payers) more(t *dice, c *worldChain) *schema.BookSurplus {
	r := w.payment(t, c)
	s := &schema.BookSurplus{Chain: c.ID, Asset: r.Asset, Amount: r.Amount, Index: r.Index, Own: r.Own, Text: r.Text}
	if c.Driver == schema.BitcoinNode {
		s.Coin = r.ID
	}
	if w.wrong(t, 40) {
		s.Amount = cut(ledger.Limit, pick(t, 6, 8))
	}
	return s
}

// breakSurplus makes a surplus wrong, or another one.
func (w *payers) breakSurplus(t *dice, c *worldChain, s *schema.BookSurplus) {
	switch chance(t, 9) {
	case 0:
		s.Chain = pick(t, schema.ChainID(0), payerSand, 9)
	case 1:
		s.Asset = schema.AssetID(chance(t, payerAssets+2))
	case 2:
		s.Amount = pick(t, fixed.Zero, fixed.FromInt(-1), smallest, fixed.FromUnits(1, 8), fixed.Max)
	case 3:
		s.Index, s.Own = pick(t, 0, 1, w.slow.LastIndex(c.ID)+1), pick(t, 0, schema.Hot, 2, schema.PoolOwn, w.wrongCold(t))
	case 4:
		s.Coin = pick(t, "", w.name("r"), strings.Repeat("c", schema.MaxReceiptID), strings.Repeat("c", schema.MaxReceiptID+1))
	case 5:
		for _, known := range w.slow.ChainDeposits(c.ID) {
			if coin(t) {
				s.Coin = known.Receipt
			}
		}
	case 6:
		for _, k := range w.slow.CoinsOf(c.ID, payerBTC) {
			if coin(t) {
				s.Coin = k.ID
			}
		}
	case 7:
		for _, p := range w.waiting(c) {
			s.Coin = schema.OutputID(p.Variants[0].Tx, chance(t, 3))
		}
	case 8:
		s.Text = strings.Repeat("t", pick(t, 0, schema.MaxAddressText, schema.MaxAddressText+1))
	}
}

// booked notes a surplus among what the last block paid, so that it is missing when that is rewound. The deposit has a number; without one it
// was the word of the first operator. One at the pool's address may be over already.
func (w *payers) booked(s *schema.BookSurplus, deposit uint64) {
	if deposit == 0 {
		return
	}
	c, receipt := w.all[s.Chain-1], s.Coin
	if receipt == "" {
		receipt = fmt.Sprint("surplus:", deposit)
	}
	last := &c.blocks[len(c.blocks)-1]
	last.receipts = append(last.receipts, schema.Receipt{ID: receipt, Asset: s.Asset, Amount: s.Amount, Index: s.Index, Own: s.Own, Text: s.Text})
}
