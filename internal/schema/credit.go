package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// OpenCredit lends an account money of the operator. An account has one credit at a time. The percents say how much of what the account
// owns the credit may be: at first, when the operator asks for more security, and when the operator takes the money back.
type OpenCredit struct {
	Account     AccountID
	Asset       AssetID
	Amount      fixed.Decimal
	Initial     fixed.Decimal
	MarginCall  fixed.Decimal
	Liquidation fixed.Decimal
}

func (*OpenCredit) Kind() Kind { return 71 }

func (m *OpenCredit) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
	c.Decimal(4, "initial", &m.Initial)
	c.Decimal(5, "margin_call", &m.MarginCall)
	c.Decimal(6, "liquidation", &m.Liquidation)
}

func (m *OpenCredit) Subject() Subject { return Subject{Account: m.Account, Asset: m.Asset} }

// ChargeCredit takes interest of a credit out of the main wallet of its account.
type ChargeCredit struct {
	Account AccountID
	Amount  fixed.Decimal
}

func (*ChargeCredit) Kind() Kind { return 72 }

func (m *ChargeCredit) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	c.Decimal(2, "amount", &m.Amount)
}

func (m *ChargeCredit) Subject() Subject { return Subject{Account: m.Account} }

// RepayCredit takes a part of a credit, or all of it, back out of the main wallet of its account. What is repaid wholly is over.
type RepayCredit struct {
	Account AccountID
	Amount  fixed.Decimal
}

func (*RepayCredit) Kind() Kind { return 73 }

func (m *RepayCredit) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	c.Decimal(2, "amount", &m.Amount)
}

func (m *RepayCredit) Subject() Subject { return Subject{Account: m.Account} }

// Credit is what an operator lent an account.
type Credit struct {
	Account     AccountID
	Asset       AssetID
	Amount      fixed.Decimal // that is not repaid; 0: it is over
	Funding     fixed.Decimal // interest that was ever taken for it
	Initial     fixed.Decimal
	MarginCall  fixed.Decimal
	Liquidation fixed.Decimal
	Created     Time
}

func (m *Credit) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
	c.Decimal(4, "funding", &m.Funding)
	c.Decimal(5, "initial", &m.Initial)
	c.Decimal(6, "margin_call", &m.MarginCall)
	c.Decimal(7, "liquidation", &m.Liquidation)
	wire.Int(c, 8, "created", &m.Created)
}

// CreditChanged carries a credit that was opened, charged or repaid.
type CreditChanged struct{ Credit Credit }

func (*CreditChanged) event() {}

func (e *CreditChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "credit", &e.Credit) }
