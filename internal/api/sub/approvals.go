package sub

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// waitingFor asks for withdrawals that wait to be confirmed.
type waitingFor struct {
	sub           string
	limit, offset int
}

// ofList is how the list of withdrawals words what is wrong with limit and offset.
var ofList = api.Paging{
	Status: 422, Code: 0, Integer: "The %f field must be an integer.", AtLeast: "The %f field must be at least %n.", NotAbove: "The %f field must not be greater than %n.",
}

func (q *waitingFor) Read(f *api.Form) {
	q.sub = f.String("subAccountId")
	q.limit, q.offset = f.Page(100, 100, api.MaxOffset, ofList)
}

// waiting is a withdrawal that waits, with the directory that names its account and its asset.
type waiting struct {
	schema.Withdrawal
	directory *directory.Directory
}

var (
	waitingEncoder = api.Encode("UnconfirmedWithdrawal", "A withdrawal of a sub-account that waits to be confirmed.",
		api.StringField("id", "UUID of the withdrawal.", func(w *waiting) string { return uuid.Text(w.Created, uuid.Withdrawal, uint64(w.ID)) }),
		api.StringField("subAccountId", "Id of the sub-account.", func(w *waiting) string { return w.directory.Account(w.Account).External }),
		api.StringField("currency", "Ticker of the asset.", func(w *waiting) string { return w.directory.Ticker(w.Asset) }),
		api.DecimalField("amount", "Amount, with the fee.", func(w *waiting) fixed.Decimal { return w.Amount.Add(w.Fee) }),
		api.SecondsField("createdAt", "Time of creation.", func(w *waiting) schema.Time { return w.Created }))
	waitingPageEncoder = api.Encode("UnconfirmedWithdrawals", "A page of withdrawals.",
		api.ArrayField("data", waitingEncoder, "Withdrawals.", func(p *page[waiting]) []waiting { return p.items }),
		api.IntegerField("limit", "As requested.", func(p *page[waiting]) int64 { return int64(p.limit) }),
		api.IntegerField("offset", "As requested.", func(p *page[waiting]) int64 { return int64(p.offset) }))
)

var aboutUnconfirmed = &api.About{
	Summary:    "List withdrawals that wait to be confirmed",
	Text:       "Withdrawals of sub-accounts that the main account has to confirm, newest first. One that is not confirmed within 24 hours is canceled.",
	Parameters: map[string]string{"subAccountId": "Return only withdrawals of this sub-account."},
	Response:   waitingPageEncoder.Schema(),
}

func unconfirmed(c *api.Call, q *waitingFor) (api.Answer, error) {
	list := &page[waiting]{[]waiting{}, q.limit, q.offset}
	var subs []schema.AccountID
	for _, sub := range c.Directory().Subs(c.Account.ID) {
		if q.sub == "" || sub.External == q.sub {
			subs = append(subs, sub.ID)
		}
	}
	c.API.Read(func(m core.View) {
		before := q.offset
		for w := range m.Chains().Unconfirmed(subs...) {
			switch {
			case before > 0:
				before--
			case len(list.items) == q.limit:
				return
			default:
				list.items = append(list.items, waiting{*w, c.Directory()})
			}
		}
	})
	return waitingPageEncoder.Answer(list), nil
}

var (
	errNoUUID   = api.NewError(400, 0, api.ValidationFailed, "id", "validation.exists")
	errNotThere = &api.Error{Status: 422, Code: 422, Message: "Transaction doesn't exist"}
)

var aboutConfirm = &api.About{
	Summary:    "Confirm a withdrawal of a sub-account",
	Text:       "The withdrawal goes on as one that needs no confirmation. The API key also needs the right to /api/v4/main-account/withdraw.",
	Parameters: map[string]string{"id": "UUID of the withdrawal, as in the list."},
	Response:   doneSchema,
	Refusals:   []schema.Reason{schema.WithdrawalConfirmed},
	Faults:     []*api.Error{errNoUUID, errNotThere, api.Restricted(schema.Rejection{})},
}

// errHidden answers accounts that do not confirm withdrawals: they are not to know of the endpoints.
var errHidden = &api.Error{Status: 404, Code: 0}

func hidden(e *api.Error) *api.Error {
	if e == api.ErrNotThere {
		return errHidden
	}
	return e
}

func confirm(c api.WriteCall, q *byID) (api.Answer, error) {
	id, is := uuid.Read(q.id, uuid.Withdrawal)
	if !is {
		return nil, errNoUUID
	}
	// Who lets money out needs the right to send it.
	if key := c.Directory().KeyByID(c.Origin.Key); key == nil || !key.May("/api/v4/main-account/withdraw") {
		return nil, api.ErrNotAllowed
	}
	var result schema.Result
	err := c.Submit(&schema.ConfirmWithdrawal{Master: c.Account.ID, Withdrawal: schema.WithdrawalID(id)}, &result)
	switch r := result.Rejection; r.Reason {
	case schema.WithdrawalUnknown:
		return nil, whyUnknown(c, schema.WithdrawalID(id))
	case schema.Restricted:
		return nil, api.Restricted(r)
	case schema.NoPermission: // taken meanwhile
		return nil, errHidden
	}
	return done, err
}

// whyUnknown tells a withdrawal that is over, which the core no longer has, from one that is no sub-account's of the caller.
func whyUnknown(c api.WriteCall, id schema.WithdrawalID) error {
	for _, sub := range c.Directory().Subs(c.Account.ID) {
		records, err := c.PastOf(sub.ID, &history.Query{Kind: history.Payments, Ref: history.WithdrawalRef(id), Limit: 1})
		switch {
		case err != nil:
			return err
		case len(records) > 0:
			return api.Refusal(schema.Refuse(schema.WithdrawalConfirmed))
		}
	}
	return errNotThere
}
