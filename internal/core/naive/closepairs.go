package naive

import "bourse/internal/schema"

// closePairs closes positions of an account on pairs in the book, those of the smallest initial margin first. What is valued at a
// stale price waits, and so does what cannot be traded now.
func (r *risk) closePairs(a schema.AccountID) {
	for _, i := range r.margins.atRisk(a).pairItems() {
		m := r.trading.market(schema.MarketID(i.closes.market.id))
		if tradable(m) && r.unsafe(a) {
			r.closePair(a, m, i.closes.market)
		}
	}
}

// closePair ends the orders of the account on the market that are paid from collateral, and then closes a part of its position and
// all of it. What the book does not take near the index stays open.
func (r *risk) closePair(a schema.AccountID, m *market, pair *instrument) {
	if !r.cancel(a, m, schema.ByLiquidation, func(*order) schema.Status { return schema.AutoCanceledLiquidation }) {
		return
	}
	for round := 1; round <= 2; round++ {
		h := r.position(a, m)
		if h == nil || !r.unsafe(a) {
			return
		}
		size := h.size.abs()
		size = roundSize(round, size, size.times(pair.price()), m.step(), of(m.MinAmount))
		r.force(r.closing(h, m, size), pair.indexLimit(!h.long(), indexWidth(m)))
	}
}

// indexWidth is how far from the index the risk engine trades on a spot market, as a fraction.
func indexWidth(m *market) num {
	if isPair(m.MarketInfo) {
		return of(m.LiquidationBand).over(hundred)
	}
	return usualWidth
}

// usualWidth is that of a market without margin.
var usualWidth = whole(2).over(hundred)
