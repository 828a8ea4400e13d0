package wallet

import (
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// A chain may take back a deposit that was credited before it was final and is spent. The exchange bears that at once, and the account
// owes it to the exchange: its Owed wallet has the amount, the one of House the same below zero. Till it is paid nothing leaves.

// owing refuses an exit of an account that owes anything.
func (w *Wallets) owing(account schema.AccountID) schema.Rejection {
	for _, a := range w.Listing.Assets() {
		if !w.Ledger.Available(w.Ledger.Find(account, schema.Owed, a.ID)).IsZero() {
			return schema.Refuse(schema.Owing)
		}
	}
	return schema.Rejection{}
}

// Repay pays what an account owes of an asset with what is free of its main wallet. It is called whenever something got there for good.
func (w *Wallets) Repay(account schema.AccountID, asset schema.AssetID) {
	owed := w.Ledger.Available(w.Ledger.Find(account, schema.Owed, asset))
	if owed.IsZero() {
		return
	}
	main := w.Ledger.Find(account, schema.Main, asset)
	w.PayOwed(account, asset, main, fixed.MinOf(owed, w.Ledger.Free(main)))
}

// PayOwed pays a part of what an account owes of an asset out of one of its balances.
func (w *Wallets) PayOwed(account schema.AccountID, asset schema.AssetID, from ledger.Cell, amount fixed.Decimal) {
	if amount.IsZero() {
		return
	}
	note := ledger.Note{Cause: schema.ByReversal}
	w.Ledger.Move(from, w.Ledger.Open(schema.House, schema.Main, asset), amount, note)
	w.Ledger.Move(w.Ledger.Find(account, schema.Owed, asset), w.Ledger.Find(schema.House, schema.Owed, asset), amount, note)
}
