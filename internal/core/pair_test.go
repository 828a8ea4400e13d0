package core

import (
	"math"
	"testing"

	"bourse/internal/core/trading"
	"bourse/internal/schema"
)

// TestAPairingThatCannotBeCountedIsNone: deleveraging is asked for whatever price comes of the rules. Where price times amount, or
// what a side would have after it, is more than a balance can hold, nothing happens, instead of a panic in the middle of it.
func TestAPairingThatCannotBeCountedIsNone(t *testing.T) {
	const lots, highest = 18_000_000, math.MaxInt64 // 1,800 BTC; at the highest price they are worth 1.66 · 10^20, of 1.70 that fit
	f := newVenue(t, nil)
	bob, carol := f.trader("bob", "1000000000", 10), f.trader("carol", "1000000000", 10)
	f.trade(bob, carol, "1800", "50000")
	rich := f.trader("rich", "20000000000000000000", 10)
	poor := f.trader("poor", "1000000000", 10)
	f.trade(rich, poor, "1800", "50000")

	long := func(id schema.AccountID) trading.Party { return trading.Party{Account: id} }
	for _, tt := range []struct {
		name    string
		pairing trading.Pairing
		is      bool
	}{
		{"its worth", trading.Pairing{Price: highest, Lots: math.MaxInt64, Side: schema.Sell, Liquidated: long(bob), Other: long(carol)}, false},
		{"the liquidated side", trading.Pairing{Price: highest, Lots: lots, Side: schema.Sell, Liquidated: long(rich), Other: long(carol)}, false},
		{"the other side", trading.Pairing{Price: highest, Lots: lots, Side: schema.Buy, Liquidated: long(carol), Other: long(rich)}, false},
		{"one that can be", trading.Pairing{Price: 5_000_000, Lots: lots, Side: schema.Sell, Liquidated: long(rich), Other: long(carol)}, true},
	} {
		tt.pairing.Market = perp
		before := f.m.Hash()
		f.m.out.Reset(f.m.Time())
		if is := f.m.trading.Pair(tt.pairing); is != tt.is {
			t.Errorf("%s: %v, want %v", tt.name, is, tt.is)
		}
		if changed := f.m.Hash() != before || f.m.out.Events.Len() != 0; changed != tt.is {
			t.Errorf("%s: changed the state: %v, with %d events", tt.name, changed, f.m.out.Events.Len())
		}
	}
}
