package api

import (
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// tradesOf asks for the latest trades of a market.
type tradesOf struct {
	marketPath
	side schema.Side // 0: both
}

func (q *tradesOf) read(f *Form) {
	q.marketPath.read(f)
	word, s := f.choice("type", takerWords)
	switch {
	case s == malformed:
		f.fail(422, 0, "type", "Type should be 'sell' or 'buy'.")
	case word == "buy":
		q.side = schema.Buy
	case word == "sell":
		q.side = schema.Sell
	}
}

// takerWords are the sides by which trades are chosen.
var takerWords = append(sideWords[:2:2], "")

// maxTrades is how many trades an answer has.
const maxTrades = 100

var aboutRecentTrades = &About{
	Summary: "List recent trades",
	Text:    "At most 100 trades, newest first.",
	Fields:  map[string]string{"type": "Only trades whose taker bought, or sold. Empty: both."},
	Answer: listOf(record("Trade", "A trade.",
		always("tradeID", whole, "Trade id, 0 for trades of a demo's synthetic past."),
		always("price", decimal, "Price in the quote asset."),
		always("quote_volume", decimal, "Volume in the base asset: the names of the volumes are swapped compared with the ticker."),
		always("base_volume", decimal, "Volume in the quote asset."),
		always("trade_timestamp", seconds, "Time of the event."),
		always("type", oneWord(sideWords...), "Side of the taker."),
		always("rpi", yesOrNo, "Whether the maker's order was an RPI order (retail price improvement)."))),
	Faults: []*Error{noMarket()},
}

func recentTrades(c *Call, q *tradesOf) (Answer, error) {
	m, err := c.public(q.market)
	if err != nil {
		return nil, err
	}
	// The names of the volumes are the other way round here than in the ticker.
	return list(c.API.data.Trades(m.ID, q.side, maxTrades), func(dst []byte, t *marketdata.Trade) []byte {
		dst = append(dst, `{"tradeID":`...)
		dst = AppendInt(dst, int64(t.ID))
		dst = append(dst, `,"price":`...)
		dst = AppendDecimal(dst, t.Price)
		dst = append(dst, `,"quote_volume":`...)
		dst = AppendDecimal(dst, t.Amount)
		dst = append(dst, `,"base_volume":`...)
		dst = AppendDecimal(dst, t.Money)
		dst = append(dst, `,"trade_timestamp":`...)
		dst = AppendInt(dst, int64(t.Time/schema.Second))
		dst = append(dst, `,"type":"`...)
		dst = append(dst, t.Side.String()...)
		dst = append(dst, `","rpi":`...)
		dst = AppendBool(dst, t.RPI)
		return append(dst, '}')
	}), nil
}

// tradesSince asks for trades in version 1.
type tradesSince struct {
	market string
	lastID schema.DealID
	limit  int
}

func (q *tradesSince) read(f *Form) {
	q.market = f.queryMarket()
	if !f.has("lastId") {
		f.lack(422, 0, "lastId", "LastId field is required.")
	}
	q.lastID = schema.DealID(f.bounded("lastId", 0, 0, 1<<53, laravelPublic))
	q.limit = int(f.bounded("limit", 50, 1, maxTrades, laravelPublic))
}

var aboutFirstTrades = &About{
	Summary: "List trades since a trade id (v1)",
	Text:    "Newest first.",
	Fields:  map[string]string{"lastId": "Only trades with greater numbers."},
	Answer: enveloped(listOf(record("FirstTrade", "A trade.",
		always("id", whole, "Trade id. Trades of a demo's synthetic past have none and are not listed."),
		always("time", moment, "Time of the event."),
		always("price", decimal, "Price in the quote asset."),
		always("amount", decimal, "Traded amount in the base asset."),
		always("type", oneWord(sideWords...), "Side of the taker.")))),
	Faults: []*Error{noMarket()},
}

func firstTrades(c *Call, q *tradesSince) (Answer, error) {
	m, err := c.public(q.market)
	if err != nil {
		return nil, err
	}
	found := list(c.API.data.TradesAfter(m.ID, q.lastID, q.limit), func(dst []byte, t *marketdata.Trade) []byte {
		dst = append(dst, `{"id":`...)
		dst = AppendInt(dst, int64(t.ID))
		dst = append(dst, `,"time":`...)
		dst = AppendMoment(dst, t.Time)
		dst = append(dst, `,"price":`...)
		dst = AppendDecimal(dst, t.Price)
		dst = append(dst, `,"amount":`...)
		dst = AppendDecimal(dst, t.Amount)
		dst = append(dst, `,"type":"`...)
		dst = append(dst, t.Side.String()...)
		return append(dst, `"}`...)
	})
	return answerFunc(func(dst []byte) []byte { return wrapped(dst, found.AppendTo) }), nil
}

// candlesOf asks for candles.
type candlesOf struct {
	market     string
	interval   marketdata.Interval
	start, end schema.Time
	hasStart   bool
	hasEnd     bool
	limit      int
	hasLimit   bool
}

// maxCandles is how many candles an answer has.
const maxCandles = 1440

// endBeforeStart is how clients know it, mistake and all.
const endBeforeStart = "End field must be greater then start."

// ahead is how far the clock of a client may be before ours.
const ahead = schema.Second

// intervalWords are the lengths of candles.
var intervalWords = func() (words []string) {
	for i := marketdata.Sec1; i <= marketdata.Month1; i++ {
		words = append(words, i.String())
	}
	return words
}()

func (q *candlesOf) read(f *Form) {
	q.market = f.queryMarket()
	word, s := f.choice("interval", intervalWords)
	if s == missing {
		word = "1h"
	}
	interval, known := marketdata.ParseInterval(word)
	if !known {
		f.fail(422, 0, "interval", "Interval is not available.")
	}
	q.interval = interval
	q.hasStart, q.hasEnd, q.hasLimit = f.has("start"), f.has("end"), f.has("limit")
	q.start, q.end = f.second("start", laravelPublic), f.second("end", laravelPublic)
	q.limit = int(f.bounded("limit", maxCandles, 1, maxCandles, laravelPublic))
}

var aboutCandles = &About{
	Summary: "Get candles (v1)",
	Text: "Oldest first. Intervals without trades have no candle. In a demo, candles before its first start are synthetic. Errors about a field have status 200 and success false.\n\n" +
		"Without start and limit, candles go back 10 minutes for intervals below a minute, a day below an hour, a week below a day, " +
		"31 days up to a week, and 366 days for months.",
	Fields: map[string]string{
		"interval": "Length of a candle. Defaults to 1h.",
		"start":    "Start of the range, Unix time in seconds. If given, the limit counts from here.",
		"end":      "End of the range, Unix time in seconds. Defaults to now.",
		"limit":    "Maximum number of candles to return.",
	},
	Answer: enveloped(listOf(called("A candle: its beginning in seconds, open, close, high, low, what was traded in base and in quote.",
		tupleOf(seconds, decimal, decimal, decimal, decimal, decimal, decimal)))),
	Faults: []*Error{
		noMarket(), fault(422, 0, invalid, "end", "End field must not be in the future."),
		fault(422, 0, invalid, "end", endBeforeStart),
	},
}

func candles(c *Call, q *candlesOf) (Answer, error) {
	m, err := c.public(q.market)
	if err != nil {
		return nil, err
	}
	end := c.API.options.Now()
	if q.hasEnd {
		if q.end > end+ahead {
			return nil, fault(422, 0, invalid, "end", "End field must not be in the future.")
		}
		end = min(end, q.end)
	}
	if end <= q.start {
		return nil, fault(422, 0, invalid, "end", endBeforeStart)
	}
	// A start begins a span of limit intervals; a limit alone ends one.
	start, span := q.start, schema.Time(q.limit)*q.interval.Length()
	switch {
	case q.hasStart:
		end = min(end, start+span-1)
	case q.hasLimit:
		start = end - span
	default:
		start = end - window(q.interval)
	}
	found := c.API.data.Candles(m.ID, q.interval, start, end, q.limit)
	answer := list(found, func(dst []byte, k *marketdata.Candle) []byte {
		dst = append(dst, '[')
		dst = AppendInt(dst, int64(k.Start/schema.Second))
		for _, d := range []fixed.Decimal{k.Open, k.Close, k.High, k.Low, k.Volume, k.Money} {
			dst = AppendDecimal(append(dst, ','), d)
		}
		return append(dst, ']')
	})
	return answerFunc(func(dst []byte) []byte { return wrapped(dst, answer.AppendTo) }), nil
}

// window is how far candles go back when nobody says.
func window(i marketdata.Interval) schema.Time {
	switch length := i.Length(); {
	case length < minute:
		return 10 * minute
	case length < 60*minute:
		return day
	case length < day:
		return 7 * day
	case length < 28*day:
		return 31 * day
	default:
		return 366 * day
	}
}
