package api

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Quote is what both doors show of the prices and the funding of a future.
type Quote struct {
	Mark    fixed.Decimal // zero: there is no fresh one
	Index   fixed.Decimal // without a fresh one: the last price on the spot market, then here, then zero
	Rate    fixed.Decimal // of the next settlement
	Settles schema.Time
}

// Quote of a future.
func (a *API) Quote(m *schema.MarketInfo) Quote {
	prices := a.data.Prices(m.ID)
	q := Quote{Rate: prices.Rate, Settles: prices.Settles}
	if prices.Fresh {
		q.Mark, q.Index = prices.Mark, prices.Index
	} else {
		q.Index = a.data.Last(m.ID)
		if spot := a.directory.Market(a.directory.Ticker(m.Base) + "_" + a.directory.Ticker(m.Quote)); spot != nil {
			if last := a.data.Last(spot.ID); !last.IsZero() {
				q.Index = last
			}
		}
	}
	if q.Settles == 0 { // nothing happened since it was listed
		interval := schema.Time(m.FundingMinutes) * 60 * schema.Second
		q.Settles = a.Now()/interval*interval + interval
	}
	return q
}

// MarkSchema is the schema of a mark.
var MarkSchema = OneOf(Decimal, Enum(""))

// AppendMark writes the mark, empty while there is no fresh one.
func (q *Quote) AppendMark(dst []byte) []byte {
	if q.Mark.IsZero() {
		return append(dst, `""`...)
	}
	return AppendDecimal(dst, q.Mark)
}
