package slab

// Index finds places by the hash of what is kept there. It holds only hashes and places: the
// caller compares the values themselves, because different values may share a hash.
//
// It is open addressing with linear probing. The order of its entries depends on history and
// must never reach a result; there is no way to go through it.
//
// An index that grows has two tables for a while. Every Add and Remove moves a few entries of the
// old table to the new one, from the first on, so that none of them waits for all. New entries go
// to the new table; searches look at both.
type Index struct {
	now   table
	old   table  // empty unless the index grows
	moved uint32 // the entries of old before it are in now, and must not be looked at
	used  int
}

// moves is how many entries of the old table each change moves. A table that is three quarters full
// has moved into one of twice the size long before that one is three quarters full.
const moves = 8

type entry struct {
	hash  uint32
	place uint32
}

// gone stands in the old table where a place was removed: searches must go on behind it.
const gone = ^uint32(0)

const (
	tableBits = 12
	tablePage = 1 << tableBits
)

// table is a power of two of entries in pages; place 0 is an empty entry. Pages that nothing was put
// into yet are all the same vacant one, so that making a large table is no pause.
type table struct {
	pages []*[tablePage]entry
	mask  uint32 // entries - 1
}

var vacant [tablePage]entry // never written

func newTable(size uint32) table {
	t := table{pages: make([]*[tablePage]entry, size/tablePage), mask: size - 1}
	for i := range t.pages {
		t.pages[i] = &vacant
	}
	return t
}

// at is the entry at a number, which may be beyond the table and then begins again at its front.
func (t *table) at(i uint32) *entry { return &t.pages[i&t.mask>>tableBits][i%tablePage] }

// put takes in an entry; there must be room.
func (t *table) put(e entry) {
	for i := e.hash; ; i++ {
		page := t.pages[i&t.mask>>tableBits]
		if page[i%tablePage].place != 0 {
			continue
		}
		if page == &vacant {
			page = new([tablePage]entry)
			t.pages[i&t.mask>>tableBits] = page
		}
		page[i%tablePage] = e
		return
	}
}

// remove empties the entry of a place, if it is there.
func (t *table) remove(hash, place uint32) bool {
	i := hash
	for ; ; i++ {
		if at := t.at(i).place; at == place {
			break
		} else if at == 0 {
			return false
		}
	}
	// Searches stop at empty entries, so what follows the hole moves up wherever its own search
	// would pass the hole.
	for hole := i; ; {
		i++
		e := *t.at(i)
		if e.place == 0 {
			*t.at(hole) = entry{}
			return true
		}
		if (i-e.hash)&t.mask >= (i-hole)&t.mask {
			*t.at(hole) = e
			hole = i
		}
	}
}

// Hash mixes a number so that neighbours end up far from each other.
func Hash(x uint64) uint32 { return uint32(x * 0x9e3779b97f4a7c15 >> 32) }

// HashRun is for numbers that are handed out one after the other and asked for while they are
// new: eight of them in a row stay in one line of the processor's cache.
func HashRun(x uint64) uint32 { return Hash(x>>3)<<3 | uint32(x&7) }

// growing reports whether there are two tables.
func (x *Index) growing() bool { return len(x.old.pages) > 0 }

// Find goes through the places that were added under a hash.
func (x *Index) Find(hash uint32) Probe { return Probe{index: x, hash: hash, at: hash} }

// Probe is a search that is under way. The index must not change meanwhile.
type Probe struct {
	index *Index
	hash  uint32
	at    uint32 // the entry that is next; in the old table, how many were looked at
	old   bool
}

// Next is the next place, or 0 when there is none.
func (p *Probe) Next() uint32 {
	x := p.index
	if x.used == 0 {
		return 0
	}
	for !p.old {
		e := *x.now.at(p.at)
		if e.place == 0 {
			if !x.growing() {
				return 0
			}
			p.old, p.at = true, 0
			break
		}
		p.at++
		if e.hash == p.hash {
			return e.place
		}
	}
	for {
		e := *x.unmoved(p.hash, p.at)
		if e.place == 0 {
			return 0
		}
		p.at++
		if e.hash == p.hash && e.place != gone {
			return e.place
		}
	}
}

// unmoved is what a search for a hash meets after so many steps in the old table. What was moved is
// not taken for empty, because what found no room there stands behind it: a search begins behind
// all that was moved at the earliest, and goes round among the rest.
func (x *Index) unmoved(hash, step uint32) *entry {
	rest := x.old.mask + 1 - x.moved
	if step == rest {
		return &vacant[0]
	}
	i := max(hash&x.old.mask, x.moved) - x.moved + step
	if i >= rest {
		i -= rest
	}
	return x.old.at(x.moved + i)
}

// Add makes a place findable.
func (x *Index) Add(hash, place uint32) {
	// A quarter of the entries stays empty: that keeps searches short.
	if size := len(x.now.pages) * tablePage; 4*(x.used+1) > 3*size {
		x.old, x.moved = x.now, 0
		x.now = newTable(uint32(max(tablePage, 2*size)))
	}
	x.now.put(entry{hash, place})
	x.used++
	if x.growing() {
		x.move()
	}
}

// move moves a few entries from the old table to the new one.
func (x *Index) move() {
	for range moves {
		if e := *x.old.at(x.moved); e.place != 0 && e.place != gone {
			x.now.put(e)
		}
		x.moved++
	}
	switch {
	case x.moved > x.old.mask:
		x.old, x.moved = table{}, 0
	case x.moved%tablePage == 0:
		x.old.pages[x.moved/tablePage-1] = nil
	}
}

// Remove makes a place that was added under the hash unfindable.
func (x *Index) Remove(hash, place uint32) {
	if x.used == 0 || !x.now.remove(hash, place) && !x.removeOld(hash, place) {
		panic("slab: a place is removed from an index that does not hold it")
	}
	x.used--
	if x.growing() {
		x.move()
	}
}

func (x *Index) removeOld(hash, place uint32) bool {
	if !x.growing() {
		return false
	}
	for step := uint32(0); ; step++ {
		switch e := x.unmoved(hash, step); e.place {
		case place:
			e.place = gone
			return true
		case 0:
			return false
		}
	}
}
