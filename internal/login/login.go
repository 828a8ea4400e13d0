// Package login is how what people sign in with enters the log: logins as digests and sealed, passwords as sealed argon2id hashes, links
// and cookies as digests of random bytes.
//
// What must hold: nothing that somebody could sign in with can be read from the log without the master key; random values are so long
// that their digests need no key.
package login

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"bourse/internal/schema"
	"bourse/internal/seal"
)

// What is sealed, and what digests are of.
const (
	namePurpose     = "user login"
	passwordPurpose = "user password"
	seedPurpose     = "totp seed"
)

// MaxName is the longest login, in bytes: as long as an address of e-mail can be.
const MaxName = 254

// ErrName means that a text cannot be a login.
var ErrName = errors.New("a login has 1 to 254 bytes, and no spaces or characters that cannot be seen")

// Check refuses what cannot be a login.
func Check(name string) error {
	if name == "" || len(name) > MaxName || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return ErrName
	}
	return nil
}

// Digest is what a login is found by. Capitals do not matter.
func Digest(k *seal.Key, name string) schema.Digest {
	return k.Digest(namePurpose, strings.ToLower(name))
}

// SealName hides a login, and OpenName is what was hidden; "" if it cannot be opened.
func SealName(k *seal.Key, name string) []byte { return k.Seal([]byte(name), namePurpose) }

func OpenName(k *seal.Key, sealed []byte) string {
	name, err := k.Open(sealed, namePurpose)
	if err != nil {
		return ""
	}
	return string(name)
}

// SealSeed hides the seed of an authenticator, and OpenSeed is what was hidden; nil if it cannot be opened.
func SealSeed(k *seal.Key, seed []byte) []byte { return k.Seal(seed, seedPurpose) }

func OpenSeed(k *seal.Key, sealed []byte) []byte {
	seed, err := k.Open(sealed, seedPurpose)
	if err != nil {
		return nil
	}
	return seed
}

// Random is a text of 256 random bits, for links and cookies.
func Random() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // it never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}

// Hash is the digest of a text of Random.
func Hash(text string) schema.Digest { return sha256.Sum256([]byte(text)) }

// Welcome is the page on which an invitation is accepted. What is behind the # is sent to no server by itself.
const Welcome = "/welcome#"
