package wallet

import (
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// IndexValue is what an amount of an asset is worth at the index price, in the quote asset of the first market: rounded down, and the
// greatest number where it is more. It is false when there is no price.
func (w *Wallets) IndexValue(asset schema.AssetID, amount fixed.Decimal) (value fixed.Decimal, known bool) {
	index, _ := w.prices(asset)
	if index.IsZero() {
		return fixed.Zero, false
	}
	value, fits := fixed.Mul(amount, index, fixed.Places, fixed.Down)
	if !fits {
		value = fixed.Max
	}
	return value, true
}

// Room reports whether customers can own so much more of an asset. What they own is what the world outside, the chains, and the exchange
// itself where its own money is spent owe; all of that must be a number that no sum of balances exceeds.
func Room(l *ledger.Ledger, asset schema.AssetID, amount fixed.Decimal) bool {
	owed := amount
	for _, a := range []schema.AccountID{schema.Outside, schema.Custody, schema.House, schema.Fees} {
		has := l.Available(l.Find(a, schema.Main, asset))
		if has.Sign() > 0 && (a == schema.House || a == schema.Fees) {
			continue
		}
		var fits bool
		if owed, fits = owed.SubChecked(has); !fits {
			return false
		}
	}
	return owed.Cmp(ledger.Limit) <= 0
}
