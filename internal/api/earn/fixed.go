package earn

import (
	"cmp"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// plansQuery asks for fixed plans.
type plansQuery struct{ ticker string }

func (q *plansQuery) Read(f *api.Form) { q.ticker = f.String("ticker") }

var fixedPlanEncoder = api.Encode("FixedPlan", "A plan that pays interest at the end of a term.",
	api.StringField("id", "UUID of the plan, the planId of an investment.", (*plan).uuid),
	api.StringField("ticker", "Ticker of the asset that is invested.", func(p *plan) string { return p.ticker }),
	api.IntegerField("status", "1 active, 2 no coins left, 3 inactive, 4 paused.", func(p *plan) int64 { return int64(p.Status) }),
	api.DecimalField("percent", "Interest for the whole term, in percent of the amount.", func(p *plan) fixed.Decimal { return p.Percent }),
	api.IntegerField("duration", "Term in minutes.", func(p *plan) int64 { return int64(p.Minutes) }),
	api.StringField("interestTicker", "Ticker of the asset that interest is paid in.", func(p *plan) string { return p.payout }),
	api.DecimalField("interestRatio", "How much of the asset that is invested one unit of the other is worth; 1 if they are the same.", func(p *plan) fixed.Decimal { return p.Ratio }),
	api.DecimalField("minInvestment", "Smallest amount of an investment.", func(p *plan) fixed.Decimal { return p.Min }),
	api.DecimalField("maxInvestment", "Largest amount of an investment; 0: no bound.", func(p *plan) fixed.Decimal { return p.Max }),
	api.DecimalField("maxPossibleInvestment", "Largest amount that can be invested now: within maxInvestment and what is left of the plan.", (*plan).left))

var aboutFixedPlans = &api.About{
	Summary: "List fixed plans",
	Text: "Active plans in which the account can invest: those of its region, public ones and private ones that were assigned to it. " +
		"The whole interest is known at the beginning and paid at the end of the term.",
	Parameters: map[string]string{"ticker": "Return only plans in which this asset is invested."},
	Response:   api.ArrayOf(fixedPlanEncoder.Schema()),
	Faults:     []*api.Error{errTicker},
}

func fixedPlans(c *api.Call, q *plansQuery) (api.Answer, error) {
	asset, err := assetOf(c, q.ticker)
	if err != nil {
		return nil, err
	}
	return fixedPlanEncoder.Array(seen(c, schema.FixedPlan, asset)), nil
}

// investing asks for an investment in a fixed plan.
type investing struct {
	plan   string
	amount api.Number
}

func (q *investing) Read(f *api.Form) {
	f.Demand("planId", "amount")
	q.plan, q.amount = f.String("planId"), readAmount(f)
}

// id is a UUID.
type id string

var (
	idEncoder = api.Encode("InvestmentId", "An investment.",
		api.StringField("id", "UUID of the investment.", func(i *id) string { return string(*i) }))
	fixedWords = words{
		schema.PlanUnknown:        errPlanID,
		schema.PlanIsInactive:     ofPlan(400, schema.PlanIsInactive),
		schema.PlanIsPaused:       ofPlan(400, schema.PlanIsPaused),
		schema.PlanIsSoldOut:      ofPlan(400, schema.PlanIsSoldOut),
		schema.InvestmentsTooMany: api.NewError(422, 0, api.InnerValidationFailed, "planId", schema.Rejection{Reason: schema.InvestmentsTooMany, Value: fixed.FromInt(100)}.Text()),
		schema.MoveTooPrecise:     errDecimals,
	}
)

// ofPlan answers for a fixed plan in which nobody can invest.
func ofPlan(status int, why schema.Reason) *api.Error {
	return api.NewError(status, 0, api.ValidationFailed, "planId", schema.Refuse(why).Text())
}

var aboutInvest = &api.About{
	Summary: "Invest in a fixed plan",
	Text: "The amount moves from the main balance into the plan. At the end of the term it comes back to the main balance together with the interest: amount x percent / 100, divided by interestRatio, " +
		"rounded down to what can be paid. An account has one open investment in a plan unless it is enabled for several. Deposits that await confirmation cannot be invested.",
	Parameters: map[string]string{"planId": "UUID of the plan.", "amount": "Amount to invest."},
	Response:   idEncoder.Schema(),
	Refusals: []schema.Reason{
		schema.MoveNotPositive, schema.PlanSpent, schema.InvestmentExists, schema.InvestmentBelowMin, schema.InvestmentAboveMax, schema.MoveHeld, schema.Owing,
		schema.InterestTooSmall, schema.InterestNotCovered,
	},
	Faults: []*api.Error{
		errPlanID, fixedWords[schema.PlanIsInactive], fixedWords[schema.PlanIsPaused], fixedWords[schema.PlanIsSoldOut], fixedWords[schema.InvestmentsTooMany], errDecimals,
		errUncovered(fixed.FromUnits(5, 2), fixed.One),
	},
}

func invest(c api.WriteCall, q *investing) (api.Answer, error) {
	p, known := find(c.API, q.plan, schema.FixedPlan)
	if !known {
		return nil, errPlanID
	}
	amount, r := q.amount.Fit(schema.MoveTooPrecise, 0)
	if r.Refused() {
		return nil, errDecimals
	}
	result, err := fixedWords.submit(c, &schema.Invest{Account: c.Account.ID, Plan: p.ID, Amount: amount})
	if err != nil {
		if r := result.Rejection; r.Reason == schema.InvestmentNotCovered {
			err = errUncovered(r.Value, amount)
		}
		return nil, err
	}
	made := id(p.investment(schema.InvestmentID(result.ID)))
	return idEncoder.Answer(&made), nil
}

// ending asks for an investment to be closed.
type ending struct{ id string }

func (q *ending) Read(f *api.Form) {
	f.Demand("id")
	q.id = f.String("id")
}

var (
	errClosed  = api.NewError(422, 0, api.InnerValidationFailed, "error", "Investment is already closed")
	doneSchema = api.Object("InvestmentClosed", "An empty object: the request succeeded.")
)

var aboutEnd = &api.About{
	Summary:    "Close a fixed investment",
	Text:       "Before the end of its term: the amount comes back to the main balance, and no interest is paid.",
	Parameters: map[string]string{"id": "UUID of the investment."},
	Response:   doneSchema,
	Refusals:   []schema.Reason{schema.InvestmentUnknown},
	Faults:     []*api.Error{errClosed},
}

func end(c api.WriteCall, q *ending) (api.Answer, error) {
	unknown := api.Refusal(schema.Refuse(schema.InvestmentUnknown))
	number, is := uuid.Read(q.id, uuid.Investment)
	if !is {
		return nil, unknown
	}
	result, err := words(nil).submit(c, &schema.Divest{Account: c.Account.ID, Investment: schema.InvestmentID(number)})
	if result.Rejection.Reason != schema.InvestmentUnknown {
		return api.Bytes("{}"), err
	}
	if _, ended, err := investmentOf(c.Past, q.id, history.FixedInvestments); err != nil || !ended {
		return nil, cmp.Or(err, error(unknown))
	}
	return nil, errClosed
}
