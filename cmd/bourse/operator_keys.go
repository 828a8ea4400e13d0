package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"bourse/internal/console"
	"bourse/internal/schema"
)

type keysCmd struct {
	List     keysList     `cmd:"" help:"Print the keys of an account."`
	Create   keysCreate   `cmd:"" help:"Make a key and print it with its secret, which is not shown again."`
	Enable   keysEnable   `cmd:"" help:"Let a key be used."`
	Disable  keysDisable  `cmd:"" help:"Refuse a key until it is enabled again."`
	Restrict keysRestrict `cmd:"" help:"Say what a key may call, and from where."`
	Delete   keysDelete   `cmd:"" help:"Delete a key, at once and for good."`
}

type keysList struct {
	Account string `arg:"" help:"The name of the account."`
}

func (k *keysList) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("accounts", k.Account, "keys")},
		table("no keys", "key", "title", "enabled", "urls", "addresses", "created"))
}

type keysCreate struct {
	Account  string `arg:"" help:"The name of the account."`
	Settings struct {
		Title   *string  `json:"title,omitempty" placeholder:"TEXT" help:"What it is for."`
		Path    []string `json:"urls,omitempty" placeholder:"PATH" help:"A path of the private API that it may call, such as /api/v4/order/new, or a group of them: ${groups}; again for more. Without one: all."`
		Address []string `json:"addresses,omitempty" placeholder:"IP" help:"An address that it may be used from; again for more. Without one: all."`
		Key     *string  `json:"key,omitempty" placeholder:"TEXT" help:"The public part, otherwise it is made up."`
	} `embed:""`
	Disabled   bool   `help:"Refuse the key until it is enabled."`
	SecretFile string `placeholder:"FILE" type:"path" help:"Take the secret from a file, '-' for standard input; otherwise it is made up."`
}

func (k *keysCreate) Run(c *operatorCmd, out stdout, errs stderr) error {
	settings := members(k.Settings)
	if k.Disabled {
		settings["enabled"] = json.RawMessage("false")
	}
	if k.SecretFile != "" {
		text, err := readInput(k.SecretFile)
		if err != nil {
			return fmt.Errorf("reading the secret: %w", err)
		}
		settings["secret"], _ = json.Marshal(strings.TrimSpace(string(text))) // texts cannot fail
	}
	return c.ask(out, console.Request{Method: "POST", Path: console.Path("accounts", k.Account, "keys"), Body: settings},
		func(out stdout, answer json.RawMessage) error {
			fmt.Fprintln(errs, "Keep the secret: it is not shown again.")
			return printObject(out, answer)
		})
}

// oneKey is a command about a key.
type oneKey struct {
	Key string `arg:"" help:"The public part of the key."`
}

func (k *oneKey) change(c *operatorCmd, out stdout, settings any) error {
	return c.ask(out, console.Request{Method: "PATCH", Path: console.Path("keys", k.Key), Body: settings}, printObject)
}

type keysEnable struct{ oneKey }

func (k *keysEnable) Run(c *operatorCmd, out stdout) error {
	return k.change(c, out, map[string]bool{"enabled": true})
}

type keysDisable struct{ oneKey }

func (k *keysDisable) Run(c *operatorCmd, out stdout) error {
	return k.change(c, out, map[string]bool{"enabled": false})
}

type keysRestrict struct {
	oneKey
	Limits     restriction `embed:""`
	AllPaths   bool        `xor:"paths" help:"It may call everything."`
	AnyAddress bool        `xor:"addresses" help:"It may be used from everywhere."`
}

type restriction struct {
	Path    []string `json:"urls,omitzero" xor:"paths" placeholder:"PATH" help:"A path that it may call, such as /api/v4/order/new, or a group of them: ${groups}; again for more. Others are refused."`
	Address []string `json:"addresses,omitzero" xor:"addresses" placeholder:"IP" help:"An address that it may be used from; again for more. Others are refused."`
}

func (k *keysRestrict) settings() restriction {
	limits := k.Limits
	if k.AllPaths {
		limits.Path = []string{schema.AllURLs}
	}
	if k.AnyAddress {
		limits.Address = []string{}
	}
	return limits
}

// Validate is called by kong.
func (k *keysRestrict) Validate() error { return checkChange(k.settings()) }

func (k *keysRestrict) Run(c *operatorCmd, out stdout) error { return k.change(c, out, k.settings()) }

type keysDelete struct{ oneKey }

func (k *keysDelete) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "DELETE", Path: console.Path("keys", k.Key)}, printObject)
}
