package ws

import (
	"reflect"
	"testing"

	"bourse/internal/schema"
)

// What an account has open follows from the last event of each thing, whatever was read before.
func TestAlertsKnowWhatIsOpen(t *testing.T) {
	at := func(id schema.PositionID, market schema.MarketID, side schema.PositionSide) schema.Position {
		return schema.Position{ID: id, Market: market, Side: side}
	}
	var x alertScope[schema.Position]
	note := func(p schema.Position, over bool) { x.note(&p, over, positionAlerts.order) }
	note(at(9, 2, schema.BothSides), false)
	note(at(7, 3, schema.ShortSide), false)
	note(at(8, 3, schema.LongSide), false)
	note(at(5, 1, schema.BothSides), true)   // it was over when the state was read
	note(at(10, 2, schema.BothSides), false) // the other side of a flip
	note(at(9, 2, schema.BothSides), true)
	newer := at(8, 3, schema.LongSide)
	newer.Updated = 1
	note(newer, false)
	if want := []schema.Position{at(10, 2, schema.BothSides), newer, at(7, 3, schema.ShortSide)}; !reflect.DeepEqual(x.open, want) {
		t.Errorf("open are %+v", x.open)
	}
}
