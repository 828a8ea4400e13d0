package listing

import (
	"math"

	"bourse/internal/core/position"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// USDT is the ticker of the asset that futures are settled in, and all but TradFi futures quoted; USD that in which those are.
const (
	USDT = "USDT"
	USD  = "USD"
)

// perpetual ends the name of a future.
const perpetual = "PERP"

// HighestPrice is the highest that the prices of futures are made of: sums of such prices over all slots of a
// sampler fit.
var HighestPrice = fixed.FromBits(math.MaxInt64>>8, math.MaxUint64)

// Tiers are what a market asks of positions by their size.
func Tiers(m *schema.Margin) position.Tiers {
	return position.Tiers{
		Max:      position.Leverage(m.MaxLeverage),
		Brackets: [...]fixed.Decimal{m.Bracket100, m.Bracket50, m.Bracket20},
	}
}

// highestOnSpot is the highest leverage that a spot market can have: there are no brackets, which begin above it.
const highestOnSpot = 10

// validSpotMargin reports whether a spot market can have these terms. Those who trade there with their own money need
// none.
func validSpotMargin(t *schema.Margin) bool {
	if t.MaxLeverage == 0 {
		return *t == schema.Margin{}
	}
	return *t == schema.Margin{
		MaxLeverage: t.MaxLeverage, MaxPosition: t.MaxPosition, MaxPending: t.MaxPending, LiquidationBand: t.LiquidationBand,
	} && position.Leverage(t.MaxLeverage).Valid() && t.MaxLeverage <= highestOnSpot &&
		t.MaxPosition.Sign() >= 0 && t.MaxPending.Sign() >= 0 && t.LiquidationBand.Sign() > 0 && validBand(t.LiquidationBand)
}

// validMargin reports whether a future can have these terms.
func validMargin(m *schema.Margin) bool {
	tiers := Tiers(m)
	return tiers.Valid() &&
		m.MaxPosition.Sign() >= 0 && m.MaxPending.Sign() >= 0 && m.MaxOpenInterest.Sign() >= 0 &&
		m.PriceBand.Sign() > 0 && validBand(m.PriceBand) && validBand(m.MarkBand) && validBand(m.LiquidationBand) &&
		m.LiquidationFee.Sign() >= 0 && ValidFee(m.LiquidationFee) &&
		m.ImpactNotional.Sign() > 0 && m.ImpactNotional.Cmp(HighestPrice) <= 0 &&
		m.FundingMinutes >= 1 && m.FundingMinutes <= 24*60 &&
		validRate(m.FundingFloor) && validRate(m.FundingCap) && m.FundingFloor.Cmp(m.FundingCap) <= 0
}

// validBand takes percents up to all of a price, whose ratio is exact.
func validBand(percent fixed.Decimal) bool {
	return percent.Sign() >= 0 && percent.Cmp(fixed.FromInt(100)) <= 0 && percent.Decimals() <= 16
}

// validRate takes what a settlement of funding can ask for: up to all of a position, to either side.
func validRate(ratio fixed.Decimal) bool {
	return ratio.Cmp(fixed.One) <= 0 && ratio.Cmp(fixed.One.Neg()) >= 0 && ratio.Decimals() <= 16
}
