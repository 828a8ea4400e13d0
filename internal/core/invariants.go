//go:build invariants

package core

// Built with the tag invariants, a machine checks itself after every command while it is small, and
// when it is not, around every thousandth order: Verify goes through the whole state. A broken
// invariant is a panic at the command that broke it, not a wrong number much later.

const (
	smallState  = 2000 // open orders and balances
	verifyEvery = 1000 // orders
)

func (m *Machine) checkInvariants() {
	size := m.ledger.Len()
	for _, info := range m.listing.Markets() {
		size += m.trading.Count(info.ID)
	}
	if size > smallState && m.trading.Counters().Order%verifyEvery != 0 {
		return
	}
	if err := m.Verify(); err != nil {
		panic("core: an invariant is broken: " + err.Error())
	}
}
