package naive

// pending is an open order of the collateral wallet.
type pending struct {
	buy        bool
	long       bool // in hedge mode: for the long side
	size       num
	value      num // at its limit, or the activation price of a stop without one, in the quote
	worse      bool
	reduceOnly bool // also what takes profit or stops a loss, and in hedge mode what closes its side
}

// worseThan reports whether an order at a price loses at once if it is filled while the market is fair.
func worseThan(buy bool, price, fair num) bool {
	if buy {
		return price.more(fair)
	}
	return price.less(fair)
}

// lots is the size of the orders that are chosen.
func (s *seat) lots(chosen func(pending) bool) num {
	sum := num{}
	for _, o := range s.orders {
		if chosen(o) {
			sum = sum.plus(o.size)
		}
	}
	return sum
}

// reducing is the size of reduce-only orders, as far as the position goes.
func (s *seat) reducing() num {
	return least(s.lots(func(o pending) bool { return o.reduceOnly }), s.net().abs())
}

// reach is the largest size that the position can come to by its orders. In one-way mode orders against
// the position first close what reduce-only orders leave of it.
func (s *seat) reach(hedge bool) num {
	if hedge && s.market.future {
		buys := s.lots(func(o pending) bool { return o.buy && o.long && !o.reduceOnly })
		sells := s.lots(func(o pending) bool { return !o.buy && !o.long && !o.reduceOnly })
		return greatest(s.long.size.plus(buys), s.short.size.neg().plus(sells))
	}
	buys := s.lots(func(o pending) bool { return o.buy && !o.reduceOnly })
	sells := s.lots(func(o pending) bool { return !o.buy && !o.reduceOnly })
	size := s.net()
	with, against := buys, sells
	if size.sign() < 0 {
		size, with, against = size.neg(), sells, buys
	}
	closable := greatest(num{}, size.minus(s.reducing()))
	return greatest(size.plus(with), against.minus(closable))
}

// openLoss is what the orders that were worse than the fair price when they were placed lose at once if
// they are filled now.
func (s *seat) openLoss() num {
	loss := num{}
	for _, buys := range []bool{true, false} {
		size, value := num{}, num{}
		for _, o := range s.orders {
			if o.buy == buys && o.worse && !o.reduceOnly {
				size = size.plus(o.size)
				value = value.plus(o.value)
			}
		}
		value = value.times(s.market.quote.price())
		worth := size.times(s.market.price())
		if buys {
			loss = loss.plus(greatest(num{}, value.ceil(smallest).minus(worth.floor(smallest))))
		} else {
			loss = loss.plus(greatest(num{}, worth.ceil(smallest).minus(value.floor(smallest))))
		}
	}
	return loss
}

// pendingValue is the value of all orders, reduce-only ones too, in the quote.
func (s *seat) pendingValue() num {
	sum := num{}
	for _, o := range s.orders {
		sum = sum.plus(o.value)
	}
	return sum
}

// marketMargin is what positions and orders on a market bind.
func (p *portfolio) marketMargin(s *seat) num {
	return p.initial(s, s.reach(p.hedge)).plus(s.openLoss())
}

// initial is the initial margin of a size on a market.
func (p *portfolio) initial(s *seat, size num) num {
	notional := size.times(s.market.price()).ceil(smallest)
	return initialMargin(notional, s.market.leverage(p.leverage), s.market.brackets)
}

// marketMaintenance is the maintenance margin of the positions on a market, without its orders, if one of
// the base is worth a price in USDT.
func (p *portfolio) marketMaintenance(s *seat, price num) num {
	notional := s.larger().times(price).ceil(smallest)
	return maintenanceMargin(notional, s.market.leverage(p.leverage), s.market.brackets)
}

// margin is what everything binds: positions with their orders, and naked loans.
func (p *portfolio) margin() num {
	sum := p.loanMargin()
	for _, s := range p.seats {
		sum = sum.plus(p.marketMargin(s))
	}
	return sum
}

// positionMargin is the same without orders.
func (p *portfolio) positionMargin() num {
	sum := p.loanMargin()
	for _, s := range p.seats {
		sum = sum.plus(p.initial(s, s.larger()))
	}
	return sum
}

// loanMargin is the initial margin of naked loans.
func (p *portfolio) loanMargin() num {
	sum := num{}
	for _, h := range p.holdings {
		sum = sum.plus(p.loanTier(h).initial())
	}
	return sum
}

// loanTier is the naked loan of a currency. Loans have a leverage of 10 at most.
func (p *portfolio) loanTier(h *holding) tier {
	return tier{p.nakedLoan(h), min(p.leverage, 10)}
}

// maintenance is what T may not fall below.
func (p *portfolio) maintenance() num {
	sum := num{}
	for _, s := range p.seats {
		sum = sum.plus(p.marketMaintenance(s, s.market.price()))
	}
	for _, h := range p.holdings {
		sum = sum.plus(p.loanTier(h).maintenance())
	}
	return sum
}

// freeMargin is what is not bound. It is negative for an account that may place nothing.
func (p *portfolio) freeMargin() num { return p.total().minus(p.margin()) }
