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
