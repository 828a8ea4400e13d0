package chain

import (
	"fmt"
	"slices"

	"bourse/internal/core/product"
	"bourse/internal/schema"
)

// The keys that addresses of a space are derived from. The core derives nothing: it only makes sure that they are the same for ever, so
// that an address that somebody was given stays ours.

// setKeys gives a space its keys, or seals those that it has again.
func (c *Chains) setKeys(m *schema.SetKeys) schema.Rejection {
	s := c.space(m.Keys.Space())
	if s == nil {
		return schema.Refuse(schema.ChainUnknown)
	}
	if !c.validKeys(s, &m.Keys) {
		return schema.Refuse(schema.KeysInvalid)
	}
	has := s.keysOf(m.Keys.Cold)
	if !has.Print.IsZero() && has.Print != m.Keys.Print {
		return schema.Refuse(schema.ImmutableChanged)
	}
	*has = m.Keys
	has.Sealed = slices.Clone(m.Keys.Sealed) // the command's memory belongs to the caller
	c.out.Events.Add(&schema.KeysChanged{Keys: *has})
	return schema.Rejection{}
}

// keysOf are the keys of a space, or those of its cold storage.
func (s *space) keysOf(cold bool) *schema.Keys {
	if cold {
		return &s.cold
	}
	return &s.keys
}

// validKeys reports whether keys can be: of a space in which there is a chain of others. Keys of cold storage are not those that are there.
func (c *Chains) validKeys(s *space, k *schema.Keys) bool {
	return slices.ContainsFunc(c.chains, func(ch *chain) bool { return ch.real() && ch.Space() == k.Space() }) &&
		!k.Print.IsZero() && len(k.Sealed) > 0 && len(k.Sealed) <= schema.MaxSealedKeys &&
		(!k.Cold || !s.keys.Print.IsZero() && s.keys.Print != k.Print)
}

// Keys of a space, or of its cold storage, if there are any.
func (c *Chains) Keys(id schema.Space, cold bool) (schema.Keys, bool) {
	s := c.space(id)
	if s == nil || s.keysOf(cold).Print.IsZero() {
		return schema.Keys{}, false
	}
	return *s.keysOf(cold), true
}

func (c *Chains) writeKeys(w *product.Writer) {
	for _, s := range c.spaces {
		for _, cold := range []bool{false, true} {
			if k := s.keysOf(cold); !k.Print.IsZero() {
				w.Message(k)
			}
		}
	}
}

func (c *Chains) readKeys(r *product.Reader) error {
	for k, err := range product.Messages[schema.Keys](r) {
		if err != nil {
			return err
		}
		s := c.space(k.Space())
		if s == nil || !s.keysOf(k.Cold).Print.IsZero() || !c.validKeys(s, k) {
			return fmt.Errorf("%s %s: %w", k.Family, k.Net, errPlace)
		}
		*s.keysOf(k.Cold) = *k
	}
	return nil
}
