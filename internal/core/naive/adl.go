package naive

import (
	"cmp"
	"slices"
)

// deleverage is a position that liquidation could not close in the book, with what its price comes from.
type deleverage struct {
	account  *portfolio
	seat     *seat
	long     bool
	last     num // the price of the last deal
	taker    num // the fee of the account, a fraction
	markBand num
}

// published is the price of the documents: the last price, as far as it is near the mark, moved by the
// account's margin less two fees.
func (d deleverage) published() num {
	mark := d.seat.market.mark
	last := d.last.within(mark.times(one.minus(d.markBand)), mark.times(one.plus(d.markBand)))
	health := d.account.total().over(d.account.notional()).floor(smallest)
	move := health.minus(d.taker).minus(d.taker)
	if d.long {
		return last.times(one.minus(move)).truncate(smallest)
	}
	return last.times(one.plus(move)).truncate(smallest)
}

// bankruptcy is the price at which closing the position leaves the account nothing. Of a deficit the
// position bears its share by notional.
func (d deleverage) bankruptcy() num {
	market := d.seat.market
	size := d.seat.side(d.long).size.abs()
	total := d.account.total()
	if total.sign() < 0 {
		total = total.times(size).times(market.price()).over(d.account.notional()).floor(smallest)
	}
	total = total.over(market.quote.price())
	value := size.times(market.mark)
	if d.long {
		return value.minus(total).over(size.times(one.minus(d.taker)).truncate(smallest)).ceil(market.tick)
	}
	return value.plus(total).over(size.times(one.plus(d.taker)).ceil(smallest)).floor(market.tick)
}

// price is the published one as far as it leaves the account something, and no better than the mark does,
// to a tick in the favour of the counterparty.
func (d deleverage) price() num {
	published, bound, market := d.published(), d.bankruptcy(), d.seat.market
	if d.long {
		return least(greatest(published, bound), greatest(market.mark, bound)).floor(market.tick)
	}
	return greatest(least(published, bound), least(market.mark, bound)).ceil(market.tick)
}

// bounded is a price as far as another account can bear to close a size at it.
func (d deleverage) bounded(price num, other *portfolio, s *seat, size num) num {
	if d.long {
		return least(price, other.worstPrice(s, false, size))
	}
	return greatest(price, other.worstPrice(s, true, size))
}

// worstPrice is the worst at which an account may be made to close a size of a position that wins: not
// beyond its entry, nor where it would have less than its maintenance margin afterwards; at the mark if it
// has less already. It is rounded to a tick in the account's favour.
func (p *portfolio) worstPrice(s *seat, long bool, size num) num {
	market := s.market
	entry := s.side(long).entry().over(market.quote.price())
	spare := num{}
	if p.covers(one) {
		after := p.without(s, long, size)
		spare = p.total().minus(after.maintenance()).over(size).over(market.quote.price())
	}
	if long {
		return greatest(entry, market.mark.minus(spare)).ceil(market.tick)
	}
	return least(entry, market.mark.plus(spare)).floor(market.tick)
}

// without is the portfolio with a smaller position, for what its maintenance margin would be.
func (p *portfolio) without(s *seat, long bool, size num) *portfolio {
	changed := *s
	changed.reduce(long, size, num{}, num{})
	after := *p
	after.seats = slices.Clone(p.seats)
	after.seats[slices.Index(p.seats, s)] = &changed
	return &after
}

// ranked is a position in the list of those that can be deleveraged: of one side of one market.
type ranked struct {
	position   int
	unrealized num
	equity     num // of the account
}

// chosen reports whether it can be.
func (r ranked) chosen() bool { return r.unrealized.sign() > 0 }

// compareRating compares the profit per equity. A profit without equity is the highest there is, a loss
// without equity the lowest.
func compareRating(a, b ranked) int {
	if class := cmp.Compare(a.class(), b.class()); class != 0 || a.class() != 0 {
		return class
	}
	return a.unrealized.times(b.equity).cmp(b.unrealized.times(a.equity))
}

func (r ranked) class() int {
	switch {
	case r.equity.sign() > 0:
		return 0
	case r.chosen():
		return 1
	}
	return -1
}

// adlOrder are the positions that win, highest rating first, then by id.
func adlOrder(list []ranked) []ranked {
	winners := slices.DeleteFunc(slices.Clone(list), func(r ranked) bool { return !r.chosen() })
	slices.SortFunc(winners, byRating)
	return winners
}

// byRating is the order in which positions are taken.
func byRating(a, b ranked) int {
	return cmp.Or(compareRating(b, a), cmp.Compare(a.position, b.position))
}

// grades are the grades of all positions of a list, by position: how near they are to the front.
func grades(list []ranked) map[int]int {
	all := slices.Clone(list)
	slices.SortFunc(all, byRating)
	slices.Reverse(all)
	found := map[int]int{}
	for i, r := range all {
		place := whole(int64(i + 1)).over(whole(int64(len(all))))
		grade := 0
		for _, from := range []int64{50, 73, 87, 95} {
			if !place.less(whole(from).over(hundred)) {
				grade++
			}
		}
		found[r.position] = grade
	}
	return found
}
