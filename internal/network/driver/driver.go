// Package driver is the seam between the exchange and a chain that others live on: what is asked of a node of it, and what is asked of
// those who have the keys. Drivers keep nothing but what they can read from the node again: every call may be repeated.
package driver

import (
	"context"
	"errors"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Chain is a chain as a node of it shows it.
type Chain interface {
	// Check fails if the node is one of another chain than the settings name: another genesis block, or another number.
	Check(ctx context.Context) error
	// Tip is the last block of the node.
	Tip(ctx context.Context) (Point, error)
	// At is the block of a height on the chain of the node; false if that has none.
	At(ctx context.Context, height uint64) (Point, bool, error)
	// Block reads the block with that hash and holds it against its hash, its parts against the block, and finds what is ours in it.
	Block(ctx context.Context, at Point, ours Lookup) (*Block, error)

	// Key is what an address is looked up by: short, and the same for all ways to write one.
	Key(address string) ([]byte, error)

	// FeeRate is what the next blocks cost, in the smallest unit of the chain's own asset per virtual byte or gas.
	FeeRate(ctx context.Context) (uint64, error)
	// Compose makes the transaction of an order. ErrFunds if what may be spent does not cover it; ErrCannot, wrapped with the reason,
	// if the node says that it could not be executed.
	Compose(ctx context.Context, o *Order) (*Draft, error)
	// Bid is what a transaction bids per gas, which one in its place must exceed; 0 where its whole fee is what counts.
	Bid(unsigned []byte) (uint64, error)
	// Size is that of a signed transaction where the fee is for each of its bytes: in virtual bytes. 0 where it is not.
	Size(raw []byte) (uint64, error)
	// Signed holds a signed transaction against what was to be signed, and says what it is called. By is the address of the account that
	// pays, which must have signed it, where there are accounts.
	Signed(unsigned, raw []byte, by string) (tx string, err error)
	// Send gives a transaction to the node. An error means that nobody knows: it is sent again.
	Send(ctx context.Context, raw []byte) (Fate, error)

	// Holds is what a holding is worth in a block of the node's chain, or with the zero point now, with what waits for a block taken as
	// mined. ErrMoved if the block is not there any more.
	Holds(ctx context.Context, at Point, h Holding) (fixed.Decimal, error)
	// Nonce is that of the next transaction of an address, with what waits for a block taken as mined; 0 where there are no nonces.
	Nonce(ctx context.Context, address string) (uint64, error)
}

// What may be wrong with an order or a question.
var (
	ErrFunds  = errors.New("what may be spent does not cover it")
	ErrCannot = errors.New("the chain would not execute it")
	ErrMoved  = errors.New("the chain has gone another way")
)

// Point is a block and where it stands.
type Point struct {
	Height uint64
	Hash   schema.Digest
}

// Place is which of our addresses one is: a customer's, or one of the exchange itself.
type Place struct {
	Index schema.AddressIndex
	Own   schema.OwnAddress
	Type  schema.AddressType // where a family has several
}

// Lookup says what is ours. It is asked for everything that is in a block.
type Lookup interface {
	// Place of the address with a key.
	Place(key []byte) (Place, bool)
	// Coin reports whether a coin is ours.
	Coin(key []byte) bool
	// Contract reports whether the token of a contract is listed.
	Contract(key []byte) bool
}

// Block is what is ours in a block.
type Block struct {
	Point
	Parent   schema.Digest
	Receipts []Receipt
	Spends   []Spend
}

// Receipt is something that was paid to an address of ours.
type Receipt struct {
	ID       string // unique in the chain, and the same in whichever block it stands
	Tx       string
	Place    Place
	Text     string // of the address
	Contract string // of the token; "": the chain's own asset
	Units    Units
	Coinbase bool
}

// Spend is a transaction that spends what is ours.
type Spend struct {
	Tx     string
	Coins  []string // of ours that it spends, where there are coins
	From   Place    // whose transaction it is, where there are accounts, or whose tokens somebody else's moved
	Sent   bool     // it is a transaction of that address
	Nonce  uint64   // and which one
	Failed bool     // it did nothing but cost its fee
	Value  Units    // of the chain's own asset that it sent; nil: none
	Fee    Units    // that it cost; nil where only the plan knows
	Moves  []Move   // tokens that it moved
}

// Move is a transfer of a token inside a transaction.
type Move struct {
	Contract, From, To string
	Units              Units
}

// Order is what a transaction should do.
type Order struct {
	Chain *schema.Chain
	// Pays are those who get something, in this order.
	Pays []Payment
	Rate uint64 // of the fee, per virtual byte or gas
	// Where there are coins: those that may be spent, the best first; those that must be are in front, Must of them. Change is the
	// address for what is left. Others counts the coins beside Coins that are worth at least so much and that others can spend, up to
	// schema.MaxChange: with too few the change is divided. Nil: it is not.
	Coins  []Input
	Must   int
	Change string
	Others func(least fixed.Decimal) int
	// Parent is a transaction in no block that makes coins that must be spent: the rate is that of both together. Nil: there is none.
	Parent *Parent
	// Where there are accounts: the one that pays, and the number of its transaction. Least is what the transaction that this
	// one replaces bids, 0 if there is none.
	From     string
	Nonce    uint64
	Contract string // of the token that is paid; "": the chain's own asset
	Decimals uint8  // of what is paid
	Least    uint64
}

// Parent is a signed transaction in no block, whose own coins all are in blocks.
type Parent struct {
	Size uint64
	Fee  fixed.Decimal
}

// Payment is an amount for an address.
type Payment struct {
	Address string
	Amount  fixed.Decimal
}

// Input is a coin that may be spent.
type Input struct {
	ID      string
	Amount  fixed.Decimal
	Address string
	Place   Place
	Public  []byte // key of the address, compressed, where the transaction names it
}

// Draft is a transaction that is not signed.
type Draft struct {
	Inputs   []string        // that it spends, those that must be in front
	Change   []fixed.Decimal // its outputs, in order
	Fee      fixed.Decimal   // in the chain's own asset; where there are accounts, the most that it can be
	Tx       string          // what it is called, where that is known before it is signed
	Unsigned []byte
}

// Fate is what a node says about a transaction that it was given.
type Fate uint8

const (
	Accepted Fate = iota + 1 // it waits for a block, or did already
	Mined                    // it is in a block
	Conflict                 // another one spends the same
	Cheap                    // it bids too little
	Refused                  // the node does not take it for another reason
)

func (f Fate) String() string {
	return [...]string{"unknown", "accepted", "mined", "in conflict", "too cheap", "refused"}[f]
}

// Holding is a coin, or what an address has of an asset.
type Holding struct {
	ID       string // of the coin
	Address  string
	Contract string
	Decimals uint8
}

// Signer has keys, or asks those who do.
type Signer interface {
	// Sign signs a transaction. ErrWaiting if people have to; then it is asked again.
	Sign(ctx context.Context, r *Request) (raw []byte, err error)
}

// Approver is a signer that wants some withdrawals to be signed by operators before it signs what pays them.
type Approver interface {
	// Unapproved are those of the withdrawals of a request, which has no transaction yet, that lack signatures.
	Unapproved(ctx context.Context, r *Request) ([]Unapproved, error)
}

// Unapproved is a withdrawal that lacks signatures of operators, and what it lacks, for people.
type Unapproved struct {
	Withdrawal schema.WithdrawalID
	Lacks      string
}

// ErrWaiting says that a signature is not there yet.
var ErrWaiting = errors.New("it waits for a signature")

// Request is a transaction to be signed, with all that a signer needs to verify it without trusting the caller.
type Request struct {
	Chain    schema.Chain
	Payout   schema.PayoutID
	Variant  uint32
	Unsigned []byte
	// Places of the keys: of every input, or of the account that pays.
	Places []Place
	// Withdrawals that it pays, and Owns, what comes back to us.
	Withdrawals []Paid
	Owns        []schema.OwnOutput
	Asset       string
	Contract    string
	Decimals    uint8
	Fee         fixed.Decimal
	Anchor      string // the coin, or the account and the nonce
}

// Paid is a withdrawal that a transaction pays.
type Paid struct {
	ID        schema.WithdrawalID
	Address   string
	Memo      string
	Amount    fixed.Decimal
	Approvals []string // names of operators
	// Signatures that operators gave for it; whether they are right is for the signer to say.
	Signatures []schema.Signature
}
