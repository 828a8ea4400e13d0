package auth

import (
	"crypto/sha512"
	"crypto/subtle"
	"encoding"
	"encoding/hex"
	"fmt"
	"hash"
	"sync"
)

// SignatureSize is the length of a signature: HMAC-SHA512 in hexadecimal.
const SignatureSize = 2 * sha512.Size

// Secret is an API secret that is ready to check signatures. Of HMAC-SHA512 it has done already
// what depends on the secret alone, which is half of the work for a short payload. It is safe for
// concurrent use.
type Secret struct {
	inner, outer []byte // saved states of the two hashes, each after its block of the key
}

// worker is what one computation needs.
type worker struct {
	hash      digest
	sum       [sha512.Size]byte
	signature [SignatureSize]byte
}

type digest interface {
	hash.Hash
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

var workers = sync.Pool{New: func() any { return &worker{hash: sha512.New().(digest)} }}

// NewSecret prepares a secret.
func NewSecret(secret []byte) *Secret {
	var key [sha512.BlockSize]byte
	if len(secret) > len(key) {
		sum := sha512.Sum512(secret)
		secret = sum[:]
	}
	copy(key[:], secret)
	return &Secret{inner: saved(key, 0x36), outer: saved(key, 0x5c)}
}

// saved is the state of SHA-512 after a key in which the bits of pad were flipped (RFC 2104).
func saved(key [sha512.BlockSize]byte, pad byte) []byte {
	for i := range key {
		key[i] ^= pad
	}
	h := sha512.New().(digest)
	h.Write(key[:])
	state, err := h.MarshalBinary()
	if err != nil {
		panic(fmt.Sprintf("auth: SHA-512 does not save its state: %v", err))
	}
	return state
}

// Check reports whether a signature is that of a payload. Signatures are in lower case. How long
// it takes does not depend on how much of the signature is right.
func (s *Secret) Check(payload, signature []byte) bool {
	w := workers.Get().(*worker)
	s.sign(w, payload)
	// The computed one is written out rather than the given one read in: so there is one way
	// only to write a signature.
	good := subtle.ConstantTimeCompare(w.signature[:], signature) == 1
	workers.Put(w)
	return good
}

// Sign is the signature of a payload.
func (s *Secret) Sign(payload []byte) string {
	w := workers.Get().(*worker)
	s.sign(w, payload)
	signature := string(w.signature[:])
	workers.Put(w)
	return signature
}

func (s *Secret) sign(w *worker, payload []byte) {
	w.restore(s.inner)
	w.hash.Write(payload)
	w.hash.Sum(w.sum[:0])
	w.restore(s.outer)
	w.hash.Write(w.sum[:])
	w.hash.Sum(w.sum[:0])
	hex.Encode(w.signature[:], w.sum[:])
}

func (w *worker) restore(state []byte) {
	if err := w.hash.UnmarshalBinary(state); err != nil {
		panic(fmt.Sprintf("auth: SHA-512 does not know its own state: %v", err))
	}
}
