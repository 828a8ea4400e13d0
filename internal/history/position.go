package history

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// ClosedPosition is a position that came to its end.
type ClosedPosition struct {
	Position schema.Position
	Received fixed.Decimal // what the fills were worth that made it smaller, in the money of the market's prices
}

func (p *ClosedPosition) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "position", &p.Position)
	c.Decimal(2, "received", &p.Received)
}

// appendPosition records a change of a position, and once more if it was funding or the end of the position. The
// last deal before it tells the direction of one that is no longer there. Number is the place of the change in the log.
func appendPosition(dst []Record, e *schema.PositionChanged, last *schema.Deal, at schema.Time, number uint64) []Record {
	p := &e.Position
	r := Record{Account: p.Account, Market: p.Market, Payload: e}
	changed := r
	changed.Kind, changed.Time, changed.ID, changed.Ref = Positions, at, number, uint64(p.ID)
	dst = append(dst, changed)
	r.ID = uint64(p.ID)
	switch {
	case e.Cause == schema.ByFunding:
		r.Kind, r.Time = Fundings, e.Settled
		return append(dst, r)
	case p.Amount.IsZero():
		// To the second, so that positions which the API shows as closed at one time are in the order of their ids.
		r.Kind, r.Time, r.Payload = Closed, at/schema.Second*schema.Second, closed(e, last)
		return append(dst, r)
	}
	return dst
}

// closed is a position at its end. Realized PnL is what it was sold for less what was paid for it, of a short the other
// way round; parts of the cost that were rounded add up to all of it.
func closed(e *schema.PositionChanged, last *schema.Deal) *ClosedPosition {
	_, paid, realized := e.Position.Priced()
	received, ok := paid.AddChecked(realized)
	if !long(e, last) {
		received, ok = paid.SubChecked(realized)
	}
	if !ok {
		received = paid // sums that large stay where counting ends
	}
	return &ClosedPosition{Position: e.Position, Received: received}
}

// long reports whether a position that was closed by a deal was long.
func long(e *schema.PositionChanged, last *schema.Deal) bool {
	switch {
	case e.Position.Side != schema.BothSides:
		return e.Position.Side == schema.LongSide
	case last == nil || last.ID != e.Deal:
		return e.Amount.Sign() > 0 // closed by delisting, without a deal
	case last.Taker.Order == e.Order:
		return last.TakerSide == schema.Sell
	default:
		return last.TakerSide == schema.Buy
	}
}

// loan is the last state of a loan.
func loan(e *schema.LoanChanged) Record {
	r := Record{Kind: Loans, Account: e.Account, Asset: e.Asset, Time: e.Opened, ID: loanNumber(e), Class: Active, Payload: e}
	r.Ref = r.ID
	if e.Principal.IsZero() && e.Interest.IsZero() {
		r.Class = Repaid
		if e.Liquidated {
			r.Class = Liquidated
		}
	}
	return r
}

// loanNumber is made of the moment at which a loan began and its asset, because the log gives loans no number. It has
// room for the microseconds of 142 years and for 4,096 assets that begin at one moment. A loan that was repaid at the
// moment at which it began is replaced by the next one of that moment.
func loanNumber(e *schema.LoanChanged) uint64 {
	return uint64(e.Opened)<<12 | uint64(e.Asset)&(1<<12-1)
}
