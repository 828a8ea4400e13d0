// Package earn is investments in the API: fixed plans, which pay at the end of a term, and flex plans, which pay each day, with what an account
// has in them and had. It is for partners and their sub-accounts.
package earn

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// Operations are the rows of the group. Limits are those of errors-and-limits 4.
func Operations() []api.Operation {
	return []api.Operation{
		post("smart/plans", api.Reader(fixedPlans, aboutFixedPlans)),
		post("smart/investment", api.Writer(invest, aboutInvest)),
		post("smart/investment/close", api.Writer(end, aboutEnd)),
		post("smart/investments", api.Reader(fixedInvestments, aboutFixedInvestments)),
		post("smart/interest-payment-history", api.Reader(interests, aboutInterests)),
		post("smart-flex/plans", api.Reader(flexPlans, aboutFlexPlans)),
		post("smart-flex/investments", api.Reader(flexInvestments, aboutFlexInvestments)),
		post("smart-flex/investments/history", api.Reader(actions, aboutActions)),
		post("smart-flex/investments/payment-history", api.Reader(earnings, aboutEarnings)),
		post("smart-flex/investments/invest", api.Writer(add, aboutAdd)),
		post("smart-flex/investments/withdraw", api.Writer(withdraw, aboutWithdraw)),
		post("smart-flex/investments/close", api.Writer(closeFlex, aboutClose)),
		post("smart-flex/investments/auto-invest", api.Writer(reinvest, aboutReinvest)),
	}
}

func post(name string, h api.Handling) api.Operation {
	return api.Post("/api/v4/main-account/"+name, api.Per10s(1000), h).ForFamily(func(a *schema.Account) bool { return a.Partner }, 403)
}

// plan is a plan with what all have in it.
type plan struct {
	schema.Plan
	invested fixed.Decimal
	ticker   string // of what is invested
	payout   string // of what it pays
}

func (p *plan) uuid() string { return uuid.Text(p.Created, uuid.Plan, uint64(p.ID)) }

// investment is the UUID of an investment in the plan.
func (p *plan) investment(id schema.InvestmentID) string {
	return uuid.Text(p.Created, uuid.Investment, uint64(id))
}

// left is what may still be invested at once: what the cap of the plan leaves, within the bound of an investment; the most that there is without
// either.
func (p *plan) left() fixed.Decimal {
	left := fixed.Max
	if p.Max.Sign() > 0 {
		left = p.Max
	}
	if p.Cap.Sign() > 0 {
		left = fixed.MinOf(left, fixed.MaxOf(fixed.Zero, p.Cap.Sub(p.invested)))
	}
	return left
}

// describe is a plan as it is now.
func describe(a *api.API, m core.View, p *schema.Plan) plan {
	return plan{*p, m.Earn().Invested(p.ID), a.Directory().Ticker(p.Asset), a.Directory().Ticker(p.Payout)}
}

// find is the plan of a kind with a UUID, whether accounts see it or not; false: there is none.
func find(a *api.API, text string, kind schema.PlanKind) (p plan, known bool) {
	number, is := uuid.Read(text, uuid.Plan)
	if id := schema.PlanID(number); is && uint64(id) == number {
		a.Read(func(m core.View) {
			if at := m.Earn().Plan(id); at != nil && at.Kind == kind {
				p, known = describe(a, m, at), true
			}
		})
	}
	return p, known
}

// seen are the plans of a kind that the caller can invest in, by id, of an asset, or of all (0).
func seen(c *api.Call, kind schema.PlanKind, asset schema.AssetID) []plan {
	list := []plan{}
	c.API.Read(func(m core.View) {
		for _, p := range m.Earn().Plans() {
			if p.Kind == kind && p.Status == schema.PlanActive && (asset == 0 || p.Asset == asset) &&
				p.Regions.Include(c.Region()) && m.Earn().Sees(c.Account.ID, p.ID) {
				list = append(list, describe(c.API, m, p))
			}
		}
	})
	return list
}

// plansOf are the plans of what an account did, by id. No plan is ever gone.
func plansOf(a *api.API, ids func(yield func(schema.PlanID))) map[schema.PlanID]*plan {
	all := map[schema.PlanID]*plan{}
	a.Read(func(m core.View) {
		ids(func(id schema.PlanID) {
			if all[id] == nil {
				p := describe(a, m, m.Earn().Plan(id))
				all[id] = &p
			}
		})
	})
	return all
}

// selected answers for a field that names nothing that there is.
func selected(field, spoken string) *api.Error {
	return api.NewError(400, 0, api.ValidationFailed, field, "The selected "+spoken+" is invalid.")
}

var (
	errTicker     = selected("ticker", "ticker")
	errInvestment = selected("investment", "investment")
	errPlan       = selected("plan", "plan")
	errPlanID     = selected("planId", "planId") // how fixed plans are named
	errDecimals   = api.NewError(400, 0, api.ValidationFailed, "amount", "Invalid decimal amount")
)

// assetOf is the asset that a filter names, 0 without one.
func assetOf(c *api.Call, ticker string) (schema.AssetID, error) {
	if ticker == "" {
		return 0, nil
	}
	if asset := c.Directory().Asset(ticker); asset != nil {
		return asset.ID, nil
	}
	return 0, errTicker
}

// investmentOf is the record of the caller's investment with a UUID, if it is of one of some classes. Those of others are as good as none.
func investmentOf(past func(*history.Query) ([]history.Record, error), text string, classes []history.Class) (v history.Record, known bool, err error) {
	number, is := uuid.Read(text, uuid.Investment)
	if !is {
		return v, false, nil
	}
	records, err := past(&history.Query{Kind: history.Investments, Ref: number, Classes: classes, Limit: 1})
	if err != nil || len(records) == 0 {
		return v, false, err
	}
	return records[0], true, nil
}

// readAmount reads an amount. The core knows how fine those of each asset are, and how large.
func readAmount(f *api.Form) api.Number {
	n := f.Number("amount")
	if n.State == api.Malformed {
		f.Fail(400, 0, "amount", "The amount field must be a valid number")
	}
	return n
}

// readFlag reads whether something is to be so; without it, it is not.
func readFlag(f *api.Form, name string) bool {
	value, s := f.Bool(name)
	if s == api.Malformed {
		f.Fail(400, 0, name, "The "+f.Spoken(name)+" field must be true or false.")
	}
	return value
}

// words are what an endpoint says instead of what a refusal says elsewhere.
type words map[schema.Reason]*api.Error

// submit lets a command happen, and words its refusal.
func (w words) submit(c api.WriteCall, command schema.Command) (schema.Result, error) {
	var result schema.Result
	err := c.Submit(command, &result)
	if own := w[result.Rejection.Reason]; err != nil && own != nil {
		err = own
	}
	return result, err
}

// errUncovered answers for more than the main wallet has.
func errUncovered(available, amount fixed.Decimal) *api.Error {
	return api.NewError(422, 4, api.InnerValidationFailed, "amount", "Available "+available.String()+" < "+amount.String())
}

// page is a part of a list.
type page[T any] struct {
	items         []T
	limit, offset int
}

// pageOf declares a page of a list. Those of fixed and of flex plans have other names for what is on it, and another order.
func pageOf[T any](name, description, items string, of *api.Encoder[T]) *api.Encoder[page[T]] {
	return api.Encode(name, description,
		api.ArrayField(items, of, "The records.", func(p *page[T]) []T { return p.items }),
		api.IntegerField("limit", "As requested.", func(p *page[T]) int64 { return int64(p.limit) }),
		api.IntegerField("offset", "As requested.", func(p *page[T]) int64 { return int64(p.offset) }))
}

// Bounds of pages.
const (
	mostPerPage = 100
	fewPerPage  = 50 // of transactions, unless a limit is asked for
)
