package book_test

import (
	"cmp"
	"slices"

	"bourse/internal/core/book"
)

// naive is the book as plainly as it can be said: a list of orders, sorted whenever somebody
// wants to know. It is what the fast book is held against.
type naive struct {
	orders []*entry
	clock  int // counts links, for the order within a price
}

type entry struct {
	id    uint64
	owner uint32
	left  book.Lots
	queue book.Queue
	price book.Ticks
	since int
	slot  book.Slot // of the fast book, carried along for the comparison
}

func (n *naive) find(id uint64) *entry {
	for _, e := range n.orders {
		if e.id == id {
			return e
		}
	}
	return nil
}

func (n *naive) add(id uint64, owner uint32, left book.Lots, slot book.Slot) {
	n.orders = append(n.orders, &entry{id: id, owner: owner, left: left, slot: slot})
}

func (n *naive) link(e *entry, q book.Queue, price book.Ticks) book.Lots {
	n.clock++
	e.queue, e.price, e.since = q, price, n.clock
	return n.lots(q, price)
}

func (n *naive) unlink(e *entry) book.Lots {
	q := e.queue
	e.queue = book.None
	return n.lots(q, e.price)
}

func (n *naive) reduce(e *entry, lots book.Lots) book.Lots {
	e.left -= lots
	return n.lots(e.queue, e.price)
}

func (n *naive) remove(e *entry) {
	n.orders = slices.DeleteFunc(n.orders, func(o *entry) bool { return o == e })
}

func (n *naive) lots(q book.Queue, price book.Ticks) (sum book.Lots) {
	for _, e := range n.orders {
		if e.queue == q && e.price == price {
			sum += e.left
		}
	}
	return sum
}

// queue is the orders of a queue, the one that is met first first.
func (n *naive) queue(q book.Queue) []*entry {
	var in []*entry
	for _, e := range n.orders {
		if e.queue == q {
			in = append(in, e)
		}
	}
	slices.SortFunc(in, func(a, b *entry) int {
		byPrice := cmp.Compare(a.price, b.price)
		if q == book.Bids || q == book.RPIBids || q == book.Falling {
			byPrice = -byPrice
		}
		return cmp.Or(byPrice, cmp.Compare(a.since, b.since))
	})
	return in
}

// levels is the levels of a queue, best first.
func (n *naive) levels(q book.Queue) []book.Level {
	var levels []book.Level
	for _, e := range n.queue(q) {
		if k := len(levels); k == 0 || levels[k-1].Price != e.price {
			levels = append(levels, book.Level{Price: e.price})
		}
		levels[len(levels)-1].Lots += e.left
	}
	return levels
}
