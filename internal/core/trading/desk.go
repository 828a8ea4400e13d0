package trading

import (
	"iter"

	"bourse/internal/core/book"
	"bourse/internal/core/ledger"
	"bourse/internal/core/slab"
	"bourse/internal/schema"
)

// A desk is where one account trades on one market: its balances there, its open orders, its
// own fees, its kill switch. It is made by the first order, fee or timer and stays. Two orders
// belong to one account exactly when they have the same desk.
type desk struct {
	account schema.AccountID
	market  schema.MarketID
	base    ledger.Cell
	quote   ledger.Cell
	// first and last are the ends of the list of open orders, which is in the order of ids.
	first book.Slot
	last  book.Slot
	count uint32 // of open orders
	// pledged is how many of them are paid from collateral.
	pledged uint32
	// reducers is how many of them may only reduce a position.
	reducers uint32
	// stops is how many of them are paid from collateral and wait for their trigger.
	stops uint32
	// guards are the take profits and stop losses of whole positions; see guard.
	guards [4]book.Slot
	// seat is where the account trades the market with collateral, 0 while it never did.
	seat uint32
	// next is the account's desk on the next higher market.
	next  uint32
	maker schema.Optional
	taker schema.Optional
	timer timer
}

func deskKey(account schema.AccountID, market schema.MarketID) uint32 {
	return slab.Hash(uint64(account)<<32 | uint64(market))
}

// findDesk is the desk of an account on a market, or 0.
func (e *Engine) findDesk(account schema.AccountID, market schema.MarketID) uint32 {
	probe := e.byDesk.Find(deskKey(account, market))
	for {
		i := probe.Next()
		if i == 0 {
			return 0
		}
		if d := e.desks.At(i); d.account == account && d.market == market {
			return i
		}
	}
}

// openDesk is the desk of an account on a market, made if it is not there.
func (e *Engine) openDesk(account schema.AccountID, m *market) uint32 {
	if i := e.findDesk(account, m.info.ID); i != 0 {
		return i
	}
	i, d := e.desks.Take()
	d.account, d.market = account, m.info.ID
	e.openBalances(m, d)
	e.byDesk.Add(deskKey(account, m.info.ID), i)

	for int(account-schema.FirstCustomer) >= len(e.firstDesk) {
		e.firstDesk = append(e.firstDesk, 0)
	}
	link := &e.firstDesk[account-schema.FirstCustomer]
	for *link != 0 && e.desks.At(*link).market < d.market {
		link = &e.desks.At(*link).next
	}
	d.next, *link = *link, i
	return i
}

// Holds reports whether an account has open orders.
func (e *Engine) Holds(account schema.AccountID) bool {
	for i := range e.desksOf(account) {
		if e.desks.At(i).count > 0 {
			return true
		}
	}
	return false
}

// desksOf goes through an account's desks in the order of markets.
func (e *Engine) desksOf(account schema.AccountID) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if int(account-schema.FirstCustomer) >= len(e.firstDesk) {
			return
		}
		for i := e.firstDesk[account-schema.FirstCustomer]; i != 0; i = e.desks.At(i).next {
			if !yield(i) {
				return
			}
		}
	}
}

// enlist appends an order to the list of its desk. Orders come with growing ids, so the list
// stays sorted.
func (e *Engine) enlist(m *market, slot book.Slot) {
	o := m.book.At(slot)
	d := e.desks.At(o.Owner)
	o.Terms.prev, o.Terms.next = d.last, 0
	if d.last == 0 {
		d.first = slot
	} else {
		m.book.At(d.last).Terms.next = slot
	}
	d.last = slot
	d.count++
	if o.Terms.flags.has(collateral) {
		d.pledged++
	}
	if o.Terms.flags.has(reduceOnly) {
		d.reducers++
	}
	if o.Terms.waitsOnMargin() {
		d.stops++
	}
	if o.Terms.flags.has(whole) {
		d.guards[o.Terms.flags.guard()] = slot
	}
}

// strike takes an order off the list of its desk.
func (e *Engine) strike(m *market, slot book.Slot) {
	o := m.book.At(slot)
	d := e.desks.At(o.Owner)
	d.count--
	if o.Terms.flags.has(collateral) {
		d.pledged--
	}
	if o.Terms.flags.has(reduceOnly) {
		d.reducers--
	}
	if o.Terms.waitsOnMargin() {
		d.stops--
	}
	if o.Terms.flags.has(whole) {
		d.guards[o.Terms.flags.guard()] = 0
	}
	if o.Terms.prev == 0 {
		d.first = o.Terms.next
	} else {
		m.book.At(o.Terms.prev).Terms.next = o.Terms.next
	}
	if o.Terms.next == 0 {
		d.last = o.Terms.prev
	} else {
		m.book.At(o.Terms.next).Terms.prev = o.Terms.prev
	}
}
