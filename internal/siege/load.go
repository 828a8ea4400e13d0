package siege

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"bourse/internal/conform"
	"bourse/internal/fixed"
)

// load is traders who place orders that rest, and cancel one in three, and remember what the exchange
// said of each. It goes on over any number of deaths of the exchange.
type load struct {
	s     *Siege
	hands []*hand
	acks  atomic.Int64
	over  atomic.Bool
	all   sync.WaitGroup
	// faulty is whether the exchange may say that it does not know: its disk, or its cluster, is at fault.
	faulty bool
	// first is when the first request since begin was acknowledged.
	first atomic.Pointer[time.Time]
}

// hand is one of the traders. An order is known by the client's id, which is used once.
type hand struct {
	*client
	count    int
	orders   map[string]placed // that were acknowledged
	canceled map[string]bool
	unknown  map[string]bool // without an answer: either may have happened
}

func (s *Siege) newLoad(count int) *load {
	l := &load{s: s}
	for range count {
		l.hands = append(l.hands, &hand{orders: map[string]placed{}, canceled: map[string]bool{}, unknown: map[string]bool{}})
	}
	return l
}

// begin lets the traders work at exchanges, in turn; a trader whose exchange is gone stops.
func (l *load) begin(venues ...*conform.Venue) {
	l.over.Store(false)
	l.first.Store(nil)
	for i, h := range l.hands {
		h.client = l.s.client(venues[i%len(venues)], trader(i))
		l.all.Go(func() {
			for !l.over.Load() && l.step(i, h) {
			}
		})
	}
}

// finish ends the work.
func (l *load) finish() {
	l.over.Store(true)
	l.all.Wait()
}

// until lets the traders work until so many more requests were acknowledged.
func (l *load) until(more int) {
	l.s.Helper()
	want := l.acks.Load() + int64(more)
	l.s.await(fmt.Sprint(more, " requests are acknowledged"), func() bool { return l.acks.Load() >= want })
}

// step is an order, and whether the exchange is still there.
func (l *load) step(i int, h *hand) bool {
	h.count++
	id := fmt.Sprint(trader(i), "-", h.count)
	h.unknown[id] = true
	var o placed
	if !l.send(h, "/api/v4/order/new", conform.Fields{
		"market": attacked, "side": "buy", "amount": "1", "price": fmt.Sprint(1 + h.count%50), "clientOrderId": id,
	}, &o) {
		return false
	}
	delete(h.unknown, id)
	h.orders[id] = o
	if h.count%3 != 0 {
		return true
	}
	h.unknown[id] = true
	if !l.send(h, "/api/v4/order/cancel", conform.Fields{"market": attacked, "orderId": o.OrderID}, &o) {
		return false
	}
	delete(h.unknown, id)
	h.canceled[id] = true
	return true
}

// send is whether a request was answered well. What the exchange itself refuses is a fault; that it
// stops, or has no answer, is not.
func (l *load) send(h *hand, path string, fields conform.Fields, into *placed) bool {
	l.s.sent.Add(1)
	a, err := h.post(path, fields)
	if err != nil || a.status == http.StatusServiceUnavailable || l.faulty && a.status == http.StatusInternalServerError {
		return false
	}
	if err := a.read(into); err != nil {
		l.s.Errorf("%s %v: %v", path, fields, err)
		return false
	}
	if l.acks.Add(1); l.first.Load() == nil {
		now := time.Now()
		l.first.CompareAndSwap(nil, &now)
	}
	return true
}

// check holds an exchange against what was acknowledged: every order is there once, what was canceled is
// not open, nothing else is there, and the money of each trader adds up.
func (l *load) check(v *conform.Venue) {
	l.s.Helper()
	for i, h := range l.hands {
		c := l.s.client(v, trader(i))
		open, err := c.open(attacked)
		l.s.must(err)
		seen, frozen := map[string]bool{}, fixed.Decimal{}
		for _, o := range open {
			id := o.ClientOrderID
			if acked, known := h.orders[id]; seen[id] || h.canceled[id] || known && acked.OrderID != o.OrderID || !known && !h.unknown[id] {
				l.s.Errorf("%s has an open order %+v: twice %v, canceled %v, acknowledged as %d", trader(i), o, seen[id], h.canceled[id], acked.OrderID)
			}
			seen[id] = true
			price, err := fixed.Parse(o.Price)
			l.s.must(err)
			frozen = frozen.Add(price)
		}
		for id, o := range h.orders {
			if !seen[id] && !h.canceled[id] && !h.unknown[id] {
				l.s.Errorf("the order %s (%d) of %s was acknowledged and is not open", id, o.OrderID, trader(i))
			}
		}
		available, held, err := c.balance("USDT")
		l.s.must(err)
		if want := fixed.FromInt(wealth).Sub(frozen).String(); available != want || held != frozen.String() {
			l.s.Errorf("%s has %s USDT and %s frozen, want %s and %s", trader(i), available, held, want, frozen)
		}
	}
}
