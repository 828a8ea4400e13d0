package wallet

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// exit checks that money may leave by any door while deposits of the account are unconfirmed.
//
// Unconfirmed money may be traded, and what it bought is free in the main wallet. So the account as
// a whole is looked at. If it still owns, in the main and the trade wallet, all that is held of every
// asset, nothing was traded away and the exit is harmless at any price. Otherwise it must own as much
// as is held after the exit by value. What it owns counts at the index price, and nothing where there
// is none: last prices can be painted by a few trades. What is held counts at the higher of index and
// last price; without either its value is unknown and nothing leaves. Values are in the quote asset of
// the first market; what has no market there with a price has no value. Owned value is rounded down,
// held value up, and so what may leave down.
func (w *Wallets) exit(account schema.AccountID, asset schema.AssetID, amount fixed.Decimal) schema.Rejection {
	if !*w.WholeAccount {
		return schema.Rejection{}
	}
	if w.inKind(account, asset, amount) {
		return schema.Rejection{}
	}
	_, high := w.prices(asset)
	all := w.standing(account)
	if all.unknown || high.IsZero() {
		return schema.Rejection{Reason: schema.MoveHeld}
	}
	if free := all.buys(high, w.Listing.Asset(asset)); amount.Cmp(free) > 0 {
		return schema.Rejection{Reason: schema.MoveHeld, Value: free}
	}
	return schema.Rejection{}
}

// standing is what an account owns, and what is held of it, by value.
type standing struct {
	owned, held sum
	unknown     bool // something that is held has no price
}

func (w *Wallets) standing(account schema.AccountID) (s standing) {
	for _, a := range w.Listing.Assets() {
		available, _, waiting := w.Ledger.Balance(w.Ledger.Find(account, schema.Main, a.ID)) // what is frozen there is on its way out
		trade, orders, _ := w.Ledger.Balance(w.Ledger.Find(account, schema.Trade, a.ID))
		index, high := w.prices(a.ID)
		for _, part := range []fixed.Decimal{available, trade, orders} {
			s.owned.add(part, index, fixed.Down)
		}
		s.held.add(waiting, high, fixed.Up)
		s.unknown = s.unknown || !waiting.IsZero() && high.IsZero()
	}
	if s.owned.over {
		s.owned.value = fixed.Max
	}
	return s
}

// free is the value that is not held.
func (s *standing) free() fixed.Decimal {
	if s.unknown || s.held.over || s.owned.value.Cmp(s.held.value) <= 0 {
		return fixed.Zero
	}
	return s.owned.value.Sub(s.held.value)
}

// buys is how much of an asset has the value that is not held, at a price.
func (s *standing) buys(price fixed.Decimal, asset *schema.Asset) fixed.Decimal {
	amount, fits := fixed.Div(s.free(), price, int(asset.Precision), fixed.Down)
	if !fits {
		return fixed.Max
	}
	return amount
}

// inKind reports whether an account owns all that is held of every asset after an exit.
func (w *Wallets) inKind(account schema.AccountID, asset schema.AssetID, amount fixed.Decimal) bool {
	for _, a := range w.Listing.Assets() {
		available, _, held := w.Ledger.Balance(w.Ledger.Find(account, schema.Main, a.ID))
		if held.IsZero() {
			continue
		}
		trade, orders, _ := w.Ledger.Balance(w.Ledger.Find(account, schema.Trade, a.ID))
		owned := available.Add(trade).Add(orders)
		if a.ID == asset {
			owned = owned.Sub(amount)
		}
		if held.Cmp(owned) > 0 {
			return false
		}
	}
	return true
}

// prices are what one unit of an asset is worth: at the index price, and at the higher of that and
// the last price; each is 0 when there is none.
func (w *Wallets) prices(asset schema.AssetID) (index, high fixed.Decimal) {
	markets := w.Listing.Markets()
	if len(markets) == 0 {
		return fixed.Zero, fixed.Zero
	}
	unit := markets[0].Quote
	if asset == unit {
		return fixed.FromInt(1), fixed.FromInt(1)
	}
	base, quote := w.Listing.Asset(asset), w.Listing.Asset(unit)
	m := w.Listing.MarketByName(base.Ticker + "_" + quote.Ticker)
	if m == nil {
		return fixed.Zero, fixed.Zero
	}
	index, last := w.Index(m.ID)
	if index.Cmp(last) > 0 {
		last = index
	}
	return index, last
}

// Value is what an amount of an asset is worth at the higher of index and last price, in the quote asset of the first market: rounded up
// to 8 decimals, and the greatest number where it is more. It is false when there is no price.
func (w *Wallets) Value(asset schema.AssetID, amount fixed.Decimal) (value fixed.Decimal, known bool) {
	_, high := w.prices(asset)
	if high.IsZero() {
		return fixed.Zero, false
	}
	value, fits := fixed.Mul(amount, high, 8, fixed.Up)
	if !fits {
		value = fixed.Max
	}
	return value, true
}

// sum is a sum of values that notices when it is more than a number can hold. What is owned counts as
// the greatest number then; what is held is more than anybody owns.
type sum struct {
	value fixed.Decimal
	over  bool
}

func (s *sum) add(amount, price fixed.Decimal, round fixed.Rounding) {
	value, fits := fixed.Mul(amount, price, fixed.Places, round)
	if fits {
		s.value, fits = s.value.AddChecked(value)
	}
	s.over = s.over || !fits
}
