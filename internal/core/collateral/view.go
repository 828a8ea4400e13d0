package collateral

import (
	"bourse/internal/core/position"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Summary is what an account has and what is asked of it, in USDT.
type Summary struct {
	Leverage    uint8
	Hedge       bool
	Equity      fixed.Decimal // without unrealized PnL
	Unrealized  fixed.Decimal
	Margin      fixed.Decimal // of positions and orders
	Maintenance fixed.Decimal
	Notional    fixed.Decimal // the value of all positions and of loans that nothing stands behind
	// Of futures alone: the account's own USDT with unrealized PnL, and what of that no position and no order binds.
	FuturesEquity fixed.Decimal
	FuturesFree   fixed.Decimal
}

// Total is what would be left if all was closed at the current prices.
func (s *Summary) Total() fixed.Decimal { return plus(s.Equity, s.Unrealized) }

// Free is what no position and no order binds.
func (s *Summary) Free() fixed.Decimal { return plus(s.Total(), s.Margin.Neg()) }

// Risk is how near the account is to the end of its margin at the current prices.
func (s *Summary) Risk() schema.RiskState {
	switch t, m := s.Total(), s.Maintenance; {
	case t.Less(m):
		return schema.Liquidation
	case plus(t, t).Less(plus(m, plus(m, m))):
		return schema.MarginCall
	}
	return schema.RiskNone
}

// Summary of an account.
func (e *Engine) Summary(account schema.AccountID) Summary {
	m := e.looked(account)
	s := e.standing(&m, 0, 0)
	v := Summary{Leverage: uint8(m.chosen()), Hedge: m.hedge}
	margin := fixed.Zero // of futures
	for _, a := range e.listing.Assets() {
		own, counted := e.ownOf(account, &m, a.ID)
		if !counted {
			e.hold(&s, a.ID, own, m.chosen())
		}
		if e.listing.IsUSDT(a.ID) {
			v.FuturesEquity = own
		}
		if own.Sign() < 0 {
			v.Notional = plus(v.Notional, e.nakedLoan(a.ID, own))
		}
	}
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		seat := e.seats.At(at)
		f := e.market(seat.market)
		r, _ := e.rates(f)
		long, short := e.position(seat.long), e.position(seat.short)
		v.Notional = plus(v.Notional, plus(f.notional(long, r.base), f.notional(short, r.base)))
		if !f.spot && seat.used() {
			v.FuturesEquity = plus(v.FuturesEquity, plus(f.unrealized(long, r), f.unrealized(short, r)))
			margin = plus(margin, f.margin(&seat.orders, long.Lots, short.Lots, m.hedge, r, m.chosen()))
		}
	}
	v.Equity, v.Unrealized, v.Margin, v.Maintenance = s.equity, s.unrealized, s.margin, s.maintenance
	v.FuturesFree = plus(v.FuturesEquity, margin.Neg())
	return v
}

// ownOf is what of an asset belongs to an account, with what is about to be booked, and whether the engine counts it: money
// of an account that nobody asked about since the machine was restored is not among its holdings yet.
func (e *Engine) ownOf(account schema.AccountID, m *member, asset schema.AssetID) (own fixed.Decimal, counted bool) {
	if !m.known {
		return e.ledger.Available(e.ledger.Find(account, schema.Collateral, asset)), false
	}
	if h := e.heldOf(m, asset); h != nil {
		own = e.own(h, byNow)
	}
	if e.listing.IsUSDT(asset) {
		own = plus(own, e.dues(m))
	}
	return own, true
}

// heldOf is what an account has of an asset, nil if it never had any.
func (e *Engine) heldOf(m *member, asset schema.AssetID) *holding {
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		if h := e.holdings.At(at); h.asset == asset {
			return h
		}
	}
	return nil
}

// notional is the value of a position at a mark.
func (f *market) notional(p position.Position, mark fixed.Decimal) fixed.Decimal {
	value, fits := p.Notional(mark, f.scale)
	if !fits {
		return fixed.Max
	}
	return value
}

// Balance is what an account has of an asset as collateral.
type Balance struct {
	Amount   fixed.Decimal // that is there
	Owed     fixed.Decimal // with its interest to this minute
	Free     fixed.Decimal // that may leave
	WithLoan fixed.Decimal // the same with what could be lent on top
}

// Balance of an account in an asset.
func (e *Engine) Balance(account schema.AccountID, asset schema.AssetID) Balance {
	m := e.looked(account)
	b := Balance{Amount: e.ledger.Available(e.ledger.Find(account, schema.Collateral, asset))}
	switch h := e.heldOf(&m, asset); {
	case h != nil:
		b.Owed = plus(h.owed(), e.accrued(h, byNow))
		b.Free = e.Free(account, asset) // which makes nothing: what it looks at is there
	case !m.known:
		b.Free = b.Amount // nothing binds an account without positions, debts and orders
	}
	b.WithLoan = plus(b.Free, e.withLoan(account, asset, b.Owed))
	return b
}

// withLoan is what an account could borrow of an asset: within its cap, what the pool has, and its free margin at its
// leverage, which is at most 10 for loans.
func (e *Engine) withLoan(account schema.AccountID, asset schema.AssetID, owed fixed.Decimal) fixed.Decimal {
	set, _ := e.prices.Collateral(asset)
	price, fresh := e.prices.Index(asset)
	if !fresh || price.Sign() <= 0 {
		return fixed.Zero
	}
	room := fixed.MinOf(e.poolRoom(asset), plus(set.AccountCap, owed.Neg()))
	s := e.Summary(account)
	l := naked.Leverage(position.Leverage(s.Leverage))
	if covered, fits := fixed.MulDiv(s.Free(), fixed.FromInt(int64(l)), price, int(e.listing.Asset(asset).Scale), fixed.Floor); fits {
		room = fixed.MinOf(room, covered)
	}
	return fixed.MaxOf(fixed.Zero, room)
}

// looked is an account's, for those who only look: one that never traded with collateral is not made.
func (e *Engine) looked(account schema.AccountID) member {
	if i := int(account) - int(schema.FirstCustomer); i >= 0 && i < len(e.members) {
		return e.members[i]
	}
	return member{}
}

// Holds reports whether an account has positions. What it owes is in its wallets.
func (e *Engine) Holds(account schema.AccountID) bool { return len(e.Positions(account)) > 0 }

// Positions of an account, by market and side.
func (e *Engine) Positions(account schema.AccountID) (list []schema.Position) {
	m := e.looked(account)
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		s := e.seats.At(at)
		for _, of := range e.market(s.market).sides(&m) {
			if slot := *s.side(of); slot != 0 {
				var p schema.Position
				e.view(s, slot, of, &p)
				list = append(list, p)
			}
		}
	}
	return list
}

// sideOf is which position of its account on the market one is.
func (e *Engine) sideOf(at uint32) schema.PositionSide {
	s := e.seats.At(e.positions.At(at).seat)
	switch {
	case !e.market(s.market).hedges(e.member(s.account)):
		return schema.BothSides
	case at == s.short:
		return schema.ShortSide
	default:
		return schema.LongSide
	}
}

// OpenInterest is the size of all longs on a future.
func (e *Engine) OpenInterest(market schema.MarketID) fixed.Decimal {
	if int(market) > len(e.markets) || market == 0 {
		return fixed.Zero
	}
	f := &e.markets[market-1]
	return fixed.FromUnits(f.interest, int(f.scale.Stock))
}

// LiquidationPrice is the first price at which an account is liquidated for a position, all else being as it is.
// It is false when there is none.
func (e *Engine) LiquidationPrice(account schema.AccountID, market schema.MarketID, of schema.PositionSide) (fixed.Decimal, bool) {
	m := e.looked(account)
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		s := e.seats.At(at)
		if s.market != market {
			continue
		}
		f, l := e.market(market), m.chosen()
		rest := e.standing(&m, 0, at)
		other := e.position(s.short)
		if of == schema.ShortSide {
			other = e.position(s.long)
		}
		r, _ := e.rates(f)
		left := plus(plus(rest.total(), f.unrealized(other, r)), rest.maintenance.Neg())
		return e.position(*s.side(of)).Liquidation(&position.Stake{
			Rest: left, PriceRate: r.money, CostRate: r.cost, Tiers: &f.tiers, Leverage: l, Scale: f.scale,
		})
	}
	return fixed.Zero, false
}

// Valuation is a position with what it is worth now.
type Valuation struct {
	Position   schema.Position
	Entry      fixed.Decimal // the average price of what is open
	Notional   fixed.Decimal // its value at the mark
	Unrealized fixed.Decimal
	// Interest is what the loan of a position on a spot market has accrued and was not charged yet, in the asset that it was lent.
	Interest    fixed.Decimal
	Percent     fixed.Decimal // of the margin that its cost ties up
	Margin      fixed.Decimal // that it ties up at the mark
	Liquidation schema.Optional
}

// Valuations are the positions of an account on a market, or on all (0), by market and side.
func (e *Engine) Valuations(account schema.AccountID, market schema.MarketID) (list []Valuation) {
	for _, p := range e.Positions(account) {
		if market == 0 || p.Market == market {
			list = append(list, e.Value(&p))
		}
	}
	return list
}

// Value is a position, as it is or as it was, with what it would be worth now. The price of its liquidation is that of what
// is left of it.
func (e *Engine) Value(p *schema.Position) Valuation {
	m := e.looked(p.Account)
	f := e.market(p.Market)
	r, _ := e.rates(f)
	lots, _ := p.Amount.Units(int(f.scale.Stock))
	open := position.Position{Lots: lots, Cost: p.Cost}
	v := Valuation{Position: *p, Notional: f.notional(open, r.base), Unrealized: f.unrealized(open, r)}
	v.Margin = f.tiers.Initial(v.Notional, m.chosen())
	if f.spot {
		v.Interest = e.interestOf(&m, f, open)
	}
	cost, _, _ := p.Priced()
	v.Entry, _ = position.Position{Lots: lots, Cost: cost}.Entry(f.scale)
	v.Percent, _ = open.PnlPercent(v.Unrealized, r.cost, f.tiers.Leverage(m.chosen()))
	if price, ok := e.LiquidationPrice(p.Account, p.Market, p.Side); ok {
		v.Liquidation = schema.Some(price)
	}
	return v
}

// Rating is what decides in which order positions are closed to cover what others cannot pay.
type Rating struct {
	Position   schema.PositionID
	Long       bool
	Unrealized fixed.Decimal
	Equity     fixed.Decimal // of the account
}

// Ratings are those of the positions on a future with an id above one, by id, at most limit.
func (e *Engine) Ratings(market schema.MarketID, above schema.PositionID, limit int) (list []Rating) {
	f := e.market(market)
	r, _ := e.rates(f)
	for at := f.first; at != 0 && len(list) < limit; at = e.positions.At(at).next {
		o := e.positions.At(at)
		if o.id <= above {
			continue
		}
		m := e.looked(e.seats.At(o.seat).account)
		s := e.standing(&m, 0, 0)
		list = append(list, Rating{o.id, o.Lots > 0, f.unrealized(o.Position, r), s.equity})
	}
	return list
}
