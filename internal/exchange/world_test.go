package exchange

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// venue is a node whose log is on disk, and the operator of it.
type venue struct {
	testing.TB
	node *node.Node
}

// newVenue makes an exchange that has nothing. Without a clock it has that of the machine.
func newVenue(t testing.TB, clock func() schema.Time) *venue {
	t.Helper()
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: t.TempDir()}, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return &venue{t, n}
}

// do gives a command that must be accepted.
func (v *venue) do(c schema.Command) (r schema.Result) {
	v.Helper()
	if err := v.node.SubmitFrom(v.Context(), schema.Origin{Operator: "carl"}, c, &r); err != nil || r.Rejection.Refused() {
		v.Fatalf("%T: %v %s", c, err, r.Rejection.Text())
	}
	return r
}

// chain makes a chain of Bitcoin.
func (v *venue) chain(name string, driver schema.Driver, net schema.Net) schema.ChainID {
	v.Helper()
	return schema.ChainID(v.do(&schema.SetChain{Chain: schema.Chain{Name: name, Driver: driver, Family: schema.Bitcoin, Net: net}}).ID)
}

// asset lists an asset, on a chain if there is one.
func (v *venue) asset(ticker string, precision uint8, chain schema.ChainID) schema.AssetID {
	v.Helper()
	a := schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: 8, Precision: precision, CanDeposit: true}
	if chain != 0 {
		a.Networks = []schema.Network{{Name: ticker, Chain: chain, Decimals: 8, CanDeposit: true, ConfirmationsForTrading: 1, Confirmations: 1}}
	}
	return schema.AssetID(v.do(&schema.SetAsset{Asset: a}).ID)
}

// poolTerms are those of an open pool that pays an asset.
func poolTerms(asset schema.AssetID) schema.PoolTerms {
	return schema.PoolTerms{Open: true, Asset: asset, Least: fixed.FromInt(1), Accounts: 1, Links: 1}
}
