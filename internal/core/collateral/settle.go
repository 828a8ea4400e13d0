package collateral

import (
	"math"

	"bourse/internal/core/ledger"
	"bourse/internal/core/position"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// deal is a side of a deal for the arithmetic of positions.
func deal(leg *trading.Leg) position.Deal {
	lots := int64(leg.Lots)
	if leg.Side == schema.Sell {
		lots = -lots
	}
	return position.Deal{Lots: lots, Money: leg.Money, Fee: leg.Fee}
}

// filling is what a deal makes of a position, and what its account loses of its headroom by it. A deal is judged and then
// settled, and both need it.
type filling struct {
	judged  uint64 // the judgement that found it
	was, is position.Position
	change  position.Change
	fits    bool
	lost    fixed.Decimal
	epoch   uint64 // of prices that lost is for, 0: it is not known
}

// fill finds what a deal makes of a position.
func (l *filling) fill(f *market, was position.Position, deal *position.Deal) {
	l.judged, l.was, l.epoch = 0, was, 0
	l.is, l.change, l.fits = was.Fill(*deal, f.scale)
}

// fillingOf is where what a deal makes of a position is kept. The two sides of a deal have places of their own, so that both
// can be judged before either is settled.
func (e *Engine) fillingOf(leg *trading.Leg) *filling {
	if leg.Side == schema.Sell {
		return &e.fillings[1]
	}
	return &e.fillings[0]
}

// Room reports whether an account can have its side of a deal: whether what it is left with at the mark is
// enough. It is asked before anything moves, also whether all that would move fits.
//
// On a spot market what belongs to the account changes by a deal as it does on a future: by what the deal realizes and its
// fee. The rest of what it gives and gets is the position's.
func (e *Engine) Room(leg *trading.Leg) bool {
	s := e.seats.At(leg.Seat)
	m, f := e.member(s.account), e.market(s.market)
	if f.spot && !e.exchangeable(s.account, f, leg) {
		return false
	}
	if leg.Plain {
		return true
	}
	at := *s.side(leg.Of)
	deal := deal(leg)
	was := e.position(at)
	then := e.fillingOf(leg)
	then.fill(f, was, &deal)
	e.judged++
	then.judged, leg.Judged = e.judged, e.judged
	is, change := then.is, &then.change
	if f.foreign && !e.requotable(f, at, was.Lots, leg) {
		return false
	}
	if !then.fits || !e.countable(f, at, change.Opened.Lots, max(0, is.Lots)-max(0, was.Lots)) {
		return false
	}
	has, gain := e.ledger.Available(e.money(s, m, f)), change.Realized.Sub(deal.Fee)
	if f.spot {
		base, quote := e.pairOf(s.account, m, f)
		if _, _, fits := f.occupied(base, quote, was, is); !fits {
			return false
		}
	} else if !e.movable(f, has, change.Realized, deal.Fee) {
		return false
	}
	if leg.Forced {
		return true // what is left of it is the fund's concern
	}
	if !f.spot && has.Sign() > 0 && e.roomFor(m, f, leg, then, plus(has, gain)) {
		return true
	}
	quote := f.money
	h := e.holdings.At(e.holding(s.account, m, quote))
	r, _ := e.rates(f)
	l, own := m.chosen(), e.own(h, byNow)
	if e.listing.IsUSDT(quote) {
		own = plus(own, e.dues(m))
	}
	rest := e.standing(m, quote, leg.Seat)
	long, short := e.position(s.long), e.position(s.short)
	newLong, newShort := is, short
	if leg.Of == schema.ShortSide {
		newLong, newShort = long, is
	}
	if f.roomy(&rest, e.worth(quote, plus(own, gain)), newLong, newShort, r, l) {
		return true
	}
	with := func(long, short position.Position, own fixed.Decimal) position.Health {
		all := rest
		all.add(f.value(long, short, r, l), fixed.Zero)
		e.hold(&all, quote, own, l)
		return all.health()
	}
	after := with(newLong, newShort, plus(own, gain))
	if after.Suffices(was.Lots, is.Lots) {
		return true
	}
	return with(long, short, own).Room(after, was.Lots, is.Lots)
}

// countable reports whether lots that a deal opens can be counted: all that the position ever opened, and the open
// interest of the market.
func (e *Engine) countable(f *market, at uint32, opened, interest int64) bool {
	entered := int64(0)
	if at != 0 {
		entered = e.positions.At(at).entered
	}
	return opened <= math.MaxInt64-entered && interest <= math.MaxInt64-f.interest
}

// money is the balance that deals at a seat are paid from, 0 if it was never touched.
func (e *Engine) money(s *seat, m *member, f *market) ledger.Cell {
	if s.cell == 0 {
		s.cell = e.holdings.At(e.holding(s.account, m, f.money)).cell
	}
	return s.cell
}

// movable reports whether the balances that a deal changes can be counted after it, where the account has so much.
func (e *Engine) movable(f *market, has, realized, fee fixed.Decimal) bool {
	if f.clearing == 0 {
		f.clearing = e.ledger.Find(schema.Clearing, schema.Collateral, f.money)
	}
	if f.pool == 0 {
		f.pool = e.ledger.Find(schema.Lending, schema.Main, f.money)
	}
	clearing, pool := e.ledger.Available(f.clearing), e.ledger.Available(f.pool)
	_, ok1 := clearing.SubChecked(realized)
	_, ok2 := has.AddChecked(realized.Abs())
	_, ok3 := pool.SubChecked(realized.Abs().Add(fee.Abs()))
	return ok1 && ok2 && ok3
}

// Settle does a side of a deal and returns its fee. Ended reports whether a position came to its end by it.
//
// First the position, then what was realized, then the fee: a profit pays for the fee before anything is lent for
// it. The event says what is open when all money has moved.
func (e *Engine) Settle(leg *trading.Leg) (fee fixed.Decimal, ended bool) {
	s := e.seats.At(leg.Seat)
	m, f := e.member(s.account), e.market(s.market)
	slot := s.side(leg.Of)
	deal, judged := deal(leg), leg.Judged
	if deal.Fee.Sign() < 0 && !e.rebatable(f, deal.Fee) {
		deal.Fee, judged = fixed.Zero, 0
	}
	if leg.Plain {
		e.forced = true
		e.exchanged(s, m, f, leg, deal.Fee)
		e.forced = false
		return deal.Fee, false
	}
	if *slot != 0 {
		e.bookFunding(f, *slot)
	}
	was := e.position(*slot)
	then := e.fillingOf(leg)
	if judged == 0 || then.judged != judged || then.was != was { // an account that trades with itself settles both sides
		then.fill(f, was, &deal)
	}
	is, change, fits := then.is, &then.change, then.fits
	var priced requoted
	if f.foreign && fits {
		priced, fits = e.requote(f, *slot, was.Lots, leg)
	}
	if !fits {
		panic("collateral: a position is too large to count; fills are judged before they are settled")
	}
	e.forced = leg.Forced
	switch {
	case f.spot:
		e.exchanged(s, m, f, leg, deal.Fee)
		e.occupy(s.account, m, f, was, is)
	case leg.Forced || leg.Paired || leg.Cause != 0:
		e.touch(s.account, m)
		e.move(s, m, f, change.Realized, deal.Fee, leg.Deal)
	default:
		e.note(s.account, m)
		e.filled(m, f, leg, then, deal.Fee)
		e.move(s, m, f, change.Realized, deal.Fee, leg.Deal)
	}
	e.forced = false
	if !f.spot {
		f.interest += max(0, is.Lots) - max(0, was.Lots)
	}
	if change.Closed.Lots != 0 {
		o := e.positions.At(*slot)
		o.realized = plus(o.realized, change.Realized)
		o.fees = plus(o.fees, change.Closed.Fee)
		o.Position, o.updated = is, e.out.Time
		if ended = is.Lots == 0 || change.Opened.Lots != 0; ended {
			o.Position = position.Position{}
		}
		if f.foreign {
			e.quotedAt(*slot).close(&priced, ended)
		}
		e.changed(s, *slot, leg, &change.Closed, change.Realized)
		if ended {
			e.strike(f, *slot)
			e.positions.Give(*slot)
			*slot = 0
		}
	}
	if change.Opened.Lots != 0 {
		if *slot == 0 {
			var o *open
			*slot, o = e.positions.Take()
			e.last++
			o.id, o.opened, o.seat, o.round = e.last, e.out.Time, leg.Seat, f.round.number
			e.enlist(f, *slot)
			if f.foreign {
				*e.quotedAt(*slot) = quoted{}
			}
		}
		if f.foreign {
			e.quotedAt(*slot).open(&priced)
		}
		o := e.positions.At(*slot)
		o.Position, o.updated = is, e.out.Time
		o.entered, o.paid = o.entered+change.Opened.Lots, plus(o.paid, change.Opened.Money)
		o.fees = plus(o.fees, change.Opened.Fee)
		e.changed(s, *slot, leg, &change.Opened, fixed.Zero)
	}
	if leg.Forced && !leg.Paired && !f.spot {
		e.chargeLiquidation(s, m, f, leg)
	}
	return deal.Fee, ended
}

// move books the money of a side of a deal. Who has something owes nothing, and if it is enough nothing is lent.
func (e *Engine) move(s *seat, m *member, f *market, realized, fee fixed.Decimal, deal schema.DealID) {
	if f.clearing == 0 {
		f.clearing = e.ledger.Open(schema.Clearing, schema.Collateral, f.money)
	}
	note := ledger.Note{Cause: schema.ByPnl, Ref: uint64(deal)}
	cell := e.money(s, m, f)
	if has := e.ledger.Available(cell); f.fees != 0 && has.Sign() > 0 && covers(has, realized, fee) {
		e.shift(f.clearing, cell, realized, note)
		note.Cause = schema.ByFee
		e.shift(cell, f.fees, fee, note)
		return
	}
	m.headroom = headroom{}
	h := e.holdings.At(e.holding(s.account, m, f.money))
	e.pass(s.account, h, f.clearing, realized, note)
	if f.fees == 0 {
		f.fees = e.ledger.Open(schema.Fees, schema.Main, f.money)
	}
	note.Cause = schema.ByFee
	e.pass(s.account, h, f.fees, fee.Neg(), note)
}

// covers reports whether what an account has is enough for what it loses by a deal, first what is realized, then the fee.
func covers(has, realized, fee fixed.Decimal) bool {
	left := has.Add(realized)
	return left.Sign() >= 0 && left.Cmp(fee) >= 0
}

// shift moves an amount from one balance to another, or back if it is below zero.
func (e *Engine) shift(from, to ledger.Cell, amount fixed.Decimal, note ledger.Note) {
	switch amount.Sign() {
	case 1:
		e.ledger.Move(from, to, amount, note)
	case -1:
		e.ledger.Move(to, from, amount.Neg(), note)
	}
}

// rebatable reports whether the fee account may owe a rebate too.
func (e *Engine) rebatable(f *market, fee fixed.Decimal) bool {
	left, fits := e.ledger.Available(e.ledger.Find(schema.Fees, schema.Main, f.money)).AddChecked(fee)
	return fits && left.Cmp(ledger.Limit.Neg()) >= 0
}

// changed records what a deal did to a position.
func (e *Engine) changed(s *seat, at uint32, leg *trading.Leg, part *position.Part, realized fixed.Decimal) {
	ev := e.out.Events.AddPosition()
	ev.Cause, ev.Order, ev.Deal, ev.Price = schema.ByTrade, leg.Order, leg.Deal, leg.Price
	if leg.Cause != 0 {
		ev.Cause = leg.Cause
	}
	ev.Funding, ev.Settled = fixed.Zero, 0 // left there by an earlier command
	ev.Amount, ev.Fee, ev.Realized = fixed.FromUnits(part.Lots, int(e.market(s.market).scale.Stock)), part.Fee, realized
	if leg.Cause == schema.ByDelisting && leg.Side == schema.Buy {
		ev.Amount = ev.Amount.Neg()
	}
	e.view(s, at, leg.Of, &ev.Position)
}

// view is a position as the world sees it.
func (e *Engine) view(s *seat, at uint32, of schema.PositionSide, v *schema.Position) {
	o, stock := e.positions.At(at), int(e.market(s.market).scale.Stock)
	v.ID, v.Account, v.Market, v.Side = o.id, s.account, s.market, of
	v.Amount, v.Cost = fixed.FromUnits(o.Lots, stock), o.Cost
	v.Entered, v.Paid = fixed.FromUnits(o.entered, stock), o.paid
	v.Realized, v.Fees, v.Funding, v.Opened, v.Updated = o.realized, o.fees, o.funding, o.opened, o.updated
	var priced quoted
	if e.market(s.market).foreign {
		priced = *e.quotedAt(at)
	}
	v.QuotedCost, v.QuotedPaid, v.QuotedRealized = priced.cost, priced.paid, priced.realized
}
