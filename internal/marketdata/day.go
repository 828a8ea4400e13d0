package marketdata

import (
	"math"
	"sort"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Summary is what happened on a market from some moment until now.
//
// Open is the price at which the time began: that of the last trade before it, or of the first
// trade in it when there was none before. High, Low, Volume and Money are about the trades in it,
// so that Open may lie outside of Low…High. Last is the price of the last trade of all. Without a
// trade in it, Open, High and Low are Last, and Volume and Money are zero; before the first trade
// of the market everything is zero. Sums that do not fit stay at fixed.Max.
type Summary struct {
	Open   fixed.Decimal
	High   fixed.Decimal
	Low    fixed.Decimal
	Last   fixed.Decimal
	Volume fixed.Decimal // in base
	Money  fixed.Decimal // in quote
	// Change is how far Last is from Open in percent, with two decimals, rounded toward zero: it
	// never says more than happened.
	Change fixed.Decimal
	Bid    fixed.Decimal // the best prices of the book now, zero where there is none
	Ask    fixed.Decimal
}

// Day is a summary of the last 24 hours: of the last 1,440 whole minutes and the current one.
func (d *Data) Day(id schema.MarketID, now schema.Time) Summary {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	// At most 60 minutes and 24 hours to add up. Of minutes more are kept than a day has, also
	// the last one before it.
	return m.since(Min1.Start(m.latest(now))-day, Min1, Hour1)
}

// Today is a summary of the day since midnight, UTC.
func (d *Data) Today(id schema.MarketID, now schema.Time) Summary {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.since(Day1.Start(m.latest(now)), Day1)
}

// Over is a summary of the time up to now that is so long. It begins exactly then as long as the
// trades that are kept reach back so far, and otherwise with the second, the minute or the hour that
// holds the moment, whichever candles do. Of hours half a year is kept.
func (d *Data) Over(id schema.MarketID, now, length schema.Time) Summary {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	from := m.latest(now) - length
	fine := []Interval{Sec1, Min1, Hour1}
	if m.trades.len() < TradesKept || m.trades.at(0).Time < from {
		return m.sinceTrade(from, fine...)
	}
	for len(fine) > 1 && m.of(fine[0]).forgot() && m.of(fine[0]).at(0).Start >= fine[0].Start(from) {
		fine = fine[1:]
	}
	return m.since(fine[0].Start(from), fine...)
}

// latest is now, or the time of the last trade if the caller's clock is behind the exchange's.
func (m *market) latest(now schema.Time) schema.Time { return max(now, m.last().Time) }

// since is a summary from a moment on, at which a candle of the first interval begins.
func (m *market) since(from schema.Time, intervals ...Interval) Summary {
	var t total
	m.sum(&t, from, intervals)
	s := m.of(intervals[0])
	if first := s.from(from); first > 0 {
		t.Open = s.at(first - 1).Close
	}
	return m.summary(&t)
}

// sinceTrade is a summary from any moment on: trades lead up to the first whole candle of the first
// interval.
func (m *market) sinceTrade(from schema.Time, intervals ...Interval) Summary {
	whole := intervals[0].Next(intervals[0].Start(from))
	at := func(i int) *Trade { return m.trades.at(i) }
	first := sort.Search(m.trades.len(), func(i int) bool { return at(i).Time >= from })
	var t total
	for i := first; i < m.trades.len() && at(i).Time < whole; i++ {
		p := at(i).Price
		t.add(&Candle{Open: p, Close: p, High: p, Low: p, Volume: at(i).Amount, Money: at(i).Money})
	}
	m.sum(&t, whole, intervals)
	if first > 0 {
		t.Open = at(first - 1).Price
	}
	return m.summary(&t)
}

// total is candles in one.
type total struct {
	Candle
	some bool
}

func (t *total) add(k *Candle) {
	if t.some {
		t.Candle.add(k)
		return
	}
	t.Candle, t.some = *k, true
}

// sum adds up candles from a moment on, at which one of the first interval begins. Those of each
// interval lead up to the first whole one of the next, so that there are few to add. There are no
// running sums to be kept right: a sum that once did not fit could not be taken from again.
func (m *market) sum(t *total, from schema.Time, intervals []Interval) {
	for n, interval := range intervals {
		whole := schema.Time(math.MaxInt64)
		if n+1 < len(intervals) {
			next := intervals[n+1]
			whole = next.Next(next.Start(from))
		}
		s := m.of(interval)
		for i := s.from(from); i < s.len() && s.at(i).Start < whole; i++ {
			t.add(s.at(i))
		}
		from = whole
	}
}

func (m *market) summary(t *total) Summary {
	last := m.last().Price
	if !t.some {
		t.Candle = Candle{Open: last, High: last, Low: last}
	}
	return Summary{
		Open: t.Open, High: t.High, Low: t.Low, Last: last, Volume: t.Volume, Money: t.Money,
		Change: percent(t.Open, last), Bid: m.book.best(schema.Buy).Price, Ask: m.book.best(schema.Sell).Price,
	}
}

// percent is how far a price is from another, which is zero if there is none. What is beyond all
// numbers is the largest one.
func percent(open, last fixed.Decimal) fixed.Decimal {
	if open.IsZero() {
		return fixed.Zero
	}
	share, ok := fixed.Div(last.Sub(open), open, 4, fixed.Down)
	if !ok {
		return fixed.Max
	}
	// Four decimals times a hundred are two decimals: nothing is rounded again.
	change, ok := fixed.Mul(share, fixed.FromInt(100), 2, fixed.Down)
	if !ok {
		return fixed.Max
	}
	return change
}
