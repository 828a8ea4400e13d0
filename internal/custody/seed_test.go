package custody

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bourse/internal/seal"
)

func masterKey(t testing.TB, dir string) *seal.Key {
	t.Helper()
	key, err := seal.Load(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestASeedComesBack(t *testing.T) {
	dir := t.TempDir()
	key := masterKey(t, dir)
	if _, err := Open(dir, key); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "bourse custody create") {
		t.Error(err)
	}
	s, err := Create(dir, key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, SeedFile)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	sealed, err := os.ReadFile(path)
	if err != nil || bytes.Contains(sealed, s.raw) || len(s.raw) != seedSize {
		t.Errorf("%d bytes, %v", len(sealed), err)
	}
	back, err := Open(dir, masterKey(t, dir))
	if err != nil || publicOf(t, back, bitcoinMain).Print() != publicOf(t, s, bitcoinMain).Print() {
		t.Errorf("another seed, %v", err)
	}
	if _, err := Create(dir, key); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, sealed) {
		t.Error("the seed was replaced")
	}
	if names, _ := os.ReadDir(dir); len(names) != 3 { // the seed, the master key and its check
		t.Error(names)
	}
	other, err := Create(t.TempDir(), key)
	if err != nil || bytes.Equal(other.raw, s.raw) {
		t.Error("two seeds are equal")
	}
}

func TestASeedOpensWithItsMasterKeyOnly(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(dir, masterKey(t, dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, masterKey(t, t.TempDir())); !errors.Is(err, seal.ErrWrong) {
		t.Error(err)
	}
	key, path := masterKey(t, dir), filepath.Join(dir, SeedFile)
	for name, data := range map[string][]byte{"garbage": []byte("garbage"), "short": key.Seal([]byte("short"), SeedFile), "purpose": key.Seal(make([]byte, 32), "x")} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, key); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
