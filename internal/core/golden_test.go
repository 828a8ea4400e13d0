package core

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

var rewrite = flag.Bool("rewrite", false, "write the golden log and its hashes")

const (
	goldenLog    = "testdata/golden.log"
	goldenHashes = "testdata/golden.txt"
	goldenEvery  = 500
	goldenLength = 3000
)

// TestGoldenLog replays a log that was written once: the same commands must give the same state and
// the same events on every machine and in every later version. The hash of the state never changes,
// because old journals must replay as they did. Events may gain a form that says the same with less;
// then -rewrite writes the hashes again.
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

// replay lets a log happen and returns, every so many commands, how many were refused, the hash of
// the state and that of all events so far.
func replay(t *testing.T, log []byte) string {
	t.Helper()
	m := New()
	var lines strings.Builder
	refused := 0
	events := sha256.New()
	for n := 1; len(log) > 0; n++ {
		e, rest, err := schema.NextEnvelope(log)
		if err != nil {
			t.Fatalf("command %d: %v", n, err)
		}
		log = rest
		out := m.Apply(e.Time, e.Command)
		if out.Result.Rejection.Refused() {
			refused++
		}
		for event := range out.Events.All() {
			fmt.Fprintf(events, "%T %s\n", event, wire.AppendJSON(nil, event))
		}
		if n%goldenEvery == 0 {
			counters := m.Trading().Counters()
			fmt.Fprintf(&lines, "%d commands, %d refused, %d orders, %d deals: state %x, events %x\n", n, refused, counters.Order, counters.Deal, m.Hash(), events.Sum(nil))
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
