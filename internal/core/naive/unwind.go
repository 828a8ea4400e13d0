package naive

import "slices"

// unwindAll liquidates all accounts that are unsafe, the worst first: in the book, and then without it.
func (c *clearing) unwindAll() {
	for _, m := range c.unsafe() {
		c.closeInBook(m)
		c.finish(m)
	}
}

// unsafe are the accounts to liquidate, the worst first.
func (c *clearing) unsafe() []*member {
	var all []*portfolio
	for _, m := range c.members {
		all = append(all, m.portfolio)
	}
	var found []*member
	for _, p := range worstFirst(all) {
		found = append(found, c.members[slices.Index(all, p)])
	}
	return found
}

// closeInBook closes a part of a position, and then all of it, at prices that leave the account something
// if it has anything.
func (c *clearing) closeInBook(m *member) {
	s := m.seat()
	for round := 1; round <= 2 && !s.empty() && !m.covers(one); round++ {
		c.cancelAll(m)
		long, left := s.net().sign() > 0, s.net().abs()
		size := roundSize(round, left, m.notional(), c.market.step, c.market.minAmount)
		limit := m.closingLimit(s, long, size, c.taker, c.liquidation)
		c.take(&quote{owner: m, buy: !long, price: limit, left: size}, true)
	}
}

// finish closes what the book did not take of an account that is still unsafe, against the accounts that
// win. What is left of its debt then is the insurance fund's.
func (c *clearing) finish(m *member) {
	if !m.seat().empty() && !m.covers(one) {
		c.deleverage(m)
	}
	if m.ended(func(*holding, num) bool { return false }, func(*holding) bool { return false }) {
		c.writeOff(m)
	}
}

// deleverage closes what is left of a position against those of the other side that win, at one price as
// far as each of them can bear it. Without any the rest stays open.
func (c *clearing) deleverage(m *member) {
	s := m.seat()
	d := deleverage{
		account: m.portfolio, seat: s, long: s.net().sign() > 0,
		last: c.last, taker: c.taker, markBand: c.markBand,
	}
	price := d.price()
	var list []ranked
	owners := map[int]*member{}
	for _, other := range c.members {
		if net := other.seat().net(); net.sign() == -s.net().sign() {
			position := other.seat().side(!d.long).id
			list = append(list, ranked{position, other.unrealized(), other.equity()})
			owners[position] = other
		}
	}
	for _, r := range adlOrder(list) {
		if s.empty() {
			return
		}
		other := owners[r.position]
		size := least(s.net().abs(), other.seat().net().abs())
		c.cancelAll(other)
		value := c.market.value(size, d.bounded(price, other.portfolio, other.seat(), size))
		c.settle(m, signed(!d.long, size), value, c.fee(value, c.taker), true)
		c.settle(other, signed(d.long, size), value, num{}, false)
	}
}

// writeOff lets the insurance fund pay a debt that nothing is left for.
func (c *clearing) writeOff(m *member) {
	m.loan.book(&c.interest)
	debt := m.loan.debt()
	c.insurance = c.insurance.minus(debt)
	c.credit(m, debt, true)
}
