package core

import (
	"slices"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// rewind rewinds a chain by a few blocks, rarely by many or by more than anybody remembers.
func (w *payers) rewind(t *dice, c *worldChain) schema.Command {
	r := &schema.ChainRewind{Chain: c.ID, Hash: w.digest()}
	if len(c.blocks) == 0 {
		return r
	}
	depth := pick(t, 1, 1, 2, 3, 4, 6, 10, 30)
	if c.part != nil && coin(t) {
		depth = 0
	}
	to := c.blocks[max(0, len(c.blocks)-1-depth)]
	r.Height, r.Hash = to.height, to.hash
	if w.wrong(t, 20) {
		r.Hash = w.digest()
	}
	if w.wrong(t, 60) {
		r.Height = c.blocks[0].height - 1
	}
	return r
}

// withdraw sends some of what an account has to somebody outside.
func (w *payers) withdraw(t *dice, c *worldChain) schema.Command {
	asset := payerBTC
	if c.Driver == schema.EVMNode {
		asset = pick(t, payerETH, payerToken)
	}
	r := &schema.RequestWithdrawal{
		Account: w.account(t), Asset: asset, Chain: c.ID, Pay: coin(t), Address: "out", Unique: w.name("u"),
		Amount: pick(t, fixed.FromInt(int64(1+chance(t, 9))), fixed.FromInt(int64(1+chance(t, 60))), fixed.FromUnits(int64(1+chance(t, 90_000)), 4)),
		BIC:    pick(t, "", "DEUTDEFF"), Partial: coin(t),
	}
	if w.wrong(t, 10) {
		r.Amount = pick(t, fixed.FromUnits(1, 9), fixed.FromUnits(1, 8), fixed.FromUnits(1, 6), fixed.FromUnits(1, 7), fixed.One.Add(fixed.FromUnits(1, 7)), fixed.One.Add(smallest), fixed.Zero)
	}
	if w.wrong(t, 15) {
		r.Index = schema.AddressIndex(chance(t, int(w.slow.LastIndex(c.ID))+2))
	}
	return r
}

// waiting are payouts of a chain in no block.
func (w *payers) waiting(c *worldChain) (list []schema.Payout) {
	for _, p := range w.slow.Payouts(c.ID) {
		if p.Status == schema.PayoutPlanned || p.Status == schema.PayoutSent {
			list = append(list, p)
		}
	}
	return list
}

// sign signs a variant.
func (w *payers) sign(t *dice, c *worldChain) schema.Command {
	s := &schema.SignPayout{Payout: w.slow.NextPayout(), Tx: w.name("t"), Raw: []byte("raw")}
	if list := w.waiting(c); len(list) > 0 {
		p := list[chance(t, len(list))]
		s.Payout = p.ID
		s.Variant = uint32(chance(t, len(p.Variants)))
		for i, v := range p.Variants {
			if len(v.Raw) == 0 && coin(t) {
				s.Variant = uint32(i)
			}
		}
		if c.Driver == schema.BitcoinNode {
			s.Tx = p.Variants[s.Variant].Tx
		}
	}
	if w.wrong(t, 8) {
		switch chance(t, 8) {
		case 0:
			s.Payout = schema.PayoutID(chance(t, int(w.slow.NextPayout())+2))
		case 1:
			s.Variant += pick[uint32](t, 1, 40)
		case 2:
			s.Raw = nil
		case 3:
			s.Raw = make([]byte, schema.MaxTransaction+1)
		case 4:
			s.Tx = strings.Repeat("t", pick(t, 0, schema.MaxTx, schema.MaxTx+1))
		case 5:
			s.Tx = w.name("t")
		default:
			for _, p := range w.slow.Payouts(c.ID) {
				for _, v := range p.Variants {
					if coin(t) {
						s.Tx = v.Tx
					}
				}
			}
		}
	}
	return s
}

// abandon gives a payout up, or says that it is dead.
func (w *payers) abandon(t *dice, c *worldChain) schema.Command {
	a := &schema.AbandonPayout{Payout: schema.PayoutID(chance(t, int(w.slow.NextPayout())+1)), Dead: coin(t)}
	if list := w.waiting(c); len(list) > 0 && !w.wrong(t, 12) {
		p := list[chance(t, len(list))]
		a.Payout = p.ID
		if c.Driver == schema.EVMNode {
			a.Dead = chance(t, 5) == 0
		}
		for _, p := range list { // one that can be dead
			for _, k := range w.slow.CoinsOf(c.ID, payerBTC) {
				if c.Driver == schema.BitcoinNode && k.ID == p.Variants[0].Inputs[0] && k.Height == 0 && coin(t) {
					a.Payout, a.Dead = p.ID, true
					if c.hurry == 0 && coin(t) {
						c.hurry = 110
					}
				}
			}
		}
	}
	return a
}

// loseAnchor rewinds the block that made the anchor of a payout, lets many blocks come without it, and then operators say that the payout
// is dead: too early sometimes.
func (w *payers) loseAnchor(t *dice, c *worldChain) schema.Command {
	for _, p := range w.waiting(c) {
		if cmd := w.loseAnchorOf(t, c, p.ID); cmd != nil {
			return cmd
		}
	}
	return nil
}

// loseAnchorOf does so with one payout.
func (w *payers) loseAnchorOf(t *dice, c *worldChain, id schema.PayoutID) schema.Command {
	for _, p := range w.waiting(c) {
		anchor := p.Variants[0].Inputs[0]
		for i, b := range c.blocks {
			if p.ID != id || i == 0 || len(c.blocks)-i > 90 || !slices.ContainsFunc(b.receipts, func(r schema.Receipt) bool { return r.ID == anchor }) || chance(t, 3) == 0 {
				continue
			}
			c.hurry = pick(t, 95, 101, 104, 110, 130, 200)
			dead := &schema.AbandonPayout{Payout: p.ID, Dead: true}
			w.gone = append(w.gone, anchor)
			w.later = append(w.later, dead, dead, dead, dead)
			return &schema.ChainRewind{Chain: c.ID, Height: c.blocks[i-1].height, Hash: c.blocks[i-1].hash}
		}
	}
	return nil
}

// judge decides about withdrawals.
func (w *payers) judge(t *dice, c *worldChain) schema.Command {
	d := &schema.DecideWithdrawal{Withdrawal: 1, Decision: schema.Verdict(1 + chance(t, 5))}
	for _, known := range w.slow.Withdrawals(c.ID) {
		if known.Status == schema.WithdrawalReview && chance(t, 3) != 0 {
			d.Withdrawal, d.Decision = known.ID, schema.ApproveWithdrawal
		} else if chance(t, 4) == 0 {
			d.Withdrawal = known.ID
		}
	}
	sign(t, d)
	if chance(t, 8) == 0 { // everybody signs it
		for _, operator := range []string{"olga", "oscar", "otto", "ann"} {
			again := &schema.DecideWithdrawal{Withdrawal: d.Withdrawal, Decision: schema.SignWithdrawal}
			sign(t, again)
			w.next = append(w.next, moment{cmd: again, from: schema.Origin{Operator: operator}})
		}
	}
	return d
}

// decide decides about deposits.
func (w *payers) decide(t *dice, c *worldChain) schema.Command {
	d := &schema.DecideDeposit{Deposit: 1, Decision: schema.Decision(1 + chance(t, 3))}
	for _, known := range w.slow.ChainDeposits(c.ID) {
		if chance(t, 4) == 0 {
			d.Deposit = known.ID
			if d.Account = 0; known.Account == 0 && d.Decision == schema.CreditDeposit {
				d.Account = w.account(t)
			}
		}
	}
	return d
}

// hold lets operators freeze what came last and is nobody's, and say whose it is some blocks later.
func (w *payers) hold(c *worldChain) {
	freeze := func(*dice) schema.Command {
		d := &schema.DecideDeposit{Deposit: 1, Decision: schema.FreezeDeposit}
		for _, known := range w.slow.ChainDeposits(c.ID) {
			if known.Account == 0 && known.Status == schema.DepositConfirming {
				d.Deposit = known.ID
			}
		}
		return d
	}
	block := func(t *dice) schema.Command { return w.block(t, c) }
	credit := func(t *dice) schema.Command {
		d := &schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit, Account: w.account(t)}
		for _, known := range w.slow.ChainDeposits(c.ID) {
			if known.Account == 0 && known.Status == schema.DepositFrozen {
				d.Deposit = known.ID
				w.loseBlock(t, c, known.Height)
			}
		}
		return d
	}
	w.then = append(w.then, freeze, block, block, block, credit)
}

// loseBlock plans, sometimes, that a block is rewound, and that so many others come that what it paid is lost.
func (w *payers) loseBlock(t *dice, c *worldChain, height uint64) {
	for i, b := range c.blocks {
		if above := len(c.blocks) - i; i > 0 && b.height == height && above < 60 && chance(t, 3) == 0 {
			w.next = append(w.next, moment{cmd: &schema.ChainRewind{Chain: c.ID, Height: c.blocks[i-1].height, Hash: c.blocks[i-1].hash}})
			c.hurry = above + 8
		}
	}
}

// refund sends a deposit back.
func (w *payers) refund(t *dice, c *worldChain) schema.Command {
	r := &schema.RefundDeposit{Account: w.account(t), Deposit: 1, Address: "back"}
	for _, known := range w.slow.ChainDeposits(c.ID) {
		if known.Status == schema.DepositCanceled && chance(t, 3) != 0 {
			r.Account, r.Deposit = known.Account, known.ID
		}
	}
	return r
}

// keys sets the keys of a space.
func (w *payers) keys(t *dice) schema.Command {
	k := schema.Keys{Family: pick(t, schema.Bitcoin, schema.EVM), Net: schema.Regtest, Print: schema.Digest{1}, Sealed: []byte(w.name("sealed"))}
	if k.Family == schema.EVM {
		k.Net = schema.Mainnet
	}
	if w.wrong(t, 3) {
		switch chance(t, 5) {
		case 0:
			k.Print = schema.Digest{byte(chance(t, 3))}
		case 1:
			k.Sealed = make([]byte, pick(t, 0, schema.MaxSealedKeys, schema.MaxSealedKeys+1))
		case 2:
			k.Net = pick(t, schema.Net(0), schema.Signet)
		case 3:
			k.Family = pick(t, schema.Family(0), schema.TRON)
		case 4:
			k.Family, k.Net = 0, 0
		}
	}
	return &schema.SetKeys{Keys: k}
}

// setAsset changes how an asset comes and goes; rarely it is wrong.
func (w *payers) setAsset(t *dice) schema.Command {
	i := chance(t, payerAssets)
	a := w.assets[i]
	a.CanWithdraw, a.CanDeposit = chance(t, 8) != 0, chance(t, 8) != 0
	a.Networks = w.networks(t, schema.AssetID(i+1))
	if chance(t, 10) == 0 {
		a.Networks[0].Confirmations = pick[uint32](t, 10, 55)
	}
	if w.wrong(t, 2) {
		n := &a.Networks[0]
		switch chance(t, 7) {
		case 0:
			n.Decimals = pick[uint8](t, 0, 1, 7, 9, 18, 19)
			if i != 0 && n.Decimals != 0 && n.Decimals < 18 {
				n.Decimals = a.Scale + 1
			}
		case 1:
			n.Contract = pick(t, "0xtoken", strings.Repeat("c", schema.MaxAddressText+1))
			if i == int(payerToken)-1 {
				n.Contract = pick(t, "", strings.Repeat("c", schema.MaxAddressText+1))
			}
		case 2:
			n.Chain = pick(t, 0, payerSand, 9)
		case 3:
			n.ConfirmationsForTrading = 0
		case 4:
			a.Ticker, a.Networks[0].Name = "NEW", "new"
		case 5:
			a.Ticker, a.Class = "EUR", schema.Fiat
		case 6:
			n.HotCap = pick(t, fixed.FromInt(-1), smallest)
		}
	}
	return &schema.SetAsset{Asset: a}
}

// setChain pauses a chain for a while; rarely it is wrong.
func (w *payers) setChain(t *dice) schema.Command {
	c := w.slow.Chains()[chance(t, len(w.all))]
	c.Paused = chance(t, 3) == 0
	if c.Paused {
		again := c
		again.Paused = false
		known := w.all[c.ID-1]
		w.next = append(w.next, moment{cmd: w.plan(t, known)}, moment{cmd: w.block(t, known)},
			moment{cmd: w.more(t, known), from: schema.Origin{Operator: "olga"}}, moment{cmd: &schema.SetChain{Chain: again}})
	}
	if w.wrong(t, 2) {
		switch chance(t, 4) {
		case 0:
			c.Number = pick[uint64](t, 0, 1, 7)
		case 1:
			c.FeeRateMax = 7
		case 2:
			c.Name = "MORE"
			c.Driver, c.Family, c.Net = schema.Driver(1+chance(t, 3)), schema.Family(chance(t, 3)), schema.Net(chance(t, 3))
		case 3:
			c.Driver = schema.Driver(1 + chance(t, 3))
		}
	}
	return &schema.SetChain{Chain: c}
}
