package custody

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Ring is the public half of all keys of a space, as far as they are known somewhere: those that pay every day, and those of cold storage,
// which come from another seed.
type Ring struct{ Hot, Cold *Public }

// Address derives one of our addresses: its canonical text, and its public key, compressed.
func (r Ring) Address(p driver.Place) (text string, public []byte, err error) {
	keys := r.Hot
	if p.Own.IsCold() {
		keys = r.Cold
	}
	if keys == nil {
		return "", nil, errors.New("the keys of cold storage are not known here: they are brought as " + ColdFile)
	}
	return keys.Address(p)
}

// Beside a seed people may lay the public half of the keys that it pays to, which 'bourse custody public --out' wrote where they are: to a
// seed that pays every day those of cold storage, and to that of cold storage those of the other. So each can tell a payment to ourselves
// from one to a stranger.
const (
	ColdFile = "cold.public"
	HotFile  = "hot.public"
)

// known is what a signer knows of addresses: all of the ring, and its own keys, which alone it signs with.
type known struct {
	own  Public
	cold bool // they are those of cold storage
	Ring
}

// knownTo is what a signer knows of a space whose seed is in a directory.
func knownTo(dir string, s *Seed, space schema.Space) (known, error) {
	own, err := s.Public(space)
	if err != nil {
		return known{}, err
	}
	cold, err := readPublic(filepath.Join(dir, ColdFile), space)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return known{}, err
	}
	hot, err := readPublic(filepath.Join(dir, HotFile), space)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return known{}, err
	}
	switch {
	case cold != nil && hot != nil:
		return known{}, fmt.Errorf("%s has both %s and %s: a seed is that of cold storage, or it is not", dir, ColdFile, HotFile)
	case hot != nil:
		return known{own, true, Ring{Hot: hot, Cold: &own}}, nil
	}
	return known{own, false, Ring{Hot: &own, Cold: cold}}, nil
}

// readPublic reads the public half of the keys of a space from a file that WritePublic wrote.
func readPublic(path string, space schema.Space) (*Public, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the public keys: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		data, err := hex.DecodeString(strings.TrimSpace(line))
		var p Public
		if err == nil {
			p, err = Parse(data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if p.Space() == space {
			return &p, nil
		}
	}
	return nil, fmt.Errorf("%s has no keys of %v %v", path, space.Family, space.Net)
}
