package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Digest is what a secret is known by in the log: its MAC under a key that the log does not have. The zero value is none.
type Digest [32]byte

// IsZero reports whether there is none.
func (d *Digest) IsZero() bool { return *d == Digest{} }

// Bounds of what comes with a code, in bytes. A description has up to 280 characters.
const (
	MaxSealedCode  = 256
	MaxDescription = 4 * 280
)

// CreateCode takes money out of the main wallet of an account and lets anyone who knows the code have it. The text of the code is
// random and never in the log: only its digest, by which it is found, and the sealed text, which its creator may read again.
type CreateCode struct {
	Account     AccountID
	Asset       AssetID
	Amount      fixed.Decimal
	Digest      Digest
	Lock        Digest // of the passphrase; none: the code alone is enough
	Sealed      []byte
	Description string
}

func (*CreateCode) Kind() Kind { return 38 }

func (m *CreateCode) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
	c.Array(4, "digest", m.Digest[:])
	c.Array(5, "lock", m.Lock[:])
	c.Bytes(6, "sealed", &m.Sealed)
	wire.Text(c, 7, "description", &m.Description)
}

// ApplyCode brings the money of a code into the main wallet of an account. With the wrong passphrase the command is accepted, brings
// nothing, and counts: a code can be tried so often and no more.
type ApplyCode struct {
	Account AccountID
	Digest  Digest
	Lock    Digest // of the passphrase that was given; none: there was none
}

func (*ApplyCode) Kind() Kind { return 39 }

func (m *ApplyCode) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	c.Array(2, "digest", m.Digest[:])
	c.Array(3, "lock", m.Lock[:])
}

// Code is an amount that waits for the one who knows its text, or went to one, or back.
type Code struct {
	ID          CodeID
	Account     AccountID // that created it
	Asset       AssetID
	Amount      fixed.Decimal
	Status      CodeStatus
	Created     Time
	Ended       Time      // when it was applied or went back; 0 before
	Redeemer    AccountID // that applied it
	Sealed      []byte
	Description string
}

func (m *Code) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Uint(c, 3, "asset", &m.Asset)
	c.Decimal(4, "amount", &m.Amount)
	wire.Uint(c, 5, "status", &m.Status)
	wire.Int(c, 6, "created", &m.Created)
	wire.Int(c, 7, "ended", &m.Ended)
	wire.Uint(c, 8, "redeemer", &m.Redeemer)
	c.Bytes(9, "sealed", &m.Sealed)
	wire.Text(c, 10, "description", &m.Description)
}

// CodeStatus is what became of a code.
type CodeStatus uint8

const (
	CodeActive   CodeStatus = iota + 1 // it can be applied
	CodeApplied                        // its money went to the redeemer
	CodeReturned                       // its money went back: nobody applied it in time, or the passphrase was wrong too often
)

func (s CodeStatus) String() string { return word(codeWords[:], s) }

var codeWords = [...]string{CodeActive: "active", CodeApplied: "applied", CodeReturned: "returned"}

// CodeChanged carries a code that was created, applied or returned.
type CodeChanged struct{ Code Code }

func (*CodeChanged) event() {}

func (e *CodeChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "code", &e.Code) }
