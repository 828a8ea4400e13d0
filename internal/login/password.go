package login

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"bourse/internal/argon"
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
func SealPassword(ctx context.Context, k *seal.Key, hash argon.Hasher, password string) ([]byte, error) {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // it never fails
	hashed, err := hash(ctx, &argon.Input{Password: []byte(password), Salt: salt, Passes: passes, MemoryKiB: memoryKiB, Threads: threads, Bytes: hashBytes})
	if err != nil {
		return nil, err
	}
	text := fmt.Appendf(nil, hashFormat, memoryKiB, passes, threads)
	text = base64.RawStdEncoding.AppendEncode(text, salt)
	text = base64.RawStdEncoding.AppendEncode(append(text, '$'), hashed)
	return k.Seal(text, passwordPurpose), nil
}

// Matches reports whether a password has a sealed hash. It takes as long where there is none, so that nobody learns who there is.
func Matches(ctx context.Context, k *seal.Key, hash argon.Hasher, sealed []byte, password string) (bool, error) {
	kept, wrong := opened(k, sealed)
	if wrong != nil {
		kept = none
	}
	got, err := hash(ctx, &argon.Input{Password: []byte(password), Salt: kept.salt, Passes: kept.passes, MemoryKiB: kept.memory, Threads: kept.threads, Bytes: hashBytes})
	if err != nil {
		return false, err
	}
	return wrong == nil && subtle.ConstantTimeCompare(got, kept.hash) == 1, nil
}

// kept is what is kept of a password.
type kept struct {
	memory, passes uint32
	threads        uint8
	salt, hash     []byte
}

// none costs as much as what is kept of a password, where nothing is.
var none = kept{memory: memoryKiB, passes: passes, threads: threads, salt: make([]byte, saltBytes)}

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
