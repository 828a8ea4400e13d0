package core

import (
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// credit lends an account money, takes interest, or takes the money back.
func (w *world) credit(t *dice, account schema.AccountID) schema.Command {
	asset := schema.AssetID(1 + chance(t, worldAssets))
	switch chance(t, 3) {
	case 0:
		return w.openCredit(t, account, asset)
	case 1:
		return &schema.ChargeCredit{Account: account, Amount: w.leavingAmount(t, account, asset)}
	}
	return &schema.RepayCredit{Account: account, Amount: w.leavingAmount(t, account, asset)}
}

func (w *world) openCredit(t *dice, account schema.AccountID, asset schema.AssetID) *schema.OpenCredit {
	c := &schema.OpenCredit{
		Account: account, Asset: asset, Amount: w.leavingAmount(t, account, asset),
		Initial: fixed.FromInt(50), MarginCall: pick(t, fixed.FromInt(50), fixed.FromUnits(705, 1)), Liquidation: pick(t, fixed.FromUnits(9025, 2), fixed.FromInt(100)),
	}
	if rarely(t) {
		c.Asset = pick(t, schema.AssetID(0), 4)
	}
	if chance(t, 8) == 0 {
		c.Amount = pick(t, ledger.Limit, cut(ledger.Limit, 0), fixed.Max, fixed.Zero, smallest, fixed.One.Add(smallest))
	}
	if chance(t, 8) == 0 {
		odd := pick(t, fixed.Zero, fixed.FromInt(-1), fixed.FromUnits(1, 2), fixed.FromUnits(1, 3), fixed.FromUnits(10001, 2), smallest, fixed.Max)
		*pick(t, &c.Initial, &c.MarginCall, &c.Liquidation) = odd
	}
	return c
}

// learnCredit lets a credit be charged and repaid, with all that there is of it or in main, or the least more; and opened again.
func (w *world) learnCredit(t *dice, cmd schema.Command, answer schema.Result) {
	r := answer.Rejection
	amount, fits := r.Value.AddChecked(pick(t, fixed.Zero, fixed.Zero, smallest, fixed.FromUnits(1, 2)))
	again := r.Value.Sign() > 0 && fits && (r.Reason == schema.CreditLess || r.Reason == schema.WithdrawNotCovered || r.Reason == schema.MoveHeld)
	switch c := cmd.(type) {
	case *schema.OpenCredit:
		if r.Refused() || chance(t, 3) == 0 {
			return
		}
		main, _ := w.owned(c.Account, schema.Main, c.Asset)
		part, _ := fixed.Div(c.Amount, fixed.FromInt(3), 2, fixed.Down)
		w.retry = pick[schema.Command](t,
			&schema.ChargeCredit{Account: c.Account, Amount: pick(t, fixed.One, part, main)},
			&schema.RepayCredit{Account: c.Account, Amount: pick(t, c.Amount, part, c.Amount.Sub(part))},
			&schema.Withdraw{Account: c.Account, Asset: c.Asset, Amount: cut(main, 2)},
			w.openCredit(t, c.Account, c.Asset))
	case *schema.ChargeCredit:
		if again {
			w.retry = &schema.ChargeCredit{Account: c.Account, Amount: amount}
		}
	case *schema.RepayCredit:
		if again {
			w.retry = &schema.RepayCredit{Account: c.Account, Amount: amount}
		}
	}
}
