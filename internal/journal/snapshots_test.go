package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func save(t *testing.T, d *Dir, seq uint64, state string) {
	t.Helper()
	if err := d.SaveSnapshot(&Snapshot{Mark: Mark{Seq: seq, Hash: Hash{byte(seq)}}, State: []byte(state)}, func(*Snapshot) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestSnapshotComesBackAsItWas(t *testing.T) {
	d := mustDir(t, t.TempDir())
	for _, state := range []string{"", "a state"} {
		save(t, d, 9, state)
		s, err := d.LoadSnapshot(9)
		if err != nil || s.Mark != (Mark{Seq: 9, Hash: Hash{9}}) || string(s.State) != state {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

func TestEveryFlippedBitOfASnapshotIsFound(t *testing.T) {
	data := EncodeSnapshot(&Snapshot{Mark: Mark{Seq: 9, Hash: Hash{9}}, State: []byte("a state")})
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			if _, err := DecodeSnapshot(data); !errors.Is(err, ErrSnapshot) {
				t.Errorf("byte %d, bit %d: %v", i, bit, err)
			}
			data[i] ^= 1 << bit
		}
	}
	for size := range data {
		if _, err := DecodeSnapshot(data[:size]); !errors.Is(err, ErrSnapshot) {
			t.Errorf("%d of %d bytes: %v", size, len(data), err)
		}
	}
}

func TestTheLatestSnapshotsAreKept(t *testing.T) {
	d := mustDir(t, t.TempDir())
	for seq := uint64(8); seq < 13; seq++ {
		save(t, d, seq, "a state")
	}
	all, err := d.Snapshots()
	if err != nil || !slices.Equal(all, []uint64{10, 11, 12}) {
		t.Errorf("%v, %v", all, err)
	}
}

// A crash while a snapshot is written leaves a part of it aside: it is not taken for one.
func TestHalfASnapshotIsNone(t *testing.T) {
	d := mustDir(t, t.TempDir())
	save(t, d, 5, "a state")
	mustWrite(t, d.snapshotPath(6)+".new", []byte(snapshotMagic))
	mustWrite(t, filepath.Join(d.Path(), snapshotDir, "notes.txt"), nil)
	if all, err := d.Snapshots(); err != nil || !slices.Equal(all, []uint64{5}) {
		t.Errorf("%v, %v", all, err)
	}
	save(t, d, 6, "the next state")
	if s, err := d.LoadSnapshot(6); err != nil || string(s.State) != "the next state" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSnapshotOfAnotherPlaceIsNotTaken(t *testing.T) {
	d := mustDir(t, t.TempDir())
	save(t, d, 5, "a state")
	if err := os.Rename(d.snapshotPath(5), d.snapshotPath(6)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.LoadSnapshot(6); !errors.Is(err, ErrSnapshot) || !strings.Contains(err.Error(), "it is of batch 5") || !strings.Contains(err.Error(), d.snapshotPath(6)) {
		t.Errorf("got %v", err)
	}
	if _, err := d.LoadSnapshot(5); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A snapshot that cannot be restored is worse than none: it is removed, and the older ones stay.
func TestSnapshotThatIsRefusedIsRemoved(t *testing.T) {
	d := mustDir(t, t.TempDir())
	for seq := uint64(1); seq <= 3; seq++ {
		save(t, d, seq, "a state")
	}
	refused := errors.New("an order is too large")
	err := d.SaveSnapshot(&Snapshot{Mark: Mark{Seq: 4}, State: []byte("bad")}, func(s *Snapshot) error {
		if s.Mark.Seq != 4 || string(s.State) != "bad" {
			t.Errorf("what is checked is %+v", s)
		}
		return refused
	})
	if !errors.Is(err, ErrSnapshot) || !errors.Is(err, refused) || !strings.Contains(err.Error(), "batch 4") {
		t.Errorf("got %v", err)
	}
	if all, err := d.Snapshots(); err != nil || !slices.Equal(all, []uint64{1, 2, 3}) {
		t.Errorf("%v, %v", all, err)
	}
}
