package schema

import "bourse/internal/wire"

// MaxSealedKeys is the longest set of public keys, sealed, in bytes.
const MaxSealedKeys = 4096

// Keys are the public keys that the addresses of a space are derived from. They are sealed: with them and the key of a single address
// all keys could be computed.
type Keys struct {
	Family Family
	Net    Net
	Print  Digest // fingerprint of the keys; sealing them again does not change it
	Sealed []byte
	Cold   bool // keys of cold storage, which come from another seed
}

func (m *Keys) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "family", &m.Family)
	wire.Uint(c, 2, "net", &m.Net)
	c.Array(3, "print", m.Print[:])
	c.Bytes(4, "sealed", &m.Sealed)
	c.Bool(5, "cold", &m.Cold)
}

// Space that the keys are of.
func (m *Keys) Space() Space { return Space{m.Family, m.Net} }

// SetKeys gives a space its keys, once: addresses that are known outside never change. The same keys may be sealed again. Those of cold
// storage come after, and are others.
type SetKeys struct{ Keys Keys }

func (*SetKeys) Kind() Kind { return 60 }

func (m *SetKeys) Fields(c *wire.Coder) { wire.Embed(c, 1, "keys", &m.Keys) }

func (m *SetKeys) Subject() Subject {
	name := m.Keys.Family.String() + " " + m.Keys.Net.String()
	if m.Keys.Cold {
		name += " cold"
	}
	return Subject{Name: name}
}

// Redact removes the keys.
func (m *SetKeys) Redact() { m.Keys.Sealed = nil }

// KeysChanged carries the keys of a space after they were set.
type KeysChanged struct{ Keys Keys }

func (*KeysChanged) event()   {}
func (*KeysChanged) setting() {}

func (e *KeysChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "keys", &e.Keys) }
