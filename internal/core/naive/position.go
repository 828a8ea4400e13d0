package naive

// position is what is open and what it cost, both negative for a short one. The cost is exact: nothing of
// what was bought or sold is ever lost between it and what is realized.
type position struct {
	id   int
	size num
	cost num
}

func (p position) empty() bool { return p.size.sign() == 0 }

// increase adds a deal. Size and value have the sign of the position.
func (p *position) increase(size, value num) {
	p.size = p.size.plus(size)
	p.cost = p.cost.plus(value)
}

// reduce takes a deal away and returns what it realized. Size and value have the sign of the position. The
// part of the cost is rounded up, so that what is realized is never too high; the last deal takes all that
// is left of it, which needs no rounding.
func (p *position) reduce(size, value num, scale uint8) (realized num) {
	cost := p.cost.times(size).over(p.size).ceil(unit(scale))
	p.size = p.size.minus(size)
	p.cost = p.cost.minus(cost)
	return value.minus(cost)
}

// entry is the average price of what is open, in the asset that the market settles in.
func (p position) entry() num { return p.cost.over(p.size) }

// basePrice is the entry as it is shown.
func (p position) basePrice(moneyPrec uint8) num { return p.entry().truncate(unit(moneyPrec)) }

// pnlPercent is the unrealized profit in percent of what the position cost at its leverage. What cost
// nothing has none.
func (p position) pnlPercent(unrealized num, leverage int64) num {
	if p.cost.sign() == 0 {
		return num{}
	}
	return hundred.times(unrealized).times(whole(leverage)).over(p.cost.abs()).truncate(unit(2))
}

// seat is the place of an account on a market. In one-way mode one of the two positions is empty.
type seat struct {
	market *instrument
	long   position
	short  position
	orders []pending
}

// net is the position of one-way mode, and in hedge mode what is left when both sides are set off.
func (s *seat) net() num { return s.long.size.plus(s.short.size) }

// larger is the larger side.
func (s *seat) larger() num { return greatest(s.long.size, s.short.size.neg()) }

// cost is that of both sides.
func (s *seat) cost() num { return s.long.cost.plus(s.short.cost) }

func (s *seat) empty() bool { return s.long.empty() && s.short.empty() }

// change is what a deal does to one position: one record of its history.
type change struct {
	long     bool
	closes   bool
	size     num // not negative, as are value and fee
	value    num
	fee      num
	realized num
	quoted   quoted // the cost that it left, and what was paid and realized
}

// fill applies a deal of one-way mode, in which size is positive for a buy. It reduces the opposite
// position first, and what is left opens one: a flip is one deal and two changes. Value and fee are split
// by size, the closing part cut off and the rest to the new position.
func (s *seat) fill(size, value, fee num) []change {
	buys := size.sign() > 0
	opposite := s.side(!buys)
	closing := least(size.abs(), opposite.size.abs())
	if closing.sign() == 0 {
		return []change{s.increase(buys, size.abs(), value, fee)}
	}
	if closing.cmp(size.abs()) == 0 {
		return []change{s.reduce(!buys, closing, value, fee)}
	}
	part := closing.over(size.abs())
	closedValue := value.times(part).truncate(unit(s.market.scale))
	closedFee := fee.times(part).truncate(unit(s.market.feePrec))
	return []change{
		s.reduce(!buys, closing, closedValue, closedFee),
		s.increase(buys, size.abs().minus(closing), value.minus(closedValue), fee.minus(closedFee)),
	}
}

// fillSide applies a deal of hedge mode to one of the sides. A buy opens a long and reduces a short. What
// reduces is cut to the position before.
func (s *seat) fillSide(long bool, size, value, fee num) change {
	if long == (size.sign() > 0) {
		return s.increase(long, size.abs(), value, fee)
	}
	return s.reduce(long, size.abs(), value, fee)
}

// side is one of the two positions.
func (s *seat) side(long bool) *position {
	if long {
		return &s.long
	}
	return &s.short
}

// signed gives a number the sign of a side.
func signed(long bool, n num) num {
	if long {
		return n
	}
	return n.neg()
}

func (s *seat) increase(long bool, size, value, fee num) change {
	s.side(long).increase(signed(long, size), signed(long, value))
	return change{long: long, size: size, value: value, fee: fee}
}

func (s *seat) reduce(long bool, size, value, fee num) change {
	realized := s.side(long).reduce(signed(long, size), signed(long, value), s.market.scale)
	return change{long: long, closes: true, size: size, value: value, fee: fee, realized: realized}
}

// closeOverlap closes the two sides of hedge mode against each other at a price, without a fee, and
// returns what both realized. Equity and unrealized profit together stay as they are.
func (s *seat) closeOverlap(price num) (realized num) {
	size := least(s.long.size, s.short.size.neg())
	if size.sign() == 0 {
		return num{}
	}
	value := size.times(s.market.at(price)).truncate(unit(s.market.scale))
	return s.reduce(true, size, value, num{}).realized.plus(s.reduce(false, size, value, num{}).realized)
}
