package listing

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// SetMarket lists a market or changes it.
func (l *Listing) SetMarket(m schema.MarketInfo, out *schema.Outcome) schema.Rejection {
	old := l.MarketByName(m.Name)
	if r := l.checkMarket(&m, old); r.Refused() {
		return r
	}
	m.DelistsAt, m.Delisted = 0, false
	m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = 0, 0, false
	if old == nil {
		m.ID = schema.MarketID(len(l.markets) + 1)
		l.addMarket(m)
	} else {
		m.ID, m.DelistsAt = old.ID, old.DelistsAt
		m.MaintenanceFrom, m.MaintenanceTo, m.InMaintenance = old.MaintenanceFrom, old.MaintenanceTo, old.InMaintenance
		*old = m
	}
	out.Result.ID = uint64(m.ID)
	out.Events.Add(&schema.MarketChanged{Market: m})
	return schema.Rejection{}
}

func (l *Listing) addMarket(m schema.MarketInfo) {
	l.markets = append(l.markets, &m)
	l.names[m.Name] = m.ID
	if m.Type == schema.Spot {
		l.spots[pair{m.Base, m.Quote}] = m.ID
	}
}

// RestoreMarket puts a market back; they must come in the order of their ids.
func (l *Listing) RestoreMarket(m schema.MarketInfo) schema.Rejection {
	if int(m.ID) != len(l.markets)+1 || l.MarketByName(m.Name) != nil {
		return schema.Refuse(schema.NameTaken)
	}
	if r := l.checkMarket(&m, nil); r.Refused() {
		return r
	}
	l.addMarket(m)
	return schema.Rejection{}
}

func (l *Listing) checkMarket(m, old *schema.MarketInfo) schema.Rejection {
	base, quote := l.Asset(m.Base), l.Asset(m.Quote)
	switch {
	case base == nil || quote == nil || base == quote,
		m.Type == schema.Futures && quote.Ticker != USDT,
		m.Type == schema.TradFiFutures && (quote.Ticker != USD || l.usdt == 0 || base.Ticker == USDT):
		return schema.Refuse(schema.AssetsInvalid)
	case m.Name != marketName(m.Type, base, quote):
		return schema.Refuse(schema.NameInvalid)
	case !schema.Valid(m.Type):
		return schema.Refuse(schema.MarketTypeInvalid)
	case m.StockPrec > base.Scale || m.FeePrec > base.Scale || !counts(quote, m) || m.Future() && !counts(l.Asset(l.usdt), m):
		return schema.Refuse(schema.PrecisionInvalid)
	case !validStep(m.TickSize, m.MoneyPrec) || !validStep(m.StepSize, m.StockPrec):
		return schema.Refuse(schema.StepInvalid)
	case m.MinAmount.Sign() < 0 || !validLimits(m.MinTotal, m.MaxTotal):
		return schema.Refuse(schema.LimitInvalid)
	case !ValidFee(m.MakerFee) || !ValidFee(m.TakerFee) || m.TakerFee.Sign() < 0 || !ValidFee(m.RPIPremium.Value()):
		return schema.Refuse(schema.FeeInvalid)
	case !m.Regions.Known():
		return schema.Refuse(schema.RegionInvalid)
	case m.MaxOrders > schema.HighestMaxOrders:
		return schema.Refuse(schema.OrdersLimitInvalid)
	case m.TakerBand.Sign() < 0 || !within(m.TakerBand, 100):
		return schema.Refuse(schema.BandInvalid)
	case m.Future() && !validMargin(&m.Margin):
		return schema.Refuse(schema.MarginInvalid)
	case m.Type == schema.Spot && !validSpotMargin(&m.Margin):
		return schema.Refuse(schema.SpotMarginInvalid)
	case old != nil && old.Delisted:
		return schema.Refuse(schema.MarketDelisted)
	case old != nil && (old.Base != m.Base || old.Quote != m.Quote || old.Type != m.Type ||
		old.StockPrec != m.StockPrec || old.MoneyPrec != m.MoneyPrec):
		return schema.Refuse(schema.ImmutableChanged)
	case old != nil && old.Pair() && !m.Pair(): // there may be positions
		return schema.Refuse(schema.SpotMarginInvalid)
	}
	return schema.Rejection{}
}

// counts reports whether all that deals on a market move can be counted in an asset: what they are worth, and fees.
func counts(a *schema.Asset, m *schema.MarketInfo) bool {
	return int(m.StockPrec)+int(m.MoneyPrec) <= int(a.Scale) && m.FeePrec <= a.Scale
}

// marketName is what a market of two assets is called.
func marketName(of schema.MarketType, base, quote *schema.Asset) string {
	if of == schema.Futures {
		return base.Ticker + "_" + perpetual
	}
	return base.Ticker + "_" + quote.Ticker
}

// validStep takes no step at all, or one that is a whole and countable number of the smallest
// units.
func validStep(step fixed.Decimal, prec uint8) bool {
	if step.IsZero() {
		return true
	}
	n, whole := step.Units(int(prec))
	return whole && n > 0
}
