package sheet

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Margin is what a future asks of those who trade there; see schema.Margin. What is left out, or null, is the default of
// a future; other markets have none of it. Bands and fees are percents, rates of funding are ratios.
type Margin struct {
	MaxLeverage     *uint8  `json:"max_leverage,omitempty"`
	Bracket100      *Number `json:"bracket_100,omitempty"`
	Bracket50       *Number `json:"bracket_50,omitempty"`
	Bracket20       *Number `json:"bracket_20,omitempty"`
	MaxPosition     *Number `json:"max_position,omitempty"`
	MaxPending      *Number `json:"max_pending,omitempty"`
	MaxOpenInterest *Number `json:"max_open_interest,omitempty"`
	PriceBand       *Number `json:"price_band,omitempty"`
	MarkBand        *Number `json:"mark_band,omitempty"`
	ImpactNotional  *Number `json:"impact_notional,omitempty"`
	FundingMinutes  *uint32 `json:"funding_minutes,omitempty"`
	FundingCap      *Number `json:"funding_cap,omitempty"`
	FundingFloor    *Number `json:"funding_floor,omitempty"`
	LiquidationFee  *Number `json:"liquidation_fee,omitempty"`
	LiquidationBand *Number `json:"liquidation_band,omitempty"`
}

// Futures are the terms of a future that says nothing of them. It has no brackets and no bounds.
func Futures() schema.Margin { return futures }

var futures = schema.Margin{
	MaxLeverage: 100, PriceBand: fixed.FromInt(10), MarkBand: fixed.FromUnits(5, 1), ImpactNotional: fixed.FromInt(10_000),
	FundingMinutes: 480, FundingCap: fixed.FromUnits(3, 4), FundingFloor: fixed.FromUnits(-3, 4),
	LiquidationFee: fixed.FromUnits(2, 1), LiquidationBand: fixed.FromInt(2),
}

// marginOf is the sheet of the terms of a future, without anything left out.
func marginOf(m *schema.Margin) Margin {
	number := func(d fixed.Decimal) *Number { return &Number{d} }
	leverage, minutes := m.MaxLeverage, m.FundingMinutes
	return Margin{
		MaxLeverage: &leverage, Bracket100: number(m.Bracket100), Bracket50: number(m.Bracket50), Bracket20: number(m.Bracket20),
		MaxPosition: number(m.MaxPosition), MaxPending: number(m.MaxPending), MaxOpenInterest: number(m.MaxOpenInterest),
		PriceBand: number(m.PriceBand), MarkBand: number(m.MarkBand), ImpactNotional: number(m.ImpactNotional),
		FundingMinutes: &minutes, FundingCap: number(m.FundingCap), FundingFloor: number(m.FundingFloor),
		LiquidationFee: number(m.LiquidationFee), LiquidationBand: number(m.LiquidationBand),
	}
}

// spot is what holds of a spot market where the sheet says nothing: no margin, or a band of 2 % for liquidation.
func (s *Margin) spot() (m schema.Margin) {
	if s.MaxLeverage != nil && *s.MaxLeverage != 0 {
		m.LiquidationBand = futures.LiquidationBand
	}
	return m
}

// terms are what the sheet says, over what holds where it says nothing.
func (s *Margin) terms(otherwise schema.Margin) schema.Margin {
	m := otherwise
	if s.MaxLeverage != nil {
		m.MaxLeverage = *s.MaxLeverage
	}
	if s.FundingMinutes != nil {
		m.FundingMinutes = *s.FundingMinutes
	}
	for _, part := range []struct {
		said *Number
		of   *fixed.Decimal
	}{
		{s.Bracket100, &m.Bracket100},
		{s.Bracket50, &m.Bracket50},
		{s.Bracket20, &m.Bracket20},
		{s.MaxPosition, &m.MaxPosition},
		{s.MaxPending, &m.MaxPending},
		{s.MaxOpenInterest, &m.MaxOpenInterest},
		{s.PriceBand, &m.PriceBand},
		{s.MarkBand, &m.MarkBand},
		{s.ImpactNotional, &m.ImpactNotional},
		{s.FundingCap, &m.FundingCap},
		{s.FundingFloor, &m.FundingFloor},
		{s.LiquidationFee, &m.LiquidationFee},
		{s.LiquidationBand, &m.LiquidationBand},
	} {
		if part.said != nil {
			*part.of = part.said.Decimal
		}
	}
	return m
}

// Collateral is what an asset is worth as collateral and how it is lent; see schema.SetCollateral.
type Collateral struct {
	Asset       string  `json:"asset"`
	Weight      Number  `json:"weight"`
	Rate        *Number `json:"rate"` // for one hour; null: the default
	PoolCap     Number  `json:"pool_cap"`
	AccountCap  Number  `json:"account_cap"`
	IndexMaxAge *int64  `json:"index_max_age"` // seconds; null: the default
}

// rate is the interest of loans that nothing is said of: 0.0585 % a day.
var rate = fixed.FromUnits(24_375, 9)

// NoCollateral is the sheet of an asset that nothing was set of: it counts as nothing and none of it is lent.
func NoCollateral(asset string) Collateral {
	return CollateralOf(asset, &schema.SetCollateral{Rate: rate, IndexMaxAge: schema.DefaultIndexMaxAge})
}

// CollateralOf is the sheet of what was set of an asset.
func CollateralOf(asset string, c *schema.SetCollateral) Collateral {
	age := int64(c.IndexMaxAge / schema.Second)
	return Collateral{
		Asset: asset, Weight: Number{c.Weight}, Rate: &Number{c.Rate}, PoolCap: Number{c.PoolCap}, AccountCap: Number{c.AccountCap},
		IndexMaxAge: &age,
	}
}

// Command sets what the asset is worth. It is looked up.
func (s *Collateral) Command(l Assets) (*schema.SetCollateral, error) {
	asset := l.AssetByTicker(s.Asset)
	if asset == nil {
		return nil, fmt.Errorf("collateral %s: there is no such asset", s.Asset)
	}
	c := &schema.SetCollateral{
		Asset: asset.ID, Weight: s.Weight.Decimal, Rate: rate, PoolCap: s.PoolCap.Decimal, AccountCap: s.AccountCap.Decimal,
		IndexMaxAge: schema.DefaultIndexMaxAge,
	}
	if s.Rate != nil {
		c.Rate = s.Rate.Decimal
	}
	if s.IndexMaxAge != nil {
		if *s.IndexMaxAge < 1 || *s.IndexMaxAge > 3600 {
			return nil, fmt.Errorf("collateral %s: index_max_age is 1 to 3600 seconds, not %d", s.Asset, *s.IndexMaxAge)
		}
		c.IndexMaxAge = schema.Time(*s.IndexMaxAge) * schema.Second
	}
	return c, nil
}
