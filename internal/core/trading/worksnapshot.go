package trading

import (
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// A snapshot may be taken between two slices of a long command, so what is left of the command is state
// like everything else: which markets are busy with it, which orders of a bulk are still to come, and the order that
// stands in the middle of its matching. That order is in no queue (a half-matched order must not be met
// by anyone), so it is kept here and not in the list of open orders.
//
// What is not kept is the answer so far. It belongs to a caller who waits on a connection of the node that
// took the command, and who is gone when a state is restored.

// WorkRecord is unfinished work as snapshots keep it.
type WorkRecord struct {
	ID      schema.WorkID
	Kind    workKind
	Markets []BusyRecord
	Order   schema.OrderID
	Bulk    schema.PlaceBulk
	Next    uint32
	Region  schema.Region
	Account schema.AccountID
	Status  schema.Status
	Cause   schema.Cause
	Sides   schema.PositionSides
	// Products are none, which stands for all, in records from before there were two of them on a market.
	Products schema.Products
}

func (r *WorkRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &r.ID)
	wire.Uint(c, 2, "kind", &r.Kind)
	wire.List(c, 3, "markets", &r.Markets)
	wire.Uint(c, 4, "order", &r.Order)
	wire.Embed(c, 5, "bulk", &r.Bulk)
	wire.Uint(c, 6, "next", &r.Next)
	wire.Uint(c, 7, "region", &r.Region)
	wire.Uint(c, 8, "account", &r.Account)
	wire.Uint(c, 9, "status", &r.Status)
	wire.Uint(c, 10, "cause", &r.Cause)
	wire.Uint(c, 11, "sides", &r.Sides)
	wire.Uint(c, 12, "products", &r.Products)
}

// BusyRecord is a market that belongs to a work. An order whose id is 0 stands for none.
type BusyRecord struct {
	Market schema.MarketID
	High   fixed.Decimal
	Low    fixed.Decimal
	Entry  OrderRecord
	Limit  fixed.Decimal
	Banded bool
	Held   fixed.Decimal
	// Orphans have orders that may only reduce a position which came to its end.
	Orphans []OrphanRecord
	// Cursor is the order from which going through those of an account goes on, 0: from the first.
	Cursor schema.OrderID
	// Heirs are primaries that ended, whose take profits and stop losses are to come.
	Heirs []HeirRecord
}

// HeirRecord is a primary that ended, as far as what follows it needs to know.
type HeirRecord struct {
	Group        schema.OrderID
	Account      schema.AccountID
	Side         schema.Side
	PositionSide schema.PositionSide
	STP          schema.STP
	Amount       fixed.Decimal
	TakeProfit   fixed.Decimal
	StopLoss     fixed.Decimal
}

func (r *HeirRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "group", &r.Group)
	wire.Uint(c, 2, "account", &r.Account)
	wire.Uint(c, 3, "side", &r.Side)
	wire.Uint(c, 4, "position_side", &r.PositionSide)
	wire.Uint(c, 5, "stp", &r.STP)
	c.Decimal(6, "amount", &r.Amount)
	c.Decimal(7, "take_profit", &r.TakeProfit)
	c.Decimal(8, "stop_loss", &r.StopLoss)
}

// OrphanRecord is an account whose orders on a market that can reduce nothing have to end.
type OrphanRecord struct{ Account schema.AccountID }

func (r *OrphanRecord) Fields(c *wire.Coder) { wire.Uint(c, 1, "account", &r.Account) }

func (r *BusyRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &r.Market)
	c.Decimal(2, "high", &r.High)
	c.Decimal(3, "low", &r.Low)
	wire.Embed(c, 4, "entry", &r.Entry)
	c.Decimal(5, "limit", &r.Limit)
	c.Bool(6, "banded", &r.Banded)
	c.Decimal(7, "held", &r.Held)
	wire.List(c, 8, "orphans", &r.Orphans)
	wire.Uint(c, 9, "cursor", &r.Cursor)
	wire.List(c, 10, "heirs", &r.Heirs)
}

// writeWorks writes the unfinished work; the first gets the next slice.
func (e *Engine) writeWorks(to *product.Writer) {
	for _, w := range e.works {
		r := &WorkRecord{
			ID: w.id, Kind: w.kind, Order: w.order, Next: uint32(w.next), Region: w.region,
			Account: w.account, Status: w.status, Cause: w.cause, Sides: w.sides, Products: w.products,
		}
		if w.bulk != nil {
			r.Bulk = *w.bulk
		}
		for _, m := range w.markets {
			r.Markets = append(r.Markets, e.busyRecord(m))
		}
		to.Message(r)
	}
}

// readWorks brings unfinished work back, after the orders.
func (e *Engine) readWorks(from *product.Reader) error {
	for r, err := range product.Messages[WorkRecord](from) {
		if err != nil {
			return err
		}
		if err := e.restoreWork(r); err != nil {
			return fmt.Errorf("work %d: %w", r.ID, err)
		}
	}
	return nil
}

func (e *Engine) busyRecord(m *market) BusyRecord {
	r := BusyRecord{Market: m.info.ID, High: m.price(m.high), Low: m.price(m.low)}
	if at := m.entry; at.slot != 0 {
		var o order
		e.load(m, at.slot, &o)
		e.view(m, &o, o.status(), &r.Entry.Order)
		r.Entry.BBO, r.Entry.Worse = o.bbo, o.flags.has(worse)
		r.Limit, r.Banded, r.Held = m.price(at.limit), at.banded, at.held
	}
	for _, desk := range m.orphans {
		r.Orphans = append(r.Orphans, OrphanRecord{e.desks.At(desk).account})
	}
	if m.cursor != 0 {
		r.Cursor = schema.OrderID(m.book.At(m.cursor).ID)
	}
	for _, h := range m.heirs {
		r.Heirs = append(r.Heirs, HeirRecord{
			Group: h.group, Account: e.desks.At(h.desk).account, Side: h.side, PositionSide: h.of, STP: h.stp,
			Amount: m.amount(h.lots), TakeProfit: m.price(h.takeProfit), StopLoss: m.price(h.stopLoss),
		})
	}
	return r
}

func (e *Engine) restoreWork(r *WorkRecord) error {
	w := &work{
		id: r.ID, kind: r.Kind, order: r.Order, next: int(r.Next), region: r.Region,
		account: r.Account, status: r.Status, cause: r.Cause, sides: r.Sides, products: r.Products,
	}
	switch {
	case !e.features.BoundedWork:
		return errors.New("commands of this exchange end at once")
	case r.ID == 0 || r.ID > e.lastWork || slices.ContainsFunc(e.works, func(other *work) bool { return other.id == r.ID }):
		return errors.New("its number is not one that was handed out, or stands there twice")
	case r.Kind < placing || r.Kind > closing || len(r.Markets) == 0 || r.Kind == closing && len(r.Markets) != 1,
		!r.Sides.Known(), r.Products > allProducts, (r.Sides != 0 || r.Products != 0) && r.Kind != clearing:
		return errors.New("it is no work of this exchange")
	}
	if len(r.Bulk.Orders) > 0 || r.Bulk.Account != 0 {
		w.bulk = &schema.PlaceBulk{Account: r.Bulk.Account, StopOnFail: r.Bulk.StopOnFail, Orders: slices.Clone(r.Bulk.Orders)}
		// The caller's answer is gone; those of the orders that follow need a place.
		w.result.Items = make([]schema.Item, 1)
		if w.next > len(w.bulk.Orders) || e.accounts.Get(r.Bulk.Account) == nil {
			return errors.New("its orders are not those of a bulk")
		}
	}
	for i := range r.Markets {
		if err := e.restoreBusy(w, &r.Markets[i]); err != nil {
			return err
		}
	}
	e.works = append(e.works, w)
	return nil
}

func (e *Engine) restoreBusy(w *work, r *BusyRecord) error {
	m := e.market(r.Market)
	if m == nil || m.work != nil {
		return errors.New("a market does not exist, or is busy twice")
	}
	if w.kind == clearing && e.findDesk(w.account, r.Market) == 0 {
		return errors.New("the account has no orders there")
	}
	high, okHigh := r.High.Units(m.moneyPrec)
	low, okLow := r.Low.Units(m.moneyPrec)
	limit, okLimit := r.Limit.Units(m.moneyPrec)
	if !okHigh || !okLow || !okLimit || high < 0 || low < 0 || limit < 0 {
		return fmt.Errorf("market %s has prices of %s, %s and %s", m.info.Name, r.High, r.Low, r.Limit)
	}
	m.high, m.low, m.work = book.Ticks(high), book.Ticks(low), w
	w.markets = append(w.markets, m)
	for _, orphan := range r.Orphans {
		desk := e.findDesk(orphan.Account, r.Market)
		if desk == 0 || slices.Contains(m.orphans, desk) {
			return fmt.Errorf("account %d has no orders there, or stands there twice", orphan.Account)
		}
		m.orphans = append(m.orphans, desk)
	}
	if r.Cursor != 0 {
		var of uint32
		if w.kind == clearing {
			of = e.findDesk(w.account, r.Market)
		} else if len(m.orphans) > 0 {
			of = m.orphans[0]
		}
		if m.cursor = m.book.Find(uint64(r.Cursor)); m.cursor == 0 || m.book.At(m.cursor).Owner != of {
			return fmt.Errorf("order %d, from which it goes on, is not one that it goes through", r.Cursor)
		}
	}
	for i := range r.Heirs {
		if err := e.restoreHeir(m, &r.Heirs[i]); err != nil {
			return err
		}
	}
	if r.Entry.Order.ID == 0 {
		return nil
	}
	var o order
	err := e.restoreWords(m, &r.Entry, &o)
	if err == nil {
		err = restoreNumbers(m, &r.Entry.Order, &o)
	}
	if err != nil {
		return fmt.Errorf("order %d: %w", r.Entry.Order.ID, err)
	}
	if o.waits() || w.kind != placing || r.Held.Sign() < 0 {
		return fmt.Errorf("order %d cannot be in the middle of its matching", o.id)
	}
	e.describe(m, e.store(m, &o), &o)
	m.entry = entry{slot: o.slot, limit: book.Ticks(limit), banded: r.Banded, held: r.Held}
	return nil
}

func (e *Engine) restoreHeir(m *market, r *HeirRecord) error {
	h := heir{tie: tie{group: r.Group}, desk: e.findDesk(r.Account, m.info.ID), side: r.Side, of: r.PositionSide, stp: r.STP}
	lots, okLots := r.Amount.Units(m.stockPrec)
	profit, okProfit := r.TakeProfit.Units(m.moneyPrec)
	loss, okLoss := r.StopLoss.Units(m.moneyPrec)
	h.lots, h.takeProfit, h.stopLoss = book.Lots(lots), book.Ticks(profit), book.Ticks(loss)
	_, fitsProfit := m.moneyUnit.Product(profit, lots)
	_, fitsLoss := m.moneyUnit.Product(loss, lots)
	if h.desk == 0 || !m.margined() || r.Group == 0 || r.Group > e.lastOrder || !schema.Valid(r.Side) || !schema.Valid(r.PositionSide) || !schema.Valid(r.STP) ||
		!okLots || !okProfit || !okLoss || lots <= 0 || profit < 0 || loss < 0 || profit == 0 && loss == 0 || !fitsProfit || !fitsLoss {
		return fmt.Errorf("what follows the primary of group %d cannot be", r.Group)
	}
	e.sit(m, h.desk)
	m.heirs = append(m.heirs, h)
	return nil
}
