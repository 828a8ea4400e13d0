package market

import (
	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// tradesOf asks for the latest trades of a market.
type tradesOf struct {
	marketPath
	side schema.Side // 0: both
}

func (q *tradesOf) Read(f *api.Form) {
	q.marketPath.Read(f)
	word, s := f.Choice("type", takerWords)
	switch {
	case s == api.Malformed:
		f.Fail(422, 0, "type", "Type should be 'sell' or 'buy'.")
	case word == "buy":
		q.side = schema.Buy
	case word == "sell":
		q.side = schema.Sell
	}
}

// takerWords are the sides by which trades are chosen.
var takerWords = append(api.SideWords[:2:2], "")

// maxTrades is how many trades an answer has.
const maxTrades = 100

var aboutRecentTrades = &api.About{
	Summary:    "List recent trades",
	Text:       "At most 100 trades, newest first.",
	Parameters: map[string]string{"type": "Only trades whose taker bought, or sold. Empty: both."},
	Response: api.ArrayOf(api.Object("Trade", "A trade.",
		api.Required("tradeID", api.Integer, "Trade id, 0 for trades of a demo's synthetic past."),
		api.Required("price", api.Decimal, "Price in the quote asset."),
		api.Required("quote_volume", api.Decimal, "Volume in the base asset: the names of the volumes are swapped compared with the ticker."),
		api.Required("base_volume", api.Decimal, "Volume in the quote asset."),
		api.Required("trade_timestamp", api.Seconds, "Time of the event."),
		api.Required("type", api.Enum(api.SideWords...), "Side of the taker."),
		api.Required("rpi", api.Boolean, "Whether the maker's order was an RPI order (retail price improvement)."))),
	Faults: []*api.Error{noMarket()},
}

func recentTrades(c *api.Call, q *tradesOf) (api.Answer, error) {
	m, err := publicMarket(c, q.market)
	if err != nil {
		return nil, err
	}
	// The names of the volumes are the other way round here than in the ticker.
	return api.Array(c.API.Data().Trades(m.ID, q.side, maxTrades), func(dst []byte, t *marketdata.Trade) []byte {
		dst = append(dst, `{"tradeID":`...)
		dst = api.AppendInt(dst, int64(t.ID))
		dst = append(dst, `,"price":`...)
		dst = api.AppendDecimal(dst, t.Price)
		dst = append(dst, `,"quote_volume":`...)
		dst = api.AppendDecimal(dst, t.Amount)
		dst = append(dst, `,"base_volume":`...)
		dst = api.AppendDecimal(dst, t.Money)
		dst = append(dst, `,"trade_timestamp":`...)
		dst = api.AppendInt(dst, int64(t.Time/schema.Second))
		dst = append(dst, `,"type":"`...)
		dst = append(dst, t.Side.String()...)
		dst = append(dst, `","rpi":`...)
		dst = api.AppendBool(dst, t.RPI)
		return append(dst, '}')
	}), nil
}

// tradesSince asks for trades in version 1.
type tradesSince struct {
	market string
	lastID schema.DealID
	limit  int
}

func (q *tradesSince) Read(f *api.Form) {
	q.market = queryMarket(f)
	if !f.Has("lastId") {
		f.Lack(422, 0, "lastId", "LastId field is required.")
	}
	q.lastID = schema.DealID(f.Bounded("lastId", 0, 0, 1<<53, mustBePublic))
	q.limit = int(f.Bounded("limit", 50, 1, maxTrades, mustBePublic))
}

var aboutFirstTrades = &api.About{
	Summary:    "List trades since a trade id (v1)",
	Text:       "Newest first.",
	Parameters: map[string]string{"lastId": "Only trades with greater numbers."},
	Response: enveloped(api.ArrayOf(api.Object("FirstTrade", "A trade.",
		api.Required("id", api.Integer, "Trade id. Trades of a demo's synthetic past have none and are not listed."),
		api.Required("time", api.Timestamp, "Time of the event."),
		api.Required("price", api.Decimal, "Price in the quote asset."),
		api.Required("amount", api.Decimal, "Traded amount in the base asset."),
		api.Required("type", api.Enum(api.SideWords...), "Side of the taker.")))),
	Faults: []*api.Error{noMarket()},
}

func firstTrades(c *api.Call, q *tradesSince) (api.Answer, error) {
	m, err := publicMarket(c, q.market)
	if err != nil {
		return nil, err
	}
	found := api.Array(c.API.Data().TradesAfter(m.ID, q.lastID, q.limit), func(dst []byte, t *marketdata.Trade) []byte {
		dst = append(dst, `{"id":`...)
		dst = api.AppendInt(dst, int64(t.ID))
		dst = append(dst, `,"time":`...)
		dst = api.AppendMoment(dst, t.Time)
		dst = append(dst, `,"price":`...)
		dst = api.AppendDecimal(dst, t.Price)
		dst = append(dst, `,"amount":`...)
		dst = api.AppendDecimal(dst, t.Amount)
		dst = append(dst, `,"type":"`...)
		dst = append(dst, t.Side.String()...)
		return append(dst, `"}`...)
	})
	return api.AnswerFunc(func(dst []byte) []byte { return wrapped(dst, found.AppendTo) }), nil
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

func (q *candlesOf) Read(f *api.Form) {
	q.market = queryMarket(f)
	word, s := f.Choice("interval", intervalWords)
	if s == api.Missing {
		word = "1h"
	}
	interval, known := marketdata.ParseInterval(word)
	if !known {
		f.Fail(422, 0, "interval", "Interval is not available.")
	}
	q.interval = interval
	q.hasStart, q.hasEnd, q.hasLimit = f.Has("start"), f.Has("end"), f.Has("limit")
	q.start, q.end = f.Second("start", mustBePublic), f.Second("end", mustBePublic)
	q.limit = int(f.Bounded("limit", maxCandles, 1, maxCandles, mustBePublic))
}

var aboutCandles = &api.About{
	Summary: "Get candles (v1)",
	Text: "Oldest first. Intervals without trades have no candle. In a demo, candles before its first start are synthetic. Errors about a field have status 200 and success false.\n\n" +
		"Without start and limit, candles go back 10 minutes for intervals below a minute, a day below an hour, a week below a day, " +
		"31 days up to a week, and 366 days for months.",
	Parameters: map[string]string{
		"interval": "Length of a candle. Defaults to 1h.",
		"start":    "Start of the range, Unix time in seconds. If given, the limit counts from here.",
		"end":      "End of the range, Unix time in seconds. Defaults to now.",
		"limit":    "Maximum number of candles to return.",
	},
	Response: enveloped(api.ArrayOf(api.Described("A candle: its beginning in seconds, open, close, high, low, what was traded in base and in quote.",
		api.TupleOf(api.Seconds, api.Decimal, api.Decimal, api.Decimal, api.Decimal, api.Decimal, api.Decimal)))),
	Faults: []*api.Error{
		noMarket(), api.NewError(422, 0, api.ValidationFailed, "end", "End field must not be in the future."),
		api.NewError(422, 0, api.ValidationFailed, "end", endBeforeStart),
	},
}

func candles(c *api.Call, q *candlesOf) (api.Answer, error) {
	m, err := publicMarket(c, q.market)
	if err != nil {
		return nil, err
	}
	end := c.API.Now()
	if q.hasEnd {
		if q.end > end+ahead {
			return nil, api.NewError(422, 0, api.ValidationFailed, "end", "End field must not be in the future.")
		}
		end = min(end, q.end)
	}
	if end <= q.start {
		return nil, api.NewError(422, 0, api.ValidationFailed, "end", endBeforeStart)
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
	found := c.API.Data().Candles(m.ID, q.interval, start, end, q.limit)
	answer := api.Array(found, func(dst []byte, k *marketdata.Candle) []byte {
		dst = append(dst, '[')
		dst = api.AppendInt(dst, int64(k.Start/schema.Second))
		for _, d := range []fixed.Decimal{k.Open, k.Close, k.High, k.Low, k.Volume, k.Money} {
			dst = api.AppendDecimal(append(dst, ','), d)
		}
		return append(dst, ']')
	})
	return api.AnswerFunc(func(dst []byte) []byte { return wrapped(dst, answer.AppendTo) }), nil
}

const day = 24 * 3600 * schema.Second

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
