package main

import (
	"fmt"

	"bourse/internal/console"
)

type tiersCmd struct {
	List tiersList `cmd:"" help:"Print the limits of all tiers."`
	Set  tiersSet  `cmd:"" help:"Set the limits of a tier."`
}

func (tiersCmd) Help() string {
	return `A tier bounds the value of what an account sends away by withdrawals, codes and express payments: in 24
hours and in 30 days, counted by hours of the clock, in the quote asset of the first market. 0 does not bind.
An account that is not verified is in tier 0; 'accounts set NAME --verified --tier 2' says otherwise.`
}

type tiersList struct{}

func (tiersList) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("tiers")}, table("no tiers", "tier", "day", "month"))
}

type tiersSet struct {
	Tier  uint8  `arg:"" help:"The tier, 0 to 9."`
	Day   string `default:"0" placeholder:"AMOUNT" help:"What may leave in 24 hours; 0, as without it: any amount."`
	Month string `default:"0" placeholder:"AMOUNT" help:"What may leave in 30 days; 0, as without it: any amount."`
}

func (t *tiersSet) Run(c *operatorCmd, out stdout) error {
	body := map[string]any{"day": t.Day, "month": t.Month}
	return c.ask(out, console.Request{Method: "PUT", Path: console.Path("tiers", fmt.Sprint(t.Tier)), Body: body}, printObject)
}
