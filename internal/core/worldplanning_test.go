package core

import (
	"slices"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// plan composes a payout from what there is, or a variant of one, mostly a good one.
func (w *payers) plan(t *dice, c *worldChain) schema.Command {
	p := &schema.PlanPayout{Chain: c.ID, Payout: w.slow.NextPayout(), Unsigned: []byte("unsigned")}
	list := w.waiting(c)
	switch {
	case len(list) > 0 && chance(t, 3) == 0:
		known := list[chance(t, len(list))]
		p.Payout = known.ID
		if c.Driver == schema.BitcoinNode {
			w.variantOfCoins(t, c, p, &known)
		} else {
			w.variantOfAccount(t, c, p, &known)
		}
	case c.Driver == schema.BitcoinNode:
		w.payCoins(t, c, p)
	default:
		w.payAccount(t, c, p)
	}
	if w.wrong(t, 5) {
		w.breakPlan(t, c, p)
	}
	return p
}

// chainFee is what a transaction costs on a chain.
func chainFee(t *dice, c *worldChain) fixed.Decimal {
	if c.Driver == schema.BitcoinNode {
		return fixed.FromUnits(int64(1+chance(t, 5000)), 8)
	}
	return pick(t, fixed.FromUnits(int64(1+chance(t, 5000)), 6), fixed.FromUnits(int64(1+chance(t, 9)), 18), fixed.FromUnits(int64(1+chance(t, 3)), 1))
}

// amounts of coins of the Bitcoin chain, by id, of those that are in blocks.
func (w *payers) amounts(c *worldChain) map[string]fixed.Decimal {
	amounts := map[string]fixed.Decimal{}
	for _, k := range w.slow.CoinsOf(c.ID, payerBTC) {
		if k.Height != 0 {
			amounts[k.ID] = k.Amount
		}
	}
	return amounts
}

// payCoins composes a batch of withdrawals, or a transaction that puts coins together.
func (w *payers) payCoins(t *dice, c *worldChain, p *schema.PlanPayout) {
	p.Asset, p.Tx, p.Fee = payerBTC, w.name("tx"), chainFee(t, c)
	need := p.Fee
	if queued := w.slow.Waiting(c.ID, payerBTC); len(queued) > 0 && chance(t, 6) != 0 {
		for _, q := range queued[:1+chance(t, min(len(queued), 100))] {
			p.Withdrawals = append(p.Withdrawals, q.ID)
			need = need.Add(q.Amount)
		}
	}
	coins := w.slow.Spendable(c.ID)
	t.Shuffle(len(coins), func(i, j int) { coins[i], coins[j] = coins[j], coins[i] })
	sum := fixed.Zero
	for _, k := range coins {
		if len(p.Inputs) == 0 || sum.Cmp(need) <= 0 || chance(t, 6) == 0 {
			p.Inputs = append(p.Inputs, k.ID)
			sum = sum.Add(k.Amount)
		}
	}
	w.change(t, p, sum.Sub(need), changes(t))
}

// change gives what is left of the inputs back to ourselves, divided, or to the miners.
func (w *payers) change(t *dice, p *schema.PlanPayout, rest fixed.Decimal, parts int) {
	switch {
	case rest.Sign() <= 0:
	case len(p.Withdrawals) > 0 && chance(t, 12) == 0:
		p.Fee = p.Fee.Add(rest)
	default:
		p.Outputs = divided(t, schema.OwnOutput{Own: schema.ChangeOf(p.Payout), Amount: rest}, parts)
	}
}

// changes draws into how many outputs change is divided.
func changes(t *dice) int { return pick(t, 1, 1, 1, 1+chance(t, schema.MaxChange), schema.MaxChange) }

// changesOf is for a variant: one that gives up is not divided.
func (w *payers) changesOf(t *dice, known *schema.Payout) int {
	if known.GivingUp && !w.wrong(t, 10) {
		return 1
	}
	return changes(t)
}

// divided divides an output, equally or not.
func divided(t *dice, out schema.OwnOutput, parts int) (list []schema.OwnOutput) {
	for n := parts; n > 1; n-- {
		part, _ := fixed.Div(out.Amount, fixed.FromInt(int64(pick(t, n, n, 2*n))), 8, fixed.Down)
		if part.Sign() > 0 {
			list = append(list, schema.OwnOutput{Index: out.Index, Own: out.Own, Amount: part})
			out.Amount = out.Amount.Sub(part)
		}
	}
	return append(list, out)
}

// variantOfCoins composes a variant that costs more, with more coins if need be, or one that gives the payout up.
func (w *payers) variantOfCoins(t *dice, c *worldChain, p *schema.PlanPayout, known *schema.Payout) {
	p.Asset, p.Tx, p.Fee = payerBTC, w.name("tx"), dearest(known).Add(chainFee(t, c))
	amounts := w.amounts(c)
	if w.slow.Parent(known.ID) != 0 || w.wrong(t, 40) { // so it may spend what is in no block
		for _, k := range w.slow.CoinsOf(c.ID, payerBTC) {
			amounts[k.ID] = k.Amount
		}
	}
	need := p.Fee
	if !known.GivingUp || w.wrong(t, 10) {
		p.Withdrawals = known.Withdrawals
		for _, q := range w.slow.Withdrawals(c.ID) {
			if slices.Contains(known.Withdrawals, q.ID) {
				need = need.Add(q.Amount)
			}
		}
	}
	p.Inputs = []string{known.Variants[0].Inputs[0]}
	sum := amounts[p.Inputs[0]]
	add := func(id string) {
		amount, there := amounts[id]
		if there && !slices.Contains(p.Inputs, id) && (sum.Cmp(need) <= 0 || chance(t, 3) == 0) {
			p.Inputs = append(p.Inputs, id)
			sum = sum.Add(amount)
		}
	}
	for _, v := range known.Variants {
		for _, id := range v.Inputs {
			add(id)
		}
	}
	for _, k := range w.slow.Spendable(c.ID) {
		if sum.Cmp(need) <= 0 || chance(t, 6) == 0 || w.slow.Parent(known.ID) != 0 && coin(t) {
			add(k.ID)
		}
	}
	w.change(t, p, sum.Sub(need), w.changesOf(t, known))
}

func dearest(p *schema.Payout) fixed.Decimal {
	most := fixed.Zero
	for _, v := range p.Variants {
		most = fixed.MaxOf(most, v.Fee)
	}
	return most
}

// payAccount composes a payment of a withdrawal, collects what is at an address of a customer, or gives one what it needs to pay for that.
func (w *payers) payAccount(t *dice, c *worldChain, p *schema.PlanPayout) {
	p.Asset, p.Fee, p.Own = pick(t, payerETH, payerToken), chainFee(t, c), schema.Hot
	index := schema.AddressIndex(1 + chance(t, int(w.slow.LastIndex(c.ID))))
	switch queued := w.slow.Waiting(c.ID, p.Asset); {
	case len(queued) > 0 && chance(t, 3) != 0:
		p.Withdrawals = []schema.WithdrawalID{queued[chance(t, len(queued))].ID}
	case chance(t, 3) == 0:
		p.Asset = payerETH
		p.Outputs = []schema.OwnOutput{{Index: index, Amount: fixed.FromUnits(int64(1+chance(t, 50)), 1)}}
	default:
		p.Own, p.Index = 0, index
		amount := w.slow.Available(c.ID, p.Asset, index, 0)
		if p.Asset == payerETH {
			amount = amount.Sub(p.Fee)
		}
		p.Outputs = []schema.OwnOutput{{Own: schema.Hot, Amount: amount}}
		if other := schema.AddressIndex(1 + chance(t, int(w.slow.LastIndex(c.ID)))); other != index && chance(t, 5) == 0 {
			p.Outputs[0].Index, p.Outputs[0].Own = other, 0
		}
	}
	p.Nonce = w.slow.NextNonce(c.ID, p.Index, p.Own)
}

// variantOfAccount composes a variant that costs more, or one that gives the payout up.
func (w *payers) variantOfAccount(t *dice, c *worldChain, p *schema.PlanPayout, known *schema.Payout) {
	p.Asset, p.Index, p.Own, p.Nonce = known.Asset, known.Index, known.Own, known.Nonce
	p.Fee = dearest(known).Add(chainFee(t, c))
	if known.GivingUp && !w.wrong(t, 10) {
		p.Asset, p.Outputs = payerETH, []schema.OwnOutput{{Index: known.Index, Own: known.Own}}
		return
	}
	p.Withdrawals, p.Outputs = known.Withdrawals, slices.Clone(known.Variants[0].Outputs)
}

// divideMore divides the change of a plan into as many outputs as there can be, or more.
func divideMore(t *dice, p *schema.PlanPayout) {
	rest, kept := fixed.Zero, p.Outputs[:0:0]
	for _, out := range p.Outputs {
		if out.Own == schema.ChangeOf(p.Payout) {
			rest = rest.Add(out.Amount)
		} else {
			kept = append(kept, out)
		}
	}
	if rest.Sign() > 0 {
		out := schema.OwnOutput{Own: schema.ChangeOf(p.Payout), Amount: rest}
		p.Outputs = append(kept, divided(t, out, schema.MaxChange+pick(t, 0, 1, 1, 2))...)
	}
}

// breakPlan makes a plan wrong, mostly.
func (w *payers) breakPlan(t *dice, c *worldChain, p *schema.PlanPayout) {
	switch chance(t, 24) {
	case 0:
		p.Payout = schema.PayoutID(chance(t, int(w.slow.NextPayout())+3))
	case 1:
		p.Fee = pick(t, fixed.Zero, p.Fee.Neg(), p.Fee.Add(smallest), p.Fee.Add(fixed.FromUnits(1, 8)), fixed.Max, smallest)
	case 2:
		p.Unsigned = make([]byte, pick(t, 0, schema.MaxTransaction, schema.MaxTransaction+1))
	case 3:
		p.Tx = strings.Repeat("x", pick(t, 0, schema.MaxTx, schema.MaxTx+1))
	case 4:
		for _, other := range w.slow.Payouts(c.ID) {
			for _, v := range other.Variants {
				if coin(t) {
					p.Tx = v.Tx
				}
			}
		}
	case 5:
		p.Inputs = append(p.Inputs, pick(t, "nothing", "", strings.Repeat("n", 300)))
	case 6:
		p.Inputs = append(p.Inputs, p.Inputs...)
	case 7:
		slices.Reverse(p.Inputs)
	case 8:
		p.Inputs = nil
	case 9:
		p.Withdrawals = append(p.Withdrawals, p.Withdrawals...)
	case 10:
		p.Withdrawals = append(slices.Clone(p.Withdrawals), schema.WithdrawalID(chance(t, 40)))
	case 11:
		if len(p.Withdrawals) > 0 {
			p.Withdrawals = p.Withdrawals[1:]
		}
	case 12:
		for i := range schema.WithdrawalID(schema.MaxPaid + 1) {
			p.Withdrawals = append(p.Withdrawals, i+1)
		}
	case 13:
		if len(p.Outputs) > 0 {
			o := &p.Outputs[0]
			o.Index, o.Own = pick(t, o.Index, 0, 1, 90), pick(t, o.Own, 0, 1, 2, o.Own+1)
		}
	case 14:
		if len(p.Outputs) > 0 {
			o := &p.Outputs[0]
			o.Amount = pick(t, fixed.Zero, o.Amount.Neg(), o.Amount.Add(fixed.FromUnits(1, 8)), o.Amount.Sub(fixed.FromUnits(1, 7)), o.Amount.Sub(smallest), o.Amount.Add(fixed.FromInt(1000)))
		}
	case 15:
		p.Outputs = append(p.Outputs, schema.OwnOutput{Own: schema.ChangeOf(p.Payout), Amount: fixed.One})
	case 16:
		p.Index, p.Own = pick(t, p.Index, 0, 1, 90), pick(t, p.Own, 0, 1, 2)
	case 17:
		p.Nonce += pick[uint64](t, 1, 2, 1<<64-1)
	case 18:
		p.Asset = schema.AssetID(chance(t, payerAssets+2))
	case 19:
		p.Chain = schema.ChainID(chance(t, len(w.all)+2))
	case 20:
		for _, k := range w.slow.CoinsOf(c.ID, payerBTC) { // one that is not to be spent, for another
			if len(p.Inputs) > 0 && coin(t) {
				p.Inputs[len(p.Inputs)-1] = k.ID
			}
		}
	case 21:
		for _, q := range w.slow.Withdrawals(c.ID) { // so with withdrawals
			if len(p.Withdrawals) > 0 && coin(t) {
				p.Withdrawals = append(slices.Clone(p.Withdrawals[1:]), q.ID)
			}
		}
	case 22, 23:
		divideMore(t, p)
	}
}
