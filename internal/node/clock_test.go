package node

import (
	"errors"
	"strings"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/schema"
)

func TestClock(t *testing.T) {
	const s = schema.Second
	// A reading of the time of day, the monotonic clock and the log, and the time that a batch gets; 0:
	// none.
	type reading struct{ wall, elapsed, log, want schema.Time }
	for name, c := range map[string]struct {
		wall, log schema.Time // at the start
		accept    bool
		refused   bool
		readings  []reading
	}{
		"agree":                   {wall: 1000 * s, readings: []reading{{1001 * s, 1 * s, 0, 1001 * s}, {1002 * s, 2 * s, 1001 * s, 1002 * s}}},
		"small steps":             {wall: 1000 * s, readings: []reading{{1001*s + s/5, 1 * s, 0, 1001*s + s/5}, {1002 * s, 2 * s, 0, 1002 * s}}},
		"a jump ahead is slewed":  {wall: 1000 * s, readings: []reading{{1031 * s, 1 * s, 0, 1001*s + s/20}, {1051 * s, 21 * s, 0, 1022*s + s/20}}},
		"a jump back is slewed":   {wall: 1000 * s, readings: []reading{{971 * s, 1 * s, 0, 1001*s - s/20}}},
		"slewing ends":            {wall: 1000 * s, readings: []reading{{1002 * s, 1 * s, 0, 1001*s + s/20}, {1101 * s, 100 * s, 0, 1101 * s}}},
		"an hour ahead":           {wall: 1000 * s, readings: []reading{{4601 * s, 1 * s, 0, 0}, {1002 * s, 2 * s, 0, 1002 * s}}},
		"an hour back":            {wall: 5000 * s, readings: []reading{{1401 * s, 1 * s, 0, 0}, {5002 * s, 2 * s, 0, 5002 * s}}},
		"the log a little ahead":  {wall: 1000 * s, log: 1030 * s, readings: []reading{{1020 * s, 20 * s, 1030 * s, 1049 * s}}},
		"the log far ahead":       {wall: 1000 * s, log: 4600 * s, refused: true},
		"accepted":                {wall: 1000 * s, log: 4600 * s, accept: true, readings: []reading{{1020 * s, 20 * s, 4600 * s, 4619 * s}}},
		"accepted and set right":  {wall: 1000 * s, log: 4600 * s, accept: true, readings: []reading{{4620 * s, 20 * s, 4600 * s, 4620 * s}}},
		"accepted, then back":     {wall: 1000 * s, log: 4600 * s, accept: true, readings: []reading{{4620 * s, 20 * s, 4600 * s, 4620 * s}, {1040 * s, 40 * s, 4620 * s, 0}}},
		"another node is faster":  {wall: 1000 * s, readings: []reading{{1020 * s, 20 * s, 1050 * s, 1049 * s}, {1040 * s, 40 * s, 1050 * s, 1068 * s}}},
		"another node far ahead":  {wall: 1000 * s, readings: []reading{{1020 * s, 20 * s, 4600 * s, 0}}},
		"a long night is no jump": {wall: 1000 * s, readings: []reading{{40_000 * s, 39_000 * s, 1000 * s, 40_000 * s}}},
		"late to the log by days": {wall: 500_000 * s, log: 1000 * s, readings: []reading{{500_001 * s, 1 * s, 1000 * s, 500_001 * s}}},
	} {
		k := clock{bound: 60 * s}
		if err := k.start(c.wall, 0, c.log, c.accept); errors.Is(err, ErrClock) != c.refused {
			t.Errorf("%s: starts with %v", name, err)
		}
		for i, r := range c.readings {
			got, err := k.read(r.wall, r.elapsed, r.log)
			if got != r.want || errors.Is(err, ErrClock) != (r.want == 0) {
				t.Errorf("%s, reading %d: %s instead of %s, %v", name, i, got, r.want, err)
			}
		}
	}
}

// sundial is a time of day and a counting clock that a test moves.
type sundial struct{ wall, elapsed schema.Time }

func (d *sundial) pass(t schema.Time) { d.wall, d.elapsed = d.wall+t, d.elapsed+t }

func (d *sundial) options(o *Options) {
	o.Clock = func() schema.Time { return d.wall }
	o.Elapsed = func() schema.Time { return d.elapsed }
}

func machineTime(n *Node) (at schema.Time) {
	n.Read(func(m core.View) { at = m.Time() })
	return at
}

// A clock that jumps ahead writes nothing into the log, and the exchange goes on when it is right
// again: timers were neither early nor late.
func TestJumpOfTheClockStaysOutOfTheLog(t *testing.T) {
	const hour = 3600 * schema.Second
	d := &sundial{wall: 1_800_000_000 * schema.Second}
	n := open(t, t.TempDir(), d.options)
	submit(t, n, account("alice"))
	before := machineTime(n)
	d.pass(schema.Second)
	d.wall += hour
	var r schema.Result
	if err := n.Submit(t.Context(), account("bob"), &r); !errors.Is(err, ErrClock) || !strings.Contains(err.Error(), "1h0m0s away") {
		t.Errorf("got %v", err)
	}
	if n.Trouble() == nil || machineTime(n) != before {
		t.Errorf("the log is at %s instead of %s; the trouble is %v", machineTime(n), before, n.Trouble())
	}
	d.wall -= hour
	d.pass(schema.Second)
	submit(t, n, account("bob"))
	if at := machineTime(n); n.Trouble() != nil || at != before+2*schema.Second {
		t.Errorf("the log is at %s, the trouble is %v", at, n.Trouble())
	}
	mustClose(t, n)
}

// A node whose clock is behind the log says so instead of starting; where somebody accepts that, time
// goes on and timers run.
func TestClockBehindTheLogIsNotSilent(t *testing.T) {
	const hour = 3600 * schema.Second
	dir := t.TempDir()
	d := &sundial{wall: 1_800_000_000 * schema.Second}
	n := open(t, dir, d.options)
	submit(t, n, account("alice"))
	last := machineTime(n)
	mustClose(t, n)
	d.wall -= hour
	o := Options{Journal: journal.Options{Dir: dir}}
	d.options(&o)
	if _, err := Open(t.Context(), o); !errors.Is(err, ErrClock) || !strings.Contains(err.Error(), "--accept-clock") {
		t.Fatalf("got %v", err)
	}
	o.ClockBound = 2 * time.Hour
	n, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, n)
	n = open(t, dir, d.options, func(o *Options) { o.AcceptClock = true })
	d.pass(20 * schema.Second)
	submit(t, n, account("bob"))
	if at := machineTime(n); at != last+19*schema.Second {
		t.Errorf("20 seconds later the log is at %s, and it was at %s", at, last)
	}
	mustClose(t, n)
}
