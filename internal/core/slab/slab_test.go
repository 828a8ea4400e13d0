package slab_test

import (
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/slab"
)

type value struct {
	a uint64
	b [3]byte
}

// TestSlabAgainstAMap takes and gives back at random: a place that is out is handed out to
// nobody else, holds the zero value at first, and keeps what is put there, at the same address.
func TestSlabAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s slab.Slab[value]
		out := map[uint32]value{}
		pointers := map[uint32]*value{}
		var places []uint32
		for n := range rapid.IntRange(1, 200).Draw(t, "operations") {
			if len(places) > 0 && rapid.IntRange(0, 2).Draw(t, "give") == 0 {
				i := rapid.IntRange(0, len(places)-1).Draw(t, "which")
				place := places[i]
				s.Give(place)
				places = append(places[:i], places[i+1:]...)
				delete(out, place)
				delete(pointers, place)
			} else {
				place, p := s.Take()
				if _, taken := out[place]; taken || place == 0 {
					t.Fatalf("place %d was handed out while it is in use, or means none", place)
				}
				if *p != (value{}) {
					t.Fatalf("place %d holds %+v when it is handed out", place, *p)
				}
				*p = value{a: uint64(n) + 1, b: [3]byte{1, 2, 3}}
				out[place], pointers[place] = *p, p
				places = append(places, place)
			}
			for place, want := range out {
				if s.At(place) != pointers[place] || *s.At(place) != want {
					t.Fatalf("place %d holds %+v at %p, want %+v at %p", place, *s.At(place), s.At(place), want, pointers[place])
				}
				if place >= s.End() {
					t.Fatalf("place %d is not before the end %d", place, s.End())
				}
			}
		}
	})
}

func TestPlacesThatAreNeverGivenBackCountFromOne(t *testing.T) {
	var s slab.Slab[value]
	if s.End() != 1 {
		t.Errorf("an empty slab ends at %d", s.End())
	}
	for want := uint32(1); want <= 5000; want++ {
		if place, _ := s.Take(); place != want || s.End() != want+1 {
			t.Fatalf("place %d and end %d, want %d", place, s.End(), want)
		}
	}
}

func TestPointersStayGoodWhileTheSlabGrows(t *testing.T) {
	const n = 50_000
	var s slab.Slab[uint64]
	pointers := make([]*uint64, n+1)
	for i := uint64(1); i <= n; i++ {
		place, p := s.Take()
		*p = i
		pointers[place] = p
	}
	for place := uint32(1); place <= n; place++ {
		if pointers[place] != s.At(place) || *pointers[place] != uint64(place) {
			t.Fatalf("place %d moved or changed while the slab grew", place)
		}
	}
}

func TestPlacesGivenBackAreUsedAgain(t *testing.T) {
	var s slab.Slab[uint64]
	for range 3000 {
		s.Take()
	}
	for place := uint32(1); place <= 3000; place++ {
		s.Give(place)
	}
	end := s.End()
	for range 3000 {
		if place, p := s.Take(); place >= end || *p != 0 {
			t.Fatalf("a new place %d (holding %d) is used while old ones are free", place, *p)
		}
	}
}

func TestSlabAllocatesNothingInSteadyState(t *testing.T) {
	var s slab.Slab[value]
	for range 1000 {
		s.Take()
	}
	for place := uint32(1); place <= 1000; place++ {
		s.Give(place)
	}
	n := testing.AllocsPerRun(2000, func() {
		a, p := s.Take()
		p.a = 1
		b, _ := s.Take()
		s.Give(a)
		s.Give(b)
	})
	if n != 0 {
		t.Errorf("%v allocations per operation", n)
	}
}
