package naive

import "sort"

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
	from, to := 1, highest
	if !s.long.empty() && !s.short.empty() {
		if !safeAt(s.market.price()) {
			return num{}, false
		}
		if long {
			to = s.market.ticks(s.market.fair())
		} else {
			from = s.market.ticks(s.market.fair()) + 1
		}
	}
	safeTick := func(n int) bool { return safeAt(s.market.at(whole(int64(n)).times(s.market.tick))) }
	// The first tick of the range at which things turn: to safe for a long position, to unsafe for a
	// short one.
	turn := from + sort.Search(to-from+1, func(i int) bool { return safeTick(from+i) == long })
	if long {
		ok = turn > from && turn <= highest
		turn--
	} else {
		ok = turn <= to && turn > 1
	}
	return whole(int64(turn)).times(s.market.tick), ok
}

// ticks is how many whole ticks a price has.
func (i *instrument) ticks(price num) int {
	return int(price.over(i.tick).truncate(one).rat().Num().Int64())
}
