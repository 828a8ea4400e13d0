package main

import (
	"encoding/json"
	"fmt"

	"bourse/internal/console"
)

type inviteCmd struct {
	Name  string `arg:"" help:"The name of the account."`
	Login string `placeholder:"LOGIN" help:"What the person signs in as, such as an e-mail address; without it the name of the account."`
}

func (i *inviteCmd) Run(c *operatorCmd, out stdout, errs stderr) error {
	body := map[string]string{}
	if i.Login != "" {
		body["login"] = i.Login
	}
	return c.ask(out, console.Request{Method: "POST", Path: console.Path("accounts", i.Name, "invitations"), Body: body},
		func(out stdout, answer json.RawMessage) error {
			fmt.Fprintln(errs, "Send the link to the person alone: it is not shown again, works once, and ends the link before it.")
			return printObject(out, answer)
		})
}

type usersCmd struct{}

func (usersCmd) Run(c *operatorCmd, out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	answer, err := c.askAll(ctx, console.Path("users"))
	if err != nil {
		return err
	}
	return c.print(out, answer, table("no users", "id", "account", "login", "password", "totp", "passkeys", "sessions", "locked_until", "created"))
}

type sessionsCmd struct {
	List sessionsList `cmd:"" help:"Print the sessions of an account."`
	End  sessionsEnd  `cmd:"" help:"Sign everyone out of an account."`
}

type sessionsList struct {
	Account string `arg:"" help:"The name of the account."`
}

func (s *sessionsList) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("accounts", s.Account, "sessions")}, showSessions)
}

type sessionsEnd struct {
	Account string `arg:"" help:"The name of the account."`
}

func (s *sessionsEnd) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "DELETE", Path: console.Path("accounts", s.Account, "sessions")}, showSessions)
}

func showSessions(out stdout, answer json.RawMessage) error {
	return table("no sessions", "id", "device", "created", "last_used", "expires")(out, answer)
}
