package siege

import (
	"fmt"
	"net/http"
	"time"

	"bourse/internal/bench"
	"bourse/internal/conform"
)

// honest is the neighbour's account.
const honest = "neighbour"

const (
	// pace is the time between two requests of the neighbour.
	pace = 5 * time.Millisecond
	// fewest is how many requests a percentile is made of at least.
	fewest = 100
)

// neighbour is an honest customer who places an order, reads the book and cancels the order, over and
// over. When each request is sent is planned beforehand, and latency is counted from then: a request
// that waits for a slow one before it waits as well. Every answer must be right.
type neighbour struct {
	*client
	open placed // the order that is open, if one is
	next int    // which step comes next
}

const (
	standing = "1.23" // the price of its orders
	lots     = "2"    // and their amount
)

// step sends the next request and checks the answer.
func (n *neighbour) step() error {
	defer func() { n.next = (n.next + 1) % 3 }()
	switch n.next {
	case 0:
		o, err := n.limit(quiet, "buy", lots, standing, "")
		if err == nil && (o.OrderID == 0 || o.Side != "buy" || o.Left != lots || o.Price != standing) {
			err = fmt.Errorf("an order was answered with %+v", o)
		}
		n.open = o
		return err
	case 1:
		var book struct {
			Asks, Bids [][2]string
		}
		a, err := n.get("/api/v4/public/orderbook/" + quiet)
		if err == nil {
			err = a.read(&book)
		}
		if err == nil && (len(book.Asks) > 0 || len(book.Bids) > 1 || len(book.Bids) == 1 && book.Bids[0] != [2]string{standing, lots}) {
			err = fmt.Errorf("the book of the neighbour's market has %+v", book)
		}
		return err
	default:
		var ended placed
		err := n.ask("/api/v4/order/cancel", conform.Fields{"market": quiet, "orderId": n.open.OrderID}, &ended)
		if err == nil && (ended.OrderID != n.open.OrderID || ended.Left != lots || ended.DealStock != "0") {
			err = fmt.Errorf("cancelling order %d was answered with %+v", n.open.OrderID, ended)
		}
		return err
	}
}

// watch lets the neighbour work until something is over, but for a while at least.
func (n *neighbour) watch(over <-chan struct{}, least int) (*bench.Latency, error) {
	return paced(over, least, n.step)
}

// paced takes a step at each planned time until something is over, at least so many, and counts how
// long after its planned time each was done.
func paced(over <-chan struct{}, least int, step func() error) (*bench.Latency, error) {
	times, began := &bench.Latency{}, time.Now()
	for i := 0; ; i++ {
		planned := began.Add(time.Duration(i) * pace)
		time.Sleep(time.Until(planned))
		if err := step(); err != nil {
			return times, fmt.Errorf("the neighbour's request %d: %w", i, err)
		}
		times.Add(time.Since(planned))
		if times.Count() < least {
			continue
		}
		select {
		case <-over:
			return times, nil
		default:
		}
	}
}

// leave ends the work and holds the neighbour's money against what it was.
func (n *neighbour) leave() error {
	for n.next != 0 {
		if err := n.step(); err != nil {
			return err
		}
	}
	available, frozen, err := n.balance("USDT")
	if err == nil && (available != fmt.Sprint(wealth) || frozen != "0") {
		err = fmt.Errorf("the neighbour has %s USDT and %s frozen", available, frozen)
	}
	return err
}

// beside does something while a neighbour works, after a look at how it works in calm, and puts both
// into the report.
func (s *Siege) beside(v *conform.Venue, attack func()) {
	s.Helper()
	n := &neighbour{client: s.client(v, honest)}
	over := make(chan struct{})
	close(over)
	for range fewest { // the first requests of a program meet cold caches
		s.must(n.step())
	}
	calm, err := n.watch(over, s.size(fewest, 10*fewest))
	s.must(err)
	over = make(chan struct{})
	type outcome struct {
		times *bench.Latency
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		times, err := n.watch(over, s.size(fewest, 4*fewest))
		done <- outcome{times, err}
	}()
	func() {
		defer close(over)
		attack()
	}()
	o := <-done
	s.must(o.err)
	s.must(n.leave())
	s.row.Calm, s.row.Attacked = calm, o.times
}

// alive holds an exchange to answering.
func (s *Siege) alive(v *conform.Venue) {
	s.Helper()
	a, err := s.client(v, honest).get("/api/v4/public/ping")
	if s.must(err); a.status != http.StatusOK {
		s.Errorf("a ping was answered with %s", a)
	}
}
