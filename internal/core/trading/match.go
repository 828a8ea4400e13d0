package trading

import (
	"math"

	"bourse/internal/core/book"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// match lets an order take from the other side of the book until one of them is at its end. It
// returns Open if what is left may rest, otherwise how the order ended and why. It is not done if
// the slice ended before that: the book stands still until the matching goes on, so that an order
// in slices trades exactly as it would at once.
//
// The order of the questions in the loop is part of the rules. Whether the price is right comes before
// the budget of the slice, so that an order which meets nobody else is never put aside for nothing. A kill
// switch that is due counts before a fill, as if it had fired in time. How much the taker can pay for comes
// before self-trade prevention: a taker whose money is gone has ended by itself and cancels nobody. And what is
// frozen for the taker is released before the first fill only, since every fill pays from what is
// available.
func (e *Engine) match(m *market, o *order, limit book.Ticks, banded bool) (status schema.Status, cause schema.Cause, done bool) {
	if limit != 0 && !banded && !o.flags.has(retail) {
		// Most orders meet nobody, and the best price shows it without a look at an order.
		if best, there := m.book.Best(queue(o.side.Opposite(), false)); !there || !crosses(o.side, limit, best) {
			status, cause = remainder(o)
			return status, cause, true
		}
	}
	for {
		slot := nextMaker(m, o)
		if slot == 0 {
			status, cause = remainder(o)
			return status, cause, true
		}
		maker := m.book.At(slot)
		if limit != 0 && !crosses(o.side, limit, maker.Price) {
			if banded {
				return schema.CanceledTakerBand, schema.ByTakerBand, true
			}
			status, cause = remainder(o)
			return status, cause, true
		}
		if e.budget <= 0 {
			return schema.Open, schema.ByRequest, false
		}
		e.budget--
		if e.late && e.overdue(m, maker.Owner, maker.Terms.flags) {
			e.cancel(m, slot, schema.Canceled, schema.ByKillSwitch)
			continue
		}
		lots := e.takes(m, o, maker)
		if lots == 0 {
			status, cause = spent(o)
			return status, cause, true
		}
		if maker.Owner == o.desk && o.stp != schema.STPNo {
			if o.stp != schema.STPCancelNew {
				e.cancel(m, slot, schema.CanceledSTP, schema.BySTP)
			}
			if o.stp != schema.STPCancelOld {
				return schema.CanceledSTP, schema.BySTP, true
			}
			continue
		}
		if (o.flags | maker.Terms.flags).has(collateral) {
			var said verdict
			switch lots, said, status, cause = e.judge(m, o, slot, lots); said {
			case makerOut:
				continue
			case takerOut:
				return status, cause, true
			}
		}
		// A taker pays from what is available.
		e.release(m, o, schema.ByTrade)
		e.fill(m, o, slot, lots)
		if o.done() {
			return schema.Filled, schema.ByTrade, true
		}
	}
}

// takes is how much an order takes from a maker, 0 if it can pay for nothing more.
func (e *Engine) takes(m *market, o *order, maker *book.Order[terms]) book.Lots {
	switch {
	case o.inQuote() && !e.features.ExactMoney:
		return min(m.affordable(o.budget.Sub(o.dealMoney), maker.Price), maker.Left)
	case o.inQuote():
		// What it buys in all must be countable too.
		return m.affordableOf(o.budget.Sub(o.dealMoney), maker.Price, min(maker.Left, math.MaxInt64-o.dealt))
	case o.unpriced() && e.features.BoundedWork:
		return m.affordableOf(e.room(o), maker.Price, min(o.left, maker.Left))
	default:
		return min(o.left, maker.Left)
	}
}

// crosses reports whether an order of a side with a limit may trade at a price.
func crosses(side schema.Side, limit, price book.Ticks) bool {
	if side == schema.Buy {
		return price <= limit
	}
	return price >= limit
}

// nextMaker is the resting order that a taker trades with next: of two at one price the public one, and RPI
// orders only if the taker is retail and not a maker by its flags.
func nextMaker(m *market, o *order) book.Slot {
	side := o.side.Opposite()
	public := m.book.First(queue(side, false))
	if !o.flags.has(retail) || o.flags.has(rpi) || o.flags.has(postOnly) {
		return public
	}
	hidden := m.book.First(queue(side, true))
	if public == 0 || hidden == 0 {
		return public + hidden
	}
	// The hidden order goes first only where the public price does not reach it.
	if crosses(o.side, m.book.At(hidden).Price, m.book.At(public).Price) {
		return public
	}
	return hidden
}

// worstPrice is the worst price at which an order may trade, 0 for any, and whether that is the
// market's band and not the order's own limit.
func (e *Engine) worstPrice(m *market, o *order) (limit book.Ticks, banded bool) {
	if o.kind.HasPrice() {
		return o.price, false
	}
	best, there := m.book.Best(queue(o.side.Opposite(), false))
	if m.info.TakerBand.IsZero() || !there {
		return 0, false
	}
	if m.future() {
		mark, _ := e.mark(m).Units(m.moneyPrec) // marks are prices of the market
		best = book.Ticks(mark)
	}
	return band(m, o.side, best), true
}

// band is the price at the market's band from a best price, rounded toward that price. It is
// at least one tick: zero means any price to the callers.
func band(m *market, side schema.Side, best book.Ticks) book.Ticks {
	percent, round := fixed.FromInt(100).Add(m.info.TakerBand), fixed.Floor
	if side == schema.Sell {
		percent, round = fixed.FromInt(100).Sub(m.info.TakerBand), fixed.Ceil
	}
	edge, fits := fixed.Mul(m.price(best), percent.Percent(), m.moneyPrec, round)
	if !fits {
		return 0
	}
	n, fits := edge.Units(m.moneyPrec)
	if !fits {
		return 0
	}
	return book.Ticks(n)
}

// remainder is how an order ends that finds nobody to trade with.
func remainder(o *order) (schema.Status, schema.Cause) {
	if o.kind.HasPrice() && !o.flags.has(ioc) {
		return schema.Open, schema.ByRequest
	}
	return schema.Canceled, schema.ByRemainder
}

// spent is how an order ends whose budget buys nothing more.
func spent(o *order) (schema.Status, schema.Cause) {
	if o.dealt > 0 {
		return schema.Filled, schema.ByTrade
	}
	return schema.Canceled, schema.ByRemainder
}

// affordable is how much a budget buys at a price, in whole steps.
func (m *market) affordable(budget fixed.Decimal, price book.Ticks) book.Lots {
	lots := book.Lots(fixed.Quotient(budget, int64(price), m.places))
	return lots - lots%m.step
}

// affordableOf is how much of some lots a budget buys at a price: all of them, however many, or
// else whole steps.
func (m *market) affordableOf(budget fixed.Decimal, price book.Ticks, all book.Lots) book.Lots {
	lots := book.Lots(fixed.Quotient(budget, int64(price), m.places))
	if lots >= all {
		return all
	}
	return lots - lots%m.step
}

// sweepMakers is how many makers sweep looks at under BoundedWork.
const sweepMakers = 4096

// sweep is how much a stock market order would take, and what that is worth: the same walk as match,
// without trading. It stops where the cost is more than what is there to pay, and after so many makers: an order
// that reaches further pays as it goes and ends when its money does.
func (e *Engine) sweep(m *market, o *order, purse fixed.Decimal) (book.Lots, fixed.Decimal) {
	limit, _ := e.worstPrice(m, o)
	cost, left := fixed.Zero, o.left
	makers := math.MaxInt
	if e.features.BoundedWork {
		makers = sweepMakers
	}
	for slot := m.book.First(queue(o.side.Opposite(), false)); slot != 0 && makers > 0; slot = m.book.After(slot) {
		makers--
		maker := m.book.At(slot)
		if limit != 0 && !crosses(o.side, limit, maker.Price) {
			break
		}
		if o.desk != 0 && maker.Owner == o.desk && o.stp != schema.STPNo {
			if o.stp == schema.STPCancelOld {
				continue
			}
			break
		}
		lots := min(left, maker.Left)
		sum, fits := cost.AddChecked(m.money(maker.Price, lots))
		if !fits {
			return o.left, fixed.Max
		}
		cost = sum
		if left -= lots; left == 0 || cost.Cmp(purse) > 0 {
			break
		}
	}
	return o.left - left, cost
}

// fill is one trade: it moves the money, brings both orders up to date, records what happened
// and looks for stops that the price wakes up.
//
// Fees are looked up before money moves, so that a rate cannot depend on the deal it is for. The level is
// reduced before the maker is looked at as the world sees it, because what is left of an order is kept in the book
// alone; and the maker leaves the book only after its last event was written from there. Stops are noted here
// and enter later (wake): a fill inside a fill would let a stop trade before the order that woke it has
// finished, and the depth of that recursion would be the customer's to choose.
func (e *Engine) fill(m *market, o *order, slot book.Slot, lots book.Lots) {
	b := m.book.At(slot)
	price := b.Price
	e.lastDeal++
	deal := e.out.Events.AddDeal()
	deal.ID, deal.Market, deal.TakerSide = e.lastDeal, m.info.ID, o.side
	deal.RPI, deal.OffBook = b.Terms.flags.has(rpi), false
	deal.Price, deal.Amount, deal.Money = m.price(price), m.amount(lots), m.money(price, lots)

	maker, taker := e.desks.At(b.Owner), e.desks.At(o.desk)
	var makerFee, takerFee fixed.Decimal
	if (o.flags | b.Terms.flags).has(collateral) {
		makerFee, takerFee = e.clear(m, o, b, deal, lots)
	} else {
		makerRate := e.makerRate(m, maker, deal.RPI)
		takerRate := e.takerRate(m, taker)
		makerFee, takerFee = e.settle(m, deal, maker, taker, makerRate, takerRate)
	}

	e.level(m, b.Queue(), price, m.book.Reduce(slot, lots))
	d := e.detail(b)
	d.dealMoney, d.dealFee = d.dealMoney.Add(deal.Money), d.dealFee.Add(makerFee)
	d.updated = e.out.Time
	var rested order
	e.load(m, slot, &rested)
	if rested.flags.has(member) {
		e.decide(m, &rested)
	}

	deal.Maker = schema.DealSide{Order: rested.id, Account: maker.account, Fee: makerFee, ClientID: rested.name(), Margin: m.margin(rested.flags)}
	deal.Taker = schema.DealSide{Order: o.id, Account: taker.account, Fee: takerFee, ClientID: o.name(), Margin: m.margin(o.flags)}
	if rested.left == 0 {
		m.book.Unlink(slot)
		e.changed(m, &rested, schema.Closed, schema.ByTrade, schema.Filled)
		e.forget(m, slot)
		if rested.flags.has(member) {
			e.ended(m, &rested, schema.Filled, schema.ByTrade)
		}
	} else {
		e.changed(m, &rested, schema.Updated, schema.ByTrade, rested.status())
	}

	o.dealMoney, o.dealFee = o.dealMoney.Add(deal.Money), o.dealFee.Add(takerFee)
	o.updated = e.out.Time
	if o.inQuote() {
		o.dealt += lots
	} else {
		o.left -= lots
	}
	if o.flags.has(member) {
		e.decide(m, o)
	}
	m.last = price
	e.trigger(m, price)
}
