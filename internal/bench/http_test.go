package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"testing"

	"bourse/internal/argon"
)

// TestMain lets the test program be the generator of load and the exchange that is killed, as the real one is with
// its hidden commands.
func TestMain(m *testing.M) {
	children := map[string]func() error{
		LoadCommand:   func() error { return Load(os.Stdin, os.Stdout) },
		argon.Command: func() error { return argon.Serve(os.Stdin, os.Stdout) },
		FillCommand: func() error {
			orders, err := strconv.Atoi(os.Args[3])
			if err != nil {
				return err
			}
			return Fill(os.Args[2], orders, os.Stdin, os.Stdout)
		},
	}
	if len(os.Args) > 1 && children[os.Args[1]] != nil {
		if err := children[os.Args[1]](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// The race detector makes every program wait for a second before it ends; there are many.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

// TestHTTPFiguresInSmall makes every figure of HTTP once, on one small exchange.
func TestHTTPFiguresInSmall(t *testing.T) {
	small := httpSize{connections: []int{2, 4}, markets: 3, rounds: 1, seconds: 0.02, requests: 80, bulkCount: 8}
	r := &report{progress: io.Discard}
	err := small.run(r, func(h *httpRun) error {
		for _, figures := range []func() error{h.orders, h.cancels, h.bulks, h.reads, h.addresses} {
			if err := figures(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	made(t, r, "http.null.2", "http.order.durable.2", "http.null.4", "http.order.durable.4", "http.order.halfpeak", "http.order.history_lag",
		"http.cancel", "http.bulk20", "http.depth", "http.ticker", "wallet.addresses")
}

// made checks that figures are there and say something.
func made(t *testing.T, r *report, names ...string) {
	t.Helper()
	for _, want := range names {
		i := slices.IndexFunc(r.results, func(r Result) bool { return r.Name == want })
		if i < 0 {
			t.Errorf("%s is missing", want)
		} else if got := r.results[i]; got.Unit != "batches" && (got.Value <= 0 || got.Unit != "bytes" && got.P99 <= 0) {
			t.Errorf("%+v", got)
		}
	}
}

// TestSocketFiguresInSmall makes every figure of the WebSocket once.
func TestSocketFiguresInSmall(t *testing.T) {
	small := socketSize{
		base:        httpSize{connections: []int{16}, markets: 3, rounds: 1, seconds: 0.02, requests: 80, perLevel: 1},
		connections: []int{1, 2}, inFlight: 4, requests: 80, watchers: []int{5}, seconds: 0.5, rounds: 1, idle: 200, orderRate: 200, pushes: 100,
	}
	r := &report{progress: io.Discard}
	err := small.run(r, func(s *socketRun) error { return errors.Join(s.orders(), s.memory(), s.fanout(5)) })
	if err != nil {
		t.Fatal(err)
	}
	made(t, r, "ws.null", "ws.order.durable.1", "ws.order.durable.2", "ws.idle.bytes", "ws.fanout.5", "ws.fanout.5.order", "ws.fanout.5.peak")
}

// TestLoadTellsWhatWentWrong: a request that is refused makes no figure.
func TestLoadTellsWhatWentWrong(t *testing.T) {
	constant, err := startNull(10)
	if err != nil {
		t.Fatal(err)
	}
	defer constant.stop()
	for _, rate := range []float64{0, 1000} {
		p := loadPlan{Address: constant.address, Connections: 2, Seconds: 1, Forbidden: "11", Rate: rate}
		request := get("/")
		_, err := drive(p, func(int) *stream { return &stream{Bytes: request, Ends: []int{len(request)}} })
		if err == nil {
			t.Errorf("rate %v: an answer with what is forbidden is taken for a good one", rate)
		}
	}
}
