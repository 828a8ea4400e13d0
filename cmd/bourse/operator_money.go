package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"

	"bourse/internal/console"
)

// movement is a command that moves money of an account.
type movement struct {
	Account string `arg:"" help:"The name of the account."`
	Asset   string `arg:"" help:"The asset, such as BTC."`
	Amount  string `arg:"" help:"The amount, such as 0.5."`
}

// do moves the money and prints what the account has then. There may be more to say than what moves.
func (m *movement) do(c *operatorCmd, out stdout, to string, more map[string]any) error {
	return m.ask(c, out, to, more, printBalances)
}

// ask is do for what is answered otherwise.
func (m *movement) ask(c *operatorCmd, out stdout, to string, more map[string]any, show func(stdout, json.RawMessage) error) error {
	body := map[string]any{"asset": m.Asset, "amount": m.Amount}
	maps.Copy(body, more)
	return c.ask(out, console.Request{Method: "POST", Path: console.Path("accounts", m.Account, to), Body: body}, show)
}

var printBalances = table("no money", "wallet", "asset", "available", "frozen", "held")

type depositCmd struct {
	movement
	Wallet string `enum:"main,trade" default:"main" placeholder:"WALLET" help:"Where the money ends: main, or trade, where orders take it from; by default main."`
	Held   bool   `help:"It waits for confirmation, as a payment that is still on its way: it can be traded with and not be withdrawn."`
}

func (depositCmd) Help() string {
	return `A deposit arrives in the main wallet. With --wallet trade a transfer to the trade wallet follows it, and
the audit shows both.`
}

func (d *depositCmd) Run(c *operatorCmd, out stdout) error {
	more := map[string]any{"wallet": d.Wallet}
	if d.Held {
		more["held"] = true
	}
	return d.do(c, out, "deposits", more)
}

type confirmCmd struct{ movement }

func (m *confirmCmd) Run(c *operatorCmd, out stdout) error {
	return m.do(c, out, "confirmations", nil)
}

type withdrawCmd struct{ movement }

func (m *withdrawCmd) Run(c *operatorCmd, out stdout) error {
	return m.do(c, out, "withdrawals", nil)
}

type balancesCmd struct {
	Account string `arg:"" help:"The name of the account. The exchange's own are outside, fees, insurance, house, lending, clearing, codes, custody, suspense, convert, interest and pool."`
}

func (b *balancesCmd) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("accounts", b.Account, "balances")}, printBalances)
}

type statementCmd struct {
	Account string `arg:"" help:"The name of the account. The exchange's own are outside, fees, insurance, house, lending, clearing, codes, custody, suspense, convert, interest and pool."`
	Asset   string `placeholder:"TICKER" help:"Only changes of this asset."`
	Wallet  string `placeholder:"WALLET" help:"Only changes in this wallet: main, trade, collateral, earn or owed."`
}

func (statementCmd) Help() string {
	return `Each line is a balance after it changed. 'change' is that of available and frozen together: money
that is only set aside for an order, or given back, changes by 0, and the lines of a wallet and an
asset add up to what is there. 'held' is what was deposited and is not confirmed yet.

Lines are printed as they come: the exchange reads them out of its log, for one statement at a time.
With --json each line is an object.`
}

func (s *statementCmd) Run(c *operatorCmd, out stdout, errs stderr) error {
	to, err := c.console()
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	query := url.Values{}
	for name, value := range map[string]string{"asset": s.Asset, "wallet": s.Wallet} {
		if value != "" {
			query.Set(name, value)
		}
	}
	bar := newProgress(errs)
	bar.of = "lines"
	// Lines on a terminal show by themselves how far it is.
	quiet := isTerminal(out)
	r, count := &rows{out: out, empty: "no changes"}, uint64(0)
	request := console.Request{Method: "GET", Path: console.Path("accounts", s.Account, "statement"), Query: query}
	err = to.Lines(ctx, request, func(line json.RawMessage, more bool) error {
		if count++; !quiet {
			bar.show(count, 0)
		}
		if c.JSON {
			_, err := fmt.Fprintf(out, "%s\n", line)
			return err
		}
		return s.row(r, line, more)
	})
	bar.clear()
	if err != nil || c.JSON {
		return err
	}
	return r.flush()
}

// row adds a line to the table, which is printed up to here unless more lines are there already.
func (s *statementCmd) row(r *rows, line json.RawMessage, more bool) error {
	var o console.Object
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("reading a line of the statement: %w", err)
	}
	columns := []string{"batch", "time", "wallet", "asset", "change", "cause", "order", "deal", "available", "frozen", "held"}
	if err := r.add(cells(o, columns)...); err != nil || more {
		return err
	}
	return r.flush()
}
