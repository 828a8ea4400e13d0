package schema

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

type (
	// MiningID numbers the accounts that miners work for.
	MiningID uint32
	// RewardID numbers what mining accounts earned in a day.
	RewardID uint64
	// LeaseID numbers the leases of listeners. It is in each block that is worked on, so that no two listeners hand out the same work.
	LeaseID uint64
	// WatchID numbers the links by which others see mining accounts.
	WatchID uint64
)

// PoolTerms are how the mining pool works and pays.
type PoolTerms struct {
	Open  bool
	Asset AssetID // that it pays
	Chain ChainID // by which it pays to addresses; 0: it does not
	Unit  uint8   // work is counted in units of 2^-Unit of difficulty 1
	Fee   fixed.Decimal
	Least fixed.Decimal // that is paid to an address
	// Accounts is how many mining accounts a customer has at most, Links by how many links each is seen.
	Accounts uint32
	Links    uint32
}

func (m *PoolTerms) Fields(c *wire.Coder) {
	c.Bool(1, "open", &m.Open)
	wire.Uint(c, 2, "asset", &m.Asset)
	wire.Uint(c, 3, "chain", &m.Chain)
	wire.Uint(c, 4, "unit", &m.Unit)
	c.Decimal(5, "fee", &m.Fee)
	c.Decimal(6, "least", &m.Least)
	wire.Uint(c, 7, "accounts", &m.Accounts)
	wire.Uint(c, 8, "links", &m.Links)
}

// SetPool sets the terms of the mining pool.
type SetPool struct{ Terms PoolTerms }

func (*SetPool) Kind() Kind { return 129 }

func (m *SetPool) Subject() Subject { return Subject{Asset: m.Terms.Asset, Chain: m.Terms.Chain} }

func (m *SetPool) Fields(c *wire.Coder) { wire.Embed(c, 1, "terms", &m.Terms) }

// SetPoolRate sets what a block is worth to the pool: what it creates and the mean of its fees.
type SetPoolRate struct{ Rate fixed.Decimal }

func (*SetPoolRate) Kind() Kind { return 130 }

func (*SetPoolRate) Subject() Subject { return Subject{Name: "pool rate"} }

func (m *SetPoolRate) Fields(c *wire.Coder) { c.Decimal(1, "rate", &m.Rate) }

// OpenMining opens a mining account.
type OpenMining struct {
	Account  AccountID
	Name     string // that miners sign in with; no two are the same
	Referral string
}

func (*OpenMining) Kind() Kind { return 131 }

func (m *OpenMining) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Text(c, 2, "name", &m.Name)
	wire.Text(c, 3, "referral", &m.Referral)
}

// BarMining stops a mining account from earning, or lets it go on.
type BarMining struct {
	Mining MiningID
	Barred bool
}

func (*BarMining) Kind() Kind { return 132 }

func (m *BarMining) Subject() Subject { return Subject{Name: fmt.Sprint("mining account ", m.Mining)} }

func (m *BarMining) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "mining", &m.Mining)
	c.Bool(2, "barred", &m.Barred)
}

// SetMiningPayout says where a mining account is paid: to the main wallet, or to an address.
type SetMiningPayout struct {
	Account  AccountID
	Mining   MiningID
	External bool
	Address  string
	Index    AddressIndex // of the address, if it is one of ours
}

func (*SetMiningPayout) Kind() Kind { return 133 }

func (m *SetMiningPayout) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "mining", &m.Mining)
	c.Bool(3, "external", &m.External)
	wire.Text(c, 4, "address", &m.Address)
	wire.Uint(c, 5, "index", &m.Index)
}

// MiningAccount is an account that miners work for.
type MiningAccount struct {
	ID       MiningID
	Account  AccountID
	Name     string
	Referral string
	Barred   bool
	// External is paid to Address, from Since on; otherwise to the main wallet.
	External bool
	Address  string
	Index    AddressIndex
	Since    Time
	Created  Time
}

func (m *MiningAccount) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Text(c, 3, "name", &m.Name)
	wire.Text(c, 4, "referral", &m.Referral)
	c.Bool(5, "barred", &m.Barred)
	c.Bool(6, "external", &m.External)
	wire.Text(c, 7, "address", &m.Address)
	wire.Uint(c, 8, "index", &m.Index)
	wire.Int(c, 9, "since", &m.Since)
	wire.Int(c, 10, "created", &m.Created)
}

// WatchRights are what a link shows.
type WatchRights uint8

const (
	WatchDashboard WatchRights = 1 << iota
	WatchRewards
	WatchWorkers
)

// WatchMining makes a link by which others see mining accounts.
type WatchMining struct {
	Account AccountID
	Name    string
	Minings []MiningID
	Rights  WatchRights
	Life    uint32 // in seconds; 0: for ever
}

func (*WatchMining) Kind() Kind { return 134 }

func (m *WatchMining) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Text(c, 2, "name", &m.Name)
	wire.Uints(c, 3, "minings", &m.Minings)
	wire.Uint(c, 4, "rights", &m.Rights)
	wire.Uint(c, 5, "life", &m.Life)
}

// Watch is a link by which others see mining accounts.
type Watch struct {
	ID      WatchID
	Account AccountID
	Name    string
	Minings []MiningID
	Rights  WatchRights
	Until   Time // 0: for ever
	Created Time
}

func (m *Watch) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Text(c, 3, "name", &m.Name)
	wire.Uints(c, 4, "minings", &m.Minings)
	wire.Uint(c, 5, "rights", &m.Rights)
	wire.Int(c, 6, "until", &m.Until)
	wire.Int(c, 7, "created", &m.Created)
}

// LeasePool gives a listener of the pool a lease.
type LeasePool struct{}

func (*LeasePool) Kind() Kind { return 135 }

func (*LeasePool) Fields(*wire.Coder) {}

// Bounds of what a listener reports at once, and what workers may be called.
const (
	MostShareRows = 1000
	MaxWorkerName = 64
	WorkBucket    = 300 * Second
)

// Shares are what a mining account brought since the last report of a listener.
type Shares struct {
	Mining             MiningID
	Bits               uint32 // the target of the network that the work was done for, as in a header
	Work               uint64 // in units of 2^-Unit of difficulty 1
	Accepted, Rejected uint32
}

func (m *Shares) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "mining", &m.Mining)
	wire.Uint(c, 2, "bits", &m.Bits)
	wire.Uint(c, 3, "work", &m.Work)
	wire.Uint(c, 4, "accepted", &m.Accepted)
	wire.Uint(c, 5, "rejected", &m.Rejected)
}

// WorkerShares are what a worker brought in five minutes.
type WorkerShares struct {
	Mining             MiningID
	Worker             string
	Time               Time // when the five minutes began
	Work               uint64
	Accepted, Rejected uint32
}

func (m *WorkerShares) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "mining", &m.Mining)
	wire.Text(c, 2, "worker", &m.Worker)
	wire.Int(c, 3, "time", &m.Time)
	wire.Uint(c, 4, "work", &m.Work)
	wire.Uint(c, 5, "accepted", &m.Accepted)
	wire.Uint(c, 6, "rejected", &m.Rejected)
}

// ReportShares is what a listener counted since its last report. Reports of a lease are numbered, so that none counts twice and none is
// left out.
type ReportShares struct {
	Lease   LeaseID
	Seq     uint64
	Shares  []Shares
	Workers []WorkerShares
}

func (*ReportShares) Kind() Kind { return 136 }

func (m *ReportShares) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "lease", &m.Lease)
	wire.Uint(c, 2, "seq", &m.Seq)
	wire.List(c, 3, "shares", &m.Shares)
	wire.List(c, 4, "workers", &m.Workers)
}

// PoolBlock is a block that the pool found.
type PoolBlock struct {
	Mining MiningID
	Worker string
	Height uint64
	Hash   Digest // as headers have it: the first byte is the least
	Time   Time
}

func (m *PoolBlock) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "mining", &m.Mining)
	wire.Text(c, 2, "worker", &m.Worker)
	wire.Uint(c, 3, "height", &m.Height)
	c.Array(4, "hash", m.Hash[:])
	wire.Int(c, 5, "time", &m.Time)
}

// FoundBlock tells of a block that the chain took from the pool. Its Time is that of the command.
type FoundBlock struct {
	Lease LeaseID
	Block PoolBlock
}

func (*FoundBlock) Kind() Kind { return 137 }

func (m *FoundBlock) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "lease", &m.Lease)
	wire.Embed(c, 2, "block", &m.Block)
}

// RewardStatus is what became of a reward.
type RewardStatus uint8

const (
	RewardPending    RewardStatus = iota + 1
	RewardSuccessful              // it is in the main wallet, or was paid to the address
	RewardCanceled                // the withdrawal was canceled: it is in the main wallet
)

func (s RewardStatus) String() string { return word(rewardWords[:], s) }

var rewardWords = [...]string{RewardPending: "pending", RewardSuccessful: "successful", RewardCanceled: "canceled"}

// Reward is what a mining account earned in a day.
type Reward struct {
	ID      RewardID
	Mining  MiningID
	Account AccountID
	Asset   AssetID
	Day     Time // when it began
	Work    uint64
	Unit    uint8
	Rate    fixed.Decimal // of the pool when the day was closed
	// Total is what the work is worth, Fee what the pool keeps of it, and Amount the rest.
	Total, Fee, Amount fixed.Decimal
	Status             RewardStatus
	// Withdrawal pays it to Address; 0: it is paid to the main wallet, or was not paid yet. Tx is its transaction.
	Withdrawal WithdrawalID
	Address    string
	Tx         string
	Paid       Time
}

func (m *Reward) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "mining", &m.Mining)
	wire.Uint(c, 3, "account", &m.Account)
	wire.Uint(c, 4, "asset", &m.Asset)
	wire.Int(c, 5, "day", &m.Day)
	wire.Uint(c, 6, "work", &m.Work)
	wire.Uint(c, 7, "unit", &m.Unit)
	c.Decimal(8, "rate", &m.Rate)
	c.Decimal(9, "total", &m.Total)
	c.Decimal(10, "fee", &m.Fee)
	c.Decimal(11, "amount", &m.Amount)
	wire.Uint(c, 12, "status", &m.Status)
	wire.Uint(c, 13, "withdrawal", &m.Withdrawal)
	wire.Text(c, 14, "address", &m.Address)
	wire.Text(c, 15, "tx", &m.Tx)
	wire.Int(c, 16, "paid", &m.Paid)
}

// PoolChanged carries the terms of the pool and what a block is worth.
type PoolChanged struct {
	Terms PoolTerms
	Rate  fixed.Decimal
}

func (*PoolChanged) event()   {}
func (*PoolChanged) setting() {}

func (e *PoolChanged) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "terms", &e.Terms)
	c.Decimal(2, "rate", &e.Rate)
}

// MiningChanged carries a mining account that was opened or changed.
type MiningChanged struct{ Mining MiningAccount }

func (*MiningChanged) event()   {}
func (*MiningChanged) setting() {}

func (e *MiningChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "mining", &e.Mining) }

// WatchChanged carries a link that was made.
type WatchChanged struct{ Watch Watch }

func (*WatchChanged) event() {}

func (e *WatchChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "watch", &e.Watch) }

// SharesReported carries what a listener reported.
type SharesReported struct {
	Shares  []Shares
	Workers []WorkerShares
}

func (*SharesReported) event() {}

func (e *SharesReported) Fields(c *wire.Coder) {
	wire.List(c, 1, "shares", &e.Shares)
	wire.List(c, 2, "workers", &e.Workers)
}

// MiningMeasured is what a mining account brought in five minutes.
type MiningMeasured struct {
	Mining             MiningID
	Account            AccountID
	Time               Time // when they began
	Work               uint64
	Accepted, Rejected uint64
}

func (*MiningMeasured) event() {}

func (e *MiningMeasured) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "mining", &e.Mining)
	wire.Uint(c, 2, "account", &e.Account)
	wire.Int(c, 3, "time", &e.Time)
	wire.Uint(c, 4, "work", &e.Work)
	wire.Uint(c, 5, "accepted", &e.Accepted)
	wire.Uint(c, 6, "rejected", &e.Rejected)
}

// BlockFound carries a block that the pool found.
type BlockFound struct{ Block PoolBlock }

func (*BlockFound) event() {}

func (e *BlockFound) Fields(c *wire.Coder) { wire.Embed(c, 1, "block", &e.Block) }

// RewardChanged carries a reward after something happened to it.
type RewardChanged struct{ Reward Reward }

func (*RewardChanged) event() {}

func (e *RewardChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "reward", &e.Reward) }
