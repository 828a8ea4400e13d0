package siege

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"bourse/internal/conform"
)

var books = []Attack{
	{"book.sparse", "cancel-all of many levels, placed worst to best: all end, the money is free, and others go on", sparseLevels},
	{"book.sweep", "one order takes a level of many orders: every maker is paid, and others go on", sweptLevel},
	{"book.stops", "many stops that one fill wakes: all wake, and others go on", wokenStops},
	{"book.timers", "many kill switches at once: all fire, also those that were due while the program was away", dueTimers},
	{"book.limit", "an account has so many open orders on a market and no more", manyOrders},
}

// resting is an order of 1 at a price.
func resting(side string, price int) conform.Fields {
	return conform.Fields{"market": attacked, "side": side, "amount": "1", "price": fmt.Sprint(price)}
}

// perBulk is how many orders go with one request.
const perBulk = 20

// fill places orders of all traders, each of the same number; they are made in the order of their
// numbers as far as each trader goes.
func (s *Siege) fill(v *conform.Venue, count int, order func(i int) conform.Fields) {
	s.Helper()
	var all sync.WaitGroup
	for t := range traders {
		c := s.client(v, trader(t))
		all.Go(func() {
			for i := t; i < count; {
				var some []conform.Fields
				for ; i < count && len(some) < perBulk; i += traders {
					some = append(some, order(i))
				}
				if err := c.bulk(some); err != nil {
					s.Error(err)
					return
				}
			}
		})
	}
	if all.Wait(); s.Failed() {
		s.FailNow()
	}
}

// bulk places some orders that must all be taken.
func (c *client) bulk(orders []conform.Fields) error {
	var items []struct {
		Result *placed
		Error  any
	}
	if err := c.ask("/api/v4/order/bulk", conform.Fields{"orders": orders}, &items); err != nil {
		return err
	}
	for i, item := range items {
		if item.Error != nil {
			return fmt.Errorf("order %v: %v", orders[i], item.Error)
		}
	}
	return nil
}

// has holds a customer to what there is of an asset.
func (s *Siege) has(c *client, ticker string, available, frozen int) {
	s.Helper()
	a, f, err := c.balance(ticker)
	if s.must(err); a != fmt.Sprint(available) || f != fmt.Sprint(frozen) {
		s.Errorf("%s has %s %s and %s frozen, want %d and %d", c.Key, a, ticker, f, available, frozen)
	}
}

func sparseLevels(s *Siege) {
	count := s.size(2000, 60_000)
	v := conform.Start(s.TB, s.world(object{"max_orders": count}), "--no-limits")
	c := s.client(v, trader(0))
	placed := 0
	for placed < count {
		var some []conform.Fields
		for range min(perBulk, count-placed) {
			placed++
			some = append(some, conform.Fields{"market": attacked, "side": "buy", "amount": "1", "price": fmt.Sprintf("%d.%02d", placed*7/100, placed*7%100)})
		}
		s.must(c.bulk(some))
	}
	s.beside(v, func() {
		began := time.Now()
		a, err := c.post("/api/v4/order/cancel/all", conform.Fields{"market": attacked})
		s.status("cancel-all", a, err, http.StatusOK)
		s.note("%d orders were canceled within %v", count, since(began))
		s.sent.Add(1)
	})
	open, err := c.open(attacked)
	if s.must(err); len(open) > 0 {
		s.Errorf("%d orders are still open", len(open))
	}
	s.has(c, "USDT", wealth, 0)
	s.end(v)
}

func sweptLevel(s *Siege) {
	count := s.size(1600, 16_000)
	v := conform.Start(s.TB, s.world(nil, account("taker", wealth)), "--no-limits")
	s.fill(v, count, func(int) conform.Fields { return resting("sell", 100) })
	c := s.client(v, "taker")
	s.beside(v, func() {
		began := time.Now()
		o, err := c.limit(attacked, "buy", fmt.Sprint(count), "100", "")
		if s.must(err); o.Left != "0" || o.DealStock != fmt.Sprint(count) || o.DealMoney != fmt.Sprint(100*count) {
			s.Errorf("the sweep was answered with %+v", o)
		}
		s.note("%d fills within %v", count, since(began))
		s.sent.Add(1)
	})
	s.has(c, "BTC", wealth+count, 0)
	s.has(c, "USDT", wealth-100*count, 0)
	for i := range traders {
		s.has(s.client(v, trader(i)), "BTC", wealth-count/traders, 0)
		s.has(s.client(v, trader(i)), "USDT", wealth+100*count/traders, 0)
	}
	s.end(v)
}

func wokenStops(s *Siege) {
	count := s.size(800, 10_000)
	v := conform.Start(s.TB, s.world(nil, account("taker", wealth), account("maker", wealth)), "--no-limits")
	taker, maker := s.client(v, "taker"), s.client(v, "maker")
	trade := func(price string) {
		for side, c := range map[string]*client{"sell": maker, "buy": taker} {
			if _, err := c.limit(attacked, side, "1", price, ""); err != nil {
				s.Error(err)
			}
		}
	}
	trade("100")
	clients := make([]*client, traders)
	for i := range clients {
		clients[i] = s.client(v, trader(i))
	}
	var all sync.WaitGroup
	for w, c := range clients {
		all.Go(func() {
			for i := w; i < count; i += traders {
				var o placed
				err := c.ask("/api/v4/order/stop_limit", conform.Fields{"market": attacked, "side": "buy", "amount": "1", "price": "1", "activation_price": "200"}, &o)
				if err != nil {
					s.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	s.beside(v, func() {
		began := time.Now()
		trade("200")
		s.note("%d stops woke within %v", count, since(began))
		s.sent.Add(2)
	})
	var book struct{ Bids [][2]string }
	s.await("all stops are in the book", func() bool {
		a, err := taker.get("/api/v4/public/orderbook/" + attacked)
		s.must(err)
		s.must(a.read(&book))
		return len(book.Bids) == 1 && book.Bids[0] == [2]string{"1", fmt.Sprint(count)}
	})
	for _, c := range clients {
		s.has(c, "USDT", wealth-count/traders, count/traders)
	}
	s.end(v)
}

// dueTimers lets many accounts start a kill switch: first those that end while a neighbour works, then
// again while the program is dead, so that all are due in one moment when it is back.
func dueTimers(s *Siege) {
	count := s.size(200, 3000)
	var accounts []object
	for i := range count {
		accounts = append(accounts, account(timed(i), 100))
	}
	v := conform.Start(s.TB, s.world(nil, accounts...), "--no-limits")
	start := func() {
		shared := s.client(v, honest)
		var all sync.WaitGroup
		for w := range traders {
			all.Go(func() {
				for i := w; i < count; i += traders {
					c := &client{v.Client(timed(i), secret(timed(i))), v.URL, shared.http}
					_, err := c.limit(attacked, "buy", "1", "1", "")
					if err == nil {
						err = c.ask("/api/v4/order/kill-switch", conform.Fields{"market": attacked, "timeout": 5}, &struct{}{})
					}
					if err != nil {
						s.Error(err)
						return
					}
					s.sent.Add(2)
				}
			})
		}
		all.Wait()
	}
	empty := func() {
		c := s.client(v, honest)
		s.await("all kill switches fire", func() bool {
			a, err := c.get("/api/v4/public/orderbook/" + attacked)
			s.must(err)
			s.status("the book", a, err, http.StatusOK)
			return strings.Contains(a.body, `"bids":[]`)
		})
	}
	start()
	s.beside(v, empty)
	start()
	began := time.Now()
	v.Kill()
	time.Sleep(5*time.Second - time.Since(began)) // until the last is due
	v.Restart()
	back := time.Now()
	empty()
	s.note("%d that were due while it was away fired within %v", count, since(back))
	for _, i := range []int{0, count - 1} {
		s.has(s.client(v, timed(i)), "USDT", 100, 0)
	}
	s.end(v)
}

// timed is an account with a kill switch.
func timed(i int) string { return fmt.Sprint("timed", i) }

func manyOrders(s *Siege) {
	const most = 100
	v := conform.Start(s.TB, s.world(object{"max_orders": most}), "--no-limits")
	c := s.client(v, trader(0))
	var first placed
	for i := range most {
		o, err := c.limit(attacked, "buy", "1", fmt.Sprint(1+i), "")
		if s.must(err); i == 0 {
			first = o
		}
	}
	want := fmt.Sprintf("An account may have at most %d open orders on this market.", most)
	s.beside(v, func() {
		s.flood(1, 200, func(_, i int) {
			path := []string{"/api/v4/order/new", "/api/v4/order/bulk"}[i%2]
			fields := resting("buy", 1)
			if i%2 == 1 {
				fields = conform.Fields{"orders": []conform.Fields{resting("buy", 1), resting("buy", 2)}}
			}
			a, err := c.post(path, fields)
			if err != nil || strings.Count(a.body, want) != 1+i%2 {
				s.Errorf("order %d is answered with %v %v", most+1, a, err)
			}
		})
	})
	s.must(c.ask("/api/v4/order/cancel", conform.Fields{"market": attacked, "orderId": first.OrderID}, &placed{}))
	_, err := c.limit(attacked, "buy", "1", "1", "")
	s.must(err)
	s.has(c, "USDT", wealth-most*(most+1)/2, most*(most+1)/2)
	s.end(v)
}
