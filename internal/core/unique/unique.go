// Package unique remembers for ever which names clients gave: a few bytes of a hash of each.
package unique

import (
	"crypto/sha256"
	"errors"

	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Names are the names that accounts gave to things of one kind. Two accounts may give the same.
type Names struct {
	list  slab.Slab[name]
	index slab.Index
}

// name is what is kept of one: 128 bits, so that nobody can find two alike.
type name [16]byte

func (n *name) Fields(c *wire.Coder) { c.Array(1, "hash", n[:]) }

func nameOf(account schema.AccountID, text string) name {
	hash := sha256.New()
	_, _ = hash.Write([]byte{byte(account), byte(account >> 8), byte(account >> 16), byte(account >> 24)})
	_, _ = hash.Write([]byte(text))
	return name(hash.Sum(nil)[:16])
}

// key is where the index has a name.
func (n *name) key() uint32 {
	return uint32(n[0]) | uint32(n[1])<<8 | uint32(n[2])<<16 | uint32(n[3])<<24
}

// Has reports whether an account gave a name before.
func (s *Names) Has(account schema.AccountID, text string) bool {
	n := nameOf(account, text)
	return s.has(&n)
}

func (s *Names) has(n *name) bool {
	for probe := s.index.Find(n.key()); ; {
		place := probe.Next()
		if place == 0 {
			return false
		}
		if *s.list.At(place) == *n {
			return true
		}
	}
}

// Add remembers a name that the account did not give before.
func (s *Names) Add(account schema.AccountID, text string) {
	n := nameOf(account, text)
	s.add(&n)
}

func (s *Names) add(n *name) {
	place, at := s.list.Take()
	*at = *n
	s.index.Add(n.key(), place)
}

// Write writes all names to a section, in the order in which they were given.
func (s *Names) Write(w *product.Writer) {
	for place := uint32(1); place < s.list.End(); place++ {
		w.Message(s.list.At(place))
	}
}

// Read restores what Write wrote.
func (s *Names) Read(r *product.Reader) error {
	for n, err := range product.Messages[name](r) {
		if err != nil {
			return err
		}
		if s.has(n) {
			return errors.New("a name stands there twice")
		}
		s.add(n)
	}
	return nil
}
