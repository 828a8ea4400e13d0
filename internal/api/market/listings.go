package market

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// visible are the markets that the deployment lists.
func visible(c *api.Call) []*schema.MarketInfo {
	_, all, _ := c.Directory().Listing()
	return slices.DeleteFunc(all, func(m *schema.MarketInfo) bool {
		return !m.Offered(c.API.Region())
	})
}

// listed is the stamp of what is made of the listing alone.
func listed(c *api.Call) listingStamp {
	return listingStamp{generation: c.Directory().Generation()}
}

// listedMarket is a market with the directory that names its assets.
type listedMarket struct {
	*schema.MarketInfo
	directory *directory.Directory
}

// marketFields are those that both versions have.
var marketFields = []api.Field[listedMarket]{
	api.StringField("name", "Market name, as BASE_QUOTE, or BASE_PERP of a future; of a TradFi future BASE_USD.", func(m *listedMarket) string { return m.Name }),
	api.StringField("stock", "Base asset.", func(m *listedMarket) string { return m.directory.Ticker(m.Base) }),
	api.StringField("money", "Quote asset.", func(m *listedMarket) string { return m.directory.Ticker(m.Quote) }),
	countField("stockPrec", "Decimal places of an amount.", func(m *listedMarket) uint8 { return m.StockPrec }),
	countField("moneyPrec", "Decimal places of a price.", func(m *listedMarket) uint8 { return m.MoneyPrec }),
	countField("feePrec", "Decimal places of a fee.", func(m *listedMarket) uint8 { return m.FeePrec }),
	api.DecimalField("makerFee", "Maker fee in percent. Negative: rebate.", func(m *listedMarket) fixed.Decimal { return m.MakerFee }),
	api.DecimalField("takerFee", "Taker fee in percent.", func(m *listedMarket) fixed.Decimal { return m.TakerFee }),
	api.DecimalField("minAmount", "Minimum order amount in the base asset.", func(m *listedMarket) fixed.Decimal { return m.MinAmount }),
}

// countField is a number of decimals, which a market shows as a text.
func countField(name, description string, get func(m *listedMarket) uint8) api.Field[listedMarket] {
	return api.NewField(name, countSchema, description, func(dst []byte, m *listedMarket) []byte {
		return api.AppendDecimal(dst, fixed.FromInt(int64(get(m))))
	})
}

var countSchema = api.Described("A whole number as a text.", api.Decimal)

// stepField is a tick or step: empty when it is not available.
func stepField(name, description string, get func(m *listedMarket) fixed.Decimal) api.Field[listedMarket] {
	return api.NewField(name, stepSchema, description, func(dst []byte, m *listedMarket) []byte {
		if d := get(m); !d.IsZero() {
			return api.AppendDecimal(dst, d)
		}
		return append(dst, `""`...)
	})
}

var stepSchema = api.OneOf(api.Decimal, api.Enum(""))

var marketEncoder = api.Encode("Market", "A market with its trading rules.", append(slices.Clone(marketFields),
	stepField("tickSize", "Prices must be a multiple of this, empty if any price with moneyPrec decimals is allowed.", func(m *listedMarket) fixed.Decimal { return m.TickSize }),
	stepField("stepSize", "Amounts must be a multiple of this, empty if any amount with stockPrec decimals is allowed.", func(m *listedMarket) fixed.Decimal { return m.StepSize }),
	api.DecimalField("minTotal", "Minimum total (price × amount) in the quote asset.", func(m *listedMarket) fixed.Decimal { return m.MinTotal }),
	api.DecimalField("maxTotal", "Maximum total (price × amount) in the quote asset, 0: unlimited.", func(m *listedMarket) fixed.Decimal { return m.MaxTotal }),
	api.ConstantField[listedMarket]("tradesEnabled", api.Boolean, "Always true: disabled markets are omitted.", "true"),
	api.BooleanField("isCollateral", "Whether margin trading is enabled.", func(m *listedMarket) bool { return collateral(m.MarketInfo) }),
	api.EnumField("type", []string{"spot", "futures", "tradfiFutures"}, "Market type.", func(m *listedMarket) string { return m.Type.String() }),
	api.BooleanField("isTradFiFutures", "Whether the type is tradfiFutures.", func(m *listedMarket) bool { return m.Type == schema.TradFiFutures }),
	api.NewField("delistedAt", api.Nullable(api.Seconds), "Time at which the market will be delisted, null if none is planned.", func(dst []byte, m *listedMarket) []byte {
		if m.DelistsAt == 0 {
			return append(dst, `null`...)
		}
		return api.AppendInt(dst, int64(m.DelistsAt/schema.Second))
	}),
)...)

var aboutMarkets = &api.About{
	Summary:  "List markets",
	Text:     "Trading rules, precisions, limits and fees of every market. Markets that are not available in the region of this deployment are omitted.",
	Response: api.ArrayOf(marketEncoder.Schema()),
}

func (g *group) markets(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	return g.caches.markets.get(listed(c), written(func(dst []byte) []byte {
		return marketEncoder.Array(listedMarkets(c)).AppendTo(dst)
	})), nil
}

// listedMarkets are the markets that the deployment lists, ready to be written.
func listedMarkets(c *api.Call) (list []listedMarket) {
	for _, m := range visible(c) {
		list = append(list, listedMarket{m, c.Directory()})
	}
	return list
}
