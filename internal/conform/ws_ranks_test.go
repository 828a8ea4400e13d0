package conform_test

import "testing"

// TestSocketRanks: ranks are those of HTTP, of all markets with a position or of the one that is named.
func TestSocketRanks(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, plain("ADL_PERP", "TWO_PERP"), plain("maker", "hedger", "a", "b", "c", "d"))
	ranks := func(c trader, want string, params ...any) {
		t.Helper()
		s := c.Authorized()
		s.Must("ADLQuantile_subscribe", params...)
		if got := s.Pushed("ADLQuantile_update"); got != want {
			t.Errorf("%v: ranks %s, want %s", params, got, want)
		}
	}
	maker := v.trader(t, "maker").backed("500000")
	ranks(maker, `[]`)
	ranks(maker, `[["ADL_PERP",null,null]]`, "ADL_PERP")
	// The more each has, the less its profit weighs.
	for name, usdt := range map[string]string{"a": "400000", "b": "300000", "c": "200000", "d": "100000"} {
		meet(v.trader(t, name).backed(usdt), maker, "ADL_PERP", "1", "50000")
	}
	d := v.trader(t, "d")
	meet(maker, d, "TWO_PERP", "0.1", "50000")
	v.mark(t, "ADL_PERP", "50500")

	ranks(v.trader(t, "a"), `[["ADL_PERP",0,null]]`)
	ranks(v.trader(t, "b"), `[["ADL_PERP",1,null]]`)
	ranks(v.trader(t, "c"), `[["ADL_PERP",2,null]]`)
	ranks(d, `[["ADL_PERP",4,null],["TWO_PERP",null,4]]`)
	ranks(d, `[["TWO_PERP",null,4]]`, "TWO_PERP")
	ranks(maker, `[["ADL_PERP",null,4],["TWO_PERP",4,null]]`)
	answers(t, d.ask("collateral-account/adl-quantile", nil), arr{
		obj{"market": "ADL_PERP", "long": 4, "short": nil}, obj{"market": "TWO_PERP", "long": nil, "short": 4},
	})

	// A new subscription replaces the one before; one that is refused leaves it.
	s := d.Authorized()
	s.Must("ADLQuantile_subscribe")
	s.Pushed("ADLQuantile_update")
	s.Must("ADLQuantile_subscribe", "ADL_PERP")
	s.Refused(1, "the market is not futures", "ADLQuantile_subscribe", "BTC_USDT")
	s.Refused(1, "invalid argument", "ADLQuantile_subscribe", "ADL_PERP", "TWO_PERP")
	if got := s.Pushed("ADLQuantile_update"); got != `[["ADL_PERP",4,null]]` {
		t.Errorf("replaced: ranks %s", got)
	}
	s.Must("ADLQuantile_unsubscribe")

	v.Socket().Refused(6, "require authentication", "ADLQuantile_subscribe")

	// Both sides of one market. Positions that are younger than the ranking have the place they would have had: without
	// PnL below all longs, and above the short that loses.
	hedger := v.trader(t, "hedger").backed("100000")
	hedger.must("collateral-account/hedge-mode/update", obj{"hedgeMode": true})
	maker.bet("ADL_PERP", "sell", "0.1", "50500")
	hedger.bet("ADL_PERP", "buy", "0.1", "50500", obj{"positionSide": "LONG"})
	maker.bet("ADL_PERP", "buy", "0.1", "50500")
	hedger.bet("ADL_PERP", "sell", "0.1", "50500", obj{"positionSide": "SHORT"})
	ranks(hedger, `[["ADL_PERP",0,4]]`)
}
