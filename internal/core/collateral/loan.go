package collateral

import (
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// pass gives an account an amount of what another has, or takes it if it is below zero.
func (e *Engine) pass(account schema.AccountID, h *holding, other ledger.Cell, amount fixed.Decimal, note ledger.Note) {
	switch amount.Sign() {
	case 1:
		e.receive(account, h, other, amount, note)
	case -1:
		e.pay(account, h, other, amount.Neg(), note)
	}
}

// pay takes an amount from what an account has as collateral. What is not there is lent, whatever the caps say:
// losses, fees and funding are owed in any case.
func (e *Engine) pay(account schema.AccountID, h *holding, to ledger.Cell, amount fixed.Decimal, note ledger.Note) {
	from := e.cell(account, h)
	if missing := amount.Sub(e.ledger.Available(from)); missing.Sign() > 0 {
		e.lend(account, h, missing, note.Ref)
		e.overdraw(account, h)
	}
	e.ledger.Move(from, to, amount, note)
}

// receive gives an account an amount and repays what it owes with it.
func (e *Engine) receive(account schema.AccountID, h *holding, from ledger.Cell, amount fixed.Decimal, note ledger.Note) {
	e.ledger.Move(from, e.cell(account, h), amount, note)
	e.repay(account, h, note.Ref)
}

// lend adds to a loan.
func (e *Engine) lend(account schema.AccountID, h *holding, amount fixed.Decimal, ref uint64) {
	a := e.accrual(h.asset)
	if h.owed().IsZero() {
		if a.loans == 0 {
			a.at = e.out.Time / minute * minute
		}
		a.loans++
		h.since, h.opened = a.sum, e.out.Time
	}
	e.book(account, h, ref)
	note := ledger.Note{Cause: schema.ByLoan, Ref: ref}
	pool, debts, owes := e.pool(account, h.asset)
	e.ledger.Move(pool, e.cell(account, h), amount, note)
	e.ledger.Move(debts, owes, amount, note)
	e.touch(account, e.member(account))
	h.principal = h.principal.Add(amount)
	h.mostLent = fixed.MaxOf(h.mostLent, h.principal)
	h.mostOwed = fixed.MaxOf(h.mostOwed, h.owed())
	e.loanChanged(account, h, false)
}

// repay gives back as much as the account has, interest before principal.
func (e *Engine) repay(account schema.AccountID, h *holding, ref uint64) {
	if h.owed().IsZero() {
		return
	}
	e.book(account, h, ref)
	cell := e.cell(account, h)
	paid := fixed.MinOf(e.ledger.Available(cell), h.owed())
	if paid.IsZero() {
		return
	}
	note := ledger.Note{Cause: schema.ByRepayment, Ref: ref}
	pool, debts, owes := e.pool(account, h.asset)
	e.ledger.Move(cell, pool, paid, note)
	e.ledger.Move(owes, debts, paid, note)
	interest := fixed.MinOf(paid, h.interest)
	h.interest, h.principal = h.interest.Sub(interest), h.principal.Sub(paid.Sub(interest))
	over := h.owed().IsZero()
	e.loanChanged(account, h, over && e.forced)
	if over {
		if a := e.accrual(h.asset); a.loans == 1 {
			*a = accrual{} // nothing is counted while nothing is lent
		} else {
			a.loans--
		}
		*h = holding{asset: h.asset, next: h.next, cell: h.cell, placed: h.placed}
	}
}

// book makes what was accrued a part of the debt. Every change of a loan begins with it, so that interest is reckoned
// once for each stretch of time in which the principal was the same.
func (e *Engine) book(account schema.AccountID, h *holding, ref uint64) {
	_, debts, owes := e.pool(account, h.asset)
	// Interest ends where the ledger could not count what all owe together.
	most := fixed.MaxOf(fixed.Zero, e.ledger.Available(debts).Add(ledger.Limit))
	accrued := fixed.MinOf(e.accrued(h, byNow), most)
	h.since = e.accrual(h.asset).sum
	if accrued.IsZero() {
		return
	}
	e.ledger.Move(debts, owes, accrued, ledger.Note{Cause: schema.ByInterest, Ref: ref})
	h.interest, h.cost = h.interest.Add(accrued), h.cost.Add(accrued)
	h.mostOwed = fixed.MaxOf(h.mostOwed, h.owed())
}

// pool are the balances of a loan: what can be lent, what all owe, and what the account owes.
func (e *Engine) pool(account schema.AccountID, asset schema.AssetID) (pool, debts, owes ledger.Cell) {
	return e.ledger.Open(schema.Lending, schema.Main, asset),
		e.ledger.Open(schema.Lending, schema.Debt, asset),
		e.ledger.Open(account, schema.Debt, asset)
}

func (e *Engine) loanChanged(account schema.AccountID, h *holding, liquidated bool) {
	e.out.Events.Add(&schema.LoanChanged{
		Account: account, Asset: h.asset, Principal: h.principal, Interest: h.interest,
		MostOwed: h.mostOwed, MostLent: h.mostLent, Cost: h.cost, Opened: h.opened, Liquidated: liquidated,
	})
}

// Credited says that an account got collateral from elsewhere.
func (e *Engine) Credited(account schema.AccountID, asset schema.AssetID) {
	m := e.member(account)
	m.headroom = headroom{}
	h := e.holdings.At(e.holding(account, m, asset))
	if h.cell == 0 {
		h.cell = e.ledger.Find(account, schema.Collateral, asset)
	}
	if e.atStake(m) {
		e.touch(account, m)
	}
	e.repay(account, h, 0)
}

// Tick counts interest for the whole minutes that passed, books funding, closes what is
// delisted, and looks for accounts whose margin is at its end.
func (e *Engine) Tick() {
	e.reprice()
	e.accrue()
	e.fund()
	e.delist()
	if e.Ticked/minute != e.out.Time/minute {
		e.sweep(called)
	}
	e.assess()
	e.payOverdrafts()
	e.wake()
}

// accrue counts interest.
func (e *Engine) accrue() {
	for i := range e.accruals {
		a := &e.accruals[i]
		if a.loans == 0 {
			continue
		}
		now := e.out.Time / minute * minute
		set, _ := e.prices.Collateral(schema.AssetID(i + 1))
		added, fits := fixed.Mul(set.Rate, fixed.FromInt(int64((now-a.at)/minute)), fixed.Places, fixed.Down)
		if sum, too := a.sum.AddChecked(added); fits && too {
			a.sum = sum
		}
		if now/hour != a.at/hour {
			e.sweep(indebted)
		}
		a.at = now
	}
}

// NextTimer is the next whole minute while something is lent, and at once while funding or a delisting is under way or
// liquidation was not through.
func (e *Engine) NextTimer() (next schema.Time, running bool) {
	if e.unfinished || e.overdue || e.closing {
		return e.LastTick() + 1, true
	}
	for i := range e.markets {
		if e.markets[i].round.active {
			return e.LastTick() + 1, true
		}
	}
	for i := range e.accruals {
		if a := &e.accruals[i]; a.loans != 0 && (!running || a.at+minute < next) {
			next, running = a.at+minute, true
		}
	}
	return next, running
}

// Loan is what an account owes of an asset.
type Loan struct {
	Asset     schema.AssetID
	Principal fixed.Decimal
	Interest  fixed.Decimal // booked and not paid
	Accrued   fixed.Decimal // interest that is not booked yet
	Opened    schema.Time
	Counted   schema.Time   // the minute to which interest is counted
	Cost      fixed.Decimal // all interest that was booked since it began, paid or not
}

// Loans of an account, by asset.
func (e *Engine) Loans(account schema.AccountID) (list []Loan) {
	m := e.looked(account)
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		if h := e.holdings.At(at); !h.owed().IsZero() {
			list = append(list, Loan{h.asset, h.principal, h.interest, e.accrued(h, byNow), h.opened, e.accrual(h.asset).at, h.cost})
		}
	}
	return list
}
