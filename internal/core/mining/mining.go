// Package mining is the mining pool: what miners brought is summed up for a day, and paid by the formula of FPPS. docs/mining.md is the
// contract.
//
// What must hold: a reward that is pending is part of one payment, and a payment waits with its mining account, is in the queue, or is bound
// to a withdrawal. Rewards come from the account of the pool alone, which is never negative: what it cannot pay stays in the queue.
package mining

import (
	"bourse/internal/core/accounts"
	"bourse/internal/core/chain"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/core/tree"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of what there is, and of what a Tick does.
const (
	mostLeases  = 64
	mostBlocks  = 100
	mostWaiting = 100 // rewards of a mining account: then they are paid
	bucketSlice = 1000
	daySlice    = 1000
	dueSlice    = 100
	paySlice    = 1000 // rewards
	linkSlice   = 1000
)

const day = 24 * 3600 * schema.Second

// Pool is the mining accounts, and what they are owed.
type Pool struct {
	product.Base
	ledger   *ledger.Ledger
	listing  *listing.Listing
	accounts *accounts.Accounts
	wallets  *wallet.Wallets
	chains   *chain.Chains
	out      *schema.Outcome
	// Clock is the moment of the last accepted command, and LastTick that of the last Tick.
	Clock, LastTick func() schema.Time

	terms schema.PoolTerms // of no asset: they were never set
	rate  fixed.Decimal    // zero: it was never set
	used  bool             // work was counted: asset and unit stay

	minings slab.Slab[mining] // none is ever given back: a mining account has the place of its number
	names   map[string]schema.MiningID
	newest  map[schema.AccountID]schema.MiningID // mining account of a customer; only ever asked

	// works are what was brought on days that are not closed, and buckets in the last five minutes: both in the order of their first rows.
	works   slab.Shelf[work, *work]
	days    slab.List
	buckets slab.Shelf[bucket, *bucket]
	bins    slab.List
	trials  []trial // of the report that is being checked

	// queue are the payments that are next, and leaving those that withdrawals make, by the number of the withdrawal.
	payments  slab.Shelf[payment, *payment]
	queue     slab.List
	leaving   slab.List
	leavingAt map[schema.WithdrawalID]uint32
	dues      dues
	pending   int // rewards
	owed      fixed.Decimal

	leases []lease // those that live, the oldest first: their numbers follow each other
	blocks []schema.PoolBlock
	health Health

	// watches are the links that live, by number.
	watches slab.Shelf[watch, *watch]
	links   slab.List
	watchAt map[schema.WatchID]uint32
	ends    ends

	lastReward schema.RewardID
	lastWatch  schema.WatchID
}

// mining is a mining account.
type mining struct {
	schema.MiningAccount
	before schema.MiningID // of the same customer
	nth    uint32          // of the customer's
	day    uint32          // place of what it brought on a day that is not closed; 0: nothing
	bucket uint32          // and in the last five minutes
	trial  int             // the one of the report that is being checked, from 1 on
	waits  uint32          // place of the payment that its rewards wait for; 0: none wait
	due    bool            // what waits is paid when the address counts: it is in dues
	links  []schema.WatchID
	luck   Luck
}

// dues are mining accounts with rewards that are paid when their address counts, and ends are links, in the order of their moments.
type (
	dues struct {
		nodes tree.Store[due]
		order tree.Tree[due]
	}
	ends struct {
		nodes tree.Store[end]
		order tree.Tree[end]
	}
)

// due is when the address of a mining account counts. The first is the greatest: it is in front of the tree.
type due struct {
	at schema.Time
	id schema.MiningID
}

func (d due) Less(other due) bool { return d.at > other.at || d.at == other.at && d.id > other.id }

// end is when a link ends. The first is the greatest.
type end struct {
	at schema.Time
	id schema.WatchID
}

func (e end) Less(other end) bool { return e.at > other.at || e.at == other.at && e.id > other.id }

// New makes a pool without terms.
func New(l *ledger.Ledger, listed *listing.Listing, a *accounts.Accounts, w *wallet.Wallets, c *chain.Chains, out *schema.Outcome) *Pool {
	return &Pool{
		ledger: l, listing: listed, accounts: a, wallets: w, chains: c, out: out,
		names: map[string]schema.MiningID{}, newest: map[schema.AccountID]schema.MiningID{},
		leavingAt: map[schema.WithdrawalID]uint32{}, watchAt: map[schema.WatchID]uint32{},
	}
}

// Commands registers what operators, customers and listeners do.
func (p *Pool) Commands(h *product.Handlers) {
	product.On(h, p.set)
	product.On(h, p.setRate)
	product.On(h, p.open)
	product.On(h, p.bar)
	product.On(h, p.setPayout)
	product.On(h, p.watchMining)
	product.On(h, p.leasePool)
	product.On(h, p.report)
	product.On(h, p.found)
}

// Holds reports whether an account has a mining account.
func (p *Pool) Holds(account schema.AccountID) bool { return p.newest[account] != 0 }

// NextTimer is when the next bucket, day or link ends or an address begins to count, and at once while the queue can be paid or the fund became
// too small or large enough.
func (p *Pool) NextTimer() (next schema.Time, running bool) {
	if p.payable() || p.fundChanged() {
		return p.LastTick() + 1, true
	}
	at := func(t schema.Time) {
		if !running || t < next {
			next, running = t, true
		}
	}
	if p.bins.First != 0 {
		at(p.buckets.At(p.bins.First).time + schema.WorkBucket)
	}
	if p.days.First != 0 {
		at(p.works.At(p.days.First).day + day)
	}
	if first := p.dues.order.Last(); first.Found() {
		at(p.at(schema.MiningID(first.Item())).Since)
	}
	if first := p.ends.order.Last(); first.Found() {
		at(p.watches.At(first.Item()).Until)
	}
	return next, running
}

// Tick ends buckets and days, looks at addresses, pays, looks at what is left to pay from, and ends links, some of each at once.
func (p *Pool) Tick() {
	p.measureSome()
	p.closeDays()
	p.lookAtAddresses()
	p.pay()
	p.lookAtFund()
	p.endLinks()
}

// at is the mining account with a number, which must be known.
func (p *Pool) at(id schema.MiningID) *mining { return p.minings.At(uint32(id)) }

// find is the mining account with a number, or nil.
func (p *Pool) find(id schema.MiningID) *mining {
	if id == 0 || uint32(id) >= p.minings.End() {
		return nil
	}
	return p.at(id)
}

// house is the balance that rewards are paid from.
func (p *Pool) house() ledger.Cell { return p.ledger.Find(schema.Pool, schema.Main, p.terms.Asset) }

// scale is how many decimals of the asset the ledger keeps.
func (p *Pool) scale() int { return int(p.listing.Asset(p.terms.Asset).Scale) }
