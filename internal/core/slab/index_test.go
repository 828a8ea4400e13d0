package slab_test

import (
	"maps"
	"math"
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

// TestIndexAgainstAMap adds and removes runs of places at random, so that the index grows while
// places come and go, and compares searches with a Go map. The hashes are few or crowd together, so
// that runs of entries form, touch and wrap around.
func TestIndexAgainstAMap(t *testing.T) {
	crowded := []func(place uint32) uint32{
		few(0, 3), few(0, 300),
		few(math.MaxUint32-3, 3), few(math.MaxUint32-300, 300), // at the end, wraps around
		func(place uint32) uint32 { return place << 28 }, // many beyond what the table tells apart
		func(place uint32) uint32 { return slab.Hash(uint64(place)) },
		func(place uint32) uint32 { return slab.HashRun(uint64(place)) },
	}
	rapid.Check(t, func(t *rapid.T) {
		hash := crowded[rapid.IntRange(0, len(crowded)-1).Draw(t, "crowd")]
		var x slab.Index
		model := map[uint32][]uint32{} // places by hash
		var in []uint32                // places
		next := uint32(1)
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			remove := rapid.IntRange(0, 2).Draw(t, "remove") == 0
			for n := range rapid.IntRange(1, 2000).Draw(t, "length") {
				if remove && len(in) > 0 {
					i := n * 7919 % len(in)
					place := in[i]
					in = slices.Delete(in, i, i+1)
					h := hash(place)
					x.Remove(h, place)
					model[h] = slices.DeleteFunc(model[h], func(p uint32) bool { return p == place })
				} else {
					h := hash(next)
					x.Add(h, next)
					in = append(in, next)
					model[h] = append(model[h], next)
					next++
				}
				if n%397 == 0 {
					compareIndex(t, &x, model)
				}
			}
			compareIndex(t, &x, model)
		}
	})
}

// few makes hashes of a small range.
func few(from, width uint32) func(place uint32) uint32 {
	return func(place uint32) uint32 { return from + slab.Hash(uint64(place))%(width+1) }
}

// compareIndex searches for some of the hashes that were ever used, and for one that may not have
// been.
func compareIndex(t *rapid.T, x *slab.Index, model map[uint32][]uint32) {
	used := slices.Sorted(maps.Keys(model))
	for i := 0; i < len(used); i += 1 + len(used)/200 {
		if got, want := found(x, used[i]), slices.Sorted(slices.Values(model[used[i]])); !slices.Equal(got, want) {
			t.Fatalf("hash %#x: found %v, want %v", used[i], got, want)
		}
	}
	if miss := rapid.Uint32().Draw(t, "miss"); model[miss] == nil && found(x, miss) != nil {
		t.Fatalf("hash %#x was never added and finds %v", miss, found(x, miss))
	}
}

// TestSearchesEndWhileTheIndexGrows: the last entries of the old table hold a run without a gap, and
// all that was before them has moved.
func TestSearchesEndWhileTheIndexGrows(t *testing.T) {
	const last, crowd, all = 4095, 2800, 4400 // 4096 entries at first, which are enough for 3072
	var x slab.Index
	for place := uint32(1); place <= crowd; place++ {
		x.Add(last-place/2, place)
	}
	hash := func(place uint32) uint32 {
		if place <= crowd {
			return last - place/2
		}
		return place % 50
	}
	for place := uint32(crowd + 1); place <= all; place++ {
		x.Add(hash(place), place)
		for _, h := range []uint32{last, last - 5, last - crowd/2, 3, 49, 2000, last + 1} {
			for _, p := range found(&x, h) {
				if hash(p) != h {
					t.Fatalf("%d has hash %d and is found under %d", p, hash(p), h)
				}
			}
		}
	}
	for place := uint32(1); place <= all; place++ {
		if !slices.Contains(found(&x, hash(place)), place) {
			t.Fatalf("%d is not found", place)
		}
	}
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
