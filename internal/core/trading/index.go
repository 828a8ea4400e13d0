package trading

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Index is the price of a market in the world outside, as the operator set it. Its zero value
// says that nobody did.
type Index struct {
	Price fixed.Decimal
	At    schema.Time
}

// SetIndex takes an index price.
func (e *Engine) SetIndex(c *schema.SetIndex) schema.Rejection {
	m := e.market(c.Market)
	switch {
	case m == nil:
		return schema.Refuse(schema.MarketUnavailable)
	case m.info.Delisted:
		return schema.Refuse(schema.MarketDelisted)
	case c.Price.Sign() < 0:
		return schema.Refuse(schema.IndexInvalid)
	}
	m.index = Index{}
	if !c.Price.IsZero() {
		m.index = Index{c.Price, e.out.Time}
	}
	e.out.Events.Add(&schema.IndexChanged{Index: *c})
	return schema.Rejection{}
}
