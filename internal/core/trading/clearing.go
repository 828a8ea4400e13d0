package trading

import (
	"cmp"
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/core/ledger"
	"bourse/internal/core/position"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Clearing is what trading asks about orders that are paid from collateral. Such orders freeze nothing: what an
// account may do depends on all that it has, so that it is asked when the order comes and again at every fill.
// What is asked about with every order is passed as a pointer to a place that the engine keeps for it, and is good until the
// call returns: copies of so much cost more than most answers. A pointer to anything else that goes through an interface would
// move it to the heap, also for those who trade without collateral.
type Clearing interface {
	// Side is the position that an order of an account belongs to, and whether it may only reduce it. It is
	// false when the account trades in another mode.
	Side(schema.AccountID, schema.Side, schema.PositionSide) (of schema.PositionSide, reduces, ok bool)
	// Seat is where an account trades a market with collateral, made if it is not there.
	Seat(schema.AccountID, schema.MarketID) uint32
	// PrefetchSeat and PrefetchPosition ask for what a question about a seat looks at.
	PrefetchSeat(seat uint32)
	PrefetchPosition(seat uint32)
	// Held is the position of an account on a market that has an id, and its size. It is false when there is none.
	Held(schema.AccountID, schema.MarketID, schema.PositionID) (of schema.PositionSide, lots int64, ok bool)
	// Reducible is how many lots an order of a side can close of a position.
	Reducible(seat uint32, side schema.Side, of schema.PositionSide) book.Lots
	// Admit checks that an account can have one more order, or one in the place of another.
	Admit(*Admission) schema.Rejection
	// Fits reports whether lots of an order can be counted once others are not.
	Fits(gone, come Pending) bool
	// Pend counts lots of an open order, or (below zero) takes them off the count.
	Pend(*Pending)
	// Room reports whether an account can have its side of a deal. What it finds is good for Settle with the same leg.
	Room(*Leg) bool
	// Give are the balances of a seat that a side of a deal on a spot market is settled with. What the side gives is there: what
	// was missing is lent.
	Give(Leg) (base, quote ledger.Cell)
	// Take repays what a side owes of the asset that it got by a deal on a spot market.
	Take(Leg)
	// Settle does a side of a deal, whose assets were exchanged if it is one on a spot market, and returns its fee, which is less than asked for when it is a rebate
	// that cannot be paid. Ended reports whether a position came to its end by it.
	Settle(*Leg) (fee fixed.Decimal, ended bool)
	// Assess looks for accounts whose margin is at its end, after prices changed, and liquidates them.
	Assess()
	// Orders is what is counted at a seat, and the value of all of it.
	Orders(seat uint32) (position.Orders, fixed.Decimal)
}

// Pending is what an open order counts for margin.
type Pending struct {
	Seat    uint32
	Side    schema.Side
	Reduces bool
	// Worse than the mark at placement: to buy above it, to sell below it.
	Worse bool
	// Whole says that the order closes all of a position: it counts as an order, and has neither lots nor value.
	Whole bool
	Lots  book.Lots
	Money fixed.Decimal // lots × price, not negative
}

// Admission is an order that asks to be let in.
type Admission struct {
	Account  schema.AccountID
	Market   schema.MarketID
	Order    Pending
	Replaces Pending       // what the order that it takes the place of counts
	Rate     fixed.Decimal // that it pays if it takes, in percent
}

// Leg is one side of a deal.
type Leg struct {
	Seat  uint32
	Side  schema.Side
	Of    schema.PositionSide
	Lots  book.Lots
	Money fixed.Decimal
	Fee   fixed.Decimal
	// For the record:
	Order schema.OrderID
	Deal  schema.DealID
	Price fixed.Decimal
	// Forced says that liquidation wanted the deal, Paired that there was no book, Plain that it is about no position.
	Forced bool
	Paired bool
	Plain  bool
	Cause  schema.Cause // of what no deal did; 0 where one did
	// Judged is which judgement of the clearing was about it, 0: none.
	Judged uint64
}

// future reports whether the market is traded from collateral alone.
func (m *market) future() bool { return m.info.Future() }

// margined reports whether orders on the market can be paid from collateral.
func (m *market) margined() bool { return m.future() || m.info.Pair() }

// margin reports whether an order is one on a spot market that is paid from collateral.
func (m *market) margin(f flags) bool { return f.has(collateral) && !m.future() }

// mark is the price that positions on a market are valued at, zero if there is none: on a spot market, what its assets are
// worth.
func (e *Engine) mark(m *market) fixed.Decimal {
	if !m.future() {
		price, _ := e.Prices.Pair(m.info)
		return price
	}
	mark, _ := e.Prices.Mark(m.info.ID)
	return mark
}

// sit gives a desk its seat. A desk that was restored has none before it is asked for.
func (e *Engine) sit(m *market, desk uint32) {
	if d := e.desks.At(desk); d.seat == 0 {
		d.seat = e.Clearing.Seat(d.account, m.info.ID)
	}
}

// checkSide finds the position that an order belongs to.
func (e *Engine) checkSide(m *market, a *asked, o *order) schema.Rejection {
	if a.desk != 0 {
		e.sit(m, a.desk)
	}
	of, reduces, ok := e.positionSide(m, a, a.PositionSide)
	if !ok {
		return schema.Refuse(schema.PositionSideMismatch)
	}
	o.flags |= collateralFlags(reduces || a.ReduceOnly, of)
	return schema.Rejection{}
}

// positionSide is the position that an order belongs to, and whether it may only reduce it. Spot markets have one, whatever
// the mode of the account.
func (e *Engine) positionSide(m *market, a *asked, wanted schema.PositionSide) (of schema.PositionSide, reduces, ok bool) {
	if !m.future() {
		return schema.BothSides, false, true
	}
	return e.Clearing.Side(a.account.ID, a.Side, wanted)
}

// cut makes an order that may only reduce a position no larger than the position.
func (e *Engine) cut(a *asked, o *order) schema.Rejection {
	if !o.flags.has(reduceOnly) {
		return schema.Rejection{}
	}
	most := book.Lots(0)
	if a.desk != 0 {
		most = e.reducible(a.desk, o.side, o.flags)
	}
	if most == 0 {
		return schema.Refuse(schema.ReduceOnlyNothing)
	}
	o.amount = min(o.amount, most)
	o.left = o.amount
	return schema.Rejection{}
}

// shrink makes a stop that may only reduce a position no larger than the position has become. It is in no queue.
func (e *Engine) shrink(m *market, o *order) {
	if !o.flags.has(reduceOnly) {
		return
	}
	if most := e.reducible(o.desk, o.side, o.flags); o.flags.has(whole) || most > 0 && most < o.left {
		b := m.book.At(o.slot)
		b.Left, b.Terms.amount = most, most
		o.left, o.amount = most, most
	}
}

// reducible is how many lots an order of a desk can close.
func (e *Engine) reducible(desk uint32, side schema.Side, f flags) book.Lots {
	return e.Clearing.Reducible(e.desks.At(desk).seat, side, f.position())
}

// checkBand checks that there is a mark and that the price of an order on a future is near enough to it.
func (e *Engine) checkBand(m *market, o *order) schema.Rejection {
	mark := e.mark(m)
	if mark.IsZero() {
		return schema.Refuse(schema.PriceUnknown)
	}
	if o.price == 0 || !m.future() {
		return schema.Rejection{}
	}
	if off := m.price(o.price).Sub(mark).Abs(); off.Cmp(m.width(mark)) > 0 {
		return schema.Refuse(schema.PriceOutOfBand)
	}
	return schema.Rejection{}
}

// width is how far from a mark prices may be. Orders come far more often than marks, so that it is kept with the mark that it is
// for.
func (m *market) width(mark fixed.Decimal) fixed.Decimal {
	if m.bandAt != mark {
		// It is exact or rounded down: prices have at most as many decimals as marks.
		m.bandWidth, _ = fixed.Mul(mark, m.priceBand, fixed.Places, fixed.Down)
		m.bandAt = mark
	}
	return m.bandWidth
}

// checkMargin asks whether the account can have the order.
func (e *Engine) checkMargin(m *market, a *asked, o *order) schema.Rejection {
	ask := &e.asking
	*ask = Admission{Account: a.account.ID, Market: m.info.ID}
	mark := e.mark(m)
	m.pend(&ask.Order, o.side, o.flags, o.worth(), o.amount)
	above := m.price(o.worth()).Cmp(mark) // what it pays or gets for a unit against the mark
	if o.kind == schema.StockMarket {
		// It is worth what it finds; what it does not find it will not trade. If it finds nothing it counts at the mark, which is no
		// worse than that, however its value is rounded.
		lots, cost := e.sweep(m, o, fixed.Max)
		if lots == 0 {
			lots, above = o.amount, 0
			cost, _ = fixed.Mul(m.amount(lots), mark, fixed.Places, fixed.Up)
		} else {
			// What is rounded decides nothing: costs have no more decimals than it is rounded to.
			round := fixed.Down
			if o.side == schema.Sell {
				round = fixed.Up
			}
			value, _ := fixed.Mul(m.amount(lots), mark, fixed.Places, round)
			above = cost.Cmp(value)
		}
		ask.Order.Lots, ask.Order.Money = lots, cost
	}
	o.compare(above)
	ask.Order.Worse = o.flags.has(worse)
	if a.desk != 0 {
		d := e.desks.At(a.desk)
		ask.Order.Seat, ask.Rate = d.seat, e.takerRate(m, d)
	} else {
		ask.Rate = lower(m.info.TakerFee, a.account.TakerFee)
	}
	if a.replaces != nil {
		m.pend(&ask.Replaces, a.replaces.side, a.replaces.flags, a.replaces.worth(), a.replaces.left)
		ask.Replaces.Seat = ask.Order.Seat
	}
	return e.Clearing.Admit(ask)
}

// compare notes whether an order pays more or gets less than the mark, above which it is, on it or (less than zero) below.
func (o *order) compare(above int) {
	if o.side == schema.Buy && above > 0 || o.side == schema.Sell && above < 0 {
		o.flags |= worse
	}
}

// counts is how many lots of an open order count for margin.
func (o *order) counts() book.Lots {
	if o.flags.has(spare) {
		return 0
	}
	return o.left
}

// worth is the price at which an order counts for margin. One at the market, which is open only in the middle
// of its matching, counts nothing.
func (o *order) worth() book.Ticks {
	if o.price == 0 {
		return o.activation
	}
	return o.price
}

// pending is what some lots of an order count at a price.
func (m *market) pending(side schema.Side, f flags, price book.Ticks, lots book.Lots) (p Pending) {
	m.pend(&p, side, f, price, lots)
	return p
}

// pend is pending in a place that is there for it, but for the seat.
func (m *market) pend(p *Pending, side schema.Side, f flags, price book.Ticks, lots book.Lots) {
	p.Side, p.Lots = side, lots
	p.Reduces, p.Worse, p.Whole = f.has(reduceOnly), f.has(worse), false
	if f.has(whole) && !f.has(activated) {
		p.Reduces, p.Worse, p.Whole, p.Money = true, false, true, fixed.Zero
		return
	}
	p.Money = m.money(price, lots)
}

// count makes so many lots of an order count.
func (e *Engine) count(m *market, o *order, lots book.Lots) {
	more := lots - o.counted
	if more == 0 {
		return
	}
	p := &e.counting
	m.pend(p, o.side, o.flags, o.worth(), max(more, -more))
	p.Seat, p.Lots = e.desks.At(o.desk).seat, more
	e.Clearing.Pend(p)
	o.counted = lots
}

// fits reports whether what is left of an order that counts nothing yet can be counted.
func (e *Engine) fits(m *market, o *order) bool {
	come := m.pending(o.side, o.flags, o.worth(), o.left)
	come.Seat = e.desks.At(o.desk).seat
	return e.Clearing.Fits(Pending{}, come)
}

// verdict is what the clearing says of a deal.
type verdict uint8

const (
	proceed verdict = iota
	makerOut
	takerOut
)

// judge asks whether a deal between an order and a maker can be, and for how many lots. A maker that cannot
// ends here; how the taker ends is for the caller.
//
// The maker is looked at first, so that a taker never ends because of a deal that could not have been. Whether orders
// may only reduce comes before margin: it decides about the size that margin is asked for.
func (e *Engine) judge(m *market, o *order, slot book.Slot, lots book.Lots) (book.Lots, verdict, schema.Status, schema.Cause) {
	b := m.book.At(slot)
	if b.Terms.flags.has(reduceOnly) {
		if lots = min(lots, e.reducible(b.Owner, b.Terms.side, b.Terms.flags)); lots == 0 {
			e.cancel(m, slot, b.Terms.flags.lapsed(), schema.ByReduceOnly)
			return 0, makerOut, 0, 0
		}
	}
	if o.flags.has(reduceOnly) {
		if lots = min(lots, e.reducible(o.desk, o.side, o.flags)); lots == 0 {
			return 0, takerOut, o.flags.lapsed(), schema.ByReduceOnly
		}
	}
	e.legs(m, o, b, lots)
	// On a spot market the other side may be paid from what it has frozen.
	if b.Terms.flags.has(collateral) && !e.Clearing.Room(&e.dealing.maker) || b.Terms.flags.has(spare) && !e.remains(m, slot) {
		e.cancel(m, slot, schema.Canceled, schema.ByMargin)
		return 0, makerOut, 0, 0
	}
	if o.flags.has(collateral) && !e.Clearing.Room(&e.dealing.taker) || o.flags.has(spare) && !e.remains(m, o.slot) {
		return 0, takerOut, schema.Canceled, schema.ByMargin
	}
	return lots, proceed, 0, 0
}

// dealing is the two sides of the deal in hand: they are judged, and settled if it can be.
type dealing struct{ maker, taker Leg }

// legs takes the two sides of a deal in hand.
func (e *Engine) legs(m *market, o *order, b *book.Order[terms], lots book.Lots) {
	makerDesk, takerDesk := e.desks.At(b.Owner), e.desks.At(o.desk)
	money, price := e.paid(m, m.money(b.Price, lots)), m.price(b.Price)
	e.dealing.maker = Leg{
		Seat: makerDesk.seat, Side: b.Terms.side, Of: b.Terms.flags.position(), Lots: lots, Money: money, Price: price,
		Fee: m.fee(money, e.makerRate(m, makerDesk, b.Terms.flags.has(rpi))), Order: schema.OrderID(b.ID),
	}
	e.dealing.taker = Leg{
		Seat: takerDesk.seat, Side: o.side, Of: o.flags.position(), Lots: lots, Money: money, Price: price,
		Fee: m.fee(money, e.takerRate(m, takerDesk)), Order: o.id, Forced: o.flags.has(forced), Plain: o.flags.has(forced) && !o.flags.has(reduceOnly),
	}
}

// paid is what some money of the prices of a market is in what deals there are paid in: itself, but for futures whose prices are not in
// USDT, where it is cut off once for both sides. What cannot be counted is less than nothing, for which nobody has room.
func (e *Engine) paid(m *market, money fixed.Decimal) fixed.Decimal {
	if m.info.Type != schema.TradFiFutures {
		return money
	}
	_, rate := e.Prices.Worth(m.info.ID)
	paid, fits := fixed.Mul(money, rate, int(e.listing.Asset(e.listing.USDT()).Scale), fixed.Down)
	if !fits {
		return fixed.One.Neg()
	}
	return paid
}

// clear settles the deal that was judged, in which an order is paid from collateral.
func (e *Engine) clear(m *market, o *order, b *book.Order[terms], deal *schema.Deal, lots book.Lots) (makerFee, takerFee fixed.Decimal) {
	maker, taker := &e.dealing.maker, &e.dealing.taker
	maker.Deal, taker.Deal = deal.ID, deal.ID
	pledged := b.Terms.flags.has(collateral)
	if pledged && !b.Terms.flags.has(spare) {
		traded := &e.counting
		m.pend(traded, b.Terms.side, b.Terms.flags, b.Price, lots)
		traded.Seat, traded.Lots = maker.Seat, -lots
		e.Clearing.Pend(traded)
	}
	if !m.future() {
		makerFee, takerFee = e.exchange(m, o, b, deal)
	}
	ended := false
	if pledged {
		if makerFee, ended = e.Clearing.Settle(maker); ended {
			e.orphan(m, b.Owner)
		}
	}
	if o.flags.has(collateral) {
		if takerFee, ended = e.Clearing.Settle(taker); ended {
			e.orphan(m, o.desk)
		}
	}
	return makerFee, takerFee
}

// orphan notes that a position of a desk came to its end: orders that could only reduce it have to end too,
// once the matching has come to rest.
func (e *Engine) orphan(m *market, desk uint32) {
	if d := e.desks.At(desk); d.reducers > 0 && !slices.Contains(m.orphans, desk) {
		m.orphans = append(m.orphans, desk)
	}
}

// sweepOrphans ends the orders that can reduce nothing any more, account by account, the oldest first. It is
// false if the slice ended before.
func (e *Engine) sweepOrphans(m *market) bool {
	slices.SortFunc(m.orphans, func(a, b uint32) int {
		return cmp.Compare(e.desks.At(a).account, e.desks.At(b).account)
	})
	for len(m.orphans) > 0 {
		d := e.desks.At(m.orphans[0])
		over := e.goThrough(m, d, func(b *book.Order[terms]) (schema.Status, bool) {
			f := b.Terms.flags
			return f.lapsed(), f.has(reduceOnly) && e.reducible(b.Owner, b.Terms.side, f) == 0
		}, schema.ByReduceOnly)
		if !over {
			return false
		}
		m.orphans = slices.Delete(m.orphans, 0, 1)
	}
	return true
}
