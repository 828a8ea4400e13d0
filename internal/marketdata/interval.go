package marketdata

import (
	"time"

	"bourse/internal/schema"
)

// Interval is the length of a candle.
type Interval uint8

const (
	Sec1 Interval = iota + 1
	Sec10
	Sec30
	Min1
	Min3
	Min5
	Min15
	Min30
	Hour1
	Hour2
	Hour4
	Hour6
	Hour8
	Hour12
	Day1
	Day3
	Week1
	Month1
)

const (
	minute = 60 * schema.Second
	hour   = 60 * minute
	day    = 24 * hour
)

// intervals are the lengths that candles come in. Candles begin at whole multiples of the length
// from 1970 on (UTC), shifted by from: the Monday of that week is three days before. Months are
// those of the calendar; their length is only what the API counts for one.
var intervals = [...]struct {
	name   string
	length schema.Time
	from   schema.Time
}{
	Sec1:   {name: "1s", length: schema.Second},
	Sec10:  {name: "10s", length: 10 * schema.Second},
	Sec30:  {name: "30s", length: 30 * schema.Second},
	Min1:   {name: "1m", length: minute},
	Min3:   {name: "3m", length: 3 * minute},
	Min5:   {name: "5m", length: 5 * minute},
	Min15:  {name: "15m", length: 15 * minute},
	Min30:  {name: "30m", length: 30 * minute},
	Hour1:  {name: "1h", length: hour},
	Hour2:  {name: "2h", length: 2 * hour},
	Hour4:  {name: "4h", length: 4 * hour},
	Hour6:  {name: "6h", length: 6 * hour},
	Hour8:  {name: "8h", length: 8 * hour},
	Hour12: {name: "12h", length: 12 * hour},
	Day1:   {name: "1d", length: day},
	Day3:   {name: "3d", length: 3 * day},
	Week1:  {name: "1w", length: 7 * day, from: -3 * day},
	Month1: {name: "1M", length: 30 * day},
}

// ParseInterval reads an interval as the API spells it.
func ParseInterval(s string) (Interval, bool) {
	for i := Sec1; i <= Month1; i++ {
		if intervals[i].name == s {
			return i, true
		}
	}
	return 0, false
}

// valid reports whether the interval is one of the table.
func (i Interval) valid() bool { return i >= Sec1 && i <= Month1 }

// String is the interval as the API spells it.
func (i Interval) String() string {
	if !i.valid() {
		return "?"
	}
	return intervals[i].name
}

// Length of the interval; that of a month is 30 days, as the API counts it.
func (i Interval) Length() schema.Time { return intervals[i].length }

// Start is the beginning of the candle that holds a moment.
func (i Interval) Start(t schema.Time) schema.Time {
	if i == Month1 {
		return month(t, 0)
	}
	row := &intervals[i]
	into := (t - row.from) % row.length
	if into < 0 {
		into += row.length
	}
	return t - into
}

// Next is the beginning of the candle after the one that begins at start.
func (i Interval) Next(start schema.Time) schema.Time {
	if i == Month1 {
		return month(start, 1)
	}
	return start + intervals[i].length
}

// month is the first moment of the month that holds t, or of one that is so many months later.
func month(t schema.Time, later time.Month) schema.Time {
	y, m, _ := time.UnixMicro(int64(t)).UTC().Date()
	return schema.Time(time.Date(y, m+later, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
}
