package history

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// payment is a state of a payment of the busiest account.
func payment(id uint64, at schema.Time, asset schema.AssetID, seq uint64, class Class, unique string) Record {
	return Record{
		Kind: Payments, Account: FillBusy, Asset: asset, Time: at, ID: id, Ref: id, Seq: seq, Class: class, Tag: unique,
		Payload: &Payment{Deposit: schema.ChainDeposit{Height: seq, Asset: asset, Amount: fixed.FromInt(int64(id))}},
	}
}

// states tells a page in words.
func states(t *testing.T, store Store, q Query) string {
	t.Helper()
	q.Kind, q.Account, q.Limit = Payments, FillBusy, 100
	page, err := store.Page(t.Context(), &q)
	if err != nil {
		t.Fatal(err)
	}
	count, err := store.Count(t.Context(), &q)
	if err != nil || count != len(page) {
		t.Errorf("%+v: %d are counted and %d are there, %v", q, count, len(page), err)
	}
	var list []string
	for _, r := range page {
		if of := r.Payload.(*Payment).Deposit.Height; of != r.Seq {
			t.Errorf("payment %d of batch %d has the payload of batch %d", r.ID, r.Seq, of)
		}
		list = append(list, fmt.Sprintf("%d:%d", r.ID, r.Class))
	}
	return strings.Join(list, " ")
}

// A payment stands where it began, in its last state, and is found by nothing that it no longer is.
func TestChangedRecordsAreThereOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		store := openStore()
		defer func() { closeStore(t, store) }()
		write := func(seq uint64, records ...Record) {
			t.Helper()
			if err := store.Write(t.Context(), seq, records); err != nil {
				t.Fatal(err)
			}
		}
		tells := func(want string, q Query) {
			t.Helper()
			if got := states(t, store, q); got != want {
				t.Errorf("%+v: got %q instead of %q", q, got, want)
			}
		}
		first := []Record{
			payment(1, 10, 1, 1, DepositPending, ""),
			payment(2, 20, 2, 1, DepositFrozen, "rent"),
			payment(3, 30, 1, 1, DepositPending, ""),
		}
		write(1, first...)
		tells("3:15 2:18 1:15", Query{})
		second := []Record{
			payment(1, 10, 1, 2, DepositCredited, ""),
			payment(2, 20, 2, 3, DepositFrozen, "rent"), // nothing but its payload changed
			payment(4, 40, 2, 3, DepositPending, ""),
			payment(4, 40, 2, 3, DepositCredited, ""),
		}
		write(3, second...)
		check := func() {
			t.Helper()
			tells("4:16 3:15 2:18 1:16", Query{})
			tells("3:15", Query{Classes: []Class{DepositPending}})
			tells("4:16 1:16", Query{Classes: []Class{DepositCredited}})
			tells("3:15 1:16", Query{Asset: 1})
			tells("4:16", Query{Asset: 2, Classes: []Class{DepositCredited}})
			tells("", Query{Asset: 2, Classes: []Class{DepositPending}})
			tells("2:18", Query{Tag: "rent"})
			tells("", Query{Tag: "rent", Asset: 1})
			tells("2:18", Query{Tag: "rent", Asset: 2, Classes: []Class{DepositFrozen, DepositCanceled}})
			tells("1:16", Query{Ref: 1})
			tells("", Query{Ref: 1, Classes: []Class{DepositPending}})
		}
		check()
		// What is written again, by another node or after a crash, changes nothing.
		write(1, first...)
		write(3, append(first, second...)...)
		check()
		closeStore(t, store)
		store = openStore()
		check()

		// What is old goes by its beginning, and its counts with it; a change brings it back.
		if removed, err := store.Prune(t.Context(), 30); removed != 2 || err != nil {
			t.Errorf("%d were removed, %v", removed, err)
		}
		tells("4:16 3:15", Query{})
		tells("", Query{Tag: "rent"})
		tells("", Query{Ref: 2})
		write(4, payment(2, 20, 2, 4, DepositCanceled, "rent"), payment(3, 30, 1, 4, DepositCredited, ""))
		tells("4:16 3:16 2:19", Query{})
		tells("2:19", Query{Tag: "rent"})
		if removed, err := store.Prune(t.Context(), 100); removed != 3 || err != nil {
			t.Errorf("%d were removed, %v", removed, err)
		}
		tells("", Query{})
	})
}

// A total is read from counts that are kept, not counted from records.
func TestTotalsCostTheSameForManyRecords(t *testing.T) {
	store := openPebble(t, t.TempDir()).(*pebbleStore)
	defer closeStore(t, store)
	const many = 20_000
	var records []Record
	for id := range uint64(many) {
		records = append(records, payment(id, schema.Time(id), 1+schema.AssetID(id%2), 1, DepositCredited, "all"))
	}
	if err := store.Write(t.Context(), 1, records); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		query  Query
		want   int
		passed uint64
	}{
		{Query{}, many, 0},
		{Query{Asset: 2}, many / 2, 0},
		{Query{Classes: []Class{DepositCredited, DepositPending}}, many, 0},
		{Query{Classes: []Class{DepositPending}}, 0, 0},
		{Query{Tag: "all"}, MostCounted, MostCounted},
		{Query{Ref: 7}, 1, 1},
		{Query{From: 5, To: 14}, 10, 10},
		{Query{Asset: 2, From: 5, To: 14}, 5, 5},
		{Query{From: 5}, MostCounted, MostCounted},
		{Query{From: 14, To: 5}, 0, 0},
	} {
		q := tt.query
		q.Kind, q.Account = Payments, FillBusy
		before := store.passed.Load()
		if n, err := store.Count(t.Context(), &q); n != tt.want || err != nil {
			t.Errorf("%+v: %d instead of %d, %v", tt.query, n, tt.want, err)
		}
		if passed := store.passed.Load() - before; passed != tt.passed {
			t.Errorf("%+v: %d records were passed instead of %d", tt.query, passed, tt.passed)
		}
	}
}
