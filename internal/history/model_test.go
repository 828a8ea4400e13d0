package history

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// model is a store in the simplest way that could be right.
type model struct {
	seq     uint64
	records []Record
}

func (m *model) write(seq uint64, records []Record) {
	for _, r := range records {
		if r.Seq > m.seq {
			m.records = append(m.records, r)
		}
	}
	m.seq = max(m.seq, seq)
}

func (m *model) page(q *Query) []Record {
	var page []Record
	for _, r := range m.records {
		if r.Kind == q.Kind && r.Account == q.Account &&
			(q.Market == 0 || r.Market == q.Market) &&
			(len(q.Classes) == 0 || slices.Contains(q.Classes, r.Class)) &&
			(q.Ref == 0 || r.Ref == q.Ref) &&
			(q.Ref != 0 || q.Tag == "" || r.Tag == q.Tag) &&
			(q.From == 0 || r.Time >= q.From) && (q.To == 0 || r.Time <= q.To) {
			page = append(page, r)
		}
	}
	slices.SortFunc(page, func(a, b Record) int {
		return -cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Ref, b.Ref))
	})
	page = page[min(q.Offset, len(page)):]
	return page[:min(q.Limit, len(page))]
}

func (m *model) prune(before schema.Time) int {
	all := len(m.records)
	m.records = slices.DeleteFunc(m.records, func(r Record) bool { return r.Time < before && r.Kind != Acts })
	return all - len(m.records)
}

// drawer makes up records of a small world, so that filters often meet.
type drawer struct {
	now schema.Time
	id  uint64
}

func (d *drawer) records(t *rapid.T, seq uint64) []Record {
	var list []Record
	for range rapid.IntRange(0, 12).Draw(t, "records") {
		d.now += schema.Time(rapid.IntRange(0, 2).Draw(t, "pause"))
		d.id++
		list = append(list, d.record(t, seq))
		if last := list[len(list)-1]; last.Kind == Deals && rapid.IntRange(0, 3).Draw(t, "self-trade") == 0 {
			// The other side of the deal, by the same account.
			deal := *last.Payload.(*Deal)
			deal.Order, deal.Counter, deal.Role = deal.Counter, deal.Order, Maker
			last.Ref, last.Payload = uint64(deal.Order), &deal
			list = append(list, last)
		}
	}
	return list
}

func (d *drawer) record(t *rapid.T, seq uint64) Record {
	kind := Kind(rapid.IntRange(int(Orders), int(Acts)).Draw(t, "kind"))
	r := Record{
		Kind: kind, Account: drawAccount(t), Time: d.now, ID: d.id, Seq: seq,
		Class: rapid.SampledFrom(kinds[kind].classes).Draw(t, "class"),
	}
	number := fixed.FromInt(int64(d.id))
	if kind == Transfers {
		r.Payload = &schema.Transferred{ID: schema.TransferID(r.ID), Transfer: schema.Transfer{
			Account: r.Account, Asset: 3, Amount: number, From: schema.Wallet(r.Class >> 4), To: schema.Wallet(r.Class & 15),
		}}
		return r
	}
	if kind == Acts {
		r.Tag = drawTag(t)
		r.Payload = &schema.AuditRecord{Operator: r.Tag, Made: r.ID, Command: &schema.SetIndex{Market: 1, Price: number}}
		return r
	}
	r.Market, r.Ref, r.Tag = drawMarket(t), drawRef(t), drawTag(t)
	client, err := schema.ParseClientID(r.Tag)
	if err != nil {
		t.Fatal(err)
	}
	order := schema.Order{
		ID: schema.OrderID(r.ID), Account: r.Account, Market: r.Market, Type: schema.Limit, Side: schema.Sell, Status: schema.Canceled,
		Price: number, Amount: number.Neg(), PostOnly: true, Updated: r.Time, ClientID: client,
	}
	switch kind {
	case Orders:
		r.Payload = &order
	case Ended:
		r.Payload = &schema.OrderChanged{Change: schema.Closed, Cause: schema.ByDelisting, Order: order}
	case Deals:
		r.Payload = &Deal{
			ID: schema.DealID(r.ID), Order: schema.OrderID(r.Ref), Counter: schema.OrderID(r.Ref + 100), Market: r.Market,
			Side: schema.Buy, Role: Taker, RPI: true, Price: number, Amount: number, Money: number, Fee: number.Neg(), ClientID: client,
		}
	}
	return r
}

func drawAccount(t *rapid.T) schema.AccountID {
	return rapid.SampledFrom([]schema.AccountID{0, 101, 102, 0xffffffff}).Draw(t, "account")
}

func drawMarket(t *rapid.T) schema.MarketID {
	return rapid.SampledFrom([]schema.MarketID{1, 2, 256, 0xffffffff}).Draw(t, "market")
}

func drawRef(t *rapid.T) uint64 {
	return rapid.SampledFrom([]uint64{1, 2, 255, 256, 1<<53 - 1}).Draw(t, "ref")
}

func drawTag(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "a", "ab", "b", "a-b", "A", "_"}).Draw(t, "tag")
}

func (d *drawer) query(t *rapid.T) *Query {
	maybe := func(what string) bool { return rapid.IntRange(0, 2).Draw(t, what) == 0 }
	q := &Query{
		Kind: Kind(rapid.IntRange(int(Orders), int(Acts)).Draw(t, "kind")), Account: drawAccount(t),
		Offset: rapid.IntRange(0, 12).Draw(t, "offset"), Limit: rapid.SampledFrom([]int{0, 1, 2, 5, 500, 5000}).Draw(t, "limit"),
	}
	if maybe("offset 0") {
		q.Offset = 0
	}
	if maybe("by market") {
		q.Market = drawMarket(t)
	}
	if maybe("by class") {
		choice := append([]Class{0, Filled}, kinds[q.Kind].classes...)
		q.Classes = rapid.SliceOfN(rapid.SampledFrom(choice), 1, 5).Draw(t, "classes")
	}
	if maybe("by ref") {
		q.Ref = drawRef(t)
	}
	if maybe("by tag") {
		q.Tag = drawTag(t)
	}
	if maybe("from") {
		q.From = schema.Time(rapid.IntRange(1, int(d.now)+1).Draw(t, "first"))
	}
	if maybe("to") {
		q.To = schema.Time(rapid.IntRange(1, int(d.now)+1).Draw(t, "last"))
	}
	return q
}

// same compares pages with their payloads.
func same(got, want []Record) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d records instead of %d", len(got), len(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			return fmt.Errorf("record %d is %+v instead of %+v", i, got[i], want[i])
		}
	}
	return nil
}

// live lets a store and the model live through the same.
func live(t *rapid.T, store Store) {
	ctx := context.Background()
	d, m := &drawer{now: 1000}, &model{}
	var log [][]Record // by batch
	t.Repeat(map[string]func(*rapid.T){
		"write": func(t *rapid.T) {
			// A writer continues from where the store is, or was some time ago.
			first := m.seq - uint64(rapid.IntRange(0, int(min(m.seq, 3))).Draw(t, "again"))
			seq := max(first, m.seq) + uint64(rapid.IntRange(0, 3).Draw(t, "batches"))
			for uint64(len(log)) < seq {
				log = append(log, d.records(t, uint64(len(log)+1)))
			}
			records := slices.Concat(log[first:seq]...)
			if err := store.Write(ctx, seq, records); err != nil {
				t.Fatal(err)
			}
			m.write(seq, records)
		},
		"page": func(t *rapid.T) {
			q := d.query(t)
			got, err := store.Page(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			if err := same(got, m.page(q)); err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
		},
		"prune": func(t *rapid.T) {
			if rapid.IntRange(0, 4).Draw(t, "really") != 0 {
				return
			}
			before := d.now - schema.Time(rapid.IntRange(0, 60).Draw(t, "kept"))
			got, err := store.Prune(ctx, before)
			if want := m.prune(before); err != nil || got != want {
				t.Fatalf("%d records were removed instead of %d, %v", got, want, err)
			}
		},
		"": func(t *rapid.T) {
			if seq, err := store.Seq(ctx); err != nil || seq != m.seq {
				t.Fatalf("the store is at %d instead of %d, %v", seq, m.seq, err)
			}
		},
	})
}

func TestPebbleIsLikeTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store, err := openPebbleOn(vfs.NewMem(), "history", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		live(t, store)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestPostgresIsLikeTheModel(t *testing.T) {
	url := database(t)
	store := openPostgres(t, url)
	defer store.Close()
	conn := connect(t, url)
	lives(t, 20)
	rapid.Check(t, func(t *rapid.T) {
		if _, err := conn.Exec(context.Background(), "TRUNCATE records; UPDATE progress SET seq = 0"); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Seq(context.Background()); err != nil {
			t.Fatal(err)
		}
		live(t, store)
	})
}

// lives bounds how many checks a property gets within a test, for those that ask a server.
func lives(t *testing.T, checks int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	if n, err := strconv.Atoi(before); err == nil && n <= checks {
		return
	}
	if err := f.Value.Set(strconv.Itoa(checks)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Value.Set(before) })
}
