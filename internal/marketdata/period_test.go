package marketdata

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestPeriodsShareOutTheNextUnit(t *testing.T) {
	want := []int64{
		1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30,
		60, 120, 180, 240, 300, 360, 600, 720, 900, 1200, 1800,
		3600, 7200, 10800, 14400, 21600, 28800, 43200,
		86400, 172800, 259200, 345600, 432000, 518400, 604800, 2592000,
	}
	var got []int64
	for s := int64(-100); s <= 2592000+86400; s++ {
		if _, ok := NewPeriod(s); ok {
			got = append(got, s)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("periods are %v, want %v", got, want)
	}
	for _, s := range []int64{math.MinInt64, math.MaxInt64, 1 << 58, 7 * 604800} {
		if _, ok := NewPeriod(s); ok {
			t.Errorf("%d seconds are a period", s)
		}
	}
}

func TestPeriodsBeginWhereTheCalendarSays(t *testing.T) {
	for _, c := range []struct {
		seconds         int64
		at, start, next string
	}{
		{2, "2026-10-01 12:34:57.5", "2026-10-01 12:34:56", "2026-10-01 12:34:58"},
		{120, "2026-10-01 12:35:00", "2026-10-01 12:34:00", "2026-10-01 12:36:00"},
		{10800, "2026-10-01 23:59:59", "2026-10-01 21:00:00", "2026-10-02 00:00:00"},
		{172800, "1970-01-04 12:00:00", "1970-01-03 00:00:00", "1970-01-05 00:00:00"},
		{172800, "1969-12-31 12:00:00", "1969-12-30 00:00:00", "1970-01-01 00:00:00"},
		{604800, "2026-10-01 12:34:56", "2026-09-28 00:00:00", "2026-10-05 00:00:00"},
		{2592000, "2028-02-29 12:00:00", "2028-02-01 00:00:00", "2028-03-01 00:00:00"},
	} {
		p, _ := NewPeriod(c.seconds)
		start := p.Start(moment(t, c.at))
		if start != moment(t, c.start) || p.Next(start) != moment(t, c.next) {
			t.Errorf("%d seconds at %s: from %s to %s", c.seconds, c.at, start, p.Next(start))
		}
	}
}

// TestChartIsWhatTheTradesSay holds charts of all periods against trades put into them one by one.
func TestChartIsWhatTheTradesSay(t *testing.T) {
	periods := []int64{1, 2, 6, 12, 15, 20, 60, 120, 240, 720, 3600, 10800, 86400, 172800, 345600, 518400, 604800, 2592000}
	rapid.Check(t, func(t *rapid.T) {
		d := new(Data)
		p, _ := NewPeriod(rapid.SampledFrom(periods).Draw(t, "period"))
		at := start
		var trades []Trade
		for i := range rapid.IntRange(0, 30).Draw(t, "trades") {
			at += p.length * schema.Time(rapid.IntRange(0, 300).Draw(t, "later")) / 100
			price := fixed.FromInt(int64(rapid.IntRange(1, 20).Draw(t, "price")))
			trade(d, uint64(i+1), at, price.String(), "2", "3")
			trades = append(trades, Trade{Time: at, Price: price})
		}
		now := at + p.length*schema.Time(rapid.IntRange(0, 5).Draw(t, "now"))
		var want []Candle
		if len(trades) > 0 {
			price := fixed.Zero
			for begin := p.Start(trades[0].Time); begin <= now; begin = p.Next(begin) {
				k := Candle{Start: begin, Open: price, Close: price, High: price, Low: price}
				for _, d := range trades {
					if p.Start(d.Time) != begin {
						continue
					}
					if k.Volume.IsZero() {
						k.Open, k.High, k.Low = d.Price, d.Price, d.Price
					}
					price = d.Price
					k.Close, k.High, k.Low = price, fixed.MinOf(k.High.Neg(), price.Neg()).Neg(), fixed.MinOf(k.Low, price)
					k.Volume, k.Money = k.Volume.Add(number("2")), k.Money.Add(number("3"))
				}
				want = append(want, k)
			}
		}
		if got := d.Chart(1, p, math.MinInt64, math.MaxInt64, now, 1000); !slices.Equal(got, want) {
			t.Fatalf("%d seconds: %v, want %v", p.length/schema.Second, got, want)
		}
		from := start + p.length*schema.Time(rapid.IntRange(-200, 3000).Draw(t, "from"))/100
		to := from + p.length*schema.Time(rapid.IntRange(-200, 3000).Draw(t, "to"))/100
		limit := rapid.IntRange(0, 40).Draw(t, "limit")
		part := slices.DeleteFunc(slices.Clone(want), func(k Candle) bool { return k.Start < from || k.Start > to })
		part = part[max(0, len(part)-limit):]
		if got := d.Chart(1, p, from, to, now, limit); !slices.Equal(got, part) {
			t.Fatalf("%d seconds, %d from %s to %s: %v, want %v", p.length/schema.Second, limit, from, to, got, part)
		}
	})
}

// TestLongAgoIsToldAsFarAsItIsKept: more trades, seconds and minutes than are kept.
func TestLongAgoIsToldAsFarAsItIsKept(t *testing.T) {
	const all = CandlesKept + 1001
	begin := moment(t, "2026-10-01 00:00:00")
	d := new(Data)
	at := func(i int) schema.Time { return begin + schema.Time(i)*minute + 30*schema.Second }
	for i := 1; i <= all; i++ {
		trade(d, uint64(i), at(i), fixed.FromInt(int64(i)).String(), "1", "2")
	}
	now := at(all) + schema.Second
	for _, c := range []struct {
		length schema.Time
		trades int64
		open   int
	}{
		{schema.Second, 1, all - 1}, // the trade at its very beginning is in it
		{1500*minute + schema.Second, 1501, all - 1501},
		{3000 * minute, 3000, all - 3000},                   // seconds, when there are no trades any more
		{4300*minute + schema.Second - 1, 4301, all - 4301}, // whole ones: begun a moment earlier
		{5000 * minute, 5022, all - 5022},                   // hours: begun 21 minutes earlier
		{30 * day, all, 1},                                  // everything
	} {
		got := d.Over(1, now, c.length)
		if got.Volume != fixed.FromInt(c.trades) || got.Money != fixed.FromInt(2*c.trades) || got.Open != fixed.FromInt(int64(c.open)) || got.Last != fixed.FromInt(all) {
			t.Errorf("over %d s: %+v, want %d trades from %d", c.length/schema.Second, got, c.trades, c.open)
		}
	}
	// Of minutes the last 4,320 are kept: from minute 1,002 on, in the middle of four.
	p, _ := NewPeriod(240)
	got := d.Chart(1, p, 0, math.MaxInt64, now, 5000)
	if want := begin + 1004*minute; got[0].Start != want || got[0].Volume != number("4") {
		t.Errorf("the first candle of four minutes begins at %s with %s", got[0].Start, got[0].Volume)
	}
}
