package history

import (
	"fmt"
	"slices"
	"strconv"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Kind of a record. The numbers are stored: they are never reused for another meaning.
type Kind uint8

const (
	Orders       Kind = iota + 1 // orders that are over
	Deals                        // one record per side of a deal
	Ended                        // orders that the platform ended: delisting, maintenance
	Transfers                    // movements between wallets of an account
	Acts                         // what operators did; they belong to no account, so the account is 0
	Faucet                       // what was taken from the faucet of a sandbox
	Positions                    // one record per change of a position
	Closed                       // positions that came to their end
	Fundings                     // what positions paid or got by funding
	Loans                        // one record per loan, in its last state
	Settlements                  // settlements of funding; they belong to no account, so the account is 0
	Codes                        // codes that an account created, in their last state, and what came to it by codes
	Payments                     // what came to an account by chains or left it, in its last state; what is nobody's is of account 0
	Refunds                      // deposits that are sent back, in their last state
	Checks                       // checks of addresses, in their last state
	SubMoves                     // movements between a master and a sub-account; they are the sub-account's
	Notices                      // what ended or switched off keys, sessions and the access of programs
	Conversions                  // conversions that were done, of the moment of their quotes
	Investments                  // what an account has or had in plans, in its last state
	Earnings                     // money that went into investments and came out of them, and interest
	Rewards                      // what mining accounts earned in a day, in its last state
	Measured                     // what a mining account brought in five minutes
	PoolMeasured                 // what all brought in five minutes, in one or more records; they belong to no account, so the account is 0
	WorkerShares                 // what a worker brought in five minutes, by listener; they belong to no account, so the account is 0
	Blocks                       // blocks that the mining pool found; they belong to no account, so the account is 0
)

// kind is what a store has to know about a kind of record.
type kind struct {
	name    string
	payload func() wire.Message
	classes []Class // what a record of the kind can be; a single 0: there is no choice
	indexes []index // what records are found by, besides time and class; each costs a key per record
	// changes: a record is written again, in the place where it is, whenever its class changes. It is found by its id then.
	changes bool
	// counted: how many records there are of each asset and class is kept with them.
	counted bool
	// dated: the time of a record is one that it is about, at or before that of its command.
	dated bool
}

// kinds is the one table of what can be recorded. A new kind of record is a row here, a payload
// type and a case of Records; for people who read SQL, also a view in a migration.
var kinds = []kind{
	Orders: {
		name: "orders", payload: func() wire.Message { return new(schema.Order) },
		classes: []Class{Filled, Canceled, PartlyFilled, Maintained}, indexes: []index{byMarket, byID, byTag},
	},
	Deals: {
		name: "deals", payload: func() wire.Message { return new(Deal) },
		classes: []Class{0}, indexes: []index{byMarket, byRef},
	},
	Ended: {
		name: "ended", payload: func() wire.Message { return new(schema.OrderChanged) },
		classes: []Class{Maintained, Delisted}, indexes: []index{byMarket},
	},
	Transfers: {
		name: "transfers", payload: func() wire.Message { return new(schema.Transferred) },
		classes: Moves(0, 0), indexes: []index{byAsset},
	},
	Acts: {
		name: "acts", payload: func() wire.Message { return new(schema.AuditRecord) },
		classes: []Class{Done, Refused}, indexes: []index{byTag},
	},
	Faucet: {
		name: "faucet", payload: func() wire.Message { return new(schema.FaucetTaken) },
		classes: []Class{0}, indexes: []index{byAsset},
	},
	Positions: {
		name: "positions", payload: func() wire.Message { return new(schema.PositionChanged) },
		classes: []Class{0}, indexes: []index{byMarket, byRef},
	},
	Closed: {
		name: "closed", payload: func() wire.Message { return new(ClosedPosition) },
		classes: []Class{0}, indexes: []index{byMarket}, dated: true,
	},
	Fundings: {
		name: "fundings", payload: func() wire.Message { return new(schema.PositionChanged) },
		classes: []Class{0}, indexes: []index{byMarket}, dated: true,
	},
	Loans: {
		name: "loans", payload: func() wire.Message { return new(schema.LoanChanged) },
		classes: []Class{Active, Repaid, Liquidated}, indexes: []index{byAsset, byID}, changes: true, dated: true,
	},
	Settlements: {
		name: "settlements", payload: func() wire.Message { return new(schema.FundingSettled) },
		classes: []Class{0}, indexes: []index{byMarket}, dated: true,
	},
	Codes: {
		name: "codes", payload: func() wire.Message { return new(schema.Code) },
		classes: append(slices.Clone(Created), CodeMoney), indexes: []index{byAsset, byID}, changes: true, counted: true, dated: true,
	},
	Payments: {
		name: "payments", payload: func() wire.Message { return new(Payment) },
		classes: slices.Concat(Deposits, Withdrawals), indexes: []index{byAsset, byID, byTag}, changes: true, counted: true, dated: true,
	},
	Refunds: {
		name: "refunds", payload: func() wire.Message { return new(schema.Withdrawal) },
		classes: []Class{RefundPending, RefundDone, RefundCanceled}, indexes: []index{byAsset, byID, byTag}, changes: true, dated: true,
	},
	Checks: {
		name: "checks", payload: func() wire.Message { return new(schema.Check) },
		classes: []Class{CheckRunning, CheckFailed, CheckLow, CheckMedium, CheckHigh}, indexes: []index{byAsset, byID, byTag}, changes: true, dated: true,
	},
	SubMoves: {
		name: "sub moves", payload: func() wire.Message { return new(schema.SubMoved) },
		classes: []Class{MovedToSub, MovedToMain}, indexes: []index{byAsset},
	},
	Notices: {
		name: "notices", payload: func() wire.Message { return new(Notice) },
		classes: []Class{SessionEnded, KeyEnded, KeyIdle, AccessEnded},
	},
	Conversions: {
		name: "conversions", payload: func() wire.Message { return new(schema.Conversion) },
		classes: []Class{0}, indexes: []index{byAsset, byID, byTag}, dated: true,
	},
	Investments: {
		name: "investments", payload: func() wire.Message { return new(schema.Investment) },
		classes: slices.Concat(FixedInvestments, FlexInvestments), indexes: []index{byAsset, byID, byTag}, changes: true, dated: true,
	},
	Earnings: {
		name: "earnings", payload: func() wire.Message { return new(schema.Earned) },
		classes: earnedClasses, indexes: []index{byAsset, byRef, byTag},
	},
	Rewards: {
		name: "rewards", payload: func() wire.Message { return new(schema.Reward) },
		classes: []Class{RewardPending, RewardSuccessful, RewardCanceled}, indexes: []index{byAsset, byID, byTag}, changes: true, dated: true,
	},
	Measured: {
		name: "measured", payload: func() wire.Message { return new(schema.MiningMeasured) },
		classes: []Class{0}, indexes: []index{byTag}, dated: true,
	},
	PoolMeasured: {
		name: "pool measured", payload: func() wire.Message { return new(schema.MiningMeasured) },
		classes: []Class{0}, dated: true,
	},
	WorkerShares: {
		name: "worker shares", payload: func() wire.Message { return new(schema.WorkerShares) },
		classes: []Class{0}, indexes: []index{byRef, byTag}, dated: true,
	},
	Blocks: {
		name: "blocks", payload: func() wire.Message { return new(schema.PoolBlock) },
		classes: []Class{0}, indexes: []index{byTag},
	},
}

// Created are the classes of codes that an account created.
var Created = []Class{CodeActive, CodeApplied, CodeReturned}

// Deposits are the classes of payments that came in.
var Deposits = []Class{DepositPending, DepositCredited, DepositUncredited, DepositFrozen, DepositCanceled, DepositLost, DepositInside, DepositTravel, DepositReview}

// Withdrawals are the classes of payments that go out.
var Withdrawals = []Class{WithdrawalReview, WithdrawalFrozen, WithdrawalQueued, WithdrawalSent, WithdrawalDone, WithdrawalInside, WithdrawalCanceled, WithdrawalPartial, WithdrawalPlanned, WithdrawalUnconfirmed}

// FixedInvestments and FlexInvestments are the classes of investments, the open ones first.
var (
	FixedInvestments = []Class{FixedOpen, FixedClosed}
	FlexInvestments  = []Class{FlexOpen, FlexClosed}
)

func (k Kind) known() bool { return k != 0 && int(k) < len(kinds) }

func (k Kind) String() string {
	if k.known() {
		return kinds[k].name
	}
	return strconv.Itoa(int(k))
}

// foundBy reports whether records of the kind are in an index.
func (k Kind) foundBy(i index) bool { return slices.Contains(kinds[k].indexes, i) }

// Class is what the status filters of the API choose records by. The numbers are stored.
type Class uint8

const (
	Filled                Class = iota + 1 // an order that was filled
	Canceled                               // one that ended without a fill
	PartlyFilled                           // one that ended after a part of it was filled
	Maintained                             // one that the maintenance of its market ended
	Delisted                               // one that the delisting of its market ended
	Done                                   // an act of an operator that was done
	Refused                                // one that was refused
	Active                                 // a loan of which something is owed
	Repaid                                 // one that was repaid
	Liquidated                             // one that liquidation or the insurance fund ended
	CodeActive                             // a code that can be applied
	CodeApplied                            // one that was
	CodeReturned                           // one that went back
	CodeMoney                              // money that came to an account by a code: one that it applied, or its own that went back
	DepositPending                         // a deposit that waits for confirmations, also if it can be traded already
	DepositCredited                        // one that is the account's
	DepositUncredited                      // one that is not credited by itself
	DepositFrozen                          // one that an operator holds back
	DepositCanceled                        // one that an operator did not accept
	DepositLost                            // one that its chain took back
	DepositInside                          // one that another customer sent inside the exchange
	WithdrawalReview                       // a withdrawal that waits for operators
	WithdrawalFrozen                       // one that an operator holds back
	WithdrawalQueued                       // one that waits to be sent
	WithdrawalSent                         // one that was sent, also if it is in a block already
	WithdrawalDone                         // one that is confirmed
	WithdrawalInside                       // one that went to another customer inside the exchange
	WithdrawalCanceled                     // one that was not sent
	RefundPending                          // a refund that is on its way
	RefundDone                             // one that is confirmed
	RefundCanceled                         // one that was not sent
	CheckRunning                           // a check of an address that did not end
	CheckFailed                            // one that ended without a result
	CheckLow                               // one that found a low risk
	CheckMedium                            // one that found a medium risk
	CheckHigh                              // one that found a high risk
	DepositTravel                          // a deposit of which it is not said yet who sent it
	DepositReview                          // one of which that is said, and looked at
	WithdrawalPartial                      // a withdrawal of which a part was paid
	WithdrawalPlanned                      // one that a transaction is bound to pay which is not signed yet
	WithdrawalUnconfirmed                  // one that waits for the master of the sub-account
	MovedToSub                             // money that a master gave a sub-account
	MovedToMain                            // money that went back to the master
	SessionEnded                           // a session that is over
	KeyEnded                               // a key that is no more
	KeyIdle                                // one that was switched off because nobody used it
	AccessEnded                            // what a person gave a client of OAuth, and is over
	FixedOpen                              // an investment in a fixed plan
	FixedClosed                            // one that came to its end, or was closed before
	FlexOpen                               // an investment in a flex plan
	FlexClosed                             // one that was closed
	EarnInvested                           // money that was added to an investment; this and the next are the actions of schema.EarnAction
	EarnReinvested
	EarnWithdrawn
	EarnDaily
	EarnClosed
	EarnOpened
	EarnInterest
	EarnPrincipal
	EarnBeganFixed
	RewardPending    // a reward that is not paid
	RewardSuccessful // one that is in the main wallet, or was paid to the address
	RewardCanceled   // one whose withdrawal was canceled: it is in the main wallet
)

// Move is the class of transfers from one wallet to another.
func Move(from, to schema.Wallet) Class { return Class(from)<<4 | Class(to) }

// Moves are the classes of transfers from a wallet to another, where 0 means any. Debts are not transferred.
func Moves(from, to schema.Wallet) []Class {
	var all []Class
	for f := schema.Main; f <= schema.Earn; f++ {
		for t := schema.Main; t <= schema.Earn; t++ {
			if f != t && (from == 0 || from == f) && (to == 0 || to == t) {
				all = append(all, Move(f, t))
			}
		}
	}
	return all
}

// Record is one thing that happened to an account. Kind, Account, Time, ID and Ref together are its
// identity: an account that trades with itself has two records of one deal, which differ in the
// order that they belong to.
//
// A record of a kind that changes is written again under its identity whenever its class does, with
// the Seq and the payload of the change; Time stays that of its beginning, and so do its market, asset
// and tag. What was written last is what pages show.
type Record struct {
	Kind    Kind
	Account schema.AccountID
	Market  schema.MarketID // 0 where there is none
	Asset   schema.AssetID  // 0 where there is none
	Time    schema.Time
	ID      uint64
	Seq     uint64 // the batch of the log that it comes from
	Class   Class  // 0 where there is no choice
	Ref     uint64 // the order, the position or the investment that it belongs to, of an order its own id; 0: none
	Tag     string // the client order id of an order, the name of an operator, the address of a payment or a check, the deposit that is refunded, the asset that a conversion brought, the plan of an investment, the mining account or worker; "": none
	Payload wire.Message
}

// maxTag is the longest Tag, in bytes.
const maxTag = 255

// checkAll refuses records if one of them could not be found again. A store asks before it writes any.
func checkAll(records []Record) error {
	for i := range records {
		if err := records[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what no query would find again.
func (r *Record) check() error {
	switch {
	case !r.Kind.known():
		return fmt.Errorf("a record of batch %d has the unknown kind %d", r.Seq, r.Kind)
	case !slices.Contains(kinds[r.Kind].classes, r.Class):
		return fmt.Errorf("record %d of %s in batch %d has the unknown class %d", r.ID, r.Kind, r.Seq, r.Class)
	case r.Market != 0 && !r.Kind.foundBy(byMarket), r.Asset != 0 && !r.Kind.foundBy(byAsset):
		return fmt.Errorf("record %d of %s in batch %d has a market or an asset, by which they are not found", r.ID, r.Kind, r.Seq)
	case r.Kind.foundBy(byID) && r.Ref != r.ID:
		return fmt.Errorf("record %d of %s in batch %d refers to %d; it must refer to itself", r.ID, r.Kind, r.Seq, r.Ref)
	case len(r.Tag) > maxTag:
		return fmt.Errorf("record %d of %s in batch %d has a tag of %d bytes", r.ID, r.Kind, r.Seq, len(r.Tag))
	}
	return nil
}
