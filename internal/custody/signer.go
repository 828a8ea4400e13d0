package custody

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/btcsuite/btcd/btcec/v2"

	"bourse/internal/network/bitcoin"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/schema"
)

// Signer signs, and gives the public half of what it signs with.
type Signer interface {
	driver.Signer
	Public(ctx context.Context, space schema.Space) (Public, error)
}

// ParseSigner opens the signer that a setting names: "hot", "manual:DIR" or "remote:URL". Dir is the data directory, which has what a remote
// signer knows the exchange by. The seed is asked for only where the signer needs it.
func ParseSigner(text string, seed func() (*Seed, error), dir string) (Signer, error) {
	kind, at, _ := strings.Cut(text, ":")
	switch {
	case text == "hot":
		s, err := seed()
		if err != nil {
			return nil, err
		}
		return NewHot(s), nil
	case kind == "manual" && at != "":
		return NewManual(at)
	case kind == "remote" && at != "":
		return NewRemote(at, filepath.Join(dir, ClientFile))
	}
	return nil, fmt.Errorf("%q is no signer: it is hot, manual:DIR or remote:URL", text)
}

// Hot is a signer that has the seed in the process of the exchange. It signs what it is given.
type Hot struct{ seed *Seed }

// NewHot makes a signer of a seed.
func NewHot(s *Seed) *Hot { return &Hot{s} }

// Sign implements driver.Signer.
func (h *Hot) Sign(_ context.Context, r *driver.Request) ([]byte, error) { return h.seed.sign(r) }

// Public implements Signer.
func (h *Hot) Public(_ context.Context, space schema.Space) (Public, error) {
	return h.seed.Public(space)
}

// sign signs a transaction with the keys of its places.
func (s *Seed) sign(r *driver.Request) ([]byte, error) {
	key := func(i int) (*btcec.PrivateKey, error) {
		if i >= len(r.Places) {
			return nil, fmt.Errorf("the request does not say whose input %d is", i)
		}
		return s.key(r.Chain.Space(), r.Places[i])
	}
	if r.Chain.Family == schema.Bitcoin {
		return bitcoin.Sign(r.Unsigned, key)
	}
	private, err := key(0)
	if err != nil {
		return nil, err
	}
	return evm.Sign(r.Unsigned, private)
}
