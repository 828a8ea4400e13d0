package naive

// liquidationPrice is the first price that leaves an account with less than its maintenance margin while
// everything but this market stays where it is: the highest unsafe tick for a long position, the lowest
// for a short one, if there is any and not all are unsafe. With both sides of hedge mode open either
// direction can be unsafe, so it is looked for from the current price, which must be safe.
func (p *portfolio) liquidationPrice(s *seat, long bool) (price num, ok bool) {
	total := p.total().minus(s.unrealized())
	maintenance := p.maintenance().minus(p.marketMaintenance(s, s.market.price()))
	safeAt := func(price num) bool {
		return !total.plus(s.gain(price)).less(maintenance.plus(p.marketMaintenance(s, price)))
	}
	highest := s.market.ticks(maxInt64.times(unit(s.market.moneyPrec)))
	from, to := one, highest
	if !s.long.empty() && !s.short.empty() {
		if !safeAt(s.market.price()) {
			return num{}, false
		}
		if long {
			to = s.market.ticks(s.market.fair())
		} else {
			from = s.market.ticks(s.market.fair()).plus(one)
		}
	}
	// The first tick at which things turn: to safe for a long position, to unsafe for a short one; the one
	// after the last if they do not.
	turn, end := from, to.plus(one)
	for turn.less(end) {
		middle := turn.plus(end).over(whole(2)).truncate(one)
		if safeAt(s.market.at(middle.times(s.market.tick))) == long {
			end = middle
		} else {
			turn = middle.plus(one)
		}
	}
	if long {
		return turn.minus(one).times(s.market.tick), turn.more(from) && !turn.more(highest)
	}
	return turn.times(s.market.tick), turn.more(one) && !turn.more(to)
}

// ticks is how many whole ticks a price has.
func (i *instrument) ticks(price num) num { return price.over(i.tick).truncate(one) }
