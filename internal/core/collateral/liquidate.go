package collateral

import (
	"cmp"
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/core/ledger"
	"bourse/internal/core/position"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// liquidateFallen liquidates those who fell below their maintenance margin, the worst first. It is false if the units of
// the run did not last; who is not safe by then is found again by the next one.
func (e *Engine) liquidateFallen() bool {
	slices.SortFunc(e.falling, worse)
	e.falling = slices.Compact(e.falling) // one that was looked at twice
	lasted := true
	for _, f := range e.falling {
		if e.member(f.account).state != schema.Liquidation {
			continue
		}
		lasted = e.liquidate(f.account)
		e.look(f.account, false)
		e.announce()
		if !lasted {
			break
		}
	}
	return lasted
}

// liquidate closes what an account has until it is safe: positions on spot markets, then what is owed that nothing stands
// behind, futures, what is owed by those, and it ends with what nobody can pay. What waits for a price or a market is passed
// over.
func (e *Engine) liquidate(account schema.AccountID) bool {
	return e.closePairs(account) && e.settleLoans(account) && e.closeFutures(account) && e.settleLoans(account) && e.writeOff(account)
}

// settleLoans buys what an account owes of other assets than USDT, and then sells what it has for the USDT that it owes.
func (e *Engine) settleLoans(account schema.AccountID) bool {
	return e.buyOwed(account) && e.sellCollateral(account)
}

// fallen is how an account stands, and whether it is below its maintenance margin.
func (e *Engine) fallen(account schema.AccountID) (standing, bool) {
	s := e.atRisk(e.member(account), 0)
	return s, s.total().Less(s.maintenance)
}

// spend takes a unit. It is false when none is left.
func (e *Engine) spend() bool {
	if e.units <= 0 {
		return false
	}
	e.units--
	return true
}

// small is the value below which a position, or a debt, is closed at once and not in two rounds.
var small = fixed.FromInt(1000)

var four = fixed.FromInt(4)

// closing is a market on which an account has positions, and the margin by which it is closed before others or after.
type closing struct {
	seat   uint32
	market schema.MarketID
	margin fixed.Decimal
}

// closingsOn are the futures, or the spot markets, on which an account has positions, by market.
func (e *Engine) closingsOn(account schema.AccountID, spot bool, margin func(value) fixed.Decimal) []closing {
	m := e.member(account)
	e.closings = e.closings[:0]
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		s := e.seats.At(at)
		if f := e.market(s.market); f.spot == spot && (s.long != 0 || s.short != 0) {
			r, _ := e.rates(f)
			v := f.value(e.position(s.long), e.position(s.short), r, m.chosen())
			e.closings = append(e.closings, closing{at, s.market, margin(v)})
		}
	}
	return e.closings
}

// closePairs closes positions on spot markets, those that ask for least first.
func (e *Engine) closePairs(account schema.AccountID) bool {
	list := e.closingsOn(account, true, func(v value) fixed.Decimal { return v.initial })
	slices.SortFunc(list, func(a, b closing) int {
		return cmp.Or(a.margin.Cmp(b.margin), cmp.Compare(a.market, b.market))
	})
	return e.closeAll(account, list, e.closePair)
}

// closeFutures closes positions on futures, those that ask for most first.
func (e *Engine) closeFutures(account schema.AccountID) bool {
	list := e.closingsOn(account, false, func(v value) fixed.Decimal { return v.maintenance })
	slices.SortFunc(list, func(a, b closing) int {
		return cmp.Or(b.margin.Cmp(a.margin), cmp.Compare(a.market, b.market))
	})
	return e.closeAll(account, list, e.closeFuture)
}

// closeAll closes positions one after the other until the account is safe. Those without a fresh price or a market wait.
func (e *Engine) closeAll(account schema.AccountID, list []closing, end func(schema.AccountID, uint32) bool) bool {
	for _, c := range list {
		if _, is := e.fallen(account); !is {
			return true
		}
		if _, fresh := e.rates(e.market(c.market)); fresh && e.Markets.Free(c.market) && !end(account, c.seat) {
			return false
		}
	}
	return true
}

// closePair closes what an account has on one spot market: a quarter and then all of it in the book, as far as somebody
// trades near what the assets are worth. What nobody takes stays open.
func (e *Engine) closePair(account schema.AccountID, seat uint32) bool {
	s := e.seats.At(seat)
	f := e.market(s.market)
	if !e.Markets.Sweep(account, s.market, schema.ByLiquidation, &e.units) {
		return false
	}
	for round := 1; round <= 2 && s.long != 0; round++ {
		if _, is := e.fallen(account); !is {
			return true
		}
		r, _ := e.rates(f)
		order, fits := e.part(account, f, schema.BothSides, e.position(s.long), round, r)
		limit, is := e.bandLimit(f, order.Side)
		if !fits || !is || !e.Markets.Meets(s.market, order.Side, limit) {
			continue
		}
		if order.Limit = limit; !e.Markets.Force(order, &e.units) {
			return false
		}
	}
	return true
}

// part is the order of a round, without its limit: a quarter of a position, or all if it is small and in the second round. It
// is false for one whose value cannot be counted.
func (e *Engine) part(account schema.AccountID, f *market, of schema.PositionSide, held position.Position, round int, r rates) (trading.Forced, bool) {
	value, fits := held.Notional(r.base, f.scale)
	lots := book.Lots(abs(held.Lots))
	if part, ok := e.quarter(f, lots); ok && round == 1 && value.Cmp(small) >= 0 {
		lots = part
	}
	order := trading.Forced{Account: account, Market: f.info.ID, Of: of, Reduce: true, Lots: lots, Side: schema.Sell}
	if held.Lots < 0 {
		order.Side = schema.Buy
	}
	return order, fits
}

// bandLimit is the worst price at which liquidation trades on a spot market: so far from what its assets are worth. A sale at
// no price at all is one at the lowest.
func (e *Engine) bandLimit(f *market, side schema.Side) (book.Ticks, bool) {
	price, _ := e.prices.Pair(f.info)
	width := saleBand
	if f.info.Pair() {
		width = f.info.LiquidationBand.Percent()
	}
	far, round := fixed.One.Sub(width), fixed.Ceil
	if side == schema.Buy {
		far, round = fixed.One.Add(width), fixed.Floor
	}
	limit, fits := fixed.Mul(price, far, fixed.Places, round)
	if far.IsZero() {
		limit = fixed.FromUnits(1, int(f.scale.Money))
	}
	ticks, is := e.Markets.Ticks(f.info.ID, limit, round)
	return ticks, fits && is && ticks > 0
}

// closeFuture closes what an account has on one future: its two sides against each other, then a quarter of what is left and
// then all of it in the book, then against those who win by it.
func (e *Engine) closeFuture(account schema.AccountID, seat uint32) bool {
	s := e.seats.At(seat)
	if !e.Markets.Sweep(account, s.market, schema.ByLiquidation, &e.units) {
		return false
	}
	if s.long != 0 && s.short != 0 && !e.closeOverlap(seat) {
		return false
	}
	of := e.openSide(account, s)
	for round := 1; round <= 2; round++ {
		stands, is := e.fallen(account)
		if slot := *s.side(of); !is || slot == 0 {
			return true
		}
		if order, ok := e.order(account, s, of, round, &stands); ok && !e.Markets.Force(order, &e.units) {
			return false
		}
	}
	if stands, is := e.fallen(account); is && *s.side(of) != 0 {
		return e.deleverage(account, seat, of, &stands)
	}
	return true
}

// openSide is the position that is open where one is.
func (e *Engine) openSide(account schema.AccountID, s *seat) schema.PositionSide {
	switch {
	case !e.market(s.market).hedges(e.member(account)):
		return schema.BothSides
	case s.long == 0:
		return schema.ShortSide
	default:
		return schema.LongSide
	}
}

// closeOverlap closes the long and the short side of an account against each other at the mark, as far as both go: its
// total stays, and only what is left asks for margin.
func (e *Engine) closeOverlap(seat uint32) bool {
	s := e.seats.At(seat)
	f := e.market(s.market)
	mark, _ := e.prices.Mark(s.market)
	r, _ := e.rates(f)
	lots := min(e.lots(s.long), -e.lots(s.short))
	value, fits := fixed.Mul(fixed.FromUnits(lots, int(f.scale.Stock)), r.base, fixed.Places, fixed.Down)
	if !fits {
		return true // what cannot be counted cannot be booked
	}
	money, _ := value.Round(int(f.scale.Quote), fixed.Down)
	leg := trading.Leg{Seat: seat, Lots: book.Lots(lots), Money: money, Price: mark, Cause: schema.ByLiquidation}
	long, short := leg, leg
	long.Side, long.Of = schema.Sell, schema.LongSide
	short.Side, short.Of = schema.Buy, schema.ShortSide
	if f.foreign && (!e.requotable(f, s.long, e.lots(s.long), &long) || !e.requotable(f, s.short, e.lots(s.short), &short)) {
		return true
	}
	if !e.spend() {
		return false
	}
	e.bookFunding(f, s.long)
	e.bookFunding(f, s.short)
	e.Settle(&long)
	e.Settle(&short)
	return true
}

// order is that of a round: how much it closes, and the worst price at which it may. At that price what it loses,
// with its fees, is the part of the account's total that belongs to it: the others' parts, and the fund, are never touched by a
// fill in the book. It is false when nobody would trade with it.
func (e *Engine) order(account schema.AccountID, s *seat, of schema.PositionSide, round int, stands *standing) (trading.Forced, bool) {
	f, held := e.market(s.market), e.position(*s.side(of))
	r, _ := e.rates(f)
	order, fits := e.part(account, f, of, held, round, r)
	if !fits {
		return trading.Forced{}, false
	}
	limit, ok := e.closingLimit(account, f, order.Side, order.Lots, r, stands)
	if !ok || !e.Markets.Meets(s.market, order.Side, limit) {
		return trading.Forced{}, false
	}
	order.Limit = limit
	return order, true
}

// quarter is a quarter of some lots in whole steps; it is false where less than the smallest order would be left.
func (e *Engine) quarter(f *market, lots book.Lots) (book.Lots, bool) {
	stock := int(f.scale.Stock)
	all := fixed.FromUnits(int64(lots), stock)
	exact, _ := fixed.Div(all, four, fixed.Places, fixed.Up)
	part, fits := e.Markets.Steps(f.info.ID, exact, fixed.Up)
	if !fits || part >= lots {
		return 0, false
	}
	return part, fixed.FromUnits(int64(lots-part), stock).Cmp(f.info.MinAmount) >= 0
}

// closingLimit is the worst price of an order that closes some lots, in the money of the market's prices.
func (e *Engine) closingLimit(account schema.AccountID, f *market, side schema.Side, lots book.Lots, r rates, stands *standing) (book.Ticks, bool) {
	total, fee := stands.total(), e.Markets.TakerRate(account, f.info.ID).Percent()
	// limit = price × value / kept, and kept is what is left of something after fees
	price, _ := e.prices.Mark(f.info.ID)
	of := e.notional(e.member(account))
	value := of
	if total.Sign() > 0 {
		fee = fee.Add(f.info.LiquidationFee.Percent())
	} else {
		size := fixed.FromUnits(int64(lots), int(f.scale.Stock))
		price = fixed.One
		value, _ = fixed.Mul(size, r.base, fixed.Places, fixed.Ceil)
		of = divisor(size, r, fixed.Down)
		if side == schema.Buy {
			of = divisor(size, r, fixed.Up)
		}
	}
	if side == schema.Sell {
		kept, fits := fixed.Mul(of, fixed.One.Sub(fee), fixed.Places, fixed.Down)
		if !fits || kept.Sign() <= 0 {
			return 0, false
		}
		return e.limit(f, price, plus(value, total.Neg()), kept, fixed.Ceil)
	}
	kept, fits := fixed.Mul(of, fixed.One.Add(fee), fixed.Places, fixed.Up)
	if !fits {
		return 0, false
	}
	return e.limit(f, price, plus(value, total), kept, fixed.Floor)
}

// divisor is what a value in USDT of an amount is divided by to become a price of the market: the amount, where prices are in
// USDT.
func divisor(amount fixed.Decimal, r rates, round fixed.Rounding) fixed.Decimal {
	if r.money == fixed.One {
		return amount
	}
	worth, fits := fixed.Mul(amount, r.money, fixed.Places, round)
	if !fits {
		return fixed.Max
	}
	return worth
}

// limit is price × a / b as a price of a market. A sale at no price at all is one at the lowest.
func (e *Engine) limit(f *market, price, a, b fixed.Decimal, r fixed.Rounding) (book.Ticks, bool) {
	exact, fits := fixed.MulDiv(price, a, b, fixed.Places, r)
	if !fits {
		return 0, false
	}
	ticks, fits := e.Markets.Ticks(f.info.ID, exact, r)
	if !fits {
		return 0, false
	}
	if ticks <= 0 {
		if r == fixed.Floor {
			return 0, false
		}
		ticks, _ = e.Markets.Ticks(f.info.ID, fixed.FromUnits(1, int(f.scale.Money)), fixed.Ceil)
	}
	return ticks, true
}

// notional is the value of all positions and naked loans of an account.
func (e *Engine) notional(m *member) (sum fixed.Decimal) {
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		s := e.seats.At(at)
		f := e.market(s.market)
		r, _ := e.rates(f)
		for _, slot := range [...]uint32{s.long, s.short} {
			sum = plus(sum, f.notional(e.position(slot), r.base))
		}
	}
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		h := e.holdings.At(at)
		sum = plus(sum, e.nakedLoan(h.asset, e.own(h, byHour)))
	}
	return sum
}

// chargeLiquidation takes the fee of a deal of liquidation for the insurance fund, out of what the account still has.
func (e *Engine) chargeLiquidation(at *seat, m *member, f *market, leg *trading.Leg) {
	s := e.atRisk(m, 0)
	left := fixed.MaxOf(fixed.Zero, s.total())
	fee, fits := fixed.Mul(leg.Money, f.info.LiquidationFee.Percent(), fixed.Places, fixed.Down)
	if !fits {
		fee = fixed.Max
	}
	fee, _ = fixed.MinOf(fee, left).Round(int(f.scale.Fee), fixed.Down)
	if fee.Sign() > 0 {
		h := e.holdings.At(e.holding(at.account, m, f.money))
		e.pay(at.account, h, e.ledger.Open(schema.Insurance, schema.Main, h.asset), fee, ledger.Note{Cause: schema.ByLiquidation, Ref: uint64(leg.Deal)})
	}
}
