package login

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"bourse/internal/argon"
	"bourse/internal/seal"
)

func key(t *testing.T) *seal.Key {
	t.Helper()
	k, err := seal.Load(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPasswords(t *testing.T) {
	k := key(t)
	made := func() []byte {
		sealed, err := SealPassword(t.Context(), k, argon.Here, "correct horse")
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}
	matches := func(k *seal.Key, sealed []byte, password string) bool {
		right, err := Matches(t.Context(), k, argon.Here, sealed, password)
		if err != nil {
			t.Fatal(err)
		}
		return right
	}
	sealed := made()
	if !matches(k, sealed, "correct horse") || matches(k, sealed, "correct Horse") || matches(k, nil, "correct horse") || matches(key(t), sealed, "correct horse") {
		t.Error("the wrong password matches, or the right one does not")
	}
	if bytes.Equal(sealed, made()) || bytes.Contains(sealed, []byte("argon2id")) {
		t.Error("a hash is not sealed")
	}
	for _, damaged := range []string{"", "$argon2id$v=19$m=0,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$", "$argon2id$v=19$m=19456,t=2,p=1$short$hash"} {
		if matches(k, k.Seal([]byte(damaged), passwordPurpose), "") {
			t.Errorf("%q matches", damaged)
		}
	}
	broken := func(context.Context, *argon.Input) ([]byte, error) { return nil, errors.ErrUnsupported }
	if right, err := Matches(t.Context(), k, broken, sealed, "correct horse"); right || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v, %v where nothing can be hashed", right, err)
	}
	if sealed, err := SealPassword(t.Context(), k, broken, "correct horse"); sealed != nil || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%x, %v where nothing can be hashed", sealed, err)
	}
	for password, good := range map[string]bool{"11 bytes...": false, "12 bytes....": true, strings.Repeat("x", 128): true, strings.Repeat("x", 129): false} {
		if (CheckPassword(password) == nil) != good {
			t.Errorf("%q", password)
		}
	}
}

func TestLogins(t *testing.T) {
	k := key(t)
	if Digest(k, "Alice@example.com") != Digest(k, "aLICE@EXAMPLE.COM") || Digest(k, "alice") == Digest(k, "alicf") || Digest(k, "alice") == Digest(key(t), "alice") {
		t.Error("logins do not differ by their letters and the key alone")
	}
	sealed := SealName(k, "Alice")
	if OpenName(k, sealed) != "Alice" || OpenName(key(t), sealed) != "" || bytes.Contains(sealed, []byte("Alice")) || OpenSeed(k, sealed) != nil {
		t.Error("a login is not sealed for itself")
	}
	for name, good := range map[string]bool{"a": true, "ä@b.example": true, "": false, "a b": false, "a\x00": false, "a\xff": false, strings.Repeat("x", 254): true, strings.Repeat("x", 255): false} {
		if (Check(name) == nil) != good {
			t.Errorf("%q", name)
		}
	}
	if a, b := Random(), Random(); a == b || len(a) != 43 {
		t.Errorf("%q and %q", a, b)
	}
}
