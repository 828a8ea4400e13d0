package listing

import (
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func asset(ticker string, scale uint8) schema.Asset {
	return schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: scale, Precision: min(scale, 8)}
}

// market is one that can be listed once BTC (8 decimals) and USDT (10) are.
func market() schema.MarketInfo {
	return schema.MarketInfo{
		Name: "BTC_USDT", Base: 1, Quote: 2, Type: schema.Spot, StockPrec: 6, MoneyPrec: 2, FeePrec: 8,
		TickSize: fixed.FromUnits(1, 2), StepSize: fixed.FromUnits(1, 6), MakerFee: fixed.FromUnits(1, 1), TakerFee: fixed.FromUnits(1, 1), Enabled: true,
	}
}

// listed is a listing with both assets.
func listed(t *testing.T) (*Listing, *schema.Outcome) {
	t.Helper()
	l, out := New(), &schema.Outcome{}
	for _, a := range []schema.Asset{asset("BTC", 8), asset("USDT", 10)} {
		if r := l.SetAsset(a, out); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	out.Reset(0)
	return l, out
}

func TestListedThingsAreFoundByIDAndName(t *testing.T) {
	l, out := listed(t)
	if r := l.SetMarket(market(), out); r.Refused() || out.Result.ID != 1 || out.Events.Len() != 1 {
		t.Fatalf("%q, id %d, %d events", r.Text(), out.Result.ID, out.Events.Len())
	}
	if a := l.Asset(2); a == nil || a != l.AssetByTicker("USDT") || a.ID != 2 || len(l.Assets()) != 2 {
		t.Errorf("asset 2 is %+v", a)
	}
	if m := l.Market(1); m == nil || m != l.MarketByName("BTC_USDT") || m.ID != 1 || len(l.Markets()) != 1 {
		t.Errorf("market 1 is %+v", m)
	}
	if l.Asset(0) != nil || l.Asset(3) != nil || l.Market(0) != nil || l.Market(2) != nil || l.AssetByTicker("ETH") != nil || l.MarketByName("") != nil {
		t.Error("something is there that was not listed")
	}
}

// TestChangesKeepTheIdentity: what is listed under a name is changed in its place, and what ticks run
// with a market stays.
func TestChangesKeepTheIdentity(t *testing.T) {
	l, out := listed(t)
	l.SetMarket(market(), out)
	m := l.Market(1)
	m.DelistsAt, m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = 9, 5, 8, true
	changed := market()
	changed.MakerFee, changed.DelistsAt, changed.InMaintenance = fixed.FromUnits(2, 1), 77, false
	if r := l.SetMarket(changed, out); r.Refused() || out.Result.ID != 1 {
		t.Fatal(r.Text())
	}
	if m != l.Market(1) || m.MakerFee != fixed.FromUnits(2, 1) || m.DelistsAt != 9 || m.MaintenanceFrom != 5 || m.MaintenanceTo != 8 || !m.InMaintenance {
		t.Errorf("the market is %+v", m)
	}
	networks := []schema.Network{{Name: "BTC", Default: true}}
	btc := asset("BTC", 8)
	btc.Networks = networks
	l.SetAsset(btc, out)
	networks[0].Name = "changed by the caller"
	if got := l.Asset(1); got.ID != 1 || got.Networks[0].Name != "BTC" {
		t.Errorf("the asset is %+v", got)
	}
}

func TestAssetsThatCannotBeListed(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*schema.Asset)
		want schema.Reason
	}{
		{"no ticker", func(a *schema.Asset) { a.Ticker = "" }, schema.TickerInvalid},
		{"a small letter", func(a *schema.Asset) { a.Ticker = "Eth" }, schema.TickerInvalid},
		{"21 letters", func(a *schema.Asset) { a.Ticker = strings.Repeat("A", 21) }, schema.TickerInvalid},
		{"no class", func(a *schema.Asset) { a.Class = 0 }, schema.ClassInvalid},
		{"19 decimals", func(a *schema.Asset) { a.Scale = 19 }, schema.ScaleInvalid},
		{"finer than its scale", func(a *schema.Asset) { a.Precision = a.Scale + 1 }, schema.ScaleInvalid},
		{"bounds the wrong way round", func(a *schema.Asset) { a.MinDeposit, a.MaxDeposit = fixed.FromInt(2), fixed.FromInt(1) }, schema.LimitInvalid},
		{"a negative bound of a network", func(a *schema.Asset) { a.Networks = []schema.Network{{Name: "N", MinWithdraw: fixed.FromInt(-1)}} }, schema.LimitInvalid},
		{"a network twice", func(a *schema.Asset) { a.Networks = []schema.Network{{Name: "N"}, {Name: "N"}} }, schema.NetworkInvalid},
		{"two default networks", func(a *schema.Asset) {
			a.Networks = []schema.Network{{Name: "N", Default: true}, {Name: "M", Default: true}}
		}, schema.NetworkInvalid},
		{"traded later than confirmed", func(a *schema.Asset) {
			a.Networks = []schema.Network{{Name: "N", Confirmations: 1, ConfirmationsForTrading: 2}}
		}, schema.NetworkInvalid},
		{"another scale", func(a *schema.Asset) { a.Ticker, a.Scale = "BTC", 9 }, schema.ImmutableChanged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, out := listed(t)
			a := asset("ETH", 8)
			tt.set(&a)
			if r := l.SetAsset(a, out); r.Reason != tt.want || len(l.Assets()) != 2 || l.Asset(1).Scale != 8 || out.Events.Len() != 0 {
				t.Errorf("refused with %d, want %d; %d assets, %d events", r.Reason, tt.want, len(l.Assets()), out.Events.Len())
			}
		})
	}
}

func TestMarketsThatCannotBeListed(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*schema.MarketInfo)
		want schema.Reason
	}{
		{"an asset that is not listed", func(m *schema.MarketInfo) { m.Base = 3 }, schema.AssetsInvalid},
		{"one asset twice", func(m *schema.MarketInfo) { m.Base = 2 }, schema.AssetsInvalid},
		{"another name", func(m *schema.MarketInfo) { m.Name = "USDT_BTC" }, schema.NameInvalid},
		{"no type", func(m *schema.MarketInfo) { m.Type = 0 }, schema.MarketTypeInvalid},
		{"amounts finer than the base", func(m *schema.MarketInfo) { m.StockPrec = 9 }, schema.PrecisionInvalid},
		{"price times amount finer than the quote", func(m *schema.MarketInfo) { m.MoneyPrec = 5 }, schema.PrecisionInvalid},
		{"fees finer than the base", func(m *schema.MarketInfo) { m.FeePrec = 9 }, schema.PrecisionInvalid},
		{"half a tick", func(m *schema.MarketInfo) { m.TickSize = fixed.FromUnits(5, 3) }, schema.StepInvalid},
		{"a negative step", func(m *schema.MarketInfo) { m.StepSize = fixed.FromInt(-1) }, schema.StepInvalid},
		{"bounds the wrong way round", func(m *schema.MarketInfo) { m.MinTotal, m.MaxTotal = fixed.FromInt(2), fixed.FromInt(1) }, schema.LimitInvalid},
		{"half of everything", func(m *schema.MarketInfo) { m.MakerFee = fixed.FromInt(50) }, schema.FeeInvalid},
		{"takers are paid", func(m *schema.MarketInfo) { m.TakerFee = fixed.FromInt(-1) }, schema.FeeInvalid},
		{"a region that nobody knows", func(m *schema.MarketInfo) { m.Regions = 1 << 7 }, schema.RegionInvalid},
		{"more orders than there may be", func(m *schema.MarketInfo) { m.MaxOrders = schema.HighestMaxOrders + 1 }, schema.OrdersLimitInvalid},
		{"a band of everything", func(m *schema.MarketInfo) { m.TakerBand = fixed.FromInt(100) }, schema.BandInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, out := listed(t)
			m := market()
			tt.set(&m)
			if r := l.SetMarket(m, out); r.Reason != tt.want || len(l.Markets()) != 0 || out.Events.Len() != 0 {
				t.Errorf("refused with %d, want %d; %d markets, %d events", r.Reason, tt.want, len(l.Markets()), out.Events.Len())
			}
		})
	}
}

// future is one that can be listed.
func future() schema.MarketInfo {
	m := market()
	m.Name, m.Type = "BTC_PERP", schema.Futures
	m.Margin = schema.Margin{
		MaxLeverage: 100, Bracket100: fixed.FromInt(50_000), Bracket20: fixed.FromInt(250_000), PriceBand: fixed.FromInt(100),
		ImpactNotional: HighestPrice, FundingMinutes: 1440, FundingCap: fixed.One, FundingFloor: fixed.FromInt(-1),
	}
	return m
}

func TestFuturesAreListedAndChanged(t *testing.T) {
	l, out := listed(t)
	if r := l.SetMarket(future(), out); r.Refused() || out.Result.ID != 1 {
		t.Fatal(r.Text())
	}
	if r := l.SetMarket(market(), out); r.Refused() || out.Result.ID != 2 {
		t.Fatal(r.Text())
	}
	changed := future()
	changed.MaxLeverage, changed.FundingMinutes, changed.Bracket20 = 20, 5, fixed.Zero
	if r := l.SetMarket(changed, out); r.Refused() || l.Market(1).Margin != changed.Margin {
		t.Errorf("%s %+v", r.Text(), l.Market(1).Margin)
	}
	// A spot market cannot become a future, nor the other way round.
	spot := changed
	spot.Name, spot.Margin = "BTC_USDT", schema.Margin{}
	if r := l.SetMarket(spot, out); r.Reason != schema.NameInvalid {
		t.Errorf("a future called like a pair: %d", r.Reason)
	}
}

func TestFuturesThatCannotBeListed(t *testing.T) {
	fine := fixed.FromUnits(1, 17) // a percent or rate that is too fine
	for _, tt := range []struct {
		name string
		set  func(*schema.MarketInfo)
		want schema.Reason
	}{
		{"quoted in something else", func(m *schema.MarketInfo) { m.Base, m.Quote = 2, 1 }, schema.AssetsInvalid},
		{"on USDT", func(m *schema.MarketInfo) { m.Name, m.Base = "USDT_PERP", 2 }, schema.AssetsInvalid},
		{"another name", func(m *schema.MarketInfo) { m.Name = "BTC_USDT" }, schema.NameInvalid},
		{"on stocks without USD", func(m *schema.MarketInfo) { m.Name, m.Type = "BTC_USDT", schema.TradFiFutures }, schema.AssetsInvalid},
		{"price times amount finer than the quote", func(m *schema.MarketInfo) { m.MoneyPrec = 5 }, schema.PrecisionInvalid},
		{"what is wrong before the margin is said first", func(m *schema.MarketInfo) { m.TakerBand, m.MaxLeverage = fixed.FromInt(100), 0 }, schema.BandInvalid},
		{"no leverage", func(m *schema.MarketInfo) { m.MaxLeverage = 0 }, schema.MarginInvalid},
		{"a leverage between", func(m *schema.MarketInfo) { m.MaxLeverage = 15 }, schema.MarginInvalid},
		{"a negative bracket", func(m *schema.MarketInfo) { m.Bracket50 = fixed.FromInt(-1) }, schema.MarginInvalid},
		{"brackets that do not grow", func(m *schema.MarketInfo) { m.Bracket50 = m.Bracket100 }, schema.MarginInvalid},
		{"a negative bound of positions", func(m *schema.MarketInfo) { m.MaxPosition = fixed.FromInt(-1) }, schema.MarginInvalid},
		{"a negative bound of orders", func(m *schema.MarketInfo) { m.MaxPending = fixed.FromInt(-1) }, schema.MarginInvalid},
		{"a negative bound of all positions", func(m *schema.MarketInfo) { m.MaxOpenInterest = fixed.FromInt(-1) }, schema.MarginInvalid},
		{"no band of prices", func(m *schema.MarketInfo) { m.PriceBand = fixed.Zero }, schema.MarginInvalid},
		{"too wide a band of prices", func(m *schema.MarketInfo) { m.PriceBand = fixed.FromUnits(1000001, 4) }, schema.MarginInvalid},
		{"too fine a band of prices", func(m *schema.MarketInfo) { m.PriceBand = fine }, schema.MarginInvalid},
		{"a negative band of marks", func(m *schema.MarketInfo) { m.MarkBand = fixed.FromInt(-1) }, schema.MarginInvalid},
		{"too wide a band of marks", func(m *schema.MarketInfo) { m.MarkBand = fixed.FromInt(101) }, schema.MarginInvalid},
		{"too fine a band of marks", func(m *schema.MarketInfo) { m.MarkBand = fine }, schema.MarginInvalid},
		{"too wide a band of liquidations", func(m *schema.MarketInfo) { m.LiquidationBand = fixed.FromInt(101) }, schema.MarginInvalid},
		{"a negative band of liquidations", func(m *schema.MarketInfo) { m.LiquidationBand = fixed.FromInt(-1) }, schema.MarginInvalid},
		{"liquidation for half", func(m *schema.MarketInfo) { m.LiquidationFee = fixed.FromInt(50) }, schema.MarginInvalid},
		{"liquidation that is paid for", func(m *schema.MarketInfo) { m.LiquidationFee = fixed.FromInt(-1) }, schema.MarginInvalid},
		{"too fine a fee of liquidations", func(m *schema.MarketInfo) { m.LiquidationFee = fine }, schema.MarginInvalid},
		{"no impact notional", func(m *schema.MarketInfo) { m.ImpactNotional = fixed.Zero }, schema.MarginInvalid},
		{"too much of an impact notional", func(m *schema.MarketInfo) { m.ImpactNotional = HighestPrice.Add(fixed.FromUnits(1, 18)) }, schema.MarginInvalid},
		{"no interval of funding", func(m *schema.MarketInfo) { m.FundingMinutes = 0 }, schema.MarginInvalid},
		{"funding less than daily", func(m *schema.MarketInfo) { m.FundingMinutes = 1441 }, schema.MarginInvalid},
		{"a floor above the cap", func(m *schema.MarketInfo) { m.FundingFloor, m.FundingCap = fixed.One, fixed.Zero }, schema.MarginInvalid},
		{"a floor below -1", func(m *schema.MarketInfo) { m.FundingFloor = fixed.FromInt(-2) }, schema.MarginInvalid},
		{"a cap above 1", func(m *schema.MarketInfo) { m.FundingCap = fixed.FromInt(2) }, schema.MarginInvalid},
		{"too fine a cap", func(m *schema.MarketInfo) { m.FundingCap = fine }, schema.MarginInvalid},
		{"too fine a floor", func(m *schema.MarketInfo) { m.FundingFloor = fine.Neg() }, schema.MarginInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, out := listed(t)
			m := future()
			tt.set(&m)
			if r := l.SetMarket(m, out); r.Reason != tt.want || len(l.Markets()) != 0 || out.Events.Len() != 0 {
				t.Errorf("refused with %d, want %d; %d markets, %d events", r.Reason, tt.want, len(l.Markets()), out.Events.Len())
			}
		})
	}
	l, out := listed(t)
	m := market()
	m.FundingCap = fixed.One
	if r := l.SetMarket(m, out); r.Reason != schema.SpotMarginInvalid {
		t.Errorf("a spot market with a cap of funding: %d", r.Reason)
	}
}

// TestMarginOfSpotMarkets: a spot market has no margin, or what positions there need, and keeps it.
func TestMarginOfSpotMarkets(t *testing.T) {
	sound := schema.Margin{MaxLeverage: 10, MaxPosition: fixed.FromInt(100_000), MaxPending: fixed.FromInt(200_000), LiquidationBand: fixed.FromInt(2)}
	for _, tt := range []struct {
		name string
		set  func(*schema.Margin)
		want schema.Reason
	}{
		{"all of it", func(*schema.Margin) {}, schema.OK},
		{"none", func(m *schema.Margin) { *m = schema.Margin{} }, schema.OK},
		{"without bounds", func(m *schema.Margin) { m.MaxPosition, m.MaxPending = fixed.Zero, fixed.Zero }, schema.OK},
		{"the lowest leverage", func(m *schema.Margin) { m.MaxLeverage = 1 }, schema.OK},
		{"a leverage that needs brackets", func(m *schema.Margin) { m.MaxLeverage = 20 }, schema.SpotMarginInvalid},
		{"a leverage that there is not", func(m *schema.Margin) { m.MaxLeverage = 4 }, schema.SpotMarginInvalid},
		{"a bound below zero", func(m *schema.Margin) { m.MaxPosition = fixed.FromInt(-1) }, schema.SpotMarginInvalid},
		{"no band", func(m *schema.Margin) { m.LiquidationBand = fixed.Zero }, schema.SpotMarginInvalid},
		{"too wide a band", func(m *schema.Margin) { m.LiquidationBand = fixed.FromInt(101) }, schema.SpotMarginInvalid},
		{"a fee of liquidation", func(m *schema.Margin) { m.LiquidationFee = fixed.One }, schema.SpotMarginInvalid},
		{"funding", func(m *schema.Margin) { m.FundingMinutes = 480 }, schema.SpotMarginInvalid},
		{"a bound of open interest", func(m *schema.Margin) { m.MaxOpenInterest = fixed.One }, schema.SpotMarginInvalid},
		{"bounds without a leverage", func(m *schema.Margin) { m.MaxLeverage = 0 }, schema.SpotMarginInvalid},
	} {
		l, out := listed(t)
		m := market()
		m.Margin = sound
		tt.set(&m.Margin)
		if r := l.SetMarket(m, out); r.Reason != tt.want {
			t.Errorf("%s: refused with %d, want %d", tt.name, r.Reason, tt.want)
		}
	}
	l, out := listed(t)
	m := market()
	for _, step := range []struct {
		margin schema.Margin
		want   schema.Reason
	}{{schema.Margin{}, schema.OK}, {sound, schema.OK}, {schema.Margin{}, schema.SpotMarginInvalid}, {schema.Margin{MaxLeverage: 5, LiquidationBand: fixed.One}, schema.OK}} {
		m.Margin = step.margin
		if r := l.SetMarket(m, out); r.Reason != step.want {
			t.Errorf("a leverage of %d: refused with %d, want %d", m.MaxLeverage, r.Reason, step.want)
		}
	}
}

func TestRestoreTakesOnlyTheNextID(t *testing.T) {
	l, _ := listed(t)
	next := asset("ETH", 8)
	for _, tt := range []struct {
		id   schema.AssetID
		want schema.Reason
	}{{1, schema.NameTaken}, {4, schema.NameTaken}, {3, schema.OK}, {4, schema.NameTaken}} {
		next.ID = tt.id
		if r := l.RestoreAsset(next); r.Reason != tt.want {
			t.Errorf("asset %d: refused with %d, want %d", tt.id, r.Reason, tt.want)
		}
	}
	m := market()
	m.ID = 2
	if r := l.RestoreMarket(m); r.Reason != schema.NameTaken {
		t.Errorf("market 2 before 1: %d", r.Reason)
	}
	m.ID = 1
	if r := l.RestoreMarket(m); r.Refused() {
		t.Error(r.Text())
	}
	m.ID = 2
	if r := l.RestoreMarket(m); r.Reason != schema.NameTaken {
		t.Errorf("a name twice: %d", r.Reason)
	}
}
