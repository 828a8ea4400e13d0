package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/marketdata"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// house is a demo that runs inside the test, behind a real listener.
type house struct {
	*exchange.Exchange
	world *World
	place Place
	gate  *gate
	log   *words

	t     *testing.T
	dir   string
	stops []func()
	done  sync.WaitGroup
}

// words is a log that can be read while it is written.
type words struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *words) lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for line := range bytes.Lines(w.text.Bytes()) {
		all = append(all, string(line))
	}
	return all
}

// enter opens the exchange in a directory and prepares the demo there, with a past of nothing, because a month of
// it costs more than most tests. No bot is at work yet.
func enter(t *testing.T, dir string) *house {
	t.Helper()
	if there, err := marketdata.Seeded(dir); err != nil {
		t.Fatal(err)
	} else if !there {
		if err := new(marketdata.Seed).Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	return enterWithPast(t, dir)
}

// enterWithPast is enter with the month that a demo has behind it.
func enterWithPast(t *testing.T, dir string) *house {
	t.Helper()
	o := exchange.Options{Region: schema.Global, Sandbox: true}
	o.Node.Journal = journal.Options{Dir: dir, SyncInterval: time.Minute} // nobody cuts its power
	o.Node.TickInterval = 100 * time.Millisecond
	conform.Keys(t, dir)
	h := &house{t: t, dir: dir, log: &words{}}
	o.Prepare = func(ctx context.Context, n *node.Node) (err error) {
		h.world, err = Prepare(ctx, n, dir)
		return err
	}
	x, err := exchange.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	h.Exchange = x
	t.Cleanup(h.leave)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.done.Go(func() { _ = x.Serve(ln) })
	h.place = Place{REST: "http://" + ln.Addr().String(), WS: "ws://" + ln.Addr().String() + "/ws", Operator: "http://127.0.0.1:1", Token: "secret"}
	h.gate = newGate(h.place.REST)
	if err := h.world.Save(h.place); err != nil {
		t.Fatal(err)
	}
	return h
}

// animate lets the bots work through an address of the exchange.
func (h *house) animate(rest string) {
	ctx, cancel := context.WithCancel(context.Background())
	var bots sync.WaitGroup
	bots.Go(func() {
		if err := h.world.Trade(ctx, rest, slog.New(slog.NewTextHandler(h.log, nil))); err != nil {
			h.t.Error(err)
		}
	})
	h.stops = append(h.stops, func() {
		cancel()
		bots.Wait()
	})
}

// stop ends what was begun, the last first.
func (h *house) stop() {
	for _, stop := range slices.Backward(h.stops) {
		stop()
	}
	h.stops = nil
}

// live lets the bots work and watches them, on from what was seen before.
func (h *house) live(before *watcher) *watcher {
	h.t.Helper()
	w := watch(h.t, h, before)
	h.animate(h.place.REST)
	return w
}

// leave closes everything.
func (h *house) leave() {
	if h.Exchange == nil {
		return
	}
	h.stop()
	h.gate.http.CloseIdleConnections()
	if err := h.Close(); err != nil {
		h.t.Error(err)
	}
	h.done.Wait()
	h.Exchange = nil
}

// saved is what demo.json holds.
func (h *house) saved() (r record) {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, fileName))
	if err != nil {
		h.t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		h.t.Fatal(err)
	}
	return r
}

// visitor is a client with a key of demo.json.
func (h *house) visitor(name string) *client {
	h.t.Helper()
	for _, id := range h.saved().Accounts {
		if id.Name == name {
			return newClient(h.gate, id)
		}
	}
	h.t.Fatalf("%s is not in %s", name, fileName)
	return nil
}

// ask sends a signed request that has to succeed.
func (h *house) ask(c *client, path string, f fields, into any) {
	h.t.Helper()
	if err := c.post(h.t.Context(), path, f, into); err != nil {
		h.t.Fatal(err)
	}
}

// get asks for something public.
func (h *house) get(path string, into any) {
	h.t.Helper()
	if err := h.gate.get(h.t.Context(), path, into); err != nil {
		h.t.Fatal(err)
	}
}

// book is a book as the API tells it.
type book struct {
	Asks [][2]decimal `json:"asks"`
	Bids [][2]decimal `json:"bids"`
}

func (h *house) book(market string) (b book) {
	h.t.Helper()
	h.get("/api/v4/public/orderbook/"+market, &b)
	return b
}

// eventually waits until something is so.
func eventually(t *testing.T, within time.Duration, what string, so func() bool) {
	t.Helper()
	deadline, ticker := time.After(within), time.NewTicker(20*time.Millisecond)
	defer ticker.Stop()
	for !so() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("after %v: not %s", within, what)
		}
	}
}

// soon is far more than anything takes here; a machine may be busy.
const soon = 60 * time.Second

func dec(s string) fixed.Decimal { return fixed.MustParse(s) }
