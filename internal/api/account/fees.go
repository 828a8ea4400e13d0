package account

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// fees are the default rates of an account, and those it was assigned.
type fees struct {
	spot, futures schedule
	custom        []api.Named[rates] // by market
}

// schedule is what the markets of a kind ask for at most.
type schedule struct {
	rates
	premium schema.Optional
}

type rates struct{ taker, maker fixed.Decimal }

var (
	ratesEncoder = api.Encode("", "",
		api.DecimalField("taker", "Taker fee.", func(r *rates) fixed.Decimal { return r.taker }),
		api.DecimalField("maker", "Maker fee.", func(r *rates) fixed.Decimal { return r.maker }))
	feesEncoder = api.Encode("Fees", "Trading fees of the account, in percent.",
		api.ConstantField[fees]("error", api.Null, "Always null.", "null"),
		api.DecimalField("taker", "Default taker fee, unless a market charges less or has a custom fee for the account.", func(f *fees) fixed.Decimal { return f.spot.taker }),
		api.DecimalField("maker", "Default maker fee, unless a market charges less or has a custom fee for the account.", func(f *fees) fixed.Decimal { return f.spot.maker }),
		api.DecimalField("futures_taker", "Taker fee on futures markets.", func(f *fees) fixed.Decimal { return f.futures.taker }),
		api.DecimalField("futures_maker", "Maker fee on futures markets.", func(f *fees) fixed.Decimal { return f.futures.maker }),
		api.OptionalField("rpi_maker_fee_premium", premiumText, func(f *fees) schema.Optional { return f.spot.premium }),
		api.OptionalField("futures_rpi_maker_fee_premium", futuresPremiumText, func(f *fees) schema.Optional { return f.futures.premium }),
		api.MapField("custom_fee", ratesEncoder, "Fees that were assigned to the account, by market.", func(f *fees) []api.Named[rates] { return f.custom }))
)

const (
	premiumText        = "Additional fee of RPI makers, null if there is none."
	futuresPremiumText = "RPI maker fee premium on futures markets."
)

var aboutMarketFees = &api.About{
	Summary:  "Get trading fees",
	Text:     "Fees are in percent.",
	Response: feesEncoder.Schema(),
}

// marketFees writes the fees of an account: its default, and those it was assigned.
//
// The exchange has no fee of its own beside those of its markets. The default in the answer is
// the account's own, or else the highest of all markets that it may trade on: nobody pays more.
// Futures cost nothing where there are none.
func marketFees(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	f := &fees{spot: scheduleOf(c, false), futures: scheduleOf(c, true)}
	c.API.Read(func(m core.View) {
		for _, own := range m.Trading().Fees(c.Account.ID) {
			named := api.Named[rates]{Name: m.Listing().Market(own.Market).Name}
			named.Value.maker, named.Value.taker = m.Trading().Rates(c.Account.ID, own.Market)
			f.custom = append(f.custom, named)
		}
	})
	return feesEncoder.Answer(f), nil
}

// scheduleOf is the default of an account on futures, or on spot markets. Without a spot market it is the account's own still.
func scheduleOf(c *api.Call, futures bool) schedule {
	var taker, maker, premium schema.Optional
	_, markets, _ := c.Directory().Listing()
	for _, m := range markets {
		if m.Future() != futures || c.Offered(m.Name) == nil {
			continue
		}
		taker, maker = highest(taker, schema.Some(m.TakerFee)), highest(maker, schema.Some(m.MakerFee))
		premium = highest(premium, m.RPIPremium)
	}
	if futures && !taker.Set() {
		return schedule{}
	}
	return schedule{rates{c.Account.TakerFee.Or(taker.Value()), c.Account.MakerFee.Or(maker.Value())}, premium}
}

// highest is the higher of two rates, of those that are there.
func highest(a, b schema.Optional) schema.Optional {
	switch {
	case !a.Set():
		return b
	case !b.Set():
		return a
	}
	return schema.Some(fixed.MaxOf(a.Value(), b.Value()))
}

// oneMarket asks for something of a market.
type oneMarket struct{ market string }

func (q *oneMarket) Read(f *api.Form) {
	f.Required("market")
	q.market = f.MarketFilter()
}

// marketRates are the rates of an account on a market.
type marketRates struct {
	schedule
	future bool
}

var marketRatesEncoder = api.Encode("MarketFee", "Trading fees of the account on a market, in percent.",
	api.ConstantField[marketRates]("error", api.Null, "Always null.", "null"),
	api.DecimalField("taker", "Taker fee.", func(r *marketRates) fixed.Decimal { return r.taker }),
	api.DecimalField("maker", "Maker fee. Negative: rebate.", func(r *marketRates) fixed.Decimal { return r.maker }),
	api.OptionalField("rpi_maker_fee_premium", premiumText, func(r *marketRates) schema.Optional { return r.premium }),
	api.OptionalField("futures_rpi_maker_fee_premium", futuresPremiumText, func(r *marketRates) schema.Optional {
		if !r.future {
			return schema.Optional{}
		}
		return r.premium
	}))

var aboutMarketFee = &api.About{
	Summary:  "Get trading fees of a market",
	Text:     "Fees are in percent.",
	Response: marketRatesEncoder.Schema(),
	Refusals: []schema.Reason{schema.MarketUnavailable},
}

func marketFee(c *api.Call, q *oneMarket) (api.Answer, error) {
	m := c.Offered(q.market)
	if m == nil {
		return nil, api.Refusal(schema.Refuse(schema.MarketUnavailable))
	}
	r := &marketRates{schedule{premium: m.RPIPremium}, m.Future()}
	c.API.Read(func(machine core.View) {
		r.maker, r.taker = machine.Trading().Rates(c.Account.ID, m.ID)
	})
	return marketRatesEncoder.Answer(r), nil
}
