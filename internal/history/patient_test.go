package history

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// moodyDisk is a disk whose writes fail with an error as long as it has one.
type moodyDisk struct {
	vfs.FS
	mood atomic.Pointer[syscall.Errno]
}

func newMoodyDisk() *moodyDisk { return &moodyDisk{FS: vfs.NewMem()} }

func (d *moodyDisk) set(e syscall.Errno) { d.mood.Store(&e) }

func (d *moodyDisk) err() error {
	if e := d.mood.Load(); e != nil && *e != 0 {
		return *e
	}
	return nil
}

func (d *moodyDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, c)
	return &moodyFile{f, d}, err
}

type moodyFile struct {
	vfs.File
	disk *moodyDisk
}

// Write takes a part of what it is given before it fails, as disks do that become full.
func (f *moodyFile) Write(b []byte) (int, error) {
	if err := f.disk.err(); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}

// diary is what was logged.
type diary struct {
	mu   sync.Mutex
	text strings.Builder
}

func (d *diary) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(b)
}

func (d *diary) count(text string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Count(d.text.String(), text)
}

func writeOne(t *testing.T, s Store, seq uint64) {
	t.Helper()
	r := fillRow(rand.New(rand.NewPCG(seq, 1)), seq, 1) // an order
	r.Account = FillBusy
	if err := s.Write(t.Context(), seq, []Record{r}); err != nil {
		t.Fatal(err)
	}
}

func TestStoreOpensOnAFullDiskAndIsReadyWhenThereIsRoom(t *testing.T) {
	disk, log := newMoodyDisk(), &diary{}
	disk.set(syscall.ENOSPC)
	store, err := openPebbleOn(disk, "history", slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Trouble(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the trouble is %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := store.Page(ended, &Query{Kind: Orders, Account: FillBusy, Limit: 1}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a page: %v", err)
	}
	disk.set(0)
	if seq, err := store.Seq(t.Context()); seq != 0 || err != nil {
		t.Fatalf("%d, %v", seq, err)
	}
	writeOne(t, store, 1)
	closeStore(t, store)
	if log.count("cannot be written") != 1 || log.count("can be written again") != 1 {
		t.Errorf("the log says\n%s", log.text.String())
	}
}

func TestFullDiskStopsNeitherStoreNorProcess(t *testing.T) {
	disk := newMoodyDisk()
	store, err := openPebbleOn(disk, "history", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	p := store.(*pebbleStore)
	writeOne(t, store, 1)
	stuck := p.disk.waits()
	disk.set(syscall.ENOSPC)
	flushed, err := p.db.AsyncFlush()
	if err != nil {
		t.Fatal(err)
	}
	<-stuck
	writeOne(t, store, 2) // memory takes it
	page, err := store.Page(t.Context(), &Query{Kind: Orders, Account: FillBusy, Limit: 5})
	if err != nil || len(page) != 2 || !errors.Is(store.Trouble(), syscall.ENOSPC) {
		t.Errorf("%d records, %v; the trouble is %v", len(page), err, store.Trouble())
	}
	disk.set(0)
	<-flushed
	closeStore(t, store)
	again, err := openPebbleOn(disk, "history", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if seq, err := again.Seq(t.Context()); seq != 2 || err != nil {
		t.Errorf("after all that the store is at %d, %v", seq, err)
	}
	if page, err := again.Page(t.Context(), &Query{Kind: Orders, Account: FillBusy, Limit: 5}); err != nil || len(page) != 2 {
		t.Errorf("%d records, %v", len(page), err)
	}
	closeStore(t, again)
}

func TestCloseDoesNotWaitForRoom(t *testing.T) {
	disk := newMoodyDisk()
	store, err := openPebbleOn(disk, "history", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	writeOne(t, store, 1)
	disk.set(syscall.ENOSPC)
	if err := store.Close(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "made again from the journal") {
		t.Errorf("got %v", err)
	}
	disk.set(0) // what was left behind ends
}

// A disk that is broken for good breaks the store; the process and those who ask live on.
func TestBrokenDiskStopsTheHistoryAlone(t *testing.T) {
	disk := newMoodyDisk()
	store, err := openPebbleOn(disk, "history", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	p := store.(*pebbleStore)
	writeOne(t, store, 1)
	done := make(chan struct{})
	go func() { // as a goroutine of Pebble would
		defer close(done)
		quiet{p}.Fatalf("MANIFEST flush failed: %v", syscall.EIO)
	}()
	<-done
	if err := store.Trouble(); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "MANIFEST") {
		t.Errorf("the trouble is %v", err)
	}
	if err := store.Write(t.Context(), 2, nil); !errors.Is(err, errBroken) {
		t.Errorf("a write: %v", err)
	}
	if _, err := store.Page(t.Context(), &Query{Kind: Orders, Account: FillBusy, Limit: 5}); !errors.Is(err, errBroken) {
		t.Errorf("a page: %v", err)
	}
	if err := store.Close(); !errors.Is(err, errBroken) {
		t.Errorf("closing: %v", err)
	}
}
