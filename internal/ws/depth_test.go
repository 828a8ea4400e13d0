package ws

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// shelf is one book that a test changes as it likes.
type shelf struct {
	asks, bids map[int64]int64 // amounts by price in hundredths
	version    uint64
	windows    int // how often a window was made
}

func (s *shelf) Wait(context.Context) error     { return nil }
func (s *shelf) Version(schema.MarketID) uint64 { return s.version }

func (s *shelf) Window(_ schema.MarketID, limit int, width fixed.Decimal) marketdata.Window {
	s.windows++
	step := int64(1)
	if !width.IsZero() {
		step, _ = width.Units(2)
	}
	return marketdata.Window{
		Asks:    front(s.asks, limit, func(price int64) int64 { return (price + step - 1) / step * step }, 1),
		Bids:    front(s.bids, limit, func(price int64) int64 { return price / step * step }, -1),
		Version: s.version, Changed: schema.Time(s.version) * schema.Second,
	}
}

// front sorts and cuts a side in the simplest way.
func front(side map[int64]int64, limit int, gathered func(int64) int64, sign int) []marketdata.Level {
	sums := map[int64]int64{}
	for price, amount := range side {
		sums[gathered(price)] += amount
	}
	var list []marketdata.Level
	for price, amount := range sums {
		list = append(list, marketdata.Level{Price: fixed.FromUnits(price, 2), Amount: fixed.FromInt(amount)})
	}
	slices.SortFunc(list, func(a, b marketdata.Level) int { return a.Price.Cmp(b.Price) * sign })
	return list[:min(limit, len(list))]
}

// set says what a price holds; 0 removes it.
func (s *shelf) set(side map[int64]int64, price, amount int64) {
	s.version++
	if side[price] = amount; amount == 0 {
		delete(side, price)
	}
}

// idle is a connection whose frames nobody writes: they can be looked at.
func idle() *conn { return &conn{server: &Server{}, turn: writing} }

// take is what was queued for a connection, as texts.
func take(t *testing.T, c *conn) (texts []string) {
	t.Helper()
	for _, f := range c.queue {
		frame, err := ws.ReadFrame(bytes.NewReader(f))
		if err != nil || frame.Header.OpCode != ws.OpText {
			t.Fatalf("%x: %v", f, err)
		}
		texts = append(texts, string(frame.Payload))
	}
	c.queue, c.queued = nil, 0
	return texts
}

func openShelf() (*shelf, *depth) {
	s := &shelf{asks: map[int64]int64{}, bids: map[int64]int64{}}
	now := func() schema.Time { return 7_250_000 }
	return s, newDepth(s, now, prometheus.NewCounter(prometheus.CounterOpts{Name: "pushes"}))
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

const (
	depthOpens  = `{"method":"depth_update","params":[`
	depthCloses = `,"event_time":7.250000},"BTC_USDT"],"id":null}`
)

func TestWindowIsKeptExact(t *testing.T) {
	s, d := openShelf()
	s.set(s.asks, 101, 5)
	s.set(s.bids, 99, 4)
	c := idle()
	d.join(c, "BTC_USDT", view{market: 1, limit: 1}, false)
	same(t, take(t, c), depthOpens+`true,{"timestamp":2.000000,"update_id":2,"asks":[["1.01","5"]],"bids":[["0.99","4"]]`+depthCloses)
	now := time.Now()
	// Outside of the window nothing is said, and the next frame chains from the last that was sent.
	s.set(s.asks, 103, 1)
	d.look(now)
	same(t, take(t, c))
	// A better price pushes one out.
	s.set(s.asks, 100, 2)
	d.look(now)
	same(t, take(t, c), depthOpens+`false,{"timestamp":4.000000,"update_id":4,"past_update_id":2,"asks":[["1","2"],["1.01","0"]],"bids":[]`+depthCloses)
	// It leaves, and the other slides in again; what came and went meanwhile is nothing.
	s.set(s.asks, 100, 0)
	s.set(s.bids, 98, 9)
	s.set(s.bids, 98, 0)
	d.look(now)
	same(t, take(t, c), depthOpens+`false,{"timestamp":7.000000,"update_id":7,"past_update_id":4,"asks":[["1","0"],["1.01","5"]],"bids":[]`+depthCloses)
	s.set(s.bids, 99, 0)
	d.look(now)
	d.look(now)
	same(t, take(t, c), depthOpens+`false,{"timestamp":8.000000,"update_id":8,"past_update_id":7,"asks":[],"bids":[["0.99","0"]]`+depthCloses)
}

// TestViewsOfOneWidthShareALook: however many levels they want, their book is gathered once.
func TestViewsOfOneWidthShareALook(t *testing.T) {
	s, d := openShelf()
	var viewers []*conn
	for _, limit := range depthLimits {
		for _, width := range []fixed.Decimal{fixed.Zero, fixed.FromUnits(1, 1)} {
			c := idle()
			d.join(c, "BTC_USDT", view{market: 1, limit: int(limit), width: width}, false)
			take(t, c)
			viewers = append(viewers, c)
		}
	}
	for price := range int64(200) {
		s.set(s.asks, 100+price, 1)
	}
	s.windows = 0
	d.look(time.Now())
	if s.windows != 2 {
		t.Errorf("%d windows were made for two widths", s.windows)
	}
	for i, c := range viewers {
		var push struct{ Params []json.RawMessage }
		var book struct{ Asks [][]string }
		texts := take(t, c)
		if len(texts) != 1 || json.Unmarshal([]byte(texts[0]), &push) != nil || json.Unmarshal(push.Params[1], &book) != nil {
			t.Fatalf("viewer %d: %v", i, texts)
		}
		want := int(depthLimits[i/2])
		if i%2 == 1 {
			want = min(want, 21) // 1, 1.1 … 3
		}
		if len(book.Asks) != want {
			t.Errorf("viewer %d gets %d levels, want %d", i, len(book.Asks), want)
		}
	}
}

func TestQuietBookIsSentAgain(t *testing.T) {
	s, d := openShelf()
	s.set(s.asks, 101, 5)
	c := idle()
	d.join(c, "BTC_USDT", view{market: 1, limit: 1}, false)
	take(t, c)
	begin := d.groups[view{market: 1, limit: 1}].at
	d.look(begin.Add(depthQuiet - 1))
	same(t, take(t, c))
	s.set(s.asks, 200, 1)
	d.look(begin.Add(depthQuiet))
	snapshot := depthOpens + `true,{"timestamp":2.000000,"update_id":2,"asks":[["1.01","5"]],"bids":[]` + depthCloses
	same(t, take(t, c), snapshot)
	d.look(begin.Add(2*depthQuiet - 1))
	same(t, take(t, c))
	// The next change chains from the snapshot and puts the next one off.
	s.set(s.asks, 101, 6)
	d.look(begin.Add(2*depthQuiet - 1))
	same(t, take(t, c), depthOpens+`false,{"timestamp":3.000000,"update_id":3,"past_update_id":2,"asks":[["1.01","6"]],"bids":[]`+depthCloses)
	d.look(begin.Add(2 * depthQuiet))
	same(t, take(t, c))
	d.look(begin.Add(3*depthQuiet - 1))
	same(t, take(t, c), depthOpens+`true,{"timestamp":3.000000,"update_id":3,"asks":[["1.01","6"]],"bids":[]`+depthCloses)
}

func TestViewersShareFrames(t *testing.T) {
	s, d := openShelf()
	s.set(s.asks, 101, 5)
	v := view{market: 1, limit: 5}
	first, second := idle(), idle()
	d.join(first, "BTC_USDT", v, false)
	s.set(s.asks, 102, 1)
	// Who comes between two looks is shown what the other one has.
	d.join(second, "BTC_USDT", v, false)
	same(t, take(t, second), take(t, first)...)
	d.look(time.Now())
	if len(first.queue) != 1 || len(second.queue) != 1 || &first.queue[0][0] != &second.queue[0][0] {
		t.Error("a frame for two was not encoded once")
	}
	same(t, take(t, first), depthOpens+`false,{"timestamp":2.000000,"update_id":2,"past_update_id":1,"asks":[["1.02","1"]],"bids":[]`+depthCloses)
	// Other views are other groups; subscribing again ends the former one.
	take(t, second)
	d.join(second, "BTC_USDT", view{market: 1, limit: 1}, true)
	d.join(second, "ETH_USDT", view{market: 2, limit: 1}, true)
	if len(take(t, second)) != 2 || len(d.groups) != 3 || len(d.conns[second]) != 2 {
		t.Errorf("%d groups, %d subscriptions", len(d.groups), len(d.conns[second]))
	}
	d.join(second, "ETH_USDT", view{market: 2, limit: 5}, false)
	if len(take(t, second)) != 1 || len(d.groups) != 2 || len(d.conns[second]) != 1 {
		t.Errorf("%d groups, %d subscriptions", len(d.groups), len(d.conns[second]))
	}
	d.leave(first)
	d.leave(second)
	d.leave(second)
	if len(d.groups)+len(d.conns) != 0 {
		t.Errorf("left: %v %v", d.groups, d.conns)
	}
}

func TestSlowViewerIsLeftOutAndCaughtUp(t *testing.T) {
	s, d := openShelf()
	s.set(s.asks, 101, 5)
	v := view{market: 1, limit: 5}
	slow, quick := idle(), idle()
	d.join(slow, "BTC_USDT", v, false)
	d.join(quick, "BTC_USDT", v, false)
	take(t, slow)
	take(t, quick)
	slow.send(make([]byte, fallsBehind+1))
	for amount := int64(6); amount < 9; amount++ {
		s.set(s.asks, 101, amount)
		d.look(time.Now())
	}
	if len(slow.queue) != 1 || len(take(t, quick)) != 3 {
		t.Error("a slow viewer was not left out, or a quick one was")
	}
	slow.queue, slow.queued = nil, catchesUp+1
	d.look(time.Now())
	same(t, take(t, slow))
	d.look(time.Now())
	same(t, take(t, slow), depthOpens+`true,{"timestamp":4.000000,"update_id":4,"asks":[["1.01","8"]],"bids":[]`+depthCloses)
	s.set(s.asks, 101, 1)
	d.look(time.Now())
	change := depthOpens + `false,{"timestamp":5.000000,"update_id":5,"past_update_id":4,"asks":[["1.01","1"]],"bids":[]` + depthCloses
	same(t, take(t, slow), change)
	same(t, take(t, quick), change)
	// Who has a backlog when he subscribes is shown the book later.
	slow.send(make([]byte, fallsBehind+1))
	d.join(slow, "BTC_USDT", v, false)
	if len(slow.queue) != 1 {
		t.Error("a slow viewer was shown a book")
	}
}

// replica is a book as a client rebuilds it, which never cuts anything off.
type replica struct {
	asks, bids map[string]string
	id         uint64
	fresh      bool
}

func (r *replica) apply(t *testing.T, text string) {
	t.Helper()
	var frame struct {
		Params [3]json.RawMessage
	}
	var book struct {
		ID         uint64  `json:"update_id"`
		Past       *uint64 `json:"past_update_id"`
		Asks, Bids [][2]string
	}
	if err := json.Unmarshal([]byte(text), &frame); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(frame.Params[1], &book); err != nil {
		t.Fatal(err)
	}
	if string(frame.Params[0]) == "true" {
		*r = replica{map[string]string{}, map[string]string{}, book.ID, true}
	} else if book.Past == nil || *book.Past != r.id || book.ID <= r.id || !r.fresh {
		t.Fatalf("%s does not follow %d", text, r.id)
	}
	r.id = book.ID
	for _, side := range []struct {
		levels [][2]string
		into   map[string]string
	}{{book.Asks, r.asks}, {book.Bids, r.bids}} {
		for _, l := range side.levels {
			if side.into[l[0]] = l[1]; l[1] == "0" {
				delete(side.into, l[0])
			}
		}
	}
}

// Clients with all kinds of views, some of them slow now and then, who come and go: after every look
// a viewer who is not behind holds exactly the window, however the book changes.
func TestReplicasAreTheWindow(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s, d := openShelf()
	type client struct {
		*conn
		view
		replica
	}
	var clients []*client
	now := time.Now()
	for range 1000 {
		if random.IntN(10) == 0 {
			c := &client{conn: idle(), view: view{market: 1, limit: int(depthLimits[random.IntN(4)])}}
			if random.IntN(2) == 0 {
				c.width = fixed.FromUnits(1, 1)
			}
			d.join(c.conn, "BTC_USDT", c.view, false)
			clients = append(clients, c)
		}
		for range random.IntN(6) {
			if random.IntN(2) == 0 {
				s.set(s.asks, int64(1000+random.IntN(60)), int64(random.IntN(3)))
			} else {
				s.set(s.bids, int64(999-random.IntN(60)), int64(random.IntN(3)))
			}
		}
		stuck := map[*client]bool{}
		for _, c := range clients {
			if stuck[c] = random.IntN(5) == 0; stuck[c] {
				c.queued += fallsBehind + 1
			}
		}
		now = now.Add(time.Duration(random.IntN(12)) * time.Second)
		d.look(now)
		for _, c := range clients {
			for _, text := range take(t, c.conn) {
				c.apply(t, text)
			}
			if stuck[c] {
				continue
			}
			w := s.Window(1, c.limit, c.width)
			got, want := fmt.Sprint(c.asks, c.bids), fmt.Sprint(byPrice(w.Asks), byPrice(w.Bids))
			if got != want {
				t.Fatalf("%+v\ngot  %s\nwant %s", c.view, got, want)
			}
		}
		if len(clients) > 12 {
			d.leave(clients[0].conn)
			clients = clients[1:]
		}
	}
}

func byPrice(levels []marketdata.Level) map[string]string {
	m := map[string]string{}
	for _, l := range levels {
		m[l.Price.String()] = l.Amount.String()
	}
	return m
}
