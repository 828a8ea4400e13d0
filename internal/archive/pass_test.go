package archive_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bourse/internal/archive"
	"bourse/internal/journal"
)

// TestPassedCommandDoesNotHappen: an exchange that starts, a replay and a verification all go on
// without a command that is passed over, as if it had never been there.
func TestPassedCommandDoesNotHappen(t *testing.T) {
	commands := world()
	short := t.TempDir()
	run(t, short, 0, commands[:11])
	want := run(t, short, 11, commands[11:len(commands)-1])
	dir, _ := makeWorld(t)
	if err := os.RemoveAll(filepath.Join(dir, "snapshots")); err != nil {
		t.Fatal(err)
	}
	var last journal.Mark
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		p := archive.NewPast()
		if err := a.Replay(ctx, p, archive.Limit{}, nil); err != nil {
			t.Fatal(err)
		}
		if last = p.Mark; p.Machine.Hash() == want {
			t.Fatal("the last command changes nothing: the test shows nothing")
		}
	})
	d, err := journal.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	decision := journal.NewPass(last, 1, commands[len(commands)-1], "a test", time.Unix(1_800_000_000, 0))
	if err := errors.Join(d.AddPass(decision), d.Close()); err != nil {
		t.Fatal(err)
	}
	if got := run(t, dir, len(commands), nil); got != want {
		t.Error("a node that starts has another state")
	}
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		p := archive.NewPast()
		if err := a.Replay(ctx, p, archive.Limit{}, nil); err != nil || p.Machine.Hash() != want || p.Mark != last {
			t.Errorf("a replay ends at batch %d with another state, %v", p.Mark.Seq, err)
		}
		r, err := a.Verify(ctx)
		if err != nil || len(r.Findings) != 0 || r.Hash != want {
			t.Errorf("a verification: %+v, %v", r, err)
		}
	})
}
