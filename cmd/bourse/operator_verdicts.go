package main

import "bourse/internal/console"

type verdictsCmd struct {
	List  verdictsList  `cmd:"" help:"Print what checks of addresses end with."`
	Set   verdictsSet   `cmd:"" help:"Say what checks of an address end with."`
	Clear verdictsClear `cmd:"" help:"Let an address be as harmless as any."`
}

func (verdictsCmd) Help() string {
	return `Customers who may have addresses checked ('accounts set NAME --checker') learn the risk of an address a few
seconds after they ask, and pay 2 USDT for it. The checker is a sandbox: every address is of low risk, unless
it is said otherwise here.`
}

type verdictsList struct{}

func (verdictsList) Run(c *operatorCmd, out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	answer, err := c.askAll(ctx, console.Path("verdicts"))
	if err != nil {
		return err
	}
	return c.print(out, answer, table("no verdicts"))
}

// verdictOn is a command about an address.
type verdictOn struct {
	Address string `arg:"" help:"The address, as it is written in checks."`
}

type verdictsSet struct {
	verdictOn
	Verdict     string `arg:"" enum:"low,medium,high,fail" help:"The risk: low, medium or high; or fail: the check ends without a result and costs nothing."`
	Description string `placeholder:"TEXT" help:"What the customer reads about it."`
}

func (v *verdictsSet) Run(c *operatorCmd, out stdout) error {
	body := map[string]any{"description": v.Description}
	if v.Verdict == "fail" {
		body["fails"] = true
	} else {
		body["risk"] = v.Verdict
	}
	return c.ask(out, console.Request{Method: "PUT", Path: console.Path("verdicts", v.Address), Body: body}, printObject)
}

type verdictsClear struct{ verdictOn }

func (v *verdictsClear) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "DELETE", Path: console.Path("verdicts", v.Address)}, printObject)
}
