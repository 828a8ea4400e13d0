// Package sandbox is what the API has for traders of a demo alone: a faucet of play money.
package sandbox

import (
	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// Operations are the rows of the group. Only a demo has them.
func Operations() []api.Operation {
	return []api.Operation{
		api.Post("/api/v4/sandbox/faucet", api.GroupAccount, api.Per10s(100), api.Writer(take, aboutTake)),
		api.Post("/api/v4/sandbox/faucet/history", api.GroupAccount, api.Per10s(1000), api.Reader(takings, aboutTakings)),
	}
}

// request asks for money from the faucet.
type request struct {
	ticker string
	amount api.Number
}

func (q *request) Read(f *api.Form) {
	f.Demand("ticker", "amount")
	q.ticker = f.String("ticker")
	q.amount = f.Number("amount")
	if q.amount.State == api.Malformed {
		f.Fail(400, 0, "amount", "The amount must be a number.")
	}
}

// receipt is what was taken and what is left for the day.
type receipt struct {
	ticker       string
	amount, left fixed.Decimal
}

var receiptEncoder = api.Encode("FaucetReceipt", "What was taken from the faucet.",
	api.StringField("ticker", "Ticker of the asset.", func(r *receipt) string { return r.ticker }),
	api.DecimalField("amount", "Amount that was credited to the trade balance.", func(r *receipt) fixed.Decimal { return r.amount }),
	api.DecimalField("left", "Amount that the account can still take today (UTC).", func(r *receipt) fixed.Decimal { return r.left }))

var aboutTake = &api.About{
	Summary: "Get play money from the faucet",
	Text:    "Demo only. Credits the trade balance at once, up to a limit per asset and day (UTC).",
	Parameters: map[string]string{
		"ticker": "Ticker of the asset.",
		"amount": "Amount to credit, with at most as many decimal places as transfers of the asset.",
	},
	Response: receiptEncoder.Schema(),
	Refusals: []schema.Reason{
		schema.FaucetUnavailable, schema.MoveNotPositive, schema.MoveTooPrecise, schema.FaucetSpent, schema.MoveTooLarge,
	},
}

func take(c api.WriteCall, q *request) (api.Answer, error) {
	asset := c.Directory().Asset(q.ticker)
	if asset == nil {
		return nil, api.Refusal(schema.Refuse(schema.FaucetUnavailable))
	}
	if q.amount.State == api.TooFine {
		return nil, api.Refusal(schema.Rejection{Reason: schema.MoveTooPrecise, Value: fixed.FromInt(int64(asset.Precision))})
	}
	amount, _ := q.amount.Fit(schema.MoveTooPrecise, asset.Precision)
	var result schema.Result
	if err := c.Submit(&schema.TakeFaucet{Account: c.Account.ID, Asset: asset.ID, Amount: amount}, &result); err != nil {
		return nil, err
	}
	return receiptEncoder.Answer(&receipt{asset.Ticker, amount, result.Left}), nil
}

// page asks for what was taken.
type page struct {
	ticker        string
	limit, offset int
}

func (q *page) Read(f *api.Form) {
	q.ticker = f.String("ticker")
	q.limit, q.offset = f.Page(50, 100, api.MaxOffset, api.OfMoney)
}

// taking is a record with the directory that names its asset.
type taking struct {
	directory *directory.Directory
	time      schema.Time
	taken     *schema.TakeFaucet
}

var takingEncoder = api.Encode("FaucetRecord", "Money from the faucet.",
	api.StringField("ticker", "Ticker of the asset.", func(t *taking) string { return t.directory.Ticker(t.taken.Asset) }),
	api.DecimalField("amount", "Amount.", func(t *taking) fixed.Decimal { return t.taken.Amount }),
	api.SecondsField("timestamp", "Time of the event.", func(t *taking) schema.Time { return t.time }))

var aboutTakings = &api.About{
	Summary:    "List what was taken from the faucet",
	Text:       "Demo only. Newest first.",
	Parameters: map[string]string{"ticker": "Return only records of this asset."},
	Response:   api.ArrayOf(takingEncoder.Schema()),
	Refusals:   []schema.Reason{schema.FaucetUnavailable},
}

func takings(c *api.Call, q *page) (api.Answer, error) {
	query := &history.Query{Kind: history.Faucet, Offset: q.offset, Limit: q.limit}
	if q.ticker != "" {
		asset := c.Directory().Asset(q.ticker)
		if asset == nil {
			return nil, api.Refusal(schema.Refuse(schema.FaucetUnavailable))
		}
		query.Asset = asset.ID
	}
	records, err := c.Past(query)
	if err != nil {
		return nil, err
	}
	list := make([]taking, len(records))
	for i := range records {
		list[i] = taking{c.Directory(), records[i].Time, &records[i].Payload.(*schema.FaucetTaken).Taken}
	}
	return takingEncoder.Array(list), nil
}
