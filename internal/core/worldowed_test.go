package core

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// debtor is an account that owes something, and what.
func (w *world) debtor(t *dice) (account schema.AccountID, asset schema.AssetID, owed fixed.Decimal) {
	for range 6 {
		account, asset = schema.FirstCustomer+schema.AccountID(chance(t, worldAccounts)), schema.AssetID(1+chance(t, 2))
		if owed, _ = w.owned(account, schema.Owed, asset); w.bank != nil && owed.Sign() > 0 {
			return account, asset, owed
		}
	}
	return account, asset, fixed.Zero
}

// forgive writes off what an account owes, or some of it, or more.
func (w *world) forgive(t *dice, account schema.AccountID, asset schema.AssetID, owed fixed.Decimal) schema.Command {
	half, _ := fixed.Div(owed, fixed.FromInt(2), 2, fixed.Down)
	return &schema.ForgiveOwed{Account: account, Asset: asset, Amount: pick(t, owed, half, fixed.One, owed.Add(fixed.One), smallest)}
}

// owing lets money come to an account that owes some, or tries to let it go.
func (w *world) owing(t *dice, account schema.AccountID, asset schema.AssetID, owed fixed.Decimal) schema.Command {
	half, _ := fixed.Div(owed, fixed.FromInt(2), 2, fixed.Down)
	other := pick(t, asset, 3-asset, 3)
	main, held := w.owned(account, schema.Main, other)
	trade, _ := w.owned(account, schema.Trade, asset)
	switch chance(t, 9) {
	case 0, 1:
		return &schema.Deposit{Account: account, Asset: asset, Amount: pick(t, owed, half, fixed.One, owed.Add(fixed.One)), Held: coin(t)}
	case 2:
		return &schema.ConfirmDeposit{Account: account, Asset: other, Amount: pick(t, held, fixed.One)}
	case 3:
		return &schema.Withdraw{Account: account, Asset: other, Amount: pick(t, cut(main, 2), fixed.One)}
	case 4:
		return &schema.Transfer{Account: account, Asset: other, Amount: pick(t, cut(main, 2), fixed.One), From: schema.Main, To: schema.Collateral}
	case 5:
		return &schema.Transfer{Account: account, Asset: asset, Amount: pick(t, cut(trade, 2), fixed.One), From: schema.Trade, To: schema.Main}
	case 6:
		return w.createCode(t, account, other)
	case 7:
		c := w.createCode(t, schema.FirstCustomer+schema.AccountID(chance(t, worldAccounts)), asset)
		c.Amount = pick(t, fixed.One, fixed.FromUnits(1, 2))
		w.plan = append(w.plan, &schema.ApplyCode{Account: account, Digest: c.Digest, Lock: c.Lock})
		return c
	}
	return w.forgive(t, account, asset, owed)
}

// spend puts all that an account has of an asset into orders that nobody takes, one or many, or sells it for little.
func (w *world) spend(t *dice, account schema.AccountID, asset schema.AssetID) schema.Command {
	main, _ := w.owned(account, schema.Main, asset)
	trade, _ := w.owned(account, schema.Trade, asset)
	if w.edges == nil {
		w.sell(t, account, asset, main.Add(trade))
	}
	return &schema.Transfer{Account: account, Asset: asset, Amount: cut(main, 2), From: schema.Main, To: schema.Trade}
}

// sell plans orders that sell about all of an amount, far from the market or to another account.
func (w *world) sell(t *dice, account schema.AccountID, asset schema.AssetID, all fixed.Decimal) {
	parts := pick(t, 1, 1, 2, 5, 110, 250)
	for i, c := range w.listed[worldAssets : worldAssets+worldMarkets] {
		m := &c.(*schema.SetMarket).Market
		if m.Base != asset {
			continue
		}
		each, _ := fixed.Div(all, fixed.FromInt(int64(parts)), int(m.StockPrec), fixed.Down)
		lots, fits := each.Units(int(m.StockPrec))
		lots -= lots % pick[int64](t, 2, 10) // steps of one market are two lots, of another five
		if !fits || lots <= 0 {
			continue
		}
		r := schema.OrderRequest{Market: schema.MarketID(i + 1), Type: schema.Limit, Side: schema.Sell, Amount: fixed.FromUnits(lots, int(m.StockPrec)), Price: fixed.FromInt(30)}
		if chance(t, 3) == 0 {
			r.Price = fixed.FromInt(1)
			buyer := schema.FirstCustomer + (account-schema.FirstCustomer+1)%worldAccounts
			bid := r
			bid.Side = schema.Buy
			w.plan = append(w.plan, &schema.PlaceOrder{Account: buyer, Order: bid})
		}
		for left := parts; left > 0; left -= 20 {
			w.plan = append(w.plan, &schema.PlaceBulk{Account: account, Orders: slices.Repeat([]schema.OrderRequest{r}, min(left, 20))})
		}
		return
	}
}
