package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// beyond reports whether a price is worse than the limit for an order of the side.
func beyond(s schema.Side, price, limit num) bool {
	if s == schema.Buy {
		return price.more(limit)
	}
	return price.less(limit)
}

// bestPrice is the best price of one side of the public book.
func bestPrice(m *market, s schema.Side) (best num, ok bool) {
	for _, o := range m.orders {
		if o.resting && !o.rpi && o.side == s && (!ok || beyond(s, o.price, best)) {
			best, ok = o.price, true
		}
	}
	return best, ok
}

// bboPrice is the price that a role picks for an order of the side.
func bboPrice(m *market, s schema.Side, role schema.BBORole) (num, bool) {
	if role == schema.BBOCounterparty {
		s = opposite(s)
	}
	return bestPrice(m, s)
}

// makers are the orders in the book that an incoming order may meet, in no order.
func makers(taker *order) []*order {
	if taker.postOnly || taker.rpi {
		return nil // what only makes was checked not to cross the public book, and meets no RPI order
	}
	var found []*order
	for _, o := range taker.market.orders {
		switch {
		case !o.resting, o.side == taker.side, o.rpi && !taker.retail:
		case hasPrice(taker.kind) && beyond(taker.side, o.price, taker.price):
		case taker.forced && beyond(taker.side, o.price, taker.bound):
		default:
			found = append(found, o)
		}
	}
	return found
}

// priority compares two makers of one side: price, then public before RPI, then time.
func priority(a, b *order) int {
	switch {
	case beyond(a.side, a.price, b.price):
		// What is too far for the maker's own side is what the taker likes best.
		return -1
	case beyond(a.side, b.price, a.price):
		return 1
	case a.rpi != b.rpi && b.rpi:
		return -1
	case a.rpi != b.rpi:
		return 1
	}
	return cmp.Compare(a.arrival, b.arrival)
}

// band is the worst price that an order at the market may meet, if there is one: so far from the best price, or
// from the mark of a future. It is not rounded: rounding toward the reference leaves the same prices within the
// band.
func (t *trading) band(o *order) (limit num, ok bool) {
	width := of(o.market.TakerBand).over(hundred)
	from, found := bestPrice(o.market, opposite(o.side))
	if isFuture(o.market.MarketInfo) {
		from, _ = t.prices.mark(o.market.ID)
	}
	switch {
	case hasPrice(o.kind) || width.sign() == 0 || !found:
		return num{}, false
	case o.side == schema.Buy:
		return from.times(whole(1).plus(width)), true
	default:
		return from.times(whole(1).minus(width)), true
	}
}

// sweep is what a stock market order would be dealt for and how much of it, or with bounded work the part of it
// that goes to the first makers.
func (t *trading) sweep(o *order) (cost, dealt num) {
	limit, banded := t.band(o)
	asks := makers(o)
	slices.SortFunc(asks, priority)
	if t.features.boundedWork && len(asks) > t.sweepMost {
		asks = asks[:t.sweepMost]
	}
	left := o.left
	for _, ask := range asks {
		if left.sign() == 0 || banded && beyond(o.side, ask.price, limit) {
			break
		}
		if ask.account == o.account && o.stp != schema.STPNo {
			if o.stp == schema.STPCancelOld {
				continue
			}
			break
		}
		amount := least(left, ask.left)
		cost = cost.plus(amount.times(ask.price))
		left = left.minus(amount)
	}
	return cost, o.left.minus(left)
}

// match lets an incoming order trade and then rest or end.
func (t *trading) match(o *order) {
	limit, banded := t.band(o)
	spent := false // too poor for one more step
	for o.left.sign() > 0 {
		book := makers(o)
		if len(book) == 0 {
			break
		}
		maker := slices.MinFunc(book, priority)
		if banded && beyond(o.side, maker.price, limit) {
			t.end(o, schema.CanceledTakerBand, schema.ByTakerBand)
			return
		}
		amount := t.takes(o, maker)
		if amount.sign() == 0 {
			spent = true
			break
		}
		if maker.account == o.account && o.stp != schema.STPNo {
			if o.stp != schema.STPCancelNew {
				t.end(maker, schema.CanceledSTP, schema.BySTP)
			}
			if o.stp != schema.STPCancelOld {
				t.end(o, schema.CanceledSTP, schema.BySTP)
				return
			}
			continue
		}
		if o.collateral || maker.collateral {
			allowed, instead := t.margins.judge(o, maker, amount)
			if instead != nil {
				t.end(instead.order, instead.status, instead.cause)
				if instead.order == o {
					return
				}
				continue
			}
			amount = allowed
		}
		t.fill(o, maker, amount)
	}
	switch {
	case o.left.sign() == 0, spent && o.inQuote() && o.stock.sign() > 0:
		t.end(o, schema.Filled, schema.ByTrade)
	case hasPrice(o.kind) && !o.ioc && fitsLevel(o.market, o.side, o.rpi, o.price, o.left):
		t.rest(o)
	default:
		t.end(o, schema.Canceled, schema.ByRemainder)
	}
}

// takes is how much an incoming order takes from a maker; zero when it cannot pay one step.
func (t *trading) takes(o, maker *order) num {
	switch {
	case o.inQuote() && t.features.exactMoney:
		return least(buys(o.left, maker.left, maker), maxInt64.times(o.market.lot()).minus(o.stock))
	case o.inQuote():
		return least(o.left.over(maker.price).truncate(o.market.step()), maker.left)
	case t.features.boundedWork && o.side == schema.Buy && !hasPrice(o.kind) && !o.collateral:
		// Nobody knew what the whole of it would cost.
		available := t.ledger.balance(o.account, schema.Trade, o.paysWith()).available
		return buys(available, least(o.left, maker.left), maker)
	}
	return least(o.left, maker.left)
}

// buys is all of an amount if the budget buys that much from the maker, otherwise the whole steps
// that it buys.
func buys(budget, amount num, maker *order) num {
	affordable := budget.over(maker.price)
	if affordable.less(amount) {
		return affordable.truncate(maker.market.step())
	}
	return amount
}

// fill is one deal.
func (t *trading) fill(taker, maker *order, amount num) {
	m, price := taker.market, maker.price
	money := price.times(amount)
	t.lastDeal++
	settled := t.prices.settled(m.MarketInfo, money)
	makerFee, takerFee := t.dealFee(maker, amount, settled, true), t.dealFee(taker, amount, settled, false)
	if isFuture(m.MarketInfo) {
		t.margins.settle(maker, price, amount, money, makerFee)
		t.margins.settle(taker, price, amount, money, takerFee)
	} else {
		t.margins.enter(maker, price, amount, money, makerFee)
		t.margins.enter(taker, price, amount, money, takerFee)
		t.swap(taker, maker, amount, money, makerFee, takerFee)
	}
	maker.dealt(t.call.at, amount, money, makerFee)
	taker.dealt(t.call.at, amount, money, takerFee)
	t.call.record(&schema.Deal{
		ID: t.lastDeal, Market: m.ID, TakerSide: taker.side, RPI: maker.rpi,
		Price: price.decimal(), Amount: amount.decimal(), Money: money.decimal(),
		Maker: schema.DealSide{Order: maker.id, Account: maker.account, ClientID: maker.client, Fee: makerFee.decimal(), Margin: onMargin(maker)},
		Taker: schema.DealSide{Order: taker.id, Account: taker.account, ClientID: taker.client, Fee: takerFee.decimal(), Margin: onMargin(taker)},
	})

	t.dealtInGroup(maker)
	if maker.left.sign() == 0 {
		t.end(maker, schema.Filled, schema.ByTrade)
	} else {
		if !maker.rpi {
			t.level(m, maker.side, maker.price)
		}
		t.changed(schema.Updated, maker, schema.ByTrade)
	}
	t.dealtInGroup(taker)
	m.last = price
	if !m.dealt || price.more(m.high) {
		m.high = price
	}
	if !m.dealt || price.less(m.low) {
		m.low = price
	}
	m.dealt = true
	if !t.features.boundedWork {
		t.trigger(m)
	}
}

// dealt writes a deal into the order.
func (o *order) dealt(at schema.Time, amount, money, fee num) {
	if o.inQuote() {
		o.left = o.left.minus(money)
	} else {
		o.left = o.left.minus(amount)
	}
	o.stock = o.stock.plus(amount)
	o.money = o.money.plus(money)
	o.fee = o.fee.plus(fee)
	o.status = schema.PartiallyFilled
	o.updated = at
}

// onMargin reports whether an order on a spot market is paid from collateral.
func onMargin(o *order) bool { return o.collateral && o.market.Type == schema.Spot }
