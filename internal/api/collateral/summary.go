package collateral

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/core/collateral"
	"bourse/internal/fixed"
)

// marginFraction is the part of the equity that is bound.
func marginFraction(s *collateral.Summary) fixed.Decimal {
	if s.Equity.Sign() <= 0 && !s.Margin.IsZero() {
		return fixed.One
	}
	return fraction(s.Margin, s.Equity)
}

// fraction is a part of a whole, cut off at 8 decimals; none of nothing.
func fraction(part, whole fixed.Decimal) fixed.Decimal {
	if whole.IsZero() {
		return fixed.Zero
	}
	f, _ := fixed.Div(part, whole, 8, fixed.Down)
	return f
}

var summaryEncoder = api.Encode("CollateralSummary", "The collateral account as a whole, in USDT.",
	api.DecimalField("equity", "Value of the collateral, what is owed taken off, without unrealized PnL.", func(s *collateral.Summary) fixed.Decimal { return s.Equity }),
	api.DecimalField("margin", "Margin of positions and open orders.", func(s *collateral.Summary) fixed.Decimal { return s.Margin }),
	api.DecimalField("freeMargin", "equity + pnl − margin.", (*collateral.Summary).Free),
	api.ConstantField[collateral.Summary]("unrealizedFunding", api.Decimal, "Always 0: funding of futures is settled in the balance.", `"0"`),
	api.DecimalField("pnl", "Unrealized PnL.", func(s *collateral.Summary) fixed.Decimal { return s.Unrealized }),
	api.IntegerField("leverage", "Leverage of the account.", func(s *collateral.Summary) int64 { return int64(s.Leverage) }),
	api.DecimalField("marginFraction", "margin / equity; 1 where there is no equity left.", marginFraction),
	api.DecimalField("maintenanceMarginFraction", "Maintenance margin / value of all positions, 0 without any.",
		func(s *collateral.Summary) fixed.Decimal { return fraction(s.Maintenance, s.Notional) }),
	api.DecimalField("futuresEquity", "Own USDT with the unrealized PnL of futures.", func(s *collateral.Summary) fixed.Decimal { return s.FuturesEquity }),
	api.DecimalField("futuresFreeMargin", "futuresEquity − margin of futures.", func(s *collateral.Summary) fixed.Decimal { return s.FuturesFree }))

var aboutSummary = &api.About{
	Summary:  "Get the collateral account",
	Text:     "What the account has and what its positions and orders bind, in USDT.",
	Response: summaryEncoder.Schema(),
}

func summary(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	var s collateral.Summary
	c.API.Read(func(m core.View) { s = m.Collateral().Summary(c.Account.ID) })
	return summaryEncoder.Answer(&s), nil
}
