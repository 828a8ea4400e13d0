package walk

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

func TestWalkIsThatOfItsSeed(t *testing.T) {
	one, two, other := New(Home, 100, seeded(1)), New(Home, 100, seeded(1)), New(Home, 100, seeded(2))
	differs := false
	for range 10_000 {
		one.Step(Second)
		two.Step(Second)
		other.Step(Second)
		differs = differs || one.At() != other.At()
		if one.At() != two.At() {
			t.Fatal("two walks of one seed differ")
		}
	}
	if !differs {
		t.Error("two walks of two seeds are the same")
	}
	if one.At() != 1_003_428_161 {
		t.Errorf("after 10,000 seconds the walk of seed 1 is at %d", one.At())
	}
}

// day plays a day and returns how far the price went, in percent of its lowest, and where it ended.
func day(seed uint64, volatility int64, s Stride) (span, end int64) {
	w := New(Home, volatility, seeded(seed))
	low, high := w.At(), w.At()
	for range 86_400 / s.seconds {
		w.Step(s)
		low, high = min(low, w.At()), max(high, w.At())
	}
	return (high - low) * 10_000 / low, w.At()
}

// TestDayMovesLikeAMarket: in every day the price goes somewhere and never out of sight, in one stride as in
// another, on the average some percent.
func TestDayMovesLikeAMarket(t *testing.T) {
	const days = 20
	for _, c := range []struct {
		volatility              int64
		stride                  Stride
		least, most, from, upTo int64 // of a day and of the mean, in hundredths of a percent
	}{
		{100, Second, 150, 2000, 350, 800},
		{100, QuarterMinute, 150, 2000, 350, 800},
		{100, Quarter, 150, 2000, 350, 800},
		{200, Second, 300, 4000, 700, 1600},
	} {
		var sum, up int64
		for seed := range uint64(days) {
			span, end := day(seed+1, c.volatility, c.stride)
			if span < c.least || span > c.most {
				t.Errorf("%+v, seed %d: the price moved by %d hundredths of a percent", c, seed+1, span)
			}
			sum += span
			if end > Home {
				up++
			}
		}
		if mean := sum / days; mean < c.from || mean > c.upTo {
			t.Errorf("%+v: %d hundredths of a percent on the average", c, mean)
		}
		if up < days/4 || up > days*3/4 {
			t.Errorf("%+v: of %d days %d rise", c, days, up)
		}
	}
}

// TestRegimesDiffer: an hour of the volatile ones is far wider than a calm one, which is little more than the swing.
func TestRegimesDiffer(t *testing.T) {
	var spans []int64
	w := New(Home, 100, seeded(5))
	for range 24 * 10 {
		low, high := w.At(), w.At()
		for range 3600 {
			w.Step(Second)
			low, high = min(low, w.At()), max(high, w.At())
		}
		spans = append(spans, (high-low)*10_000/low)
	}
	var calm, wild int
	for _, s := range spans {
		if s < 160 {
			calm++
		}
		if s > 250 {
			wild++
		}
	}
	if calm < len(spans)/4 || wild < len(spans)/50 || wild > len(spans)/4 {
		t.Errorf("of %d hours %d are calm and %d wild", len(spans), calm, wild)
	}
}

// TestSwings: even while it is calm the price falls by more than half a percent from its highest every few minutes, and
// an hour later it is near where it was.
func TestSwings(t *testing.T) {
	const hours = 200
	falls, far := 0, 0
	for seed := range uint64(hours) {
		w := New(Home, 100, seeded(seed+1))
		high := w.At()
		for range 3600 {
			w.Step(Second)
			w.regime = 0
			if high = max(high, w.At()); w.At() < high-high*6/1000 {
				falls, high = falls+1, w.At()
			}
		}
		if off := w.At() - Home; max(off, -off) > Home/100 {
			far++
		}
	}
	if perHour := falls / hours; perHour < 6 || perHour > 15 || far > hours/5 {
		t.Errorf("in %d hours it fell %d times, and ended far away %d times", hours, falls, far)
	}
}

// TestWalkStaysInSight: from wherever it begins, however wild.
func TestWalkStaysInSight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := New(rapid.Int64().Draw(t, "start"), rapid.Int64Range(0, 1000).Draw(t, "volatility"), seeded(rapid.Uint64().Draw(t, "seed")))
		stride := rapid.SampledFrom([]Stride{Second, QuarterMinute, Quarter}).Draw(t, "stride")
		for range 2000 {
			if w.At() < Home/2 || w.At() > 2*Home {
				t.Fatalf("it is at %d", w.At())
			}
			w.Step(stride)
		}
	})
}

// TestWalkGoesHome: without chance the pull alone brings it home from both sides, by half the way in
// about 0.7 × homeSeconds.
func TestWalkGoesHome(t *testing.T) {
	for _, start := range []int64{Home * 6 / 5, Home * 4 / 5} {
		w := New(start, 0, seeded(7))
		for range homeSeconds * 7 / 10 {
			w.Step(Second)
		}
		if way := max(w.At()-Home, Home-w.At()); way < Home*9/100 || way > Home*11/100 {
			t.Errorf("from %d it came to %d", start, w.At())
		}
	}
}
