package collateral

import (
	"bourse/internal/core/listing"
	"bourse/internal/core/position"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
)

// quoted is what a position on a future whose prices are not in USDT cost and realized in the money of those prices. It serves the
// prices of the position, which are in that money, too; all that is paid is in USDT.
type quoted struct {
	cost     fixed.Decimal // of what is open, signed like the position
	paid     fixed.Decimal // for all that was opened
	realized fixed.Decimal
}

// quotedAt is that of a position. Few markets have any: they are kept beside positions, by the same places.
func (e *Engine) quotedAt(at uint32) *quoted {
	if more := int(at) + 1 - len(e.quoted); more > 0 {
		e.quoted = append(e.quoted, make([]quoted, more)...)
	}
	return &e.quoted[at]
}

// requoted is what a deal makes of a position in the money of its prices.
type requoted struct {
	is     position.Position
	change position.Change
}

// requote is what a deal makes of a position of so many lots in the money of its prices. It is false when that cannot be counted.
func (e *Engine) requote(f *market, at uint32, lots int64, leg *trading.Leg) (r requoted, fits bool) {
	was := position.Position{Lots: lots}
	if at != 0 {
		was.Cost = e.quotedAt(at).cost
	}
	d := deal(leg)
	d.Fee = fixed.Zero
	if d.Money, fits = fixed.Mul(fixed.FromUnits(int64(leg.Lots), int(f.scale.Stock)), leg.Price, fixed.Places, fixed.Down); !fits {
		return r, false
	}
	scale := f.scale
	scale.Quote = e.listing.Asset(f.info.Quote).Scale
	r.is, r.change, fits = was.Fill(d, scale)
	return r, fits
}

// requotable reports whether what a deal makes of a position can be counted in the money of its prices.
func (e *Engine) requotable(f *market, at uint32, lots int64, leg *trading.Leg) bool {
	_, fits := e.requote(f, at, lots, leg)
	return fits
}

// close counts what a deal closed, of a position that may have ended by it.
func (q *quoted) close(r *requoted, ended bool) {
	q.realized = plus(q.realized, r.change.Realized)
	if q.cost = r.is.Cost; ended {
		q.cost = fixed.Zero
	}
}

// open counts what a deal opened.
func (q *quoted) open(r *requoted) {
	q.cost, q.paid = r.is.Cost, plus(q.paid, r.change.Opened.Money)
}

// quotable reports whether a position of so many lots can have this: nothing, on a market with one money.
func (f *market) quotable(lots int64, q *quoted, l *listing.Listing) bool {
	if !f.foreign {
		return *q == quoted{}
	}
	return position.Position{Lots: lots, Cost: q.cost}.Valid() && q.cost.Decimals() <= int(l.Asset(f.info.Quote).Scale) && q.paid.Sign() > 0
}
