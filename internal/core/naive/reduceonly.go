package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// reducing is how much of an amount an order can reduce its position by, if anything.
func (g *margins) reducing(o *order, amount num) (num, bool) {
	return reduceOnlySize(g.position(o), o.side == schema.Buy, amount)
}

// reducesNothing reports whether an order may only reduce and cannot.
func (g *margins) reducesNothing(o *order) bool {
	_, reduces := g.reducing(o, o.left)
	return o.reduceOnly && !reduces
}

// ending is how an order ends that may not deal.
type ending struct {
	order  *order
	status schema.Status
	cause  schema.Cause
}

// judge looks at a fill before it happens: how much of it may be, or which of the orders ends instead.
func (g *margins) judge(taker, maker *order, amount num) (num, *ending) {
	for _, o := range []*order{maker, taker} {
		if !o.reduceOnly {
			continue
		}
		cut, reduces := g.reducing(o, amount)
		if !reduces {
			return num{}, &ending{o, unreducedStatus(o), schema.ByReduceOnly}
		}
		amount = cut
	}
	money := amount.times(maker.price)
	settled := g.prices.settled(taker.market.MarketInfo, money)
	for _, o := range []*order{maker, taker} {
		if !o.collateral || o.forced {
			continue
		}
		if settled.more(largest) || !g.canLend(o, amount, money) ||
			!g.hasRoom(o, amount, settled, g.trading.dealFee(o, amount, settled, o == maker)) {
			return num{}, &ending{o, schema.Canceled, schema.ByMargin}
		}
	}
	return amount, nil
}

// endReduceOnly ends the orders of a market that can reduce nothing since positions were closed, by account and id.
func (g *margins) endReduceOnly(m *market) {
	elsewhere := func(h held) bool { return h.market != m.ID }
	closed := slices.DeleteFunc(slices.Clone(g.ended), elsewhere)
	g.ended = slices.DeleteFunc(g.ended, func(h held) bool { return !elsewhere(h) })
	slices.SortStableFunc(closed, func(a, b held) int { return cmp.Compare(a.account, b.account) })
	for _, h := range closed {
		for _, o := range slices.Clone(m.orders) {
			if isOpen(o) && o.account == h.account && g.reducesNothing(o) {
				g.trading.end(o, unreducedStatus(o), schema.ByReduceOnly)
			}
		}
	}
}

// unreducedStatus is how an order ends that may only reduce and has nothing to.
func unreducedStatus(o *order) schema.Status {
	if protects(o.role) {
		return schema.Canceled
	}
	return schema.AutoCanceledReduceOnly
}
