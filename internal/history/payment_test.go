package history

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestRecordsOfADeposit: its account has one, in the state that it is in, and what came to nobody's address stays that of account 0.
func TestRecordsOfADeposit(t *testing.T) {
	for _, tt := range []struct {
		status  schema.DepositStatus
		account schema.AccountID
		index   schema.AddressIndex
		want    []string
	}{
		{schema.DepositConfirming, 101, 4, []string{"101: 15"}},
		{schema.DepositHeld, 101, 4, []string{"101: 15"}},
		{schema.DepositCredited, 101, 4, []string{"101: 16"}},
		{schema.DepositUncredited, 101, 4, []string{"101: 17"}},
		{schema.DepositFrozen, 101, 4, []string{"101: 18"}},
		{schema.DepositCanceled, 101, 4, []string{"101: 19"}},
		{schema.DepositLost, 101, 4, []string{"101: 20"}},
		{schema.DepositTravel, 101, 4, []string{"101: 37"}},
		{schema.DepositReview, 101, 4, []string{"101: 38"}},
		{schema.DepositUncredited, 0, 0, []string{"0: 17"}},
		{schema.DepositCredited, 102, 0, []string{"102: 16", "0: 16"}},
	} {
		d := schema.ChainDeposit{
			ID: 3, Account: tt.account, Chain: 2, Asset: 7, Amount: fixed.One, Status: tt.status, Created: 10, Changed: 20, Index: tt.index, Address: "bc1q",
		}
		var got []string
		for _, r := range appendDeposit(nil, &d) {
			got = append(got, fmt.Sprintf("%d: %d", r.Account, r.Class))
			if err := r.check(); err != nil || r.Kind != Payments || r.ID != 6 || r.Time != 10 || r.Asset != 7 || r.Tag != "bc1q" || r.Payload.(*Payment).Deposit != d {
				t.Errorf("%+v, %v", r, err)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v of %d: %q, want %q", tt.status, tt.account, got, tt.want)
		}
	}
}

// TestRecordsOfADepositFromACustomer: it is the receiver's alone, though it has no address of a block.
func TestRecordsOfADepositFromACustomer(t *testing.T) {
	d := schema.ChainDeposit{ID: 3, Account: 102, Asset: 7, Amount: fixed.One, Status: schema.DepositCredited, Created: 10, Address: "bc1q", From: 101}
	all := appendDeposit(nil, &d)
	if len(all) != 1 || all[0].Account != 102 || all[0].Class != DepositInside || all[0].ID != 6 || all[0].check() != nil {
		t.Errorf("%+v", all)
	}
}

// TestRecordsOfAWithdrawal: one of the account that it leaves, in the state that it is in; the receiver has a deposit.
func TestRecordsOfAWithdrawal(t *testing.T) {
	for _, tt := range []struct {
		status schema.WithdrawalStatus
		to     schema.AccountID
		want   Class
	}{
		{schema.WithdrawalReview, 0, 22},
		{schema.WithdrawalFrozen, 0, 23},
		{schema.WithdrawalQueued, 0, 24},
		{schema.WithdrawalSent, 0, 25},
		{schema.WithdrawalMined, 0, 25},
		{schema.WithdrawalDone, 0, 26},
		{schema.WithdrawalDone, 102, 27},
		{schema.WithdrawalQueued, 102, 24},
		{schema.WithdrawalCanceled, 102, 28},
		{schema.WithdrawalPlanned, 0, 40},
		{schema.WithdrawalPartial, 0, 39},
	} {
		w := schema.Withdrawal{
			ID: 3, Account: 101, Chain: 2, Asset: 7, Amount: fixed.One, Status: tt.status, To: tt.to, Created: 10, Changed: 20, Address: "bc1q", Unique: "rent",
		}
		r := withdrawn(&w)
		if err := r.check(); err != nil || r.Kind != Payments || r.Account != 101 || r.ID != 7 || r.Time != 10 || r.Asset != 7 || r.Tag != "bc1q" ||
			r.Class != tt.want || r.Payload.(*Payment).Withdrawal != w {
			t.Errorf("%v to %d: %+v, %v", tt.status, tt.to, r, err)
		}
	}
}

// TestAnyAddressIsKept: what a chain says an address is must not stop the history of all, whatever it is.
func TestAnyAddressIsKept(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		store := openStore()
		defer func() { closeStore(t, store) }()
		texts := []string{"bc1q", "a\x00b", "a\xffb", "é", ""}
		for i, text := range texts {
			records := appendDeposit(nil, &schema.ChainDeposit{
				ID: schema.DepositID(i + 1), Account: 101, Asset: 7, Created: 10, Status: schema.DepositCredited, Index: 1, Address: text, Memo: text,
			})
			records[0].Seq = uint64(i + 1)
			if err := store.Write(t.Context(), uint64(i+1), records); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		page, err := store.Page(t.Context(), &Query{Kind: Payments, Account: 101, Limit: 10})
		if err != nil || len(page) != len(texts) {
			t.Fatalf("%d records, %v", len(page), err)
		}
		for i := range page {
			d, want := &page[i].Payload.(*Payment).Deposit, texts[len(texts)-1-i]
			if d.Address != want || d.Memo != want {
				t.Errorf("%q came back as %q and %q", want, d.Address, d.Memo)
			}
		}
		for text, want := range map[string]int{"bc1q": 1, "é": 1, "b": 0, "a\x00b": 0, "a\xffb": 0} {
			page, err := store.Page(t.Context(), &Query{Kind: Payments, Account: 101, Tag: text, Limit: 10})
			if err != nil || len(page) != want {
				t.Errorf("%d at %q, %v", len(page), text, err)
			}
			if n, err := store.Count(t.Context(), &Query{Kind: Payments, Account: 101, Tag: text}); n != want || err != nil {
				t.Errorf("%d at %q, %v", n, text, err)
			}
		}
	})
}
