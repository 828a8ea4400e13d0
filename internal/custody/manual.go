package custody

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bourse/internal/disk"
	"bourse/internal/network/bitcoin"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// PublicFile in the directory of a manual signer has the public half of the keys, which 'bourse custody public' wrote where the seed is.
const PublicFile = "custody.public"

// Manual asks people: for each transaction it writes files into a directory, and waits until one with the signed transaction is there. With the name
// payout-ID-VARIANT they are
//
//	.psbt, .rawtx   what is to be signed, for wallets: a PSBT in base64, or what is hashed of an EVM transaction in hexadecimal digits
//	.txt            what it does, for people
//	.json           the whole request, for 'bourse custody sign'; the last that is written
//	.signed         the signed transaction in hexadecimal digits, or a PSBT with all signatures
type Manual struct{ dir string }

// NewManual makes the directory where it is not there.
func NewManual(dir string) (*Manual, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the directory of what is to be signed: %w", err)
	}
	return &Manual{dir}, nil
}

// Sign implements driver.Signer.
func (m *Manual) Sign(_ context.Context, r *driver.Request) ([]byte, error) {
	base := filepath.Join(m.dir, fmt.Sprintf("payout-%d-%d", r.Payout, r.Variant))
	before, err := ReadRequest(base + ".json")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.Join(write(base, r), driver.ErrWaiting)
	case err != nil:
		return nil, err
	case !bytes.Equal(before.Unsigned, r.Unsigned):
		return nil, fmt.Errorf("%s.json asks for another transaction: move the files of an older exchange away", base)
	}
	text, err := os.ReadFile(base + ".signed")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, driver.ErrWaiting
	}
	if err != nil {
		return nil, fmt.Errorf("reading a signature: %w", err)
	}
	raw, err := signedBytes(r.Chain.Family, text)
	if err != nil {
		return nil, fmt.Errorf("%s.signed: %w", base, err)
	}
	return raw, nil
}

// write writes the files of a request. Those that are there without the last one are of a process that died.
func write(base string, r *driver.Request) error {
	unsigned, name := base64.StdEncoding.EncodeToString(r.Unsigned)+"\n", ".psbt"
	if r.Chain.Family == schema.EVM {
		unsigned, name = "0x"+hex.EncodeToString(r.Unsigned)+"\n", ".rawtx"
	}
	for _, file := range []struct {
		name string
		data []byte
	}{{name, []byte(unsigned)}, {".txt", []byte(Describe(r))}, {".json", append(wire.AppendJSON(nil, r), '\n')}} {
		if err := disk.Replace(base+file.name, file.data); err != nil {
			return err
		}
	}
	return nil
}

// signedBytes reads a signed transaction as people bring it.
func signedBytes(family schema.Family, text []byte) ([]byte, error) {
	trimmed := strings.TrimSpace(string(text))
	if raw, err := hex.DecodeString(strings.TrimPrefix(trimmed, "0x")); err == nil && len(raw) > 0 {
		return raw, nil
	}
	if family != schema.Bitcoin {
		return nil, errors.New("it is not a transaction in hexadecimal digits")
	}
	packet := text
	if decoded, err := base64.StdEncoding.DecodeString(trimmed); err == nil {
		packet = decoded
	}
	return bitcoin.Finish(packet)
}

// ReadRequest reads a request that a manual signer wrote.
func ReadRequest(path string) (*driver.Request, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading what is to be signed: %w", err)
	}
	var r driver.Request
	if err := wire.DecodeJSON(bytes.TrimSpace(text), &r); err != nil {
		return nil, fmt.Errorf("%s is no request of a manual signer: %w", path, err)
	}
	return &r, nil
}

// Check refuses a request whose transaction does something else than the request says, so that a person who reads the one knows the other.
// Dir is where the seed is.
func (s *Seed) Check(dir string, r *driver.Request) error {
	k, err := knownTo(dir, s, r.Chain.Space())
	if err != nil {
		return err
	}
	_, err = inspect(k, r)
	return err
}

// SignFile signs a request of a manual signer, and writes the signed transaction beside it. Dir is where the seed is.
func (s *Seed) SignFile(dir, path string) (signed string, err error) {
	base, ok := strings.CutSuffix(path, ".json")
	if !ok {
		return "", fmt.Errorf("%s is not the .json file of what is to be signed", path)
	}
	r, err := ReadRequest(path)
	if err != nil {
		return "", err
	}
	if err := s.Check(dir, r); err != nil {
		return "", err
	}
	raw, err := s.sign(r)
	if err != nil {
		return "", err
	}
	return base + ".signed", disk.Replace(base+".signed", []byte(hex.EncodeToString(raw)+"\n"))
}

// Public implements Signer.
func (m *Manual) Public(_ context.Context, space schema.Space) (Public, error) {
	path := filepath.Join(m.dir, PublicFile)
	p, err := readPublic(path, space)
	if errors.Is(err, fs.ErrNotExist) {
		return Public{}, fmt.Errorf("there are no public keys: write them with 'bourse custody public --out' where the seed is, and bring them to %s", path)
	}
	if err != nil {
		return Public{}, err
	}
	return *p, nil
}

// WritePublic writes the public half of keys into a file for a manual signer.
func WritePublic(path string, list []Public) error {
	var text []byte
	for _, p := range list {
		text = fmt.Appendf(text, "%x\n", p.Marshal())
	}
	return disk.Replace(path, text)
}
