package trading

import (
	"bourse/internal/core/accounts"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// makerRate is what a desk pays for a fill of an order that rested, in percent.
func (e *Engine) makerRate(m *market, d *desk, rpi bool) fixed.Decimal {
	rate := d.maker.Value()
	if !d.maker.Set() {
		rate = lower(m.info.MakerFee, e.accounts.Get(d.account).MakerFee)
	}
	if rpi && m.info.RPIPremium.Set() {
		rate = rate.Add(m.info.RPIPremium.Value())
	}
	return rate
}

// takerRate is what a desk pays for a fill on arrival, in percent.
func (e *Engine) takerRate(m *market, d *desk) fixed.Decimal {
	if d.taker.Set() {
		return d.taker.Value()
	}
	return lower(m.info.TakerFee, e.accounts.Get(d.account).TakerFee)
}

// fee is what a rate in percent takes of an amount. It is cut off toward zero at feePrec, so nobody pays, and the house never
// gives, more than the rate says.
func (m *market) fee(of, percent fixed.Decimal) fixed.Decimal {
	// Percents have at most 16 decimals, so a hundredth of one is exact. Two rates below 100 % (RPI
	// premium included: below 200 %) of an amount in range cannot overflow.
	fee, fits := fixed.Mul(of, percent.Percent(), int(m.info.FeePrec), fixed.Down)
	if !fits {
		panic("trading: a fee overflows; it is a part of an amount that fits")
	}
	return fee
}

// lower is the market's fee, or the account's default where that is lower.
func lower(market fixed.Decimal, account schema.Optional) fixed.Decimal {
	return fixed.MinOf(market, account.Or(market))
}

// SetFee assigns an account its own fees on a market.
func (e *Engine) SetFee(c *schema.SetFee) schema.Rejection {
	if e.accounts.Get(c.Account) == nil {
		return schema.Refuse(schema.AccountUnknown)
	}
	m := e.market(c.Market)
	if m == nil {
		return schema.Refuse(schema.MarketUnavailable)
	}
	if !accounts.ValidFees(c.Maker, c.Taker) {
		return schema.Refuse(schema.FeeInvalid)
	}
	d := e.desks.At(e.openDesk(c.Account, m))
	d.maker, d.taker = c.Maker, c.Taker
	e.out.Events.Add(&schema.FeeChanged{Fee: *c})
	return schema.Rejection{}
}
