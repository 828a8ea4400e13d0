package history

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestRecordsOfACode: its creator has one in the state that the code is in, and who got its money another, with a number of its own.
func TestRecordsOfACode(t *testing.T) {
	code := schema.Code{ID: 3, Account: 101, Asset: 7, Amount: fixed.One, Created: 10}
	for _, tt := range []struct {
		status   schema.CodeStatus
		redeemer schema.AccountID
		want     []string
	}{
		{schema.CodeActive, 0, []string{"101 at 10, number 6, class 11"}},
		{schema.CodeApplied, 102, []string{"101 at 10, number 6, class 12", "102 at 10, number 7, class 14"}},
		{schema.CodeReturned, 0, []string{"101 at 10, number 6, class 13", "101 at 10, number 7, class 14"}},
	} {
		c := code
		if c.Status, c.Redeemer = tt.status, tt.redeemer; c.Status != schema.CodeActive {
			c.Ended = 10 // at once
		}
		var got []string
		for _, r := range appendCode(nil, &c) {
			got = append(got, fmt.Sprintf("%d at %d, number %d, class %d", r.Account, r.Time, r.ID, r.Class))
			if err := r.check(); err != nil || r.Asset != 7 || r.Payload != &c {
				t.Errorf("%+v, %v", r, err)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.status, got, tt.want)
		}
	}
}

// TestACodeIsThereOnce: its creator has it in its last state only, however many batches that takes.
func TestACodeIsThereOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		store := openStore()
		defer func() { closeStore(t, store) }()
		code := schema.Code{ID: 3, Account: 101, Asset: 7, Amount: fixed.One, Created: 10, Status: schema.CodeActive}
		write := func(seq uint64, c schema.Code) {
			t.Helper()
			records := appendCode(nil, &c)
			for i := range records {
				records[i].Seq = seq
			}
			if err := store.Write(t.Context(), seq, records); err != nil {
				t.Fatal(err)
			}
		}
		write(1, code)
		code.Status, code.Ended = schema.CodeReturned, 20
		write(2, code)
		for _, tt := range []struct {
			query Query
			want  string
		}{
			{Query{}, "[20:14 10:13]"},
			{Query{Classes: Created}, "[10:13]"},
			{Query{Classes: []Class{CodeActive}}, "[]"},
			{Query{Asset: 7}, "[20:14 10:13]"},
		} {
			q := tt.query
			q.Kind, q.Account, q.Limit = Codes, 101, 10
			page, err := store.Page(t.Context(), &q)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, r := range page {
				got = append(got, fmt.Sprintf("%d:%d", r.Time, r.Class))
			}
			if fmt.Sprint(got) != tt.want {
				t.Errorf("%+v: %v, want %s", tt.query, got, tt.want)
			}
			if count, err := store.Count(t.Context(), &q); err != nil || count != len(page) {
				t.Errorf("%+v: counted %d of %d, %v", tt.query, count, len(page), err)
			}
		}
	})
}

// TestWhatPeopleWriteIsKept: a customer may write anything into a description, and it must not stop the history of all.
func TestWhatPeopleWriteIsKept(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		store := openStore()
		defer func() { closeStore(t, store) }()
		texts := []string{"a\x00b", "\x00", "a\xffb", "\xed\xa0\x80", "é😀\n\x7f\u2028", `\u0000"`}
		for i, text := range texts {
			records := appendCode(nil, &schema.Code{ID: schema.CodeID(i + 1), Account: 101, Asset: 7, Created: 10, Status: schema.CodeActive, Description: text})
			records[0].Seq = uint64(i + 1)
			if err := store.Write(t.Context(), uint64(i+1), records); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		page, err := store.Page(t.Context(), &Query{Kind: Codes, Account: 101, Limit: 10})
		if err != nil || len(page) != len(texts) {
			t.Fatalf("%d records, %v", len(page), err)
		}
		for i := range page {
			if got, want := page[i].Payload.(*schema.Code).Description, texts[len(texts)-1-i]; got != want {
				t.Errorf("%q came back as %q", want, got)
			}
		}
	})
}

// TestWhatChangesIsFoundByID: that is how a store finds the state that it replaces.
func TestWhatChangesIsFoundByID(t *testing.T) {
	for k := range kinds {
		if kinds[k].changes && !Kind(k).foundBy(byID) {
			t.Errorf("%s change and are not found by their id", kinds[k].name)
		}
	}
}
