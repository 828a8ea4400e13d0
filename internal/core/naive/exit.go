package naive

import "bourse/internal/schema"

// checkExit is for money that leaves main for the world outside or becomes collateral: unconfirmed
// money may do neither. It counts as lying in main as long as main has that much, and free money moves
// first. Nothing leaves an account that owes what a chain took back.
func (w *wallet) checkExit(a schema.AccountID, exiting schema.AssetID, amount num) schema.Rejection {
	available := w.ledger.balance(a, schema.Main, exiting).available
	free := available.minus(least(w.ledger.held[heldKey{a, exiting}], available))
	if amount.more(free) {
		return about(schema.MoveHeld, free)
	}
	if w.features.exactMoney && !w.keepsHeld(a, exiting, amount) {
		if r := w.checkWorth(a, exiting, amount); refused(r) {
			return r
		}
	}
	for _, asset := range w.listing.assets {
		if w.ledger.owed(a, asset.ID).sign() > 0 {
			return because(schema.Owing)
		}
	}
	return accepted
}

// keepsHeld reports whether the account has as much of every asset as is held of it after an exit,
// in main and trade.
func (w *wallet) keepsHeld(a schema.AccountID, exiting schema.AssetID, amount num) bool {
	for _, asset := range w.listing.assets {
		has := w.inKind(a, asset.ID)
		if asset.ID == exiting {
			has = has.minus(amount)
		}
		held := w.ledger.held[heldKey{a, asset.ID}]
		if held.sign() > 0 && held.more(has) {
			return false
		}
	}
	return true
}

// inKind is what an account has of an asset in main and trade, what its orders hold included. What is on its way out is not.
func (w *wallet) inKind(a schema.AccountID, s schema.AssetID) num {
	main, trade := w.ledger.balance(a, schema.Main, s), w.ledger.balance(a, schema.Trade, s)
	return main.available.plus(trade.available).plus(trade.frozen)
}

// checkWorth bounds what leaves an account whose unconfirmed money was traded: it may be worth what
// the account owns, at index prices, beyond what is held, at the higher of index and last price. What
// is owned is rounded down, what is held up.
func (w *wallet) checkWorth(a schema.AccountID, exiting schema.AssetID, amount num) schema.Rejection {
	owned, held := num{}, num{}
	for _, asset := range w.listing.assets {
		index, high := w.worth(asset.ID)
		main, trade := w.ledger.balance(a, schema.Main, asset.ID), w.ledger.balance(a, schema.Trade, asset.ID)
		for _, part := range []num{main.available, trade.available, trade.frozen} {
			owned = owned.plus(part.times(index).truncate(smallest))
		}
		unconfirmed := w.ledger.held[heldKey{a, asset.ID}]
		if unconfirmed.sign() > 0 && high.sign() == 0 {
			return because(schema.MoveHeld)
		}
		held = held.plus(unconfirmed.times(high).ceil(smallest))
	}
	owned = least(owned, largest)
	_, price := w.worth(exiting)
	if price.sign() == 0 {
		return because(schema.MoveHeld)
	}
	free := num{}
	if owned.more(held) {
		free = owned.minus(held).over(price).truncate(unit(w.listing.asset(exiting).Precision))
	}
	if amount.more(free) {
		return about(schema.MoveHeld, free)
	}
	return accepted
}

// worth is the index price of an asset in the quote asset of the first market, and the higher of it
// and the price of the last deal. Both are 1 for that asset itself, and 0 when nobody knows.
func (w *wallet) worth(id schema.AssetID) (index, high num) {
	if len(w.listing.markets) == 0 {
		return num{}, num{}
	}
	in := w.listing.markets[0].Quote
	if id == in {
		return whole(1), whole(1)
	}
	for _, info := range w.listing.markets {
		if info.Base != id || info.Quote != in || info.Type != schema.Spot {
			continue
		}
		m := w.trading.market(info.ID)
		index, _ = w.prices.market(m)
		high = index
		if m.last.more(high) {
			high = m.last
		}
	}
	return index, high
}
