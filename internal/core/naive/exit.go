package naive

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// checkExit is the last check of money that leaves the account or becomes collateral. What leaves all
// that is held of every asset in the main and trade wallets is fine. Otherwise no more goes than what
// the account owns beyond what is held, counted in the quote asset of the first market.
func (x *Exchange) checkExit(a schema.AccountID, exiting schema.AssetID, amount num) schema.Rejection {
	if !x.exactMoney || x.keepsHeld(a, exiting, amount) {
		return accepted
	}
	owned, held := num{}, num{}
	for id := schema.AssetID(1); int(id) <= len(x.assets); id++ {
		index, high := x.worth(id)
		for _, wallet := range []schema.Wallet{schema.Main, schema.Trade} {
			b := x.balance(a, wallet, id)
			owned = owned.plus(b.available.times(index).truncate(unit(18)))
			owned = owned.plus(b.frozen.times(index).truncate(unit(18)))
		}
		unconfirmed := x.held[heldKey{a, id}]
		if unconfirmed.sign() > 0 && high.sign() == 0 {
			return schema.Refuse(schema.MoveHeld)
		}
		held = held.plus(unconfirmed.times(high).roundUp(unit(18)))
	}
	owned = least(owned, of(fixed.Max))
	_, price := x.worth(exiting)
	if price.sign() == 0 {
		return schema.Refuse(schema.MoveHeld)
	}
	free := num{}
	if owned.more(held) {
		free = owned.minus(held).over(price).truncate(unit(x.asset(exiting).precision))
	}
	if amount.more(free) {
		return about(schema.MoveHeld, free)
	}
	return accepted
}

// keepsHeld reports whether the account has as much of every asset as is held of it after an exit.
func (x *Exchange) keepsHeld(a schema.AccountID, exiting schema.AssetID, amount num) bool {
	for id := schema.AssetID(1); int(id) <= len(x.assets); id++ {
		held := x.held[heldKey{a, id}]
		main, trade := x.balance(a, schema.Main, id), x.balance(a, schema.Trade, id)
		has := main.available.plus(main.frozen).plus(trade.available).plus(trade.frozen)
		if id == exiting {
			has = has.minus(amount)
		}
		if held.sign() > 0 && held.more(has) {
			return false
		}
	}
	return true
}

// worth is the index price of an asset, and the higher of it and the price of the last deal. Both
// are 1 for the asset that all is counted in, and 0 when nobody knows.
func (x *Exchange) worth(id schema.AssetID) (index, high num) {
	if len(x.markets) == 0 {
		return num{}, num{}
	}
	in := x.markets[0].Quote
	if id == in {
		return whole(1), whole(1)
	}
	for _, m := range x.markets {
		if m.Base == id && m.Quote == in {
			index, high = m.index, m.index
			if m.last.more(high) {
				high = m.last
			}
		}
	}
	return index, high
}
