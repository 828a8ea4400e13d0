// Package places remembers millions of addresses by their keys, and nothing else about them: which of ours each is. A key has the same
// size whatever the chain, and nothing in the map points anywhere, so that an address costs 69 bytes and the garbage collector does not look at it.
package places

import (
	"fmt"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// keyBytesMax is the longest key of an address that the exchange gives out: the script of Bitcoin that pays to the hash of a script. What
// pays to longer ones is never ours.
const keyBytesMax = 23

// key is a driver's key, zeros, and its length.
type key [keyBytesMax + 1]byte

func keyOf(k []byte) (fixed key, fits bool) {
	if len(k) > keyBytesMax {
		return fixed, false
	}
	copy(fixed[:], k)
	fixed[keyBytesMax] = byte(len(k))
	return fixed, true
}

// Map has addresses. Those who add to it and those who ask must not do so at once.
type Map struct {
	places map[key]packed
}

// New is a map of no addresses.
func New() *Map { return &Map{places: map[key]packed{}} }

// Add remembers the place of an address.
func (m *Map) Add(k []byte, p driver.Place) error {
	fixed, fits := keyOf(k)
	if !fits {
		return fmt.Errorf("key %x of address %+v has %d bytes, more than %d", k, p, len(k), keyBytesMax)
	}
	short, fits := pack(p)
	if !fits {
		return fmt.Errorf("address %+v has a number that is too large", p)
	}
	m.places[fixed] = short
	return nil
}

// Place of the address with a key.
func (m *Map) Place(k []byte) (driver.Place, bool) {
	fixed, fits := keyOf(k)
	if !fits {
		return driver.Place{}, false
	}
	short, ours := m.places[fixed]
	return short.place(), ours
}

// packed is a place in eight bytes: its number, its type, and whether the number is one of the exchange's own.
type packed uint64

const (
	typeBits   = 8
	numberBits = 64 - typeBits - 1
)

// pack fails for what no place is: a customer's address and one of the exchange in one, or a number beyond all that will be given out.
func pack(p driver.Place) (packed, bool) {
	number, own := uint64(p.Index), uint64(0)
	if p.Own != 0 {
		number, own = uint64(p.Own), 1
	}
	fits := number < 1<<numberBits && (p.Index == 0 || p.Own == 0)
	return packed(number<<(typeBits+1) | uint64(p.Type)<<1 | own), fits
}

func (s packed) place() driver.Place {
	p := driver.Place{Type: schema.AddressType(s >> 1)}
	if number := s >> (typeBits + 1); s&1 != 0 {
		p.Own = schema.OwnAddress(number)
	} else {
		p.Index = schema.AddressIndex(number)
	}
	return p
}
