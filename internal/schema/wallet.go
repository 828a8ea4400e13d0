package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Deposit brings money from outside into the main wallet of an account. Held money is not
// confirmed yet: it may be traded, but neither leave the exchange nor become collateral.
type Deposit struct {
	Account AccountID
	Asset   AssetID
	Amount  fixed.Decimal
	Held    bool
}

func (*Deposit) Kind() Kind { return 32 }

func (m *Deposit) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
	c.Bool(4, "held", &m.Held)
}

// ConfirmDeposit makes held money fully usable.
type ConfirmDeposit struct {
	Account AccountID
	Asset   AssetID
	Amount  fixed.Decimal
}

func (*ConfirmDeposit) Kind() Kind { return 33 }

func (m *ConfirmDeposit) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
}

// Withdraw takes money out of the main wallet of an account to the world outside.
type Withdraw struct {
	Account AccountID
	Asset   AssetID
	Amount  fixed.Decimal
}

func (*Withdraw) Kind() Kind { return 34 }

func (m *Withdraw) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
}

// Transfer moves money between two wallets of one account.
type Transfer struct {
	Account AccountID
	Asset   AssetID
	Amount  fixed.Decimal
	From    Wallet
	To      Wallet
}

func (*Transfer) Kind() Kind { return 35 }

func (m *Transfer) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
	wire.Uint(c, 4, "from", &m.From)
	wire.Uint(c, 5, "to", &m.To)
}
