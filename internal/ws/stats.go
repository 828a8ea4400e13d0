package ws

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// stats is a channel that sums a market up, again and again: over the last 24 hours, or since
// midnight.
type stats struct {
	channel string
	// write writes the summary of a market.
	write func([]byte, schema.MarketID) []byte
	groups[listed, struct{}]
}

func newStats(channel string, write func([]byte, schema.MarketID) []byte, pushes prometheus.Counter) *stats {
	return &stats{channel, write, newGroups[listed, struct{}](pushes)}
}

const (
	dayChannel   = "market"
	todayChannel = "marketToday"
)

// statistics are what happened on a market over some seconds.
type statistics struct {
	seconds int64
	marketdata.Summary
}

var (
	statisticsBegin = []api.Field[statistics]{
		api.DecimalField("last", "Last price.", func(s *statistics) fixed.Decimal { return s.Last }),
		api.DecimalField("open", "Price at the start of the window.", func(s *statistics) fixed.Decimal { return s.Open }),
	}
	statisticsEnd = []api.Field[statistics]{
		api.DecimalField("high", "Highest price in the window.", func(s *statistics) fixed.Decimal { return s.High }),
		api.DecimalField("low", "Lowest price in the window.", func(s *statistics) fixed.Decimal { return s.Low }),
		api.DecimalField("volume", "Volume in the base asset.", func(s *statistics) fixed.Decimal { return s.Volume }),
		api.DecimalField("deal", "Volume in the quote asset.", func(s *statistics) fixed.Decimal { return s.Money }),
	}
	overEncoder = api.Encode("Statistics", "Statistics of a market over a rolling window. All values are 0 if nothing was traded.", slices.Concat(
		[]api.Field[statistics]{api.IntegerField("period", "Length of the window in seconds.", func(s *statistics) int64 { return s.seconds })}, statisticsBegin,
		[]api.Field[statistics]{api.DecimalField("close", "Last price.", func(s *statistics) fixed.Decimal { return s.Last })}, statisticsEnd)...)
	todayEncoder = api.Encode("StatisticsToday", "Statistics of a market since midnight UTC.", slices.Concat(statisticsBegin, statisticsEnd)...)
)

const (
	exampleOver  = `{"period":86400,"last":"51234.5","open":"50800","close":"51234.5","high":"51900","low":"50500","volume":"812.5","deal":"41500000.25"}`
	exampleToday = `{"last":"51234.5","open":"50800","high":"51900","low":"50500","volume":"812.5","deal":"41500000.25"}`
)

var dayMethods = channel(
	&Group{dayChannel, "Statistics, 24 hours", "Statistics of markets over the last 24 hours, pushed each second."}, "",
	Method{
		Kind: Request, Summary: "Query statistics", Text: "Returns the statistics of a market over a rolling window of any length up to 30 days.",
		Result: overEncoder.Schema(), Example: Example{`["BTC_USDT",86400]`, exampleOver},
		handling: fresh(answers(func(q *call, p *overRequest) ([]byte, *Error) { return q.conn.server.outlook.over(p), nil })),
	},
	subscribing(`["BTC_USDT"]`, statsSubscription(func(s *Server) *stats { return s.day }, "over the last 24 hours")),
	unsubscribing(leaves(func(s *Server) leaver { return s.day })),
	statsPush(overEncoder.Schema(), exampleOver),
)

var todayMethods = channel(
	&Group{todayChannel, "Statistics, today", "Statistics of markets since midnight UTC, pushed each second."}, "",
	todayRequest(Method{Name: todayChannel + "_query", Summary: "Query statistics of today"}),
	todayRequest(Method{Summary: "Query statistics of today, by the usual name"}),
	subscribing(`["BTC_USDT"]`, statsSubscription(func(s *Server) *stats { return s.today }, "since midnight UTC")),
	unsubscribing(leaves(func(s *Server) leaver { return s.today })),
	statsPush(todayEncoder.Schema(), exampleToday),
)

// todayRequest completes the row of a request for statistics of today, which has two names.
func todayRequest(m Method) Method {
	m.Kind, m.Text, m.Result, m.Example = Request, "Returns the statistics of a market since midnight UTC.", todayEncoder.Schema(), Example{`["BTC_USDT"]`, exampleToday}
	m.handling = fresh(answers(func(q *call, p *marketRequest) ([]byte, *Error) {
		return q.conn.server.outlook.today(nil, p.market.id), nil
	}))
	return m
}

func statsSubscription(find func(*Server) *stats, window string) Method {
	return Method{
		Summary: "Subscribe to statistics", Text: "Pushes the statistics of each market " + window + " at once and every second, whether they changed or not.",
		handling: fresh(asks(func(q *call, p *marketsSubscription) ([]byte, func(), *Error) {
			ch := find(q.conn.server)
			return success, ch.replace(q.conn, p.markets, ch.first), nil
		})),
	}
}

func statsPush(s *shape, example string) Method {
	return Method{
		Kind: Push, Summary: "Statistics", Text: "The market and its statistics.",
		Result: api.TupleOf(api.Described("Market name.", api.String), s), Example: Example{Params: `["BTC_USDT",` + example + `]`},
	}
}

func (ch *stats) first(m listed, c *conn) struct{} {
	ch.push(c, ch.frame(m))
	return struct{}{}
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
	b := api.AppendText(append(push(ch.channel), '['), m.name)
	return pushed(append(ch.write(append(b, ','), m.id), ']'))
}

// dayLong is the period of the channel of 24 hours, and longest the longest that can be asked for.
const (
	dayLong = 24 * 60 * 60
	longest = 30 * dayLong
)

type overRequest struct {
	market listed
	period int64
}

func (p *overRequest) read(a *arguments) {
	a.count(2, 2)
	p.period = a.whole(1, "period")
	if a.schema != nil {
		a.schema.at(1).bounds(1, longest)
	}
	a.check(p.period >= 1 && p.period <= longest, argument("period must be in range 1..2592000"))
	p.market = a.listed(0)
}

// over sums a market up over any period.
func (v outlook) over(p *overRequest) []byte {
	if p.period == dayLong {
		return v.day(nil, p.market.id)
	}
	return overEncoder.Append(nil, &statistics{p.period, v.data.Over(p.market.id, v.now(), moment(p.period))})
}

// day writes the last 24 hours: the very figures that tickers have.
func (v outlook) day(b []byte, id schema.MarketID) []byte {
	return overEncoder.Append(b, &statistics{dayLong, v.data.Day(id, v.now())})
}

// today writes what happened since midnight.
func (v outlook) today(b []byte, id schema.MarketID) []byte {
	return todayEncoder.Append(b, &statistics{Summary: v.data.Today(id, v.now())})
}
