package history

import (
	"testing"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// TestDealsOfTheSystemAreReadAgain: their orders have names that no client may give.
func TestDealsOfTheSystemAreReadAgain(t *testing.T) {
	deal := Deal{ID: 7, Order: 12, ClientID: schema.SystemClientID("liquidation", 12)}
	var binary, text Deal
	if err := wire.Decode(wire.Append(nil, &deal), &binary); err != nil || binary != deal {
		t.Errorf("read %+v, %v", binary, err)
	}
	if err := wire.DecodeJSON(wire.AppendJSON(nil, &deal), &text); err != nil || text != deal {
		t.Errorf("read %+v, %v", text, err)
	}
}
