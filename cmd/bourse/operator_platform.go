package main

import (
	"encoding/json"
	"fmt"
	"net/url"

	"bourse/internal/console"
)

type platformCmd struct {
	Status       platformStatus       `cmd:"" default:"1" help:"Print how it stands. This is what comes without a word."`
	Maintenance  platformMaintenance  `cmd:"" help:"Close the API to all clients at once, or open it again. Orders stay where they are."`
	StepRule     platformStepRule     `cmd:"" help:"Say whether prices and amounts must be multiples of tick and step."`
	BoundedWork  platformBoundedWork  `cmd:"" help:"Bound the work of single commands and the open orders of accounts: for exchanges begun before that was the rule. It stays on for good."`
	ExactMoney   platformExactMoney   `cmd:"" help:"Let unconfirmed deposits bind the whole account, and orders in quote take all they can pay: for exchanges begun before that was the rule. It stays on for good."`
	ExactNonces  platformExactNonces  `cmd:"" help:"Remember the nonces of the window mode until the clock of the exchange has left them behind: for exchanges begun before that was the rule. It stays on for good."`
	JudgedKeys   platformJudgedKeys   `cmd:"" help:"Judge at the place of a command in the log whether its API key may call the operation: for exchanges begun before that was the rule, once all nodes run this version. It stays on for good."`
	TwoOperators platformTwoOperators `cmd:"" help:"Let a second operator approve what loosens the bounds of money on chains that others live on, or gives much of it away: for exchanges begun before that was the rule, once all nodes run this version. It stays on for good."`
	IdleKeys     platformIdleKeys     `cmd:"" help:"Say whether keys of customers that nobody used for 14 days are switched off. Time before this was switched on does not count."`
}

type platformStatus struct{}

func (platformStatus) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("platform")}, printObject)
}

// switched is a command that switches something.
type switched struct {
	State string `arg:"" enum:"on,off" help:"on or off."`
}

func (s *switched) set(c *operatorCmd, out stdout, name string) error {
	body := map[string]bool{name: s.State == "on"}
	return c.ask(out, console.Request{Method: "PATCH", Path: console.Path("platform"), Body: body}, printObject)
}

type platformMaintenance struct{ switched }

func (p *platformMaintenance) Run(c *operatorCmd, out stdout) error {
	return p.set(c, out, "maintenance")
}

type platformStepRule struct{ switched }

func (p *platformStepRule) Run(c *operatorCmd, out stdout) error { return p.set(c, out, "step_rule") }

type platformBoundedWork struct{ switched }

func (p *platformBoundedWork) Run(c *operatorCmd, out stdout) error {
	return p.set(c, out, "bounded_work")
}

type platformExactMoney struct{ switched }

func (p *platformExactMoney) Run(c *operatorCmd, out stdout) error {
	return p.set(c, out, "exact_money")
}

type platformExactNonces struct{ switched }

func (p *platformExactNonces) Run(c *operatorCmd, out stdout) error {
	return p.set(c, out, "exact_nonces")
}

type platformJudgedKeys struct{ switched }

func (p *platformJudgedKeys) Run(c *operatorCmd, out stdout) error {
	return p.set(c, out, "judged_keys")
}

type platformTwoOperators struct{ switched }

func (p *platformTwoOperators) Run(c *operatorCmd, out stdout) error {
	return p.set(c, out, "two_operators")
}

type platformIdleKeys struct{ switched }

func (p *platformIdleKeys) Run(c *operatorCmd, out stdout) error { return p.set(c, out, "idle_keys") }

type auditCmd struct {
	Operator string `placeholder:"NAME" help:"Only what this operator did."`
	From     moment `placeholder:"TIME" help:"Only since then, such as 2026-10-01T00:00:00Z or --from=-24h."`
	To       moment `placeholder:"TIME" help:"Only until then."`
	Limit    int    `default:"100" placeholder:"N" help:"How many acts at most, up to 1000; by default 100."`
}

func (a *auditCmd) Run(c *operatorCmd, out stdout) error {
	query := url.Values{"limit": {fmt.Sprint(a.Limit)}}
	if a.Operator != "" {
		query.Set("operator", a.Operator)
	}
	for name, at := range map[string]moment{"from": a.From, "to": a.To} {
		if at != 0 {
			query.Set(name, fmt.Sprint(at))
		}
	}
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("audit"), Query: query}, printAudit)
}

// printAudit prints acts with their commands in short.
func printAudit(out stdout, answer json.RawMessage) error {
	var acts []console.Object
	if err := json.Unmarshal(answer, &acts); err != nil {
		return err
	}
	r := &rows{out: out, empty: "no acts"}
	for _, act := range acts {
		var command console.Object
		if err := json.Unmarshal(act.Get("command"), &command); err != nil {
			return err
		}
		row := cells(act, []string{"id", "time", "operator", "refusal", "subject"})
		if waits := readable("proposal", act.Get("proposal")); waits != nil && fmt.Sprint(waits) != "0" {
			row[3].value = fmt.Sprint("proposal ", waits)
		}
		for _, m := range command {
			row = append(row, cell{"act", m.Name}, cell{"with", string(m.Value)})
		}
		if err := r.add(row...); err != nil {
			return err
		}
	}
	return r.flush()
}
