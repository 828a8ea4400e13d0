package marketdata

import (
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
	return m.since(Day1.Start(m.latest(now)), Day1, Day1)
}

// latest is now, or the time of the last trade if the caller's clock is behind the exchange's.
func (m *market) latest(now schema.Time) schema.Time { return max(now, m.last().Time) }

// since is a summary from a moment on, at which a candle of the fine interval begins. Fine candles
// lead up to the first coarse one, coarse ones go on from there. There are no running sums to be
// kept right: a sum that once did not fit could not be taken from again.
func (m *market) since(from schema.Time, fine, coarse Interval) Summary {
	last := m.last().Price
	all := Candle{Open: last, Close: last, High: last, Low: last}
	some := false
	add := func(k *Candle) {
		if some {
			all.add(k)
			return
		}
		all, some = *k, true
	}
	whole := coarse.Next(coarse.Start(from))
	s := m.of(fine)
	first := s.from(from)
	for i := first; i < s.len() && s.at(i).Start < whole; i++ {
		add(s.at(i))
	}
	for s, i := m.of(coarse), m.of(coarse).from(whole); i < s.len(); i++ {
		add(s.at(i))
	}
	if first > 0 {
		all.Open = s.at(first - 1).Close
	}
	return Summary{
		Open: all.Open, High: all.High, Low: all.Low, Last: last, Volume: all.Volume, Money: all.Money,
		Change: percent(all.Open, last), Bid: best(m.book.bids).Price, Ask: best(m.book.asks).Price,
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
