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
		"TradFi":             {func(m *schema.MarketInfo) { m.Type, m.Name = schema.TradFiFutures, "BTC_USDT" }, schema.AssetsInvalid},
		"no type":            {func(m *schema.MarketInfo) { m.Type, m.Name = schema.TradFiFutures+1, "BTC_USDT" }, schema.MarketTypeInvalid},
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

func TestListingOfPairs(t *testing.T) {
	w := newFutures(t)
	for name, c := range map[string]struct {
		change func(*schema.MarketInfo)
		want   schema.Reason
	}{
		"leverage":                      {func(m *schema.MarketInfo) { m.MaxLeverage = 4 }, schema.SpotMarginInvalid},
		"leverage of a future":          {func(m *schema.MarketInfo) { m.MaxLeverage = 20 }, schema.SpotMarginInvalid},
		"no leverage":                   {func(m *schema.MarketInfo) { m.MaxLeverage = 0 }, schema.SpotMarginInvalid},
		"position":                      {func(m *schema.MarketInfo) { m.MaxPosition = d("-1") }, schema.SpotMarginInvalid},
		"pending":                       {func(m *schema.MarketInfo) { m.MaxPending = d("-1") }, schema.SpotMarginInvalid},
		"no liquidation band":           {func(m *schema.MarketInfo) { m.LiquidationBand = d("0") }, schema.SpotMarginInvalid},
		"liquidation band":              {func(m *schema.MarketInfo) { m.LiquidationBand = d("100.1") }, schema.SpotMarginInvalid},
		"decimals of the band":          {func(m *schema.MarketInfo) { m.LiquidationBand = d("0.00000000000000001") }, schema.SpotMarginInvalid},
		"bracket":                       {func(m *schema.MarketInfo) { m.Bracket20 = d("1") }, schema.SpotMarginInvalid},
		"open interest":                 {func(m *schema.MarketInfo) { m.MaxOpenInterest = d("1") }, schema.SpotMarginInvalid},
		"price band":                    {func(m *schema.MarketInfo) { m.PriceBand = d("1") }, schema.SpotMarginInvalid},
		"liquidation fee":               {func(m *schema.MarketInfo) { m.LiquidationFee = d("1") }, schema.SpotMarginInvalid},
		"funding":                       {func(m *schema.MarketInfo) { m.FundingMinutes = 5 }, schema.SpotMarginInvalid},
		"margin comes last":             {func(m *schema.MarketInfo) { m.TakerBand, m.MaxLeverage = d("-1"), 4 }, schema.BandInvalid},
		"before the old one":            {func(m *schema.MarketInfo) { m.StockPrec, m.MaxLeverage = 2, 4 }, schema.SpotMarginInvalid},
		"what it keeps after precision": {func(m *schema.MarketInfo) { m.StockPrec, m.Margin = 2, schema.Margin{} }, schema.ImmutableChanged},
	} {
		m := btcPair()
		c.change(&m)
		if got := w.apply(&schema.SetMarket{Market: m}).Rejection; got.Reason != c.want {
			t.Errorf("%s: got %d %q, want %d", name, got.Reason, got.Text(), c.want)
		}
	}
	plain, pair := btcPair(), btcPair()
	plain.Margin = schema.Margin{}
	w.must(&schema.SetMarket{Market: plain})
	for _, leverage := range []uint8{1, 2, 3, 5, 10} {
		pair.MaxLeverage, pair.MaxPosition, pair.MaxPending, pair.LiquidationBand = leverage, d("1"), d("2"), d("100")
		w.must(&schema.SetMarket{Market: pair})
	}
	w.refused(because(schema.SpotMarginInvalid), &schema.SetMarket{Market: plain}) // it keeps its margin
	w.delisted(btcUSDT, noon+minute)
	w.refused(because(schema.MarketDelisted), &schema.SetMarket{Market: plain})
}

// TestAssetsOfPairsHaveIndices: both have, from when the market has margin, without what was set before, and for ever.
func TestAssetsOfPairsHaveIndices(t *testing.T) {
	w := newFutures(t)
	pair, feed := btcPair(), btcPair()
	pair.Name, pair.Base, pair.Quote, pair.MoneyPrec, pair.Margin = "ETH_BTC", eth, btc, 4, schema.Margin{}
	feed.Name, feed.Base, feed.Margin = "ETH_USDT", eth, schema.Margin{}
	for _, m := range []schema.MarketInfo{pair, feed} {
		w.must(&schema.SetMarket{Market: m})
	}
	compare := func(m schema.MarketID, want string) {
		t.Helper()
		if price, _ := w.Index(m); price != d(want) {
			t.Errorf("the index of market %d is %v, want %s", m, price, want)
		}
	}
	w.index(ethBTC, 0, "0.07")
	w.index(ethUSDT, 0, "2000")
	w.index(btcUSDT, 0, "50000")
	compare(ethBTC, "0.07")
	w.refused(because(schema.IndexSourceInvalid), &schema.SetIndex{Market: ethUSDT, Source: 1, Price: d("2000")})
	pair.Margin = btcPair().Margin
	w.must(&schema.SetMarket{Market: pair})
	compare(ethBTC, "0")
	compare(ethUSDT, "0")
	if mark, fresh := w.prices.mark(ethBTC); mark.sign() != 0 || fresh {
		t.Errorf("the mark is %v, %t", mark.decimal(), fresh)
	}
	w.index(ethUSDT, 1, "3000")
	compare(ethBTC, "0.06")
	w.index(ethBTC, 0, "0.07") // passed over
	compare(ethBTC, "0.06")
	w.index(ethUSDT, 1, "1000.000001")
	if mark, fresh := w.prices.mark(ethBTC); mark.cmp(n("0.02000000002")) != 0 || !fresh {
		t.Errorf("the mark is %v, %t", mark.decimal(), fresh)
	}
	w.index(btcUSDT, 0, "30000")
	cut, _ := w.prices.mark(ethBTC)
	same(t, "cut off", cut, "0.033333333366666666")
	w.delisted(ethBTC, noon+minute)
	w.index(ethUSDT, 0, "3000")
	if price, fresh := w.AssetPrice(eth); price != d("3000") || !fresh { // the other source is too old
		t.Errorf("ETH is at %v, %t", price, fresh)
	}
	w.tick(noon + 2*hour)
	if mark, fresh := w.prices.mark(ethBTC); mark.cmp(n("0.1")) != 0 || fresh {
		t.Errorf("the mark is %v, %t", mark.decimal(), fresh)
	}
}
