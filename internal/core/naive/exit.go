package naive

import "bourse/internal/schema"

// checkExit is the last check of money that leaves the account or becomes collateral: while
// anything is held, no more goes than what the account owns beyond it. All is counted in the quote
// asset of the first market.
func (x *Exchange) checkExit(a schema.AccountID, exiting schema.AssetID, amount num) schema.Rejection {
	if !x.exactMoney || !x.holdsAny(a) {
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

// holdsAny reports whether some deposit of the account is not confirmed.
func (x *Exchange) holdsAny(a schema.AccountID) bool {
	for id := schema.AssetID(1); int(id) <= len(x.assets); id++ {
		if x.held[heldKey{a, id}].sign() > 0 {
			return true
		}
	}
	return false
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
