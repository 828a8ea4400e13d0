package collateral

import (
	"bourse/internal/core/ledger"
	"bourse/internal/core/position"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// highest is the leverage that accounts may choose unless they have a bound of their own.
const highest position.Leverage = 100

// SetLeverage sets the leverage of an account. A lower one binds more; it has to be covered.
func (e *Engine) SetLeverage(c *schema.SetLeverage) schema.Rejection {
	account, r := e.accounts.Customer(c.Account)
	if r.Refused() {
		return r
	}
	m, l := e.member(c.Account), position.Leverage(c.Leverage)
	most := highest
	if account.MaxLeverage != 0 {
		most = position.Leverage(account.MaxLeverage)
	}
	for i := m.seats; i != 0; i = e.seats.At(i).next {
		if s := e.seats.At(i); s.used() && !e.market(s.market).spot {
			most = min(most, e.market(s.market).tiers.Max)
		}
	}
	if !l.Valid() || l > most {
		return schema.Rejection{Reason: schema.LeverageInvalid, Value: fixed.FromInt(int64(most))}
	}
	now, old := e.standing(m, 0, 0), m.leverage
	m.leverage = l
	if then := e.standing(m, 0, 0); then.margin.Cmp(now.margin) > 0 && then.margin.Cmp(then.total()) > 0 {
		m.leverage = old
		return schema.Refuse(schema.LeverageNotCovered)
	}
	m.headroom = headroom{}
	if e.atStake(m) {
		e.touch(c.Account, m)
	}
	e.marginChanged(c.Account, m)
	return schema.Rejection{}
}

// SetHedgeMode switches an account between one-way and hedge mode. It has neither positions nor orders on futures then:
// they would mean something else.
func (e *Engine) SetHedgeMode(c *schema.SetHedgeMode) schema.Rejection {
	if _, r := e.accounts.Customer(c.Account); r.Refused() {
		return r
	}
	m := e.member(c.Account)
	if m.hedge != c.On {
		for i := m.seats; i != 0; i = e.seats.At(i).next {
			if s := e.seats.At(i); s.used() && !e.market(s.market).spot {
				return schema.Refuse(schema.HedgeModeInUse)
			}
		}
		m.hedge = c.On
	}
	e.marginChanged(c.Account, m)
	return schema.Rejection{}
}

func (e *Engine) marginChanged(account schema.AccountID, m *member) {
	e.out.Events.Add(&schema.MarginChanged{Account: account, Leverage: uint8(m.chosen()), Hedge: m.hedge})
}

// Free is what of an asset may leave the collateral of an account: what is there and its own, and no more than the
// margin can miss. Profit that is not realized cannot leave, a loss counts. Nothing leaves while a price that the
// account depends on is stale. An account without positions, orders and debts may take all: what its collateral is worth is
// rounded, and the last digit of it would stay behind.
func (e *Engine) Free(account schema.AccountID, asset schema.AssetID) fixed.Decimal {
	m := e.member(account)
	h := e.holdings.At(e.holding(account, m, asset))
	if !e.bound(m) {
		return e.own(h, byNow)
	}
	s := e.standing(m, 0, 0)
	// What is there may belong to a position, and what is owned may be in one.
	most := fixed.MinOf(e.ledger.Available(h.cell), e.own(h, byNow))
	if e.listing.IsUSDT(asset) {
		most = plus(most, e.dues(m))
	}
	if exposed, stale := e.exposure(m); exposed && stale {
		return fixed.Zero
	}
	spare := plus(plus(s.equity, fixed.MinOf(s.unrealized, fixed.Zero)), s.margin.Neg())
	switch value, of := e.weighted(asset); {
	case value.Sign() > 0:
		if covered, fits := fixed.MulDiv(spare, of, value, int(e.listing.Asset(asset).Scale), fixed.Down); fits {
			most = fixed.MinOf(most, covered)
		}
	case spare.Sign() < 0:
		return fixed.Zero
	}
	return fixed.MaxOf(fixed.Zero, most)
}

// bound reports whether an account has a position, an order or a debt.
func (e *Engine) bound(m *member) bool {
	for i := m.seats; i != 0; i = e.seats.At(i).next {
		if e.seats.At(i).used() {
			return true
		}
	}
	return e.owes(m)
}

// exposure reports whether an account has a position or a debt, and whether something of it is valued at a
// stale price.
func (e *Engine) exposure(m *member) (exposed, stale bool) {
	for i := m.seats; i != 0; i = e.seats.At(i).next {
		if s := e.seats.At(i); s.long != 0 || s.short != 0 {
			_, fresh := e.rates(e.market(s.market))
			exposed, stale = true, stale || !fresh
		}
	}
	for i := m.holdings; i != 0; i = e.holdings.At(i).next {
		h := e.holdings.At(i)
		_, fresh := e.prices.Index(h.asset)
		exposed = exposed || !h.owed().IsZero()
		stale = stale || !fresh && !e.worth(h.asset, e.own(h, byNow)).IsZero()
	}
	return exposed, stale
}

// FundSystem brings the operator's money into the main wallet of a system account, or takes out what is available there.
func (e *Engine) FundSystem(c *schema.FundSystem) schema.Rejection {
	asset := e.listing.Asset(c.Asset)
	switch {
	case !c.Account.Funded():
		return schema.Refuse(schema.SystemAccountInvalid)
	case asset == nil:
		return schema.Refuse(schema.AssetUnknown)
	}
	if r := wallet.CheckAmount(c.Amount.Abs(), asset.Scale); r.Refused() {
		return r
	}
	note := ledger.Note{Cause: schema.ByTransfer}
	if c.Amount.Sign() > 0 {
		_, r := wallet.Bring(e.ledger, c.Account, schema.Main, c.Asset, c.Amount, note)
		return r
	}
	from := e.ledger.Find(c.Account, schema.Main, c.Asset)
	if there := fixed.MaxOf(fixed.Zero, e.ledger.Available(from)); c.Amount.Abs().Cmp(there) > 0 {
		return schema.Rejection{Reason: schema.MoveNotCovered, Value: there}
	}
	e.ledger.Move(from, e.ledger.Open(schema.Outside, schema.Main, c.Asset), c.Amount.Neg(), note)
	return schema.Rejection{}
}
