package history

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// States of payments in these tests.
const (
	depositPending Class = 0x11
	depositDone    Class = 0x12
	payoutPending  Class = 0x21
	payoutCanceled Class = 0x23
)

// payment is a state of a payment of the busiest account.
func payment(id uint64, at schema.Time, asset schema.AssetID, seq uint64, class Class, unique string) Record {
	return Record{
		Kind: payments, Account: FillBusy, Asset: asset, Time: at, ID: id, Ref: id, Seq: seq, Class: class, Tag: unique,
		Payload: &schema.Transferred{ID: schema.TransferID(seq), Transfer: schema.Transfer{Asset: asset, Amount: fixed.FromInt(int64(id))}},
	}
}

// states tells a page in words.
func states(t *testing.T, store Store, q Query) string {
	t.Helper()
	q.Kind, q.Account, q.Limit = payments, FillBusy, 100
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
		if r.Payload.(*schema.Transferred).ID != schema.TransferID(r.Seq) {
			t.Errorf("payment %d of batch %d has the payload of batch %d", r.ID, r.Seq, r.Payload.(*schema.Transferred).ID)
		}
		list = append(list, fmt.Sprintf("%d:%x", r.ID, int(r.Class)))
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
			payment(1, 10, 1, 1, depositPending, ""),
			payment(2, 20, 2, 1, payoutPending, "rent"),
			payment(3, 30, 1, 1, depositPending, ""),
		}
		write(1, first...)
		tells("3:11 2:21 1:11", Query{})
		second := []Record{
			payment(1, 10, 1, 2, depositDone, ""),
			payment(2, 20, 2, 3, payoutPending, "rent"), // nothing but its payload changed
			payment(4, 40, 2, 3, depositPending, ""),
			payment(4, 40, 2, 3, depositDone, ""),
		}
		write(3, second...)
		check := func() {
			t.Helper()
			tells("4:12 3:11 2:21 1:12", Query{})
			tells("3:11", Query{Classes: []Class{depositPending}})
			tells("4:12 1:12", Query{Classes: []Class{depositDone}})
			tells("3:11 1:12", Query{Asset: 1})
			tells("4:12", Query{Asset: 2, Classes: []Class{depositDone}})
			tells("", Query{Asset: 2, Classes: []Class{depositPending}})
			tells("2:21", Query{Tag: "rent"})
			tells("", Query{Tag: "rent", Asset: 1})
			tells("2:21", Query{Tag: "rent", Asset: 2, Classes: []Class{payoutPending, payoutCanceled}})
			tells("1:12", Query{Ref: 1})
			tells("", Query{Ref: 1, Classes: []Class{depositPending}})
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
		tells("4:12 3:11", Query{})
		tells("", Query{Tag: "rent"})
		tells("", Query{Ref: 2})
		write(4, payment(2, 20, 2, 4, payoutCanceled, "rent"), payment(3, 30, 1, 4, depositDone, ""))
		tells("4:12 3:12 2:23", Query{})
		tells("2:23", Query{Tag: "rent"})
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
		records = append(records, payment(id, schema.Time(id), 1+schema.AssetID(id%2), 1, depositDone, "all"))
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
		{Query{Classes: []Class{depositDone, depositPending}}, many, 0},
		{Query{Classes: []Class{depositPending}}, 0, 0},
		{Query{Tag: "all"}, MostCounted, MostCounted},
		{Query{Ref: 7}, 1, 1},
	} {
		q := tt.query
		q.Kind, q.Account = payments, FillBusy
		before := store.passed.Load()
		if n, err := store.Count(t.Context(), &q); n != tt.want || err != nil {
			t.Errorf("%+v: %d instead of %d, %v", tt.query, n, tt.want, err)
		}
		if passed := store.passed.Load() - before; passed != tt.passed {
			t.Errorf("%+v: %d records were passed instead of %d", tt.query, passed, tt.passed)
		}
	}
}
