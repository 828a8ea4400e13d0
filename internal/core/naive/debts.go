package naive

import "bourse/internal/schema"

// debtor is who owes what.
type debtor struct {
	account schema.AccountID
	asset   schema.AssetID
}

// debt is a loan from its first unit to its last.
type debt struct {
	loan
	opened schema.Time
}

// countInterest counts the interest of the whole minutes since the last tick, or since the first open loan of the asset
// began.
func (g *margins) countInterest() {
	for _, asset := range g.listing.assets {
		if g.lent(asset.ID) {
			a := g.accrual(asset.ID)
			a.rate = of(g.prices.collaterals[asset.ID].Rate)
			a.advance(g.call.at)
		}
	}
}

// due are the moments at which interest is counted next.
func (g *margins) due() (moments []schema.Time) {
	for _, asset := range g.listing.assets {
		if g.lent(asset.ID) {
			moments = append(moments, (g.accrual(asset.ID).at/minute+1)*minute)
		}
	}
	return moments
}

// lent reports whether anybody owes of an asset.
func (g *margins) lent(asset schema.AssetID) bool {
	for _, a := range g.accounts.all {
		if g.debts[debtor{a.ID, asset}] != nil {
			return true
		}
	}
	return false
}

func (g *margins) accrual(asset schema.AssetID) *accrual {
	if g.interest[asset] == nil {
		g.interest[asset] = &accrual{}
	}
	return g.interest[asset]
}

// accrued is the interest that an account owes and that is not booked.
func (g *margins) accrued(a schema.AccountID, asset schema.AssetID) num {
	d := g.debts[debtor{a, asset}]
	if d == nil {
		return num{}
	}
	return d.accrued(g.accrual(asset).sum)
}

// accruedToNextHour is the same at the next whole hour after the minute to which interest is counted, if the rate that
// is set now stays.
func (g *margins) accruedToNextHour(a schema.AccountID, asset schema.AssetID) num {
	d := g.debts[debtor{a, asset}]
	if d == nil {
		return num{}
	}
	counted := *g.accrual(asset)
	counted.rate = of(g.prices.collaterals[asset].Rate)
	return d.accrued(counted.toNextHour())
}

// pay gives an account what another has, or takes it if it is negative. What the account has not is lent to it
// first, and what it gets repays what it owes: by the risk engine, or by anything else.
func (g *margins) pay(a schema.AccountID, asset schema.AssetID, other holder, n num, y why, risk bool) {
	own := holder{a, schema.Collateral}
	switch {
	case n.sign() > 0:
		g.ledger.move(other, own, asset, n, y)
		g.repay(a, asset, y.ref, risk)
	case n.sign() < 0:
		there := g.ledger.balance(a, schema.Collateral, asset).available
		g.lend(a, asset, shortfall(there, n.neg()), y.ref, true)
		g.ledger.move(own, other, asset, n.neg(), y)
	}
}

// lend lends an account what it must pay and has not, whatever the pool has. Loans are forced unless an order of the customer
// borrows what it gives.
func (g *margins) lend(a schema.AccountID, asset schema.AssetID, n num, ref uint64, forced bool) {
	if n.sign() == 0 {
		return
	}
	who := debtor{a, asset}
	d := g.debts[who]
	if d == nil {
		if !g.lent(asset) {
			g.accrual(asset).at = g.call.at
		}
		d = &debt{loan: loan{scale: g.listing.asset(asset).Scale, since: g.accrual(asset).sum}, opened: g.call.at}
		g.debts[who] = d
	}
	g.book(who, d, ref)
	d.lend(n, g.accrual(asset))
	y := why{schema.ByLoan, ref}
	g.ledger.move(holder{lending, schema.Main}, holder{a, schema.Collateral}, asset, n, y)
	g.ledger.move(holder{lending, schema.Debt}, holder{a, schema.Debt}, asset, n, y)
	g.owes(who, d)
	if forced && g.aboveCap(who) {
		g.overdrawn[a] = true
	}
}

// repay uses what an account has for what it owes.
func (g *margins) repay(a schema.AccountID, asset schema.AssetID, ref uint64, risk bool) {
	who := debtor{a, asset}
	d := g.debts[who]
	if d == nil {
		return
	}
	g.book(who, d, ref)
	paid := d.repay(g.ledger.balance(a, schema.Collateral, asset).available, g.accrual(asset), risk)
	y := why{schema.ByRepayment, ref}
	g.ledger.move(holder{a, schema.Collateral}, holder{lending, schema.Main}, asset, paid, y)
	g.ledger.move(holder{a, schema.Debt}, holder{lending, schema.Debt}, asset, paid, y)
	g.owes(who, d)
	if !d.active() {
		delete(g.debts, who)
	}
}

// book adds the interest that was not booked to the debt.
func (g *margins) book(who debtor, d *debt, ref uint64) {
	interest := d.accrued(g.accrual(who.asset).sum)
	d.book(g.accrual(who.asset))
	g.ledger.move(holder{lending, schema.Debt}, holder{who.account, schema.Debt}, who.asset, interest, why{schema.ByInterest, ref})
}

// owes says what an account owes.
func (g *margins) owes(who debtor, d *debt) {
	e := d.view(who)
	g.call.record(&e)
}

func (d *debt) view(who debtor) schema.LoanChanged {
	return schema.LoanChanged{
		Account: who.account, Asset: who.asset,
		Principal: d.principal.decimal(), Interest: d.interest.decimal(),
		MostOwed: d.mostOwed.decimal(), MostLent: d.mostLent.decimal(), Cost: d.cost.decimal(),
		Opened: d.opened, Liquidated: d.liquidated,
	}
}
