package history

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestConversionsAreInTheOrderOfTheirQuotes: one that was confirmed later than a newer one stands behind it all the same, and they are
// found by both assets, by number and by the moment of the quote.
func TestConversionsAreInTheOrderOfTheirQuotes(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		store := openStore()
		defer func() { closeStore(t, store) }()
		const quote = schema.QuoteLife
		of := func(id schema.ConversionID, from, to schema.AssetID, quoted, done schema.Time) Record {
			return converted(&schema.Conversion{
				ID: id, Account: 101, From: from, To: to, Give: fixed.One, Receive: fixed.FromInt(int64(id)), Path: []schema.Hop{{From: from, To: to, Rate: fixed.One}},
				Expires: quoted + quote, Done: done,
			})
		}
		for seq, r := range []Record{of(2, 7, 8, 20, 30), of(1, 7, 9, 10, 40), of(3, 8, 7, 50, 50)} {
			r.Seq = uint64(seq + 1)
			if err := r.check(); err != nil {
				t.Fatal(err)
			}
			for range 2 { // what is read again from the log is there once
				if err := store.Write(t.Context(), r.Seq, []Record{r}); err != nil {
					t.Fatal(err)
				}
			}
		}
		tell := func(want string, total int, q Query) {
			t.Helper()
			q.Kind, q.Account = Conversions, 101
			if q.Limit == 0 {
				q.Limit = 10
			}
			page, err := store.Page(t.Context(), &q)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, r := range page {
				c := r.Payload.(*schema.Conversion)
				got += fmt.Sprintf("%d at %d ", c.ID, r.Time)
				if c.Receive != fixed.FromInt(int64(c.ID)) || len(c.Path) != 1 {
					t.Errorf("the record is %+v", c)
				}
			}
			if got != want {
				t.Errorf("%+v: %q, want %q", q, got, want)
			}
			if n, err := store.Count(t.Context(), &q); n != total || err != nil {
				t.Errorf("%+v: %d in all, %v; want %d", q, n, err, total)
			}
		}
		tell("3 at 50 2 at 20 1 at 10 ", 3, Query{})
		tell("2 at 20 ", 3, Query{Offset: 1, Limit: 1})
		tell("2 at 20 1 at 10 ", 2, Query{Asset: 7})
		tell("1 at 10 ", 1, Query{Tag: Into(9)})
		tell("2 at 20 ", 1, Query{Asset: 7, Tag: Into(8)})
		tell("", 0, Query{Asset: 8, Tag: Into(8)})
		tell("2 at 20 1 at 10 ", 2, Query{From: 10, To: 20})
		tell("2 at 20 ", 1, Query{Asset: 7, From: 11})
		tell("2 at 20 ", 1, Query{Tag: Into(8), From: 11, To: 50})
		tell("", 0, Query{Tag: Into(8), From: 21})
		tell("1 at 10 ", 1, Query{Ref: 1})
		tell("", 0, Query{Ref: 4})
		if removed, err := store.Prune(t.Context(), 20); removed != 1 || err != nil {
			t.Errorf("%d were removed, %v", removed, err)
		}
		tell("3 at 50 2 at 20 ", 2, Query{})
	})
}
