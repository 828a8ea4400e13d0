package earn

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// flexPlansQuery asks for flex plans.
type flexPlansQuery struct {
	ticker        string
	limit, offset int
}

func (q *flexPlansQuery) Read(f *api.Form) {
	q.ticker = f.String("ticker")
	q.limit, q.offset = f.Page(mostPerPage, mostPerPage, api.MaxOffset, api.OfMoney)
}

var flexPlanEncoder = api.Encode("FlexPlan", "A plan that pays interest each day.",
	api.StringField("id", "UUID of the plan.", (*plan).uuid),
	api.StringField("ticker", "Ticker of the asset.", func(p *plan) string { return p.ticker }),
	api.DecimalField("minInvestment", "Smallest amount with which an investment is opened, and the least that stays in it.", func(p *plan) fixed.Decimal { return p.Min }),
	api.DecimalField("maxInvestment", "Largest amount that an account can have in the plan; 0: no bound.", func(p *plan) fixed.Decimal { return p.Max }),
	api.DecimalField("maxRate", "Interest of a year, as a fraction: 0.15 is 15 percent.", func(p *plan) fixed.Decimal { return p.Rate }))

var aboutFlexPlans = &api.About{
	Summary: "List flex plans",
	Text: "Active plans in which the account can invest, the oldest first: those of its region, public ones and private ones that were assigned to it. " +
		"Interest is calculated for each full hour and credited at 00:00 UTC.",
	Parameters: map[string]string{"ticker": "Return only plans of this asset.", "offset": "Number of plans to skip."},
	Response:   api.ArrayOf(flexPlanEncoder.Schema()),
	Faults:     []*api.Error{errTicker},
}

func flexPlans(c *api.Call, q *flexPlansQuery) (api.Answer, error) {
	asset, err := assetOf(c, q.ticker)
	if err != nil {
		return nil, err
	}
	list := seen(c, schema.FlexPlan, asset)
	list = list[min(q.offset, len(list)):]
	return flexPlanEncoder.Array(list[:min(q.limit, len(list))]), nil
}

// flexQuery asks for investments in flex plans.
type flexQuery struct {
	ticker, plan, investment string
	classes                  []history.Class
	limit, offset            int
}

func (q *flexQuery) Read(f *api.Form) {
	q.ticker, q.plan, q.investment = f.String("ticker"), f.String("plan"), f.String("investment")
	q.classes = history.FlexInvestments
	switch active, s := f.Between("investmentStatus", 0, 1); s {
	case api.Malformed:
		f.Fail(400, 0, "investmentStatus", "The selected investment status is invalid.")
	case api.Good:
		q.classes = history.FlexInvestments[1-active : 2-active]
	}
	q.limit, q.offset = f.Page(mostPerPage, mostPerPage, api.MaxOffset, api.OfMoney)
}

var (
	flexEncoder = api.Encode("FlexInvestment", "An investment in a flex plan.",
		api.StringField("id", "UUID of the investment.", (*invested).uuid),
		api.StringField("planId", "UUID of the plan.", func(v *invested) string { return v.plan.uuid() }),
		api.StringField("currency", "Ticker of the asset.", func(v *invested) string { return v.plan.ticker }),
		api.DecimalField("invested", "Amount that is invested; 0 if it is closed.", func(v *invested) fixed.Decimal { return v.Amount }),
		api.BooleanField("withAutoReinvest", "Whether interest is invested too.", func(v *invested) bool { return v.Reinvest }),
		api.IntegerField("status", "1 active, 0 closed.", func(v *invested) int64 {
			if v.Closed {
				return 0
			}
			return 1
		}),
		api.SecondsField("createdAt", "Time at which it was opened.", func(v *invested) schema.Time { return v.Created }),
		api.SecondsField("updatedAt", "Time of its last change.", func(v *invested) schema.Time { return v.Updated }))
	flexPage = pageOf("FlexInvestments", "A page of investments.", "data", flexEncoder)
)

var aboutFlexInvestments = &api.About{
	Summary: "List flex investments",
	Text:    "Open and closed ones, newest first. An account has at most one open investment in a plan.",
	Parameters: map[string]string{
		"ticker": "Return only investments of this asset.", "plan": "Return only investments in the plan with this UUID.", "investment": "Return only the investment with this UUID.",
		"investmentStatus": "Return only investments with this status: 1 active, 0 closed.",
	},
	Response: flexPage.Schema(),
	Faults:   []*api.Error{errTicker, errPlan, errInvestment},
}

func flexInvestments(c *api.Call, q *flexQuery) (api.Answer, error) {
	query := &history.Query{Kind: history.Investments, Classes: q.classes, Limit: q.limit, Offset: q.offset}
	var err error
	if query.Asset, err = assetOf(c, q.ticker); err != nil {
		return nil, err
	}
	none := false
	if query.Tag, query.Ref, none, err = narrowed(c, q.plan, q.investment); err != nil {
		return nil, err
	}
	var list []invested
	if !none {
		if list, err = investments(c, query); err != nil {
			return nil, err
		}
	}
	c.API.Read(func(m core.View) { // what becomes of interest may have changed, and no money moved
		for i := range list {
			if now, open := m.Earn().Investment(list[i].ID); open {
				list[i].Investment = &now
			}
		}
	})
	return flexPage.Answer(&page[invested]{list, q.limit, q.offset}), nil
}

// narrowed are the tag and the ref of what belongs to a flex plan and an investment, as far as they are named. None: they do not belong together.
func narrowed(c *api.Call, ofPlan, ofInvestment string) (tag string, ref uint64, none bool, err error) {
	if ofPlan != "" {
		p, known := find(c.API, ofPlan, schema.FlexPlan)
		if !known {
			return "", 0, false, errPlan
		}
		tag = history.InvestedIn(p.ID)
	}
	if ofInvestment != "" {
		record, known, err := investmentOf(c.Past, ofInvestment, history.FlexInvestments)
		switch {
		case err != nil:
			return "", 0, false, err
		case !known:
			return "", 0, false, errInvestment
		}
		ref, none = record.ID, tag != "" && tag != record.Tag
	}
	return tag, ref, none, nil
}
