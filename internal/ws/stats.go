package ws

import (
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// stats is a channel that sums a market up, again and again: over the last 24 hours, or since
// midnight.
type stats struct {
	method string
	// write writes the summary of a market.
	write func([]byte, schema.MarketID) []byte
	groups[listed, struct{}]
}

func newStats(method string, write func([]byte, schema.MarketID) []byte, pushes prometheus.Counter) *stats {
	return &stats{method, write, newGroups[listed, struct{}](pushes)}
}

func (ch *stats) subscribe(q *call) ([]byte, func(), *Error) {
	markets, err := q.allListed()
	if err != nil {
		return nil, nil, err
	}
	return success, ch.replace(q.conn, markets, func(m listed, c *conn) struct{} {
		ch.push(c, ch.frame(m))
		return struct{}{}
	}), nil
}

func (ch *stats) tick() {
	ch.each(func(m listed, conns map[*conn]struct{}) {
		f := ch.frame(m)
		for c := range conns {
			if !behind(c) {
				ch.push(c, f)
			}
		}
	})
}

func (ch *stats) frame(m listed) []byte {
	b := api.AppendText(append(push(ch.method), '['), m.name)
	return pushed(append(ch.write(append(b, ','), m.id), ']'))
}

// dayLong is the period of the channel of 24 hours, and longest the longest that can be asked for.
const (
	dayLong = 24 * 60 * 60
	longest = 30 * dayLong
)

// overRequest sums a market up over any period.
func (v outlook) overRequest(q *call) ([]byte, func(), *Error) {
	if len(q.params) != 2 {
		return nil, nil, errArgument
	}
	seconds, err := q.whole(1)
	if err != nil {
		return nil, nil, err
	}
	if seconds < 1 || seconds > longest {
		return nil, nil, argument("period must be in range 1..2592000")
	}
	m, err := q.listed(0)
	if err != nil {
		return nil, nil, err
	}
	if seconds == dayLong {
		return v.day(nil, m.id), nil, nil
	}
	return appendOver(nil, seconds, v.data.Over(m.id, v.now(), moment(seconds))), nil, nil
}

// day writes the last 24 hours: the very figures that tickers have.
func (v outlook) day(b []byte, id schema.MarketID) []byte {
	return appendOver(b, dayLong, v.data.Day(id, v.now()))
}

func appendOver(b []byte, seconds int64, s marketdata.Summary) []byte {
	b = api.AppendInt(append(b, `{"period":`...), seconds)
	b = appendMember(b, `,"last":`, s.Last)
	b = appendMember(b, `,"open":`, s.Open)
	b = appendMember(b, `,"close":`, s.Last)
	return appendTraded(b, s)
}

func (v outlook) todayRequest(q *call) ([]byte, func(), *Error) {
	if len(q.params) != 1 {
		return nil, nil, errArgument
	}
	m, err := q.listed(0)
	if err != nil {
		return nil, nil, err
	}
	return v.today(nil, m.id), nil, nil
}

// today writes what happened since midnight.
func (v outlook) today(b []byte, id schema.MarketID) []byte {
	s := v.data.Today(id, v.now())
	b = appendMember(b, `{"last":`, s.Last)
	b = appendMember(b, `,"open":`, s.Open)
	return appendTraded(b, s)
}

// appendTraded writes the members that all summaries end with.
func appendTraded(b []byte, s marketdata.Summary) []byte {
	b = appendMember(b, `,"high":`, s.High)
	b = appendMember(b, `,"low":`, s.Low)
	b = appendMember(b, `,"volume":`, s.Volume)
	b = appendMember(b, `,"deal":`, s.Money)
	return append(b, '}')
}

func appendMember(b []byte, name string, d fixed.Decimal) []byte {
	return api.AppendDecimal(append(b, name...), d)
}
