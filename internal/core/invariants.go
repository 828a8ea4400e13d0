//go:build invariants

package core

// Built with the tag invariants, a machine checks itself after every command while it is small, and
// after every thousandth when it is not: Verify goes through the whole state. A broken invariant is a
// panic at the command that broke it, not a wrong number much later.

const (
	smallState  = 2000 // open orders and balances
	verifyEvery = 1000 // commands
)

type invariants struct{ commands int }

func (m *Machine) checkInvariants() {
	m.invariants.commands++
	size := m.ledger.Len()
	for _, info := range m.listing.Markets() {
		size += m.trading.Count(info.ID)
	}
	if size > smallState && m.invariants.commands%verifyEvery != 0 {
		return
	}
	if err := m.Verify(); err != nil {
		panic("core: an invariant is broken: " + err.Error())
	}
}
