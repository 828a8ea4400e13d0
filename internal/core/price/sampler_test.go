package price

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

var band = num("0.005")

// market is a sample at an index of 50000.
func market(bid, ask string) Sample {
	return Sample{Index: num("50000"), Bid: num(bid), Ask: num(ask)}
}

// at is the beginning of a slot after the start, which is one itself.
func at(slot int) schema.Time { return start + schema.Time(slot)*Slot }

func wantMark(t *testing.T, s *Sampler, index, want string) {
	t.Helper()
	if got, ok := s.Mark(num(index), band, 2); !ok || got != num(want) {
		t.Errorf("the mark is %v, %v; want %s", got, ok, want)
	}
}

// TestMarkIsTheMeanOfTheLastSlots: 30 slots with a middle 24.69 above the index and 30 that were missed.
func TestMarkIsTheMeanOfTheLastSlots(t *testing.T) {
	var s Sampler
	wantMark(t, &s, "50000", "50000")
	for i := range 30 {
		s.Tick(at(i), market("50024.60", "50024.78"), band)
	}
	wantMark(t, &s, "50000", "50012.34") // 12.345 is cut off
	s.Tick(at(59), market("50024.60", "50024.78"), band)
	// Slots 0 to 29 and 59.
	wantMark(t, &s, "50000", "50012.75") // 24.69 × 31 / 60 = 12.7565
	s.Tick(at(60), Sample{}, band)
	wantMark(t, &s, "50000", "50012.34") // slot 0 left
	// A gap longer than the window empties it.
	s.Tick(at(1000), market("50024.60", "50024.78"), band)
	wantMark(t, &s, "50000", "50000.41") // 24.69 / 60 = 0.4115
}

// TestGapsEmptyTheWindow: of a full window, so many slots are left as were not passed over.
func TestGapsEmptyTheWindow(t *testing.T) {
	for gap, want := range map[int]string{
		1: "50060", 2: "50059", 30: "50031", 59: "50002", 60: "50001", 61: "50001", 120: "50001", 1000: "50001",
	} {
		var s Sampler
		for i := range Slots {
			s.Tick(at(i), market("50060", "50060"), band)
		}
		s.Tick(at(Slots-1+gap), market("50060", "50060"), band)
		wantMark(t, &s, "50000", want)
	}
}

func TestMarkIsCutTowardTheIndex(t *testing.T) {
	var above, below Sampler
	for i := range Slots {
		above.Tick(at(i), market("50012.345", "50012.345"), band)
		below.Tick(at(i), market("49987.655", "49987.655"), band)
	}
	wantMark(t, &above, "50000", "50012.34")
	wantMark(t, &below, "50000", "49987.66")
	// At another index the distance stays.
	wantMark(t, &above, "40000", "40012.34")
	// No further than the band: 0.5 % of 1000 is 5.
	wantMark(t, &above, "1000", "1005")
	wantMark(t, &below, "1000", "995")
	wantMark(t, &above, "1000.001", "1005")   // 1005.001005 is cut off
	wantMark(t, &below, "1000.009", "995.01") // 995.008955
	for _, index := range []string{"0", "-1", "0.001", Limit.Add(fixed.One).String()} {
		if got, ok := above.Mark(num(index), band, 2); ok {
			t.Errorf("at an index of %s the mark is %v", index, got)
		}
	}
}

// TestOnlyTheFirstTickFillsASlot, at or after its beginning.
func TestOnlyTheFirstTickFillsASlot(t *testing.T) {
	var s Sampler
	if !s.Due(0) || s.Next() != 0 {
		t.Error("nothing is due")
	}
	s.Tick(at(0)+Slot-1, market("50060", "50060"), band)
	wantMark(t, &s, "50000", "50001")
	if s.Due(at(1)-1) || !s.Due(at(1)) || s.Next() != at(1) {
		t.Errorf("the next slot is at %v", s.Next())
	}
	s.Tick(at(1)-1, market("50600", "50600"), band)
	wantMark(t, &s, "50000", "50001")
	s.Tick(at(1), market("50060", "50060"), band)
	wantMark(t, &s, "50000", "50002")
}

func TestBooksWithOneSideCountAsZero(t *testing.T) {
	for _, m := range []Sample{
		market("0", "50060"), market("50060", "0"),
		{Bid: num("50060"), Ask: num("50060")},
		{Index: num("50000"), Bid: Limit, Ask: Limit.Add(fixed.One)},
	} {
		var s Sampler
		s.Tick(at(0), market("50060", "50060"), band)
		s.Tick(at(1), m, band)
		wantMark(t, &s, "50000", "50001")
		if s.passed != 2 || s.sampled != 1 {
			t.Errorf("%+v: %d slots, %d sampled", m, s.passed, s.sampled)
		}
	}
}

func TestPremiumOfASlot(t *testing.T) {
	for _, tt := range []struct{ bid, ask, want string }{
		{"50010", "50020", "0.0002"},  // the bid is 10 above
		{"49980", "49990", "-0.0002"}, // the ask is 10 below
		{"49990", "50010", "0"},       // the index is between
		{"50010", "49990", "0"},       // a crossed impact: both
		{"51000", "51001", "0.005"},
		{"40000", "40001", "-0.005"},
	} {
		m := market(tt.bid, tt.ask)
		if got := m.premium(band); got != num(tt.want) {
			t.Errorf("bid %s, ask %s: %v, want %s", tt.bid, tt.ask, got, tt.want)
		}
	}
	for _, tt := range []struct{ bid, ask, want string }{
		{"3.01", "3.02", "0.003333333333333333"}, {"2.98", "2.99", "-0.003333333333333333"},
	} {
		m := Sample{Index: num("3"), Bid: num(tt.bid), Ask: num(tt.ask)}
		if got := m.premium(band); got != num(tt.want) {
			t.Errorf("bid %s, ask %s: %v is not cut off to %s", tt.bid, tt.ask, got, tt.want)
		}
	}
	far := Sample{Index: fixed.FromUnits(1, 18), Bid: Limit, Ask: Limit}
	if got := far.premium(band); got != band {
		t.Errorf("a premium that does not fit is %v", got)
	}
}

// TestSamplerMatchesItsHistory keeps every slot there ever was and reckons from all of them.
func TestSamplerMatchesItsHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prices := rapid.Custom(func(t *rapid.T) fixed.Decimal {
			if rapid.IntRange(0, 9).Draw(t, "missing") == 0 {
				return fixed.Zero
			}
			if rapid.IntRange(0, 9).Draw(t, "edge") == 0 {
				return rapid.SampledFrom([]fixed.Decimal{Limit, fixed.FromUnits(1, 18)}).Draw(t, "extreme")
			}
			return fixed.FromUnits(rapid.Int64Range(9_900_000, 10_100_000).Draw(t, "price"), 5)
		})
		var s Sampler
		now := start
		spreads, premiums := map[int64]*big.Rat{}, []*big.Rat{}
		sampled, since, last := 0, int64(0), int64(0) // since: the first slot that counts for funding
		for range rapid.IntRange(1, 80).Draw(t, "ticks") {
			now += schema.Time(rapid.Int64Range(0, 8).Draw(t, "seconds")) * schema.Second
			if rapid.IntRange(0, 30).Draw(t, "gap") == 0 {
				now += schema.Time(rapid.Int64Range(0, 400).Draw(t, "long")) * schema.Second
			}
			m := Sample{prices.Draw(t, "index"), prices.Draw(t, "bid"), prices.Draw(t, "ask")}
			slot := int64(now / Slot)
			if slot > last {
				if last == 0 {
					since = slot
				}
				last = slot
				if !m.Index.IsZero() && !m.Bid.IsZero() && !m.Ask.IsZero() {
					i, b, a := rat(m.Index), rat(m.Bid), rat(m.Ask)
					middle := new(big.Rat).Mul(new(big.Rat).Add(b, a), big.NewRat(1, 2))
					spreads[slot] = middle.Sub(middle, i)
					off := new(big.Rat)
					if b.Cmp(i) > 0 {
						off.Add(off, new(big.Rat).Sub(b, i))
					}
					if a.Cmp(i) < 0 {
						off.Sub(off, new(big.Rat).Sub(i, a))
					}
					premiums = append(premiums, within(rounded(off.Quo(off, i), 18, fixed.Down), rat(band)))
					sampled++
				}
			}
			s.Tick(now, m, band)
			if rapid.IntRange(0, 20).Draw(t, "settle") == 0 {
				s.Settled()
				premiums, sampled, since = nil, 0, last+1
			}

			index := prices.Filter(Valid).Draw(t, "index of the mark")
			places := rapid.IntRange(0, 18).Draw(t, "places")
			mean := new(big.Rat)
			for i := last - Slots + 1; i <= last; i++ {
				if spreads[i] != nil {
					mean.Add(mean, spreads[i])
				}
			}
			mean = rounded(mean.Mul(mean, big.NewRat(1, Slots)), 18, fixed.Down)
			mean = within(mean, rounded(new(big.Rat).Mul(rat(index), rat(band)), 18, fixed.Down))
			toward := fixed.Floor
			if mean.Sign() < 0 {
				toward = fixed.Ceil
			}
			want := rounded(mean.Add(mean, rat(index)), places, toward)
			got, ok := s.Mark(index, band, places)
			if ok != (want.Sign() > 0 && want.Cmp(rat(Limit)) <= 0) || ok && rat(got).Cmp(want) != 0 {
				t.Fatalf("the mark is %v, %v; want %s", got, ok, want.FloatString(18))
			}

			terms := Terms{
				Minutes: rapid.Int64Range(1, 480).Draw(t, "minutes"),
				Floor:   fixed.FromUnits(rapid.Int64Range(-100, 0).Draw(t, "floor"), 5),
				Cap:     fixed.FromUnits(rapid.Int64Range(0, 100).Draw(t, "cap"), 5),
			}
			if got, want := s.Rate(terms), rate(premiums, sampled, last-since+1, &terms); rat(got).Cmp(want) != 0 {
				t.Fatalf("the rate is %v, want %s", got, want.FloatString(18))
			}
		}
	})
}

// rate is that of funding, written as the formula is.
func rate(premiums []*big.Rat, sampled int, slots int64, terms *Terms) *big.Rat {
	if sampled == 0 {
		return new(big.Rat)
	}
	p := new(big.Rat)
	for _, premium := range premiums {
		p.Add(p, premium)
	}
	p.Mul(p, big.NewRat(1, slots))
	r := new(big.Rat).Add(p, within(new(big.Rat).Sub(big.NewRat(1, 10_000), p), big.NewRat(5, 10_000)))
	r.Mul(r, big.NewRat(terms.Minutes, 480))
	if low := rat(terms.Floor); r.Cmp(low) < 0 {
		r = low
	}
	if high := rat(terms.Cap); r.Cmp(high) > 0 {
		r = high
	}
	return rounded(r, 16, fixed.Down)
}

// rat is a number as a fraction.
func rat(d fixed.Decimal) *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}

// within is a fraction that is at most so far from zero.
func within(r, most *big.Rat) *big.Rat {
	low := new(big.Rat).Neg(most)
	switch {
	case r.Cmp(most) > 0:
		return new(big.Rat).Set(most)
	case r.Cmp(low) < 0:
		return low
	}
	return r
}

// rounded is a fraction with so many decimals.
func rounded(r *big.Rat, places int, how fixed.Rounding) *big.Rat {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	n := new(big.Rat).Mul(r, new(big.Rat).SetInt(ten))
	floor := new(big.Int).Div(n.Num(), n.Denom()) // the denominator is positive, so this is toward minus infinity
	whole := new(big.Rat).SetInt(floor).Cmp(n) == 0
	up := how == fixed.Ceil || how == fixed.Up && r.Sign() > 0 || how == fixed.Down && r.Sign() < 0
	if up && !whole {
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(floor, ten)
}
