package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func mustDir(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func mustWrite(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCloseGivesUpTheLock although a copy of its file is still open, as it is while another program is started.
func TestCloseGivesUpTheLock(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := syscall.Dup(int(d.lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(copied)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	mustDir(t, path)
}

func TestDirectoryBelongsToOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "data")
	d := mustDir(t, path)
	if _, err := OpenDir(path); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	mustDir(t, path)
}

func TestDirectoryIsPrivate(t *testing.T) {
	mode := func(path string) os.FileMode {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	path := filepath.Join(t.TempDir(), "data")
	for _, bad := range []os.FileMode{0o777, 0o770, 0o702, 0o720} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, bad); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenDir(path); err == nil || !strings.Contains(err.Error(), "chmod go-w "+path) {
			t.Errorf("%04o: got %v", bad, err)
		}
	}
	// Others may look into it, but not into what is in it.
	for _, name := range []string{"journal", "history", "snapshots"} {
		if err := os.MkdirAll(filepath.Join(path, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(path, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	mustDir(t, path)
	for _, name := range []string{"journal", "history", "snapshots"} {
		if got := mode(filepath.Join(path, name)); got != 0o700 {
			t.Errorf("%s has mode %04o", name, got)
		}
	}
}

func TestDirectoryOfANewerProgramIsLeftAlone(t *testing.T) {
	path := t.TempDir()
	file := filepath.Join(path, "format")
	mustWrite(t, file, []byte("2\n"))
	if _, err := OpenDir(path); err == nil || !strings.Contains(err.Error(), "newer Bourse (format 2, this program knows 1)") {
		t.Errorf("got %v", err)
	}
	// The lock was given back, and the format is still the newer one.
	if data, err := os.ReadFile(file); err != nil || string(data) != "2\n" {
		t.Errorf("%q, %v", data, err)
	}
	mustWrite(t, file, []byte("1\n"))
	mustDir(t, path)
}

func TestDirectoryOfSomethingElseIsLeftAlone(t *testing.T) {
	path := t.TempDir()
	for _, text := range []string{"", "a poem", "1.5"} {
		mustWrite(t, filepath.Join(path, "format"), []byte(text))
		if _, err := OpenDir(path); err == nil || !strings.Contains(err.Error(), "is "+path+" the data directory of a Bourse?") {
			t.Errorf("%q: %v", text, err)
		}
	}
	file := filepath.Join(path, "file")
	mustWrite(t, file, nil)
	if _, err := OpenDir(file); err == nil || !strings.Contains(err.Error(), "making the data directory") {
		t.Errorf("got %v", err)
	}
}
