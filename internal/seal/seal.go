// Package seal hides secrets before they enter a command: API secrets, webhook secrets, OAuth
// secrets are in the log and in snapshots only in sealed form, and the master key that opens
// them is in neither.
//
// The key is a file beside the data, readable by its owner only. An operator who lost it can start
// the exchange no more than one who has the wrong one: both hear it at the start, and not
// when the first customer comes.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bourse/internal/disk"
)

// Files of a data directory: the key, and what it is checked by.
const (
	KeyFile   = "master.key"
	CheckFile = "master.check"
)

const keySize = 32

// checkText is sealed in CheckFile, so that a wrong key is noticed.
const checkText = "bourse master key"

var (
	// ErrMissing means that there is sealed data but no key.
	ErrMissing = errors.New("the master key is missing")
	// ErrWrong means that the key does not open what was sealed.
	ErrWrong = errors.New("the master key is the wrong one, or the sealed data was damaged")
)

// Key opens and seals.
type Key struct {
	aead cipher.AEAD
	mac  [sha256.Size]byte // the key of digests, made from the master key
}

// Load reads the master key of a data directory, and makes one for a directory that never had
// one.
func Load(dir string) (*Key, error) {
	k, checked, err := read(dir)
	switch {
	case err != nil:
		return nil, err
	case k == nil:
		return create(filepath.Join(dir, KeyFile), filepath.Join(dir, CheckFile))
	case !checked: // the process died between the two files
		return k, k.writeCheck(filepath.Join(dir, CheckFile))
	}
	return k, nil
}

// Read reads the master key of a data directory and changes nothing there.
func Read(dir string) (*Key, error) {
	k, _, err := read(dir)
	if err == nil && k == nil {
		return nil, missing(dir)
	}
	return k, err
}

func missing(dir string) error {
	return fmt.Errorf("%w: put the key that this exchange was started with into %s", ErrMissing, filepath.Join(dir, KeyFile))
}

// read is the key of a directory, and whether it was checked; nil: the directory never had one.
func read(dir string) (k *Key, checked bool, err error) {
	keyPath := filepath.Join(dir, KeyFile)
	text, err := os.ReadFile(keyPath)
	check, checkErr := os.ReadFile(filepath.Join(dir, CheckFile))
	switch {
	case errors.Is(err, fs.ErrNotExist) && errors.Is(checkErr, fs.ErrNotExist):
		return nil, false, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, missing(dir)
	case err != nil:
		return nil, false, fmt.Errorf("reading the master key: %w", err)
	case checkErr != nil && !errors.Is(checkErr, fs.ErrNotExist):
		return nil, false, fmt.Errorf("reading the check of the master key: %w", checkErr)
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(raw) != keySize {
		return nil, false, fmt.Errorf("%s does not hold a key of %d hexadecimal digits", keyPath, 2*keySize)
	}
	if k, err = newKey(raw); err != nil || checkErr != nil {
		return k, false, err
	}
	if opened, err := k.Open(check, CheckFile); err != nil || string(opened) != checkText {
		return nil, false, fmt.Errorf("%w: put the key that this exchange was started with into %s", ErrWrong, keyPath)
	}
	return k, true, nil
}

func create(keyPath, checkPath string) (*Key, error) {
	raw := make([]byte, keySize)
	if _, err := rand.Read(raw); err != nil {
		return nil, fmt.Errorf("making a master key: %w", err)
	}
	if err := disk.Replace(keyPath, []byte(hex.EncodeToString(raw)+"\n")); err != nil {
		return nil, err
	}
	k, err := newKey(raw)
	if err != nil {
		return nil, err
	}
	return k, k.writeCheck(checkPath)
}

func (k *Key) writeCheck(path string) error {
	return disk.Replace(path, k.Seal([]byte(checkText), CheckFile))
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
