package schema

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// MaxUniqueID is the longest name that a client may give a withdrawal, in bytes.
const MaxUniqueID = 1020

// RequestWithdrawal sends money of an account to an address on a chain.
type RequestWithdrawal struct {
	Account AccountID
	Asset   AssetID
	Chain   ChainID
	Amount  fixed.Decimal
	Pay     bool // the receiver gets the amount and the fee comes on top; otherwise the fee is taken from it
	Address string
	Memo    string
	Index   AddressIndex // of the address, if it is one of ours
	Unique  string       // what the client calls it, once and never again
	// Travel is what the travel rule asks for about the receiver, sealed; VASP where the receiver has the address, if it is known there.
	Travel []byte
	VASP   string
	// BIC of the receiver's bank, and whether a part may be paid, where a provider pays.
	BIC     string
	Partial bool
}

func (*RequestWithdrawal) Kind() Kind { return 68 }

func (m *RequestWithdrawal) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	wire.Uint(c, 3, "chain", &m.Chain)
	c.Decimal(4, "amount", &m.Amount)
	c.Bool(5, "pay", &m.Pay)
	wire.Text(c, 6, "address", &m.Address)
	wire.Text(c, 7, "memo", &m.Memo)
	wire.Uint(c, 8, "index", &m.Index)
	wire.Text(c, 9, "unique", &m.Unique)
	c.Bytes(10, "travel", &m.Travel)
	wire.Text(c, 11, "vasp", &m.VASP)
	wire.Text(c, 12, "bic", &m.BIC)
	c.Bool(13, "partial", &m.Partial)
}

// Withdrawal is money on its way out.
type Withdrawal struct {
	ID      WithdrawalID
	Account AccountID
	Chain   ChainID
	Asset   AssetID
	Amount  fixed.Decimal // what the receiver gets
	Fee     fixed.Decimal
	Status  WithdrawalStatus
	Height  uint64    // of the block that it is in; 0: none
	Tx      string    // that pays it, once there is one
	To      AccountID // of the receiver, if that is a customer
	Created Time
	Changed Time // when its status last changed
	// Needed is how many operators must approve it, Approver the one who did first.
	Needed   uint8
	Approver string
	Address  string
	Memo     string
	Unique   string
	// Refund is the deposit that it gives back, out of Suspense, and Deposited when that was first seen; 0: it is the account's money.
	Refund    DepositID
	Deposited Time
	Payout    PayoutID // that pays it, where it is planned; 0: none
	// BIC and Partial are what was asked of a provider; Asked is what the receiver should have got, where a provider paid less.
	BIC     string
	Partial bool
	Asked   fixed.Decimal
}

func (m *Withdrawal) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Uint(c, 3, "chain", &m.Chain)
	wire.Uint(c, 4, "asset", &m.Asset)
	c.Decimal(5, "amount", &m.Amount)
	c.Decimal(6, "fee", &m.Fee)
	wire.Uint(c, 7, "status", &m.Status)
	wire.Uint(c, 8, "height", &m.Height)
	wire.Text(c, 9, "tx", &m.Tx)
	wire.Uint(c, 10, "to", &m.To)
	wire.Int(c, 11, "created", &m.Created)
	wire.Int(c, 12, "changed", &m.Changed)
	wire.Uint(c, 13, "needed", &m.Needed)
	wire.Text(c, 14, "approver", &m.Approver)
	wire.Text(c, 15, "address", &m.Address)
	wire.Text(c, 16, "memo", &m.Memo)
	wire.Text(c, 17, "unique", &m.Unique)
	wire.Uint(c, 18, "refund", &m.Refund)
	wire.Int(c, 19, "deposited", &m.Deposited)
	wire.Uint(c, 20, "payout", &m.Payout)
	wire.Text(c, 21, "bic", &m.BIC)
	c.Bool(22, "partial", &m.Partial)
	c.Decimal(23, "asked", &m.Asked)
}

// RefundDeposit sends a deposit back that was not accepted, less what sending it costs.
type RefundDeposit struct {
	Account AccountID
	Deposit DepositID
	Address string
	Memo    string
	Index   AddressIndex // of the address, if it is one of ours: then it is refused
}

func (*RefundDeposit) Kind() Kind { return 70 }

func (m *RefundDeposit) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "deposit", &m.Deposit)
	wire.Text(c, 3, "address", &m.Address)
	wire.Text(c, 4, "memo", &m.Memo)
	wire.Uint(c, 5, "index", &m.Index)
}

// WithdrawalStatus is how far a withdrawal is.
type WithdrawalStatus uint8

const (
	WithdrawalReview      WithdrawalStatus = iota + 1 // it waits for operators
	WithdrawalFrozen                                  // an operator holds it back
	WithdrawalQueued                                  // it waits to be sent
	WithdrawalSent                                    // it was sent, and is in no block
	WithdrawalMined                                   // it is in a block
	WithdrawalDone                                    // it is confirmed
	WithdrawalCanceled                                // it was not sent, and the account has its money back
	WithdrawalPlanned                                 // a transaction is bound to pay it, and not signed yet
	WithdrawalPartial                                 // a provider paid a part of it; the account has the rest back
	WithdrawalUnconfirmed                             // the master of the sub-account has to confirm it
)

func (s WithdrawalStatus) String() string { return word(withdrawalWords[:], s) }

var withdrawalWords = [...]string{
	WithdrawalReview: "review", WithdrawalFrozen: "frozen", WithdrawalQueued: "queued", WithdrawalSent: "sent",
	WithdrawalMined: "mined", WithdrawalDone: "done", WithdrawalCanceled: "canceled", WithdrawalPlanned: "planned", WithdrawalPartial: "partial",
	WithdrawalUnconfirmed: "unconfirmed",
}

// WithdrawalChanged carries a withdrawal after its status, its height or its approver changed.
type WithdrawalChanged struct{ Withdrawal Withdrawal }

func (*WithdrawalChanged) event() {}

func (e *WithdrawalChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "withdrawal", &e.Withdrawal) }

// DecideWithdrawal is what an operator decides about a withdrawal.
type DecideWithdrawal struct {
	Withdrawal WithdrawalID
	Decision   Verdict
	// Signature by the operator's key, for a signer that knows it: of SignatureSize bytes, or none.
	Signature []byte
}

func (*DecideWithdrawal) Kind() Kind { return 69 }

func (c *DecideWithdrawal) Subject() Subject {
	return Subject{Name: fmt.Sprint("withdrawal ", c.Withdrawal)}
}

func (m *DecideWithdrawal) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "withdrawal", &m.Withdrawal)
	wire.Uint(c, 2, "decision", &m.Decision)
	c.Bytes(3, "signature", &m.Signature)
}

// SignatureSize is that of Ed25519, in bytes.
const SignatureSize = 64

// MaxSignatures is of how many operators a withdrawal keeps the signatures: one more than any signer wants, so that one by a key that the
// signer does not know stands in nobody's way.
const MaxSignatures = 3

// Signature is what an operator's key signed about a withdrawal. Only those who know the key can tell whether it is right.
type Signature struct {
	Operator string
	Bytes    []byte
}

func (m *Signature) Fields(c *wire.Coder) {
	wire.Text(c, 1, "operator", &m.Operator)
	c.Bytes(2, "bytes", &m.Bytes)
}

// Verdict about a withdrawal.
type Verdict uint8

const (
	ApproveWithdrawal Verdict = iota + 1
	CancelWithdrawal
	FreezeWithdrawal
	ReleaseWithdrawal // of a frozen one, to be reviewed again
	SignWithdrawal    // nothing but a signature
)

func (v Verdict) String() string { return word(verdictWords[:], v) }

var verdictWords = [...]string{
	ApproveWithdrawal: "approve", CancelWithdrawal: "cancel", FreezeWithdrawal: "freeze", ReleaseWithdrawal: "release",
	SignWithdrawal: "sign",
}
