package main

import (
	"fmt"

	"bourse/internal/console"
)

type vaspsCmd struct {
	List   vaspsList   `cmd:"" help:"Print the VASPs that are known."`
	Set    vaspsSet    `cmd:"" help:"Make a VASP known, or change its name."`
	Remove vaspsRemove `cmd:"" help:"Forget a VASP."`
}

func (vaspsCmd) Help() string {
	return `A VASP (virtual asset service provider) is an exchange, or another service that keeps wallets. An account in
the EU that withdraws says who keeps the wallet that it sends to: if that is a VASP of this list, nobody has
to approve the withdrawal for it; if not, one operator has to at least.`
}

type vaspsList struct{}

func (vaspsList) Run(c *operatorCmd, out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	answer, err := c.askAll(ctx, console.Path("vasps"))
	if err != nil {
		return err
	}
	return c.print(out, answer, table("no VASPs"))
}

// ofVASP is a command about a VASP.
type ofVASP struct {
	ID string `arg:"" name:"id" help:"The id of the VASP, as customers send it."`
}

type vaspsSet struct {
	ofVASP
	Name string `arg:"" help:"What people call it."`
}

func (v *vaspsSet) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "PUT", Path: console.Path("vasps", v.ID), Body: map[string]any{"name": v.Name}}, printObject)
}

type vaspsRemove struct{ ofVASP }

func (v *vaspsRemove) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "DELETE", Path: console.Path("vasps", v.ID)}, printObject)
}

type travelCmd struct {
	Deposit    travelDeposit    `cmd:"" help:"Print who sent a deposit that is in review."`
	Withdrawal travelWithdrawal `cmd:"" help:"Print who receives a withdrawal."`
}

func (travelCmd) Help() string {
	return `Accounts in the EU must say who sent a deposit before it is credited, and who receives a withdrawal. What
they say is sealed in the log, and who reads it here is noted in the log of the program. That of a deposit
is gone once it is decided ('bourse operator decide ID credit' or 'cancel').`
}

// travelOf prints what was said with a deposit or a withdrawal.
func (c *operatorCmd) travelOf(out stdout, what string, id uint64) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path(what, fmt.Sprint(id), "travel")}, printJSON)
}

type travelDeposit struct {
	Deposit uint64 `arg:"" name:"id" help:"The number of the deposit; 'bourse operator deposits' shows it."`
}

func (d *travelDeposit) Run(c *operatorCmd, out stdout) error {
	return c.travelOf(out, "deposits", d.Deposit)
}

type travelWithdrawal struct {
	Withdrawal uint64 `arg:"" name:"id" help:"The number of the withdrawal; 'bourse operator withdrawals' shows it."`
}

func (w *travelWithdrawal) Run(c *operatorCmd, out stdout) error {
	return c.travelOf(out, "withdrawals", w.Withdrawal)
}
