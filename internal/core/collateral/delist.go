package collateral

import (
	"bourse/internal/core/book"
	"bourse/internal/core/ledger"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// delist closes positions on markets that were delisted, at the last mark, fresh or not, and without a fee: there is nobody
// left to trade with. They are closed in slices by id, as funding is booked.
//
// What must hold: while a market is not through, the clearing account has, besides the costs of positions, what those
// that are left open there are worth at the mark: the others were closed at that price.
func (e *Engine) delist() {
	e.closing = false
	left := fundingSlices * e.features.Slice
	for i := range e.markets {
		f := &e.markets[i]
		if !f.info.Delisted {
			continue
		}
		for at := f.first; at != 0; left-- {
			if left == 0 {
				e.closing = true
				return
			}
			next := e.positions.At(at).next
			if f.spot {
				e.closeDelistedPair(f, at)
			} else {
				e.closeDelisted(f, at)
			}
			at = next
		}
	}
}

// closeDelisted closes one position. One whose value at the mark cannot be counted stays open.
func (e *Engine) closeDelisted(f *market, at uint32) {
	o := e.positions.At(at)
	mark, _ := e.prices.Mark(f.info.ID)
	money, fits := o.Notional(e.lastWorth(f), f.scale)
	leg := trading.Leg{
		Seat: o.seat, Side: schema.Sell, Of: e.sideOf(at), Lots: book.Lots(abs(o.Lots)), Money: money, Price: mark, Cause: schema.ByDelisting,
	}
	if o.Lots < 0 {
		leg.Side = schema.Buy
	}
	if asked := leg; fits {
		asked.Forced = true // its margin is not asked for, only whether all that moves can be counted
		if e.Room(&asked) {
			e.Settle(&leg)
		}
	}
}

// lastWorth is what positions on a future that was delisted are closed at, in USDT: its last mark. One in another money is cut off so
// that what any number of lots is worth can be counted exactly, and what longs get is what shorts pay.
func (e *Engine) lastWorth(f *market) fixed.Decimal {
	worth, _ := e.prices.Worth(f.info.ID)
	worth, _ = worth.Round(int(f.scale.Quote-f.scale.Stock), fixed.Down)
	return worth
}

// closeDelistedPair closes a position on a spot market with the insurance fund on the other side, at what its assets are
// worth, rounded against the account. One whose value cannot be counted stays open.
func (e *Engine) closeDelistedPair(f *market, at uint32) {
	o := e.positions.At(at)
	price, _ := e.prices.Pair(f.info)
	leg := trading.Leg{Seat: o.seat, Side: schema.Sell, Of: schema.BothSides, Lots: book.Lots(abs(o.Lots)), Price: price, Forced: true}
	round := fixed.Down
	if o.Lots < 0 {
		leg.Side, round = schema.Buy, fixed.Up
	}
	money, fits := fixed.Mul(fixed.FromUnits(abs(o.Lots), int(f.scale.Stock)), price, int(f.scale.Quote), round)
	leg.Money = money
	gives, gets, given, got := f.swap(leg.Side, int64(leg.Lots), money)
	if !fits || !e.Room(&leg) || !e.fundable(gets, got) {
		return
	}
	leg.Cause, leg.Forced = schema.ByDelisting, false
	note := ledger.Note{Cause: schema.ByDelisting}
	base, quote := e.Give(leg)
	from, to := base, quote
	if leg.Side == schema.Buy {
		from, to = quote, base
	}
	e.ledger.Move(from, e.ledger.Open(schema.Insurance, schema.Main, gives), given, note)
	e.ledger.Move(e.ledger.Open(schema.Insurance, schema.Main, gets), to, got, note)
	e.Take(leg)
	e.Settle(&leg)
}

// fundable reports whether the insurance fund can pay an amount, or owe it.
func (e *Engine) fundable(asset schema.AssetID, amount fixed.Decimal) bool {
	left, fits := e.ledger.Available(e.ledger.Find(schema.Insurance, schema.Main, asset)).SubChecked(amount)
	return fits && left.Cmp(ledger.Limit.Neg()) >= 0
}
