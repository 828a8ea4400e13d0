package naive

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestListingOfFutures(t *testing.T) {
	w := newFutures(t)
	for name, c := range map[string]struct {
		change func(*schema.MarketInfo)
		want   schema.Reason
	}{
		"name of a pair":     {func(m *schema.MarketInfo) { m.Name = "BTC_USDT" }, schema.NameInvalid},
		"quote not USDT":     {func(m *schema.MarketInfo) { m.Quote = 3 }, schema.AssetsInvalid},
		"base USDT":          {func(m *schema.MarketInfo) { m.Base, m.Name = usdt, "USDT_PERP" }, schema.AssetsInvalid},
		"TradFi":             {func(m *schema.MarketInfo) { m.Type, m.Name = schema.TradFiFutures, "BTC_USDT" }, schema.MarketTypeInvalid},
		"leverage":           {func(m *schema.MarketInfo) { m.MaxLeverage = 4 }, schema.MarginInvalid},
		"brackets":           {func(m *schema.MarketInfo) { m.Bracket50 = d("50000") }, schema.MarginInvalid},
		"brackets with none": {func(m *schema.MarketInfo) { m.Bracket50, m.Bracket20 = d("0"), d("49999") }, schema.MarginInvalid},
		"negative bracket":   {func(m *schema.MarketInfo) { m.Bracket100 = d("-1") }, schema.MarginInvalid},
		"position":           {func(m *schema.MarketInfo) { m.MaxPosition = d("-1") }, schema.MarginInvalid},
		"pending":            {func(m *schema.MarketInfo) { m.MaxPending = d("-1") }, schema.MarginInvalid},
		"open interest":      {func(m *schema.MarketInfo) { m.MaxOpenInterest = d("-1") }, schema.MarginInvalid},
		"no price band":      {func(m *schema.MarketInfo) { m.PriceBand = d("0") }, schema.MarginInvalid},
		"price band":         {func(m *schema.MarketInfo) { m.PriceBand = d("100.1") }, schema.MarginInvalid},
		"decimals of a band": {func(m *schema.MarketInfo) { m.MarkBand = d("0.00000000000000001") }, schema.MarginInvalid},
		"mark band":          {func(m *schema.MarketInfo) { m.MarkBand = d("-0.1") }, schema.MarginInvalid},
		"liquidation fee":    {func(m *schema.MarketInfo) { m.LiquidationFee = d("50") }, schema.MarginInvalid},
		"liquidation band":   {func(m *schema.MarketInfo) { m.LiquidationBand = d("101") }, schema.MarginInvalid},
		"no impact":          {func(m *schema.MarketInfo) { m.ImpactNotional = fixed.Zero }, schema.MarginInvalid},
		"impact":             {func(m *schema.MarketInfo) { m.ImpactNotional = highestPrice.plus(smallest).decimal() }, schema.MarginInvalid},
		"no minutes":         {func(m *schema.MarketInfo) { m.FundingMinutes = 0 }, schema.MarginInvalid},
		"minutes":            {func(m *schema.MarketInfo) { m.FundingMinutes = 1441 }, schema.MarginInvalid},
		"floor above cap":    {func(m *schema.MarketInfo) { m.FundingFloor = d("0.0004") }, schema.MarginInvalid},
		"cap":                {func(m *schema.MarketInfo) { m.FundingCap = d("1.1") }, schema.MarginInvalid},
		"decimals of a rate": {func(m *schema.MarketInfo) { m.FundingFloor = d("-0.00000000000000001") }, schema.MarginInvalid},
		"margin comes last":  {func(m *schema.MarketInfo) { m.TakerBand, m.MaxLeverage = d("-1"), 4 }, schema.BandInvalid},
		"before the old one": {func(m *schema.MarketInfo) { m.StockPrec, m.MaxLeverage = 2, 4 }, schema.MarginInvalid},
		"precisions stay":    {func(m *schema.MarketInfo) { m.StockPrec = 2 }, schema.ImmutableChanged},
		"spot with margin": {func(m *schema.MarketInfo) {
			m.Type, m.Name, m.Margin = schema.Spot, "BTC_USDT", schema.Margin{FundingMinutes: 1}
		}, schema.SpotMarginInvalid},
		"the widest": {func(m *schema.MarketInfo) {
			m.PriceBand, m.MarkBand, m.LiquidationBand, m.LiquidationFee = d("100"), d("100"), d("100"), d("49.9")
			m.FundingFloor, m.FundingCap, m.FundingMinutes, m.ImpactNotional = d("-1"), d("1"), 1440, highestPrice.decimal()
			m.Bracket100, m.Bracket50, m.Bracket20 = d("1"), fixed.Zero, d("2")
		}, schema.OK},
	} {
		m := btcPerp()
		c.change(&m)
		if got := w.apply(&schema.SetMarket{Market: m}).Rejection; got.Reason != c.want {
			t.Errorf("%s: got %d %q, want %d", name, got.Reason, got.Text(), c.want)
		}
	}
}
