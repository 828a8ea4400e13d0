package product

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"bourse/internal/wire"
)

// Section is a list of messages in a snapshot. A section without messages is left out, so that an
// exchange has the same snapshot, and with it the same hash, before and after the program learned a
// product that it does not use.
type Section struct {
	Tag     uint64 // says what it is, for ever; tags are listed in this package
	Name    string // for errors
	Version uint64 // of what Write writes, from 1
	Write   func(*Writer)
	// Read restores what any version up to Version wrote. It reads all messages.
	Read func(*Reader) error
}

// Tags of all sections there ever were.
const (
	TagWorks             = 1 // unfinished work of trading
	TagFaucets           = 2 // limits of the faucet
	TagFaucetTaken       = 3 // what was taken from the faucet
	TagMembers           = 7 // leverage and mode of accounts
	TagPositions         = 8
	TagAccruals          = 9 // interest of assets that are lent
	TagLoans             = 10
	TagClearing          = 11 // counters of positions
	TagFunding           = 12 // funding under way
	TagRisks             = 13 // margin calls and accounts that are being liquidated
	TagWatches           = 14 // prices at which accounts are looked at
	TagTouched           = 15 // accounts that are to be looked at
	TagAssessment        = 16 // how far looking at accounts has come
	TagRankings          = 17 // how far ranking positions has come
	TagOverdrafts        = 18 // accounts that were made to owe more than they may
	TagCollaterals       = 4  // what assets are worth as collateral
	TagIndexes           = 5  // index prices of assets
	TagFutures           = 6  // samples and marks of futures
	TagCodes             = 19
	TagAppliedCodes      = 20 // digests of the last codes that were applied
	TagCodeCounter       = 21
	TagChains            = 22
	TagPoints            = 23 // the last blocks of chains
	TagAddresses         = 24
	TagLanes             = 25 // what there is of assets on chains
	TagDeposits          = 26 // that came by chains
	TagPayments          = 27 // that wait for a block of a sandbox
	TagClaims            = 28 // what accounts owe and may have in orders
	TagDepositCounter    = 29
	TagWithdrawals       = 30
	TagUniques           = 31 // names of withdrawals, for ever
	TagRecent            = 32 // what was withdrawn without approval in the last day
	TagWithdrawalCounter = 33
	TagTiers             = 34 // bounds of what may leave
	TagOutflows          = 35 // what left of accounts in the last month
	TagCredits           = 36
	TagChecks            = 37 // of addresses, that run
	TagVerdicts          = 38 // about addresses
	TagCheckCounter      = 39
	TagExpress           = 40 // requests for money that wait for their payers
	TagExpressPaid       = 41 // names of those that were paid, for ever
	TagVASPs             = 42 // that are known
	TagKeys              = 43 // public keys of addresses
	TagPayouts           = 44 // transactions of the exchange under way
	TagCoins             = 45 // what the exchange has on chains of others
	TagInvoices          = 46 // that are open, or paid and in Suspense
	TagInvoiceNames      = 47 // of invoices, for ever
	TagAdoptions         = 48 // spends that nobody planned

	TagWebhooks      = 51 // and how many events were announced by those that were deleted
	TagWebhookShards = 52 // who sends
	TagWebhookCounts = 53 // deposits whose confirmations are announced

	TagUsers       = 54
	TagInvitations = 55
	TagSessions    = 56 // when they were used, and what they used up
	TagPartners    = 58 // clients of OAuth
	TagGrants      = 59 // what accounts gave them
	TagIdle        = 60 // how far looking for idle keys has come
	TagChallenges  = 57 // of passkeys, that were answered not long ago

	TagConversion        = 61 // settings of conversions
	TagQuotes            = 62 // that can be confirmed
	TagEndedQuotes       = 63 // that ended not long ago
	TagConversionKeys    = 64 // answers to conversions with an idempotency key
	TagConverted         = 65 // what families converted in the last day
	TagConversionResults = 66 // what the inventory lost by conversions in the last day
	TagIndexMoves        = 67 // indices of the last minutes
	TagConversionCounter = 68

	TagPlans             = 70
	TagAssignedPlans     = 71 // which accounts see private plans
	TagFixedInvestments  = 72
	TagFlexInvestments   = 73
	TagInterestOwed      = 74 // what investments are owed
	TagAccrualRun        = 75 // how far crediting interest has come
	TagInvestmentCounter = 76
	TagEarnCounter       = 77

	TagPool           = 80 // terms of the mining pool, what a block is worth, and counters
	TagMinings        = 81 // mining accounts
	TagDayWork        = 82 // what they brought on the day under way
	TagBuckets        = 83 // what they brought in the last five minutes
	TagRewards        = 84 // that wait, by mining account
	TagPayQueue       = 85 // payments of rewards that are next
	TagRewardsLeaving = 86 // rewards that withdrawals pay
	TagLeases         = 87 // of listeners of the pool
	TagPoolBlocks     = 88 // the last that were found
	TagMiningLinks    = 89 // links by which mining accounts are seen
	TagPoolHealth     = 90 // what a day costs, and since when the fund is too small

	TagProposals       = 91 // that wait for a second operator, or for their time
	TagProposalCounter = 92
)

// Writer puts a snapshot together: lists of messages, each message after its size plus one and
// each list before a zero.
type Writer struct {
	Bytes []byte

	coder wire.Coder
	body  []byte // of the message being written, kept for its memory
}

// Message writes a message.
func (w *Writer) Message(m wire.Message) {
	w.body = w.coder.AppendTo(w.body[:0], m)
	w.Bytes = binary.AppendUvarint(w.Bytes, uint64(len(w.body)+1))
	w.Bytes = append(w.Bytes, w.body...)
}

// End ends a list.
func (w *Writer) End() { w.Bytes = append(w.Bytes, 0) }

// Section writes a section behind its tag and version, if it is not empty.
func (w *Writer) Section(s *Section) {
	before := len(w.Bytes)
	w.Bytes = binary.AppendUvarint(w.Bytes, s.Tag)
	w.Bytes = binary.AppendUvarint(w.Bytes, s.Version)
	first := len(w.Bytes)
	s.Write(w)
	if len(w.Bytes) == first {
		w.Bytes = w.Bytes[:before]
		return
	}
	w.End()
}

// Reader takes a snapshot apart.
type Reader struct {
	Rest []byte
	// Version of the section that is read.
	Version uint64
}

var errCutOff = errors.New("a message is cut off")

// Next reads a message; it is false at the end of the list.
func (r *Reader) Next(m wire.Message) (bool, error) {
	size, n := binary.Uvarint(r.Rest)
	if n <= 0 || size > uint64(len(r.Rest)-n)+1 {
		return false, errCutOff
	}
	r.Rest = r.Rest[n:]
	if size == 0 {
		return false, nil
	}
	body := r.Rest[:size-1]
	r.Rest = r.Rest[size-1:]
	return true, wire.Decode(body, m)
}

// Sections reads all sections up to the end. They stand in the order of the list; one that is not
// there is empty, one that is not in the list is of a product that this program does not know.
func (r *Reader) Sections(list []Section) error {
	for i := range list {
		if len(r.Rest) == 0 {
			return nil
		}
		s := &list[i]
		tag, n := binary.Uvarint(r.Rest)
		if n <= 0 || tag != s.Tag {
			continue
		}
		r.Rest = r.Rest[n:]
		if r.Version, n = binary.Uvarint(r.Rest); n <= 0 {
			return errCutOff
		}
		if r.Rest = r.Rest[n:]; r.Version == 0 || r.Version > s.Version {
			return fmt.Errorf("%s of version %d, and this program reads versions up to %d", s.Name, r.Version, s.Version)
		}
		if err := s.Read(r); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	if len(r.Rest) == 0 {
		return nil
	}
	tag, _ := binary.Uvarint(r.Rest)
	return fmt.Errorf("%d bytes are left over, which begin like section %d: this program does not know it, or not in this place", len(r.Rest), tag)
}

// Messages goes through a list. The message is valid until the next one.
func Messages[T any, M interface {
	*T
	wire.Message
}](r *Reader) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var m, zero T
		for {
			m = zero
			more, err := r.Next(M(&m))
			if err == nil && !more || !yield(&m, err) || err != nil {
				return
			}
		}
	}
}
