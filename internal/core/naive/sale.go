package naive

import "bourse/internal/schema"

// buyLoans buys what an account owes of other assets than USDT and has not, the most valuable first.
func (r *risk) buyLoans(a schema.AccountID) {
	for _, i := range r.margins.atRisk(a).loanItems() {
		if i.buys != nil {
			r.tradeAsset(a, i.buys.currency, schema.Buy)
		}
	}
}

// sellAssets sells what an account owns of other assets as long as it owes USDT, the most valuable first.
func (r *risk) sellAssets(a schema.AccountID) {
	for _, i := range r.margins.atRisk(a).loanItems() {
		if i.sells != nil {
			r.tradeAsset(a, i.sells.currency, schema.Sell)
		}
	}
}

// tradeAsset buys an asset that is owed, or sells it for USDT that is: for a part of the debt, and then for all of it.
func (r *risk) tradeAsset(a schema.AccountID, asset *currency, side schema.Side) {
	m := r.spotMarket(asset, tradable)
	if m == nil {
		return
	}
	for round := 1; round <= 2 && r.unsafe(a); round++ {
		r.exchange(a, asset, side, m, r.tradedSize(a, asset, side, m, round))
	}
}

// exchange buys or sells some of an asset for USDT, no further from the index than the risk engine trades there.
func (r *risk) exchange(a schema.AccountID, asset *currency, side schema.Side, m *market, size num) {
	if size.sign() <= 0 {
		return
	}
	pair := &instrument{base: asset, quote: &currency{usdt: true}, tick: m.tick()}
	r.force(&order{
		account: a, market: m, kind: schema.StockMarket, side: side, stp: schema.STPCancelOld, ioc: true,
		collateral: true, forced: true, amount: size, left: size,
	}, pair.indexLimit(side == schema.Buy, indexWidth(m)))
}

// tradedSize is how much of an asset a round trades, if anything is owed still.
func (r *risk) tradedSize(a schema.AccountID, asset *currency, side schema.Side, m *market, round int) num {
	p := r.margins.atRisk(a)
	own, debt := p.owned(asset), p.own(p.usdt()).neg()
	switch {
	case side == schema.Buy:
		return purchaseSize(round, own.neg(), asset.price(), m.step())
	case debt.sign() <= 0:
		return num{}
	}
	return saleSize(round, debt, own, asset.price(), m.step(), of(m.MinAmount))
}

// owned is what an account owns of a currency.
func (p *portfolio) owned(c *currency) num { return p.own(p.heldOf(c)) }

// heldOf is what an account has and owes of a currency, maybe nothing.
func (p *portfolio) heldOf(c *currency) *holding {
	for _, h := range p.holdings {
		if h.id == c.id {
			return h
		}
	}
	return &holding{currency: c}
}

// spotMarket is the first market on which an asset is traded for USDT, of those that are chosen, or nil.
func (r *risk) spotMarket(asset *currency, chosen func(*market) bool) *market {
	for _, m := range r.trading.all() {
		if m.Type == schema.Spot && int(m.Base) == asset.id && r.prices.isUSDT(m.Quote) && chosen(m) {
			return m
		}
	}
	return nil
}
