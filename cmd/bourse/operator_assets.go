package main

import (
	"encoding/json"
	"fmt"

	"bourse/internal/console"
)

type assetsCmd struct {
	List     assetsList   `cmd:"" help:"Print all assets."`
	Show     assetsShow   `cmd:"" help:"Print an asset and its networks."`
	Create   assetsCreate `cmd:"" help:"List a new asset."`
	Set      assetsSet    `cmd:"" help:"Change settings of an asset; the others stay."`
	Networks networksCmd  `cmd:"" help:"Add, change and remove networks of an asset."`
}

// assetFlags are the settings of an asset. Those of one network are networkFlags.
type assetFlags struct {
	Name      *string  `json:"name,omitempty" placeholder:"TEXT" help:"Its name, such as Bitcoin."`
	Class     *string  `json:"class,omitempty" placeholder:"CLASS" help:"crypto, fiat or 'payment method'."`
	Scale     *uint8   `json:"scale,omitempty" placeholder:"N" help:"The decimals that money of it has in the ledger; never changes."`
	Precision *uint8   `json:"precision,omitempty" placeholder:"N" help:"The decimals that clients see."`
	UnifiedID *uint32  `json:"unified_id,omitempty" name:"unified-id" placeholder:"N" help:"Its number in common lists of assets."`
	Provider  []string `json:"providers,omitempty" placeholder:"NAME" help:"A payment provider; again for more."`
	Memo      *bool    `json:"deposit_memo,omitempty" name:"deposit-memo" negatable:"" help:"Do deposits need a memo."`
	Payout    *bool    `json:"payout_memo,omitempty" name:"payout-memo" negatable:"" help:"Do withdrawals need a memo."`
	Codes     *bool    `json:"codes,omitempty" negatable:"" help:"Can codes of it be created; of crypto only."`
	MinCode   *string  `json:"min_code,omitempty" placeholder:"AMOUNT" help:"The smallest code; 0: no limit."`
	NotInEU   *bool    `json:"not_in_eu,omitempty" name:"not-in-eu" negatable:"in-eu" help:"Is it not offered where the rules of the EU hold: no deposits, withdrawals, codes and express payments of it."`
	passage
}

// passage is what may come in and go out, of an asset or by one network.
type passage struct {
	CanDeposit  *bool   `json:"can_deposit,omitempty" negatable:"" help:"May it be deposited."`
	CanWithdraw *bool   `json:"can_withdraw,omitempty" negatable:"" help:"May it be withdrawn."`
	MinDeposit  *string `json:"min_deposit,omitempty" placeholder:"AMOUNT" help:"The smallest deposit."`
	MaxDeposit  *string `json:"max_deposit,omitempty" placeholder:"AMOUNT" help:"The largest deposit; 0: no limit."`
	MinWithdraw *string `json:"min_withdraw,omitempty" placeholder:"AMOUNT" help:"The smallest withdrawal."`
	MaxWithdraw *string `json:"max_withdraw,omitempty" placeholder:"AMOUNT" help:"The largest withdrawal; 0: no limit."`
}

// printAsset prints an asset and a table of its networks.
func printAsset(out stdout, answer json.RawMessage) error {
	if err := printObject(out, answer); err != nil {
		return err
	}
	var o console.Object
	if err := json.Unmarshal(answer, &o); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return table("no networks")(out, o.Get("networks"))
}

type assetsList struct{}

func (assetsList) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("assets")},
		table("no assets", "ticker", "name", "class", "scale", "precision", "can_deposit", "can_withdraw", "networks", "providers"))
}

// ticked is a command about an asset.
type ticked struct {
	Ticker string `arg:"" help:"The ticker of the asset, such as BTC."`
}

type assetsShow struct{ ticked }

func (a *assetsShow) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("assets", a.Ticker)}, printAsset)
}

type assetsCreate struct {
	ticked
	assetFlags
	sheetFlag
}

func (a *assetsCreate) Run(c *operatorCmd, out stdout) error {
	settings, err := a.body(a.assetFlags)
	if err != nil {
		return err
	}
	return c.ask(out, console.Request{Method: "PUT", Path: console.Path("assets", a.Ticker), Body: settings, OnlyNew: true}, printAsset)
}

type assetsSet struct {
	ticked
	assetFlags
	sheetFlag
}

// Validate is called by kong.
func (a *assetsSet) Validate() error { return a.check(a.assetFlags) }

func (a *assetsSet) Run(c *operatorCmd, out stdout) error {
	settings, err := a.body(a.assetFlags)
	if err != nil {
		return err
	}
	return c.ask(out, console.Request{Method: "PATCH", Path: console.Path("assets", a.Ticker), Body: settings}, printAsset)
}

type networksCmd struct {
	Add    networksAdd    `cmd:"" help:"Add a network to an asset."`
	Set    networksSet    `cmd:"" help:"Change settings of a network; the others stay."`
	Remove networksRemove `cmd:"" help:"Take a network from an asset: nothing comes or goes by it any more."`
}

// networkOf is a command about a network of an asset.
type networkOf struct {
	ticked
	Network string `arg:"" help:"The name of the network, such as ERC20."`
}

func (n *networkOf) path() string { return console.Path("assets", n.Ticker, "networks", n.Network) }

// networkFlags are the settings of a network.
type networkFlags struct {
	Default                 *bool   `json:"default,omitempty" negatable:"" help:"Is it the one that is used when none is named; the old one is not any more."`
	Confirmations           *uint32 `json:"confirmations,omitempty" placeholder:"N" help:"Confirmations until a deposit is there."`
	ConfirmationsForTrading *uint32 `json:"confirmations_for_trading,omitempty" placeholder:"N" help:"Confirmations until a deposit can be traded with."`
	Chain                   *string `json:"chain,omitempty" placeholder:"NAME" help:"The chain that money comes and goes by; '': none, operators book it."`
	DepositFixed            *string `json:"deposit_fixed,omitempty" placeholder:"AMOUNT" help:"The fixed part of what a deposit costs."`
	DepositPercent          *string `json:"deposit_percent,omitempty" placeholder:"PERCENT" help:"The percentage that a deposit costs beside that."`
	DepositMinFee           *string `json:"deposit_min_fee,omitempty" placeholder:"AMOUNT" help:"The least that the percentage comes to."`
	DepositMaxFee           *string `json:"deposit_max_fee,omitempty" placeholder:"AMOUNT" help:"The most that the percentage comes to; 0: no limit."`
	HeldCap                 *string `json:"held_cap,omitempty" placeholder:"AMOUNT" help:"What of an account may be traded with before it is confirmed; what is more waits; 0: no limit."`
	WithdrawFixed           *string `json:"withdraw_fixed,omitempty" placeholder:"AMOUNT" help:"The fixed part of what a withdrawal costs."`
	WithdrawPercent         *string `json:"withdraw_percent,omitempty" placeholder:"PERCENT" help:"The percentage that a withdrawal costs beside that."`
	WithdrawMinFee          *string `json:"withdraw_min_fee,omitempty" placeholder:"AMOUNT" help:"The least that the percentage comes to."`
	WithdrawMaxFee          *string `json:"withdraw_max_fee,omitempty" placeholder:"AMOUNT" help:"The most that the percentage comes to; 0: no limit."`
	ApproveAbove            *string `json:"approve_above,omitempty" placeholder:"AMOUNT" help:"What an account may withdraw in 24 hours without the approval of an operator; 0: no limit."`
	Contract                *string `json:"contract,omitempty" placeholder:"ADDRESS" help:"The contract of a token, on an evm chain that others live on."`
	Decimals                *uint8  `json:"decimals,omitempty" placeholder:"N" help:"How many decimals a chain that others live on keeps of it: 8 on Bitcoin, 18 of ether."`
	HourCap                 *string `json:"hour_cap,omitempty" name:"hour-cap" placeholder:"AMOUNT" help:"What all accounts together may withdraw in an hour without approval; 0: no limit."`
	HotCap                  *string `json:"hot_cap,omitempty" name:"hot-cap" placeholder:"AMOUNT" help:"What of it is kept by keys that are online, on a chain that others live on; what is more goes to cold storage (serve --cold); 0: all stays."`
	Approve2Above           *string `json:"approve2_above,omitempty" name:"approve2-above" placeholder:"AMOUNT" help:"What it may withdraw without the approval of two operators; 0: no limit."`
	passage
}

type networksAdd struct {
	networkOf
	networkFlags
}

func (n *networksAdd) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "PUT", Path: n.path(), Body: n.networkFlags, OnlyNew: true}, printAsset)
}

type networksSet struct {
	networkOf
	networkFlags
}

// Validate is called by kong.
func (n *networksSet) Validate() error { return checkChange(n.networkFlags) }

func (n *networksSet) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "PATCH", Path: n.path(), Body: n.networkFlags}, printAsset)
}

type networksRemove struct{ networkOf }

func (n *networksRemove) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "DELETE", Path: n.path()}, printAsset)
}
