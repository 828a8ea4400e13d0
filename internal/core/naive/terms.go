package naive

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// leverages are those that an account can choose from.
var leverages = []int64{1, 2, 3, 5, 10, 20, 50, 100}

// isPair reports whether a market is a spot market where one can trade with collateral too.
func isPair(m *schema.MarketInfo) bool { return m.Type == schema.Spot && m.MaxLeverage != 0 }

// validSpotMargin looks at what a spot market asks of those who trade there with collateral: nothing if that is not offered.
func validSpotMargin(t schema.Margin) bool {
	if t == (schema.Margin{}) {
		return true
	}
	asked := schema.Margin{
		MaxLeverage: t.MaxLeverage, MaxPosition: t.MaxPosition, MaxPending: t.MaxPending, LiquidationBand: t.LiquidationBand,
	}
	return t == asked && t.MaxLeverage <= 10 && slices.Contains(leverages, int64(t.MaxLeverage)) &&
		of(t.MaxPosition).sign() >= 0 && of(t.MaxPending).sign() >= 0 &&
		of(t.LiquidationBand).sign() > 0 && validBand(t.LiquidationBand)
}

// validMargin looks at what a future asks of those who trade there.
func validMargin(t schema.Margin) bool {
	return slices.Contains(leverages, int64(t.MaxLeverage)) &&
		validBrackets(t.Bracket100, t.Bracket50, t.Bracket20) &&
		of(t.MaxPosition).sign() >= 0 && of(t.MaxPending).sign() >= 0 && of(t.MaxOpenInterest).sign() >= 0 &&
		of(t.PriceBand).sign() > 0 && validBand(t.PriceBand) && validBand(t.MarkBand) && validBand(t.LiquidationBand) &&
		of(t.LiquidationFee).sign() >= 0 && validPercent(of(t.LiquidationFee), 50) &&
		of(t.ImpactNotional).sign() > 0 && !of(t.ImpactNotional).more(highestPrice) &&
		t.FundingMinutes >= 1 && t.FundingMinutes <= 1440 &&
		validFundingRate(t.FundingFloor) && validFundingRate(t.FundingCap) && !of(t.FundingFloor).more(of(t.FundingCap))
}

// validBrackets takes those that grow as leverage falls; one of zero is none.
func validBrackets(falling ...fixed.Decimal) bool {
	reached := num{}
	for _, b := range falling {
		switch bracket := of(b); {
		case bracket.sign() == 0:
		case !bracket.more(reached):
			return false
		default:
			reached = bracket
		}
	}
	return true
}

// validBand takes up to 100 percent.
func validBand(p fixed.Decimal) bool {
	band := of(p)
	return band.sign() >= 0 && !band.more(hundred) && band.multipleOf(unit(16))
}

// validFundingRate takes up to all of a notional in either direction.
func validFundingRate(r fixed.Decimal) bool {
	rate := of(r)
	return !rate.abs().more(one) && rate.multipleOf(unit(16))
}
