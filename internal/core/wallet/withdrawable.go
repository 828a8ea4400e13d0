package wallet

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Withdrawable is what of an asset may leave an account at once, by the rules of MayLeave.
type Withdrawable struct {
	Asset  schema.AssetID
	Amount fixed.Decimal
}

// Withdrawable is what may leave an account of each asset that it has in its main wallet or that is held of it, each by itself, and the
// value of all that it owns beyond what is held, collateral left out.
func (w *Wallets) Withdrawable(account schema.AccountID) (list []Withdrawable, value fixed.Decimal) {
	owes, inKind := w.owing(account).Refused(), w.inKind(account, 0, fixed.Zero)
	all := w.standing(account)
	for _, a := range w.Listing.Assets() {
		main := w.Ledger.Find(account, schema.Main, a.ID)
		available, _, held := w.Ledger.Balance(main)
		if available.IsZero() && held.IsZero() {
			continue
		}
		most := fixed.Zero
		switch {
		case owes:
		case !*w.WholeAccount:
			most = w.Ledger.Free(main)
		default:
			if _, high := w.prices(a.ID); !high.IsZero() {
				most = all.buys(high, a)
			}
			if inKind { // nothing that is held was traded away: what is beyond it may leave at any price
				trade, orders, _ := w.Ledger.Balance(w.Ledger.Find(account, schema.Trade, a.ID))
				most = fixed.MaxOf(most, available.Add(trade).Add(orders).Sub(held))
			}
			most = fixed.MinOf(most, w.Ledger.Free(main))
		}
		list = append(list, Withdrawable{a.ID, most})
	}
	return list, all.free()
}
