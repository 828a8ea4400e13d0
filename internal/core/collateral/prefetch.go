package collateral

import (
	"bourse/internal/core/slab"
	"bourse/internal/schema"
)

// PrefetchSeat asks for a seat.
func (e *Engine) PrefetchSeat(at uint32) { e.seats.Prefetch(at) }

// PrefetchPosition asks for what a deal at a seat looks at beside it. The seat is near.
func (e *Engine) PrefetchPosition(at uint32) {
	s := e.seats.At(at)
	e.positions.Prefetch(s.long)
	e.positions.Prefetch(s.short)
	e.ledger.Prefetch(s.cell)
	if i := int(s.account) - int(schema.FirstCustomer); i >= 0 && i < len(e.members) {
		slab.Prefetch(&e.members[i])
	}
}
