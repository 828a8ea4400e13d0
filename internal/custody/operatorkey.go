package custody

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"bourse/internal/disk"
)

// The key by which an operator signs approvals is in a file on the operator's machine (PEM, PKCS #8), and never leaves it. Signers know
// the public half.

const privateBlock = "PRIVATE KEY"

// CreateOperatorKey makes a key in a new file.
func CreateOperatorKey(path string) (ed25519.PublicKey, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	err = disk.Create(path, pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: text}))
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s is there already: a key is never replaced", path)
	}
	return public, err
}

// ReadOperatorKey reads a key. One that others could have read is none.
func ReadOperatorKey(path string) (ed25519.PrivateKey, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the operator's key: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading the operator's key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by others; make a new key, or run 'chmod 600 %s' if nobody has read it", path, path)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("reading the operator's key: %w", err)
	}
	if block, _ := pem.Decode(text); block != nil && block.Type == privateBlock {
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if private, is := key.(ed25519.PrivateKey); is {
				return private, nil
			}
		}
	}
	return nil, fmt.Errorf("%s holds no key of an operator, which 'bourse operator key create' makes", path)
}

// PublicText is a public key as limits.json has it.
func PublicText(key ed25519.PublicKey) string { return hex.EncodeToString(key) }

func parsePublicText(text string) (ed25519.PublicKey, error) {
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("%q is no public key of an operator; it has %d hexadecimal digits, and 'bourse operator key show' prints it", text, 2*ed25519.PublicKeySize)
	}
	return key, nil
}
