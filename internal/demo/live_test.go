package demo

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// alive reports whether every market has a full book and so many deals.
func alive(deals int) func(*watched) bool {
	return func(m *watched) bool {
		_, _, both := m.best()
		return both && m.deals >= deals
	}
}

func TestBooksLive(t *testing.T) {
	h := enter(t, t.TempDir())
	w := h.live(nil)
	eventually(t, soon, "a trade on every market, at several prices, by both noise traders", func() bool {
		return w.every(func(m *watched) bool {
			return alive(5)(m) && m.versions > 100 && m.low < m.high && m.takers["noise-one"] > 0 && m.takers["noise-two"] > 0
		})
	})
	for _, s := range scenes {
		b := h.book(s.name)
		if len(b.Asks) < tierLevels || len(b.Bids) < tierLevels {
			t.Errorf("%s has %d asks and %d bids", s.name, len(b.Asks), len(b.Bids))
		}
		var trades []struct{ Price decimal }
		if h.get("/api/v4/public/trades/"+s.name, &trades); len(trades) < 5 {
			t.Errorf("%s has %d public trades", s.name, len(trades))
		}
		for _, interval := range []string{"1m", "1h", "1d", "1w", "1M"} {
			var candles struct{ Result [][]any }
			if h.get("/api/v1/public/kline?market="+s.name+"&interval="+interval, &candles); len(candles.Result) == 0 {
				t.Errorf("%s has no candles of %s", s.name, interval)
			}
		}
	}
	w.check(t)
	if lines := h.log.lines(); len(lines) > 0 {
		t.Errorf("the bots complained: %s", strings.Join(lines, ""))
	}
}

// TestCrossFollows: the price of ether in bitcoin is that of ether over that of bitcoin, give or take the grids.
func TestCrossFollows(t *testing.T) {
	btc := newMarket(scenes[0], &rules{TickSize: decimal{dec("0.01")}, StepSize: decimal{dec("0.000001")}})
	eth := newMarket(scenes[1], &rules{TickSize: decimal{dec("0.01")}, StepSize: decimal{dec("0.0001")}})
	cross := newMarket(scenes[2], &rules{TickSize: decimal{dec("0.000001")}, StepSize: decimal{dec("0.001")}})
	s := &stage{desk: newDesk(cross, nil, newChance()), legs: [2]*market{eth, btc}}
	btc.mid.Store(10_000_000)
	eth.mid.Store(345_678)
	if s.move(); cross.value() != dec("0.034567") { // 3456.78 / 100000, rounded down
		t.Errorf("%s", cross.value())
	}
}

// TestVisitorInsideTheSpread: an order between the makers rests, is left alone, and is served by
// the noise.
func TestVisitorInsideTheSpread(t *testing.T) {
	h := enter(t, t.TempDir())
	w := watch(t, h, nil)
	w.visiting = true
	h.animate(h.place.REST)
	alice := h.visitor("alice")
	eventually(t, soon, "a book", func() bool { return w.every(alive(0)) })

	type order struct {
		ID     int64 `json:"orderId"`
		Status string
		Price  decimal
	}
	var placed order
	// inside is a price four ticks better than the best bid of the makers.
	inside := func() fixed.Decimal {
		own := place{buy, placed.Price.Decimal}
		for _, level := range h.book("BTC_USDT").Bids {
			if level[0].Decimal != own.price {
				return level[0].Add(dec("0.04"))
			}
		}
		t.Fatal("there are no bids")
		return fixed.Zero
	}
	// The price walks: a visitor who is left behind goes after it.
	eventually(t, soon, "filled", func() bool {
		var open []order
		h.ask(alice, "/api/v4/orders", fields{"market": "BTC_USDT"}, &open)
		if placed.ID != 0 && len(open) == 0 {
			return true
		}
		path, f := "/api/v4/order/new", fields{"market": "BTC_USDT", "price": inside().String(), "amount": "0.005"}
		switch {
		case len(open) == 0:
			f["side"], f["postOnly"] = "buy", true
		case inside().Cmp(placed.Price.Decimal) <= 0:
			return false
		default:
			path, f["orderId"] = "/api/v4/order/modify", placed.ID
		}
		var next order
		err := alice.post(t.Context(), path, f, &next)
		var no *refused
		if errors.As(err, &no) { // the book moved on while she looked, or her order was just filled
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		if placed.ID == 0 && next.Status != "OPEN" {
			t.Errorf("inside the spread it is %s", next.Status)
		}
		placed = next
		return false
	})
	var deals []struct {
		Role   int
		Amount string
	}
	h.ask(alice, "/api/v4/trade-account/executed-history", fields{"market": "BTC_USDT"}, &deals)
	if len(deals) != 1 || deals[0].Role != 1 || deals[0].Amount != "0.005" {
		t.Errorf("her deals: %+v", deals)
	}
	w.check(t)
}

// TestContinues: a second start finds the orders and the price of the first, whatever price the
// demo would begin with.
func TestContinues(t *testing.T) {
	dir := t.TempDir()
	h := enter(t, dir)
	w := h.live(nil)
	eventually(t, soon, "alive", func() bool { return w.every(alive(4)) })
	h.stop()
	w.check(t)
	before := h.resting()
	h.leave()

	first := scenes
	defer func() { scenes = first }()
	scenes = slices.Clone(scenes)
	for i := range scenes {
		if scenes[i].future { // its price is that of its asset; only the grid would be another
			continue
		}
		scenes[i].start = times(scenes[i].start, 3)
		scenes[i].start, _ = fixed.Div(scenes[i].start, dec("2"), fixed.Places, fixed.Down)
	}
	h = enter(t, dir)
	again := h.live(w)
	eventually(t, soon, "alive again", func() bool { return again.every(alive(4)) })
	h.stop()
	again.check(t)

	after := h.resting()
	for _, s := range scenes {
		kept := 0
		for id := range after[s.name] {
			if before[s.name][id] {
				kept++
			}
		}
		if kept < tierLevels/2 { // the price has moved on; far from it little changes
			t.Errorf("%s: of %d orders %d are still there", s.name, len(before[s.name]), kept)
		}
		if n := len(after[s.name]); n > 2*sideLevels {
			t.Errorf("%s has %d orders of makers", s.name, n)
		}
	}
	for id, m := range again.markets {
		was := w.markets[id]
		if m.low < was.low*98/100 || m.high > was.high*102/100 {
			t.Errorf("%s traded at %d to %d ticks, and then at %d to %d", m.name, was.low, was.high, m.low, m.high)
		}
	}
}

// resting are the ids of the makers' orders, by market, all of one moment.
func (h *house) resting() map[string]map[schema.OrderID]bool {
	all := map[string]map[schema.OrderID]bool{}
	h.Node.Read(func(m core.View) {
		for _, info := range m.Listing().Markets() {
			all[info.Name] = map[schema.OrderID]bool{}
			for _, maker := range h.world.makers {
				for _, o := range m.Trading().Newest(m.Accounts().ByName(maker.Name).ID, info.ID, 0, 10*pageSize) {
					all[info.Name][o.ID] = true
				}
			}
		}
	})
	return all
}

// exposure is the largest position of a maker on each future, in units of the market.
func (h *house) exposure() map[string]int64 {
	all := map[string]int64{}
	h.Node.Read(func(m core.View) {
		for _, maker := range h.world.makers {
			for _, p := range m.Collateral().Positions(m.Accounts().ByName(maker.Name).ID) {
				s := scenes[h.world.scene(m.Listing().Market(p.Market).Name)]
				all[s.name] = max(all[s.name], count(p.Amount.Abs(), s.unit, fixed.Down))
			}
		}
	})
	return all
}
