package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bourse/internal/disk"
)

// logOf is the directory of a log that was stopped in order, with one block file, and the place of
// that file.
func logOf(t *testing.T, batches int) (dir, block string) {
	t.Helper()
	dir = t.TempDir()
	j, _ := filled(t, dir, batches)
	j.Close()
	return dir, filepath.Join(dir, blockDir, "1.blk")
}

// offsets are where the records of a block begin, and where it ends.
func offsets(t *testing.T, data []byte) (all []int) {
	t.Helper()
	for at := 0; at < len(data); {
		r, ok := nextRecord(data[at:])
		if !ok {
			t.Fatalf("there is no record at byte %d", at)
		}
		all = append(all, at)
		at += r.size
	}
	return append(all, len(data))
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What the server writes is read as it was written, also while the server runs.
func TestFilesAreReadAsTheServerWroteThem(t *testing.T) {
	dir := t.TempDir()
	j, last := filled(t, dir, 100)
	f := OpenFiles(dir)
	for _, state := range []string{"running", "stopped"} {
		if end, err := f.Last(); err != nil || end != 100 {
			t.Errorf("%s: the log ends at %d, %v", state, end, err)
		}
		var hash Hash
		next := uint64(31)
		err := f.Read(t.Context(), 30, 100, func(b *Batch) error {
			if b.Seq != next || string(b.Commands) != fmt.Sprint("commands ", next-1) {
				t.Errorf("%s: batch %d is %q where %d should be", state, b.Seq, b.Commands, next)
			}
			hash = b.Hash()
			next++
			return nil
		})
		if err != nil || next != 101 || hash != last {
			t.Errorf("%s: up to %d: %v", state, next, err)
		}
		err = f.Read(t.Context(), 99, 101, func(*Batch) error { return nil })
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "batches 101 to 101 are missing") {
			t.Errorf("%s: beyond the end: %v", state, err)
		}
		j.Close()
	}
}

// TestEveryFlippedByteOfALogIsFound: reading a log whose file has one other bit ends with an error
// at the batch that it lies in.
func TestEveryFlippedByteOfALogIsFound(t *testing.T) {
	dir, block := logOf(t, 5)
	data := mustRead(t, block)
	records := offsets(t, data)
	for i := range data {
		bad := uint64(0)
		for records[bad+1] <= i {
			bad++
		}
		data[i] ^= 1 << (i % 8)
		mustWrite(t, block, data)
		good := uint64(0)
		err := OpenFiles(dir).Read(t.Context(), 0, 5, func(b *Batch) error { good = b.Seq; return nil })
		if !errors.Is(err, ErrDamaged) || good != bad {
			t.Fatalf("byte %d of batch %d: read up to %d: %v", i, bad+1, good, err)
		}
		data[i] ^= 1 << (i % 8)
	}
}

// TestDamageIsKeptAndATornEndIsNot: what the server would cut off with good batches behind it, or
// with batches that were acknowledged, is kept as it was. The end of a write that nobody heard
// of is not, and nothing is looked at after an orderly stop.
func TestDamageIsKeptAndATornEndIsNot(t *testing.T) {
	const batches = 10
	good, _ := logOf(t, batches)
	original := mustRead(t, filepath.Join(good, blockDir, "1.blk"))
	records := offsets(t, original)
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[at] ^= 1; return b }
	}
	for what, c := range map[string]struct {
		change       func([]byte) []byte
		acknowledged uint64
		kept         bool
	}{
		"nothing":                             {func(b []byte) []byte { return b }, batches, false},
		"a flipped bit in a batch":            {flip(records[4] + 90), batches, true},
		"a flipped length":                    {flip(records[4] + 1), batches, true},
		"a flipped time of the server":        {flip(records[4] + 14), batches, true},
		"a flipped bit in the last batch":     {flip(records[9] + 90), batches, true},
		"one that nobody heard of":            {flip(records[9] + 90), batches - 1, false},
		"half a batch behind the end":         {func(b []byte) []byte { return append(b, b[:records[1]/2]...) }, batches, false},
		"an end that was cut off":             {func(b []byte) []byte { return b[:records[9]+20] }, batches - 1, false},
		"an acknowledged end that was cut":    {func(b []byte) []byte { return b[:records[9]+20] }, batches, true},
		"zeros behind the end, as a disk may": {func(b []byte) []byte { return append(b, make([]byte, 500)...) }, batches, false},
	} {
		dir := t.TempDir()
		if err := disk.CopyTree(dir, good); err != nil {
			t.Fatal(err)
		}
		block := filepath.Join(dir, blockDir, "1.blk")
		w, _, err := mustDir(t, dir).OpenWatermark()
		if err != nil || w.Set(Mark{Seq: c.acknowledged}) != nil || w.Close() != nil {
			t.Fatal(err)
		}
		if kept, err := keepDamaged(dir); err != nil || kept != "" {
			t.Errorf("%s, after an orderly stop: %q, %v", what, kept, err)
		}
		if err := os.Remove(filepath.Join(dir, blockDir, indexFile)); err != nil {
			t.Fatal(err)
		}
		changed := c.change(slices.Clone(original))
		mustWrite(t, block, changed)
		j, err := Open(t.Context(), Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		j.Close()
		if (j.Kept() != "") != c.kept {
			t.Errorf("%s: kept in %q", what, j.Kept())
		}
		if c.kept && string(mustRead(t, filepath.Join(j.Kept(), "1.blk"))) != string(changed) {
			t.Errorf("%s: what is kept is not what was there", what)
		}
		// What the server left is read to its end, and opening it again finds nothing.
		if kept, err := keepDamaged(dir); err != nil || kept != "" && c.acknowledged < batches {
			t.Errorf("%s, a second time: %q, %v", what, kept, err)
		}
	}
}

// A kill in the middle of the first write to a new file is a torn end like any other.
func TestTornBeginningOfAFileIsNoDamage(t *testing.T) {
	dir, block := logOf(t, 5)
	w, _, err := mustDir(t, dir).OpenWatermark()
	if err != nil || w.Set(Mark{Seq: 5}) != nil || w.Close() != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(dir, blockDir, "2.blk"), mustRead(t, block)[:60])
	if kept, err := keepDamaged(dir); err != nil || kept != "" {
		t.Errorf("kept in %q, %v", kept, err)
	}
	if last, err := OpenFiles(dir).Last(); err != nil || last != 5 {
		t.Errorf("the log ends at %d, %v", last, err)
	}
}
