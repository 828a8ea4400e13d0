package slab

import "testing"

// TestIndexGrowsAFewEntriesAtATime: no change moves more entries than it may, and an index is done
// growing before it grows again, also when places leave meanwhile.
func TestIndexGrowsAFewEntriesAtATime(t *testing.T) {
	var x Index
	first, next := uint32(1), uint32(1)
	growths := 0
	for range 200_000 {
		before := x
		if next%3 == 0 {
			x.Remove(Hash(uint64(first)), first)
			first++
		}
		x.Add(Hash(uint64(next)), next)
		next++
		if x.now.mask != before.now.mask {
			growths++
			if before.moved != 0 {
				t.Fatalf("with %d places the index grows while %d of %d entries are still in the old table", x.used, before.old.mask+1-before.moved, before.old.mask+1)
			}
			before.moved = 0
		}
		if x.moved > before.moved+2*moves {
			t.Fatalf("%d entries were moved at once", x.moved-before.moved)
		}
	}
	if growths != 7 { // to 4096, then six doublings
		t.Errorf("the index grew %d times", growths)
	}
}

// TestLargeTablesAreMadeAsTheyFill: a new table has no pages of its own before something is put there.
func TestLargeTablesAreMadeAsTheyFill(t *testing.T) {
	big := newTable(1 << 20)
	own := func() (n int) {
		for _, page := range big.pages {
			if page != &vacant {
				n++
			}
		}
		return n
	}
	if own() != 0 {
		t.Errorf("%d pages at first", own())
	}
	big.put(entry{5, 1})
	big.put(entry{6, 2})
	big.put(entry{1 << 19, 3})
	if own() != 2 || vacant != [tablePage]entry{} {
		t.Errorf("%d pages for three entries", own())
	}
}
