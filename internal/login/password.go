package login

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"bourse/internal/seal"
)

// The cost of a password: OWASP's second choice, which takes 19 MiB and about 90 ms on one core here. They stand beside each hash, so that
// they may grow.
const (
	memoryKiB  = 19 << 10
	passes     = 2
	threads    = 1
	saltBytes  = 16
	hashBytes  = 32
	hashFormat = "$argon2id$v=19$m=%d,t=%d,p=%d$"
)

// Bounds of a password, in bytes.
const (
	MinPassword = 12
	MaxPassword = 128
)

// ErrPassword means that a text cannot be a password.
var ErrPassword = errors.New("a password has 12 to 128 bytes")

// CheckPassword refuses what cannot be a password.
func CheckPassword(password string) error {
	if len(password) < MinPassword || len(password) > MaxPassword {
		return ErrPassword
	}
	return nil
}

// SealPassword is the sealed hash of a password.
func SealPassword(k *seal.Key, password string) []byte {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // it never fails
	hash := argon2.IDKey([]byte(password), salt, passes, memoryKiB, threads, hashBytes)
	text := fmt.Appendf(nil, hashFormat, memoryKiB, passes, threads)
	text = base64.RawStdEncoding.AppendEncode(text, salt)
	text = base64.RawStdEncoding.AppendEncode(append(text, '$'), hash)
	return k.Seal(text, passwordPurpose)
}

// Matches reports whether a password has a sealed hash. It takes as long where there is none, so that nobody learns who there is.
func Matches(k *seal.Key, sealed []byte, password string) bool {
	kept, err := opened(k, sealed)
	if err != nil {
		argon2.IDKey([]byte(password), make([]byte, saltBytes), passes, memoryKiB, threads, hashBytes)
		return false
	}
	got := argon2.IDKey([]byte(password), kept.salt, kept.passes, kept.memory, kept.threads, hashBytes)
	return subtle.ConstantTimeCompare(got, kept.hash) == 1
}

// kept is what is kept of a password.
type kept struct {
	memory, passes uint32
	threads        uint8
	salt, hash     []byte
}

var errHash = errors.New("the hash of a password cannot be read")

func opened(k *seal.Key, sealed []byte) (p kept, err error) {
	text, err := k.Open(sealed, passwordPurpose)
	if err != nil {
		return p, err
	}
	var tail string
	if n, _ := fmt.Sscanf(string(text), hashFormat+"%s", &p.memory, &p.passes, &p.threads, &tail); n != 4 {
		return p, errHash
	}
	salt, hash, _ := strings.Cut(tail, "$")
	p.salt, err = base64.RawStdEncoding.DecodeString(salt)
	if err == nil {
		p.hash, err = base64.RawStdEncoding.DecodeString(hash)
	}
	if err != nil || len(p.salt) != saltBytes || len(p.hash) != hashBytes || p.memory == 0 || p.passes == 0 || p.threads == 0 {
		return p, errHash
	}
	return p, nil
}
