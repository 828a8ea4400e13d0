package schema

import (
	"fmt"
	"strconv"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Bounds of payouts.
const (
	MaxPaid        = 100       // withdrawals that a payout pays
	MaxInputs      = 200       // coins that a payout spends
	MaxVariants    = 32        // of a payout
	MaxChange      = 8         // outputs of a payout that are change, where there are coins
	MaxTransaction = 100 << 10 // bytes of a transaction
	MaxResults     = 64        // payouts of ours in a part of a block
	MaxTx          = 80        // bytes of the name of a transaction
	MaxCoinID      = MaxReceiptID
)

// OwnAddress numbers the addresses of the exchange itself: 1 is the one that operators top up and, where there are accounts instead of
// coins, the one that pays; n+1 takes the change of payout n; PoolOwn gets blocks. 0: none.
type OwnAddress uint64

// Hot is the first address of the exchange itself.
const Hot OwnAddress = 1

// ChangeOf is the address that takes the change of a payout.
func ChangeOf(p PayoutID) OwnAddress { return OwnAddress(p) + 1 }

// PoolOwn is the address that blocks of the mining pool pay to, on a chain of coins. No payout has so high a number.
const PoolOwn OwnAddress = 1<<31 + 1

// Cold is where the addresses of cold storage begin, whose keys are of another seed: it is the one that there is where there are accounts
// instead of coins; elsewhere each payout that stores something has its own.
const Cold OwnAddress = 1 << 32

// ColdOf is the address in cold storage that a payout pays to.
func ColdOf(p PayoutID) OwnAddress { return Cold + OwnAddress(p) }

// IsCold reports whether an address is in cold storage.
func (a OwnAddress) IsCold() bool { return a >= Cold }

// OwnAhead is how many payouts behind the last one have addresses that may be paid already: a log that was lost may have named them.
const OwnAhead = 1000

// Coin is something that the exchange has on a chain of others: an output of a transaction that it can spend, or, where there are
// accounts instead of coins, the balance of an address.
type Coin struct {
	ID     string // of the output; of a balance, its address (BalanceID)
	Amount fixed.Decimal
	Height uint64       // of the block that made it; 0: that is in no block now. Balances have none
	Index  AddressIndex // of the address of a customer that it is at
	Own    OwnAddress   // or of ours
}

func (m *Coin) Fields(c *wire.Coder) {
	wire.Text(c, 1, "id", &m.ID)
	c.Decimal(2, "amount", &m.Amount)
	wire.Uint(c, 3, "height", &m.Height)
	wire.Uint(c, 4, "index", &m.Index)
	wire.Uint(c, 5, "own", &m.Own)
}

// OutputID is the coin that an output of a transaction is.
func OutputID(tx string, output int) string { return fmt.Sprintf("%s:%d", tx, output) }

// CoinPrefix is the number that the first sixteen hexadecimal digits of a coin's name are, or 0: of an output, the beginning of its
// transaction's hash. Other coins may have the same.
func CoinPrefix(id string) uint64 {
	prefix, err := strconv.ParseUint(id[:min(len(id), 16)], 16, 64)
	if err != nil {
		return 0
	}
	return prefix
}

// BalanceID is the coin that the balance of an address is.
func BalanceID(index AddressIndex, own OwnAddress) string {
	if own != 0 {
		return fmt.Sprint("own ", own)
	}
	return fmt.Sprint("address ", index)
}

// OwnOutput is what a payout pays to the exchange itself: change, what goes to cold storage, what is collected from addresses of customers,
// or what these need to pay for that.
type OwnOutput struct {
	Index  AddressIndex
	Own    OwnAddress
	Amount fixed.Decimal
}

func (m *OwnOutput) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "index", &m.Index)
	wire.Uint(c, 2, "own", &m.Own)
	c.Decimal(3, "amount", &m.Amount)
}

// PlanPayout reserves what a transaction spends, and binds the withdrawals that it pays to it, before anybody signs it. With the next
// number it is a new payout; with that of one under way it is a variant of it, with a higher fee or to give it up. All variants spend
// the anchor: the first coin, or the nonce. So at most one of them is ever mined.
type PlanPayout struct {
	Chain       ChainID
	Payout      PayoutID
	Asset       AssetID // that is paid
	Withdrawals []WithdrawalID
	// Inputs are the coins that are spent, the anchor first. Where there are accounts instead, Index or Own say which one pays, and
	// Nonce is the number of its transaction.
	Inputs []string
	Index  AddressIndex
	Own    OwnAddress
	Nonce  uint64
	// Outputs follow those that pay the withdrawals. Where there are coins, one for cold storage comes before the change, and a payout
	// with one pays no withdrawals. Change may be divided, so that other payouts have coins while it is under way.
	Outputs []OwnOutput
	// Fee of the chain, in its native asset: what it is, or, where there are accounts instead of coins, the most that it can be.
	Fee fixed.Decimal
	// Tx names the transaction where that is known before it is signed.
	Tx string
	// Unsigned is what is signed.
	Unsigned []byte
}

func (*PlanPayout) Kind() Kind { return 78 }

func (m *PlanPayout) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &m.Chain)
	wire.Uint(c, 2, "payout", &m.Payout)
	wire.Uint(c, 3, "asset", &m.Asset)
	wire.Uints(c, 4, "withdrawals", &m.Withdrawals)
	c.Texts(5, "inputs", &m.Inputs)
	wire.Uint(c, 6, "index", &m.Index)
	wire.Uint(c, 7, "own", &m.Own)
	wire.Uint(c, 8, "nonce", &m.Nonce)
	wire.List(c, 9, "outputs", &m.Outputs)
	c.Decimal(10, "fee", &m.Fee)
	wire.Text(c, 11, "tx", &m.Tx)
	c.Bytes(12, "unsigned", &m.Unsigned)
}

// SignPayout keeps the signed form of a variant. Only what is kept is sent.
type SignPayout struct {
	Payout  PayoutID
	Variant uint32 // from 0
	Tx      string
	Raw     []byte
}

func (*SignPayout) Kind() Kind { return 79 }

func (m *SignPayout) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "payout", &m.Payout)
	wire.Uint(c, 2, "variant", &m.Variant)
	wire.Text(c, 3, "tx", &m.Tx)
	c.Bytes(4, "raw", &m.Raw)
}

// AbandonPayout is what operators decide about a payout that does not get into a block.
type AbandonPayout struct {
	Payout PayoutID
	// Dead says that it can never be mined, because its anchor is gone for good. Two operators say so. Otherwise the next variant pays
	// only ourselves, and what the payout should have paid is released when that is deep enough.
	Dead bool
}

func (*AbandonPayout) Kind() Kind { return 80 }

func (m *AbandonPayout) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "payout", &m.Payout)
	c.Bool(2, "dead", &m.Dead)
}

func (m *AbandonPayout) Subject() Subject { return Subject{Name: fmt.Sprint("payout ", m.Payout)} }

// RefillHot says how much of an asset should come back from cold storage; 0: nothing. Payouts that bring it make it less.
type RefillHot struct {
	Chain  ChainID
	Asset  AssetID
	Amount fixed.Decimal
}

func (*RefillHot) Kind() Kind { return 61 }

func (m *RefillHot) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &m.Chain)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
}

// Payout is a transaction of the exchange under way, in one or more variants.
type Payout struct {
	ID          PayoutID
	Chain       ChainID
	Asset       AssetID
	Status      PayoutStatus
	Created     Time
	Height      uint64 // of the block that it is in; 0: none
	Index       AddressIndex
	Own         OwnAddress
	Nonce       uint64
	Withdrawals []WithdrawalID
	Variants    []Variant
	Mined       uint32        // the variant that is in the block
	Paid        fixed.Decimal // the fee that it cost there
	GivingUp    bool
	Approver    string // the first operator who held it to be dead
}

func (m *Payout) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "chain", &m.Chain)
	wire.Uint(c, 3, "asset", &m.Asset)
	wire.Uint(c, 4, "status", &m.Status)
	wire.Int(c, 5, "created", &m.Created)
	wire.Uint(c, 6, "height", &m.Height)
	wire.Uint(c, 7, "index", &m.Index)
	wire.Uint(c, 8, "own", &m.Own)
	wire.Uint(c, 9, "nonce", &m.Nonce)
	wire.Uints(c, 10, "withdrawals", &m.Withdrawals)
	wire.List(c, 11, "variants", &m.Variants)
	wire.Uint(c, 12, "mined", &m.Mined)
	c.Decimal(13, "paid", &m.Paid)
	c.Bool(14, "giving_up", &m.GivingUp)
	wire.Text(c, 15, "approver", &m.Approver)
}

// Variant is one form of a payout.
type Variant struct {
	Inputs   []string
	Outputs  []OwnOutput
	Fee      fixed.Decimal
	Tx       string
	Unsigned []byte
	Raw      []byte // signed; empty: it is not
	Height   uint64 // of the chain when it was planned
	GiveUp   bool   // it pays only ourselves
}

func (m *Variant) Fields(c *wire.Coder) {
	c.Texts(1, "inputs", &m.Inputs)
	wire.List(c, 2, "outputs", &m.Outputs)
	c.Decimal(3, "fee", &m.Fee)
	wire.Text(c, 4, "tx", &m.Tx)
	c.Bytes(5, "unsigned", &m.Unsigned)
	c.Bytes(6, "raw", &m.Raw)
	wire.Uint(c, 7, "height", &m.Height)
	c.Bool(8, "give_up", &m.GiveUp)
}

// PayoutStatus is how far a payout is.
type PayoutStatus uint8

const (
	PayoutPlanned PayoutStatus = iota + 1 // no variant is signed
	PayoutSent                            // one is
	PayoutMined                           // one is in a block
	PayoutFailed                          // one is in a block, and paid nothing
	PayoutDead                            // operators gave it up without a block
)

func (s PayoutStatus) String() string { return word(payoutWords[:], s) }

var payoutWords = [...]string{PayoutPlanned: "planned", PayoutSent: "sent", PayoutMined: "mined", PayoutFailed: "failed", PayoutDead: "dead"}

// PayoutChanged carries a payout after its status, its height or its variants changed, without the bytes of its transactions.
type PayoutChanged struct{ Payout Payout }

func (*PayoutChanged) event() {}

func (e *PayoutChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "payout", &e.Payout) }

// PayoutResult says that a variant of a payout is in a block.
type PayoutResult struct {
	Payout  PayoutID
	Variant uint32
	Failed  bool          // it paid nothing but the fee
	Fee     fixed.Decimal // that it cost
}

func (m *PayoutResult) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "payout", &m.Payout)
	wire.Uint(c, 2, "variant", &m.Variant)
	c.Bool(3, "failed", &m.Failed)
	c.Decimal(4, "fee", &m.Fee)
}
