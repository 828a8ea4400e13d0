package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// MaxExternal is the longest reference that a partner may give a request for money, in bytes.
const MaxExternal = 1020

// RequestExpress makes a token by which another customer can pay a partner, once and within 90 seconds. While a token with the same
// reference can be paid, it is the answer to a request for the same, and another request is refused.
type RequestExpress struct {
	Account  AccountID
	Asset    AssetID
	Amount   fixed.Decimal
	External string // what the partner calls it
	Digest   Digest // of the token
	Sealed   []byte // the token
}

func (*RequestExpress) Kind() Kind { return 75 }

func (m *RequestExpress) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
	wire.Text(c, 4, "external", &m.External)
	c.Array(5, "digest", m.Digest[:])
	c.Bytes(6, "sealed", &m.Sealed)
}

// PayExpress pays what a token asks for out of the main wallet of an account. It names what the payer was shown; commands of old logs
// name nothing.
type PayExpress struct {
	Account AccountID
	Digest  Digest
	Partner AccountID // who is paid
	Asset   AssetID
	Amount  fixed.Decimal
}

func (*PayExpress) Kind() Kind { return 76 }

func (m *PayExpress) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	c.Array(2, "digest", m.Digest[:])
	wire.Uint(c, 3, "partner", &m.Partner)
	wire.Uint(c, 4, "asset", &m.Asset)
	c.Decimal(5, "amount", &m.Amount)
}

// Express is a request for money that waits for its payer.
type Express struct {
	Account  AccountID
	Asset    AssetID
	Amount   fixed.Decimal
	External string
	Expires  Time
	Sealed   []byte
}

func (m *Express) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
	wire.Text(c, 4, "external", &m.External)
	wire.Int(c, 5, "expires", &m.Expires)
	c.Bytes(6, "sealed", &m.Sealed)
}
