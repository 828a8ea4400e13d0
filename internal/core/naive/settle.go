package naive

import (
	"slices"

	"bourse/internal/schema"
)

// futureFee is what a side of a deal on a future pays, in what it settles in.
func (t *trading) futureFee(o *order, money num, maker bool) num {
	return t.fee(o.market, o.market.Quote, money.times(t.rate(o, maker)))
}

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
	gained := fee.neg()
	for _, c := range is.deal(o, amount, money, fee) {
		gained = gained.plus(c.realized)
	}
	usdt := after.usdt()
	usdt.collateral = usdt.collateral.plus(gained) // what is below zero will be lent
	return hasRoom(before, after, was.sized(o), is.sized(o))
}

// settle books one side of a deal: its position, what it realizes, and its fee. Funding that the position has not
// been booked in is of its size before.
func (g *margins) settle(o *order, price, amount, money, fee num) {
	g.bookOrder(o)
	m, deal := o.market, uint64(g.trading.lastDeal)
	s := g.portfolio(o.account).seat(m.ID)
	changes := s.deal(o, amount, money, fee)
	for _, c := range changes {
		g.pay(o.account, m.Quote, holder{clearer, schema.Collateral}, c.realized, why{schema.ByPnl, deal}, o.forced)
	}
	g.pay(o.account, m.Quote, holder{schema.Fees, schema.Main}, fee.neg(), why{schema.ByFee, deal}, o.forced)
	for _, c := range changes {
		h := g.keep(o.account, m.ID, o.positionSide, *s.side(c.long), c)
		g.call.record(&schema.PositionChanged{
			Position: h.view(), Cause: schema.ByTrade, Order: o.id, Deal: schema.DealID(deal),
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
	if h.empty() {
		g.open = slices.DeleteFunc(g.open, func(other *held) bool { return other == h })
		g.ended = append(g.ended, *h)
	}
	return *h
}
