package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"bourse/internal/console"
)

type marginCmd struct {
	Account string `arg:"" help:"The name of the account."`
}

func (marginCmd) Help() string {
	return `Amounts are in USDT. An account is called when its equity and unrealized PnL together are less than one
and a half times its maintenance margin, and liquidated when they are less than that margin. 'risk' is
what was found when prices last changed. A position with a negative amount is short; 'cost' is what was
paid for what is open. Prices are those of its market, of a TradFi future in USD.`
}

func (m *marginCmd) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("accounts", m.Account, "margin")}, printMargin)
}

var printMargin = parts(printed{"positions", "no positions"}, printed{"loans", "no loans"})

type closeCmd struct {
	Account  string `arg:"" help:"The name of the account."`
	Position uint64 `arg:"" help:"The number of the position; 'bourse operator margin' shows it."`
}

func (closeCmd) Help() string {
	return `An order at the market closes the position, within the bounds of the market, also if the account is
blocked. What the book does not take stays open. What the account has then is printed.`
}

func (m *closeCmd) Run(c *operatorCmd, out stdout) error {
	path := console.Path("accounts", m.Account, "positions", fmt.Sprint(m.Position))
	return c.ask(out, console.Request{Method: "DELETE", Path: path}, printMargin)
}

type fundsCmd struct {
	List     fundsList     `cmd:"" help:"Print what the funds have of each asset."`
	Deposit  fundsDeposit  `cmd:"" help:"Bring the operator's money into a fund."`
	Withdraw fundsWithdraw `cmd:"" help:"Take money out of a fund, no more than it has."`
}

func (fundsCmd) Help() string {
	return `The insurance fund gets fees of liquidations and pays what customers owe and have nothing left for; below
zero it is the operator's debt. The pool of loans (lending) is what can be lent; 'lent' is what customers
owe it. 'clearing' is what is between those who win and those who lose by futures, and 'codes' what is in codes that
nobody applied yet. 'custody' is what is booked of what came by chains, 'suspense' what of that is nobody's
or waits for a decision, and 'owed' what customers owe because a chain took back what they had spent.
'convert' is the inventory that conversions are paid from and into, without what open quotes promise, and
'interest' what investments are paid from, without what fixed plans will pay. 'pool' is what miners are paid from.`
}

var printFunds = table("no money", "asset", "insurance", "lending", "lent", "clearing", "codes", "convert", "interest", "pool", "custody", "suspense", "owed")

type fundsList struct{}

func (fundsList) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("funds")}, printFunds)
}

// funding is a command that moves money of a fund.
type funding struct {
	Fund   string `arg:"" enum:"insurance,lending,convert,interest,pool" help:"The fund: insurance, lending, convert, interest or pool."`
	Asset  string `arg:"" help:"The asset, such as USDT."`
	Amount string `arg:"" help:"The amount, such as 100000."`
}

func (f *funding) do(c *operatorCmd, out stdout, to string) error {
	body := map[string]any{"asset": f.Asset, "amount": f.Amount}
	return c.ask(out, console.Request{Method: "POST", Path: console.Path("funds", f.Fund, to), Body: body}, printFunds)
}

type fundsDeposit struct{ funding }

func (f *fundsDeposit) Run(c *operatorCmd, out stdout) error { return f.do(c, out, "deposits") }

type fundsWithdraw struct{ funding }

func (f *fundsWithdraw) Run(c *operatorCmd, out stdout) error { return f.do(c, out, "withdrawals") }

// printed is a list inside an object, and what is printed when it is empty.
type printed struct{ name, empty string }

// parts prints the members of an object below each other, and tables of the lists in it after them.
func parts(lists ...printed) func(stdout, json.RawMessage) error {
	return func(out stdout, answer json.RawMessage) error {
		var o console.Object
		if err := json.Unmarshal(answer, &o); err != nil {
			return err
		}
		r := &rows{out: out, pairs: true}
		for _, m := range o {
			if isPart(lists, m.Name) {
				continue
			}
			if err := r.add(cell{m.Name, readable(m.Name, m.Value)}); err != nil {
				return err
			}
		}
		if err := r.flush(); err != nil {
			return err
		}
		for _, list := range lists {
			fmt.Fprintln(out)
			if err := table(list.empty)(out, o.Get(list.name)); err != nil {
				return err
			}
		}
		return nil
	}
}

func isPart(lists []printed, name string) bool {
	return slices.ContainsFunc(lists, func(p printed) bool { return p.name == name })
}
