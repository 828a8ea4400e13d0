package demo

import (
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestTheInvestorInvests in each flex plan, never more than so many of its smallest amounts, and takes money out again.
func TestTheInvestorInvests(t *testing.T) {
	h := enter(t, t.TempDir())
	v := &investor{newClient(h.gate, h.world.investors[0]), seeded(1)}
	invested := func() map[string]fixed.Decimal {
		in := map[string]fixed.Decimal{}
		h.Node.Read(func(m core.View) {
			for _, p := range m.Earn().Plans() {
				if p.Kind == schema.FlexPlan {
					in[p.Name] = m.Earn().Invested(p.ID)
				}
			}
		})
		return in
	}
	if before := invested(); len(before) != 3 || before["btc-flex"] != fixed.Zero {
		t.Fatalf("before anybody invested there is %v", before)
	}
	most := map[string]fixed.Decimal{"usdt-flex": fixed.FromInt(100), "btc-flex": fixed.MustParse("0.01"), "eth-flex": fixed.MustParse("0.1")}
	last, added, taken := invested(), 0, 0
	for range 60 {
		if err := v.act(t.Context()); err != nil {
			t.Fatal(err)
		}
		now := invested()
		for name, has := range now {
			switch was := last[name]; {
			case has.Cmp(was) > 0:
				added++
			case has.Less(was):
				taken++
			}
			if has.Cmp(most[name]) > 0 {
				t.Errorf("it has %s in %s, at most %s is enough", has, name, most[name])
			}
		}
		last = now
	}
	if added+taken != 60 || taken == 0 {
		t.Errorf("of 60 acts %d added money, and %d took it out", added, taken)
	}

	// Where nothing is left to pay interest with it waits.
	for asset, free := range fundsOf(h, schema.Interest) {
		h.command(&schema.FundSystem{Account: schema.Interest, Asset: asset, Amount: free.Neg()})
	}
	for range 10 {
		if err := v.act(t.Context()); err != nil {
			t.Errorf("without interest: %v", err)
		}
	}
}

// fundsOf is what a system account has free, by asset.
func fundsOf(h *house, account schema.AccountID) map[schema.AssetID]fixed.Decimal {
	funds := map[schema.AssetID]fixed.Decimal{}
	h.Node.Read(func(m core.View) {
		for _, asset := range m.Listing().Assets() {
			if free, _, _ := m.Balance(account, schema.Main, asset.ID); free.Sign() > 0 {
				funds[asset.ID] = free
			}
		}
	})
	return funds
}
