package demo

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"
)

// soakTime is how long the demo is watched; BOURSE_SOAK=1h is what `make soak` does.
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("BOURSE_SOAK")
	if text == "" {
		return 40 * time.Second // longer than a market may be without a trade
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// heap is what is in use after everything unused was thrown away: the least of some looks, because market data
// that are being saved are there twice for a moment.
func heap(ticks <-chan time.Time) uint64 {
	least := ^uint64(0)
	for range 5 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		least = min(least, m.HeapAlloc)
		<-ticks
	}
	return least
}

// What may come and go. The exchange keeps the last steps for its readers (5 MB after some minutes), the block
// of the log that is being written (up to 8 MB), and recent trades and candles (1 MB in an hour). Connections
// that are idle are closed and opened again, guests come and go.
const (
	heapSlack      = 16 << 20
	goroutineSlack = 20
)

// TestDemoStaysAlive watches the demo for a while: every market has both sides and a trade of the last half
// minute all the time, the makers' orders and positions do not pile up, subscribers miss nothing, and neither memory
// nor goroutines grow.
func TestDemoStaysAlive(t *testing.T) {
	const (
		stale    = 30 * time.Second
		unitsMax = 800 // noise wants 400 at most, a gambler bets 130; makers share that, give or take what lies between them
	)
	length := soakTime(t)
	h := enterWithPast(t, t.TempDir())
	w := h.live(nil)
	eventually(t, soon, "alive", func() bool { return w.every(alive(1)) })
	ctx, send := context.WithCancel(t.Context())
	guests := invite(ctx, t, h.place.WS)

	deals, traded := map[string]int{}, map[string]time.Time{}
	look := func(now time.Time) {
		w.every(func(m *watched) bool {
			if m.deals > deals[m.name] || traded[m.name].IsZero() {
				deals[m.name], traded[m.name] = m.deals, now
			}
			if now.Sub(traded[m.name]) > stale {
				t.Errorf("%s had its last trade at %v", m.name, traded[m.name])
			}
			if _, _, both := m.best(); !both {
				t.Errorf("%s has only one side", m.name)
			}
			return true
		})
		for name, orders := range h.resting() {
			if len(orders) > 2*sideLevels {
				t.Errorf("%s has %d orders of makers", name, len(orders))
			}
		}
		for name, units := range h.exposure() {
			if units > unitsMax {
				t.Errorf("a maker holds %d units of %s", units, name)
			}
		}
	}
	var first uint64
	var goroutines int
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for begin := time.Now(); time.Since(begin) < length && !t.Failed(); {
		look(<-ticker.C)
		if first == 0 && time.Since(begin) > length/3 {
			first, goroutines = heap(ticker.C), runtime.NumGoroutine()
		}
	}
	last, running := heap(ticker.C), runtime.NumGoroutine()
	send()
	guests.check()
	t.Logf("%d goroutines, then %d; %d KB, then %d KB; deals %v", goroutines, running, first>>10, last>>10, deals)
	if last > first+heapSlack {
		t.Errorf("the heap grew from %d KB to %d KB", first>>10, last>>10)
	}
	if running > goroutines+goroutineSlack {
		t.Errorf("%d goroutines became %d", goroutines, running)
	}
	w.check(t)
	if lines := h.log.lines(); len(lines) > 0 {
		t.Errorf("the bots complained: %q", lines)
	}
}
