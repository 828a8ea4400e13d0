package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/core/price"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// impactLevels is how many levels of a side are looked at, so that a sample costs the same in any book.
const impactLevels = 1000

// Impact is at which average prices so much money's worth can be sold and bought in the public book of a market; zero
// where a side has not so much in its best levels.
func (e *Engine) Impact(id schema.MarketID, notional fixed.Decimal) (bid, ask fixed.Decimal) {
	m := e.market(id)
	return m.impact(book.Bids, notional), m.impact(book.Asks, notional)
}

func (m *market) impact(q book.Queue, notional fixed.Decimal) fixed.Decimal {
	impact, seen := price.NewImpact(notional), 0
	for l := range m.book.Levels(q) {
		if seen++; !impact.Level(m.price(l.Price), m.amount(l.Lots)) || seen == impactLevels {
			break
		}
	}
	return impact.Price()
}
