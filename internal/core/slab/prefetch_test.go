package slab

import (
	"testing"
	"unsafe"
)

// TestPrefetchTouchesNothing, whatever is asked for: also what ends where memory does, and what there is not.
func TestPrefetchTouchesNothing(t *testing.T) {
	var s Slab[[3]uint64]
	for range 3 * pageSize {
		i, v := s.Take()
		v[0], v[2] = uint64(i), 7
	}
	for i := range s.End() {
		s.Prefetch(i)
		if i != 0 && *s.At(i) != [3]uint64{uint64(i), 0, 7} {
			t.Fatalf("place %d holds %v", i, *s.At(i))
		}
	}
	Prefetch(&struct{}{})
	prefetch(nil, 4096)
	prefetch(unsafe.Pointer(&s), 1<<20)
}

// TestAGuessIsAPlaceUnderTheHash wherever the index has room for all that was added, and another one or none while it grows.
func TestAGuessIsAPlaceUnderTheHash(t *testing.T) {
	var x Index
	x.Prefetch(Hash(1))
	if got := x.Guess(Hash(1)); got != 0 {
		t.Errorf("an empty index guesses %d", got)
	}
	const count = 3 * tablePage
	for i := uint32(1); i <= count; i++ {
		x.Add(Hash(uint64(i)), i)
		x.Prefetch(Hash(uint64(i)))
		if got := x.Guess(Hash(uint64(i))); got != i {
			t.Fatalf("the guess for %d is %d", i, got)
		}
	}
	known := 0
	for i := uint32(1); i <= count; i++ {
		switch x.Guess(Hash(uint64(i))) {
		case i:
			known++
		case 0:
			if !x.growing() {
				t.Fatalf("%d is not found", i)
			}
		default:
			t.Fatalf("the guess for %d is another place", i)
		}
	}
	if known < count/2 {
		t.Errorf("%d of %d are guessed", known, count)
	}
	x.Remove(Hash(5), 5)
	if got := x.Guess(Hash(5)); got != 0 {
		t.Errorf("the guess for what was removed is %d", got)
	}
}
