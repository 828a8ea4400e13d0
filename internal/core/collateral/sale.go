package collateral

import (
	"cmp"
	"slices"

	"bourse/internal/core/ledger"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// saleBand is how far from its index collateral is sold and what is owed bought, where the market does not say another.
var saleBand = fixed.FromUnits(2, 2)

// sale is an asset of which an account sells something for USDT, or buys something.
type sale struct {
	holding uint32
	asset   schema.AssetID
	amount  fixed.Decimal // that it owns, or has to buy
	index   fixed.Decimal
}

// sellCollateral sells what an account has for the USDT that it owes, the most valuable first.
func (e *Engine) sellCollateral(account schema.AccountID) bool {
	m := e.member(account)
	if e.owedUSDT(m).IsZero() {
		return true
	}
	return e.tradeAll(account, m, e.owned, e.sell)
}

// buyOwed buys what an account owes beyond what it has, of other assets than USDT, the most valuable first.
func (e *Engine) buyOwed(account schema.AccountID) bool {
	return e.tradeAll(account, e.member(account), e.missed, e.buy)
}

// owned is what an account has of an asset that is its own, and missed what it owes beyond that.
func (e *Engine) owned(h *holding) fixed.Decimal { return fixed.MaxOf(fixed.Zero, e.own(h, byHour)) }

func (e *Engine) missed(h *holding) fixed.Decimal {
	return fixed.MaxOf(fixed.Zero, e.own(h, byHour).Neg())
}

// tradeAll goes through the assets but USDT of which an account trades an amount, and that have a fresh price and an open
// market, the most valuable first.
func (e *Engine) tradeAll(account schema.AccountID, m *member, amount func(*holding) fixed.Decimal, trade func(schema.AccountID, *member, *sale, *market) bool) bool {
	e.sales = e.sales[:0]
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		h := e.holdings.At(at)
		if n := amount(h); n.Sign() > 0 && !e.listing.IsUSDT(h.asset) {
			if index, fresh := e.prices.Index(h.asset); fresh {
				e.sales = append(e.sales, sale{at, h.asset, n, index})
			}
		}
	}
	slices.SortFunc(e.sales, func(a, b sale) int {
		return cmp.Or(fixed.CmpProducts(b.amount, b.index, a.amount, a.index), cmp.Compare(a.asset, b.asset))
	})
	for i := range e.sales {
		s := &e.sales[i]
		if info := e.sellsOn(s.asset, true); info != nil && e.Markets.Free(info.ID) && !trade(account, m, s, e.market(info.ID)) {
			return false
		}
	}
	return true
}

// owedUSDT is how much USDT an account owes beyond what it has.
func (e *Engine) owedUSDT(m *member) fixed.Decimal {
	if h := e.heldOf(m, e.listing.USDT()); h != nil {
		return e.missed(h)
	}
	return fixed.Zero
}

// sellsOn is the spot market on which an asset is sold for USDT, nil if there is none: the first that is not delisted,
// and open if it has to be.
func (e *Engine) sellsOn(asset schema.AssetID, open bool) *schema.MarketInfo {
	for _, info := range e.listing.Markets() {
		if info.Type == schema.Spot && info.Base == asset && e.listing.IsUSDT(info.Quote) && !info.Delisted &&
			(!open || info.Enabled && !info.InMaintenance) {
			return info
		}
	}
	return nil
}

// sell sells so much of an asset that a quarter of the debt is paid, then that all of it is.
func (e *Engine) sell(account schema.AccountID, m *member, s *sale, f *market) bool {
	for round := 1; round <= 2; round++ {
		owed := e.owedUSDT(m)
		if _, is := e.fallen(account); !is || owed.IsZero() {
			return true
		}
		if round == 1 && owed.Cmp(small) >= 0 {
			owed, _ = fixed.Div(owed, four, fixed.Places, fixed.Up)
		}
		if sold, lasted := e.sellFor(account, s, f, e.owned(e.holdings.At(s.holding)), owed); !sold || !lasted {
			return lasted
		}
	}
	return true
}

// sellFor sells so much of what an account owns of an asset as brings some money at its index, and all of it where less than the
// smallest order would be left. It is not sold where nobody buys near its index; lasted is false if the units did not last.
func (e *Engine) sellFor(account schema.AccountID, s *sale, f *market, own, money fixed.Decimal) (sold, lasted bool) {
	info := f.info
	limit, is := e.bandLimit(f, schema.Sell)
	all, fits := e.Markets.Steps(info.ID, own, fixed.Down)
	if !is || !fits || money.IsZero() {
		return false, true
	}
	lots := all
	if exact, fits := fixed.Div(money, s.index, fixed.Places, fixed.Up); fits {
		part, fits := e.Markets.Steps(info.ID, exact, fixed.Up)
		if fits && part < all && own.Sub(fixed.FromUnits(int64(part), int(info.StockPrec))).Cmp(info.MinAmount) >= 0 {
			lots = part
		}
	}
	if lots <= 0 || !e.Markets.Meets(info.ID, schema.Sell, limit) {
		return false, true
	}
	return true, e.Markets.Force(trading.Forced{Account: account, Market: info.ID, Side: schema.Sell, Lots: lots, Limit: limit}, &e.units)
}

// buy buys a quarter of what is owed of an asset, then all of it.
func (e *Engine) buy(account schema.AccountID, _ *member, s *sale, f *market) bool {
	for round := 1; round <= 2; round++ {
		owed := e.missed(e.holdings.At(s.holding))
		if _, is := e.fallen(account); !is || owed.IsZero() {
			return true
		}
		if round == 1 && fixed.CmpProducts(owed, s.index, small, fixed.One) >= 0 {
			owed, _ = fixed.Div(owed, four, fixed.Places, fixed.Up)
		}
		if bought, lasted := e.buyAmount(account, f, owed); !bought || !lasted {
			return lasted
		}
	}
	return true
}

// buyAmount buys an amount of an asset. What is missing of the price is lent. It is not bought where nobody sells near its index;
// lasted is false if the units did not last.
func (e *Engine) buyAmount(account schema.AccountID, f *market, amount fixed.Decimal) (bought, lasted bool) {
	limit, is := e.bandLimit(f, schema.Buy)
	lots, fits := e.Markets.Steps(f.info.ID, amount, fixed.Up)
	if !is || !fits || amount.IsZero() || !e.Markets.Meets(f.info.ID, schema.Buy, limit) {
		return false, true
	}
	return true, e.Markets.Force(trading.Forced{Account: account, Market: f.info.ID, Side: schema.Buy, Lots: lots, Limit: limit}, &e.units)
}

// writeOff lets the insurance fund pay what an account owes and nothing is left for. What is there and can never be sold
// is the fund's then. It is the one place where the fund pays for an account.
func (e *Engine) writeOff(account schema.AccountID) bool {
	m := e.member(account)
	if _, is := e.fallen(account); !is || !e.lost(m) {
		return true
	}
	if !e.spend() {
		return false
	}
	note := ledger.Note{Cause: schema.ByShortfall}
	e.forced = true
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		h := e.holdings.At(at)
		if h.owed().IsZero() {
			continue
		}
		e.book(account, h, 0)
		fund, debt := e.ledger.Open(schema.Insurance, schema.Main, h.asset), h.owed()
		e.receive(account, h, fund, debt, note)
		e.out.Events.Add(&schema.Shortfall{Account: account, Asset: h.asset, Amount: debt, Fund: e.ledger.Available(fund)})
	}
	e.forced = false
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		rest := e.holdings.At(at)
		if dust := e.ledger.Available(rest.cell); dust.Sign() > 0 {
			e.ledger.Move(rest.cell, e.ledger.Open(schema.Insurance, schema.Main, rest.asset), dust, note)
		}
	}
	return true
}

// lost reports whether an account owes something and has no position and nothing that can ever pay for it: assets that a market would take for USDT, and
// USDT where a market has what is owed.
func (e *Engine) lost(m *member) bool {
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		if s := e.seats.At(at); s.long != 0 || s.short != 0 {
			return false
		}
	}
	owes, pays, buyable := false, false, false
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		h := e.holdings.At(at)
		own := e.own(h, byHour)
		owes = owes || !h.owed().IsZero()
		switch {
		case e.listing.IsUSDT(h.asset):
			pays = own.Sign() > 0
		case own.Sign() < 0:
			buyable = buyable || e.sellsOn(h.asset, false) != nil
		case own.Sign() > 0 && e.sellable(h.asset, own):
			return false
		}
	}
	return owes && !(pays && buyable)
}

// sellable reports whether a market would take an amount, now or later.
func (e *Engine) sellable(asset schema.AssetID, own fixed.Decimal) bool {
	info := e.sellsOn(asset, false)
	if info == nil {
		return false
	}
	lots, fits := e.Markets.Steps(info.ID, own, fixed.Down)
	return !fits || lots > 0 && fixed.FromUnits(int64(lots), int(info.StockPrec)).Cmp(info.MinAmount) >= 0
}
