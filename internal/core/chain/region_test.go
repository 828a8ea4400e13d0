package chain

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestAnAssetThatTheEUHasNot neither comes nor goes for accounts there and at deployments there; what comes nevertheless is credited.
func TestAnAssetThatTheEUHasNot(t *testing.T) {
	notInEU := func(a *schema.Asset, _ *schema.Network) { a.NotInEU = true }
	for _, place := range []struct {
		name                string
		account, deployment schema.Region
		barred              bool
	}{
		{"a global account at a global deployment", schema.Global, schema.Global, false},
		{"a global account where no deployment is named", schema.Global, 0, false},
		{"a European account at a global deployment", schema.EU, schema.Global, true},
		{"a global account at a European deployment", schema.Global, schema.EU, true},
		{"a European account at a European deployment", schema.EU, schema.EU, true},
	} {
		t.Run(place.name, func(t *testing.T) {
			x := rich(t, notInEU)
			x.moves(alice, place.account)
			x.out.Region = place.deployment
			want := schema.OK
			if place.barred {
				want = schema.AssetNotOffered
			}
			x.do(&schema.OpenAddress{Account: alice, Chain: play, Asset: toy}, want)
			x.do(&schema.OpenAddress{Account: alice, Chain: play, Asset: toy, Fresh: true}, want)
			x.do(&schema.OpenAddress{Account: alice, Chain: play}, schema.OK)
			x.do(&schema.OpenAddress{Account: alice, Chain: play, Asset: 99}, schema.AssetUnknown)
			said := func(c *schema.RequestWithdrawal) { c.Travel = []byte("sealed") }
			x.do(request("a", "1", said), want)
			x.do(request("b", "1", pay, said), want)
			x.do(request("c", "1", toBen), want)
		})
	}
}

// TestMoneyComesWhereItsAssetIsNotOffered: an address has no end, so what is paid to it is credited as always, and what is not accepted is
// sent back.
func TestMoneyComesWhereItsAssetIsNotOffered(t *testing.T) {
	x := rich(t, func(a *schema.Asset, _ *schema.Network) { a.NotInEU = true })
	x.out.Region = schema.EU
	pays := func() {
		x.do(&schema.PaySandbox{Chain: play, Receipt: schema.Receipt{Asset: toy, Amount: fixed.FromInt(3), Index: 1, Text: "alice"}}, schema.OK)
		x.mines(1)
	}
	pays()
	x.mines(2)
	x.toys(alice, "13", "0")
	pays()
	x.do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit}, schema.OK)
	x.mines(2)
	x.do(&schema.RefundDeposit{Account: alice, Deposit: 2, Address: "elsewhere"}, schema.OK)
	x.toys(alice, "13", "0")
}

// TestWithdrawalsFromBeforeGoOn: what an account asked for while it might is paid.
func TestWithdrawalsFromBeforeGoOn(t *testing.T) {
	x := rich(t)
	x.do(request("a", "1"), schema.OK)
	x.network(func(a *schema.Asset, _ *schema.Network) { a.NotInEU = true })
	x.moves(alice, schema.EU)
	x.mines(3)
	x.toys(alice, "9", "0")
}

// TestInvoicesWhereAnAssetIsNotOffered: it does not come by providers either; an invoice from before is credited.
func TestInvoicesWhereAnAssetIsNotOffered(t *testing.T) {
	x := banked(t)
	x.do(bill("one", "10"), schema.OK)
	settings := *x.listing.Asset(euro)
	settings.NotInEU = true
	x.do(&schema.SetAsset{Asset: settings}, schema.OK)
	x.out.Region = schema.EU
	x.do(bill("two", "10"), schema.AssetNotOffered)
	x.settles(1, true, schema.OK)
	x.do(send("a", "1"), schema.AssetNotOffered)
	x.out.Region = schema.Global
	x.do(bill("two", "10"), schema.OK)
	x.do(send("a", "1"), schema.OK)
}
