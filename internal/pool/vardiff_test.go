package pool

import (
	"testing"
	"time"

	"bourse/internal/pool/work"
)

// TestDifficultyFollowsTheShares: too fast at once, too slow after four minutes, and within half more or less not at all.
func TestDifficultyFollowsTheShares(t *testing.T) {
	for _, c := range []struct {
		shares int
		took   time.Duration
		by     int
	}{
		{15, time.Second, 0},         // too few to say
		{16, time.Second, 6},         // 80 times as many as there should be
		{16, 20 * time.Second, 2},    // four times
		{16, 21 * time.Second, 0},    // later, if it goes on
		{48, 4 * time.Minute, 0},     // 12 a minute
		{71, 4 * time.Minute, 0},     //
		{72, 4 * time.Minute, 1},     // half more
		{33, 4 * time.Minute, 0},     //
		{32, 4 * time.Minute, -1},    // a third less
		{1, 4 * time.Minute, -3},     // no more at once
		{0, 4 * time.Minute, -3},     //
		{0, 4*time.Minute - 1, 0},    //
		{16, 0, 16},                  // a clock that stands still
		{1000, 10 * time.Minute, 3},  // late
		{0, 1000 * time.Hour, -3},    //
		{96, 4 * time.Minute, 1},     // twice
		{48 * 8, 4 * time.Minute, 3}, // eight times
	} {
		v := vardiff{shares: c.shares, since: start}
		if by := v.change(start.Add(c.took)); by != c.by {
			t.Errorf("%d shares in %v: %d, want %d", c.shares, c.took, by, c.by)
		}
	}
}

// TestAJobKeepsItsDifficulty: what was sent before is held against its own, and a worker that comes back begins where it was.
func TestAJobKeepsItsDifficulty(t *testing.T) {
	w := newWorld(t, hard, 16)
	c := w.mine("anna.rig")
	n := c.job(0)
	easyTarget := work.OfExponent(-16)
	spare := c.search(n, easyTarget, true, "00000000000000ff")
	for i := range 16 {
		s := c.search(n, easyTarget, true, "00000000000000"+string("0123456789abcdef"[i])+"1")
		if got := c.submit("anna.rig", n, s); got != "true" {
			t.Fatal(got)
		}
	}
	harder := c.job(1)
	if harder.Diff != "1" || harder.Clean { // as high as the chain's: the clock stands still
		t.Fatalf("%+v", harder)
	}
	if got := c.submit("anna.rig", n, spare); got != "true" {
		t.Errorf("of the job before: %s", got)
	}
	low := c.search(harder, easyTarget, true, "0000000000000001")
	if got := c.submit("anna.rig", harder, low); got != `[23,"low difficulty share",null]` {
		t.Errorf("of the harder job: %s", got)
	}
	if again := w.mine("anna.rig").job(0); again.Diff != "1" {
		t.Errorf("it comes back with %s", again.Diff)
	}
	if other := w.mine("anna.box").job(0); other.Diff == "1" {
		t.Errorf("another worker begins with %s", other.Diff)
	}
	w.pass(31 * time.Second)
	w.until("it is reported", func() bool { return w.journal.sum(1).Accepted == 17 })
	if got := w.journal.sum(1); got.Work != 17 || got.Rejected != 1 {
		t.Errorf("%+v", got)
	}
	// It brings nothing: three halvings each four minutes.
	w.pass(5 * time.Minute)
	for c.jobs[len(c.jobs)-1].Diff == "1" {
		c.job(len(c.jobs))
	}
	if got := c.jobs[len(c.jobs)-1].Diff; got != "0.125" {
		t.Errorf("after four minutes: %s", got)
	}
}

// TestSuggestionsAreClamped: to a unit of work, and to what a block needs. A job with the new difficulty comes at once.
func TestSuggestionsAreClamped(t *testing.T) {
	w := newWorld(t, hard, 16)
	c := w.mine("anna.rig")
	for i, s := range []struct{ suggest, diff string }{{"0.5", "0.5"}, {"0.3", "0.25"}, {"1e9", "1"}, {"1e-30", "1.52587890625e-05"}, {"0.75", "0.5"}} {
		if got := c.ask("mining.suggest_difficulty", "["+s.suggest+"]"); got != "true" {
			t.Fatal(got)
		}
		if n := c.job(i + 1); n.Diff != s.diff || n.Clean {
			t.Errorf("%s: %+v", s.suggest, n)
		}
	}
	for _, bad := range []string{"[]", "[0]", "[-1]", `["1"]`, "[1e999]", "{}"} {
		if got := c.ask("mining.suggest_difficulty", bad); got != `[20,"params must be a difficulty above zero",null]` {
			t.Errorf("%s: %s", bad, got)
		}
	}
	// The least that it asks for holds against what it suggests.
	c.ask("mining.configure", `[["minimum-difficulty"],{"minimum-difficulty.value":0.9}]`)
	c.ask("mining.suggest_difficulty", "[0.001]")
	if got := c.jobs[len(c.jobs)-1].Diff; got != "0.5" {
		t.Errorf("below the least that it wants: %s", got)
	}
	// Suggested before it signs in, it is what the first job comes with.
	d := w.dial()
	d.ask("mining.suggest_difficulty", "[0.25]")
	d.join("ben.rig")
	if got := d.job(0).Diff; got != "0.25" {
		t.Errorf("suggested first: %s", got)
	}
}
