package naive

// watch is the range of a price in which an account is certainly safe. A side that it cannot lose on has
// no bound.
type watch struct {
	market   *instrument // of a future, or
	currency *currency
	price    num // when the range was made
	falls    num // the most that is lost per unit of a fall
	rises    num // the most that is lost per unit of a rise
	low      num
	high     num
}

var (
	slack   = unit(9) // for everything that is rounded
	mostPhi = whole(1000)
)

// watches are the prices that an account depends on and how far all of them may move together, as a part
// of each, before it could have less than so many maintenance margins. An account that is in liquidation
// or cannot lose has none.
func (p *portfolio) watches(factor num) (phi num, found []watch) {
	if !p.covers(one) {
		return num{}, nil
	}
	var all []watch
	value := num{}
	add := func(w watch) {
		w.falls, w.rises = w.falls.ceil(smallest), w.rises.ceil(smallest)
		moves := greatest(w.falls, w.rises).times(w.price).ceil(smallest)
		if moves.sign() > 0 {
			value = value.plus(moves)
			all = append(all, w)
		}
	}
	for _, s := range p.seats {
		if s.market.future {
			add(p.watchFuture(s, factor))
		}
	}
	for _, h := range p.holdings {
		if !h.usdt {
			add(p.watchCurrency(h, factor))
		}
	}
	if value.sign() == 0 {
		return num{}, nil
	}
	spare := p.total().minus(factor.times(p.maintenance())).minus(slack)
	phi = spare.over(value).truncate(smallest).within(num{}, mostPhi)
	for i := range all {
		all[i].low = greatest(lowest, all[i].price.times(one.minus(phi)).ceil(smallest))
		all[i].high = least(largest, all[i].price.times(one.plus(phi)).floor(smallest))
	}
	return phi, all
}

// watchFuture: a net long loses by a fall, a net short by a rise, and a rise asks for more maintenance
// margin on the larger side.
func (p *portfolio) watchFuture(s *seat, factor num) watch {
	margin := threePercent.times(factor).times(s.larger())
	return watch{
		market: s.market, price: s.market.price(),
		falls: greatest(num{}, s.net()),
		rises: greatest(num{}, margin.minus(s.net())),
	}
}

// watchCurrency: what is owned, long positions and the proceeds of short ones lose by a fall; what is owed,
// short positions and the cost of long ones by a rise, the first two with their maintenance margin.
func (p *portfolio) watchCurrency(h *holding, factor num) watch {
	w := watch{currency: h.currency, price: h.price()}
	owed := one.plus(threePercent.times(factor))
	if own := p.own(h); own.sign() > 0 {
		w.falls = own.times(h.weight)
	} else {
		w.rises = own.neg().times(owed)
	}
	for _, s := range p.seats {
		if s.market.future {
			continue
		}
		if s.market.base == h.currency {
			w.falls = w.falls.plus(s.long.size)
			w.rises = w.rises.plus(s.short.size.neg().times(owed))
		}
		if s.market.quote == h.currency {
			w.falls = w.falls.plus(s.short.cost.neg())
			w.rises = w.rises.plus(s.long.cost)
		}
	}
	return w
}

// safe reports whether a price is within the range.
func (w watch) safe(price num) bool {
	return (w.falls.sign() == 0 || !price.less(w.low)) && (w.rises.sign() == 0 || !price.more(w.high))
}
