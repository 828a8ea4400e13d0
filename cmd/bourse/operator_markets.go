package main

import (
	"errors"

	"bourse/internal/console"
)

type marketsCmd struct {
	List        marketsList        `cmd:"" help:"Print all markets."`
	Show        marketsShow        `cmd:"" help:"Print the settings of a market and what goes on there."`
	Create      marketsCreate      `cmd:"" help:"List a new market. It takes no orders before it is enabled."`
	Set         marketsSet         `cmd:"" help:"Change settings of a market; the others stay."`
	Enable      marketsEnable      `cmd:"" help:"Let a market take orders."`
	Disable     marketsDisable     `cmd:"" help:"Refuse new orders on a market. Those that are open stay."`
	Maintenance marketsMaintenance `cmd:"" help:"Plan maintenance: at its beginning all orders are closed, until its end none are taken."`
	Delist      marketsDelist      `cmd:"" help:"Plan the end of a market: all orders are canceled then, and it never opens again."`
}

// marketFlags are the settings of a market.
type marketFlags struct {
	Type       *string  `json:"type,omitempty" placeholder:"TYPE" help:"spot, futures or tradfiFutures; never changes."`
	Tick       *string  `json:"tick_size,omitempty" placeholder:"PRICE" help:"What prices are multiples of."`
	Step       *string  `json:"step_size,omitempty" placeholder:"AMOUNT" help:"What amounts are multiples of."`
	StockPrec  *uint8   `json:"stock_prec,omitempty" placeholder:"N" help:"The decimals of amounts; never changes."`
	MoneyPrec  *uint8   `json:"money_prec,omitempty" placeholder:"N" help:"The decimals of prices; never changes."`
	FeePrec    *uint8   `json:"fee_prec,omitempty" placeholder:"N" help:"The decimals of fees."`
	MinAmount  *string  `json:"min_amount,omitempty" placeholder:"AMOUNT" help:"The smallest amount of an order."`
	MinTotal   *string  `json:"min_total,omitempty" placeholder:"MONEY" help:"The smallest amount × price of an order."`
	MaxTotal   *string  `json:"max_total,omitempty" placeholder:"MONEY" help:"The largest amount × price of an order; 0: no limit."`
	MakerFee   *string  `json:"maker_fee,omitempty" placeholder:"PERCENT" help:"What makers pay."`
	TakerFee   *string  `json:"taker_fee,omitempty" placeholder:"PERCENT" help:"What takers pay."`
	RPIPremium maybe    `json:"rpi_premium,omitzero" name:"rpi-premium" placeholder:"PERCENT" help:"What is added to the maker fee of RPI orders, or 'none'."`
	TakerBand  *string  `json:"taker_band,omitempty" placeholder:"PERCENT" help:"How far from the best price an order at the market may go; 0: no band."`
	MaxOrders  *uint32  `json:"max_orders,omitempty" placeholder:"N" help:"How many open orders an account may have; 0: the default of 10,000."`
	Enabled    *bool    `json:"enabled,omitempty" negatable:"" help:"Does it take orders."`
	OpensAt    *moment  `json:"opens_at,omitempty" placeholder:"TIME" help:"Until then it takes only post-only limit orders."`
	Region     []string `json:"regions,omitzero" xor:"regions" placeholder:"REGION" help:"Where it is offered, global or eu; again for more."`
	Everywhere bool     `json:"-" xor:"regions" help:"It is offered in all regions."`
	marginFlags
}

// settings are what the flags say: everywhere is a list without regions.
func (m marketFlags) settings() marketFlags {
	if m.Everywhere {
		m.Region = []string{}
	}
	return m
}

type marketsList struct{}

func (marketsList) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("markets")},
		table("no markets", "name", "type", "enabled", "in_maintenance", "delisted", "tick_size", "step_size",
			"maker_fee", "taker_fee", "taker_band", "regions", "opens_at", "open_orders", "last_price", "index"))
}

// marketOf is a command about a market.
type marketOf struct {
	Name string `arg:"" help:"The market, such as BTC_USDT."`
}

// do asks for something about the market and prints it. More of the path says what.
func (m *marketOf) do(c *operatorCmd, out stdout, method string, body any, more ...string) error {
	path := console.Path(append([]string{"markets", m.Name}, more...)...)
	return c.ask(out, console.Request{Method: method, Path: path, Body: body}, printObject)
}

type marketsShow struct{ marketOf }

func (m *marketsShow) Run(c *operatorCmd, out stdout) error { return m.do(c, out, "GET", nil) }

type marketsCreate struct {
	marketOf
	marketFlags
	sheetFlag
}

func (m *marketsCreate) Run(c *operatorCmd, out stdout) error {
	settings, err := m.body(m.settings())
	if err != nil {
		return err
	}
	return c.ask(out, console.Request{Method: "PUT", Path: console.Path("markets", m.Name), Body: settings, OnlyNew: true}, printObject)
}

type marketsSet struct {
	marketOf
	marketFlags
	sheetFlag
}

// Validate is called by kong.
func (m *marketsSet) Validate() error { return m.check(m.settings()) }

func (m *marketsSet) Run(c *operatorCmd, out stdout) error {
	settings, err := m.body(m.settings())
	if err != nil {
		return err
	}
	return m.do(c, out, "PATCH", settings)
}

type marketsEnable struct{ marketOf }

func (m *marketsEnable) Run(c *operatorCmd, out stdout) error {
	return m.do(c, out, "PATCH", map[string]bool{"enabled": true})
}

type marketsDisable struct{ marketOf }

func (m *marketsDisable) Run(c *operatorCmd, out stdout) error {
	return m.do(c, out, "PATCH", map[string]bool{"enabled": false})
}

type marketsMaintenance struct {
	marketOf
	Plan struct {
		From moment `json:"from" placeholder:"TIME" help:"When it begins."`
		To   moment `json:"to" placeholder:"TIME" help:"When it ends."`
	} `embed:""`
	End bool `help:"End maintenance now, or withdraw what was planned."`
}

// Validate is called by kong.
func (m *marketsMaintenance) Validate() error {
	if planned := m.Plan.From != 0 && m.Plan.To != 0; planned == m.End || m.End && (m.Plan.From != 0 || m.Plan.To != 0) {
		return errors.New("maintenance wants --from and --to, or --end alone")
	}
	return nil
}

func (m *marketsMaintenance) Run(c *operatorCmd, out stdout) error {
	if m.End {
		return m.do(c, out, "DELETE", nil, "maintenance")
	}
	return m.do(c, out, "PUT", m.Plan, "maintenance")
}

type marketsDelist struct {
	marketOf
	At       moment `xor:"plan" required:"" placeholder:"TIME" help:"When it ends."`
	Withdraw bool   `xor:"plan" required:"" help:"Withdraw the plan; what is delisted already stays so."`
}

func (m *marketsDelist) Run(c *operatorCmd, out stdout) error {
	if m.Withdraw {
		return m.do(c, out, "DELETE", nil, "delisting")
	}
	return m.do(c, out, "PUT", map[string]moment{"at": m.At}, "delisting")
}
