package driver

import "bourse/internal/wire"

// Requests are sent to signers elsewhere and written to files for people, so they have a form that stays.

func (m *Place) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "index", &m.Index)
	wire.Uint(c, 2, "own", &m.Own)
	wire.Uint(c, 3, "type", &m.Type)
}

func (m *Paid) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Text(c, 2, "address", &m.Address)
	wire.Text(c, 3, "memo", &m.Memo)
	c.Decimal(4, "amount", &m.Amount)
	c.Texts(5, "approvals", &m.Approvals)
	wire.List(c, 6, "signatures", &m.Signatures)
}

func (m *Unapproved) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "withdrawal", &m.Withdrawal)
	wire.Text(c, 2, "lacks", &m.Lacks)
}

func (m *Request) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "chain", &m.Chain)
	wire.Uint(c, 2, "payout", &m.Payout)
	wire.Uint(c, 3, "variant", &m.Variant)
	c.Bytes(4, "unsigned", &m.Unsigned)
	wire.List(c, 5, "places", &m.Places)
	wire.List(c, 6, "withdrawals", &m.Withdrawals)
	wire.List(c, 7, "owns", &m.Owns)
	wire.Text(c, 8, "asset", &m.Asset)
	wire.Text(c, 9, "contract", &m.Contract)
	wire.Uint(c, 10, "decimals", &m.Decimals)
	c.Decimal(11, "fee", &m.Fee)
	wire.Text(c, 12, "anchor", &m.Anchor)
}
