package naive

import (
	"slices"

	"bourse/internal/schema"
)

// closeFutures closes positions of an account in the book and then without it, those of the largest maintenance margin
// first. What is valued at a stale price waits, and so does what cannot be traded now.
func (r *risk) closeFutures(a schema.AccountID) {
	for _, i := range r.margins.atRisk(a).futureItems() {
		m := r.trading.market(schema.MarketID(i.closes.market.id))
		if tradable(m) && r.unsafe(a) {
			r.closeFuture(a, m)
		}
	}
}

// closeFuture ends all orders of the account on the market first, and what it has open there against itself.
func (r *risk) closeFuture(a schema.AccountID, m *market) {
	if !r.cancel(a, m, schema.ByLiquidation, func(*order) schema.Status { return schema.AutoCanceledLiquidation }) {
		return
	}
	r.closeOverlap(a, m)
	for round := 1; round <= 2; round++ {
		if h := r.position(a, m); h != nil && r.unsafe(a) {
			r.closeRound(h, m, round)
		}
	}
	if h := r.position(a, m); h != nil && r.unsafe(a) {
		r.deleverage(h, m)
	}
}

// position is the only one that an account has on a market, or nil.
func (r *risk) position(a schema.AccountID, m *market) *held {
	if h := r.margins.find(a, m.ID, true); h != nil {
		return h
	}
	return r.margins.find(a, m.ID, false)
}

// closeOverlap closes both sides of hedge mode against each other at the mark, as far as both are open.
func (r *risk) closeOverlap(a schema.AccountID, m *market) {
	g := r.margins
	long, short := g.find(a, m.ID, true), g.find(a, m.ID, false)
	if long == nil || short == nil || !r.unit() {
		return
	}
	g.bookFunding(long)
	g.bookFunding(short)
	size, price := least(long.size, short.size.abs()), g.instrument(m, g.currencies()).price()
	g.closeAtMark(long, size, price, schema.ByLiquidation)
	g.closeAtMark(short, size, price, schema.ByLiquidation)
}

// closeRound closes a part of a position in the book, or in the second round all of it, at prices that leave the
// account its share of what it has.
func (r *risk) closeRound(h *held, m *market, round int) {
	p := r.margins.atRisk(h.account)
	s, size := p.seat(m.ID), h.size.abs()
	size = roundSize(round, size, size.times(s.market.price()), m.step(), of(m.MinAmount))
	limit := p.closingLimit(s, h.long(), size, r.takerRate(h.account, m), of(m.LiquidationFee).over(hundred))
	r.force(r.closing(h, m, size), limit) // nobody sells for nothing: a limit below that meets none
}

// closing is an order of the risk engine that closes some of a position of an account in liquidation.
func (r *risk) closing(h *held, m *market, size num) *order {
	o := &order{
		account: h.account, market: m, kind: schema.StockMarket, side: schema.Sell, stp: schema.STPCancelOld, ioc: true,
		collateral: true, reduceOnly: true, positionSide: h.side, forced: true, amount: size, left: size,
	}
	if !h.long() {
		o.side = schema.Buy
	}
	return o
}

// name gives an order of the risk engine its id and its name.
func (r *risk) name(o *order, word string) {
	t := r.trading
	t.lastOrder++
	o.id, o.client = t.lastOrder, schema.SystemClientID(word, t.lastOrder)
	o.status = schema.Open
	o.created, o.updated = r.call.at, r.call.at
}

// force lets an order of the risk engine trade at a limit or better, as long as there are units. One that meets nobody
// is not made, so that waiting leaves no trace.
func (r *risk) force(o *order, limit num) {
	o.bound = limit
	if len(makers(o)) == 0 || !r.unit() {
		return
	}
	t := r.trading
	r.name(o, "liquidation")
	o.market.orders = append(o.market.orders, o)
	for book := makers(o); o.left.sign() > 0 && len(book) > 0 && r.unit(); book = makers(o) {
		r.meet(o, slices.MinFunc(book, priority))
	}
	status := schema.Canceled
	switch {
	case o.left.sign() == 0:
		status = schema.Filled
	case o.stock.sign() > 0:
		status = schema.PartiallyFilled
	}
	t.end(o, status, schema.ByLiquidation)
}

// meet is one step of the matching: a fill, or a maker that ends instead. Makers that pay from collateral need room, as always.
func (r *risk) meet(o, maker *order) {
	t := r.trading
	if maker.account == o.account {
		t.end(maker, schema.CanceledSTP, schema.BySTP)
		return
	}
	amount, instead := r.margins.judge(o, maker, least(o.left, maker.left))
	if instead != nil {
		t.end(instead.order, instead.status, instead.cause)
		return
	}
	t.fill(o, maker, amount)
	if isFuture(o.market.MarketInfo) {
		r.chargeFee(o, r.prices.settled(o.market.MarketInfo, maker.price.times(amount)))
	}
}

// chargeFee takes the liquidation fee of a deal out of what is left of the account after it.
func (r *risk) chargeFee(o *order, money num) {
	m := o.market
	left := r.margins.atRisk(o.account).total()
	fee := liquidationFee(money, of(m.LiquidationFee).over(hundred), left, m.FeePrec)
	r.margins.pay(o.account, r.listing.money(m.MarketInfo).ID, holder{insurance, schema.Main}, fee.neg(), why{schema.ByLiquidation, uint64(r.trading.lastDeal)}, true)
}
