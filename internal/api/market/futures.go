package market

import (
	"net/http"
	"strconv"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

var collateralMarketsEnvelope = enveloped(api.ArrayOf(api.String))

var aboutCollateralMarkets = &api.About{
	Summary:  "List margin markets",
	Text:     "Names of the markets that are traded from the collateral balance: futures, TradFi futures, and spot markets with margin.",
	Response: collateralMarketsEnvelope.Schema(),
	Faults:   []*api.Error{errNoMargin},
}

// Nothing is traded from collateral in the EU: its deployments have none of it to show.
var (
	errNoMargin  = &api.Error{Status: http.StatusUnavailableForLegalReasons, Message: "api.margin.unavailable"}
	errNoFutures = &api.Error{Status: http.StatusUnavailableForLegalReasons, Message: "api.futures.unavailable"}
)

func (g *group) collateralMarkets(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	if c.API.Region() == schema.EU {
		return nil, errNoMargin
	}
	return g.caches.collateral.get(listed(c), collateralMarketsEnvelope.written(func(dst []byte) []byte {
		var names []string
		for _, m := range visible(c) {
			if collateral(m) {
				names = append(names, m.Name)
			}
		}
		return api.AppendStrings(dst, names)
	})), nil
}

// collateral reports whether a market is traded from the collateral balance.
func collateral(m *schema.MarketInfo) bool { return m.Future() || m.Pair() }

// future is a future with all that is shown of it.
type future struct {
	listedMarket
	day          marketdata.Summary
	quote        api.Quote
	openInterest fixed.Decimal
}

// amount is a field that is a price or an amount.
func amount(name, description string, get func(f *future) fixed.Decimal) api.Field[future] {
	return api.DecimalField(name, description, get)
}

var futureEncoder = api.Encode("Future", "A perpetual future with its prices and its funding.",
	api.StringField("ticker_id", "Market name.", func(f *future) string { return f.Name }),
	api.StringField("stock_currency", "Base asset.", func(f *future) string { return f.directory.Ticker(f.Base) }),
	api.StringField("money_currency", "Quote asset.", func(f *future) string { return f.directory.Ticker(f.Quote) }),
	amount("last_price", "Price of the last trade, 0 if there was none.", func(f *future) fixed.Decimal { return f.day.Last }),
	amount("stock_volume", "Filled amount of the last 24 hours in the base asset.", func(f *future) fixed.Decimal { return f.day.Volume }),
	amount("money_volume", "Filled amount of the last 24 hours in the quote asset.", func(f *future) fixed.Decimal { return f.day.Money }),
	amount("bid", "Best bid price, 0 if there is none.", func(f *future) fixed.Decimal { return f.day.Bid }),
	amount("ask", "Best ask price, 0 if there is none.", func(f *future) fixed.Decimal { return f.day.Ask }),
	amount("high", "Highest price of the last 24 hours.", func(f *future) fixed.Decimal { return f.day.High }),
	amount("low", "Lowest price of the last 24 hours.", func(f *future) fixed.Decimal { return f.day.Low }),
	api.ConstantField[future]("product_type", api.Enum("Perpetual"), "Always Perpetual.", `"Perpetual"`),
	amount("open_interest", "Amount of all long positions in the base asset.", func(f *future) fixed.Decimal { return f.openInterest }),
	amount("index_price", "Index price, or the price of the last trade on the spot market, then of the last trade here, then 0, while there is no fresh one.",
		func(f *future) fixed.Decimal { return f.quote.Index }),
	api.NewField("mark_price", api.MarkSchema, "Mark price, empty while there is no fresh one.", func(dst []byte, f *future) []byte {
		return f.quote.AppendMark(dst)
	}),
	api.StringField("index_name", "Name of the base asset.", func(f *future) string { return f.directory.Asset(f.directory.Ticker(f.Base)).Name }),
	api.StringField("index_currency", "Base asset.", func(f *future) string { return f.directory.Ticker(f.Base) }),
	amount("funding_rate", "Predicted rate of the next settlement, as a ratio; it moves until then.", func(f *future) fixed.Decimal { return f.quote.Rate }),
	amount("funding_cap", "Highest funding rate.", func(f *future) fixed.Decimal { return f.FundingCap }),
	amount("funding_floor", "Lowest funding rate.", func(f *future) fixed.Decimal { return f.FundingFloor }),
	api.NewField("next_funding_rate_timestamp", api.Described("Unix time in milliseconds as a text.", api.String), "Time of the next settlement.",
		func(dst []byte, f *future) []byte {
			return append(strconv.AppendInt(append(dst, '"'), int64(f.quote.Settles/1000), 10), '"')
		}),
	api.ObjectField("brackets", bracketsEncoder, "Up to which notional in USDT each leverage can be had, 0: no bracket.", func(f *future) *schema.Margin { return &f.Margin }),
	api.IntegerField("max_leverage", "Highest leverage.", func(f *future) int64 { return int64(f.MaxLeverage) }),
	api.IntegerField("funding_interval_minutes", "Minutes between two settlements.", func(f *future) int64 { return int64(f.FundingMinutes) }),
)

// bracketsEncoder has all leverages; only the highest have brackets.
var bracketsEncoder = api.Encode("Brackets", "Brackets by leverage, in whole USDT.",
	bracket("1", none), bracket("2", none), bracket("3", none), bracket("5", none), bracket("10", none),
	bracket("20", func(m *schema.Margin) fixed.Decimal { return m.Bracket20 }),
	bracket("50", func(m *schema.Margin) fixed.Decimal { return m.Bracket50 }),
	bracket("100", func(m *schema.Margin) fixed.Decimal { return m.Bracket100 }),
)

func none(*schema.Margin) fixed.Decimal { return fixed.Zero }

func bracket(leverage string, get func(m *schema.Margin) fixed.Decimal) api.Field[schema.Margin] {
	return api.NewField(leverage, api.Integer, "Bracket of leverage "+leverage+".", func(dst []byte, m *schema.Margin) []byte {
		units, _ := get(m).Round(0, fixed.Down)
		return units.Append(dst)
	})
}

var futuresEnvelope = enveloped(api.ArrayOf(futureEncoder.Schema()))

var aboutFutures = &api.About{
	Summary:  "List futures markets",
	Text:     "Prices, funding and 24-hour statistics of every future, TradFi futures among them, in the quote asset. Those that are not available in the region of this deployment are omitted.",
	Response: futuresEnvelope.Schema(),
	Faults:   []*api.Error{errNoFutures},
}

func (g *group) futures(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	if c.API.Region() == schema.EU {
		return nil, errNoFutures
	}
	stamp, err := summaries(c)
	if err != nil {
		return nil, err
	}
	return g.caches.futures.get(stamp, futuresEnvelope.written(func(dst []byte) []byte {
		var list []future
		for _, m := range visible(c) {
			if m.Future() {
				list = append(list, futureOf(c, m))
			}
		}
		return futureEncoder.Array(list).AppendTo(dst)
	})), nil
}

func futureOf(c *api.Call, m *schema.MarketInfo) future {
	return future{
		listedMarket: listedMarket{m, c.Directory()}, day: c.API.Data().Day(m.ID, c.API.Now()), quote: c.API.Quote(m), openInterest: openInterest(c, m.ID),
	}
}

// openInterest is how much all long positions on a future are.
func openInterest(c *api.Call, market schema.MarketID) (size fixed.Decimal) {
	c.API.Read(func(m core.View) { size = m.Collateral().OpenInterest(market) })
	return size
}
