package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// What is here is for those who price by books and trade on none: it changes nothing.

// Resting is an order of a public book.
type Resting struct {
	Owner         schema.AccountID
	Price, Amount fixed.Decimal // what is open of it
}

// Queue goes through one side of the public book of a market, in the order in which takers meet it. The book must not change meanwhile.
type Queue struct {
	engine *Engine
	market *market
	next   book.Slot
}

// Queue is one side of the public book of a market that is listed.
func (e *Engine) Queue(id schema.MarketID, side schema.Side) Queue {
	m := e.market(id)
	return Queue{e, m, m.book.First(queue(side, false))}
}

// Next is the next order, false at the end.
func (q *Queue) Next() (Resting, bool) {
	if q.next == 0 {
		return Resting{}, false
	}
	o := q.market.book.At(q.next)
	q.next = q.market.book.After(q.next)
	return Resting{Owner: q.engine.desks.At(o.Owner).account, Price: q.market.price(o.Price), Amount: q.market.amount(o.Left)}, true
}

// Takes reports whether an account could place a limit order on a spot market now.
func (e *Engine) Takes(account *schema.Account, id schema.MarketID) bool {
	return !e.checkMarket(e.market(id), &asked{OrderRequest: &schema.OrderRequest{Type: schema.Limit}, account: account}).Refused()
}

// Unsettled reports whether the book of a market is not what its orders make of it: its work goes on in slices, or kill switches are due,
// on any market, that have not canceled their orders yet.
func (e *Engine) Unsettled(id schema.MarketID) bool { return e.timersDue() || e.market(id).work != nil }
