package core

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// owned is what an account has in a wallet, as far as somebody knows.
func (w *world) owned(account schema.AccountID, wallet schema.Wallet, asset schema.AssetID) (available, held fixed.Decimal) {
	if w.bank == nil {
		return fixed.One, fixed.One
	}
	available, _, held = w.bank.Balance(account, wallet, asset)
	return available, held
}

func (w *world) index(t *dice) schema.Command {
	price := pick(t, fixed.Zero, fixed.FromUnits(20001, 3), fixed.FromUnits(int64(chance(t, 40000)), 3), fixed.FromUnits(5, 18), fixed.FromInt(-1))
	if w.edges != nil {
		price = w.edges.index(t)
	}
	return &schema.SetIndex{Market: w.market(t), Price: price}
}

func (w *world) money(t *dice, account schema.AccountID) schema.Command {
	asset := pick(t, schema.AssetID(1), 2, 3)
	if rarely(t) {
		asset = pick(t, schema.AssetID(0), 4)
	}
	amount := pick(t, fixed.FromUnits(int64(chance(t, 200000)), 2), fixed.FromUnits(int64(chance(t, 1e9)), 7), fixed.FromInt(int64(chance(t, 4e6))))
	if w.edges != nil {
		amount = w.edges.money(t, asset)
	}
	if rarely(t) {
		amount = pick(t, fixed.Max, fixed.FromInt(-1), fixed.FromUnits(1, 18))
	}
	// some is the amount, or all or half of what there is of it.
	some := func(there fixed.Decimal, places int) fixed.Decimal {
		if there.Sign() <= 0 || coin(t) {
			return amount
		}
		half, _ := fixed.Div(there, fixed.FromInt(2), places, fixed.Down)
		return pick(t, cut(there, places), half)
	}
	available, held := w.owned(account, schema.Main, asset)
	switch chance(t, 7) {
	case 0:
		return &schema.Deposit{Account: account, Asset: asset, Amount: some(available, 0), Held: coin(t)}
	case 1:
		return &schema.ConfirmDeposit{Account: account, Asset: asset, Amount: some(held, fixed.Places)}
	case 2:
		return &schema.Withdraw{Account: account, Asset: asset, Amount: some(available, pick(t, 0, 2))}
	case 3:
		to := pick(t, schema.Collateral, schema.Trade)
		return &schema.Transfer{Account: account, Asset: asset, Amount: some(available, pick(t, 0, 2)), From: schema.Main, To: to}
	case 4:
		return w.faucet(t, account, asset)
	case 5:
		return w.code(t, account, asset)
	}
	wallets := []schema.Wallet{schema.Main, schema.Trade, schema.Collateral, schema.Main, schema.Trade, schema.Earn, 0}
	from := wallets[chance(t, len(wallets))]
	available, _ = w.owned(account, from, asset)
	return &schema.Transfer{Account: account, Asset: asset, Amount: some(available, pick(t, 0, 2)), From: from, To: wallets[chance(t, len(wallets))]}
}

// learn makes of an answer that names how much would do a command that asks for just that, or for the
// least more.
func (w *world) learn(t *dice, cmd schema.Command, answer schema.Result) {
	if w.subs != nil {
		w.learnSubs(t, cmd, answer)
	}
	if w.learnLeaving(t, cmd, answer) {
		return
	}
	switch c := cmd.(type) {
	case *schema.TakeFaucet, *schema.PayFaucet:
		w.learnFaucet(t, c, answer)
		if w.chains != nil && !answer.Rejection.Refused() {
			w.learnChains(t, c, answer)
		}
		return
	case *schema.SetFaucet:
		w.learnLimit(c)
		return
	case *schema.DecideProposal:
		w.learnProposal(t, c)
		return
	case *schema.CreateCode:
		w.learnCreated(t, c, answer)
		return
	case *schema.ApplyCode:
		w.learnTried(t, c, answer)
		return
	case *schema.RequestWithdrawal:
		w.learnRequest(t, c, answer)
		return
	}
	if w.chains != nil && !answer.Rejection.Refused() {
		w.learnChains(t, cmd, answer)
	}
	r := answer.Rejection
	switch r.Reason {
	case schema.MoveHeld, schema.MoveNotCovered, schema.WithdrawNotCovered, schema.ConfirmTooMuch, schema.OwedLess:
	default:
		return
	}
	amount, fits := r.Value.AddChecked(pick(t, fixed.Zero, fixed.Zero, smallest, fixed.FromUnits(1, 2)))
	if r.Value.Sign() <= 0 || !fits {
		return
	}
	switch c := cmd.(type) {
	case *schema.ForgiveOwed:
		again := *c
		again.Amount = amount
		w.retry = &again
	case *schema.Withdraw:
		w.retry = &schema.Withdraw{Account: c.Account, Asset: c.Asset, Amount: amount}
	case *schema.ConfirmDeposit:
		w.retry = &schema.ConfirmDeposit{Account: c.Account, Asset: c.Asset, Amount: amount}
	case *schema.Transfer:
		again := *c
		again.Amount = amount
		w.retry = &again
	}
}
