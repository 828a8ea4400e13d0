package core

import (
	"bourse/internal/core/book"
	"bourse/internal/schema"
)

// Reprice moves a resting order to another price under the id it has; see trading.Reprice.
func (m *Machine) Reprice(at schema.Time, market schema.MarketID, id schema.OrderID, price book.Ticks) *schema.Outcome {
	m.clock = max(at, m.clock)
	m.out.Reset(m.clock)
	m.trading.Begin()
	m.trading.Reprice(market, id, price)
	return &m.out
}

// Reduce takes lots off a resting order, which keeps its place; see trading.Reduce.
func (m *Machine) Reduce(at schema.Time, market schema.MarketID, id schema.OrderID, lots book.Lots) *schema.Outcome {
	m.clock = max(at, m.clock)
	m.out.Reset(m.clock)
	m.trading.Begin()
	m.trading.Reduce(market, id, lots)
	return &m.out
}
