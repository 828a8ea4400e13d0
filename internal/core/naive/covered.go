package naive

import "bourse/internal/schema"

// checkWallet stands after check 2: futures are traded with collateral alone, and spot markets without unless they have margin.
func checkWallet(m *market, r *schema.OrderRequest) schema.Rejection {
	switch future := isFuture(m.MarketInfo); {
	case future && !r.Collateral:
		return because(schema.CollateralOnly)
	case !future && !isPair(m.MarketInfo) && r.Collateral:
		return because(schema.CollateralUnavailable)
	}
	return accepted
}

// checkPositionSide stands after check 6. Orders of hedge mode that close their side only reduce; pairs know no such mode. It writes
// both into the request.
func (g *margins) checkPositionSide(a *schema.Account, m *market, r *schema.OrderRequest) schema.Rejection {
	switch {
	case !r.Collateral:
	case isPair(m.MarketInfo), !g.mode(a.ID).hedge:
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

// checkMark follows it: what is traded with collateral has a mark, and futures are priced around it. A stop that picks its price
// when triggered has none to look at.
func (g *margins) checkMark(m *market, r *schema.OrderRequest) schema.Rejection {
	if !r.Collateral {
		return accepted
	}
	mark, _ := g.prices.mark(m.ID)
	switch {
	case mark.sign() == 0:
		return because(schema.PriceUnknown)
	case isFuture(m.MarketInfo) && priced(r) && !withinBand(of(r.Price), mark, of(m.PriceBand).over(hundred)):
		return because(schema.PriceOutOfBand)
	}
	return accepted
}

// checkMargin is check 15 of an order that is paid from collateral: it fits the bounds of the market, what it binds is covered,
// and what it may need can be lent. It also notes whether the order is worse than the mark.
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
		case most.sign() != 0 && interest.times(is.market.price()).more(most):
			return because(schema.PositionTooBig)
		}
	}
	margin := after.margin()
	fee := asks.value.times(greatest(num{}, g.trading.rate(o, false))).ceil(smallest).times(is.market.quote.price()).ceil(smallest)
	switch {
	case !margin.more(before.margin()):
	case !fresh:
		return because(schema.PriceUnknown)
	case before.total().minus(margin).minus(fee).sign() < 0:
		return because(schema.NotEnoughBalance)
	}
	switch {
	case g.canLend(o, asks.size, asks.value):
		return accepted
	case o.side == schema.Buy:
		return because(schema.QuoteNotLent)
	}
	return because(schema.BaseNotLent)
}

// canLend reports whether an account can be lent what it gives for an amount and money of an order and has not. On futures
// nothing is given.
func (g *margins) canLend(o *order, amount, money num) bool {
	if !isPair(o.market.MarketInfo) {
		return true
	}
	asset, gives := o.paysWith(), amount
	if o.side == schema.Buy {
		gives = money
	}
	missing := shortfall(g.ledger.balance(o.account, schema.Collateral, asset).available, gives)
	set := g.prices.collaterals[asset]
	lent := g.ledger.balance(lending, schema.Debt, asset).available.neg()
	room := poolRoom(of(set.PoolCap), lent, g.ledger.balance(lending, schema.Main, asset).available)
	owes := g.ledger.balance(o.account, schema.Debt, asset).available
	return missing.sign() == 0 || mayLend(missing, room, g.accountCap(asset), owes)
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
