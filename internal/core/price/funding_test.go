package price

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
)

// eightHours is a market that settles three times a day, with bounds that do not bind here.
var eightHours = Terms{Minutes: 480, Floor: num("-0.01"), Cap: num("0.01")}

func wantRate(t *testing.T, s *Sampler, terms Terms, want string) {
	t.Helper()
	if got := s.Rate(terms); got != num(want) {
		t.Errorf("the rate is %v, want %s", got, want)
	}
}

func TestRateOfFunding(t *testing.T) {
	var s Sampler
	wantRate(t, &s, eightHours, "0")
	for i := range 10 { // all slots at 0.0002
		s.Tick(at(i), market("50010", "50020"), band)
	}
	wantRate(t, &s, eightHours, "0.0001")
	s.Settled()
	wantRate(t, &s, eightHours, "0")

	for i := 10; i < 20; i += 2 { // half of them at 0.0024, half of them missing
		s.Tick(at(i), market("50120", "50130"), band)
		s.Tick(at(i+1), market("50120", "0"), band)
	}
	wantRate(t, &s, eightHours, "0.0007")
	capped := eightHours
	capped.Cap = num("0.0003")
	wantRate(t, &s, capped, "0.0003")
	// Five minutes are a ninety-sixth of eight hours.
	wantRate(t, &s, Terms{Minutes: 5, Floor: capped.Floor, Cap: capped.Cap}, "0.0000072916666666")
	// Slots that no tick came for count as well.
	s.Tick(at(29), market("50120", "50130"), band)
	// 6 of 20 slots: a premium of 0.00072, of which 0.0005 are taken back.
	wantRate(t, &s, eightHours, "0.00022")
}

func TestRateBelowTheIndex(t *testing.T) {
	var s Sampler
	s.Tick(at(0), market("49800", "49900"), band) // -0.002
	wantRate(t, &s, eightHours, "-0.0015")
	floored := eightHours
	floored.Floor = num("-0.0003")
	wantRate(t, &s, floored, "-0.0003")
	floored.Floor = num("-0.00000000000000019") // bounds are cut off like rates
	wantRate(t, &s, floored, "-0.0000000000000001")
	// Cut off toward zero.
	wantRate(t, &s, Terms{Minutes: 1, Floor: num("-1"), Cap: fixed.One}, "-0.000003125")
	s.Settled()
	s.Tick(at(1), market("49800", "49900"), band)
	s.Tick(at(3), Sample{}, band)
	// A third of -0.002, and 0.0005 back: -0.000166..
	wantRate(t, &s, eightHours, "-0.0001666666666666")
}

// TestNoSampleIsNoRate: slots pass and the book has one side in all of them.
func TestNoSampleIsNoRate(t *testing.T) {
	var s Sampler
	for i := range 5 {
		s.Tick(at(i), market("50010", "0"), band)
	}
	wantRate(t, &s, eightHours, "0")
	s.Tick(at(5), market("50000", "50000"), band)
	wantRate(t, &s, eightHours, "0.0001")
}

// value is that of a position in BTC at a mark of 50012.34.
func value(t *testing.T, amount string) fixed.Decimal {
	t.Helper()
	d, ok := fixed.Mul(num(amount), num("50012.34"), 18, fixed.Down)
	if !ok {
		t.Fatal("the position is too large")
	}
	return d
}

func TestShareOfASettlement(t *testing.T) {
	s := Split{Rate: num("0.0003"), Mark: num("50012.34")}
	if got, ok := s.Share(value(t, "0.5"), 8); !ok || got != num("-7.501851") {
		t.Errorf("a long of 0.5 gets %v, %v", got, ok)
	}
	s = Split{Rate: num("-0.0003"), Mark: num("50012.34")}
	if got, ok := s.Share(value(t, "0.5"), 8); !ok || got != num("7.501851") {
		t.Errorf("a long of 0.5 gets %v, %v at a negative rate", got, ok)
	}
}

// TestSettlementIsSplitToTheLastDigit: a long of 0.003 against shorts of 0.001 and 0.002.
func TestSettlementIsSplitToTheLastDigit(t *testing.T) {
	s := Split{Rate: num("0.0000333333333333"), Mark: num("50012.34")}
	for _, tt := range []struct{ amount, want string }{
		{"0.003", "-0.005002"}, {"-0.001", "0.001667"}, {"-0.002", "0.003334"},
	} {
		if got, ok := s.Share(value(t, tt.amount), 6); !ok || got != num(tt.want) {
			t.Errorf("%s gets %v, %v; want %s", tt.amount, got, ok, tt.want)
		}
	}
	if s.Paid != num("0.005002") || s.Received != num("0.005001") || s.Rest() != num("0.000001") {
		t.Errorf("paid %v, received %v, rest %v", s.Paid, s.Received, s.Rest())
	}
}

func TestShareThatDoesNotFitIsNotCounted(t *testing.T) {
	s := Split{Rate: fixed.One, Paid: fixed.One, Received: fixed.Max}
	before := s
	for _, value := range []fixed.Decimal{fixed.Max, fixed.One.Neg()} {
		if got, ok := s.Share(value, 18); ok || s != before || !got.IsZero() {
			t.Errorf("%v gets %v, %v; %+v", value, got, ok, s)
		}
	}
	s.Rate = num("2")
	if got, ok := s.Share(fixed.Max, 18); ok || !got.IsZero() {
		t.Errorf("twice all is %v", got)
	}
	s.Rate = fixed.One.Neg()
	if got, ok := s.Share(fixed.Min, 18); ok || !got.IsZero() {
		t.Errorf("the least value gets %v", got)
	}
}

// TestSettlementsLeaveNothingBehind: positions that are each other's opposite pay at least what they get, and the
// rest is less than a unit for each.
func TestSettlementsLeaveNothingBehind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Split{Rate: fixed.FromUnits(rapid.Int64Range(-1_000_000_000_000_000, 1_000_000_000_000_000).Draw(t, "rate"), 16)}
		places := rapid.IntRange(0, 12).Draw(t, "places")
		n := rapid.IntRange(1, 20).Draw(t, "positions")
		sum := int64(0)
		for i := range n + 1 {
			units := rapid.Int64Range(-1_000_000, 1_000_000).Draw(t, "value")
			if i == n {
				units = -sum
			}
			sum += units
			value := fixed.FromUnits(units, 4)
			got, ok := s.Share(value, places)
			want := new(big.Rat).Mul(rat(value), rat(s.Rate))
			want = rounded(want.Neg(want), places, fixed.Floor)
			if !ok || rat(got).Cmp(want) != 0 {
				t.Fatalf("%v gets %v, want %s", value, got, want.FloatString(18))
			}
		}
		if rest := s.Rest(); rest.Sign() < 0 || rest.Cmp(fixed.FromUnits(int64(n+1), places)) >= 0 {
			t.Fatalf("the rest is %v", rest)
		}
	})
}
