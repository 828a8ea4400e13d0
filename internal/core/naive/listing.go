package naive

import (
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// listing is the assets and the markets. The id of either is its place, from 1.
type listing struct {
	call    *call
	assets  []schema.Asset
	markets []*schema.MarketInfo
	chains  *chains // that networks may name
}

func (l *listing) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetAsset:
		result = l.setAsset(c.Asset)
	case *schema.SetMarket:
		result = l.setMarket(c.Market)
	case *schema.PlanMaintenance:
		result = l.planMaintenance(c)
	case *schema.PlanDelisting:
		result = l.planDelisting(c)
	default:
		return nil
	}
	return &result
}

// asset finds an asset, or nil.
func (l *listing) asset(id schema.AssetID) *schema.Asset {
	if id < 1 || int(id) > len(l.assets) {
		return nil
	}
	return &l.assets[id-1]
}

// market finds a market, or nil.
func (l *listing) market(id schema.MarketID) *schema.MarketInfo {
	if id < 1 || int(id) > len(l.markets) {
		return nil
	}
	return l.markets[id-1]
}

// checkAsset looks at settings of an asset, and gives it its number.
func (l *listing) checkAsset(a *schema.Asset) schema.Rejection {
	switch {
	case !validTicker(a.Ticker):
		return because(schema.TickerInvalid)
	case !validClass(a.Class):
		return because(schema.ClassInvalid)
	case a.Scale > 18, a.Precision > a.Scale:
		return because(schema.ScaleInvalid)
	case !validLimits(a):
		return because(schema.LimitInvalid)
	case of(a.MinCode).sign() < 0, !of(a.MinCode).multipleOf(unit(a.Precision)):
		return because(schema.CodeMinInvalid)
	case !validNetworks(a.Networks):
		return because(schema.NetworkInvalid)
	case !validCharges(a):
		return because(schema.ChargeInvalid)
	}
	a.ID = schema.AssetID(len(l.assets) + 1)
	for _, old := range l.assets {
		if old.Ticker != a.Ticker {
			continue
		}
		if old.Class != a.Class || old.Scale != a.Scale {
			return because(schema.ImmutableChanged)
		}
		a.ID = old.ID
	}
	if !l.validChains(a) {
		return because(schema.NetworkChainInvalid)
	}
	if !l.validContracts(a) {
		return because(schema.ContractInvalid)
	}
	return accepted
}

func (l *listing) setAsset(a schema.Asset) schema.Result {
	if r := l.checkAsset(&a); refused(r) {
		return reject(r)
	}
	if int(a.ID) > len(l.assets) {
		l.assets = append(l.assets, a)
	}
	l.assets[a.ID-1] = a
	l.call.record(&schema.AssetChanged{Asset: a})
	return schema.Result{ID: uint64(a.ID)}
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
func validPair(lower, upper fixed.Decimal) bool {
	low, high := of(lower), of(upper)
	return low.sign() >= 0 && high.sign() >= 0 && (high.sign() == 0 || !low.more(high))
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

// validCharges looks at what deposits and withdrawals cost, at what may be held of deposits, and at what leaves without approval.
func validCharges(a *schema.Asset) bool {
	for _, n := range a.Networks {
		for _, charge := range []fixed.Decimal{
			n.DepositFixed, n.DepositMinFee, n.DepositMaxFee, n.HeldCap,
			n.WithdrawFixed, n.WithdrawMinFee, n.WithdrawMaxFee, n.ApproveAbove, n.Approve2Above, n.HourCap, n.HotCap,
		} {
			if of(charge).sign() < 0 || !of(charge).multipleOf(unit(a.Scale)) {
				return false
			}
		}
		for _, percent := range []num{of(n.DepositPercent), of(n.WithdrawPercent)} {
			if percent.sign() < 0 || percent.more(hundred) || !percent.multipleOf(unit(16)) {
				return false
			}
		}
		if !validPair(n.DepositMinFee, n.DepositMaxFee) || !validPair(n.WithdrawMinFee, n.WithdrawMaxFee) {
			return false
		}
	}
	return true
}

// validChains looks at the chains of an asset: each is there once, they are providers for fiat money and for nothing else, and they are all
// sandboxes or none is.
func (l *listing) validChains(a *schema.Asset) bool {
	named, sandboxes := map[schema.ChainID]bool{}, 0
	for _, n := range a.Networks {
		if n.Chain == 0 {
			continue
		}
		c := l.chains.chain(n.Chain)
		if c == nil || named[n.Chain] || (a.Class == schema.Crypto) == (c.Driver == schema.Provider) || a.Class == schema.Crypto && n.ConfirmationsForTrading == 0 {
			return false
		}
		named[n.Chain] = true
		if c.Driver == schema.Sandbox {
			sandboxes++
		}
	}
	return sandboxes == 0 || sandboxes == len(named)
}

// validContracts looks at what networks are on chains of others: the decimals that these keep, and the contracts of tokens. Each of these
// is one asset's, and so is being the native one.
func (l *listing) validContracts(a *schema.Asset) bool {
	for _, n := range a.Networks {
		c := l.chains.chain(n.Chain)
		switch {
		case c == nil, !c.foreign():
			if n.Contract != "" || n.Decimals != 0 {
				return false
			}
			continue
		case n.Decimals < 1, n.Decimals > 18, n.Decimals > a.Scale, len(n.Contract) > addressTextMost,
			c.hasCoins() && (n.Contract != "" || n.Decimals != coinDecimals):
			return false
		}
		for _, other := range l.assets {
			for _, taken := range other.Networks {
				if other.ID != a.ID && taken.Chain == n.Chain && taken.Contract == n.Contract {
					return false
				}
			}
		}
	}
	return true
}

func (l *listing) setMarket(m schema.MarketInfo) schema.Result {
	if r := l.checkMarket(&m); refused(r) {
		return reject(r)
	}
	for _, old := range l.markets {
		if old.Name != m.Name {
			continue
		}
		switch {
		case old.Delisted:
			return refuse(schema.MarketDelisted)
		case old.Base != m.Base, old.Quote != m.Quote, old.Type != m.Type, old.StockPrec != m.StockPrec, old.MoneyPrec != m.MoneyPrec:
			return refuse(schema.ImmutableChanged)
		case isPair(old) && !isPair(&m):
			return refuse(schema.SpotMarginInvalid)
		}
		// The exchange itself keeps the plans.
		m.ID, m.DelistsAt, m.Delisted = old.ID, old.DelistsAt, old.Delisted
		m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = old.MaintenanceFrom, old.MaintenanceTo, old.InMaintenance
		*old = m
		l.changed(old)
		return schema.Result{ID: uint64(m.ID)}
	}
	m.ID = schema.MarketID(len(l.markets) + 1)
	m.DelistsAt, m.Delisted = 0, false
	m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = 0, 0, false
	l.markets = append(l.markets, &m)
	l.changed(&m)
	return schema.Result{ID: uint64(m.ID)}
}

// changed records a market as it is now.
func (l *listing) changed(m *schema.MarketInfo) { l.call.record(&schema.MarketChanged{Market: *m}) }

func (l *listing) checkMarket(m *schema.MarketInfo) schema.Rejection {
	base, quote := l.asset(m.Base), l.asset(m.Quote)
	switch {
	case base == nil, quote == nil, m.Base == m.Quote,
		m.Type == schema.Futures && quote.Ticker != "USDT",
		isTradFi(m) && (quote.Ticker != "USD" || l.money(m) == nil || base.Ticker == "USDT"):
		return because(schema.AssetsInvalid)
	case m.Type != schema.Futures && m.Name != base.Ticker+"_"+quote.Ticker,
		m.Type == schema.Futures && m.Name != base.Ticker+"_PERP":
		return because(schema.NameInvalid)
	case m.Type != schema.Spot && !isFuture(m):
		return because(schema.MarketTypeInvalid)
	case m.StockPrec > base.Scale, m.FeePrec > base.Scale,
		int(m.StockPrec)+int(m.MoneyPrec) > int(min(quote.Scale, l.money(m).Scale)),
		m.FeePrec > min(quote.Scale, l.money(m).Scale):
		return because(schema.PrecisionInvalid)
	case !validStep(m.TickSize, m.MoneyPrec), !validStep(m.StepSize, m.StockPrec):
		return because(schema.StepInvalid)
	case of(m.MinAmount).sign() < 0, !validPair(m.MinTotal, m.MaxTotal):
		return because(schema.LimitInvalid)
	case !validPercent(of(m.MakerFee), 50), !validPercent(of(m.TakerFee), 50), of(m.TakerFee).sign() < 0,
		m.RPIPremium.Set() && !validPercent(of(m.RPIPremium.Value()), 50):
		return because(schema.FeeInvalid)
	case !validRegions(m.Regions):
		return because(schema.RegionInvalid)
	case m.MaxOrders > 1_000_000:
		return because(schema.OrdersLimitInvalid)
	case of(m.TakerBand).sign() < 0, !validPercent(of(m.TakerBand), 100):
		return because(schema.BandInvalid)
	case isFuture(m) && !validMargin(m.Margin):
		return because(schema.MarginInvalid)
	case m.Type == schema.Spot && !validSpotMargin(m.Margin):
		return because(schema.SpotMarginInvalid)
	}
	return accepted
}

// validStep takes nothing, or whole units that can be counted.
func validStep(step fixed.Decimal, places uint8) bool {
	n := of(step)
	return n.sign() >= 0 && n.multipleOf(unit(places)) && !n.more(maxInt64.times(unit(places)))
}

// validPercent takes what is within a bound in either direction. With 16 decimals a percent is
// a fraction of 18.
func validPercent(p num, bound int64) bool {
	return p.less(whole(bound)) && p.more(whole(-bound)) && p.multipleOf(unit(16))
}

// validFees looks at the fees that are set. Only makers may get something back.
func validFees(maker, taker schema.Optional) bool {
	return (!maker.Set() || validPercent(of(maker.Value()), 50)) &&
		(!taker.Set() || validPercent(of(taker.Value()), 50) && of(taker.Value()).sign() >= 0)
}

func (l *listing) planMaintenance(c *schema.PlanMaintenance) schema.Result {
	m := l.market(c.Market)
	switch {
	case m == nil:
		return refuse(schema.MarketUnavailable)
	case m.Delisted:
		return refuse(schema.MarketDelisted)
	case c.From == 0:
		m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = 0, 0, false
	case c.To <= c.From, c.From < l.call.at, m.InMaintenance:
		return refuse(schema.TimesInvalid)
	default:
		m.MaintenanceFrom, m.MaintenanceTo = c.From, c.To
	}
	l.changed(m)
	return schema.Result{}
}

func (l *listing) planDelisting(c *schema.PlanDelisting) schema.Result {
	m := l.market(c.Market)
	switch {
	case m == nil:
		return refuse(schema.MarketUnavailable)
	case m.Delisted:
		return refuse(schema.MarketDelisted)
	case c.At != 0 && c.At < l.call.at:
		return refuse(schema.TimesInvalid)
	}
	m.DelistsAt = c.At
	l.changed(m)
	return schema.Result{}
}
