// Package book is the order book of one market: queues of orders by price and time, and the
// numbers of a book. It knows nothing of money, accounts or rules; who may meet whom is decided
// by its owner, who takes orders from the front of a queue.
//
// Six queues share one store of orders: bids and asks, the RPI bids and asks that only some
// takers may see, and the stop orders that wait for a price to rise or to fall.
//
// What must hold: an order is in at most one queue; a level holds at least one order; the lots
// of a level are the sum of its orders' lots; orders of one level stand in the order in which
// they were linked.
//
// Orders live in a slab without pointers, levels are found through a tree of bands of 64
// neighbouring prices (see ladder), ids through an index: a book of a million orders costs the
// garbage collector nothing.
package book

import (
	"iter"
	"math"
	"math/bits"

	"bourse/internal/core/slab"
)

// Ticks is a price in the market's smallest price units.
type Ticks int64

// Lots is an amount in the market's smallest units of the base asset.
type Lots int64

// Slot is where an order lives. Slot 0 means "none".
type Slot = uint32

// Queue names one of the six queues of a book.
type Queue uint8

const (
	None Queue = iota
	Bids
	Asks
	RPIBids
	RPIAsks
	Rising  // stops triggered at or above their price
	Falling // stops triggered at or below their price
	queues
)

// Descending reports whether the best price of the queue is its highest.
func (q Queue) Descending() bool { return q == Bids || q == RPIBids || q == Falling }

// Order is an order in the book. The owner keeps what else it knows of the order in Terms.
type Order[T any] struct {
	ID    uint64
	Price Ticks // by which it is queued
	Left  Lots
	next  Slot
	prev  Slot
	level uint32
	Owner uint32
	queue Queue
	Terms T
}

// Queue is where the order stands, None if it is not linked.
func (o *Order[T]) Queue() Queue { return o.queue }

// Book is the order book of one market.
type Book[T any] struct {
	orders slab.Slab[Order[T]]
	ids    slab.Index
	store  levels
	queues [queues]ladder
	count  int
	// linked is the sum of the lots of all linked orders. While it can be counted, so can every
	// level, and nobody has to look one up to know that.
	linked total
}

// total is a sum of lots of up to 2^64 orders.
type total struct{ high, low uint64 }

func (t *total) add(lots Lots) {
	var carry uint64
	t.low, carry = bits.Add64(t.low, uint64(lots), 0)
	t.high += carry
}

func (t *total) sub(lots Lots) {
	var borrow uint64
	t.low, borrow = bits.Sub64(t.low, uint64(lots), 0)
	t.high -= borrow
}

// fits reports whether the sum and more lots can be counted as lots.
func (t *total) fits(more Lots) bool { return t.high == 0 && t.low <= uint64(math.MaxInt64-more) }

// Len is the number of orders in the book, linked or not.
func (b *Book[T]) Len() int { return b.count }

// Add takes an order into the book without linking it to a queue.
func (b *Book[T]) Add(id uint64, owner uint32, left Lots) (Slot, *Order[T]) {
	slot, o := b.orders.Take()
	o.ID, o.Owner, o.Left = id, owner, left
	b.ids.Add(slab.HashRun(id), slot)
	b.count++
	return slot, o
}

// Find is the slot of an order, or 0.
func (b *Book[T]) Find(id uint64) Slot {
	probe := b.ids.Find(slab.HashRun(id))
	for {
		slot := probe.Next()
		if slot == 0 || b.orders.At(slot).ID == id {
			return slot
		}
	}
}

// PrefetchID asks for where the search for an order begins (slab.Prefetch).
func (b *Book[T]) PrefetchID(id uint64) { b.ids.Prefetch(slab.HashRun(id)) }

// Guess is the slot that an order with an id likely has, or 0; it is for Prefetch and PrefetchLevel alone.
func (b *Book[T]) Guess(id uint64) Slot { return b.ids.Guess(slab.HashRun(id)) }

// Prefetch asks for the order in a slot.
func (b *Book[T]) Prefetch(slot Slot) { b.orders.Prefetch(slot) }

// PrefetchLevel asks for the level in which an order stands and for its neighbours there.
func (b *Book[T]) PrefetchLevel(slot Slot) {
	o := b.orders.At(slot)
	b.store.levels.Prefetch(o.level)
	b.orders.Prefetch(o.prev)
	b.orders.Prefetch(o.next)
}

// At is the order in a slot.
func (b *Book[T]) At(slot Slot) *Order[T] { return b.orders.At(slot) }

// Link puts an order at the back of a queue at a price and returns what that level holds now. It
// does nothing and returns false if that is more than can be counted.
func (b *Book[T]) Link(slot Slot, q Queue, price Ticks) (Lots, bool) {
	o := b.orders.At(slot)
	if o.queue != None {
		panic("book: an order is linked twice")
	}
	at, l := b.queues[q].open(&b.store, rank(q, price))
	if l.lots > math.MaxInt64-o.Left {
		return 0, false
	}
	o.queue, o.Price = q, price
	o.level, o.prev, o.next = at, l.tail, 0
	if l.tail == 0 {
		l.head = slot
	} else {
		b.orders.At(l.tail).next = slot
	}
	l.tail = slot
	l.lots += o.Left
	b.linked.add(o.Left)
	return l.lots, true
}

// Unlink takes an order out of its queue and returns what is left at its level.
func (b *Book[T]) Unlink(slot Slot) Lots {
	o := b.orders.At(slot)
	l := b.store.levels.At(o.level)
	if o.prev == 0 {
		l.head = o.next
	} else {
		b.orders.At(o.prev).next = o.next
	}
	if o.next == 0 {
		l.tail = o.prev
	} else {
		b.orders.At(o.next).prev = o.prev
	}
	l.lots -= o.Left
	b.linked.sub(o.Left)
	left := l.lots
	if l.head == 0 {
		b.queues[o.queue].close(&b.store, o.level)
	}
	o.queue, o.next, o.prev, o.level = None, 0, 0, 0
	return left
}

// Remove forgets an order that is not linked.
func (b *Book[T]) Remove(slot Slot) {
	o := b.orders.At(slot)
	if o.queue != None {
		panic("book: an order is removed from the book while it stands in a queue")
	}
	b.ids.Remove(slab.HashRun(o.ID), slot)
	b.orders.Give(slot)
	b.count--
}

// Reduce takes lots off an order, which keeps its place, and returns what its level holds now.
// An order that has nothing left must be unlinked by the caller.
func (b *Book[T]) Reduce(slot Slot, lots Lots) Lots {
	o := b.orders.At(slot)
	if lots > o.Left {
		panic("book: more is taken from an order than it has")
	}
	l := b.store.levels.At(o.level)
	o.Left -= lots
	l.lots -= lots
	b.linked.sub(lots)
	return l.lots
}

// Fits reports whether a level can take so many lots before its sum is more than can be counted.
func (b *Book[T]) Fits(q Queue, price Ticks, lots Lots) bool {
	if b.linked.fits(lots) {
		return true
	}
	i := b.queues[q].level(&b.store, rank(q, price))
	return i == 0 || b.store.levels.At(i).lots <= math.MaxInt64-lots
}

// First is the order at the front of a queue, or 0.
func (b *Book[T]) First(q Queue) Slot {
	if best := b.queues[q].best; best != 0 {
		return b.store.levels.At(best).head
	}
	return 0
}

// Best is the best price of a queue.
func (b *Book[T]) Best(q Queue) (Ticks, bool) {
	l := &b.queues[q]
	return sign(q) * Ticks(l.bestRank), l.best != 0
}

// Level is a price and what stands there.
type Level struct {
	Price Ticks
	Lots  Lots
}

// Levels goes through a queue's levels, best first.
func (b *Book[T]) Levels(q Queue) iter.Seq[Level] {
	return func(yield func(Level) bool) {
		l := &b.queues[q]
		for i := l.best; i != 0; i = l.worse(&b.store, i) {
			at := b.store.levels.At(i)
			if !yield(Level{sign(q) * Ticks(at.rank), at.lots}) {
				return
			}
		}
	}
}

// Orders goes through a queue's orders, the one that is met first first. The book must not
// change meanwhile.
func (b *Book[T]) Orders(q Queue) iter.Seq[Slot] {
	return func(yield func(Slot) bool) {
		for slot := b.First(q); slot != 0 && yield(slot); slot = b.After(slot) {
		}
	}
}

// After is the order that is met after another one of the same queue, or 0.
func (b *Book[T]) After(slot Slot) Slot {
	o := b.orders.At(slot)
	if o.next != 0 {
		return o.next
	}
	if i := b.queues[o.queue].worse(&b.store, o.level); i != 0 {
		return b.store.levels.At(i).head
	}
	return 0
}
