package collateral

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Losses, fees and funding are lent whatever an account may borrow. What it then owes above that is an overdraft: the next
// tick sells what the account owns for it, as liquidation would, also when its margin is enough.

// mostOverdrafts is how many accounts a tick goes through, however many are overdrawn. One that has nothing to sell, or nobody to sell
// to, stays overdrawn and costs a look each time.
const mostOverdrafts = 1000

// overdraw notes an account that was made to borrow, if it owes more of the asset than it may.
func (e *Engine) overdraw(account schema.AccountID, h *holding) {
	set, _ := e.prices.Collateral(h.asset)
	if m := e.member(account); !m.overdrawn && h.owed().Cmp(set.AccountCap) > 0 {
		m.overdrawn = true
		at, _ := slices.BinarySearch(e.overdrawn, account)
		e.overdrawn = slices.Insert(e.overdrawn, at, account)
	}
}

// payOverdrafts lets overdrawn accounts pay, by id, with the units that liquidation left over. It goes on where the last tick ended,
// and begins again when it was through. Those that were noted meanwhile wait for the next tick.
func (e *Engine) payOverdrafts() {
	e.overdue = false
	first, _ := slices.BinarySearch(e.overdrawn, e.overdraft)
	end := min(first+mostOverdrafts, len(e.overdrawn))
	e.overdraft = 0
	if end < len(e.overdrawn) {
		e.overdraft = e.overdrawn[end]
	}
	e.paying = append(e.paying[:0], e.overdrawn[first:end]...)
	for _, account := range e.paying {
		m := e.member(account)
		if m.state == schema.Liquidation || !e.owesTooMuch(m) {
			continue // it is sold anyway, or was paid otherwise
		}
		if e.spent || !e.payOverdraft(account) {
			e.overdraft, e.overdue = account, true
			break
		}
	}
	if len(e.paying) != 0 {
		e.dropPaid()
	}
}

// dropPaid takes the accounts that were gone through and owe no more than they may off the list.
func (e *Engine) dropPaid() {
	for _, account := range e.paying {
		m := e.member(account)
		m.overdrawn = e.owesTooMuch(m)
	}
	from, _ := slices.BinarySearch(e.overdrawn, e.paying[0])
	to, _ := slices.BinarySearch(e.overdrawn, e.paying[len(e.paying)-1])
	left := slices.DeleteFunc(e.overdrawn[from:to+1], func(account schema.AccountID) bool { return !e.member(account).overdrawn })
	e.overdrawn = slices.Delete(e.overdrawn, from+len(left), to+1)
}

// owesTooMuch reports whether an account owes more of an asset than it may.
func (e *Engine) owesTooMuch(m *member) bool {
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		h := e.holdings.At(at)
		if set, _ := e.prices.Collateral(h.asset); h.owed().Cmp(set.AccountCap) > 0 {
			return true
		}
	}
	return false
}

// excess is what is owed of an asset above what the account may owe, with interest as liquidation counts it.
func (e *Engine) excess(h *holding) fixed.Decimal {
	set, _ := e.prices.Collateral(h.asset)
	return fixed.MaxOf(fixed.Zero, plus(plus(h.owed(), e.accrued(h, byHour)), set.AccountCap.Neg()))
}

// payOverdraft buys what an account owes too much of other assets than USDT, and then sells what it owns for the USDT that it owes too
// much. It is false if the units did not last.
func (e *Engine) payOverdraft(account schema.AccountID) bool {
	m := e.member(account)
	return e.tradeAll(account, m, e.excess, e.buyExcess) && e.tradeAll(account, m, e.there, e.sellExcess)
}

// there is what an account owns of an asset and has. What it owns may be in a short of its own: sold once more it would be owed, and
// bought back by the next tick.
func (e *Engine) there(h *holding) fixed.Decimal {
	return fixed.MinOf(e.owned(h), e.ledger.Available(h.cell))
}

func (e *Engine) buyExcess(account schema.AccountID, _ *member, s *sale, f *market) bool {
	_, lasted := e.buyAmount(account, f, e.excess(e.holdings.At(s.holding)))
	return lasted
}

func (e *Engine) sellExcess(account schema.AccountID, m *member, s *sale, f *market) bool {
	h := e.heldOf(m, e.listing.USDT())
	if h == nil {
		return true
	}
	_, lasted := e.sellFor(account, s, f, e.there(e.holdings.At(s.holding)), e.excess(h))
	return lasted
}
