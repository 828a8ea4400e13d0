package core

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"bourse/internal/schema"
)

var rewrite = flag.Bool("rewrite", false, "write the golden log and its hashes anew")

const (
	goldenLog    = "testdata/golden.log"
	goldenHashes = "testdata/golden.txt"
	goldenEvery  = 500
	goldenLength = 3000
)

// TestGoldenLog replays a log that was written once: the same commands must give the same state
// on every machine and in every later version. When a rule or the form of snapshots changes on
// purpose, the hashes change, and with them how old journals replay; -rewrite writes them anew.
func TestGoldenLog(t *testing.T) {
	if *rewrite {
		writeGolden(t)
	}
	log, err := os.ReadFile(goldenLog)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(goldenHashes)
	if err != nil {
		t.Fatal(err)
	}
	if got := replay(t, log); got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// replay lets a log happen and returns, every so many commands, how many were refused and the
// hash of the state.
func replay(t *testing.T, log []byte) string {
	t.Helper()
	m := New()
	var lines strings.Builder
	refused := 0
	for n := 1; len(log) > 0; n++ {
		e, rest, err := schema.NextEnvelope(log)
		if err != nil {
			t.Fatalf("command %d: %v", n, err)
		}
		log = rest
		if m.Apply(e.Time, e.Command).Result.Rejection.Refused() {
			refused++
		}
		if n%goldenEvery == 0 {
			counters := m.Trading().Counters()
			fmt.Fprintf(&lines, "%d commands, %d refused, %d orders, %d deals: %x\n", n, refused, counters.Order, counters.Deal, m.Hash())
		}
	}
	if err := m.Verify(); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

func writeGolden(t *testing.T) {
	t.Helper()
	log := goldenCommands()
	if err := os.WriteFile(goldenLog, log, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenHashes, []byte(replay(t, log)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// goldenCommands makes the log. It runs only to write it.
func goldenCommands() []byte {
	g := &goldenWorld{dice: 20260918, now: start, machine: New()}
	for _, c := range genesis() {
		g.send(c)
	}
	for g.count < goldenLength {
		g.now += schema.Time(g.roll(160 * int(schema.Second)))
		g.send(g.command())
	}
	return g.log
}
