// Package listing keeps what is listed on the exchange: assets and markets. It checks that a
// listing makes sense; what a market does with orders is the business of trading.
//
// What must hold: ids are places in a list and never change their meaning; tickers and names
// are unique; a market's smallest price times its smallest amount is a whole number of ledger
// units of the quote asset, so that no trade ever rounds.
package listing

import (
	"slices"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Listing is the set of assets and markets. The maps are only ever asked, never gone through.
type Listing struct {
	product.Base
	Out *schema.Outcome // of the command
	// MarketChanged is called when a market was listed or its listing changed.
	MarketChanged func(schema.MarketID)
	// Chains checks the chains of the networks of an asset.
	Chains func(*schema.Asset) schema.Rejection

	assets  []*schema.Asset // asset i+1
	markets []*schema.MarketInfo
	usdt    schema.AssetID // 0 until it is listed
	tickers map[string]schema.AssetID
	names   map[string]schema.MarketID
	spots   map[pair]schema.MarketID
}

// pair is a base and a quote.
type pair struct{ base, quote schema.AssetID }

// New makes an empty listing.
func New() *Listing {
	return &Listing{
		tickers: map[string]schema.AssetID{}, names: map[string]schema.MarketID{}, spots: map[pair]schema.MarketID{},
		Chains: func(*schema.Asset) schema.Rejection { return schema.Rejection{} },
	}
}

// Commands registers what operators list.
func (l *Listing) Commands(h *product.Handlers) {
	product.On(h, func(c *schema.SetAsset) schema.Rejection { return l.SetAsset(c.Asset, l.Out) })
	product.On(h, func(c *schema.SetMarket) schema.Rejection {
		r := l.SetMarket(c.Market, l.Out)
		if !r.Refused() {
			l.MarketChanged(schema.MarketID(l.Out.Result.ID))
		}
		return r
	})
}

// Asset is the asset with an id, or nil.
func (l *Listing) Asset(id schema.AssetID) *schema.Asset {
	if id == 0 || int(id) > len(l.assets) {
		return nil
	}
	return l.assets[id-1]
}

// USDT is the asset that collateral and futures are valued in, 0 until it is listed.
func (l *Listing) USDT() schema.AssetID { return l.usdt }

// IsUSDT reports whether an asset is the one that collateral and futures are valued in.
func (l *Listing) IsUSDT(id schema.AssetID) bool { return id == l.usdt && id != 0 }

// Market is the market with an id, or nil.
func (l *Listing) Market(id schema.MarketID) *schema.MarketInfo {
	if id == 0 || int(id) > len(l.markets) {
		return nil
	}
	return l.markets[id-1]
}

// AssetByTicker is the asset with a ticker, or nil.
func (l *Listing) AssetByTicker(ticker string) *schema.Asset { return l.Asset(l.tickers[ticker]) }

// MarketByName is the market with a name, or nil.
func (l *Listing) MarketByName(name string) *schema.MarketInfo { return l.Market(l.names[name]) }

// Spot is the spot market of two assets, or nil.
func (l *Listing) Spot(base, quote schema.AssetID) *schema.MarketInfo {
	return l.Market(l.spots[pair{base, quote}])
}

// Assets are all assets, by id.
func (l *Listing) Assets() []*schema.Asset { return l.assets }

// Markets are all markets, by id.
func (l *Listing) Markets() []*schema.MarketInfo { return l.markets }

// SetAsset lists an asset or changes it.
func (l *Listing) SetAsset(asset schema.Asset, out *schema.Outcome) schema.Rejection {
	if r := l.CheckAsset(&asset); r.Refused() {
		return r
	}
	old := l.AssetByTicker(asset.Ticker)
	// The command's memory belongs to the caller.
	asset.Networks, asset.Providers = slices.Clone(asset.Networks), slices.Clone(asset.Providers)
	if old == nil {
		asset.ID = schema.AssetID(len(l.assets) + 1)
		l.addAsset(asset)
	} else {
		asset.ID = old.ID
		*old = asset
	}
	out.Result.ID = uint64(asset.ID)
	out.Events.Add(&schema.AssetChanged{Asset: asset})
	return schema.Rejection{}
}

// CheckAsset is why an asset cannot be listed, or changed so.
func (l *Listing) CheckAsset(asset *schema.Asset) schema.Rejection {
	if r := checkAsset(asset, l.AssetByTicker(asset.Ticker)); r.Refused() {
		return r
	}
	return l.Chains(asset)
}

func (l *Listing) addAsset(asset schema.Asset) {
	l.assets = append(l.assets, &asset)
	l.tickers[asset.Ticker] = asset.ID
	if asset.Ticker == USDT {
		l.usdt = asset.ID
	}
}

// RestoreAsset puts an asset back; they must come in the order of their ids.
func (l *Listing) RestoreAsset(asset schema.Asset) schema.Rejection {
	if int(asset.ID) != len(l.assets)+1 || l.AssetByTicker(asset.Ticker) != nil {
		return schema.Refuse(schema.NameTaken)
	}
	if r := checkAsset(&asset, nil); r.Refused() {
		return r
	}
	l.addAsset(asset)
	return schema.Rejection{}
}

func checkAsset(a, old *schema.Asset) schema.Rejection {
	switch {
	case !ValidTicker(a.Ticker):
		return schema.Refuse(schema.TickerInvalid)
	case !schema.Valid(a.Class):
		return schema.Refuse(schema.ClassInvalid)
	case a.Scale > fixed.Places || a.Precision > a.Scale:
		return schema.Refuse(schema.ScaleInvalid)
	case !validLimits(a.MinDeposit, a.MaxDeposit) || !validLimits(a.MinWithdraw, a.MaxWithdraw):
		return schema.Refuse(schema.LimitInvalid)
	}
	for i := range a.Networks {
		n := &a.Networks[i]
		if !validLimits(n.MinDeposit, n.MaxDeposit) || !validLimits(n.MinWithdraw, n.MaxWithdraw) {
			return schema.Refuse(schema.LimitInvalid)
		}
	}
	if a.MinCode.Sign() < 0 || a.MinCode.Decimals() > int(a.Precision) {
		return schema.Refuse(schema.CodeMinInvalid)
	}
	if !validNetworks(a.Networks) {
		return schema.Refuse(schema.NetworkInvalid)
	}
	for i := range a.Networks {
		if !validCharge(a, &a.Networks[i]) {
			return schema.Refuse(schema.ChargeInvalid)
		}
	}
	if old != nil && (old.Class != a.Class || old.Scale != a.Scale) {
		return schema.Refuse(schema.ImmutableChanged)
	}
	return schema.Rejection{}
}

// ValidTicker reports whether a text can be the ticker of an asset.
func ValidTicker(s string) bool {
	for i := range len(s) {
		if b := s[i]; (b < 'A' || b > 'Z') && (b < '0' || b > '9') && b != '_' {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 20
}

// validCharge takes fees that can be charged exactly.
func validCharge(a *schema.Asset, n *schema.Network) bool {
	for _, part := range []fixed.Decimal{
		n.DepositFixed, n.DepositMinFee, n.DepositMaxFee, n.HeldCap, n.WithdrawFixed, n.WithdrawMinFee, n.WithdrawMaxFee, n.ApproveAbove, n.Approve2Above, n.HourCap, n.HotCap,
	} {
		if part.Sign() < 0 || part.Decimals() > int(a.Scale) {
			return false
		}
	}
	for _, percent := range []fixed.Decimal{n.DepositPercent, n.WithdrawPercent} {
		if percent.Sign() < 0 || percent.Cmp(fixed.FromInt(100)) > 0 || percent.Decimals() > 16 {
			return false
		}
	}
	return validLimits(n.DepositMinFee, n.DepositMaxFee) && validLimits(n.WithdrawMinFee, n.WithdrawMaxFee)
}

// validLimits takes bounds where an upper bound of zero does not bind.
func validLimits(low, high fixed.Decimal) bool {
	return low.Sign() >= 0 && (high.IsZero() || high.Cmp(low) >= 0)
}

func validNetworks(networks []schema.Network) bool {
	defaults := 0
	for i := range networks {
		n := &networks[i]
		if n.Name == "" || n.ConfirmationsForTrading > n.Confirmations {
			return false
		}
		if n.Default {
			defaults++
		}
		for j := range networks[:i] {
			if networks[j].Name == n.Name {
				return false
			}
		}
	}
	return defaults <= 1
}

// ValidFee reports whether a fee in percent can be charged: exactly, and, where two fees add up,
// from what was received.
func ValidFee(percent fixed.Decimal) bool { return within(percent, 50) }

// within takes percents below a bound in either direction. With at most 16 decimals the ratio
// that a percent stands for is exact.
func within(percent fixed.Decimal, bound int64) bool {
	return percent.Cmp(fixed.FromInt(bound)) < 0 && percent.Cmp(fixed.FromInt(-bound)) > 0 && percent.Decimals() <= 16
}
