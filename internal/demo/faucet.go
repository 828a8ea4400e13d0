package demo

import (
	"context"
	"fmt"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/setup"
)

// faucets are how much of each asset a visitor may take on one day: enough to trade with, too little to
// sweep the books of the makers.
var faucets = []struct {
	ticker string
	limit  fixed.Decimal
}{
	{"USDT", fixed.FromInt(10_000)},
	{"BTC", fixed.FromUnits(1, 1)},
	{"ETH", fixed.FromInt(2)},
	{"PEPE", fixed.FromInt(100_000_000)},
	{"XRP", fixed.FromInt(5_000)},
}

// fillFaucets sets the limits that differ, also of a demo that an older program began.
func fillFaucets(ctx context.Context, n *node.Node) error {
	var changes []schema.SetFaucet
	n.Read(func(m core.View) {
		for _, f := range faucets {
			asset := m.Listing().AssetByTicker(f.ticker)
			if asset != nil && m.FaucetLimit(asset.ID) != f.limit {
				changes = append(changes, schema.SetFaucet{Asset: asset.ID, Limit: f.limit})
			}
		}
	})
	for i := range changes {
		var result schema.Result
		if err := n.SubmitFrom(ctx, schema.Origin{Operator: setup.Operator}, &changes[i], &result); err != nil {
			return err
		}
		if r := result.Rejection; r.Refused() {
			return fmt.Errorf("the faucet of asset %d: %s", changes[i].Asset, r.Text())
		}
	}
	return nil
}
