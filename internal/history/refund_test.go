package history

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestRecordsOfARefund: it is on its way until it is confirmed or canceled, and found by its deposit; it is no withdrawal.
func TestRecordsOfARefund(t *testing.T) {
	for status, want := range map[schema.WithdrawalStatus]Class{
		schema.WithdrawalReview: 29, schema.WithdrawalFrozen: 29, schema.WithdrawalQueued: 29, schema.WithdrawalSent: 29, schema.WithdrawalMined: 29,
		schema.WithdrawalPlanned: 29,
		schema.WithdrawalDone:    30, schema.WithdrawalCanceled: 31,
	} {
		w := schema.Withdrawal{ID: 3, Account: 101, Chain: 2, Asset: 7, Amount: fixed.One, Status: status, Created: 10, Changed: 20, Address: "bc1q", Refund: 12}
		r := refunded(&w)
		if err := r.check(); err != nil || r.Kind != Refunds || r.Account != 101 || r.ID != 3 || r.Time != 10 || r.Asset != 7 || r.Tag != "12" ||
			r.Class != want || *r.Payload.(*schema.Withdrawal) != w {
			t.Errorf("%v: %+v, %v", status, r, err)
		}
	}
}
