// Package seal hides secrets before they enter a command: API secrets, webhook secrets, OAuth
// secrets are in the log and in snapshots only in sealed form, and the master key that opens
// them is in neither.
//
// The key is a file beside the data, or in a place apart from them. An operator who lost it can start
// the exchange no more than one who has the wrong one: both hear it at the start, and not
// when the first customer comes.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// ErrWrong means that the key does not open what was sealed.
var ErrWrong = errors.New("the master key is the wrong one, or the sealed data was damaged")

// Key opens and seals.
type Key struct {
	aead cipher.AEAD
	mac  [sha256.Size]byte // the key of digests, made from the master key
}

func newKey(raw []byte) (*Key, error) {
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Key{aead, digest(raw, "digests")}, nil
}

func digest(key []byte, text ...string) (d [sha256.Size]byte) {
	mac := hmac.New(sha256.New, key)
	for _, part := range text {
		mac.Write(binary.AppendUvarint(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	mac.Sum(d[:0])
	return d
}

// Digest is what a secret can be recognized by, and without the key not even guessed. What it is for is bound to it.
func (k *Key) Digest(purpose string, secret ...string) [sha256.Size]byte {
	return digest(k.mac[:], append([]string{purpose}, secret...)...)
}

// Seal hides a secret. What it is for is bound to it: sealed for one purpose it does not open for
// another.
func (k *Key) Seal(secret []byte, purpose string) []byte {
	return k.aead.Seal(nil, nil, secret, []byte(purpose))
}

// Open is the secret that was sealed for a purpose.
func (k *Key) Open(sealed []byte, purpose string) ([]byte, error) {
	secret, err := k.aead.Open(nil, nil, sealed, []byte(purpose))
	if err != nil {
		return nil, ErrWrong
	}
	return secret, nil
}
