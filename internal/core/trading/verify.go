package trading

import (
	"fmt"
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Verify checks what must always hold: frozen money is exactly what open orders hold, no public
// book is crossed, every open order stands in one queue and in the list of its desk and is
// found by its ids, no two share an id, and levels hold the sum of their orders.
func (e *Engine) Verify() error {
	holds := map[ledger.Cell]fixed.Decimal{}
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
	if id := e.repeated(open); id != 0 {
		return fmt.Errorf("order %d stands in two books", id)
	}
	c := ledger.Cell(0)
	for r := range e.ledger.Records() {
		c++
		if r.Account >= schema.FirstCustomer && r.Frozen != holds[c] {
			return fmt.Errorf("account %d has %s of asset %d frozen in %s, and its orders hold %s",
				r.Account, r.Frozen, r.Asset, r.Wallet, holds[c])
		}
	}
	return nil
}

// verifyBook checks one book and adds up what its orders hold.
func (e *Engine) verifyBook(m *market, holds map[ledger.Cell]fixed.Decimal) error {
	bid, bids := m.book.Best(book.Bids)
	ask, asks := m.book.Best(book.Asks)
	if bids && asks && bid >= ask {
		return fmt.Errorf("the book is crossed: bid %s, ask %s", m.price(bid), m.price(ask))
	}
	linked := 0
	for q := book.Bids; q <= book.Falling; q++ {
		levels := map[book.Ticks]book.Lots{}
		for slot := range m.book.Orders(q) {
			b := m.book.At(slot)
			var o order
			e.load(m, slot, &o)
			linked++
			levels[b.Price] += b.Left
			switch {
			case b.Queue() != q:
				return fmt.Errorf("order %d stands in queue %d and believes to be in %d", o.id, q, b.Queue())
			case m.book.Find(b.ID) != slot:
				return fmt.Errorf("order %d is not found by its id", o.id)
			case o.client != nil && e.clients.find(o.desk, o.client) != slot:
				return fmt.Errorf("order %d is not found by its client id", o.id)
			}
			cell := e.pays(&o)
			sum, fits := holds[cell].AddChecked(m.hold(&o))
			if !fits {
				return fmt.Errorf("what account %d holds in orders overflows", e.desks.At(o.desk).account)
			}
			holds[cell] = sum
		}
		for l := range m.book.Levels(q) {
			if levels[l.Price] != l.Lots {
				return fmt.Errorf("a level at %s holds %d lots, its orders %d", m.price(l.Price), l.Lots, levels[l.Price])
			}
		}
	}
	if linked != m.book.Len() {
		return fmt.Errorf("%d orders are kept and %d stand in queues", m.book.Len(), linked)
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
	n, last := 0, uint64(0)
	for slot := d.first; slot != 0; slot = m.book.At(slot).Terms.next {
		b := m.book.At(slot)
		if b.Owner != i || b.ID <= last {
			return 0, fmt.Errorf("order %d stands in the wrong place of the list of account %d", b.ID, d.account)
		}
		last = b.ID
		n++
	}
	return n, nil
}
