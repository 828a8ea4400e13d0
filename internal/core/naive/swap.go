package naive

import "bourse/internal/schema"

// swap lets two orders of a spot market pay each other, and their fees. What either side gives from collateral and has not is
// lent to it before anything is received.
func (t *trading) swap(taker, maker *order, amount, money, makerFee, takerFee num) {
	buyer, seller := taker, maker
	if taker.side == schema.Sell {
		buyer, seller = maker, taker
	}
	m := taker.market
	t.borrow(seller, amount)
	t.borrow(buyer, money)
	t.give(buyer, money)
	t.give(seller, amount)
	t.get(buyer, m.Base, amount)
	t.get(seller, m.Quote, money)
	t.charge(maker, makerFee)
	t.charge(taker, takerFee)
}

// borrow lends what an order gives in a deal and its owner has not.
func (t *trading) borrow(o *order, n num) {
	if o.collateral {
		there := t.ledger.balance(o.account, schema.Collateral, o.paysWith()).available
		t.margins.lend(o.account, o.paysWith(), shortfall(there, n), uint64(t.lastDeal), o.forced)
	}
}

// give takes what an order gives in a deal: from its hold if it rested and is paid from the trade wallet, otherwise from what
// is available.
func (t *trading) give(o *order, n num) {
	y := why{schema.ByTrade, uint64(t.lastDeal)}
	if o.resting && !o.collateral {
		o.hold = o.hold.minus(n)
		t.ledger.spend(holder{o.account, schema.Trade}, o.paysWith(), n, y)
		return
	}
	t.ledger.receive(o.account, o.wallet(), o.paysWith(), n.neg(), y)
}

// get brings in what an order gets in a deal, which repays what its owner owes. A sale for a debt pays its fee before.
func (t *trading) get(o *order, asset schema.AssetID, n num) {
	t.ledger.receive(o.account, o.wallet(), asset, n, why{schema.ByTrade, uint64(t.lastDeal)})
	if o.collateral && !o.pays() {
		t.margins.repay(o.account, asset, uint64(t.lastDeal), o.forced)
	}
}

// charge takes the fee of an order's side of a deal.
func (t *trading) charge(o *order, fee num) {
	asset, fees, y := o.feeAsset(), holder{schema.Fees, schema.Main}, why{schema.ByFee, uint64(t.lastDeal)}
	if !o.collateral {
		t.ledger.move(holder{o.account, schema.Trade}, fees, asset, fee, y)
		return
	}
	t.margins.pay(o.account, asset, fees, fee.neg(), y, o.forced)
	if o.pays() {
		t.margins.repay(o.account, asset, uint64(t.lastDeal), true)
	}
}

// dealFee is what a side of a deal pays to the exchange. The money is what was settled.
func (t *trading) dealFee(o *order, amount, money num, maker bool) num {
	if o.feeAsset() == o.market.Base {
		return t.fee(o.market, o.market.Base, amount.times(t.rate(o, maker)))
	}
	return t.fee(o.market, t.listing.money(o.market.MarketInfo).ID, money.times(t.rate(o, maker)))
}

// feeAsset is what an order pays its fees in: what it gets, or money if it is paid from collateral.
func (o *order) feeAsset() schema.AssetID {
	if o.side == schema.Buy && !o.collateral {
		return o.market.Base
	}
	return o.market.Quote
}

// wallet is what an order is paid from and into.
func (o *order) wallet() schema.Wallet {
	if o.collateral {
		return schema.Collateral
	}
	return schema.Trade
}

// positioned reports whether the deals of an order are those of a position. Those of the risk engine for a loan are not.
func (o *order) positioned() bool { return o.collateral && (!o.forced || o.reduceOnly) }

// pays reports whether the order sells an asset for what its owner owes.
func (o *order) pays() bool { return o.collateral && !o.positioned() && o.side == schema.Sell }
