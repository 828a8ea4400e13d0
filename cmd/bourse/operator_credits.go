package main

import "bourse/internal/console"

type creditCmd struct {
	List   creditList   `cmd:"" help:"Print all credits."`
	Open   creditOpen   `cmd:"" help:"Lend an account money of the operator."`
	Charge creditCharge `cmd:"" help:"Take interest out of the main wallet of the account."`
	Repay  creditRepay  `cmd:"" help:"Take a part of a credit back out of the main wallet of the account, or all of it."`
}

func (creditCmd) Help() string {
	return `An account with a credit line ('accounts set NAME --credit-line') can have one credit at a time. The money is
the operator's: it comes from house, and goes back there. 'ltv' is what the credit is of all that the account
owns in its main and trade wallets, in percent. Nothing happens by itself when it passes the margin call or
the liquidation: these are what was agreed, and the customer can read them.`
}

type creditList struct{}

func (creditList) Run(c *operatorCmd, out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	answer, err := c.askAll(ctx, console.Path("credits"))
	if err != nil {
		return err
	}
	return c.print(out, answer, table("no credits"))
}

type creditOpen struct {
	movement
	Initial     string `required:"" placeholder:"PERCENT" help:"What the credit may be at first of all that the account owns."`
	MarginCall  string `required:"" placeholder:"PERCENT" help:"At what part the account is asked for more."`
	Liquidation string `required:"" placeholder:"PERCENT" help:"At what part the operator takes the money back."`
}

func (o *creditOpen) Run(c *operatorCmd, out stdout) error {
	more := map[string]any{"initial": o.Initial, "margin_call": o.MarginCall, "liquidation": o.Liquidation}
	return o.ask(c, out, "credit", more, printObject)
}

// creditPart is a command about a part of a credit.
type creditPart struct {
	Account string `arg:"" help:"The name of the account."`
	Amount  string `arg:"" help:"The amount, such as 100."`
}

func (p *creditPart) do(c *operatorCmd, out stdout, what string) error {
	path := console.Path("accounts", p.Account, "credit", what)
	return c.ask(out, console.Request{Method: "POST", Path: path, Body: map[string]any{"amount": p.Amount}}, printObject)
}

type creditCharge struct{ creditPart }

func (o *creditCharge) Run(c *operatorCmd, out stdout) error { return o.do(c, out, "charges") }

type creditRepay struct{ creditPart }

func (o *creditRepay) Run(c *operatorCmd, out stdout) error { return o.do(c, out, "repayments") }
