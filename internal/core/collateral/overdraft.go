package collateral

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Losses, fees and funding are lent whatever an account may borrow. What it then owes above that is an overdraft: the next
// tick sells what the account owns for it, as liquidation would, also when its margin is enough.

// mostOverdrafts is how many accounts a tick goes through. One that has nothing to sell, or nobody to sell to, stays
// overdrawn and costs a look each time.
const mostOverdrafts = 1000

// overdraw notes an account that was made to borrow, if it owes more of the asset than it may.
func (e *Engine) overdraw(account schema.AccountID, h *holding) {
	set, _ := e.prices.Collateral(h.asset)
	if m := e.member(account); !m.overdrawn && h.owed().Cmp(set.AccountCap) > 0 {
		m.overdrawn = true
		e.overdrawn = append(e.overdrawn, account)
	}
}

// payOverdrafts lets overdrawn accounts pay, by id, with the units that liquidation left over. Those that are not reached come
// first the next time.
func (e *Engine) payOverdrafts() {
	e.overdue = false
	e.settleOverdrafts()
	if len(e.overdrawn) == 0 {
		return
	}
	// Deals may add accounts to the list.
	list := slices.Clone(e.overdrawn)
	first, _ := slices.BinarySearch(list, e.overdraft)
	e.overdraft = 0
	for i := range list {
		account := list[(first+i)%len(list)]
		if i == mostOverdrafts {
			e.overdraft = account
			break
		}
		if e.member(account).state != schema.Liquidation && (e.spent || !e.payOverdraft(account)) {
			e.overdraft, e.overdue = account, true
			break
		}
	}
	e.Markets.Settle()
	e.settleOverdrafts()
}

// settleOverdrafts takes the accounts off the list that owe no more than they may, and sorts the others.
func (e *Engine) settleOverdrafts() {
	e.overdrawn = slices.DeleteFunc(e.overdrawn, func(account schema.AccountID) bool {
		m := e.member(account)
		m.overdrawn = e.owesTooMuch(m)
		return !m.overdrawn
	})
	slices.Sort(e.overdrawn)
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
