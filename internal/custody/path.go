package custody

import (
	"fmt"

	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// account is the hardened part of a path: m/purpose'/coin'/number'. Its public half derives everything below it.
type account struct{ purpose, coin, number uint32 }

// branch is what keys of one kind are below of.
type branch struct {
	account account
	change  uint32
}

// Purposes of accounts: BIP84, BIP49 and BIP44.
const (
	segwit = 84
	nested = 49
	plain  = 44
)

// Branches of Bitcoin's accounts: addresses that customers know, our own, and the one that blocks of the mining pool pay to.
const (
	outside = 0
	inside  = 1
	mined   = 2
)

// accounts of a space, in the order in which Public keeps them. Customers of all EVM chains pay to the same addresses, whatever the net.
func accounts(space schema.Space) ([]account, error) {
	switch {
	case !schema.Valid(space.Net):
	case space.Family == schema.Bitcoin:
		coin := uint32(1) // of all nets for tests
		if space.Net == schema.Mainnet {
			coin = 0
		}
		return []account{{segwit, coin, 0}, {nested, coin, 0}}, nil
	case space.Family == schema.EVM:
		const deposits, hot = 0, 1
		return []account{{plain, 60, deposits}, {plain, 60, hot}}, nil
	}
	return nil, fmt.Errorf("there are no keys for %v %v: only for bitcoin and evm", space.Family, space.Net)
}

// location is where the key of an address is, and how the address is written.
type location struct {
	nth    int // of the accounts of the space
	branch branch
	index  uint32
	form   schema.AddressType
}

// locate finds the key of an address. The seed of cold storage has the keys of cold addresses where another one has those of its own.
func locate(space schema.Space, p driver.Place) (at location, err error) {
	list, err := accounts(space)
	if err != nil {
		return at, err
	}
	own := uint64(p.Own)
	if p.Own.IsCold() {
		own = uint64(p.Own-schema.Cold) + 1
	}
	switch {
	case (p.Index != 0) == (own != 0):
		return at, fmt.Errorf("an address is a customer's or the exchange's own: %+v", p)
	case space.Family == schema.Bitcoin && p.Own == schema.PoolOwn:
		at, own = location{branch: branch{change: mined}, form: schema.Bech32}, 1
	case space.Family == schema.Bitcoin && own != 0:
		at = location{branch: branch{change: inside}, index: uint32(own - 1), form: schema.Bech32}
	case space.Family == schema.Bitcoin && p.Type == schema.P2SHSegwit:
		at = location{nth: 1, branch: branch{change: outside}, index: uint32(p.Index), form: schema.P2SHSegwit}
	case space.Family == schema.Bitcoin:
		at = location{branch: branch{change: outside}, index: uint32(p.Index), form: schema.Bech32}
	case own == uint64(schema.Hot):
		at = location{nth: 1}
	case own != 0:
		return at, fmt.Errorf("there is one address of the exchange itself on %v chains, and no %d", space.Family, own)
	default:
		at = location{index: uint32(p.Index)}
	}
	if p.Type > schema.P2SHSegwit || own != 0 && p.Type == schema.P2SHSegwit {
		return at, fmt.Errorf("no address is of this type: %+v", p)
	}
	if uint64(p.Index) >= hdkeychain.HardenedKeyStart || own > hdkeychain.HardenedKeyStart {
		return at, fmt.Errorf("no address has so high a number: %+v", p)
	}
	at.branch.account = list[at.nth]
	return at, nil
}
