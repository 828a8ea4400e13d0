package account

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"bourse/internal/disk"
	"bourse/internal/seal"
)

const signerPurpose = "jwt key"

// LoadSigner reads the key that signs JWTs, sealed by the master key, and makes one where there
// is none. Nodes on one log should share the file, or tokens of one are not known by the public
// key of another.
func LoadSigner(path string, key *seal.Key) (*rsa.PrivateKey, error) {
	sealed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newSigner(path, key)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the key that signs tokens: %w", err)
	}
	plain, err := key.Open(sealed, signerPurpose)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w; remove the file to have a new one made", path, err)
	}
	signer, err := x509.ParsePKCS1PrivateKey(plain)
	if err != nil {
		return nil, fmt.Errorf("%s does not hold a key: %w; remove the file to have a new one made", path, err)
	}
	return signer, nil
}

func newSigner(path string, key *seal.Key) (*rsa.PrivateKey, error) {
	signer, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, fmt.Errorf("making a key that signs tokens: %w", err)
	}
	return signer, disk.Replace(path, key.Seal(x509.MarshalPKCS1PrivateKey(signer), signerPurpose))
}
