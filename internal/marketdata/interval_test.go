package marketdata

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"bourse/internal/schema"
)

// moment reads a time of day in UTC.
func moment(t testing.TB, s string) schema.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05.999999", s)
	if err != nil {
		t.Fatal(err)
	}
	return schema.Time(at.UnixMicro())
}

func TestCandlesBeginWhereTheCalendarSays(t *testing.T) {
	for _, c := range []struct{ interval, at, start, next string }{
		{"1s", "2026-10-01 12:34:56.789012", "2026-10-01 12:34:56", "2026-10-01 12:34:57"},
		{"1s", "2026-10-01 12:34:56", "2026-10-01 12:34:56", "2026-10-01 12:34:57"},
		{"10s", "2026-10-01 12:34:56.789012", "2026-10-01 12:34:50", "2026-10-01 12:35:00"},
		{"30s", "2026-10-01 12:34:56.789012", "2026-10-01 12:34:30", "2026-10-01 12:35:00"},
		{"1m", "2026-10-01 12:34:56.789012", "2026-10-01 12:34:00", "2026-10-01 12:35:00"},
		{"3m", "2026-10-01 12:34:56.789012", "2026-10-01 12:33:00", "2026-10-01 12:36:00"},
		{"5m", "2026-10-01 12:34:56.789012", "2026-10-01 12:30:00", "2026-10-01 12:35:00"},
		{"15m", "2026-10-01 12:34:56.789012", "2026-10-01 12:30:00", "2026-10-01 12:45:00"},
		{"30m", "2026-10-01 12:34:56.789012", "2026-10-01 12:30:00", "2026-10-01 13:00:00"},
		{"1h", "2026-10-01 23:34:56.789012", "2026-10-01 23:00:00", "2026-10-02 00:00:00"},
		{"2h", "2026-10-01 23:34:56.789012", "2026-10-01 22:00:00", "2026-10-02 00:00:00"},
		{"4h", "2026-10-01 13:34:56.789012", "2026-10-01 12:00:00", "2026-10-01 16:00:00"},
		{"6h", "2026-10-01 11:59:59.999999", "2026-10-01 06:00:00", "2026-10-01 12:00:00"},
		{"8h", "2026-10-01 11:59:59.999999", "2026-10-01 08:00:00", "2026-10-01 16:00:00"},
		{"12h", "2026-10-01 11:59:59.999999", "2026-10-01 00:00:00", "2026-10-01 12:00:00"},
		{"1d", "2026-12-31 23:59:59.999999", "2026-12-31 00:00:00", "2027-01-01 00:00:00"},
		{"3d", "1970-01-03 23:59:59.999999", "1970-01-01 00:00:00", "1970-01-04 00:00:00"},
		{"3d", "1970-01-04 00:00:00", "1970-01-04 00:00:00", "1970-01-07 00:00:00"},
		{"3d", "2026-10-03 12:00:00", "2026-10-01 00:00:00", "2026-10-04 00:00:00"}, // 20,727 days after 1970
		{"1w", "2026-10-01 12:34:56", "2026-09-28 00:00:00", "2026-10-05 00:00:00"}, // a Thursday
		{"1w", "2026-10-05 00:00:00", "2026-10-05 00:00:00", "2026-10-12 00:00:00"}, // a Monday
		{"1w", "2026-10-04 23:59:59.999999", "2026-09-28 00:00:00", "2026-10-05 00:00:00"},
		{"1d", "1969-12-31 23:59:59.999999", "1969-12-31 00:00:00", "1970-01-01 00:00:00"},
		{"1w", "1970-01-01 00:00:00", "1969-12-29 00:00:00", "1970-01-05 00:00:00"},
		{"1M", "2026-10-01 00:00:00", "2026-10-01 00:00:00", "2026-11-01 00:00:00"},
		{"1M", "2026-01-31 23:59:59.999999", "2026-01-01 00:00:00", "2026-02-01 00:00:00"},
		{"1M", "2026-02-28 23:59:59.999999", "2026-02-01 00:00:00", "2026-03-01 00:00:00"},
		{"1M", "2028-02-29 12:00:00", "2028-02-01 00:00:00", "2028-03-01 00:00:00"}, // a leap year
		{"1M", "2100-02-28 12:00:00", "2100-02-01 00:00:00", "2100-03-01 00:00:00"}, // none
		{"1M", "2026-12-31 12:00:00", "2026-12-01 00:00:00", "2027-01-01 00:00:00"},
	} {
		i, ok := ParseInterval(c.interval)
		if !ok || i.String() != c.interval {
			t.Fatalf("%q is read as %s, %v", c.interval, i, ok)
		}
		begin := i.Start(moment(t, c.at))
		if want := moment(t, c.start); begin != want {
			t.Errorf("%s: the candle of %s begins at %s, want %s", c.interval, c.at, begin, want)
		}
		if got, want := i.Next(begin), moment(t, c.next); got != want {
			t.Errorf("%s: the candle after %s begins at %s, want %s", c.interval, begin, got, want)
		}
	}
}

func TestIntervalsHaveNames(t *testing.T) {
	seconds := []schema.Time{1, 10, 30, 60, 180, 300, 900, 1800, 3600, 7200, 14400, 21600, 28800, 43200, 86400, 259200, 604800, 2592000}
	for i := Sec1; i <= Month1; i++ {
		if got, ok := ParseInterval(i.String()); !ok || got != i {
			t.Errorf("%s is read as %s", i, got)
		}
		if got := i.Length(); got != seconds[i-1]*schema.Second {
			t.Errorf("%s has %d µs", i, got)
		}
	}
	for _, s := range []string{"", "1", "2m", "1mo", "1H", "?"} {
		if i, ok := ParseInterval(s); ok {
			t.Errorf("%q is read as %s", s, i)
		}
	}
	if got := Interval(0).String() + (Month1 + 1).String(); got != "??" {
		t.Errorf("what is no interval prints as %q", got)
	}
}

// TestCandlesLieSideBySide: every moment is in exactly one candle.
func TestCandlesLieSideBySide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := schema.Time(rapid.Int64Range(0, int64(200*365*day)).Draw(t, "at"))
		for i := Sec1; i <= Month1; i++ {
			begin := i.Start(at)
			next := i.Next(begin)
			if begin > at || at >= next || i.Start(begin) != begin || i.Start(next) != next || i.Start(next-1) != begin {
				t.Fatalf("%s: %s is in the candle from %s to %s", i, at, begin, next)
			}
			if want := candleStart(i, at); begin != want {
				t.Fatalf("%s: the candle of %s begins at %s, want %s", i, at, begin, want)
			}
		}
	})
}
