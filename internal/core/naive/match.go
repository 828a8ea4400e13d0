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
		s = s.Opposite()
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
		case taker.kind.HasPrice() && beyond(taker.side, o.price, taker.price):
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

// band is the worst price that an order at the market may meet, if there is one. It is not
// rounded: rounding toward the reference leaves the same prices within the band.
func band(o *order) (limit num, ok bool) {
	width := of(o.market.TakerBand).over(hundred)
	best, found := bestPrice(o.market, o.side.Opposite())
	switch {
	case o.kind.HasPrice() || width.sign() == 0 || !found:
		return num{}, false
	case o.side == schema.Buy:
		return best.times(whole(1).plus(width)), true
	default:
		return best.times(whole(1).minus(width)), true
	}
}

// sweepCost is what a stock market buy would pay, or with bounded work the part of it that goes to
// the first makers.
func (x *Exchange) sweepCost(o *order) num {
	limit, banded := band(o)
	asks := makers(o)
	slices.SortFunc(asks, priority)
	if x.boundedWork && len(asks) > x.sweepMost {
		asks = asks[:x.sweepMost]
	}
	cost, left := num{}, o.left
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
	return cost
}

// match lets an incoming order trade and then rest or end.
func (x *Exchange) match(o *order) {
	limit, banded := band(o)
	spent := false // too poor for one more step
	for o.left.sign() > 0 {
		book := makers(o)
		if len(book) == 0 {
			break
		}
		maker := slices.MinFunc(book, priority)
		if banded && beyond(o.side, maker.price, limit) {
			x.end(o, schema.CanceledTakerBand)
			return
		}
		amount := x.takes(o, maker)
		if amount.sign() == 0 {
			spent = true
			break
		}
		if maker.account == o.account && o.stp != schema.STPNo {
			if o.stp != schema.STPCancelNew {
				x.end(maker, schema.CanceledSTP)
			}
			if o.stp != schema.STPCancelOld {
				x.end(o, schema.CanceledSTP)
				return
			}
			continue
		}
		x.fill(o, maker, amount)
	}
	switch {
	case o.left.sign() == 0, spent && o.inQuote() && o.stock.sign() > 0:
		x.end(o, schema.Filled)
	case o.kind.HasPrice() && !o.ioc && fitsLevel(o.market, o.side, o.rpi, o.price, o.left):
		x.rest(o)
	default:
		x.end(o, schema.Canceled)
	}
}

// takes is how much an incoming order takes from a maker; zero when it cannot pay one step.
func (x *Exchange) takes(o, maker *order) num {
	switch {
	case o.inQuote() && x.exactMoney:
		return least(buys(o.left, maker.left, maker), maxInt64.times(o.market.lot()).minus(o.stock))
	case o.inQuote():
		return least(o.left.over(maker.price).truncate(o.market.step()), maker.left)
	case x.boundedWork && o.side == schema.Buy && !o.kind.HasPrice():
		// Nobody knew what the whole of it would cost.
		available := x.balance(o.account, schema.Trade, o.paysWith()).available
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
func (x *Exchange) fill(taker, maker *order, amount num) {
	m, price := taker.market, maker.price
	money := price.times(amount)
	buyer, seller := taker, maker
	if taker.side == schema.Sell {
		buyer, seller = maker, taker
	}
	buyerFee := x.fee(m, m.Base, amount.times(x.rate(buyer, buyer == maker)))
	sellerFee := x.fee(m, m.Quote, money.times(x.rate(seller, seller == maker)))

	x.pay(buyer, money)
	x.pay(seller, amount)
	x.receive(buyer.account, schema.Trade, m.Base, amount.minus(buyerFee))
	x.receive(seller.account, schema.Trade, m.Quote, money.minus(sellerFee))
	x.receive(schema.Fees, schema.Main, m.Base, buyerFee)
	x.receive(schema.Fees, schema.Main, m.Quote, sellerFee)
	buyer.dealt(x.at, amount, money, buyerFee)
	seller.dealt(x.at, amount, money, sellerFee)

	x.lastDeal++
	deal := schema.Deal{
		ID: x.lastDeal, Market: m.ID, TakerSide: taker.side, RPI: maker.rpi,
		Price: price.decimal(), Amount: amount.decimal(), Money: money.decimal(),
		Maker: schema.DealSide{Order: maker.id, Account: maker.account, ClientID: maker.client},
		Taker: schema.DealSide{Order: taker.id, Account: taker.account, ClientID: taker.client},
	}
	if buyer == taker {
		deal.Taker.Fee, deal.Maker.Fee = buyerFee.decimal(), sellerFee.decimal()
	} else {
		deal.Taker.Fee, deal.Maker.Fee = sellerFee.decimal(), buyerFee.decimal()
	}
	x.deals = append(x.deals, deal)

	if maker.left.sign() == 0 {
		x.end(maker, schema.Filled)
	} else {
		x.changed(schema.Updated, maker)
	}
	m.last = price
	if !m.dealt || price.more(m.high) {
		m.high = price
	}
	if !m.dealt || price.less(m.low) {
		m.low = price
	}
	m.dealt = true
	if !x.boundedWork {
		x.trigger(m)
	}
}

// fee is cut off at the market's precision. A rebate that the fee account may not owe is none.
func (x *Exchange) fee(m *market, asset schema.AssetID, exact num) num {
	fee := exact.truncate(unit(m.FeePrec))
	if fee.sign() < 0 && fee.plus(x.balance(schema.Fees, schema.Main, asset).available).plus(owedMost).sign() < 0 {
		return num{}
	}
	return fee
}

// pay takes what an order gives in a deal: from its hold if it rested, otherwise from what is
// available.
func (x *Exchange) pay(o *order, n num) {
	b := x.balance(o.account, schema.Trade, o.paysWith())
	if o.resting {
		o.hold = o.hold.minus(n)
		b.frozen = b.frozen.minus(n)
		return
	}
	b.available = b.available.minus(n)
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

// rate is the fee of an order's account as maker or as taker: a fraction, not a percent.
func (x *Exchange) rate(o *order, maker bool) num {
	m, a := o.market, x.account(o.account)
	percent, own := of(m.TakerFee), a.TakerFee
	if maker {
		percent, own = of(m.MakerFee), a.MakerFee
	}
	if own.Set() {
		percent = least(percent, of(own.Value()))
	}
	for _, assigned := range x.fees {
		if assigned.Account == o.account && assigned.Market == m.ID {
			given := assigned.Taker
			if maker {
				given = assigned.Maker
			}
			if given.Set() {
				percent = of(given.Value())
			}
		}
	}
	if maker && o.rpi && m.RPIPremium.Set() {
		percent = percent.plus(of(m.RPIPremium.Value()))
	}
	return percent.over(hundred)
}
