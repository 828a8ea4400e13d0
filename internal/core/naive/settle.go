package naive

import (
	"slices"

	"bourse/internal/schema"
)

// deal applies a side of a deal to a seat.
func (s *seat) deal(o *order, amount, money, fee num) []change {
	size := signed(o.side == schema.Buy, amount)
	if o.positionSide == bothSides {
		return s.fill(size, money, fee)
	}
	return []change{s.fillSide(o.positionSide == longSide, size, money, fee)}
}

// sized is the size of the position that an order is about.
func (s *seat) sized(o *order) num {
	switch o.positionSide {
	case longSide:
		return s.long.size
	case shortSide:
		return s.short.size.neg()
	}
	return s.net().abs()
}

// hasRoom reports whether the margin of an account allows its side of a deal.
func (g *margins) hasRoom(o *order, amount, money, fee num) bool {
	before := g.portfolio(o.account)
	after := before.copied()
	was, is := before.seat(o.market.ID), after.seat(o.market.ID)
	changes := is.deal(o, amount, money, fee)
	if is.market.future {
		for _, c := range changes {
			after.usdt().add(c.realized)
		}
		after.usdt().add(fee.neg())
	} else {
		buys := o.side == schema.Buy
		after.holding(is.market.base).add(signed(buys, amount))
		after.holding(is.market.quote).add(signed(!buys, money).minus(fee))
	}
	return hasRoom(before, after, was.sized(o), is.sized(o))
}

// settle books one side of a deal on a future: its position, what it realizes, and its fee. Funding that the position has not
// been booked in is of its size before.
func (g *margins) settle(o *order, price, amount, money, fee num) {
	g.bookOrder(o)
	m, deal := o.market, uint64(g.trading.lastDeal)
	paidIn := g.listing.money(m.MarketInfo).ID
	s := g.portfolio(o.account).seat(m.ID)
	changes := s.deal(o, amount, g.prices.settled(m.MarketInfo, money), fee)
	g.quote(o.account, m.MarketInfo, s, changes, func(inQuote *seat) []change { return inQuote.deal(o, amount, money, num{}) })
	for _, c := range changes {
		g.pay(o.account, paidIn, holder{clearer, schema.Collateral}, c.realized, why{schema.ByPnl, deal}, o.forced)
	}
	g.pay(o.account, paidIn, holder{schema.Fees, schema.Main}, fee.neg(), why{schema.ByFee, deal}, o.forced)
	g.note(o, s, price, changes)
}

// enter books the position of one side of a deal on a pair, if it has one. What it realizes is in what both sides give each other.
func (g *margins) enter(o *order, price, amount, money, fee num) {
	if o.positioned() {
		s := g.portfolio(o.account).seat(o.market.ID)
		g.note(o, s, price, s.deal(o, amount, money, fee))
	}
}

// note writes what a deal changed into the positions of a seat.
func (g *margins) note(o *order, s *seat, price num, changes []change) {
	for _, c := range changes {
		h := g.keep(o.account, o.market.ID, o.positionSide, *s.side(c.long), c)
		g.call.record(&schema.PositionChanged{
			Position: h.view(), Cause: schema.ByTrade, Order: o.id, Deal: g.trading.lastDeal,
			Price: price.decimal(), Amount: c.size.decimal(), Fee: c.fee.decimal(), Realized: c.realized.decimal(),
		})
	}
}

// keep writes a change into the life of a position, which may begin or end with it.
func (g *margins) keep(a schema.AccountID, m schema.MarketID, side schema.PositionSide, after position, c change) held {
	h := g.find(a, m, c.long)
	if h == nil {
		g.lastPosition++
		h = &held{
			position: position{id: g.lastPosition}, account: a, market: m, side: side, opened: g.call.at,
		}
		g.open = append(g.open, h)
	}
	h.size, h.cost = after.size, after.cost
	h.updated = g.call.at
	h.realized = h.realized.plus(c.realized)
	h.fees = h.fees.plus(c.fee)
	if !c.closes {
		h.entered = h.entered.plus(c.size)
		h.paid = h.paid.plus(c.value)
	}
	h.quoted.cost = c.quoted.cost
	h.quoted.paid = h.quoted.paid.plus(c.quoted.paid)
	h.quoted.realized = h.quoted.realized.plus(c.quoted.realized)
	if h.empty() {
		g.open = slices.DeleteFunc(g.open, func(other *held) bool { return other == h })
		g.ended = append(g.ended, *h)
	}
	return *h
}
