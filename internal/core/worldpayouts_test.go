package core

import (
	"bytes"
	"fmt"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// payable lets money leave by a network of an asset, for a fee and with approval, mostly.
func (w *world) payable(t *dice, n *schema.Network, asset *schema.Asset) {
	places := int(asset.Scale)
	n.CanWithdraw = chance(t, 16) != 0
	n.MinWithdraw = pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.One)
	n.MaxWithdraw = pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.FromInt(400))
	n.WithdrawFixed = cut(pick(t, fixed.Zero, fixed.Zero, smallest, fixed.FromUnits(5, 1), fixed.FromInt(10)), places)
	n.WithdrawPercent = pick(t, fixed.Zero, fixed.Zero, fixed.One, fixed.FromUnits(333, 3), leastPercent, fixed.FromInt(pick[int64](t, 10, 100)))
	n.WithdrawMinFee = cut(pick(t, fixed.Zero, fixed.Zero, fixed.FromUnits(15, 1)), places)
	n.WithdrawMaxFee = pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(3))
	n.ApproveAbove = cut(pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(30), fixed.FromInt(200), fixed.FromUnits(1005, 1)), places)
	n.Approve2Above = cut(pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(20), fixed.FromInt(300), smallest), places)
	n.HourCap = cut(pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(25), fixed.FromInt(150), fixed.FromUnits(605, 1), smallest), places)
}

// payout draws something that somebody does with withdrawals.
func (w *world) payout(t *dice, account schema.AccountID) schema.Command {
	asset := schema.AssetID(1 + chance(t, 2))
	if w.chains.paying && w.onSandbox(asset) == nil && coin(t) {
		asset = 3 - asset
	}
	switch n := chance(t, 24); {
	case n < 11:
		return w.requestWithdrawal(t, account, asset)
	case n < 18:
		return w.decideWithdrawal(t)
	case n < 23 && w.onSandbox(asset) != nil:
		return w.paidTwice(t, asset, w.onSandbox(asset))
	}
	return w.block(schema.FirstCustomer+schema.AccountID(chance(t, worldAccounts)), chance(t, 3) == 0)
}

// onSandbox is a sandbox by which an asset goes, or nil.
func (w *world) onSandbox(asset schema.AssetID) *worldChain {
	for _, c := range w.chains.all {
		if c.Driver == schema.Sandbox && w.comesBy(asset, c.ID) {
			return c
		}
	}
	return nil
}

// block blocks an account, or not.
func (w *world) block(account schema.AccountID, blocked bool) *schema.SetAccount {
	a := w.listed[worldAssets+worldMarkets+int(account-schema.FirstCustomer)].(*schema.SetAccount).Account
	a.ID, a.Blocked = account, blocked
	return &schema.SetAccount{Account: a}
}

// paidTwice lets blocks of a sandbox pay withdrawals, some of them, and then others instead of these blocks. Rarely they are more than
// a block pays, or their account is blocked meanwhile.
func (w *world) paidTwice(t *dice, asset schema.AssetID, c *worldChain) schema.Command {
	account := schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts))
	many := pick(t, 1, 2, 3)
	if chance(t, 40) == 0 {
		many = 105
	}
	for range many {
		r := w.requestWithdrawal(t, account, asset)
		r.Chain, r.Index, r.Pay = c.ID, 0, true
		r.Amount = fixed.FromInt(int64(1 + chance(t, 3)))
		w.chains.named++
		r.Unique = fmt.Sprintf("v%d", w.chains.named)
		w.plan = append(w.plan, r)
		if chance(t, 3) == 0 && many < 4 {
			account = schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts))
		}
	}
	mine := func() { w.plan = append(w.plan, &schema.MineSandbox{Chain: c.ID, Blocks: uint32(1 + chance(t, 3))}) }
	if chance(t, 4) == 0 {
		w.plan = append(w.plan, w.block(account, true))
		mine()
		w.plan = append(w.plan, w.block(account, false))
	}
	mine()
	for range pick(t, 1, 1, 2) {
		r := w.reorg(t, c)
		r.Depth = uint32(1 + chance(t, 5))
		w.plan = append(w.plan, r)
	}
	mine()
	return &schema.Tick{}
}

// empty withdraws all that is free of an asset, and puts the rest into orders that nobody takes.
func (w *world) empty(t *dice, account schema.AccountID, asset schema.AssetID) schema.Command {
	main, held := w.owned(account, schema.Main, asset)
	trade, _ := w.owned(account, schema.Trade, asset)
	c := w.requestWithdrawal(t, account, asset)
	c.Amount, c.Pay, c.Index = cut(main.Sub(held), 2), false, 0
	if coin(t) {
		c.Amount, _ = fixed.Div(c.Amount, fixed.FromInt(3), 2, fixed.Down)
		again := *c
		w.chains.named++
		again.Unique = fmt.Sprintf("v%d", w.chains.named)
		w.plan = append(w.plan, &again)
	}
	if coin(t) {
		w.plan = append(w.plan, &schema.DecideWithdrawal{Withdrawal: schema.WithdrawalID(w.chains.asked + 1), Decision: schema.FreezeWithdrawal})
	}
	w.plan = append(w.plan, &schema.Transfer{Account: account, Asset: asset, Amount: cut(held, 2), From: schema.Main, To: schema.Trade})
	if w.edges == nil {
		w.sell(t, account, asset, held.Add(trade))
	}
	return c
}

// requestWithdrawal sends some of what an account has of an asset, to somebody outside or to one of the accounts.
func (w *world) requestWithdrawal(t *dice, account schema.AccountID, asset schema.AssetID) *schema.RequestWithdrawal {
	on := w.chains.all[chance(t, len(w.chains.all))]
	if networks := w.listed[asset-1].(*schema.SetAsset).Asset.Networks; len(networks) > 0 && chance(t, 12) != 0 {
		on = w.chains.all[networks[chance(t, len(networks))].Chain-1]
	}
	c := &schema.RequestWithdrawal{
		Account: account, Asset: asset, Chain: w.chain(t, on), Amount: w.withdrawn(t, account, asset), Pay: coin(t),
		Address: pick(t, "one", "two"), Memo: pick(t, "", "", "7"), Unique: fmt.Sprintf("u%d", chance(t, 40)),
	}
	if chance(t, 3) == 0 {
		c.Index = w.payee(t, on)
	}
	if w.chains.european || chance(t, 6) == 0 {
		w.tell(t, c)
	}
	if chance(t, 20) == 0 {
		switch chance(t, 4) {
		case 0:
			c.Unique = strings.Repeat("u", pick(t, 0, schema.MaxUniqueID, schema.MaxUniqueID+1))
		case 1:
			c.Address = strings.Repeat("a", pick(t, 0, schema.MaxAddressText, schema.MaxAddressText+1))
		case 2:
			c.Memo = strings.Repeat("m", pick(t, schema.MaxMemo, schema.MaxMemo+1))
		case 3:
			c.Asset = pick(t, schema.AssetID(0), 3, 4)
		}
	}
	return c
}

// withdrawn draws how much leaves: little, or a part of all that there is.
func (w *world) withdrawn(t *dice, account schema.AccountID, asset schema.AssetID) fixed.Decimal {
	amount := w.paidAmount(t, asset)
	if there, _ := w.owned(account, schema.Main, asset); there.Sign() > 0 && coin(t) {
		part, _ := fixed.Div(there, fixed.FromInt(pick[int64](t, 1, 2, 3, 10)), pick(t, 0, 2), fixed.Down)
		return part
	}
	if chance(t, 3) == 0 {
		return fixed.FromUnits(int64(1+chance(t, 500)), pick(t, 0, 1, 2, 6))
	}
	return amount
}

// decideWithdrawal decides about a withdrawal, mostly about one that is known.
func (w *world) decideWithdrawal(t *dice) *schema.DecideWithdrawal {
	c := &schema.DecideWithdrawal{
		Withdrawal: schema.WithdrawalID(1 + chance(t, w.chains.asked+1)),
		Decision: pick(t, schema.ApproveWithdrawal, schema.ApproveWithdrawal, schema.ApproveWithdrawal,
			schema.CancelWithdrawal, schema.FreezeWithdrawal, schema.ReleaseWithdrawal, schema.SignWithdrawal, schema.SignWithdrawal),
	}
	if rarely(t) {
		c.Withdrawal, c.Decision = pick(t, c.Withdrawal, 0), schema.Verdict(chance(t, 7))
	}
	sign(t, c)
	if w.bank == nil || rarely(t) {
		return c
	}
	for _, on := range w.chains.all {
		for known := range w.bank.Chains().Withdrawals(on.ID) {
			waits := known.Status == schema.WithdrawalReview || known.Status == schema.WithdrawalFrozen
			if waits && coin(t) || chance(t, 8) == 0 {
				c.Withdrawal = known.ID
			}
			if known.ID == c.Withdrawal && known.Status == schema.WithdrawalFrozen && coin(t) {
				c.Decision = schema.ReleaseWithdrawal
			}
		}
	}
	return c
}

// sign gives a decision the signature that it needs or may have, and rarely another one.
func sign(t *dice, c *schema.DecideWithdrawal) {
	size := 0
	if c.Decision == schema.SignWithdrawal || c.Decision == schema.ApproveWithdrawal && chance(t, 3) == 0 {
		size = schema.SignatureSize
	}
	if rarely(t) {
		size = pick(t, 0, 1, schema.SignatureSize-1, schema.SignatureSize, schema.SignatureSize+1)
	}
	c.Signature = bytes.Repeat([]byte{byte(chance(t, 256))}, size)
}

// decider is who decides about withdrawals: one of four operators, and rarely nobody. Other commands come as they do; where money comes by
// chains, some come by way of a region.
func (w *world) decider(t *dice, cmd schema.Command, from schema.Origin) schema.Origin {
	if _, is := cmd.(*schema.DecideWithdrawal); is && chance(t, 12) != 0 {
		return schema.Origin{Operator: pick(t, "olga", "olga", "oscar", "oscar", "otto", "ann")}
	}
	if w.chains != nil && proposable(cmd) && coin(t) {
		return schema.Origin{Operator: anyOperator(t)}
	}
	if w.chains != nil && from == (schema.Origin{}) && chance(t, 6) == 0 {
		from.Region = pick(t, schema.Global, schema.EU)
	}
	return from
}

// learnRequest notes a withdrawal that somebody asked for, and asks again for what would just do.
func (w *world) learnRequest(t *dice, c *schema.RequestWithdrawal, answer schema.Result) {
	if !answer.Rejection.Refused() {
		w.chains.asked++
		if coin(t) {
			w.mark(w.now + aDay)
		}
		if coin(t) {
			w.mark(nextHour(w.now))
		}
		if on := w.chains.all[c.Chain-1]; on.Interval > 0 {
			w.mark(w.now + on.Interval)
		}
		return
	}
	switch answer.Rejection.Reason {
	case schema.TravelMissing:
		if coin(t) {
			again := *c
			again.Travel = w.sealed(t)
			w.retry = &again
		}
		return
	case schema.WithdrawNotCovered, schema.MoveHeld, schema.WithdrawBelowMin, schema.WithdrawAboveMax, schema.WithdrawBelowFee, schema.MoveNotPositive:
	default:
		return
	}
	amount, fits := answer.Rejection.Value.AddChecked(pick(t, fixed.Zero, fixed.Zero, smallest, smallest.Neg(), fixed.FromUnits(1, 6), fixed.FromUnits(1, 2)))
	if fits && coin(t) {
		again := *c
		again.Amount = amount
		w.retry = &again
	}
}
