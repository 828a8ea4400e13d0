package demo

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

func TestWalkIsThatOfItsSeed(t *testing.T) {
	one, two := &walk{194_500, 194_500, 12, seeded(1)}, &walk{194_500, 194_500, 12, seeded(1)}
	other, differs := &walk{194_500, 194_500, 12, seeded(2)}, false
	for range 1000 {
		one.step()
		two.step()
		other.step()
		differs = differs || one.at != other.at
		if one.at != two.at {
			t.Fatal("two walks of one seed differ")
		}
	}
	if !differs {
		t.Error("two walks of two seeds are the same")
	}
}

// TestWalkStaysInSight: steps are no longer than the pace and the pull, and bounds hold from wherever
// it begins.
func TestWalkStaysInSight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &walk{
			home:   rapid.Int64Range(100, 1_000_000).Draw(t, "home"),
			pace:   rapid.Int64Range(0, 50).Draw(t, "pace"),
			chance: seeded(rapid.Uint64().Draw(t, "seed")),
		}
		w.begin(rapid.Int64Range(-10, 3_000_000).Draw(t, "start"))
		for range 200 {
			before := w.at
			w.step()
			if w.at < w.home/2 || w.at > 2*w.home {
				t.Fatalf("it is at %d, its home is %d", w.at, w.home)
			}
			if far := max(w.at-before, before-w.at); far > w.pace+w.home/homeSteps+1 {
				t.Fatalf("a step of %d", far)
			}
		}
	})
}

// TestWalkGoesHome: without steps of its own, the pull alone brings it home from both sides, by half the
// way in about 0.7 × homeSteps.
func TestWalkGoesHome(t *testing.T) {
	for _, start := range []int64{120_000, 80_000} {
		w := &walk{at: start, home: 100_000, chance: seeded(7)}
		for range homeSteps * 7 / 10 {
			w.step()
		}
		if way := max(w.at-w.home, w.home-w.at); way < 9_000 || way > 11_000 {
			t.Errorf("from %d it came to %d", start, w.at)
		}
	}
}

func TestWalkMovesBothWays(t *testing.T) {
	w := &walk{at: 12_300, home: 12_300, pace: 1, chance: seeded(3)}
	low, high := w.at, w.at
	for range 3600 {
		w.step()
		low, high = min(low, w.at), max(high, w.at)
	}
	if low > 12_290 || high < 12_310 {
		t.Errorf("in an hour it went from %d to %d", low, high)
	}
}

func TestFloor(t *testing.T) {
	for _, c := range [][3]int64{{7, 4, 4}, {8, 4, 8}, {0, 4, 0}, {-1, 4, -4}, {-4, 4, -4}, {-5, 4, -8}} {
		if got := floor(c[0], c[1]); got != c[2] {
			t.Errorf("floor(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
