package main

import (
	"fmt"
	"net/url"

	"bourse/internal/console"
)

// marginFlags are the settings of a future. What is left out when it is listed is the default.
type marginFlags struct {
	MaxLeverage     *uint8  `json:"max_leverage,omitempty" placeholder:"N" help:"Of a future: its highest leverage, 1, 2, 3, 5, 10, 20, 50 or 100; by default 100."`
	Bracket100      *string `json:"bracket_100,omitempty" name:"bracket-100" placeholder:"USDT" help:"Up to which notional a leverage of 100 can be had; 0: no bracket."`
	Bracket50       *string `json:"bracket_50,omitempty" name:"bracket-50" placeholder:"USDT" help:"The same for 50."`
	Bracket20       *string `json:"bracket_20,omitempty" name:"bracket-20" placeholder:"USDT" help:"The same for 20."`
	MaxPosition     *string `json:"max_position,omitempty" placeholder:"USDT" help:"The largest position of an account, with its orders; 0: no limit."`
	MaxPending      *string `json:"max_pending,omitempty" placeholder:"USDT" help:"What the open orders of an account may be worth; 0: no limit."`
	MaxOpenInterest *string `json:"max_open_interest,omitempty" placeholder:"USDT" help:"What all positions may be worth; 0: no limit."`
	PriceBand       *string `json:"price_band,omitempty" placeholder:"PERCENT" help:"How far from the mark an order may be priced; by default 10."`
	MarkBand        *string `json:"mark_band,omitempty" placeholder:"PERCENT" help:"How far from the index the mark can be; by default 0.5."`
	ImpactNotional  *string `json:"impact_notional,omitempty" placeholder:"USDT" help:"For how much the book is sampled; by default 10000."`
	FundingMinutes  *uint32 `json:"funding_minutes,omitempty" placeholder:"N" help:"The minutes between two settlements of funding, 1 to 1440; by default 480."`
	FundingCap      *string `json:"funding_cap,omitempty" placeholder:"RATIO" help:"The highest rate of funding; by default 0.0003."`
	FundingFloor    *string `json:"funding_floor,omitempty" placeholder:"RATIO" help:"The lowest rate of funding; by default -0.0003."`
	LiquidationFee  *string `json:"liquidation_fee,omitempty" placeholder:"PERCENT" help:"What liquidated positions pay to the insurance fund; by default 0.2."`
	LiquidationBand *string `json:"liquidation_band,omitempty" placeholder:"PERCENT" help:"How far from the index a liquidation on a spot pair may trade; by default 2."`
}

type collateralCmd struct {
	List collateralList `cmd:"" help:"Print all assets that are collateral."`
	Show collateralShow `cmd:"" help:"Print what an asset is worth as collateral and how it is lent."`
	Set  collateralSet  `cmd:"" help:"Set what an asset is worth as collateral and how it is lent; what is not named stays."`
}

type collateralList struct{}

func (collateralList) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("collateral")}, table("no collateral"))
}

type collateralShow struct{ ticked }

func (a *collateralShow) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("collateral", a.Ticker)}, printObject)
}

// collateralFlags are the settings of collateral.
type collateralFlags struct {
	Weight      *string `json:"weight,omitempty" placeholder:"RATIO" help:"The part of what an account owns that counts, 0 to 1; by default 0."`
	Rate        *string `json:"rate,omitempty" placeholder:"RATIO" help:"The interest of a loan for one hour; by default 0.000024375."`
	PoolCap     *string `json:"pool_cap,omitempty" placeholder:"AMOUNT" help:"What may be lent in all."`
	AccountCap  *string `json:"account_cap,omitempty" placeholder:"AMOUNT" help:"What one account may borrow. What losses make it owe above that is paid by selling what it owns."`
	IndexMaxAge *int64  `json:"index_max_age,omitempty" placeholder:"SECONDS" help:"How long what a source says of its price counts, 1 to 3600; by default 30."`
}

type collateralSet struct {
	ticked
	collateralFlags
}

// Validate is called by kong.
func (a *collateralSet) Validate() error { return checkChange(a.collateralFlags) }

func (a *collateralSet) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "PATCH", Path: console.Path("collateral", a.Ticker), Body: a.collateralFlags}, printObject)
}

type indexCmd struct {
	Show  indexShow  `cmd:"" help:"Print the index of an asset that is collateral or under a future, and what each source says."`
	Set   indexSet   `cmd:"" help:"Set the index price of a market, or what a source says of its base."`
	Clear indexClear `cmd:"" help:"Withdraw the index price of a market, or what a source says of its base."`
}

type indexShow struct{ ticked }

func (i *indexShow) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("assets", i.Ticker, "index")}, parts(printed{"sources", "no sources"}))
}

// sourced is a command about what a source says.
type sourced struct {
	Source uint8 `default:"0" placeholder:"N" help:"The source, 0 to 8, where the base of the market is collateral or under a future; by default 0."`
}

type indexSet struct {
	marketOf
	Price string `arg:"" help:"The price, of a TradFi future in USD."`
	sourced
}

func (i *indexSet) Run(c *operatorCmd, out stdout) error {
	return i.do(c, out, "PUT", map[string]any{"price": i.Price, "source": i.Source}, "index")
}

type indexClear struct {
	marketOf
	sourced
}

func (i *indexClear) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{
		Method: "DELETE", Path: console.Path("markets", i.Name, "index"), Query: url.Values{"source": {fmt.Sprint(i.Source)}},
	}, printObject)
}
