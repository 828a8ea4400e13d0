package naive

import "slices"

// free is what of a currency may leave the collateral wallet without a loan: what is there and owned, and
// no more than the margin can miss. Profit that is not realized cannot leave, a loss counts.
func (p *portfolio) free(h *holding) num {
	if p.exposedToStale() {
		return num{}
	}
	spare := p.equity().plus(least(p.unrealized(), num{})).minus(p.margin())
	most := least(h.collateral, p.own(h))
	price := h.weight.times(h.price())
	switch {
	case price.sign() > 0:
		most = least(most, spare.over(price))
	case spare.sign() < 0:
		return num{}
	}
	return greatest(num{}, most).truncate(unit(h.scale))
}

// freeWithLoan is what may leave with a loan. Room is what the pool has to lend.
func (p *portfolio) freeWithLoan(h *holding, room, accountCap num) num {
	free := p.free(h)
	if h.price().sign() == 0 {
		return free
	}
	covered := p.freeMargin().times(whole(min(p.leverage, 10))).over(h.price())
	loan := least(least(room, accountCap.minus(h.debt)), covered)
	return free.plus(greatest(num{}, loan).truncate(unit(h.scale)))
}

// with is the portfolio after an order is placed on a seat in place of others. Only its orders differ.
func (p *portfolio) with(s *seat, added pending, removed int) *portfolio {
	changed := *s
	changed.orders = slices.Clone(s.orders)
	if removed >= 0 {
		changed.orders = slices.Delete(changed.orders, removed, removed+1)
	}
	changed.orders = append(changed.orders, added)
	after := *p
	after.seats = slices.Clone(p.seats)
	after.seats[slices.Index(p.seats, s)] = &changed
	return &after
}

// admits reports whether an order may be placed, in place of the one that it replaces (none: -1): if it
// binds more, that and the fee of a taker are covered.
func (p *portfolio) admits(s *seat, o pending, replaced int, fee num) bool {
	margin := p.with(s, o, replaced).margin()
	return !margin.more(p.margin()) || p.total().minus(margin).minus(fee).sign() >= 0
}

// hasRoom reports whether a fill may happen that makes one portfolio of another, both at the same prices
// and the second after its fee. Was and is are the size of the position, in hedge mode of the side, without
// its sign. What grows must be covered as a new position is, all else as an open one, or the fill leaves
// the account safer in proportion.
func hasRoom(before, after *portfolio, was, is num) bool {
	total := after.total()
	if is.more(was) {
		return !total.less(after.positionMargin())
	}
	if !total.less(after.maintenance()) {
		return true
	}
	safer := !total.times(before.maintenance()).less(before.total().times(after.maintenance()))
	return is.less(was) && safer
}

// admitsLeverage reports whether an account can have another leverage: one that binds more must be
// covered.
func (p *portfolio) admitsLeverage(leverage int64) bool {
	after := *p
	after.leverage = leverage
	margin := after.margin()
	return !margin.more(p.margin()) || !margin.more(p.total())
}

// validLeverage reports whether a leverage is one that there is, not above what the account may have, nor
// above what a future allows on which it has a position or orders.
func (p *portfolio) validLeverage(leverage, accountMost int64) bool {
	if !slices.Contains(leverages, leverage) || leverage > accountMost {
		return false
	}
	return !slices.ContainsFunc(p.seats, func(s *seat) bool {
		return s.market.future && s.used() && leverage > s.market.maxLeverage
	})
}

// mayHedge reports whether an account may change between one-way and hedge mode: without positions and
// orders on futures.
func (p *portfolio) mayHedge() bool {
	return !slices.ContainsFunc(p.seats, func(s *seat) bool { return s.market.future && s.used() })
}

// used reports whether there is a position or an order.
func (s *seat) used() bool { return !s.empty() || len(s.orders) > 0 }

// reduceOnlySize cuts an order that may only reduce to the position that it is against, in hedge mode the
// one of its side. There is none if the position is empty or of the order's own direction.
func reduceOnlySize(p position, buy bool, size num) (num, bool) {
	if p.empty() || buy == (p.size.sign() > 0) {
		return num{}, false
	}
	return least(size, p.size.abs()), true
}

// dearerLeg is the price at which a pair of orders, of which one will be filled, is counted once.
func dearerLeg(buy bool, limit, stop num) num {
	if buy {
		return greatest(limit, stop)
	}
	return least(limit, stop)
}

// withinBand reports whether the price of an order on a future is near enough to the mark. The band is a
// fraction.
func withinBand(price, mark, width num) bool {
	return !price.less(mark.times(one.minus(width))) && !price.more(mark.times(one.plus(width)))
}

// fitsPosition reports whether what the orders of a seat can lead to stays below the limit of the market,
// in USDT; zero is none.
func (p *portfolio) fitsPosition(s *seat, most num) bool {
	return most.sign() == 0 || !s.reach(p.hedge).times(s.market.price()).more(most)
}

// fitsPending reports whether the orders of a seat fit the limit of what may be pending, in USDT; zero is none.
func (s *seat) fitsPending(most num) bool {
	return most.sign() == 0 || !s.pendingValue().times(s.market.quote.price()).more(most)
}

// validProtection reports whether prices that take profit and stop a loss lie on their sides of the
// reference; zero is none of it.
func validProtection(long bool, takeProfit, reference, stopLoss num) (profit, loss bool) {
	beyondReference := func(price num, above bool) bool {
		return price.sign() == 0 || above && price.more(reference) || !above && price.less(reference)
	}
	return beyondReference(takeProfit, long), beyondReference(stopLoss, !long)
}
