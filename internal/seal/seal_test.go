package seal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func load(t *testing.T, dir string) *Key {
	t.Helper()
	k, err := Load(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestSealedSecretComesBackAfterARestart(t *testing.T) {
	dir := t.TempDir()
	sealed := load(t, dir).Seal([]byte("secret"), "key of alice")
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the secret can be read")
	}
	got, err := load(t, dir).Open(sealed, "key of alice")
	if err != nil || string(got) != "secret" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSecretOpensForItsPurposeOnly(t *testing.T) {
	k := load(t, t.TempDir())
	sealed := k.Seal([]byte("secret"), "key of alice")
	if _, err := k.Open(sealed, "key of bob"); !errors.Is(err, ErrWrong) {
		t.Errorf("got %v", err)
	}
	sealed[len(sealed)/2] ^= 1
	if _, err := k.Open(sealed, "key of alice"); !errors.Is(err, ErrWrong) {
		t.Errorf("damaged: got %v", err)
	}
	if _, err := k.Open(nil, ""); !errors.Is(err, ErrWrong) {
		t.Errorf("empty: got %v", err)
	}
}

func TestKeyIsForItsOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	load(t, dir)
	info, err := os.Stat(filepath.Join(dir, KeyFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestMissingWrongAndMalformedKeysAreTold(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	load(t, dir)
	load(t, other)
	path := filepath.Join(dir, KeyFile)
	foreign, err := os.ReadFile(filepath.Join(other, KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		change func() error
		want   error
		text   string
	}{
		"missing":   {func() error { return os.Remove(path) }, ErrMissing, path},
		"wrong":     {func() error { return os.WriteFile(path, foreign, 0o600) }, ErrWrong, path},
		"malformed": {func() error { return os.WriteFile(path, []byte("not a key\n"), 0o600) }, nil, "64 hexadecimal digits"},
	}
	for name, c := range cases {
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		for _, open := range []func(string, string) (*Key, error){Load, Read} {
			_, err := open(dir, "")
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

// TestReadChangesNothing: who only looks makes no key and no check of one.
func TestReadChangesNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir, ""); !errors.Is(err, ErrMissing) {
		t.Errorf("a directory without a key: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	sealed := load(t, dir).Seal([]byte("secret"), "")
	check := filepath.Join(dir, CheckFile)
	for range 2 {
		k, err := Read(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := k.Open(sealed, ""); err != nil || string(got) != "secret" {
			t.Errorf("got %q, %v", got, err)
		}
		if err := os.RemoveAll(check); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(check); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the check is back: %v", err)
	}
}

func TestDeathBetweenTheTwoFilesIsHealed(t *testing.T) {
	dir := t.TempDir()
	sealed := load(t, dir).Seal([]byte("secret"), "x")
	if err := os.Remove(filepath.Join(dir, CheckFile)); err != nil {
		t.Fatal(err)
	}
	if got, err := load(t, dir).Open(sealed, "x"); err != nil || string(got) != "secret" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(dir, CheckFile)); err != nil {
		t.Error(err)
	}
}

// TestDigestsAreOfOnePurposeAndKey: the same secret has the same digest after a restart, and another for another purpose, with another
// key, or if its parts are cut elsewhere.
func TestDigestsAreOfOnePurposeAndKey(t *testing.T) {
	dir := t.TempDir()
	digest := load(t, dir).Digest("code", "secret", "word")
	if load(t, dir).Digest("code", "secret", "word") != digest {
		t.Error("another digest after a restart")
	}
	for name, other := range map[string][32]byte{
		"purpose": load(t, dir).Digest("codes", "secret", "word"),
		"key":     load(t, t.TempDir()).Digest("code", "secret", "word"),
		"cut":     load(t, dir).Digest("code", "secretw", "ord"),
		"part":    load(t, dir).Digest("code", "secretword"),
	} {
		if other == digest {
			t.Errorf("the same digest with another %s", name)
		}
	}
}
