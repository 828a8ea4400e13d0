package core

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// What worlds do with commands that take two operators.

// proposable reports whether a command can take two operators.
func proposable(cmd schema.Command) bool {
	switch cmd.(type) {
	case *schema.SetAsset, *schema.SetChain, *schema.SetTier, *schema.Deposit, *schema.DecideDeposit, *schema.ForgiveOwed, *schema.DecideProposal:
		return true
	}
	return false
}

// isSetting reports whether it waits for its time when it does.
func isSetting(cmd schema.Command) bool {
	switch cmd.(type) {
	case *schema.SetAsset, *schema.SetChain, *schema.SetTier:
		return true
	}
	return false
}

// anyOperator is one of those who decide, rarely nobody.
func anyOperator(t *dice) string {
	if chance(t, 12) == 0 {
		return ""
	}
	return pick(t, "olga", "olga", "oscar", "otto")
}

// proposed finds a proposal, or nil.
func proposed(list []schema.Proposal, id schema.ProposalID) *schema.Proposal {
	if i := slices.IndexFunc(list, func(p schema.Proposal) bool { return p.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// decideProposal draws a decision about one of those that wait: mostly approval, sometimes about one that there is not.
func decideProposal(t *dice, list []schema.Proposal) *schema.DecideProposal {
	d := &schema.DecideProposal{Proposal: 1, Approve: chance(t, 5) != 0}
	if len(list) > 0 {
		p := list[chance(t, len(list))]
		if d.Proposal = p.ID; p.Status == schema.ProposalApproved && chance(t, 3) != 0 {
			d.Proposal = list[chance(t, len(list))].ID
		}
		if rarely(t) {
			d.Proposal = pick(t, 0, list[len(list)-1].ID+1, list[0].ID-1, 1<<63)
		}
	}
	return d
}

// proposals are those that wait, as the world knows them.
func (w *world) proposals() []schema.Proposal {
	switch {
	case w.oracle != nil:
		return w.oracle.Proposals()
	case w.bank != nil:
		return w.bank.Proposals()
	}
	return nil
}

// learnProposal marks when settings are to be done.
func (w *world) learnProposal(t *dice, d *schema.DecideProposal) {
	if p := proposed(w.proposals(), d.Proposal); p != nil && p.Due != 0 && chance(t, 3) != 0 {
		w.mark(p.Due)
	}
}

// ask draws a command that takes two operators, or nearly, or a decision about one.
func (w *payers) ask(t *dice) schema.Command {
	list := w.slow.Proposals()
	if len(list) > 0 && chance(t, 5) < 2 {
		return decideProposal(t, list)
	}
	if cmd := w.usurp(list); cmd != nil && chance(t, 4) == 0 {
		return cmd
	}
	switch chance(t, 12) {
	case 0, 1, 2, 3:
		return w.retune(t)
	case 4, 10:
		c := w.slow.Chains()[chance(t, len(w.slow.Chains()))]
		if c.Driver != schema.Sandbox || w.wrong(t, 8) {
			c.FeeRateMax = pick(t, 0, 1, c.FeeRateMax, c.FeeRateMax+1, max(c.FeeRateMax, 1)-1, 50, 100, 1<<64-1)
		}
		return &schema.SetChain{Chain: c}
	case 5, 11:
		return w.tier(t)
	case 6, 7:
		return w.creditMuch(t)
	case 8:
		return &schema.ForgiveOwed{Account: w.account(t), Asset: schema.AssetID(1 + chance(t, payerAssets)), Amount: fixed.One}
	}
	return w.bringMuch(t)
}

// usurp lets another asset have a contract that is proposed for one, which cannot have it any more when its time comes; nil: none is proposed.
func (w *payers) usurp(list []schema.Proposal) schema.Command {
	for _, p := range list {
		set, is := p.Command.(*schema.SetAsset)
		if !is {
			continue
		}
		for _, n := range set.Asset.Networks {
			taken := slices.ContainsFunc(w.slow.Assets(), func(a schema.Asset) bool {
				known := a.NetworkOn(n.Chain)
				return known != nil && known.Contract == n.Contract
			})
			if n.Contract != "" && !taken {
				return &schema.SetAsset{Asset: schema.Asset{Ticker: w.name("NEW"), Class: schema.Crypto, Scale: 12, Precision: 6, Networks: []schema.Network{n}}}
			}
		}
	}
	return nil
}

// turned is a bound that is lower, higher, gone or there.
func turned(t *dice, bound fixed.Decimal) fixed.Decimal {
	half, _ := fixed.Div(bound, fixed.FromInt(2), 2, fixed.Down)
	return pick(t, bound, half, fixed.Zero, bound.Add(fixed.FromUnits(1, 2)), fixed.FromInt(40), fixed.FromInt(80), fixed.FromInt(5))
}

// retune changes one thing about an asset as it is, rarely more; sometimes that is wrong.
func (w *payers) retune(t *dice) schema.Command {
	a := w.slow.Assets()[chance(t, len(w.slow.Assets()))]
	a.Networks = slices.Clone(a.Networks)
	for range pick(t, 1, 1, 1, 2) {
		if chance(t, 10) == 0 || len(a.Networks) == 0 {
			a.MaxWithdraw = turned(t, a.MaxWithdraw)
			continue
		}
		n := &a.Networks[chance(t, len(a.Networks))]
		switch chance(t, 12) {
		case 0:
			n.Confirmations = max(n.ConfirmationsForTrading, n.Confirmations+pick[uint32](t, 1, 2, 1<<32-1))
		case 1:
			n.ConfirmationsForTrading = max(1, min(n.Confirmations, n.ConfirmationsForTrading+pick[uint32](t, 1, 1<<32-1)))
		case 2:
			n.MaxWithdraw = turned(t, n.MaxWithdraw)
		case 3:
			n.HeldCap = turned(t, n.HeldCap)
		case 4, 5:
			n.ApproveAbove = turned(t, n.ApproveAbove)
		case 6:
			n.Approve2Above = turned(t, n.Approve2Above)
		case 7:
			n.HourCap = turned(t, n.HourCap)
		case 8:
			n.HotCap = turned(t, n.HotCap)
		case 9: // one network less, or another one
			if list := w.networks(t, a.ID); coin(t) {
				a.Networks = list
			} else {
				i := chance(t, len(a.Networks))
				a.Networks = slices.Delete(a.Networks, i, i+1)
			}
		case 10:
			if n.Contract != "" {
				n.Contract = pick(t, "0xtoken", "0xother", w.name("0x"))
			}
		case 11:
			if n.Contract != "" {
				n.Decimals = pick[uint8](t, 5, 6, 6, 6, 7)
			}
		}
	}
	if w.wrong(t, 12) {
		a.Ticker = pick(t, "NEW", "", "new", a.Ticker)
		a.Precision += pick[uint8](t, 0, 1, 30)
	}
	return &schema.SetAsset{Asset: a}
}

// tier sets the bounds of a tier lower, higher, or to none.
func (w *payers) tier(t *dice) schema.Command {
	c := &schema.SetTier{Tier: schema.Tier{Number: uint8(chance(t, 3))}}
	for _, known := range w.slow.Tiers() {
		if known.Number == c.Tier.Number {
			c.Tier = known
		}
	}
	bound := pick(t, &c.Tier.Day, &c.Tier.Month)
	*bound = turned(t, *bound).Add(pick(t, fixed.Zero, fixed.FromInt(1_000_000)))
	if c.Tier.Month.Sign() != 0 && coin(t) {
		c.Tier.Day = fixed.MinOf(c.Tier.Day, c.Tier.Month)
	}
	if w.wrong(t, 12) {
		c.Tier.Number, *bound = pick[uint8](t, 0, 9, 10, 255), pick(t, fixed.Zero, fixed.One.Neg(), smallest, fixed.Max)
	}
	return c
}

// creditMuch credits what waits in suspense, if anything does.
func (w *payers) creditMuch(t *dice) schema.Command {
	d := &schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit}
	if w.wrong(t, 6) {
		d.Decision = pick(t, schema.FreezeDeposit, schema.CancelDeposit)
	}
	for _, c := range w.all {
		for _, known := range w.slow.ChainDeposits(c.ID) {
			waits := known.Status == schema.DepositUncredited || known.Status == schema.DepositFrozen
			if waits && known.Height != 0 && coin(t) {
				d.Deposit = known.ID
				if d.Account = 0; known.Account == 0 && d.Decision == schema.CreditDeposit {
					d.Account = w.account(t)
				}
			}
		}
	}
	return d
}

// bringMuch brings money, often just as much as one operator can, or a little more.
func (w *payers) bringMuch(t *dice) schema.Command {
	c := &schema.Deposit{Account: w.account(t), Asset: schema.AssetID(1 + chance(t, payerAssets)), Amount: fixed.FromInt(int64(1 + chance(t, 100))), Held: chance(t, 4) == 0}
	if rarely(t) {
		c.Account, c.Amount = pick(t, c.Account, 0, schema.Fees, 999), pick(t, c.Amount, fixed.Zero, smallest, fixed.Max)
	}
	for _, a := range w.slow.Assets() {
		for _, n := range a.Networks {
			if a.ID == c.Asset && n.ApproveAbove.Sign() > 0 && coin(t) {
				c.Amount = n.ApproveAbove.Add(pick(t, fixed.Zero, fixed.FromUnits(1, 6)))
			}
		}
	}
	return c
}

// awaitSettings jumps to where settings are done, or just before.
func (w *payers) awaitSettings(t *dice) bool {
	for _, p := range w.slow.Proposals() {
		if p.Due != 0 && chance(t, 3) == 0 {
			w.now = max(w.now, p.Due+pick(t, schema.Time(-1), 0, 0, 1, 3600*schema.Second))
			return true
		}
	}
	return false
}
