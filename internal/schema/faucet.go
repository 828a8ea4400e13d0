package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// SetFaucet says how much of an asset an account may take from the faucet on one day; 0: nothing, there
// is no faucet. It makes a sandbox: the money comes from nowhere.
type SetFaucet struct {
	Asset AssetID
	Limit fixed.Decimal
}

func (*SetFaucet) Kind() Kind { return 55 }

func (c *SetFaucet) Subject() Subject { return Subject{Asset: c.Asset} }

func (m *SetFaucet) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "asset", &m.Asset)
	c.Decimal(2, "limit", &m.Limit)
}

// TakeFaucet brings money from the faucet into the trade wallet of an account at once. Exchanges of older versions gave it; a log may
// have it for ever.
type TakeFaucet struct {
	Account AccountID
	Asset   AssetID
	Amount  fixed.Decimal
}

func (*TakeFaucet) Kind() Kind { return 37 }

func (m *TakeFaucet) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
}

// PayFaucet lets an account take money from the faucet on a sandbox by which the asset comes: it is paid to an address of the account, and
// is a deposit like any other.
type PayFaucet struct {
	Account AccountID
	Payment PaySandbox
}

func (*PayFaucet) Kind() Kind { return 84 }

func (m *PayFaucet) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Embed(c, 2, "payment", &m.Payment)
}

// Taken is what the account takes.
func (m *PayFaucet) Taken() TakeFaucet {
	return TakeFaucet{m.Account, m.Payment.Receipt.Asset, m.Payment.Receipt.Amount}
}

// FaucetChanged carries the limit of a faucet that was set.
type FaucetChanged struct{ Faucet SetFaucet }

func (*FaucetChanged) event() {}

func (e *FaucetChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "faucet", &e.Faucet) }

// FaucetTaken is money that an account took from the faucet, whichever way it came. Left is what it may still take that day.
type FaucetTaken struct {
	Taken TakeFaucet
	Left  fixed.Decimal
}

func (*FaucetTaken) event() {}

func (e *FaucetTaken) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "taken", &e.Taken)
	c.Decimal(2, "left", &e.Left)
}
