package schema

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Chain is a network of blocks by which assets come and go; networks of assets name it. Name, driver, family and net never change.
type Chain struct {
	ID     ChainID
	Name   string
	Driver Driver
	Family Family
	Net    Net
	// Interval is the time between two blocks that a sandbox makes by itself; 0: only those that operators ask for.
	Interval Time
	// Paused chains take no blocks and make none.
	Paused bool
	// Stuck sandboxes make blocks that pay nothing out: what is sent waits, as if no miner took it.
	Stuck bool
	// Number is what an Ethereum-like chain calls itself (its chain id); 0 for others. It never changes.
	Number uint64
	// FeeRateMax is the most that is bid for a unit of what transactions are charged by: satoshi for a virtual byte, wei for gas. 0: no bound.
	FeeRateMax uint64
}

func (m *Chain) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Text(c, 2, "name", &m.Name)
	wire.Uint(c, 3, "driver", &m.Driver)
	wire.Uint(c, 4, "family", &m.Family)
	wire.Uint(c, 5, "net", &m.Net)
	wire.Int(c, 6, "interval", &m.Interval)
	c.Bool(7, "paused", &m.Paused)
	c.Bool(8, "stuck", &m.Stuck)
	wire.Uint(c, 9, "number", &m.Number)
	wire.Uint(c, 10, "fee_rate_max", &m.FeeRateMax)
}

// Space names the addresses that chains of one family and net share: an address of one is an address of all.
type Space struct {
	Family Family
	Net    Net
}

// Space of the addresses of a chain.
func (m *Chain) Space() Space { return Space{m.Family, m.Net} }

// Driver is what the exchange hears of a chain by.
type Driver uint8

const (
	Sandbox     Driver = iota + 1 // blocks are made here
	BitcoinNode                   // a node of Bitcoin
	EVMNode                       // a node of an Ethereum-like chain
	Provider                      // a payment provider: there are no blocks, and it says what was paid
)

func (d Driver) String() string { return word(driverWords[:], d) }

var driverWords = [...]string{Sandbox: "sandbox", BitcoinNode: "bitcoin", EVMNode: "evm", Provider: "provider"}

// Family is what addresses of a chain look like.
type Family uint8

const (
	Bitcoin Family = iota + 1
	EVM
	TRON
	XRP
	Solana
	TON
)

func (f Family) String() string { return word(familyWords[:], f) }

var familyWords = [...]string{Bitcoin: "bitcoin", EVM: "evm", TRON: "tron", XRP: "xrp", Solana: "solana", TON: "ton"}

// Net is which of the chains of a family it is, as far as addresses show it.
type Net uint8

const (
	Mainnet Net = iota + 1
	Testnet
	Signet
	Regtest
	Simnet
)

func (n Net) String() string { return word(netWords[:], n) }

var netWords = [...]string{Mainnet: "mainnet", Testnet: "testnet", Signet: "signet", Regtest: "regtest", Simnet: "simnet"}

// SetChain names a chain, or changes the one with the same name. The id is the core's.
type SetChain struct{ Chain Chain }

func (*SetChain) Kind() Kind { return 56 }

func (m *SetChain) Fields(c *wire.Coder) { wire.Embed(c, 1, "chain", &m.Chain) }

// ChainChanged carries a chain after it was set.
type ChainChanged struct{ Chain Chain }

func (*ChainChanged) event()   {}
func (*ChainChanged) setting() {}

func (e *ChainChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "chain", &e.Chain) }

// OpenAddress gives an account an address at which deposits arrive: that which it has, or a fresh one.
type OpenAddress struct {
	Account AccountID
	Chain   ChainID
	Type    AddressType // 0: the usual one of the family
	Fresh   bool        // a new one, also if the account has one
	Asset   AssetID     // that it is asked for; 0: nobody said
}

func (*OpenAddress) Kind() Kind { return 40 }

func (m *OpenAddress) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "chain", &m.Chain)
	wire.Uint(c, 3, "type", &m.Type)
	c.Bool(4, "fresh", &m.Fresh)
	wire.Uint(c, 5, "asset", &m.Asset)
}

// AddressType is a form of addresses where a family has several.
type AddressType uint8

const (
	Bech32     AddressType = iota + 1 // the usual one
	P2SHSegwit                        // for senders that do not know bech32
)

func (t AddressType) String() string { return word(addressTypeWords[:], t) }

var addressTypeWords = [...]string{Bech32: "bech32", P2SHSegwit: "p2sh-segwit"}

// Address is a place where deposits of an account arrive. Its text is no part of it: nodes derive that from the index. Where a family
// has memos, the index is the memo.
type Address struct {
	Family  Family
	Net     Net
	Index   AddressIndex
	Type    AddressType // 0 where the family has one form
	Account AccountID
}

func (m *Address) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "family", &m.Family)
	wire.Uint(c, 2, "net", &m.Net)
	wire.Uint(c, 3, "index", &m.Index)
	wire.Uint(c, 4, "type", &m.Type)
	wire.Uint(c, 5, "account", &m.Account)
}

// Space that the address is in.
func (m *Address) Space() Space { return Space{m.Family, m.Net} }

// AddressOpened carries an address that an account got.
type AddressOpened struct{ Address Address }

func (*AddressOpened) event()   {}
func (*AddressOpened) setting() {}

func (e *AddressOpened) Fields(c *wire.Coder) { wire.Embed(c, 1, "address", &e.Address) }

// Bounds of what a block may carry, in receipts and in bytes.
const (
	MaxReceipts    = 1000
	MaxReceiptID   = 100
	MaxAddressText = 128
	MaxMemo        = 255
)

// ChainBlock says that a chain went on by a block. It is taken only where the exchange stands at the block's parent, so it does not
// matter who says it, and how often. A block with many receipts comes in parts, and counts when the last is in.
type ChainBlock struct {
	Chain       ChainID
	Height      uint64
	Hash        Digest
	Parent      Digest
	Part, Parts uint32 // parts count from 0; a block that is whole has one
	Receipts    []Receipt
	// Results are our payouts in the block; they come with its last part.
	Results []PayoutResult
	// Foreign is a transaction in it that spends what is ours and that no plan made: a theft, or a log that is older than the chain. The
	// block is not taken, and the chain is halted.
	Foreign string
	// Adopted are such transactions that operators adopted; they come with its last part.
	Adopted []ForeignSpend
}

func (*ChainBlock) Kind() Kind { return 41 }

func (m *ChainBlock) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &m.Chain)
	wire.Uint(c, 2, "height", &m.Height)
	c.Array(3, "hash", m.Hash[:])
	c.Array(4, "parent", m.Parent[:])
	wire.Uint(c, 5, "part", &m.Part)
	wire.Uint(c, 6, "parts", &m.Parts)
	wire.List(c, 7, "receipts", &m.Receipts)
	wire.List(c, 8, "results", &m.Results)
	wire.Text(c, 9, "foreign", &m.Foreign)
	wire.List(c, 10, "adopted", &m.Adopted)
}

// Receipt is something that a block paid to an address of ours.
type Receipt struct {
	ID     string // of the output: unique in the chain, and the same in whichever block it stands
	Asset  AssetID
	Amount fixed.Decimal
	Index  AddressIndex // of the address; 0: it is nobody's
	Text   string       // of the address
	Memo   string
	Own    OwnAddress // of the exchange itself that it was paid to, by others; then it is nobody's
}

func (m *Receipt) Fields(c *wire.Coder) {
	wire.Text(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
	wire.Uint(c, 4, "index", &m.Index)
	wire.Text(c, 5, "text", &m.Text)
	wire.Text(c, 6, "memo", &m.Memo)
	wire.Uint(c, 7, "own", &m.Own)
}

// ChainRewind says that the blocks of a chain above a point are no part of it any more.
type ChainRewind struct {
	Chain  ChainID
	Height uint64
	Hash   Digest
}

func (*ChainRewind) Kind() Kind { return 42 }

func (m *ChainRewind) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &m.Chain)
	wire.Uint(c, 2, "height", &m.Height)
	c.Array(3, "hash", m.Hash[:])
}

// ResumeChain lets a halted chain go on from a block that the exchange remembers: usually the last. Two operators say the same, after they
// held the log against the chain. Where no block was taken yet, both height and hash are zero.
type ResumeChain struct {
	Chain  ChainID
	Height uint64
	Hash   Digest
}

func (*ResumeChain) Kind() Kind { return 62 }

func (m *ResumeChain) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &m.Chain)
	wire.Uint(c, 2, "height", &m.Height)
	c.Array(3, "hash", m.Hash[:])
}

// ChainMoved says where a chain stands.
type ChainMoved struct {
	Chain  ChainID
	Height uint64
	Hash   Digest
	Halted bool // nothing is taken from it until operators resume it
}

func (*ChainMoved) event() {}

func (e *ChainMoved) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &e.Chain)
	wire.Uint(c, 2, "height", &e.Height)
	c.Array(3, "hash", e.Hash[:])
	c.Bool(4, "halted", &e.Halted)
}

// ChainDeposit is a deposit that came by a chain.
type ChainDeposit struct {
	ID      DepositID
	Account AccountID // 0: nobody's
	Chain   ChainID
	Asset   AssetID
	Amount  fixed.Decimal
	Fee     fixed.Decimal // that was taken from it
	Status  DepositStatus
	// Height of its block; 0 while it is in none, because its block was rewound.
	Height  uint64
	Created Time // when it was first seen
	Changed Time // when its status last changed
	// Reversed says that it was credited for good, and that the chain took it back after that.
	Reversed bool
	Index    AddressIndex
	Receipt  string
	Address  string
	Memo     string
	// From is the customer who sent it inside the exchange; 0: it came by the chain.
	From AccountID
}

func (m *ChainDeposit) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Uint(c, 3, "chain", &m.Chain)
	wire.Uint(c, 4, "asset", &m.Asset)
	c.Decimal(5, "amount", &m.Amount)
	c.Decimal(6, "fee", &m.Fee)
	wire.Uint(c, 7, "status", &m.Status)
	wire.Uint(c, 8, "height", &m.Height)
	wire.Int(c, 9, "created", &m.Created)
	wire.Int(c, 10, "changed", &m.Changed)
	c.Bool(11, "reversed", &m.Reversed)
	wire.Uint(c, 12, "index", &m.Index)
	wire.Text(c, 13, "receipt", &m.Receipt)
	wire.Text(c, 14, "address", &m.Address)
	wire.Text(c, 15, "memo", &m.Memo)
	wire.Uint(c, 16, "from", &m.From)
}

// DepositStatus is what became of a deposit that came by a chain.
type DepositStatus uint8

const (
	DepositConfirming DepositStatus = iota + 1 // it waits for blocks
	DepositHeld                                // it can be traded, and not leave
	DepositCredited                            // it is the account's
	DepositUncredited                          // it is not credited by itself: too little, too much, not offered, nobody's
	DepositFrozen                              // an operator holds it back
	DepositCanceled                            // an operator does not accept it; it can be refunded
	DepositLost                                // the chain took it back
	DepositTravel                              // it is not said yet who sent it, as the travel rule asks
	DepositReview                              // that is said, and an operator looks at it
)

func (s DepositStatus) String() string { return word(depositWords[:], s) }

var depositWords = [...]string{
	DepositConfirming: "confirming", DepositHeld: "held", DepositCredited: "credited", DepositUncredited: "uncredited",
	DepositFrozen: "frozen", DepositCanceled: "canceled", DepositLost: "lost",
	DepositTravel: "travel", DepositReview: "review",
}

// ChainDepositChanged carries a deposit that came by a chain after its status, its height or Reversed changed.
type ChainDepositChanged struct{ Deposit ChainDeposit }

func (*ChainDepositChanged) event() {}

func (e *ChainDepositChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "deposit", &e.Deposit) }

// DecideDeposit is what an operator decides about a deposit that came by a chain.
type DecideDeposit struct {
	Deposit  DepositID
	Decision Decision
	Account  AccountID // that gets what is nobody's; 0 otherwise
}

func (*DecideDeposit) Kind() Kind { return 43 }

func (m *DecideDeposit) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "deposit", &m.Deposit)
	wire.Uint(c, 2, "decision", &m.Decision)
	wire.Uint(c, 3, "account", &m.Account)
}

// Decision about a deposit.
type Decision uint8

const (
	CreditDeposit Decision = iota + 1 // give it to the account
	CancelDeposit                     // do not accept it; it can be refunded
	FreezeDeposit                     // hold it back until it is decided
)

func (d Decision) String() string { return word(decisionWords[:], d) }

var decisionWords = [...]string{CreditDeposit: "credit", CancelDeposit: "cancel", FreezeDeposit: "freeze"}

// ForgiveOwed writes off what an account owes because a chain took back what it had spent. The operator's own money bears it.
type ForgiveOwed struct {
	Account AccountID
	Asset   AssetID
	Amount  fixed.Decimal
}

func (*ForgiveOwed) Kind() Kind { return 44 }

func (m *ForgiveOwed) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
}

// MineSandbox makes blocks of a sandbox.
type MineSandbox struct {
	Chain  ChainID
	Blocks uint32
}

func (*MineSandbox) Kind() Kind { return 45 }

func (m *MineSandbox) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &m.Chain)
	wire.Uint(c, 2, "blocks", &m.Blocks)
}

// ReorgSandbox replaces the last blocks of a sandbox by one more than there were. What they paid is paid again, unless it is dropped:
// then its sender spent it otherwise.
type ReorgSandbox struct {
	Chain   ChainID
	Depth   uint32
	Drop    string // the id of a receipt that does not come again; "": all come
	DropAll bool
}

func (*ReorgSandbox) Kind() Kind { return 46 }

func (m *ReorgSandbox) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &m.Chain)
	wire.Uint(c, 2, "depth", &m.Depth)
	wire.Text(c, 3, "drop", &m.Drop)
	c.Bool(4, "drop_all", &m.DropAll)
}

// PaySandbox sends money out of nowhere to an address on a sandbox. It is in the next block. The id of the receipt is the sandbox's.
type PaySandbox struct {
	Chain   ChainID
	Receipt Receipt
}

func (*PaySandbox) Kind() Kind { return 47 }

func (m *PaySandbox) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &m.Chain)
	wire.Embed(c, 2, "receipt", &m.Receipt)
}

// SandboxReceipt is the id of a payment on a sandbox, which counts them from 1.
func SandboxReceipt(chain string, n uint64) string {
	return fmt.Sprintf("%x:0", sha256.Sum256(fmt.Appendf(nil, "%s payment %d", chain, n)))
}

// TxOf is the hash of the transaction that has a receipt: ids of receipts are that hash and which of its outputs it is.
func TxOf(receipt string) string {
	if i := strings.LastIndexByte(receipt, ':'); i >= 0 {
		return receipt[:i]
	}
	return receipt
}

// SandboxPayout is the transaction that pays a withdrawal on a sandbox.
func SandboxPayout(chain string, id WithdrawalID) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s payout %d", chain, id)))
}

// SandboxBlock is the hash of a block of a sandbox, which counts all it ever made from 1.
func SandboxBlock(chain string, height, n uint64) Digest {
	return sha256.Sum256(fmt.Appendf(nil, "%s block %d %d", chain, height, n))
}

func (c *SetChain) Subject() Subject     { return Subject{Name: c.Chain.Name} }
func (c *OpenAddress) Subject() Subject  { return Subject{Account: c.Account, Chain: c.Chain} }
func (c *ForgiveOwed) Subject() Subject  { return Subject{Account: c.Account, Asset: c.Asset} }
func (c *MineSandbox) Subject() Subject  { return Subject{Chain: c.Chain} }
func (c *ReorgSandbox) Subject() Subject { return Subject{Chain: c.Chain} }
func (c *PaySandbox) Subject() Subject   { return Subject{Asset: c.Receipt.Asset, Chain: c.Chain} }

func (c *DecideDeposit) Subject() Subject {
	return Subject{Account: c.Account, Name: fmt.Sprint("deposit ", c.Deposit)}
}
