package main

import (
	"encoding/json"
	"strconv"

	"bourse/internal/console"
)

type conversionCmd struct {
	Show conversionShow `cmd:"" default:"1" help:"Print how it stands. This is what comes without a word."`
	Set  conversionSet  `cmd:"" help:"Switch conversions on and off, and set what bounds them; what is not named stays."`
}

func (conversionCmd) Help() string {
	return `Conversions are paid from the inventory 'convert' and into it; 'bourse operator funds deposit convert ASSET AMOUNT'
fills it. They need an index of both assets. When the inventory lost more than the bound in 24 hours, at
the indices of those moments, conversions are switched off. Switching them on forgets these losses. While
they are off nothing is quoted, and open quotes cannot be confirmed.`
}

type conversionShow struct{}

func (conversionShow) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("conversion")}, printObject)
}

// conversionFlags are the settings of conversions.
type conversionFlags struct {
	Spread   *string  `json:"spread,omitempty" placeholder:"RATIO" help:"What each market costs that a conversion goes over, at least; by default 0.002."`
	Hub      []string `json:"hubs,omitempty" xor:"hubs" placeholder:"ASSET" help:"An asset over which conversions may go; again for more, 4 at most."`
	OpenMost *string  `json:"open_most,omitempty" placeholder:"USDT" help:"What a customer with its sub-accounts may have in open quotes; by default 100000."`
	DayMost  *string  `json:"day_most,omitempty" placeholder:"USDT" help:"What a customer with its sub-accounts may convert in 24 hours; by default 1000000."`
	LossMost *string  `json:"loss_most,omitempty" placeholder:"USDT" help:"What the inventory may lose in 24 hours before conversions are switched off; by default 10000."`
}

type conversionSet struct {
	Settings conversionFlags `embed:""`
	NoHubs   bool            `xor:"hubs" help:"Let conversions go over no other asset."`
	On       bool            `xor:"on" help:"Let customers convert."`
	Off      bool            `xor:"on" help:"Quote and convert nothing."`
}

// changes are the settings that were given.
func (s *conversionSet) changes() map[string]json.RawMessage {
	all := members(s.Settings)
	if s.NoHubs {
		all["hubs"] = json.RawMessage("[]")
	}
	if s.On || s.Off {
		all["on"] = json.RawMessage(strconv.FormatBool(s.On))
	}
	return all
}

// Validate is called by kong.
func (s *conversionSet) Validate() error { return checkChange(s.changes()) }

func (s *conversionSet) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "PATCH", Path: console.Path("conversion"), Body: s.changes()}, printObject)
}
