package history

import (
	"strings"
	"unicode/utf8"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Payment is what came to an account from outside, or what left it. Deposits have even numbers and withdrawals odd ones: each
// count for themselves.
type Payment struct {
	Deposit    schema.ChainDeposit
	Withdrawal schema.Withdrawal
}

func (p *Payment) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "deposit", &p.Deposit)
	wire.Embed(c, 2, "withdrawal", &p.Withdrawal)
}

// depositClasses are what a deposit is for those who look at it.
var depositClasses = [...]Class{
	schema.DepositConfirming: DepositPending,
	schema.DepositHeld:       DepositPending,
	schema.DepositCredited:   DepositCredited,
	schema.DepositUncredited: DepositUncredited,
	schema.DepositFrozen:     DepositFrozen,
	schema.DepositCanceled:   DepositCanceled,
	schema.DepositLost:       DepositLost,
	schema.DepositTravel:     DepositTravel,
	schema.DepositReview:     DepositReview,
}

// deposited is the state of a deposit for its account.
func deposited(d *schema.ChainDeposit) Record {
	number := uint64(d.ID) << 1
	r := Record{
		Kind: Payments, Account: d.Account, Asset: d.Asset, Time: d.Created, ID: number, Ref: number, Class: depositClasses[d.Status],
		Tag: tagOf(d.Address), Payload: &Payment{Deposit: *d},
	}
	if d.From != 0 { // it came to an account, though to no block
		r.Class = DepositInside
	}
	return r
}

// appendDeposit records the state of a deposit that came by a chain. What came to nobody's address is of account 0 for ever, and beside
// that of the account that it was credited to.
func appendDeposit(dst []Record, d *schema.ChainDeposit) []Record {
	r := deposited(d)
	dst = append(dst, r)
	if d.From == 0 && d.Index == 0 && d.Account != 0 {
		r.Account = 0
		dst = append(dst, r)
	}
	return dst
}

// withdrawalClasses are what a withdrawal is for those who look at it.
var withdrawalClasses = [...]Class{
	schema.WithdrawalReview:   WithdrawalReview,
	schema.WithdrawalFrozen:   WithdrawalFrozen,
	schema.WithdrawalQueued:   WithdrawalQueued,
	schema.WithdrawalSent:     WithdrawalSent,
	schema.WithdrawalMined:    WithdrawalSent,
	schema.WithdrawalDone:     WithdrawalDone,
	schema.WithdrawalCanceled: WithdrawalCanceled,
	schema.WithdrawalPlanned:  WithdrawalPlanned,
	schema.WithdrawalPartial:  WithdrawalPartial,

	schema.WithdrawalUnconfirmed: WithdrawalUnconfirmed,
}

// WithdrawalRef is what the payment of a withdrawal is found by.
func WithdrawalRef(id schema.WithdrawalID) uint64 { return uint64(id)<<1 | 1 }

// withdrawn is the state of a withdrawal for the account that it left.
func withdrawn(w *schema.Withdrawal) Record {
	number := WithdrawalRef(w.ID)
	class := withdrawalClasses[w.Status]
	if class == WithdrawalDone && w.To != 0 {
		class = WithdrawalInside
	}
	return Record{
		Kind: Payments, Account: w.Account, Asset: w.Asset, Time: w.Created, ID: number, Ref: number, Class: class, Tag: tagOf(w.Address),
		Payload: &Payment{Withdrawal: *w},
	}
}

// tagOf is a text from outside as a tag. PostgreSQL takes only what is UTF-8 without a zero in it; by another tag nothing is found.
func tagOf(text string) string {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return ""
	}
	return text
}
