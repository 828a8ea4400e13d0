package collateral

import (
	"bourse/internal/core/ledger"
	"bourse/internal/core/position"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Deals on spot markets that are paid from collateral. Their assets are exchanged as on any spot market, and what a side
// does not have of what it gives is lent to it: by its own will within what the pool has and the account may borrow, by
// liquidation whatever that is. A position keeps a size and a cost; what it realizes is in the assets and moves nothing.

// swap is what a side of a deal gives and gets: the assets, and how much of each.
func (f *market) swap(side schema.Side, lots int64, money fixed.Decimal) (gives, gets schema.AssetID, given, got fixed.Decimal) {
	amount := fixed.FromUnits(lots, int(f.scale.Stock))
	if side == schema.Sell {
		return f.info.Base, f.info.Quote, amount, money
	}
	return f.info.Quote, f.info.Base, money, amount
}

// missing is what an account does not have of an amount.
func (e *Engine) missing(account schema.AccountID, asset schema.AssetID, amount fixed.Decimal) fixed.Decimal {
	has := e.ledger.Available(e.ledger.Find(account, schema.Collateral, asset))
	return fixed.MaxOf(fixed.Zero, amount.Sub(has))
}

// borrowable is how much more an account may borrow of an asset by its own will: what the pool has and may lend, and what
// the account may owe.
func (e *Engine) borrowable(account schema.AccountID, asset schema.AssetID) fixed.Decimal {
	set, _ := e.prices.Collateral(asset)
	owed := e.ledger.Available(e.ledger.Find(account, schema.Debt, asset))
	return fixed.MaxOf(fixed.Zero, fixed.MinOf(e.poolRoom(asset), plus(set.AccountCap, owed.Neg())))
}

// poolRoom is what can still be lent of an asset. What is below zero is none.
func (e *Engine) poolRoom(asset schema.AssetID) fixed.Decimal {
	set, _ := e.prices.Collateral(asset)
	lent := e.ledger.Available(e.ledger.Find(schema.Lending, schema.Debt, asset)).Neg()
	return fixed.MinOf(plus(set.PoolCap, lent.Neg()), e.ledger.Available(e.ledger.Find(schema.Lending, schema.Main, asset)))
}

// checkLent checks that an account can borrow what an order may need beyond what it has. One that closes all of a position
// is asked when it wakes up, fill by fill.
func (e *Engine) checkLent(f *market, a *trading.Admission) schema.Rejection {
	if a.Order.Whole {
		return schema.Rejection{}
	}
	gives, _, given, _ := f.swap(a.Order.Side, int64(a.Order.Lots), a.Order.Money)
	switch {
	case e.missing(a.Account, gives, given).Cmp(e.borrowable(a.Account, gives)) <= 0:
		return schema.Rejection{}
	case a.Order.Side == schema.Sell:
		return schema.Refuse(schema.BaseNotLent)
	default:
		return schema.Refuse(schema.QuoteNotLent)
	}
}

// exchangeable reports whether the assets of a side of a deal can be moved: what it has to borrow can be lent, and all
// balances can be counted after it.
func (e *Engine) exchangeable(account schema.AccountID, f *market, leg *trading.Leg) bool {
	gives, gets, given, got := f.swap(leg.Side, int64(leg.Lots), leg.Money)
	missing := e.missing(account, gives, given)
	if !leg.Forced && missing.Cmp(e.borrowable(account, gives)) > 0 {
		return false
	}
	has := e.ledger.Available(e.ledger.Find(account, schema.Collateral, gets))
	_, fits := has.AddChecked(got)
	// The fee is owed in money whatever the deal was about.
	return fits && e.lendable(gives, missing) && e.lendable(f.info.Quote, leg.Fee.Abs())
}

// lendable reports whether the balances of a loan can be counted with so much more.
func (e *Engine) lendable(asset schema.AssetID, amount fixed.Decimal) bool {
	pool := e.ledger.Available(e.ledger.Find(schema.Lending, schema.Main, asset))
	debts := e.ledger.Available(e.ledger.Find(schema.Lending, schema.Debt, asset))
	left, fits := pool.SubChecked(amount)
	all, too := debts.SubChecked(amount)
	return fits && too && left.Cmp(ledger.Limit.Neg()) >= 0 && all.Cmp(ledger.Limit.Neg()) >= 0
}

// Give are the balances that a side of a deal on a spot market is settled with, what it gives being there.
func (e *Engine) Give(leg trading.Leg) (base, quote ledger.Cell) {
	s := e.seats.At(leg.Seat)
	f := e.market(s.market)
	b, q := e.pairOf(s.account, e.member(s.account), f)
	base, quote = e.cell(s.account, b), e.cell(s.account, q)
	h := q
	if leg.Side == schema.Sell {
		h = b
	}
	gives, _, given, _ := f.swap(leg.Side, int64(leg.Lots), leg.Money)
	if missing := e.missing(s.account, gives, given); missing.Sign() > 0 {
		e.lend(s.account, h, missing, uint64(leg.Deal))
		if leg.Forced || leg.Cause != 0 {
			e.overdraw(s.account, h)
		}
	}
	return base, quote
}

// pairOf is what an account has of both assets of a market.
func (e *Engine) pairOf(account schema.AccountID, m *member, f *market) (base, quote *holding) {
	return e.holdings.At(e.holding(account, m, f.info.Base)), e.holdings.At(e.holding(account, m, f.info.Quote))
}

// Take repays what a side owes of the asset that it got. Liquidation takes the fee of a sale out of what it brought first, so
// that nothing is lent for it (exchanged).
func (e *Engine) Take(leg trading.Leg) {
	if leg.Plain && leg.Side == schema.Sell {
		return
	}
	s := e.seats.At(leg.Seat)
	got, quote := e.pairOf(s.account, e.member(s.account), e.market(s.market))
	if leg.Side == schema.Sell {
		got = quote
	}
	e.forced = leg.Forced
	e.repay(s.account, got, uint64(leg.Deal))
	e.forced = false
}

// exchanged ends the exchange of a side with its fee.
func (e *Engine) exchanged(s *seat, m *member, f *market, leg *trading.Leg, fee fixed.Decimal) {
	e.touch(s.account, m)
	if f.fees == 0 {
		f.fees = e.ledger.Open(schema.Fees, schema.Main, f.info.Quote)
	}
	_, quote := e.pairOf(s.account, m, f)
	note := ledger.Note{Cause: schema.ByFee, Ref: uint64(leg.Deal)}
	if leg.Plain && leg.Side == schema.Sell {
		e.shift(quote.cell, f.fees, fee, note)
		e.repay(s.account, quote, uint64(leg.Deal))
		return
	}
	e.pass(s.account, quote, f.fees, fee.Neg(), note)
}

// occupied is what of both assets of a spot market belongs to positions once one is another. It is false when that cannot be
// counted.
func (f *market) occupied(base, quote *holding, was, is position.Position) (size, paid fixed.Decimal, fits bool) {
	stock := int(f.scale.Stock)
	size, ok1 := base.placed.AddChecked(fixed.FromUnits(is.Lots, stock).Sub(fixed.FromUnits(was.Lots, stock)))
	rest, ok2 := quote.placed.AddChecked(was.Cost)
	paid, ok3 := rest.SubChecked(is.Cost)
	return size, paid, ok1 && ok2 && ok3
}

// occupy notes what of both assets of a spot market belongs to a position that was and that is. It is false, and nothing is
// noted, when that cannot be counted.
func (e *Engine) occupy(account schema.AccountID, m *member, f *market, was, is position.Position) bool {
	base, quote := e.pairOf(account, m, f)
	size, paid, fits := f.occupied(base, quote, was, is)
	if !fits {
		return false
	}
	base.placed, quote.placed = size, paid
	switch {
	case was.Lots == 0 && is.Lots != 0:
		m.pairs++
	case was.Lots != 0 && is.Lots == 0:
		m.pairs--
	}
	return true
}

// borrowed is what a position on a spot market needs a loan of, and how much: the cost of a long, the size of a short.
func (f *market) borrowed(p position.Position) (asset schema.AssetID, amount fixed.Decimal) {
	if p.Lots < 0 {
		return f.info.Base, fixed.FromUnits(-p.Lots, int(f.scale.Stock))
	}
	return f.info.Quote, p.Cost
}

// interestOf is the part of a position in what the loan of its asset has accrued, cut off. Positions that need the same
// asset share by what they need.
func (e *Engine) interestOf(m *member, f *market, p position.Position) fixed.Decimal {
	asset, amount := f.borrowed(p)
	h, all := e.heldOf(m, asset), fixed.Zero
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		s := e.seats.At(at)
		if other := e.market(s.market); other.spot && s.long != 0 {
			if of, needs := other.borrowed(e.position(s.long)); of == asset {
				all = plus(all, needs)
			}
		}
	}
	if h == nil || all.IsZero() {
		return fixed.Zero
	}
	part, _ := fixed.MulDiv(e.accrued(h, byNow), amount, all, int(e.listing.Asset(asset).Scale), fixed.Down)
	return part
}
