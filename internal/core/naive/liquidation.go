package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// callFactor is the number of maintenance margins below which an account is warned.
var callFactor = whole(3).over(whole(2))

// covers reports whether an account has so many maintenance margins.
func (p *portfolio) covers(factor num) bool {
	return !p.total().less(factor.times(p.maintenance()))
}

// liquidationState is how near an account is to the end of its margin.
func (p *portfolio) liquidationState() schema.RiskState {
	switch {
	case !p.covers(one):
		return inLiquidation
	case !p.covers(callFactor):
		return marginCall
	}
	return riskNone
}

// worstFirst are the accounts to liquidate: the least total per maintenance margin first, then by id.
func worstFirst(all []*portfolio) []*portfolio {
	unsafe := slices.DeleteFunc(slices.Clone(all), func(p *portfolio) bool { return p.covers(one) })
	slices.SortFunc(unsafe, func(a, b *portfolio) int {
		worse := a.total().times(b.maintenance()).cmp(b.total().times(a.maintenance()))
		return cmp.Or(worse, cmp.Compare(a.id, b.id))
	})
	return unsafe
}

// item is one thing that liquidation does: it closes the positions of a seat, buys back a naked loan, or
// sells an own asset for USDT that is owed.
type item struct {
	closes *seat
	buys   *holding
	sells  *holding
}

// liquidationItems are what there is to do now, in its order: positions on pairs, loans, futures. Closing
// futures can leave a loan; then it is asked for again. What is valued at a stale price waits.
func (p *portfolio) liquidationItems() []item {
	return slices.Concat(p.pairItems(), p.loanItems(), p.futureItems())
}

// pairItems begin with the smallest initial margin.
func (p *portfolio) pairItems() []item {
	return p.seatItems(func(s *seat) bool { return !s.market.future }, func(a, b *seat) int {
		return p.initial(a, a.larger()).cmp(p.initial(b, b.larger()))
	})
}

// futureItems begin with the largest maintenance margin.
func (p *portfolio) futureItems() []item {
	return p.seatItems(func(s *seat) bool { return s.market.future }, func(a, b *seat) int {
		return p.marketMaintenance(b, b.market.price()).cmp(p.marketMaintenance(a, a.market.price()))
	})
}

// seatItems are the chosen seats in an order, then by market.
func (p *portfolio) seatItems(chosen func(*seat) bool, order func(a, b *seat) int) []item {
	var seats []*seat
	for _, s := range p.seats {
		if chosen(s) && !s.empty() && !s.market.stale() {
			seats = append(seats, s)
		}
	}
	slices.SortFunc(seats, func(a, b *seat) int {
		return cmp.Or(order(a, b), cmp.Compare(a.market.id, b.market.id))
	})
	var items []item
	for _, s := range seats {
		items = append(items, item{closes: s})
	}
	return items
}

// loanItems buy what is owed of other currencies, then sell own assets as long as USDT is owed, the most
// valuable first in both.
func (p *portfolio) loanItems() []item {
	var owed, owned []*holding
	owesUSDT := false
	for _, h := range p.holdings {
		own := p.own(h)
		switch {
		case h.usdt:
			owesUSDT = own.sign() < 0
		case h.stale:
		case own.sign() < 0:
			owed = append(owed, h)
		case own.sign() > 0:
			owned = append(owned, h)
		}
	}
	byValue := func(a, b *holding) int {
		values := p.own(b).times(b.price()).abs().cmp(p.own(a).times(a.price()).abs())
		return cmp.Or(values, cmp.Compare(a.id, b.id))
	}
	slices.SortFunc(owed, byValue)
	slices.SortFunc(owned, byValue)
	var items []item
	for _, h := range owed {
		items = append(items, item{buys: h})
	}
	if owesUSDT {
		for _, h := range owned {
			items = append(items, item{sells: h})
		}
	}
	return items
}

// partBelow is the notional from which a position is closed in two rounds, in USDT.
var partBelow = whole(1000)

// roundSize is how much a round closes of a size: a quarter in the first, all in the second. The first
// takes all if it is worth little or less than the smallest order would be left.
func roundSize(round int, size, notional, step, minAmount num) num {
	part := size.over(whole(4)).ceil(step)
	if round > 1 || notional.less(partBelow) || size.minus(part).less(minAmount) {
		return size
	}
	return part
}

// saleSize is how much of an own asset a round sells for a debt of USDT: what the round's part of the debt
// is worth, as far as there are whole steps of it.
func saleSize(round int, debt, own, price, step, minAmount num) num {
	if round == 1 && !debt.less(partBelow) {
		debt = debt.over(whole(4))
	}
	size := debt.over(price).ceil(step)
	if own.minus(size).less(minAmount) {
		size = own.truncate(step)
	}
	return size
}

// purchaseSize is how much a round buys of what is owed: a quarter in the first if it is worth enough, otherwise all, in
// whole steps.
func purchaseSize(round int, debt, price, step num) num {
	if round == 1 && !debt.times(price).less(partBelow) {
		debt = debt.over(whole(4))
	}
	return debt.ceil(step)
}

// closingLimit is the worst price at which a round may close a size of a future: what it loses with the
// fees of a taker and of liquidation is the size's share of the account's total at most, and that share is
// the same part of the mark whatever the size. An account that has nothing left pays no liquidation fee, and
// must get its deficit back. What is left of a price after the fees is rounded against the account.
func (p *portfolio) closingLimit(s *seat, long bool, size, taker, liquidation num) num {
	total, all, mark := p.total(), p.notional(), s.market.mark
	if total.sign() <= 0 {
		value, deficit := size.times(mark), total.over(s.market.quote.price())
		if long {
			return value.minus(deficit).over(size.times(one.minus(taker)).truncate(smallest)).ceil(s.market.tick)
		}
		return value.plus(deficit).over(size.times(one.plus(taker)).ceil(smallest)).floor(s.market.tick)
	}
	fees := taker.plus(liquidation)
	if long {
		return mark.times(all.minus(total)).over(all.times(one.minus(fees)).truncate(smallest)).ceil(s.market.tick)
	}
	return mark.times(all.plus(total)).over(all.times(one.plus(fees)).ceil(smallest)).floor(s.market.tick)
}

// liquidationFee is what a deal of liquidation pays to the insurance fund, out of what is left after it
// and its other fee.
func liquidationFee(value, rate, left num, feePrec uint8) num {
	return least(value.times(rate), greatest(num{}, left)).truncate(unit(feePrec))
}

// indexLimit is the worst price at which liquidation trades on a pair, to a tick inside the band around
// what the indices say. The band is a fraction.
func (i *instrument) indexLimit(buys bool, width num) num {
	if buys {
		return i.fair().times(one.plus(width)).floor(i.tick)
	}
	return i.fair().times(one.minus(width)).ceil(i.tick)
}

// ended reports whether nothing can be done for an account: it has no position, owes something, none of what it owns can be
// sold, and it has no USDT that would buy what it owes. Sellable says of an amount of a currency whether a market would take it
// at any time, buyable whether there is a market at all; one that has no price now only waits.
func (p *portfolio) ended(sellable func(h *holding, amount num) bool, buyable func(h *holding) bool) bool {
	for _, s := range p.seats {
		if !s.empty() {
			return false
		}
	}
	owes, buys, money := false, false, false
	for _, h := range p.holdings {
		owes = owes || h.debt.sign() > 0
		switch own := p.own(h); {
		case h.usdt:
			money = own.sign() > 0
		case own.sign() < 0:
			buys = buys || buyable(h)
		case own.sign() > 0 && sellable(h, own):
			return false
		}
	}
	return owes && !(money && buys)
}
