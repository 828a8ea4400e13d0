package demo

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// spreadMin is what a visitor may rely on, in ticks.
const spreadMin = 8

// watcher sees every book after every single command, and every deal.
type watcher struct {
	mu       sync.Mutex
	at       uint64 // how far it has seen
	names    map[schema.AccountID]string
	markets  map[schema.MarketID]*watched
	strange  []string // what must not happen
	visiting bool     // visitors are about; the spread is theirs as well
}

// watched is what was seen of a market.
type watched struct {
	name       string
	tick       fixed.Decimal
	sides      map[schema.Side]map[int64]bool
	versions   int
	deals      int
	low, high  int64 // of the deals, in ticks
	takers     map[string]int
	spreadLast int64
}

// watch follows a house until it stops. Its books must be empty, or known from before.
func watch(t *testing.T, h *house, before *watcher) *watcher {
	t.Helper()
	w := &watcher{names: map[schema.AccountID]string{}, markets: map[schema.MarketID]*watched{}}
	h.Node.Read(func(m core.View) {
		for _, a := range m.Accounts().All() {
			w.names[a.ID] = a.Name
		}
		for _, info := range m.Listing().Markets() {
			seen := &watched{name: info.Name, tick: info.TickSize, low: math.MaxInt64, takers: map[string]int{}}
			seen.sides = map[schema.Side]map[int64]bool{schema.Buy: {}, schema.Sell: {}}
			if before != nil {
				seen.sides = before.markets[info.ID].sides
			}
			w.markets[info.ID] = seen
		}
	})
	w.at = h.Node.Applied()
	reader := h.Node.Reader(w.at)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for {
			step, err := reader.Next(ctx)
			if err != nil {
				return
			}
			for i := range step.Commands {
				w.mu.Lock()
				for _, e := range step.Events(&step.Commands[i]) {
					w.see(e)
				}
				w.judge()
				w.mu.Unlock()
			}
			w.mu.Lock()
			w.at = step.Seq
			w.mu.Unlock()
		}
	})
	h.stops = append(h.stops, func() {
		last := h.Node.Applied()
		eventually(t, soon, "seen by the watcher", func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.at >= last
		})
		cancel()
		done.Wait()
	})
	return w
}

func (w *watcher) see(e schema.Event) {
	switch e := e.(type) {
	case *schema.LevelChanged:
		m := w.markets[e.Market]
		m.versions++
		at := count(e.Price, m.tick, fixed.Down)
		if e.Amount.IsZero() {
			delete(m.sides[e.Side], at)
		} else {
			m.sides[e.Side][at] = true
		}
	case *schema.Deal:
		m := w.markets[e.Market]
		m.deals++
		at := count(e.Price, m.tick, fixed.Down)
		m.low, m.high = min(m.low, at), max(m.high, at)
		maker, taker := w.names[e.Maker.Account], w.names[e.Taker.Account]
		m.takers[taker]++
		if maker == taker || strings.HasPrefix(taker, makerPrefix) || strings.HasPrefix(maker, noisePrefix) {
			w.strange = append(w.strange, fmt.Sprintf("%s took from %s on %s", taker, maker, m.name))
		}
	}
}

// best are the best prices of both sides, in ticks.
func (m *watched) best() (bid, ask int64, both bool) {
	ask = math.MaxInt64
	for at := range m.sides[schema.Buy] {
		bid = max(bid, at)
	}
	for at := range m.sides[schema.Sell] {
		ask = min(ask, at)
	}
	return bid, ask, bid > 0 && ask < math.MaxInt64
}

func (w *watcher) judge() {
	for _, m := range w.markets {
		bid, ask, both := m.best()
		if !both {
			continue
		}
		if m.spreadLast = ask - bid; m.spreadLast < spreadMin && !w.visiting {
			w.strange = append(w.strange, fmt.Sprintf("%s: bid %d, ask %d", m.name, bid, ask))
		}
	}
}

// every reports whether something is so on every market.
func (w *watcher) every(so func(*watched) bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.markets {
		if !so(m) {
			return false
		}
	}
	return true
}

// check fails if anything happened that must not.
func (w *watcher) check(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, what := range w.strange {
		t.Error(what)
	}
}
