package collateral

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/core/collateral"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// balances asks for what an account has as collateral.
type balances struct{ ticker string }

func (q *balances) Read(f *api.Form) {
	ticker, s := f.Text("ticker")
	if s == api.Malformed {
		f.Fail(422, 30, "ticker", "ticker is invalid.")
	}
	q.ticker = ticker
}

var errNoTicker = api.NewError(422, 30, api.ValidationFailed, "ticker", "ticker is invalid.")

// assets are those that are asked for.
func (q *balances) assets(c *api.Call) ([]*schema.Asset, error) {
	all, _, _ := c.Directory().Listing()
	if q.ticker == "" {
		return all, nil
	}
	a := c.Directory().Asset(q.ticker)
	if a == nil {
		return nil, errNoTicker
	}
	return []*schema.Asset{a}, nil
}

var aboutBalance = &api.About{
	Summary:  "Get collateral balances",
	Text:     "Keyed by ticker. Without a ticker, assets with a zero balance are omitted.",
	Response: api.MapOf(api.Decimal),
	Faults:   []*api.Error{errNoTicker},
}

func balance(c *api.Call, q *balances) (api.Answer, error) {
	assets, err := q.assets(c)
	if err != nil {
		return nil, err
	}
	var have []api.Named[fixed.Decimal]
	c.API.Read(func(m core.View) {
		for _, a := range assets {
			if there, _, _ := m.Balance(c.Account.ID, schema.Collateral, a.ID); !there.IsZero() || q.ticker != "" {
				have = append(have, api.Named[fixed.Decimal]{Name: a.Ticker, Value: there})
			}
		}
	})
	return api.AnswerFunc(func(dst []byte) []byte {
		dst = append(dst, '{')
		for i := range have {
			dst = append(api.AppendText(api.AppendComma(dst, i), have[i].Name), ':')
			dst = api.AppendDecimal(dst, have[i].Value)
		}
		return append(dst, '}')
	}), nil
}

// assetBalance is what an account has of an asset, and may do with it.
type assetBalance struct {
	ticker string
	collateral.Balance
}

var assetBalanceEncoder = api.Encode("CollateralBalance", "Collateral balance of an asset, in units of the asset.",
	api.StringField("asset", "Ticker of the asset.", func(b *assetBalance) string { return b.ticker }),
	api.DecimalField("balance", "What is there.", func(b *assetBalance) fixed.Decimal { return b.Amount }),
	api.DecimalField("borrow", "What is owed, with interest.", func(b *assetBalance) fixed.Decimal { return b.Owed }),
	api.DecimalField("availableWithoutBorrow", "What may be moved to the main balance.", func(b *assetBalance) fixed.Decimal { return b.Free }),
	api.DecimalField("availableWithBorrow", "The same with what could be borrowed.", func(b *assetBalance) fixed.Decimal { return b.WithLoan }))

var aboutBalanceSummary = &api.About{
	Summary:  "Get collateral balances with what is borrowed and available",
	Text:     "Without a ticker: the assets that the account has or owes, and those that count as collateral.",
	Response: api.ArrayOf(assetBalanceEncoder.Schema()),
	Faults:   []*api.Error{errNoTicker},
}

func balanceSummary(c *api.Call, q *balances) (api.Answer, error) {
	assets, err := q.assets(c)
	if err != nil {
		return nil, err
	}
	list := []assetBalance{}
	c.API.Read(func(m core.View) {
		for _, a := range assets {
			b := m.Collateral().Balance(c.Account.ID, a.ID)
			_, counts := m.Prices().Collateral(a.ID)
			if counts || q.ticker != "" || !b.Amount.IsZero() || !b.Owed.IsZero() {
				list = append(list, assetBalance{a.Ticker, b})
			}
		}
	})
	return assetBalanceEncoder.Array(list), nil
}
