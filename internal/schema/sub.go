package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Bounds of sub-accounts.
const (
	MaxSubs     = 100  // of one master, that are not deleted
	MaxSubsEver = 1000 // of one master
	MaxAlias    = 64   // bytes
	MaxEmail    = 1024 // bytes, sealed, in base64
)

// SubStatus is where a sub-account stands. Masters have none.
type SubStatus uint8

const (
	SubPending SubStatus = iota + 1 // nobody accepted the invitation yet
	SubActive
	SubBlocked // by its master
	SubDeleted
)

func (s SubStatus) String() string { return word(subWords[:], s) }

var subWords = [...]string{SubPending: "pending", SubActive: "active", SubBlocked: "blocked", SubDeleted: "deleted"}

// SetSub makes a sub-account (Sub 0), or changes the alias and the wallets of one.
type SetSub struct {
	Master AccountID
	Sub    AccountID
	Alias  string
	Spot   bool
	Margin bool
	// The rest is for a new one. Active says that no invitation has to be accepted.
	External string
	Email    string
	ShareKYC bool
	Active   bool
}

func (*SetSub) Kind() Kind { return 85 }

func (m *SetSub) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "master", &m.Master)
	wire.Uint(c, 2, "sub", &m.Sub)
	wire.Text(c, 3, "alias", &m.Alias)
	c.Bool(4, "spot", &m.Spot)
	c.Bool(5, "margin", &m.Margin)
	wire.Text(c, 6, "external", &m.External)
	wire.Text(c, 7, "email", &m.Email)
	c.Bool(8, "share_kyc", &m.ShareKYC)
	c.Bool(9, "active", &m.Active)
}

// DeleteSub ends a sub-account that has nothing.
type DeleteSub struct {
	Master AccountID
	Sub    AccountID
}

func (*DeleteSub) Kind() Kind { return 86 }

func (m *DeleteSub) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "master", &m.Master)
	wire.Uint(c, 2, "sub", &m.Sub)
}

// VerifySub says that the person who uses a sub-account was verified, for a provider that the exchange trusts.
type VerifySub struct{ Sub AccountID }

func (*VerifySub) Kind() Kind { return 119 }

func (m *VerifySub) Fields(c *wire.Coder) { wire.Uint(c, 1, "sub", &m.Sub) }

// BlockSub blocks a sub-account, or lifts a block of its master.
type BlockSub struct {
	Master  AccountID
	Sub     AccountID
	Blocked bool
}

func (*BlockSub) Kind() Kind { return 87 }

func (m *BlockSub) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "master", &m.Master)
	wire.Uint(c, 2, "sub", &m.Sub)
	c.Bool(3, "blocked", &m.Blocked)
}

// MoveSub moves money between the main wallets of a master and a sub-account.
type MoveSub struct {
	Master AccountID
	Sub    AccountID
	ToSub  bool
	Asset  AssetID
	Amount fixed.Decimal
}

func (*MoveSub) Kind() Kind { return 88 }

func (m *MoveSub) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "master", &m.Master)
	wire.Uint(c, 2, "sub", &m.Sub)
	c.Bool(3, "to_sub", &m.ToSub)
	wire.Uint(c, 4, "asset", &m.Asset)
	c.Decimal(5, "amount", &m.Amount)
}

// SubMoved is a movement of money between a master and a sub-account.
type SubMoved struct {
	ID   TransferID
	Move MoveSub
}

func (*SubMoved) event() {}

func (e *SubMoved) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &e.ID)
	wire.Embed(c, 2, "move", &e.Move)
}

// ConfirmWithdrawal lets a withdrawal of a sub-account go on that waits for its master.
type ConfirmWithdrawal struct {
	Master     AccountID
	Withdrawal WithdrawalID
}

func (*ConfirmWithdrawal) Kind() Kind { return 63 }

func (m *ConfirmWithdrawal) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "master", &m.Master)
	wire.Uint(c, 2, "withdrawal", &m.Withdrawal)
}
