package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// aboveCap reports whether what an account owes of an asset, as it is booked, is more than it may borrow of it.
func (g *margins) aboveCap(who debtor) bool {
	d := g.debts[who]
	return d != nil && excess(d.debt(), g.accountCap(who.asset)).sign() > 0
}

// accountCap is what an account may borrow of an asset: nothing until that is set.
func (g *margins) accountCap(asset schema.AssetID) num {
	return of(g.prices.collaterals[asset].AccountCap)
}

// owesTooMuch reports whether an account owes more than it may borrow of any asset.
func (g *margins) owesTooMuch(a schema.AccountID) bool {
	return slices.ContainsFunc(g.listing.assets, func(s schema.Asset) bool { return g.aboveCap(debtor{a, s.ID}) })
}

// payExcess goes through the accounts that were noted before it began, by id, from the one at which the units of an earlier tick were
// spent, and lets each pay what it owes above what it may borrow. Accounts in liquidation are passed over: they are sold anyway.
func (r *risk) payExcess() {
	from := r.resumes
	r.resumes = 0
	var noted []schema.AccountID
	for _, account := range r.accounts.all {
		if r.margins.overdrawn[account.ID] && account.ID >= from {
			noted = append(noted, account.ID)
		}
	}
	for _, a := range noted {
		if r.states[a] == inLiquidation || !r.margins.owesTooMuch(a) {
			continue
		}
		if !r.spent {
			r.buyExcess(a)
			r.sellForExcess(a)
		}
		if r.spent {
			r.resumes = a
			break
		}
	}
	for _, a := range noted {
		if !r.margins.owesTooMuch(a) {
			delete(r.margins.overdrawn, a)
		}
	}
}

// excessOf is what an account owes of a currency above what it may borrow, with the interest that its holding counts.
func (r *risk) excessOf(h *holding) num {
	return excess(h.debt.plus(h.accrued), r.margins.accountCap(schema.AssetID(h.id)))
}

// buyExcess buys what an account owes too much of other assets than USDT, the most valuable first.
func (r *risk) buyExcess(a schema.AccountID) {
	for _, h := range r.exchangeable(r.margins.atRisk(a), r.excessOf) {
		m := r.spotMarket(h.currency, tradable)
		r.exchange(a, h.currency, schema.Buy, m, purchaseSize(2, r.excessOf(h), h.price(), m.step()))
	}
}

// there is what an account owns of a currency and has: what one of its positions was sold with is not there.
func (p *portfolio) there(h *holding) num { return least(p.own(h), h.collateral) }

// sellForExcess sells what an account owns of other assets and has, the most valuable first, as long as it owes too much USDT.
func (r *risk) sellForExcess(a schema.AccountID) {
	p := r.margins.atRisk(a)
	for _, h := range r.exchangeable(p, p.there) {
		p := r.margins.atRisk(a)
		debt := r.excessOf(p.usdt())
		if debt.sign() == 0 {
			return
		}
		m := r.spotMarket(h.currency, tradable)
		r.exchange(a, h.currency, schema.Sell, m, saleSize(2, debt, p.there(p.heldOf(h.currency)), h.price(), m.step(), of(m.MinAmount)))
	}
}

// exchangeable are the assets of an account of which there is some amount, that have a fresh price and can be had for USDT now,
// the most valuable amount first.
func (r *risk) exchangeable(p *portfolio, amount func(*holding) num) (found []*holding) {
	for _, h := range p.holdings {
		if !h.usdt && !h.stale && amount(h).sign() > 0 && r.spotMarket(h.currency, tradable) != nil {
			found = append(found, h)
		}
	}
	slices.SortFunc(found, func(a, b *holding) int {
		return cmp.Or(amount(b).times(b.price()).cmp(amount(a).times(a.price())), cmp.Compare(a.id, b.id))
	})
	return found
}
