package custody

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
	"golang.org/x/crypto/sha3"

	forms "bourse/internal/network/address"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Public is the public half of the keys of a space: addresses are derived from it, and nothing can be spent with it. Outside of this
// package it is sealed all the same. It never changes, so it is safe for several goroutines.
type Public struct {
	space    schema.Space
	accounts []*hdkeychain.ExtendedKey
	branches [][]*node // of each account
}

// The marshalled form: a version, the family, the net, and for each account the public key and the chain code.
const (
	publicVersion = 1
	pointSize     = 33
	codeSize      = 32
)

var errPublic = errors.New("these are no public keys of a space")

func newPublic(space schema.Space, nodes []*hdkeychain.ExtendedKey) (Public, error) {
	p := Public{space: space, accounts: nodes, branches: make([][]*node, len(nodes))}
	for i, above := range nodes {
		for _, change := range []uint32{outside, inside, mined} {
			below, err := newNode(above, change)
			if err != nil {
				return Public{}, fmt.Errorf("deriving a branch: %w", err)
			}
			p.branches[i] = append(p.branches[i], below)
		}
	}
	return p, nil
}

// Space that the keys are of.
func (p Public) Space() schema.Space { return p.space }

// Marshal gives the keys as bytes, always the same ones.
func (p Public) Marshal() []byte {
	data := []byte{publicVersion, byte(p.space.Family), byte(p.space.Net)}
	for _, node := range p.accounts {
		point, err := node.ECPubKey()
		if err != nil { // it was one when the node was made
			panic(err)
		}
		data = append(append(data, point.SerializeCompressed()...), node.ChainCode()...)
	}
	return data
}

// Parse reads what Marshal wrote.
func Parse(data []byte) (Public, error) {
	if len(data) < 3 || data[0] != publicVersion {
		return Public{}, errPublic
	}
	space := schema.Space{Family: schema.Family(data[1]), Net: schema.Net(data[2])}
	list, err := accounts(space)
	if err != nil {
		return Public{}, err
	}
	data = slices.Clone(data[3:]) // the nodes keep it
	if len(data) != len(list)*(pointSize+codeSize) {
		return Public{}, errPublic
	}
	nodes := make([]*hdkeychain.ExtendedKey, len(list))
	for i := range nodes {
		point, code := data[:pointSize], data[pointSize:pointSize+codeSize]
		data = data[pointSize+codeSize:]
		if _, err := btcec.ParsePubKey(point); err != nil {
			return Public{}, errPublic
		}
		const depth = 3
		nodes[i] = hdkeychain.NewExtendedKey(nil, point, code, nil, depth, list[i].number, false)
	}
	return newPublic(space, nodes)
}

// Print is what the keys are recognized by.
func (p Public) Print() schema.Digest { return sha256.Sum256(p.Marshal()) }

// Fingerprint is the beginning of Print, for people who compare.
func (p Public) Fingerprint() string {
	print := p.Print()
	return hex.EncodeToString(print[:8])
}

// Seal hides the keys for the log.
func (p Public) Seal(key *seal.Key) schema.Keys {
	return schema.Keys{Family: p.space.Family, Net: p.space.Net, Print: p.Print(), Sealed: key.Seal(p.Marshal(), purpose(p.space))}
}

func purpose(space schema.Space) string {
	return fmt.Sprintf("public keys of %v %v", space.Family, space.Net)
}

// Unseal opens keys of the log.
func Unseal(k *schema.Keys, key *seal.Key) (Public, error) {
	data, err := key.Open(k.Sealed, purpose(k.Space()))
	if err != nil {
		return Public{}, fmt.Errorf("the public keys of %v %v: %w", k.Family, k.Net, err)
	}
	p, err := Parse(data)
	if err == nil && (p.space != k.Space() || p.Print() != k.Print) {
		err = errPublic
	}
	if err != nil {
		return Public{}, fmt.Errorf("the public keys of %v %v in the log: %w", k.Family, k.Net, err)
	}
	return p, nil
}

// Address derives one of our addresses: its canonical text, and its public key, compressed.
func (p Public) Address(place driver.Place) (text string, public []byte, err error) {
	at, err := locate(p.space, place)
	if err != nil {
		return "", nil, err
	}
	point, err := p.branches[at.nth][at.branch.change].child(at.index)
	if err != nil {
		return "", nil, fmt.Errorf("deriving the address of %+v: %w", place, err)
	}
	public = point.SerializeCompressed()
	return forms.Write(p.space, at.form, receiver(p.space.Family, at.form, point)), public, nil
}

// receiver is what an address says about the key that can spend.
func receiver(family schema.Family, form schema.AddressType, point *btcec.PublicKey) (r [32]byte) {
	if family == schema.EVM {
		keccak := sha3.NewLegacyKeccak256()
		keccak.Write(point.SerializeUncompressed()[1:])
		copy(r[:], keccak.Sum(nil)[12:])
		return r
	}
	hash := address.Hash160(point.SerializeCompressed())
	if form == schema.P2SHSegwit { // the hash of the script that asks for the key of this hash
		hash = address.Hash160(append([]byte{0, byte(len(hash))}, hash...))
	}
	copy(r[:], hash)
	return r
}
