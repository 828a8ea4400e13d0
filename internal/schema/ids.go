package schema

import (
	"slices"
	"time"
)

// Identities are numbers that the core hands out in the order things come to be, from 1. They
// are never reused. Order and deal ids stay below 2^53 for centuries, so that clients which
// read JSON numbers as doubles keep them exact.
type (
	AccountID uint32
	KeyID     uint32
	AssetID   uint32
	MarketID  uint32
	OrderID   uint64
	DealID    uint64
	// PositionID numbers positions from their opening to their end.
	PositionID uint64
	// TransferID numbers the movements between wallets.
	TransferID uint64
	// WorkID numbers the commands that were too long for one slice.
	WorkID uint64
	// CodeID numbers the codes that were created.
	CodeID uint64
	// ChainID numbers the chains that deposits come by.
	ChainID uint32
	// AddressIndex numbers the addresses of a space.
	AddressIndex uint32
	// DepositID numbers the deposits that came by chains, or from another customer to an address.
	DepositID uint64
	// WithdrawalID numbers the withdrawals that accounts asked for.
	WithdrawalID uint64
	// PayoutID numbers the transactions by which the exchange pays on chains of others.
	PayoutID uint64
	// ProposalID numbers commands that wait for a second operator.
	ProposalID uint64
	// CheckID numbers the checks of addresses.
	CheckID uint64
	// UserID numbers the people who sign in.
	UserID uint32
	// PartnerID numbers the clients of OAuth.
	PartnerID uint32
)

// EventID is where an event stands in the log: the batch, the command in it and the place among the
// events of the command, both from 0. The same log gives every event the same id on every node and after
// every restart, so readers that may see an event twice know it by that.
type EventID struct {
	Batch   uint64
	Command uint32
	Index   uint32
}

// System accounts stand for the parties that are not customers. Unlike customers they may be
// negative: what Outside owes is what the customers own.
const (
	Outside   AccountID = iota + 1 // the world that deposits come from and withdrawals go to
	Fees                           // trading fees collected, rebates paid
	Insurance                      // the insurance fund
	House                          // the operator's own money
	Lending                        // the pool of loans; its Debt wallet mirrors what customers owe
	Clearing                       // stands between the longs and the shorts of futures
	Codes                          // has what is in codes that nobody applied yet; never negative
	Custody                        // owes what came by chains and is booked: what the exchange has there
	Suspense                       // has deposits that belong to nobody yet, or wait for a decision; never negative
	Convert                        // the inventory of conversions, what it owes by open quotes frozen; never negative
	Interest                       // what investments are paid from, what fixed plans will pay frozen; never negative
	Pool                           // what miners are paid from; never negative
)

var systemNames = [...]string{
	Outside: "outside", Fees: "fees", Insurance: "insurance", House: "house", Lending: "lending", Clearing: "clearing", Codes: "codes",
	Custody: "custody", Suspense: "suspense", Convert: "convert", Interest: "interest", Pool: "pool",
}

// SystemName is what a system account is called, "" for customers: they have names of their own.
func (a AccountID) SystemName() string {
	if int(a) < len(systemNames) {
		return systemNames[a]
	}
	return ""
}

// SystemNames are the names of all system accounts.
func SystemNames() []string { return slices.Clone(systemNames[Outside:]) }

// SystemAccount is the system account with a name, 0 if there is none.
func SystemAccount(name string) AccountID {
	return Outside + AccountID(slices.Index(systemNames[Outside:], name))
}

// Funded reports whether operators bring their money into a system account, and take out what is available there.
func (a AccountID) Funded() bool {
	switch a {
	case Insurance, Lending, Convert, Interest, Pool:
		return true
	}
	return false
}

// FirstCustomer is the id of the first account that is not a system account.
const FirstCustomer AccountID = 101

// Time is a moment in microseconds since 1970. Zero means never.
type Time int64

// Units of Time.
const (
	Microsecond Time = 1
	Second           = 1_000_000 * Microsecond
)

// String prints the moment in UTC.
func (t Time) String() string {
	return time.UnixMicro(int64(t)).UTC().Format("2006-01-02T15:04:05.000000Z")
}
