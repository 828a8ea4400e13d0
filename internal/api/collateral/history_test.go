package collateral

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestWhatChangedAPosition: amounts of trades have no sign, whatever the event has, and funding is no trade.
func TestWhatChangedAPosition(t *testing.T) {
	two := fixed.FromInt(2)
	for want, e := range map[string]schema.PositionChanged{
		`{"id":7,"tradeAmount":"2","price":"50","tradeFee":"2","fundingFee":null,"realizedPnl":"-2"}`: {Cause: schema.ByTrade, Order: 7, Amount: two, Price: fixed.FromInt(50), Fee: two, Realized: two.Neg()},
		`{"id":0,"tradeAmount":"2","price":"50","tradeFee":"0","fundingFee":null,"realizedPnl":"2"}`:  {Cause: schema.ByDelisting, Amount: two.Neg(), Price: fixed.FromInt(50), Realized: two},
		`{"id":0,"tradeAmount":"0","price":"50","tradeFee":"0","fundingFee":"2","realizedPnl":null}`:  {Cause: schema.ByFunding, Amount: two, Price: fixed.FromInt(50), Funding: two.Neg()},
	} {
		if got := string(orderDetailEncoder.Answer(&pastChange{PositionChanged: &e}).AppendTo(nil)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
