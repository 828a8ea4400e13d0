package spot

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// balances asks for what is in a wallet.
type balances struct{ ticker string }

func (q *balances) Read(f *api.Form) {
	ticker, s := f.Text("ticker")
	if s == api.Malformed {
		f.Fail(422, 30, "ticker", "Ticker field should be a string.")
	}
	q.ticker = ticker
}

var errNoCurrency = api.NewError(422, 30, api.ValidationFailed, "ticker", "Currency was not found.")

// balance is what is in the trade wallet of an asset.
type balance struct{ available, frozen fixed.Decimal }

var balanceEncoder = api.Encode("TradeBalance", "Trade balance of an asset.",
	api.DecimalField("available", "Available balance.", func(b *balance) fixed.Decimal { return b.available }),
	api.DecimalField("freeze", "Amount held by open orders.", func(b *balance) fixed.Decimal { return b.frozen }))

var aboutTradeBalance = &api.About{
	Summary:  "Get trade balances",
	Text:     "Keyed by ticker. Without a ticker, assets with a zero balance are omitted.",
	Response: api.MapOf(balanceEncoder.Schema()),
	Faults:   []*api.Error{errNoCurrency},
}

func tradeBalance(c *api.Call, q *balances) (api.Answer, error) {
	assets, _, _ := c.Directory().Listing()
	if q.ticker != "" {
		a := c.Directory().Asset(q.ticker)
		if a == nil {
			return nil, errNoCurrency
		}
		assets = []*schema.Asset{a}
	}
	have := make([]api.Named[balance], 0, len(assets))
	c.API.Read(func(m core.View) {
		for _, a := range assets {
			available, frozen, _ := m.Balance(c.Account.ID, schema.Trade, a.ID)
			if q.ticker != "" || !available.IsZero() || !frozen.IsZero() {
				have = append(have, api.Named[balance]{Name: a.Ticker, Value: balance{available, frozen}})
			}
		}
	})
	return balanceEncoder.Map(have), nil
}

// dates reads startDate and endDate, in seconds; 0 where there is none.
func dates(f *api.Form) (from, to schema.Time) {
	read := func(name string) schema.Time {
		n, s := f.Between(name, 0, api.MaxSeconds)
		if s == api.Malformed {
			f.Fail(422, 30, name, api.Title(name)+" field should be an integer.")
			return 0
		}
		return schema.Time(n) * schema.Second
	}
	from, to = read("startDate"), read("endDate")
	if to != 0 {
		to += schema.Second - 1 // the whole of the last second
	}
	return from, to
}

// backwards is the answer to a span of time that ends before it begins.
func backwards() *api.Error {
	return api.NewError(422, 30, api.ValidationFailed, "startDate", "StartDate should not be greater than endDate.")
}

// filter is the market that narrows a query, 0 for all.
func filter(c *api.Call, name string) (schema.MarketID, error) {
	if name == "" {
		return 0, nil
	}
	m := c.Directory().Market(name)
	if m == nil {
		return 0, api.Refusal(schema.Refuse(schema.MarketUnavailable))
	}
	return m.ID, nil
}
