package ledger

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Verify checks what must always hold: every asset sums to zero over all accounts, no customer
// is negative, only main wallets have held money, and nothing is finer than the scale of its
// asset.
func (l *Ledger) Verify(scale func(schema.AssetID) (int, bool)) error {
	sums := map[schema.AssetID]fixed.Decimal{}
	var touched []schema.AssetID
	for r := range l.Records() {
		name := fmt.Sprintf("account %d, %s wallet, asset %d", r.Account, r.Wallet, r.Asset)
		places, known := scale(r.Asset)
		if !known {
			return fmt.Errorf("%s: the asset is not listed", name)
		}
		for _, d := range []fixed.Decimal{r.Available, r.Frozen, r.Held} {
			if d.Decimals() > places {
				return fmt.Errorf("%s: %s is finer than the asset's %d decimals", name, d, places)
			}
			if d.Sign() < 0 && r.Account >= schema.FirstCustomer {
				return fmt.Errorf("%s: %s is negative", name, d)
			}
		}
		if !r.Held.IsZero() && r.Wallet != schema.Main {
			return fmt.Errorf("%s: %s is held outside a main wallet", name, r.Held)
		}
		sum, seen := sums[r.Asset]
		if !seen {
			touched = append(touched, r.Asset)
		}
		sum, ok := sum.AddChecked(r.Available)
		if ok {
			sum, ok = sum.AddChecked(r.Frozen)
		}
		if !ok {
			return fmt.Errorf("%s: the sum of the asset overflows", name)
		}
		sums[r.Asset] = sum
	}
	for _, asset := range touched {
		if !sums[asset].IsZero() {
			return fmt.Errorf("asset %d sums to %s over all accounts instead of zero", asset, sums[asset])
		}
	}
	return nil
}
