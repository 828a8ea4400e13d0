package naive

import (
	"slices"

	"bourse/internal/schema"
)

// sealedKeysMost is the longest set of public keys, sealed, in bytes.
const sealedKeysMost = 4096

// setKeys gives the chains of a family and a net their keys, which stay the same however they are sealed.
func (s *chains) setKeys(k schema.Keys) schema.Rejection {
	known, foreign := false, false
	for _, c := range s.all {
		if c.Driver != schema.Provider && c.Family == k.Family && c.Net == k.Net {
			known, foreign = true, foreign || c.foreign()
		}
	}
	i := slices.IndexFunc(s.keys, func(old schema.Keys) bool { return old.Family == k.Family && old.Net == k.Net })
	switch {
	case !known:
		return because(schema.ChainUnknown)
	case !foreign, k.Print == schema.Digest{}, len(k.Sealed) < 1, len(k.Sealed) > sealedKeysMost:
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
