package archive_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bourse/internal/archive"
	"bourse/internal/core"
	"bourse/internal/disk"
	"bourse/internal/journal"
)

func verify(t *testing.T, dir string) *archive.Report {
	t.Helper()
	var report *archive.Report
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		var err error
		if report, err = a.Verify(ctx); err != nil {
			t.Fatal(err)
		}
	})
	return report
}

// finds checks that one of the findings says something.
func finds(t *testing.T, r *archive.Report, what string) {
	t.Helper()
	if r.Err() == nil || !slices.ContainsFunc(r.Findings, func(f string) bool { return strings.Contains(f, what) }) {
		t.Errorf("%q is not among the findings %q", what, r.Findings)
	}
}

// flip changes one bit in the middle of a file.
func flip(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 4
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// files are those of a directory that match a pattern, in order.
func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(all) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return all
}

const (
	snapshots = "snapshots/*.state"
	blocks    = "journal/jetstream/*/streams/*/msgs/*.blk"
)

func TestVerifyFindsNothingWhereNothingIsWrong(t *testing.T) {
	dir, hash := makeWorld(t)
	var heard []uint64
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		a.Progress = func(done, total uint64) {
			if heard = append(heard, done); total != 16 {
				t.Errorf("batch %d of %d", done, total)
			}
		}
		r, err := a.Verify(ctx)
		if err != nil || r.Err() != nil || r.Batches != 16 || r.Commands != 16 || r.Snapshots != 2 || r.Hash != hash {
			t.Errorf("%+v %v", r, err)
		}
	})
	if len(heard) != 16 || heard[15] != 16 {
		t.Errorf("progress %v", heard)
	}
}

func TestVerifyFindsDamagedSnapshot(t *testing.T) {
	good, _ := makeWorld(t)
	dir := copyOf(t, good)
	flip(t, files(t, dir, snapshots)[0])
	r := verify(t, dir)
	finds(t, r, "00000000000000000011.state")
	if r.Snapshots != 1 || len(r.Findings) != 1 || r.Batches != 16 {
		t.Errorf("%+v", r)
	}
}

// TestVerifyFindsSnapshotOfAnotherState: the file is whole, what it says is wrong.
func TestVerifyFindsSnapshotOfAnotherState(t *testing.T) {
	good, _ := makeWorld(t)
	dir := copyOf(t, good)
	data, err := os.ReadFile(files(t, dir, snapshots)[0])
	if err != nil {
		t.Fatal(err)
	}
	s, err := journal.DecodeSnapshot(data)
	if err != nil {
		t.Fatal(err)
	}
	wrong := journal.EncodeSnapshot(&journal.Snapshot{Mark: s.Mark, State: core.New().Snapshot()})
	if err := os.WriteFile(files(t, dir, snapshots)[0], wrong, 0o600); err != nil {
		t.Fatal(err)
	}
	finds(t, verify(t, dir), "the snapshot of batch 11 holds another state")

	s.Mark.Hash[0] ^= 1
	if err := os.WriteFile(files(t, dir, snapshots)[0], journal.EncodeSnapshot(&s), 0o600); err != nil {
		t.Fatal(err)
	}
	finds(t, verify(t, dir), "the snapshot of batch 11 was made of another batch")
}

func TestVerifyFindsTruncatedJournal(t *testing.T) {
	good, _ := makeWorld(t)
	dir := copyOf(t, good)
	block := files(t, dir, blocks)[0]
	info, err := os.Stat(block)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(block, info.Size()*3/4); err != nil {
		t.Fatal(err)
	}
	// The server also keeps where the stream ended; without that it has to look.
	for _, index := range files(t, dir, "journal/jetstream/*/streams/*/msgs/index.db") {
		if err := os.Remove(index); err != nil {
			t.Fatal(err)
		}
	}
	r := verify(t, dir)
	finds(t, r, "but batch 16 was acknowledged")
	finds(t, r, "the snapshot of batch 16 cannot be checked")
	if r.Batches >= 16 {
		t.Errorf("%+v", r)
	}
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		if _, err := a.Summary(ctx, archive.Limit{}); !errors.Is(err, journal.ErrDamaged) {
			t.Errorf("a log that lost its end is taken for a whole one: %v", err)
		}
		if s, err := a.Summary(ctx, archive.Limit{Seq: a.Last()}); err != nil || s.Batch != a.Last() {
			t.Errorf("what is left cannot be seen: %v", err)
		}
		if _, err := a.Snapshot(ctx); !errors.Is(err, journal.ErrDamaged) {
			t.Errorf("a snapshot was written of a log that lost its end: %v", err)
		}
	})
}

func TestVerifyFindsDamagedJournal(t *testing.T) {
	good, _ := makeWorld(t)
	dir := copyOf(t, good)
	flip(t, files(t, dir, blocks)[0])
	if r := verify(t, dir); r.Err() == nil || r.Batches >= 16 {
		t.Errorf("%+v", r)
	}
}

func TestVerifyFindsLogOfAnotherDirectory(t *testing.T) {
	one, _ := makeWorld(t)
	other, _ := makeWorld(t)
	dir := copyOf(t, one)
	if err := os.RemoveAll(filepath.Join(dir, "journal")); err != nil {
		t.Fatal(err)
	}
	if err := disk.CopyTree(filepath.Join(dir, "journal"), filepath.Join(other, "journal")); err != nil {
		t.Fatal(err)
	}
	r := verify(t, dir)
	finds(t, r, "the watermark knows another batch 16")
	finds(t, r, "the snapshot of batch 11 was made of another batch")
}

func TestVerifyFindsDamagedWatermark(t *testing.T) {
	good, _ := makeWorld(t)
	dir := copyOf(t, good)
	flip(t, filepath.Join(dir, "watermark"))
	finds(t, verify(t, dir), "watermark cannot be read")
}

func TestSnapshotOfTheEnd(t *testing.T) {
	dir, hash := makeWorld(t)
	last := files(t, dir, snapshots)[1]
	if err := os.Remove(last); err != nil {
		t.Fatal(err)
	}
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		p, err := a.Snapshot(ctx)
		if err != nil || p.Mark.Seq != 16 || p.Machine.Hash() != hash {
			t.Errorf("%+v %v", p, err)
		}
	})
	if _, err := os.Stat(last); err != nil {
		t.Error(err)
	}
	if r := verify(t, dir); r.Err() != nil || r.Snapshots != 2 {
		t.Errorf("%+v", r)
	}
	if again := run(t, dir, 16, nil); again != hash {
		t.Error("a node that starts from the snapshot has another state")
	}
}
