package ws

import (
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// maxCandles is how many candles a frame has at most.
const maxCandles = 1440

// settling is how long after its end a candle may still change: trades that the exchange stamped
// before it may reach the market data a moment later. So long it is pushed along with the one that
// runs, so that the last that clients see of a candle is how it ended.
const settling = schema.Second

// candles is the channel of candles. A push does not say of which length they are: a connection has
// one chart at a time.
type candles struct {
	outlook
	groups[chart, schema.Time] // where the oldest candle begins that may change for the client
}

// chart is a market and the length of its candles.
type chart struct {
	market listed
	period marketdata.Period
}

const candlesChannel = "candles"

var candleShape = named("Candle", "A candle: start, open, close, high, low, volume in the base asset, volume in the quote asset, market.", api.TupleOf(
	api.Described("Start of the candle, Unix time in seconds.", api.Integer), api.Described("Open price.", api.Decimal), api.Described("Close price.", api.Decimal),
	api.Described("High price.", api.Decimal), api.Described("Low price.", api.Decimal), api.Described("Volume in the base asset.", api.Decimal),
	api.Described("Volume in the quote asset.", api.Decimal), api.Described("Market name.", api.String),
))

const exampleCandles = `[[1790000040,"51200","51234.5","51240","51190","1.25","64020.5","BTC_USDT"]]`

var candleMethods = channel(
	&Group{candlesChannel, "Candles", "Candles of one market and interval, pushed every half second. A push does not name the interval: a connection has one chart at a time."}, "",
	Method{
		Kind: Request, Summary: "Query candles",
		Text:   "Returns candles that start within a range, oldest first, at most 1440; of more the newest are returned. A period without trades repeats the last close.",
		Result: api.ArrayOf(candleShape), Example: Example{`["BTC_USDT",1790000040,1790000099,60]`, exampleCandles},
		handling: fresh(answers(func(q *call, p *candlesRequest) ([]byte, *Error) { return q.conn.server.candles.request(p), nil })),
	},
	subscribing(`["BTC_USDT",60]`, Method{
		Summary: "Subscribe to candles",
		Text:    "Pushes the current candle at once and every half second from then on, together with earlier ones that can still change.",
		handling: fresh(asks(func(q *call, p *candlesSubscription) ([]byte, func(), *Error) {
			ch := q.conn.server.candles
			return success, ch.replace(q.conn, []chart{p.chart}, ch.first), nil
		})),
	}),
	unsubscribing(leaves(func(s *Server) leaver { return s.candles })),
	Method{
		Kind: Push, Summary: "Candles", Text: "The current candle, and earlier ones that changed since the last push, oldest first.",
		Result: api.ArrayOf(candleShape), Example: Example{Params: exampleCandles},
	},
)

func newCandles(v outlook, pushes prometheus.Counter) *candles {
	return &candles{v, newGroups[chart, schema.Time](pushes)}
}

type candlesRequest struct {
	chart
	from, to int64
}

func (p *candlesRequest) read(a *arguments) {
	a.count(4, 4)
	p.chart = a.chart(3)
	p.from, p.to = a.whole(1, "start"), a.whole(2, "end")
	a.check(p.from <= p.to, argument("start is after end"))
}

type candlesSubscription struct{ chart }

func (p *candlesSubscription) read(a *arguments) {
	a.count(2, 2)
	p.chart = a.chart(1)
}

// chart reads a market, which is the first parameter, and the length of its candles.
func (a *arguments) chart(length int) (k chart) {
	seconds := a.whole(length, "interval")
	period, is := marketdata.NewPeriod(seconds)
	a.check(is, argument("interval is invalid"))
	return chart{a.listed(0), period}
}

// request answers with the candles that begin between two moments.
func (ch *candles) request(p *candlesRequest) []byte {
	list := ch.data.Chart(p.market.id, p.period, moment(p.from), moment(p.to), ch.now(), maxCandles)
	return appendCandles(nil, list, p.market.name)
}

// ever is later than any time.
const ever = schema.Time(1 << 62)

// moment is a time in seconds, as far as times go.
func moment(seconds int64) schema.Time {
	const last = int64(ever / schema.Second)
	return schema.Time(min(max(seconds, -last), last)) * schema.Second
}

// first pushes the candle that runs.
func (ch *candles) first(k chart, c *conn) schema.Time {
	list := ch.since(k, k.period.Start(ch.now()), ch.now())
	ch.push(c, candlesFrame(k, list))
	return list[len(list)-1].Start
}

// tick pushes every chart the candle that runs and those before it that its clients have not seen
// the end of.
func (ch *candles) tick() {
	now := ch.now()
	ch.each(func(k chart, conns map[*conn]schema.Time) {
		frames := map[schema.Time][]byte{} // mostly one
		seen := k.period.Start(now - settling)
		for c, from := range conns {
			if behind(c) {
				continue
			}
			f := frames[from]
			if f == nil {
				f = candlesFrame(k, ch.since(k, from, now))
				frames[from] = f
			}
			ch.push(c, f)
			conns[c] = max(from, seen)
		}
	})
}

// since are the candles from one on to the one that runs. On a market that never traded that one is
// all zero.
func (ch *candles) since(k chart, from, now schema.Time) []marketdata.Candle {
	list := ch.data.Chart(k.market.id, k.period, from, ever, now, maxCandles)
	if len(list) == 0 {
		list = []marketdata.Candle{{Start: k.period.Start(now)}}
	}
	return list
}

func candlesFrame(k chart, list []marketdata.Candle) []byte {
	return pushed(appendCandles(push(candlesChannel), list, k.market.name))
}

func appendCandles(b []byte, list []marketdata.Candle, market string) []byte {
	b = append(b, '[')
	for i := range list {
		k := &list[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = api.AppendInt(append(b, '['), int64(k.Start/schema.Second))
		b = api.AppendDecimal(append(b, ','), k.Open)
		b = api.AppendDecimal(append(b, ','), k.Close)
		b = api.AppendDecimal(append(b, ','), k.High)
		b = api.AppendDecimal(append(b, ','), k.Low)
		b = api.AppendDecimal(append(b, ','), k.Volume)
		b = api.AppendDecimal(append(b, ','), k.Money)
		b = api.AppendText(append(b, ','), market)
		b = append(b, ']')
	}
	return append(b, ']')
}
