package marketdata

import (
	"sort"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// CandlesKept is how many candles of a market are kept, per interval.
const CandlesKept = 4320

// Candle is what was traded in an interval. There is none for an interval without trades.
type Candle struct {
	Start  schema.Time
	Open   fixed.Decimal
	Close  fixed.Decimal
	High   fixed.Decimal
	Low    fixed.Decimal
	Volume fixed.Decimal // in base; a sum that does not fit stays at fixed.Max
	Money  fixed.Decimal // in quote; a sum that does not fit stays at fixed.Max
}

// Fields of a candle in the file.
func (k *Candle) Fields(c *wire.Coder) {
	wire.Int(c, 1, "start", &k.Start)
	c.Decimal(2, "open", &k.Open)
	c.Decimal(3, "close", &k.Close)
	c.Decimal(4, "high", &k.High)
	c.Decimal(5, "low", &k.Low)
	c.Decimal(6, "volume", &k.Volume)
	c.Decimal(7, "money", &k.Money)
}

// add lets a later candle into this one.
func (k *Candle) add(later *Candle) {
	k.Close = later.Close
	if k.High.Less(later.High) {
		k.High = later.High
	}
	if later.Low.Less(k.Low) {
		k.Low = later.Low
	}
	k.Volume, k.Money = sum(k.Volume, later.Volume), sum(k.Money, later.Money)
}

// sum of two amounts that are not negative, or the largest number when it does not fit.
func sum(a, b fixed.Decimal) fixed.Decimal {
	if s, ok := a.AddChecked(b); ok {
		return s
	}
	return fixed.Max
}

// series are the candles of one interval. The last one is apart from the others: it is the only
// one that changes, and so the last ones of all intervals stand near each other in memory.
type series struct {
	closed ring[Candle]
	live   Candle
	end    schema.Time // of the live candle; 0: there is none
}

// add lets a trade into the last candle, or into a new one. Trades come in the order of time.
func (s *series) add(i Interval, t *Trade) {
	if t.Time >= s.end {
		s.begin(i, t)
		return
	}
	s.live.Close = t.Price
	if s.live.High.Less(t.Price) {
		s.live.High = t.Price
	} else if t.Price.Less(s.live.Low) {
		s.live.Low = t.Price
	}
	s.live.Volume, s.live.Money = sum(s.live.Volume, t.Amount), sum(s.live.Money, t.Money)
}

func (s *series) begin(i Interval, t *Trade) {
	if s.end != 0 {
		s.closed.push(&s.live, CandlesKept-1)
	}
	s.live = Candle{
		Start: i.Start(t.Time), Open: t.Price, Close: t.Price, High: t.Price, Low: t.Price,
		Volume: t.Amount, Money: t.Money,
	}
	s.end = i.Next(s.live.Start)
}

func (s *series) len() int {
	if s.end == 0 {
		return 0
	}
	return s.closed.len() + 1
}

// forgot reports whether there may have been older candles.
func (s *series) forgot() bool { return s.closed.len() >= CandlesKept-1 }

// at is a candle, the oldest being 0.
func (s *series) at(i int) *Candle {
	if i == s.closed.len() {
		return &s.live
	}
	return s.closed.at(i)
}

// from is the place of the first candle that begins at a moment or later.
func (s *series) from(t schema.Time) int {
	return sort.Search(s.len(), func(i int) bool { return s.at(i).Start >= t })
}

// of are the candles of an interval.
func (m *market) of(i Interval) *series { return &m.candles[i-1] }

// Candles are the candles of a market that begin at from or later and not later than to, oldest
// first. When there are more than limit, the newest of them.
func (d *Data) Candles(id schema.MarketID, i Interval, from, to schema.Time, limit int) []Candle {
	if !i.valid() {
		return nil
	}
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := m.of(i)
	first := s.from(from)
	end := sort.Search(s.len(), func(i int) bool { return s.at(i).Start > to })
	first = max(first, end-max(limit, 0))
	list := make([]Candle, 0, max(end-first, 0))
	for ; first < end; first++ {
		list = append(list, *s.at(first))
	}
	return list
}
