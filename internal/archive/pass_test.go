package archive_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// TestPassedCommandsAreInExports: in the middle and at the end of a log; the exchange that is imported
// goes on without them too.
func TestPassedCommandsAreInExports(t *testing.T) {
	commands := world()
	dir, whole := makeWorld(t)
	if err := os.RemoveAll(filepath.Join(dir, "snapshots")); err != nil {
		t.Fatal(err)
	}
	var decisions []journal.Pass
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		for _, batch := range []uint64{13, 16} {
			p := archive.NewPast()
			if err := a.Replay(ctx, p, archive.Limit{Seq: batch}, nil); err != nil {
				t.Fatal(err)
			}
			decisions = append(decisions, journal.NewPass(p.Mark, 1, commands[batch-1], fmt.Sprint("bad batch ", batch), time.Unix(1_800_000_000, 0)))
		}
	})
	d, err := journal.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range decisions {
		if err := d.AddPass(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	want := run(t, dir, len(commands), nil)
	if want == whole {
		t.Fatal("the commands change nothing: the test shows nothing")
	}
	lines := export(t, dir)
	const passed = `{"batch":13,"time_us":1790812813000000,"cancel_order":{"account":101,"order":{"market":1,"id":1}},` +
		`"passed":true,"reason":"bad batch 13","decided_us":1800000000000000}`
	if got := strings.Split(lines, "\n"); got[13] != passed || !strings.Contains(got[17], `"batches":16,"commands":14`) {
		t.Errorf("%s\n%s", got[13], got[17])
	}
	// The same from batches of several commands.
	joined := strings.NewReplacer(`"batch":14,`, `"batch":13,`, `"batch":15,`, `"batch":14,`, `"batch":16,`, `"batch":14,`, `"batches":16`, `"batches":14`).Replace(lines)
	for _, text := range []string{lines, joined} {
		to := filepath.Join(t.TempDir(), "copy")
		p, err := importLines(t, to, text)
		if err != nil || p.Machine.Hash() != want {
			t.Fatalf("%+v %v", p, err)
		}
		if export(t, to) != text {
			t.Error("the export of the import is another one")
		}
		if r := verify(t, to); r.Err() != nil || r.Hash != want {
			t.Errorf("%+v", r)
		}
		if run(t, to, len(commands), nil) != want {
			t.Error("a node that starts from the import has another state")
		}
	}
	for says, line := range map[string]string{
		`are for a command with "passed":true`: strings.Replace(passed, `"passed":true,`, "", 1),
		`a line with "end" has no command`:     `{"end":true,"passed":true}`,
	} {
		if _, err := importLines(t, filepath.Join(t.TempDir(), "copy"), strings.Replace(lines, passed, line, 1)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %s", err, says)
		}
	}
}
