package position

import "bourse/internal/fixed"

// Health is what decides about an account: its equity with unrealized PnL, and what its positions, without
// orders, ask for.
type Health struct {
	Total       fixed.Decimal
	Initial     fixed.Decimal
	Maintenance fixed.Decimal
}

// Liquidatable reports whether the account no longer has its maintenance margin.
func (h Health) Liquidatable() bool { return h.Total.Less(h.Maintenance) }

// Room reports whether a fill may happen that brings an account from one state to another and a position
// from so many lots to so many, signed. One that grows it must leave the initial margin; any other the
// maintenance margin, or, if it reduces the position, at least as much of it as before: an account that is
// about to be liquidated may reduce, but not by selling to a friend at the fund's cost.
func (h Health) Room(after Health, from, to int64) bool {
	if after.Suffices(from, to) {
		return true
	}
	return abs(to) < abs(from) && fixed.CmpProducts(after.Total, h.Maintenance, h.Total, after.Maintenance) >= 0
}

// Suffices reports whether the state after a fill allows it, whatever the state before was.
func (h Health) Suffices(from, to int64) bool {
	if abs(to) > abs(from) {
		return h.Total.Cmp(h.Initial) >= 0
	}
	return !h.Liquidatable()
}
