package slab_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/slab"
)

// found collects what a search hands out, in a fixed order: the order of the search itself
// depends on history.
func found(x *slab.Index, hash uint32) []uint32 {
	var places []uint32
	for probe := x.Find(hash); ; {
		place := probe.Next()
		if place == 0 {
			slices.Sort(places)
			return places
		}
		places = append(places, place)
	}
}

// TestIndexAgainstAMap adds and removes at random and compares every search with a Go map. The
// hashes are few or crowd together, so that runs of entries form, touch and wrap around.
func TestIndexAgainstAMap(t *testing.T) {
	crowded := []func(*rapid.T) uint32{
		func(t *rapid.T) uint32 { return rapid.Uint32Range(0, 3).Draw(t, "hash") },
		func(t *rapid.T) uint32 { return ^rapid.Uint32Range(0, 3).Draw(t, "hash") },          // at the end, wraps around
		func(t *rapid.T) uint32 { return rapid.Uint32Range(0, 15).Draw(t, "hash") << 28 },    // one home each, at first
		func(t *rapid.T) uint32 { return slab.Hash(rapid.Uint64Range(0, 50).Draw(t, "id")) }, // as it is used
		func(t *rapid.T) uint32 { return rapid.Uint32().Draw(t, "hash") },
	}
	rapid.Check(t, func(t *rapid.T) {
		hash := crowded[rapid.IntRange(0, len(crowded)-1).Draw(t, "crowd")]
		var x slab.Index
		model := map[uint32][]uint32{} // places by hash
		var entries [][2]uint32        // hash and place of all that is in
		next := uint32(1)
		for range rapid.IntRange(1, 120).Draw(t, "operations") {
			if len(entries) > 0 && rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
				i := rapid.IntRange(0, len(entries)-1).Draw(t, "which")
				h, place := entries[i][0], entries[i][1]
				x.Remove(h, place)
				entries = slices.Delete(entries, i, i+1)
				model[h] = slices.DeleteFunc(model[h], func(p uint32) bool { return p == place })
			} else {
				h := hash(t)
				x.Add(h, next)
				entries = append(entries, [2]uint32{h, next})
				model[h] = append(model[h], next)
				next++
			}
			for h, want := range model {
				if got := found(&x, h); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
					t.Fatalf("hash %#x: found %v, want %v", h, got, want)
				}
			}
			if miss := hash(t); model[miss] == nil && found(&x, miss) != nil {
				t.Fatalf("hash %#x was never added and finds %v", miss, found(&x, miss))
			}
		}
	})
}

func TestIndexGrowsAndEmptiesAgain(t *testing.T) {
	const n = 100_000
	var x slab.Index
	if found(&x, 7) != nil {
		t.Error("an empty index finds something")
	}
	for i := uint32(1); i <= n; i++ {
		x.Add(slab.Hash(uint64(i)), i)
	}
	for i := uint32(1); i <= n; i++ {
		if !slices.Contains(found(&x, slab.Hash(uint64(i))), i) {
			t.Fatalf("%d is not found", i)
		}
	}
	for i := uint32(1); i <= n; i++ {
		x.Remove(slab.Hash(uint64(i)), i)
		if slices.Contains(found(&x, slab.Hash(uint64(i))), i) {
			t.Fatalf("%d is found after it was removed", i)
		}
	}
	for i := uint32(1); i <= n; i++ {
		if got := found(&x, slab.Hash(uint64(i))); got != nil {
			t.Fatalf("%v is left", got)
		}
	}
}

func TestIndexTakesManyPlacesUnderOneHash(t *testing.T) {
	var x slab.Index
	var want []uint32
	for place := uint32(1); place <= 200; place++ {
		x.Add(0xdeadbeef, place)
		want = append(want, place)
	}
	if got := found(&x, 0xdeadbeef); !slices.Equal(got, want) {
		t.Fatalf("found %d of %d places", len(got), len(want))
	}
	for place := uint32(2); place <= 200; place += 2 {
		x.Remove(0xdeadbeef, place)
	}
	want = slices.DeleteFunc(want, func(p uint32) bool { return p%2 == 0 })
	if got := found(&x, 0xdeadbeef); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestRemovingWhatIsNotThereIsABrokenInvariant(t *testing.T) {
	var x slab.Index
	x.Add(5, 1)
	defer func() {
		if recover() == nil {
			t.Error("a place that was never added could be removed")
		}
	}()
	x.Remove(5, 2)
}

func TestHashesOfNeighboursAreFarApart(t *testing.T) {
	seen := map[uint32]bool{}
	const n = 1 << 12
	for i := range uint64(n) {
		seen[slab.Hash(i)>>20] = true // where it lands among 4096
	}
	if len(seen) < n/2 {
		t.Errorf("%d neighbours share %d homes", n, len(seen))
	}
}

func TestIndexAllocatesNothingInSteadyState(t *testing.T) {
	var x slab.Index
	for i := uint32(1); i <= 1000; i++ {
		x.Add(slab.Hash(uint64(i)), i)
	}
	i := uint64(1)
	n := testing.AllocsPerRun(2000, func() {
		x.Remove(slab.Hash(i), uint32(i))
		x.Add(slab.Hash(i+1000), uint32(i+1000))
		probe := x.Find(slab.Hash(i + 1000))
		probe.Next()
		i++
	})
	if n != 0 {
		t.Errorf("%v allocations per operation", n)
	}
}
