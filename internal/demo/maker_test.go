package demo

import (
	"errors"
	"net/http"
	"slices"
	"testing"
)

// courier carries requests, notes their paths and loses answers on request.
type courier struct {
	paths []string
	lose  func(path string) bool
}

func (c *courier) RoundTrip(r *http.Request) (*http.Response, error) {
	c.paths = append(c.paths, r.URL.Path)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && c.lose != nil && c.lose(r.URL.Path) {
		response.Body.Close()
		return nil, errors.New("lost")
	}
	return response, err
}

// openDesk is a market of a demo whose bots are not at work, for one who plays them by hand.
func openDesk(t *testing.T, h *house, market string) (*stage, *courier) {
	t.Helper()
	stages, c := openDesks(t, h)
	return stages[market], c
}

// openDesks are all markets of such a demo, by name.
func openDesks(t *testing.T, h *house) (map[string]*stage, *courier) {
	t.Helper()
	g, c := newGate(h.place.REST), &courier{}
	g.http.Transport = c
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	var makers []*client
	for _, id := range h.world.makers {
		makers = append(makers, newClient(g, id))
	}
	stages, err := openStages(t.Context(), g, h.world.scenes, makers)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*stage{}
	for _, s := range stages {
		all[s.market.name] = s
	}
	return all, c
}

// TestQuotesJump: however far the price jumps, the old quotes never meet the new ones.
func TestQuotesJump(t *testing.T) {
	h := enter(t, t.TempDir())
	w := watch(t, h, nil)
	s, _ := openDesk(t, h, "PEPE_USDT")
	for i, jump := range []int64{0, 3, -3, 8, -8, 12, -12, 100, -100, 4000, -4000} {
		s.market.mid.Add(jump)
		if err := s.quote(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(h.resting()["PEPE_USDT"]); n != 2*sideLevels {
			t.Errorf("after jump %d there are %d orders", i, n)
		}
	}
	h.stop()
	w.check(t)
}

// TestQuotesThatStayAreLeft: nothing is sent but questions while the price stands still, and what was eaten
// is placed again.
func TestQuotesThatStayAreLeft(t *testing.T) {
	h := enter(t, t.TempDir())
	s, c := openDesk(t, h, "ETH_USDT")
	if err := s.quote(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := h.resting()["ETH_USDT"]
	c.paths = nil
	if err := s.quote(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"/api/v4/orders", "/api/v4/orders"}; !slices.Equal(c.paths, want) {
		t.Errorf("sent %v", c.paths)
	}

	best := h.book("ETH_USDT").Asks[0]
	var bought struct{ DealStock decimal }
	f := fields{"market": "ETH_USDT", "side": buy, "amount": best[1].String(), "price": best[0].String()}
	if h.ask(h.visitor("bob"), "/api/v4/order/new", f, &bought); bought.DealStock != best[1] {
		t.Fatalf("bob got %s of %s", bought.DealStock, best[1])
	}
	if err := s.quote(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, kept := h.resting()["ETH_USDT"], 0
	for id := range after {
		if before[id] {
			kept++
		}
	}
	if len(after) != 2*sideLevels || kept != 2*sideLevels-1 || h.book("ETH_USDT").Asks[0][0] != best[0] {
		t.Errorf("of %d orders %d stayed", len(after), kept)
	}
}

// TestWhoDoesNotKnowTakesBack: after an answer was lost, a maker takes back what it may have before it does
// anything else.
func TestWhoDoesNotKnowTakesBack(t *testing.T) {
	h := enter(t, t.TempDir())
	s, c := openDesk(t, h, "BTC_USDT")
	c.lose = func(path string) bool { return path == "/api/v4/order/bulk" }
	if err := s.quote(t.Context()); !unsure(err) {
		t.Fatalf("%v", err)
	}
	if n := len(h.resting()["BTC_USDT"]); n == 0 {
		t.Fatal("the answer was to be lost, and not the request")
	}
	c.lose, c.paths = nil, nil
	if err := s.quote(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.paths[0] != "/api/v4/order/cancel/all" {
		t.Errorf("it went on with %v", c.paths)
	}
	if n := len(h.resting()["BTC_USDT"]); n != 2*sideLevels {
		t.Errorf("there are %d orders", n)
	}
}

// TestVisitorInTheWay: levels behind a visitor's order are left out, and the others are quoted.
func TestVisitorInTheWay(t *testing.T) {
	h := enter(t, t.TempDir())
	s, _ := openDesk(t, h, "BTC_USDT")
	// Bids above bob would take from him: two, as far as the grid lies from the price.
	mid, grid := s.market.mid.Load(), s.market.grid
	f := fields{"market": "BTC_USDT", "side": sell, "amount": "0.005", "price": s.market.price(floor(mid-s.market.gap, grid) - grid - 1).String()}
	var order struct{ Status string }
	if h.ask(h.visitor("bob"), "/api/v4/order/new", f, &order); order.Status != "OPEN" {
		t.Fatal(order.Status)
	}
	if err := s.quote(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := h.book("BTC_USDT")
	if n := len(h.resting()["BTC_USDT"]); n != 2*sideLevels-2 || b.Bids[0][0].Cmp(b.Asks[0][0].Decimal) >= 0 {
		t.Errorf("%d orders, bid %s and ask %s", n, b.Bids[0][0], b.Asks[0][0])
	}
}
