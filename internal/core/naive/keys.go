package naive

import (
	"slices"

	"bourse/internal/schema"
)

// sealedKeysMost is the longest set of public keys, sealed, in bytes.
const sealedKeysMost = 4096

// poolAddress is the address of the exchange itself that blocks of the pool pay to, where there are coins. No payout has so high a number that
// its change goes there.
const poolAddress schema.OwnAddress = 1<<31 + 1

// coldFirst is where the addresses of cold storage begin. It is itself the only one where there are accounts; elsewhere payout n has the
// nth after it.
const coldFirst schema.OwnAddress = 1 << 32

// isCold reports whether an address is in cold storage.
func isCold(a schema.OwnAddress) bool { return a >= coldFirst }

// setKeys gives the chains of a family and a net their keys, which stay the same however they are sealed. Those of cold storage come after
// the others and differ from them.
func (s *chains) setKeys(k schema.Keys) schema.Rejection {
	known, foreign := false, false
	for _, c := range s.all {
		if c.Driver != schema.Provider && c.Family == k.Family && c.Net == k.Net {
			known, foreign = true, foreign || c.foreign()
		}
	}
	i := s.keysAt(k.Family, k.Net, k.Cold)
	other := s.keysAt(k.Family, k.Net, false)
	switch {
	case !known:
		return because(schema.ChainUnknown)
	case !foreign, k.Print == schema.Digest{}, len(k.Sealed) < 1, len(k.Sealed) > sealedKeysMost,
		k.Cold && (other < 0 || s.keys[other].Print == k.Print):
		return because(schema.KeysInvalid)
	case i >= 0 && s.keys[i].Print != k.Print:
		return because(schema.ImmutableChanged)
	}
	k.Sealed = slices.Clone(k.Sealed)
	if i < 0 {
		i, s.keys = len(s.keys), append(s.keys, k)
	}
	s.keys[i] = k
	s.call.record(&schema.KeysChanged{Keys: k})
	return accepted
}

// keysAt is where the keys of a family and a net are in the list, those of cold storage or the others; -1: they were not set.
func (s *chains) keysAt(f schema.Family, n schema.Net, cold bool) int {
	return slices.IndexFunc(s.keys, func(k schema.Keys) bool { return k.Family == f && k.Net == n && k.Cold == cold })
}

// stores reports whether a chain has cold storage.
func (s *chains) stores(c *chain) bool { return s.keysAt(c.Family, c.Net, true) >= 0 }
