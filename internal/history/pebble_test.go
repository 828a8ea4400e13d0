package history

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// A page must cost what its offset and its size cost, whatever the account has done besides.
func TestPebblePagesPassOnlyWhatIsChosen(t *testing.T) {
	store := openPebble(t, t.TempDir()).(*pebbleStore)
	defer closeStore(t, store)
	if err := Fill(t.Context(), store, 30_000, nil); err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		for _, offset := range []int{0, 100} {
			q := page.query
			aim(t, store, &q, offset)
			before := store.passed.Load()
			got, err := store.Page(t.Context(), &q)
			if err != nil {
				t.Fatal(err)
			}
			passed := int(store.passed.Load() - before)
			if passed > offset+len(got) {
				t.Errorf("%s at %d: %d records were passed for a page of %d", page.name, offset, passed, len(got))
			}
			if len(got) == 0 && offset == 0 {
				t.Errorf("%s: the page is empty", page.name)
			}
		}
	}
}

// After a power cut the store may have lost its end. What it says to have it must have.
func TestPowerCutLosesOnlyTheEnd(t *testing.T) {
	disk := vfs.NewCrashableMem()
	store, err := openPebbleOn(disk, "history", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.(*pebbleStore).db.Flush(); err != nil {
		t.Fatal(err)
	}
	var log [][]Record
	random := rand.New(rand.NewPCG(7, 7))
	shorter := 0
	for round := range 10 {
		for range 50 {
			seq := uint64(len(log) + 1)
			batch := make([]Record, 5)
			for i := range batch {
				batch[i] = fillRow(random, seq, uint64(i))
				batch[i].Account = FillBusy
			}
			log = append(log, batch)
			if err := store.Write(t.Context(), seq, batch); err != nil {
				t.Fatal(err)
			}
		}
		crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 10 * round, RNG: rand.New(rand.NewPCG(uint64(round), 1))})
		survivor, err := openPebbleOn(crashed, "history", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		seq, err := survivor.Seq(t.Context())
		if err != nil || seq > uint64(len(log)) {
			t.Fatalf("the store is at %d of %d, %v", seq, len(log), err)
		}
		if seq < uint64(len(log)) {
			shorter++
		}
		m := &model{}
		m.write(seq, slices.Concat(log[:seq]...))
		for _, kind := range []Kind{Orders, Deals} {
			q := &Query{Kind: kind, Account: FillBusy, Limit: 1 << 20}
			got, err := survivor.Page(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if err := same(got, m.page(q)); err != nil {
				t.Fatalf("round %d, up to batch %d: %v", round, seq, err)
			}
		}
		closeStore(t, survivor)
	}
	if shorter == 0 {
		t.Error("nothing was ever lost: the test shows nothing")
	}
	closeStore(t, store)
}

func TestStoreOfAnotherProgramIsRefused(t *testing.T) {
	dir := t.TempDir()
	store := openPebble(t, dir)
	if err := store.(*pebbleStore).db.Set(formatKey, []byte{9}, pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	closeStore(t, store)
	if _, err := OpenPebble(dir, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "format 9") {
		t.Errorf("got %v", err)
	}
}

// A store of an older format is emptied, said so, and made again from the journal.
func TestStoreOfAnOlderFormatIsMadeAgain(t *testing.T) {
	x := open(t)
	defer x.stop()
	dir := t.TempDir()
	h := Follow(x.node, openPebble(t, dir), Options{})
	x.cancel(x.place(x.alice, schema.Sell, "1", "100", "first"))
	want := x.page(h, Query{Kind: Orders, Account: x.alice})
	closeStore(t, h)

	store := openPebble(t, dir)
	db := store.(*pebbleStore).db
	for key, value := range map[string]string{string(formatKey): "\x01", "\x01left": "over", "\x04left": "over"} {
		if err := db.Set([]byte(key), []byte(value), pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	closeStore(t, store)

	log := &lines{}
	store, err := OpenPebble(dir, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if log.count("an older format; it is made again from the journal") != 1 {
		t.Errorf("logged %q", log.text.String())
	}
	if keys := allKeys(t, store); len(keys) != 1 || keys[0] != string(formatKey) {
		t.Errorf("%q is left", keys)
	}
	h = Follow(x.node, store, Options{})
	if err := same(x.page(h, Query{Kind: Orders, Account: x.alice}), want); err != nil || len(want) != 1 {
		t.Errorf("%d records: %v", len(want), err)
	}
	closeStore(t, h)
	again := openPebble(t, dir)
	defer closeStore(t, again)
	if seq, err := again.Seq(t.Context()); err != nil || seq != x.node.Applied() {
		t.Errorf("the store is at %d of %d, %v", seq, x.node.Applied(), err)
	}
}

// allKeys are those of a store, in their order.
func allKeys(t *testing.T, store Store) (keys []string) {
	t.Helper()
	it, err := store.(*pebbleStore).db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for valid := it.First(); valid; valid = it.Next() {
		keys = append(keys, string(it.Key()))
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		t.Fatal(err)
	}
	return keys
}

// Keys are most of what a record costs: none may come without a query that needs it.
func TestKeysOfRecords(t *testing.T) {
	payload := map[Kind]wire.Message{Orders: &schema.Order{}, Deals: &Deal{}, Ended: &schema.OrderChanged{}, Transfers: &schema.Transferred{}}
	for _, tt := range []struct {
		record Record
		keys   int
		bytes  int
	}{
		{Record{Kind: Orders, Market: 1, Class: Filled, ID: 1, Ref: 1}, 3, 23 + 27 + 14},
		{Record{Kind: Orders, Market: 1, Class: Filled, ID: 1, Ref: 1, Tag: "name"}, 4, 23 + 27 + 14 + 31},
		{Record{Kind: Deals, Market: 1, ID: 1, Ref: 2}, 3, 31 + 35 + 30},
		{Record{Kind: Ended, Market: 1, Class: Delisted, ID: 1, Ref: 1, Tag: "name"}, 2, 31 + 35},
		{Record{Kind: Transfers, Asset: 1, Class: Move(schema.Main, schema.Trade), ID: 1}, 2, 31 + 35},
	} {
		store, err := openPebbleOn(vfs.NewMem(), "history", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		before := allKeys(t, store)
		tt.record.Seq, tt.record.Payload = 1, payload[tt.record.Kind]
		if err := store.Write(t.Context(), 1, []Record{tt.record}); err != nil {
			t.Fatal(err)
		}
		after := allKeys(t, store)
		keys, bytes := len(after)-len(before)-1, len(strings.Join(after, ""))-len(strings.Join(before, ""))-len(seqKey)
		if keys != tt.keys || bytes != tt.bytes {
			t.Errorf("a record of %s has %d keys of %d bytes instead of %d of %d", tt.record.Kind, keys, bytes, tt.keys, tt.bytes)
		}
		closeStore(t, store)
	}
}

func TestStoreOfAnotherProcessIsRefused(t *testing.T) {
	dir := t.TempDir()
	store := openPebble(t, dir)
	defer closeStore(t, store)
	if _, err := OpenPebble(dir, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "if no other program uses it") {
		t.Errorf("got %v", err)
	}
}
