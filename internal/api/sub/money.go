package sub

import (
	"strconv"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// confirmed is the sub-account of the caller with an id, if somebody accepted its invitation.
func confirmed(a *api.API, master *schema.Account, external string) (*schema.Account, error) {
	sub, err := find(a, master, external)
	if err == nil && sub.Status == schema.SubPending {
		err = api.Refusal(schema.Refuse(schema.SubNotConfirmed))
	}
	return sub, err
}

// errTicker answers for an asset that there is not.
var errTicker = api.NewError(400, 0, api.ValidationFailed, "ticker", "Ticker do not exists")

// balancesOf asks for the wallets of a sub-account.
type balancesOf struct {
	byID
	ticker string
}

func (q *balancesOf) Read(f *api.Form) {
	q.byID.Read(f)
	q.ticker = f.String("ticker")
}

// balance is what a sub-account has of an asset.
type balance struct{ main, spot, collateral fixed.Decimal }

var balanceEncoder = api.Encode("SubAccountBalance", "Balances of a sub-account in an asset.",
	api.DecimalField("main", "Main balance, without what withdrawals under way take.", func(b *balance) fixed.Decimal { return b.main }),
	api.DecimalField("spot", "Trade balance, with what is in orders.", func(b *balance) fixed.Decimal { return b.spot }),
	api.DecimalField("collateral", "Collateral balance.", func(b *balance) fixed.Decimal { return b.collateral }))

var aboutBalances = &api.About{
	Summary:    "Get balances of a sub-account",
	Text:       "Keyed by ticker; each value is a list with one object.",
	Parameters: map[string]string{"id": idParameter["id"]},
	Response:   api.MapOf(api.ArrayOf(balanceEncoder.Schema())),
	Refusals:   []schema.Reason{schema.SubUnknown, schema.SubNotConfirmed},
	Faults:     []*api.Error{errTicker},
}

func balances(c *api.Call, q *balancesOf) (api.Answer, error) {
	sub, err := confirmed(c.API, c.Account, q.id)
	if err != nil {
		return nil, err
	}
	assets, _, _ := c.Directory().Listing()
	if q.ticker != "" {
		asset := c.Directory().Asset(q.ticker)
		if asset == nil {
			return nil, errTicker
		}
		assets = []*schema.Asset{asset}
	}
	has := make([]balance, len(assets))
	c.API.Read(func(m core.View) {
		for i, a := range assets {
			main, _, _ := m.Balance(sub.ID, schema.Main, a.ID)
			spot, frozen, _ := m.Balance(sub.ID, schema.Trade, a.ID)
			collateral, bound, _ := m.Balance(sub.ID, schema.Collateral, a.ID)
			has[i] = balance{main, spot.Add(frozen), collateral.Add(bound)}
		}
	})
	return api.AnswerFunc(func(dst []byte) []byte {
		dst = append(dst, '{')
		for i, a := range assets {
			dst = append(api.AppendText(api.AppendComma(dst, i), a.Ticker), ':', '[')
			dst = append(balanceEncoder.Append(dst, &has[i]), ']')
		}
		return append(dst, '}')
	}), nil
}

// directions of money between a master and a sub-account.
const (
	toSub  = "main_to_sub"
	toMain = "sub_to_main"
)

var directionWords = []string{toSub, toMain}

// transfer asks for money to be moved.
type transfer struct {
	byID
	direction, ticker string
	amount            api.Number
}

// decimals is how fine a transfer may be at most.
const decimals = 8

var leastTransfer = fixed.FromUnits(1, decimals)

// textAmount is what is wrong with every amount that cannot be.
const textAmount = "Amount is invalid"

func (q *transfer) Read(f *api.Form) {
	q.byID.Read(f)
	f.Demand("direction", "amount", "ticker")
	q.direction = direction(f)
	q.ticker = f.String("ticker")
	q.amount = f.Number("amount")
	if n := q.amount; n.State != api.Missing && (n.State != api.Good || n.Value.Less(leastTransfer) || n.Value.Decimals() > decimals) {
		f.Fail(400, 0, "amount", textAmount)
	}
}

func direction(f *api.Form) string {
	word, s := f.Choice("direction", directionWords)
	if s == api.Malformed {
		f.Fail(400, 0, "direction", "The selected direction is invalid.")
	}
	return word
}

// number is that of a transfer as a text.
type number schema.TransferID

func (n *number) text() string { return strconv.FormatUint(uint64(*n), 10) }

var (
	numberEncoder = api.Encode("SubAccountTransferId", "The number of a transfer.",
		api.StringField("transactionId", "Id of the transfer, as in the history.", (*number).text),
		api.StringField("transaction_id", "The same.", (*number).text))
	errAmount    = api.NewError(400, 0, api.ValidationFailed, "amount", textAmount)
	errUncovered = api.NewError(422, 3, api.InnerValidationFailed, "amount", "You don't have such amount for transfer (available 0.05, in amount: 1)")
)

var aboutMove = &api.About{
	Summary: "Transfer between main account and sub-account",
	Text:    "From main balance to main balance, at once and free of charge. Deposits that await confirmation cannot be transferred.",
	Parameters: map[string]string{
		"id": idParameter["id"], "direction": "main_to_sub or sub_to_main.", "amount": "Amount: at least 0.00000001, with at most 8 decimal places.", "ticker": "Ticker of the asset.",
	},
	Response: numberEncoder.Schema(),
	Refusals: []schema.Reason{schema.SubUnknown, schema.SubNotConfirmed, schema.SubInactive, schema.MoveHeld, schema.Owing},
	Faults:   []*api.Error{errTicker, errAmount, errUncovered},
}

func move(c api.WriteCall, q *transfer) (api.Answer, error) {
	sub, err := find(c.API, c.Account, q.id)
	if err != nil {
		return nil, err
	}
	asset := c.Directory().Asset(q.ticker)
	if asset == nil {
		return nil, errTicker
	}
	var result schema.Result
	if err := c.Submit(&schema.MoveSub{Master: c.Account.ID, Sub: sub.ID, ToSub: q.direction == toSub, Asset: asset.ID, Amount: q.amount.Value}, &result); err != nil {
		switch r := result.Rejection; r.Reason {
		case schema.WithdrawNotCovered:
			text := "You don't have such amount for transfer (available " + r.Value.String() + ", in amount: " + q.amount.Value.String() + ")"
			return nil, api.NewError(422, 3, api.InnerValidationFailed, "amount", text)
		case schema.MoveTooPrecise, schema.MoveNotPositive:
			return nil, errAmount
		}
		return nil, err
	}
	made := number(result.ID)
	return numberEncoder.Answer(&made), nil
}

// past asks for transfers.
type past struct {
	byID
	direction     string
	limit, offset int
}

// maxMoves is how many transfers a page has at most, and if nothing is said.
const maxMoves = 100

func (q *past) Read(f *api.Form) {
	q.byID.Read(f)
	q.direction = direction(f)
	q.limit, q.offset = f.Page(maxMoves, maxMoves, api.MaxOffset, api.OfMoney)
	if q.offset <= api.MaxOffset && q.limit <= maxMoves && q.limit+q.offset > api.MaxOffset {
		f.Fail(400, 0, "offset", "The sum of limit and offset may not be greater than 10000.")
	}
}

// moved is a transfer of the past, with the directory that names its asset.
type moved struct {
	*schema.SubMoved
	directory *directory.Directory
	at        schema.Time
}

func (m *moved) number() string { return strconv.FormatUint(uint64(m.ID), 10) }

func (m *moved) direction() string {
	if m.Move.ToSub {
		return toSub
	}
	return toMain
}

var (
	movedEncoder = api.Encode("SubAccountTransfer", "A transfer between main account and sub-account.",
		api.StringField("transactionId", "Id of the transfer.", (*moved).number),
		api.StringField("id", "Deprecated: the same as transactionId.", (*moved).number),
		api.EnumField("direction", directionWords, "Direction.", (*moved).direction),
		api.StringField("currency", "Ticker of the asset.", func(m *moved) string { return m.directory.Ticker(m.Move.Asset) }),
		api.DecimalField("amount", "Amount.", func(m *moved) fixed.Decimal { return m.Move.Amount }),
		api.SecondsField("createdAt", "Time of the transfer.", func(m *moved) schema.Time { return m.at }))
	movesEncoder = pageEncoder("SubAccountTransfers", "A page of transfers.", movedEncoder)
)

var aboutMoves = &api.About{
	Summary:    "List transfers between main account and sub-account",
	Text:       "Newest first.",
	Parameters: map[string]string{"id": idParameter["id"], "direction": "Return only transfers in this direction."},
	Response:   movesEncoder.Schema(),
	Refusals:   []schema.Reason{schema.SubUnknown, schema.SubNotConfirmed},
}

func moves(c *api.Call, q *past) (api.Answer, error) {
	sub, err := confirmed(c.API, c.Account, q.id)
	if err != nil {
		return nil, err
	}
	query := &history.Query{Kind: history.SubMoves, Limit: q.limit, Offset: q.offset, Classes: []history.Class{history.MovedToSub, history.MovedToMain}}
	switch q.direction {
	case toSub:
		query.Classes = []history.Class{history.MovedToSub}
	case toMain:
		query.Classes = []history.Class{history.MovedToMain}
	}
	records, err := c.PastOf(sub.ID, query)
	if err != nil {
		return nil, err
	}
	list := make([]moved, len(records))
	for i := range records {
		list[i] = moved{records[i].Payload.(*schema.SubMoved), c.Directory(), records[i].Time}
	}
	return movesEncoder.Answer(&page[moved]{list, q.limit, q.offset}), nil
}
