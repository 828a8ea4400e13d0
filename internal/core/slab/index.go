package slab

// Index finds places by the hash of what is kept there. It holds only hashes and places: the
// caller compares the values themselves, because different values may share a hash.
//
// It is open addressing with linear probing. The order of its entries depends on history and
// must never reach a result; there is no way to go through it.
type Index struct {
	entries []entry // a power of two of them; place 0 is an empty entry
	used    int
}

type entry struct {
	hash  uint32
	place uint32
}

// Hash mixes a number so that neighbours end up far from each other.
func Hash(x uint64) uint32 { return uint32(x * 0x9e3779b97f4a7c15 >> 32) }

// HashRun is for numbers that are handed out one after the other and asked for while they are
// new: eight of them in a row stay in one line of the processor's cache.
func HashRun(x uint64) uint32 { return Hash(x>>3)<<3 | uint32(x&7) }

// Find goes through the places that were added under a hash.
func (x *Index) Find(hash uint32) Probe {
	return Probe{entries: x.entries, hash: hash, at: hash}
}

// Probe is a search that is under way.
type Probe struct {
	entries []entry
	hash    uint32
	at      uint32
}

// Next is the next place, or 0 when there is none.
func (p *Probe) Next() uint32 {
	if len(p.entries) == 0 {
		return 0
	}
	mask := uint32(len(p.entries) - 1)
	for {
		e := p.entries[p.at&mask]
		if e.place == 0 {
			return 0
		}
		p.at++
		if e.hash == p.hash {
			return e.place
		}
	}
}

// Add makes a place findable.
func (x *Index) Add(hash, place uint32) {
	// A quarter of the entries stays empty: that keeps searches short.
	if 4*(x.used+1) > 3*len(x.entries) {
		x.grow()
	}
	x.put(hash, place)
	x.used++
}

func (x *Index) put(hash, place uint32) {
	mask := uint32(len(x.entries) - 1)
	i := hash
	for x.entries[i&mask].place != 0 {
		i++
	}
	x.entries[i&mask] = entry{hash, place}
}

func (x *Index) grow() {
	old := x.entries
	x.entries = make([]entry, max(16, 2*len(old)))
	for _, e := range old {
		if e.place != 0 {
			x.put(e.hash, e.place)
		}
	}
}

// Remove makes a place that was added under the hash unfindable.
func (x *Index) Remove(hash, place uint32) {
	mask := uint32(len(x.entries) - 1)
	i := hash & mask
	for x.entries[i].place != place {
		if x.entries[i].place == 0 {
			panic("slab: a place is removed from an index that does not hold it")
		}
		i = (i + 1) & mask
	}
	x.used--
	// Searches stop at empty entries, so what follows the hole moves up wherever its own
	// search would pass the hole.
	for hole := i; ; {
		i = (i + 1) & mask
		e := x.entries[i]
		if e.place == 0 {
			x.entries[hole] = entry{}
			return
		}
		if (i-e.hash)&mask >= (i-hole)&mask {
			x.entries[hole] = e
			hole = i
		}
	}
}
