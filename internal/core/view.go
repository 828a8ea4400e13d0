package core

import (
	"iter"

	"bourse/internal/core/accounts"
	"bourse/internal/core/chain"
	"bourse/internal/core/collateral"
	"bourse/internal/core/mining"
	"bourse/internal/core/price"
	"bourse/internal/core/trading"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// View is the state of a machine for those who only look. Readers get it instead of the machine, so
// that nothing beside the log can change the state. What its methods return is the state itself where
// it is a pointer: it must not be changed, nor be kept beyond the moment in which it was looked at.
type View interface {
	// Time is the moment of the last accepted command.
	Time() schema.Time
	// NextTimer is when the next Tick has something to do; it is false when no timer runs.
	NextTimer() (schema.Time, bool)
	// Busy reports whether work is left over that Continue goes on with.
	Busy() bool
	// InMaintenance reports whether the platform is closed to clients.
	InMaintenance() bool
	// Features are the behaviours that are switched on.
	Features() trading.Features
	Listing() Listing
	Accounts() Accounts
	Identity() Identity
	OAuth() OAuth
	Trading() Trading
	Prices() Prices
	Collateral() Collateral
	Chains() Chains
	Tiers() Tiers
	// Balance is what an account has in a wallet. Held is its unconfirmed deposits, in Main only.
	Balance(schema.AccountID, schema.Wallet, schema.AssetID) (available, frozen, held fixed.Decimal)
	// Withdrawable is what may leave an account of each asset that it has, and the value of all that it owns beyond what is held.
	Withdrawable(schema.AccountID) ([]wallet.Withdrawable, fixed.Decimal)
	// FaucetLimit is how much of an asset an account may take from the faucet on one day.
	FaucetLimit(schema.AssetID) fixed.Decimal
	// Credit is what an operator lent an account, if it is not repaid, Credits are all of them, by account. CreditLTV is what it is of all
	// that the account owns, in percent.
	Credit(schema.AccountID) (schema.Credit, bool)
	Credits() []schema.Credit
	CreditLTV(schema.AccountID) fixed.Decimal
	// Checks are the checks of an account that run, by number, and Verdicts what checks end with, by address.
	Checks(schema.AccountID) []schema.Check
	Verdicts() []schema.AddressVerdict
	// Expresses are the requests of a partner for money that can be paid, in the order in which they expire.
	Expresses(schema.AccountID) []schema.Express
	// Express is the one whose token has a digest, if it can be paid at a moment.
	Express(schema.Digest, schema.Time) (schema.Express, bool)
	Webhooks() Webhooks
	// Conversion is what is set of conversions; nothing where nothing ever was.
	Conversion() schema.SetConversion
	Earn() Earn
	Mining() Mining
	// Proposals are the commands that wait for a second operator, or for their time, by number.
	Proposals() []schema.Proposal
	// Hash is the SHA-256 of the state. It goes through all of it.
	Hash() [32]byte
	// Verify checks every invariant. It goes through the whole state.
	Verify() error
}

// Listing is what is listed. Lookups return nil for what is not there.
type Listing interface {
	Asset(schema.AssetID) *schema.Asset
	AssetByTicker(string) *schema.Asset
	Assets() []*schema.Asset // by id
	Market(schema.MarketID) *schema.MarketInfo
	MarketByName(string) *schema.MarketInfo
	Markets() []*schema.MarketInfo // by id
}

// Accounts are the customers and their keys. Lookups return nil for what is not there.
type Accounts interface {
	Get(schema.AccountID) *schema.Account
	ByName(string) *schema.Account
	All() []*schema.Account // by id
	Key(public string) *schema.Key
	Keys() []*accounts.KeyRecord // by id
	// KeysOf are the keys of an account by id, and ByExternal that which customers know by an id, or nil.
	KeysOf(schema.AccountID) []*accounts.KeyRecord
	ByExternal(string) *accounts.KeyRecord
	// EndsIdle reports whether keys that nobody uses are switched off.
	EndsIdle() bool
	// Session is the session with an id, and Sessions those of an account, the oldest first.
	Session(schema.KeyID) *schema.Key
	Sessions(schema.AccountID) []schema.KeyID
}

// Identity is who signs in to accounts.
type Identity interface {
	// User is a user, UserOf the one of an account, or nil, and Users all, by id.
	User(schema.UserID) *schema.User
	UserOf(schema.AccountID) *schema.User
	Users() []*schema.User
	// Invitation is the one with a digest, if it is open at a moment, and Invited when that of an account ends; 0: there is none.
	Invitation(schema.Digest, schema.Time) (schema.Invitation, bool)
	Invited(schema.AccountID, schema.Time) schema.Time
	// LastUsed is when a session was last used, within ten minutes; 0: it is none.
	LastUsed(schema.KeyID) schema.Time
}

// OAuth is the clients of OAuth, and what accounts gave them.
type OAuth interface {
	Partner(schema.PartnerID) *schema.Partner
	Partners() []*schema.Partner
	Grants(schema.AccountID) []*schema.Grant
}

// Payouts are what the exchange has and pays on chains of others, for those who plan, sign and send there.
type Payouts interface {
	// Keys that addresses of a space are derived from, or those of its cold storage.
	Keys(id schema.Space, cold bool) (schema.Keys, bool)
	// Wanted is how much of an asset should come back from cold storage.
	Wanted(schema.ChainID, schema.AssetID) fixed.Decimal
	Address(schema.Space, schema.AddressIndex) (schema.Address, bool)
	// Native is the asset that fees of a chain are paid in; 0: none is offered.
	Native(schema.ChainID) schema.AssetID
	// Points are the blocks that a chain can be rewound to, the oldest first.
	Points(schema.ChainID) []chain.Point
	// Window is how many blocks a coin may be in none before operators may hold it to be gone for good.
	Window(schema.ChainID) uint64
	NextPayout() schema.PayoutID
	NextNonce(schema.ChainID, schema.AddressIndex, schema.OwnAddress) uint64
	// Waiting are the withdrawals that can be planned, in the order in which they came.
	Waiting(schema.ChainID, schema.AssetID) iter.Seq[*schema.Withdrawal]
	// Payouts of a chain that are not over, by number.
	Payouts(schema.ChainID) iter.Seq[*schema.Payout]
	Payout(schema.PayoutID) (schema.Payout, bool)
	// PayoutOf is the variant that a transaction is: on Bitcoin once it is planned, elsewhere once it is signed.
	PayoutOf(schema.ChainID, string) (payout schema.PayoutID, variant uint32, known bool)
	Parent(schema.PayoutID) schema.PayoutID
	Coins(schema.ChainID, schema.AssetID) iter.Seq[schema.Coin]
	Coin(schema.ChainID, string) (schema.AssetID, schema.Coin, bool)
	// MayBeCoin reports whether a coin has a prefix (schema.CoinPrefix): what it is false for is none, and Coin need not be asked.
	MayBeCoin(id schema.ChainID, prefix uint64) bool
	// Spendable are the coins that a new payout may spend.
	Spendable(schema.ChainID, schema.AssetID) iter.Seq[schema.Coin]
	// Free are those that it may spend, or might if their blocks were deep enough.
	Free(schema.ChainID, schema.AssetID) iter.Seq[schema.Coin]
	// Available is what payouts under way leave of the balance of an address.
	Available(schema.ChainID, schema.AssetID, schema.AddressIndex, schema.OwnAddress) fixed.Decimal
}

// Chains are what deposits come by. Lookups return nil for what is not there.
type Chains interface {
	// Unconfirmed are the withdrawals of sub-accounts that wait for their master, the newest first.
	Unconfirmed(subs ...schema.AccountID) iter.Seq[*schema.Withdrawal]
	Get(schema.ChainID) *schema.Chain
	ByName(string) *schema.Chain
	All() []schema.Chain // by id
	// Cursor is the last block of a chain that the exchange took.
	Cursor(schema.ChainID) (height uint64, hash schema.Digest)
	Standing(schema.ChainID) chain.Standing
	Adopted(schema.ChainID) []string
	// Bookings are what there is of assets on a chain, and what of that is booked.
	Bookings(schema.ChainID) []chain.Booking
	// First is the address of a type that an account got first.
	First(schema.AccountID, schema.Space, schema.AddressType) (schema.Address, bool)
	// SandboxOf is the network by which money of an asset comes out of nowhere; nil: there is none.
	SandboxOf(*schema.Asset) *schema.Network
	Spaces() []schema.Space
	Addresses(schema.Space) iter.Seq[schema.Address]
	// Deposit is a deposit that is not forgotten: it is open, or was not long ago, or may still be decided about.
	Deposit(schema.DepositID) (schema.ChainDeposit, bool)
	// Deposits are all of a chain that are not forgotten.
	Deposits(schema.ChainID) iter.Seq[*schema.ChainDeposit]
	// Withdrawal is a withdrawal that is not forgotten: it is under way, or its block may still be rewound.
	Withdrawal(schema.WithdrawalID) (schema.Withdrawal, bool)
	// Withdrawals are all by a chain that are not forgotten.
	Withdrawals(schema.ChainID) iter.Seq[*schema.Withdrawal]
	// Invoice is an invoice that is open or suspended, InvoiceByDigest the one whose page has a secret.
	Invoice(schema.DepositID) (schema.Invoice, bool)
	InvoiceByDigest(schema.Digest) (schema.Invoice, bool)
	// Invoices are all of a provider that are open or suspended, by id.
	Invoices(schema.ChainID) iter.Seq[*schema.Invoice]
	// VASPs are those that are known, by id.
	VASPs() []schema.VASP
	// Travel is what was said about who sent a deposit in review, and TravelOf about who receives a withdrawal, sealed; nil: nothing.
	Travel(schema.DepositID) []byte
	TravelOf(schema.WithdrawalID) []byte
	// Signatures that operators gave for a withdrawal, the oldest first.
	Signatures(schema.WithdrawalID) []schema.Signature
	Payouts
}

// Mining is the mining pool.
func (m *Machine) Mining() Mining { return m.mining }

// Tiers are what bounds what accounts may send away.
type Tiers interface {
	All() []schema.Tier // that were set, by number
	// Of are the bounds of an account, and what of them is left for the hour under way; a bound of zero does not bind.
	Of(schema.AccountID) (bounds, left schema.Tier)
	// Outflow is the value of what left an account in the last day and the last month.
	Outflow(schema.AccountID) (day, month fixed.Decimal)
}

// Webhooks are where events are sent, and who sends them.
type Webhooks interface {
	Get(schema.AccountID) (schema.Webhook, bool)
	Any() bool
	All() []schema.Webhook  // in the order in which their accounts first had one
	Shards() []schema.Shard // by number
}

// Earn is the plans in which money can be invested, and the investments that are open. Lookups return nil for what is not there.
type Earn interface {
	Plan(schema.PlanID) *schema.Plan
	Plans() []*schema.Plan // by id
	PlanByName(string) *schema.Plan
	// Sees reports whether an account sees a plan, by its own region: a deployment with a stricter one asks the regions of the plan itself.
	Sees(schema.AccountID, schema.PlanID) bool
	// Assigned are the accounts that a private plan is assigned to, by number.
	Assigned(schema.PlanID) []schema.AccountID
	// Invested is what all have in a plan.
	Invested(schema.PlanID) fixed.Decimal
	// Investment is an open investment, Investments are all open ones of an account, by number, and Flex is the one in a flex plan.
	Investment(schema.InvestmentID) (schema.Investment, bool)
	Investments(schema.AccountID) []schema.Investment
	Flex(schema.AccountID, schema.PlanID) (schema.Investment, bool)
	// Accrued is what a flex investment earned up to the last full hour before Time and was not credited, in whole units. What it is owed is
	// not part of it.
	Accrued(schema.InvestmentID) fixed.Decimal
}

// Mining is the mining pool.
type Mining interface {
	// Terms are how the pool works, and what a block is worth to it; both are zero where nothing was ever set.
	Terms() (schema.PoolTerms, fixed.Decimal)
	Account(schema.MiningID) (schema.MiningAccount, bool)
	Named(string) (schema.MiningAccount, bool)
	Of(schema.AccountID) []schema.MiningAccount // the newest first
	// Watch is a link that lives, Watches are those of a mining account, the oldest first.
	Watch(schema.WatchID) (schema.Watch, bool)
	Watches(schema.MiningID) []schema.Watch
	Blocks() []schema.PoolBlock // the last that were found, the newest first
	// Pending is how many rewards are pending, and their sum: what waits, stands in the queue, or is bound to a withdrawal.
	Pending() (int, fixed.Decimal)
	// Health is how the pool is, and Luck how many blocks a mining account found of those that were to be expected.
	Health() mining.Health
	Luck(schema.MiningID) mining.Luck
}

// Trading is the books and the open orders.
type Trading interface {
	// Market is what is known of a market beside its listing: last and index price.
	Market(schema.MarketID) trading.MarketRecord
	// Depth is the public book of a market: one side, best first, at most limit levels.
	Depth(market schema.MarketID, side schema.Side, limit int) []trading.Level
	// Count is how many orders are open on a market, CountOf how many of them an account has.
	Count(schema.MarketID) int
	CountOf(schema.AccountID, schema.MarketID) int
	// All are the open orders of a market, Open those of an account on it, by id.
	All(schema.MarketID) []schema.Order
	Open(schema.AccountID, schema.MarketID) []schema.Order
	// Grouped are those of Open that are part of an OCO or the primary of an OTO, Guards those that close a whole position.
	Grouped(schema.AccountID, schema.MarketID) []schema.Order
	Guards(schema.AccountID, schema.MarketID) []schema.Order
	// Newest are open orders of an account on a market, or on all (0), the newest first.
	Newest(account schema.AccountID, market schema.MarketID, offset, limit int) []schema.Order
	// Find is the open order of an account that a reference names.
	Find(schema.AccountID, *schema.OrderRef) (schema.Order, bool)
	// KillSwitches are the running timers, the next to fire first, and Timers those of an account.
	KillSwitches() []schema.KillSwitch
	Timers(schema.AccountID) []schema.KillSwitch
	// Fees are the fees that an account was assigned, Rates those that it pays on a market, in percent.
	Fees(schema.AccountID) []schema.SetFee
	Rates(schema.AccountID, schema.MarketID) (maker, taker fixed.Decimal)
	// Counters are the last ids that were handed out.
	Counters() trading.Counters
}

// Prices are what margin is reckoned with.
type Prices interface {
	// Index is the price of an asset in USDT, zero if there never was one, and whether it is fresh.
	Index(schema.AssetID) (index fixed.Decimal, fresh bool)
	// Source is what one of price.Sources last said of the price of an asset, and whether it counts. It is false for
	// an asset that has no sources.
	Source(asset schema.AssetID, source int) (said price.Quote, counts, known bool)
	// Collateral is what an asset is worth as collateral, if it was ever set.
	Collateral(schema.AssetID) (schema.SetCollateral, bool)
	// Mark is what positions on a future are valued by, Future all its prices; it is false for other markets.
	Mark(schema.MarketID) (mark fixed.Decimal, fresh bool)
	Future(schema.MarketID) (schema.MarkChanged, bool)
}

// Collateral is what accounts have and owe who trade with margin.
type Collateral interface {
	// Summary is what an account has and what is asked of it.
	Summary(schema.AccountID) collateral.Summary
	// Risk is how near an account was to the end of its margin when prices last changed.
	Risk(schema.AccountID) schema.RiskState
	// Balance is what an account has of an asset as collateral, owes of it, and may do with it.
	Balance(schema.AccountID, schema.AssetID) collateral.Balance
	// Positions of an account, by market and side.
	Positions(schema.AccountID) []schema.Position
	// LiquidationPrice is the first price at which an account is liquidated for a position, if there is one.
	LiquidationPrice(schema.AccountID, schema.MarketID, schema.PositionSide) (fixed.Decimal, bool)
	// Valuations are the positions of an account on a market, or on all (0), with what they are worth now.
	Valuations(schema.AccountID, schema.MarketID) []collateral.Valuation
	// Value is a position, as it is or as it was, with what it would be worth now.
	Value(*schema.Position) collateral.Valuation
	// Ratings are those of the positions on a future with an id above one, by id, at most limit: by them others are
	// closed to cover what an account cannot pay.
	Ratings(market schema.MarketID, above schema.PositionID, limit int) []collateral.Rating
	// OpenInterest is the size of all longs on a future.
	OpenInterest(schema.MarketID) fixed.Decimal
	// Loans are what an account owes, by asset.
	Loans(schema.AccountID) []collateral.Loan
	// Liquidating is how many accounts are in liquidation.
	Liquidating() int
}

// Collateral is what accounts have and owe who trade with margin.
func (m *Machine) Collateral() Collateral { return m.collateral }

// Chains are what deposits come by.
func (m *Machine) Chains() Chains { return m.chains }

// Webhooks are where events are sent, and who sends them.
func (m *Machine) Webhooks() Webhooks { return m.webhooks }

// Earn is the plans and the investments.
func (m *Machine) Earn() Earn { return m.earn }

// Tiers are what bounds what accounts may send away.
func (m *Machine) Tiers() Tiers { return m.tiers }

// Listing is what is listed.
func (m *Machine) Listing() Listing { return m.listing }

// Identity is who signs in to accounts.
func (m *Machine) Identity() Identity { return m.identity }

// Accounts are the customers.
func (m *Machine) Accounts() Accounts { return m.accounts }

// Withdrawable is what may leave an account of each asset that it has, and the value of all that it owns beyond what is held.
func (m *Machine) Withdrawable(account schema.AccountID) ([]wallet.Withdrawable, fixed.Decimal) {
	return m.wallets.Withdrawable(account)
}

// FaucetLimit is how much of an asset an account may take from the faucet on one day.
func (m *Machine) FaucetLimit(asset schema.AssetID) fixed.Decimal { return m.faucets.Limit(asset) }

// Credit is what an operator lent an account, if it is not repaid.
func (m *Machine) Credit(account schema.AccountID) (schema.Credit, bool) {
	return m.credits.Get(account)
}

// Credits are what operators lent, by account.
func (m *Machine) Credits() []schema.Credit { return m.credits.All() }

// CreditLTV is what the credit of an account is of all that the account owns, in percent.
func (m *Machine) CreditLTV(account schema.AccountID) fixed.Decimal { return m.credits.LTV(account) }

// Checks are the checks of an account that run, by number.
func (m *Machine) Checks(account schema.AccountID) []schema.Check { return m.checks.Running(account) }

// Verdicts are what checks of addresses end with, by address.
func (m *Machine) Verdicts() []schema.AddressVerdict { return m.checks.Verdicts() }

// Expresses are the requests of a partner for money that can be paid, in the order in which they expire.
func (m *Machine) Expresses(account schema.AccountID) []schema.Express {
	return m.express.Live(account, m.clock)
}

// Express is the request for money whose token has a digest, if it can be paid at a moment.
func (m *Machine) Express(digest schema.Digest, now schema.Time) (schema.Express, bool) {
	return m.express.Find(digest, now)
}

// Conversion is what is set of conversions.
func (m *Machine) Conversion() schema.SetConversion { return m.conversions.Settings() }

// Proposals are the commands that wait for a second operator, or for their time, by number.
func (m *Machine) Proposals() []schema.Proposal { return m.proposals.All() }

// Prices are what margin is reckoned with.
func (m *Machine) Prices() Prices { return m.prices }

// Trading is the books and orders.
func (m *Machine) Trading() Trading { return m.trading }

// OAuth is the clients of OAuth.
func (m *Machine) OAuth() OAuth { return m.oauth }
