package trading

import (
	"bourse/internal/core/price"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Index is the price of a market in the world outside. Its zero value says that nobody set one.
type Index struct {
	Price fixed.Decimal
	At    schema.Time // when it was set; of several sources the last
}

// SetIndex takes an index price: of the market, or of its base where the board keeps that.
func (e *Engine) SetIndex(c *schema.SetIndex) schema.Rejection {
	m := e.market(c.Market)
	feeds := m != nil && e.Prices.Feeds(m.info)
	switch {
	case m == nil:
		return schema.Refuse(schema.MarketUnavailable)
	case m.info.Delisted:
		return schema.Refuse(schema.MarketDelisted)
	case c.Price.Sign() < 0 || feeds && c.Price.Cmp(price.Limit) > 0:
		return schema.Refuse(schema.IndexInvalid)
	case c.Source >= price.Sources || c.Source != 0 && !feeds:
		return schema.Refuse(schema.IndexSourceInvalid)
	}
	said := c.Price
	if feeds {
		var r schema.Rejection
		if said, r = e.Prices.Said(m.info, c.Price); r.Refused() {
			return r
		}
	}
	e.out.Events.Add(&schema.IndexChanged{Index: *c})
	if feeds {
		e.Prices.Set(m.info.Base, c.Source, said)
	} else {
		m.index = Index{}
		if !c.Price.IsZero() {
			m.index = Index{c.Price, e.out.Time}
		}
	}
	e.Clearing.Assess()
	return schema.Rejection{}
}

// Market is what is known of a market beside its listing. The index is that of its assets if the board keeps them, and
// what was set of the market itself is passed over.
func (e *Engine) Market(id schema.MarketID) MarketRecord {
	record := e.Record(id)
	if index, at, known := e.Prices.Market(e.market(id).info); known {
		record.Index = Index{index, at}
	}
	return record
}
