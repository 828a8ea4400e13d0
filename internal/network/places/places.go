// Package places remembers millions of addresses by their keys: which of ours each is. It is asked for every output of every block,
// nearly always about an address of a stranger, so that must cost little: a small filter knows most of these; and it stands in the memory
// of every node, so an address costs some forty bytes. A Go map needs more of both.
package places

import (
	"fmt"
	"hash/maphash"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// keyBytesMax is the longest key of an address that the exchange gives out: the script of Bitcoin that pays to the hash of a script. What
// pays to longer ones is never ours.
const keyBytesMax = 23

// Map has addresses. Those who add to it and those who ask must not do so at once.
type Map struct {
	seed    maphash.Seed
	entries []entry
	// slots are the numbers of entries, which count from 1, at the hash of their key or behind it. 0 is an empty slot, behind which nothing
	// is. Their number is a power of two, at least twice that of the entries.
	slots []uint32
	// filter is a Bloom filter in front of the slots, a quarter of their size, so that it stays in the caches of the processor: a key has
	// three bits of one word. Where one of them is missing there is no such key; one in a hundred of those that are not there has all three.
	filter []uint64
}

type entry struct {
	key    [keyBytesMax]byte
	length uint8
	place  packed
}

// New is a map of no addresses.
func New() *Map {
	m := &Map{seed: maphash.MakeSeed()}
	m.size(16)
	return m
}

// size makes room for so many slots, all of them empty.
func (m *Map) size(slots int) {
	m.slots, m.filter = make([]uint32, slots), make([]uint64, slots/slotsPerWord)
}

const slotsPerWord = 8 // of the filter

// Add remembers the place of an address.
func (m *Map) Add(key []byte, p driver.Place) error {
	if len(key) > keyBytesMax {
		return fmt.Errorf("key %x of address %+v has %d bytes, more than %d", key, p, len(key), keyBytesMax)
	}
	short, fits := pack(p)
	if !fits {
		return fmt.Errorf("address %+v has a number that is too large", p)
	}
	hash := maphash.Bytes(m.seed, key)
	at, known := m.find(hash, key)
	if known {
		m.entries[m.slots[at]-1].place = short
		return nil
	}
	e := entry{length: uint8(len(key)), place: short}
	copy(e.key[:], key)
	m.entries = append(m.entries, e)
	m.put(at, hash, len(m.entries))
	if 2*len(m.entries) > len(m.slots) {
		m.grow()
	}
	return nil
}

// Place of the address with a key.
func (m *Map) Place(key []byte) (driver.Place, bool) {
	if len(key) > keyBytesMax {
		return driver.Place{}, false
	}
	hash := maphash.Bytes(m.seed, key)
	if word, bits := m.filtered(hash); m.filter[word]&bits != bits {
		return driver.Place{}, false
	}
	at, known := m.find(hash, key)
	if !known {
		return driver.Place{}, false
	}
	return m.entries[m.slots[at]-1].place.place(), true
}

// filtered is the word of the filter that a hash is in, and its bits there, which other bits of the hash choose.
func (m *Map) filtered(hash uint64) (word, bits uint64) {
	bits = 1<<(hash&63) | 1<<(hash>>6&63) | 1<<(hash>>12&63)
	return hash >> 32 & uint64(len(m.filter)-1), bits
}

// put puts the entry with a number into an empty slot.
func (m *Map) put(at, hash uint64, number int) {
	m.slots[at] = uint32(number)
	word, bits := m.filtered(hash)
	m.filter[word] |= bits
}

// find is the slot of a key, or the empty one where it would be.
func (m *Map) find(hash uint64, key []byte) (at uint64, known bool) {
	last := uint64(len(m.slots) - 1)
	for at = hash & last; m.slots[at] != 0; at = (at + 1) & last {
		if e := &m.entries[m.slots[at]-1]; string(e.key[:e.length]) == string(key) {
			return at, true
		}
	}
	return at, false
}

// grow doubles the slots.
func (m *Map) grow() {
	m.size(2 * len(m.slots))
	last := uint64(len(m.slots) - 1)
	for i := range m.entries {
		e := &m.entries[i]
		hash := maphash.Bytes(m.seed, e.key[:e.length])
		at := hash & last
		for m.slots[at] != 0 {
			at = (at + 1) & last
		}
		m.put(at, hash, i+1)
	}
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
