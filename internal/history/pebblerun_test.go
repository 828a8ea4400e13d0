package history

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"bourse/internal/schema"
)

// busyOrders are orders of one account that end in a batch, most of them in one market.
func busyOrders(random *rand.Rand, now *schema.Time, id *uint64, seq uint64, n int) (list []Record) {
	for range n {
		*now += schema.Time(random.IntN(3))
		*id++
		// Ids do not ascend with the times at which orders end.
		r := fillRow(random, seq, 1)
		r.Account, r.Market, r.Time, r.ID, r.Ref = FillBusy, 1+schema.MarketID(random.IntN(4)/3), *now, *id^3, *id^3
		list = append(list, r)
	}
	return list
}

// Runs of any length, with moments that writes share, are read and removed as single keys would be.
func TestRunsAreLikeTheModel(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			store, err := openPebbleOn(vfs.NewMem(), "history", slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore(t, store)
			m := &model{}
			begin := schema.Time(start)
			if seed%2 == 1 { // soon another part of the time changes than that which is compared first
				begin = 1<<timeBits - 300
			}
			now, id := begin, uint64(4)
			for seq := uint64(1); seq <= 12; seq++ {
				records := busyOrders(random, &now, &id, seq, random.IntN(300))
				if err := store.Write(t.Context(), seq, records); err != nil {
					t.Fatal(err)
				}
				m.write(seq, records)
				if random.IntN(4) == 0 {
					before := begin + schema.Time(random.Int64N(int64(now-begin)+2))
					got, err := store.Prune(t.Context(), before)
					if want := m.prune(before); err != nil || got != want {
						t.Fatalf("%d records were removed instead of %d, %v", got, want, err)
					}
				}
				for range 20 {
					q := &Query{Kind: Orders, Account: FillBusy, Market: 1 + schema.MarketID(random.IntN(2)), Offset: random.IntN(150), Limit: random.IntN(150)}
					if random.IntN(2) == 0 {
						q.Classes = []Class{Filled, Canceled}[:1+random.IntN(2)]
					}
					if random.IntN(2) == 0 {
						q.From = begin + schema.Time(random.Int64N(int64(now-begin)+2))
					}
					if random.IntN(2) == 0 {
						q.To = begin + schema.Time(random.Int64N(int64(now-begin)+2))
					}
					got, err := store.Page(t.Context(), q)
					if err != nil {
						t.Fatalf("%+v: %v", q, err)
					}
					if err := same(got, m.page(q)); err != nil {
						t.Fatalf("after write %d: %+v: %v", seq, q, err)
					}
				}
			}
		})
	}
}

// An account that does much in a write has few keys in the index of markets.
func TestRunsSaveKeys(t *testing.T) {
	store, err := openPebbleOn(vfs.NewMem(), "history", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, store)
	var records []Record
	for id := uint64(1); id <= 2+2*runLength; id++ {
		o := &schema.Order{ID: schema.OrderID(id), Status: schema.Filled}
		records = append(records, Record{Kind: Orders, Account: FillBusy, Market: 1, Class: Filled, Time: schema.Time(id), ID: id, Ref: id, Seq: 1, Payload: o})
	}
	if err := store.Write(t.Context(), 1, records); err != nil {
		t.Fatal(err)
	}
	keys := map[byte]int{}
	for _, key := range allKeys(t, store) {
		keys[key[0]]++
	}
	// The first and the last moment have keys of their own.
	if keys[marketSpace] != 4 || keys[classSpace] != len(records) || keys[idSpace] != len(records) {
		t.Errorf("%d orders have %d keys in the index of markets, %d by id and %d of their own",
			len(records), keys[marketSpace], keys[idSpace], keys[classSpace])
	}
}

// Records whose time lies before that of their command come in any order, and pages have them by their time.
func TestDatedRecordsBetweenOthers(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		store := openStore()
		defer closeStore(t, store)
		for i, times := range [][]schema.Time{{10, 20, 30, 40, 50}, {25, 5, 60, 45, 35}, {41, 22}} {
			var records []Record
			for _, at := range times {
				records = append(records, Record{
					Kind: Settlements, Market: 1, Time: at, ID: 1, Seq: uint64(i + 1), Payload: &schema.FundingSettled{Market: 1, At: at},
				})
			}
			if err := store.Write(t.Context(), uint64(i+1), records); err != nil {
				t.Fatal(err)
			}
		}
		page, err := store.Page(t.Context(), &Query{Kind: Settlements, Market: 1, From: 6, To: 45, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		var got []schema.Time
		for _, r := range page {
			got = append(got, r.Time)
		}
		if want := []schema.Time{45, 41, 40, 35, 30, 25, 22, 20, 10}; !slices.Equal(got, want) {
			t.Errorf("the page has %d instead of %d", got, want)
		}
	})
}
