package history

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// story tells a page in words.
func story(page []Record) string {
	var lines []string
	for _, r := range page {
		line := fmt.Sprintf("%s %d of %d tag %q:", r.Kind, r.ID, r.Account, r.Tag)
		switch p := r.Payload.(type) {
		case *schema.Order:
			line += fmt.Sprintf(" %s %s filled %s %s", p.Side, p.Amount, p.DealStock, p.Status)
		case *schema.OrderChanged:
			line += fmt.Sprintf(" %s %s by %s", p.Order.Side, p.Order.Status, p.Cause)
		case *Deal:
			line += fmt.Sprintf(" role %d %s %s × %s = %s fee %s, order %d met %d", p.Role, p.Side, p.Amount, p.Price, p.Money, p.Fee, p.Order, p.Counter)
		case *schema.Transferred:
			line += fmt.Sprintf(" %s of %d from %s to %s", p.Transfer.Amount, p.Transfer.Asset, p.Transfer.From, p.Transfer.To)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (x *exchange) tells(h *History, q Query, want ...string) {
	x.Helper()
	if got := story(x.page(h, q)); got != strings.Join(want, "\n") {
		x.Errorf("%+v tells\n%s\ninstead of\n%s", q, got, strings.Join(want, "\n"))
	}
}

func TestWhatHappenedIsInTheHistory(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		x := open(t)
		h := Follow(x.node, openStore(), Options{})
		ask := x.place(x.alice, schema.Sell, "2", "100", "ask")
		x.place(x.bob, schema.Buy, "0.5", "100", "bid")
		x.place(x.alice, schema.Buy, "0.5", "100", "") // with herself
		x.cancel(ask)
		x.place(x.bob, schema.Buy, "1", "90", "rest")
		x.do(&schema.PlanDelisting{Market: market, At: x.now + 2*schema.Second})
		x.now += 5 * schema.Second
		x.do(&schema.Tick{})
		check := func() {
			t.Helper()
			x.tells(h, Query{Kind: Orders, Account: x.alice},
				`orders 1 of 101 tag "ask": sell 2 filled 1 CANCELED`,
				`orders 3 of 101 tag "": buy 0.5 filled 0.5 FILLED`)
			x.tells(h, Query{Kind: Orders, Account: x.alice, Classes: []Class{PartlyFilled}},
				`orders 1 of 101 tag "ask": sell 2 filled 1 CANCELED`)
			x.tells(h, Query{Kind: Deals, Account: x.alice},
				`deals 2 of 101 tag "": role 2 buy 0.5 × 100 = 50 fee 0.001, order 3 met 1`,
				`deals 2 of 101 tag "": role 1 sell 0.5 × 100 = 50 fee 0.05, order 1 met 3`,
				`deals 1 of 101 tag "": role 1 sell 0.5 × 100 = 50 fee 0.05, order 1 met 2`)
			x.tells(h, Query{Kind: Deals, Account: x.alice, Ref: 3},
				`deals 2 of 101 tag "": role 2 buy 0.5 × 100 = 50 fee 0.001, order 3 met 1`)
			x.tells(h, Query{Kind: Deals, Account: x.bob, Ref: 2, Market: market},
				`deals 1 of 102 tag "": role 2 buy 0.5 × 100 = 50 fee 0.001, order 2 met 1`)
			x.tells(h, Query{Kind: Ended, Account: x.bob, Classes: []Class{Delisted}},
				`ended 4 of 102 tag "rest": buy CANCELED by delisting`)
			x.tells(h, Query{Kind: Ended, Account: x.bob, Classes: []Class{Maintained}})
			x.tells(h, Query{Kind: Transfers, Account: x.bob, Classes: Moves(schema.Main, 0)},
				`transfers 4 of 102 tag "": 90000 of 2 from main to trade`,
				`transfers 3 of 102 tag "": 90000 of 1 from main to trade`)
			x.tells(h, Query{Kind: Transfers, Account: x.bob, Classes: Moves(0, schema.Main)})
			x.tells(h, Query{Kind: Transfers, Account: x.bob, Asset: 2},
				`transfers 4 of 102 tag "": 90000 of 2 from main to trade`)
			x.tells(h, Query{Kind: Transfers, Account: x.bob, Asset: 2, Classes: Moves(schema.Trade, 0)})
		}
		check()
		if h.Lag() != 0 {
			t.Errorf("%d batches are missing", h.Lag())
		}

		// Restarted, it goes on where it was, with what happened while nobody followed.
		closeStore(t, h)
		x.stop()
		x.start()
		h = Follow(x.node, openStore(), Options{})
		check()
		closeStore(t, h)
		x.do(&schema.Transfer{Account: x.bob, Asset: 1, Amount: fixed.FromInt(1), From: schema.Trade, To: schema.Main})
		h = Follow(x.node, openStore(), Options{})
		x.tells(h, Query{Kind: Transfers, Account: x.bob, Classes: Moves(0, schema.Main)},
			`transfers 5 of 102 tag "": 1 of 1 from trade to main`)
		closeStore(t, h)
		x.stop()
	})
}

func TestHistoryIsMadeAgainFromTheJournal(t *testing.T) {
	x := open(t)
	dir := t.TempDir() + "/history"
	h := Follow(x.node, openPebble(t, dir), Options{})
	for range 50 {
		x.cancel(x.place(x.alice, schema.Sell, "1", "100", ""))
	}
	want := x.page(h, Query{Kind: Orders, Account: x.alice})
	closeStore(t, h)
	x.stop()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	x.start()
	defer x.stop()
	h = Follow(x.node, openPebble(t, dir), Options{})
	defer closeStore(t, h)
	got := x.page(h, Query{Kind: Orders, Account: x.alice})
	if err := same(got, want); err != nil || len(want) != 50 {
		t.Errorf("%d records: %v", len(want), err)
	}
}

// Followers that end in the middle, while the exchange goes on, leave neither holes nor doubles.
func TestFollowersThatEndInTheMiddle(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		x := open(t)
		defer x.stop()
		for i := range 10 {
			h := Follow(x.node, openStore(), Options{})
			for range i {
				x.cancel(x.place(x.alice, schema.Sell, "1", "100", ""))
			}
			closeStore(t, h)
			x.cancel(x.place(x.alice, schema.Sell, "1", "100", "unseen"))
		}
		h := Follow(x.node, openStore(), Options{})
		defer closeStore(t, h)
		page := x.page(h, Query{Kind: Orders, Account: x.alice})
		for i, r := range page {
			if want := uint64(55 - i); r.ID != want {
				t.Fatalf("order %d comes where %d should be", r.ID, want)
			}
		}
		if len(page) != 55 || len(x.page(h, Query{Kind: Orders, Account: x.alice, Tag: "unseen"})) != 10 {
			t.Errorf("%d orders", len(page))
		}
	})
}

func TestPageSeesWhatWasAnswered(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		x := open(t)
		defer x.stop()
		h := Follow(x.node, openStore(), Options{})
		defer closeStore(t, h)
		for range 200 {
			o := x.place(x.alice, schema.Sell, "1", "100", "")
			x.cancel(o)
			page, err := h.Page(t.Context(), &Query{Kind: Orders, Account: x.alice, Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			if len(page) != 1 || page[0].ID != uint64(o.ID) {
				t.Fatalf("order %d is over and the history shows %s", o.ID, story(page))
			}
		}
	})
}

// faulty is a store that fails when it is told to, and counts.
type faulty struct {
	Store
	mu     sync.Mutex
	fails  int // so many writes to come fail
	writes int
	blocks chan struct{} // writes wait for its end
}

var errFault = errors.New("a fault that the test asked for")

func (f *faulty) Write(ctx context.Context, seq uint64, records []Record) error {
	f.mu.Lock()
	fail, blocks := f.fails > 0, f.blocks
	f.fails--
	f.writes++
	f.mu.Unlock()
	if blocks != nil {
		select {
		case <-blocks:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if fail {
		return errFault
	}
	return f.Store.Write(ctx, seq, records)
}

// lines collects what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), what)
}

func TestOutageLosesNothingAndIsSaidOnce(t *testing.T) {
	x := open(t)
	defer x.stop()
	store := &faulty{Store: openPebble(t, t.TempDir()), fails: 4}
	log := &lines{}
	h := Follow(x.node, store, Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	defer closeStore(t, h)
	x.cancel(x.place(x.alice, schema.Sell, "1", "100", "first"))
	x.tells(h, Query{Kind: Orders, Account: x.alice}, `orders 1 of 101 tag "first": sell 1 filled 0 CANCELED`)
	if failed, works := log.count("trying again"), log.count("works again"); failed != 1 || works != 1 {
		t.Errorf("said %d times that it fails and %d times that it works: %s", failed, works, log.text.String())
	}
}

func TestPageThatCannotBeHadSaysWhy(t *testing.T) {
	x := open(t)
	defer x.stop()
	blocks := make(chan struct{})
	store := &faulty{Store: openPebble(t, t.TempDir()), blocks: blocks}
	h := Follow(x.node, store, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Page(ctx, &Query{Kind: Orders, Account: x.alice, Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// Trading goes on.
	x.cancel(x.place(x.alice, schema.Sell, "1", "100", ""))
	if h.Lag() == 0 {
		t.Errorf("nothing is missing of %d batches", x.node.Applied())
	}
	close(blocks)
	if page := x.page(h, Query{Kind: Orders, Account: x.alice}); len(page) != 1 {
		t.Errorf("got %s", story(page))
	}
	closeStore(t, h)
	if _, err := h.Page(t.Context(), &Query{Kind: Orders, Account: x.alice, Limit: 1}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestStepsWithoutRecordsAreNotedFromTimeToTime(t *testing.T) {
	x := open(t)
	defer x.stop()
	dir := t.TempDir()
	store := &faulty{Store: openPebble(t, dir)}
	h := Follow(x.node, store, Options{saveEvery: time.Hour})
	x.page(h, Query{Kind: Orders, Account: x.alice})
	store.mu.Lock()
	before := store.writes
	store.mu.Unlock()
	for range 300 {
		x.do(&schema.Tick{})
		x.page(h, Query{Kind: Orders, Account: x.alice})
	}
	store.mu.Lock()
	if store.writes != before {
		t.Errorf("%d writes for nothing", store.writes-before)
	}
	store.mu.Unlock()
	applied := x.node.Applied()
	closeStore(t, h)
	again := openPebble(t, dir)
	defer closeStore(t, again)
	if seq, err := again.Seq(t.Context()); err != nil || seq != applied {
		t.Errorf("the store was left at %d of %d, %v", seq, applied, err)
	}
}

func TestStepsWithoutRecordsAreNotedInTime(t *testing.T) {
	x := open(t)
	defer x.stop()
	noted := make(chan uint64, 1)
	store := &telling{Store: openPebble(t, t.TempDir()), noted: noted}
	h := Follow(x.node, store, Options{saveEvery: time.Millisecond})
	defer closeStore(t, h)
	for applied := uint64(0); applied < x.node.Applied(); {
		select {
		case applied = <-noted:
		case <-t.Context().Done():
			t.Fatal("the last steps are not noted")
		}
	}
	x.do(&schema.Tick{})
	for seq := uint64(0); seq < x.node.Applied(); {
		select {
		case seq = <-noted:
		case <-t.Context().Done():
			t.Fatal("the tick is not noted")
		}
	}
}

// telling is a store that tells what was written.
type telling struct {
	Store
	noted chan uint64
}

func (s *telling) Write(ctx context.Context, seq uint64, records []Record) error {
	err := s.Store.Write(ctx, seq, records)
	select {
	case s.noted <- seq:
	case <-ctx.Done():
	}
	return err
}

func TestOldRecordsGo(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		x := open(t)
		defer x.stop()
		now := x.now
		o := Options{Keep: time.Hour, Now: func() schema.Time { return now }}
		h := Follow(x.node, openStore(), o)
		x.cancel(x.place(x.alice, schema.Sell, "1", "100", "old"))
		x.now += 3600 * schema.Second
		x.cancel(x.place(x.alice, schema.Sell, "1", "100", "new"))
		if page := x.page(h, Query{Kind: Orders, Account: x.alice}); len(page) != 2 {
			t.Errorf("got %s", story(page))
		}
		closeStore(t, h)
		now = x.now + 1800*schema.Second
		h = Follow(x.node, openStore(), o)
		h.prune(t.Context())
		x.tells(h, Query{Kind: Orders, Account: x.alice}, `orders 2 of 101 tag "new": sell 1 filled 0 CANCELED`)
		x.tells(h, Query{Kind: Orders, Account: x.alice, Tag: "old"})
		x.tells(h, Query{Kind: Transfers, Account: x.alice})
		closeStore(t, h)
	})
}

func TestHistoryOfAnotherExchangeIsNotShown(t *testing.T) {
	x := open(t)
	defer x.stop()
	store := openPebble(t, t.TempDir())
	if err := store.Write(t.Context(), 1_000_000, nil); err != nil {
		t.Fatal(err)
	}
	h := Follow(x.node, store, Options{})
	defer closeStore(t, h)
	_, err := h.Page(t.Context(), &Query{Kind: Orders, Account: x.alice, Limit: 1})
	if err == nil || !strings.Contains(err.Error(), "belongs to another exchange") {
		t.Errorf("got %v", err)
	}
}

func TestQueriesThatMakeNoSense(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		store := openStore()
		defer closeStore(t, store)
		for _, q := range []Query{
			{},
			{Kind: 99},
			{Kind: Orders, Offset: -1},
			{Kind: Orders, Limit: -1},
			{Kind: Orders, Asset: 1},
			{Kind: Deals, Tag: "some"},
			{Kind: Ended, Ref: 1},
			{Kind: Transfers, Market: 1},
		} {
			if _, err := store.Page(t.Context(), &q); !errors.Is(err, errQuery) {
				t.Errorf("%+v: got %v", q, err)
			}
		}
		for _, q := range []Query{{}, {Kind: Transfers, Market: 1}, {Kind: Deals, Tag: "some"}, {Kind: Payments, Market: 1}} {
			if _, err := store.Count(t.Context(), &q); !errors.Is(err, errQuery) {
				t.Errorf("counting %+v: got %v", q, err)
			}
		}
		for _, r := range []Record{
			{Kind: 99, Seq: 1},
			{Kind: Orders, Seq: 1, Class: Delisted, Payload: &schema.Order{}},
			{Kind: Orders, Seq: 1, Class: Filled, ID: 1, Ref: 2, Payload: &schema.Order{}},
			{Kind: Deals, Seq: 1, Asset: 1, Payload: &Deal{}},
			{Kind: Acts, Seq: 1, Class: Done, Market: 1, Payload: &schema.AuditRecord{}},
			{Kind: Deals, Seq: 1, Tag: strings.Repeat("x", maxTag+1), Payload: &Deal{}},
		} {
			if err := store.Write(t.Context(), 1, []Record{r}); err == nil {
				t.Errorf("%+v was taken", r)
			}
		}
		if seq, err := store.Seq(t.Context()); seq != 0 || err != nil {
			t.Errorf("the store is at %d, %v", seq, err)
		}
	})
}
