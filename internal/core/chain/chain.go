// Package chain brings deposits in that arrive in blocks of a chain, and sends withdrawals and refunds out by them: it gives accounts
// addresses, takes blocks, credits what they paid when it is deep enough, and takes it back when the chain does.
//
// A deposit is *seated* while its block is part of the chain as the exchange knows it, and *posted* once it is booked against Custody.
// What must hold: Custody owes what is booked of every asset, over all chains; what the exchange has on a chain (coins) is what is
// booked, and what is seated and not posted, less what is posted and not seated, and the other way round for what is sent; Suspense has
// the posted deposits that belong to nobody, wait for a decision, or were refused, until their refund is final.
//
// On chains that others make the exchange pays by transactions of its own, out of coins that it keeps account of (holding, payout): what
// there is on such a chain is the sum of its coins, and the operator's own money pays what the chain charges.
//
// No command does more than a bounded part of what a block or a rewind makes due. The rest is done by ticks, and the chain is busy
// until then: it takes no further block.
package chain

import (
	"iter"
	"slices"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/core/tier"
	"bourse/internal/core/unique"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of chains.
const (
	mostChains    = 100
	mostAddresses = 1000      // of an account, in a space and of a type
	mostIndex     = 1<<31 - 1 // of a space: derivation knows no more
	mostHeight    = 1 << 62   // so that heights can be added to
	usualSteps    = 1000      // of work that a command does
	remembered    = 100       // blocks at least that can be rewound
	patience      = 6         // blocks at least for which a deposit without a block may come back
	mostOrders    = 100       // that a tick cancels to collect what is owed
	mostPayments  = 100_000   // that wait for a block of a sandbox
	mostBlocks    = 100       // of a sandbox that can be asked for, or replaced, at once
	mostOpen      = 1000      // withdrawals of an account that are under way
	mostPayouts   = 100       // in a block of a sandbox
	day           = 24 * 3600 * schema.Second
	mostVASPs     = 1000
	mostToMine    = 1000 // blocks of a sandbox that wait to be made
	mostKept      = 1000 // payouts of a chain of others
	unknownDepth  = 6    // at which a deposit is looked at whose asset is not offered on the chain any more
	leastInterval = schema.Second / 10
	mostInterval  = 24 * 3600 * schema.Second
	satoshi       = 8  // decimals of Bitcoin
	mostDecimals  = 18 // that a chain of others keeps
)

// Chains are the chains, the addresses on them and the deposits that came by them.
type Chains struct {
	product.Base
	ledger   *ledger.Ledger
	listing  *listing.Listing
	accounts *accounts.Accounts
	wallets  *wallet.Wallets
	tiers    *tier.Tiers
	out      *schema.Outcome
	// Steps of work that a command does.
	Steps int
	// Orders cancels the newest orders of an account that are paid in an asset from its trade wallet, at most so many, and says how
	// many there were.
	Orders func(account schema.AccountID, asset schema.AssetID, most int) int
	// Deposited and Withdrew hear of deposits and withdrawals that are new or came to another status (was 0: new), Moved that a chain stands
	// elsewhere. They change nothing here.
	Deposited func(d *schema.ChainDeposit, was schema.DepositStatus)
	Withdrew  func(w *schema.Withdrawal, was schema.WithdrawalStatus)
	Moved     func()

	chains []*chain
	names  map[string]schema.ChainID // only ever asked

	spaces []*space
	first  map[owner]firstAddress // only ever asked

	last     schema.DepositID
	deposits slab.Shelf[deposit, *deposit]
	places   map[schema.DepositID]uint32 // of deposits; only ever asked
	kept     map[schema.AccountID]int    // how many deposits of an account there are; only ever asked
	held     map[purse]fixed.Decimal     // net of held deposits, of a chain and (chain 0) of all; only ever asked

	lastWithdrawal schema.WithdrawalID
	withdrawals    slab.Shelf[withdrawal, *withdrawal]
	byNumber       map[schema.WithdrawalID]uint32 // only ever asked
	open           map[schema.AccountID][]uint32  // withdrawals under way but refunds, by number; only ever asked
	uniques        unique.Names                   // of withdrawals
	recent         recent
	unconfirmed    unconfirmed

	vasps []schema.VASP // by id

	lastPayout schema.PayoutID
	payouts    map[schema.PayoutID]*payout // that are kept; only ever asked
	holdings   slab.Shelf[holding, *holding]
	invoices   invoices

	claims []claim // what accounts owe and is looked for in their orders, in the order of their losses
}

// chain is where a chain stands.
type chain struct {
	schema.Chain
	begun  bool // a block was taken: there is a cursor
	cursor point
	points []point // that can be rewound to, the cursor last
	// block is that of which not all parts are in; none if its parts are 0.
	block block
	tip   uint64 // height that the last rewind began at
	busy  bool
	// halted says that a rewind went deeper than points, or that something of ours was spent which nobody planned. The chain goes on
	// when two operators say so: resuming is the word of the first.
	halted   bool
	resuming word
	since    schema.Time // when a command left work
	lanes    []*lane     // by asset
	// receipts are the deposits by the ids of their receipts, the last one where there were several; only ever asked.
	receipts map[string]uint32
	sandbox  sandbox

	// Of chains of others: payouts that are kept, by number; those in blocks, in the order in which they came there; the variants that
	// transactions are; coins; how many of these have a prefix (schema.CoinPrefix); who pays, where there are accounts instead of coins.
	// The maps are only ever asked.
	payouts  []*payout
	mined    []*payout
	txs      map[string]variantKey
	holdings map[holdingKey]uint32
	prefixes map[uint64]uint32
	payers   []payer
	payerAt  map[site]int

	// What the log does not know: what an operator asked for and no second one did, transactions that were adopted, and those of them that
	// are in blocks, in the order in which they came there.
	asked   proposal
	adopted []string
	losses  []*loss
}

// point is a block that a chain went through.
type point struct {
	height uint64
	hash   schema.Digest
}

// word is what an operator said: from which block a chain goes on. Without an operator it is none.
type word struct {
	operator string
	at       point
}

// block is what is known of a block of which parts are missing.
type block struct {
	point
	parent    schema.Digest
	parts, in uint32
}

// lane is what came of an asset by a chain. Deposits in a lane are seated in the order of their blocks, and everything about depth
// happens to them in that order: two marks say how far that is.
type lane struct {
	asset    schema.AssetID
	coins    fixed.Decimal // what is in blocks
	booked   fixed.Decimal // what Custody owes
	waiting  fixed.Decimal // what waits for a block of a sandbox
	seated   slab.List
	unseated slab.List // in the order in which their blocks went
	kept     slab.List // which can be unseated no more, or are lost
	tradable uint32    // the first of seated that was not deep enough to be traded yet; 0: all were
	full     uint32    // the first of seated that was not deep enough to be credited for good yet; 0: all were

	// Withdrawals: those that wait for operators, to be sent, and, sent, for a block, in the order in which they came there; those in
	// blocks, in the order of these; the first of them that was not deep enough to be final yet.
	judged, queued, sent, paid slab.List
	planned                    slab.List // bound to a payout that is not signed, in the order in which they came there
	final                      uint32
	hourly                     hourly
	unspent                    slab.List     // coins, on chains of others
	cold, wanted               fixed.Decimal // what of them is in cold storage, and what should come back from there
}

// deposit is a deposit and what is known about it beyond what everybody may see.
type deposit struct {
	schema.ChainDeposit
	slab.Links
	deadline  uint64 // height at which it is lost, while it is unseated
	carried   fixed.Decimal
	posted    bool
	returning bool                // its receipt was lost before
	unseated  bool                // at some time: then it is never forgotten
	refund    schema.WithdrawalID // that sends it back, or did; 0: none
	travel    []byte              // who sent it, sealed
	own       schema.OwnAddress   // of the exchange itself that it was paid to; 0: none
}

// purse is the money of an account in an asset that came by a chain.
type purse struct {
	account schema.AccountID
	chain   schema.ChainID
	asset   schema.AssetID
}

// purses in which a deposit counts that is held.
func (d *deposit) purses() [2]purse {
	return [2]purse{{d.Account, 0, d.Asset}, {d.Account, d.Chain, d.Asset}}
}

// New makes chains of which there are none.
func New(l *ledger.Ledger, listed *listing.Listing, a *accounts.Accounts, w *wallet.Wallets, t *tier.Tiers, out *schema.Outcome) *Chains {
	return &Chains{
		ledger: l, listing: listed, accounts: a, wallets: w, tiers: t, out: out, Steps: usualSteps,
		names: map[string]schema.ChainID{}, first: map[owner]firstAddress{}, places: map[schema.DepositID]uint32{}, held: map[purse]fixed.Decimal{},
		kept: map[schema.AccountID]int{}, byNumber: map[schema.WithdrawalID]uint32{}, open: map[schema.AccountID][]uint32{}, recent: recent{sums: map[purse]fixed.Decimal{}},
		payouts:  map[schema.PayoutID]*payout{},
		invoices: newInvoices(),

		Deposited: func(*schema.ChainDeposit, schema.DepositStatus) {}, Withdrew: func(*schema.Withdrawal, schema.WithdrawalStatus) {}, Moved: func() {},
	}
}

// Commands registers what can be done with chains.
func (c *Chains) Commands(h *product.Handlers) {
	product.On(h, c.set)
	product.On(h, c.openAddress)
	product.On(h, c.take)
	product.On(h, c.rewind)
	product.On(h, c.decide)
	product.On(h, c.forgive)
	product.On(h, c.pay)
	product.On(h, c.mineBlocks)
	product.On(h, c.reorganise)
	product.On(h, c.request)
	product.On(h, c.judge)
	product.On(h, c.refund)
	product.On(h, c.setVASP)
	product.On(h, c.submitTravel)
	product.On(h, c.setKeys)
	product.On(h, c.refill)
	product.On(h, c.resume)
	product.On(h, c.adopt)
	product.On(h, c.bookSurplus)
	product.On(h, c.plan)
	product.On(h, c.sign)
	product.On(h, c.abandon)
	product.On(h, c.requestInvoice)
	product.On(h, c.settleInvoice)
	product.On(h, c.settlePayment)
	product.On(h, c.confirm)
}

func (c *Chains) set(m *schema.SetChain) schema.Rejection {
	next := m.Chain
	if r := c.CheckChain(&next); r.Refused() {
		return r
	}
	ch := c.find(c.names[next.Name])
	if ch == nil {
		next.ID = schema.ChainID(len(c.chains) + 1)
		ch = c.add(next)
	} else {
		next.ID = ch.ID
		ch.Chain = next
	}
	ch.sandbox.next = 0
	c.schedule(ch)
	c.out.Result.ID = uint64(next.ID)
	c.out.Events.Add(&schema.ChainChanged{Chain: next})
	return schema.Rejection{}
}

// CheckChain is why a chain cannot be set.
func (c *Chains) CheckChain(next *schema.Chain) schema.Rejection {
	ch := c.find(c.names[next.Name])
	switch {
	case !valid(next) || ch == nil && len(c.chains) == mostChains:
		return schema.Refuse(schema.ChainInvalid)
	case ch != nil && (ch.Driver != next.Driver || ch.Space() != next.Space() || ch.Number != next.Number):
		return schema.Refuse(schema.ImmutableChanged)
	}
	return schema.Rejection{}
}

// add makes a chain. A sandbox begins with a block that nobody made.
func (c *Chains) add(settings schema.Chain) *chain {
	ch := &chain{
		Chain: settings, receipts: map[string]uint32{}, txs: map[string]variantKey{}, holdings: map[holdingKey]uint32{}, prefixes: map[uint64]uint32{},
		payerAt: map[site]int{},
	}
	if settings.Driver == schema.Sandbox {
		ch.begun, ch.points = true, []point{{}}
	}
	c.chains = append(c.chains, ch)
	c.names[settings.Name] = settings.ID
	if settings.Driver != schema.Provider && c.space(settings.Space()) == nil {
		c.spaces = append(c.spaces, &space{Space: settings.Space()})
	}
	return ch
}

func valid(m *schema.Chain) bool {
	switch {
	case m.Driver == schema.Provider:
		return validProvider(m)
	case !listing.ValidTicker(m.Name) || !schema.Valid(m.Driver) || !schema.Valid(m.Family) || !schema.Valid(m.Net):
		return false
	case m.Driver == schema.BitcoinNode && m.Family != schema.Bitcoin, m.Driver == schema.EVMNode && m.Family != schema.EVM:
		return false
	case m.Stuck && m.Driver != schema.Sandbox:
		return false
	case (m.Number != 0) != (m.Driver == schema.EVMNode), m.FeeRateMax != 0 && !ofOthers(m.Driver):
		return false
	case m.Interval == 0:
		return true
	}
	return m.Driver == schema.Sandbox && m.Interval >= leastInterval && m.Interval <= mostInterval
}

// Offers checks the chains of the networks of an asset. Money of a sandbox comes from nowhere: an asset that comes by one comes by no
// chain whose money is real. Fiat money comes by providers, and nothing else does.
func (c *Chains) Offers(a *schema.Asset) schema.Rejection {
	var seen []*chain
	for i := range a.Networks {
		n := &a.Networks[i]
		if n.Chain == 0 {
			continue
		}
		ch := c.find(n.Chain)
		if ch == nil || (a.Class == schema.Crypto) == (ch.Driver == schema.Provider) || a.Class == schema.Crypto && n.ConfirmationsForTrading == 0 || slices.Contains(seen, ch) ||
			len(seen) > 0 && (seen[0].Driver == schema.Sandbox) != (ch.Driver == schema.Sandbox) {
			return schema.Refuse(schema.NetworkChainInvalid)
		}
		seen = append(seen, ch)
	}
	return c.contracts(a)
}

// contracts checks what networks of an asset are on their chains: on a chain of others with the decimals that it keeps, and the
// contract of a token. A chain has one asset of its own, and each contract once.
func (c *Chains) contracts(a *schema.Asset) schema.Rejection {
	for i := range a.Networks {
		n := &a.Networks[i]
		ch := c.find(n.Chain)
		valid := n.Contract == "" && n.Decimals == 0
		if ch != nil && ch.real() {
			valid = n.Decimals >= 1 && n.Decimals <= mostDecimals && n.Decimals <= a.Scale && len(n.Contract) <= schema.MaxAddressText &&
				(ch.Driver == schema.EVMNode || n.Contract == "" && n.Decimals == satoshi) && !c.contracted(a.Ticker, n)
		}
		if !valid {
			return schema.Refuse(schema.ContractInvalid)
		}
	}
	return schema.Rejection{}
}

// contracted reports whether another asset is what a network says on its chain.
func (c *Chains) contracted(ticker string, n *schema.Network) bool {
	for _, other := range c.listing.Assets() {
		if on := other.NetworkOn(n.Chain); other.Ticker != ticker && on != nil && on.Contract == n.Contract {
			return true
		}
	}
	return false
}

// ofOthers reports whether a driver hears of a chain that others make, on which the exchange has coins or accounts.
func ofOthers(d schema.Driver) bool { return d == schema.BitcoinNode || d == schema.EVMNode }

func (ch *chain) real() bool { return ofOthers(ch.Driver) }

// find is the chain with an id, or nil.
func (c *Chains) find(id schema.ChainID) *chain {
	if id == 0 || int(id) > len(c.chains) {
		return nil
	}
	return c.chains[id-1]
}

// network by which an asset comes on a chain, nil if it is not offered there.
func (c *Chains) network(ch *chain, asset schema.AssetID) *schema.Network {
	return c.listing.Asset(asset).NetworkOn(ch.ID)
}

// lane of an asset, made if there is none.
func (ch *chain) lane(asset schema.AssetID) *lane {
	at, there := ch.findLane(asset)
	if !there {
		ch.lanes = slices.Insert(ch.lanes, at, &lane{asset: asset})
	}
	return ch.lanes[at]
}

func (ch *chain) findLane(asset schema.AssetID) (at int, there bool) {
	return slices.BinarySearchFunc(ch.lanes, asset, func(l *lane, id schema.AssetID) int { return int(l.asset) - int(id) })
}

// coins is what of an asset is in blocks of the chain, or waits for one of a sandbox.
func (ch *chain) coins(asset schema.AssetID) fixed.Decimal {
	at, there := ch.findLane(asset)
	if !there {
		return fixed.Zero
	}
	return ch.lanes[at].coins.Add(ch.lanes[at].waiting)
}

// All are the chains, by id.
func (c *Chains) All() (list []schema.Chain) {
	for _, ch := range c.chains {
		list = append(list, ch.Chain)
	}
	return list
}

// Get is the chain with an id, or nil.
func (c *Chains) Get(id schema.ChainID) *schema.Chain {
	if ch := c.find(id); ch != nil {
		return &ch.Chain
	}
	return nil
}

// Guarded reports whether a chain is one of others of which a block was taken: what loosens its bounds takes two operators.
func (c *Chains) Guarded(id schema.ChainID) bool {
	ch := c.find(id)
	return ch != nil && ch.real() && ch.begun
}

// ByName is the chain with a name, or nil.
func (c *Chains) ByName(name string) *schema.Chain { return c.Get(c.names[name]) }

// Cursor is the last block of a chain that the exchange took.
func (c *Chains) Cursor(id schema.ChainID) (height uint64, hash schema.Digest) {
	ch := c.chains[id-1]
	return ch.cursor.height, ch.cursor.hash
}

// Standing is how a chain stands.
type Standing struct {
	Halted bool
	Busy   bool
	Half   bool // parts of a block are missing
	Queued int  // payments that wait for a block of a sandbox
	// Resuming is the first operator who wants a halted chain to go on.
	Resuming string
	// Asked is the operator who wants a spend adopted or a surplus booked, Adopt or Surplus what that is.
	Asked   string
	Adopt   schema.AdoptSpend
	Surplus schema.BookSurplus
}

// Standing of a chain.
func (c *Chains) Standing(id schema.ChainID) Standing {
	ch := c.chains[id-1]
	return Standing{
		Halted: ch.halted, Busy: ch.busy, Half: ch.block.parts != 0, Queued: ch.sandbox.len(), Resuming: ch.resuming.operator,
		Asked: ch.asked.operator, Adopt: ch.asked.adopt, Surplus: ch.asked.surplus,
	}
}

// Adopted are the transactions that operators adopted and that can still be rewound, or wait for their block.
func (c *Chains) Adopted(id schema.ChainID) []string { return slices.Clone(c.chains[id-1].adopted) }

// Booking is what the exchange has of an asset on a chain, and what of that is booked.
type Booking struct {
	Asset         schema.AssetID
	Coins, Booked fixed.Decimal
	// Cold is what of the coins is in cold storage, Wanted what should come back from there.
	Cold, Wanted fixed.Decimal
}

// Bookings of a chain, by asset.
func (c *Chains) Bookings(id schema.ChainID) (list []Booking) {
	for _, l := range c.chains[id-1].lanes {
		list = append(list, Booking{l.asset, l.coins, l.booked, l.cold, l.wanted})
	}
	return list
}

// Deposit is a deposit that is not forgotten.
func (c *Chains) Deposit(id schema.DepositID) (schema.ChainDeposit, bool) {
	place, known := c.places[id]
	if !known {
		return schema.ChainDeposit{}, false
	}
	return c.deposits.At(place).ChainDeposit, true
}

// Deposits are those that came by a chain and are not forgotten.
func (c *Chains) Deposits(id schema.ChainID) iter.Seq[*schema.ChainDeposit] {
	return func(yield func(*schema.ChainDeposit) bool) {
		for _, l := range c.chains[id-1].lanes {
			for _, d := range c.inLane(l) {
				if !yield(&d.ChainDeposit) {
					return
				}
			}
		}
	}
}

// Withdrawal is a withdrawal that is not forgotten: it is under way, or its block may still be rewound.
func (c *Chains) Withdrawal(id schema.WithdrawalID) (schema.Withdrawal, bool) {
	place, known := c.byNumber[id]
	if !known {
		return schema.Withdrawal{}, false
	}
	return c.withdrawals.At(place).Withdrawal, true
}

// Withdrawals are those by a chain that are not forgotten.
func (c *Chains) Withdrawals(id schema.ChainID) iter.Seq[*schema.Withdrawal] {
	return func(yield func(*schema.Withdrawal) bool) {
		for _, l := range c.chains[id-1].lanes {
			for _, w := range c.leaving(l) {
				if !yield(&w.Withdrawal) {
					return
				}
			}
		}
	}
}

// Held is what of an asset an account was credited by deposits that are not confirmed.
func (c *Chains) Held(account schema.AccountID, asset schema.AssetID) fixed.Decimal {
	return c.held[purse{account, 0, asset}]
}
