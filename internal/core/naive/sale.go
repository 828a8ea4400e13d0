package naive

import "bourse/internal/schema"

// saleWidth is how far below the index the risk engine sells an asset, as a fraction.
var saleWidth = whole(2).over(hundred)

// sellAssets sells what an account owns of other assets as long as it owes USDT, the most valuable first.
func (r *risk) sellAssets(a schema.AccountID) {
	for _, i := range r.margins.atRisk(a).loanItems() {
		if i.sells != nil {
			r.sell(a, i.sells.currency)
		}
	}
}

// sell sells of one asset what a part of the debt is worth, and then what all of it is worth.
func (r *risk) sell(a schema.AccountID, asset *currency) {
	m := r.spotMarket(asset, tradable)
	if m == nil {
		return
	}
	for round := 1; round <= 2 && r.unsafe(a); round++ {
		p := r.margins.atRisk(a)
		debt, own := p.own(p.usdt()).neg(), p.owned(asset)
		if debt.sign() <= 0 {
			return
		}
		size := saleSize(round, debt, own, asset.price(), m.step(), of(m.MinAmount))
		if size.sign() <= 0 {
			return
		}
		pair := &instrument{base: asset, quote: p.usdt().currency, tick: m.tick()}
		r.force(&order{
			account: a, market: m, kind: schema.StockMarket, side: schema.Sell, stp: schema.STPCancelOld, ioc: true,
			collateral: true, forced: true, amount: size, left: size,
		}, pair.indexLimit(false, saleWidth))
	}
}

// owned is what an account owns of a currency.
func (p *portfolio) owned(c *currency) num {
	for _, h := range p.holdings {
		if h.id == c.id {
			return p.own(h)
		}
	}
	return num{}
}

// spotMarket is the first market on which an asset is sold for USDT, of those that are chosen, or nil.
func (r *risk) spotMarket(asset *currency, chosen func(*market) bool) *market {
	for _, m := range r.trading.all() {
		if m.Type == schema.Spot && int(m.Base) == asset.id && r.prices.isUSDT(m.Quote) && chosen(m) {
			return m
		}
	}
	return nil
}
