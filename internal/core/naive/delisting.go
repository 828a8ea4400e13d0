package naive

import (
	"slices"

	"bourse/internal/schema"
)

// closeDelisted closes what is open on futures that are delisted: the markets one after the other, the positions of
// each by id, as many in all as a tick may book of funding.
func (g *margins) closeDelisted() {
	left := *g.fundingSlice
	for _, m := range g.trading.all() {
		for _, h := range slices.Clone(g.open) {
			if !m.Delisted || h.market != m.ID {
				continue
			}
			if left == 0 {
				return
			}
			left--
			g.bookFunding(h)
			g.closeAtMark(h, h.size.abs(), schema.ByDelisting)
		}
	}
}

// delisting reports whether anything is open on a future that is delisted.
func (g *margins) delisting() bool {
	return slices.ContainsFunc(g.open, func(h *held) bool { return g.listing.market(h.market).Delisted })
}

// closeAtMark closes a size of a position at the mark, however old that is, without a deal and without a fee. Funding
// of the position must be booked before.
func (g *margins) closeAtMark(h *held, size num, cause schema.Cause) {
	m := g.listing.market(h.market)
	mark, _ := g.prices.mark(m.ID)
	s := g.portfolio(h.account).seat(m.ID)
	c := s.reduce(h.long(), size, size.times(mark), num{})
	g.pay(h.account, m.Quote, holder{clearer, schema.Collateral}, c.realized, why{cause: schema.ByPnl}, false)
	after := g.keep(h.account, m.ID, h.side, *s.side(c.long), c)
	e := &schema.PositionChanged{
		Position: after.view(), Cause: cause,
		Price: mark.decimal(), Amount: size.decimal(), Realized: c.realized.decimal(),
	}
	if cause == schema.ByDelisting && !c.long {
		e.Amount = size.neg().decimal()
	}
	g.call.record(e)
}
