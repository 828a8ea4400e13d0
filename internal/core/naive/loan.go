package naive

import "bourse/internal/schema"

// accrual is the interest of a currency: the sum of its rates per hour, one for each whole minute. The
// interest of a loan is a sixtieth of what was added since it last changed.
type accrual struct {
	rate num // per hour
	sum  num
	at   schema.Time // the minute to which it was counted
}

// advance counts the whole minutes to now.
func (a *accrual) advance(now schema.Time) {
	a.sum = a.to(now)
	a.at = max(a.at, now/minute*minute)
}

// to is what the sum is at a later moment, at the current rate.
func (a *accrual) to(at schema.Time) num {
	minutes := max(0, at/minute-a.at/minute)
	return a.sum.plus(a.rate.times(whole(int64(minutes))))
}

// toNextHour is what it is at the next whole hour after the minute to which it was counted.
func (a *accrual) toNextHour() num { return a.to((a.at/hour + 1) * hour) }

// loan is what an account owes of a currency from its first unit to its last, and what is kept of it.
type loan struct {
	scale     uint8
	principal num
	interest  num // booked and not paid
	since     num // the accrual that is booked

	mostOwed   num
	mostLent   num
	cost       num // all interest that was booked
	liquidated bool
}

// debt is what is booked.
func (l *loan) debt() num { return l.principal.plus(l.interest) }

// active reports whether anything is owed.
func (l *loan) active() bool { return l.debt().sign() > 0 }

// accrued is the interest that is not booked at some sum of the accrual. Interest bears none.
func (l *loan) accrued(sum num) num {
	return l.principal.times(sum.minus(l.since)).over(whole(60)).ceil(unit(l.scale))
}

// book makes what was accrued a part of the debt. Every change begins with it.
func (l *loan) book(a *accrual) {
	accrued := l.accrued(a.sum)
	l.interest = l.interest.plus(accrued)
	l.cost = l.cost.plus(accrued)
	l.since = a.sum
	l.mostOwed = greatest(l.mostOwed, l.debt())
}

// lend adds to the loan.
func (l *loan) lend(amount num, a *accrual) {
	l.book(a)
	l.principal = l.principal.plus(amount)
	l.mostLent = greatest(l.mostLent, l.principal)
	l.mostOwed = greatest(l.mostOwed, l.debt())
}

// repay takes from a credit what is owed, interest first, and returns what it took. The risk engine is the
// reason for the last of it, or anything else.
func (l *loan) repay(credit num, a *accrual, risk bool) (paid num) {
	l.book(a)
	toInterest := least(credit, l.interest)
	toPrincipal := least(credit.minus(toInterest), l.principal)
	l.interest = l.interest.minus(toInterest)
	l.principal = l.principal.minus(toPrincipal)
	paid = toInterest.plus(toPrincipal)
	l.liquidated = risk && paid.sign() > 0 && !l.active()
	return paid
}

// status is the word of the loan's record.
func (l *loan) status() string {
	switch {
	case l.active():
		return "active"
	case l.liquidated:
		return "liquidated"
	}
	return "repaid"
}

// shortfall is what must be lent for a debit.
func shortfall(collateral, debit num) num { return greatest(num{}, debit.minus(collateral)) }

// poolRoom is what the pool can still lend of a currency that it has lent and has left.
func poolRoom(poolCap, lent, left num) num { return greatest(num{}, least(poolCap.minus(lent), left)) }

// mayLend reports whether an account may take a loan of its own will. Realized losses, fees, funding and
// liquidation do not ask.
func mayLend(amount, room, accountCap, debt num) bool {
	return !amount.more(room) && !debt.plus(amount).more(accountCap)
}

// excess is what a forced loan is above the account's cap.
func excess(debt, accountCap num) num { return greatest(num{}, debt.minus(accountCap)) }
