package collateral

import (
	"bourse/internal/core/book"
	"bourse/internal/core/position"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Side is the position that an order belongs to. In one-way mode there is one, whatever was asked for. In hedge mode an
// order that trades against its side can only close it.
func (e *Engine) Side(account schema.AccountID, side schema.Side, asked schema.PositionSide) (of schema.PositionSide, reduces, ok bool) {
	if !e.member(account).hedge {
		return schema.BothSides, false, true
	}
	switch asked {
	case schema.LongSide:
		return asked, side == schema.Sell, true
	case schema.ShortSide:
		return asked, side == schema.Buy, true
	default:
		return 0, false, false
	}
}

// Held is the position of an account on a market that has an id, and its size.
func (e *Engine) Held(account schema.AccountID, market schema.MarketID, id schema.PositionID) (of schema.PositionSide, lots int64, ok bool) {
	m := e.looked(account)
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		s := e.seats.At(at)
		if s.market != market {
			continue
		}
		for _, of := range e.market(market).sides(&m) {
			if slot := *s.side(of); slot != 0 && e.positions.At(slot).id == id {
				return of, e.positions.At(slot).Lots, true
			}
		}
	}
	return 0, 0, false
}

// Reducible is how many lots an order of a side can close of a position.
func (e *Engine) Reducible(at uint32, side schema.Side, of schema.PositionSide) book.Lots {
	s := e.seats.At(at)
	held := e.lots(*s.side(of))
	if (held > 0) != (side == schema.Sell) {
		return 0
	}
	return book.Lots(abs(held))
}

// side is where the position that an order belongs to is kept.
func (s *seat) side(of schema.PositionSide) *uint32 {
	if of == schema.ShortSide {
		return &s.short
	}
	return &s.long
}

// Pend counts lots of an open order. What is counted was admitted, so that sums fit.
func (e *Engine) Pend(p *trading.Pending) {
	s := e.seats.At(p.Seat)
	s.pend(p)
	e.pended(s, p)
}

// pend counts some lots more, or less. It is false when that is more than can be counted.
func (c *counted) pend(p *trading.Pending) bool {
	lots, money := int64(p.Lots), p.Money
	if lots < 0 {
		money = money.Neg()
	}
	fits := add(&c.pending, money)
	switch o := &c.orders; {
	case p.Whole:
		return count(&o.Whole, lots) && fits
	case p.Reduces:
		return count(&o.Reducing, lots) && fits
	case p.Side == schema.Buy:
		fits = count(&o.Buys, lots) && fits
		if p.Worse {
			fits = count(&o.WorseBuys, lots) && add(&o.WorseBuyValue, money) && fits
		}
	default:
		fits = count(&o.Sells, lots) && fits
		if p.Worse {
			fits = count(&o.WorseSells, lots) && add(&o.WorseSellValue, money) && fits
		}
	}
	return fits
}

// count adds lots. There were not less than none before, so that only too many can make it so.
func count(to *int64, lots int64) bool {
	*to += lots
	return *to >= 0
}

// add adds money.
func add(to *fixed.Decimal, money fixed.Decimal) (fits bool) {
	*to, fits = to.AddChecked(money)
	return fits
}

// Fits reports whether lots of an order can be counted once others are not.
func (e *Engine) Fits(gone, come trading.Pending) bool {
	then := e.seats.At(come.Seat).counted
	gone.Lots = -gone.Lots
	then.pend(&gone)
	return then.pend(&come)
}

// Orders is what is counted at a seat, and the value of all of it.
func (e *Engine) Orders(at uint32) (position.Orders, fixed.Decimal) {
	s := e.seats.At(at)
	return s.orders, s.pending
}

// Admit checks that an account can have one more order, or one in the place of another. An order that binds no more
// than is bound is always let in.
func (e *Engine) Admit(a *trading.Admission) schema.Rejection {
	m, f := e.member(a.Account), e.market(a.Market)
	s := &seat{}
	if a.Order.Seat != 0 {
		s = e.seats.At(a.Order.Seat)
	}
	sure := a.Replaces.Lots == 0 && !f.spot && e.surely(m, f, a)
	if sure && f.counts(s, &a.Order) {
		return schema.Rejection{}
	}
	then := s.counted
	if a.Replaces.Lots != 0 {
		gone := a.Replaces
		gone.Lots = -gone.Lots
		then.pend(&gone)
	}
	if !then.pend(&a.Order) {
		return schema.Refuse(schema.PendingTooBig)
	}
	long, short := e.position(s.long), e.position(s.short)
	r, fresh := e.rates(f)
	if !a.Order.Reduces {
		if r := f.checkBounds(&s.orders, &then, long.Lots, short.Lots, f.hedges(m), r); r.Refused() {
			return r
		}
	}
	if sure {
		return schema.Rejection{}
	}
	if refused := e.checkCovered(m, f, s, a, &then, r, fresh); refused.Refused() || !f.spot {
		return refused
	}
	return e.checkLent(f, a)
}

// checkCovered checks that an account has what its orders and positions on a market bind with one order more.
func (e *Engine) checkCovered(m *member, f *market, s *seat, a *trading.Admission, then *counted, r rates, fresh bool) schema.Rejection {
	long, short := e.position(s.long), e.position(s.short)
	l := m.chosen()
	rest, spare := standing{}, fixed.Min
	if fresh {
		rest = e.standing(m, 0, a.Order.Seat)
		rest.unrealized = plus(rest.unrealized, plus(f.unrealized(long, r), f.unrealized(short, r)))
		spare = plus(plus(rest.total(), rest.margin.Neg()), takerFee(a, r.money).Neg())
		if bound, known := f.marginBound(&then.orders, long.Lots, short.Lots, f.hedges(m), r, l); known && spare.Cmp(bound) >= 0 {
			e.admitted(m, f, a, &rest, bound)
			return schema.Rejection{}
		}
	}
	after := f.margin(&then.orders, long.Lots, short.Lots, f.hedges(m), r, l)
	if fresh && spare.Cmp(after) >= 0 {
		e.admitted(m, f, a, &rest, after)
		return schema.Rejection{}
	}
	switch before := f.margin(&s.orders, long.Lots, short.Lots, f.hedges(m), r, l); {
	case after.Cmp(before) <= 0:
		return schema.Rejection{}
	case !fresh:
		return schema.Refuse(schema.PriceUnknown)
	default:
		return schema.Refuse(schema.NotEnoughBalance)
	}
}

// takerFee is what an order would pay if all of it took, in USDT.
func takerFee(a *trading.Admission, money fixed.Decimal) fixed.Decimal {
	if a.Rate.Sign() <= 0 {
		return fixed.Zero
	}
	fee, fits := fixed.Mul(a.Order.Money, a.Rate.Percent(), fixed.Places, fixed.Up)
	if fits && money != fixed.One {
		fee, fits = fixed.Mul(fee, money, fixed.Places, fixed.Up)
	}
	if !fits {
		return fixed.Max
	}
	return fee
}

// checkBounds checks the limits of a market.
func (f *market) checkBounds(before *position.Orders, after *counted, long, short int64, hedge bool, r rates) schema.Rejection {
	had, _ := exposure(before, long, short, hedge)
	lots, fits := exposure(&after.orders, long, short, hedge)
	if !fits {
		return schema.Refuse(schema.PositionTooBig)
	}
	if f.unlimited {
		return schema.Rejection{}
	}
	notional, fits := position.Position{Lots: lots}.Notional(r.base, f.scale)
	if !fits || exceeds(notional, f.info.MaxPosition) {
		return schema.Refuse(schema.PositionTooBig)
	}
	if most := f.info.MaxPending; !most.IsZero() && fixed.CmpProducts(after.pending, r.money, most, fixed.One) > 0 {
		return schema.Refuse(schema.PendingTooBig)
	}
	all := f.interest + max(0, lots-had)
	notional, fits = position.Position{Lots: max(0, all)}.Notional(r.base, f.scale)
	if (all < 0 || !fits || exceeds(notional, f.info.MaxOpenInterest)) && !f.info.MaxOpenInterest.IsZero() {
		return schema.Refuse(schema.PositionTooBig)
	}
	return schema.Rejection{}
}

// exceeds reports whether a value is above a bound; zero is none.
func exceeds(value, bound fixed.Decimal) bool { return !bound.IsZero() && value.Cmp(bound) > 0 }
