package mining

import (
	"math"
	"math/big"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestHashrates: a share of difficulty 1 takes 2^48 / 65535 hashes; what is less than a hash a second does not count, and nothing overflows.
func TestHashrates(t *testing.T) {
	for _, c := range []struct {
		work    uint64
		unit    uint8
		seconds int64
		want    string
	}{
		{0, 0, 300, "0"},
		{1, 0, 1, "4295032833"},
		{65535, 0, 1, "281474976710656"},
		{65535 << 16, 16, 1, "281474976710656"},
		{1, 32, 1, "1"},
		{1, 32, 2, "0"},
		{math.MaxUint64, 0, 300, "264097904861769925904683062"},
		{5, 0, 0, "0"},
	} {
		if got := hashrate(new(big.Int).SetUint64(c.work), c.unit, c.seconds).String(); got != c.want {
			t.Errorf("%d of unit %d in %d s: %s, want %s", c.work, c.unit, c.seconds, got, c.want)
		}
	}
	for n, want := range map[int64]string{0: "0", 1: "0.000001", 1_000_000: "1", 1_500_000: "1.5", 123: "0.000123", 12_345_678: "12.345678"} {
		if got := places(big.NewInt(n), 6); got != want {
			t.Errorf("%d millionths: %s, want %s", n, got, want)
		}
	}
}

// TestValueOfATerahash is rounded down at 18 decimals, and may be more than all money where blocks are easy.
func TestValueOfATerahash(t *testing.T) {
	for _, c := range []struct {
		sum  string
		work uint64
		unit uint8
		want string
	}{
		{"1", 0, 0, "0"},
		{"0", 5, 0, "0"},
		{"1", 65535 * 86400, 0, "0.0035527136788005"}, // 10^12 / 2^48
		{"0.390625", 1 << 20, 16, "491119.644951965028667473"},
		{"1000000", 1, 32, "86398681640625000000000"},
	} {
		if got := perTerahash(fixed.MustParse(c.sum), c.work, c.unit); got != c.want {
			t.Errorf("%s for %d of unit %d: %s, want %s", c.sum, c.work, c.unit, got, c.want)
		}
	}
}

// TestGraphsAreBounded: they begin and end with whole intervals, go back a day unless more is asked for, and 30 days at most.
func TestGraphsAreBounded(t *testing.T) {
	const now = 100*day + 7*oneHour + 62*second
	for _, c := range []struct {
		from, to int64 // in seconds; -1: none
		of       string
		begin    schema.Time
		end      schema.Time
	}{
		{-1, -1, "1h", 99*day + 7*oneHour, 100*day + 8*oneHour - 1},
		{-1, -1, "5m", 99*day + 7*oneHour, 100*day + 7*oneHour + bucket - 1},
		{-1, -1, "24h", 70 * day, 101*day - 1},
		{0, -1, "1h", 70*day + 7*oneHour, 100*day + 8*oneHour - 1},
		{86_400*98 + 61, 86_400 * 99, "1h", 98 * day, 99*day + oneHour - 1},
		{0, 3599, "24h", 0, day - 1},
	} {
		s := span{from: max(c.from, 0), to: max(c.to, 0), fromThere: c.from >= 0, toThere: c.to >= 0}
		if err := s.check(now); err != nil {
			t.Fatal(err)
		}
		if begin, end := s.graph(intervals[c.of]); begin != c.begin || end != c.end || int((end+1-begin)/bucket) > mostBuckets {
			t.Errorf("%+v: from %d to %d", c, begin, end)
		}
	}
}
