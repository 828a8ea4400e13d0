package book_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/book"
)

// shelf is one queue of a book beside the sorted list of its prices. Every price holds one order,
// whose id and lots are its place in all prices, from 1 on.
type shelf struct {
	book  book.Book[terms]
	queue book.Queue
	all   []book.Ticks
	want  []book.Ticks // best first
}

// failer is a test, random or not.
type failer interface{ Fatalf(string, ...any) }

func (s *shelf) order(a, b book.Ticks) int {
	switch {
	case a == b:
		return 0
	case (a > b) == s.queue.Descending():
		return -1
	default:
		return 1
	}
}

func (s *shelf) place(t failer, i int) {
	slot, _ := s.book.Add(uint64(i+1), 1, book.Lots(i+1))
	lots, _ := s.book.Link(slot, s.queue, s.all[i])
	mustEqual(t, "what the level holds", lots, book.Lots(i+1))
	at, _ := slices.BinarySearchFunc(s.want, s.all[i], s.order)
	s.want = slices.Insert(s.want, at, s.all[i])
	s.best(t)
}

func (s *shelf) cancel(t failer, i int) {
	slot := s.book.Find(uint64(i + 1))
	mustEqual(t, "what is left at the level", s.book.Unlink(slot), 0)
	s.book.Remove(slot)
	at, _ := slices.BinarySearchFunc(s.want, s.all[i], s.order)
	s.want = slices.Delete(s.want, at, at+1)
	s.best(t)
}

func (s *shelf) best(t failer) {
	best, there := s.book.Best(s.queue)
	mustEqual(t, "whether there is a best price", there, len(s.want) > 0)
	if there {
		mustEqual(t, "the best price", best, s.want[0])
		mustEqual(t, "the price of the first order", s.book.At(s.book.First(s.queue)).Price, s.want[0])
	}
}

// look compares the whole queue.
func (s *shelf) look(t failer) {
	var levels, orders []book.Ticks
	for l := range s.book.Levels(s.queue) {
		mustEqual(t, "as much fits as can be counted", s.book.Fits(s.queue, l.Price, math.MaxInt64-l.Lots), true)
		mustEqual(t, "one more fits", s.book.Fits(s.queue, l.Price, math.MaxInt64-l.Lots+1), false)
		mustEqual(t, "the order whose lots the level holds", s.all[l.Lots-1], l.Price)
		levels = append(levels, l.Price)
	}
	for slot := range s.book.Orders(s.queue) {
		orders = append(orders, s.book.At(slot).Price)
	}
	if !slices.Equal(levels, s.want) || !slices.Equal(orders, s.want) {
		t.Fatalf("%d levels and %d orders are not the %d prices in their order", len(levels), len(orders), len(s.want))
	}
}

// TestLadderTakesPricesInAnyOrder places thousands of levels in the orders that hurt sorted lists,
// cancels every third, brings those back, and cancels all.
func TestLadderTakesPricesInAnyOrder(t *testing.T) {
	const n = 3000
	for name, price := range map[string]func(i int) book.Ticks{
		"neighbours upwards":   func(i int) book.Ticks { return book.Ticks(30_000 + i) },
		"neighbours downwards": func(i int) book.Ticks { return book.Ticks(30_000 - i) },
		"every 31st":           func(i int) book.Ticks { return book.Ticks(31 * (i + 1)) },
		"every 64th upwards":   func(i int) book.Ticks { return book.Ticks(64 * (i + 1)) },
		"every 64th downwards": func(i int) book.Ticks { return book.Ticks(64 * (n - i)) },
		"every 65th":           func(i int) book.Ticks { return book.Ticks(65 * (i + 1)) },
		"pairs far apart":      func(i int) book.Ticks { return book.Ticks(i/2*1_000_003 + i%2 + 1) },
		"at both ends":         func(i int) book.Ticks { return []book.Ticks{1 + book.Ticks(i), math.MaxInt64 - book.Ticks(i)}[i%2] },
		"sparse at both ends": func(i int) book.Ticks {
			return []book.Ticks{1 + book.Ticks(i)<<40, math.MaxInt64 - book.Ticks(i)<<40}[i%2]
		},
		"from both ends": func(i int) book.Ticks { return book.Ticks(min(i, n-1-i)*2+i%2+1) * 777 },
		"scattered":      func(i int) book.Ticks { return book.Ticks(uint64(i+1) * 0x9e3779b97f4a7c15 >> 1) },
		"below zero":     func(i int) book.Ticks { return math.MinInt64 + 1 + book.Ticks(i)<<51 },
	} {
		for _, q := range []book.Queue{book.Bids, book.Asks} {
			s := shelf{queue: q}
			for i := range n {
				s.all = append(s.all, price(i))
			}
			t.Run(name, func(t *testing.T) {
				for i := range n {
					s.place(t, i)
				}
				s.look(t)
				for i := 0; i < n; i += 3 {
					s.cancel(t, i)
				}
				s.look(t)
				for i := 0; i < n; i += 3 {
					s.place(t, i)
				}
				s.look(t)
				for i := range n {
					s.cancel(t, i*1009%n)
					if i%700 == 0 {
						s.look(t)
					}
				}
				s.look(t)
			})
		}
	}
}

// TestLadderAgainstSortedPrices places and cancels runs of levels at random.
func TestLadderAgainstSortedPrices(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := shelf{queue: book.Queue(rapid.IntRange(int(book.Bids), int(book.Falling)).Draw(rt, "queue"))}
		stride := rapid.SampledFrom([]book.Ticks{1, 3, 32, 64, 65, 1 << 40, math.MaxInt64 / 1000}).Draw(rt, "stride")
		open := make([]bool, 1000)
		for i := range open {
			s.all = append(s.all, 1+book.Ticks(i)*stride)
		}
		for range rapid.IntRange(1, 12).Draw(rt, "runs") {
			at, by := rapid.IntRange(0, len(open)-1).Draw(rt, "from"), rapid.IntRange(1, 9).Draw(rt, "by")
			for range rapid.IntRange(1, 300).Draw(rt, "length") {
				if open[at] {
					s.cancel(rt, at)
				} else {
					s.place(rt, at)
				}
				open[at] = !open[at]
				at = (at + by) % len(open)
			}
			s.look(rt)
		}
	})
}

// TestLadderAllocatesNothingInSteadyState: levels of a sparse book come and go everywhere.
func TestLadderAllocatesNothingInSteadyState(t *testing.T) {
	const n = 5000
	var b book.Book[terms]
	slots := make([]book.Slot, n)
	for i := range n {
		slots[i], _ = b.Add(uint64(i+1), 1, 1)
		b.Link(slots[i], book.Asks, book.Ticks(100*i+1))
	}
	round := func() {
		for i := range n {
			at := i * 1009 % n
			b.Unlink(slots[at])
			b.Link(slots[at], book.Asks, book.Ticks(100*at+1+i%50))
		}
	}
	round()
	if allocs := testing.AllocsPerRun(3, round); allocs != 0 {
		t.Errorf("%v allocations a round", allocs)
	}
}
