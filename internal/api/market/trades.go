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

// tradeEncoder names the volumes the other way round than the ticker.
var tradeEncoder = api.Encode("Trade", "A trade.",
	api.IntegerField("tradeID", "Trade id, 0 for trades of a demo's synthetic past.", func(t *marketdata.Trade) int64 { return int64(t.ID) }),
	api.DecimalField("price", "Price in the quote asset.", func(t *marketdata.Trade) fixed.Decimal { return t.Price }),
	api.DecimalField("quote_volume", "Volume in the base asset: the names of the volumes are swapped compared with the ticker.", func(t *marketdata.Trade) fixed.Decimal { return t.Amount }),
	api.DecimalField("base_volume", "Volume in the quote asset.", func(t *marketdata.Trade) fixed.Decimal { return t.Money }),
	api.SecondsField("trade_timestamp", "Time of the event.", func(t *marketdata.Trade) schema.Time { return t.Time }),
	api.EnumField("type", api.SideWords, "Side of the taker.", func(t *marketdata.Trade) string { return t.Side.String() }),
	api.BooleanField("rpi", "Whether the maker's order was an RPI order (retail price improvement).", func(t *marketdata.Trade) bool { return t.RPI }))

var aboutRecentTrades = &api.About{
	Summary:    "List recent trades",
	Text:       "At most 100 trades, newest first.",
	Parameters: map[string]string{"type": "Only trades whose taker bought, or sold. Empty: both."},
	Response:   api.ArrayOf(tradeEncoder.Schema()),
	Faults:     []*api.Error{noMarket()},
}

func recentTrades(c *api.Call, q *tradesOf) (api.Answer, error) {
	m, err := publicMarket(c, q.market)
	if err != nil {
		return nil, err
	}
	return tradeEncoder.Array(c.API.Data().Trades(m.ID, q.side, maxTrades)), nil
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

var (
	firstTradeEncoder = api.Encode("FirstTrade", "A trade.",
		api.IntegerField("id", "Trade id. Trades of a demo's synthetic past have none and are not listed.", func(t *marketdata.Trade) int64 { return int64(t.ID) }),
		api.TimestampField("time", "Time of the event.", func(t *marketdata.Trade) schema.Time { return t.Time }),
		api.DecimalField("price", "Price in the quote asset.", func(t *marketdata.Trade) fixed.Decimal { return t.Price }),
		api.DecimalField("amount", "Traded amount in the base asset.", func(t *marketdata.Trade) fixed.Decimal { return t.Amount }),
		api.EnumField("type", api.SideWords, "Side of the taker.", func(t *marketdata.Trade) string { return t.Side.String() }))
	firstTradesEnvelope = enveloped(api.ArrayOf(firstTradeEncoder.Schema()))
)

var aboutFirstTrades = &api.About{
	Summary:    "List trades since a trade id (v1)",
	Text:       "Newest first.",
	Parameters: map[string]string{"lastId": "Only trades with greater numbers."},
	Response:   firstTradesEnvelope.Schema(),
	Faults:     []*api.Error{noMarket()},
}

func firstTrades(c *api.Call, q *tradesSince) (api.Answer, error) {
	m, err := publicMarket(c, q.market)
	if err != nil {
		return nil, err
	}
	return firstTradesEnvelope.around(firstTradeEncoder.Array(c.API.Data().TradesAfter(m.ID, q.lastID, q.limit))), nil
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

var candlesEnvelope = enveloped(api.ArrayOf(api.Described("A candle: its beginning in seconds, open, close, high, low, what was traded in base and in quote.",
	api.TupleOf(api.Seconds, api.Decimal, api.Decimal, api.Decimal, api.Decimal, api.Decimal, api.Decimal))))

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
	Response: candlesEnvelope.Schema(),
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
	return candlesEnvelope.around(api.Array(found, func(dst []byte, k *marketdata.Candle) []byte {
		dst = append(dst, '[')
		dst = api.AppendInt(dst, int64(k.Start/schema.Second))
		for _, d := range []fixed.Decimal{k.Open, k.Close, k.High, k.Low, k.Volume, k.Money} {
			dst = api.AppendDecimal(append(dst, ','), d)
		}
		return append(dst, ']')
	})), nil
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
