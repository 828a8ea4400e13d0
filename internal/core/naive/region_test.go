package naive

import (
	"testing"

	"bourse/internal/schema"
)

// TestNothingBecomesCollateralInTheEU: what was moved there before can be moved back.
func TestNothingBecomesCollateralInTheEU(t *testing.T) {
	w := newWorld(t)
	w.must(&schema.Deposit{Account: anna, Asset: usd, Amount: d("10")})
	move := func(from, to schema.Wallet) schema.Command {
		return &schema.Transfer{Account: anna, Asset: usd, Amount: d("4"), From: from, To: to}
	}
	w.must(move(schema.Main, schema.Collateral))
	w.must(&schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.EU}})
	w.refused(because(schema.CollateralNotOffered), move(schema.Main, schema.Collateral))
	w.must(move(schema.Collateral, schema.Main))
	w.must(move(schema.Main, schema.Trade))
}

// TestAnAssetThatEuropeansHaveNot: it comes and goes neither for European accounts, those of European masters among them, nor for anybody at
// the European deployment.
func TestAnAssetThatEuropeansHaveNot(t *testing.T) {
	w := newCodes(t)
	w.setBTC(func(a *schema.Asset) { a.NotInEU = true })
	w.must(coded(anna, 1, "1"))
	there := schema.Origin{Region: schema.EU}
	answers := func(from schema.Origin, c schema.Command, want schema.Rejection) {
		t.Helper()
		if got := w.from(from, c); got != want {
			t.Errorf("%T: %+v, want %+v", c, got, want)
		}
	}
	answers(there, coded(anna, 2, "1"), because(schema.AssetNotOffered))
	answers(there, applies(ben, 1, noLock), because(schema.AssetNotOffered))
	answers(there, applies(anna, 1, noLock), because(schema.CodeOwn))
	answers(there, &schema.RequestWithdrawal{Account: anna, Asset: btc, Chain: 1, Amount: d("1")}, because(schema.AssetNotOffered))
	answers(there, &schema.OpenAddress{Account: anna, Asset: btc, Chain: 1}, because(schema.AssetNotOffered))
	answers(there, &schema.OpenAddress{Account: anna, Asset: 99, Chain: 1}, because(schema.AssetUnknown))
	answers(there, &schema.OpenAddress{Account: anna, Chain: 1}, because(schema.ChainUnknown))

	w.must(&schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.EU}})
	answers(schema.Origin{}, applies(ben, 1, noLock), because(schema.AssetNotOffered))
	w.must(&schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.Global}})
	answers(schema.Origin{}, applies(ben, 1, noLock), accepted)
}
