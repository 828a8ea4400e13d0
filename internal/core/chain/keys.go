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
	switch {
	case s == nil:
		return schema.Refuse(schema.ChainUnknown)
	case !c.validKeys(&m.Keys):
		return schema.Refuse(schema.KeysInvalid)
	case !s.keys.Print.IsZero() && s.keys.Print != m.Keys.Print:
		return schema.Refuse(schema.ImmutableChanged)
	}
	s.keys = m.Keys
	s.keys.Sealed = slices.Clone(m.Keys.Sealed) // the command's memory belongs to the caller
	c.out.Events.Add(&schema.KeysChanged{Keys: s.keys})
	return schema.Rejection{}
}

// validKeys reports whether keys can be: of a space in which there is a chain of others.
func (c *Chains) validKeys(k *schema.Keys) bool {
	return slices.ContainsFunc(c.chains, func(ch *chain) bool { return ch.real() && ch.Space() == k.Space() }) &&
		!k.Print.IsZero() && len(k.Sealed) > 0 && len(k.Sealed) <= schema.MaxSealedKeys
}

// Keys of a space, if it has any.
func (c *Chains) Keys(id schema.Space) (schema.Keys, bool) {
	s := c.space(id)
	if s == nil || s.keys.Print.IsZero() {
		return schema.Keys{}, false
	}
	return s.keys, true
}

func (c *Chains) writeKeys(w *product.Writer) {
	for _, s := range c.spaces {
		if !s.keys.Print.IsZero() {
			w.Message(&s.keys)
		}
	}
}

func (c *Chains) readKeys(r *product.Reader) error {
	for k, err := range product.Messages[schema.Keys](r) {
		if err != nil {
			return err
		}
		if s := c.space(k.Space()); s == nil || !s.keys.Print.IsZero() || !c.validKeys(k) {
			return fmt.Errorf("%s %s: %w", k.Family, k.Net, errPlace)
		} else {
			s.keys = *k
		}
	}
	return nil
}
