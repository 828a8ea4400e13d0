package conform

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/fixed"
)

// depthFrame is a push of depth.
type depthFrame struct {
	full   bool
	market string
	book   struct {
		Timestamp json.Number `json:"timestamp"`
		ID        uint64      `json:"update_id"`
		Past      *uint64     `json:"past_update_id"`
		Asks      [][2]string `json:"asks"`
		Bids      [][2]string `json:"bids"`
		Event     json.Number `json:"event_time"`
	}
}

func readDepth(t testing.TB, params string) (f depthFrame) {
	t.Helper()
	parts := [3]any{&f.full, &f.book, &f.market}
	Reply{Body: params}.Read(t, &parts)
	if f.book.Asks == nil || f.book.Bids == nil || f.full != (f.book.Past == nil) {
		t.Fatalf("not a book: %s", params)
	}
	if _, fraction, _ := strings.Cut(f.book.Event.String(), "."); len(fraction) != 6 {
		t.Fatalf("event_time in %s", params)
	}
	return f
}

// shape is a frame without its times and with ids as distances from another.
func (f *depthFrame) shape(from uint64) string {
	past := "none"
	if f.book.Past != nil {
		past = fmt.Sprint(*f.book.Past - from)
	}
	return fmt.Sprintf("%s %t %d past %s asks %v bids %v", f.market, f.full, f.book.ID-from, past, f.book.Asks, f.book.Bids)
}

func depthSays(t testing.TB, s *Socket, from uint64, want string) depthFrame {
	t.Helper()
	f := readDepth(t, s.Pushed("depth_update"))
	if got := f.shape(from); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	return f
}

func TestSocketDepth(t *testing.T) {
	p := publicOpen(Inside(t, publicWorld(t, "BTC", "ETH", "NEW"), nil))
	order := p.order(p.alice, "BTC_USDT", "sell", "1", "100", nil)
	p.order(p.alice, "BTC_USDT", "buy", "2", "99.5", nil)
	p.order(p.alice, "ETH_USDT", "buy", "3", "10", nil)

	t.Run("the reply comes first, then the book", func(t *testing.T) {
		s := p.Socket()
		s.Send(`{"id":3,"method":"depth_subscribe","params":["BTC_USDT",100,"0",true]}`)
		if got := s.Next(); got != `{"error":null,"result":{"status":"success"},"id":3}` {
			t.Fatal(got)
		}
		text := s.Next()
		for _, part := range []string{`{"method":"depth_update","params":[true,{"timestamp":`, `,"update_id":2,"asks":[["100","1"]],"bids":[["99.5","2"]],"event_time":`, `},"BTC_USDT"],"id":null}`} {
			if !strings.Contains(text, part) {
				t.Errorf("no %s in %s", part, text)
			}
		}
	})

	t.Run("changes chain", func(t *testing.T) {
		s := p.Socket()
		s.Must("depth_subscribe", "BTC_USDT", 1, "0", false)
		depthSays(t, s, 0, `BTC_USDT true 2 past none asks [[100 1]] bids [[99.5 2]]`)
		p.order(p.alice, "BTC_USDT", "sell", "4", "101", nil) // outside of the window
		deal := p.order(p.bob, "BTC_USDT", "buy", "0.5", "100", nil)
		f := depthSays(t, s, 2, `BTC_USDT false 2 past 0 asks [[100 0.5]] bids []`)
		if f.book.Timestamp != deal["timestamp"] {
			t.Errorf("changed at %s, not at %s", f.book.Timestamp, deal["timestamp"])
		}
		p.alice.Post("/api/v4/order/cancel", Fields{"market": "BTC_USDT", "orderId": order["orderId"]})
		depthSays(t, s, 2, `BTC_USDT false 3 past 2 asks [[100 0] [101 4]] bids []`)
		p.order(p.bob, "BTC_USDT", "buy", "1", "100.5", nil)
		depthSays(t, s, 2, `BTC_USDT false 4 past 3 asks [] bids [[100.5 1] [99.5 0]]`)
	})

	t.Run("RPI orders are unseen", func(t *testing.T) {
		s := p.Socket()
		s.Must("depth_subscribe", "ETH_USDT", 5, "0")
		depthSays(t, s, 0, `ETH_USDT true 1 past none asks [] bids [[10 3]]`)
		p.order(p.bob, "ETH_USDT", "sell", "1", "11", Fields{"rpi": true})
		p.order(p.alice, "ETH_USDT", "sell", "1", "12", nil)
		depthSays(t, s, 0, `ETH_USDT false 2 past 1 asks [[12 1]] bids []`)
	})

	t.Run("several markets, or one alone", func(t *testing.T) {
		s := p.Socket()
		s.Must("depth_subscribe", "BTC_USDT", 10, "0", true)
		s.Must("depth_subscribe", "ETH_USDT", 1, "0", true)
		depthSays(t, s, 0, `BTC_USDT true 6 past none asks [[101 4]] bids [[100.5 1] [99.5 2]]`)
		depthSays(t, s, 0, `ETH_USDT true 2 past none asks [[12 1]] bids [[10 3]]`)
		p.order(p.alice, "BTC_USDT", "sell", "1", "101", nil)
		depthSays(t, s, 0, `BTC_USDT false 7 past 6 asks [[101 5]] bids []`)
		p.order(p.alice, "ETH_USDT", "sell", "1", "12", nil)
		depthSays(t, s, 0, `ETH_USDT false 3 past 2 asks [[12 2]] bids []`)
		// The same market again: another view in place of the former.
		s.Must("depth_subscribe", "BTC_USDT", 50, "0", true)
		depthSays(t, s, 0, `BTC_USDT true 7 past none asks [[101 5]] bids [[100.5 1] [99.5 2]]`)
		// Alone: the others end.
		s.Must("depth_subscribe", "NEW_USDT", 1, "0", false)
		depthSays(t, s, 0, `NEW_USDT true 0 past none asks [] bids []`)
		p.order(p.alice, "BTC_USDT", "sell", "1", "101", nil)
		p.order(p.alice, "ETH_USDT", "sell", "1", "12", nil)
		p.order(p.alice, "NEW_USDT", "sell", "1", "12", nil)
		depthSays(t, s, 0, `NEW_USDT false 1 past 0 asks [[12 1]] bids []`)
		// Unsubscribing from one market leaves the others.
		s.Must("depth_subscribe", "BTC_USDT", 10, "0", true)
		depthSays(t, s, 0, `BTC_USDT true 8 past none asks [[101 6]] bids [[100.5 1] [99.5 2]]`)
		s.Must("depth_unsubscribe", "NEW_USDT", 1, "0", false)
		s.Must("depth_unsubscribe", "NOPE_USDT")
		p.order(p.alice, "NEW_USDT", "sell", "1", "12", nil)
		p.order(p.alice, "BTC_USDT", "sell", "1", "101", nil)
		depthSays(t, s, 0, `BTC_USDT false 9 past 8 asks [[101 7]] bids []`)
		s.Must("depth_unsubscribe")
		s.Must("depth_unsubscribe")
		p.order(p.alice, "BTC_USDT", "sell", "1", "101", nil)
		s.Must("depth_subscribe", "ETH_USDT", 1, "0")
		depthSays(t, s, 0, `ETH_USDT true 4 past none asks [[12 3]] bids [[10 3]]`)
	})

	t.Run("prices are gathered", func(t *testing.T) {
		for _, interval := range []any{"0.1", json.Number("0.1"), json.Number("1e-1"), "0.10"} {
			s := p.Socket()
			s.Must("depth_subscribe", "BTC_USDT", 5, interval)
			depthSays(t, s, 0, `BTC_USDT true 10 past none asks [[101 8]] bids [[100.5 1] [99.5 2]]`)
		}
	})

	t.Run("requests", func(t *testing.T) {
		s := p.Socket()
		for interval, want := range map[any]string{
			"0":         `"asks":[["101","8"]],"bids":[["100.5","1"],["99.5","2"]]}`,
			"0.0000001": `"asks":[["101","8"]],"bids":[["100.5","1"],["99.5","2"]]}`,
			0:           `"asks":[["101","8"]],"bids":[["100.5","1"],["99.5","2"]]}`,
		} {
			got := s.Must("depth_request", "BTC_USDT", 33, interval)
			if !strings.HasPrefix(got, `{"timestamp":1`) || !strings.HasSuffix(got, want) {
				t.Errorf("%v: %s", interval, got)
			}
		}
		if got := s.Must("depth_request", "BTC_USDT", 1, "0"); !strings.HasSuffix(got, `"asks":[["101","8"]],"bids":[["100.5","1"]]}`) {
			t.Error(got)
		}
	})

	t.Run("what is wrong", func(t *testing.T) {
		s := p.Socket()
		s.Must("depth_subscribe", "NEW_USDT", 1, "0")
		depthSays(t, s, 0, `NEW_USDT true 2 past none asks [[12 2]] bids []`)
		s.Refused(9, "market NOPE_USDT does not exist", "depth_subscribe", "NOPE_USDT", 5, "0")
		s.Refused(9, "market NOPE_USDT does not exist", "depth_request", "NOPE_USDT", 5, "0")
		for _, params := range [][]any{
			{},
			{"BTC_USDT"},
			{"BTC_USDT", 5},
			{1, 5, "0"},
			{"BTC_USDT", "5", "0"},
			{"BTC_USDT", 0, "0"},
			{"BTC_USDT", 101, "0"},
			{"BTC_USDT", 1.5, "0"},
			{"BTC_USDT", 5, "x"},
			{"BTC_USDT", 5, "0.2"},
			{"BTC_USDT", 5, "-0.1"},
			{"BTC_USDT", 5, "0.000000001"},
			{"BTC_USDT", 5, true},
			{"BTC_USDT", 5, "1e-1"},
			{"BTC_USDT", 5, json.Number("1e-9")},
			{"BTC_USDT", 5, "0", true, 1},
			{"BTC_USDT", 5, nil},
		} {
			s.Refused(1, "invalid argument", "depth_request", params...)
			s.Refused(1, "invalid argument", "depth_subscribe", params...)
		}
		s.Refused(1, "invalid argument", "depth_subscribe", "BTC_USDT", 25, "0")
		s.Refused(1, "invalid argument", "depth_subscribe", "BTC_USDT", 5, "0", "true")
		s.Refused(1, "invalid argument", "depth_request", "BTC_USDT", 5, "0", true)
		// What was there before goes on.
		p.order(p.alice, "NEW_USDT", "sell", "1", "13", nil)
		p.order(p.alice, "NEW_USDT", "buy", "1", "11", nil)
		depthSays(t, s, 0, `NEW_USDT false 4 past 2 asks [] bids [[11 1]]`)
		for _, limit := range []int{5, 10, 20, 30, 50, 100} {
			s.Must("depth_subscribe", "NEW_USDT", limit, "0")
			depthSays(t, s, 0, `NEW_USDT true 4 past none asks [[12 2] [13 1]] bids [[11 1]]`)
		}
	})
}

// depthCopy is a book that a client rebuilds. It never cuts anything off.
type depthCopy struct {
	asks, bids map[string]string
	id         uint64
	frames     int
}

func (c *depthCopy) apply(t testing.TB, f *depthFrame, limit int) {
	t.Helper()
	if c.frames++; f.full {
		c.asks, c.bids = map[string]string{}, map[string]string{}
	} else if *f.book.Past != c.id {
		t.Fatalf("%d follows %d, not %d", f.book.ID, *f.book.Past, c.id)
	}
	if f.book.ID <= c.id && c.frames > 1 && !f.full {
		t.Fatalf("update %d after %d", f.book.ID, c.id)
	}
	c.id = f.book.ID
	for _, l := range f.book.Asks {
		if c.asks[l[0]] = l[1]; l[1] == "0" {
			delete(c.asks, l[0])
		}
	}
	for _, l := range f.book.Bids {
		if c.bids[l[0]] = l[1]; l[1] == "0" {
			delete(c.bids, l[0])
		}
	}
	if len(c.asks) > limit || len(c.bids) > limit {
		t.Fatalf("%d asks and %d bids with limit %d", len(c.asks), len(c.bids), limit)
	}
}

// depthSide is a side in order.
func depthSide(side map[string]string, sign int) [][2]string {
	list := [][2]string{}
	for price, amount := range side {
		list = append(list, [2]string{price, amount})
	}
	slices.SortFunc(list, func(a, b [2]string) int {
		return sign * fixed.MustParse(a[0]).Cmp(fixed.MustParse(b[0]))
	})
	return list
}

// A book that nothing happens to is shown again after ten seconds, and no earlier.
func TestSocketDepthOfAQuietMarket(t *testing.T) {
	t.Parallel()
	p := publicOpen(Inside(t, publicWorld(t, "BTC"), nil))
	p.order(p.alice, "BTC_USDT", "sell", "1", "100", nil)
	s := p.Socket()
	began := time.Now()
	s.Must("depth_subscribe", "BTC_USDT", 5, "0", true)
	first := depthSays(t, s, 0, `BTC_USDT true 1 past none asks [[100 1]] bids []`)
	again := depthSays(t, s, 0, `BTC_USDT true 1 past none asks [[100 1]] bids []`)
	if passed := time.Since(began); passed < 10*time.Second || first.book.Timestamp != again.book.Timestamp {
		t.Errorf("after %v: %+v, then %+v", passed, first, again)
	}
	p.order(p.alice, "BTC_USDT", "sell", "2", "100", nil)
	depthSays(t, s, 0, `BTC_USDT false 2 past 1 asks [[100 3]] bids []`)
}

// Many trade at random over REST while others rebuild books from the stream; in the end every copy is
// the book that REST tells.
func TestSocketDepthIsTheBook(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rich := func(name string) Fields { return publicAccount(name, Fields{"USDT": "1000000000", "BTC": "1000000"}) }
	p := publicOpen(Inside(t, publicFile(t, []Fields{publicCoin("USDT"), publicCoin("BTC")},
		[]Fields{publicMarket("BTC_USDT", Fields{"tick_size": "0.01"})},
		rich("alice"), rich("bob"), rich("carol"), rich("dave")), nil))
	market := p.Exchange.API.Directory().Market("BTC_USDT").ID
	views := []struct {
		limit    int
		interval string
		level    int // that REST has for it
	}{{1, "0", 0}, {5, "0", 0}, {100, "0", 0}, {20, "0.1", 1}}
	copies := make([]depthCopy, len(views))
	var last atomic.Uint64 // the version that the book will end with, once that is known
	last.Store(math.MaxUint64)

	var readers, traders sync.WaitGroup
	for i, v := range views {
		s := p.Socket()
		s.Must("depth_subscribe", "BTC_USDT", v.limit, v.interval)
		readers.Go(func() {
			for {
				f := readDepth(t, s.Pushed("depth_update"))
				copies[i].apply(t, &f, v.limit)
				if copies[i].id == last.Load() {
					return
				}
			}
		})
	}
	for worker, name := range []string{"alice", "bob", "carol", "dave"} {
		traders.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(worker)))
			client := p.Client(name, name+"-secret")
			for range 30 {
				orders := make([]Fields, 20)
				for i := range orders {
					side := []string{"buy", "sell"}[random.IntN(2)]
					price := fixed.FromUnits(int64(10_000+random.IntN(400)-200), 2)
					if side == "sell" {
						price = price.Add(fixed.FromUnits(60, 2))
					}
					orders[i] = Fields{
						"market": "BTC_USDT", "side": side, "amount": fixed.FromUnits(int64(1+random.IntN(40))*5, 3).String(),
						"price": price.String(), "ioc": random.IntN(4) == 0,
					}
				}
				if reply := client.Post("/api/v4/order/bulk", Fields{"orders": orders}); reply.Status != 200 {
					t.Errorf("%d %s", reply.Status, reply.Body)
					return
				}
				if random.IntN(25) == 0 {
					client.Post("/api/v4/order/cancel/all", Fields{"market": "BTC_USDT"})
				}
			}
		})
	}
	traders.Wait()
	// The last order changes the best level, so that all windows end with the last version.
	best := publicAt(t, p.json("/api/v4/public/orderbook/BTC_USDT?limit=1"), "bids", 0, 0).(string)
	last.Store(p.Exchange.Data.Version(market) + 1)
	p.order(p.alice, "BTC_USDT", "buy", "1", best, nil)
	readers.Wait()
	for i, v := range views {
		book := p.json(fmt.Sprintf("/api/v4/public/orderbook/BTC_USDT?limit=%d&level=%d", v.limit, v.level))
		asks, _ := json.Marshal(depthSide(copies[i].asks, 1))
		bids, _ := json.Marshal(depthSide(copies[i].bids, -1))
		publicSame(t, publicAt(t, book, "asks"), string(asks))
		publicSame(t, publicAt(t, book, "bids"), string(bids))
		t.Logf("%+v: %d frames up to %d, %d asks and %d bids", v, copies[i].frames, copies[i].id, len(copies[i].asks), len(copies[i].bids))
	}
	if version := p.Exchange.Data.Version(market); version != last.Load() {
		t.Fatalf("the book is at %d, not at %d", version, last.Load())
	}
}
