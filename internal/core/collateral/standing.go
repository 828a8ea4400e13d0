package collateral

import (
	"bourse/internal/core/position"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// standing is what an account has and what is asked of it, both in USDT. Sums that do not fit stay at the
// end of what does: nobody can owe or own so much.
type standing struct {
	equity      fixed.Decimal // without unrealized PnL
	unrealized  fixed.Decimal
	initial     fixed.Decimal // of positions and naked loans
	maintenance fixed.Decimal
	margin      fixed.Decimal // initial, with what orders may come to
}

// total is what would be left if all was closed at the current prices.
func (s *standing) total() fixed.Decimal { return plus(s.equity, s.unrealized) }

// health is what fills are judged by.
func (s *standing) health() position.Health {
	return position.Health{Total: s.total(), Initial: s.initial, Maintenance: s.maintenance}
}

// add counts a market.
func (s *standing) add(v value, margin fixed.Decimal) {
	s.unrealized = plus(s.unrealized, v.unrealized)
	s.initial, s.maintenance = plus(s.initial, v.initial), plus(s.maintenance, v.maintenance)
	s.margin = plus(s.margin, margin)
}

// hold counts an amount of an asset.
func (e *Engine) hold(s *standing, asset schema.AssetID, own fixed.Decimal, l position.Leverage) {
	s.equity = plus(s.equity, e.worth(asset, own))
	initial, maintenance := e.loanMargin(asset, own, l)
	s.initial, s.maintenance, s.margin = plus(s.initial, initial), plus(s.maintenance, maintenance), plus(s.margin, initial)
}

// standing is that of an account but for what it has of one asset and one seat (0: but for none), which the
// caller counts as they are or as they would be.
func (e *Engine) standing(m *member, asset schema.AssetID, seat uint32) (s standing) {
	l := m.chosen()
	for i := m.holdings; i != 0; i = e.holdings.At(i).next {
		switch h := e.holdings.At(i); {
		case h.asset == asset:
		case e.listing.IsUSDT(h.asset):
			e.hold(&s, h.asset, plus(e.own(h, byNow), e.dues(m)), l)
		default:
			e.hold(&s, h.asset, e.own(h, byNow), l)
		}
	}
	for i := m.seats; i != 0; i = e.seats.At(i).next {
		if at := e.seats.At(i); i != seat && at.used() {
			f := e.market(at.market)
			r, _ := e.rates(f)
			long, short := e.position(at.long), e.position(at.short)
			s.add(f.value(long, short, r, l), f.margin(&at.orders, long.Lots, short.Lots, f.hedges(m), r, l))
		}
	}
	return s
}

// atRisk is how an account stands for liquidation, but for one seat (0: but for none): by the hour, and without what positions and orders
// bind, which nobody asks for there. Accounts are looked at by the thousand.
func (e *Engine) atRisk(m *member, seat uint32) (s standing) {
	l := m.chosen()
	for i := m.holdings; i != 0; i = e.holdings.At(i).next {
		h := e.holdings.At(i)
		e.hold(&s, h.asset, e.own(h, byHour), l)
	}
	for i := m.seats; i != 0; i = e.seats.At(i).next {
		if at := e.seats.At(i); i != seat && (at.long != 0 || at.short != 0) {
			f := e.market(at.market)
			r, _ := e.rates(f)
			unrealized, notional := f.exposed(e.position(at.long), e.position(at.short), r)
			s.unrealized, s.maintenance = plus(s.unrealized, unrealized), plus(s.maintenance, f.tiers.Maintenance(notional, l))
		}
	}
	return s
}

// value is what the positions on one market are worth and ask for.
type value struct {
	unrealized  fixed.Decimal
	initial     fixed.Decimal
	maintenance fixed.Decimal
}

// rates are what a market is valued at, in USDT: a unit of its base, of the money that its prices are in, and of that which its
// positions cost.
type rates struct{ base, money, cost fixed.Decimal }

// rates of a market, and whether they are fresh: the mark of a future, what the assets of a spot market are worth.
func (e *Engine) rates(f *market) (r rates, fresh bool) {
	if !f.spot {
		mark, fresh := e.prices.Mark(f.info.ID)
		if !f.foreign {
			return rates{mark, fixed.One, fixed.One}, fresh
		}
		base, money := e.prices.Worth(f.info.ID)
		return rates{base, money, fixed.One}, fresh
	}
	base, fresh := e.prices.Index(f.info.Base)
	money, too := e.prices.Index(f.info.Quote)
	return rates{base, money, money}, fresh && too
}

// hedges reports whether an account has two positions on a market. On spot markets nobody has.
func (f *market) hedges(m *member) bool { return m.hedge && !f.spot }

// sides are the positions that an account can have on a market.
func (f *market) sides(m *member) []schema.PositionSide {
	if f.hedges(m) {
		return []schema.PositionSide{schema.LongSide, schema.ShortSide}
	}
	return []schema.PositionSide{schema.BothSides}
}

// value of the positions on both sides of a market. The larger one asks for margin.
func (f *market) value(long, short position.Position, r rates, l position.Leverage) (v value) {
	if long.Lots == 0 && short.Lots == 0 {
		return v
	}
	unrealized, notional := f.exposed(long, short, r)
	return value{unrealized, f.tiers.Initial(notional, l), f.tiers.Maintenance(notional, l)}
}

// exposed is what the positions on both sides of a market have won, and the notional of the larger one.
func (f *market) exposed(long, short position.Position, r rates) (unrealized, notional fixed.Decimal) {
	larger := long
	if abs(short.Lots) > abs(long.Lots) {
		larger = short
	}
	return plus(f.unrealized(long, r), f.unrealized(short, r)), f.notional(larger, r.base)
}

func (f *market) unrealized(p position.Position, r rates) fixed.Decimal {
	if p.Lots == 0 {
		return fixed.Zero
	}
	pnl, fits := p.Unrealized(r.base, r.cost, f.scale)
	if !fits {
		return extreme(p.Lots < 0)
	}
	return pnl
}

// margin is what positions and orders on a market bind: the initial margin of the largest position that they can
// come to, and what orders would lose at once.
func (f *market) margin(o *position.Orders, long, short int64, hedge bool, r rates, l position.Leverage) fixed.Decimal {
	lots, fits := exposure(o, long, short, hedge)
	if !fits {
		return fixed.Max
	}
	notional, fits := position.Position{Lots: lots}.Notional(r.base, f.scale)
	if !fits {
		return fixed.Max
	}
	loss, fits := o.Loss(r.base, r.money, f.scale)
	if !fits {
		return fixed.Max
	}
	return plus(f.tiers.Initial(notional, l), loss)
}

// exposure is the largest size that a position can come to.
func exposure(o *position.Orders, long, short int64, hedge bool) (int64, bool) {
	if hedge {
		return o.Hedged(long, -short)
	}
	return o.Exposure(long)
}

// abs needs a number that is not the least int64, which no position has.
func abs(n int64) int64 { return max(n, -n) }
