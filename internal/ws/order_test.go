package ws

import (
	"testing"

	"bourse/internal/api/agree"
)

// TestOrdersAgreeWithTheirSchemas: they are written by hand.
func TestOrdersAgreeWithTheirSchemas(t *testing.T) {
	s, _, _ := aServer(t)
	for more, schemaOf := range map[orderMore]*shape{asReply: orderReply, asPending: orderPending, asExecuted: orderExecuted, asRecord: orderRecord} {
		c := agree.New(schemaOf)
		for o := range agree.Orders() {
			if text := s.appendOrder(nil, o, more); c.Check(text) != nil {
				t.Errorf("%s: %v", text, c.Check(text))
			}
		}
		if unseen := c.Unseen(); len(unseen) > 0 {
			t.Errorf("%s: the orders do not show both sides of %v", schemaOf.Name, unseen)
		}
	}
}
