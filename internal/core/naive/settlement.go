package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// settlement is funding of a future that is being settled: the rate, the mark and the positions that are in it are
// those of its beginning.
type settlement struct {
	rate  num
	mark  num
	price num         // the mark in USDT
	at    schema.Time // the end of the interval
	since schema.Time

	begun     bool
	waiting   []int        // positions whose turn has not come, by id
	booked    map[int]bool // those of them that were touched before it
	collected num          // what was paid and not received so far
}

// settleFunding begins the settlements that are due and books what a tick may book: the markets one after the
// other, the positions of each by id.
func (g *margins) settleFunding() {
	for _, m := range g.trading.all() {
		if f := g.prices.future(m.ID); f.settling != nil && !f.settling.begun {
			g.begin(m, f)
		}
	}
	left := *g.fundingSlice
	for _, m := range g.trading.all() {
		if f := g.prices.future(m.ID); f.settling != nil {
			left = g.bookSlice(m, f, left)
		}
	}
}

// begin says what is settled. With a rate of zero nobody pays, and that is all.
func (g *margins) begin(m *market, f *future) {
	s := f.settling
	g.call.record(&schema.FundingSettled{
		Market: m.ID, Rate: s.rate.decimal(), Mark: s.mark.decimal(), At: s.at, Since: s.since,
	})
	if s.rate.sign() == 0 {
		f.settling = nil
		return
	}
	s.begun, s.booked = true, map[int]bool{}
	s.price = g.instrument(m, g.currencies()).at(s.mark)
	for _, h := range g.open {
		if h.market == m.ID {
			s.waiting = append(s.waiting, h.id)
		}
	}
}

// bookSlice books the positions whose turn it is, up to a number of them, and returns what is left of that number.
// One that was booked before counts and one that was closed does not. With the last of them the settlement is over,
// and what nobody received is the insurance fund's.
func (g *margins) bookSlice(m *market, f *future, most int) (left int) {
	s := f.settling
	for len(s.waiting) > 0 {
		h := g.numbered(s.waiting[0])
		if h != nil && most == 0 {
			return 0
		}
		if h != nil {
			most--
			g.bookFunding(h)
		}
		s.waiting = s.waiting[1:]
	}
	f.settling = nil
	g.ledger.move(holder{clearer, schema.Collateral}, holder{insurance, schema.Main}, g.listing.money(m.MarketInfo).ID, s.collected,
		why{schema.ByFunding, uint64(m.ID)})
	return most
}

// numbered finds an open position by its id, or nil.
func (g *margins) numbered(id int) *held {
	for _, h := range g.open {
		if h.id == id {
			return h
		}
	}
	return nil
}

// dueTo is what a position gets by a settlement in which it has not been booked, negative if it pays.
func (g *margins) dueTo(h *held) num {
	s := g.prices.future(h.market).settling
	if s == nil || !slices.Contains(s.waiting, h.id) || s.booked[h.id] {
		return num{}
	}
	return funding(h.size, s.price, s.rate, g.listing.market(h.market).FeePrec)
}

// bookFunding books what is due to a position or from it. It stands before everything that changes the position.
func (g *margins) bookFunding(h *held) {
	due := g.dueTo(h)
	s := g.prices.future(h.market).settling
	if s != nil {
		s.booked[h.id] = true
	}
	if due.sign() == 0 {
		return
	}
	s.collected = s.collected.minus(due)
	money := g.listing.money(g.listing.market(h.market)).ID
	g.pay(h.account, money, holder{clearer, schema.Collateral}, due, why{schema.ByFunding, uint64(h.id)}, false)
	h.funding = h.funding.minus(due)
	h.updated = g.call.at
	g.call.record(&schema.PositionChanged{
		Position: h.view(), Cause: schema.ByFunding,
		Price: s.mark.decimal(), Amount: h.size.decimal(), Funding: due.decimal(), Settled: s.at,
	})
}

// bookOrder books the position that an order is about.
func (g *margins) bookOrder(o *order) {
	for _, h := range g.open {
		if h.account == o.account && h.market == o.market.ID && h.side == o.positionSide {
			g.bookFunding(h)
		}
	}
}

// bookAccount books all positions of an account, by market and side.
func (g *margins) bookAccount(a schema.AccountID) {
	positions := slices.Clone(g.open)
	slices.SortFunc(positions, func(a, b *held) int {
		return cmp.Or(cmp.Compare(a.market, b.market), cmp.Compare(a.side, b.side))
	})
	for _, h := range positions {
		if h.account == a {
			g.bookFunding(h)
		}
	}
}

// unbooked is what an account gets by the settlements that are under way, negative if it pays.
func (g *margins) unbooked(a schema.AccountID) num {
	sum := num{}
	for _, h := range g.open {
		if h.account == a {
			sum = sum.plus(g.dueTo(h))
		}
	}
	return sum
}

// settling reports whether a settlement is under way.
func (g *margins) settling() bool {
	return slices.ContainsFunc(g.trading.all(), func(m *market) bool { return g.prices.future(m.ID).settling != nil })
}

// expect counts what is due as if it was booked: it repays what is owed, and what is not there is lent.
func (h *holding) expect(due num) {
	if due.sign() == 0 {
		return
	}
	own := h.collateral.minus(h.debt).minus(h.accrued).plus(due)
	h.collateral, h.debt, h.accrued = greatest(num{}, own), greatest(num{}, own.neg()), num{}
}
