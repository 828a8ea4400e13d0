package account

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

var aboutMarketFees = &api.About{
	Summary: "Get trading fees",
	Text:    "Fees are in percent.",
	Response: api.Object("Fees", "Trading fees of the account, in percent.",
		api.Required("error", api.Null, "Always null."),
		api.Required("taker", api.Decimal, "Default taker fee, unless a market charges less or has a custom fee for the account."),
		api.Required("maker", api.Decimal, "Default maker fee, unless a market charges less or has a custom fee for the account."),
		api.Required("futures_taker", api.Decimal, "Taker fee on futures markets."),
		api.Required("futures_maker", api.Decimal, "Maker fee on futures markets."),
		api.Required("rpi_maker_fee_premium", api.Nullable(api.Decimal), "Additional fee of RPI makers, null if there is none."),
		api.Required("futures_rpi_maker_fee_premium", api.Nullable(api.Decimal), "RPI maker fee premium on futures markets."),
		api.Required("custom_fee", api.MapOf(api.Object("", "",
			api.Required("taker", api.Decimal, "Taker fee."),
			api.Required("maker", api.Decimal, "Maker fee."))), "Fees that were assigned to the account, by market.")),
}

// marketFees writes the fees of an account: its default, and those it was assigned.
//
// The exchange has no fee of its own beside those of its markets. The default in the answer is
// the account's own, or else the highest of all markets that it may trade on: nobody pays more.
// Futures, of which there are none, cost nothing.
func marketFees(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	var taker, maker, premium schema.Optional
	_, markets, _ := c.Directory().Listing()
	for _, m := range markets {
		if c.Offered(m.Name) == nil {
			continue
		}
		taker, maker = highest(taker, schema.Some(m.TakerFee)), highest(maker, schema.Some(m.MakerFee))
		premium = highest(premium, m.RPIPremium)
	}
	type rates struct {
		market       string
		taker, maker fixed.Decimal
	}
	var own []rates
	c.API.Read(func(m core.View) {
		for _, f := range m.Trading().Fees(c.Account.ID) {
			r := rates{market: m.Listing().Market(f.Market).Name}
			r.maker, r.taker = m.Trading().Rates(c.Account.ID, f.Market)
			own = append(own, r)
		}
	})
	return api.AnswerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"error":null,"taker":`...)
		dst = api.AppendDecimal(dst, c.Account.TakerFee.Or(taker.Value()))
		dst = append(dst, `,"maker":`...)
		dst = api.AppendDecimal(dst, c.Account.MakerFee.Or(maker.Value()))
		dst = append(dst, `,"futures_taker":"0","futures_maker":"0","rpi_maker_fee_premium":`...)
		dst = appendOptional(dst, premium)
		dst = append(dst, `,"futures_rpi_maker_fee_premium":null,"custom_fee":{`...)
		for i, r := range own {
			dst = api.AppendText(api.AppendComma(dst, i), r.market)
			dst = append(dst, `:{"taker":`...)
			dst = api.AppendDecimal(dst, r.taker)
			dst = append(dst, `,"maker":`...)
			dst = api.AppendDecimal(dst, r.maker)
			dst = append(dst, '}')
		}
		return append(dst, `}}`...)
	}), nil
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

// appendOptional writes a decimal string, or null where there is none.
func appendOptional(dst []byte, o schema.Optional) []byte {
	if !o.Set() {
		return append(dst, `null`...)
	}
	return api.AppendDecimal(dst, o.Value())
}

// oneMarket asks for something of a market.
type oneMarket struct{ market string }

func (q *oneMarket) Read(f *api.Form) {
	f.Required("market")
	q.market = f.MarketFilter()
}

var aboutMarketFee = &api.About{
	Summary: "Get trading fees of a market",
	Text:    "Fees are in percent.",
	Response: api.Object("MarketFee", "Trading fees of the account on a market, in percent.",
		api.Required("error", api.Null, "Always null."),
		api.Required("taker", api.Decimal, "Taker fee."),
		api.Required("maker", api.Decimal, "Maker fee. Negative: rebate."),
		api.Required("rpi_maker_fee_premium", api.Nullable(api.Decimal), "Additional fee of RPI makers, null if there is none."),
		api.Required("futures_rpi_maker_fee_premium", api.Nullable(api.Decimal), "RPI maker fee premium on futures markets.")),
	Refusals: []schema.Reason{schema.MarketUnavailable},
}

func marketFee(c *api.Call, q *oneMarket) (api.Answer, error) {
	m := c.Offered(q.market)
	if m == nil {
		return nil, api.Refusal(schema.Refuse(schema.MarketUnavailable))
	}
	var maker, taker fixed.Decimal
	c.API.Read(func(machine core.View) {
		maker, taker = machine.Trading().Rates(c.Account.ID, m.ID)
	})
	return api.AnswerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"error":null,"taker":`...)
		dst = api.AppendDecimal(dst, taker)
		dst = append(dst, `,"maker":`...)
		dst = api.AppendDecimal(dst, maker)
		dst = append(dst, `,"rpi_maker_fee_premium":`...)
		dst = appendOptional(dst, m.RPIPremium)
		return append(dst, `,"futures_rpi_maker_fee_premium":null}`...)
	}), nil
}
