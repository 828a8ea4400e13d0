package core

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// What worlds of payers do with children: payouts that spend change of others that are in no block.

// change is what a variant of a payout pays to ourselves: coins, once it is in a block.
func changeOf(p *schema.Payout, v *schema.Variant) (list []schema.Coin) {
	before := len(p.Withdrawals)
	if v.GiveUp {
		before = 0
	}
	for i, out := range v.Outputs {
		list = append(list, schema.Coin{ID: schema.OutputID(v.Tx, before+i), Amount: out.Amount, Own: out.Own})
	}
	return list
}

// child composes a plan that spends change of a payout in no block, mostly a good one; false: there is none.
func (w *payers) child(t *dice, c *worldChain, p *schema.PlanPayout) bool {
	var parents []schema.Payout
	for _, parent := range w.waiting(c) {
		signed := slices.ContainsFunc(parent.Variants, func(v schema.Variant) bool { return len(v.Raw) > 0 && len(v.Outputs) > 0 })
		if c.Driver == schema.BitcoinNode && (signed && w.slow.Parent(parent.ID) == 0 || w.wrong(t, 8)) {
			parents = append(parents, parent)
		}
	}
	if len(parents) == 0 {
		return false
	}
	parent := parents[chance(t, len(parents))]
	var variants []int
	for i, v := range parent.Variants {
		if len(v.Outputs) > 0 && (len(v.Raw) > 0 || w.wrong(t, 10)) {
			variants = append(variants, i)
		}
	}
	if len(variants) == 0 {
		return false
	}
	i := variants[pick(t, chance(t, len(variants)), len(variants)-1)]
	spends := w.free(t, c, &parent, i)
	if len(spends) == 0 {
		return false
	}
	w.spendChange(t, c, p, spends)
	if w.wrong(t, 4) {
		w.breakChild(t, c, p, &parent)
	}
	w.raise(t, c, p.Payout, parent.ID, uint32(i))
	return true
}

// breed composes a child, or what leads to one: a variant that is signed.
func (w *payers) breed(t *dice, c *worldChain) schema.Command {
	p := &schema.PlanPayout{Chain: c.ID, Payout: w.slow.NextPayout(), Unsigned: []byte("unsigned")}
	if coin(t) && w.child(t, c, p) {
		return p
	}
	list := w.waiting(c)
	if len(list) == 0 {
		return nil
	}
	known := list[chance(t, len(list))]
	if last := known.Variants[len(known.Variants)-1]; len(last.Raw) == 0 {
		return w.signLast(t, c, known.ID)
	}
	return w.bid(t, c, known.ID)
}

// free draws coins of a variant that a child can spend, all of them or some, rarely others too.
func (w *payers) free(t *dice, c *worldChain, parent *schema.Payout, variant int) (list []schema.Coin) {
	reserved := map[string]bool{}
	for _, k := range w.slow.CoinsOf(c.ID, payerBTC) {
		reserved[k.ID] = true
	}
	whole := coin(t)
	for _, k := range changeOf(parent, &parent.Variants[variant]) {
		if (whole || len(list) == 0 || coin(t)) && (!reserved[k.ID] && !k.Own.IsCold() || w.wrong(t, 15)) {
			list = append(list, k)
		}
	}
	t.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// spendChange lets a plan spend some coins, and pay what is left of them to where its change goes.
func (w *payers) spendChange(t *dice, c *worldChain, p *schema.PlanPayout, coins []schema.Coin) {
	p.Asset, p.Tx, p.Fee = payerBTC, w.name("tx"), chainFee(t, c)
	sum := fixed.Zero
	for _, k := range coins {
		p.Inputs, sum = append(p.Inputs, k.ID), sum.Add(k.Amount)
	}
	if sum.Cmp(p.Fee) <= 0 {
		p.Fee = fixed.FromUnits(1, 8)
	}
	p.Outputs = []schema.OwnOutput{{Own: schema.ChangeOf(p.Payout), Amount: sum.Sub(p.Fee)}}
}

// breakChild makes a child wrong, mostly. What it pays stays what it spends where that is possible, so that it is wrong for one reason.
func (w *payers) breakChild(t *dice, c *worldChain, p *schema.PlanPayout, parent *schema.Payout) {
	out := &p.Outputs[0]
	add := func(k schema.Coin) {
		p.Inputs, out.Amount = slices.Insert(p.Inputs, chance(t, len(p.Inputs)+1), k.ID), out.Amount.Add(k.Amount)
	}
	switch chance(t, 21) {
	case 0: // of both kinds
		if coins := w.slow.Spendable(c.ID); len(coins) > 0 {
			add(coins[chance(t, len(coins))])
		}
	case 1, 10, 16, 17, 18: // of several variants, or of several payouts
		list := slices.Insert(w.waiting(c), 0, *parent)
		if coin(t) {
			slices.Reverse(list)
		}
		for _, other := range list {
			for i, v := range other.Variants {
				made := w.free(t, c, &other, i)
				if len(v.Raw) > 0 && len(made) > 0 && !slices.Contains(p.Inputs, made[0].ID) && !slices.ContainsFunc(changeOf(&other, &v), func(k schema.Coin) bool {
					return slices.Contains(p.Inputs, k.ID)
				}) {
					add(made[0])
					return
				}
			}
		}
	case 2, 19, 20: // an output that is not there, or goes to others
		v := parent.Variants[chance(t, len(parent.Variants))]
		add(schema.Coin{ID: schema.OutputID(v.Tx, pick(t, 0, len(parent.Withdrawals)+len(v.Outputs))), Amount: fixed.One})
	case 3:
		if queued := w.slow.Waiting(c.ID, payerBTC); len(queued) > 0 {
			p.Withdrawals, out.Amount = []schema.WithdrawalID{queued[0].ID}, out.Amount.Sub(queued[0].Amount)
			if out.Amount.Sign() <= 0 {
				p.Outputs = nil
			}
		}
	case 4:
		p.Outputs = divided(t, *out, 2+chance(t, 3))
	case 5:
		out.Own = pick(t, schema.ColdOf(p.Payout), schema.ChangeOf(parent.ID), schema.Hot)
	case 6:
		half, _ := fixed.Div(out.Amount, fixed.FromInt(2), 8, fixed.Down)
		out.Amount = out.Amount.Sub(half)
		p.Outputs = slices.Insert(p.Outputs, 0, schema.OwnOutput{Own: schema.ColdOf(p.Payout), Amount: half})
	case 7, 14, 15:
		out.Amount = out.Amount.Add(pick(t, fixed.FromUnits(1, 8), fixed.FromUnits(1, 8).Neg(), fixed.One))
	case 8:
		p.Fee, p.Outputs = p.Fee.Add(out.Amount), nil
	case 9, 11, 12, 13: // of one that is in a block
		for _, other := range w.slow.Payouts(c.ID) {
			if other.Height == 0 {
				continue
			}
			for i := range other.Variants {
				if made := changeOf(&other, &other.Variants[i]); uint32(i) != other.Mined && len(made) > 0 && len(other.Variants[i].Raw) > 0 {
					p.Inputs = nil
					w.spendChange(t, c, p, made)
					return
				}
			}
		}
	}
}

// carry lets a block carry variants of payouts, and nothing else.
func (w *payers) carry(c *worldChain, results ...schema.PayoutResult) follower {
	return func(t *dice) schema.Command {
		b := w.block(t, c).(*schema.ChainBlock)
		b.Receipts, b.Adopted, b.Results = nil, nil, nil
		for _, r := range results {
			for _, p := range w.waiting(c) {
				if p.ID == r.Payout && int(r.Variant) < len(p.Variants) {
					r.Fee = p.Variants[r.Variant].Fee
					b.Results = append(b.Results, r)
				}
			}
		}
		return b
	}
}

// raise lets a child get somewhere, with its parent or without it.
func (w *payers) raise(t *dice, c *worldChain, id, parent schema.PayoutID, variant uint32) {
	block := func(t *dice) schema.Command { return w.block(t, c) }
	rewind := func(t *dice) schema.Command { return w.rewind(t, c) }
	sign := func(t *dice) schema.Command { return w.signLast(t, c, id) }
	signParent := func(t *dice) schema.Command { return w.signLast(t, c, parent) }
	dearer := func(t *dice) schema.Command { return w.bid(t, c, id) }
	outbid := func(t *dice) schema.Command { return w.bid(t, c, parent) }
	abandon := func(*dice) schema.Command { return &schema.AbandonPayout{Payout: id} }
	with := schema.PayoutResult{Payout: parent, Variant: variant}
	born, both, early := w.carry(c, with), w.carry(c, with, schema.PayoutResult{Payout: id}), w.carry(c, schema.PayoutResult{Payout: id})
	other := w.carry(c, schema.PayoutResult{Payout: parent, Variant: pick(t, variant+1, max(variant, 1)-1)})
	deep := func(t *dice) schema.Command {
		c.hurry = pick(t, 3, 60, 101, 104)
		return w.block(t, c)
	}
	dead := func(t *dice) schema.Command {
		a := &schema.AbandonPayout{Payout: pick(t, id, id, id, parent), Dead: true}
		c.hurry, c.still = pick(t, 99, 104, 112, 120), 125
		w.later = append(w.later, a, a, a, a, a)
		return w.block(t, c)
	}
	rob := func(t *dice) schema.Command { // what it spends is taken by somebody else
		b := w.block(t, c).(*schema.ChainBlock)
		b.Foreign = "theft"
		return b
	}
	late := func(t *dice) schema.Command { // of its parent, which is in a block
		p := &schema.PlanPayout{Chain: c.ID, Payout: w.slow.NextPayout(), Unsigned: []byte("unsigned")}
		for _, known := range w.slow.Payouts(c.ID) {
			for i, v := range known.Variants {
				if free := w.free(t, c, &known, i); known.ID == parent && uint32(i) != known.Mined && len(v.Raw) > 0 && len(free) > 0 {
					w.spendChange(t, c, p, free)
					return p
				}
			}
		}
		return w.block(t, c)
	}
	sibling := func(t *dice) schema.Command {
		p := &schema.PlanPayout{Chain: c.ID, Payout: w.slow.NextPayout(), Unsigned: []byte("unsigned")}
		for _, known := range w.waiting(c) {
			if known.ID == parent {
				if free := w.free(t, c, &known, chance(t, len(known.Variants))); len(free) > 0 {
					w.spendChange(t, c, p, free)
					return p
				}
			}
		}
		return w.block(t, c)
	}
	orphan := func(t *dice) schema.Command {
		if cmd := w.loseAnchorOf(t, c, parent); cmd != nil {
			return cmd
		}
		return w.block(t, c)
	}
	w.then = append(w.then, pick(t,
		[]follower{sign, both, rewind, both},
		[]follower{sign, early, both, block, rewind, born, early, rewind},
		[]follower{sign, born, rewind, dearer, sign, block, rewind, both},
		[]follower{sign, born, early, deep},
		[]follower{sign, dearer, dearer, sign, born, dearer, rewind, dearer, block},
		[]follower{abandon, dearer, sign, born, block, rewind},
		[]follower{outbid, signParent, other, dearer, deep},
		[]follower{outbid, signParent, other, rewind, born, deep},
		[]follower{outbid, signParent, other, late},
		[]follower{outbid, signParent, born, late, late},
		[]follower{sign, outbid, signParent, dearer, dearer, other, deep},
		[]follower{outbid, signParent, dearer, other, deep},
		[]follower{sign, dead},
		[]follower{dead},
		[]follower{sign, born, rob},
		[]follower{sibling, dead},
		[]follower{sibling, outbid, signParent, sibling, other, deep},
		[]follower{sign, orphan},
		[]follower{},
		[]follower{},
	)...)
}

// bid composes another variant of a payout of coins, if it is in no block.
func (w *payers) bid(t *dice, c *worldChain, id schema.PayoutID) schema.Command {
	p := &schema.PlanPayout{Chain: c.ID, Payout: id, Unsigned: []byte("unsigned"), Fee: chainFee(t, c)}
	for _, known := range w.waiting(c) {
		switch {
		case known.ID != id:
			continue
		case w.coldPayout(c, id) != nil:
			w.coldVariant(t, c, p, &known)
		default:
			w.variantOfCoins(t, c, p, &known)
		}
		return p
	}
	return w.block(t, c)
}
