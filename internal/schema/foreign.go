package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Bounds of what a transaction that no plan made may take.
const (
	MaxAdopted       = 100  // transactions of a chain that operators adopted and that can still be rewound, or wait for their block
	MaxForeignInputs = 5000 // coins that one spends
	MaxForeignTakes  = 64   // balances that one takes from
	MaxForeignNonce  = 1 << 63
)

// AdoptSpend lets a block be taken whose transaction spends what is ours without a plan of the log: a theft, or a payout that an older log
// does not know. Two operators say the same about a halted chain; then it goes on. The exchange bears what is gone.
type AdoptSpend struct {
	Chain ChainID
	Tx    string
}

func (*AdoptSpend) Kind() Kind { return 138 }

func (m *AdoptSpend) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &m.Chain)
	wire.Text(c, 2, "tx", &m.Tx)
}

func (m *AdoptSpend) Subject() Subject { return Subject{Name: m.Tx} }

// BookSurplus books what is ours on a chain and came in a way that blocks do not show: inside a contract, or before the exchange followed
// the chain. Two operators say the same. It becomes a deposit of the last block, which waits for operators in suspense once it is confirmed.
type BookSurplus struct {
	Chain  ChainID
	Asset  AssetID
	Amount fixed.Decimal
	Index  AddressIndex // of the address of a customer that it is at
	Own    OwnAddress   // or of ours
	Coin   string       // the output that it is, where there are coins
	Text   string       // of the address
}

func (*BookSurplus) Kind() Kind { return 139 }

func (m *BookSurplus) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &m.Chain)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
	wire.Uint(c, 4, "index", &m.Index)
	wire.Uint(c, 5, "own", &m.Own)
	wire.Text(c, 6, "coin", &m.Coin)
	wire.Text(c, 7, "text", &m.Text)
}

// ForeignSpend is what a transaction in a block took from us that no plan made and that operators adopted.
type ForeignSpend struct {
	Tx string
	// Inputs are the coins of an asset that it spends, where there are coins.
	Asset  AssetID
	Inputs []string
	// Index or Own say whose transaction it is, where there are accounts and it is one of ours, and Nonce which one. Takes is what it took,
	// its fee included.
	Index AddressIndex
	Own   OwnAddress
	Nonce uint64
	Takes []ForeignTake
}

func (m *ForeignSpend) Fields(c *wire.Coder) {
	wire.Text(c, 1, "tx", &m.Tx)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Texts(3, "inputs", &m.Inputs)
	wire.Uint(c, 4, "index", &m.Index)
	wire.Uint(c, 5, "own", &m.Own)
	wire.Uint(c, 6, "nonce", &m.Nonce)
	wire.List(c, 7, "takes", &m.Takes)
}

// ForeignTake is an amount that was taken from the balance of an address of ours.
type ForeignTake struct {
	Asset  AssetID
	Index  AddressIndex
	Own    OwnAddress
	Amount fixed.Decimal
}

func (m *ForeignTake) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "asset", &m.Asset)
	wire.Uint(c, 2, "index", &m.Index)
	wire.Uint(c, 3, "own", &m.Own)
	c.Decimal(4, "amount", &m.Amount)
}

// SpendAdopted says what the exchange bears of a transaction that no plan made, once its block came or was rewound.
type SpendAdopted struct {
	Chain  ChainID
	Tx     string
	Height uint64 // of its block; 0: that was rewound
	Losses []ForeignTake
}

func (*SpendAdopted) event() {}

func (e *SpendAdopted) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &e.Chain)
	wire.Text(c, 2, "tx", &e.Tx)
	wire.Uint(c, 3, "height", &e.Height)
	wire.List(c, 4, "losses", &e.Losses)
}
