package core

import (
	"reflect"
	"testing"

	"bourse/internal/core/collateral"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestReadersSeeTheWorkedNumbers: what readers are shown of an account, with a pool that lends.
func TestReadersSeeTheWorkedNumbers(t *testing.T) {
	f := newVenue(t, nil)
	alice, maker := f.trader("alice", "5000", 20), f.trader("maker", "1000000", 10)
	f.give(alice, venueBTC, "0.2")
	f.trade(alice, maker, "1", "50000")
	f.do(&schema.SetCollateral{
		Asset: venueUSDT, Weight: fixed.One, IndexMaxAge: 30 * schema.Second, PoolCap: d("100000"), AccountCap: d("3000"),
	})
	f.do(&schema.FundSystem{Account: schema.Lending, Asset: venueUSDT, Amount: d("10000")})
	f.mark("50000")
	view := f.m.Collateral()
	if got, want := view.Summary(alice), (collateral.Summary{
		Leverage: 20, Equity: d("14475"), Margin: d("2500"), Maintenance: d("1250"), Notional: d("50000"),
		FuturesEquity: d("4975"), FuturesFree: d("2475"),
	}); got != want {
		t.Errorf("the summary is %+v", got)
	}
	if got, want := view.Balance(alice, venueUSDT), (collateral.Balance{Amount: d("4975"), Free: d("4975"), WithLoan: d("7975")}); got != want {
		t.Errorf("the balance is %+v", got)
	}
	list := view.Valuations(alice, perp)
	if len(list) != 1 || list[0].Entry != d("50000") || list[0].Margin != d("2500") || !list[0].Unrealized.IsZero() {
		t.Errorf("the positions are %+v", list)
	}
	if other := view.Valuations(alice, perp-1); len(other) != 0 {
		t.Errorf("there are positions on a spot market: %+v", other)
	}
	first := view.Ratings(perp, 0, 1)
	rest := view.Ratings(perp, first[0].Position, 10)
	if len(first) != 1 || len(rest) != 1 || first[0].Long == rest[0].Long || first[0].Equity.Add(rest[0].Equity) != d("1014475") {
		t.Errorf("the ratings are %+v and %+v", first, rest)
	}

	// A loan: a loss that nothing is there for. It counts as owed, and nothing of the asset is free.
	f.do(&schema.Transfer{Account: alice, Asset: venueUSDT, Amount: d("4975"), From: schema.Collateral, To: schema.Main})
	f.trade(maker, alice, "0.5", "49000")
	if got := view.Balance(alice, venueUSDT); got.Amount.Sign() != 0 || got.Owed != d("500") || !got.Free.IsZero() || got.WithLoan != d("2500") {
		t.Errorf("the balance of a debtor is %+v", got)
	}
	s := view.Summary(alice)
	if s.Notional != d("25500") || s.FuturesEquity != d("-500") || s.FuturesFree != d("-1750") {
		t.Errorf("the summary of a debtor is %+v", s)
	}
}

// TestReadersSeeTheSameAfterARestart: an account that did nothing but bring money is not looked for before it acts.
func TestReadersSeeTheSameAfterARestart(t *testing.T) {
	f := newVenue(t, nil)
	idle, alice, maker := f.trader("idle", "5000", 0), f.trader("alice", "5000", 20), f.trader("maker", "100000", 10)
	f.give(idle, venueBTC, "0.2")
	f.trade(alice, maker, "1", "50000")
	f.do(bet(alice, schema.Buy, "0.1", "49000"))
	restored, err := Restore(f.m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	for _, account := range []schema.AccountID{idle, alice, maker} {
		before, after := f.m.Collateral(), restored.Collateral()
		if a, b := before.Summary(account), after.Summary(account); a != b {
			t.Errorf("the summary was %+v and is %+v", a, b)
		}
		for _, asset := range []schema.AssetID{venueUSDT, venueBTC} {
			if a, b := before.Balance(account, asset), after.Balance(account, asset); a != b {
				t.Errorf("the balance was %+v and is %+v", a, b)
			}
		}
		if a, b := before.Valuations(account, 0), after.Valuations(account, 0); !reflect.DeepEqual(a, b) {
			t.Errorf("the positions were %+v and are %+v", a, b)
		}
	}
	if s := restored.Collateral().Summary(idle); s.Equity != d("14500") {
		t.Errorf("the equity of one who only brought money is %s", s.Equity)
	}
}

func TestRiskOfASummary(t *testing.T) {
	for total, want := range map[string]schema.RiskState{
		"150": schema.RiskNone, "149.99": schema.MarginCall, "100": schema.MarginCall, "99.99": schema.Liquidation, "-1": schema.Liquidation,
	} {
		s := collateral.Summary{Equity: d(total).Sub(d("7")), Unrealized: d("7"), Maintenance: d("100")}
		if got := s.Risk(); got != want {
			t.Errorf("%s for 100 is %s, want %s", total, got, want)
		}
	}
	if got := (&collateral.Summary{}).Risk(); got != schema.RiskNone {
		t.Errorf("an account with nothing is in %s", got)
	}
}
