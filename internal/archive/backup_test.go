package archive_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bourse/internal/archive"
	"bourse/internal/custody"
)

// quiet is progress that nobody watches.
func quiet(uint64, uint64) {}

// verified is the report on a directory in which nothing is wrong.
func verified(t *testing.T, dir string) *archive.Report {
	t.Helper()
	report := verify(t, dir)
	if err := report.Err(); err != nil {
		t.Fatal(err)
	}
	return report
}

// backedUp is the backup of a data directory that nobody uses, with its keys or without.
func backedUp(t *testing.T, dir string, keys bool) []byte {
	t.Helper()
	var keysOf archive.Keys
	if keys {
		keysOf.Dir = dir
	}
	var plain, kept bytes.Buffer
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		source, err := a.Backup(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := source.Write(ctx, &plain); err != nil {
			t.Fatal(err)
		}
		if m, err := archive.Keep(&kept, &plain, keysOf, quiet); err != nil || m.Batches != a.Last() {
			t.Fatalf("%+v %v", m, err)
		}
	})
	return kept.Bytes()
}

// entries are the names and contents of a backup.
func entries(t *testing.T, backup []byte) (names []string, data map[string][]byte) {
	t.Helper()
	data = map[string][]byte{}
	for in := tar.NewReader(bytes.NewReader(backup)); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return names, data
		}
		if err != nil {
			t.Fatal(err)
		}
		if data[h.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}

// packed is a backup with these entries.
func packed(t *testing.T, names []string, data map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range names {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestBackupComesBackWithTheSameState(t *testing.T) {
	dir, _ := makeWorld(t)
	for _, name := range []string{custody.SeedFile, custody.ClientFile} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("secret of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := verified(t, dir)
	for _, keys := range []bool{false, true} {
		to := filepath.Join(t.TempDir(), "restored")
		r, err := archive.Restore(t.Context(), to, "", bytes.NewReader(backedUp(t, dir, keys)), quiet)
		if err != nil {
			t.Fatal(err)
		}
		if r.Batches != want.Batches || r.Keys != keys || r.BadSnapshot != nil || r.Snapshot != want.Batches {
			t.Errorf("keys %v: %+v", keys, r)
		}
		got := verified(t, to)
		if got.Hash != want.Hash || got.Batches != want.Batches || got.Commands != want.Commands || got.Snapshots != 1 {
			t.Errorf("restored %+v of %+v", got, want)
		}
		_, err = os.Stat(filepath.Join(to, "master.key"))
		if (err == nil) != keys {
			t.Errorf("keys %v: %v", keys, err)
		}
		for _, name := range []string{custody.SeedFile, custody.ClientFile} {
			text, err := os.ReadFile(filepath.Join(to, name))
			if (err == nil) != keys || keys && string(text) != "secret of "+name {
				t.Errorf("keys %v: %s is %q, %v", keys, name, text, err)
			}
		}
		// A start without the key must be refused, and not make a new one.
		if _, err := os.Stat(filepath.Join(to, "master.check")); err != nil {
			t.Error(err)
		}
	}
}

func TestBackupThatIsNotWholeIsRefusedAndLeavesNothing(t *testing.T) {
	dir, _ := makeWorld(t)
	backup := backedUp(t, dir, true)
	names, data := entries(t, backup)
	logPart := ""
	for _, name := range names {
		if strings.HasPrefix(name, "log/") {
			logPart = name
		}
	}
	without := func(name string) []string {
		var rest []string
		for _, n := range names {
			if n != name {
				rest = append(rest, n)
			}
		}
		return rest
	}
	changed := func(name string, change func([]byte) []byte) []byte {
		other := map[string][]byte{}
		for n, d := range data {
			other[n] = d
		}
		other[name] = change(bytes.Clone(data[name]))
		return packed(t, names, other)
	}
	stray := func(name string) []byte {
		data[name] = []byte("x")
		return packed(t, append(names[:len(names):len(names)], name), data)
	}
	for what, c := range map[string]struct {
		backup []byte
		says   string
	}{
		"nothing":                 {nil, "the backup cannot be used"},
		"something else":          {[]byte(strings.Repeat("no tar ", 200)), "the backup cannot be used"},
		"no manifest":             {packed(t, without("backup.json"), data), "does not begin like one"},
		"another version":         {changed("backup.json", func(b []byte) []byte { return bytes.Replace(b, []byte(`"version":1`), []byte(`"version":9`), 1) }), "version 9"},
		"cut off within an entry": {backup[:len(backup)/2], "unexpected EOF"},
		"no log":                  {packed(t, without(logPart), data), "it was cut off: it says"},
		"a flipped bit":           {changed(logPart, func(b []byte) []byte { b[len(b)/2] ^= 4; return b }), "the log is damaged"},
		"a short part":            {changed(logPart, func(b []byte) []byte { return b[:len(b)-1] }), "is cut off"},
		"a way out":               {stray("files/../../elsewhere"), "does not belong into one"},
		"a key that is no key":    {stray("keys/authorized_keys"), "does not belong into one"},
		"a file of its own":       {stray("watermark"), "does not belong into one"},
	} {
		to := filepath.Join(t.TempDir(), "restored")
		_, err := archive.Restore(t.Context(), to, "", bytes.NewReader(c.backup), quiet)
		if !errors.Is(err, archive.ErrBackup) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", what, err, c.says)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(to), "*")); len(left) > 0 {
			t.Errorf("%s leaves %v", what, left)
		}
		// Who fetches a backup finds out as well, before a file is called one.
		if _, err := archive.Keep(io.Discard, bytes.NewReader(c.backup), archive.Keys{}, quiet); !errors.Is(err, archive.ErrBackup) {
			t.Errorf("%s is kept: %v", what, err)
		}
	}
}

func TestBadSnapshotInABackupIsLeftOut(t *testing.T) {
	dir, _ := makeWorld(t)
	names, data := entries(t, backedUp(t, dir, false))
	for _, name := range names {
		if strings.HasPrefix(name, "snapshots/") {
			data[name][len(data[name])/2] ^= 1
		}
	}
	to := filepath.Join(t.TempDir(), "restored")
	r, err := archive.Restore(t.Context(), to, "", bytes.NewReader(packed(t, names, data)), quiet)
	if err != nil || r.BadSnapshot == nil || r.Snapshot != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if got := verified(t, to); got.Snapshots != 0 || got.Batches != r.Batches {
		t.Errorf("%+v", got)
	}
}

func TestRestoreNeedsAFreshPlace(t *testing.T) {
	dir, _ := makeWorld(t)
	_, err := archive.Restore(t.Context(), dir, "", bytes.NewReader(backedUp(t, dir, false)), quiet)
	if err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Error(err)
	}
}
