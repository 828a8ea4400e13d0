package trading

import (
	"container/heap"

	"bourse/internal/core/book"
	"bourse/internal/schema"
)

// Newest are open orders of an account on a market (0: on all), newest first, from an offset on.
func (e *Engine) Newest(account schema.AccountID, id schema.MarketID, offset, limit int) []schema.Order {
	m := e.merge(account, id)
	for ; offset > 0 && len(m.heads) > 0; offset-- {
		m.next()
	}
	var orders []schema.Order
	for ; len(orders) < limit && len(m.heads) > 0; m.next() {
		orders = append(orders, e.snapshot(m.heads[0].market, m.heads[0].slot))
	}
	return orders
}

// merge goes through the open orders of an account from the newest to the oldest. Each desk keeps
// its orders in the order of ids, so the next one is the newest of the desks' heads, which stand in
// a heap: an order costs the logarithm of the markets and not all of them, because the exchange waits meanwhile.
type merge struct {
	heads    []head
	compared int // how often two heads were compared
}

// head is the newest order of a desk that was not passed yet.
type head struct {
	market *market
	slot   book.Slot
	id     uint64
}

func (e *Engine) merge(account schema.AccountID, id schema.MarketID) *merge {
	m := &merge{}
	for i := range e.desksOf(account) {
		if d := e.desks.At(i); (id == 0 || d.market == id) && d.last != 0 {
			market := e.market(d.market)
			m.heads = append(m.heads, head{market, d.last, market.book.At(d.last).ID})
		}
	}
	heap.Init(m)
	return m
}

// next passes over the newest order.
func (m *merge) next() {
	h := &m.heads[0]
	h.slot = h.market.book.At(h.slot).Terms.prev
	if h.slot == 0 {
		heap.Pop(m)
		return
	}
	h.id = h.market.book.At(h.slot).ID
	heap.Fix(m, 0)
}

func (m *merge) Len() int      { return len(m.heads) }
func (m *merge) Swap(i, j int) { m.heads[i], m.heads[j] = m.heads[j], m.heads[i] }
func (m *merge) Push(any)      { panic("all desks are there from the beginning") }

func (m *merge) Less(i, j int) bool {
	m.compared++
	return m.heads[i].id > m.heads[j].id
}

func (m *merge) Pop() any {
	m.heads = m.heads[:len(m.heads)-1]
	return nil
}
