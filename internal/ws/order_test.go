package ws

import (
	"testing"

	"bourse/internal/api/agree"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestOrdersAgreeWithTheirSchemas: they are written by hand.
func TestOrdersAgreeWithTheirSchemas(t *testing.T) {
	s, _, _ := aServer(t)
	for more, schemaOf := range map[orderMore]*shape{asReply: orderReply, asPending: orderPending, asExecuted: orderExecuted, asRecord: orderRecord} {
		c := agree.New(schemaOf)
		for kind := schema.Limit; kind <= schema.StopStockMarket; kind++ {
			for flags := range 16 {
				o := &schema.Order{
					ID: 7, Market: 1, Type: kind, Side: schema.Buy + schema.Side(flags&1), Status: schema.Open + schema.Status(flags%3),
					STP: schema.STP(flags % 4), PostOnly: flags&2 != 0, Retail: flags&4 != 0, RPI: flags&4 != 0, IOC: flags&8 != 0,
					Amount: fixed.FromUnits(25, 1), Left: fixed.One, DealFee: fixed.FromInt(-1), Created: 1_790_000_000_000_001,
					ActivatedAt: schema.Time(flags & 2),
				}
				if text := s.appendOrder(nil, o, more); c.Check(text) != nil {
					t.Errorf("%s: %v", text, c.Check(text))
				}
			}
		}
		if unseen := c.Unseen(); len(unseen) > 0 {
			t.Errorf("%s: the orders do not show both sides of %v", schemaOf.Name, unseen)
		}
	}
}
