package naive

import (
	"slices"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func (x *Exchange) setAsset(a *schema.Asset) schema.Result {
	switch {
	case !validTicker(a.Ticker):
		return refuse(schema.TickerInvalid)
	case !schema.Valid(a.Class):
		return refuse(schema.ClassInvalid)
	case a.Scale > fixed.Places, a.Precision > a.Scale:
		return refuse(schema.ScaleInvalid)
	case !validLimits(a):
		return refuse(schema.LimitInvalid)
	case !validNetworks(a.Networks):
		return refuse(schema.NetworkInvalid)
	}
	listed := asset{ticker: a.Ticker, class: a.Class, scale: a.Scale, precision: a.Precision, deposits: a.CanDeposit, withdraws: a.CanWithdraw}
	for i, old := range x.assets {
		if old.ticker != a.Ticker {
			continue
		}
		if old.class != a.Class || old.scale != a.Scale {
			return refuse(schema.ImmutableChanged)
		}
		x.assets[i] = listed
		return schema.Result{ID: uint64(i + 1)}
	}
	x.assets = append(x.assets, listed)
	return schema.Result{ID: uint64(len(x.assets))}
}

// validTicker takes 1 to 20 capital letters, digits and underscores.
func validTicker(s string) bool {
	allowed := "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	for i := range len(s) {
		if strings.IndexByte(allowed, s[i]) < 0 {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 20
}

// validLimits looks at the bounds of the asset and of its networks.
func validLimits(a *schema.Asset) bool {
	valid := validPair(a.MinDeposit, a.MaxDeposit) && validPair(a.MinWithdraw, a.MaxWithdraw)
	for _, n := range a.Networks {
		valid = valid && validPair(n.MinDeposit, n.MaxDeposit) && validPair(n.MinWithdraw, n.MaxWithdraw)
	}
	return valid
}

// validPair looks at a lower and an upper bound; an upper one of zero does not bind.
func validPair(low, high fixed.Decimal) bool {
	return low.Sign() >= 0 && high.Sign() >= 0 && (high.Sign() == 0 || !of(low).more(of(high)))
}

func validNetworks(networks []schema.Network) bool {
	names := map[string]bool{}
	defaults := 0
	for _, n := range networks {
		if n.Name == "" || names[n.Name] || n.ConfirmationsForTrading > n.Confirmations {
			return false
		}
		names[n.Name] = true
		if n.Default {
			defaults++
		}
	}
	return defaults <= 1
}

func (x *Exchange) setMarket(info *schema.MarketInfo) schema.Result {
	base, quote := x.asset(info.Base), x.asset(info.Quote)
	switch {
	case base == nil, quote == nil, info.Base == info.Quote:
		return refuse(schema.AssetsInvalid)
	case info.Name != base.ticker+"_"+quote.ticker:
		return refuse(schema.NameInvalid)
	case info.Type != schema.Spot:
		return refuse(schema.MarketTypeInvalid)
	case info.StockPrec > base.scale,
		int(info.StockPrec)+int(info.MoneyPrec) > int(quote.scale),
		info.FeePrec > base.scale, info.FeePrec > quote.scale:
		return refuse(schema.PrecisionInvalid)
	case !validStep(info.TickSize, info.MoneyPrec), !validStep(info.StepSize, info.StockPrec):
		return refuse(schema.StepInvalid)
	case info.MinAmount.Sign() < 0, !validPair(info.MinTotal, info.MaxTotal):
		return refuse(schema.LimitInvalid)
	case !validFees(schema.Some(info.MakerFee), schema.Some(info.TakerFee)),
		info.RPIPremium.Set() && !validPercent(info.RPIPremium.Value(), 50):
		return refuse(schema.FeeInvalid)
	case info.Regions > schema.In(schema.Global, schema.EU), info.Regions&1 != 0:
		return refuse(schema.RegionInvalid)
	case info.MaxOrders > schema.HighestMaxOrders:
		return refuse(schema.OrdersLimitInvalid)
	case info.TakerBand.Sign() < 0, !validPercent(info.TakerBand, 100):
		return refuse(schema.BandInvalid)
	}
	for _, m := range x.markets {
		if m.Name == info.Name {
			return m.change(info)
		}
	}
	m := &market{MarketInfo: *info}
	m.ID = schema.MarketID(len(x.markets) + 1)
	m.DelistsAt, m.Delisted = 0, false
	m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = 0, 0, false
	x.markets = append(x.markets, m)
	return schema.Result{ID: uint64(m.ID)}
}

// change replaces the listing, except for what the exchange itself keeps there.
func (m *market) change(info *schema.MarketInfo) schema.Result {
	if m.Delisted {
		return refuse(schema.MarketDelisted)
	}
	if m.Base != info.Base || m.Quote != info.Quote || m.Type != info.Type ||
		m.StockPrec != info.StockPrec || m.MoneyPrec != info.MoneyPrec {
		return refuse(schema.ImmutableChanged)
	}
	old := m.MarketInfo
	m.MarketInfo = *info
	m.ID = old.ID
	m.DelistsAt, m.Delisted = old.DelistsAt, old.Delisted
	m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = old.MaintenanceFrom, old.MaintenanceTo, old.InMaintenance
	return schema.Result{ID: uint64(m.ID)}
}

// validStep takes nothing, or whole units that can be counted.
func validStep(step fixed.Decimal, places uint8) bool {
	return step.Sign() >= 0 && of(step).multipleOf(unit(places)) && !of(step).more(maxInt64.times(unit(places)))
}

// validPercent takes what is within a bound in either direction. With 16 decimals a percent is
// a fraction of 18.
func validPercent(d fixed.Decimal, bound int64) bool {
	p := of(d)
	return p.less(whole(bound)) && p.more(whole(-bound)) && p.multipleOf(unit(16))
}

// validFees looks at the fees that are set. Only makers may get something back.
func validFees(maker, taker schema.Optional) bool {
	return (!maker.Set() || validPercent(maker.Value(), 50)) &&
		(!taker.Set() || validPercent(taker.Value(), 50) && taker.Value().Sign() >= 0)
}

func (x *Exchange) setFeature(c *schema.SetFeature) schema.Result {
	switch c.Feature {
	case schema.StepRule:
		x.stepRule = c.On
	case schema.PlatformMaintenance: // is the business of the doors
	case schema.BoundedWork, schema.ExactMoney:
		if !c.On {
			return refuse(schema.FeatureForGood)
		}
		x.boundedWork = x.boundedWork || c.Feature == schema.BoundedWork
		x.exactMoney = x.exactMoney || c.Feature == schema.ExactMoney
	default:
		return refuse(schema.FeatureInvalid)
	}
	return schema.Result{}
}

func (x *Exchange) setIndex(c *schema.SetIndex) schema.Result {
	for _, m := range x.markets {
		switch {
		case m.ID != c.Market:
		case m.Delisted:
			return refuse(schema.MarketDelisted)
		case c.Price.Sign() < 0:
			return refuse(schema.IndexInvalid)
		default:
			m.index = of(c.Price)
			return schema.Result{}
		}
	}
	return refuse(schema.MarketUnavailable)
}

func (x *Exchange) setAccount(a *schema.Account) schema.Result {
	known := x.account(a.ID)
	if a.ID != 0 && known == nil {
		return refuse(schema.AccountUnknown)
	}
	taken := slices.ContainsFunc(x.accounts, func(other schema.Account) bool {
		return other.Name == a.Name && other.ID != a.ID
	})
	switch {
	case len(a.Name) < 1 || len(a.Name) > 64:
		return refuse(schema.NameInvalid)
	case taken:
		return refuse(schema.NameTaken)
	case !schema.Valid(a.Region):
		return refuse(schema.RegionInvalid)
	case !validFees(a.MakerFee, a.TakerFee):
		return refuse(schema.FeeInvalid)
	}
	if known != nil {
		*known = *a
		return schema.Result{ID: uint64(a.ID)}
	}
	opened := *a
	opened.ID = schema.FirstCustomer + schema.AccountID(len(x.accounts))
	x.accounts = append(x.accounts, opened)
	return schema.Result{ID: uint64(opened.ID)}
}

func (x *Exchange) setKey(k *schema.Key) schema.Result {
	if _, r := x.customer(k.Account); r.Refused() {
		return reject(r)
	}
	owner, exists := x.keys[k.Key]
	if len(k.Key) < 1 || len(k.Key) > 128 || len(k.Sealed) == 0 || exists && owner != k.Account {
		return refuse(schema.KeyInvalid)
	}
	x.keys[k.Key] = k.Account
	return schema.Result{}
}

func (x *Exchange) deleteKey(c *schema.DeleteKey) schema.Result {
	if _, exists := x.keys[c.Key]; !exists {
		return refuse(schema.KeyUnknown)
	}
	delete(x.keys, c.Key)
	return schema.Result{}
}

func (x *Exchange) setFee(c *schema.SetFee) schema.Result {
	_, r := x.customer(c.Account)
	switch {
	case r.Refused():
		return reject(r)
	case x.market(c.Market) == nil:
		return refuse(schema.MarketUnavailable)
	case !validFees(c.Maker, c.Taker):
		return refuse(schema.FeeInvalid)
	}
	x.fees = slices.DeleteFunc(x.fees, func(old schema.SetFee) bool {
		return old.Account == c.Account && old.Market == c.Market
	})
	x.fees = append(x.fees, *c)
	return schema.Result{}
}
