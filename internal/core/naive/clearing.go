package naive

import (
	"slices"

	"bourse/internal/schema"
)

// clearing is one future in one-way mode, all of it in USDT: accounts deal with each other, and one
// account stands between them and pays what each realizes. What positions cost is what it owes: its
// balance is always the negative sum of all costs, and zero when everything is closed.
type clearing struct {
	market      *instrument
	usdt        *currency
	maker       num // fees, as fractions
	taker       num
	liquidation num
	markBand    num
	interest    accrual

	members      []*member
	book         []*quote
	last         num // the price of the last deal
	lastPosition int

	// What the exchange itself has. The world outside has what was brought in, as a debt.
	balance, insurance, fees, lending, outside num
}

// member is an account and its loan. The one holding of its portfolio is made from both.
type member struct {
	*portfolio
	loan loan
}

// quote is an order in the book.
type quote struct {
	owner *member
	buy   bool
	price num
	left  num
	worse bool // than the mark when it was placed
}

func (m *member) seat() *seat       { return m.seats[0] }
func (m *member) holding() *holding { return m.holdings[0] }

// join makes an account.
func (c *clearing) join(leverage int64) *member {
	m := &member{
		portfolio: &portfolio{
			id: len(c.members) + 1, leverage: leverage,
			holdings: []*holding{{currency: c.usdt}},
			seats:    []*seat{{market: c.market}},
		},
		loan: loan{scale: c.usdt.scale},
	}
	c.members = append(c.members, m)
	return m
}

// deposit brings money in. A negative amount takes out what is free.
func (c *clearing) deposit(m *member, amount num) bool {
	c.pend(m)
	if amount.sign() < 0 && amount.neg().more(m.free(m.holding())) {
		return false
	}
	c.outside = c.outside.minus(amount)
	c.credit(m, amount, false)
	return true
}

// credit adds to what an account has; a negative amount that it has not is lent, whatever the pool has.
// What comes in repays first.
func (c *clearing) credit(m *member, amount num, risk bool) {
	h := m.holding()
	if amount.sign() >= 0 {
		paid := m.loan.repay(amount, &c.interest, risk)
		c.lending = c.lending.plus(paid)
		h.collateral = h.collateral.plus(amount).minus(paid)
	} else {
		lent := shortfall(h.collateral, amount.neg())
		if lent.sign() > 0 {
			m.loan.lend(lent, &c.interest)
		}
		c.lending = c.lending.minus(lent)
		h.collateral = h.collateral.plus(amount).plus(lent)
	}
	c.count(m)
}

// count writes what is owed into the portfolio, with the interest to the next whole hour.
func (c *clearing) count(m *member) {
	m.holding().debt = m.loan.debt()
	m.holding().accrued = m.loan.accrued(c.interest.toNextHour())
}

// tick counts the interest to now.
func (c *clearing) tick(now schema.Time) {
	c.interest.advance(now)
	for _, m := range c.members {
		c.count(m)
	}
}

// fee is cut off, as all fees are.
func (c *clearing) fee(value, rate num) num {
	return value.times(rate).truncate(unit(c.market.feePrec))
}

// settle applies one side of a deal, in which size is positive for a buy: what it realizes comes from the
// clearing account, and the fee goes to the exchange.
func (c *clearing) settle(m *member, size, value, fee num, risk bool) {
	s := m.seat()
	for _, done := range s.fill(size, value, fee) {
		if !done.closes && s.side(done.long).size.abs().cmp(done.size) == 0 {
			c.lastPosition++
			s.side(done.long).id = c.lastPosition
		}
		c.balance = c.balance.minus(done.realized)
		c.fees = c.fees.plus(done.fee)
		c.credit(m, done.realized.minus(done.fee), risk)
	}
}

// roomFor reports whether a fill leaves an account as it must be.
func (c *clearing) roomFor(m *member, size, value, fee num) bool {
	after := m.copied()
	realized := fee.neg()
	for _, done := range after.seats[0].fill(size, value, fee) {
		realized = realized.plus(done.realized)
	}
	after.holdings[0].collateral = after.holdings[0].collateral.plus(realized) // the net counts
	return hasRoom(m.portfolio, after, m.seat().net().abs(), after.seats[0].net().abs())
}

// place puts a limit order through the book and lets the rest stand there. It returns false for one that
// is not covered.
func (c *clearing) place(m *member, buy bool, size, price num) bool {
	o := &quote{owner: m, buy: buy, price: price, left: size, worse: worseThan(buy, price, c.market.mark)}
	c.pend(m)
	if !m.admits(m.seat(), o.pending(), -1, c.fee(c.market.value(size, price), c.taker)) {
		return false
	}
	if c.take(o, false) {
		c.book = append(c.book, o)
	}
	return true
}

// pending is the order as margin sees it.
func (o *quote) pending() pending {
	return pending{buy: o.buy, size: o.left, value: o.left.times(o.price), worse: o.worse}
}

// pend lists the orders of an account where its margin is computed.
func (c *clearing) pend(m *member) {
	m.seat().orders = nil
	for _, o := range c.book {
		if o.owner == m {
			m.seat().orders = append(m.seat().orders, o.pending())
		}
	}
}

// take lets an order meet those of the other side, best first, and reports whether something of it is
// left that may stay. A maker without room ends, and so does a taker, unless it liquidates.
func (c *clearing) take(o *quote, liquidates bool) bool {
	for o.left.sign() > 0 {
		maker := c.best(!o.buy)
		switch {
		case maker == nil, worseThan(o.buy, maker.price, o.price):
			return true
		case maker.owner == o.owner:
			c.remove(maker)
			continue
		}
		size := least(o.left, maker.left)
		value := c.market.value(size, maker.price)
		takerFee, makerFee := c.fee(value, c.taker), c.fee(value, c.maker)
		switch {
		case !liquidates && !c.roomFor(o.owner, signed(o.buy, size), value, takerFee):
			return false
		case !c.roomFor(maker.owner, signed(maker.buy, size), value, makerFee):
			c.remove(maker)
			continue
		}
		c.settle(o.owner, signed(o.buy, size), value, takerFee, liquidates)
		c.settle(maker.owner, signed(maker.buy, size), value, makerFee, false)
		if liquidates {
			fee := liquidationFee(value, c.liquidation, o.owner.total(), c.market.feePrec)
			c.insurance = c.insurance.plus(fee)
			c.credit(o.owner, fee.neg(), true)
		}
		o.left, maker.left = o.left.minus(size), maker.left.minus(size)
		if maker.left.sign() == 0 {
			c.remove(maker)
		}
		c.last = maker.price
	}
	return false
}

// best is the order of a side that is met first: of the best price the oldest.
func (c *clearing) best(buy bool) *quote {
	var best *quote
	for _, o := range c.book {
		if o.buy == buy && (best == nil || worseThan(buy, o.price, best.price)) {
			best = o
		}
	}
	return best
}

func (c *clearing) remove(o *quote) {
	c.book = slices.DeleteFunc(c.book, func(other *quote) bool { return other == o })
}

// cancelAll takes all orders of an account out of the book.
func (c *clearing) cancelAll(m *member) {
	c.book = slices.DeleteFunc(c.book, func(o *quote) bool { return o.owner == m })
}

// delist closes all positions at the mark, through the clearing account, without a fee.
func (c *clearing) delist() {
	c.book = nil
	for _, m := range c.members {
		if net := m.seat().net(); net.sign() != 0 {
			c.settle(m, net.neg(), c.market.value(net, c.market.mark), num{}, false)
		}
	}
}

// settleFunding lets positions pay each other by a rate, at the mark.
func (c *clearing) settleFunding(rate num) {
	var sizes []num
	for _, m := range c.members {
		sizes = append(sizes, m.seat().net())
	}
	amounts, rest := settleFunding(sizes, c.market.price(), rate, c.market.feePrec)
	for i, m := range c.members {
		c.credit(m, amounts[i], false)
	}
	c.insurance = c.insurance.plus(rest)
}
