package core

import (
	"testing"

	"bourse/internal/schema"
)

// TestAStopThatCannotBeCountedIsRefused: a stop at the market counts with its activation price, whatever its side.
func TestAStopThatCannotBeCountedIsRefused(t *testing.T) {
	f := newVenue(t, nil)
	alice, bob := f.trader("alice", "1000000", 100), f.trader("bob", "1000000", 100)
	f.trade(alice, bob, "0.01", "50000")
	for _, side := range []schema.Side{schema.Buy, schema.Sell} {
		c := bet(bob, side, "900000000000000", "50000")
		c.Order.Type, c.Order.Price, c.Order.ActivationPrice = schema.StopStockMarket, d("0"), d("90000000000000000")
		f.refused(c, schema.TotalAboveMax)
	}
}
