package conform_test

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// converts lets alice convert BTC, of which the future has an index: once in one step, and there is a quote that she can confirm, for another
// direction than that of the examples.
func (v venue) converts(t *testing.T, alice trader) {
	t.Helper()
	v.Do(&schema.FundSystem{Account: schema.Convert, Asset: v.asset("USDT"), Amount: fixed.FromInt(100_000)})
	v.Do(&schema.FundSystem{Account: schema.Convert, Asset: v.asset("BTC"), Amount: fixed.FromInt(10)})
	v.Do(&schema.SetConversion{
		On: true, Spread: fixed.FromUnits(2, 3), OpenMost: fixed.FromInt(100_000), DayMost: fixed.FromInt(1_000_000), LossMost: fixed.FromInt(10_000),
	})
	alice.must("convert/auto-confirm", obj{"from": "BTC", "to": "USDT", "direction": "from", "amount": "0.01"})
	alice.must("convert/estimate", obj{"from": "USDT", "to": "BTC", "direction": "from", "amount": "100"})
}
