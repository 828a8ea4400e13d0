package market

import (
	"bourse/internal/api"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// summaries is the stamp of what is shown of all markets over a day: it moves with every batch, and
// by the minute when nothing happens.
func summaries(c *api.Call) (listingStamp, error) {
	// The stamp is taken before the wait: what is in the data then is no older than it says.
	stamp := listed(c)
	stamp.batch, stamp.period = c.API.Applied(), c.API.Now()/minute
	if err := c.API.Data().Fresh(c.Context); err != nil {
		return listingStamp{}, api.Unavailable()
	}
	return stamp, nil
}

var aboutTickers = &api.About{
	Summary: "Get 24-hour statistics of all markets",
	Text:    "Keyed by market, over the last 24 hours.",
	Response: api.MapOf(api.Object("Ticker", "24-hour statistics of a market.",
		api.Required("base_id", api.Integer, "Id of the base asset at market data aggregators, 0 if it has none."),
		api.Required("quote_id", api.Integer, "Id of the quote asset at market data aggregators, 0 if it has none."),
		api.Required("last_price", api.Decimal, "Price of the last trade, 0 if there was none."),
		api.Required("quote_volume", api.Decimal, "Filled amount in the quote asset."),
		api.Required("base_volume", api.Decimal, "Filled amount in the base asset."),
		api.Required("isFrozen", api.Boolean, "Whether the market is in maintenance."),
		api.Required("change", api.Decimal, "Price change in percent."))),
}

func (g *group) tickers(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	stamp, err := summaries(c)
	if err != nil {
		return nil, err
	}
	return g.caches.tickers.get(stamp, written(func(dst []byte) []byte {
		dst = append(dst, '{')
		for i, m := range visible(c) {
			s := c.API.Data().Day(m.ID, c.API.Now())
			dst = api.AppendText(api.AppendComma(dst, i), m.Name)
			dst = append(dst, `:{"base_id":`...)
			dst = api.AppendInt(dst, int64(c.Directory().UnifiedID(m.Base)))
			dst = append(dst, `,"quote_id":`...)
			dst = api.AppendInt(dst, int64(c.Directory().UnifiedID(m.Quote)))
			dst = append(dst, `,"last_price":`...)
			dst = api.AppendDecimal(dst, s.Last)
			dst = append(dst, `,"quote_volume":`...)
			dst = api.AppendDecimal(dst, s.Money)
			dst = append(dst, `,"base_volume":`...)
			dst = api.AppendDecimal(dst, s.Volume)
			dst = append(dst, `,"isFrozen":`...)
			dst = api.AppendBool(dst, m.InMaintenance)
			dst = append(dst, `,"change":`...)
			dst = api.AppendDecimal(dst, s.Change)
			dst = append(dst, '}')
		}
		return append(dst, '}')
	})), nil
}

var (
	firstMarketEncoder   = api.Encode("FirstMarket", "A market.", marketFields...)
	firstMarketsEnvelope = enveloped(api.ArrayOf(firstMarketEncoder.Schema()))
)

var aboutFirstMarkets = &api.About{
	Summary:  "List markets (v1)",
	Response: firstMarketsEnvelope.Schema(),
}

func (g *group) firstMarkets(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	return g.caches.firstMarkets.get(listed(c), firstMarketsEnvelope.written(func(dst []byte) []byte {
		return firstMarketEncoder.Array(listedMarkets(c)).AppendTo(dst)
	})), nil
}

var symbolsEnvelope = enveloped(api.ArrayOf(api.String))

var aboutSymbols = &api.About{
	Summary:  "List market names (v1)",
	Response: symbolsEnvelope.Schema(),
}

func (g *group) symbols(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	return g.caches.symbol.get(listed(c), symbolsEnvelope.written(func(dst []byte) []byte {
		var names []string
		for _, m := range visible(c) {
			names = append(names, m.Name)
		}
		return api.AppendStrings(dst, names)
	})), nil
}

var firstTickersEnvelope = enveloped(api.MapOf(api.Object("FirstTickers", "24-hour statistics of a market and their time.",
	api.Required("ticker", api.Object("", "", summaryMembers("vol")...), "24-hour statistics."),
	api.Required("at", api.Seconds, "Server time."))))

var aboutFirstTickers = &api.About{
	Summary:  "Get 24-hour statistics of all markets (v1)",
	Text:     "Keyed by market.",
	Response: firstTickersEnvelope.Schema(),
}

// summaryMembers are the members that appendSummary writes.
func summaryMembers(volume string) []api.Property {
	return []api.Property{
		api.Required("bid", api.Decimal, "Best bid price, 0 if there is none."),
		api.Required("ask", api.Decimal, "Best ask price, 0 if there is none."),
		api.Required("low", api.Decimal, "Lowest price."),
		api.Required("high", api.Decimal, "Highest price."),
		api.Required("last", api.Decimal, "Price of the last trade, 0 if there was none."),
		api.Required(volume, api.Decimal, "Filled amount in the base asset."),
		api.Required("deal", api.Decimal, "Filled amount in the quote asset."),
		api.Required("change", api.Decimal, "Price change in percent."),
	}
}

func (g *group) firstTickers(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	stamp, err := summaries(c)
	if err != nil {
		return nil, err
	}
	now := c.API.Now()
	stamp.period = now / schema.Second // which is in the answer
	return g.caches.firstTickers.get(stamp, firstTickersEnvelope.written(func(dst []byte) []byte {
		dst = append(dst, '{')
		for i, m := range visible(c) {
			dst = api.AppendText(api.AppendComma(dst, i), m.Name)
			dst = append(dst, `:{"ticker":{`...)
			dst = appendSummary(dst, c.API.Data().Day(m.ID, now), "vol")
			dst = append(dst, `},"at":`...)
			dst = api.AppendInt(dst, int64(now/schema.Second))
			dst = append(dst, '}')
		}
		return append(dst, '}')
	})), nil
}

// appendSummary writes the members of a ticker of version 1; the two places where they stand
// name the volume differently.
func appendSummary(dst []byte, s marketdata.Summary, volume string) []byte {
	dst = append(dst, `"bid":`...)
	dst = api.AppendDecimal(dst, s.Bid)
	dst = append(dst, `,"ask":`...)
	dst = api.AppendDecimal(dst, s.Ask)
	dst = append(dst, `,"low":`...)
	dst = api.AppendDecimal(dst, s.Low)
	dst = append(dst, `,"high":`...)
	dst = api.AppendDecimal(dst, s.High)
	dst = append(dst, `,"last":`...)
	dst = api.AppendDecimal(dst, s.Last)
	dst = append(dst, `,"`+volume+`":`...)
	dst = api.AppendDecimal(dst, s.Volume)
	dst = append(dst, `,"deal":`...)
	dst = api.AppendDecimal(dst, s.Money)
	dst = append(dst, `,"change":`...)
	return api.AppendDecimal(dst, s.Change)
}

// tickerOf asks for the ticker of a market in version 1.
type tickerOf struct{ market string }

func (q *tickerOf) Read(f *api.Form) { q.market = queryMarket(f) }

var firstTickerEnvelope = enveloped(api.Object("FirstTicker", "24-hour statistics of a market.",
	append([]api.Property{api.Required("open", api.Decimal, "Opening price.")}, summaryMembers("volume")...)...))

var aboutFirstTicker = &api.About{
	Summary:  "Get 24-hour statistics of a market (v1)",
	Response: firstTickerEnvelope.Schema(),
	Faults:   []*api.Error{noMarket()},
}

func firstTicker(c *api.Call, q *tickerOf) (api.Answer, error) {
	m, err := publicMarket(c, q.market)
	if err != nil {
		return nil, err
	}
	s := c.API.Data().Day(m.ID, c.API.Now())
	return firstTickerEnvelope.around(api.AnswerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"open":`...)
		dst = api.AppendDecimal(dst, s.Open)
		dst = append(dst, ',')
		return append(appendSummary(dst, s, "volume"), '}')
	})), nil
}
