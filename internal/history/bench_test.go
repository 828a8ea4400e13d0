package history

import (
	"flag"
	"testing"
	"time"
)

var fillRows = flag.Int("history.rows", 1_000_000, "rows that benchmarks fill stores with")

func BenchmarkPebble(b *testing.B) { benchmarkStore(b, openPebble(b, b.TempDir())) }

func BenchmarkPostgres(b *testing.B) { benchmarkStore(b, openPostgres(b, database(b))) }

// benchmarkStore fills a store and turns pages of its busiest account.
func benchmarkStore(b *testing.B, store Store) {
	defer store.Close()
	began := time.Now()
	if err := Fill(b.Context(), store, *fillRows, nil); err != nil {
		b.Fatal(err)
	}
	b.Logf("%.0f rows/s", float64(*fillRows)/time.Since(began).Seconds())
	for _, page := range pages {
		for _, offset := range []int{0, 10_000} {
			q := page.query
			aim(b, store, &q, offset)
			name := page.name
			if offset > 0 {
				name += "/deep"
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if _, err := store.Page(b.Context(), &q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// pages are the filters of the API.
var pages = []struct {
	name  string
	query Query
}{
	{"orders", Query{Kind: Orders}},
	{"deals", Query{Kind: Deals}},
	{"market", Query{Kind: Orders, Market: 7}},
	{"deals of market", Query{Kind: Deals, Market: 7}},
	{"class", Query{Kind: Orders, Classes: []Class{PartlyFilled}}},
	{"classes", Query{Kind: Orders, Classes: []Class{Filled, Canceled}}},
	{"rare class", Query{Kind: Orders, Classes: []Class{Maintained}}},
	{"class of market", Query{Kind: Orders, Market: 7, Classes: []Class{Filled}}},
	{"order", Query{Kind: Orders, Ref: 1}},
	{"deals of order", Query{Kind: Deals, Ref: 1}},
	{"client order id", Query{Kind: Orders, Tag: "some"}},
	{"client order id of market", Query{Kind: Orders, Tag: "some", Market: 7}},
}

// aim lets a query by order or client order id ask for one that the busiest account has.
func aim(t testing.TB, store Store, q *Query, offset int) {
	t.Helper()
	q.Account, q.Limit, q.Offset = FillBusy, 50, offset
	page, err := store.Page(t.Context(), &Query{Kind: q.Kind, Account: FillBusy, Offset: 500, Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range page {
		if q.Ref != 0 {
			q.Ref = r.Ref
		}
		if q.Tag != "" && r.Tag != "" {
			q.Tag = r.Tag
			if q.Market != 0 {
				q.Market = r.Market
			}
		}
	}
}
