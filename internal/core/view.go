package core

import (
	"bourse/internal/core/accounts"
	"bourse/internal/core/trading"
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
	Trading() Trading
	// Balance is what an account has in a wallet. Held is its unconfirmed deposits, in Main only.
	Balance(schema.AccountID, schema.Wallet, schema.AssetID) (available, frozen, held fixed.Decimal)
	// FaucetLimit is how much of an asset an account may take from the faucet on one day.
	FaucetLimit(schema.AssetID) fixed.Decimal
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

// Listing is what is listed.
func (m *Machine) Listing() Listing { return m.listing }

// Accounts are the customers.
func (m *Machine) Accounts() Accounts { return m.accounts }

// FaucetLimit is how much of an asset an account may take from the faucet on one day.
func (m *Machine) FaucetLimit(asset schema.AssetID) fixed.Decimal { return m.faucets.Limit(asset) }

// Trading is the books and orders.
func (m *Machine) Trading() Trading { return m.trading }
