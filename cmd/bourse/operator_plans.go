package main

import (
	"encoding/json"
	"strconv"

	"bourse/internal/console"
)

type planCmd struct {
	List   planList   `cmd:"" help:"Print all plans."`
	Show   planShow   `cmd:"" help:"Print a plan and the accounts that it is assigned to."`
	Add    planAdd    `cmd:"" help:"Offer a plan."`
	Set    planSet    `cmd:"" help:"Change a plan; what is not named stays."`
	Assign planAssign `cmd:"" help:"Let an account see a private plan."`
	Hide   planHide   `cmd:"" help:"Hide a private plan from an account again."`
}

func (planCmd) Help() string {
	return `A plan is an offer to invest, for partners ('accounts set NAME --partner') and their sub-accounts. A fixed plan pays a
percent of the amount after so many minutes; a flex plan pays a yearly rate, by the hour, each day. Interest comes out of
the fund 'interest' alone: fill it ('funds deposit interest USDT 1000') before anybody can invest. Once somebody
invested in a plan, kind, assets, percent, minutes and ratio stay. An inactive plan goes on paying.`
}

var printPlans = table("no plans", "name", "kind", "asset", "payout", "percent", "minutes", "ratio", "rate", "min", "max", "cap", "status", "private", "invested")

type planList struct{}

func (planList) Run(c *operatorCmd, out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	answer, err := c.askAll(ctx, console.Path("plans"))
	if err != nil {
		return err
	}
	return c.print(out, answer, printPlans)
}

// planNamed is a command about a plan.
type planNamed struct {
	Plan string `arg:"" help:"The name of the plan."`
}

type planShow struct{ planNamed }

func (p *planShow) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("plans", p.Plan)}, printObject)
}

// planSettings are what is set about a plan.
type planSettings struct {
	Payout  *string  `json:"payout,omitempty" placeholder:"TICKER" help:"The asset of the interest of a fixed plan, if it is another."`
	Percent *string  `json:"percent,omitempty" placeholder:"PERCENT" help:"What a fixed plan pays for its whole term, in percent of the amount."`
	Minutes *uint32  `json:"minutes,omitempty" placeholder:"N" help:"The term of a fixed plan."`
	Ratio   *string  `json:"ratio,omitempty" placeholder:"NUMBER" help:"How much of the asset one unit of payout is worth."`
	Rate    *string  `json:"rate,omitempty" placeholder:"FRACTION" help:"What a flex plan pays in a year, such as 0.05."`
	Min     *string  `json:"min,omitempty" placeholder:"AMOUNT" help:"The smallest amount of an investment."`
	Max     *string  `json:"max,omitempty" placeholder:"AMOUNT" help:"The largest amount of an investment; 0: any."`
	Cap     *string  `json:"cap,omitempty" placeholder:"AMOUNT" help:"The most that all may have in the plan; 0: any amount."`
	Status  *string  `json:"status,omitempty" enum:"active,sold out,inactive,paused" help:"active, sold out, inactive or paused."`
	Region  []string `json:"regions,omitempty" placeholder:"REGION" help:"A region whose accounts see it, global or eu; again for more."`
	Private *bool    `json:"private,omitempty" negatable:"" help:"Do only accounts see it to which it is assigned."`
}

type planAdd struct {
	planNamed
	Kind     string       `arg:"" enum:"fixed,flex" help:"fixed or flex."`
	Asset    string       `arg:"" help:"The ticker of the asset that is invested."`
	Settings planSettings `embed:""`
}

func (p *planAdd) Run(c *operatorCmd, out stdout) error {
	settings := members(p.Settings)
	settings["kind"], settings["asset"] = json.RawMessage(strconv.Quote(p.Kind)), json.RawMessage(strconv.Quote(p.Asset))
	request := console.Request{Method: "PUT", Path: console.Path("plans", p.Plan), Body: settings, OnlyNew: true}
	return c.ask(out, request, printObject)
}

type planSet struct {
	planNamed
	Settings planSettings `embed:""`
}

func (p *planSet) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "PATCH", Path: console.Path("plans", p.Plan), Body: members(p.Settings)}, printObject)
}

// planAccount is a command about a plan and an account.
type planAccount struct {
	planNamed
	Account string `arg:"" help:"The name of the account."`
}

func (p *planAccount) do(c *operatorCmd, out stdout, method string) error {
	return c.ask(out, console.Request{Method: method, Path: console.Path("plans", p.Plan, "accounts", p.Account)}, printObject)
}

type planAssign struct{ planAccount }

func (p *planAssign) Run(c *operatorCmd, out stdout) error { return p.do(c, out, "PUT") }

type planHide struct{ planAccount }

func (p *planHide) Run(c *operatorCmd, out stdout) error { return p.do(c, out, "DELETE") }

type investmentsCmd struct {
	Account string `arg:"" help:"The name of the account."`
}

func (i *investmentsCmd) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("accounts", i.Account, "investments")},
		table("no investments", "plan", "kind", "asset", "amount", "interest", "due", "reinvest", "created"))
}
