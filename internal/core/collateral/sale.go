package collateral

import (
	"cmp"
	"slices"

	"bourse/internal/core/ledger"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// saleBand is how far below its index collateral may be sold.
var saleBand = fixed.FromUnits(98, 2)

// sale is an asset that can be sold for USDT.
type sale struct {
	holding uint32
	asset   schema.AssetID
	own     fixed.Decimal
	index   fixed.Decimal
}

// sellCollateral sells what an account has for the USDT that it owes, the most valuable first.
func (e *Engine) sellCollateral(account schema.AccountID) bool {
	m := e.member(account)
	if e.owedUSDT(m).IsZero() {
		return true
	}
	e.sales = e.sales[:0]
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		h := e.holdings.At(at)
		if own := e.own(h, byHour); own.Sign() > 0 && !e.listing.IsUSDT(h.asset) {
			if index, fresh := e.prices.Index(h.asset); fresh {
				e.sales = append(e.sales, sale{at, h.asset, own, index})
			}
		}
	}
	slices.SortFunc(e.sales, func(a, b sale) int {
		return cmp.Or(fixed.CmpProducts(b.own, b.index, a.own, a.index), cmp.Compare(a.asset, b.asset))
	})
	for _, s := range e.sales {
		if info := e.sellsOn(s.asset, true); info != nil && e.Markets.Free(info.ID) && !e.sell(account, m, &s, info) {
			return false
		}
	}
	return true
}

// owedUSDT is how much USDT an account owes beyond what it has.
func (e *Engine) owedUSDT(m *member) fixed.Decimal {
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		if h := e.holdings.At(at); e.listing.IsUSDT(h.asset) {
			return fixed.MaxOf(fixed.Zero, e.own(h, byHour).Neg())
		}
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
func (e *Engine) sell(account schema.AccountID, m *member, s *sale, info *schema.MarketInfo) bool {
	price, fits := fixed.Mul(s.index, saleBand, fixed.Places, fixed.Ceil)
	limit, is := e.Markets.Ticks(info.ID, price, fixed.Ceil)
	if !fits || !is || limit <= 0 {
		return true
	}
	for round := 1; round <= 2; round++ {
		owed := e.owedUSDT(m)
		if _, is := e.fallen(account); !is || owed.IsZero() {
			return true
		}
		if round == 1 && owed.Cmp(small) >= 0 {
			owed, _ = fixed.Div(owed, four, fixed.Places, fixed.Up)
		}
		own := e.own(e.holdings.At(s.holding), byHour)
		all, fits := e.Markets.Steps(info.ID, own, fixed.Down)
		if !fits {
			return true
		}
		lots := all
		if exact, fits := fixed.Div(owed, s.index, fixed.Places, fixed.Up); fits {
			part, fits := e.Markets.Steps(info.ID, exact, fixed.Up)
			if fits && part < all && own.Sub(fixed.FromUnits(int64(part), int(info.StockPrec))).Cmp(info.MinAmount) >= 0 {
				lots = part
			}
		}
		if lots <= 0 || !e.Markets.Meets(info.ID, schema.Sell, limit) {
			return true
		}
		if !e.Markets.Force(trading.Forced{Account: account, Market: info.ID, Side: schema.Sell, Lots: lots, Limit: limit}, &e.units) {
			return false
		}
	}
	return true
}

// Sold says that an account got an asset for collateral that liquidation sold.
func (e *Engine) Sold(account schema.AccountID, asset schema.AssetID, deal schema.DealID) {
	m := e.member(account)
	h := e.holdings.At(e.holding(account, m, asset))
	e.cell(account, h)
	e.touch(account, m)
	e.forced = true
	e.repay(account, h, uint64(deal))
	e.forced = false
}

// writeOff lets the insurance fund pay what an account owes and nothing is left for. What is there and can never be sold
// is the fund's then. It is the one place where the fund pays for an account.
func (e *Engine) writeOff(account schema.AccountID) bool {
	m := e.member(account)
	h := e.lost(m)
	if _, is := e.fallen(account); !is || h == nil {
		return true
	}
	if !e.spend() {
		return false
	}
	e.book(account, h, 0)
	note := ledger.Note{Cause: schema.ByShortfall}
	fund, debt := e.ledger.Open(schema.Insurance, schema.Main, h.asset), h.owed()
	e.forced = true
	e.receive(account, h, fund, debt, note)
	e.forced = false
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		rest := e.holdings.At(at)
		if dust := e.ledger.Available(rest.cell); dust.Sign() > 0 {
			e.ledger.Move(rest.cell, e.ledger.Open(schema.Insurance, schema.Main, rest.asset), dust, note)
		}
	}
	e.out.Events.Add(&schema.Shortfall{Account: account, Asset: h.asset, Amount: debt, Fund: e.ledger.Available(fund)})
	return true
}

// lost is the loan of an account that has no position and nothing that can ever be sold, or nil.
func (e *Engine) lost(m *member) (loan *holding) {
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		if s := e.seats.At(at); s.long != 0 || s.short != 0 {
			return nil
		}
	}
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		h := e.holdings.At(at)
		switch own := e.own(h, byHour); {
		case e.listing.IsUSDT(h.asset):
			if !h.owed().IsZero() {
				loan = h
			}
		case own.Sign() > 0 && e.sellable(h.asset, own):
			return nil
		}
	}
	return loan
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
