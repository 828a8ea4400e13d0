package naive

import (
	"slices"

	"bourse/internal/schema"
)

// closeDelisted closes what is open on markets that are delisted: the markets one after the other, the positions of
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
			if isPair(m.MarketInfo) {
				g.takeOver(h, m)
				continue
			}
			g.bookFunding(h)
			g.closeAtMark(h, h.size.abs(), g.lastPrice(m), schema.ByDelisting)
		}
	}
}

// delisting reports whether anything is open on a market that is delisted.
func (g *margins) delisting() bool {
	return slices.ContainsFunc(g.open, func(h *held) bool { return g.listing.market(h.market).Delisted })
}

// lastPrice is what a future that is delisted is closed at, in USDT: its last mark, cut off so that any size of it is worth money that
// can be paid. So all that is paid sums up to nothing.
func (g *margins) lastPrice(m *market) num {
	price := g.instrument(m, g.currencies()).price()
	return price.truncate(unit(g.listing.money(m.MarketInfo).Scale - m.StockPrec))
}

// closeAtMark closes a size of a position at the mark, however old that is, and a price that it has in USDT, without a deal and without
// a fee. Funding of the position must be booked before.
func (g *margins) closeAtMark(h *held, size, price num, cause schema.Cause) {
	m := g.listing.market(h.market)
	mark, _ := g.prices.mark(m.ID)
	paidIn := g.listing.money(m)
	s, long := g.portfolio(h.account).seat(m.ID), h.long()
	changes := []change{s.reduce(long, size, size.times(price).truncate(unit(paidIn.Scale)), num{})}
	g.quote(h.account, m, s, changes, func(inQuote *seat) []change {
		return []change{inQuote.reduce(long, size, size.times(mark), num{})}
	})
	c := changes[0]
	g.pay(h.account, paidIn.ID, holder{clearer, schema.Collateral}, c.realized, why{cause: schema.ByPnl}, false)
	g.closed(h, s, c, mark, cause)
}

// takeOver closes a position on a pair against the insurance fund, at what the indices said last and without a fee. Money is
// rounded against the account.
func (g *margins) takeOver(h *held, m *market) {
	account, size, long := h.account, h.size.abs(), h.long()
	mark, _ := g.prices.mark(m.ID)
	s := g.portfolio(account).seat(m.ID)
	money := size.times(mark)
	if scale := unit(s.market.scale); long {
		money = money.truncate(scale)
	} else {
		money = money.ceil(scale)
	}
	g.closed(h, s, s.reduce(long, size, money, num{}), mark, schema.ByDelisting)
	fund, y := holder{insurance, schema.Main}, why{cause: schema.ByDelisting}
	if long {
		g.pay(account, m.Base, fund, size.neg(), y, false)
		g.pay(account, m.Quote, fund, money, y, false)
	} else {
		g.pay(account, m.Quote, fund, money.neg(), y, false)
		g.pay(account, m.Base, fund, size, y, false)
	}
}

// closed writes into a position that some of it was closed at the mark.
func (g *margins) closed(h *held, s *seat, c change, mark num, cause schema.Cause) {
	after := g.keep(h.account, h.market, h.side, *s.side(c.long), c)
	e := &schema.PositionChanged{
		Position: after.view(), Cause: cause,
		Price: mark.decimal(), Amount: c.size.decimal(), Realized: c.realized.decimal(),
	}
	if cause == schema.ByDelisting && !c.long {
		e.Amount = c.size.neg().decimal()
	}
	g.call.record(e)
}
