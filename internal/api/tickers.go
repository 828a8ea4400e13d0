package api

import (
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// summaries is the stamp of what is shown of all markets over a day: it moves with every batch, and
// by the minute when nothing happens.
func (c *Call) summaries() (listingStamp, error) {
	// The stamp is taken before the wait: what is in the data then is no older than it says.
	stamp := c.listed()
	stamp.batch, stamp.period = c.API.node.Applied(), c.API.options.Now()/minute
	if err := c.API.data.Wait(c.Context); err != nil {
		return listingStamp{}, Unavailable()
	}
	return stamp, nil
}

var aboutTickers = &About{
	Summary: "Get 24-hour statistics of all markets",
	Text:    "Keyed by market, over the last 24 hours.",
	Answer: mapOf(record("Ticker", "24-hour statistics of a market.",
		always("base_id", whole, "Id of the base asset at market data aggregators, 0 if it has none."),
		always("quote_id", whole, "Id of the quote asset at market data aggregators, 0 if it has none."),
		always("last_price", decimal, "Price of the last trade, 0 if there was none."),
		always("quote_volume", decimal, "Filled amount in the quote asset."),
		always("base_volume", decimal, "Filled amount in the base asset."),
		always("isFrozen", yesOrNo, "Whether the market is in maintenance."),
		always("change", decimal, "Price change in percent."))),
}

func tickers(c *Call, _ *nothing) (Answer, error) {
	stamp, err := c.summaries()
	if err != nil {
		return nil, err
	}
	return c.API.caches.tickers.get(stamp, written(func(dst []byte) []byte {
		dst = append(dst, '{')
		for i, m := range c.visible() {
			s := c.API.data.Day(m.ID, c.API.options.Now())
			dst = AppendText(appendComma(dst, i), m.Name)
			dst = append(dst, `:{"base_id":`...)
			dst = AppendInt(dst, int64(c.API.directory.unified(m.Base)))
			dst = append(dst, `,"quote_id":`...)
			dst = AppendInt(dst, int64(c.API.directory.unified(m.Quote)))
			dst = append(dst, `,"last_price":`...)
			dst = AppendDecimal(dst, s.Last)
			dst = append(dst, `,"quote_volume":`...)
			dst = AppendDecimal(dst, s.Money)
			dst = append(dst, `,"base_volume":`...)
			dst = AppendDecimal(dst, s.Volume)
			dst = append(dst, `,"isFrozen":`...)
			dst = AppendBool(dst, m.InMaintenance)
			dst = append(dst, `,"change":`...)
			dst = AppendDecimal(dst, s.Change)
			dst = append(dst, '}')
		}
		return append(dst, '}')
	})), nil
}

// unified is the number by which aggregators know an asset that is listed.
func (d *Directory) unified(id schema.AssetID) uint32 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.assets[id-1].UnifiedID
}

// wrapped puts an answer of version 1 into its envelope.
func wrapped(dst []byte, write func([]byte) []byte) []byte {
	dst = write(append(dst, `{"success":true,"message":null,"result":`...))
	return append(dst, '}')
}

// enveloped is the shape of wrapped.
func enveloped(result *Shape) *Shape {
	return record("", "",
		always("success", justYes, "Always true."),
		always("message", justNil, "Always null."),
		always("result", result, "Result."))
}

var aboutFirstMarkets = &About{
	Summary: "List markets (v1)",
	Answer:  enveloped(listOf(record("FirstMarket", "A market.", marketMembers...))),
}

func firstMarkets(c *Call, _ *nothing) (Answer, error) {
	return c.API.caches.firstMarkets.get(c.listed(), written(func(dst []byte) []byte {
		return wrapped(dst, func(dst []byte) []byte {
			dst = append(dst, '[')
			for i, m := range c.visible() {
				dst = c.API.directory.beginMarket(append(appendComma(dst, i), '{'), m)
				dst = append(dst, '}')
			}
			return append(dst, ']')
		})
	})), nil
}

var aboutSymbols = &About{
	Summary: "List market names (v1)",
	Answer:  enveloped(listOf(anyText)),
}

func symbols(c *Call, _ *nothing) (Answer, error) {
	return c.API.caches.symbol.get(c.listed(), written(func(dst []byte) []byte {
		return wrapped(dst, func(dst []byte) []byte {
			var names []string
			for _, m := range c.visible() {
				names = append(names, m.Name)
			}
			return appendTexts(dst, names)
		})
	})), nil
}

var aboutFirstTickers = &About{
	Summary: "Get 24-hour statistics of all markets (v1)",
	Text:    "Keyed by market.",
	Answer: enveloped(mapOf(record("FirstTickers", "24-hour statistics of a market and their time.",
		always("ticker", record("", "", summaryMembers("vol")...), "24-hour statistics."),
		always("at", seconds, "Server time.")))),
}

// summaryMembers are the members that appendSummary writes.
func summaryMembers(volume string) []Member {
	return []Member{
		always("bid", decimal, "Best bid price, 0 if there is none."),
		always("ask", decimal, "Best ask price, 0 if there is none."),
		always("low", decimal, "Lowest price."),
		always("high", decimal, "Highest price."),
		always("last", decimal, "Price of the last trade, 0 if there was none."),
		always(volume, decimal, "Filled amount in the base asset."),
		always("deal", decimal, "Filled amount in the quote asset."),
		always("change", decimal, "Price change in percent."),
	}
}

func firstTickers(c *Call, _ *nothing) (Answer, error) {
	stamp, err := c.summaries()
	if err != nil {
		return nil, err
	}
	now := c.API.options.Now()
	stamp.period = now / schema.Second // which is in the answer
	return c.API.caches.firstTickers.get(stamp, written(func(dst []byte) []byte {
		return wrapped(dst, func(dst []byte) []byte {
			dst = append(dst, '{')
			for i, m := range c.visible() {
				dst = AppendText(appendComma(dst, i), m.Name)
				dst = append(dst, `:{"ticker":{`...)
				dst = appendSummary(dst, c.API.data.Day(m.ID, now), "vol")
				dst = append(dst, `},"at":`...)
				dst = AppendInt(dst, int64(now/schema.Second))
				dst = append(dst, '}')
			}
			return append(dst, '}')
		})
	})), nil
}

// appendSummary writes the members of a ticker of version 1; the two places where they stand
// name the volume differently.
func appendSummary(dst []byte, s marketdata.Summary, volume string) []byte {
	dst = append(dst, `"bid":`...)
	dst = AppendDecimal(dst, s.Bid)
	dst = append(dst, `,"ask":`...)
	dst = AppendDecimal(dst, s.Ask)
	dst = append(dst, `,"low":`...)
	dst = AppendDecimal(dst, s.Low)
	dst = append(dst, `,"high":`...)
	dst = AppendDecimal(dst, s.High)
	dst = append(dst, `,"last":`...)
	dst = AppendDecimal(dst, s.Last)
	dst = append(dst, `,"`+volume+`":`...)
	dst = AppendDecimal(dst, s.Volume)
	dst = append(dst, `,"deal":`...)
	dst = AppendDecimal(dst, s.Money)
	dst = append(dst, `,"change":`...)
	return AppendDecimal(dst, s.Change)
}

// tickerOf asks for the ticker of a market in version 1.
type tickerOf struct{ market string }

func (q *tickerOf) read(f *Form) { q.market = f.queryMarket() }

var aboutFirstTicker = &About{
	Summary: "Get 24-hour statistics of a market (v1)",
	Answer: enveloped(record("FirstTicker", "24-hour statistics of a market.",
		append([]Member{always("open", decimal, "Opening price.")}, summaryMembers("volume")...)...)),
	Faults: []*Error{noMarket()},
}

func firstTicker(c *Call, q *tickerOf) (Answer, error) {
	m, err := c.public(q.market)
	if err != nil {
		return nil, err
	}
	s := c.API.data.Day(m.ID, c.API.options.Now())
	return answerFunc(func(dst []byte) []byte {
		return wrapped(dst, func(dst []byte) []byte {
			dst = append(dst, `{"open":`...)
			dst = AppendDecimal(dst, s.Open)
			dst = append(dst, ',')
			return append(appendSummary(dst, s, "volume"), '}')
		})
	}), nil
}
