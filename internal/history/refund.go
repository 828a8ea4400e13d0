package history

import (
	"strconv"

	"bourse/internal/schema"
)

// refunded is the state of a refund for the account whose deposit is sent back. It is found by the number of the deposit, as a tag.
func refunded(w *schema.Withdrawal) Record {
	class := RefundPending
	switch w.Status {
	case schema.WithdrawalDone:
		class = RefundDone
	case schema.WithdrawalCanceled:
		class = RefundCanceled
	}
	return Record{
		Kind: Refunds, Account: w.Account, Asset: w.Asset, Time: w.Created, ID: uint64(w.ID), Ref: uint64(w.ID), Class: class,
		Tag: RefundOf(w.Refund), Payload: w,
	}
}

// RefundOf is the tag of refunds of a deposit.
func RefundOf(id schema.DepositID) string { return strconv.FormatUint(uint64(id), 10) }
