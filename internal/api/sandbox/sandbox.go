// Package sandbox is what the API has for traders of a demo alone: a faucet of play money, which is a deposit by a sandbox.
package sandbox

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// Operations are the rows of the group. Only a demo has them.
func Operations() []api.Operation {
	return []api.Operation{
		api.Post("/api/v4/sandbox/faucet", api.Per10s(100), api.Writer(take, aboutTake)),
		api.Post("/api/v4/sandbox/faucet/history", api.Per10s(1000), api.Reader(takings, aboutTakings)),
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

// source is where the faucet has an asset.
type source struct {
	asset   *schema.Asset
	network *schema.Network
	chain   *schema.Chain
}

// receipt is what was taken, how it comes, and what is left for the day.
type receipt struct {
	source
	amount, left  fixed.Decimal
	address, memo string
	hash          string
}

var receiptEncoder = api.Encode("FaucetReceipt", "What was taken from the faucet, and the deposit that it is.",
	api.StringField("ticker", "Ticker of the asset.", func(r *receipt) string { return r.asset.Ticker }),
	api.DecimalField("amount", "Amount that was sent.", func(r *receipt) fixed.Decimal { return r.amount }),
	api.DecimalField("left", "Amount that the account can still take today (UTC).", func(r *receipt) fixed.Decimal { return r.left }),
	api.StringField("network", "Network by which it comes.", func(r *receipt) string { return r.network.Name }),
	api.StringField("address", "Address of the account that it is sent to.", func(r *receipt) string { return r.address }),
	api.StringField("memo", "Memo that goes with it. Absent where the network has none.", func(r *receipt) string { return r.memo }).
		If(func(r *receipt) bool { return r.memo != "" }),
	api.StringField("transactionHash", "Hash of the transaction, as /api/v4/main-account/history has it once the transaction is in a block.", func(r *receipt) string { return r.hash }),
	api.IntegerField("confirmationsForTrading", "Confirmations after which the amount is in the main balance and can be transferred and traded.",
		func(r *receipt) int64 { return int64(r.network.ConfirmationsForTrading) }),
	api.IntegerField("confirmations", "Confirmations after which it can also be withdrawn.", func(r *receipt) int64 { return int64(r.network.Confirmations) }))

var aboutTake = &api.About{
	Summary: "Get play money from the faucet",
	Text: "Demo only. Sends the amount to a deposit address of the account, up to a limit per asset and day (UTC). It is a deposit like any other: it is in the next block of the network, " +
		"/api/v4/main-account/history shows its confirmations, and it arrives in the main balance. Transfer it to the trade balance with /api/v4/main-account/transfer.",
	Parameters: map[string]string{
		"ticker": "Ticker of the asset.",
		"amount": "Amount to send, with at most as many decimal places as transfers of the asset, within the limits of deposits.",
	},
	Response: receiptEncoder.Schema(),
	Refusals: []schema.Reason{
		schema.FaucetUnavailable, schema.MoveNotPositive, schema.MoveTooPrecise, schema.FaucetSpent, schema.DepositBelowMin, schema.DepositAboveMax, schema.MoveTooLarge,
		schema.SandboxFull,
	},
}

func take(c api.WriteCall, q *request) (api.Answer, error) {
	from, err := sourceOf(c, q.ticker)
	if err != nil {
		return nil, err
	}
	precision := from.asset.Precision
	if q.amount.State == api.TooFine {
		return nil, api.Refusal(schema.Rejection{Reason: schema.MoveTooPrecise, Value: fixed.FromInt(int64(precision))})
	}
	r := &receipt{source: from}
	r.amount, _ = q.amount.Fit(schema.MoveTooPrecise, precision)
	to, err := addressOn(c, from.chain)
	if err != nil {
		return nil, err
	}
	var written bool
	if r.address, r.memo, written = c.API.Book().Text(&to); !written { // a chain joined meanwhile on which it cannot be
		return nil, api.Unavailable()
	}
	var result schema.Result
	if err := c.Submit(&schema.PayFaucet{Account: c.Account.ID, Payment: schema.PaySandbox{Chain: from.chain.ID, Receipt: schema.Receipt{
		Asset: from.asset.ID, Amount: r.amount, Index: to.Index, Text: r.address, Memo: r.memo,
	}}}, &result); err != nil {
		return nil, err
	}
	r.left, r.hash = result.Left, schema.TxOf(schema.SandboxReceipt(from.chain.Name, result.ID))
	return receiptEncoder.Answer(r), nil
}

// sourceOf is where the faucet has an asset.
func sourceOf(c api.WriteCall, ticker string) (from source, err error) {
	if from.asset = c.Directory().Asset(ticker); from.asset != nil {
		c.API.Read(func(m core.View) {
			if !m.FaucetLimit(from.asset.ID).IsZero() {
				from.network = m.Chains().SandboxOf(from.asset)
			}
		})
	}
	if from.network == nil {
		return from, api.Refusal(schema.Refuse(schema.FaucetUnavailable))
	}
	from.chain = c.Directory().Chain(from.network.Chain)
	return from, nil
}

// addressOn is the address that the account got first on a chain. It gets one if it has none.
func addressOn(c api.WriteCall, chain *schema.Chain) (to schema.Address, err error) {
	var has bool
	c.API.Read(func(m core.View) { to, has = m.Chains().First(c.Account.ID, chain.Space(), 0) })
	if has {
		return to, nil
	}
	var result schema.Result
	if err := c.Prepare(&schema.OpenAddress{Account: c.Account.ID, Chain: chain.ID}, &result); err != nil {
		return to, err
	}
	return *result.Address, nil
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
