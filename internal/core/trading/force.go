package trading

import (
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// What liquidation asks of the markets. It runs inside a command that changed prices, with a budget of its own, which
// callers pass as units: one for each order that is made, each step of its matching and each order that is canceled.
// Stops that its deals wake up wait until it is through (Settle), so that no order of a customer trades in the middle.

// Forced is an order of liquidation. It is checked for nothing and never rests.
type Forced struct {
	Account schema.AccountID
	Market  schema.MarketID
	Of      schema.PositionSide
	Reduce  bool // it closes a position; otherwise it trades what the account has as collateral or owes
	Side    schema.Side
	Lots    book.Lots
	Limit   book.Ticks
}

// Free reports whether liquidation may use a market.
func (e *Engine) Free(id schema.MarketID) bool {
	m := e.market(id)
	return m.work == nil && m.info.Enabled && !m.info.Delisted && !m.info.InMaintenance
}

// Last is the price of the last deal of a market in its book, zero if there was none.
func (e *Engine) Last(id schema.MarketID) fixed.Decimal {
	m := e.market(id)
	return m.price(m.last)
}

// TakerRate is what an account pays for a fill on arrival, in percent.
func (e *Engine) TakerRate(account schema.AccountID, id schema.MarketID) fixed.Decimal {
	_, taker := e.Rates(account, id)
	return taker
}

// Ticks is a price of a market as a multiple of its tick, rounded to one side. It is false for what cannot be counted.
func (e *Engine) Ticks(id schema.MarketID, price fixed.Decimal, r fixed.Rounding) (book.Ticks, bool) {
	m := e.market(id)
	n, fits := multiple(price, m.moneyPrec, int64(m.tick), r)
	return book.Ticks(n), fits
}

// Steps is an amount of base in whole steps, rounded to one side, in lots. It is false for what cannot be counted.
func (e *Engine) Steps(id schema.MarketID, amount fixed.Decimal, r fixed.Rounding) (book.Lots, bool) {
	m := e.market(id)
	n, fits := multiple(amount, m.stockPrec, int64(m.step), r)
	return book.Lots(n), fits
}

// multiple is a number as a multiple of so many units, in units. What is below zero goes toward zero.
func multiple(d fixed.Decimal, places int, of int64, r fixed.Rounding) (int64, bool) {
	rounded, fits := d.Round(places, r)
	if !fits {
		return 0, false
	}
	n, fits := rounded.Units(places)
	if !fits {
		return 0, false
	}
	off := n % of
	if n -= off; off > 0 && (r == fixed.Ceil || r == fixed.Up) {
		n += of
	}
	return n, n >= 0 || off <= 0
}

// Price is a number of ticks as the world sees it.
func (e *Engine) Price(id schema.MarketID, p book.Ticks) fixed.Decimal { return e.market(id).price(p) }

// Meets reports whether somebody in the public book would trade with an order of a side at a limit.
func (e *Engine) Meets(id schema.MarketID, side schema.Side, limit book.Ticks) bool {
	best, there := e.market(id).book.Best(queue(side.Opposite(), false))
	return there && crosses(side, limit, best)
}

// Force lets an order of liquidation take what it can. It reports whether the units lasted to its end.
func (e *Engine) Force(f Forced, units *int) bool {
	if *units <= 0 {
		return false
	}
	*units--
	m := e.market(f.Market)
	o := order{
		kind: schema.StockMarket, side: f.Side, stp: schema.STPCancelOld, flags: collateralFlags(f.Reduce, f.Of) | ioc | forced,
		amount: f.Lots, left: f.Lots, created: e.out.Time, updated: e.out.Time, desk: e.openDesk(f.Account, m),
	}
	e.sit(m, o.desk)
	o.id = e.nextID()
	name := schema.SystemClientID("liquidation", o.id)
	o.client = &name

	whole := e.budget
	e.budget = *units
	_, _, done := e.match(m, &o, f.Limit, false)
	*units, e.budget = e.budget, whole
	status := schema.PartiallyFilled
	switch o.left {
	case 0:
		status = schema.Filled
	case o.amount:
		status = schema.Canceled
	}
	e.end(m, &o, status, schema.ByLiquidation)
	if !slices.Contains(e.forcedOn, m) {
		e.forcedOn = append(e.forcedOn, m)
	}
	return done
}

// Settle lets in the stops that liquidation woke up, and ends the orders that have lost their positions, market by market.
func (e *Engine) Settle() {
	slices.SortFunc(e.forcedOn, func(a, b *market) int { return int(a.info.ID) - int(b.info.ID) })
	for _, m := range e.forcedOn {
		if !e.wake(m) {
			e.leave(&work{kind: placing, markets: []*market{m}})
		}
	}
	e.forcedOn = e.forcedOn[:0]
}

// Sweep cancels the orders of an account on a market that are paid from collateral, the oldest first. It reports whether the
// units lasted. Others are passed over as often as there are some to find, and are no more than an account may have there.
func (e *Engine) Sweep(account schema.AccountID, id schema.MarketID, cause schema.Cause, units *int) bool {
	desk := e.findDesk(account, id)
	if desk == 0 {
		return true
	}
	m, d := e.market(id), e.desks.At(desk)
	passed := book.Slot(0) // the last one that stays: the end of an order may be that of another, which may be the next
	for d.pledged > 0 {
		slot := d.first
		if passed != 0 {
			slot = m.book.At(passed).Terms.next
		}
		f := m.book.At(slot).Terms.flags
		if !f.has(collateral) {
			passed = slot
			continue
		}
		if *units <= 0 {
			return false
		}
		*units--
		status := schema.AutoCanceledLiquidation
		if cause == schema.ByDeleveraging {
			status = schema.Canceled
			if f.has(reduceOnly) {
				status = f.lapsed()
			}
		}
		e.cancel(m, slot, status, cause)
	}
	return true
}

// Pairing is a deal that deleveraging makes between two positions.
type Pairing struct {
	Market     schema.MarketID
	Price      book.Ticks
	Lots       book.Lots
	Side       schema.Side // of the order of the liquidated account
	Liquidated Party
	Other      Party
}

// Party is who has a position.
type Party struct {
	Account schema.AccountID
	Of      schema.PositionSide
}

// Pair does a deal without the book: its price is none of the market's, and the other side pays no fee. It is false, and
// nothing happened, when what would move cannot be counted.
func (e *Engine) Pair(p Pairing) bool {
	m := e.market(p.Market)
	money, fits := m.moneyUnit.Product(int64(p.Price), int64(p.Lots))
	money = e.paid(m, money)
	if !fits || !e.settles(m, &p, p.Liquidated, p.Side, money) || !e.settles(m, &p, p.Other, p.Side.Opposite(), money) {
		return false
	}
	liquidated, other := e.paired(m, &p, p.Liquidated, p.Side), e.paired(m, &p, p.Other, p.Side.Opposite())
	e.lastDeal++
	deal := e.out.Events.AddDeal()
	*deal = schema.Deal{
		ID: e.lastDeal, Market: p.Market, TakerSide: p.Side, OffBook: true,
		Price: m.price(p.Price), Amount: m.amount(p.Lots), Money: m.money(p.Price, p.Lots),
	}
	leg := func(o *order) Leg {
		return Leg{
			Seat: e.desks.At(o.desk).seat, Side: o.side, Of: o.flags.position(), Lots: p.Lots, Money: money, Price: deal.Price,
			Order: o.id, Deal: deal.ID, Paired: true,
		}
	}
	against, forcedLeg := &e.dealing.maker, &e.dealing.taker
	*against, *forcedLeg = leg(&other), leg(&liquidated)
	forcedLeg.Forced, forcedLeg.Fee = true, m.fee(money, e.takerRate(m, e.desks.At(liquidated.desk)))
	_, _ = e.Clearing.Settle(against)
	liquidated.dealFee, _ = e.Clearing.Settle(forcedLeg)
	otherName, name := schema.SystemClientID("adl", other.id), schema.SystemClientID("liquidation", liquidated.id)
	other.client, liquidated.client = &otherName, &name
	deal.Maker = schema.DealSide{Order: other.id, Account: p.Other.Account, ClientID: otherName}
	deal.Taker = schema.DealSide{Order: liquidated.id, Account: p.Liquidated.Account, Fee: liquidated.dealFee, ClientID: name}
	e.changed(m, &other, schema.Closed, schema.ByDeleveraging, schema.Filled)
	e.changed(m, &liquidated, schema.Closed, schema.ByLiquidation, schema.Filled)
	return true
}

// settles reports whether one side of a pairing can be counted.
func (e *Engine) settles(m *market, p *Pairing, who Party, side schema.Side, money fixed.Decimal) bool {
	desk := e.openDesk(who.Account, m)
	e.sit(m, desk)
	e.dealing.maker = Leg{
		Seat: e.desks.At(desk).seat, Side: side, Of: who.Of, Lots: p.Lots, Money: money, Price: m.price(p.Price), Forced: true,
	}
	return e.Clearing.Room(&e.dealing.maker)
}

// paired is the order of one side of a pairing.
func (e *Engine) paired(m *market, p *Pairing, who Party, side schema.Side) order {
	o := order{
		id: e.nextID(), desk: e.openDesk(who.Account, m), kind: schema.StockMarket, side: side,
		flags: collateralFlags(true, who.Of) | ioc, amount: p.Lots, dealMoney: m.money(p.Price, p.Lots),
		created: e.out.Time, updated: e.out.Time,
	}
	if who == p.Liquidated {
		o.stp = schema.STPCancelOld
	}
	e.sit(m, o.desk)
	return o
}
