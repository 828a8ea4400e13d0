package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// An OTO is a primary order with the prices of a take profit and a stop loss. When the primary has come to its end, they come for
// what it bought or sold: reduce-only stops at the market, which belong to the position from then on.
//
// They do not come in the middle of a matching, where trades that were before them could wake them up. A primary that ended is
// noted (heir), and when all stops that are due have entered (wake) what follows it is placed and held against the price of the
// last trade alone: if that has reached it, it enters at once, before the next primary has its turn.

// heir is a primary that ended, as far as what follows it needs to know.
type heir struct {
	tie
	desk uint32
	side schema.Side // of the primary
	of   schema.PositionSide
	stp  schema.STP
	lots book.Lots // that it dealt
}

// exit is one of the two orders that close a position: its price, 0 for none, and which of them it is.
type exit struct {
	price book.Ticks
	role  flags
}

// exits are the take profit and the stop loss.
func (t *tie) exits() [2]exit { return [...]exit{{t.takeProfit, takeProfit}, {t.stopLoss, stopLoss}} }

// checkPrimary checks that an order can be the primary of an OTO, if it is to be one.
func checkPrimary(a *asked, o *order) schema.Rejection {
	switch {
	case !a.leads():
		return schema.Rejection{}
	case o.flags.has(reduceOnly):
		return schema.Refuse(schema.ProtectionWithReduceOnly)
	case a.RPI:
		return schema.Refuse(schema.ProtectionWithRPI)
	}
	o.flags |= member
	return schema.Rejection{}
}

var (
	takeProfitReasons = reasons{schema.TakeProfitNotPositive, schema.TakeProfitTooPrecise, schema.TakeProfitTooLarge}
	stopLossReasons   = reasons{schema.StopLossNotPositive, schema.StopLossTooPrecise, schema.StopLossTooLarge}
)

// checkExits turns the prices of a take profit and a stop loss into ticks, zero for none.
func (e *Engine) checkExits(m *market, takeProfit, stopLoss fixed.Decimal, o *order) schema.Rejection {
	exits := [...]struct {
		price  fixed.Decimal
		to     *book.Ticks
		why    *reasons
		offset schema.Reason
	}{
		{takeProfit, &o.tie.takeProfit, &takeProfitReasons, schema.TakeProfitOffTick},
		{stopLoss, &o.tie.stopLoss, &stopLossReasons, schema.StopLossOffTick},
	}
	for _, exit := range exits {
		if exit.price.IsZero() {
			continue
		}
		n, r := count(exit.price, m.info.MoneyPrec, exit.why)
		if r.Refused() {
			return r
		}
		*exit.to = book.Ticks(n)
	}
	for _, exit := range exits {
		if e.stepped() && *exit.to%m.tick != 0 {
			return schema.Rejection{Reason: exit.offset, Value: m.info.TickSize}
		}
	}
	return schema.Rejection{}
}

// checkWorth checks that what follows a primary can be counted.
func (m *market) checkWorth(o *order) schema.Rejection {
	_, profit := m.moneyUnit.Product(int64(o.tie.takeProfit), int64(o.amount))
	_, loss := m.moneyUnit.Product(int64(o.tie.stopLoss), int64(o.amount))
	if !profit || !loss {
		return schema.Rejection{Reason: schema.TotalAboveMax, Value: fixed.Max}
	}
	return schema.Rejection{}
}

// checkProtection checks that a take profit and a stop loss are on their sides of the price of what they protect: the limit price of the order
// that opens it, or else that of the last trade.
func (e *Engine) checkProtection(m *market, side schema.Side, price book.Ticks, t *tie) schema.Rejection {
	at := m.price(price)
	if price == 0 {
		at = e.lastOrMark(m)
	}
	profit, loss := m.price(t.takeProfit).Cmp(at), m.price(t.stopLoss).Cmp(at)
	if side == schema.Sell {
		profit, loss = -profit, -loss
	}
	switch {
	case t.takeProfit != 0 && profit <= 0:
		return schema.Refuse(schema.TakeProfitWrong)
	case t.stopLoss != 0 && loss >= 0:
		return schema.Refuse(schema.StopLossWrong)
	}
	return schema.Rejection{}
}

// lastOrMark is the price of the last trade, or the mark where there was none.
func (e *Engine) lastOrMark(m *market) fixed.Decimal {
	if m.last != 0 {
		return m.price(m.last)
	}
	return e.mark(m)
}

// bequeath notes what is to follow a primary that ended. Nothing follows one that dealt nothing, or whose position or market is at its end.
func (e *Engine) bequeath(m *market, o *order, cause schema.Cause) {
	switch cause {
	case schema.ByLiquidation, schema.ByDeleveraging, schema.ByMaintenance, schema.ByDelisting:
		return
	}
	if o.filled() > 0 {
		m.heirs = append(m.heirs, heir{tie: o.tie, desk: o.desk, side: o.side, of: o.flags.position(), stp: o.stp, lots: o.filled()})
	}
}

// inherit places what follows the next primary that ended, and wakes it up if the last price has reached it already. It is false if
// the slice ended before all of that was done.
func (e *Engine) inherit(m *market) bool {
	if e.budget <= 0 {
		return false
	}
	e.budget--
	h := m.heirs[0]
	if m.heirs = m.heirs[1:]; len(m.heirs) == 0 {
		m.heirs = nil
	}
	slot := e.protect(m, &h)
	if slot == 0 {
		return true
	}
	var o order
	e.load(m, slot, &o)
	m.book.Unlink(slot)
	return e.activate(m, &o)
}

// protect places the take profit and the stop loss that follow a primary, for what it dealt and the position still has. It returns
// the one that the last price has reached, or 0: it is not between them.
func (e *Engine) protect(m *market, h *heir) (reached book.Slot) {
	lots := min(h.lots, e.Clearing.Reducible(e.desks.At(h.desk).seat, h.side.Opposite(), h.of))
	if lots == 0 {
		return 0
	}
	for _, exit := range h.exits() {
		if exit.price == 0 {
			continue
		}
		o := order{
			desk: h.desk, kind: schema.StopStockMarket, side: h.side.Opposite(), stp: h.stp, flags: collateralFlags(true, h.of) | exit.role,
			amount: lots, left: lots, activation: exit.price, created: e.out.Time, updated: e.out.Time, tie: tie{group: h.group},
		}
		q := waiting(o.side, o.flags)
		if !m.book.Fits(q, o.activation, lots) || !e.fits(m, &o) {
			continue
		}
		o.id = e.nextID()
		e.await(m, &o, schema.ByGroup)
		if o.activation == m.last || (o.activation < m.last) == (q == book.Rising) {
			reached = o.slot
		}
	}
	return reached
}
