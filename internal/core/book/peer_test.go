package book_test

import (
	"slices"
	"testing"

	"bourse/internal/bench/peer"
	"bourse/internal/core/book"
)

// player plays the commands of the peer's stream on the fast book with a match loop of its own,
// so that nothing but the book is tested.
type player struct {
	book   book.Book[struct{}]
	totals peer.Totals
}

func side(bid bool) book.Queue {
	if bid {
		return book.Bids
	}
	return book.Asks
}

func (p *player) play(c peer.Command) {
	before := p.totals.Trades
	switch c.Kind {
	case peer.Place:
		p.place(c)
	case peer.Cancel:
		p.cancel(p.book.Find(uint64(c.Order)))
	case peer.Move:
		slot := p.book.Find(uint64(c.Order))
		left := p.book.At(slot).Left
		p.book.Unlink(slot)
		if left = p.match(c.Bid, c.Price, left); left == 0 {
			p.book.Remove(slot)
			break
		}
		p.book.At(slot).Left = left
		p.book.Link(slot, side(c.Bid), book.Ticks(c.Price))
	case peer.Reduce:
		slot := p.book.Find(uint64(c.Order))
		if book.Lots(c.Size) >= p.book.At(slot).Left {
			p.cancel(slot)
			break
		}
		p.book.Reduce(slot, book.Lots(c.Size))
	}
	if p.totals.Trades > before {
		p.totals.Trading++
	}
}

func (p *player) place(c peer.Command) {
	switch c.Type {
	case peer.IOC:
		p.match(c.Bid, c.Price, book.Lots(c.Size))
	case peer.Budget:
		if p.affordable(c) {
			p.match(c.Bid, 0, book.Lots(c.Size))
		}
	default:
		if left := p.match(c.Bid, c.Price, book.Lots(c.Size)); left > 0 {
			slot, _ := p.book.Add(uint64(c.Order), uint32(c.User), left)
			p.book.Link(slot, side(c.Bid), book.Ticks(c.Price))
		}
	}
}

// match takes from the other side within a limit, 0 for any, and returns what is left.
func (p *player) match(bid bool, limit int64, left book.Lots) book.Lots {
	for left > 0 {
		best, there := p.book.Best(side(!bid))
		if !there || limit != 0 && (bid && int64(best) > limit || !bid && int64(best) < limit) {
			break
		}
		slot := p.book.First(side(!bid))
		lots := min(left, p.book.At(slot).Left)
		left -= lots
		p.book.Reduce(slot, lots)
		if p.book.At(slot).Left == 0 {
			p.cancel(slot)
		}
		p.totals.Trades++
		p.totals.Volume += int64(lots)
		p.totals.Notional += int64(lots) * int64(best)
	}
	return left
}

func (p *player) affordable(c peer.Command) bool {
	left, money := c.Size, int64(0)
	for slot := range p.book.Orders(side(!c.Bid)) {
		o := p.book.At(slot)
		lots := min(left, int64(o.Left))
		left -= lots
		money += lots * int64(o.Price)
	}
	return left == 0 && (c.Bid && money <= c.Price || !c.Bid && money >= c.Price)
}

func (p *player) cancel(slot book.Slot) {
	p.book.Unlink(slot)
	p.book.Remove(slot)
}

func (p *player) summary(q book.Queue) (s peer.Side) {
	s.Orders = len(slices.Collect(p.book.Orders(q)))
	for l := range p.book.Levels(q) {
		s.Levels++
		s.Volume += int64(l.Lots)
	}
	best, _ := p.book.Best(q)
	s.Best = int64(best)
	return s
}

// TestPeerStream plays the whole stream of the peer's benchmark: 3 million moves, cancels,
// reductions and trades must come to the peer's own totals.
func TestPeerStream(t *testing.T) {
	commands, want := peer.Stream(0, 101572685, 1000, 1000, 3_001_000)
	var p player
	for _, c := range commands {
		p.play(c)
	}
	p.totals.Asks, p.totals.Bids = p.summary(book.Asks), p.summary(book.Bids)
	if p.totals != want {
		t.Errorf("got %+v\nwant %+v", p.totals, want)
	}
	if p.book.Len() != want.Asks.Orders+want.Bids.Orders {
		t.Errorf("%d orders are left in the book, want %d", p.book.Len(), want.Asks.Orders+want.Bids.Orders)
	}
}

// TestBookAllocatesNothingInSteadyState plays a part of the stream on a book that has seen the
// part before it.
func TestBookAllocatesNothingInSteadyState(t *testing.T) {
	const warm, measured = 150_000, 20_000
	commands, _ := peer.Stream(0, 101572685, 1000, 1000, warm+measured)
	var p player
	for _, c := range commands[:warm] {
		p.play(c)
	}
	at := warm
	if n := testing.AllocsPerRun(measured-1, func() {
		p.play(commands[at])
		at++
	}); n != 0 {
		t.Errorf("%v allocations per command", n)
	}
}
