package login

import (
	"bytes"
	"strings"
	"testing"

	"bourse/internal/seal"
)

func key(t *testing.T) *seal.Key {
	t.Helper()
	k, err := seal.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPasswords(t *testing.T) {
	k := key(t)
	sealed := SealPassword(k, "correct horse")
	if !Matches(k, sealed, "correct horse") || Matches(k, sealed, "correct Horse") || Matches(k, nil, "correct horse") || Matches(key(t), sealed, "correct horse") {
		t.Error("the wrong password matches, or the right one does not")
	}
	if bytes.Equal(sealed, SealPassword(k, "correct horse")) || bytes.Contains(sealed, []byte("argon2id")) {
		t.Error("a hash is not sealed")
	}
	for _, damaged := range []string{"", "$argon2id$v=19$m=0,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$", "$argon2id$v=19$m=19456,t=2,p=1$short$hash"} {
		if Matches(k, k.Seal([]byte(damaged), passwordPurpose), "") {
			t.Errorf("%q matches", damaged)
		}
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
