package naive

// portfolio is an account with all that margin is about. The rules look at it and change nothing.
type portfolio struct {
	id       int
	leverage int64
	hedge    bool
	holdings []*holding
	seats    []*seat
}

// holding is what an account has and owes of a currency. Interest that is not booked yet is counted to
// where its reader counts it: to now for what is shown, to the next whole hour for risk.
type holding struct {
	*currency
	collateral num
	debt       num
	accrued    num
}

// own is what of a currency belongs to nobody's position: positions on pairs have their base here, and
// have paid their cost out of the quote.
func (p *portfolio) own(h *holding) num {
	own := h.collateral.minus(h.debt).minus(h.accrued)
	for _, s := range p.seats {
		if s.market.future {
			continue
		}
		if s.market.base == h.currency {
			own = own.minus(s.net())
		}
		if s.market.quote == h.currency {
			own = own.plus(s.cost())
		}
	}
	return own
}

// worth is what counts of an own amount, in USDT: assets by their weight, what is owed wholly. It is
// rounded against the customer.
func (p *portfolio) worth(h *holding) num {
	own := p.own(h)
	value := own.times(h.price())
	if own.sign() > 0 {
		value = value.times(h.weight)
	}
	return value.floor(smallest)
}

// equity is the worth of everything but positions.
func (p *portfolio) equity() num {
	sum := num{}
	for _, h := range p.holdings {
		sum = sum.plus(p.worth(h))
	}
	return sum
}

// gain is the profit of a position if one of the base is worth a price in USDT, each product rounded
// against the customer.
func (i *instrument) gain(p position, price num) num {
	value := p.size.times(price).floor(smallest)
	if i.future {
		return value.minus(p.cost)
	}
	return value.plus(p.cost.neg().times(i.quote.price()).floor(smallest))
}

// gain is that of both sides.
func (s *seat) gain(price num) num {
	return s.market.gain(s.long, price).plus(s.market.gain(s.short, price))
}

// unrealized is what both sides gain at the current price.
func (s *seat) unrealized() num { return s.gain(s.market.price()) }

// unrealized is that of all positions.
func (p *portfolio) unrealized() num {
	sum := num{}
	for _, s := range p.seats {
		sum = sum.plus(s.unrealized())
	}
	return sum
}

// total is what would be left if everything was closed at the current prices.
func (p *portfolio) total() num { return p.equity().plus(p.unrealized()) }

// notional is the value of all positions and naked loans, in USDT.
func (p *portfolio) notional() num {
	sum := num{}
	for _, s := range p.seats {
		for _, position := range []position{s.long, s.short} {
			sum = sum.plus(position.size.abs().times(s.market.price()).ceil(smallest))
		}
	}
	for _, h := range p.holdings {
		sum = sum.plus(p.nakedLoan(h))
	}
	return sum
}

// nakedLoan is the value of what is owed of a currency beyond what is there, in USDT.
func (p *portfolio) nakedLoan(h *holding) num {
	own := p.own(h)
	if own.sign() >= 0 {
		return num{}
	}
	return own.neg().times(h.price()).ceil(smallest)
}

// marginFraction is the part of the equity that is bound, and nothing while there is no equity.
func (p *portfolio) marginFraction() num {
	equity := p.equity()
	if equity.sign() <= 0 {
		return num{}
	}
	return p.margin().over(equity)
}

// maintenanceFraction is the maintenance margin per notional, and nothing without positions.
func (p *portfolio) maintenanceFraction() num {
	notional := p.notional()
	if notional.sign() == 0 {
		return num{}
	}
	return p.maintenance().over(notional)
}

// futuresEquity is the USDT that is owned and the profit of futures, futuresMargin what they bind of it.
func (p *portfolio) futuresEquity() (equity, margin num) {
	for _, h := range p.holdings {
		if h.usdt {
			equity = equity.plus(p.own(h))
		}
	}
	for _, s := range p.seats {
		if s.market.future {
			equity = equity.plus(s.unrealized())
			margin = margin.plus(p.marketMargin(s))
		}
	}
	return equity, margin
}

// exposedToStale reports whether the account has a position or a debt and something of it is valued at a
// stale price.
func (p *portfolio) exposedToStale() bool {
	exposed, stale := false, false
	for _, s := range p.seats {
		if !s.empty() {
			exposed = true
			stale = stale || s.market.stale()
		}
	}
	for _, h := range p.holdings {
		exposed = exposed || h.debt.sign() > 0
		stale = stale || h.stale && p.worth(h).sign() != 0
	}
	return exposed && stale
}

// borrowed is what a position on a pair needs a loan for: the cost of a long, the size of a short.
func (s *seat) borrowed() (of *currency, amount num) {
	if s.short.empty() {
		return s.market.quote, s.long.cost
	}
	return s.market.base, s.short.size.neg()
}

// unrealizedFunding is the interest that is shown with a position on a pair: its part of what is accrued
// on the loan of its currency, cut off. Positions that need the same currency share by what they need.
func (p *portfolio) unrealizedFunding(s *seat) num {
	currency, amount := s.borrowed()
	all := num{}
	for _, other := range p.seats {
		if of, needed := other.borrowed(); !other.market.future && of == currency {
			all = all.plus(needed)
		}
	}
	for _, h := range p.holdings {
		if h.currency == currency && all.sign() > 0 {
			return h.accrued.times(amount).over(all).truncate(unit(h.scale))
		}
	}
	return num{}
}

// copied is the same account, which can change by itself.
func (p *portfolio) copied() *portfolio {
	other := *p
	other.holdings, other.seats = nil, nil
	for _, h := range p.holdings {
		held := *h
		other.holdings = append(other.holdings, &held)
	}
	for _, s := range p.seats {
		seat := *s
		other.seats = append(other.seats, &seat)
	}
	return &other
}
