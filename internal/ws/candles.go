package ws

import (
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// candlesTold is how many candles a frame has at most.
const candlesTold = 1440

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

func newCandles(v outlook, pushes prometheus.Counter) *candles {
	return &candles{v, newGroups[chart, schema.Time](pushes)}
}

// request answers with the candles that begin between two moments.
func (ch *candles) request(q *call) ([]byte, func(), *Error) {
	k, err := q.chart(4, 3)
	if err != nil {
		return nil, nil, err
	}
	from, err1 := q.whole(1)
	to, err2 := q.whole(2)
	if err1 != nil || err2 != nil {
		return nil, nil, errArgument
	}
	if from > to {
		return nil, nil, argument("start is after end")
	}
	list := ch.data.Chart(k.market.id, k.period, moment(from), moment(to), ch.now(), candlesTold)
	return appendCandles(nil, list, k.market.name), nil, nil
}

// ever is later than any time.
const ever = schema.Time(1 << 62)

// moment is a time in seconds, as far as times go.
func moment(seconds int64) schema.Time {
	const last = int64(ever / schema.Second)
	return schema.Time(min(max(seconds, -last), last)) * schema.Second
}

func (ch *candles) subscribe(q *call) ([]byte, func(), *Error) {
	k, err := q.chart(2, 1)
	if err != nil {
		return nil, nil, err
	}
	return success, ch.replace(q.conn, []chart{k}, ch.first), nil
}

// chart is a request for candles with so many parameters, of which the first is the market and
// one the length.
func (c *call) chart(params, length int) (k chart, err *Error) {
	if len(c.params) != params {
		return k, errArgument
	}
	seconds, err := c.whole(length)
	if err != nil {
		return k, err
	}
	period, ok := marketdata.NewPeriod(seconds)
	if !ok {
		return k, argument("interval is invalid")
	}
	market, err := c.listed(0)
	return chart{market, period}, err
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
	list := ch.data.Chart(k.market.id, k.period, from, ever, now, candlesTold)
	if len(list) == 0 {
		list = []marketdata.Candle{{Start: k.period.Start(now)}}
	}
	return list
}

func candlesFrame(k chart, list []marketdata.Candle) []byte {
	return pushed(appendCandles(push("candles_update"), list, k.market.name))
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
