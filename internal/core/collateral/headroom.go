package collateral

import (
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// headroom is a lower bound of what an account has above its margin: its total less what positions, orders and naked loans
// bind. Between two changes of prices only the account's own orders and fills move that, and each by no more than a number
// that costs a product. So what an account has is reckoned once, and as long as the bound allows what it asks for, nothing
// else need be.
//
// What must hold: at the prices of its epoch, the total less the margin is never below the bound. What changes an account
// otherwise than by an order or a fill ends it (touch, lose, and whatever moves its collateral or its leverage); what the
// bound does not allow is asked exactly, so that it decides nothing. It is derived and in no snapshot.
type headroom struct {
	least fixed.Decimal
	epoch uint64 // of prices that it is for, 0: none
}

// none stands for a bound of which nothing is known.
var none = fixed.Min

// reprice says that prices or settings may have changed.
func (e *Engine) reprice() { e.epoch++ }

// keep keeps what is known of an account whose standing is, or is at least, this one.
func (e *Engine) keep(m *member, usdt schema.AssetID, s *standing, margin fixed.Decimal) {
	m.headroom = headroom{none, e.epoch}
	if m.pairs != 0 {
		return // what it has of USDT may be what a position was sold for
	}
	// Sums that come near the end of what fits stay there, and USDT that does not count wholly makes a profit worth less when it
	// is realized: then changes are not what they are otherwise.
	if value, of := e.weighted(usdt); value == of && modest(s.equity) && modest(s.unrealized) && modest(margin) {
		m.headroom.least = s.total().Sub(margin)
	}
}

// modest reports whether a number is so far from the end of what fits that sums of a few never come there.
func modest(d fixed.Decimal) bool {
	hi, _ := d.Bits()
	return hi>>50 == 0 || hi>>50 == -1
}

// ample reports whether an account surely has so much above its margin.
func (e *Engine) ample(m *member, amount fixed.Decimal) bool {
	return m.headroom.epoch == e.epoch && e.rounds == 0 && m.headroom.least.Cmp(amount) >= 0
}

// spend takes off what an order or a fill binds or loses at most.
func (h *headroom) spend(most fixed.Decimal) {
	if h.least.Sign() < 0 || !modest(most) {
		h.least = none
		return
	}
	h.least = h.least.Sub(most)
}

// marked brings the mark that a future is valued at up to date, in ticks. It is false where there is none, or a stale one, or
// one in another money.
func (e *Engine) marked(f *market) bool {
	if f.epoch != e.epoch {
		mark, fresh := e.prices.Mark(f.info.ID)
		ticks, whole := mark.Units(int(f.scale.Money))
		f.ticks, f.fresh, f.epoch = ticks, fresh && whole && !f.foreign, e.epoch
	}
	return f.fresh
}

// grows is at least what some lots more can add to what positions and orders on a market bind, and how far some money is
// from what the lots are worth at the mark; it is false where that cannot be said.
func (f *market) grows(m *member, lots int64, money fixed.Decimal) (binds, off fixed.Decimal, known bool) {
	value, fits := f.unit.Product(f.ticks, lots)
	if !fits || !modest(value) || !modest(money) {
		return binds, off, false
	}
	off = money.Sub(value)
	if f.tiers.Leverage(m.chosen()) >= 10 {
		value = eighth(value)
	}
	return value.Add(roundings), off, true
}

// pended takes off what the headroom of an account loses by lots that are counted, or no longer are. Orders that are worse
// than the mark lose the difference at once; one that was worse than an earlier mark may be better than this one, and the
// others lose more without it.
func (e *Engine) pended(s *seat, p *trading.Pending) {
	m := &e.members[s.account-schema.FirstCustomer]
	worse := p.Worse && !p.Reduces
	if m.headroom.epoch != e.epoch || p.Lots < 0 && !worse {
		return
	}
	f := e.market(s.market)
	if p.Whole || f.spot { // how much that binds depends on other orders, or on other prices than the mark
		m.headroom = headroom{}
		return
	}
	if !e.marked(f) {
		m.headroom.least = none
		return
	}
	lost, off, known := f.grows(m, abs(int64(p.Lots)), p.Money)
	if !known {
		m.headroom.least = none
		return
	}
	if p.Lots < 0 {
		lost, off = roundings, off.Neg()
	}
	if worse {
		lost = lost.Add(loss(p.Side, off))
	}
	m.headroom.spend(lost)
}

// loss is what a side loses by money that is so much above the value of what is bought or sold for it.
func loss(side schema.Side, above fixed.Decimal) fixed.Decimal {
	if side == schema.Sell {
		above = above.Neg()
	}
	return fixed.MaxOf(fixed.Zero, above)
}

// mostRate is the highest fee, in percent, that an eighth of the money is enough for.
var mostRate = fixed.FromUnits(125, 1)

// surely reports whether the headroom of an account allows one more order: the margin of all its lots, what they lose at
// once, and the fee if all of it takes.
func (e *Engine) surely(m *member, f *market, a *trading.Admission) bool {
	if m.headroom.epoch != e.epoch || a.Order.Whole || !e.marked(f) || mostRate.Less(a.Rate) {
		return false
	}
	binds, off, known := f.grows(m, int64(a.Order.Lots), a.Order.Money)
	return known && e.ample(m, binds.Add(off.Abs()).Add(eighth(a.Order.Money)))
}

// admitted keeps what the exact check of an order found: all but one market, and what that market binds at most with the
// order, which is no less than without it.
func (e *Engine) admitted(m *member, f *market, a *trading.Admission, rest *standing, binds fixed.Decimal) {
	if a.Replaces.Lots == 0 && !f.spot {
		e.keep(m, f.money, rest, plus(rest.margin, binds))
	}
}

// counts reports whether an order can surely be counted on a market, which has no limits for it.
func (f *market) counts(s *seat, p *trading.Pending) bool {
	o := &s.orders
	most := o.Buys | o.Sells | o.Reducing | f.interest | int64(p.Lots) // no position is larger than the open interest
	return most>>60 == 0 && (f.unlimited || p.Reduces) && modest(s.pending) && modest(p.Money)
}

// roomFor reports whether the headroom of an account allows a fill. One that owes of what deals are paid in, or has less than
// nothing left of it, is asked exactly: the margin of what it owes grows with it.
func (e *Engine) roomFor(m *member, f *market, leg *trading.Leg, then *filling, left fixed.Decimal) bool {
	if m.headroom.epoch != e.epoch {
		s := e.standing(m, 0, 0)
		e.keep(m, f.money, &s, s.margin)
	}
	if left.Sign() < 0 || !e.marked(f) {
		return false
	}
	lost, known := f.loses(m, leg, leg.Fee)
	if known {
		then.lost, then.epoch = lost, e.epoch
	}
	return known && e.ample(m, lost)
}

// loses is at least what the headroom of an account loses by a fill: the margin of all its lots, and what is lost by it at the
// mark.
func (f *market) loses(m *member, leg *trading.Leg, fee fixed.Decimal) (fixed.Decimal, bool) {
	binds, off, known := f.grows(m, int64(leg.Lots), leg.Money)
	if !known || !modest(fee) {
		return fixed.Zero, false
	}
	if leg.Side == schema.Sell {
		off = off.Neg()
	}
	return binds.Add(fixed.MaxOf(fixed.Zero, off.Add(fee))), true
}

// filled takes off what the headroom of an account loses by a fill.
func (e *Engine) filled(m *member, f *market, leg *trading.Leg, then *filling, fee fixed.Decimal) {
	if m.headroom.epoch != e.epoch {
		return
	}
	if then.epoch == e.epoch { // the judgement found it
		m.headroom.spend(then.lost)
		return
	}
	lost, known := fixed.Zero, e.marked(f)
	if known {
		lost, known = f.loses(m, leg, fee)
	}
	if !known {
		m.headroom.least = none
		return
	}
	m.headroom.spend(lost)
}
