package naive

import "bourse/internal/schema"

// checkWallet stands after check 2: futures are traded with collateral alone, and spot markets without.
func checkWallet(m *market, r *schema.OrderRequest) schema.Rejection {
	switch future := m.Type == schema.Futures; {
	case future && !r.Collateral:
		return because(schema.CollateralOnly)
	case !future && r.Collateral:
		return because(schema.CollateralUnavailable)
	}
	return accepted
}

// checkPositionSide stands after check 6. Orders of hedge mode that close their side only reduce. It writes both
// into the request.
func (g *margins) checkPositionSide(a *schema.Account, r *schema.OrderRequest) schema.Rejection {
	switch {
	case !r.Collateral:
	case !g.mode(a.ID).hedge:
		r.PositionSide = bothSides
	case r.PositionSide != longSide && r.PositionSide != shortSide:
		return because(schema.PositionSideMismatch)
	case (r.PositionSide == longSide) != (r.Side == schema.Buy):
		r.ReduceOnly = true
	}
	return accepted
}

// checkReduceOnly stands after check 11: an order that may only reduce is for no more than its position. It writes
// that into the request.
func (g *margins) checkReduceOnly(a *schema.Account, m *market, r *schema.OrderRequest) schema.Rejection {
	if !r.Collateral || !r.ReduceOnly {
		return accepted
	}
	amount, reduces := g.reducing(makeOrder(a, m, r), of(r.Amount))
	if !reduces {
		return because(schema.ReduceOnlyNothing)
	}
	r.Amount = amount.decimal()
	return accepted
}

// checkMark follows it: futures are priced around the mark. A stop that picks its price when triggered has none to look at.
func (g *margins) checkMark(m *market, r *schema.OrderRequest) schema.Rejection {
	if !r.Collateral {
		return accepted
	}
	mark, _ := g.prices.mark(m.ID)
	switch {
	case mark.sign() == 0:
		return because(schema.PriceUnknown)
	case priced(r) && !withinBand(of(r.Price), mark, of(m.PriceBand).over(hundred)):
		return because(schema.PriceOutOfBand)
	}
	return accepted
}

// checkMargin is check 15 of an order on a future: it fits the bounds of the market, and what it binds is covered.
// It also notes whether the order is worse than the mark.
func (g *margins) checkMargin(o *order, replaces *order) schema.Rejection {
	m := o.market
	mark, fresh := g.prices.mark(m.ID)
	before := g.portfolio(o.account)
	after := before.copied()
	asks := g.asks(o, mark)
	o.worse = asks.worse
	was, is := before.seat(m.ID), after.seat(m.ID)
	is.orders = append(g.pending(o.account, m, replaces), asks)
	if !o.reduceOnly {
		grown := greatest(num{}, is.reach(after.hedge).minus(was.reach(before.hedge)))
		interest, most := g.interestIn(m.ID).plus(grown), of(m.MaxOpenInterest)
		switch {
		case !after.fitsPosition(is, of(m.MaxPosition)):
			return because(schema.PositionTooBig)
		case !is.fitsPending(of(m.MaxPending)):
			return because(schema.PendingTooBig)
		case most.sign() != 0 && interest.times(mark).more(most):
			return because(schema.PositionTooBig)
		}
	}
	margin := after.margin()
	if !margin.more(before.margin()) {
		return accepted
	}
	fee := asks.value.times(greatest(num{}, g.trading.rate(o, false))).ceil(smallest)
	switch {
	case !fresh:
		return because(schema.PriceUnknown)
	case before.total().minus(margin).minus(fee).sign() < 0:
		return because(schema.NotEnoughBalance)
	}
	return accepted
}

// asks is what a new order is to its seat. One at the market is what the book would take of it now, unless that
// is nothing: then all of it counts, at the mark.
func (g *margins) asks(o *order, mark num) pending {
	buys := o.side == schema.Buy
	if o.kind != schema.StockMarket {
		price := o.boundPrice()
		return o.pending(o.left, o.left.times(price), worseThan(buys, price, mark))
	}
	money, amount := g.trading.sweep(o)
	if amount.sign() == 0 {
		return o.pending(o.left, o.left.times(mark), false)
	}
	return o.pending(amount, money, worseThan(buys, money, amount.times(mark)))
}
