package earn

import (
	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// adding asks for money to be invested in a flex plan.
type adding struct {
	plan     string
	amount   api.Number
	reinvest bool
}

func (q *adding) Read(f *api.Form) {
	f.Schema().Alternatives("plan | planId")
	f.Demand("amount")
	q.plan = f.String("plan")
	if older := f.String("planId"); !f.Has("plan") {
		q.plan = older
		if !f.Has("planId") {
			f.Demand("plan")
		}
	}
	q.amount, q.reinvest = readAmount(f), readFlag(f, "withReinvest")
}

// transaction is the UUID of what happened to an investment.
type transaction string

func (t *transaction) text() string { return string(*t) }

func transactionOf(at schema.Time, id uint64) transaction {
	return transaction(uuid.Text(at, uuid.Earned, id))
}

var (
	transactionEncoder = api.Encode("FlexTransaction", "What happened to an investment.",
		api.StringField("transaction_id", "UUID of the transaction, as in the history.", (*transaction).text),
		api.StringField("transactionId", "The same.", (*transaction).text))
	answerEncoder = api.Encode("FlexTransactionAnswer", "The transaction.",
		api.ObjectField("data", transactionEncoder, "The transaction.", func(t *transaction) *transaction { return t }))
)

// inner answers for what the exchange found.
func inner(field, text string) *api.Error {
	return api.NewError(422, 0, api.InnerValidationFailed, field, text)
}

var (
	addWords = words{
		schema.PlanIsSoldOut:   inner("plan", "Plan is unavailable"),
		schema.MoveNotPositive: inner("amount", "Amount is too small"),
		schema.MoveTooPrecise:  errDecimals,
	}
	withdrawWords = words{
		schema.MoveNotPositive: inner("amount", "Withdraw amount is too small"),
		schema.MoveTooPrecise:  errDecimals,
	}
	errNone      = inner("amount", "Investment does not exist")
	errOver      = inner("investment", "Cannot withdraw from closed investment")
	errReinvests = inner("plan", "No existing investments for this plan")
)

var aboutAdd = &api.About{
	Summary: "Invest in a flex plan",
	Text: "The amount moves from the main balance into the plan: it opens an investment, or is added to the one that the account has there. It earns interest from the next full hour on. " +
		"Deposits that await confirmation cannot be invested.",
	Parameters: map[string]string{
		"plan": "UUID of the plan.", "planId": "Older name of plan.", "amount": "Amount to invest.",
		"withReinvest": "If true, interest is invested too, as far as maxInvestment permits; otherwise it goes to the main balance. Holds from now on. Default: false.",
	},
	Response: answerEncoder.Schema(),
	Refusals: []schema.Reason{
		schema.PlanUnknown, schema.PlanPrivate, schema.PlanIsPaused, schema.InvestmentAboveLimit, schema.InvestmentsTooMany, schema.InvestmentBelowMin, schema.InvestmentAboveMax,
		schema.MoveHeld, schema.Owing, schema.InterestNotCovered,
	},
	Faults: []*api.Error{addWords[schema.PlanIsSoldOut], addWords[schema.MoveNotPositive], errDecimals, errUncovered(fixed.FromUnits(5, 2), fixed.One)},
}

func add(c api.WriteCall, q *adding) (api.Answer, error) {
	p, known := find(c.API, q.plan, schema.FlexPlan)
	if !known {
		return nil, errPlan
	}
	amount, r := q.amount.Fit(schema.MoveTooPrecise, 0)
	if r.Refused() {
		return nil, errDecimals
	}
	result, err := addWords.submit(c, &schema.Invest{Account: c.Account.ID, Plan: p.ID, Amount: amount, Reinvest: q.reinvest})
	if err != nil {
		if r := result.Rejection; r.Reason == schema.InvestmentNotCovered {
			err = errUncovered(r.Value, amount)
		}
		return nil, err
	}
	made := transactionOf(result.Time, result.ID)
	return answerEncoder.Answer(&made), nil
}

// taking asks for a part of an investment.
type taking struct {
	plan   string
	amount api.Number
}

func (q *taking) Read(f *api.Form) {
	f.Demand("plan", "amount")
	q.plan, q.amount = f.String("plan"), readAmount(f)
}

var aboutWithdraw = &api.About{
	Summary: "Withdraw from a flex investment",
	Text: "A part comes back to the main balance at once; what is left is at least minInvestment. What it earned so far is kept and credited at 00:00 UTC. " +
		"If the amount is all that is invested, the investment is closed.",
	Parameters: map[string]string{"plan": "UUID of the plan.", "amount": "Amount to withdraw."},
	Response:   answerEncoder.Schema(),
	Refusals:   []schema.Reason{schema.DivestTooMuch, schema.DivestLeavesTooLittle},
	Faults:     []*api.Error{errPlan, errNone, errOver, withdrawWords[schema.MoveNotPositive], errDecimals},
}

func withdraw(c api.WriteCall, q *taking) (api.Answer, error) {
	amount, r := q.amount.Fit(schema.MoveTooPrecise, 0)
	if r.Refused() {
		return nil, errDecimals
	}
	return divest(c, q.plan, &schema.Divest{Amount: amount})
}

// closing asks for all of an investment.
type closing struct{ plan string }

func (q *closing) Read(f *api.Form) {
	f.Demand("plan")
	q.plan = f.String("plan")
}

var aboutClose = &api.About{
	Summary:    "Close a flex investment",
	Text:       "All that is invested comes back to the main balance at once, with the interest for the full hours since it was last credited.",
	Parameters: map[string]string{"plan": "UUID of the plan."},
	Response:   answerEncoder.Schema(),
	Faults:     []*api.Error{errPlan, errNone, errOver},
}

func closeFlex(c api.WriteCall, q *closing) (api.Answer, error) {
	return divest(c, q.plan, &schema.Divest{All: true})
}

// divest takes money out of the investment of the caller in a plan.
func divest(c api.WriteCall, in string, command *schema.Divest) (api.Answer, error) {
	p, known := find(c.API, in, schema.FlexPlan)
	if !known {
		return nil, errPlan
	}
	command.Account, command.Plan = c.Account.ID, p.ID
	result, err := withdrawWords.submit(c, command)
	if result.Rejection.Reason == schema.InvestmentUnknown {
		return nil, none(c, p.ID)
	}
	if err != nil {
		return nil, err
	}
	made := transactionOf(result.Time, result.ID)
	return answerEncoder.Answer(&made), nil
}

// none says why nothing can be taken out of a plan: the caller never invested in it, or closed what there was.
func none(c api.WriteCall, plan schema.PlanID) error {
	records, err := c.Past(&history.Query{Kind: history.Investments, Tag: history.InvestedIn(plan), Limit: 1})
	switch {
	case err != nil:
		return err
	case len(records) == 0:
		return errNone
	}
	return errOver
}

// reinvesting asks what is to become of interest.
type reinvesting struct {
	plan string
	on   bool
}

func (q *reinvesting) Read(f *api.Form) {
	f.Demand("plan")
	q.plan, q.on = f.String("plan"), readFlag(f, "enabled")
}

// nothing is what an answer without data has.
type nothing struct{}

var nothingEncoder = api.Encode("FlexDone", "The request succeeded.", api.ConstantField[nothing]("data", api.TupleOf(), "Always empty.", "[]"))

var aboutReinvest = &api.About{
	Summary:    "Switch the reinvestment of interest",
	Text:       "Holds from the next credit on.",
	Parameters: map[string]string{"plan": "UUID of the plan.", "enabled": "If true, interest is invested too; otherwise it goes to the main balance. Default: false."},
	Response:   nothingEncoder.Schema(),
	Faults:     []*api.Error{errPlan, errReinvests},
}

func reinvest(c api.WriteCall, q *reinvesting) (api.Answer, error) {
	p, known := find(c.API, q.plan, schema.FlexPlan)
	if !known {
		return nil, errPlan
	}
	if _, err := (words{schema.InvestmentUnknown: errReinvests}).submit(c, &schema.SetReinvest{Account: c.Account.ID, Plan: p.ID, On: q.on}); err != nil {
		return nil, err
	}
	return nothingEncoder.Answer(&nothing{}), nil
}
