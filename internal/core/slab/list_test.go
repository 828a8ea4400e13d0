package slab

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type listed struct{ Links }

// TestListsAreLikeSlices: a value is where it was put, at the end, until it is pulled from anywhere.
func TestListsAreLikeSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var shelf Shelf[listed, *listed]
		var lists [2]List
		var want [2][]uint32
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			i := rapid.IntRange(0, 1).Draw(t, "list")
			if len(want[i]) == 0 || rapid.Bool().Draw(t, "push") {
				place, _ := shelf.Take()
				shelf.Push(&lists[i], place)
				want[i] = append(want[i], place)
			} else {
				at := rapid.IntRange(0, len(want[i])-1).Draw(t, "at")
				place := want[i][at]
				want[i] = slices.Delete(want[i], at, at+1)
				shelf.Pull(place)
				if shelf.At(place).Links != (Links{}) {
					t.Fatalf("what was pulled is linked: %+v", shelf.At(place).Links)
				}
				shelf.Push(&lists[1-i], place) // to the other
				want[1-i] = append(want[1-i], place)
			}
			for i := range lists {
				var ahead, back []uint32
				for place := lists[i].First; place != 0; place = shelf.At(place).After {
					ahead = append(ahead, place)
				}
				for place := lists[i].Last; place != 0; place = shelf.At(place).Before {
					back = append(back, place)
				}
				slices.Reverse(back)
				if !slices.Equal(ahead, want[i]) || !slices.Equal(back, want[i]) {
					t.Fatalf("list %d has %v, backwards %v, want %v", i, ahead, back, want[i])
				}
			}
		}
	})
}
