package main

import (
	"fmt"

	"bourse/internal/console"
)

type invoicesCmd struct {
	byChains
	Status string `placeholder:"STATUS" help:"Only those that are open or suspended."`
}

func (invoicesCmd) Help() string {
	return `Invoices by which fiat money is to come, newest first. 'open' can be paid until it expires; 'suspended' is paid
and was not credited, because deposits were off by then: 'bourse operator decide ID credit' credits it. An
invoice has the number of a deposit. Those that were paid, failed or expired are forgotten here; the
history of their account has them.`
}

func (i *invoicesCmd) Run(c *operatorCmd, out stdout) error {
	return i.list(c, out, "invoices", i.Status, "id", "created", "expires", "chain", "account", "asset", "amount", "fee", "status", "unique")
}

type invoiceCmd struct {
	Invoice uint64 `arg:"" name:"id" help:"The number of the invoice; 'bourse operator invoices' shows it."`
	Outcome string `arg:"" enum:"paid,failed" help:"paid: the provider has the money, credit it; failed: it will not come."`
}

func (invoiceCmd) Help() string {
	return `What a provider said of an invoice. It counts once: what is paid cannot fail any more.`
}

func (i *invoiceCmd) Run(c *operatorCmd, out stdout) error {
	return c.settle(out, "invoices", i.Invoice, i.Outcome)
}

type withdrawalsSettle struct {
	Withdrawal uint64 `arg:"" name:"id" help:"The number of the withdrawal; 'bourse operator withdrawals' shows it."`
	Outcome    string `arg:"" name:"amount" help:"What the receiver got: all, none, or an amount such as 25.50 where the customer allowed a part."`
}

func (withdrawalsSettle) Help() string {
	return `What a payment provider said of a withdrawal that is queued there. It counts once. What the receiver did not
get is the account's again, with the same part of the fee.`
}

func (w *withdrawalsSettle) Run(c *operatorCmd, out stdout) error {
	return c.settle(out, "withdrawals", w.Withdrawal, w.Outcome)
}

// settle says what became of something at a provider.
func (c *operatorCmd) settle(out stdout, what string, id uint64, outcome string) error {
	path := console.Path(what, fmt.Sprint(id), "settlement")
	return c.ask(out, console.Request{Method: "POST", Path: path, Body: map[string]any{"outcome": outcome}}, printObject)
}
