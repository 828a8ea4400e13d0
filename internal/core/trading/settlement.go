package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Settlement is all that trading knows about money: what an order may spend (room), what it holds while
// it is open (hold, freeze), and what a deal moves (settle). Matching, stops, modifications and the
// lifecycle of orders come here and nowhere near the ledger, and a test says so; an order that is
// paid from something other than the trade wallet is one that these few functions treat differently.
//
// What must hold: before an order is let in it has room for all that it will hold or spend; what a
// balance has frozen is exactly what its open orders hold.
//
// Orders that are paid from collateral freeze nothing. What they may do is a question about all that their
// account has, and it is asked of the clearing (clearing.go); here their lots are counted where those of
// others are frozen.
//
// What an open order freezes follows from the order, so that it is kept nowhere but in the
// ledger. While an order is in hand, held says how much of that is frozen at the moment: an
// order that moves, wakes up or takes the place of another keeps what is frozen for it as long
// as it does not trade, and only the difference is booked in the end.

// openBalances gives a desk the balances that its orders are paid from, but for those that are paid from collateral.
func (e *Engine) openBalances(m *market, d *desk) {
	if m.future() {
		return
	}
	d.base = e.ledger.Open(d.account, schema.Trade, m.info.Base)
	d.quote = e.ledger.Open(d.account, schema.Trade, m.info.Quote)
}

// findBalances are the balances that orders of an account are paid from, 0 for one that was never touched.
func (e *Engine) findBalances(m *market, account schema.AccountID) (base, quote ledger.Cell) {
	return e.ledger.Find(account, schema.Trade, m.info.Base), e.ledger.Find(account, schema.Trade, m.info.Quote)
}

// roomFor is what an order that is asked for may hold or spend. One that takes the place of another may
// have what that one holds.
func (e *Engine) roomFor(m *market, a *asked) fixed.Decimal {
	var base, quote ledger.Cell
	if a.desk != 0 {
		d := e.desks.At(a.desk)
		base, quote = d.base, d.quote
	} else {
		base, quote = e.findBalances(m, a.account.ID)
	}
	from := quote
	if a.Side == schema.Sell {
		from = base
	}
	available := e.ledger.Available(from)
	if a.replaces != nil {
		available = available.Add(m.hold(a.replaces))
	}
	return available
}

// room is what an order in hand may still hold or spend.
func (e *Engine) room(o *order) fixed.Decimal { return e.ledger.Available(e.pays(o)).Add(o.held) }

// hold is what an order freezes while it is open.
func (m *market) hold(o *order) fixed.Decimal {
	switch {
	case o.flags.has(collateral):
		return fixed.Zero
	case o.side == schema.Sell:
		return m.amount(o.left)
	case o.inQuote():
		return o.budget.Sub(o.dealMoney)
	case o.waits() && o.price == 0: // it will find its price in the book
		return m.money(o.activation, o.left)
	default:
		return m.money(o.price, o.left)
	}
}

// pays is the balance that an order is paid from.
func (e *Engine) pays(o *order) ledger.Cell {
	d := e.desks.At(o.desk)
	if o.side == schema.Sell {
		return d.base
	}
	return d.quote
}

// keep makes what is held for an order what it has to be while the order is open.
func (e *Engine) keep(m *market, o *order, cause schema.Cause) {
	if o.flags.has(collateral) {
		e.count(m, o, o.counts())
		return
	}
	e.freeze(o, m.hold(o), cause)
}

// kept says that what is held for an order is what an open order holds: it was open until now.
func (e *Engine) kept(m *market, o *order) {
	if o.flags.has(collateral) {
		o.counted = o.counts()
		return
	}
	o.held = m.hold(o)
}

// freeze makes what is frozen for an order what it has to be.
func (e *Engine) freeze(o *order, hold fixed.Decimal, cause schema.Cause) {
	if hold == o.held {
		return
	}
	e.ledger.Freeze(e.pays(o), hold.Sub(o.held), ledger.Note{Cause: cause, Ref: uint64(o.id)})
	o.held = hold
}

// release gives back what is held for an order.
func (e *Engine) release(m *market, o *order, cause schema.Cause) {
	if o.flags.has(collateral) {
		e.count(m, o, 0)
		return
	}
	e.freeze(o, fixed.Zero, cause)
}

// settle moves the money of a deal: the maker's side comes from what it has frozen, the
// taker's from what it has available.
func (e *Engine) settle(m *market, deal *schema.Deal, maker, taker *desk, makerRate, takerRate fixed.Decimal) (makerFee, takerFee fixed.Decimal) {
	note := ledger.Note{Cause: schema.ByTrade, Ref: uint64(deal.ID)}
	e.openFees(m)
	if deal.TakerSide == schema.Buy {
		e.ledger.MoveFrozen(maker.base, taker.base, deal.Amount, note)
		e.ledger.Move(taker.quote, maker.quote, deal.Money, note)
		makerFee = e.charge(m, maker.quote, m.feeQuote, deal.Money, makerRate, note)
		takerFee = e.charge(m, taker.base, m.feeBase, deal.Amount, takerRate, note)
	} else {
		e.ledger.MoveFrozen(maker.quote, taker.quote, deal.Money, note)
		e.ledger.Move(taker.base, maker.base, deal.Amount, note)
		makerFee = e.charge(m, maker.base, m.feeBase, deal.Amount, makerRate, note)
		takerFee = e.charge(m, taker.quote, m.feeQuote, deal.Money, takerRate, note)
	}
	return makerFee, takerFee
}

// exchange moves the assets of a deal on a spot market in which a side is paid from collateral, and takes the fees of sides
// that are not: those are the clearing's. What a side has to borrow is lent before anything moves, to the seller first, so
// that what it gets by the deal does not pay for what it gives; and what both got repays before fees are taken.
func (e *Engine) exchange(m *market, o *order, b *book.Order[terms], deal *schema.Deal) (makerFee, takerFee fixed.Decimal) {
	note := ledger.Note{Cause: schema.ByTrade, Ref: uint64(deal.ID)}
	maker := party{desk: b.Owner, flags: b.Terms.flags, leg: e.dealing.maker}
	taker := party{desk: o.desk, flags: o.flags, leg: e.dealing.taker}
	seller, buyer := &maker, &taker
	if deal.TakerSide == schema.Sell {
		seller, buyer = buyer, seller
	}
	e.fetch(seller, deal.ID)
	e.fetch(buyer, deal.ID)
	maker.frozen = maker.plain()
	e.pass(seller.frozen, seller.base, buyer.base, deal.Amount, note)
	e.pass(buyer.frozen, buyer.quote, seller.quote, deal.Money, note)
	for _, p := range [...]*party{buyer, seller} {
		if !p.plain() {
			e.Clearing.Take(p.leg)
		}
	}
	e.openFees(m)
	if maker.plain() {
		makerFee = e.chargeSide(m, &maker, seller, deal, e.makerRate(m, e.desks.At(maker.desk), deal.RPI), note)
	}
	if taker.plain() {
		takerFee = e.chargeSide(m, &taker, seller, deal, e.takerRate(m, e.desks.At(taker.desk)), note)
	}
	return makerFee, takerFee
}

// party is a side of a deal on a spot market, with the balances that it gives from and gets into.
type party struct {
	desk        uint32
	flags       flags
	leg         Leg
	base, quote ledger.Cell
	frozen      bool // what it gives is set aside for it
}

// plain reports whether it is paid from the trade wallet.
func (p *party) plain() bool { return !p.flags.has(collateral) }

// fetch finds the balances of a party.
func (e *Engine) fetch(p *party, deal schema.DealID) {
	if p.plain() {
		d := e.desks.At(p.desk)
		p.base, p.quote = d.base, d.quote
		return
	}
	p.leg.Deal = deal
	p.base, p.quote = e.Clearing.Give(p.leg)
}

// pass moves an amount from what a balance has frozen or available.
func (e *Engine) pass(frozen bool, from, to ledger.Cell, amount fixed.Decimal, note ledger.Note) {
	if frozen {
		e.ledger.MoveFrozen(from, to, amount, note)
	} else {
		e.ledger.Move(from, to, amount, note)
	}
}

// chargeSide takes the fee of one side of a deal out of what it received.
func (e *Engine) chargeSide(m *market, p, seller *party, deal *schema.Deal, rate fixed.Decimal, note ledger.Note) fixed.Decimal {
	if p == seller {
		return e.charge(m, p.quote, m.feeQuote, deal.Money, rate, note)
	}
	return e.charge(m, p.base, m.feeBase, deal.Amount, rate, note)
}

// openFees are the balances that fees of a market go to.
func (e *Engine) openFees(m *market) {
	if m.feeBase == 0 {
		m.feeBase = e.ledger.Open(schema.Fees, schema.Main, m.info.Base)
		m.feeQuote = e.ledger.Open(schema.Fees, schema.Main, m.info.Quote)
	}
}

// charge takes the fee for an amount that was just received, or pays the rebate.
func (e *Engine) charge(m *market, from, fees ledger.Cell, received, percent fixed.Decimal, note ledger.Note) fixed.Decimal {
	fee := m.fee(received, percent)
	note.Cause = schema.ByFee
	switch {
	case fee.Sign() > 0:
		e.ledger.Move(from, fees, fee, note)
	case fee.Sign() < 0:
		left, fits := e.ledger.Available(fees).AddChecked(fee)
		if !fits || left.Cmp(ledger.Limit.Neg()) < 0 {
			return fixed.Zero // the fee account owes all that it may
		}
		e.ledger.Move(fees, from, fee.Neg(), note)
	}
	return fee
}

// prefetchMoney asks for the balances of a desk, and for its seat.
func (e *Engine) prefetchMoney(d *desk) {
	e.ledger.Prefetch(d.base)
	e.ledger.Prefetch(d.quote)
	if d.seat != 0 {
		e.Clearing.PrefetchSeat(d.seat)
	}
}
