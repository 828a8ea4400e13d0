package trading

import (
	"hash/maphash"

	"bourse/internal/core/book"
	"bourse/internal/core/slab"
	"bourse/internal/schema"
)

// clients finds open orders by the names that their owners gave them.
//
// Names are chosen by clients, who could choose them so that a known hash collides. The hash is
// therefore seeded again in every process. The seed cannot reach a result: the index is only
// asked whether a name is there, never gone through.
type clients struct {
	names slab.Slab[named]
	index slab.Index
	seed  maphash.Seed
}

type named struct {
	id   schema.ClientID
	desk uint32
	slot book.Slot
}

func newSeed() maphash.Seed { return maphash.MakeSeed() }

func (c *clients) hash(desk uint32, id *schema.ClientID) uint32 {
	return slab.Hash(maphash.Bytes(c.seed, id.Bytes()) + uint64(desk))
}

// find is the open order of a desk with a name, or 0.
func (c *clients) find(desk uint32, id *schema.ClientID) book.Slot {
	probe := c.index.Find(c.hash(desk, id))
	for {
		i := probe.Next()
		if i == 0 {
			return 0
		}
		if n := c.names.At(i); n.desk == desk && n.id == *id {
			return n.slot
		}
	}
}

// add names an order and returns where the name is kept.
func (c *clients) add(desk uint32, id *schema.ClientID, slot book.Slot) uint32 {
	i, n := c.names.Take()
	n.id, n.desk, n.slot = *id, desk, slot
	c.index.Add(c.hash(desk, id), i)
	return i
}

func (c *clients) remove(i uint32) {
	n := c.names.At(i)
	c.index.Remove(c.hash(n.desk, &n.id), i)
	c.names.Give(i)
}
