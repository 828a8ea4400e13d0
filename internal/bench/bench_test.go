package bench

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"bourse/internal/bench/peer"
)

// TestVenuesDoThePeersWork runs a part of the stream on the book alone and on the whole core:
// both must trade exactly what the peer's rules make it trade.
func TestVenuesDoThePeersWork(t *testing.T) {
	commands, want := peer.Stream(0, peerSeed, peerUsers, peerTarget, 100_000)
	whole := newWholeVenue()
	for name, v := range map[string]venue{"book": newBookVenue(), "whole": whole} {
		for i := range commands {
			v.apply(&commands[i])
		}
		if got := v.totals(); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if err := whole.machine.Verify(); err != nil {
		t.Error(err)
	}
}

// TestTrafficIsReproducible: the same seed makes the same life, and replaying it gives the same
// state.
func TestTrafficIsReproducible(t *testing.T) {
	var hashes [][32]byte
	for range 2 {
		all, warm, err := newTraffic(3).record(2000, 5000)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != warm+5000 {
			t.Fatalf("%d commands after %d", len(all), warm)
		}
		m, err := replay(all)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Verify(); err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, m.Hash())
	}
	if hashes[0] != hashes[1] {
		t.Error("two runs differ")
	}
}

// TestHotCommandsAllocateNothing is the rule that core.allocs measures.
func TestHotCommandsAllocateNothing(t *testing.T) {
	results, err := Run("core.allocs", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Value > 0.001 {
		t.Errorf("%v allocations per command", results[0].Value)
	}
}

func TestUnknownPrefix(t *testing.T) {
	_, err := Run("nonsense", io.Discard)
	if err == nil || !strings.Contains(err.Error(), "core.book.peer_stream") {
		t.Errorf("the error does not say what there is: %v", err)
	}
	for _, name := range []string{"core.book.peer_stream", "core.whole.peer_stream", "core.mixed", "core.resting_order.bytes", "core.allocs", "core.snapshot", "core.restore"} {
		if !slices.Contains(Names(), name) {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestJSONLeavesOutWhatIsAbsent(t *testing.T) {
	var out bytes.Buffer
	err := WriteJSON(&out, []Result{{Name: "a", Value: 2, Unit: "s"}, {Name: "b", Value: 1, Unit: "s", P50: 3, Ratio: 0.5, RatioTo: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(got[0]) != 3 || got[1]["p50_us"] != 3.0 || got[1]["ratio_to"] != "a" {
		t.Errorf("got %v", got)
	}
}

func TestPercentiles(t *testing.T) {
	var l Latency
	for i := range 1000 {
		l.Add(time.Duration(i+1) * time.Microsecond)
	}
	for part, want := range map[float64]float64{0.5: 500, 0.99: 990, 0.999: 999} {
		// Buckets are 1/16 wide.
		if got := l.Percentile(part); got < want || got > want*17/16+1 {
			t.Errorf("p%v is %v instead of %v", part*100, got, want)
		}
	}
}

// TestSparseBooksAreMeasured makes the figures of small books: every order placed and cancelled.
func TestSparseBooksAreMeasured(t *testing.T) {
	var r report
	placed, cancelled := 0, 0
	z := size{"few", 50}
	err := sparse(&r, "some", z, func() (func(int, int64), func(int)) {
		return func(i int, price int64) {
			if price%sparseGap != 0 || price < sparseGap || price > int64(z.count)*sparseGap {
				t.Errorf("order %d has price %d", i, price)
			}
			placed++
		}, func(int) { cancelled++ }
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, result := range r.results {
		names = append(names, result.Name)
		if result.Value <= 0 || result.Value > 1e9 || result.Max < 0 || result.Max > 1e9 || result.Unit != "ns/order" {
			t.Errorf("%+v", result)
		}
	}
	if !slices.Equal(names, []string{"some.rising.few", "some.falling.few", "some.cancel.few"}) {
		t.Errorf("figures %v", names)
	}
	if want := 2 * worstRounds * z.count; placed != 3*want || cancelled != want {
		t.Errorf("%d orders placed and %d cancelled, want %d and %d", placed, cancelled, 3*want, want)
	}
}
