package history

import (
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
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

func TestStoreOfAnotherProcessIsRefused(t *testing.T) {
	dir := t.TempDir()
	store := openPebble(t, dir)
	defer closeStore(t, store)
	if _, err := OpenPebble(dir, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "if no other program uses it") {
		t.Errorf("got %v", err)
	}
}
