package earn

import (
	"fmt"
	"maps"
	"slices"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// pastQuery asks for what happened to investments in flex plans.
type pastQuery struct {
	plan, investment, transaction string
	from, to                      schema.Time
	limit, offset                 int
}

func (q *pastQuery) Read(f *api.Form) {
	q.plan, q.investment, q.transaction = f.String("plan"), f.String("investment"), f.String("transaction")
	q.from, _ = readDate(f, "dateFrom")
	if to, there := readDate(f, "dateTo"); there {
		q.to = to + schema.Second - 1
	}
	q.limit, q.offset = f.Page(fewPerPage, mostPerPage, api.MaxOffset, api.OfMoney)
}

// readDate reads a moment in seconds, if there is one.
func readDate(f *api.Form, name string) (at schema.Time, there bool) {
	seconds, s := f.Between(name, 0, api.MaxSeconds)
	if s == api.Malformed {
		f.Fail(400, 0, name, "The "+f.Spoken(name)+" is invalid.")
	}
	return schema.Time(seconds) * schema.Second, s == api.Good
}

// actionsQuery asks for some of that.
type actionsQuery struct {
	pastQuery
	types []history.Class
}

// Actions that clients see, by their numbers.
const (
	firstType = int64(schema.EarnInvested)
	lastType  = int64(schema.EarnOpened)
)

func (q *actionsQuery) Read(f *api.Form) {
	q.pastQuery.Read(f)
	types, strange, s := f.IntsBetween("actionTypes", firstType, lastType)
	if s == api.Malformed {
		f.Fail(400, 0, "actionTypes", "The action types must be an array.")
	}
	for _, at := range strange {
		f.Fail(400, 0, fmt.Sprintf("actionTypes.%d", at), "The selected action type is invalid.")
	}
	for t := firstType; t <= lastType; t++ {
		if len(types) == 0 || slices.Contains(types, t) {
			q.types = append(q.types, history.Action(schema.EarnAction(t)))
		}
	}
}

func (a *action) transaction() string { return string(transactionOf(a.at, uint64(a.ID))) }

var (
	actionEncoder = api.Encode("FlexAction", "What happened to an investment in a flex plan.",
		api.SecondsField("createdAt", "Time of the transaction.", func(a *action) schema.Time { return a.at }),
		api.StringField("planId", "UUID of the plan.", func(a *action) string { return a.plan.uuid() }),
		api.StringField("investmentId", "UUID of the investment.", (*action).investment),
		api.StringField("currency", "Ticker of the asset.", func(a *action) string { return a.ticker }),
		api.DecimalField("amount", "Amount.", func(a *action) fixed.Decimal { return a.Amount }),
		api.StringField("transaction_id", "UUID of the transaction.", (*action).transaction),
		api.StringField("transactionId", "The same.", (*action).transaction),
		api.IntegerField("actionType", "1 money was added, 2 interest was invested, 3 a part was withdrawn, 4 interest was credited, 5 the investment was closed, 6 it was opened.",
			func(a *action) int64 { return int64(a.Action) }))
	actionPage     = pageOf("FlexActions", "A page of transactions.", "data", actionEncoder)
	errTransaction = selected("transaction", "transaction")
	pastParameters = map[string]string{
		"plan":        "Return only transactions of the plan with this UUID.",
		"investment":  "Return only transactions of the investment with this UUID.",
		"transaction": "Return only the transaction with this UUID.",
		"dateFrom":    "Return only transactions at or after this Unix time in seconds.",
		"dateTo":      "Return only transactions at or before this Unix time in seconds.",
	}
	actionParameters = func() map[string]string {
		all := maps.Clone(pastParameters)
		all["actionTypes"] = "Return only transactions of these types, 1 to 6. Empty: all."
		return all
	}()
	pastFaults = []*api.Error{errPlan, errInvestment, errTransaction}
)

var aboutActions = &api.About{
	Summary:    "List transactions of flex investments",
	Text:       "Newest first. Interest that is invested is there twice: as it was credited, and as it was invested.",
	Parameters: actionParameters,
	Response:   actionPage.Schema(),
	Faults:     pastFaults,
}

func actions(c *api.Call, q *actionsQuery) (api.Answer, error) { return q.page(c, q.types) }

var aboutEarnings = &api.About{
	Summary:    "List interest of flex investments",
	Text:       "What was credited, newest first: transactions of type 4.",
	Parameters: pastParameters,
	Response:   actionPage.Schema(),
	Faults:     pastFaults,
}

func earnings(c *api.Call, q *pastQuery) (api.Answer, error) {
	return q.page(c, []history.Class{history.EarnDaily})
}

// page reads what happened, of some kinds.
func (q *pastQuery) page(c *api.Call, classes []history.Class) (api.Answer, error) {
	query := &history.Query{Kind: history.Earnings, Classes: classes, From: q.from, To: q.to, Limit: q.limit, Offset: q.offset}
	var err error
	none := false
	if query.Tag, query.Ref, none, err = narrowed(c, q.plan, q.investment); err != nil {
		return nil, err
	}
	var records []history.Record
	switch {
	case q.transaction != "":
		if records, err = q.one(c, query, none); err != nil {
			return nil, err
		}
	case !none:
		if records, err = c.Past(query); err != nil {
			return nil, err
		}
	}
	return actionPage.Answer(&page[action]{actionsIn(c, records), q.limit, q.offset}), nil
}

const (
	millisecond = schema.Second / 1000 // to which UUIDs know times
	// mostAtOnce is more than can happen to the investments of an account within a millisecond.
	mostAtOnce = 1000
)

// one is the transaction that is asked for, as far as a query would find it. Its UUID says in which millisecond it happened.
func (q *pastQuery) one(c *api.Call, query *history.Query, none bool) ([]history.Record, error) {
	number, is := uuid.Read(q.transaction, uuid.Earned)
	if !is {
		return nil, errTransaction
	}
	at := uuid.Time(q.transaction)
	records, err := c.Past(&history.Query{Kind: history.Earnings, From: at, To: at + millisecond - 1, Limit: mostAtOnce})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(records, func(r history.Record) bool { return r.ID == number && r.Class <= history.EarnOpened })
	if i < 0 {
		return nil, errTransaction
	}
	r := records[i]
	if none || q.offset > 0 || !slices.Contains(query.Classes, r.Class) || query.Tag != "" && query.Tag != r.Tag || query.Ref != 0 && query.Ref != r.Ref ||
		r.Time < q.from || q.to != 0 && r.Time > q.to {
		return nil, nil
	}
	return []history.Record{r}, nil
}
