// Package wallet is the main account in the API: its balances, how money comes and goes by networks, the transfers between the wallets of an
// account, and the codes by which accounts hand money to each other.
package wallet

import (
	"fmt"
	"maps"
	"slices"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// Operations are the rows of the group. Limits are those of errors-and-limits 4.
func Operations() []api.Operation {
	return slices.Concat([]api.Operation{
		api.Post("/api/v4/main-account/balance", api.Per10s(1000), api.Reader(mainBalance, aboutMainBalance)),
		api.Post("/api/v4/main-account/fee", api.Per10s(1000), api.Reader(fees, aboutFees)),
		api.Post("/api/v4/main-account/history", api.Per10s(200), api.Reader(payments, aboutPayments)),
		api.Post("/api/v4/main-account/withdrawable-balance", api.Per10s(1000), api.Reader(withdrawable, aboutWithdrawable)),
		api.Post("/api/v4/main-account/refund-deposit", api.Per10s(1000), api.Writer(refund, aboutRefund)),
		api.Post("/api/v4/main-account/refund-history", api.Per10s(1000), api.Reader(refunds, aboutRefunds)),
		api.Post("/api/v4/main-account/address", api.Per10s(1000), api.Writer(depositAddress, aboutAddress)),
		api.Post("/api/v4/main-account/create-new-address", api.Per10s(1000), api.Writer(freshAddress, aboutFresh)).
			For(func(a *schema.Account) bool { return a.NewAddresses }, 403),
		api.Post("/api/v4/main-account/fiat-deposit-url", api.Per10s(1000), api.Writer(invoice, aboutInvoice)).
			For(func(a *schema.Account) bool { return a.Invoices }, 403),
		api.Post("/api/v4/main-account/withdraw", api.Per10s(1000), api.Writer(withdraw, aboutWithdraw)).WithFactor(),
		api.Post("/api/v4/main-account/withdraw-pay", api.Per10s(1000), api.Writer(withdrawPay, aboutWithdrawPay)).WithFactor(),
		api.Post("/api/card-token", api.Per10s(1000), api.Reader(tokenOfCard, aboutCard)),
		api.Post("/api/v4/main-account/express-withdraw/token", api.Per10s(1000), api.Writer(expressToken, aboutExpress)).
			For(func(a *schema.Account) bool { return a.Partner }, 403),
		api.Post("/api/v4/main-account/transfer", api.Per10s(1000), api.Writer(move, aboutMove)),
		api.Post("/api/v4/main-account/transfer/history", api.Per10s(1000), api.Reader(transfers, aboutTransfers)),
		api.Post("/api/v4/credit-line/loans/info", api.Per10s(1000), api.Reader(creditOf, aboutCredit)).
			For(func(a *schema.Account) bool { return a.CreditLine }, 404).WithErrorMapping(hidden),
	}, new(codes).operations(), checkOperations(), travelOperations())
}

// hidden answers accounts that are not to know of an endpoint without a word.
func hidden(e *api.Error) *api.Error {
	if e == api.ErrNotThere {
		return &api.Error{Status: e.Status, Code: e.Code}
	}
	return e
}

// mainBalances asks for the main wallet.
type mainBalances struct{ ticker string }

func (q *mainBalances) Read(f *api.Form) {
	ticker, s := f.Text("ticker")
	if s == api.Malformed {
		f.Fail(422, 0, "ticker", "validation.string")
	}
	q.ticker = ticker
}

// balance is what is in the main wallet of an asset, and how much of it is held.
type balance struct{ main, held fixed.Decimal }

var balanceEncoder = api.Encode("MainBalance", "Main balance of an asset.",
	api.DecimalField("main_balance", "Balance, without what withdrawals take that are under way.", func(b *balance) fixed.Decimal { return b.main }),
	api.DecimalField("pending_deposit_amount", "Part of the balance that awaits confirmation: it can be traded but not withdrawn.",
		func(b *balance) fixed.Decimal { return b.held }))

var aboutMainBalance = &api.About{
	Summary:  "Get main balances",
	Text:     "Keyed by ticker. Without a ticker, assets with a zero balance are omitted.",
	Response: api.MapOf(balanceEncoder.Schema()),
}

func mainBalance(c *api.Call, q *mainBalances) (api.Answer, error) {
	assets, _, _ := c.Directory().Listing()
	if q.ticker != "" {
		assets = assets[:0]
		if a := c.Directory().Asset(q.ticker); a != nil {
			assets = append(assets, a)
		}
	}
	var have []api.Named[balance]
	c.API.Read(func(m core.View) {
		for _, a := range assets {
			main, _, held := m.Balance(c.Account.ID, schema.Main, a.ID) // what is frozen there is on its way out
			if !main.IsZero() || q.ticker != "" {
				// Held money counts as lying in main as far as main has that much.
				have = append(have, api.Named[balance]{Name: a.Ticker, Value: balance{main, fixed.MinOf(held, main)}})
			}
		}
	})
	if q.ticker != "" && len(assets) == 0 { // an unknown ticker is no error
		have = append(have, api.Named[balance]{Name: q.ticker})
	}
	return balanceEncoder.Map(have), nil
}

// transfer is the request to move money between two wallets.
type transfer struct {
	ticker   string
	amount   api.Number
	sent     string // the amount in the words of the client
	from, to schema.Wallet
}

// walletWords are the wallets that money can be moved between.
var walletWords = map[string]schema.Wallet{"main": schema.Main, "spot": schema.Trade, "collateral": schema.Collateral}

// transferMethods are the older words for a pair of wallets.
var transferMethods = map[string][2]schema.Wallet{
	"deposit":             {schema.Main, schema.Trade},
	"withdraw":            {schema.Trade, schema.Main},
	"collateral-deposit":  {schema.Main, schema.Collateral},
	"collateral-withdraw": {schema.Collateral, schema.Main},
}

// The words of the two, as fields take them; a filter may be empty.
var (
	fromToWords = slices.Sorted(maps.Keys(walletWords))
	filterWords = append(slices.Clone(fromToWords), "")
	methodWords = slices.Sorted(maps.Keys(transferMethods))
)

func (q *transfer) Read(f *api.Form) {
	f.Demand("ticker", "amount")
	ticker, s := f.Text("ticker")
	if s == api.Malformed {
		f.Fail(400, 0, "ticker", "The selected ticker is invalid.")
	}
	q.ticker = ticker
	q.readAmount(f)
	f.Schema().Alternatives("from to | method")
	q.from, q.to = walletField(f, "from"), walletField(f, "to")
	if f.Has("from") || f.Has("to") {
		f.Demand("from", "to")
		switch {
		case q.from == 0 || q.to == 0:
		case q.from == q.to:
			f.Fail(400, 0, "to", schema.Refuse(schema.WalletsEqual).Text())
		case q.from != schema.Main && q.to != schema.Main:
			f.Fail(400, 0, "to", schema.Refuse(schema.WalletsNotDirect).Text())
		}
		return
	}
	f.Demand("method")
	method, s := f.Choice("method", methodWords)
	if s == api.Malformed {
		f.Fail(400, 0, "method", "The selected method is invalid.")
	}
	pair := transferMethods[method]
	q.from, q.to = pair[0], pair[1]
}

// readAmount reads the amount. All assets have the same bounds here; the core knows those of each.
func (q *transfer) readAmount(f *api.Form) {
	q.amount = f.Number("amount")
	sent, _ := f.Word("amount")
	q.sent = string(sent)
	switch n := q.amount; {
	case n.State == api.Missing:
	case n.State == api.Malformed:
		f.Fail(400, 0, "amount", "The amount must be a number.")
		f.Fail(400, 0, "amount", "Invalid number")
	case n.State == api.TooFine || n.Value.Decimals() > transferDecimals && !n.Value.Less(leastTransfer):
		f.Fail(400, 0, "amount", schema.Rejection{Reason: schema.MoveTooPrecise, Value: fixed.FromInt(transferDecimals)}.Text())
	case n.Value.Less(leastTransfer):
		f.Fail(400, 0, "amount", schema.Rejection{Reason: schema.MoveNotPositive, Value: leastTransfer}.Text())
	}
}

func walletField(f *api.Form, name string) schema.Wallet {
	word, s := f.Choice(name, fromToWords)
	if s == api.Malformed {
		f.Fail(400, 0, name, "The selected "+name+" is invalid.")
	}
	return walletWords[word]
}

// transferDecimals is how fine a transfer may be at most, and leastTransfer how small.
const transferDecimals = 8

var leastTransfer = fixed.FromUnits(1, transferDecimals)

var aboutMove = &api.About{
	Summary: "Transfer between wallets",
	Text: "Between main and spot, or main and collateral. Name the wallets by from and to, or by method. In the EU nothing can be moved to collateral. " +
		"A sub-account can move money to the wallets that its main account permits, and back from each.",
	Parameters: map[string]string{
		"ticker": "Ticker of the asset.",
		"amount": "Amount: at least 0.00000001, with at most 8 decimal places, or fewer if the asset has fewer.",
		"from":   "Wallet of origin.",
		"to":     "Destination wallet.",
		"method": "Alternative to from and to: deposit is main to spot, withdraw is spot to main, " +
			"collateral-deposit main to collateral, collateral-withdraw collateral to main.",
	},
	Response: api.Done,
	Refusals: []schema.Reason{
		schema.WalletsEqual, schema.WalletsNotDirect, schema.CollateralNotOffered, schema.MoveNotPositive, schema.MoveTooPrecise,
		schema.LeavingDisabled, schema.EnteringDisabled, schema.MoveHeld, schema.Owing,
	},
	Faults: []*api.Error{
		unknownTicker,
		api.NewError(422, 3, api.InnerValidationFailed, "amount", "You don't have such amount for transfer (available 0.05, in amount: 1)"),
		notForSub,
	},
}

// notForSub answers sub-accounts whose master does not let them move money to a wallet.
var notForSub = api.NewError(422, 0, api.InnerValidationFailed, "error", schema.Refuse(schema.SubNotPermitted).Text())

func move(c api.WriteCall, q *transfer) (api.Answer, error) {
	asset := c.Directory().Asset(q.ticker)
	if asset == nil {
		return nil, unknownTicker
	}
	amount, r := q.amount.Fit(schema.MoveTooPrecise, transferDecimals)
	if r.Refused() {
		return nil, api.Refusal(r)
	}
	command := &schema.Transfer{Account: c.Account.ID, Asset: asset.ID, Amount: amount, From: q.from, To: q.to}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		switch r := result.Rejection; r.Reason {
		case schema.MoveNotCovered:
			text := fmt.Sprintf("You don't have such amount for transfer (available %s, in amount: %s)", r.Value, q.sent)
			return nil, api.NewError(422, 3, api.InnerValidationFailed, "amount", text)
		case schema.SubNotPermitted:
			return nil, notForSub
		}
		return nil, err
	}
	return api.Empty, nil
}

// transferHistory asks for movements between wallets.
type transferHistory struct {
	from, to      schema.Wallet // 0: all
	limit, offset int
}

func (q *transferHistory) Read(f *api.Form) {
	filter := func(name string) schema.Wallet {
		word, s := f.Choice(name, filterWords)
		if s == api.Malformed {
			f.Fail(400, 0, name, "The selected "+name+" is invalid.")
		}
		return walletWords[word]
	}
	q.from, q.to = filter("from_balance"), filter("to_balance")
	q.limit, q.offset = f.Page(100, 100, api.MaxOffset, api.OfMoney)
}

// moved is a transfer of the past, with the directory that names its asset.
type moved struct {
	*schema.Transferred
	directory *directory.Directory
	at        schema.Time
}

// transferPage is a part of the transfers of an account.
type transferPage struct {
	moves         []moved
	limit, offset int
}

var (
	movedEncoder = api.Encode("Transfer", "A transfer between two wallets.",
		api.NewField("id", api.String, "UUID of the transfer.", func(dst []byte, m *moved) []byte {
			return append(uuid.Append(append(dst, '"'), m.at, uuid.Transfer, uint64(m.ID)), '"')
		}),
		api.StringField("currency", "Ticker of the asset.", func(m *moved) string { return m.directory.Ticker(m.Transfer.Asset) }),
		api.DecimalField("amount", "Amount.", func(m *moved) fixed.Decimal { return m.Transfer.Amount }),
		api.EnumField("from_balance", fromToWords, "Wallet of origin.", func(m *moved) string { return walletWord(m.Transfer.From) }),
		api.EnumField("to_balance", fromToWords, "Destination wallet.", func(m *moved) string { return walletWord(m.Transfer.To) }),
		api.SecondsField("created_at", "Time of the event.", func(m *moved) schema.Time { return m.at }))
	transferPageEncoder = api.Encode("TransferPage", "A page of transfers.",
		api.ArrayField("data", movedEncoder, "Transfers.", func(p *transferPage) []moved { return p.moves }),
		api.IntegerField("limit", "As requested.", func(p *transferPage) int64 { return int64(p.limit) }),
		api.IntegerField("offset", "As requested.", func(p *transferPage) int64 { return int64(p.offset) }))
)

var aboutTransfers = &api.About{
	Summary: "List transfers between wallets",
	Text:    "Newest first.",
	Parameters: map[string]string{
		"from_balance": "Return only transfers from this wallet. Empty: from all.",
		"to_balance":   "Return only transfers to this wallet. Empty: to all.",
	},
	Response: transferPageEncoder.Schema(),
}

func transfers(c *api.Call, q *transferHistory) (api.Answer, error) {
	query := &history.Query{Kind: history.Transfers, Classes: history.Moves(q.from, q.to), Offset: q.offset, Limit: q.limit}
	var records []history.Record
	if len(query.Classes) > 0 { // no transfer goes from a wallet to itself
		var err error
		if records, err = c.Past(query); err != nil {
			return nil, err
		}
	}
	page := &transferPage{make([]moved, len(records)), q.limit, q.offset}
	for i := range records {
		page.moves[i] = moved{records[i].Payload.(*schema.Transferred), c.Directory(), records[i].Time}
	}
	return transferPageEncoder.Answer(page), nil
}

// walletWord is a wallet as transfers spell it.
func walletWord(w schema.Wallet) string {
	if w == schema.Trade {
		return "spot"
	}
	return w.String()
}
