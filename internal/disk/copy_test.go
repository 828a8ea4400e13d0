package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestCopyTreeKeepsPermissions(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	if err := os.MkdirAll(filepath.Join(from, "keys"), 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]fs.FileMode{"log": 0o644, "keys/master.key": 0o600, "keys/tool": 0o700}
	for name, mode := range files {
		if err := os.WriteFile(filepath.Join(from, name), []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := CopyTree(to, from); err != nil {
		t.Fatal(err)
	}
	for name, mode := range files {
		text, err := os.ReadFile(filepath.Join(to, name))
		info, err2 := os.Stat(filepath.Join(to, name))
		if err := errors.Join(err, err2); err != nil || string(text) != name || info.Mode().Perm() != mode {
			t.Errorf("%s: %q %v %v, want %v", name, text, info.Mode(), err, mode)
		}
	}
	if info, err := os.Stat(filepath.Join(to, "keys")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
	if err := CopyTree(to, from); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a copy over another one: %v", err)
	}
	if err := CopyTree(filepath.Join(to, "none"), filepath.Join(from, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing to copy: %v", err)
	}
	if err := os.Symlink("log", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	if err := CopyTree(filepath.Join(t.TempDir(), "to"), from); err == nil || err.Error() != filepath.Join(from, "link")+" is neither a file nor a directory" {
		t.Errorf("a link: %v", err)
	}
}
