package trading

import (
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/core/ledger"
	"bourse/internal/core/position"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Verify checks what must always hold: frozen money is exactly what open orders hold, no public
// book is crossed, every open order stands in one queue and in the list of its desk and is
// found by its ids, no two share an id, levels hold the sum of their orders, and kill switches wait
// in the order in which they fire.
//
// Everything is computed again from the orders, by walks that the engine itself never does: a sum that is kept
// up to date and checked by the same code would agree with itself.
func (e *Engine) Verify() error {
	if err := e.verify(); err != nil {
		return fmt.Errorf("trading: %w", err)
	}
	return nil
}

func (e *Engine) verify() error {
	holds := make([]fixed.Decimal, e.ledger.Len()+1) // by cell
	listed, open := 0, 0
	for _, info := range e.listing.Markets() {
		m := e.market(info.ID)
		if err := e.verifyBook(m, holds); err != nil {
			return fmt.Errorf("market %s: %w", info.Name, err)
		}
		open += m.book.Len()
	}
	for i := uint32(1); i < e.desks.End(); i++ {
		n, err := e.verifyDesk(i)
		if err != nil {
			return err
		}
		listed += n
	}
	if listed != open {
		return fmt.Errorf("%d orders stand in books and %d in the lists of desks", open, listed)
	}
	if err := e.verifySeats(); err != nil {
		return err
	}
	if id := e.repeated(open); id != 0 {
		return fmt.Errorf("order %d stands in two books", id)
	}
	if err := e.verifyTimers(); err != nil {
		return err
	}
	c := ledger.Cell(0)
	for r := range e.ledger.Records() {
		c++
		// What is frozen in main is on its way out by a chain.
		if r.Account >= schema.FirstCustomer && r.Wallet != schema.Main && r.Frozen != holds[c] {
			return fmt.Errorf("account %d has %s of asset %d frozen in %s, and its orders hold %s",
				r.Account, r.Frozen, r.Asset, r.Wallet, holds[c])
		}
	}
	return nil
}

// verifyBook checks one book and adds up what its orders hold.
func (e *Engine) verifyBook(m *market, holds []fixed.Decimal) error {
	bid, bids := m.book.Best(book.Bids)
	ask, asks := m.book.Best(book.Asks)
	if bids && asks && bid >= ask {
		return fmt.Errorf("the book is crossed: bid %s, ask %s", m.price(bid), m.price(ask))
	}
	linked := 0
	if at := m.entry; at.slot != 0 {
		linked++
		if m.work == nil {
			return fmt.Errorf("order %d is in the middle of its matching, and nothing goes on with it", m.book.At(at.slot).ID)
		}
		if err := e.verifyOrder(m, book.None, at.slot, holds); err != nil {
			return err
		}
	}
	if m.work == nil && m.cursor != 0 {
		return fmt.Errorf("orders from %d on are to be gone through, and nothing does", m.book.At(m.cursor).ID)
	}
	if m.work == nil && len(m.heirs) != 0 {
		return errors.New("what follows a primary is to come, and nothing places it")
	}
	if m.work == nil && len(m.orphans) != 0 {
		return errors.New("orders that can reduce nothing any more are open, and nothing ends them")
	}
	if m.work == nil && m.due() != 0 {
		return fmt.Errorf("order %d is due, and nothing goes on with it", m.book.At(m.due()).ID)
	}
	for q := book.Bids; q <= book.Falling; q++ {
		for slot := range m.book.Orders(q) {
			linked++
			if err := e.verifyOrder(m, q, slot, holds); err != nil {
				return err
			}
		}
	}
	for q := book.Bids; q <= book.RPIAsks; q++ { // nobody asks what waiting stops add up to
		if err := verifyLevels(m, q); err != nil {
			return err
		}
	}
	if linked != m.book.Len() {
		return fmt.Errorf("%d orders are kept and %d stand in queues", m.book.Len(), linked)
	}
	return nil
}

// verifyOrder checks that an order can be found, and adds to what its owner holds.
func (e *Engine) verifyOrder(m *market, q book.Queue, slot book.Slot, holds []fixed.Decimal) error {
	var o order
	e.load(m, slot, &o)
	switch b := m.book.At(slot); {
	case b.Queue() != q:
		return fmt.Errorf("order %d stands in queue %d and believes to be in %d", o.id, q, b.Queue())
	case m.book.Find(b.ID) != slot:
		return fmt.Errorf("order %d is not found by its id", o.id)
	case o.client != nil && e.clients.find(o.desk, o.client) != slot:
		return fmt.Errorf("order %d is not found by its client id", o.id)
	}
	if err := e.verifyGroup(m, &o); err != nil {
		return err
	}
	hold := m.entry.held
	if slot != m.entry.slot {
		hold = m.hold(&o)
	}
	cell := e.pays(&o)
	sum, fits := holds[cell].AddChecked(hold)
	if !fits {
		return fmt.Errorf("what account %d holds in orders overflows", e.desks.At(o.desk).account)
	}
	holds[cell] = sum
	return nil
}

// verifySeats checks that what is counted for margin is what open orders say.
func (e *Engine) verifySeats() error {
	for i := uint32(1); i < e.desks.End(); i++ {
		d := e.desks.At(i)
		if d.seat == 0 {
			continue
		}
		m := e.market(d.market)
		var want position.Orders
		value, reducers, pledged := fixed.Zero, uint32(0), uint32(0)
		for slot := d.first; slot != 0; slot = m.book.At(slot).Terms.next {
			var o order
			if e.load(m, slot, &o); !o.flags.has(collateral) {
				continue
			}
			pledged++
			lots, money := int64(o.left), m.money(o.worth(), o.left)
			closes := o.flags.has(whole) && o.waits()
			if e.isSpare(m, &o) {
				lots, money = 0, fixed.Zero
			}
			if !closes {
				value = value.Add(money)
			}
			switch {
			case closes:
				want.Whole++
				reducers++
			case o.flags.has(reduceOnly):
				want.Reducing += lots
				reducers++
			case o.side == schema.Buy:
				want.Buys += lots
			default:
				want.Sells += lots
			}
			switch {
			case !o.flags.has(worse) || o.flags.has(reduceOnly):
			case o.side == schema.Buy:
				want.WorseBuys, want.WorseBuyValue = want.WorseBuys+lots, want.WorseBuyValue.Add(money)
			default:
				want.WorseSells, want.WorseSellValue = want.WorseSells+lots, want.WorseSellValue.Add(money)
			}
			if o.flags.has(reduceOnly) && m.work == nil && e.reducible(i, o.side, o.flags) == 0 {
				return fmt.Errorf("order %d can reduce nothing and is open", o.id)
			}
		}
		if got, pending := e.Clearing.Orders(d.seat); got != want || pending != value || d.reducers != reducers || d.pledged != pledged {
			return fmt.Errorf("account %d counts %+v worth %s on market %s, and its orders are %+v worth %s",
				d.account, got, pending, m.info.Name, want, value)
		}
	}
	return nil
}

// verifyGroup checks that an order and those that it depends on agree about that.
func (e *Engine) verifyGroup(m *market, o *order) error {
	if !o.flags.has(grouped) {
		if o.tie != (tie{}) || o.flags.has(whole|spare) {
			return fmt.Errorf("order %d is part of no group and has one", o.id)
		}
		return nil
	}
	if o.flags.has(whole) {
		if e.desks.At(o.desk).guards[o.flags.guard()] != o.slot {
			return fmt.Errorf("order %d is not what closes its position", o.id)
		}
		return nil
	}
	slots := e.grouped(m, o.tie.group)
	if slots[0] != o.slot && slots[1] != o.slot {
		return fmt.Errorf("order %d is not found by its group", o.id)
	}
	var other order
	if slot := e.other(m, o); slot != 0 {
		e.load(m, slot, &other)
	}
	fits := false
	switch o.role() {
	case schema.Primary:
		fits = other.id == 0
	case schema.LimitLeg:
		fits = other.role() == schema.StopLeg
	case schema.StopLeg:
		fits = other.role() == schema.LimitLeg
	case schema.TakeProfit:
		fits = other.id == 0 || other.role() == schema.StopLoss
	case schema.StopLoss:
		fits = other.id == 0 || other.role() == schema.TakeProfit
	}
	if !fits || other.id != 0 && (other.desk != o.desk || other.side != o.side) ||
		o.flags.has(spare) != e.isSpare(m, o) {
		return fmt.Errorf("order %d and the others of group %d do not agree", o.id, o.tie.group)
	}
	return nil
}

// verifyLevels checks that the levels of a queue hold the sums of their orders.
func verifyLevels(m *market, q book.Queue) error {
	slot := m.book.First(q)
	for l := range m.book.Levels(q) {
		sum := book.Lots(0)
		for ; slot != 0 && m.book.At(slot).Price == l.Price; slot = m.book.After(slot) {
			if sum += m.book.At(slot).Left; sum <= 0 {
				return fmt.Errorf("the level at %s cannot be counted", m.price(l.Price))
			}
		}
		if sum != l.Lots {
			return fmt.Errorf("the level at %s holds %d lots, its orders %d", m.price(l.Price), l.Lots, sum)
		}
	}
	return nil
}

// repeated is an id that two of the open orders share, or 0.
func (e *Engine) repeated(open int) uint64 {
	ids := make([]uint64, 0, open)
	for _, m := range e.markets {
		for q := book.Bids; q <= book.Falling; q++ {
			for slot := range m.book.Orders(q) {
				ids = append(ids, m.book.At(slot).ID)
			}
		}
	}
	for _, m := range e.markets {
		if m.entry.slot != 0 {
			ids = append(ids, m.book.At(m.entry.slot).ID)
		}
	}
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			return ids[i]
		}
	}
	return 0
}

// verifyDesk checks the list of a desk's orders and counts them.
func (e *Engine) verifyDesk(i uint32) (int, error) {
	d := e.desks.At(i)
	m := e.market(d.market)
	n, stops, last := 0, uint32(0), uint64(0)
	for slot := d.first; slot != 0; slot = m.book.At(slot).Terms.next {
		b := m.book.At(slot)
		if b.Owner != i || b.ID <= last {
			return 0, fmt.Errorf("order %d stands in the wrong place of the list of account %d", b.ID, d.account)
		}
		last = b.ID
		n++
		if q := b.Queue(); b.Terms.flags.has(collateral) && (q == book.Rising || q == book.Falling) {
			stops++
		}
	}
	if n != int(d.count) {
		return 0, fmt.Errorf("account %d has %d open orders on market %s and counts %d", d.account, n, m.info.Name, d.count)
	}
	if stops != d.stops {
		return 0, fmt.Errorf("account %d has %d stops that wait on market %s and counts %d", d.account, stops, m.info.Name, d.stops)
	}
	return n, nil
}
