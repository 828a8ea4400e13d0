package earn

import (
	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// fixedQuery asks for investments in fixed plans.
type fixedQuery struct {
	id, ticker    string
	status        int64 // 0: any
	limit, offset int
}

// Statuses of investments in fixed plans.
const (
	statusActive = 1
	statusClosed = 2
)

func (q *fixedQuery) Read(f *api.Form) {
	q.id, q.ticker = f.String("id"), f.String("ticker")
	status, s := f.Between("status", statusActive, statusClosed)
	if q.status = status; s == api.Malformed {
		f.Fail(400, 0, "status", "The selected status is invalid.")
	}
	q.limit, q.offset = f.Page(mostPerPage, mostPerPage, api.MaxOffset, api.OfMoney)
}

// invested is an investment with its plan.
type invested struct {
	*schema.Investment
	plan *plan
}

func (v *invested) uuid() string { return v.plan.investment(v.ID) }

var (
	fixedEncoder = api.Encode("FixedInvestment", "An investment in a fixed plan.",
		api.StringField("id", "UUID of the investment.", (*invested).uuid),
		api.ObjectField("plan", fixedPlanEncoder, "The plan, as it is now.", func(v *invested) *plan { return v.plan }),
		api.IntegerField("status", "1 active, 2 closed.", func(v *invested) int64 {
			if v.Closed {
				return statusClosed
			}
			return statusActive
		}),
		api.SecondsField("created", "Time of the investment.", func(v *invested) schema.Time { return v.Created }),
		api.SecondsField("updated", "Time of its last change.", func(v *invested) schema.Time { return v.Updated }),
		api.SecondsField("paymentTime", "End of its term.", func(v *invested) schema.Time { return v.Due }),
		api.DecimalField("amount", "Amount that was invested.", func(v *invested) fixed.Decimal { return v.Amount }),
		api.DecimalField("interestPaid", "Interest that was paid.", func(v *invested) fixed.Decimal { return v.Paid }))
	fixedPage = pageOf("FixedInvestments", "A page of investments.", "records", fixedEncoder)
	errID     = selected("id", "id")
)

var aboutFixedInvestments = &api.About{
	Summary: "List fixed investments",
	Text:    "Open and closed ones, newest first.",
	Parameters: map[string]string{
		"id": "Return only the investment with this UUID.", "ticker": "Return only investments of this asset.", "status": "Return only investments with this status: 1 active, 2 closed.",
	},
	Response: fixedPage.Schema(),
	Faults:   []*api.Error{errID, errTicker},
}

func fixedInvestments(c *api.Call, q *fixedQuery) (api.Answer, error) {
	query := &history.Query{Kind: history.Investments, Classes: history.FixedInvestments, Limit: q.limit, Offset: q.offset}
	if q.status != 0 {
		query.Classes = history.FixedInvestments[q.status-1 : q.status]
	}
	var err error
	if query.Asset, err = assetOf(c, q.ticker); err != nil {
		return nil, err
	}
	if q.id != "" {
		one, known, err := investmentOf(c.Past, q.id, history.FixedInvestments)
		switch {
		case err != nil:
			return nil, err
		case !known:
			return nil, errID
		}
		query.Ref = one.ID
	}
	list, err := investments(c, query)
	if err != nil {
		return nil, err
	}
	return fixedPage.Answer(&page[invested]{list, q.limit, q.offset}), nil
}

// investments are what a query finds, with their plans.
func investments(c *api.Call, q *history.Query) ([]invested, error) {
	records, err := c.Past(q)
	if err != nil {
		return nil, err
	}
	list := make([]invested, len(records))
	for i := range records {
		list[i].Investment = records[i].Payload.(*schema.Investment)
	}
	plans := plansOf(c.API, func(yield func(schema.PlanID)) {
		for i := range list {
			yield(list[i].Plan)
		}
	})
	for i := range list {
		list[i].plan = plans[list[i].Plan]
	}
	return list, nil
}

// interestQuery asks for interest of fixed plans.
type interestQuery struct {
	plan, ticker  string
	limit, offset int
}

func (q *interestQuery) Read(f *api.Form) {
	q.plan, q.ticker = f.String("planId"), f.String("ticker")
	q.limit, q.offset = f.Page(mostPerPage, mostPerPage, api.MaxOffset, api.OfMoney)
}

// action is what happened to an investment, with its plan.
type action struct {
	*schema.Earned
	at     schema.Time
	plan   *plan
	ticker string
}

func (a *action) investment() string { return a.plan.investment(a.Investment) }

var (
	interestEncoder = api.Encode("InterestPayment", "Interest that a fixed plan paid.",
		api.StringField("planId", "UUID of the plan.", func(a *action) string { return a.plan.uuid() }),
		api.StringField("investmentId", "UUID of the investment.", (*action).investment),
		api.DecimalField("amount", "Amount.", func(a *action) fixed.Decimal { return a.Amount }),
		api.StringField("ticker", "Ticker of the asset that was paid.", func(a *action) string { return a.ticker }),
		api.SecondsField("timestamp", "Time of the payment.", func(a *action) schema.Time { return a.at }))
	interestPage = pageOf("InterestPayments", "A page of payments.", "records", interestEncoder)
)

var aboutInterests = &api.About{
	Summary:    "List interest of fixed plans",
	Text:       "Interest that was paid, newest first.",
	Parameters: map[string]string{"planId": "Return only interest of the plan with this UUID.", "ticker": "Return only interest that was paid in this asset."},
	Response:   interestPage.Schema(),
	Faults:     []*api.Error{errPlanID, errTicker},
}

func interests(c *api.Call, q *interestQuery) (api.Answer, error) {
	query := &history.Query{Kind: history.Earnings, Classes: []history.Class{history.EarnInterest}, Limit: q.limit, Offset: q.offset}
	var err error
	if query.Asset, err = assetOf(c, q.ticker); err != nil {
		return nil, err
	}
	if q.plan != "" {
		p, known := find(c.API, q.plan, schema.FixedPlan)
		if !known {
			return nil, errPlanID
		}
		query.Tag = history.InvestedIn(p.ID)
	}
	records, err := c.Past(query)
	if err != nil {
		return nil, err
	}
	return interestPage.Answer(&page[action]{actionsIn(c, records), q.limit, q.offset}), nil
}

// actionsIn are what records say, with the plans.
func actionsIn(c *api.Call, records []history.Record) []action {
	list := make([]action, len(records))
	for i := range records {
		e := records[i].Payload.(*schema.Earned)
		list[i] = action{Earned: e, at: records[i].Time, ticker: c.Directory().Ticker(e.Asset)}
	}
	plans := plansOf(c.API, func(yield func(schema.PlanID)) {
		for i := range list {
			yield(list[i].Plan)
		}
	})
	for i := range list {
		list[i].plan = plans[list[i].Plan]
	}
	return list
}
