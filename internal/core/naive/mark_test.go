package naive

import (
	"testing"

	"bourse/internal/schema"
	"pgregory.net/rapid"
)

func TestImpact(t *testing.T) {
	asks := []stake{{n("100"), n("50")}, {n("125"), n("20")}, {n("200"), n("100")}}
	for _, c := range []struct {
		name, notional, want string
		ok                   bool
	}{
		{"within the best price", "2000", "100", true},
		{"exactly the best price", "5000", "100", true},
		{"a part of the second", "6250", "104.166666666666666666", true}, // 60
		{"three prices", "10000", "121.212121212121212121", true},        // 82.5
		{"all", "27500", "161.764705882352941176", true},
		{"more than there is", "27500.01", "0", false},
	} {
		price, ok := impact(asks, n(c.notional))
		if ok != c.ok {
			t.Errorf("%s: found is %t", c.name, ok)
		}
		same(t, c.name, price, c.want)
	}
}

func TestSampleOfABook(t *testing.T) {
	side := func(price string) []stake { return []stake{{n(price), n("100")}} }
	band := n("0.005")
	for _, c := range []struct {
		name           string
		bids, asks     []stake
		basis, premium string
		seen           bool
	}{
		{"around the index", side("49990"), side("50020"), "5", "0", true},
		{"bids above it", side("50010"), side("50020"), "15", "0.0002", true},
		{"asks below it", side("49980"), side("49990"), "-15", "-0.0002", true},
		{"far above it", side("51000"), side("51000"), "1000", "0.005", true},
		{"only bids", side("50010"), nil, "0", "0", false},
		{"only asks", nil, side("50010"), "0", "0", false},
		{"too thin", []stake{{n("50010"), n("0.01")}}, side("50020"), "0", "0", false},
	} {
		s := sampleOf(c.bids, c.asks, n("10000"), n("50000"), band)
		same(t, c.name+": basis", s.basis, c.basis)
		same(t, c.name+": premium", s.premium, c.premium)
		if s.seen != c.seen {
			t.Errorf("%s: seen is %t", c.name, s.seen)
		}
	}
}

func TestSamplerFillsWholeSlots(t *testing.T) {
	s := &sampler{}
	for _, c := range []struct {
		at    schema.Time
		due   bool
		basis string // of the sample, then the sum of all
		sum   string
		slots int
	}{
		{100*second + 1, true, "1", "1", 1},
		{104*second + 999_999, false, "2", "1", 1},
		{105 * second, true, "4", "5", 2}, // at the slot itself
		{105*second + 1, false, "8", "5", 2},
		{119 * second, true, "16", "21", 4}, // 110 was missed
		{120 * second, true, "32", "53", 5},
	} {
		if s.due(c.at) != c.due {
			t.Errorf("at %d: due is %t", c.at, !c.due)
		}
		if s.due(c.at) {
			s.fill(c.at, sample{seen: true, basis: n(c.basis)})
		}
		same(t, "the mean", s.basis().times(whole(60)), c.sum)
		if len(s.samples) != c.slots {
			t.Errorf("at %d: %d slots, want %d", c.at, len(s.samples), c.slots)
		}
	}
}

func TestMarkIsTheIndexAndTheMeanBasis(t *testing.T) {
	s := &sampler{}
	for i := range schema.Time(90) {
		seen := sample{}
		if i >= 60 {
			seen = sample{seen: true, basis: n("24.69")}
		} else if i < 30 {
			seen = sample{seen: true, basis: n("1000")} // too old
		}
		s.fill((100+i)*slot, seen)
	}
	same(t, "basis", s.basis(), "12.345")
	same(t, "mark", markPrice(n("50000"), s.basis(), n("0.005"), 2), "50012.34")
	for _, c := range []struct{ name, index, basis, want string }{
		{"below the index", "50000", "-12.345", "49987.66"},
		{"held by the band above", "50000", "300", "50250"},
		{"held by the band below", "50000", "-300", "49750"},
		{"no basis", "50000.129", "0", "50000.12"},
	} {
		same(t, c.name, markPrice(n(c.index), n(c.basis), n("0.005"), 2), c.want)
	}
}

// TestMarkStaysNearTheIndex: never farther than the band, nor beyond the basis.
func TestMarkStaysNearTheIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		index, basis := positives(18).Draw(t, "index"), positives(18).Draw(t, "basis")
		if rapid.Bool().Draw(t, "below") {
			basis = basis.neg()
		}
		band := whole(rapid.Int64Range(0, 1000).Draw(t, "band")).times(unit(4))
		places := uint8(rapid.IntRange(0, 18).Draw(t, "places"))
		mark := markPrice(index, basis, band, places)
		away, most := mark.minus(index), least(basis.abs(), index.times(band))
		// The grid itself can be off the index by less than a unit.
		if away.abs().more(most.plus(unit(places))) || !mark.multipleOf(unit(places)) {
			t.Fatalf("%v away from the index, at most %v", away.rat(), most.rat())
		}
		if most.sign() > 0 && away.sign() == basis.sign() && away.abs().more(most) {
			t.Fatalf("beyond the basis: %v of %v", away.rat(), basis.rat())
		}
	})
}

// TestImpactIsNoBetterThanTheBest: the average lies between the best and the worst price, and a larger
// notional is never cheaper.
func TestImpactIsNoBetterThanTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var asks []stake
		price, depth := num{}, num{}
		for range rapid.IntRange(1, 6).Draw(t, "prices") {
			price = price.plus(positives(8).Draw(t, "above"))
			size := positives(8).Draw(t, "size")
			asks = append(asks, stake{price, size})
			depth = depth.plus(price.times(size))
		}
		notional := depth.times(whole(rapid.Int64Range(1, 1000).Draw(t, "part"))).over(whole(1000))
		small, ok := impact(asks, notional)
		large, okLarge := impact(asks, depth)
		if !ok || !okLarge {
			t.Fatalf("%t %t", ok, okLarge)
		}
		if small.plus(smallest).less(asks[0].price) || large.more(price) || small.more(large) {
			t.Fatalf("the best is %v, the worst %v, the averages %v and %v", asks[0].price.rat(), price.rat(), small.rat(), large.rat())
		}
		if _, ok := impact(asks, depth.plus(smallest)); ok {
			t.Fatal("more than there is")
		}
	})
}
