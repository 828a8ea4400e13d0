package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"strings"
	"sync"
	"testing"
)

// signature is what the standard library makes of it.
func signature(secret, payload []byte) string {
	mac := hmac.New(sha512.New, secret)
	mac.Write(payload)
	return hex.EncodeToString(mac.Sum(nil))
}

// filler is so many bytes that differ.
func filler(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

func TestSignaturesAreThoseOfTheStandardLibrary(t *testing.T) {
	for _, keySize := range []int{0, 1, 32, 64, 127, 128, 129, 1000} {
		key := filler(keySize)
		s := NewSecret(key)
		for _, size := range []int{0, 1, 111, 112, 127, 128, 129, 240, 1000, 100_000} {
			payload := filler(size)
			want := signature(key, payload)
			if got := s.Sign(payload); got != want {
				t.Errorf("key of %d bytes, payload of %d: %s, want %s", keySize, size, got, want)
			}
			if !s.Check(payload, []byte(want)) {
				t.Errorf("key of %d bytes, payload of %d: refused", keySize, size)
			}
		}
	}
}

func TestSignaturesThatAreNot(t *testing.T) {
	s, payload := NewSecret([]byte("secret")), []byte("eyJub25jZSI6MX0=")
	good := s.Sign(payload)
	for i := range good {
		wrong := []byte(good)
		wrong[i] ^= 1
		if s.Check(payload, wrong) {
			t.Errorf("accepted with a wrong digit %d", i)
		}
	}
	for _, wrong := range []string{"", good[1:], good + "0", " " + good, strings.ToUpper(good)} {
		if s.Check(payload, []byte(wrong)) {
			t.Errorf("accepted %q", wrong)
		}
	}
	if s.Check(payload[1:], []byte(good)) || NewSecret([]byte("Secret")).Check(payload, []byte(good)) {
		t.Error("accepted for another payload or of another secret")
	}
}

func TestSecretsOwnTheirMemory(t *testing.T) {
	key := []byte("secret")
	s := NewSecret(key)
	clear(key)
	if s.Sign(nil) != signature([]byte("secret"), nil) {
		t.Error("the secret changed with the memory that it was made of")
	}
}

func TestSecretsAreSafeForConcurrentUse(t *testing.T) {
	var all sync.WaitGroup
	for i := range 4 {
		s, payload := NewSecret(filler(i)), filler(100*i)
		want := []byte(signature(filler(i), payload))
		for range 2 {
			all.Go(func() {
				for range 500 {
					if !s.Check(payload, want) {
						t.Error("a good signature was refused")
						return
					}
				}
			})
		}
	}
	all.Wait()
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte("secret"), []byte("payload"), []byte(signature([]byte("secret"), []byte("payload"))))
	f.Add([]byte{}, []byte{}, []byte(strings.Repeat("0", SignatureSize)))
	f.Add(filler(129), filler(240), []byte("A"))
	f.Fuzz(func(t *testing.T, key, payload, given []byte) {
		s, want := NewSecret(key), []byte(signature(key, payload))
		if got := s.Check(payload, given); got != bytes.Equal(given, want) {
			t.Errorf("%q: %v, and the signature is %q", given, got, want)
		}
		if !s.Check(payload, want) {
			t.Error("a good signature was refused")
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	s, payload := NewSecret(filler(64)), filler(240)
	good := []byte(s.Sign(payload))
	b.ReportAllocs()
	for b.Loop() {
		if !s.Check(payload, good) {
			b.Fatal("refused")
		}
	}
}
