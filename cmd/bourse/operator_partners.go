package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"bourse/internal/console"
)

type partnersCmd struct {
	List partnersList `cmd:"" help:"Print clients of OAuth."`
	Add  partnersAdd  `cmd:"" help:"Make a client of OAuth; its secret is printed once."`
	Set  partnersSet  `cmd:"" help:"Change a client of OAuth, or switch it on and off."`
}

func (partnersCmd) Help() string {
	return `A client of OAuth is a program of somebody else. It sends people to /auth/login, where they let it act for their accounts:
with a scope of API keys (apikeys.read and the like) it has a key issued, with others it reads data. It calls from its own
addresses alone, and so do the keys that are issued for it. While it is off, all that it was given does nothing.`
}

type partnersList struct{}

func (partnersList) Run(c *operatorCmd, out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	answer, err := c.askAll(ctx, console.Path("partners"))
	if err != nil {
		return err
	}
	return c.print(out, answer, table("no clients", "client", "title", "on", "uris", "scopes", "addresses", "created"))
}

// partnerSettings are what is set about a client.
type partnerSettings struct {
	Title   *string  `json:"title,omitempty" placeholder:"TEXT" help:"What people call it."`
	URI     []string `json:"uris,omitempty" placeholder:"URL" sep:"none" help:"A redirect URI, https; again for more."`
	Scope   []string `json:"scopes,omitempty" placeholder:"SCOPE" help:"A scope, such as apikeys.read; again for more. Later there can be fewer and not more."`
	Address []string `json:"addresses,omitempty" placeholder:"IP" help:"An address that it calls from; again for more."`
}

type partnersAdd struct {
	Client   string          `arg:"" optional:"" help:"The id that it is known by; without it one is made up."`
	Settings partnerSettings `embed:""`
}

func (p *partnersAdd) Run(c *operatorCmd, out stdout, errs stderr) error {
	settings := members(p.Settings)
	if p.Client != "" {
		settings["client"], _ = json.Marshal(p.Client) // texts cannot fail
	}
	return c.ask(out, console.Request{Method: "POST", Path: console.Path("partners"), Body: settings}, showPartner(errs))
}

type partnersSet struct {
	Client   string          `arg:"" help:"The id of the client."`
	Settings partnerSettings `embed:""`
	On       bool            `xor:"on" help:"Let it act."`
	Off      bool            `xor:"on" help:"Let it do nothing, with all that it was given."`
	Rotate   bool            `help:"Make a new secret; the old one ends at once."`
}

func (p *partnersSet) Run(c *operatorCmd, out stdout, errs stderr) error {
	settings := members(p.Settings)
	if p.On || p.Off {
		settings["on"] = json.RawMessage(strconv.FormatBool(p.On))
	}
	if p.Rotate {
		settings["rotate"] = json.RawMessage("true")
	}
	return c.ask(out, console.Request{Method: "PATCH", Path: console.Path("partners", p.Client), Body: settings}, showPartner(errs))
}

// showPartner prints a client, and what to do with its secret if it has a new one.
func showPartner(errs stderr) func(stdout, json.RawMessage) error {
	return func(out stdout, answer json.RawMessage) error {
		var made struct {
			Secret string `json:"secret"`
		}
		if err := json.Unmarshal(answer, &made); err != nil {
			return err
		}
		if made.Secret != "" {
			fmt.Fprintln(errs, "Keep the secret: it is not shown again.")
		}
		return printObject(out, answer)
	}
}

type grantsCmd struct {
	List   grantsList   `cmd:"" help:"Print the clients of OAuth that have access to an account."`
	Revoke grantsRevoke `cmd:"" help:"End the access of a client: its key, tokens and codes."`
}

type grantsList struct {
	Account string `arg:"" help:"The name of the account."`
}

func (g *grantsList) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("accounts", g.Account, "grants")}, showGrants)
}

type grantsRevoke struct {
	Account string `arg:"" help:"The name of the account."`
	Client  string `arg:"" help:"The id of the client."`
}

func (g *grantsRevoke) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "DELETE", Path: console.Path("accounts", g.Account, "grants", g.Client)}, showGrants)
}

func showGrants(out stdout, answer json.RawMessage) error {
	return table("no grants", "client", "title", "key", "urls", "until", "created")(out, answer)
}
