package ticket

import (
	"context"
	"testing"

	"bourse/internal/api"
	"bourse/internal/api/agree"
	"bourse/internal/directory"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// openDirectory knows the market BTC_USDT, with id 1.
func openDirectory(t *testing.T) *directory.Directory {
	t.Helper()
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	asset := schema.Asset{Class: schema.Crypto, Scale: 18, Precision: 8, CanDeposit: true, CanWithdraw: true}
	base, quote := asset, asset
	base.Ticker, quote.Ticker = "BTC", "USDT"
	for _, c := range []schema.Command{
		&schema.SetAsset{Asset: base}, &schema.SetAsset{Asset: quote},
		&schema.SetMarket{Market: schema.MarketInfo{Name: "BTC_USDT", Base: 1, Quote: 2, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, Enabled: true}},
	} {
		var result schema.Result
		if err := n.Submit(context.Background(), c, &result); err != nil || result.Rejection.Refused() {
			t.Fatal(err, result.Rejection.Text())
		}
	}
	return directory.Follow(n, func(schema.KeyID) {})
}

// TestOrdersAgreeWithTheirSchemas: they are written by hand.
func TestOrdersAgreeWithTheirSchemas(t *testing.T) {
	d := openDirectory(t)
	for position, s := range map[bool]*api.ResponseSchema{false: NewOrder, true: Order} {
		c := agree.New(s)
		for o := range agree.Orders() {
			if text := Append(nil, d, o, position); c.Check(text) != nil {
				t.Errorf("%s: %v", text, c.Check(text))
			}
		}
		if unseen := c.Unseen(); len(unseen) > 0 {
			t.Errorf("position %t: the orders do not show both sides of %v", position, unseen)
		}
	}
}
