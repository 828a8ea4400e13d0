package main

import (
	"encoding/json"

	"bourse/internal/console"
)

type accountsCmd struct {
	List    accountsList    `cmd:"" help:"Print all accounts."`
	Show    accountsShow    `cmd:"" help:"Print the settings of an account."`
	Create  accountsCreate  `cmd:"" help:"Open an account."`
	Set     accountsSet     `cmd:"" help:"Change settings of an account; the others stay."`
	Block   accountsBlock   `cmd:"" help:"Refuse everything that an account asks from now on. Its open orders stay and may still trade."`
	Unblock accountsUnblock `cmd:"" help:"Let a blocked account in again."`
}

// accountFlags are the settings of an account.
type accountFlags struct {
	Region   *string `json:"region,omitempty" placeholder:"REGION" help:"Whose rules hold: global or eu; a new account is global."`
	Retail   *bool   `json:"retail,omitempty" negatable:"" help:"May it place retail orders."`
	RPI      *bool   `json:"rpi,omitempty" name:"rpi" negatable:"" help:"May it place RPI orders."`
	Partner  *bool   `json:"partner,omitempty" negatable:"" help:"May it use the endpoints for partners."`
	Mining   *bool   `json:"mining,omitempty" negatable:"" help:"May it use the mining pool."`
	TradFi   *bool   `json:"tradfi,omitempty" name:"tradfi" negatable:"" help:"May it place orders on TradFi futures."`
	MakerFee maybe   `json:"maker_fee,omitzero" placeholder:"PERCENT" help:"What it pays as a maker; 'none': what the markets say."`
	TakerFee maybe   `json:"taker_fee,omitzero" placeholder:"PERCENT" help:"What it pays as a taker; 'none': what the markets say."`
	Leverage *uint8  `json:"max_leverage,omitempty" name:"max-leverage" placeholder:"N" help:"The highest leverage that it may choose; 0: the highest there is."`
	Verified *bool   `json:"verified,omitempty" negatable:"" help:"Is it known who the customer is. What is not verified is in tier 0."`
	Tier     *uint8  `json:"tier,omitempty" placeholder:"N" help:"The tier by which withdrawals are limited, 0 to 9; see 'tiers'."`
	Until    until   `json:"restricted_until,omitzero" name:"restricted-until" placeholder:"TIME" help:"Let nothing leave until then, such as 2026-12-24T12:00:00Z; 'none': let it."`
	Fresh    *bool   `json:"new_addresses,omitempty" name:"new-addresses" negatable:"" help:"May it have more than one deposit address."`
	Checker  *bool   `json:"checker,omitempty" negatable:"" help:"May it have addresses checked."`
	Credit   *bool   `json:"credit_line,omitempty" name:"credit-line" negatable:"" help:"May it borrow what an operator lends it."`
	Invoices *bool   `json:"invoices,omitempty" negatable:"" help:"May it have invoices made for fiat deposits."`
	Deposits *bool   `json:"deposits,omitempty" negatable:"" help:"May it have deposit addresses, if it is a sub-account; others have them anyway."`
	Approves *bool   `json:"approvals,omitempty" name:"approvals" negatable:"" help:"Do withdrawals of its sub-accounts wait until it confirms them."`
	KYCLinks *bool   `json:"kyc_links,omitempty" name:"kyc-links" negatable:"" help:"May it ask for links by which its sub-accounts are verified."`
	Several  *bool   `json:"multi_invest,omitempty" name:"multi-invest" negatable:"" help:"May it have several investments in a fixed plan."`
}

// named is a command about an account.
type named struct {
	Name string `arg:"" help:"The name of the account."`
}

// change changes the account and prints it.
func (n *named) change(c *operatorCmd, out stdout, settings any) error {
	return c.ask(out, console.Request{Method: "PATCH", Path: console.Path("accounts", n.Name), Body: settings}, printObject)
}

type accountsList struct{}

func (accountsList) Run(c *operatorCmd, out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	answer, err := c.askAll(ctx, console.Path("accounts"))
	if err != nil {
		return err
	}
	return c.print(out, answer, table("no accounts",
		"id", "name", "region", "blocked", "retail", "rpi", "partner", "mining", "tradfi", "verified", "tier", "maker_fee", "taker_fee", "created"))
}

type accountsShow struct{ named }

func (a *accountsShow) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("accounts", a.Name)}, printObject)
}

type accountsCreate struct {
	named
	accountFlags
}

func (a *accountsCreate) Run(c *operatorCmd, out stdout) error {
	settings := members(a.accountFlags)
	settings["name"], _ = json.Marshal(a.Name) // texts cannot fail
	return c.ask(out, console.Request{Method: "POST", Path: console.Path("accounts"), Body: settings}, printObject)
}

type accountsSet struct {
	named
	Changes struct {
		Rename *string `json:"name,omitempty" placeholder:"NAME" help:"Give it another name."`
		accountFlags
	} `embed:""`
}

// Validate is called by kong.
func (a *accountsSet) Validate() error { return checkChange(a.Changes) }

func (a *accountsSet) Run(c *operatorCmd, out stdout) error { return a.change(c, out, a.Changes) }

type accountsBlock struct{ named }

func (a *accountsBlock) Run(c *operatorCmd, out stdout) error {
	return a.change(c, out, map[string]bool{"blocked": true})
}

type accountsUnblock struct{ named }

func (a *accountsUnblock) Run(c *operatorCmd, out stdout) error {
	return a.change(c, out, map[string]bool{"blocked": false})
}

type feesCmd struct {
	List  feesList  `cmd:"" help:"Print the fees that an account was assigned."`
	Set   feesSet   `cmd:"" help:"Assign fees to an account on a market. What is not said is as otherwise."`
	Clear feesClear `cmd:"" help:"Take assigned fees back: the account pays as otherwise."`
}

type feesList struct {
	Account string `arg:"" help:"The name of the account."`
}

func (f *feesList) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("accounts", f.Account, "fees")},
		table("no fees of its own", "market", "maker", "taker"))
}

// feeOf is a command about the fees of an account on a market.
type feeOf struct {
	Account string `arg:"" help:"The name of the account."`
	Market  string `arg:"" help:"The market, such as BTC_USDT."`
}

func (f *feeOf) path() string { return console.Path("accounts", f.Account, "fees", f.Market) }

type feesSet struct {
	feeOf
	Fee struct {
		Maker *string `json:"maker,omitempty" placeholder:"PERCENT" help:"What it pays as a maker."`
		Taker *string `json:"taker,omitempty" placeholder:"PERCENT" help:"What it pays as a taker."`
	} `embed:""`
}

// Validate is called by kong.
func (f *feesSet) Validate() error { return checkChange(f.Fee) }

func (f *feesSet) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "PUT", Path: f.path(), Body: f.Fee}, printObject)
}

type feesClear struct{ feeOf }

func (f *feesClear) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "DELETE", Path: f.path()}, printObject)
}
