package main

import (
	"encoding/json"
	"strconv"

	"bourse/internal/console"
)

type poolCmd struct {
	Show     poolShow     `cmd:"" default:"1" help:"Print how it works, what it can pay and what it owes. This is what comes without a word."`
	Set      poolSet      `cmd:"" help:"Set how it works and pays; what is not named stays."`
	Rate     poolRate     `cmd:"" help:"Set what a block is worth."`
	Accounts poolAccounts `cmd:"" help:"Print mining accounts."`
	Bar      poolBar      `cmd:"" help:"Stop a mining account from earning."`
	Unbar    poolUnbar    `cmd:"" help:"Let a mining account earn again."`
}

func (poolCmd) Help() string {
	return `The pool pays miners for their work by the formula of FPPS, block found or not, once a day, out of the fund 'pool' alone:
'bourse operator funds deposit pool BTC 10' fills it. What the fund cannot pay stays pending, in order. A pool begins with
'pool set --open', in BTC unless --asset says otherwise, and with 'pool rate', what a block creates and the mean of
its fees; where a Bitcoin node serves the pool, the exchange sets it once a day. Customers open mining accounts with the
feature ('accounts set NAME --mining').

'worth' is what all rewards of the latest day were. Once the fund has been smaller than that for 24 hours ('short' says since
when), miners get no more work. An account is unlucky that found far fewer blocks than its work should have: it may be
keeping them. 'pool accounts' prints what was expected of each.`
}

type poolShow struct{}

func (poolShow) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("pool")}, printObject)
}

// poolTerms are the settings of the pool.
type poolTerms struct {
	Asset    *string `json:"asset,omitempty" placeholder:"TICKER" help:"The asset that it pays; by default BTC. It stays once work was counted."`
	Chain    *string `json:"chain,omitempty" xor:"chain" placeholder:"CHAIN" help:"The chain by which it pays to addresses."`
	Unit     *uint8  `json:"unit,omitempty" placeholder:"N" help:"Work is counted in units of 2^-N of difficulty 1, N up to 32; by default 0, as on the main chain. It stays once work was counted."`
	Fee      *string `json:"fee,omitempty" placeholder:"FRACTION" help:"What the pool keeps; by default 0.04."`
	Least    *string `json:"least,omitempty" placeholder:"AMOUNT" help:"The least that is paid to an address; by default 0.001."`
	Accounts *uint32 `json:"accounts,omitempty" placeholder:"N" help:"How many mining accounts a customer has at most; by default 10."`
	Links    *uint32 `json:"links,omitempty" placeholder:"N" help:"How many links show a mining account at most; by default 3."`
}

type poolSet struct {
	Settings poolTerms `embed:""`
	NoChain  bool      `xor:"chain" help:"Pay to main balances only."`
	Open     bool      `xor:"open" help:"Let customers open mining accounts, and miners work."`
	Close    bool      `xor:"open" help:"Open no more mining accounts, and send miners away. What they earned is paid."`
}

// changes are the settings that were given.
func (s *poolSet) changes() map[string]json.RawMessage {
	all := members(s.Settings)
	if s.NoChain {
		all["chain"] = json.RawMessage(`""`)
	}
	if s.Open || s.Close {
		all["open"] = json.RawMessage(strconv.FormatBool(s.Open))
	}
	return all
}

// Validate is called by kong.
func (s *poolSet) Validate() error { return checkChange(s.changes()) }

func (s *poolSet) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "PATCH", Path: console.Path("pool"), Body: s.changes()}, printObject)
}

type poolRate struct {
	Rate string `arg:"" help:"What a block is worth, such as 3.175."`
}

func (r *poolRate) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "PUT", Path: console.Path("pool", "rate"), Body: map[string]string{"rate": r.Rate}}, printObject)
}

type poolAccounts struct{}

func (poolAccounts) Run(c *operatorCmd, out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	answer, err := c.askAll(ctx, console.Path("pool", "accounts"))
	if err != nil {
		return err
	}
	return c.print(out, answer, table("no mining accounts", "id", "name", "account", "barred", "address", "since", "expected", "found", "unlucky", "created"))
}

// poolAccount is a command about a mining account.
type poolAccount struct {
	Name string `arg:"" help:"The name of the mining account."`
}

func (p *poolAccount) do(c *operatorCmd, out stdout, method string) error {
	return c.ask(out, console.Request{Method: method, Path: console.Path("pool", "accounts", p.Name, "bar")}, printObject)
}

type poolBar struct{ poolAccount }

func (p *poolBar) Run(c *operatorCmd, out stdout) error { return p.do(c, out, "PUT") }

type poolUnbar struct{ poolAccount }

func (p *poolUnbar) Run(c *operatorCmd, out stdout) error { return p.do(c, out, "DELETE") }
