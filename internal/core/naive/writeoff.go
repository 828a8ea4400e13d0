package naive

import "bourse/internal/schema"

// writeOff lets the insurance fund pay what an account owes that has no position and nothing that can be used for it. What
// it has is the fund's then.
func (r *risk) writeOff(a schema.AccountID) {
	if !r.margins.atRisk(a).ended(r.sellable, r.buyable) || !r.unit() {
		return
	}
	g, fund, own := r.margins, holder{insurance, schema.Main}, holder{a, schema.Collateral}
	y := why{cause: schema.ByShortfall}
	owed := map[schema.AssetID]num{}
	for _, asset := range r.listing.assets {
		who := debtor{a, asset.ID}
		if g.debts[who] == nil {
			continue
		}
		g.book(who, g.debts[who], 0)
		owed[asset.ID] = g.debts[who].debt()
		r.ledger.move(fund, own, asset.ID, owed[asset.ID], y)
		g.repay(a, asset.ID, 0, true)
	}
	for _, asset := range r.listing.assets {
		r.ledger.move(own, fund, asset.ID, r.ledger.balance(a, schema.Collateral, asset.ID).available, y)
	}
	for _, asset := range r.listing.assets {
		if debt, is := owed[asset.ID]; is {
			left := r.ledger.balance(insurance, schema.Main, asset.ID).available
			r.call.record(&schema.Shortfall{Account: a, Asset: asset.ID, Amount: debt.decimal(), Fund: left.decimal()})
		}
	}
}

// sellable reports whether a market takes an amount of an asset for USDT, now or later.
func (r *risk) sellable(h *holding, amount num) bool {
	m := r.spotMarket(h.currency, listed)
	if m == nil {
		return false
	}
	lots := amount.truncate(m.step())
	return lots.sign() > 0 && !lots.less(of(m.MinAmount))
}

// buyable reports whether an asset can be had for USDT on a market, now or later.
func (r *risk) buyable(h *holding) bool { return r.spotMarket(h.currency, listed) != nil }

// listed reports whether a market has not ended.
func listed(m *market) bool { return !m.Delisted }
