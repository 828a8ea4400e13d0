package naive

import "bourse/internal/schema"

// writeOff lets the insurance fund pay what an account owes that has no position and nothing that can be sold. What
// it has is the fund's then.
func (r *risk) writeOff(a schema.AccountID) {
	p := r.margins.atRisk(a)
	if !p.ended(r.sellable) || !r.unit() {
		return
	}
	g, usdt := r.margins, schema.AssetID(p.usdt().id)
	who, fund, own := debtor{a, usdt}, holder{insurance, schema.Main}, holder{a, schema.Collateral}
	y := why{cause: schema.ByShortfall}
	g.book(who, g.debts[who], 0)
	debt := g.debts[who].debt()
	r.ledger.move(fund, own, usdt, debt, y)
	g.repay(a, usdt, 0, true)
	for _, asset := range r.listing.assets {
		if asset.ID != usdt {
			r.ledger.move(own, fund, asset.ID, r.ledger.balance(a, schema.Collateral, asset.ID).available, y)
		}
	}
	left := r.ledger.balance(insurance, schema.Main, usdt).available
	r.call.record(&schema.Shortfall{Account: a, Asset: usdt, Amount: debt.decimal(), Fund: left.decimal()})
}

// sellable reports whether a market takes an amount of an asset for USDT, now or later.
func (r *risk) sellable(h *holding, amount num) bool {
	m := r.spotMarket(h.currency, func(m *market) bool { return !m.Delisted })
	if m == nil {
		return false
	}
	lots := amount.truncate(m.step())
	return lots.sign() > 0 && !lots.less(of(m.MinAmount))
}
