// Package custody has the keys of the exchange on chains of others: the seed that all of them come from, the public half of it that
// addresses are derived from, and those who sign.
//
// The seed is 32 random bytes, sealed by the master key in a file of the data directory. Keys are derived from it (BIP32) when they are
// needed and never leave the package; nothing prints or exports a private key, because with one of them and the public half all others could be
// computed. The same request signed twice is the same signed transaction.
package custody

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
	"github.com/btcsuite/btcd/chaincfg/v2"

	"bourse/internal/disk"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// SeedFile of a data directory holds the sealed seed.
const SeedFile = "custody.seed"

const seedSize = 32

// What may be wrong with the file of a seed.
var (
	ErrExists  = errors.New("there is a seed already")
	ErrMissing = errors.New("there is no seed")
)

// Seed is what all keys come from. It is safe for several goroutines.
type Seed struct {
	raw    []byte
	master *hdkeychain.ExtendedKey

	mu       sync.Mutex
	branches map[branch]*hdkeychain.ExtendedKey // that were derived so far, ready to derive keys from
}

// Format prints nothing of it, whatever the verb.
func (s *Seed) Format(f fmt.State, _ rune) { io.WriteString(f, "seed") }

// Create makes a seed in a directory that has none, sealed by the master key.
func Create(dir string, key *seal.Key) (*Seed, error) {
	raw := make([]byte, seedSize)
	rand.Read(raw) // never fails
	s, err := newSeed(raw)
	if err != nil {
		return nil, err
	}
	return s, s.save(dir, key)
}

func (s *Seed) save(dir string, key *seal.Key) error {
	path := filepath.Join(dir, SeedFile)
	err := disk.Create(path, key.Seal(s.raw, SeedFile))
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %s; the coins of its addresses can be spent only with it, so it is never replaced", ErrExists, path)
	}
	return err
}

// Open reads the seed of a directory.
func Open(dir string, key *seal.Key) (*Seed, error) {
	path := filepath.Join(dir, SeedFile)
	sealed, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w in %s: 'bourse custody create' makes one", ErrMissing, dir)
	case err != nil:
		return nil, fmt.Errorf("reading the seed: %w", err)
	}
	raw, err := key.Open(sealed, SeedFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return newSeed(raw)
}

func newSeed(raw []byte) (*Seed, error) {
	if len(raw) != seedSize {
		return nil, fmt.Errorf("a seed has %d bytes, not %d", seedSize, len(raw))
	}
	master, err := hdkeychain.NewMaster(raw, &chaincfg.MainNetParams) // the net is of the printed form, which nobody sees
	if err != nil {
		return nil, fmt.Errorf("the seed cannot be used: %w", err)
	}
	return &Seed{raw: raw, master: master, branches: map[branch]*hdkeychain.ExtendedKey{}}, nil
}

// account derives the extended private key of an account of the seed.
func (s *Seed) account(a account) (*hdkeychain.ExtendedKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock() // deriving from the master writes into it
	return s.derive(a)
}

func (s *Seed) derive(a account) (*hdkeychain.ExtendedKey, error) {
	node := s.master
	var err error
	for _, step := range []uint32{a.purpose, a.coin, a.number} {
		if node, err = node.Derive(hdkeychain.HardenedKeyStart + step); err != nil {
			return nil, err
		}
	}
	return node, nil
}

// branch is the extended private key that the keys of a branch are derived from. It is ready: deriving from it writes nothing.
func (s *Seed) branch(b branch) (*hdkeychain.ExtendedKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if node := s.branches[b]; node != nil {
		return node, nil
	}
	node, err := s.derive(b.account)
	if err == nil {
		node, err = node.Derive(b.change)
	}
	if err == nil {
		_, err = node.ECPubKey() // which it remembers
	}
	if err != nil {
		return nil, err
	}
	s.branches[b] = node
	return node, nil
}

// key is the private key of one of our addresses.
func (s *Seed) key(space schema.Space, p driver.Place) (*btcec.PrivateKey, error) {
	at, err := locate(space, p)
	if err != nil {
		return nil, err
	}
	node, err := s.branch(at.branch)
	if err == nil {
		node, err = node.Derive(at.index)
	}
	if err != nil {
		return nil, fmt.Errorf("deriving the key of %v: %w", p, err)
	}
	return node.ECPrivKey()
}

// Public is the public half of the keys of a space.
func (s *Seed) Public(space schema.Space) (Public, error) {
	list, err := accounts(space)
	if err != nil {
		return Public{}, err
	}
	nodes := make([]*hdkeychain.ExtendedKey, len(list))
	for i, a := range list {
		node, err := s.account(a)
		if err == nil {
			nodes[i], err = node.Neuter()
		}
		if err != nil {
			return Public{}, fmt.Errorf("deriving the keys of %v %v: %w", space.Family, space.Net, err)
		}
	}
	return newPublic(space, nodes)
}
