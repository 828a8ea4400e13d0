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

// openBalances gives a desk the balances that its orders are paid from. Futures are paid from collateral.
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
	if m.feeBase == 0 {
		m.feeBase = e.ledger.Open(schema.Fees, schema.Main, m.info.Base)
		m.feeQuote = e.ledger.Open(schema.Fees, schema.Main, m.info.Quote)
	}
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

// sell settles a sale of collateral by liquidation on a spot market: the maker pays from what it has frozen, as to anybody.
func (e *Engine) sell(m *market, o *order, b *book.Order[terms], deal *schema.Deal) (makerFee, takerFee fixed.Decimal) {
	maker, seller := e.desks.At(b.Owner), *e.desks.At(o.desk)
	makerRate, takerRate := e.makerRate(m, maker, deal.RPI), e.takerRate(m, &seller)
	seller.base = e.ledger.Open(seller.account, schema.Collateral, m.info.Base)
	seller.quote = e.ledger.Open(seller.account, schema.Collateral, m.info.Quote)
	makerFee, takerFee = e.settle(m, deal, maker, &seller, makerRate, takerRate)
	e.Clearing.Sold(seller.account, m.info.Quote, deal.ID)
	return makerFee, takerFee
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
