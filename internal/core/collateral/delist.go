package collateral

import (
	"bourse/internal/core/book"
	"bourse/internal/core/trading"
	"bourse/internal/schema"
)

// delist closes positions on futures that were delisted, at the last mark, fresh or not, and without a fee: there is nobody
// left to trade with. They are closed in slices by id, as funding is booked.
//
// What must hold: while a market is not through, the clearing account has, besides the costs of positions, what those
// that are left open there are worth at the mark: the others were closed at that price.
func (e *Engine) delist() {
	e.closing = false
	left := fundingSlices * e.features.Slice
	for i := range e.futures {
		f := &e.futures[i]
		if !f.info.Delisted {
			continue
		}
		for at := f.first; at != 0; left-- {
			if left == 0 {
				e.closing = true
				return
			}
			next := e.positions.At(at).next
			e.closeDelisted(f, at)
			at = next
		}
	}
}

// closeDelisted closes one position. One whose value at the mark cannot be counted stays open.
func (e *Engine) closeDelisted(f *future, at uint32) {
	o := e.positions.At(at)
	mark, _ := e.prices.Mark(f.info.ID)
	money, fits := o.Notional(mark, f.scale)
	leg := trading.Leg{
		Seat: o.seat, Side: schema.Sell, Of: e.sideOf(at), Lots: book.Lots(abs(o.Lots)), Money: money, Price: mark, Cause: schema.ByDelisting,
	}
	if o.Lots < 0 {
		leg.Side = schema.Buy
	}
	if asked := leg; fits {
		asked.Forced = true // its margin is not asked for, only whether all that moves can be counted
		if e.Room(asked) {
			e.Settle(leg)
		}
	}
}
