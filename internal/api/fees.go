package api

import (
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

var aboutMarketFees = &About{
	Summary: "Get trading fees",
	Text:    "Fees are in percent.",
	Answer: record("Fees", "Trading fees of the account, in percent.",
		always("error", justNil, "Always null."),
		always("taker", decimal, "Default taker fee, unless a market charges less or has a custom fee for the account."),
		always("maker", decimal, "Default maker fee, unless a market charges less or has a custom fee for the account."),
		always("futures_taker", decimal, "Taker fee on futures markets."),
		always("futures_maker", decimal, "Maker fee on futures markets."),
		always("rpi_maker_fee_premium", orNull(decimal), "Additional fee of RPI makers, null if there is none."),
		always("futures_rpi_maker_fee_premium", orNull(decimal), "RPI maker fee premium on futures markets."),
		always("custom_fee", mapOf(record("", "",
			always("taker", decimal, "Taker fee."),
			always("maker", decimal, "Maker fee."))), "Fees that were assigned to the account, by market.")),
}

// marketFees writes the fees of an account: its default, and those it was assigned.
//
// The exchange has no fee of its own beside those of its markets. The default in the answer is
// the account's own, or else the highest of all markets that it may trade on: nobody pays more.
// Futures, of which there are none, cost nothing.
func marketFees(c *Call, _ *nothing) (Answer, error) {
	var taker, maker, premium schema.Optional
	_, markets, _ := c.API.directory.Listing()
	for _, m := range markets {
		if c.offered(m.Name) == nil {
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
	c.API.node.Read(func(m *core.Machine) {
		for _, f := range m.Trading().Fees(c.Account.ID) {
			r := rates{market: m.Listing().Market(f.Market).Name}
			r.maker, r.taker = m.Trading().Rates(c.Account.ID, f.Market)
			own = append(own, r)
		}
	})
	return answerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"error":null,"taker":`...)
		dst = AppendDecimal(dst, c.Account.TakerFee.Or(taker.Value()))
		dst = append(dst, `,"maker":`...)
		dst = AppendDecimal(dst, c.Account.MakerFee.Or(maker.Value()))
		dst = append(dst, `,"futures_taker":"0","futures_maker":"0","rpi_maker_fee_premium":`...)
		dst = appendOptional(dst, premium)
		dst = append(dst, `,"futures_rpi_maker_fee_premium":null,"custom_fee":{`...)
		for i, r := range own {
			dst = AppendText(appendComma(dst, i), r.market)
			dst = append(dst, `:{"taker":`...)
			dst = AppendDecimal(dst, r.taker)
			dst = append(dst, `,"maker":`...)
			dst = AppendDecimal(dst, r.maker)
			dst = append(dst, '}')
		}
		return append(dst, `}}`...)
	}), nil
}

func higher(a, b fixed.Decimal) fixed.Decimal {
	if a.Less(b) {
		return b
	}
	return a
}

// highest is the higher of two rates, of those that are there.
func highest(a, b schema.Optional) schema.Optional {
	switch {
	case !a.Set():
		return b
	case !b.Set():
		return a
	}
	return schema.Some(higher(a.Value(), b.Value()))
}

// appendOptional writes a decimal string, or null where there is none.
func appendOptional(dst []byte, o schema.Optional) []byte {
	if !o.Set() {
		return append(dst, `null`...)
	}
	return AppendDecimal(dst, o.Value())
}

// oneMarket asks for something of a market.
type oneMarket struct{ market string }

func (q *oneMarket) read(f *Form) {
	f.required("market")
	q.market = f.marketFilter()
}

var aboutMarketFee = &About{
	Summary: "Get trading fees of a market",
	Text:    "Fees are in percent.",
	Answer: record("MarketFee", "Trading fees of the account on a market, in percent.",
		always("error", justNil, "Always null."),
		always("taker", decimal, "Taker fee."),
		always("maker", decimal, "Maker fee. Negative: rebate."),
		always("rpi_maker_fee_premium", orNull(decimal), "Additional fee of RPI makers, null if there is none."),
		always("futures_rpi_maker_fee_premium", orNull(decimal), "RPI maker fee premium on futures markets.")),
	Refusals: []schema.Reason{schema.MarketUnavailable},
}

func marketFee(c *Call, q *oneMarket) (Answer, error) {
	m := c.offered(q.market)
	if m == nil {
		return nil, refusal(schema.Refuse(schema.MarketUnavailable))
	}
	var maker, taker fixed.Decimal
	c.API.node.Read(func(machine *core.Machine) {
		maker, taker = machine.Trading().Rates(c.Account.ID, m.ID)
	})
	return answerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"error":null,"taker":`...)
		dst = AppendDecimal(dst, taker)
		dst = append(dst, `,"maker":`...)
		dst = AppendDecimal(dst, maker)
		dst = append(dst, `,"rpi_maker_fee_premium":`...)
		dst = appendOptional(dst, m.RPIPremium)
		return append(dst, `,"futures_rpi_maker_fee_premium":null}`...)
	}), nil
}
