package history

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// model is a store in the simplest way that could be right.
type model struct {
	seq     uint64
	records []Record
}

func (m *model) write(seq uint64, records []Record) {
	for _, r := range records {
		if r.Seq <= m.seq {
			continue
		}
		if kinds[r.Kind].changes {
			m.records = slices.DeleteFunc(m.records, func(o Record) bool {
				return o.Kind == r.Kind && o.Account == r.Account && o.ID == r.ID
			})
		}
		m.records = append(m.records, r)
	}
	m.seq = max(m.seq, seq)
}

// chosen are all records that the filters of a query choose.
func (m *model) chosen(q *Query) (list []*Record) {
	for i := range m.records {
		r := &m.records[i]
		if r.Kind == q.Kind && r.Account == q.Account &&
			(q.Market == 0 || r.Market == q.Market) &&
			(q.Asset == 0 || r.Asset == q.Asset) &&
			(len(q.Classes) == 0 || slices.Contains(q.Classes, r.Class)) &&
			(q.Ref == 0 || r.Ref == q.Ref) &&
			(q.Ref != 0 || q.Tag == "" || r.Tag == q.Tag) &&
			(q.From == 0 || r.Time >= q.From) && (q.To == 0 || r.Time <= q.To) {
			list = append(list, r)
		}
	}
	return list
}

func (m *model) page(q *Query) (page []Record) {
	all := m.chosen(q)
	slices.SortFunc(all, func(a, b *Record) int {
		return -cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Ref, b.Ref))
	})
	all = all[min(q.Offset, len(all)):]
	for _, r := range all[:min(q.Limit, len(all))] {
		page = append(page, *r)
	}
	return page
}

func (m *model) prune(before schema.Time) int {
	all := len(m.records)
	m.records = slices.DeleteFunc(m.records, func(r Record) bool { return r.Time < before && r.Kind != Acts })
	return all - len(m.records)
}

// drawer makes up records of a small world, so that filters often meet.
type drawer struct {
	now      schema.Time
	id       uint64
	changing map[Kind][]change
}

// change is the last state of a record that changes, and how many there were.
type change struct {
	Record
	count uint64
}

func (d *drawer) records(t *rapid.T, seq uint64) []Record {
	var list []Record
	for range rapid.IntRange(0, 30).Draw(t, "records") {
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
	kind := drawKind(t)
	if kind >= Payments && kind <= Checks || kind == Rewards {
		return d.change(t, kind, seq)
	}
	r := Record{
		Kind: kind, Account: drawAccount(t), Time: d.now, ID: d.id, Seq: seq,
		Class: rapid.SampledFrom(kinds[kind].classes).Draw(t, "class"),
	}
	number := fixed.FromInt(int64(d.id))
	if kind == Transfers {
		r.Asset = drawAsset(t)
		r.Payload = &schema.Transferred{ID: schema.TransferID(r.ID), Transfer: schema.Transfer{
			Account: r.Account, Asset: r.Asset, Amount: number, From: schema.Wallet(r.Class >> 4), To: schema.Wallet(r.Class & 15),
		}}
		return r
	}
	if kind == Faucet {
		r.Asset = drawAsset(t)
		r.Payload = &schema.FaucetTaken{Taken: schema.TakeFaucet{Account: r.Account, Asset: r.Asset, Amount: number}}
		return r
	}
	if kind == Conversions {
		r.Asset, r.Ref, r.Tag, r.Time = drawAsset(t), r.ID, drawTag(t), r.Time-schema.Time(rapid.IntRange(0, 20).Draw(t, "before"))
		r.Payload = &schema.Conversion{ID: schema.ConversionID(r.ID), Account: r.Account, From: r.Asset, Give: number, Path: []schema.Hop{{From: r.Asset, Rate: number}}}
		return r
	}
	if kind == Codes {
		r.Asset, r.Ref, r.Time = drawAsset(t), r.ID, r.Time-schema.Time(rapid.IntRange(0, 20).Draw(t, "before"))
		r.Payload = &schema.Code{ID: schema.CodeID(r.ID), Account: r.Account, Asset: r.Asset, Amount: number, Created: r.Time, Sealed: []byte{1, 0, 255}}
		return r
	}
	if kind >= Positions && kind <= Settlements {
		return d.margin(t, r, number)
	}
	if kind >= Measured {
		return d.mined(t, r)
	}
	if kind == Acts {
		r.Tag = drawTag(t)
		r.Payload = &schema.AuditRecord{Operator: r.Tag, Made: r.ID, Command: &schema.SetIndex{Market: 1, Price: number}}
		return r
	}
	r.Market, r.Ref, r.Tag = drawMarket(t), drawRef(t), drawTag(t)
	if kind == Orders {
		r.Ref = r.ID
	}
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

// mined is a record of what miners brought, or of a block.
func (d *drawer) mined(t *rapid.T, r Record) Record {
	if kinds[r.Kind].dated {
		r.Time -= schema.Time(rapid.IntRange(0, 20).Draw(t, "before"))
	}
	switch r.Kind {
	case Measured:
		r.Tag, r.Payload = drawTag(t), &schema.MiningMeasured{Mining: 3, Account: r.Account, Time: r.Time, Work: r.ID}
	case PoolMeasured:
		r.Payload = &schema.MiningMeasured{Time: r.Time, Work: r.ID}
	case WorkerShares:
		r.Ref, r.Tag, r.Payload = drawRef(t), drawTag(t), &schema.WorkerShares{Mining: 3, Worker: "rig", Time: r.Time, Work: r.ID}
	case Blocks:
		r.Tag, r.Payload = drawTag(t), &schema.PoolBlock{Mining: 3, Worker: "rig", Height: r.ID, Hash: schema.Digest{255, 1}, Time: r.Time}
	}
	return r
}

// margin is a record of trading from collateral. Those that are dated may be about any moment before.
func (d *drawer) margin(t *rapid.T, r Record, number fixed.Decimal) Record {
	if kinds[r.Kind].dated {
		r.Time -= schema.Time(rapid.IntRange(0, 20).Draw(t, "before"))
	}
	if r.Kind == Loans {
		e := &schema.LoanChanged{Account: r.Account, Asset: drawAsset(t), Principal: number, Opened: r.Time, Liquidated: r.Class == Liquidated}
		r.Asset, r.ID, r.Payload = e.Asset, loanNumber(e), e
		r.Ref = r.ID
		return r
	}
	r.Market = drawMarket(t)
	changed := schema.PositionChanged{
		Position: schema.Position{ID: schema.PositionID(r.ID), Account: r.Account, Market: r.Market, Side: schema.ShortSide, Amount: number.Neg(), Opened: 7},
		Cause:    schema.ByFunding, Price: number, Amount: number.Neg(), Funding: number, Settled: r.Time,
	}
	switch r.Kind {
	case Positions:
		r.Ref, r.Payload = drawRef(t), &changed
	case Closed:
		r.Payload = &ClosedPosition{Position: changed.Position, Received: number}
	case Fundings:
		r.Payload = &changed
	case Settlements:
		r.Payload = &schema.FundingSettled{Market: r.Market, Rate: number.Neg(), Mark: number, At: r.Time, Since: 3}
	}
	return r
}

// change begins a payment, a refund, a check or a reward, or changes one; its payload says how often it changed.
func (d *drawer) change(t *rapid.T, kind Kind, seq uint64) Record {
	r := Record{Kind: kind, Account: drawAccount(t), Asset: drawAsset(t), Time: d.now, ID: d.id, Ref: d.id, Tag: drawTag(t)}
	list := d.changing[kind]
	at := len(list)
	if at > 0 && rapid.IntRange(0, 2).Draw(t, "change") > 0 {
		at = rapid.IntRange(0, at-1).Draw(t, "record")
		r = list[at].Record
	} else {
		list = append(list, change{})
	}
	changes := list[at].count + 1
	r.Seq, r.Class = seq, rapid.SampledFrom(kinds[kind].classes).Draw(t, "class")
	switch kind {
	case Payments:
		r.Payload = &Payment{Deposit: schema.ChainDeposit{Height: changes, Asset: r.Asset, Amount: fixed.FromInt(int64(r.ID))}}
	case Refunds:
		r.Payload = &schema.Withdrawal{Height: changes, Asset: r.Asset, Amount: fixed.FromInt(int64(r.ID))}
	case Checks:
		r.Payload = &schema.Check{ID: schema.CheckID(r.ID), Asset: r.Asset, Checked: schema.Time(changes)}
	case Rewards:
		r.Payload = &schema.Reward{ID: schema.RewardID(r.ID), Asset: r.Asset, Paid: schema.Time(changes)}
	}
	list[at] = change{r, changes}
	d.changing[kind] = list
	return r
}

// drawn are the kinds that are tried.
var drawn = func() (all []Kind) {
	for k := Orders; k <= Blocks; k++ {
		if k != SubMoves && k != Notices && k != Investments && k != Earnings {
			all = append(all, k)
		}
	}
	return all
}()

func drawKind(t *rapid.T) Kind {
	return rapid.SampledFrom(drawn).Draw(t, "kind")
}

func drawAsset(t *rapid.T) schema.AssetID {
	return rapid.SampledFrom([]schema.AssetID{1, 2, 256, 0xffffffff}).Draw(t, "asset")
}

func drawAccount(t *rapid.T) schema.AccountID {
	return rapid.SampledFrom([]schema.AccountID{0, 101, 101, 101, 101, 102, 0xffffffff}).Draw(t, "account")
}

func drawMarket(t *rapid.T) schema.MarketID {
	return rapid.SampledFrom([]schema.MarketID{1, 1, 1, 2, 256, 0xffffffff}).Draw(t, "market")
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
		Kind: drawKind(t), Account: drawAccount(t),
		Offset: rapid.SampledFrom([]int{0, 0, 1, 2, 3, 5, 8, 12, 1 << 40}).Draw(t, "offset"),
		Limit:  rapid.SampledFrom([]int{0, 1, 2, 5, 500, 5000, 1 << 40}).Draw(t, "limit"),
	}
	if q.Kind.foundBy(byMarket) && maybe("by market") {
		q.Market = drawMarket(t)
	}
	if q.Kind.foundBy(byAsset) && maybe("by asset") {
		q.Asset = drawAsset(t)
	}
	if maybe("by class") {
		choice := append([]Class{0, Filled}, kinds[q.Kind].classes...)
		q.Classes = rapid.SliceOfN(rapid.SampledFrom(choice), 1, 5).Draw(t, "classes")
	}
	switch {
	case q.Kind.foundBy(byID) && maybe("by id"):
		q.Ref = uint64(rapid.IntRange(1, int(d.id)+1).Draw(t, "id"))
	case q.Kind.foundBy(byRef) && maybe("by ref"):
		q.Ref = drawRef(t)
	}
	if q.Kind.foundBy(byTag) && maybe("by tag") {
		q.Tag = drawTag(t)
	}
	if maybe("from") {
		q.From = d.moment(t, "first")
	}
	if maybe("to") {
		q.To = d.moment(t, "last")
	}
	return q
}

// moment is one within what was recorded, at its edges or far from it.
func (d *drawer) moment(t *rapid.T, what string) schema.Time {
	edges := []schema.Time{math.MinInt64, -1, 1, start - 1, start, d.now, d.now + 1, math.MaxInt64}
	if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
		return rapid.SampledFrom(edges).Draw(t, what)
	}
	return schema.Time(rapid.IntRange(start, int(d.now)).Draw(t, what))
}

// start is when the first records were made.
const start = 1000

// same compares pages with their payloads, of which the bytes are what a store keeps.
func same(got, want []Record) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d records instead of %d", len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		payloads := reflect.TypeOf(g.Payload) == reflect.TypeOf(w.Payload) && bytes.Equal(wire.Append(nil, g.Payload), wire.Append(nil, w.Payload))
		if g.Payload, w.Payload = nil, nil; !payloads || g != w {
			return fmt.Errorf("record %d is %+v instead of %+v", i, got[i], want[i])
		}
	}
	return nil
}

// live lets a store and the model live through the same.
func live(t *rapid.T, store Store) {
	ctx := context.Background()
	d, m := &drawer{now: start, changing: map[Kind][]change{}}, &model{}
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
		"count": func(t *rapid.T) {
			q := d.query(t)
			got, err := store.Count(ctx, q)
			if want := len(m.chosen(q)); err != nil || got != want {
				t.Fatalf("%+v: %d records instead of %d, %v", q, got, want, err)
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
		if _, err := conn.Exec(context.Background(), "TRUNCATE records, counts; UPDATE parts SET seq = 0"); err != nil {
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
