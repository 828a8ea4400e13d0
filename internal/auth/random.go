package auth

import (
	"crypto/rand"
	"encoding/hex"
)

// How much chance is in the two parts of an API key, in bytes.
const (
	keyBytes    = 16
	secretBytes = 32
)

// NewPair makes an API key and its secret, in hexadecimal digits.
func NewPair() (key, secret string) { return Random(keyBytes), Random(secretBytes) }

// Random is a text of hexadecimal digits that nobody can guess, made from so many random bytes.
func Random(bytes int) string {
	chance := make([]byte, bytes)
	_, _ = rand.Read(chance) // never fails: the program ends if the system has none
	return hex.EncodeToString(chance)
}
