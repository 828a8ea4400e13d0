package naive

import (
	"slices"

	"bourse/internal/schema"
)

func (t *trading) setFee(c *schema.SetFee) schema.Result {
	_, r := t.accounts.customer(c.Account)
	switch {
	case refused(r):
		return reject(r)
	case t.market(c.Market) == nil:
		return refuse(schema.MarketUnavailable)
	case !validFees(c.Maker, c.Taker):
		return refuse(schema.FeeInvalid)
	}
	t.fees = slices.DeleteFunc(t.fees, func(old schema.SetFee) bool {
		return old.Account == c.Account && old.Market == c.Market
	})
	if c.Maker.Set() || c.Taker.Set() {
		t.fees = append(t.fees, *c)
	}
	t.call.record(&schema.FeeChanged{Fee: *c})
	return schema.Result{}
}

// rate is the fee of an order's account as maker or as taker: a fraction, not a percent.
func (t *trading) rate(o *order, maker bool) num {
	m := o.market
	a, _ := t.accounts.customer(o.account)
	percent, own := of(m.TakerFee), a.TakerFee
	if maker {
		percent, own = of(m.MakerFee), a.MakerFee
	}
	if own.Set() {
		percent = least(percent, of(own.Value()))
	}
	for _, assigned := range t.fees {
		given := assigned.Taker
		if maker {
			given = assigned.Maker
		}
		if assigned.Account == o.account && assigned.Market == m.ID && given.Set() {
			percent = of(given.Value())
		}
	}
	if maker && o.rpi && m.RPIPremium.Set() {
		percent = percent.plus(of(m.RPIPremium.Value()))
	}
	return percent.over(hundred)
}

// fee is cut off at the market's precision. A rebate that the fee account may not owe is none.
func (t *trading) fee(m *market, asset schema.AssetID, exact num) num {
	fee := exact.truncate(unit(m.FeePrec))
	collected := t.ledger.balance(schema.Fees, schema.Main, asset).available
	if fee.sign() < 0 && fee.plus(collected).plus(owedMost).sign() < 0 {
		return num{}
	}
	return fee
}
