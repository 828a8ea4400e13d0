package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/core/slab"
	"bourse/internal/schema"
)

// upcoming is a command whose turn comes soon. Accounts and orders come in any order, so that a command mostly waits for memory, and in
// several steps: for an entry of an index, for the order or the desk that it names, for the neighbours and balances of that. So while
// others are done the next commands of a batch go the same way ahead, each one step at a time: a step reads what the step before asked
// for, and asks for what that leads to (slab.Prefetch).
//
// What must hold: all of it is a guess. The commands before may change everything that a step saw, so a step follows only what can never
// go away: places that were handed out, whatever they hold by now. Nothing that it finds decides anything.
type upcoming struct {
	command schema.Command
	market  *market // nil: there is nothing to look for
	account schema.AccountID
	id      uint64    // of the order that it names, 0 if it places one
	order   book.Slot // of that
	desk    uint32
}

// Ahead is how many commands before its turn a command is announced.
const Ahead = 5

// Expect begins a batch: what was announced for another one comes no more.
func (e *Engine) Expect() { e.upcoming = [len(e.upcoming)]upcoming{} }

// Announce takes notice of the command that has its turn Ahead of them later, nil if none comes, and lets those before it go a step.
// It changes nothing that counts.
func (e *Engine) Announce(c schema.Command) {
	at := e.announced
	e.announced++
	before := func(n uint) *upcoming { return &e.upcoming[(at-n)%uint(len(e.upcoming))] }
	e.approachMoney(before(4))
	e.approachNeighbours(before(3))
	e.approachNamed(before(2))
	e.approachIndexes(before(1))
	*before(0) = upcoming{command: c}
	switch c := c.(type) {
	case *schema.PlaceOrder:
		slab.Prefetch(c)
	case *schema.CancelOrder:
		slab.Prefetch(c)
	case *schema.ModifyOrder:
		slab.Prefetch(c)
	}
}

// approachIndexes reads the command, and lets go of it.
func (e *Engine) approachIndexes(u *upcoming) {
	c := u.command
	u.command = nil
	var market schema.MarketID
	switch c := c.(type) {
	case *schema.PlaceOrder:
		market, u.account = c.Order.Market, c.Account
	case *schema.CancelOrder:
		market, u.account, u.id = c.Order.Market, c.Account, uint64(c.Order.ID)
	case *schema.ModifyOrder:
		market, u.account, u.id = c.Order.Market, c.Account, uint64(c.Order.ID)
	}
	if market == 0 || int(market) > len(e.markets) {
		return
	}
	u.market = e.markets[market-1]
	if u.id != 0 {
		u.market.book.PrefetchID(u.id)
	} else {
		e.byDesk.Prefetch(deskKey(u.account, market))
	}
	if account := e.accounts.Get(u.account); account != nil {
		slab.Prefetch(account)
	}
}

// approachNamed asks for the order that a command names, or for the desk of the one that it places.
func (e *Engine) approachNamed(u *upcoming) {
	switch {
	case u.market == nil:
	case u.id != 0:
		u.order = u.market.book.Guess(u.id)
		u.market.book.Prefetch(u.order)
	default:
		u.desk = e.byDesk.Guess(deskKey(u.account, u.market.info.ID))
		e.desks.Prefetch(u.desk)
	}
}

// approachNeighbours asks for what stands around an order in its level and in the list of its desk, or for what a desk has.
func (e *Engine) approachNeighbours(u *upcoming) {
	switch {
	case u.order != 0:
		b := &u.market.book
		t := &b.At(u.order).Terms
		u.desk = b.At(u.order).Owner
		e.desks.Prefetch(u.desk)
		b.PrefetchLevel(u.order)
		b.Prefetch(t.prev)
		b.Prefetch(t.next)
		e.details.Prefetch(t.detail)
		e.clients.names.Prefetch(t.client)
	case u.desk != 0:
		d := e.desks.At(u.desk)
		e.prefetchMoney(d)
		u.market.book.Prefetch(d.last)
	}
}

// approachMoney asks for what the desk of an order has, or for the position of a desk.
func (e *Engine) approachMoney(u *upcoming) {
	switch {
	case u.desk == 0:
	case u.order != 0:
		e.prefetchMoney(e.desks.At(u.desk))
	default:
		if seat := e.desks.At(u.desk).seat; seat != 0 {
			e.Clearing.PrefetchPosition(seat)
		}
	}
}
