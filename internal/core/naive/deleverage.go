package naive

import "bourse/internal/schema"

// deleverage closes what the book did not take of a position against those of the other side that win, at one price
// as far as each of them can bear it. Without any the rest stays open.
func (r *risk) deleverage(h *held, m *market) {
	p := r.margins.atRisk(h.account)
	d := deleverage{
		account: p, seat: p.seat(m.ID), long: h.long(), last: m.last,
		taker: r.takerRate(h.account, m), markBand: of(m.MarkBand).over(hundred),
	}
	price := d.price()
	for _, other := range r.counterparties(h, m) {
		if h.empty() || !r.cancel(other.account, m, schema.ByDeleveraging, deleveragedStatus) {
			return
		}
		size := least(h.size.abs(), other.size.abs())
		owner := r.margins.atRisk(other.account)
		at := d.bounded(price, owner, owner.seat(m.ID), size)
		if at.sign() <= 0 {
			continue
		}
		if !r.unit() {
			return
		}
		r.pair(h, other, m, size, at)
	}
}

// deleveragedStatus is how an order ends whose owner is deleveraged.
func deleveragedStatus(o *order) schema.Status {
	if o.reduceOnly {
		return unreducedStatus(o)
	}
	return schema.Canceled
}

// counterparties are the positions of the other side that win and are not the account's own, those that win most for
// the equity of their accounts first.
func (r *risk) counterparties(h *held, m *market) (found []*held) {
	var list []ranked
	for _, other := range r.margins.open {
		if other.market == m.ID && other.long() != h.long() && other.account != h.account {
			owner := r.margins.atRisk(other.account)
			market := owner.seat(m.ID).market
			list = append(list, ranked{other.id, market.gain(other.position, market.price()), owner.equity()})
		}
	}
	for _, winner := range adlOrder(list) {
		found = append(found, r.margins.numbered(winner.position))
	}
	return found
}

// pair closes a size of two positions against each other. The book, its last price and its stops know nothing of it.
func (r *risk) pair(h, other *held, m *market, size, price num) {
	t, g := r.trading, r.margins
	taker, maker := r.closing(h, m, size), r.closing(other, m, size)
	maker.forced, maker.stp = false, schema.STPNo
	r.name(taker, "liquidation")
	r.name(maker, "adl")
	t.lastDeal++
	money := price.times(size)
	fee := t.dealFee(taker, size, t.prices.settled(m.MarketInfo, money), false)
	g.settle(maker, price, size, money, num{})
	g.settle(taker, price, size, money, fee)
	maker.dealt(r.call.at, size, money, num{})
	taker.dealt(r.call.at, size, money, fee)
	r.call.record(&schema.Deal{
		ID: t.lastDeal, Market: m.ID, TakerSide: taker.side, OffBook: true,
		Price: price.decimal(), Amount: size.decimal(), Money: money.decimal(),
		Maker: schema.DealSide{Order: maker.id, Account: maker.account, ClientID: maker.client},
		Taker: schema.DealSide{Order: taker.id, Account: taker.account, ClientID: taker.client, Fee: fee.decimal()},
	})
	t.end(maker, schema.Filled, schema.ByDeleveraging)
	t.end(taker, schema.Filled, schema.ByLiquidation)
}
