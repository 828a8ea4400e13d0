package marketdata

import "bourse/internal/schema"

// Period is a length of candles of which more are shown than kept: candles of a period are made of
// those of the longest interval that divides it. Only a value from NewPeriod is one.
type Period struct {
	length schema.Time
	of     Interval
}

// NewPeriod is a period of so many seconds, if there is one. Periods share out the next larger unit
// evenly: the minute, the hour, the day; beyond these there are whole days up to six, the week and
// the month.
func NewPeriod(seconds int64) (p Period, ok bool) {
	const week, month = 7 * day, 30 * day
	if seconds < 1 || seconds > int64(month/schema.Second) {
		return p, false
	}
	p.length = schema.Time(seconds) * schema.Second
	switch l := p.length; {
	case l < minute:
		ok = minute%l == 0
	case l < hour:
		ok = l%minute == 0 && hour%l == 0
	case l < day:
		ok = l%hour == 0 && day%l == 0
	case l < week:
		ok = l%day == 0
	default:
		ok = l == week || l == month
	}
	if !ok {
		return Period{}, false
	}
	for i := Sec1; i <= Month1 && intervals[i].length <= p.length; i++ {
		if p.length%intervals[i].length == 0 {
			p.of = i
		}
	}
	return p, true
}

// named reports whether candles of the period are kept as they are.
func (p Period) named() bool { return intervals[p.of].length == p.length }

// Start is the beginning of the candle that holds a moment.
func (p Period) Start(t schema.Time) schema.Time {
	if p.named() {
		return p.of.Start(t)
	}
	into := t % p.length
	if into < 0 {
		into += p.length
	}
	return t - into
}

// Next is the beginning of the candle after the one that begins at start.
func (p Period) Next(start schema.Time) schema.Time {
	if p.named() {
		return p.of.Next(start)
	}
	return start + p.length
}

// Chart are the candles of a market that begin at from or later, not later than to and not later
// than now, oldest first. When there are more than limit, the newest of them. There are no gaps: a
// period without trades has a candle at the close before it, with nothing in it. The chart begins
// with the first trade, or where the candles that are kept do.
func (d *Data) Chart(id schema.MarketID, p Period, from, to, now schema.Time, limit int) []Candle {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := m.of(p.of)
	to = min(to, m.latest(now))
	if s.len() == 0 || limit <= 0 || from > to {
		return nil
	}
	first := s.at(0).Start
	begin := p.Start(first)
	if begin != first && s.forgot() {
		begin = p.Next(begin) // of the one before only a part may be kept
	}
	if from > begin {
		if begin = p.Start(from); begin < from {
			begin = p.Next(begin)
		}
	}
	last := p.Start(to)
	if p.of != Month1 { // months are few
		begin = max(begin, last-schema.Time(limit-1)*p.length)
	}
	var list []Candle
	i := s.from(begin)
	for begin <= last {
		end := p.Next(begin)
		k := Candle{Start: begin}
		if i < s.len() && s.at(i).Start < end {
			k = *s.at(i)
			k.Start = begin
			for i++; i < s.len() && s.at(i).Start < end; i++ {
				k.add(s.at(i))
			}
		} else {
			price := s.at(i - 1).Close
			k.Open, k.Close, k.High, k.Low = price, price, price, price
		}
		list = append(list, k)
		begin = end
	}
	return list[max(0, len(list)-limit):]
}
