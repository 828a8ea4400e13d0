package schema

import "testing"

// TestWhatTheEUHasNot: off, the setting is nothing; on, it is about the EU alone, and closes both directions.
func TestWhatTheEUHasNot(t *testing.T) {
	asset := Asset{Ticker: "USDT", CanDeposit: true, CanWithdraw: true}
	for _, c := range []struct {
		set    bool
		region Region
		want   bool
	}{
		{false, 0, true},
		{false, Global, true},
		{false, EU, true},
		{true, 0, true},
		{true, Global, true},
		{true, EU, false},
	} {
		asset.NotInEU = c.set
		seen := asset.For(c.region)
		if asset.Offered(c.region) != c.want || seen.CanDeposit != c.want || seen.CanWithdraw != c.want || seen.Ticker != "USDT" {
			t.Errorf("%+v: %+v", c, seen)
		}
		if !asset.CanDeposit || !asset.CanWithdraw {
			t.Fatal("the asset itself was changed")
		}
	}
}
