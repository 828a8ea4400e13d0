package schema

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Bounds of invoices.
const (
	MaxLink     = 2000
	MaxLifetime = 86400 * Second // of an invoice
	MaxBIC      = 11
)

// RequestInvoice asks a payment provider for a page on which the customer pays money in.
type RequestInvoice struct {
	Account AccountID
	Chain   ChainID // of the provider
	Asset   AssetID
	Amount  fixed.Decimal
	Unique  string
	Expires Time // 0: after a day
	Digest  Digest
	// Links that the page leads to when the invoice is paid, when it is not, and to leave it.
	Success, Failure, Return string
}

func (*RequestInvoice) Kind() Kind { return 81 }

func (m *RequestInvoice) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "chain", &m.Chain)
	wire.Uint(c, 3, "asset", &m.Asset)
	c.Decimal(4, "amount", &m.Amount)
	wire.Text(c, 5, "unique", &m.Unique)
	wire.Int(c, 6, "expires", &m.Expires)
	c.Array(7, "digest", m.Digest[:])
	wire.Text(c, 8, "success", &m.Success)
	wire.Text(c, 9, "failure", &m.Failure)
	wire.Text(c, 10, "return", &m.Return)
}

// Invoice is money that a provider was asked to collect from a customer.
type Invoice struct {
	ID      DepositID // that it has as a deposit
	Account AccountID
	Chain   ChainID
	Asset   AssetID
	Amount  fixed.Decimal
	Fee     fixed.Decimal // that is taken from it when it is paid
	Status  InvoiceStatus
	Created Time
	Changed Time
	Expires Time
	Unique  string
	Digest  Digest // of the secret in the address of its page
	Success string
	Failure string
	Return  string
}

func (m *Invoice) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Uint(c, 3, "chain", &m.Chain)
	wire.Uint(c, 4, "asset", &m.Asset)
	c.Decimal(5, "amount", &m.Amount)
	c.Decimal(6, "fee", &m.Fee)
	wire.Uint(c, 7, "status", &m.Status)
	wire.Int(c, 8, "created", &m.Created)
	wire.Int(c, 9, "changed", &m.Changed)
	wire.Int(c, 10, "expires", &m.Expires)
	wire.Text(c, 11, "unique", &m.Unique)
	c.Array(12, "digest", m.Digest[:])
	wire.Text(c, 13, "success", &m.Success)
	wire.Text(c, 14, "failure", &m.Failure)
	wire.Text(c, 15, "return", &m.Return)
}

// InvoiceStatus is what became of an invoice.
type InvoiceStatus uint8

const (
	InvoiceOpen      InvoiceStatus = iota + 1 // the customer may pay it
	InvoicePaid                               // the account has the money
	InvoiceSuspended                          // it is paid, and the money waits for an operator: deposits are off, or it is outside the bounds
	InvoiceFailed
	InvoiceExpired
)

func (s InvoiceStatus) String() string { return word(invoiceWords[:], s) }

var invoiceWords = [...]string{
	InvoiceOpen: "open", InvoicePaid: "paid", InvoiceSuspended: "suspended", InvoiceFailed: "failed", InvoiceExpired: "expired",
}

// InvoiceChanged carries an invoice after its status changed.
type InvoiceChanged struct{ Invoice Invoice }

func (*InvoiceChanged) event() {}

func (e *InvoiceChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "invoice", &e.Invoice) }

// SettleInvoice is what a provider says of an invoice. It counts once.
type SettleInvoice struct {
	Invoice DepositID
	Paid    bool // otherwise it failed
}

func (*SettleInvoice) Kind() Kind { return 82 }

func (m *SettleInvoice) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "invoice", &m.Invoice)
	c.Bool(2, "paid", &m.Paid)
}

func (m *SettleInvoice) Subject() Subject { return Subject{Name: fmt.Sprint("invoice ", m.Invoice)} }

// SettleWithdrawal is what a provider says of a withdrawal. It counts once.
type SettleWithdrawal struct {
	Withdrawal WithdrawalID
	// Amount that the receiver got: all of it, a part where the customer allowed that, or nothing.
	Amount fixed.Decimal
}

func (*SettleWithdrawal) Kind() Kind { return 83 }

func (m *SettleWithdrawal) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "withdrawal", &m.Withdrawal)
	c.Decimal(2, "amount", &m.Amount)
}

func (m *SettleWithdrawal) Subject() Subject {
	return Subject{Name: fmt.Sprint("withdrawal ", m.Withdrawal)}
}
