package book_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/book"
)

// terms stands for what an owner keeps with an order.
type terms struct{ mark uint64 }

// prices are the ways in which prices can lie: close together, far apart, and at both ends of
// what there is, where distances between prices are as large as a number can be.
var prices = []func(*rapid.T) book.Ticks{
	func(t *rapid.T) book.Ticks { return book.Ticks(rapid.Int64Range(1, 12).Draw(t, "price")) },
	func(t *rapid.T) book.Ticks { return 30_000 + book.Ticks(rapid.Int64Range(-150, 150).Draw(t, "price")) },
	func(t *rapid.T) book.Ticks { return book.Ticks(rapid.Int64Range(1, 40).Draw(t, "price")) * 1_000_003 },
	func(t *rapid.T) book.Ticks { return book.Ticks(rapid.Int64Range(1, math.MaxInt64).Draw(t, "price")) },
	func(t *rapid.T) book.Ticks {
		near := rapid.Int64Range(0, 70).Draw(t, "near")
		if rapid.Bool().Draw(t, "high") {
			return book.Ticks(math.MaxInt64 - near)
		}
		return book.Ticks(1 + near)
	},
}

// TestBookAgainstNaive runs random operations on the fast and on the naive book and compares
// all that can be seen after each.
func TestBookAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var fast book.Book[terms]
		var slow naive
		price := prices[rapid.IntRange(0, len(prices)-1).Draw(t, "prices")]
		nextID := uint64(1)
		for i := range rapid.IntRange(1, 150).Draw(t, "operations") {
			what := step(t, &fast, &slow, price, &nextID)
			if err := compare(&fast, &slow); err != nil {
				t.Fatalf("operation %d, %s: %v", i, what, err)
			}
		}
	})
}

// step runs one operation on both books and says which.
func step(t *rapid.T, fast *book.Book[terms], slow *naive, price func(*rapid.T) book.Ticks, nextID *uint64) string {
	operation := rapid.IntRange(0, 9).Draw(t, "operation")
	if len(slow.orders) == 0 || operation < 4 { // add, and mostly link at once
		id := *nextID
		*nextID += uint64(rapid.IntRange(1, 3).Draw(t, "gap"))
		left := book.Lots(rapid.Int64Range(1, 1e12).Draw(t, "left"))
		slot, o := fast.Add(id, uint32(id%7), left)
		o.Terms.mark = id * 31
		slow.add(id, uint32(id%7), left, slot)
		if operation == 0 {
			return "add"
		}
		return "add and " + link(t, fast, slow, slow.find(id), price(t))
	}
	e := slow.orders[rapid.IntRange(0, len(slow.orders)-1).Draw(t, "order")]
	switch {
	case e.queue == book.None && operation < 7:
		return link(t, fast, slow, e, price(t))
	case e.queue == book.None:
		slow.remove(e)
		fast.Remove(e.slot)
		return "remove"
	case operation < 6 && e.left > 1:
		lots := book.Lots(rapid.Int64Range(0, int64(e.left)-1).Draw(t, "lots"))
		mustEqual(t, "what the level holds after reduce", fast.Reduce(e.slot, lots), slow.reduce(e, lots))
		return "reduce"
	case operation < 8: // filled: reduced to nothing, then taken out
		mustEqual(t, "what the level holds after a fill", fast.Reduce(e.slot, e.left), slow.reduce(e, e.left))
		mustEqual(t, "what is left after a fill", fast.Unlink(e.slot), slow.unlink(e))
		slow.remove(e)
		fast.Remove(e.slot)
		return "fill"
	default:
		mustEqual(t, "what is left after unlink", fast.Unlink(e.slot), slow.unlink(e))
		return "unlink"
	}
}

func link(t *rapid.T, fast *book.Book[terms], slow *naive, e *entry, price book.Ticks) string {
	q := book.Queue(rapid.IntRange(int(book.Bids), int(book.Falling)).Draw(t, "queue"))
	got, fits := fast.Link(e.slot, q, price)
	mustEqual(t, "whether the level can be counted", fits, true)
	mustEqual(t, "what the level holds after link", got, slow.link(e, q, price))
	return fmt.Sprintf("link to queue %d at %d", q, price)
}

func mustEqual[T comparable](t interface{ Fatalf(string, ...any) }, what string, got, want T) {
	if got != want {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

func compare(fast *book.Book[terms], slow *naive) error {
	if fast.Len() != len(slow.orders) {
		return fmt.Errorf("%d orders, want %d", fast.Len(), len(slow.orders))
	}
	for _, e := range slow.orders {
		o := fast.At(e.slot)
		if fast.Find(e.id) != e.slot || o.ID != e.id || o.Owner != e.owner || o.Left != e.left || o.Queue() != e.queue || o.Terms.mark != e.id*31 {
			return fmt.Errorf("order %d is %+v, want %+v", e.id, o, e)
		}
		if e.queue != book.None && o.Price != e.price {
			return fmt.Errorf("order %d is queued at %d, want %d", e.id, o.Price, e.price)
		}
	}
	if fast.Find(math.MaxUint64) != 0 {
		return fmt.Errorf("an order that is not there is found")
	}
	for q := book.Bids; q <= book.Falling; q++ {
		if err := compareQueue(fast, slow, q); err != nil {
			return fmt.Errorf("queue %d: %w", q, err)
		}
	}
	return nil
}

func compareQueue(fast *book.Book[terms], slow *naive, q book.Queue) error {
	var want []book.Slot
	for _, e := range slow.queue(q) {
		want = append(want, e.slot)
	}
	if got := slices.Collect(fast.Orders(q)); !slices.Equal(got, want) {
		return fmt.Errorf("orders in slots %v, want %v", got, want)
	}
	levels := slow.levels(q)
	if got := slices.Collect(fast.Levels(q)); !slices.Equal(got, levels) {
		return fmt.Errorf("levels %v, want %v", got, levels)
	}
	best, there := fast.Best(q)
	first := fast.First(q)
	if len(want) == 0 {
		if there || first != 0 {
			return fmt.Errorf("empty, and the best price is %d, the first order in slot %d", best, first)
		}
		return nil
	}
	if !there || best != levels[0].Price || first != want[0] {
		return fmt.Errorf("best %d (%v), first %d, want %d and %d", best, there, first, levels[0].Price, want[0])
	}
	return nil
}

func TestIteratorsStopWhenTheReaderDoes(t *testing.T) {
	var b book.Book[terms]
	for i := uint64(1); i <= 10; i++ {
		slot, _ := b.Add(i, 0, 1)
		b.Link(slot, book.Bids, book.Ticks(1+i/2))
	}
	levels, orders := 0, 0
	for range b.Levels(book.Bids) {
		if levels++; levels == 2 {
			break
		}
	}
	for range b.Orders(book.Bids) {
		if orders++; orders == 3 {
			break
		}
	}
	if levels != 2 || orders != 3 {
		t.Errorf("%d levels and %d orders were handed out", levels, orders)
	}
}

func TestBrokenInvariantsPanic(t *testing.T) {
	for name, broken := range map[string]func(b *book.Book[terms], slot book.Slot){
		"an order is linked twice":                func(b *book.Book[terms], slot book.Slot) { b.Link(slot, book.Asks, 5) },
		"an order is removed while it is linked":  func(b *book.Book[terms], slot book.Slot) { b.Remove(slot) },
		"more is taken from an order than it has": func(b *book.Book[terms], slot book.Slot) { b.Reduce(slot, 4) },
	} {
		t.Run(name, func(t *testing.T) {
			var b book.Book[terms]
			slot, _ := b.Add(1, 1, 3)
			b.Link(slot, book.Bids, 5)
			defer func() {
				if recover() == nil {
					t.Error("it went unnoticed")
				}
				if lots := slices.Collect(b.Levels(book.Bids)); len(lots) != 1 || lots[0] != (book.Level{Price: 5, Lots: 3}) || b.Find(1) != slot {
					t.Errorf("the book was changed before the check: %v", lots)
				}
			}()
			broken(&b, slot)
		})
	}
}

// TestLevelThatCannotBeCountedTakesNoMore: the sum of a level is a 63-bit number.
func TestLevelThatCannotBeCountedTakesNoMore(t *testing.T) {
	var b book.Book[terms]
	first, _ := b.Add(1, 1, math.MaxInt64-5)
	second, _ := b.Add(2, 1, 6)
	b.Link(first, book.Asks, 7)
	mustEqual(t, "5 more fit", b.Fits(book.Asks, 7, 5), true)
	mustEqual(t, "6 more fit", b.Fits(book.Asks, 7, 6), false)
	mustEqual(t, "all fit elsewhere", b.Fits(book.Asks, 8, math.MaxInt64), true)
	_, fits := b.Link(second, book.Asks, 7)
	mustEqual(t, "fits", fits, false)
	mustEqual(t, "queue", b.At(second).Queue(), book.None)
	lots, fits := b.Link(second, book.Asks, 8)
	mustEqual(t, "fits at another price", fits, true)
	mustEqual(t, "lots there", lots, 6)

	// Sums of the whole book beyond a level's leave it as it was, once they are gone.
	third, _ := b.Add(3, 1, math.MaxInt64)
	b.Link(third, book.Bids, 1)
	mustEqual(t, "6 more fit beside much", b.Fits(book.Asks, 7, 6), false)
	b.Unlink(third)
	b.Reduce(first, 1)
	mustEqual(t, "6 more fit after a fill", b.Fits(book.Asks, 7, 6), true)
	mustEqual(t, "7 more fit after a fill", b.Fits(book.Asks, 7, 7), false)
	b.Reduce(first, math.MaxInt64-6)
	b.Unlink(first)
	b.Unlink(second)
	mustEqual(t, "all fit in the empty book", b.Fits(book.Asks, 7, math.MaxInt64), true)
}
